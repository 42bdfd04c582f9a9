/* changed.h - a result that is not what it was before, in few lines: for who changes a script and looks at its
 * scenarios meanwhile. */
#ifndef LOCKSIM_REPORT_CHANGED_H
#define LOCKSIM_REPORT_CHANGED_H

#include "report/report.h"

typedef struct {
    bool known;
    verdict verdict;
    property_outcome properties[PROPERTY_COUNT];
} report_before;

/* Is the verdict, or what came of some property, another one? What is not known was a PASS. */
bool report_has_changed(const report_before *before, const outcome *now);
/* The verdict now and before; what breaks, in how many steps, and how to see it; or the reason. An error's text is left
 * to report_error. */
void report_changed(const report_before *before, const report_item *item, const report_style *style, buf *out);
/* The error, indented by two blanks. */
void report_error(const outcome *o, buf *out);

#endif
