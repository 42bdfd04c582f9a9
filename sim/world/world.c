/* world.c - builds a world, takes it down, and makes a step happen. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "world/follow.h"
#include "world/learner.h"

/* The amounts of faults for which a scenario names none. */
enum { CLOCK_JUMP_MS = 60000, LAG_MS = 3000, FAILOVER_WRITES = 1 };

static bool is_step_of(str token, str client)
{
    return str_starts(token, client) && (token.n == client.n || strchr(":.<=", token.p[client.n]));
}

/* "A.start", "A:2.start": its program starts. (A spawned task has a name that is no number.) */
static bool is_start_of(str token, str client)
{
    size_t at = client.n;
    if (!str_starts(token, client))
        return false;
    if (at < token.n && token.p[at] == ':')
        for (at++; at < token.n && token.p[at] >= '0' && token.p[at] <= '9'; at++)
            ;
    return str_eq(str_slice(token, at, token.n), S(".start"));
}

/* The first step of a client in a schedule. A later start begins a new life, after a restart. A client with an open
 * start can have no fault before it. */
typedef enum { TELLS_NOTHING, TELLS_START, TELLS_MORE } first_step;

static first_step first_step_of(const schedule_item *items, size_t count, str client)
{
    for (size_t i = 0; i < count; i++)
        if (is_step_of(items[i].token, client) || is_step_of(items[i].argument, client))
            return is_start_of(items[i].token, client) ? TELLS_START : TELLS_MORE;
    return TELLS_NOTHING;
}

/* Sets when clients start: see world_options.open_starts. */
static void open_starts(world *w, const schedule_item *items, size_t count)
{
    const scenario *sc = w->sc;
    bool any = false;
    for (uint32_t p = 0; p < w->node_count; p++)
        any |= !sc->clients[p].pinned && first_step_of(items, count, sc->clients[p].name) == TELLS_START;
    for (uint32_t p = 0; p < w->node_count; p++) {
        first_step first = first_step_of(items, count, sc->clients[p].name);
        bool open = !w->o.schedule ? w->o.open_starts : first == TELLS_NOTHING ? any : first == TELLS_START;
        w->nodes[p].open = open && !sc->clients[p].pinned;
    }
}

/* A schedule may use any fault: the faults that it names are added to the scenario's budgets. */
static bool add_budgets(world *w, const char *schedule, err *e)
{
    for (int k = 0; k < FAULT_KINDS; k++) {
        w->budget[k] = w->sc->faults[k].budget;
        int64_t usual = k == FAULT_CLOCK_JUMP || k == FAULT_SERVER_CLOCK_JUMP ? CLOCK_JUMP_MS : k == FAULT_LAG ? LAG_MS
                        : k == FAULT_FAILOVER ? FAILOVER_WRITES : 0;
        w->amount[k] = w->sc->faults[k].amount ? w->sc->faults[k].amount : usual;
    }
    schedule_item *items = NULL;
    size_t count = 0;
    w->preempts = w->budget[FAULT_PREEMPT] > 0;
    if (!schedule) {
        open_starts(w, NULL, 0);
        return true;
    }
    arena *a = arena_new();
    bool ok = schedule_parse(a, str_from(schedule), w->sc->path, &items, &count, e);
    uint32_t named[FAULT_KINDS] = { 0 };
    for (size_t i = 0; ok && i < count; i++) {
        fault_kind k;
        if (items[i].token.p[0] == '!' && fault_parse(str_slice(items[i].token, 1, items[i].token.n), &k))
            named[k]++;
    }
    for (int k = 0; k < FAULT_KINDS; k++)
        if (named[k] > w->budget[k])
            w->budget[k] = named[k];
    w->preempts |= named[FAULT_PREEMPT] > 0;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (named[k])
            scenario_allow(w->sc, (fault_kind)k);
    if (ok)
        open_starts(w, items, count);
    arena_free(a);
    return ok;
}

process *world_birth(world *w, uint32_t p, uint32_t incarnation, err *e)
{
    if (w->learner)
        return w->learner->birth(w->learner, p, incarnation, w->now_ms, e);
    process *live = process_new(w->sc, w->l, p, incarnation, w->now_ms, e);
    if (live && w->o.folded) {
        process_fold(live, instants_of_clients(w->o.limits.instants));
        process_watch(live);
    }
    return live;
}

static bool start(world *w, uint32_t p, err *e)
{
    node *n = &w->nodes[p];
    n->p = world_birth(w, p, 0, e);
    if (!n->p)
        return false;
    n->unborn = w->sc->clients[p].after.n > 0;
    n->alive = !n->unborn;
    network_connect(w, p);
    return true;
}

bool world_bring_up(world *w, uint32_t p, err *e)
{
    node *n = &w->nodes[p];
    if (!n->unborn)
        return true;
    process *fresh = world_birth(w, p, 0, e);      /* its start_ms counts from now */
    if (!fresh)
        return false;
    process_free(n->p);
    n->p = fresh;
    n->unborn = false;
    n->alive = true;
    n->numbers_known = false;
    return true;
}

bool world_open_start(const task_view *t)
{
    return t->status == TASK_WORK && str_eq(t->next, S("start"));
}

/* The first local code of a single-threaded client is no step: no other client can observe it. */
bool world_run_first(world *w, uint32_t p, err *e)
{
    const node *n = &w->nodes[p];
    const task_view *tasks;
    if (!n->alive || process_tasks(n->p, &tasks) != 1 ||
        !(tasks[0].status == TASK_READY || (world_open_start(&tasks[0]) && !n->open)))
        return true;
    return process_run(fault_feed(w, p), tasks[0].id, w->now_ms, &w->out, e) && world_absorb(w, p, e);
}

world *world_make(const scenario *sc, const loader *l, const world_options *o, learner *by, err *e)
{
    world *w = mem_zero(sizeof *w);
    w->learner = by;
    w->sc = sc;
    w->l = l;
    w->o = *o;
    w->o.limits.dialect = sc->dialect;
    w->o.limits.notify = sc->notify;
    w->o.limits.back_ms = scenario_servers_back_ms(sc);
    w->o.limits.pure_functions = true;
    w->o.limits.cluster = sc->cluster;
    w->now_ms = WORLD_EPOCH_MS;
    w->end_ms = sc->end_ms == INT64_MAX ? INT64_MAX : WORLD_EPOCH_MS + sc->end_ms;
    w->step_memory = arena_new();
    w->story_memory = arena_new();
    w->out.memory = arena_new();
    w->out.hears = o->orders != NULL;              /* for the comparison of ids */
    w->node_count = sc->client_count;
    w->nodes = mem_zero(sizeof *w->nodes * (w->node_count + 1));
    w->server_count = sc->servers;
    str *names = ARENA_ARRAY(w->step_memory, str, sc->client_count + 1);
    for (size_t i = 0; i < sc->client_count; i++)
        names[i] = sc->clients[i].name;
    w->judge = model_new(&sc->model, names, sc->client_count);
    bool ok = true;
    if (sc->servers < 1 || sc->servers > SERVERS_MAX) {
        w->server_count = 0;
        ok = err_at(e, ERR_SCENARIO, sc->path, 0, 0, "servers must be from 1 to %d", SERVERS_MAX);
    }
    for (size_t i = 0; i < w->server_count; i++)
        server_open(w, i);
    ok = ok && add_budgets(w, o->schedule, e);
    for (uint32_t p = 0; ok && p < w->node_count; p++)
        ok = start(w, p, e);
    if (ok)
        return w;
    world_free(w);
    return NULL;
}

world *world_new(const scenario *sc, const loader *l, const world_options *o, err *e)
{
    world *w = world_make(sc, l, o, NULL, e);
    bool ok = w;
    for (uint32_t p = 0; ok && p < w->node_count; p++)
        ok = world_run_first(w, p, e);
    ok = ok && world_look(w, e);
    if (!ok) {
        world_free(w);
        return NULL;
    }
    if (o->record)
        story_begin(w);
    return w;
}

void world_free(world *w)
{
    if (!w)
        return;
    follow_free(w);
    for (uint32_t p = 0; p < w->node_count; p++) {
        network_disconnect(w, p);
        process_free(w->nodes[p].p);
        for (size_t s = 0; s < w->server_count; s++) {
            mem_free(w->nodes[p].messages[s].items);
            mem_free(w->nodes[p].channels[s]);
            buf_free(&w->nodes[p].queued[s].op);
            buf_free(&w->nodes[p].queued[s].lock);
        }
        mem_free(w->nodes[p].spins);
        mem_free(w->nodes[p].numbers);
    }
    mem_free(w->nodes);
    for (size_t i = 0; i < w->retired_count; i++)
        process_free(w->retired[i]);
    mem_free(w->retired);
    for (size_t i = 0; i < w->server_count; i++)
        server_close(&w->servers[i]);
    for (size_t i = 0; i < w->flight_count; i++)
        arena_free(w->flights[i].memory);
    mem_free(w->flights);
    for (size_t i = 0; i < w->spare_count; i++)
        arena_free(w->spare[i]);
    mem_free(w->spare);
    for (size_t i = 0; i < w->lock_count; i++) {
        buf_free(&w->locks[i].name);
        arena_free(w->locks[i].memory);
    }
    mem_free(w->locks);
    again_free(w);
    mem_free(w->steps);
    mem_free(w->states);
    mem_free(w->rests);
    mem_free(w->instants);
    arena_free(w->out.memory);
    arena_free(w->step_memory);
    story_free(w);
    model_free(w->judge);
    mem_free(w);
}

int64_t world_now_ms(const world *w)
{
    return w->now_ms;
}

bool world_over(const world *w)
{
    return w->over;
}

const model *world_model(const world *w)
{
    return w->judge;
}

const story *world_story(const world *w)
{
    return &w->story;
}

void world_report(world *w, property p, str text, str why)
{
    model_report(w->judge, p, w->now_ms, text, why);
}

void world_each_waiting(world *w, void (*fn)(void *context, str who, str lock, int64_t since_ms), void *context)
{
    model_each_waiting(w->judge, fn, context);
    for (uint32_t p = 0; p < w->node_count; p++) {
        const task_view *tasks;
        size_t count = w->nodes[p].alive ? process_tasks(w->nodes[p].p, &tasks) : 0;
        for (size_t i = 0; i < count; i++)
            if (world_stands(w, p, &tasks[i]))
                fn(context, tasks[i].who, S(""), 0);
    }
}

size_t world_steps(const world *w)
{
    return w->taken;
}

bool world_wanted(const world *w)
{
    return w->wanted;
}

str world_expected_answer(world *w, arena *a)
{
    for (size_t p = 0; p < w->node_count && !w->learner; p++)
        for (size_t i = 0; w->nodes[p].alive; i++) {
            const observed *list;
            if (i == process_observed(w->nodes[p].p, &list))
                break;
            if (list[i].granted.n)
                return arena_str(a, list[i].granted);
        }
    return S("");
}

size_t world_locks(const world *w)
{
    return w->lock_count;
}

bool world_sent(const world *w)
{
    for (size_t p = 0; p < w->node_count; p++)
        if (w->nodes[p].requests > 0)
            return true;
    return false;
}

size_t world_requests(const world *w)
{
    return w->executed;
}

/* A permit, an answer or the end of another task woke a blocked program; its first step and me:step() do not count. */
static void note_wake(world *w, const task_view *t)
{
    if (t->main && t->status == TASK_READY && !str_eq(t->next, S("start")) && !str_eq(t->next, S("step")) &&
        !str_eq(t->next, S("go_on")))
        world_see(w, "wake-up");
}

/* A task that waits at a future goes on with the answer, if nothing else of its process can come between. */
static bool go_on(world *w, const step *s, err *e)
{
    process *p = w->nodes[s->process].p;
    const task_view *tasks;
    size_t count = process_tasks(p, &tasks), runnable = 0;
    bool its = false;
    for (size_t i = 0; i < count; i++) {
        runnable += world_runnable(&tasks[i], w->now_ms);
        its |= tasks[i].id == s->task && tasks[i].status == TASK_READY && !stalled(w, s->process, &tasks[i]);
    }
    if (!its || runnable != 1)
        return true;
    return process_run(fault_feed(w, s->process), s->task, w->now_ms, &w->out, e) && world_absorb(w, s->process, e);
}

/* FUNCTION LOAD of a library that me:eval loaded at this server before: the server may have lost it. */
static bool loads_known(const world *w, const flight *f)
{
    const server *s = &w->servers[f->server];
    char sha1[41];
    if (f->argc < 3 || !str_eq_nocase(f->argv[1], S("LOAD")))
        return false;
    redis_sha1(f->argv[f->argc - 1], sha1);
    for (size_t i = 0; i < s->script_count; i++)
        if (strcmp(s->scripts[i]->sha1, sha1) == 0)
            return true;
    return false;
}

/* The scripts that a server learned are no part of a state (parts.h): a client may not ask for them. */
static bool is_foldable(const world *w, const flight *f, err *e)
{
    str name = f->argc ? f->argv[0] : S("");
    bool cache = (str_eq_nocase(name, S("SCRIPT")) && f->argc > 1 && !str_eq_nocase(f->argv[1], S("LOAD"))) ||
                 (!f->script && (str_starts_nocase(name, S("EVALSHA")) || str_starts_nocase(name, S("FCALL")))) ||
                 (str_eq_nocase(name, S("FUNCTION")) && !loads_known(w, f));
    if (!cache || world_sees_loops(w) || f->dead)
        return true;
    err_at(e, ERR_SCENARIO, f->path, f->line, 0, "client '%.*s' sends %.*s: an exhaustive search does not tell apart "
           "what scripts a server was taught",
           STR_ARG(w->sc->clients[f->process].name), STR_ARG(name));
    return err_hint(e, "me:eval sees to it that each server knows its script, or with { fcall = \"...\" } its library "
                    "of functions; "
                       "faults = { script_flush = 1 } makes it forget scripts");
}

static uint64_t large_bytes(const reply *r)
{
    uint64_t n = r->text.n > WORLD_LARGE_WORD ? r->text.n : 0;
    for (size_t i = 0; i < r->count; i++)
        n += large_bytes(&r->items[i]);
    return n;
}

static bool is_within_budget(world *w, const flight *f, err *e)
{
    if (w->learner)                                    /* no run: each request is executed once */
        return true;
    for (size_t i = 0; i < f->argc; i++)
        if (f->argv[i].n > WORLD_LARGE_WORD)
            w->large_bytes += f->argv[i].n;
    if (f->state == FLIGHT_EXECUTED)
        w->large_bytes += large_bytes(&f->answer);
    if (w->large_bytes <= WORLD_LARGE_BYTES_MAX)
        return true;
    err_at(e, ERR_DRIVER, f->path, f->line, 0, "client '%.*s': the requests of this run moved more than %" PRIu64
           " MiB of large values",
           STR_ARG(w->sc->clients[f->process].name), WORLD_LARGE_BYTES_MAX >> 20);
    return err_hint(e, "a lock keeps little: shorter values show the same, in a thousandth of the time");
}

/* A pop or a reading that may wait uses a connection of its own: one must be free, and connection state set on the main
 * connection would not apply to it. */
static bool may_wait(const world *w, const flight *f, err *e)
{
    str name = f->argc ? f->argv[0] : S("");
    if (f->dead || !redis_command_waits(name))
        return true;
    if (redis_conn_remembers(w->nodes[f->process].conns[f->server])) {
        err_at(e, ERR_SCENARIO, f->path, f->line, 0, "client '%.*s' sends %.*s after MULTI, WATCH or SELECT, which "
               "were said on another connection",
               STR_ARG(w->sc->clients[f->process].name), STR_ARG(name));
        return err_hint(e, "what may wait (BLPOP, XREAD) has a connection of its own: end the transaction first, stay "
                        "in database 0, or use LPOP or XRANGE");
    }
    if (network_has_slot(w, f))
        return true;
    err_at(e, ERR_DRIVER, f->path, f->line, 0, "client '%.*s': %d of its pops wait at one server already",
           STR_ARG(w->sc->clients[f->process].name), NETWORK_SLOTS);
    return err_hint(e, "each has a connection of its own: name several keys in one pop, or wait for answers before "
                    "sending more");
}

/* Starts the clients that wait for this request. */
static bool bring_up_after(world *w, const flight *f, err *e)
{
    for (uint32_t p = 0; p < w->node_count; p++) {
        const scenario_client *c = &w->sc->clients[p];
        if (!c->after.n || c->after_client != f->process || !str_eq(c->after_op, f->op))
            continue;
        world_see_client(w, CLIENT_STARTED, p);
        if (w->learner)
            w->learner->started(w->learner, p);
        else if (!world_bring_up(w, p, e))
            return false;
    }
    return true;
}

static bool execute(world *w, const step *s, bool answer, err *e)
{
    flight *f = network_find(w, s);
    assert(f);
    bool waited = f->state == FLIGHT_WAITING;
    if (!waited && !may_wait(w, f, e))
        return false;
    if (waited)
        network_time_out(w, f);
    else if (!network_execute(w, f, e))
        return false;
    if (!is_within_budget(w, f, e) || !is_foldable(w, f, e))
        return false;
    if (f->state == FLIGHT_WAITING) {
        if (w->o.record)
            buf_printf(&w->did, "%.*s: waits at the server", STR_ARG(f->op));
        return true;
    }
    if (w->o.record) {
        buf_printf(&w->did, waited ? "%.*s: time is up -> " : "%.*s -> ", STR_ARG(f->op));
        reply_print_short(&f->answer, &w->did);
        if (!answer && !f->orphan) {
            buf_addz(&w->did, " (on its way)");
            if (w->second_did.n > 0)
                buf_addz(&w->second_did, " (on its way)");
        }
    }
    if (f->queuing.did != QUEUING_QUEUED && !bring_up_after(w, f, e))
        return false;
    if (answer)
        return network_answer(w, f, e) && go_on(w, s, e);
    if (f->orphan)
        network_end(w, f);
    return true;
}

bool world_happen(world *w, const step *s, err *e)
{
    process *p = s->process == NOBODY ? NULL : w->nodes[s->process].p;
    flight *f = network_find(w, s);
    bool starts;
    const task_view *t = p && s->task != NOBODY ? world_task(w, s->process, s->task) : NULL;
    switch (s->kind) {
    case STEP_RUN:
        assert(t);
        note_wake(w, t);
        starts = str_eq(t->next, S("start"));
        if ((t->status == TASK_SLEEP || t->status == TASK_WAIT) && !t->zero_wait)
            spin_forget(w, s->process, s->task);
        if (w->o.record)
            buf_printf(&w->did, t->status == TASK_WAIT ? "%.*s: time is up" : t->status == TASK_READY ||
                       t->status == TASK_POINT || starts ? "%.*s"
                               : t->status == TASK_SLEEP && t->ranged ? "%.*s may end" : "%.*s ends",
                       STR_ARG(t->next));
        return process_run(fault_feed(w, s->process), s->task, w->now_ms, &w->out, e) && world_absorb(w, s->process, e);
    case STEP_CHOOSE:
        assert(t);
        if (w->o.record)
            buf_printf(&w->did, "chooses %d of %zu", (int)s->amount + 1, t->choices);
        return process_choose(fault_feed(w, s->process), s->task, (size_t)s->amount, w->now_ms, &w->out, e) &&
               world_absorb(w, s->process, e);
    case STEP_ROUND_TRIP:
        return execute(w, s, true, e);
    case STEP_EXECUTE:
        return execute(w, s, false, e);
    case STEP_ANSWER:
        assert(f);
        if (w->o.record) {
            buf_printf(&w->did, "answer of %.*s: ", STR_ARG(f->op));
            reply_print_short(&f->answer, &w->did);
        }
        if (stalled_sender(w, f)) {
            stall_answer(w, f);
            return true;
        }
        return network_answer(w, f, e);
    case STEP_GIVE_UP:
        assert(f);
        if (w->o.record)
            buf_printf(&w->did, "%.*s: no answer, time-out", STR_ARG(f->op));
        if (stalled_sender(w, f)) {
            stall_give_up(w, f);
            return true;
        }
        return network_give_up(w, f, e);
    case STEP_MESSAGE:
        return network_deliver(w, s->process, s->server, e);
    case STEP_TIME:
        return time_pass(w, s->amount, e);
    case STEP_RESUME:
        if (w->o.record)
            buf_addz(&w->did, "!resume");
        if (s->task != NOBODY) {
            stall_end(w, s->process, s->task);
            return true;
        }
        w->nodes[s->process].paused = false;
        world_emit(w, (event){ .kind = EVENT_RESUMED, .process = s->process, .task = NOBODY });
        return true;
    case STEP_FAULT:
        if (w->o.record)
            buf_printf(&w->did, "!%s%s%.*s", fault_name(s->fault), f ? " of " : "", f ? (int)f->op.n : 0,
                       f ? f->op.p : "");
        return faults_take(w, s, e);
    case STEP_EXPIRE:
        if (w->o.record)
            buf_printf(&w->did, "the server removes \"%.*s\": expired", STR_ARG(s->key));
        server_expire(w, s->server, s->key);
        return true;
    }
    return false;
}

/* After all programs have ended only timers are left. If they lead back to an earlier state, nothing new can follow. */
static bool cycles(world *w)
{
    uint64_t print = world_fingerprint(w);
    for (size_t i = 0; i < w->rest_count; i++)
        if (w->rests[i] == print)
            return true;
    MEM_RESERVE(w->rests, w->rest_cap, w->rest_count + 1);
    w->rests[w->rest_count++] = print;
    return false;
}

/* A client that was refused and is now blocked. */
void world_note_wait(world *w, uint32_t process)
{
    if (process == NOBODY || !w->nodes[process].alive)
        return;
    const task_view *tasks;
    size_t count = process_tasks(w->nodes[process].p, &tasks);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].main && tasks[i].status == TASK_WAIT)
            world_see(w, "wait");
}

static void note_meeting(world *w, const step *s)
{
    meetings *m = w->o.meetings;
    if (!m || (s->kind != STEP_EXECUTE && s->kind != STEP_ROUND_TRIP))
        return;
    uint64_t places = 0;
    for (uint32_t p = 0; p < w->node_count; p++)
        if (p != s->process)
            places |= meetings_places(m, w, p);
    meetings_meet(m, meetings_op(m, w, s->process, s->request, s->copy), places);
}

bool world_take(world *w, const step *s, err *e)
{
    assert(!w->over);
    w->taken++;
    step taken = *s;       /* `s` may lie in the list of enabled steps, `key` in memory that is reused now */
    buf key = { 0 };
    buf_add(&key, s->key);
    if (w->o.record)
        story_name(w, s);
    note_meeting(w, s);
    arena_reset(w->step_memory);
    taken.key = arena_str(w->step_memory, buf_str(&key));
    buf_free(&key);
    w->cause = (cause){ .op = S(""), .who = S(""), .process = s->process, .task = s->task };
    bool ok = world_happen(w, &taken, e) && world_look(w, e);
    /* the key may be gone; a failover may bring one back */
    if (w->deadline_now || taken.kind == STEP_FAULT || taken.kind == STEP_EXPIRE)
        time_next_of_servers(w, false, &w->deadline_now);
    world_note_wait(w, taken.process);
    if (w->o.record)
        story_end(w, &taken);
    if (ok && taken.kind == STEP_TIME && world_sees_loops(w) && world_programs_ended(w) && cycles(w))
        ok = world_settle(w, e);
    return ok;
}
