/* freeze_locks.c - the locks of a frozen state: their views, and the monitors' data about them. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/monitor.h"

static bool reads_view(const codec *c, const lock *l)
{
    return reads_of(c, l, FACT_VIEW) || reads_spec(c, l);
}

/* By id, as in views; several modes of one holder stay in their order. */
static void sort_holders(kept_view *v)
{
    for (size_t i = 1; i < v->holder_count; i++)
        for (size_t k = i; k > 0 && str_cmp(v->holders[k].id, v->holders[k - 1].id) < 0; k--) {
            lock_holder h = v->holders[k];
            v->holders[k] = v->holders[k - 1];
            v->holders[k - 1] = h;
        }
}

static void sort_lapsed(kept_view *v)
{
    for (size_t i = 1; i < v->lapsed_count; i++)
        for (size_t k = i; k > 0 && str_cmp(v->lapsed[k], v->lapsed[k - 1]) < 0; k--) {
            str s = v->lapsed[k];
            v->lapsed[k] = v->lapsed[k - 1];
            v->lapsed[k - 1] = s;
        }
}

/* A list of ids; read into memory of the model's. */
static void code_ids(codec *c, str **ids, size_t *count)
{
    arena *a = c->m->memory;
    *count = code_number(c, *count);
    if (c->does == READING)
        *ids = ARENA_ARRAY(a, str, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        str id = code_text(c, (*ids)[i]);
        if (c->does == READING)
            (*ids)[i] = arena_str(a, id);
    }
}

static void code_view(codec *c, const lock *l, kept_view *v)
{
    arena *a = c->m->memory;
    v->holder_count = code_number(c, v->holder_count);
    if (c->does == READING)
        v->holders = ARENA_ARRAY(a, lock_holder, v->holder_count + 1);
    for (size_t i = 0; i < v->holder_count; i++) {
        lock_holder h = v->holders[i];
        h.id = code_text(c, h.id);
        h.count = code_whole(c, h.count);
        h.mode = code_text(c, h.mode);
        if (c->does == READING)
            v->holders[i] = (lock_holder){ .id = arena_str(a, h.id), .count = h.count, .mode = arena_str(a, h.mode) };
    }
    code_ids(c, &v->lapsed, &v->lapsed_count);
    if (c->does == READING && c->renamer) {
        sort_holders(v);
        sort_lapsed(v);
    }
    if (l->spec == SPEC_SEMAPHORE)
        v->permits = code_whole(c, v->permits);
    v->has_ttl = code_flag(c, v->has_ttl);
    if (v->has_ttl)
        v->deadline_ms = code_ahead(c, v->deadline_ms);
    if (l->spec != SPEC_FAIR || !reads_spec(c, l))
        return;
    code_ids(c, &v->queue, &v->queue_count);
}

/* Does an open monitor own data of the lock? */
static bool owns_any(const codec *c, const lock *l)
{
    for (uint32_t set = c->m->coders.lock; set; set &= set - 1) {
        property p = (property)__builtin_ctz(set);
        if (!all_zero(own_of_lock(c->m, l, p), monitor_of(p)->owns.lock))
            return true;
    }
    return false;
}

static void code_own(codec *c, lock *at, const lock *itself)
{
    const monitor *row;
    EACH_MONITOR(row, c->m->coders.lock)
        row->code.lock(c, at, itself);
}

/* `at` is a copy when writing; stakes refer to `itself`. */
static void code_lock(codec *c, lock *at, lock *itself)
{
    at->spec = (spec_kind)code_number(c, (uint64_t)at->spec);
    if (at->spec == SPEC_SEMAPHORE)
        at->capacity = code_whole(c, at->capacity);
    if (reads_view(c, at)) {
        at->observed = code_flag(c, at->observed);
        at->lapses = code_flag(c, at->lapses);
        code_view(c, at, &at->now);
    }
    code_own(c, at, itself);
    code_stakes(c, itself);
}

static int by_lock(const void *a, const void *b)
{
    return str_cmp((*(lock *const *)a)->name, (*(lock *const *)b)->name);
}

static void write_locks(codec *c)
{
    size_t count = HASH_COUNT(c->m->locks), n = 0;
    lock **list = mem_alloc((count + 1) * sizeof *list);
    for (lock *l = c->m->locks; l; l = l->hh.next)
        if ((l->observed && reads_view(c, l)) || l->spec != SPEC_NONE || owns_any(c, l) || has_stakes(c, l))
            list[n++] = l;
    if (n)
        qsort(list, n, sizeof *list, by_lock);
    code_number(c, n);
    for (size_t i = 0; i < n; i++) {
        lock copy = *list[i];
        code_text(c, copy.name);
        code_lock(c, &copy, list[i]);
    }
    mem_free(list);
}

void code_locks(codec *c)
{
    if (c->does != READING) {
        write_locks(c);
        return;
    }
    for (size_t n = code_number(c, 0); n > 0; n--) {
        lock *l = track_lock(c->m, code_text(c, S("")));
        code_lock(c, l, l);
    }
}
