/* task.c - tasks: how they begin, wait, go on and end. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/outline.h"
#include "client/process_internal.h"

str task_who(process *p, uint32_t thread)
{
    assert(thread >= 1 && thread <= p->thread_count);
    if (!p->whos) {
        p->whos = ARENA_ARRAY(p->memory, str, p->thread_count);
        memset(p->whos, 0, p->thread_count * sizeof *p->whos);
    }
    str *who = &p->whos[thread - 1];
    if (!who->n)
        *who = arena_printf(p->memory, "%.*s:%u", STR_ARG(p->client), (unsigned)thread);
    return *who;
}

task *task_find(process *p, uint32_t id)
{
    size_t low = 0, high = p->task_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->tasks[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->task_count && p->tasks[low]->id == id ? p->tasks[low] : NULL;
}

task *task_new(process *p, str name, uint32_t thread, bool main, bool daemon)
{
    if (p->task_count == p->tasks_made) {
        MEM_RESERVE(p->tasks, p->task_cap, p->tasks_made + 1);
        p->tasks[p->tasks_made++] = mem_zero(sizeof(task));
    }
    task *t = p->tasks[p->task_count++];
    buf text = t->text;
    buf_clear(&text);
    buf_add(&text, name);
    *t = (task){ .id = p->next_task++, .thread = thread, .name = buf_str(&text), .who = task_who(p, thread),
                 .daemon = daemon, .main = main,
                 .status = TASK_READY, .wait = WAIT_START, .wake_ms = INT64_MAX, .next = "start", .links = t->links,
                 .link_cap = t->link_cap, .text = text };
    return t;
}

lua_State *task_thread(process *p, task *t)
{
    lua_State *co = thread_take(p, &t->thread_number);
    MEM_RESERVE(t->links, t->link_cap, 1);
    t->links[0] = (link){ .L = co, .kind = LINK_TASK };
    t->link_count = 1;
    return co;
}

output *outputs_add(outputs *o, output_kind kind)
{
    if (o->count == o->cap) {
        size_t cap = o->cap ? 2 * o->cap : 4;
        output *grown = ARENA_ARRAY(o->memory, output, cap);
        if (o->count)
            memcpy(grown, o->items, o->count * sizeof *grown);
        o->items = grown;
        o->cap = cap;
    }
    output *added = &o->items[o->count++];
    *added = (output){ .kind = kind };
    return added;
}

void outputs_compared(outputs *o, double difference)
{
    enum { COMPARED_MAX = 512 };
    if (o->compared_count == o->compared_cap && o->compared_cap < COMPARED_MAX) {
        size_t cap = o->compared_cap ? 2 * o->compared_cap : 8;
        double *grown = ARENA_ARRAY(o->memory, double, cap);
        if (o->compared_count)
            memcpy(grown, o->compared, o->compared_count * sizeof *grown);
        o->compared = grown;
        o->compared_cap = cap;
    }
    o->unknown |= o->compared_count == COMPARED_MAX;
    if (o->compared_count < o->compared_cap)
        o->compared[o->compared_count++] = difference;
}

output *output_add(process *p, output_kind kind, uint32_t task_id)
{
    enum { STEPS = 200 };                          /* an endless loop without waits must end, too */
    p->steps_left -= STEPS;
    output *added = outputs_add(p->out, kind);
    added->task = task_id;
    return added;
}

void outputs_used(outputs *o, uint64_t print, bool unknown)
{
    outline_used_bytes(&o->used, (str){ (const char *)&print, sizeof print });
    o->unknown |= unknown;
}

void task_wake(task *t, result_kind result)
{
    t->status = TASK_READY;
    t->result = result;
    t->wake_ms = INT64_MAX;
    t->zero_wait = false;
    t->request = 0;
    t->choices = 0;
}

void task_end(process *p, task *t)
{
    size_t at = 0;
    while (p->tasks[at] != t)
        at++;
    memmove(&p->tasks[at], &p->tasks[at + 1], (--p->task_count - at) * sizeof *p->tasks);
    p->tasks[p->task_count] = t;
    thread_end(p, t->links[0].L, t->thread_number);
    if (p->out)
        output_add(p, OUTPUT_ENDED, t->id)->announcement.who = t->who;
    for (size_t i = 0; i < p->task_count; i++) {
        task *other = p->tasks[i];
        if (other->status == TASK_WAIT && other->wait == WAIT_JOIN && other->target == t->id)
            task_wake(other, RESULT_TRUE);
    }
}

void tasks_free(process *p)
{
    for (size_t i = 0; i < p->tasks_made; i++) {
        task *t = p->tasks[i];
        if (i < p->task_count && p->pool && !p->broken)
            thread_end(p, t->links[0].L, t->thread_number);    /* the Lua state is shared, and goes on */
        mem_free(t->links);
        buf_free(&t->text);
        mem_free(t);
    }
    mem_free(p->tasks);
}

int task_wait(lua_State *L, const wait_request *w, int values)
{
    process *p = process_of(L);
    if (!p->running) {
        request_drop(p, w->request);
        return luaL_error(L, "%s is for tasks only: nothing can wait here", w->call);
    }
    p->pending = *w;
    p->pending.thread = L;
    p->yielded_value = false;
    return lua_yield(L, values);
}

/* Starts the wait that the running task asked for. */
/* The least length first, if any; then it may end. */
static void begin_range(const process *p, task *t, const wait_request *w)
{
    t->status = w->ms > 0 ? TASK_SLEEP : TASK_WORK;
    if (w->ms < 0)
        return;
    t->least_ms = w->work ? w->ms : drift_timer_ms(p, w->ms);
    t->most_ms = w->work ? w->upto_ms : drift_timer_ms(p, w->upto_ms);
    t->wake_ms = p->now_ms + (w->ms > 0 ? t->least_ms : t->most_ms);
}

static void begin_wait(process *p, task *t)
{
    wait_request *w = &p->pending;
    t->wait = w->kind;
    t->next = w->name;
    t->work = w->work;
    t->object = w->object;
    t->target = w->target;
    t->choices = w->choices;
    t->request = 0;
    t->wait_order = ++p->wait_orders;
    t->where = state_call_place(p, w->thread);
    t->least_ms = t->most_ms = 0;
    t->zero_wait = w->ms == 0 && (w->kind == WAIT_SLEEP || w->kind == WAIT_SEMAPHORE || w->kind == WAIT_FUTURE ||
                                  w->kind == WAIT_JOIN);
    t->wake_ms = w->ms < 0 ? INT64_MAX : p->now_ms + (w->work ? w->ms : drift_timer_ms(p, w->ms));
    switch (w->kind) {
    case WAIT_STEP:
        task_wake(t, RESULT_NOTHING);
        break;
    case WAIT_REQUEST:
        t->status = TASK_REQUEST;
        t->wake_ms = INT64_MAX;
        request_send(p, w->request, t->id);
        t->request = w->request->id;
        t->last_answer = 0;            /* its next announcement follows from this answer, or from a time-out */
        t->next = w->request->op.p;
        break;
    case WAIT_SLEEP: t->status = TASK_SLEEP; break;
    case WAIT_WORK: begin_range(p, t, w); break;
    case WAIT_CHOOSE: t->status = TASK_CHOOSE; break;
    case WAIT_SEMAPHORE:
    case WAIT_FUTURE:
    case WAIT_JOIN: t->status = TASK_WAIT; break;
    case WAIT_POINT: t->status = TASK_POINT; break;
    case WAIT_NONE:
    case WAIT_START:
    case WAIT_EXIT: break;
    }
    *w = (wait_request){ 0 };
}

/* An uncaught error: the process is over. */
static bool fail(process *p, lua_State *at, err *e)
{
    p->broken = true;
    state_keep(at);
    return state_fail(p, at, at, e);
}

bool task_resume(process *p, task *t, int args, err *e)
{
    MEM_RESERVE(p->links, p->link_cap, t->link_count);
    memcpy(p->links, t->links, t->link_count * sizeof *t->links);
    p->link_count = t->link_count;
    t->next = "run";                               /* it pointed into a request's operation, which may be freed now */
    p->running = t;
    lua_State *at;
    run_outcome outcome = run_links(p, 0, args, &at);
    p->running = NULL;
    bool ok = true;
    switch (outcome) {
    case RUN_DONE:
        task_end(p, t);
        break;
    case RUN_ERROR:
        ok = fail(p, at, e);
        break;
    case RUN_YIELD:
        lua_pushfstring(at, "coroutine.yield outside a coroutine");
        ok = fail(p, at, e);
        break;
    case RUN_WAIT:
        MEM_RESERVE(t->links, t->link_cap, p->link_count);
        memcpy(t->links, p->links, p->link_count * sizeof *t->links);
        t->link_count = p->link_count;
        if (p->pending.kind == WAIT_EXIT)
            task_end(p, t);
        else
            begin_wait(p, t);
        break;
    }
    p->link_count = 0;
    return ok;
}

bool task_start(process *p, task *t, err *e)
{
    lua_State *co = t->links[0].L;
    int args = lua_gettop(co) - 1;
    t->status = TASK_READY;
    t->wait = WAIT_NONE;
    if (lua_iscfunction(co, 1)) {                  /* a program or callback that coroutine.wrap made, or one of ours */
        luaL_checkstack(co, 4, NULL);
        add_trampoline(co, args++);
    }
    return task_resume(p, t, args, e);
}

int task_push_result(const task *t, lua_State *L)
{
    /* L stands in a C function that waits: that has room for LUA_MINSTACK values. */
    switch (t->result) {
    case RESULT_NOTHING:
        return 0;
    case RESULT_TRUE:
        lua_pushboolean(L, 1);
        return 1;
    case RESULT_FALSE:
        lua_pushboolean(L, 0);
        return 1;
    case RESULT_INTERRUPTED:
        lua_pushnil(L);
        if (t->wait == WAIT_REQUEST)
            return 1 + convert_push_error(L, S("interrupted"), S("interrupted while it waited for the answer"));
        lua_pushliteral(L, "interrupted");
        return 2;
    case RESULT_TIMEOUT:
        lua_pushnil(L);
        lua_pushliteral(L, "timeout");
        return 2;
    case RESULT_FUTURE:                            /* the future is on top of the stack */
        future_push_answer(L, lua_gettop(L));
        return 2;
    case RESULT_VALUE:                             /* pushed by the function that woke it */
        return 0;
    }
    return 0;
}
