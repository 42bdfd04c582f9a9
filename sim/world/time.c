/* time.c - the clock: which instants lie ahead, and letting time pass to one of them. Time stops only where something
 * can differ: at timers, at deadlines and the millisecond after them, and at numbers near to now, which may be
 * times. */
#include <inttypes.h>

#include <xxhash.h>

#include "base/instant.h"
#include "base/mem.h"
#include "world/internal.h"

/* The latest instant: about the year 144683, exact in a double, far from any overflow. */
#define LAST_MS (INT64_C(1) << 52)

typedef struct {
    int64_t now_ms, best_ms;
    bool deadline_now;
    bool number_now;       /* time stopped now because of a number that was known before */
} horizon;

static void offer(horizon *h, int64_t at_ms)
{
    if (at_ms > h->now_ms && at_ms < h->best_ms)
        h->best_ms = at_ms;
}

/* A number may be compared in either direction, so the millisecond after it is an instant, too. Not so for a number
 * that equals now because a client has just read its clock: a loop that reads the clock would advance time by single
 * milliseconds. */
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

/* The numbers of a process. A look through all of its Lua is expensive, so the result is kept while the process
 * sleeps. */
static const int64_t *numbers(world *w, uint32_t process, size_t *count)
{
    node *n = &w->nodes[process];
    bool drifted = w->sc->clients[process].drift && w->now_ms != n->numbers_at_ms;
    if (!n->numbers_known || drifted || w->now_ms - n->numbers_at_ms > INSTANT_WINDOW_MS / 2) {
        n->number_count = 0;
        process_each_instant(n->p, w->now_ms, 2 * INSTANT_WINDOW_MS, keep_number, n);
        n->numbers_known = true;
        n->numbers_at_ms = w->now_ms;
    }
    *count = n->number_count;
    return n->numbers;
}

/* A word of digits that is near to now may be a time for a script. */
void time_each_number(world *w, uint32_t p, void (*fn)(void *context, int64_t at_ms), void *context)
{
    size_t count = 0;
    const int64_t *known = w->nodes[p].alive ? numbers(w, p, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        fn(context, known[i]);
    const flight *f = network_flights(w, p, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < f[i].argc && f[i].state == FLIGHT_SENT; k++) {
            int64_t at_ms;
            if (instant_digits(f[i].argv[k], &at_ms) && instant_near(at_ms, w->now_ms))
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

bool time_known_to_servers(world *w, int64_t at_ms)
{
    sought s = { .at_ms = at_ms };
    for (size_t i = 0; i < w->server_count; i++)
        server_each_instant(&w->servers[i], seek_stored, &s);
    return s.found;
}

bool time_known_to_node(world *w, uint32_t p, int64_t at_ms)
{
    sought s = { .at_ms = at_ms };
    time_each_number(w, p, seek_number, &s);
    return s.found;
}

/* Does a server or a client hold this instant as a number? */
static bool is_known(world *w, int64_t at_ms)
{
    bool found = time_known_to_servers(w, at_ms);
    for (uint32_t p = 0; p < w->node_count && !found; p++)
        found = time_known_to_node(w, p, at_ms);
    return found;
}

static void survey_servers(world *w, horizon *h)
{
    for (size_t i = 0; i < w->server_count; i++) {
        server_each_instant(&w->servers[i], offer_stored, h);
        if (w->servers[i].lagging)
            offer(h, w->servers[i].lag_until_ms);
    }
}

static void survey_process(world *w, uint32_t p, horizon *h)
{
    const node *n = &w->nodes[p];
    const task_view *tasks;
    size_t count = process_tasks(n->p, &tasks);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].status == TASK_SLEEP || tasks[i].status == TASK_WAIT || tasks[i].status == TASK_WORK)
            offer(h, tasks[i].wake_ms);
    for (size_t i = 0; i < n->spin_count; i++)
        if (n->spins[i].loops && n->spins[i].looped_at_ms == w->now_ms)
            offer(h, w->now_ms + 1);    /* a loop in zero time closed for the first time: the polls take one
                                         * millisecond */
    for (size_t s = 0; s < w->server_count; s++)
        if (n->messages[s].count > 0) {
            offer(h, n->messages[s].items[0].sent_ms + w->sc->latency_lo_ms);
            offer(h, n->messages[s].items[0].sent_ms + w->sc->latency_hi_ms);
        }
}

static void offer_near_number(void *context, int64_t at_ms)
{
    const horizon *h = context;
    if (at_ms - h->now_ms <= INSTANT_WINDOW_MS)
        offer_number(context, at_ms);
}

static void survey_node(world *w, uint32_t p, horizon *h)
{
    if (w->nodes[p].alive)
        survey_process(w, p, h);
    time_each_number(w, p, offer_near_number, h);
    size_t count;
    const flight *f = network_flights(w, p, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t since_ms = f[i].state == FLIGHT_EXECUTED ? f[i].executed_ms : f[i].sent_ms;
        if (flight_spins(w, &f[i]))
            continue;      /* it moves with time, see time_pass */
        if (f[i].state == FLIGHT_ARRIVED || f[i].given_up)
            continue;      /* its sender is stalled */
        if (f[i].state == FLIGHT_WAITING) {
            if (f[i].wait_until_ms < INT64_MAX)
                offer(h, f[i].wait_until_ms + 1);
            offer(h, f[i].give_up_ms);
            continue;
        }
        if (!f[i].orphan)
            offer(h, f[i].give_up_ms);
        offer(h, since_ms + w->sc->latency_lo_ms);
        offer(h, since_ms + w->sc->latency_hi_ms);
    }
}

/* The end of the run, or of the instants that a Lua number can represent. */
static int64_t last_instant(const world *w)
{
    return w->end_ms < LAST_MS ? w->end_ms : LAST_MS;
}

static void note_instant(void *context, int64_t at_ms)
{
    world *w = context;
    MEM_RESERVE(w->instants, w->instant_cap, w->instant_count + 1);
    w->instants[w->instant_count++] = at_ms;
}

static void note_stored(void *context, int64_t at_ms, bool deadline)
{
    (void)deadline;
    note_instant(context, at_ms);
}

size_t world_instants(world *w, const int64_t **at_ms)
{
    w->instant_count = 0;
    note_instant(w, w->now_ms);
    for (size_t i = 0; i < w->server_count; i++)
        server_each_instant(&w->servers[i], note_stored, w);
    for (uint32_t p = 0; p < w->node_count; p++) {
        time_each_number(w, p, note_instant, w);
        const task_view *tasks;
        size_t count = w->nodes[p].alive ? process_tasks(w->nodes[p].p, &tasks) : 0;
        for (size_t i = 0; i < count; i++)
            if (tasks[i].wake_ms != INT64_MAX && !world_open_start(&tasks[i]))
                note_instant(w, tasks[i].wake_ms);
    }
    *at_ms = w->instants;
    return w->instant_count;
}

int64_t world_left_ms(const world *w)
{
    return last_instant(w) - w->now_ms;
}

/* The next instant, even beyond the end of the run. */
static int64_t next_instant(world *w)
{
    horizon h = { .now_ms = w->now_ms, .best_ms = INT64_MAX, .number_now = w->number_now };
    survey_servers(w, &h);
    for (uint32_t p = 0; p < w->node_count; p++)
        survey_node(w, p, &h);
    return h.best_ms;
}

int64_t time_next_of_node(world *w, uint32_t p, bool number_now)
{
    horizon h = { .now_ms = w->now_ms, .best_ms = INT64_MAX, .number_now = number_now };
    survey_node(w, p, &h);
    return h.best_ms;
}

int64_t time_next_of_servers(world *w, bool number_now, bool *deadline_now)
{
    horizon h = { .now_ms = w->now_ms, .best_ms = INT64_MAX, .number_now = number_now };
    survey_servers(w, &h);
    *deadline_now = h.deadline_now;
    return h.best_ms;
}

int64_t time_walk_ms(const world *w)
{
    int64_t passed_ms = w->now_ms - WORLD_EPOCH_MS;
    return passed_ms < w->o.every_ms ? w->o.every_ms - passed_ms : 0;
}

int64_t time_next(world *w)
{
    int64_t next_ms = next_instant(w), last_ms = last_instant(w);
    if (time_walk_ms(w) > 0)
        next_ms = w->now_ms + 1;
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
        return err_set(e, ERR_SCENARIO, "time cannot pass by %" PRId64 " ms here: the run ends %" PRId64 " ms from now",
                       ms, left_ms);
    w->number_now = is_known(w, w->now_ms + ms);
    /* A loop in zero time goes on while time passes: its request on the way counts as one that was sent later. A
     * time-out without a fault must not come of it. */
    for (size_t i = 0; i < w->flight_count; i++) {
        flight *f = &w->flights[i];
        if (flight_spins(w, f)) {
            flight_put_off(f, ms);
        }
    }
    w->now_ms += ms;
    w->cause = (cause){ .op = S("expiry"), .who = S(""), .process = NOBODY, .task = NOBODY };
    time_passed_for_servers(w);
    time_next_of_servers(w, false, &w->deadline_now);
    return true;
}

void time_passed_for_servers(world *w)
{
    for (size_t i = 0; i < w->server_count; i++) {
        server *s = &w->servers[i];
        if (s->lagging && s->lag_until_ms <= w->now_ms) {
            s->lagging = false;                    /* the replica has caught up */
            server_set_acks(s);
        }
    }
}

/* The rest of the world after all programs have ended, relative to now: equal fingerprints count as a cycle. */
uint64_t world_fingerprint(world *w)
{
    buf b = { 0 };
    for (size_t i = 0; i < w->server_count; i++) {
        server_fold(&w->servers[i], &b);
        buf_u64(&b, (uint64_t)w->servers[i].skew_ms);
        redis_freeze_waiting(w->servers[i].r, server_now_ms(&w->servers[i]), &b);
        redis_freeze_transactions(w->servers[i].r, server_now_ms(&w->servers[i]), &b);
        buf_byte(&b, '|');
    }
    if (w->o.limits.instants == INSTANTS_SECONDS)
        buf_u64(&b, (uint64_t)(w->now_ms % 1000));
    for (size_t p = 0; p < w->node_count; p++) {
        if (!w->nodes[p].alive)
            continue;
        err none = { 0 };
        if (!process_freeze(w->nodes[p].p, w->now_ms, &b, &none))
            buf_u64(&b, ++w->strangers);           /* unlike any other state */
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
