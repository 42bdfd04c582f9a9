/* order_search.c - one group of requests: depth first, an order and instants that explain every answer. A state that
 * led nowhere is kept, and not tried again. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/answer.h"
#include "trace/order_internal.h"

/* How often the requests of one group may be executed before an answer counts as unexplained: in total, and per
 * request. */
enum { TRIES_MAX = 3000000, TRIES_EACH = 100, NEIGHBOURS_MAX = 16, TIMES_MAX = 64 };

void order_forget_failed(order *o)
{
    failed_state *s, *next;
    HASH_ITER(hh, o->failed, s, next) {
        HASH_DEL(o->failed, s);
        mem_free(s);
    }
}

/* ---- our server ---- */

static reply execute(order *o, const op *x, int64_t at_us, arena *out)
{
    str select[] = { S("select"), arena_int(out, x->r.db) };
    if (redis_conn_db(o->conn) != x->r.db)
        redis_execute(o->server, o->conn, select, COUNT(select), at_us / 1000, out);
    return redis_execute(o->server, o->conn, x->r.argv, x->r.argc, at_us / 1000, out);
}

/* Executes it then, if our server's answer equals the log's. */
static bool fits(order *o, const op *x, int64_t at_us)
{
    arena_reset(o->scratch);
    reply r = execute(o, x, at_us, o->scratch);
    o->counts.tried++;
    o->tries++;
    return !x->r.answer || answer_same(x->r.answer, &r);
}

static str freeze(order *o, int64_t now_us)
{
    buf b = { 0 };
    redis_freeze(o->server, now_us / 1000, &b);
    str out = { .p = mem_alloc(b.n + 1), .n = b.n };
    memcpy((char *)(uintptr_t)out.p, b.p ? b.p : "", b.n);
    buf_free(&b);
    return out;
}

/* ---- the requests that are still to be placed, by when they were sent ---- */

static void take_out(order *o, size_t i)
{
    op *x = &o->ops[i];
    if (x->prev == NOBODY_YET)
        o->first = x->next;
    else
        o->ops[x->prev].next = x->next;
    if (x->next != NOBODY_YET)
        o->ops[x->next].prev = x->prev;
    o->left -= x->limit_us != NEVER_US;
    o->set += x->print;
}

/* Puts the last removed one back in its place. */
static void put_back(order *o, size_t i)
{
    op *x = &o->ops[i];
    if (x->prev == NOBODY_YET)
        o->first = i;
    else
        o->ops[x->prev].next = i;
    if (x->next != NOBODY_YET)
        o->ops[x->next].prev = i;
    o->left += x->limit_us != NEVER_US;
    o->set -= x->print;
}

static void place(order *o, choice c)
{
    MEM_RESERVE(o->path, o->path_cap, o->path_count + 1);
    o->path[o->path_count++] = c;
    o->now_us = c.at_us;
    take_out(o, c.op);
}

static void unplace_to(order *o, size_t count)
{
    while (o->path_count > count)
        put_back(o, o->path[--o->path_count].op);
}

/* ---- what may come next ---- */

typedef struct {
    int64_t list[TIMES_MAX];
    size_t count;
    int64_t after_us, limit_us;
} instants;

static void add_instant(instants *t, int64_t at_us)
{
    if (at_us <= t->after_us || at_us > t->limit_us || t->count == TIMES_MAX)
        return;
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i] == at_us)
            return;
    t->list[t->count++] = at_us;
}

static void on_deadline(void *context, int64_t at_ms, bool deadline)
{
    if (deadline)
        add_instant(context, (at_ms + 1) * 1000);
}

/* A length in its words, in ms or s, makes two execution times interesting: late enough that what lives so long still
 * lives when another request is sent, or when something has ended by itself. For all else earlier is enough. */
static void add_length(order *o, int64_t length_us, instants *t)
{
    size_t seen = 0;
    for (size_t k = o->first; k != NOBODY_YET && seen < NEIGHBOURS_MAX; k = o->ops[k].next, seen++)
        add_instant(t, o->ops[k].r.sent_us / 1000 * 1000 - length_us);
    instants ends = { .after_us = o->now_us, .limit_us = NEVER_US };
    redis_each_instant(o->server, o->now_us / 1000, 0, on_deadline, &ends);
    for (size_t i = 0; i < ends.count; i++)
        add_instant(t, ends.list[i] - length_us);
}

static void add_lengths(order *o, const op *x, instants *t)
{
    enum { DIGITS_MAX = 9 };
    for (size_t i = 1; i < x->r.argc; i++) {
        str w = x->r.argv[i];
        int64_t n = w.n && w.n <= DIGITS_MAX ? 0 : -1;
        for (size_t k = 0; k < w.n && n >= 0; k++)
            n = w.p[k] >= '0' && w.p[k] <= '9' ? n * 10 + (w.p[k] - '0') : -1;
        if (n <= 0)
            continue;
        add_length(o, n * 1000, t);
        add_length(o, n * 1000000, t);
    }
}

static int64_t first_limit(const order *o)
{
    int64_t limit = NEVER_US;
    for (size_t i = o->first; i != NOBODY_YET && o->ops[i].r.sent_us <= limit; i = o->ops[i].next)
        if (o->ops[i].limit_us < limit)
            limit = o->ops[i].limit_us;
    return limit;
}

static int by_limit(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    return x->at_us != y->at_us ? (x->at_us < y->at_us ? -1 : 1) : x->op < y->op ? -1 : x->op > y->op;
}

/* Each of those that may be next, as early as can be, the first to be answered first; then each at later instants at
 * which a result could change. */
static size_t choices_of(order *o, choice **out)
{
    int64_t limit = first_limit(o);
    size_t n = 0, cap = 0;
    choice *list = NULL;
    for (size_t i = o->first; i != NOBODY_YET && o->ops[i].r.sent_us <= limit; i = o->ops[i].next) {
        int64_t at = o->ops[i].r.sent_us > o->now_us ? o->ops[i].r.sent_us : o->now_us;
        if (at > limit)
            continue;
        MEM_RESERVE(list, cap, n + 1);
        list[n++] = (choice){ .op = i, .at_us = o->ops[i].limit_us };          /* to be sorted by */
    }
    if (n > 1)
        qsort(list, n, sizeof *list, by_limit);
    size_t early = n;
    for (size_t i = 0; i < early; i++) {
        const op *x = &o->ops[list[i].op];
        instants t = { .after_us = x->r.sent_us > o->now_us ? x->r.sent_us : o->now_us, .limit_us = limit };
        list[i].at_us = t.after_us;
        redis_each_instant(o->server, o->now_us / 1000, 0, on_deadline, &t);
        add_lengths(o, x, &t);
        for (size_t k = 0; k < t.count; k++) {
            MEM_RESERVE(list, cap, n + 1);
            list[n++] = (choice){ .op = list[i].op, .at_us = t.list[k] };
        }
    }
    *out = list;
    return n;
}

/* ---- the search ---- */

static bool known_failure(order *o, const frame *f)
{
    failed_state *s;
    HASH_FIND(hh, o->failed, &f->print, sizeof f->print, s);
    return s != NULL;
}

/* A state with a choice. false: from here nothing can follow. */
static bool open_frame(order *o)
{
    MEM_RESERVE(o->frames, o->frame_cap, o->frame_count + 1);
    frame *f = &o->frames[o->frame_count];
    *f = (frame){ .placed = o->path_count, .now_us = o->now_us, .set = o->set };
    f->count = choices_of(o, &f->choices);
    if (f->count > 1) {
        f->store = freeze(o, o->now_us);
        uint64_t rest[2] = { (uint64_t)o->now_us, o->set };
        f->print = XXH3_128bits_withSeed(f->store.p, f->store.n, XXH3_64bits(rest, sizeof rest));
    }
    if (f->count == 0 || (f->count > 1 && known_failure(o, f))) {
        mem_free(f->choices);
        mem_free((void *)(uintptr_t)f->store.p);
        return false;
    }
    o->frame_count++;
    return true;
}

static void close_frame(order *o, bool failed)
{
    frame *f = &o->frames[--o->frame_count];
    if (failed && f->count > 1) {
        failed_state *s = mem_zero(sizeof *s);
        s->print = f->print;
        HASH_ADD(hh, o->failed, print, sizeof s->print, s);
    }
    mem_free(f->choices);
    mem_free((void *)(uintptr_t)f->store.p);
}

static void note_best(order *o)
{
    if (o->left >= o->best_left)
        return;
    o->best_left = o->left;
    o->best = mem_reserve(o->best, &o->best_cap, o->path_count, sizeof *o->best);
    memcpy(o->best, o->path, o->path_count * sizeof *o->best);
    o->best_count = o->path_count;
}

/* From the state in which all of `path` is placed: true, and the rest is placed, too; false: no way was found. */
static bool search(order *o, uint64_t tries_max)
{
    o->tries = 0;
    o->best_left = SIZE_MAX;
    note_best(o);
    if (o->left == 0)
        return true;
    open_frame(o);
    while (o->frame_count > 0 && o->tries < tries_max) {
        frame *f = &o->frames[o->frame_count - 1];
        if (f->next == f->count) {
            close_frame(o, true);
            continue;
        }
        choice c = f->choices[f->next++];
        unplace_to(o, f->placed);
        o->now_us = f->now_us;
        if (f->next > 1)
            redis_thaw(o->server, f->now_us / 1000, f->store);
        if (!fits(o, &o->ops[c.op], c.at_us))
            continue;
        place(o, c);
        note_best(o);
        if (o->left == 0)
            return true;
        open_frame(o);
    }
    return false;
}

static void close_all(order *o)
{
    while (o->frame_count > 0)
        close_frame(o, false);
    order_forget_failed(o);
}

/* No order explains all answers: what could be explained stays, and the next to be answered is executed although it
 * does not fit. */
static void force_one(order *o, size_t base, str store, int64_t now_us, bool gave_up)
{
    unplace_to(o, base);
    redis_thaw(o->server, now_us / 1000, store);
    for (size_t i = base; i < o->best_count; i++) {
        arena_reset(o->scratch);
        execute(o, &o->ops[o->best[i].op], o->best[i].at_us, o->scratch);
        place(o, o->best[i]);
    }
    size_t worst = o->first;
    for (size_t i = o->first; i != NOBODY_YET; i = o->ops[i].next)
        if (o->ops[i].limit_us < o->ops[worst].limit_us)
            worst = i;
    const op *x = &o->ops[worst];
    int64_t at_us = x->r.sent_us > o->now_us ? x->r.sent_us : o->now_us;
    arena_reset(o->scratch);
    reply ours = execute(o, x, at_us, o->scratch);
    place(o, (choice){ .op = worst, .at_us = at_us });
    if (!x->r.answer || answer_same(x->r.answer, &ours))
        return;
    if (o->counts.unexplained++ == 0)
        o->counts.unexplained_line = x->r.line;
    o->counts.given_up += gave_up;
}

static void keep_path(order *o)
{
    for (size_t i = 0; i < o->path_count; i++) {
        MEM_RESERVE(o->sorted, o->sorted_cap, o->sorted_count + 1);
        o->counts.done += o->ops[o->path[i].op].limit_us == NEVER_US;
        o->sorted[o->sorted_count++] = o->path[i];
    }
}

void order_search_group(order *o, size_t requests)
{
    enum { FORCED_MAX = 1000 };
    uint64_t tries_max = TRIES_MAX + (uint64_t)requests * TRIES_EACH, tried = 0;
    bool gave_up = false;
    size_t base = 0;
    o->path_count = 0;
    o->set = 0;
    o->now_us = 0;
    redis_execute(o->server, o->conn, (str[]){ S("flushall") }, 1, 0, o->scratch);
    str store = freeze(o, 0);
    int64_t now_us = 0;
    for (size_t forced = 0; !search(o, tried < tries_max && forced < FORCED_MAX ? tries_max - tried : 0); forced++) {
        close_all(o);
        tried += o->tries;
        gave_up |= tried >= tries_max || forced >= FORCED_MAX;     /* the rest in the order of answers */
        force_one(o, base, store, now_us, gave_up);
        base = o->path_count;
        now_us = o->now_us;
        mem_free((void *)(uintptr_t)store.p);
        store = freeze(o, now_us);
    }
    close_all(o);
    mem_free((void *)(uintptr_t)store.p);
    keep_path(o);
}
