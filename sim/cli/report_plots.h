/* report_plots.h - the simulations that belong to a report: those of its scenarios that have a workload, and their
 * plots. */
#ifndef LOCKSIM_CLI_REPORT_PLOTS_H
#define LOCKSIM_CLI_REPORT_PLOTS_H

#include "judge/jobs.h"
#include "judge/replicate.h"
#include "report/page.h"

typedef struct {
    replicate_list list;
    simulated *told;
    size_t count;                  /* of told */
    page_plot *plots;
    size_t plot_count, plot_cap;
    str note;                      /* why plots are missing; empty: none are */
    int status;
} report_plots;

/* Simulates, writes the data below o->out_dir, and draws. Everything lives in `a`, until report_plots_free. */
void report_plots_make(report_plots *r, arena *a, const options *o, const job_list *jobs);
/* Draws the plots of finished simulations whose data were written: r->told, r->count of them. r->note says which are
 * missing. Plots live in `a`. */
void report_plots_draw(report_plots *r, arena *a, const options *o);
void report_plots_free(report_plots *r);

#endif
