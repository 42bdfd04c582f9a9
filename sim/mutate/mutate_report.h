/* mutate_report.h - what came of the mutants, as text and as JSON. */
#ifndef LOCKSIM_MUTATE_MUTATE_REPORT_H
#define LOCKSIM_MUTATE_MUTATE_REPORT_H

#include "mutate/mutate_internal.h"

/* A line per script, what survived below it, and a sum. verbose: every mutant. stale: lines of the file of explained
 * ones. */
void mutate_text(const mutation *m, str stale, buf *out);
void mutate_json(const mutation *m, str stale, int status, buf *out);

#endif
