/* queue.c - see queue.h. */
#include "simulate/queue.h"

#include <assert.h>

#include "base/mem.h"

static bool before(const happening *a, const happening *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->seq < b->seq;
}

static void heap_add(queue *q, happening h)
{
    MEM_RESERVE(q->heap, q->cap, q->count + 1);
    size_t at = q->count++;
    while (at > 0 && before(&h, &q->heap[(at - 1) / 4])) {
        q->heap[at] = q->heap[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    q->heap[at] = h;
}

static happening heap_take(queue *q)
{
    happening first = q->heap[0], last = q->heap[--q->count];
    size_t at = 0, child;
    while ((child = 4 * at + 1) < q->count) {
        const happening *best = &q->heap[child], *end = &q->heap[child + 4 < q->count ? child + 4 : q->count];
        for (const happening *h = best + 1; h < end; h++)
            if (before(h, best))
                best = h;
        if (!before(best, &last))
            break;
        q->heap[at] = *best;
        at = (size_t)(best - q->heap);
    }
    q->heap[at] = last;
    return first;
}

void queue_post(queue *q, int64_t now_us, happening h)
{
    assert(h.at_us >= now_us);
    h.seq = q->seq++;
    if (h.at_us > now_us) {
        heap_add(q, h);
        return;
    }
    if (q->now_first == q->now_count)
        q->now_first = q->now_count = 0;
    MEM_RESERVE(q->now, q->now_cap, q->now_count + 1);
    q->now[q->now_count++] = h;
}

static bool line_is_first(const queue *q)
{
    return q->now_first < q->now_count && (q->count == 0 || before(&q->now[q->now_first], &q->heap[0]));
}

const happening *queue_first(const queue *q)
{
    if (line_is_first(q))
        return &q->now[q->now_first];
    return q->count ? &q->heap[0] : NULL;
}

happening queue_take(queue *q)
{
    if (line_is_first(q))
        return q->now[q->now_first++];
    assert(q->count > 0);
    return heap_take(q);
}

void queue_free(queue *q)
{
    mem_free(q->heap);
    mem_free(q->now);
    *q = (queue){ 0 };
}

/* ---- timers ---- */

static bool sooner(const timers *t, uint32_t a, uint32_t b)
{
    const struct timer *x = &t->of[a], *y = &t->of[b];
    return x->at_us != y->at_us ? x->at_us < y->at_us : x->seq < y->seq;
}

static void put(timers *t, uint32_t place, uint32_t number)
{
    t->heap[place] = number;
    t->of[number].place = place;
}

static void rise(timers *t, uint32_t number)
{
    uint32_t at = t->of[number].place;
    while (at > 0 && sooner(t, number, t->heap[(at - 1) / 4])) {
        put(t, at, t->heap[(at - 1) / 4]);
        at = (at - 1) / 4;
    }
    put(t, at, number);
}

static void sink(timers *t, uint32_t number)
{
    uint32_t at = t->of[number].place;
    for (;;) {
        uint32_t child = 4 * at + 1, best = child, end = child + 4 < t->count ? child + 4 : t->count;
        if (child >= t->count)
            break;
        for (uint32_t c = child + 1; c < end; c++)
            if (sooner(t, t->heap[c], t->heap[best]))
                best = c;
        if (!sooner(t, t->heap[best], number))
            break;
        put(t, at, t->heap[best]);
        at = best;
    }
    put(t, at, number);
}

void timers_make(timers *t, uint32_t n)
{
    t->of = mem_zero(n * sizeof *t->of);
    t->heap = mem_zero(n * sizeof *t->heap);
    t->count = 0;
    for (uint32_t i = 0; i < n; i++)
        t->of[i].place = UINT32_MAX;
}

void timers_free(timers *t)
{
    mem_free(t->of);
    mem_free(t->heap);
    *t = (timers){ 0 };
}

void timers_advance(timers *t, uint32_t number, int64_t at_us, uint64_t seq)
{
    struct timer *x = &t->of[number];
    if (x->place != UINT32_MAX && x->at_us <= at_us)
        return;
    x->at_us = at_us;
    x->seq = seq;
    if (x->place == UINT32_MAX)
        x->place = t->count++;
    rise(t, number);
}

uint32_t timers_first(const timers *t)
{
    return t->count ? t->heap[0] : UINT32_MAX;
}

void timers_drop_first(timers *t)
{
    assert(t->count > 0);
    t->of[t->heap[0]].place = UINT32_MAX;
    uint32_t last = t->heap[--t->count];
    if (t->count == 0)
        return;
    put(t, 0, last);
    sink(t, last);
}
