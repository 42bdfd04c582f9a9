/* network.c - requests on their way to servers, and their answers on the way back. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "world/keyspace.h"
#include "world/learner.h"
#include "world/mirror.h"

static arena *arena_take(world *w)
{
    if (w->spare_count > 0)
        return w->spare[--w->spare_count];
    return arena_new();
}

bool flight_is_pubsub(const flight *f)
{
    return f->kind == REQUEST_SUBSCRIBE || f->kind == REQUEST_UNSUBSCRIBE;
}

uint32_t network_number(const world *w, uint32_t process, uint32_t id)
{
    return (w->nodes[process].request_base + id) * (uint32_t)w->node_count + process + 1;
}

/* The first flight that belongs to this process or a later one. */
static size_t first_of(const world *w, uint32_t process)
{
    size_t lo = 0, hi = w->flight_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (w->flights[middle].process < process)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

flight *network_flights(const world *w, uint32_t process, size_t *count)
{
    size_t from = first_of(w, process);
    *count = first_of(w, process + 1) - from;
    return *count ? w->flights + from : NULL;
}

flight *network_add(world *w, uint32_t process)
{
    MEM_RESERVE(w->flights, w->flight_cap, w->flight_count + 1);
    size_t at = first_of(w, process + 1);
    flight *f = &w->flights[at];
    memmove(f + 1, f, (w->flight_count++ - at) * sizeof *f);
    *f = (flight){ .memory = arena_take(w), .process = process };
    return f;
}

/* Takes it out of the list; the caller frees its memory. */
static flight flight_take_out(world *w, flight *f)
{
    size_t i = (size_t)(f - w->flights);
    assert(i < w->flight_count);
    flight out = *f;
    memmove(f, f + 1, (--w->flight_count - i) * sizeof *f);
    return out;
}

static void give_back(world *w, arena *memory)
{
    arena_reset(memory);
    MEM_RESERVE(w->spare, w->spare_cap, w->spare_count + 1);
    w->spare[w->spare_count++] = memory;
}

void network_send(world *w, uint32_t process, const request *r)
{
    node *n = &w->nodes[process];
    if (r->id > n->requests)
        n->requests = r->id;
    flight *f = network_add(w, process);
    arena *a = f->memory;
    uint32_t srv = r->server < w->server_count ? r->server : 0;
    f->state = FLIGHT_SENT;
    f->number = network_number(w, process, r->id);
    f->id = r->id;
    f->task = r->task;
    f->server = srv;
    f->kind = r->kind;
    f->waited = r->waited;
    f->resend = r->resend;
    f->again = r->again;
    f->sync = r->sync;
    f->sent_ms = w->now_ms;
    f->give_up_ms = r->timeout_ms >= 0 && r->timeout_ms < INT64_MAX - w->now_ms ? w->now_ms + r->timeout_ms : INT64_MAX;
    f->script = r->script;
    f->argc = r->argc;
    f->argv = ARENA_ARRAY(a, str, r->argc ? r->argc : 1);
    for (size_t i = 0; i < r->argc; i++)
        f->argv[i] = arena_str(a, r->argv[i]);
    f->op = arena_str(a, r->op);
    f->lock = arena_str(a, r->lock);
    f->path = arena_str(a, r->path);
    f->lease_ms = r->lease_ms;
    f->permits = r->permits;
    f->line = r->line;
    const task_view *t = world_task(w, process, r->task);
    f->who = t ? arena_str(a, t->who) : S("");
    if (w->o.record)
        story_request_sent(w, f);
    bool pops = f->kind == REQUEST_COMMAND && f->argc > 0 && redis_command_waits(f->argv[0]);
    world_emit(w, (event){ .kind = EVENT_SENT, .process = process, .task = r->task, .who = f->who, .lock = f->lock,
                           .op = f->op,
                           .request = f->number, .server = srv, .lease_ms = f->lease_ms,
                           .count = (r->again ? SENT_AGAIN : 0) | (pops ? SENT_POPS : 0),
                           .permits = f->permits });
}

flight *network_find(const world *w, const step *s)
{
    if (s->request == 0)
        return NULL;
    size_t count;
    flight *f = network_flights(w, s->process, &count);
    for (size_t i = 0; i < count; i++)
        if (f[i].number == s->request && f[i].copy == s->copy)
            return &f[i];
    return NULL;
}

void flight_put_off(flight *f, int64_t ms)
{
    f->sent_ms += ms;
    if (f->give_up_ms != INT64_MAX)
        f->give_up_ms += ms;
}

void flight_copy(flight *to, const flight *from, arena *a)
{
    *to = *from;
    to->memory = a;
    to->argv = ARENA_ARRAY(a, str, from->argc + 1);
    for (size_t i = 0; i < from->argc; i++)
        to->argv[i] = arena_str(a, from->argv[i]);
    to->who = arena_str(a, from->who);
    to->op = arena_str(a, from->op);
    to->lock = arena_str(a, from->lock);
    to->path = arena_str(a, from->path);
    if (flight_has_answer(from))
        to->answer = reply_copy(a, &from->answer);
}

flight *network_copy(world *w, const step *s)
{
    flight *second = network_add(w, s->process);
    const flight *f = network_find(w, s);
    flight_copy(second, f, second->memory);
    second->orphan = second->late = true;
    second->waited = false;
    size_t count;
    const flight *all = network_flights(w, s->process, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].number == f->number && &all[i] != second && all[i].copy >= second->copy)
            second->copy = all[i].copy + 1;
    return second;
}

void network_end(world *w, flight *f)
{
    give_back(w, flight_take_out(w, f).memory);
}

static void learn_script(world *w, const flight *f)
{
    str why = S("");
    const script_file *script = f->script && w->learner ? w->learner->script(w->learner, f->script,
                                                                             &w->servers[f->server]) : f->script;
    if (!script || server_learn(w, &w->servers[f->server], script, f->op, &why))
        return;
    if (!scenario_waives(w->sc, FINDING_SCRIPT_ERROR))
        world_emit(w, (event){ .kind = EVENT_FINDING, .process = f->process, .task = f->task, .who = f->who,
                               .op = S("error"), .text = why, .request = f->number, .path = f->script->path });
}

/* ---- pops that wait ---- */

static uint32_t free_slot(const world *w, const flight *f)
{
    size_t count;
    const flight *all = network_flights(w, f->process, &count);
    uint32_t slot = 0;
    for (size_t i = 0; i < count; i++)
        if (all[i].state == FLIGHT_WAITING && all[i].server == f->server && all[i].slot == slot) {
            slot++;
            i = (size_t)-1;
        }
    return slot;
}

bool network_has_slot(const world *w, const flight *f)
{
    return !redis_command_waits(f->argc ? f->argv[0] : S("")) || free_slot(w, f) < NETWORK_SLOTS;
}

/* A client that asks a server to wait allows for that wait: its own time-out begins after it. */
static void begin_wait(world *w, flight *f, int64_t waits_ms)
{
    int64_t patience_ms = f->give_up_ms == INT64_MAX ? INT64_MAX : f->give_up_ms - f->sent_ms;
    f->state = FLIGHT_WAITING;
    f->wait_until_ms = waits_ms == INT64_MAX ? INT64_MAX : w->now_ms + waits_ms;
    f->give_up_ms = f->wait_until_ms == INT64_MAX || patience_ms > INT64_MAX - f->wait_until_ms ? INT64_MAX
                    : f->wait_until_ms + patience_ms;
    world_see(w, "wait");
}

const flight *network_waiting(const world *w, uint32_t process, const task_view *t)
{
    size_t count;
    const flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++)
        if (f[i].state == FLIGHT_WAITING &&
            ((f[i].waited && f[i].task == t->id) || (t->status == TASK_WAIT && t->request == f[i].id)))
            return &f[i];
    return NULL;
}

/* An EXEC that ran nothing of its transaction: a watched key had changed, or the one command was refused. */
static bool ran_nothing(const flight *f)
{
    const reply *r = &f->answer;
    if (f->queuing.did != QUEUING_RAN)
        return false;
    return r->kind != REPLY_ARRAY || (f->queuing.place < r->count && r->items[f->queuing.place].kind == REPLY_ERROR);
}

static void tell_executed(world *w, const flight *f)
{
    buf shown = { 0 };
    reply_print_short(&f->answer, &shown);
    int64_t count = (f->copy > 0 ? EXECUTED_COPY : 0) | (f->queuing.did == QUEUING_QUEUED ? EXECUTED_QUEUED : 0) |
                    (f->too_late ? EXECUTED_TOO_LATE : 0);
    world_emit(w, (event){ .kind = EVENT_EXECUTED, .process = f->process, .task = f->task, .who = f->who,
                           .lock = f->lock,
                           .op = f->op, .text = ran_nothing(f) ? S("error: nothing ran") : buf_str(&shown),
                           .request = f->number,
                           .server = f->server, .lease_ms = f->lease_ms, .count = count, .permits = f->permits,
                           .ago_ms = w->now_ms - f->executed_ms, .path = f->script ? f->script->path : S("") });
    buf_free(&shown);
}

void network_tell_served(world *w, flight *f)
{
    if (f->served && f->state == FLIGHT_EXECUTED)
        tell_executed(w, f);
    f->served = false;
}

bool network_served(world *w, uint32_t process, uint32_t server, uint32_t slot, const reply *answer)
{
    size_t count;
    flight *f = network_flights(w, process, &count);
    size_t i = 0;
    while (i < count && (f[i].state != FLIGHT_WAITING || f[i].server != server || f[i].slot != slot))
        i++;
    if (i == count)
        return false;
    f = &f[i];
    f->executed_ms = w->now_ms;
    f->state = answer ? FLIGHT_EXECUTED : FLIGHT_LOST;
    f->served = answer != NULL;
    if (answer)
        f->answer = reply_copy(f->memory, answer);
    else
        f->give_up_ms = w->now_ms;  /* a broken connection is noticed at once; a lost answer only by the time-out */
    if (w->o.record && answer) {
        story_mark_flight(w, MARK_EXECUTED, process, server, f->number);
        story_request_served(w, f);
    }
    if (w->o.record && story_line(&w->notes)) {
        buf_printf(&w->notes, "%.*s's %.*s ends: ", STR_ARG(f->who), STR_ARG(f->op));
        if (answer)
            reply_print_short(answer, &w->notes);
        else
            buf_addz(&w->notes, "the connection breaks");
    }
    return true;
}

void network_time_out(world *w, flight *f)
{
    assert(f->state == FLIGHT_WAITING);
    w->cause = (cause){ .op = arena_str(w->step_memory, f->op), .who = arena_str(w->step_memory, f->who),
                        .process = f->process, .task = f->task, .request = f->number };
    network_leave(w, f);
    f->answer = reply_nil_array();
    if (w->o.record)
        story_request_served(w, f);
    f->executed_ms = w->now_ms;
    f->state = FLIGHT_EXECUTED;
    tell_executed(w, f);
}

static const str too_few = { "NOSYNC too few replicas have it", 31 };

static void ask_order(world *w, server *s, const flight *f)
{
    buf before = { 0 };
    keyspace_save(server_redis(s), server_now_ms(s), &before);
    orders_ask(w->o.orders, &(order_question){ .keyspace = buf_str(&before), .argv = f->argv, .argc = f->argc,
                                               .script = f->script, .op = f->op, .now_ms = server_now_ms(s) });
    buf_free(&before);
}

bool network_execute(world *w, flight *f, err *e)
{
    assert(f->state == FLIGHT_SENT);
    server *s = &w->servers[f->server];
    uint32_t number = f->number;
    w->cause = (cause){ .op = arena_str(w->step_memory, f->op), .who = arena_str(w->step_memory, f->who),
                        .process = f->process, .task = f->task, .request = number };
    learn_script(w, f);
    bool pubsub = flight_is_pubsub(f);
    buf before = redis_command_writes(f->argc ? f->argv[0] : S("")) ? server_before(w, s) : (buf){ 0 };
    int64_t waits_ms;
    unsigned differ;
    reply second;
    f->slot = free_slot(w, f);
    if (s->second)
        w->o.mirror->begin(w->o.mirror);
    if (w->learner) {
        if (!w->learner->execute(w->learner, f, &waits_ms, e)) {
            buf_free(&before);
            return false;
        }
    } else {
        redis_conn *conn = w->nodes[f->process].conns[f->server];
        int64_t queued = f->dead ? -1 : redis_conn_queued(conn);
        uint64_t late = redis_late_deadlines(s->r);
        if (w->o.orders && !pubsub)
            ask_order(w, s, f);
        f->answer = network_run(w, s->r, f, conn, w->nodes[f->process].subscribers[f->server], server_now_ms(s),
                                f->memory);
        f->queuing = f->dead ? (queuing_record){ 0 } : connections_queuing(conn, f, queued);
        f->too_late = redis_late_deadlines(s->r) > late;
        waits_ms = network_waits_ms(s->r, f, server_now_ms(s));
        if (s->second && !w->o.mirror->execute(w->o.mirror, w, f, waits_ms, &differ, &second, e)) {
            buf_free(&before);
            return false;
        }
    }
    server_after(s, &before);
    connections_note_transaction(w, f);
    w->cause.op = arena_str(w->step_memory, f->op);
    if (waits_ms >= 0) {
        if (w->o.record) {
            story_mark_flight(w, MARK_WAITS, f->process, f->server, f->number);
            story_request_executed(w, f, true);
        }
        begin_wait(w, f, waits_ms);
        return true;
    }
    if (f->resend)
        world_see(w, "resend");
    world_notice_request(w, f);
    if (!w->learner && again_judged(w, f))
        again_judge(w, f);
    f->executed_ms = w->now_ms;
    f->state = f->given_up ? FLIGHT_LOST : FLIGHT_EXECUTED;
    w->executed++;
    if (w->o.record)
        story_request_executed(w, f, false);
    if (w->outline)
        follow_note_request(w, f);
    if (pubsub)
        connections_remember(w, f);
    bool waited = f->answer.kind == REPLY_INTEGER && f->argc > 0 && str_eq_nocase(f->argv[0], S("WAIT"));
    /* without need the server stays asleep */
    uint32_t followers = f->sync > 0 || waited ? server_followers(w, server_awake(s)) : 0;
    if (followers > 0)
        server_forget_history(server_awake(s));    /* a failover to such a replica cannot lose these writes any more */
    s->told++;
    if (w->o.on_executed)
        w->o.on_executed(w->o.context, &(world_executed){ .server = f->server, .process = f->process,
                                                          .at_ms = w->now_ms,
                                                          .argv = f->argv, .argc = f->argc, .script = f->script,
                                                          .answer = &f->answer, .op = f->op });
    if (!f->orphan && world_sees_loops(w))         /* a late or duplicate request is no turn of its sender's loop */
        spin_note(w, f);
    tell_executed(w, f);
    /* The answer of its WAIT, sent in one batch, so that nothing comes between: the request was executed, and its
     * sender gets this error instead of the answer. */
    if (f->sync > 0 && f->answer.kind != REPLY_ERROR && f->sync > followers)
        f->answer = reply_error(too_few);
    return true;
}

bool network_answer(world *w, flight *f, err *e)
{
    assert((f->state == FLIGHT_EXECUTED || f->state == FLIGHT_ARRIVED) && !f->orphan);
    uint32_t process = f->process, id = f->id;
    if (f->served)
        world_see(w, "wake-up");
    network_tell_served(w, f);
    buf shown = { 0 };
    reply_print_short(&f->answer, &shown);
    /* "Too few replicas have it" says no more about the effect of the request than silence does. */
    bool silent = f->sync > 0 && f->answer.kind == REPLY_ERROR && str_eq(f->answer.text, too_few);
    world_emit(w, (event){ .kind = silent ? EVENT_TIMED_OUT : EVENT_ANSWERED, .process = process, .task = f->task,
                           .who = f->who,
                           .lock = f->lock, .op = f->op, .text = buf_str(&shown), .request = f->number,
                           .server = f->server, .lease_ms = f->lease_ms, .count = silent });
    buf_free(&shown);
    if (w->o.record)
        story_request_answered(w, f);
    flight ended = flight_take_out(w, f);          /* the list may move while the process sends more */
    bool ok = process_answer(fault_feed(w, process), id, &ended.answer, w->now_ms, &w->out, e) &&
              world_absorb(w, process, e);
    process_forget(w->nodes[process].p, id);
    if (ok && world_sees_loops(w))
        spin_close(w, process, &ended);
    give_back(w, ended.memory);
    return ok;
}

bool network_give_up(world *w, flight *f, err *e)
{
    uint32_t process = f->process, id = f->id;
    world_see(w, "timeout");
    if (f->state == FLIGHT_WAITING)
        network_leave(w, f);
    network_tell_served(w, f);
    world_emit(w, (event){ .kind = EVENT_TIMED_OUT, .process = process, .task = f->task, .who = f->who, .lock = f->lock,
                           .op = f->op, .request = f->number, .server = f->server, .lease_ms = f->lease_ms,
                          .count = f->state != FLIGHT_SENT });
    if (f->state == FLIGHT_SENT)
        f->orphan = f->late = true;                /* it may still be executed, or never: it no longer holds time */
    else
        network_end(w, f);
    bool ok = process_give_up(fault_feed(w, process), id, S("timeout"), w->now_ms, &w->out, e) &&
              world_absorb(w, process, e);
    process_forget(w->nodes[process].p, id);
    return ok;
}
