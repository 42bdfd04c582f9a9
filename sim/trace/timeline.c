/* timeline.c - see timeline.h. A lane is a lock that is remembered: its bins, its last holds and waits, and its present
 * holders and waiters. */
#include "trace/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"

enum { KINDS = FOUND_KINDS + PROPERTY_COUNT, WINDOWS_MAX = KINDS * TIMELINE_WINDOWS_EACH };

typedef struct {
    timeline_span now;     /* of a present waiter or holder */
    bool open;
} task;

typedef struct lane {
    UT_hash_handle hh;
    char *id;              /* the database's number, then the name; owned */
    size_t id_n;
    timeline_row row;      /* row.lock is a part of `id` */
    int64_t seen_us;
    uint32_t holding, waiting;
    task *tasks;
    size_t task_cap;
    timeline_span ring[TIMELINE_RING];
    size_t spans;          /* ever; the last TIMELINE_RING are there */
    size_t window;         /* 1-based: the one that goes on; 0: none */
} lane;

typedef struct {
    timeline_window w;
    char *lock;            /* owned */
    size_t cap, left;      /* left: spans still to come */
} window;

struct timeline {
    bool begun;
    int64_t begin_us, bin_us;
    lane all;
    lane *lanes;
    size_t lane_count;
    uint64_t forgotten, left_out, unshown;
    window windows[WINDOWS_MAX];
    size_t window_count, of_kind[KINDS];
};

timeline *timeline_new(void)
{
    timeline *x = mem_zero(sizeof *x);
    x->bin_us = 1000;
    return x;
}

static void lane_free(lane *l)
{
    mem_free(l->id);
    mem_free(l->tasks);
    mem_free(l);
}

void timeline_free(timeline *x)
{
    lane *l, *next;
    if (!x)
        return;
    HASH_ITER(hh, x->lanes, l, next) {
        HASH_DEL(x->lanes, l);
        lane_free(l);
    }
    for (size_t i = 0; i < x->window_count; i++) {
        mem_free(x->windows[i].lock);
        mem_free(x->windows[i].w.spans);
    }
    mem_free(x);
}

/* ---- bins ---- */

static void halve(timeline_row *r)
{
    for (size_t i = 0; i < TIMELINE_BINS; i++) {
        size_t from = 2 * i;
        timeline_bin one = from < TIMELINE_BINS ? r->bins[from] : (timeline_bin){ 0 };
        timeline_bin two = from + 1 < TIMELINE_BINS ? r->bins[from + 1] : (timeline_bin){ 0 };
        r->bins[i] = (timeline_bin){ .held_us = one.held_us + two.held_us, .waited_us = one.waited_us + two.waited_us,
                                     .found = one.found + two.found,
                                     .first_line = one.found ? one.first_line : two.first_line };
    }
}

/* Makes the instant lie within the bins. Lines out of order keep the time, so nothing precedes the beginning. */
static void make_room(timeline *x, int64_t at_us)
{
    if (!x->begun) {
        x->begun = true;
        x->begin_us = x->all.seen_us = at_us;
    }
    while (at_us - x->begin_us >= x->bin_us * TIMELINE_BINS) {
        x->bin_us *= 2;
        halve(&x->all.row);
        for (lane *l = x->lanes; l; l = l->hh.next)
            halve(&l->row);
    }
}

/* Adds holders and waiters from from_us to to_us; negative numbers take them back. */
static void spread(const timeline *x, timeline_row *r, int64_t from_us, int64_t to_us, int64_t held, int64_t waited)
{
    if (held == 0 && waited == 0)
        return;
    for (int64_t at_us = from_us; at_us < to_us;) {
        int64_t bin = (at_us - x->begin_us) / x->bin_us, end_us = x->begin_us + (bin + 1) * x->bin_us;
        int64_t part_us = (end_us < to_us ? end_us : to_us) - at_us;
        r->bins[bin].held_us += part_us * held;
        r->bins[bin].waited_us += part_us * waited;
        at_us += part_us;
    }
    if (to_us > from_us) {
        r->held_us += (to_us - from_us) * held;
        r->waited_us += (to_us - from_us) * waited;
    }
}

static void advance(const timeline *x, lane *l, int64_t now_us)
{
    spread(x, &l->row, l->seen_us, now_us, l->holding, l->waiting);
    if (now_us > l->seen_us)
        l->seen_us = now_us;
}

/* ---- lanes ---- */

static bool matters_less(const lane *a, const lane *b)
{
    if ((a->row.found > 0) != (b->row.found > 0))
        return a->row.found == 0;
    if (a->row.waited_us != b->row.waited_us)
        return a->row.waited_us < b->row.waited_us;
    return a->seen_us < b->seen_us;
}

/* false: all lanes have a holder or waiter. */
static bool forget_one(timeline *x)
{
    lane *least = NULL;
    for (lane *l = x->lanes; l; l = l->hh.next)
        if (l->holding + l->waiting == 0 && !l->window && (!least || matters_less(l, least)))
            least = l;
    if (!least)
        return false;
    HASH_DEL(x->lanes, least);
    lane_free(least);
    x->lane_count--;
    x->forgotten++;
    return true;
}

/* NULL: there is no room for it. */
static lane *get_lane(timeline *x, int db, str name, int64_t now_us)
{
    char *id = mem_alloc(sizeof db + name.n);
    size_t n = sizeof db + name.n;
    lane *l;
    memcpy(id, &db, sizeof db);
    memcpy(id + sizeof db, name.p, name.n);
    HASH_FIND(hh, x->lanes, id, n, l);
    if (l || (x->lane_count >= TIMELINE_LANES_MAX && !forget_one(x))) {
        x->left_out += l == NULL;
        mem_free(id);
        return l;
    }
    l = mem_zero(sizeof *l);
    l->id = id;
    l->id_n = n;
    l->row.lock = (str){ .p = id + sizeof db, .n = name.n };
    l->row.db = db;
    l->seen_us = now_us;
    HASH_ADD_KEYPTR(hh, x->lanes, l->id, l->id_n, l);
    x->lane_count++;
    return l;
}

/* ---- windows ---- */

static void window_add(window *w, const timeline_span *s)
{
    MEM_RESERVE(w->w.spans, w->cap, w->w.span_count + 1);
    w->w.spans[w->w.span_count++] = *s;
}

/* No more events: present holders and waiters are left open. */
static void window_close(timeline *x, lane *l, int64_t now_us)
{
    window *w = &x->windows[l->window - 1];
    l->window = 0;
    w->w.to_us = now_us;
    for (size_t i = 0; i < l->task_cap; i++)
        if (l->tasks[i].open) {
            timeline_span s = l->tasks[i].now;
            s.to_us = now_us;
            window_add(w, &s);
        }
}

/* It begins with the first of the last holds and waits, or where `since` says that it began. */
static void window_open(timeline *x, lane *l, const finding *f)
{
    window *w = &x->windows[x->window_count++];
    size_t first = l->spans > TIMELINE_RING ? l->spans - TIMELINE_RING : 0;
    l->window = x->window_count;
    w->lock = mem_alloc(l->row.lock.n + 1);
    memcpy(w->lock, l->row.lock.p, l->row.lock.n);
    w->w = (timeline_window){ .lock = { .p = w->lock, .n = l->row.lock.n }, .db = l->row.db, .from_us = f->at_us };
    w->left = TIMELINE_AFTER;
    for (size_t i = first; i < l->spans; i++) {
        const timeline_span *s = &l->ring[i % TIMELINE_RING];
        if (i + TIMELINE_BEFORE < l->spans && (!f->since || s->from_line < f->since))
            continue;
        window_add(w, s);
        w->w.from_us = s->from_us < w->w.from_us ? s->from_us : w->w.from_us;
    }
    for (size_t i = 0; i < l->task_cap; i++) {
        const timeline_span *s = &l->tasks[i].now;
        if (l->tasks[i].open && s->from_us < w->w.from_us && (l->spans == 0 || s->from_line == f->since))
            w->w.from_us = s->from_us;
    }
}

static void span_ended(timeline *x, lane *l, const timeline_span *s)
{
    l->ring[l->spans++ % TIMELINE_RING] = *s;
    if (!l->window)
        return;
    window *w = &x->windows[l->window - 1];
    window_add(w, s);
    if (--w->left == 0)
        window_close(x, l, s->to_us);
}

/* ---- events ---- */

static task *get_task(lane *l, uint32_t number)
{
    size_t cap = l->task_cap;
    MEM_RESERVE(l->tasks, l->task_cap, (size_t)number + 1);
    if (l->task_cap > cap)
        memset(l->tasks + cap, 0, (l->task_cap - cap) * sizeof *l->tasks);
    return &l->tasks[number];
}

static void count(lane *l, bool holds, bool more)
{
    uint32_t *n = holds ? &l->holding : &l->waiting;
    *n = more ? *n + 1 : *n - 1;
}

static void begin(timeline *x, lane *l, task *k, const told *t, bool holds)
{
    k->open = true;
    k->now = (timeline_span){ .client = t->client, .holds = holds, .from_us = t->at_us, .to_us = t->at_us,
                              .from_line = t->line };
    k->now.who_n = t->who.n < TIMELINE_WHO_BYTES ? t->who.n : TIMELINE_WHO_BYTES;
    memcpy(k->now.who, t->who.p, k->now.who_n);
    count(l, holds, true);
    count(&x->all, holds, true);
}

static void end(timeline *x, lane *l, task *k, const told *t, span_end how)
{
    if (!k->open)
        return;
    k->open = false;
    k->now.end = how;
    k->now.to_us = t->at_us;
    if (how == SPAN_GAVE_UP) {         /* some time after it was heard of for the last time */
        k->now.to_us = t->seen_us > k->now.from_us ? t->seen_us : k->now.from_us;
        spread(x, &l->row, k->now.to_us, t->at_us, 0, -1);
        spread(x, &x->all.row, k->now.to_us, t->at_us, 0, -1);
    }
    k->now.to_line = t->line;
    count(l, k->now.holds, false);
    count(&x->all, k->now.holds, false);
    span_ended(x, l, &k->now);
}

static void granted(timeline *x, lane *l, task *k, const told *t)
{
    if (k->open && k->now.holds)
        return;                        /* it holds it already, and holds it twice now */
    end(x, l, k, t, SPAN_GRANTED);
    begin(x, l, k, t, true);
    l->row.grants++;
    x->all.row.grants++;
}

void timeline_take(timeline *x, const told *t)
{
    if (t->kind == TOLD_REQUEST || t->kind == TOLD_REFUSED)
        return;
    make_room(x, t->at_us);
    lane *l = get_lane(x, t->db, t->name, t->at_us);
    if (!l)
        return;
    advance(x, l, t->at_us);
    advance(x, &x->all, t->at_us);
    task *k = get_task(l, t->task);
    bool holds = k->open && k->now.holds;
    switch (t->kind) {
    case TOLD_ASKED:
        if (!k->open)
            begin(x, l, k, t, false);
        break;
    case TOLD_GRANTED:
        granted(x, l, k, t);
        break;
    case TOLD_GAVE_UP:
        if (!holds)
            end(x, l, k, t, SPAN_GAVE_UP);
        break;
    case TOLD_RELEASED:
        if (holds && t->count == 0)
            end(x, l, k, t, SPAN_RELEASED);
        break;
    case TOLD_LOST:
        if (holds)
            end(x, l, k, t, SPAN_LOST);
        break;
    case TOLD_REFUSED:
    case TOLD_REQUEST:
        break;
    }
}

static void mark(const timeline *x, timeline_row *r, const finding *f)
{
    int64_t at_us = f->at_us > x->begin_us ? f->at_us : x->begin_us;
    timeline_bin *b = &r->bins[(at_us - x->begin_us) / x->bin_us];
    r->found++;
    if (b->found++ == 0)
        b->first_line = f->line;
}

void timeline_found(timeline *x, const finding *f)
{
    size_t kind = f->kind == FOUND_VIOLATION ? FOUND_KINDS + (size_t)f->property : (size_t)f->kind;
    make_room(x, f->at_us);
    mark(x, &x->all.row, f);
    lane *l = f->lock.n ? get_lane(x, f->db, f->lock, f->at_us) : NULL;
    if (l)
        mark(x, &l->row, f);
    bool begins = l && !l->window && f->kind != FOUND_STRANGE && x->of_kind[kind] < TIMELINE_WINDOWS_EACH;
    if (begins) {
        x->of_kind[kind]++;
        window_open(x, l, f);
    }
    if (!l || !l->window) {
        x->unshown++;
        return;
    }
    timeline_window *w = &x->windows[l->window - 1].w;
    if (w->mark_count++ < TIMELINE_MARKS)
        w->marks[w->mark_count - 1] = (timeline_mark){ .kind = f->kind, .property = f->property, .at_us = f->at_us,
                                                       .line = f->line };
}

/* ---- the end ---- */

static int by_weight(const void *one, const void *two)
{
    const timeline_row *a = *(const timeline_row *const *)one, *b = *(const timeline_row *const *)two;
    if ((a->found > 0) != (b->found > 0))
        return a->found ? -1 : 1;
    if (a->waited_us != b->waited_us)
        return a->waited_us > b->waited_us ? -1 : 1;
    if (a->grants != b->grants)
        return a->grants > b->grants ? -1 : 1;
    return a->db != b->db ? a->db - b->db : str_cmp(a->lock, b->lock);
}

timeline_told timeline_end(timeline *x, arena *a, int64_t begin_us, int64_t end_us)
{
    timeline_told out = { .begin_us = x->begun ? x->begin_us : begin_us, .bin_us = x->bin_us };
    out.end_us = end_us > out.begin_us ? end_us : out.begin_us;
    make_room(x, out.end_us);
    out.bin_us = x->bin_us;
    out.bin_count = (size_t)((out.end_us - out.begin_us) / x->bin_us) + 1;
    advance(x, &x->all, out.end_us);
    timeline_row *all = ARENA_NEW(a, timeline_row);
    *all = x->all.row;
    out.all = all;
    out.rows = ARENA_ARRAY(a, const timeline_row *, x->lane_count + 1);
    for (lane *l = x->lanes; l; l = l->hh.next) {
        advance(x, l, out.end_us);
        if (l->window)
            window_close(x, l, out.end_us);
        timeline_row *r = ARENA_NEW(a, timeline_row);
        *r = l->row;
        r->lock = arena_str(a, l->row.lock);
        out.rows[out.row_count++] = r;
    }
    qsort(out.rows, out.row_count, sizeof *out.rows, by_weight);
    timeline_window *windows = ARENA_ARRAY(a, timeline_window, x->window_count + 1);
    for (size_t i = 0; i < x->window_count; i++) {
        const timeline_window *w = &x->windows[i].w;
        windows[i] = *w;
        windows[i].lock = arena_str(a, w->lock);
        windows[i].spans = ARENA_ARRAY(a, timeline_span, w->span_count + 1);
        memcpy(windows[i].spans, w->spans, w->span_count * sizeof *w->spans);
    }
    out.windows = windows;
    out.window_count = x->window_count;
    out.forgotten = x->forgotten;
    out.left_out = x->left_out;
    out.windows_left_out = x->unshown;
    return out;
}
