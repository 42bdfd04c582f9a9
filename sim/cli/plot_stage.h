/* plot_stage.h - prepares the data of one run for the templates: checked, thinned to what a picture can show, and with
 * names that gnuplot does not interpret. */
#ifndef LOCKSIM_CLI_PLOT_STAGE_H
#define LOCKSIM_CLI_PLOT_STAGE_H

#include "cli/plot_table.h"

typedef struct {
    str folder;            /* as given */
    str scenario;          /* the name of its file, without .lua */
    str workload;          /* "": it has no name */
    str label;             /* what pictures call it; empty: its scenario */
    plot_table *tables;
} plot_run;

/* Is there a file meta.tsv? */
bool plot_is_run(arena *a, str folder);
bool plot_run_read(arena *a, str folder, plot_run *out, err *e);
/* Writes its tables to the folder `to`; `runs` share one picture. */
bool plot_run_stage(arena *a, const plot_run *run, size_t runs, str to, err *e);
/* A new folder below the machine's temporary one, with `count` runs staged in its folders 1 .. count. */
bool plot_stage_open(arena *a, const plot_run *runs, size_t count, str *stage, err *e);
/* Removes it, also where plot_stage_open failed. */
void plot_stage_close(str stage);

#endif
