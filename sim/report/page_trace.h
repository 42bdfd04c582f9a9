/* page_trace.h - what `locksim trace` found in a log, as one HTML page: the findings, a timeline, and the numbers and
 * plots of a simulation. As page.h says of pages: it needs nothing else, and no script to be read. */
#ifndef LOCKSIM_REPORT_PAGE_TRACE_H
#define LOCKSIM_REPORT_PAGE_TRACE_H

#include "report/page.h"
#include "report/log_findings.h"
#include "trace/timeline.h"

/* Everything is borrowed. */
typedef struct {
    const traced_log *log;
    const timeline_told *timeline;
    const str *clients;            /* names by number, as tracer_clients has them */
    size_t client_count;
    page numbers;                  /* whose options, simulations and plots are used */
    arena *a;                      /* for what is made on the way */
} trace_page;

void page_trace_html(const trace_page *p, buf *out);

#endif
