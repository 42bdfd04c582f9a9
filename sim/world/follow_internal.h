/* follow_internal.h - what follow_find.c and follow_visits.c know of each other. */
#ifndef LOCKSIM_WORLD_FOLLOW_INTERNAL_H
#define LOCKSIM_WORLD_FOLLOW_INTERNAL_H

#include "world/follow.h"

/* The first change up to last_ms, or INT64_MAX; cut: more follows after the last wait; leaves: a time is left behind
 * for a client that may come at any moment; second_ms: after how long a second begins for the step, 0: it counts none;
 * clock_ms: a stop at the end or the beginning of a second of a clock that is read, 0: none is, INT64_MAX: no further;
 * ranges: another client is within a declared range;
 * moving: how many heard numbers moved, SIZE_MAX: not known. */
typedef struct { int64_t ms, second_ms, clock_ms; bool cut, leaves, ranges; size_t moving; } finding;
finding follow_within(const follower *f, const follow_question *q, int64_t last_ms);

/* The first change up to last_ms where others come behind the step, or INT64_MAX. Later than at once only where more
 * numbers than `moving` move: they hear of a time that the step left behind. */
int64_t follow_visited(const follower *f, const step *s, size_t moving, int64_t last_ms);

static inline bool follow_alike(const outline *a, const outline *b)
{
    return a->print == b->print && a->count == b->count;
}

/* *last_ms becomes the millisecond before the first change, if there is one. */
static inline void follow_shorten(int64_t ms, int64_t *last_ms, int64_t *first_ms)
{
    if (ms < INT64_MAX) {
        *first_ms = ms;
        *last_ms = ms - 1;
    }
}

#endif
