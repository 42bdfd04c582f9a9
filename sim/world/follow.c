/* follow.c - see follow.h: takes a step in a world and writes down its outcome. */
#include "world/follow.h"

#include "base/mem.h"
#include "world/internal.h"

/* ---- what is written down ---- */

static void put_reply(outline *o, const reply *r)
{
    outline_count(o, (uint64_t)r->kind);
    if (r->kind == REPLY_INTEGER)
        outline_number(o, (double)r->integer);
    else if (r->kind == REPLY_DOUBLE)
        outline_number(o, r->number);
    else
        outline_text(o, r->text);
    outline_count(o, r->count);
    for (size_t i = 0; i < r->count; i++)
        put_reply(o, &r->items[i]);
}

/* A digit in a script's hash is not a number. */
static void put_words(outline *o, const script_file *script, const str *argv, size_t argc)
{
    for (size_t i = 0; i < argc; i++)
        if (script && i == 1)
            outline_bytes(o, argv[i]);
        else
            outline_text(o, argv[i]);
}

void follow_note_request(world *w, const flight *f)
{
    outline *o = w->outline;
    outline_count(o, (uint64_t)f->server << 8 | (uint64_t)f->kind);
    put_words(o, f->script, f->argv, f->argc);
    put_reply(o, &f->answer);
    if (w->heard && w->sc->faults[FAULT_SERVER_CLOCK_JUMP].budget > 0)
        outline_later(w->heard, server_now_ms(&w->servers[f->server]));
    if (!w->learner && w->heard)
        follow_note_answer(w->heard, f->script, f->argv, f->argc, &f->answer);
}

void follow_note_answer(outline *heard, const script_file *script, const str *argv, size_t argc, const reply *r)
{
    put_words(heard, script, argv, argc);
    put_reply(heard, r);
    for (size_t i = 0; i < argc; i++)
        if (!(script && i == 1))
            outline_used_text(&heard->used, argv[i], heard->began_ms);
}

void follow_note_clock(world *w, uint32_t process, const outputs *out)
{
    int64_t drift = w->sc->clients[process].drift;
    w->heard->clock = true;
    if (out->clock)
        outline_later(w->heard, w->now_ms + out->clock_skew_ms);
    if (out->steady)
        outline_later(w->heard, w->now_ms + out->steady_skew_ms);
    if (!drift)
        return;
    if (!w->heard->drift)
        w->heard->tick_ms = w->now_ms - w->heard->began_ms + out->clock_tick_ms;
    w->heard->drift = drift;
    outline_number(w->heard, (double)(w->now_ms + out->clock_tick_ms));
}

void follow_note_event(world *w, const event *e)
{
    outline *o = w->outline;
    outline_count(o, (uint64_t)e->kind);
    outline_bytes(o, e->who);
    outline_bytes(o, e->lock);
    outline_bytes(o, e->op);
    outline_bytes(o, e->mode);
    outline_number(o, (double)e->lease_ms);
    outline_number(o, (double)e->token);
    outline_number(o, (double)e->count);
    outline_number(o, (double)e->permits);
}

static void put_key(void *context, str key, str shown, int64_t ttl_ms)
{
    world *w = context;
    outline *o = w->outline;
    outline_text(o, key);
    outline_text(o, shown);
    outline_number(o, ttl_ms < 0 ? -1 : (double)(w->now_ms + ttl_ms));
}

static void put_servers(world *w)
{
    for (size_t i = 0; i < w->server_count; i++) {
        server *s = &w->servers[i];
        redis_each_key(server_redis(s), server_now_ms(s), w->step_memory, put_key, w);
        outline_count(w->outline, s->lagging);
        buf waiting = { 0 };
        redis_freeze_waiting(s->r, 0, &waiting);
        redis_freeze_transactions(s->r, server_now_ms(s), &waiting);
        outline_count(w->outline, waiting.n);
        buf_free(&waiting);
    }
}

static double instant_number(int64_t at_ms)
{
    return at_ms == INT64_MAX ? -1 : (double)at_ms;
}

static void put_flights(world *w, uint32_t process)
{
    size_t count;
    const flight *f = network_flights(w, process, &count);
    outline *o = w->outline;
    outline_count(o, count);
    for (size_t i = 0; i < count; i++) {
        outline_count(o, (uint64_t)f[i].state << 8 | (uint64_t)f[i].given_up << 2 | (uint64_t)f[i].orphan << 1 |
                      f[i].late);
        outline_number(o, f[i].orphan ? -1 : instant_number(f[i].give_up_ms));
        outline_number(o, f[i].state == FLIGHT_WAITING ? instant_number(f[i].wait_until_ms) : -1);
        put_words(o, f[i].script, f[i].argv, f[i].argc);
        if (flight_has_answer(&f[i]))
            put_reply(o, &f[i].answer);
    }
}

static void put_process(world *w, uint32_t process)
{
    node *n = &w->nodes[process];
    outline *o = w->outline;
    outline_count(o, (uint64_t)n->alive << 1 | n->paused);
    outline_count(o, n->stalled);
    if (!n->alive)
        return;
    if (!w->outliner.write(w->outliner.context, process, n->p, w->now_ms, o))
        outline_count(o, 1);
    for (size_t s = 0; s < w->server_count; s++)
        for (size_t i = 0; i < n->messages[s].count; i++)
            outline_text(o, buf_str(&n->messages[s].items[i].text));
}

void follow_state(world *w, uint32_t process, bool servers, outline *out)
{
    w->outline = out;
    if (servers)
        put_servers(w);
    put_flights(w, process);
    put_process(w, process);
    w->outline = NULL;
}

/* ---- going on ---- */

void follow_wait(world *w, int64_t ms)
{
    for (size_t i = 0; i < w->server_count; i++)
        server_redis(&w->servers[i]);
    w->now_ms += ms;
    time_passed_for_servers(w);
    time_next_of_servers(w, false, &w->deadline_now);
}

static bool runs_code(const step *s)
{
    if (s->kind == STEP_FAULT)
        return s->fault == FAULT_RESTART || s->fault == FAULT_INTERRUPT;
    return s->kind != STEP_TIME;
}

/* A server may remove an expired key at any moment, and tells those that have subscribed to it: a step of theirs. */
static void list_expired(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    for (uint32_t i = 0; i < w->server_count; i++) {
        size_t first = w->step_count;
        if (n->alive && n->channel_count[i] > 0)
            enabled_of_server(w, i);
        for (size_t k = first; k < w->step_count; k++)
            w->steps[k].process = process;
    }
}

static void list_steps(world *w, uint32_t process)
{
    bool any = false;
    for (int k = 0; k < FAULT_KINDS; k++)
        any |= w->budget[k] > 0;
    w->step_count = 0;
    enabled_of_node(w, process);
    if (w->sc->notify && !(w->o.stops_without & STOPS_EXPIRY))
        list_expired(w, process);
    if (any)
        faults_of_node(w, process, false);
}

size_t follow_steps(world *w, uint32_t process, arena *a, step **out)
{
    list_steps(w, process);
    size_t count = 0;
    *out = ARENA_ARRAY(a, step, w->step_count + 1);
    for (size_t i = 0; i < w->step_count; i++)
        if (!w->steps[i].holds_time && runs_code(&w->steps[i]) &&
            !(w->steps[i].kind == STEP_FAULT && (w->o.stops_without & STOPS_FAULTS)))
            (*out)[count++] = w->steps[i];
    for (size_t i = 0; i < count; i++)
        (*out)[i].key = arena_str(a, (*out)[i].key);
    return count;
}

bool follow_find(world *w, step *s)
{
    list_steps(w, s->process);
    for (size_t i = 0; i < w->step_count; i++) {
        const step *x = &w->steps[i];
        bool same_kind = x->kind == s->kind || (s->kind == STEP_ROUND_TRIP && x->kind == STEP_EXECUTE) ||
                         (s->kind == STEP_EXECUTE && x->kind == STEP_ROUND_TRIP);
        if (same_kind && x->fault == s->fault && x->task == s->task && x->request == s->request && x->copy == s->copy &&
            x->server == s->server && x->amount == s->amount && (x->kind != STEP_EXPIRE || str_eq(x->key, s->key))) {
            str key = s->key;                      /* that of x lies in memory that the next step uses again */
            *s = *x;
            s->key = key;
            return true;
        }
    }
    return false;
}

/* What takes a declared range can end at any moment of it; here it ends as early as it can. Where others may come in
 * between, the end of work is a visit of its own. */
static bool comes_at_once(world *w, const step *s, bool visits)
{
    if (s->kind == STEP_RUN) {
        const task_view *t = world_task(w, s->process, s->task);
        return t && t->status == TASK_WORK && !visits;
    }
    bool arrives = s->kind == STEP_EXECUTE || s->kind == STEP_ROUND_TRIP || s->kind == STEP_ANSWER ||
                   s->kind == STEP_MESSAGE;
    return arrives && w->sc->latency_hi_ms > 0;
}

/* After how many numbers both choices repeat: the least common multiple. */
static unsigned both_turns(unsigned a, unsigned b)
{
    unsigned all = a;
    while (all % b)
        all += a;
    return all;
}

/* The next step of a process that holds time. early: if there is none, the next step of something that takes a declared
 * range, at its earliest. */
static bool next_step(world *w, uint32_t process, bool early, const follow_way *way, step *out)
{
    w->step_count = 0;
    enabled_of_node(w, process);
    size_t n = 0;
    for (size_t i = 0; i < w->step_count; i++)
        if (w->steps[i].holds_time)
            w->steps[n++] = w->steps[i];
    for (size_t i = 0; early && n == 0 && i < w->step_count && !(w->o.stops_without & STOPS_RANGES); i++)
        if (comes_at_once(w, &w->steps[i], way->visits && !(w->o.stops_without & STOPS_AGAIN)))
            w->steps[n++] = w->steps[i];
    if (n > 0 && *way->different < FOLLOW_WAYS_MAX)
        *way->different = both_turns(*way->different, (unsigned)n);
    if (n > 0)
        *out = w->steps[way->branch % n];
    return n > 0;
}

static bool holds(world *w, uint32_t process)
{
    bool any = false;
    w->step_count = 0;
    enabled_of_node(w, process);
    for (size_t i = 0; i < w->step_count; i++)
        any |= w->steps[i].holds_time;
    return any;
}

/* When a request or its answer arrives, at the earliest or the latest; INT64_MAX: never. */
static int64_t arrives_ms(const world *w, const flight *f, bool early)
{
    int64_t takes_ms = early ? w->sc->latency_lo_ms : w->sc->latency_hi_ms;
    bool on_its_way = !f->late && (f->state == FLIGHT_SENT || f->state == FLIGHT_EXECUTED);
    return !on_its_way ? INT64_MAX : takes_ms + (f->state == FLIGHT_SENT ? f->sent_ms : f->executed_ms);
}

static void earlier(const world *w, int64_t *best_ms, int64_t at_ms)
{
    *best_ms = at_ms > w->now_ms && at_ms < *best_ms ? at_ms : *best_ms;
}

enum { STEPS_MAX = 96 };

/* One process that takes part. Its outcome is written down apart from that of others: their relative order counts only
 * where it makes a difference to one of them. */
typedef struct {
    outline out, heard;
    int steps, waits;
    int64_t due_ms;        /* when it last went on by itself, after a wait */
    bool takes_part;
    bool moves;            /* its current step was caused by the step that is followed */
    int visits;            /* how often it came by itself */
} follower_of;

struct following {
    follower_of *items;    /* of all processes */
    uint32_t process;      /* the one whose step is followed */
    int waits;             /* of each, at most */
    bool ranges;           /* declared ranges of others end */
};

/* Does it end within a declared range, at the latest at wake_ms? */
static bool ends_in_range(const world *w, const task_view *t)
{
    return w->following->ranges && t->status == TASK_WORK && t->wake_ms < INT64_MAX;
}

/* Does another process end its range now, on every second way? On the others it does at the latest. */
static bool range_ends(world *w, uint32_t process, const follow_way *way)
{
    const task_view *tasks;
    bool any = false;
    const node *n = &w->nodes[process];
    size_t count = n->alive && !n->paused ? process_tasks(n->p, &tasks) : 0;
    for (size_t i = 0; i < count; i++)
        any |= ends_in_range(w, &tasks[i]);
    if (any && *way->different < FOLLOW_WAYS_MAX)
        *way->different = both_turns(*way->different, 2);
    return any && way->branch % 2 == 1;
}

/* How long until the process goes on by itself. early: a declared range counts with its least length. */
static int64_t next_wait(world *w, uint32_t process, bool early)
{
    int64_t best_ms = INT64_MAX;
    const node *n = &w->nodes[process];
    const task_view *tasks;
    size_t count = n->alive && !n->paused ? process_tasks(n->p, &tasks) : 0;
    for (size_t i = 0; i < count; i++)
        if (!tasks[i].zero_wait && !stalled(w, process, &tasks[i]))
            earlier(w, &best_ms, ends_in_range(w, &tasks[i]) ? tasks[i].wake_ms
                                                             : world_wake_ms(w, process, &tasks[i]));
    const flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++) {
        earlier(w, &best_ms, arrives_ms(w, &f[i], early));
        if (!f[i].orphan && !early)
            earlier(w, &best_ms, f[i].give_up_ms);
    }
    for (size_t s = 0; s < w->server_count && n->alive && !n->paused; s++)
        if (n->messages[s].count > 0)
            earlier(w, &best_ms, n->messages[s].items[0].sent_ms +
                    (early ? w->sc->latency_lo_ms : w->sc->latency_hi_ms));
    return best_ms == INT64_MAX ? INT64_MAX : best_ms - w->now_ms;
}

void follow_free(world *w)
{
    for (uint32_t q = 0; w->following && q < w->node_count; q++) {
        outline_free(&w->following->items[q].out);
        outline_free(&w->following->items[q].heard);
    }
    if (w->following)
        mem_free(w->following->items);
    mem_free(w->following);
    w->following = NULL;
}

static follower_of *follower_at(world *w, uint32_t process) { return &w->following->items[process]; }

/* All processes that hold time now go on before it passes. */
static void begin(world *w, uint32_t process, const follow_way *way)
{
    if (!w->following) {
        w->following = mem_zero(sizeof *w->following);
        w->following->items = mem_zero(w->node_count * sizeof *w->following->items);
    }
    w->following->process = process;
    w->following->waits = way->waits;
    w->following->ranges = way->ranges;
    for (uint32_t q = 0; q < w->node_count; q++) {
        follower_of *x = follower_at(w, q);
        outline_begin(&x->out);
        outline_begin(&x->heard);
        x->heard.began_ms = w->now_ms;
        x->steps = x->waits = x->visits = 0;
        x->due_ms = -1;
        x->moves = q == process;
        x->takes_part = q == process || (!(w->o.stops_without & STOPS_OTHERS) && !holds(w, q));
    }
}

static bool take(world *w, const step *s)
{
    err e = { 0 };
    step taken = *s;
    follower_of *x = follower_at(w, s->process);
    arena_reset(w->step_memory);
    w->cause = (cause){ .op = S(""), .who = S(""), .process = s->process, .task = s->task };
    w->outline = &x->out;
    w->heard = &x->heard;
    bool ok = world_happen(w, &taken, &e);
    w->outline = w->heard = NULL;
    err_clear(&e);
    if (!ok)
        world_forget_output(w);
    time_next_of_servers(w, false, &w->deadline_now);
    x->moves |= x->due_ms != w->now_ms;
    x->steps++;
    return ok;
}

/* The next step, in this order: of the process that is followed, of one that it woke, of one whose timer ended. */
static bool next_of_all(world *w, const follow_way *way, step *out)
{
    uint32_t own = w->following->process;
    if (follower_at(w, own)->takes_part && next_step(w, own, true, way, out))
        return true;
    for (uint32_t q = 0; q < w->node_count; q++)
        if (q != own && follower_at(w, q)->takes_part && next_step(w, q, range_ends(w, q, way), way, out))
            return true;
    return false;
}

static bool anybody_waits(world *w)
{
    bool any = false;
    for (uint32_t q = 0; q < w->node_count; q++)
        any |= follower_at(w, q)->takes_part && next_wait(w, q, q == w->following->process) < INT64_MAX;
    return any;
}

/* The steps of clients that may come at any moment. A client comes, its work ends, and once more. */
enum { VISITS_MAX = 16, VISITS_EACH = 3 };
static size_t visits(world *w, bool own, step *out)
{
    size_t n = 0;
    int each = w->o.stops_without & STOPS_AGAIN ? 1 : VISITS_EACH;
    for (uint32_t q = 0; q < w->node_count; q++) {
        const follower_of *x = follower_at(w, q);
        if (x->visits >= each || !x->takes_part || (q == w->following->process && !own))
            continue;
        w->step_count = 0;
        enabled_of_node(w, q);
        for (size_t i = 0; i < w->step_count && n < VISITS_MAX; i++)
            if (!w->steps[i].holds_time && runs_code(&w->steps[i]))
                out[n++] = w->steps[i];
    }
    return n;
}

/* Takes one of them, or none yet. */
static bool next_visit(world *w, const follow_way *way, step *out)
{
    step all[VISITS_MAX];
    size_t n = visits(w, true, all), ways = n + (n > 0 && anybody_waits(w));
    if (n > 0 && *way->different < FOLLOW_WAYS_MAX)
        *way->different = both_turns(*way->different, (unsigned)ways);
    if (n == 0 || way->branch % ways == n)
        return false;
    *out = all[way->branch % ways];
    follower_at(w, out->process)->visits++;
    return true;
}

/* Lets time pass if the next visit is one that comes later; not so far that a wait ends. false: it comes at once. */
static bool delayed(world *w, follow_delays *delays)
{
    uint32_t own = w->following->process;
    int before = 0;
    for (uint32_t q = 0; q < w->node_count; q++)
        before += follower_at(w, q)->visits;
    if (before >= FOLLOW_DELAYS || delays->ms[before] <= 0 || visits(w, true, (step[VISITS_MAX]){ { 0 } }) == 0)
        return false;
    int64_t ms = delays->ms[before];
    delays->ms[before] = 0;
    for (uint32_t q = 0; q < w->node_count; q++)
        if (follower_at(w, q)->takes_part && next_wait(w, q, q == own) <= ms)
            ms = next_wait(w, q, q == own) - 1;
    if (ms <= 0)
        return false;
    outline_later(&follower_at(w, own)->heard, w->now_ms + ms);
    follow_wait(w, ms);
    return true;
}

/* Is this process followed through another wait? */
static bool goes_on(world *w, uint32_t q)
{
    const follower_of *x = follower_at(w, q);
    unsigned needs = q == w->following->process ? STOPS_WAITS : STOPS_WAITS | STOPS_TIMERS;
    return x->takes_part && x->waits < w->following->waits && !(w->o.stops_without & needs);
}

static void note_stored(void *context, int64_t at_ms, bool deadline)
{
    (void)deadline;
    outline_happens(context, at_ms);
}

/* Is another process within a declared range? */
static bool others_work(world *w)
{
    bool any = false;
    for (uint32_t q = 0; q < w->node_count; q++) {
        const task_view *tasks;
        bool goes = q != w->following->process && w->nodes[q].alive && !w->nodes[q].paused;
        size_t count = goes ? process_tasks(w->nodes[q].p, &tasks) : 0;
        for (size_t i = 0; i < count; i++)
            any |= tasks[i].status == TASK_WORK && tasks[i].wake_ms < INT64_MAX;
    }
    return any;
}

/* Time passes up to the first wait that ends. A process that is followed no further takes no part from then on. */
static bool wait_on(world *w)
{
    uint32_t own = w->following->process;
    int64_t ms = INT64_MAX;
    for (uint32_t q = 0; q < w->node_count; q++)
        if (goes_on(w, q)) {
            int64_t of_ms = next_wait(w, q, q == own);
            ms = of_ms < ms ? of_ms : ms;
        }
    if (ms == INT64_MAX)
        follower_at(w, own)->heard.cut |= anybody_waits(w);
    if (ms == INT64_MAX)
        return false;
    for (size_t i = 0; i < w->server_count; i++)
        server_each_instant(&w->servers[i], note_stored, &follower_at(w, own)->heard);
    for (uint32_t q = 0; q < w->node_count; q++) {
        follower_of *x = follower_at(w, q);
        if (!x->takes_part || next_wait(w, q, q == own) > ms)
            continue;
        x->takes_part = goes_on(w, q);
        follower_at(w, own)->heard.cut |= !x->takes_part;
        x->waits++;
        x->due_ms = w->now_ms + ms;
        outline_happens(&x->heard, x->due_ms);
        if (x->moves)
            outline_later(&x->heard, x->due_ms);
    }
    follow_wait(w, ms);
    return true;
}

static void sum_up_of(world *w, uint32_t q, outline *out, outline *heard)
{
    const follower_of *x = follower_at(w, q);
    outline_count(out, q);
    outline_add(out, &x->out);
    outline_add(heard, &x->heard);
    w->outline = out;
    put_flights(w, q);
    put_process(w, q);
    w->outline = NULL;
}

static void sum_up(world *w, outline *out, outline *heard)
{
    uint32_t own = w->following->process;
    sum_up_of(w, own, out, heard);
    size_t from = out->count;
    for (uint32_t q = 0; q < w->node_count; q++)
        if (q != own && follower_at(w, q)->steps > 0)
            sum_up_of(w, q, out, heard);
    w->outline = out;
    put_servers(w);
    w->outline = NULL;
    if (!out->left_to) {
        out->left_from = from;
        out->left_to = out->count;
    }
}

void follow_step(world *w, const step *s, const follow_way *way, outline *out, outline *heard)
{
    bool hears = w->out.hears, boundaries = !(w->o.stops_without & STOPS_DEADLINE);
    step next = *s;
    heard->began_ms = w->now_ms;
    w->out.hears = true;
    begin(w, s->process, way);
    outline_count(out, (uint64_t)s->kind);
    bool ok = take(w, s), more = true;
    follow_delays delays = way->delays;
    while (ok && more && follower_at(w, next.process)->steps < STEPS_MAX) {
        bool any = next_of_all(w, way, &next);
        if (!any && way->visits && delayed(w, &delays))
            continue;
        any = any || (way->visits && next_visit(w, way, &next));
        follower_of *x = follower_at(w, next.process);
        if (any && boundaries)                     /* a millisecond may pass before it there */
            outline_count(&x->out, x->waits > 0 && w->deadline_now);
        heard->ranges |= !any && others_work(w);
        if (any)
            ok = take(w, &next);
        else
            more = wait_on(w);
    }
    outline_count(out, ok);
    if (ok)
        sum_up(w, out, heard);
    heard->open |= ok && visits(w, false, (step[VISITS_MAX]){ { 0 } }) > 0;
    w->out.hears = hears;
}
