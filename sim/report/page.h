/* page.h - a run as one HTML page that needs nothing else: no network, no other file, and no script to be read. Pure:
 * the same results give the same bytes. Whatever came from outside is shown through clean_xml, in texts and attributes,
 * and nowhere else. */
#ifndef LOCKSIM_REPORT_PAGE_H
#define LOCKSIM_REPORT_PAGE_H

#include "report/simulation.h"

#define PAGE_COMPARED SIZE_MAX         /* a plot of all simulations of one workload together */

/* A picture that something else drew. */
typedef struct {
    size_t simulation;     /* which of the page's, or PAGE_COMPARED */
    str workload;          /* of PAGE_COMPARED: whose */
    str caption;
    str svg;               /* a whole document; shown as an image, so that nothing within it runs or mixes with the
                            * page */
} page_plot;

typedef struct {
    const report_item *items;
    size_t count;
    size_t not_run;        /* scenarios that were left out */
    str options;           /* as options_tell has them */
    const char *program;   /* as the reader called it; NULL: locksim */
    const simulated *simulations;
    size_t simulation_count;
    const page_plot *plots;
    size_t plot_count;
    str plots_note;        /* why there are none, or not all */
    bool packed;           /* diagrams and steps are packed: small, and shown by the page's script once opened */
    str plain_name;        /* of a packed page: the file beside it that needs no script */
    bool of_log;           /* the simulations are none, but a log that was measured as one */
    bool profile;          /* all of the profile */
} page;

/* The limits of a page; what exceeds them is counted, and the page says so. */
enum {
    PAGE_STORIES_MAX = 300,
    PAGE_STEPS_MAX = 160,  /* of a story */
    PAGE_KEYS_MAX = 24,    /* beside a step */
    PAGE_SCENARIOS_MAX = 3000,
    PAGE_BYTES_MAX = 24 << 20,         /* no further story is begun beyond */
    PAGE_PLAIN_BYTES_MAX = 1000000,    /* a larger page had better be packed */
};

void page_html(const page *p, buf *out);

#endif
