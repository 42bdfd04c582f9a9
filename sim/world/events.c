/* events.c - what the world tells the model after every step: announcements, views of locks, and who can still move. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "world/learner.h"

/* Words of must_see, a bit each; the names of all faults follow them. */
static const char *const sights[] = {
    "grant", "contention", "wait", "expiry", "wake-up", "re-entry", "release", "message", "timeout", "renewal",
    "resend", "token", "use",
};
enum { SIGHTS = COUNT(sights) + FAULT_KINDS, NOTICED_CLOCK = SIGHTS, NOTICED_FLUSH, SIGHTS_ALL };
_Static_assert(SIGHTS_ALL <= 64, "a sight is a bit of world_seen");

const char *world_sight(size_t i)
{
    size_t fault = i - COUNT(sights);
    return i < COUNT(sights) ? sights[i] : fault < FAULT_KINDS ? fault_name((fault_kind)fault) : NULL;
}

static size_t sight_of(const char *name)
{
    size_t i = 0;
    while (world_sight(i) && strcmp(world_sight(i), name) != 0)
        i++;
    assert(world_sight(i));            /* it is in the list */
    return i;
}

bool world_sight_seen(uint64_t seen, const char *name)
{
    return seen >> sight_of(name) & 1;
}

/* Bits for clients from the other end. */
static uint64_t client_bit(client_sight what, uint32_t process)
{
    uint32_t i = process * CLIENT_SIGHTS + what;
    return process < (64 - SIGHTS_ALL) / CLIENT_SIGHTS ? UINT64_C(1) << (63 - i) : 0;
}

bool world_client_seen(uint64_t seen, client_sight what, uint32_t process)
{
    uint64_t bit = client_bit(what, process);
    return (seen & bit) == bit;
}

void world_see_client(world *w, client_sight what, uint32_t process)
{
    w->seen |= client_bit(what, process);
}

/* SIGHTS_ALL: nothing is known of that fault. */
static size_t notice_of(fault_kind fault)
{
    return fault == FAULT_SERVER_CLOCK_JUMP ? NOTICED_CLOCK : fault == FAULT_SCRIPT_FLUSH ? NOTICED_FLUSH : SIGHTS_ALL;
}

bool world_noticed(uint64_t seen, fault_kind fault)
{
    size_t bit = notice_of(fault);
    return bit == SIGHTS_ALL || (seen >> bit & 1);
}

void world_notice(world *w, fault_kind fault)
{
    w->seen |= UINT64_C(1) << notice_of(fault);
}

static bool names_time(str text)
{
    static const char *const words[] = { "TIME", "XADD", "IDLE", "CLAIM", "XPENDING", "XINFO", "XREADGROUP" };
    for (size_t i = 0; i < COUNT(words); i++)
        for (size_t at = 0; at + strlen(words[i]) <= text.n; at++)
            if (str_eq_nocase(str_slice(text, at, at + strlen(words[i])), str_from(words[i])))
                return true;
    return false;
}

void world_notice_request(world *w, const flight *f)
{
    bool function = f->argc > 0 && str_starts_nocase(f->argv[0], S("FCALL"));     /* it survives a script_flush */
    if (function || (f->answer.kind == REPLY_ERROR && str_starts(f->answer.text, S("NOSCRIPT"))))
        world_notice(w, FAULT_SCRIPT_FLUSH);
    if (w->sc->faults[FAULT_SERVER_CLOCK_JUMP].budget > 0 && !world_noticed(w->seen, FAULT_SERVER_CLOCK_JUMP)) {
        bool asks = f->script && names_time(f->script->body);
        for (size_t i = 0; i < f->argc && i < 2; i++)
            asks |= names_time(f->argv[i]);
        if (asks)
            world_notice(w, FAULT_SERVER_CLOCK_JUMP);
    }
}

uint64_t world_seen(const world *w)
{
    return w->seen;
}

void world_see(world *w, const char *what)
{
    w->seen |= UINT64_C(1) << sight_of(what);
}

static void note_sight(world *w, const event *e)
{
    switch (e->kind) {
    case EVENT_WANTS: w->wanted = true; break;
    case EVENT_GRANTED:
        world_see(w, e->count > 1 ? "re-entry" : "grant");
        if (e->token)
            world_see(w, "token");
        break;
    case EVENT_USE: world_see(w, "use"); break;
    case EVENT_REFUSED: world_see(w, "contention"); break;
    case EVENT_RELEASED: world_see(w, "release"); break;
    case EVENT_EXECUTED:
        w->wanted |= model_op_asks(e->op);
        if (!(e->count & EXECUTED_QUEUED) && model_op_renews(e->op))
            world_see(w, "renewal");
        break;
    case EVENT_VIEW:
        if (str_eq(e->op, S("expiry")))
            world_see(w, "expiry");
        break;
    default: break;
    }
}

void world_emit(world *w, event e)
{
    e.at_ms = w->now_ms;
    note_sight(w, &e);
    if (w->outline)
        follow_note_event(w, &e);
    if (w->outline && !w->learner)
        return;            /* no monitor judges this world */
    if (w->learner) {
        w->learner->record(w->learner, &e);
        return;
    }
    if (w->listener)
        w->listener->record(w->listener, &e);
    model_event(w->judge, &e);
    if (w->o.record)
        story_event(w, &e);
}

/* Adds locks that drivers have registered since. A view only reads the server, so any client can run it, also a dead
 * one. */
static void watch_locks(world *w, uint32_t process)
{
    const observed *list;
    size_t count = w->o.mirror ? 0 : process_observed(w->nodes[process].p, &list);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < w->lock_count && !str_eq(buf_str(&w->locks[k].name), list[i].lock))
            k++;
        if (k < w->lock_count) {
            if (!w->locks[k].viewer) {
                w->locks[k].viewer = w->nodes[process].p;
                w->locks[k].index = i;
            }
            continue;
        }
        MEM_RESERVE(w->locks, w->lock_cap, w->lock_count + 1);
        watched *l = &w->locks[w->lock_count++];
        *l = (watched){ .viewer = w->nodes[process].p, .index = i, .memory = arena_new() };
        buf_add(&l->name, list[i].lock);
        model_lock(w->judge, buf_str(&l->name), list[i].spec);
    }
}

void world_retire(world *w, uint32_t p)
{
    process *old = w->nodes[p].p;
    if (w->learner) {
        process_free(old);
        return;
    }
    size_t *index = mem_zero((w->lock_count + 1) * sizeof *index);
    for (size_t k = 0; k < w->lock_count; k++) {
        index[k] = w->locks[k].viewer == old ? w->locks[k].index : SIZE_MAX;
        if (index[k] != SIZE_MAX)
            w->locks[k].viewer = NULL;
    }
    for (uint32_t q = 0; q < w->node_count; q++)
        if (q != p)
            watch_locks(w, q);
    bool needed = false;
    for (size_t k = 0; k < w->lock_count; k++)
        if (!w->locks[k].viewer) {
            assert(index[k] != SIZE_MAX);
            w->locks[k].viewer = old;
            w->locks[k].index = index[k];
            needed = true;
        }
    mem_free(index);
    if (!needed) {
        process_free(old);
        return;
    }
    MEM_RESERVE(w->retired, w->retired_cap, w->retired_count + 1);
    w->retired[w->retired_count++] = old;
}

bool world_absorb(world *w, uint32_t process, err *e)
{
    time_forget_numbers(w, process);
    if (w->out.clock)
        world_see_client(w, CLIENT_READ_CLOCK, process);
    if (w->heard && (w->out.clock || w->out.steady))
        follow_note_clock(w, process, &w->out);
    for (size_t i = 0; w->heard && i < w->out.compared_count; i++)
        outline_compared(w->heard, w->out.compared[i]);
    if (w->heard)
        outline_add_used(w->heard, w->out.used, w->out.unknown);
    if (w->out.ids_in_order && w->o.orders)
        orders_note(w->o.orders, "the code of client", w->sc->clients[process].name);
    if (!w->learner)
        watch_locks(w, process);
    else if (!w->learner->watch(w->learner, process, e))
        return false;
    for (size_t i = 0; i < w->out.count; i++) {
        const output *o = &w->out.items[i];
        switch (o->kind) {
        case OUTPUT_REQUEST:
            if (o->request->server >= w->server_count)
                return err_at(e, ERR_DRIVER, o->request->path, o->request->line, 0,
                              "client '%.*s' sends to server %u, the scenario has %zu",
                              STR_ARG(w->sc->clients[process].name), o->request->server + 1, w->server_count) ||
                       err_hint(e, "say servers = %u in the scenario", o->request->server + 1);
            world_see_client(w, CLIENT_SENT, process);
            network_send(w, process, o->request);
            break;
        case OUTPUT_ANNOUNCE: {
            event a = o->announcement;
            a.process = process;
            a.task = o->task;
            a.request = a.request ? network_number(w, process, a.request) : 0;
            if (w->o.meetings && a.kind == EVENT_WANTS)
                meetings_ask(w->o.meetings, process, a.lock);
            world_emit(w, a);
            break;
        }
        case OUTPUT_LOG:
            if (w->o.record && story_line(&w->notes))
                story_text(&w->notes, o->text);
            break;
        case OUTPUT_ENDED:
            world_emit(w, (event){ .kind = EVENT_ENDED, .process = process, .task = o->task,
                                   .who = o->announcement.who });
            break;
        }
    }
    world_forget_output(w);
    return true;
}

void world_forget_output(world *w)
{
    arena_reset(w->out.memory);                    /* the list itself lies there too */
    w->out = (outputs){ .memory = w->out.memory, .hears = w->out.hears };
}

/* ---- views ---- */

static reply read_only(void *context, uint32_t s, const str *argv, size_t argc, arena *a)
{
    world *w = context;
    if (s >= w->server_count)
        return reply_error(S("ERR locksim: the scenario has no such server"));
    if (argc == 0 || !redis_command_only_looks(argv[0]))
        return reply_error(S("ERR locksim: a view, and always, only reads"));
    redis *r = server_redis(&w->servers[s]);
    redis_only_look(r, true);    /* otherwise the view would remove an expired key and publish its event */
    reply answer = redis_execute(r, w->servers[s].reader, argv, argc, server_now_ms(&w->servers[s]), a);
    redis_only_look(r, false);
    return answer;
}

static bool same_strings(const str *a, size_t na, const str *b, size_t nb)
{
    if (na != nb)
        return false;
    for (size_t i = 0; i < na; i++)
        if (!str_eq(a[i], b[i]))
            return false;
    return true;
}

/* Equal but for ageing: a TTL that only ran down is no change. */
bool view_equal(const lock_view *old, int64_t old_ms, const lock_view *v, int64_t now_ms)
{
    if (old->holder_count != v->holder_count || old->permits != v->permits || old->capacity != v->capacity)
        return false;
    for (size_t i = 0; i < v->holder_count; i++)
        if (!str_eq(old->holders[i].id, v->holders[i].id) || old->holders[i].count != v->holders[i].count ||
            !str_eq(old->holders[i].mode, v->holders[i].mode))
            return false;
    if ((old->ttl_ms < 0 || v->ttl_ms < 0) ? old->ttl_ms != v->ttl_ms : old_ms + old->ttl_ms != now_ms + v->ttl_ms)
        return false;
    return same_strings(old->queue, old->queue_count, v->queue, v->queue_count) &&
           same_strings(old->lapsed, old->lapsed_count, v->lapsed, v->lapsed_count) &&
           same_strings(old->keys, old->key_count, v->keys, v->key_count);
}

static const str *copy_strings(arena *a, const str *list, size_t n)
{
    str *copy = ARENA_ARRAY(a, str, n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = arena_str(a, list[i]);
    return copy;
}

lock_view view_copy(arena *a, const lock_view *v)
{
    lock_view c = *v;
    lock_holder *holders = ARENA_ARRAY(a, lock_holder, v->holder_count + 1);
    for (size_t i = 0; i < v->holder_count; i++)
        holders[i] = (lock_holder){ .id = arena_str(a, v->holders[i].id), .count = v->holders[i].count,
                                    .mode = arena_str(a, v->holders[i].mode) };
    c.holders = holders;
    c.queue = copy_strings(a, v->queue, v->queue_count);
    c.lapsed = v->lapsed ? copy_strings(a, v->lapsed, v->lapsed_count) : NULL;
    c.keys = copy_strings(a, v->keys, v->key_count);
    return c;
}

bool always_ask(world *w, const lock_seen *l, arena *a, bool *ok, str *why, err *e)
{
    const observed *all;
    size_t n = process_observed(l->viewer, &all);
    assert(l->index < n);
    always_asked q = { .view = l->view, .server = all[l->index].server, .read = read_only, .context = w };
    return process_always(l->viewer, &q, w->now_ms, a, ok, why, e);
}

/* The scenario's own invariant, in every state: a TTL that has only run down may break it, too. */
static bool judge_always(world *w, const watched *l, const lock_view *v, err *e)
{
    if (!w->sc->has_always || w->always_broken)
        return true;
    bool ok = true;
    str why = S("");
    if (!always_ask(w, &(lock_seen){ l->viewer, l->index, v }, w->step_memory, &ok, &why, e))
        return false;
    if (!ok) {
        w->always_broken = true;
        str text = arena_printf(w->step_memory, "the scenario's own invariant is broken for \"%.*s\" at %.3f s.",
                                STR_ARG(v->lock), (double)(w->now_ms - WORLD_EPOCH_MS) / 1000.0);
        model_report(w->judge, PROPERTY_ALWAYS, w->now_ms, text, why);
    }
    return true;
}

bool view_take(world *w, process *viewer, size_t index, str name, lock_view *out, err *e)
{
    bool ok = process_view(viewer, index, w->now_ms, read_only, w, w->step_memory, out, e);
    out->lock = name;
    if (ok && w->o.orders)
        orders_ask_view(w, viewer, index, name, out);
    return ok;
}

static bool look_at_locks(world *w, err *e)
{
    for (size_t i = 0; i < w->lock_count; i++) {
        watched *l = &w->locks[i];
        lock_view v = { 0 };
        if (!view_take(w, l->viewer, l->index, buf_str(&l->name), &v, e))
            return false;
        if (!judge_always(w, l, &v, e))
            return false;
        if (l->seen && view_equal(&l->view, l->view_at_ms, &v, w->now_ms))
            continue;
        arena_reset(l->memory);
        l->view = view_copy(l->memory, &v);
        l->view.lock = buf_str(&l->name);
        l->view_at_ms = w->now_ms;
        l->seen = true;
        world_emit(w, (event){ .kind = EVENT_VIEW, .process = w->cause.process, .task = w->cause.task,
                               .who = w->cause.who,
                               .op = w->cause.op, .request = w->cause.request, .lock = l->view.lock,
                               .view = &l->view });
    }
    return true;
}

/* ---- who can move ---- */

static bool due(const task_view *t, int64_t now_ms)
{
    return (t->status == TASK_SLEEP || t->status == TASK_WAIT) && t->wake_ms <= now_ms;
}

/* The server publishes the event of an expired key when it removes the key, at a time of its choice: such a message may
 * always be coming. A client that waits for one that never comes is found stuck in the end (LK011). */
static bool hears_expiry(const world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    for (size_t s = 0; w->sc->notify && s < w->server_count; s++)
        for (size_t i = 0; i < n->channel_count[s]; i++)
            if (redis_tells_by_itself(w->servers[s].r, str_slice(n->channels[s][i], 1, n->channels[s][i].n)))
                return true;
    return false;
}

/* Can anything on its way to this process make one of its tasks move, except daemons? */
static bool coming(world *w, uint32_t process, const task_view *tasks, size_t count)
{
    size_t flights;
    const flight *f = network_flights(w, process, &flights);
    for (size_t i = 0; i < flights; i++)
        if (!f[i].orphan && f[i].state != FLIGHT_WAITING)
            return true;
    for (size_t s = 0; s < w->server_count; s++)
        if (w->nodes[process].messages[s].count > 0)
            return true;
    if (hears_expiry(w, process))
        return true;
    for (size_t i = 0; i < count; i++) {
        const task_view *t = &tasks[i];
        if (t->status == TASK_READY || t->status == TASK_WORK || t->status == TASK_CHOOSE || t->status == TASK_POINT ||
            due(t, w->now_ms))
            return true;
    }
    return false;
}

static void state_of(world *w, uint32_t process, task_state **at)
{
    node *n = &w->nodes[process];
    const task_view *tasks;
    size_t count = process_tasks(n->p, &tasks);
    bool stirring = coming(w, process, tasks, count);
    bool timers = false;   /* of spawned tasks that are no daemons: they may wake another task */
    for (size_t i = 0; i < count; i++)
        timers |= !tasks[i].main && !tasks[i].daemon && world_wake_ms(w, process, &tasks[i]) != INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const task_view *t = &tasks[i];
        int64_t wake_ms = world_wake_ms(w, process, t);
        bool timed = wake_ms != INT64_MAX;
        *(*at)++ = (task_state){ .process = process, .task = t->id, .who = t->who, .main = t->main, .daemon = t->daemon,
                                 .paused = n->paused, .stalled = stalled(w, process, t), .wake_ms = timed ? wake_ms : 0,
                                 .wake = stirring || timers ? WAKE_COMING : timed ? WAKE_TIMER : WAKE_NEVER };
    }
}

size_t world_states_of(world *w, uint32_t process, task_state **out)
{
    const task_view *tasks;
    size_t count = w->nodes[process].alive ? process_tasks(w->nodes[process].p, &tasks) : 0;
    MEM_RESERVE(w->states, w->state_cap, count + 1);
    task_state *at = *out = w->states;
    if (count)
        state_of(w, process, &at);
    return count;
}

/* Fills w->states with every live task. */
static size_t collect_states(world *w)
{
    size_t need = 1;
    for (size_t p = 0; p < w->node_count; p++) {
        const task_view *tasks;
        need += w->nodes[p].alive ? process_tasks(w->nodes[p].p, &tasks) : 0;
    }
    MEM_RESERVE(w->states, w->state_cap, need);
    task_state *at = w->states;
    for (uint32_t p = 0; p < w->node_count; p++)
        if (w->nodes[p].alive)
            state_of(w, p, &at);
    return (size_t)(at - w->states);
}

bool world_look(world *w, err *e)
{
    uint64_t writes = world_writes(w);
    bool changed = writes != w->viewed_writes || w->now_ms != w->viewed_ms;
    for (size_t i = 0; i < w->lock_count; i++)
        changed |= !w->locks[i].seen;
    if (changed) {
        if (!look_at_locks(w, e))
            return false;
        w->viewed_writes = world_writes(w);        /* a view may have reaped an expired key */
        w->viewed_ms = w->now_ms;
    }
    size_t count = collect_states(w);
    world_emit(w, (event){ .kind = EVENT_STATE, .process = NOBODY, .task = NOBODY, .tasks = w->states,
                           .task_count = count });
    return true;
}

bool world_programs_ended(const world *w)
{
    for (size_t p = 0; p < w->node_count; p++) {
        if (!w->nodes[p].alive)
            continue;
        const task_view *tasks;
        size_t count = process_tasks(w->nodes[p].p, &tasks);
        for (size_t i = 0; i < count; i++)
            if (tasks[i].main)
                return false;
    }
    return true;
}

static size_t subscriptions(const world *w)
{
    size_t sum = 0;
    for (size_t p = 0; p < w->node_count; p++)
        for (size_t s = 0; w->nodes[p].alive && s < w->server_count; s++)
            sum += redis_subscriptions(w->servers[s].r, w->nodes[p].subscribers[s]);
    return sum;
}

static void rest(world *w)
{
    size_t left = subscriptions(w);
    event e = { .kind = EVENT_REST, .process = NOBODY, .task = NOBODY, .subscriptions = left };
    if (w->lock_count == 0)
        world_emit(w, e);
    for (size_t i = 0; i < w->lock_count; i++) {
        e.lock = w->locks[i].view.lock;
        e.view = &w->locks[i].view;
        world_emit(w, e);
    }
}

bool world_settle(world *w, err *e)
{
    if (w->over)
        return true;
    if (!world_programs_ended(w) && time_cut(w)) {
        w->over = true;    /* the run ends here; clients that wait for a later instant are not stuck */
        return true;
    }
    if (!world_programs_ended(w)) {
        size_t count = collect_states(w);
        world_emit(w, (event){ .kind = EVENT_STUCK, .process = NOBODY, .task = NOBODY, .tasks = w->states,
                               .task_count = count });
    } else {
        if (!world_look(w, e))
            return false;
        rest(w);
    }
    w->over = true;
    return true;
}
