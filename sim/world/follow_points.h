/* follow_points.h - after which lengths of time a step may have another outcome. Only follow_*.c include it. */
#ifndef LOCKSIM_WORLD_FOLLOW_POINTS_H
#define LOCKSIM_WORLD_FOLLOW_POINTS_H

#include "world/follow_internal.h"

#include "base/instant.h"
#include "base/mem.h"

typedef struct { int64_t *items; size_t count, cap; } list;    /* own */

static inline void list_add(list *l, int64_t n)
{
    MEM_RESERVE(l->items, l->cap, l->count + 1);
    l->items[l->count++] = n;
}

void list_sort(list *l);           /* and each number once */

/* Lengths beyond it are no constants. */
#define CONSTANT_MAX INSTANT_WINDOW_MS
void list_add_constant(list *l, double n);         /* its absolute value, if it is whole and not too large */
bool instant_seconds(double n, int64_t now_ms);    /* is it in seconds since 1970, and near to now? */

/* The numbers that can meet: those of the outcomes, and which of the heard ones move with time. */
typedef struct {
    list instants, constants;
    list moving;           /* numbers that move with time or against it: value now, then slope */
    list far;              /* numbers too large for a length or an instant in ms: of another epoch or a finer unit */
    list crossings;        /* after how long two compared numbers become equal */
    list sent_ms;          /* instants that move with time, as they were heard, then the slope */
    list early, late;      /* instants of events: those that move with time, and those that do not */
    bool sent;  /* the present was sent, in any notation, or a script asked for it: it meets what the servers hold */
    bool other_epoch;      /* the present moves, and is not written in ms since 1970 */
    bool clock, seconds;   /* the present meets something; ... in seconds */
    list later;            /* ... after such a wait, or by a clock that is ahead by that much */
    int64_t drift;         /* ... and that drifts, as outline.drift */
} meeting_points;

void meeting_add(meeting_points *m, const follower *f, double n);
void meeting_add_outline(meeting_points *m, const follower *f, const outline *o);
/* All lengths up to last_ms at which something that moves meets something that does not, sorted. Without an end
 * (INT64_MAX), up to the last meeting. constants: any number that is written or stored may be compared; without them,
 * all comparisons are known. */
list meeting_points_of(meeting_points *m, const follower *f, int64_t last_ms, bool constants);
/* The end of an interval without end: twice the code's largest constant after the beginning of the run. */
int64_t follow_end_ms(const follower *f);
void meeting_forget(meeting_points *m);

#endif
