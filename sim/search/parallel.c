/* parallel.c - see parallel.h. */
#include "search/parallel.h"

#include <assert.h>
#include <string.h>

#include "base/team.h"

enum { SLICES = PARALLEL_SLICES_MAX, RECENT = 1 << 12, SHARE_BITS = 5, AHEAD = 8 };

/* A step to a state that may be new. */
typedef struct {
    uint64_t hi;           /* of its print */
    visited_place *place;  /* NULL: it was met before */
    const struct row_change *change;   /* as in happening; NULL: its row is made */
    uint32_t lo;
    uint32_t at;           /* its place among those of the slice */
    uint32_t model;        /* as in happening; or the index of its made row */
    uint16_t row;          /* the row of the slice from which it leads */
    uint16_t process;
} arrival;
static_assert(sizeof(arrival) == 40, "they are written and read twice, many at a time");

static print print_of(const arrival *a) { return (print){ .hi = a->hi, .lo = a->lo }; }

typedef struct { arrival *items; size_t count, cap; } arrivals;

typedef struct {
    size_t first, count;   /* rows */
    arrivals *of_share;
    uint32_t arrived;
    uint8_t *fresh;        /* by arrival.at; bytes, which threads may write side by side */
    size_t fresh_cap;
    uint32_t *numbers;     /* by arrival.at */
    size_t number_cap;
    uint32_t *made;
    size_t made_count, made_cap;
    uint32_t *unknown;     /* rows of which something has to be learned or reported */
    size_t unknown_count, unknown_cap;
    uint64_t *stands;      /* by arrival.at, where equal clients count once: how many states each stands for */
    size_t stands_cap;
    uint64_t transitions, same, stand_for;
    uint64_t met[MEETINGS_MAX];
    uint32_t first_number, new_count;
} slice;

/* The memory of one thread. */
typedef struct {
    vectors *t;
    print *recent;         /* recently met states: most are met several times within a few rows */
    uint32_t *rows;        /* rows that one row leads to, where they are made to be folded */
    size_t row_cap;
    folded *folds;         /* stands_for 0: left out */
    size_t fold_cap;
    uint32_t ample;        /* vectors_ample of the current row */
    bool low;              /* memory is low: its thread's reserve is gone */
} worker;

/* Where the visited set had no more room. */
typedef struct { size_t slice; uint32_t at, row; } place_in_order;

struct parallel {
    hunt *h;
    vectors *t;
    visited *seen;
    team *team;
    size_t shares, width, slice_rows;
    worker workers[TEAM_MAX];          /* all that ever took part */
    slice slices[SLICES];
    size_t slice_count;
    const parallel_work *w;
    uint32_t asked;
    bool again;            /* slices are looked at again */
    place_in_order *cuts;  /* by share; slice == SLICES: none */
    place_in_order cut;    /* the first */
};

parallel *parallel_new(hunt *h, vectors *t, visited *seen, size_t slice_rows)
{
    if (!visited_divide(seen, SHARE_BITS))
        return NULL;
    parallel *p = mem_zero(sizeof *p);
    p->h = h;
    p->t = t;
    p->seen = seen;
    p->slice_rows = slice_rows;
    p->shares = (size_t)1 << SHARE_BITS;
    p->width = vectors_width(t);
    p->team = team_new();
    p->cuts = mem_zero(p->shares * sizeof *p->cuts);
    for (size_t i = 0; i < SLICES; i++)
        p->slices[i].of_share = mem_zero(p->shares * sizeof(arrivals));
    return p;
}

void parallel_free(parallel *p)
{
    if (!p)
        return;
    team_free(p->team);
    for (size_t i = 0; i < TEAM_MAX; i++) {
        vectors_reader_free(p->workers[i].t);
        mem_free(p->workers[i].recent);
        mem_free(p->workers[i].rows);
        mem_free(p->workers[i].folds);
    }
    for (size_t i = 0; i < SLICES; i++) {
        slice *s = &p->slices[i];
        for (size_t k = 0; k < p->shares; k++)
            mem_free(s->of_share[k].items);
        void *own[] = { s->of_share, s->fresh, s->numbers, s->made, s->unknown, s->stands };
        for (size_t k = 0; k < COUNT(own); k++)
            mem_free(own[k]);
    }
    mem_free(p->cuts);
    mem_free(p);
}

size_t parallel_bytes(const parallel *p)
{
    if (!p)
        return 0;
    size_t bytes = sizeof *p;
    for (size_t i = 0; i < TEAM_MAX; i++)
        bytes += p->workers[i].t ? RECENT * sizeof(print) : 0;
    for (size_t i = 0; i < SLICES; i++) {
        const slice *s = &p->slices[i];
        bytes += p->shares * sizeof *s->of_share + s->fresh_cap + s->number_cap * sizeof *s->numbers +
                 s->made_cap * sizeof *s->made + s->stands_cap * sizeof *s->stands;
        for (size_t k = 0; k < p->shares; k++)
            bytes += s->of_share[k].cap * sizeof(arrival);
    }
    return bytes;
}

/* ---- 1. and 3.: look up ---- */

static bool was_recent(worker *me, print p)
{
    print *last = &me->recent[p.hi % RECENT];
    bool was = last->hi == p.hi && last->lo == p.lo;
    last->hi = p.hi;
    last->lo = p.lo;
    return was;
}

/* The next row is a repeated one or not in order: what was met before it is unknown. */
static void forget_recent(parallel *p)
{
    for (size_t i = 0; i < TEAM_MAX; i++)
        if (p->workers[i].t)
            memset(p->workers[i].recent, 0, RECENT * sizeof(print));
}

static arrival *new_arrival(parallel *p, slice *s, uint32_t row, print print)
{
    arrivals *of = &s->of_share[visited_share(p->seen, print)];
    MEM_RESERVE(of->items, of->cap, of->count + 1);
    arrival *a = &of->items[of->count++];
    *a = (arrival){ .hi = print.hi, .lo = print.lo, .at = s->arrived++, .row = (uint16_t)(row - s->first) };
    return a;
}

static uint32_t *new_row(parallel *p, slice *s, arrival *a)
{
    MEM_RESERVE(s->made, s->made_cap, (s->made_count + 1) * p->width);
    a->model = (uint32_t)s->made_count++;
    return s->made + a->model * p->width;
}

static void add_arrival(parallel *p, worker *me, slice *s, uint32_t row, const happening *x)
{
    if (!p->again && was_recent(me, x->print))
        return;
    arrival *a = new_arrival(p, s, row, x->print);
    a->change = x->change;
    a->process = (uint16_t)x->process;
    a->model = x->model;
    if (!x->change)
        vectors_row(me->t, level_row(p->w->now, row), x, new_row(p, s, a));
}

/* The rows that this one leads to, and their canonical forms. false: something has to be learned. */
static bool fold_all(parallel *p, worker *me, uint32_t row, const happening *list, size_t count)
{
    MEM_RESERVE(me->folds, me->fold_cap, count);
    MEM_RESERVE(me->rows, me->row_cap, count * p->width);
    for (size_t i = 0; i < count; i++) {
        me->folds[i] = (folded){ 0 };
        if (list[i].same || happening_waits(&list[i], me->ample) || (!p->again && was_recent(me, list[i].print)))
            continue;
        vectors_row(me->t, level_row(p->w->now, row), &list[i], me->rows + i * p->width);
        if (!vectors_knows_fold(me->t, me->rows + i * p->width, &me->folds[i]))
            return false;
    }
    return true;
}

static void add_folded(parallel *p, worker *me, slice *s, uint32_t row, size_t i)
{
    if (!me->folds[i].stands_for)
        return;
    arrival *a = new_arrival(p, s, row, me->folds[i].print);
    memcpy(new_row(p, s, a), me->rows + i * p->width, p->width * sizeof *me->rows);
    MEM_RESERVE(s->stands, s->stands_cap, s->arrived);
    s->stands[a->at] = me->folds[i].stands_for;
}

static bool only_faults_happen(const happening *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i].fault)
            return false;
    return true;
}

static void look_at_row(parallel *p, worker *me, slice *s, uint32_t row)
{
    const happening *list;
    size_t count, same;
    uint32_t broken = 0;
    bool known = vectors_knows(me->t, level_row(p->w->now, row), &list, &count, &same,
                               p->h->meetings ? s->met : NULL);
    for (size_t i = 0; known && i < count; i++)
        broken |= list[i].broken;
    me->ample = NOBODY;
    if (known && p->h->ample)
        known = vectors_knows_ample(me->t, level_row(p->w->now, row), list, count, &me->ample);
    bool folds = vectors_folds(p->t);
    known = known && (!folds || fold_all(p, me, row, list, count));
    bool tells = known && !p->again && ((broken & p->asked) || (same == 0 && only_faults_happen(list, count)));
    if (!known || tells) {
        assert(!p->again);
        MEM_RESERVE(s->unknown, s->unknown_cap, s->unknown_count + 1);
        s->unknown[s->unknown_count++] = row;
        return;
    }
    same = me->ample == NOBODY ? same : 0;
    s->transitions += same;
    s->same += same;
    for (size_t i = 0; i < count; i++) {
        if (happening_waits(&list[i], me->ample))
            continue;
        s->transitions++;
        if (list[i].same)
            s->same++;
        else if (folds)
            add_folded(p, me, s, row, i);
        else
            add_arrival(p, me, s, row, &list[i]);
    }
}

static void look_at_slice(void *context, size_t member, size_t i)
{
    parallel *p = context;
    worker *me = &p->workers[member];
    slice *s = &p->slices[i];
    if (p->again && s->unknown_count == 0)
        return;
    mem_keep_back(RECENT * sizeof(print));
    for (size_t k = 0; k < p->shares; k++)
        s->of_share[k].count = 0;
    s->arrived = 0;
    s->made_count = s->unknown_count = 0;
    s->transitions = s->same = s->stand_for = 0;
    memset(s->met, 0, sizeof s->met);
    for (size_t row = s->first; row < s->first + s->count; row++) {
        if (row + AHEAD < s->first + s->count)
            __builtin_prefetch(level_row(p->w->now, row + AHEAD));     /* another core may have written it */
        look_at_row(p, me, s, (uint32_t)row);
    }
    MEM_RESERVE(s->fresh, s->fresh_cap, s->arrived);
    MEM_RESERVE(s->numbers, s->number_cap, s->arrived);
    if (s->arrived > 0)
        memset(s->fresh, 0, s->arrived);
    me->low |= mem_is_low();
}

static void look(parallel *p, size_t threads, bool again)
{
    p->again = again;
    p->asked = p->w->asked(p->w->context);
    for (size_t i = 0; i < threads; i++) {
        worker *each = &p->workers[i];
        if (!each->t) {
            each->t = vectors_reader(p->t);
            each->recent = mem_zero(RECENT * sizeof(print));
        }
        vectors_reader_refresh(each->t, p->t);
    }
    team_run(p->team, threads, p->slice_count, look_at_slice, p);
}

/* ---- 2.: learn ---- */

/* The slices that one thread would have looked at before a limit of states ended the search: only these count. *opened:
 * some have to be looked at again. */
static size_t learn_all(parallel *p, bool *opened)
{
    uint64_t happened = 0;
    for (size_t i = 0; i < p->slice_count; i++) {
        slice *s = &p->slices[i];
        happened += s->transitions;
        if (happened > p->w->room)
            return i;
        for (size_t k = 0; k < s->unknown_count; k++) {
            size_t count;
            if (!p->w->learn(p->w->context, s->unknown[k], &count))
                return i;
            happened += count;
            if (happened > p->w->room)
                return i;
        }
        *opened |= s->unknown_count > 0;
    }
    return p->slice_count;
}

/* ---- 4.: find out which states are new ---- */

static void meet_share(void *context, size_t member, size_t share)
{
    parallel *p = context;
    (void)member;
    uint64_t moves = visited_moves(p->seen, (unsigned)share);
    p->cuts[share].slice = SLICES;
    for (size_t i = 0; i < p->slice_count; i++) {
        slice *s = &p->slices[i];
        arrivals *of = &s->of_share[share];
        for (size_t k = 0; k < of->count && k < AHEAD; k++)
            visited_prefetch(p->seen, print_of(&of->items[k]));
        for (size_t k = 0; k < of->count; k++) {
            arrival *a = &of->items[k];
            bool fresh;
            if (k + AHEAD < of->count)
                visited_prefetch(p->seen, print_of(a + AHEAD));
            visited_place *place = p->cuts[share].slice < SLICES ? NULL : visited_put(p->seen, print_of(a), &fresh);
            if (!place && p->cuts[share].slice == SLICES)
                p->cuts[share] = (place_in_order){ .slice = i, .at = a->at,
                                                 .row = (uint32_t)s->first + a->row };
            a->place = place && fresh ? place : NULL;
            s->fresh[a->at] = a->place != NULL;
        }
    }
    for (size_t i = 0; i < p->slice_count && visited_moves(p->seen, (unsigned)share) != moves; i++) {
        arrivals *of = &p->slices[i].of_share[share];
        for (size_t k = 0; k < of->count; k++)
            if (of->items[k].place)
                of->items[k].place = visited_again(p->seen, print_of(&of->items[k]));
    }
}

static bool is_cut(const parallel *p, size_t i, uint32_t at)
{
    return i > p->cut.slice || (i == p->cut.slice && at >= p->cut.at);
}

static void find_cut(parallel *p)
{
    p->cut = (place_in_order){ .slice = SLICES };
    for (size_t k = 0; k < p->shares; k++)
        if (p->cuts[k].slice < SLICES && !is_cut(p, p->cuts[k].slice, p->cuts[k].at))
            p->cut = p->cuts[k];
}

/* ---- 5.: number ---- */

static void number_slice(void *context, size_t member, size_t i)
{
    parallel *p = context;
    slice *s = &p->slices[i];
    const level *now = p->w->now;
    level *next = p->w->next;
    uint32_t number = s->first_number, next_first = now->first + (uint32_t)now->count;
    (void)member;
    for (uint32_t at = 0; at < s->arrived; at++) {
        s->numbers[at] = number;
        number += s->fresh[at];
    }
    for (size_t k = 0; k < p->shares; k++)
        for (size_t j = 0; j < s->of_share[k].count; j++) {
            const arrival *a = &s->of_share[k].items[j];
            if (j + AHEAD < s->of_share[k].count)
                __builtin_prefetch(a[AHEAD].place, 1);
            if (!a->place || !s->fresh[a->at])
                continue;
            size_t row = s->first + a->row;
            visited_number(p->seen, a->place, s->numbers[a->at], now->first + (uint32_t)row);
            uint32_t *to = level_row(next, s->numbers[a->at] - next_first);
            happening x = { .print = print_of(a), .change = a->change, .model = a->model,
                            .process = a->process == (uint16_t)NOBODY ? NOBODY : a->process };
            if (a->change)
                vectors_row(p->t, level_row(now, row), &x, to);
            else
                memcpy(to, s->made + a->model * p->width, p->width * sizeof *to);
            s->stand_for += vectors_folds(p->t) ? s->stands[a->at] : 1;
        }
}

/* The number of new states; each slice gets the number of its first one. */
static size_t count_new(parallel *p)
{
    size_t all = 0;
    for (size_t i = 0; i < p->slice_count; i++) {
        slice *s = &p->slices[i];
        s->first_number = (uint32_t)(visited_count(p->seen) + all);
        s->new_count = 0;
        for (uint32_t at = 0; at < s->arrived; at++) {
            s->fresh[at] &= !is_cut(p, i, at);
            s->new_count += s->fresh[at];
        }
        all += s->new_count;
    }
    return all;
}

/* ---- the whole ---- */

static void divide_rows(parallel *p)
{
    size_t rows = p->w->now->count;
    p->slice_count = 0;
    for (size_t at = p->w->from; at < rows && p->slice_count < SLICES; at += p->slice_rows) {
        slice *s = &p->slices[p->slice_count++];
        s->first = at;
        s->count = rows - at < p->slice_rows ? rows - at : p->slice_rows;
    }
}

static void add_up(const parallel *p, parallel_done *d)
{
    for (size_t i = 0; i < p->slice_count; i++) {
        const slice *s = &p->slices[i];
        d->transitions += s->transitions;
        d->same += s->same;
        d->stand_for += s->stand_for;
        for (size_t op = 0; p->h->meetings && op < MEETINGS_MAX; op++)
            if (s->met[op])
                meetings_meet(p->h->meetings, (uint8_t)op, s->met[op]);
    }
}

parallel_done parallel_go_on(parallel *p, const parallel_work *w, size_t threads)
{
    parallel_done d = { 0 };
    bool opened = false;
    p->w = w;
    divide_rows(p);
    look(p, threads, false);
    size_t looked = p->slice_count;
    p->slice_count = learn_all(p, &opened);
    d.alone = p->slice_count < looked;
    if (d.alone)
        forget_recent(p);
    if (p->slice_count == 0)
        return d;
    if (opened)
        look(p, threads, true);
    team_run(p->team, threads, p->shares, meet_share, p);
    find_cut(p);
    size_t all = count_new(p);
    if (!visited_reserve(p->seen, all)) {
        p->cut = (place_in_order){ .row = (uint32_t)w->from };
        all = count_new(p);
    }
    level_extend(w->next, all);
    team_run(p->team, threads, p->slice_count, number_slice, p);
    visited_numbered(p->seen, all);
    add_up(p, &d);
    const slice *last = &p->slices[p->slice_count - 1];
    d.full = p->cut.slice < SLICES;
    for (size_t i = 0; i < threads; i++)
        d.low |= p->workers[i].low;
    d.rows = (d.full ? p->cut.row : last->first + last->count) - w->from;
    return d;
}
