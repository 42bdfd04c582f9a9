/* time.c - the clock: which instants lie ahead, and letting time pass up to one of them. Only instants at which something can
 * differ are stopped at: timers, deadlines and the millisecond after them, and numbers near to now, which may be times. */
#include <inttypes.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "world/internal.h"

/* A number this near to now is taken for an instant (DESIGN.md). */
#define INSTANT_WINDOW_MS INT64_C(1000000000)

/* No instant lies beyond: about the year 144683, exact in a double, far from any overflow. */
#define LAST_MS (INT64_C(1) << 52)

typedef struct {
    int64_t now_ms, best_ms;
    bool deadline_now;
    bool number_now;       /* time stopped at now because of a number that was known before */
} horizon;

static void offer(horizon *h, int64_t at_ms)
{
    if (at_ms > h->now_ms && at_ms < h->best_ms)
        h->best_ms = at_ms;
}

/* A number can be compared in either direction, so the millisecond after it is an instant too; but not after one that is now
 * because a client has just looked at its clock: a loop that asks for the time would make time creep. */
static void offer_number(void *context, int64_t at_ms)
{
    horizon *h = context;
    offer(h, at_ms);
    if (at_ms == h->now_ms && h->number_now)
        offer(h, at_ms + 1);
}

static void offer_stored(void *context, int64_t at_ms, bool deadline)
{
    horizon *h = context;
    if (deadline && at_ms == h->now_ms)
        h->deadline_now = true;
    offer_number(h, at_ms);
    if (deadline && at_ms < INT64_MAX)
        offer(h, at_ms + 1);
}

static void keep_number(void *context, int64_t at_ms)
{
    node *n = context;
    MEM_RESERVE(n->numbers, n->number_cap, n->number_count + 1);
    n->numbers[n->number_count++] = at_ms;
}

void time_forget_numbers(world *w, uint32_t process)
{
    w->nodes[process].numbers_known = false;
}

/* The numbers of a process. Looking through all of its Lua is dear, so they are kept while it sleeps. */
static const int64_t *numbers(world *w, uint32_t process, size_t *count)
{
    node *n = &w->nodes[process];
    if (!n->numbers_known || w->now_ms - n->numbers_at_ms > INSTANT_WINDOW_MS / 2) {
        n->number_count = 0;
        process_each_instant(n->p, w->now_ms, 2 * INSTANT_WINDOW_MS, keep_number, n);
        n->numbers_known = true;
        n->numbers_at_ms = w->now_ms;
    }
    *count = n->number_count;
    return n->numbers;
}

/* A word of digits that is near to now may be a time that a script will look at. */
static bool word_number(const world *w, str s, int64_t *at_ms)
{
    enum { DIGITS_MAX = 16 };
    int64_t n = 0;
    if (s.n == 0 || s.n > DIGITS_MAX)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        n = 10 * n + (s.p[i] - '0');
    }
    *at_ms = n;
    return n >= w->now_ms - INSTANT_WINDOW_MS && n <= w->now_ms + INSTANT_WINDOW_MS;
}

/* The numbers in requests that are still to be executed: their sender may have forgotten them. */
static void each_number_sent(const world *w, void (*fn)(void *context, int64_t at_ms), void *context)
{
    for (size_t i = 0; i < w->flight_count; i++) {
        const flight *f = &w->flights[i];
        int64_t at_ms;
        for (size_t k = 0; k < f->argc && f->state == FLIGHT_SENT; k++)
            if (word_number(w, f->argv[k], &at_ms))
                fn(context, at_ms);
    }
}

typedef struct {
    int64_t at_ms;
    bool found;
} sought;

static void seek_number(void *context, int64_t at_ms)
{
    sought *s = context;
    s->found |= at_ms == s->at_ms;
}

static void seek_stored(void *context, int64_t at_ms, bool deadline)
{
    (void)deadline;
    seek_number(context, at_ms);
}

/* Does a server or a client hold this instant as a number? */
static bool is_known(world *w, int64_t at_ms)
{
    sought s = { .at_ms = at_ms };
    for (size_t i = 0; i < w->server_count; i++)
        redis_each_instant(w->servers[i].r, w->now_ms, INSTANT_WINDOW_MS, seek_stored, &s);
    each_number_sent(w, seek_number, &s);
    for (uint32_t p = 0; p < w->node_count && !s.found; p++) {
        size_t count = 0;
        const int64_t *known = w->nodes[p].alive ? numbers(w, p, &count) : NULL;
        for (size_t i = 0; i < count; i++)
            s.found |= known[i] == at_ms;
    }
    return s.found;
}

static void survey_servers(world *w, horizon *h)
{
    for (size_t i = 0; i < w->server_count; i++) {
        redis_each_instant(w->servers[i].r, w->now_ms, INSTANT_WINDOW_MS, offer_stored, h);
        if (w->servers[i].lagging)
            offer(h, w->servers[i].lag_until_ms);
    }
}

/* The next instant, whenever the run ends. */
static int64_t next_instant(world *w)
{
    horizon h = { .now_ms = w->now_ms, .best_ms = INT64_MAX, .number_now = w->number_now };
    survey_servers(w, &h);
    each_number_sent(w, offer_number, &h);
    for (uint32_t p = 0; p < w->node_count; p++) {
        if (!w->nodes[p].alive)
            continue;
        const task_view *tasks;
        size_t count = process_tasks(w->nodes[p].p, &tasks);
        for (size_t i = 0; i < count; i++)
            if (tasks[i].status == TASK_SLEEP || tasks[i].status == TASK_WAIT)
                offer(&h, tasks[i].wake_ms);
        size_t known;
        const int64_t *number = numbers(w, p, &known);
        for (size_t i = 0; i < known; i++)
            if (number[i] - w->now_ms <= INSTANT_WINDOW_MS)
                offer_number(&h, number[i]);
        for (size_t i = 0; i < w->nodes[p].spin_count; i++)
            if (w->nodes[p].spins[i].loops && w->nodes[p].spins[i].looped_at_ms == w->now_ms)
                offer(&h, w->now_ms + 1);          /* a loop in zero time closed for the first time: the polls take some */
        for (size_t s = 0; s < w->server_count; s++)
            if (w->nodes[p].messages[s].count > 0) {
                offer(&h, w->nodes[p].messages[s].items[0].sent_ms + w->sc->latency_lo_ms);
                offer(&h, w->nodes[p].messages[s].items[0].sent_ms + w->sc->latency_hi_ms);
            }
    }
    for (size_t i = 0; i < w->flight_count; i++) {
        const flight *f = &w->flights[i];
        int64_t since_ms = f->state == FLIGHT_EXECUTED ? f->executed_ms : f->sent_ms;
        if (flight_spins(w, f))
            continue;      /* it moves with time, see time_pass */
        if (!f->orphan)
            offer(&h, f->give_up_ms);
        offer(&h, since_ms + w->sc->latency_lo_ms);
        offer(&h, since_ms + w->sc->latency_hi_ms);
    }
    return h.best_ms;
}

/* The end of the run, or of what can be told apart in a number of Lua. */
static int64_t last_instant(const world *w)
{
    return w->end_ms < LAST_MS ? w->end_ms : LAST_MS;
}

int64_t time_next(world *w)
{
    int64_t next_ms = next_instant(w), last_ms = last_instant(w);
    if (next_ms > last_ms)
        return w->now_ms < last_ms && next_ms != INT64_MAX ? last_ms : INT64_MAX;
    return next_ms;
}

bool time_cut(world *w)
{
    return w->now_ms >= last_instant(w) && next_instant(w) != INT64_MAX;
}

bool time_pass(world *w, int64_t ms, err *e)
{
    int64_t left_ms = last_instant(w) - w->now_ms;
    if (ms <= 0 || ms > left_ms)
        return err_set(e, ERR_SCENARIO, "time cannot pass by %" PRId64 " ms here: the run ends %" PRId64 " ms from now", ms, left_ms);
    w->number_now = is_known(w, w->now_ms + ms);
    /* A loop in zero time goes on and on while time passes: the request that is on its way then is a later one, just sent. No time-out
     * may come of it without a fault. */
    for (size_t i = 0; i < w->flight_count; i++) {
        flight *f = &w->flights[i];
        if (flight_spins(w, f)) {
            f->sent_ms += ms;
            f->give_up_ms += ms;
        }
    }
    w->now_ms += ms;
    w->cause = (cause){ .op = S("expiry"), .who = S(""), .process = NOBODY, .task = NOBODY };
    horizon h = { .now_ms = w->now_ms, .best_ms = INT64_MAX };
    for (size_t i = 0; i < w->server_count; i++) {
        server *s = &w->servers[i];
        if (s->lagging && s->lag_until_ms <= w->now_ms) {
            s->lagging = false;                    /* the replica has caught up */
            redis_set_acks(s->r, w->sc->replicas);
        }
    }
    survey_servers(w, &h);
    w->deadline_now = h.deadline_now;
    return true;
}

/* What is left of the world once every program has ended, relative to now: equal fingerprints are taken for a cycle. */
uint64_t world_fingerprint(world *w)
{
    buf b = { 0 };
    for (size_t i = 0; i < w->server_count; i++) {
        redis_freeze(w->servers[i].r, w->now_ms, &b);
        buf_byte(&b, '|');
    }
    for (size_t p = 0; p < w->node_count; p++) {
        if (!w->nodes[p].alive)
            continue;
        err none = { 0 };
        if (!process_freeze(w->nodes[p].p, w->now_ms, &b, &none))
            buf_u64(&b, ++w->strangers);           /* like no other state */
        err_clear(&none);
        for (size_t s = 0; s < w->server_count; s++)
            buf_u64(&b, w->nodes[p].messages[s].count);
    }
    for (size_t i = 0; i < w->flight_count; i++) {
        buf_u64(&b, (uint64_t)w->flights[i].state);
        buf_u64(&b, w->flights[i].task);
        buf_lenstr(&b, w->flights[i].op);
    }
    uint64_t print = XXH3_64bits(b.p, b.n);
    buf_free(&b);
    return print;
}
