/* freeze.c - the monitors' state as canonical bytes, and back: equal bytes mean that every future is judged alike.
 *
 * Written are only facts that an open property can still use. Instants are relative to now, and those whose time is over are one
 * value. Orders of execution become ranks, requests and tasks bear the names that the caller gives. Lists are sorted. To be taken
 * between steps.
 *
 * The same functions write and read: each takes a field's value and gives it back, as it is or as the bytes have it. What is written
 * next may depend on nothing but what was before. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/internal.h"

typedef struct { const lock *l; uint64_t seq; } executed;

typedef struct {
    enum { COLLECTING, WRITING, READING } does;    /* a first pass collects the orders of execution */
    uint64_t open;         /* properties, a bit each */
    model *m;              /* when writing: a copy that has the requests under their names */
    int64_t now_ms;
    buf *out;
    str in;
    size_t at;
    executed *seqs;        /* sorted by seq */
    size_t seq_count, seq_cap;
    const model_names *names;                      /* NULL: as they are; asked when writing */
    bool across;           /* a request that names no lock may be compared with those of all locks */
} codec;

/* ---- fields ---- */

/* Seven bits a byte, the low ones first. */
static void put_number(buf *out, uint64_t v)
{
    enum { NUMBER_MAX = 10 };
    if (out->cap - out->n <= NUMBER_MAX)           /* here, because it is asked for every byte */
        MEM_RESERVE(out->p, out->cap, out->n + NUMBER_MAX + 1);
    for (; v >= 0x80; v >>= 7)
        out->p[out->n++] = (char)(0x80 | (v & 0x7f));
    out->p[out->n++] = (char)v;
    out->p[out->n] = '\0';
}

static uint64_t get_number(codec *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert(c->at < c->in.n && shift < 70);
        unsigned char byte = (unsigned char)c->in.p[c->at++];
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
}

static uint64_t number(codec *c, uint64_t v)
{
    if (c->does == READING)
        return get_number(c);
    if (c->does == WRITING)
        put_number(c->out, v);
    return v;
}

static bool flag(codec *c, bool v)
{
    return number(c, v) != 0;
}

/* Small ones of either sign are short. */
static int64_t whole(codec *c, int64_t v)
{
    uint64_t u = number(c, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
    return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
}

/* NOBODY is the shortest. */
static uint32_t who(codec *c, uint32_t v)
{
    return (uint32_t)number(c, (uint32_t)(v + 1)) - 1;
}

/* Read ones lie in the bytes. */
static str text(codec *c, str s)
{
    size_t n = number(c, s.n);
    if (c->does == READING) {
        assert(n <= c->in.n - c->at);
        s = (str){ .p = c->in.p + c->at, .n = n };
        c->at += n;
    } else if (c->does == WRITING) {
        buf_add(c->out, s);
    }
    return s;
}

/* Relative to now. Instants that never come are one: so far ahead that nobody gets there. */
static int64_t instant(codec *c, int64_t at_ms)
{
    bool never = flag(c, at_ms >= NEVER_MS - 1);
    return never ? at_ms >= NEVER_MS - 1 ? at_ms : NEVER_MS : c->now_ms + whole(c, at_ms - c->now_ms);
}

/* The same, where all that is over is one. */
static int64_t ahead(codec *c, int64_t at_ms)
{
    return instant(c, at_ms < c->now_ms ? c->now_ms - 1 : at_ms);
}

/* ---- orders of execution ---- */

static int by_seq(const void *a, const void *b)
{
    const executed *x = a, *y = b;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* How many different ones up to `seq` it may be compared with: those of its lock. */
static uint64_t rank(const codec *c, const lock *l, uint64_t seq)
{
    uint64_t n = 0, last = 0;
    for (size_t i = 0; i < c->seq_count && c->seqs[i].seq <= seq; i++)
        if ((c->across || c->seqs[i].l == l) && c->seqs[i].seq != last) {
            last = c->seqs[i].seq;
            n++;
        }
    return n;
}

static uint64_t seen(codec *c, uint64_t seq)
{
    if (seq > c->m->seq)
        c->m->seq = seq;
    return seq;
}

/* 0 stays 0: none. Read ones are even, to leave room in between. */
static uint64_t order(codec *c, const lock *l, uint64_t seq)
{
    if (c->does == READING) {
        seq = seen(c, 2 * number(c, 0));
    } else if (c->does == WRITING) {
        number(c, seq ? rank(c, l, seq) : 0);
    } else if (seq) {
        MEM_RESERVE(c->seqs, c->seq_cap, c->seq_count + 1);
        c->seqs[c->seq_count++] = (executed){ .l = l, .seq = seq };
        c->across |= !l;
    }
    return seq;
}

/* ---- what is read by whom ---- */

static bool open(const codec *c, property p)
{
    return c->open >> p & 1;
}

static bool promises(const codec *c)
{
    return open(c, PROPERTY_MUTUAL_EXCLUSION) || open(c, PROPERTY_OWNER_ONLY);
}

/* Is anything open that remembers? The others judge each event by itself. */
static bool remembers(const codec *c)
{
    static const property list[] = {
        PROPERTY_MUTUAL_EXCLUSION, PROPERTY_STRICT_MUTUAL_EXCLUSION, PROPERTY_OWNER_ONLY, PROPERTY_REENTRANCY, PROPERTY_FENCING,
        PROPERTY_NO_LOST_WAKEUP, PROPERTY_NO_DEADLOCK, PROPERTY_BOUNDED_WAIT, PROPERTY_PROMPT, PROPERTY_FIFO, PROPERTY_LEASE_SET,
        PROPERTY_MATCHES_SPEC,
    };
    for (size_t i = 0; i < COUNT(list); i++)
        if (open(c, list[i]))
            return true;
    return false;
}

static bool reads_grants(const codec *c)
{
    return promises(c) || open(c, PROPERTY_STRICT_MUTUAL_EXCLUSION) || open(c, PROPERTY_FENCING) || open(c, PROPERTY_PROMPT) ||
           open(c, PROPERTY_FIFO) || open(c, PROPERTY_LEASE_SET);
}

static bool reads_idle(const codec *c)
{
    return open(c, PROPERTY_NO_LOST_WAKEUP) || open(c, PROPERTY_PROMPT) || open(c, PROPERTY_FIFO);
}

/* Of a state's waiters the graph of all states asks, too (model_each_waiting). */
static bool reads_waits(const codec *c)
{
    return reads_idle(c) || open(c, PROPERTY_NO_DEADLOCK) || open(c, PROPERTY_BOUNDED_WAIT);
}

/* The specification of this lock is asked: what must be told, how holds are counted. */
static bool reads_spec(const codec *c, const lock *l)
{
    return l && l->spec != SPEC_NONE && (open(c, PROPERTY_MATCHES_SPEC) || open(c, PROPERTY_REENTRANCY));
}

static bool reads_view(const codec *c, const lock *l)
{
    return promises(c) || reads_spec(c, l) || open(c, PROPERTY_LEASE_SET) || reads_idle(c);
}

/* ---- views ---- */

static void code_view(codec *c, const lock *l, kept_view *v)
{
    arena *a = c->m->memory;
    v->holder_count = number(c, v->holder_count);
    if (c->does == READING)
        v->holders = ARENA_ARRAY(a, lock_holder, v->holder_count + 1);
    for (size_t i = 0; i < v->holder_count; i++) {
        lock_holder h = { .id = text(c, v->holders[i].id), .count = whole(c, v->holders[i].count), .mode = text(c, v->holders[i].mode) };
        if (c->does == READING)
            v->holders[i] = (lock_holder){ .id = arena_str(a, h.id), .count = h.count, .mode = arena_str(a, h.mode) };
    }
    v->has_ttl = flag(c, v->has_ttl);
    if (v->has_ttl)
        v->deadline_ms = ahead(c, v->deadline_ms);
    if (l->spec != SPEC_FAIR || !reads_spec(c, l))
        return;
    v->queue_count = number(c, v->queue_count);
    if (c->does == READING)
        v->queue = ARENA_ARRAY(a, str, v->queue_count + 1);
    for (size_t i = 0; i < v->queue_count; i++) {
        str id = text(c, v->queue[i]);
        if (c->does == READING)
            v->queue[i] = arena_str(a, id);
    }
}

/* ---- requests ---- */

static bool reads_held(const codec *c, const pending *r)
{
    return open(c, PROPERTY_REENTRANCY) && r->l && (r->l->spec == SPEC_REENTRANT || r->l->spec == SPEC_FAIR) &&
           r->word->kind == OP_ACQUIRE;
}

static bool reads_told(const codec *c, const pending *r)
{
    return open(c, PROPERTY_MATCHES_SPEC) && r->l && r->l->spec != SPEC_NONE && r->o && r->told != TOLD_ANYTHING;
}

static bool reads_seq(const codec *c, const pending *r)
{
    return open(c, PROPERTY_MUTUAL_EXCLUSION) || open(c, PROPERTY_FENCING) || (open(c, PROPERTY_FIFO) && r->l);
}

static bool reads_executed(const codec *c)
{
    return promises(c) || open(c, PROPERTY_LEASE_SET);
}

/* Nothing that its execution, its answer or its end will say again anyway. */
static bool worth_writing(const codec *c, const pending *r)
{
    if (!r->executed || r->runs > 0)
        return r->given_up || r->runs != 1 || r->executed;
    if (r->done || r->given_up || r->announced)
        return false;
    bool grants = track_may_grant(r) && (reads_executed(c) || reads_seq(c, r));
    return grants || (reads_held(c, r) && r->held) || reads_told(c, r) || (open(c, PROPERTY_FIFO) && r->won && r->o && r->l);
}

static const op_word *code_word(codec *c, const op_word *w)
{
    static const char *const words[OP_KINDS] = {
        [OP_OTHER] = "request", [OP_ACQUIRE] = "acquire", [OP_RELEASE] = "release", [OP_RENEW] = "renew",
        [OP_FORCE_RELEASE] = "force_release", [OP_ABANDON] = "abandon", [OP_LISTEN] = "subscribe",
    };
    size_t kind = number(c, w ? w->kind : OP_OTHER);
    assert(kind < OP_KINDS);
    return c->does == READING ? track_word(c->m, str_from(words[kind])) : w;
}

/* Its grant, if it turns out to be one. */
static void code_promise(codec *c, pending *r)
{
    if (reads_seq(c, r))
        r->seq = order(c, r->l, r->seq);
    if (reads_executed(c))
        r->executed_ms = instant(c, r->executed_ms);
    if (promises(c)) {
        r->disturbed = flag(c, r->disturbed);
        r->lapsed_ms = instant(c, r->lapsed_ms);
    }
    if (open(c, PROPERTY_LEASE_SET))
        r->lease_ms = whole(c, r->lease_ms);
    if (open(c, PROPERTY_FIFO))
        r->overtakes = whole(c, r->overtakes);
}

static void code_request(codec *c, pending *r)
{
    r->process = who(c, r->process);
    r->number = (uint32_t)number(c, r->number);
    r->runs = (int)whole(c, r->runs);
    r->executed = flag(c, r->executed);
    r->given_up = flag(c, r->given_up);
    r->done = flag(c, r->done || r->announced);
    if (!r->executed || r->done || r->given_up)
        return;
    str owner = text(c, r->o ? r->o->name : S("")), lock = text(c, r->l ? r->l->name : S(""));
    if (c->does == READING) {
        r->o = track_owner(c->m, owner, r->process);
        r->l = track_lock(c->m, lock);
    }
    if (r->l)
        r->l->spec = (spec_kind)number(c, (uint64_t)r->l->spec);
    r->word = code_word(c, r->word);
    r->answered = flag(c, r->answered);
    r->task = r->answered ? who(c, r->task) : NOBODY;
    r->failed = !flag(c, track_may_grant(r));
    if (!r->failed)
        code_promise(c, r);
    if (reads_held(c, r))
        r->held = flag(c, r->held);
    if (open(c, PROPERTY_FIFO))
        r->won = flag(c, r->won);
    if (open(c, PROPERTY_MATCHES_SPEC)) {
        r->told = (uint32_t)number(c, reads_told(c, r) ? r->told : TOLD_ANYTHING);
        if (r->told == TOLD_GRANTED || r->told == TOLD_RELEASED)
            r->told_count = whole(c, r->told_count);
    }
}

static int by_name(const void *a, const void *b)
{
    const pending *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void code_requests(codec *c)
{
    model *m = c->m;
    size_t count = number(c, m->request_count);
    for (size_t i = 0; i < count; i++) {
        if (c->does != READING) {
            pending r = m->requests[i];
            code_request(c, &r);
            continue;
        }
        pending r = { .runs = 1, .lapsed_ms = NEVER_MS, .lease_ms = LEASE_NONE, .executed_ms = c->now_ms, .settled = true };
        code_request(c, &r);
        MEM_RESERVE(m->requests, m->request_cap, m->request_count + 1);
        m->requests[m->request_count++] = r;
    }
}

/* ---- grants and waits ---- */

/* Another's request whose place in the order is written. */
static bool compared(const codec *c, const stake *s, const pending *r)
{
    return track_may_grant(r) && reads_seq(c, r) && r->o != s->o && (!r->l || r->l == s->l);
}

/* A grant or its end is compared with others' requests only: so many of them were executed before. */
static uint64_t between(codec *c, const stake *s, uint64_t seq)
{
    const model *m = c->m;
    uint64_t count = 0;
    for (size_t i = 0; i < m->request_count && c->does != READING; i++)
        count += compared(c, s, &m->requests[i]) && m->requests[i].seq < seq;
    count = number(c, count);
    if (c->does != READING)
        return seq;
    uint64_t last = 0;     /* the `count` smallest ones, one after the other */
    for (; count > 0; count--) {
        uint64_t next = UINT64_MAX;
        for (size_t i = 0; i < m->request_count; i++)
            if (compared(c, s, &m->requests[i]) && m->requests[i].seq > last && m->requests[i].seq < next)
                next = m->requests[i].seq;
        last = next;
    }
    return seen(c, last + 1);
}

/* How long the promise lasts, and what may still change that. */
static void code_until(codec *c, const stake *s, grant *g)
{
    bool matters = flag(c, c->does != READING && track_matters(c->m, s, g));
    bool leased = g->lease_ms != LEASE_NONE, ended = g->end_seq != 0;
    if (!matters) {        /* over: only a renewal would make it count again */
        bool renewable = flag(c, leased && !ended && g->believed);
        g->lease_ms = renewable ? 0 : LEASE_NONE;
        g->until_ms = INT64_MIN;
        return;
    }
    g->lease_ms = flag(c, leased) ? 0 : LEASE_NONE;
    g->until_ms = instant(c, g->until_ms);
    if (flag(c, ended))
        g->end_seq = between(c, s, g->end_seq);
    if (open(c, PROPERTY_MUTUAL_EXCLUSION) && track_older_request(c->m, s, g))
        g->executed_ms = instant(c, g->executed_ms);
}

static void code_grant(codec *c, const stake *s, grant *g)
{
    g->believed = flag(c, g->believed);
    g->mode = (mode_kind)number(c, (uint64_t)g->mode);
    if (open(c, PROPERTY_FENCING))
        g->seq = order(c, s->l, g->seq);
    else if (open(c, PROPERTY_MUTUAL_EXCLUSION))
        g->seq = between(c, s, g->seq);
    if (open(c, PROPERTY_FENCING))
        g->token = whole(c, g->token);
    if (open(c, PROPERTY_LEASE_SET))
        g->ttl_until_ms = ahead(c, g->believed && !g->end_seq ? g->ttl_until_ms : c->now_ms - 1);
    if (promises(c))
        code_until(c, s, g);
}

static bool kept(const codec *c, const stake *s, const grant *g)
{
    return g->believed || track_matters(c->m, s, g);
}

static void code_grants(codec *c, stake *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->grant_count; i++)
        count += kept(c, s, &s->grants[i]);
    count = number(c, count);
    if (c->does == READING && count)
        MEM_RESERVE(s->grants, s->grant_cap, count);
    for (size_t i = 0; c->does == READING && i < count; i++) {
        grant g = { .lease_ms = LEASE_NONE, .executed_ms = c->now_ms, .until_ms = NEVER_MS, .ttl_until_ms = INT64_MIN };
        code_grant(c, s, &g);
        s->grants[s->grant_count++] = g;
        s->beliefs += g.believed;
        s->l->beliefs += g.believed;
        c->m->leftovers += !g.believed;
    }
    for (size_t i = 0; c->does != READING && i < s->grant_count; i++)
        if (kept(c, s, &s->grants[i])) {
            grant g = s->grants[i];
            code_grant(c, s, &g);
        }
}

/* The waiting task's name; NOBODY: it does not wait. */
static uint32_t waiter(const codec *c, const stake *s)
{
    if (!s->waiting)
        return NOBODY;
    return c->names ? c->names->task(c->names->context, s->process, s->task) : s->task;
}

static void code_wait(codec *c, stake *s)
{
    s->task = who(c, waiter(c, s));
    if (s->task == NOBODY)
        return;
    if (c->does == READING) {
        track_wait(s, true);
        s->wait_ms = s->refused_ms = c->now_ms;
    }
    s->process = who(c, s->process);
    if (!open(c, PROPERTY_FIFO))
        return;
    s->wait_mode = (mode_kind)number(c, (uint64_t)s->wait_mode);
    s->place = order(c, s->l, s->place);
    s->overtakes = whole(c, s->overtakes);
}

/* Whether a time-out left open what a request did: an answer to one like it is then not held to the specification. */
static uint32_t unresolved(const codec *c, const stake *s)
{
    return reads_spec(c, s->l) ? s->unresolved & ~(1u << OP_OTHER | 1u << OP_LISTEN) : 0;
}

static bool reads_disturbed(const codec *c, const stake *s)
{
    for (size_t i = 0; i < s->grant_count && promises(c); i++)
        if (s->grants[i].lease_ms == LEASE_NONE && track_matters(c->m, s, &s->grants[i]))
            return true;
    return false;
}

static bool empty(const codec *c, const stake *s)
{
    for (size_t i = 0; i < s->grant_count && reads_grants(c); i++)
        if (kept(c, s, &s->grants[i]))
            return false;
    return !(waiter(c, s) != NOBODY && reads_waits(c)) && !unresolved(c, s) && !(open(c, PROPERTY_FENCING) && s->last_seq);
}

/* `at` is a copy when writing. */
static void code_stake(codec *c, stake *at)
{
    if (reads_grants(c))
        code_grants(c, at);
    if (reads_disturbed(c, at))
        at->disturbed = flag(c, at->disturbed);
    at->unresolved = (uint32_t)number(c, unresolved(c, at));
    if (reads_waits(c))
        code_wait(c, at);
    if (open(c, PROPERTY_FENCING))
        at->last_seq = order(c, at->l, at->last_seq);
}

static int by_owner(const void *a, const void *b)
{
    return str_cmp((*(stake *const *)a)->o->name, (*(stake *const *)b)->o->name);
}

/* The stakes in `l` that are worth writing; the caller frees the list. */
static stake **stakes_of(codec *c, const lock *l, size_t *count)
{
    size_t cap = 0;
    stake **list = NULL;
    *count = 0;
    for (owner *o = c->m->owners; o; o = o->hh.next) {
        stake *s = track_find_stake(o, l);
        if (!s || empty(c, s))
            continue;
        MEM_RESERVE(list, cap, *count + 1);
        list[(*count)++] = s;
    }
    if (*count)
        qsort(list, *count, sizeof *list, by_owner);
    return list;
}

static bool has_stakes(codec *c, const lock *l)
{
    size_t count;
    mem_free(stakes_of(c, l, &count));
    return count > 0;
}

static owner *code_owner(codec *c, const owner *o)
{
    str name = text(c, o ? o->name : S(""));
    uint32_t process = name.n ? who(c, o ? o->process : NOBODY) : NOBODY;
    return c->does == READING ? track_owner(c->m, name, process) : NULL;
}

static void code_stakes(codec *c, lock *l)
{
    size_t count = 0;
    stake **list = c->does == READING ? NULL : stakes_of(c, l, &count);
    count = number(c, count);
    for (size_t i = 0; i < count; i++) {
        if (c->does == READING) {
            stake *s = track_stake(c->m, code_owner(c, NULL), l);
            code_stake(c, s);
            track_refresh(s);
        } else {
            assert(list);
            stake s = *list[i];
            code_owner(c, s.o);
            code_stake(c, &s);
        }
    }
    mem_free(list);
}

/* ---- locks ---- */

static void code_idle(codec *c, lock *l)
{
    int64_t limit_ms = c->m->config.parameter[PROPERTY_PROMPT];
    if (!flag(c, l->idle_since_ms != NEVER_MS))
        return;
    int64_t idle_ms = c->now_ms - l->idle_since_ms;
    l->idle_since_ms = c->now_ms - whole(c, idle_ms > limit_ms ? limit_ms + 1 : idle_ms);
}

static void code_fence(codec *c, lock *l)
{
    owner *o = code_owner(c, l->fence.o);
    l->fence.token = whole(c, l->fence.token);
    l->fence.seq = order(c, l, l->fence.seq);
    if (c->does == READING)
        l->fence.o = o;
}

/* `at` is a copy when writing; the stakes know the lock itself. */
static void code_lock(codec *c, lock *at, lock *itself)
{
    at->spec = (spec_kind)number(c, (uint64_t)at->spec);
    if (reads_view(c, at)) {
        at->observed = flag(c, at->observed);
        code_view(c, at, &at->now);
    }
    if (open(c, PROPERTY_LEASE_SET))
        at->faulted = flag(c, at->faulted);
    if (open(c, PROPERTY_FENCING))
        code_fence(c, at);
    code_stakes(c, itself);
    if (open(c, PROPERTY_PROMPT))
        code_idle(c, at);
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
        if ((l->observed && reads_view(c, l)) || l->spec != SPEC_NONE || (l->fence.o && open(c, PROPERTY_FENCING)) || has_stakes(c, l))
            list[n++] = l;
    if (n)
        qsort(list, n, sizeof *list, by_lock);
    number(c, n);
    for (size_t i = 0; i < n; i++) {
        lock copy = *list[i];
        text(c, copy.name);
        code_lock(c, &copy, list[i]);
    }
    mem_free(list);
}

static void code_locks(codec *c)
{
    if (c->does != READING) {
        write_locks(c);
        return;
    }
    for (size_t n = number(c, 0); n > 0; n--) {
        lock *l = track_lock(c->m, text(c, S("")));
        code_lock(c, l, l);
    }
}

/* ---- the rest ---- */

static int by_resource(const void *a, const void *b)
{
    return str_cmp(((const resource *)a)->name, ((const resource *)b)->name);
}

static void code_resource(codec *c, resource *r)
{
    r->name = text(c, r->name);
    r->token = whole(c, r->token);
    r->seq = order(c, NULL, r->seq);               /* compared with grants of all locks */
    owner *o = code_owner(c, r->o);
    if (c->does == READING)
        *r = (resource){ .name = arena_str(c->m->memory, r->name), .token = r->token, .seq = r->seq, .o = o };
}

static void code_resources(codec *c)
{
    model *m = c->m;
    size_t count = number(c, m->resource_count);
    resource *list = mem_zero((count + 1) * sizeof *list);
    if (c->does != READING && count) {
        memcpy(list, m->resources, count * sizeof *list);
        qsort(list, count, sizeof *list, by_resource);
    }
    for (size_t i = 0; i < count; i++)
        code_resource(c, &list[i]);
    if (c->does != READING) {
        mem_free(list);
        return;
    }
    m->resources = list;
    m->resource_count = count;
    m->resource_cap = count + 1;
}

static int by_owner_name(const void *a, const void *b)
{
    return str_cmp((*(owner *const *)a)->name, (*(owner *const *)b)->name);
}

/* Owners whose program has returned, and for whom some task still acts. */
static void code_ended(codec *c)
{
    model *m = c->m;
    size_t count = number(c, m->ended), n = 0;
    owner **list = c->does != READING && count ? mem_alloc(count * sizeof *list) : NULL;
    for (owner *o = list ? m->owners : NULL; o; o = o->hh.next)
        if (o->ended) {
            assert(n < count);
            list[n++] = o;
        }
    if (n)
        qsort(list, n, sizeof *list, by_owner_name);
    for (size_t i = 0; i < count; i++) {
        owner *o = code_owner(c, list ? list[i] : NULL);
        if (c->does != READING)
            continue;
        o->ended = true;
        m->ended++;
    }
    mem_free(list);
}

static void code_all(codec *c)
{
    model *m = c->m;
    if (!remembers(c))
        return;
    for (size_t i = 0; i < m->process_count; i++)
        if (flag(c, m->processes[i].paused) && c->does == READING)
            m->processes[i].paused = true;
    code_ended(c);
    code_requests(c);
    code_locks(c);
    if (open(c, PROPERTY_FENCING))
        code_resources(c);
}

static uint64_t open_properties(const model *m)
{
    uint64_t open = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        open |= model_open(m, (property)i) ? UINT64_C(1) << i : 0;
    return open;
}

/* Is there anything to collect? Mostly there is not. */
static bool has_orders(const codec *c)
{
    if (open(c, PROPERTY_FENCING) || open(c, PROPERTY_FIFO))
        return true;
    for (size_t i = 0; i < c->m->request_count; i++)
        if (track_may_grant(&c->m->requests[i]) && reads_seq(c, &c->m->requests[i]))
            return true;
    return false;
}

/* ---- names ---- */

/* All that is too long ago to be announced is one. */
static int64_t recent(const codec *c, int64_t at_ms)
{
    int64_t oldest_ms = c->now_ms - ANNOUNCE_MS_MAX - 1;
    return at_ms < oldest_ms ? oldest_ms : at_ms;
}

/* The requests worth writing, under their names and sorted by them. */
static void name_requests(codec *c, const model *m, const model_names *names)
{
    model *copy = c->m;
    copy->requests = mem_alloc((m->request_count + 1) * sizeof *copy->requests);
    copy->request_count = 0;
    for (size_t i = 0; i < m->request_count; i++) {
        pending r = m->requests[i];
        if (names) {
            r.number = names->request(names->context, r.process, r.number);
            if (r.number == NOBODY)
                continue;
            if (r.answered)
                r.task = names->task(names->context, r.process, r.task);
        }
        r.executed_ms = recent(c, r.executed_ms);
        r.lapsed_ms = recent(c, r.lapsed_ms);
        if (worth_writing(c, &r))
            copy->requests[copy->request_count++] = r;
    }
    if (copy->request_count)
        qsort(copy->requests, copy->request_count, sizeof *copy->requests, by_name);
}

void model_freeze(const model *m, int64_t now_ms, const model_names *names, buf *out)
{
    assert(!m->running && !m->dirty && !m->overtaken);
    model copy = *m;
    copy.now_ms = now_ms;
    codec c = { .does = COLLECTING, .open = open_properties(m), .m = &copy, .now_ms = now_ms, .names = names, .out = out };
    put_number(out, c.open);
    if (!remembers(&c))
        return;
    name_requests(&c, m, names);
    if (has_orders(&c))
        code_all(&c);
    if (c.seq_count)
        qsort(c.seqs, c.seq_count, sizeof *c.seqs, by_seq);
    c.does = WRITING;
    code_all(&c);
    mem_free(c.seqs);
    mem_free(copy.requests);
}

model *model_thaw(const model_config *config, const str *process_names, size_t processes, str frozen, int64_t now_ms)
{
    model *m = model_new(config, process_names, processes);
    m->now_ms = now_ms;
    codec c = { .does = READING, .m = m, .now_ms = now_ms, .in = frozen };
    c.open = get_number(&c);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        m->config.judged[i] = open(&c, (property)i);
    code_all(&c);
    assert(c.at == frozen.n);
    return m;
}
