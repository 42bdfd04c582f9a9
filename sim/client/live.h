/* live.h - what a live process shows to code that learns from it (memo/): the contents of its canonical bytes, and its
 * counters. Not for a process that looks up. */
#ifndef LOCKSIM_CLIENT_LIVE_H
#define LOCKSIM_CLIENT_LIVE_H

#include "client/process.h"
#include "scenario/equals.h"

/* Where in the bytes a number stands, or a text. */
typedef struct { size_t from, to; bool text, hidden; } frozen_mark;

/* A distance from now in the bytes: 8 bytes at `at`. A timer's cannot be read by the code; a number's is where a hidden
 * number can stand (hidden.h); of seconds, it is that of an instant told in seconds; any other is in a text or a
 * key. */
typedef enum { DISTANCE_OTHER, DISTANCE_TIMER, DISTANCE_NUMBER, DISTANCE_SECONDS } distance_kind;
typedef struct {
    size_t at;
    distance_kind kind;
    uint32_t hidden;       /* 1 + the index of the hidden number there; 0: none */
} frozen_distance;

/* Of the bytes that process_freeze wrote last. Borrowed until the next call for the process. */
typedef struct {
    const frozen_distance *distances;
    size_t distance_count;
    const frozen_mark *marks;                      /* numbers that are no distances, and texts, in their order */
    size_t mark_count;
    const uint32_t *ranked, *answered;  /* the requests of process_each_request: these first, then those known */
    size_t ranked_count, answered_count;           /* to fulfilled futures only */
} frozen;
frozen process_frozen(const process *live);
/* process_freeze in another naming (equals_named); the texts live in `a`. */
bool process_freeze_named(process *live, const equals *eq, size_t naming, arena *a, int64_t now_ms, buf *out, err *e);

typedef struct {
    str client;            /* "A", "A#1"; as long as the process */
    uint32_t requests_sent, tasks_made;            /* so far */
    bool clock_read;       /* its clock drifts, and its code reads the time */
    bool time_used;        /* watched, and its code did more with an instant than add and compare; first there: */
    position time_use;
    size_t bytes;          /* of its Lua state, with all its images */
    size_t image_bytes;    /* of these alone */
} live_facts;
live_facts process_live_facts(const process *live);

#endif
