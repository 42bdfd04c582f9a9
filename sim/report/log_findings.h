/* log_findings.h - what `locksim trace` found in a log, as text for people and as JSON for programs. Pure: the same
 * log gives the same bytes. */
#ifndef LOCKSIM_REPORT_LOG_FINDINGS_H
#define LOCKSIM_REPORT_LOG_FINDINGS_H

#include "report/simulation.h"
#include "trace/conform.h"
#include "trace/order.h"
#include "trace/reader.h"
#include "trace/tracer.h"

/* A line that says nothing. Borrowed. */
typedef struct {
    size_t line;
    str text;
    const char *why;
} bad_line;

/* One log. Everything is borrowed. */
typedef struct {
    str path;
    const str *families;           /* the lock tables, by name */
    size_t family_count;
    trace_counts counts;
    reader_counts read;
    bool cut;                      /* the last line has no end and says nothing */
    const finding *findings;       /* the first ones of each kind, by line */
    size_t finding_count;
    uint64_t found[FOUND_KINDS], violated[PROPERTY_COUNT];         /* all */
    const bad_line *bads;          /* the first ones */
    size_t bad_count;
    const simulated *measured;
    str driver;            /* of --conform; "": not used */
    conform_counts conform;
    const order_counts *order;         /* of clients' own logs; NULL: it is a server's */
} traced_log;

/* ERROR (no line can be read), FAIL (a property is violated), VACUOUS (no lock was granted), INCONCLUSIVE (a part could
 * not be judged), PASS. */
const char *traced_verdict(const traced_log *t);
/* The exit status of that: 65, 1, 3, 2, 0. */
int traced_status(const traced_log *t);
void report_trace_text(const traced_log *t, const report_style *style, buf *out);
/* Its account: what was read, how holds ended, and the basis of the result. */
void report_trace_account(const traced_log *t, buf *out);
/* {"locksim": 1, "exit_status": 1, "trace": {...}}: the schema is in locksim(1), section JSON. */
void report_trace_json(const traced_log *t, buf *out);

#endif
