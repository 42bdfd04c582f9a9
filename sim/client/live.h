/* live.h - what a live process shows to who learns from it (memo/): what stands in its canonical bytes, and what counts
 * of it. Not of a process that looks up. */
#ifndef LOCKSIM_CLIENT_LIVE_H
#define LOCKSIM_CLIENT_LIVE_H

#include "client/process.h"
#include "scenario/equals.h"

/* Where in the bytes a number stands, or a text. */
typedef struct { size_t from, to; bool text, hidden; } frozen_mark;

/* A distance from now in the bytes: 8 of them at `at`. Nobody can look at a timer's; a number's stands where it can be
 * hidden (hidden.h); any other is in a text or a key. */
typedef enum { DISTANCE_OTHER, DISTANCE_TIMER, DISTANCE_NUMBER } distance_kind;
typedef struct {
    size_t at;
    distance_kind kind;
    uint32_t hidden;       /* 1 + which hidden number stands there; 0: none */
} frozen_distance;

/* Of the bytes that process_freeze wrote last. Borrowed until the process is asked for anything. */
typedef struct {
    const frozen_distance *distances;
    size_t distance_count;
    const frozen_mark *marks;                      /* numbers that are no distances, and texts, in their order */
    size_t mark_count;
    const uint32_t *ranked, *answered;             /* process_each_request's: these first, then those that only */
    size_t ranked_count, answered_count;           /* fulfilled futures know */
} frozen;
frozen process_frozen(const process *live);
/* process_freeze in another naming (equals_named); the texts live in `a`. */
bool process_freeze_named(process *live, const equals *eq, size_t naming, arena *a, int64_t now_ms, buf *out, err *e);

typedef struct {
    str client;            /* "A", "A#1"; as long as the process */
    uint32_t requests_sent, tasks_made;            /* so far */
    bool clock_read;       /* its clock drifts, and its code asks for the time */
    bool time_used;        /* a watched one did more with an instant than to add and compare, first there: */
    position time_use;
    size_t bytes;          /* of its Lua state, with what process_rewind needs */
} live_facts;
live_facts process_live_facts(const process *live);

#endif
