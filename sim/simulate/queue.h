/* queue.h - future events in order of time; events of one instant in the order of posting. Without the sequence number
 * the heap's layout would decide, and a change to the heap would change every run. */
#ifndef LOCKSIM_SIMULATE_QUEUE_H
#define LOCKSIM_SIMULATE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t at_us;
    uint64_t seq;
    uint32_t kind, client, number, life;           /* the engine's own: see internal.h */
} happening;

/* Zero-initialise. */
typedef struct {
    happening *heap;       /* of the future */
    size_t count, cap;
    happening *now;        /* a line of those posted for the very instant; they come after all of the heap's at that
                            * instant */
    size_t now_first, now_count, now_cap;
    uint64_t seq;
} queue;

/* `now_us` is the present instant; h.at_us is not before it. h.seq is filled in. */
void queue_post(queue *q, int64_t now_us, happening h);
const happening *queue_first(const queue *q);      /* NULL: empty. Borrowed until the next call. */
happening queue_take(queue *q);                    /* the first */
void queue_free(queue *q);

/* One instant for each of many, which can be moved: a heap of their numbers. */
typedef struct {
    struct timer { int64_t at_us; uint64_t seq; uint32_t place; } *of;    /* place: in the heap, UINT32_MAX: not set */
    uint32_t *heap;
    uint32_t count;
} timers;

void timers_make(timers *t, uint32_t n);
void timers_free(timers *t);
/* Moves it forward to at_us; an earlier setting stays, so the callee may find that it is too early. */
void timers_advance(timers *t, uint32_t number, int64_t at_us, uint64_t seq);
uint32_t timers_first(const timers *t);            /* UINT32_MAX: none is set */
void timers_drop_first(timers *t);

#endif
