/* faults.c - the faults, each kind with a budget: which could strike now, and their effect. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "script/script.h"
#include "world/learner.h"

bool fault_left(const world *w, fault_kind k, uint32_t process)
{
    if (w->budget[k] == 0)
        return false;
    str of = w->sc->faults[k].of;
    return process == NOBODY || of.n == 0 || str_eq(of, w->sc->clients[process].name);
}

process *fault_feed(const world *w, uint32_t p)
{
    process *fed = w->nodes[p].p;
    if (w->preempts)
        /* a followed process does not stop at preemption points */
        process_set_points(fed, !w->outline && fault_left(w, FAULT_PREEMPT, p));
    return fed;
}

/* Can it strike this request? */
bool fault_meets(const world *w, fault_kind k, const flight *f)
{
    str op = w->sc->faults[k].op;
    return fault_left(w, k, f->process) && (op.n == 0 || str_eq(op, f->op));
}

bool fault_meets_task(const world *w, fault_kind k, uint32_t p, uint32_t task)
{
    if (!fault_left(w, k, p) || w->sc->faults[k].op.n == 0)
        return fault_left(w, k, p);
    size_t count;
    const flight *f = network_flights(w, p, &count);
    for (size_t i = 0; i < count; i++)
        if (!f[i].orphan && !f[i].dead && f[i].task == task && fault_meets(w, k, &f[i]))
            return true;
    return false;
}

/* Can it strike the process, by its requests in progress? */
static bool fault_meets_process(const world *w, fault_kind k, uint32_t p)
{
    if (!fault_left(w, k, p) || w->sc->faults[k].op.n == 0)
        return fault_left(w, k, p);
    size_t count;
    const flight *f = network_flights(w, p, &count);
    for (size_t i = 0; i < count; i++)
        if (!f[i].orphan && !f[i].dead && fault_meets(w, k, &f[i]))
            return true;
    return false;
}

static void add(world *w, fault_kind k, step s)
{
    s.kind = STEP_FAULT;
    s.fault = k;
    enabled_add(w, s);
}

static void add_of_flight(world *w, const flight *f)
{
    step s = { .process = f->process, .task = f->task, .request = f->number, .copy = f->copy, .server = f->server };
    bool sent = f->state == FLIGHT_SENT && !f->orphan && !f->given_up;
    if (sent && fault_meets(w, FAULT_LOSE_REQUEST, f))
        add(w, FAULT_LOSE_REQUEST, s);
    if (f->state == FLIGHT_EXECUTED && !f->orphan && fault_meets(w, FAULT_LOSE_REPLY, f))
        add(w, FAULT_LOSE_REPLY, s);
    if (sent && !f->late && fault_meets(w, FAULT_LATE_REQUEST, f))
        add(w, FAULT_LATE_REQUEST, s);
    if (sent && !flight_is_pubsub(f) && fault_meets(w, FAULT_DUPLICATE, f))
        add(w, FAULT_DUPLICATE, s);
    if (sent && !f->oom && !flight_is_pubsub(f) && redis_command_needs_memory(f->argv[0]) &&
        fault_meets(w, FAULT_OOM, f))
        add(w, FAULT_OOM, s);
    if (sent && !f->moving && w->sc->cluster == CLUSTER_YES && !flight_is_pubsub(f) &&
        fault_meets(w, FAULT_MOVE_SLOT, f) && redis_shows_moving(w->servers[f->server].r, f->argv, f->argc))
        add(w, FAULT_MOVE_SLOT, s);
}

static void add_of_flights(world *w, uint32_t p)
{
    size_t count;
    const flight *f = network_flights(w, p, &count);
    for (size_t i = 0; i < count; i++)
        if (!f[i].dead)
            add_of_flight(w, &f[i]);
}

static void add_of_process(world *w, uint32_t p, bool ended)
{
    if (ended && w->nodes[p].alive)
        return;            /* its program is over: no fault can matter; but a crashed client may still restart */
    const node *n = &w->nodes[p];
    step s = { .process = p, .task = NOBODY };
    const task_view *tasks;
    size_t count = n->alive ? process_tasks(n->p, &tasks) : 0;
    if (n->unborn || (n->alive && count == 0 && !node_subscribed(w, n)))
        return;            /* it has ended or not started: no fault can matter */
    bool begun = false;    /* a crash or pause before the start is a later start, or none: the search has both anyway */
    for (size_t i = 0; i < count; i++)
        begun |= !n->open || !world_open_start(&tasks[i]);
    if (n->alive && !begun)
        return;
    if (fault_meets_process(w, FAULT_RESTART, p))
        add(w, FAULT_RESTART, s);
    if (!n->alive)
        return;
    if (fault_meets_process(w, FAULT_CRASH, p))
        add(w, FAULT_CRASH, s);
    if (!n->paused && fault_meets_process(w, FAULT_PAUSE, p))
        add(w, FAULT_PAUSE, s);
    if (fault_meets_process(w, FAULT_CLOCK_JUMP, p)) {
        s.amount = w->amount[FAULT_CLOCK_JUMP];
        add(w, FAULT_CLOCK_JUMP, s);
        s.amount = 0;
    }
    for (size_t i = 0; i < count && !n->paused && fault_meets_process(w, FAULT_INTERRUPT, p); i++)
        if (tasks[i].main && tasks[i].interruptible && !stalled(w, p, &tasks[i])) {
            s.task = tasks[i].id;
            add(w, FAULT_INTERRUPT, s);
            s.task = NOBODY;
        }
    stalls_enabled(w, p);
    for (uint32_t v = 0; v < w->server_count && fault_left(w, FAULT_LOSE_MESSAGE, p); v++)
        if (n->messages[v].count > 0) {
            s.server = v;
            add(w, FAULT_LOSE_MESSAGE, s);
        }
}

typedef struct {
    world *w;
    uint32_t server;
    size_t first;          /* of the keyspace before this one: the steps that exist already */
    bool second;
} evictor;

/* A key of both keyspaces is one key. */
static bool is_listed(const evictor *v, str key)
{
    for (size_t i = v->first; v->second && i < v->w->step_count; i++)
        if (v->w->steps[i].fault == FAULT_EVICT && str_eq(v->w->steps[i].key, key))
            return true;
    return false;
}

static void add_evict(void *context, str key, str shown, int64_t ttl_ms)
{
    evictor *v = context;
    str of = v->w->sc->faults[FAULT_EVICT].of;
    (void)shown;
    (void)ttl_ms;
    if ((of.n && !str_eq(of, key)) || is_listed(v, key))
        return;
    add(v->w, FAULT_EVICT, (step){ .process = NOBODY, .task = NOBODY, .server = v->server,
                                   .key = arena_str(v->w->step_memory, key) });
}

static void note_waiting(void *context, uint32_t conn)
{
    (void)conn;
    *(bool *)context = true;
}

/* A pop's wait is measured by the server's clock, too: while one waits, that clock does not jump. */
static bool anybody_waits(server *s)
{
    bool any = false;
    redis_each_waiting(server_redis(s), note_waiting, &any);
    return any;
}

void faults_of_server(world *w, uint32_t i)
{
    server *s = server_awake(&w->servers[i]);
    step t = { .process = NOBODY, .task = NOBODY, .server = i };
    if (fault_left(w, FAULT_WIPE, NOBODY))
        add(w, FAULT_WIPE, t);
    if (fault_left(w, FAULT_SCRIPT_FLUSH, NOBODY))
        add(w, FAULT_SCRIPT_FLUSH, t);
    if (w->sc->replicas > 0 && fault_left(w, FAULT_LAG, NOBODY) && !s->lagging)
        add(w, FAULT_LAG, t);
    if (w->sc->replicas > 0 && fault_left(w, FAULT_FAILOVER, NOBODY)) {
        for (size_t missed = 0; missed <= s->history_count && missed <= (size_t)w->amount[FAULT_FAILOVER]; missed++) {
            t.amount = (int64_t)missed;            /* 0 where the only replica lags: what it misses is fixed */
            add(w, FAULT_FAILOVER, t);
        }
        t.amount = FAILOVER_TO_LAGGING;
        if (s->lagging && server_followers(w, s) > 0)
            add(w, FAULT_FAILOVER, t);
        t.amount = 0;
    }
    t.amount = w->amount[FAULT_SERVER_CLOCK_JUMP];
    if (fault_left(w, FAULT_SERVER_CLOCK_JUMP, NOBODY) && !anybody_waits(s))
        add(w, FAULT_SERVER_CLOCK_JUMP, t);
    t.amount = 0;
    evictor v = { .w = w, .server = i, .first = w->step_count };
    if (fault_left(w, FAULT_EVICT, NOBODY))
        redis_each_key(server_redis(s), server_now_ms(s), w->step_memory, add_evict, &v);
    v.second = true;
    if (s->second && fault_left(w, FAULT_EVICT, NOBODY))
        redis_each_key(s->second, server_now_ms(s), w->step_memory, add_evict, &v);
}

void faults_enabled(world *w)
{
    bool any = false;
    for (size_t k = 0; k < FAULT_KINDS; k++)
        any |= w->budget[k] > 0;
    if (!any)
        return;
    bool ended = world_programs_ended(w);
    for (uint32_t p = 0; p < w->node_count; p++)
        add_of_process(w, p, ended);
    if (ended)
        return;
    for (uint32_t p = 0; p < w->node_count; p++)
        add_of_flights(w, p);
    for (uint32_t i = 0; i < w->server_count; i++)
        faults_of_server(w, i);
}

void faults_of_node(world *w, uint32_t p, bool ended)
{
    if (world_point_of(w, p))
        return;
    add_of_process(w, p, ended);
    if (!ended)
        add_of_flights(w, p);
}

/* ---- striking ---- */

static void crash(world *w, uint32_t p)
{
    node *n = &w->nodes[p];
    n->alive = n->paused = false;
    n->stalled = 0;
    /* A request that is held up in the network outlives its sender. Any other has either arrived just before the crash,
     * which is a step of its own, or never arrives. */
    size_t count;
    flight *f = network_flights(w, p, &count);
    while (count-- > 0)
        if (f->state == FLIGHT_SENT && f->late && !flight_is_pubsub(f)) {
            f->orphan = f->dead = true;
            f->waited = false;
            f++;
        } else {
            if (f->state == FLIGHT_WAITING)
                network_leave(w, f);
            network_end(w, f);                     /* the next flight moves into its place */
        }
    network_disconnect(w, p);
    if (w->learner)
        /* the connections of a restarted client have no subscriptions */
        w->learner->unsubscribed(w->learner);
    if (w->o.on_crash)
        w->o.on_crash(w->o.context, p);
    world_emit(w, (event){ .kind = EVENT_CRASHED, .process = p, .task = NOBODY });
}

static bool restart(world *w, uint32_t p, err *e)
{
    node *n = &w->nodes[p];
    if (n->alive)
        crash(w, p);
    process *fresh = world_birth(w, p, n->incarnation + 1, e);
    if (!fresh)
        return false;
    world_retire(w, p);
    n->p = fresh;
    n->incarnation++;
    n->request_base += n->requests;
    n->requests = 0;
    n->spin_count = 0;
    n->numbers_known = false;
    n->alive = true;
    network_connect(w, p);
    world_emit(w, (event){ .kind = EVENT_RESTARTED, .process = p, .task = NOBODY });
    return true;
}

static void server_fault(world *w, uint32_t i, str op, str key, uint64_t kept)
{
    w->servers[i].writes++;
    w->servers[i].told++;
    w->cause = (cause){ .op = op, .who = S(""), .process = NOBODY, .task = NOBODY };
    world_emit(w, (event){ .kind = EVENT_FAULT, .process = NOBODY, .task = NOBODY, .op = op, .text = key,
                           .server = i });
    if (w->o.on_server_fault)
        w->o.on_server_fault(w->o.context, &(world_suffered){ .server = i, .fault = op, .key = key, .kept = kept });
}

/* Returns how many of the server's reports the promoted replica had received. */
static uint64_t failover(world *w, server *s, int64_t missed)
{
    server_break_waits(s);
    connections_forget_transactions(s);
    assert(missed <= (int64_t)s->history_count);
    uint64_t kept = s->told;
    s->skew_ms = 0;        /* the replica's machine has its own clock; deadlines are instants and stay as they are */
    if (missed == FAILOVER_TO_LAGGING || server_followers(w, s) == 0) {
        server_unfold(s, s->replica_at_ms, buf_str(&s->replica));
        kept = s->replica_told;
    } else if (missed > 0) {
        size_t at = s->history_count - (size_t)missed;
        /* Deadlines are relative to the instant of the snapshot in its bytes, and absolute on the replica, too. */
        server_unfold(s, s->history[at].at_ms, buf_str(&s->history[at].frozen));
        kept = s->history[at].told;
    }
    server_forget_history(s);
    s->lagging = false;
    server_set_acks(s);
    return kept;
}

/* Who waits for the end of a key's life notices that the server's clock jumps. */
static void notice_deadline(void *context, int64_t at_ms, bool deadline)
{
    (void)at_ms;
    if (deadline)
        world_notice(context, FAULT_SERVER_CLOCK_JUMP);
}

bool faults_take(world *w, const step *s, err *e)
{
    assert(w->budget[s->fault] > 0);
    w->budget[s->fault]--;
    world_see(w, fault_name(s->fault));
    str op = str_from(fault_name(s->fault));
    w->cause = (cause){ .op = op, .who = S(""), .process = s->process, .task = s->task };
    flight *f = network_find(w, s);
    event said = { .kind = EVENT_FAULT, .process = s->process, .task = s->task, .op = op, .request = s->request,
                   .server = s->server, .lock = f ? arena_str(w->step_memory, f->lock) : S(""),
                   .text = f ? arena_str(w->step_memory, f->op) : S(""),
                   .renew_ms = f && f->give_up_ms < INT64_MAX ? f->give_up_ms - f->sent_ms : 0 };
    switch (s->fault) {
    case FAULT_CRASH:
        crash(w, s->process);
        return true;
    case FAULT_RESTART:
        return restart(w, s->process, e);
    case FAULT_PAUSE:
        w->nodes[s->process].paused = true;
        said.kind = EVENT_PAUSED;
        break;
    case FAULT_LOSE_MESSAGE:
        network_drop_message(w, s->process, s->server);
        break;
    case FAULT_LOSE_REQUEST: case FAULT_LOSE_REPLY:
        assert(f);
        network_tell_served(w, f);
        f->state = FLIGHT_LOST;
        break;
    case FAULT_LATE_REQUEST:
        assert(f);
        f->late = true;
        break;
    case FAULT_DUPLICATE:
        network_copy(w, s);
        break;
    case FAULT_OOM:
        assert(f);
        f->oom = true;
        break;
    case FAULT_MOVE_SLOT:
        assert(f);
        f->moving = true;
        break;
    case FAULT_LAG: {
        server *v = server_awake(&w->servers[s->server]);
        v->lagging = true;
        if (server_followers(w, v) == 0)
            server_forget_history(v);              /* up to now it had received everything */
        v->lag_until_ms = w->now_ms + w->amount[FAULT_LAG];
        buf_clear(&v->replica);
        server_fold(v, &v->replica);
        v->replica_at_ms = server_now_ms(v);
        v->replica_told = v->told;
        server_set_acks(v);
        break;
    }
    case FAULT_FAILOVER: {
        uint64_t kept = failover(w, server_awake(&w->servers[s->server]), s->amount);
        for (size_t i = 0; i < w->server_count && w->sc->faults[FAULT_FAILOVER].budget == 1; i++)
            /* it was the last one: no failover can lose writes any more */
            server_forget_history(server_awake(&w->servers[i]));
        server_fault(w, s->server, op, S(""), kept);
        return true;
    }
    case FAULT_WIPE:
        server_break_waits(&w->servers[s->server]);
        redis_wipe(server_redis(&w->servers[s->server]));
        if (w->servers[s->server].second)
            redis_wipe(w->servers[s->server].second);
        server_forget_history(&w->servers[s->server]);         /* its replicas are empty, too */
        network_resubscribe(w, s->server);         /* clients reconnect and subscribe again at once */
        server_fault(w, s->server, op, S(""), 0);
        return true;
    case FAULT_EVICT: {
        server *v = &w->servers[s->server];
        buf before = server_before(w, v);          /* replicas receive it like any write */
        redis_evict(server_redis(v), server_now_ms(v), s->key);
        if (v->second)
            redis_evict(v->second, server_now_ms(v), s->key);
        server_after(v, &before);
        server_fault(w, s->server, op, s->key, 0);
        return true;
    }
    case FAULT_SCRIPT_FLUSH:
        redis_flush_scripts(server_redis(&w->servers[s->server]));
        if (w->servers[s->server].second)
            redis_flush_scripts(w->servers[s->server].second);
        server_fault(w, s->server, op, S(""), 0);
        return true;
    case FAULT_SERVER_CLOCK_JUMP:
        server_each_instant(server_awake(&w->servers[s->server]), notice_deadline, w);
        w->servers[s->server].skew_ms += s->amount;
        server_fault(w, s->server, op, S(""), 0);
        return true;
    case FAULT_CLOCK_JUMP:
        process_jump_clock(w->nodes[s->process].p, s->amount);
        time_forget_numbers(w, s->process);
        break;
    case FAULT_INTERRUPT: {
        uint32_t process = s->process, task = s->task, waited_for = 0;
        size_t count;
        flight *g = network_flights(w, process, &count);
        for (size_t i = 0; i < count; i++, g++) {
            if (g->task == task && g->waited && !g->orphan) {
                waited_for = g->id;
                said.request = g->number;
                said.count = g->state != FLIGHT_SENT;
                if (g->state == FLIGHT_WAITING)
                    network_leave(w, g);
                network_tell_served(w, g);
                g->orphan = true;                  /* its script may still run */
                g->late = !flight_is_pubsub(g);    /* but not where it is on a subscription's connection */
                if (g->state != FLIGHT_SENT)
                    network_end(w, g);
                break;
            }
        }
        const task_view *t = world_task(w, process, task);
        said.kind = EVENT_INTERRUPTED;
        said.who = t ? arena_str(w->step_memory, t->who) : S("");
        world_emit(w, said);
        bool ok = process_interrupt(fault_feed(w, process), task, w->now_ms, &w->out, e) && world_absorb(w, process, e);
        if (waited_for)
            process_forget(w->nodes[process].p, waited_for);
        return ok;
    }
    case FAULT_PREEMPT: {
        const task_view *t = world_task(w, s->process, s->task);
        said.who = t ? arena_str(w->step_memory, t->who) : S("");
        world_emit(w, said);
        return process_preempt(fault_feed(w, s->process), s->task, w->now_ms, &w->out, e) &&
               world_absorb(w, s->process, e);
    }
    case FAULT_STALL:
        stall_begin(w, s->process, s->task);
        return true;
    case FAULT_KINDS:
        assert(!"no such fault");
    }
    world_emit(w, said);
    return true;
}
