/* sequence_bars.h - what lasts in a story: waiting, believing to hold, being held by the server's account, pauses,
 * death. */
#ifndef LOCKSIM_REPORT_SEQUENCE_BARS_H
#define LOCKSIM_REPORT_SEQUENCE_BARS_H

#include "report/sequence_trace.h"

/* Adds the bars to `out`. */
void sequence_bars_make(const story *s, sequence_trace *out);

#endif
