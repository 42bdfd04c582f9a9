/* timeline_svg.h - who held a lock and who waited, as pictures in SVG: time runs to the right. They take the colours of
 * sequence_style and page.css, and need no script, no font and no network. */
#ifndef LOCKSIM_REPORT_TIMELINE_SVG_H
#define LOCKSIM_REPORT_TIMELINE_SVG_H

#include "base/buf.h"
#include "trace/timeline.h"

/* The limits of a picture; what exceeds them is counted, and the picture says so. */
enum { TIMELINE_ROWS_MAX = 12, TIMELINE_WHO_MAX = 14 };

/* A row for each lock, in bins: below how many held, above how many waited, and findings with their lines. Times count
 * from `origin_us`. `id` is of this picture alone. */
void timeline_overview_svg(const timeline_told *t, int64_t origin_us, const char *id, buf *out);
/* A row for each holder or waiter: holds are thick, waits thin, findings lines from top to bottom. */
void timeline_window_svg(const timeline_window *w, int64_t origin_us, const char *id, buf *out);
/* What bars and marks mean, as a list that wraps. */
void timeline_legend(buf *out);
/* "LK003 owner_only" or "overrun". */
void timeline_mark_name(found_kind kind, property p, buf *out);

#endif
