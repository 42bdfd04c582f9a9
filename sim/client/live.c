/* live.c - a live process: its beginning, and the inputs that make its Lua run. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "client/heap.h"
#include "client/lua_graph.h"
#include "client/process_internal.h"
#include "scenario/case_layers.h"
#include "scenario/points.h"

/* Pushes the table the scenario's file returns. */
bool process_load_main(process *p, str path, str text, source **main, err *e)
{
    source *s = *main;
    if (!s)
        s = *main = source_add(p->sources, path, path, text);
    if (!state_load(p, p->L, s, e))
        return false;
    lua_State *trace;
    if (!state_call(p, p->L, 0, 1, &trace))
        return state_fail(p, p->L, trace, e);
    return true;
}

static void keep_field(process *p, const char *name, int slot)
{
    case_push_field(p->L, lua_gettop(p->L), p->scenario, name);
    root_set(p->L, slot);
}

void process_name(process *p, uint32_t incarnation)
{
    str name = p->scenario->clients[p->number].id;
    assert(name.n > 0);    /* otherwise all clients would have one id */
    p->incarnation = incarnation;
    p->client = incarnation ? arena_printf(p->memory, "%.*s#%u", STR_ARG(name), (unsigned)incarnation)
                : arena_str(p->memory, name);
}

/* Puts preemption calls into the code. The file has been run once, so that all modules that it requires are known. A
 * process made later gets the changed code at once. */
static bool reload_with_points(process *p, source *main, err *e)
{
    if (source_points(p->sources))
        return true;
    if (!points_into_all(p->sources, e))
        return false;
    lua_settop(p->L, 0);
    lua_newtable(p->L);
    root_set(p->L, ROOT_MODULES);                  /* what they made is made again */
    p->class_ = ERR_SCENARIO;
    bool ok = process_load_main(p, p->scenario->file, p->scenario->text, &main, e);
    p->class_ = ERR_DRIVER;
    return ok;
}

/* Loads the scenario's file; no task exists yet. */
static process *load(const scenario *sc, const loader *l, size_t client, uint32_t incarnation, int64_t now_ms, err *e)
{
    assert(client < sc->client_count);
    const scenario_client *c = &sc->clients[client];
    process *p = state_new(sc->sources, l, arena_new());
    p->scenario = sc;
    p->number = client;
    p->now_ms = p->born_ms = now_ms;
    p->skew_ms = c->skew_ms;
    p->thread_count = c->threads;
    process_name(p, incarnation);
    source *main = sc->main;
    if (!process_load_main(p, sc->file, sc->text, &main, e)) {
        process_free(p);
        return NULL;
    }
    p->class_ = ERR_DRIVER;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (sc->faults[k].budget > 0)
            scenario_allow(sc, (fault_kind)k);
    if (source_wants_points(p->sources) && !reload_with_points(p, main, e)) {
        process_free(p);
        return NULL;
    }
    keep_field(p, "program", ROOT_PROGRAM);
    keep_field(p, "always", ROOT_ALWAYS);
    lua_settop(p->L, 0);
    p->steady_read = c->drift != 0 && drift_is_read(p, S("monotonic"));
    p->clock_read = p->steady_read || (c->drift != 0 && drift_is_read(p, S("now")));
    return p;
}

static task *main_task(process *p, uint32_t thread)
{
    task *t = task_new(p, S("main"), thread, true, false);
    lua_State *co = task_thread(p, t);
    root_push(co, ROOT_PROGRAM);
    push_me(co, t, 0);
    t->where = (position){ .path = p->scenario->file };
    return t;
}

static void start_threads(process *p, uint32_t incarnation)
{
    const scenario_client *c = &p->scenario->clients[p->number];
    for (uint32_t thread = 1; thread <= c->threads; thread++) {
        task *t = main_task(p, thread);
        if (incarnation == 0 && !c->pinned)
            t->status = TASK_WORK;
        if (incarnation == 0 && c->start_ms > 0) {
            t->status = TASK_SLEEP;
            t->wake_ms = p->now_ms + c->start_ms;
        }
    }
}

process *process_new(const scenario *sc, const loader *l, size_t client, uint32_t incarnation, int64_t now_ms, err *e)
{
    process *p = load(sc, l, client, incarnation, now_ms, e);
    if (p)
        start_threads(p, incarnation);
    return p;
}

/* It can be rewound to here. */
static void keep(process *p)
{
    state_load_ahead(p);
    lua_gc(p->L, LUA_GCSETPAUSE, PAUSE_LAX);
    lua_gc(p->L, LUA_GCCOLLECT, 0);
    p->lax = true;
    process_image *was = p->loaded;
    p->loaded = process_save(p);
    process_image_free(was);
}

process *process_new_kept(const scenario *sc, const loader *l, size_t client, uint32_t incarnation, int64_t now_ms,
                          err *e)
{
    process *p = load(sc, l, client, incarnation, now_ms, e);
    if (!p)
        return NULL;
    lua_graph_of(p);                               /* numbers what every process has: that stays, too */
    keep(p);
    start_threads(p, incarnation);
    return p;
}

/* Frees what the C side of a process holds after it has run. */
static void forget_run(process *p)
{
    request_free_all(p);
    tasks_free(p);
    for (size_t i = 0; i < p->subscription_count; i++)
        buf_free(&p->subscriptions[i].channel);
    mem_free(p->subscriptions);
    for (size_t i = 0; i < p->observed_count; i++)
        observed_free(&p->observed[i]);
    mem_free(p->observed);
    mem_free(p->judge_prints);
    mem_free(p->views);
}

void process_rewind(process *p, uint32_t incarnation, int64_t now_ms)
{
    assert(p->loaded);
    process was = *p;
    process_restore(p, p->loaded);
    if (state_ahead(p))
        keep(p);
    p->now_ms = p->born_ms = now_ms;
    if (was.incarnation == incarnation) {          /* its names stay: images refer to them */
        p->incarnation = incarnation;
        p->client = was.client;
        p->whos = was.whos;
    } else {
        process_name(p, incarnation);
    }
    start_threads(p, incarnation);
}

void process_fold(process *p, instant_spelling instants)
{
    p->instants = instants;
}

void process_watch(process *p)
{
    assert(process_is_live(p));
    p->watched = true;
    judges_check(p, NULL);                         /* their state before anything runs */
}

void process_trust(process *p)
{
    p->watched = false;
}

static void end_for_good(process *p)
{
    forget_run(p);
    lua_graph_free(p->graph);
    process_image_free(p->loaded);
    arena *memory = p->memory;
    if (p->pool)
        pool_leave(p);
    else
        state_free(p);
    arena_free(memory);
}

static bool in_atomic(const task *t)
{
    for (size_t i = 0; i < t->link_count; i++)
        if (t->links[i].kind == LINK_ATOMIC)
            return true;
    return false;
}

/* The request for whose answer the task waits; 0: none. */
static uint32_t awaited(const task *t)
{
    if (t->status == TASK_WAIT && t->wait == WAIT_FUTURE)
        return t->object->request;
    return t->status == TASK_REQUEST ? t->request : 0;
}

static size_t tasks(process *p, const task_view **out)
{
    size_t n = 0;
    p->views = mem_reserve(p->views, &p->view_cap, p->task_count + 1, sizeof *p->views);
    for (size_t i = 0; i < p->task_count; i++) {
        const task *t = p->tasks[i];
        bool waits = t->status == TASK_REQUEST || t->status == TASK_SLEEP || t->status == TASK_WAIT ||
                     t->status == TASK_WORK;
        p->views[n++] = (task_view){
            .id = t->id, .name = t->name, .thread = t->thread, .who = t->who, .status = t->status, .daemon = t->daemon,
            .main = t->main, .interruptible = waits && t->wait != WAIT_START && !t->work, .zero_wait = t->zero_wait,
            .atomic = in_atomic(t),
            .request = awaited(t), .order = t->wait_order, .wake_ms = t->wake_ms, .choices = t->choices,
            .ranged = t->status == TASK_SLEEP && t->wait == WAIT_WORK, .least_ms = t->least_ms, .most_ms = t->most_ms,
            .next = str_from(t->next), .path = t->where.path, .line = t->where.line,
        };
    }
    *out = p->views;
    return n;
}

static void begin(process *p, int64_t now_ms, outputs *out)
{
    assert(!p->broken && !p->running);
    if (p->pool)
        pool_enter(p);
    p->now_ms = now_ms;
    p->out = out;
    state_refill(p);
}

static bool end(process *p, bool ok, err *e)
{
    p->out = NULL;
    assert(lua_gettop(p->scratch) == 0 || !ok);
    return ok && (!p->watched || judges_check(p, e));
}

static lua_State *innermost(const task *t)
{
    return t->links[t->link_count - 1].L;
}

/* A wait of task t ends with this result, and it runs. */
static bool go_on(process *p, task *t, result_kind result, err *e)
{
    t->result = result;
    int args = task_push_result(t, innermost(t));
    t->wait = WAIT_NONE;
    t->wake_ms = INT64_MAX;
    t->zero_wait = false;
    t->object = NULL;
    return task_resume(p, t, args, e);
}

static bool run(process *p, uint32_t id, int64_t now_ms, outputs *out, err *e)
{
    task *t = task_find(p, id);
    assert(t);
    begin(p, now_ms, out);
    bool ok;
    if (t->wait == WAIT_START) {
        assert(t->status == TASK_READY || t->status == TASK_WORK || (t->status == TASK_SLEEP && t->wake_ms <= now_ms));
        t->wake_ms = INT64_MAX;
        ok = task_start(p, t, e);
    } else if (t->status == TASK_READY || t->status == TASK_POINT) {
        ok = go_on(p, t, t->status == TASK_READY ? t->result : RESULT_NOTHING, e);
    } else if (t->status == TASK_SLEEP && t->wait == WAIT_WORK) {
        t->status = TASK_WORK;         /* from now on it may end */
        t->wake_ms = now_ms + t->most_ms - t->least_ms;
        return end(p, true, e);
    } else if (t->status == TASK_SLEEP || t->status == TASK_WORK) {
        assert(t->status == TASK_WORK || t->wake_ms <= now_ms);
        ok = go_on(p, t, RESULT_TRUE, e);
    } else {
        assert(t->status == TASK_WAIT && t->wake_ms <= now_ms);
        ok = go_on(p, t, t->wait == WAIT_FUTURE ? RESULT_TIMEOUT : RESULT_FALSE, e);
    }
    return end(p, ok, e);
}

static bool choose(process *p, uint32_t id, size_t choice, int64_t now_ms, outputs *out, err *e)
{
    task *t = task_find(p, id);
    assert(t && t->status == TASK_CHOOSE && choice < t->choices);
    begin(p, now_ms, out);
    lua_State *L = innermost(t);
    luaL_checkstack(L, 2, NULL);
    lua_rawgeti(L, -1, (int)choice + 1);           /* the table of choices is what me:choose yielded */
    t->wait = WAIT_NONE;
    t->choices = 0;
    return end(p, task_resume(p, t, 1, e), e);
}

/* The answer's values are on the scratch stack: passes them to the waiting task, or to the future. */
static bool deliver(process *p, uint32_t id, int values, err *e)
{
    lua_State *S = p->scratch;
    for (size_t i = 0; i < p->task_count; i++) {
        task *t = p->tasks[i];
        if (t->status != TASK_REQUEST || t->request != id)
            continue;
        lua_State *L = innermost(t);
        luaL_checkstack(L, values + 1, NULL);
        lua_xmove(S, L, values);
        t->last_answer = id;
        t->request = 0;
        t->wait = WAIT_NONE;
        return task_resume(p, t, values, e);
    }
    future_fulfil(p, id, values);
    return true;
}

/* A real server does what locksim refuses: a client that continued with the error would take another path than in
 * reality. */
static bool is_ours_alone(process *p, uint32_t id, const reply *r, err *e)
{
    r = redis_refusal(r);
    if (!r)
        return false;
    const request *sent = request_find(p, id);
    position at = { .path = p->scenario->file };
    if (sent && sent->path.n)
        at = (position){ .path = sent->path, .line = sent->line };
    for (size_t i = 0; i < p->task_count; i++)
        if (p->tasks[i]->status == TASK_REQUEST && p->tasks[i]->request == id && p->tasks[i]->where.path.n)
            at = p->tasks[i]->where;
    str why = str_slice(r->text, 4, r->text.n);
    err_at(e, ERR_DRIVER, at.path, at.line, at.col, "%.*s", STR_ARG(why));
    err_hint(e, "a real server does it, so that what followed here would not be what follows there: leave it out, or "
             "do it by other commands");
    return true;
}

static bool answer(process *p, uint32_t id, const reply *r, int64_t now_ms, outputs *out, err *e)
{
    begin(p, now_ms, out);
    if (is_ours_alone(p, id, r, e))
        return end(p, false, e);
    const request *sent = request_find(p, id);
    int values;
    if (sent && (sent->kind == REQUEST_SUBSCRIBE || sent->kind == REQUEST_UNSUBSCRIBE) && r->kind != REPLY_ERROR) {
        lua_pushboolean(p->scratch, 1);
        values = 1;
    } else {
        values = convert_push(p->scratch, r);
    }
    bool ok = deliver(p, id, values, e);
    lua_settop(p->scratch, 0);
    return end(p, ok, e);
}

static bool give_up(process *p, uint32_t id, str kind, int64_t now_ms, outputs *out, err *e)
{
    begin(p, now_ms, out);
    lua_pushnil(p->scratch);
    convert_push_error(p->scratch, kind, str_eq(kind, S("timeout")) ? S("no answer in time")
                       : S("the connection was lost"));
    bool ok = deliver(p, id, 2, e);
    lua_settop(p->scratch, 0);
    return end(p, ok, e);
}

/* The next subscription after that one with this handler's number, or NULL: they are sorted by it. */
static const subscription *next_subscription(const process *p, uint32_t handler)
{
    size_t i = 0;
    while (i < p->subscription_count && p->subscriptions[i].handler <= handler)
        i++;
    return i < p->subscription_count ? &p->subscriptions[i] : NULL;
}

typedef struct {
    uint32_t server;
    str channel, pattern;
} addressed;

static bool hears(const subscription *s, const addressed *m)
{
    return s->server == m->server && s->pattern == (m->pattern.n > 0) &&
           str_eq(buf_str(&s->channel), m->pattern.n ? m->pattern : m->channel);
}

static size_t count_hearers(const process *p, const addressed *m)
{
    size_t n = 0;
    for (size_t i = 0; i < p->subscription_count; i++)
        n += hears(&p->subscriptions[i], m);
    return n;
}

static bool message(process *p, const input *in, int64_t now_ms, outputs *out, err *e)
{
    begin(p, now_ms, out);
    addressed to = { .server = in->server, .channel = in->channel, .pattern = in->pattern };
    /* one after the other: none begins while another waits */
    p->points = p->points && count_hearers(p, &to) <= 1;
    uint32_t handler = 0, last = p->handler_count; /* handlers that a handler adds do not get this message */
    bool ok = true;
    for (const subscription *s; ok && (s = next_subscription(p, handler)) && s->handler <= last;) {
        handler = s->handler;
        if (!hears(s, &to))
            continue;
        task *t = task_new(p, S("message"), s->thread, false, false);
        lua_State *co = task_thread(p, t);
        root_push(co, ROOT_HANDLERS);
        lua_rawgeti(co, -1, (int)handler);
        lua_remove(co, -2);
        push_me(co, t, in->server);
        lua_pushlstring(co, in->text.p, in->text.n);
        lua_pushlstring(co, in->channel.p, in->channel.n);
        ok = task_start(p, t, e);
    }
    return end(p, ok, e);
}

static bool preempt(process *p, uint32_t id, int64_t now_ms, outputs *out, err *e)
{
    task *t = task_find(p, id);
    assert(t && t->status == TASK_POINT);
    begin(p, now_ms, out);
    task_wake(t, RESULT_NOTHING);
    return end(p, true, e);
}

static bool interrupt(process *p, uint32_t id, int64_t now_ms, outputs *out, err *e)
{
    task *t = task_find(p, id);
    assert(t && (t->status == TASK_REQUEST || t->status == TASK_SLEEP || t->status == TASK_WAIT ||
                 t->status == TASK_WORK));
    begin(p, now_ms, out);
    if (t->wait == WAIT_START)                     /* not begun: there is no wait to end */
        return end(p, true, e);
    return end(p, go_on(p, t, RESULT_INTERRUPTED, e), e);
}

static bool take_input(process *p, const input *in, int64_t now_ms, outputs *out, err *e)
{
    p->points = in->points;
    switch (in->kind) {
    case INPUT_RUN: return run(p, in->number, now_ms, out, e);
    case INPUT_CHOOSE: return choose(p, in->number, (size_t)in->amount, now_ms, out, e);
    case INPUT_INTERRUPT: return interrupt(p, in->number, now_ms, out, e);
    case INPUT_PREEMPT: return preempt(p, in->number, now_ms, out, e);
    case INPUT_ANSWER: return answer(p, in->number, in->answer, now_ms, out, e);
    case INPUT_GIVE_UP: return give_up(p, in->number, in->text, now_ms, out, e);
    case INPUT_MESSAGE: return message(p, in, now_ms, out, e);
    case INPUT_JUMP: p->skew_ms += in->amount; return true;
    case INPUT_AGE: return true;                   /* time passes elsewhere */
    }
    return true;
}

static size_t observed_locks(process *p, const observed **out)
{
    *out = p->observed;
    return p->observed_count;
}

live_facts process_live_facts(const process *p)
{
    assert(process_is_live(p));
    return (live_facts){ .client = p->client, .requests_sent = p->request_count, .tasks_made = p->next_task,
                         .clock_read = p->clock_read, .time_used = p->time_used, .time_use = p->time_use,
                         .bytes = heap_held(p->heap) + p->image_bytes,
                         .image_bytes = p->heap->image_bytes + p->image_bytes };
}

const process_kind process_live = {
    .free = end_for_good, .input = take_input, .tasks = tasks, .observed = observed_locks, .forget = live_forget,
    .each_instant = live_each_instant, .each_request = live_each_request, .freeze = live_freeze, .view = live_view,
    .always = live_always,
};

uint32_t process_begin(process *p, uint32_t thread)
{
    assert(process_is_live(p) && thread >= 1 && thread <= p->thread_count);
    if (p->pool)
        pool_enter(p);
    return main_task(p, thread)->id;
}

task_ahead process_next(const process *p, int64_t now_ms)
{
    task_ahead next = { .status = TASK_DONE, .wake_ms = INT64_MAX };
    for (size_t i = 0; i < p->task_count; i++) {
        const task *t = p->tasks[i];
        bool at_once = t->status == TASK_READY || t->status == TASK_CHOOSE ||
                       (t->status == TASK_WORK && t->wake_ms > 0) ||
                       ((t->status == TASK_SLEEP || t->status == TASK_WAIT) && t->wake_ms <= now_ms);
        if (at_once)
            return (task_ahead){ .task = t->id, .status = t->status, .wake_ms = now_ms, .choices = t->choices,
                                 .zero_wait = t->zero_wait,
                                 .range_ms = t->wait == WAIT_WORK ? t->most_ms - t->least_ms : 0 };
        if ((t->status == TASK_SLEEP || t->status == TASK_WAIT) && t->wake_ms < next.wake_ms)
            next = (task_ahead){ .task = t->id, .status = t->status, .wake_ms = t->wake_ms };
    }
    return next;
}

void process_note_work(process *p, uint32_t id)
{
    task *t = task_find(p, id);
    assert(t && t->status == TASK_WORK);
    t->wake_ms = 0;
}

bool process_works(const process *p, uint32_t id)
{
    const task *t = task_find((process *)(uintptr_t)p, id);
    return t && t->status == TASK_WORK;
}
