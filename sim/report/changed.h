/* changed.h - a result that differs from the one before, in a few lines: for users who change a script while they watch
 * its scenarios. */
#ifndef LOCKSIM_REPORT_CHANGED_H
#define LOCKSIM_REPORT_CHANGED_H

#include "report/report.h"

typedef struct {
    bool known;
    verdict verdict;
    property_outcome properties[PROPERTY_COUNT];
} report_before;

/* Has the verdict, or a property's outcome, changed? A missing result counts as a PASS. */
bool report_has_changed(const report_before *before, const outcome *now);
/* The verdict now and before; what breaks, in how many steps, and how to see it; or the reason. report_error writes an
 * error's text. */
void report_changed(const report_before *before, const report_item *item, const report_style *style, buf *out);
/* The error, indented by two blanks. */
void report_error(const outcome *o, buf *out);

#endif
