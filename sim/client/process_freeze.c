/* process_freeze.c - a process as canonical bytes: equal bytes mean equal futures, independent of history.
 *
 * The bytes describe one graph: the C side, which is written here (tasks, waits, subscriptions), then every Lua object
 * that can be reached from it (lua_graph.h). Numbers that only count (requests, tasks, places in a queue) are written
 * as ranks, instants relative to now_ms. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "client/lua_graph.h"
#include "client/lua_graph_parts.h"

/* ---- requests ---- */

static void rank_add(lua_graph *g, uint32_t request)
{
    MEM_RESERVE(g->ranks, g->rank_cap, g->rank_count + 1);
    g->ranks[g->rank_count++] = request;
}

static uint64_t rank_of(const lua_graph *g, uint32_t request)
{
    uint64_t rank = 0;
    while (rank < g->rank_count && g->ranks[rank] < request)
        rank++;
    return rank;
}

/* Collects the requests that are awaited, belong to an unanswered future, or were answered last; first 0, so that no
 * request has the rank of none. */
static void collect_ranks(lua_graph *g)
{
    process *p = g->p;
    rank_add(g, 0);
    for (size_t i = 0; i < p->task_count; i++) {
        rank_add(g, p->tasks[i]->request);
        rank_add(g, p->tasks[i]->last_answer);
    }
    lua_State *L = g->L;
    root_push(L, ROOT_FUTURES);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TNUMBER)
            rank_add(g, (uint32_t)lua_tonumber(L, -2));
    lua_pop(L, 1);
    g->rank_count = numbers_set_u32(g->ranks, g->rank_count);
}

static void put_futures(lua_graph *g)
{
    lua_State *L = g->L;
    root_push(L, ROOT_FUTURES);
    int at = lua_gettop(L);
    for (size_t i = 0; i < g->rank_count; i++) {
        lua_rawgeti(L, at, (int)g->ranks[i]);
        put_value(g, L);
    }
    lua_pop(L, 1);
}

/* ---- tasks ---- */

static bool in_line(const task *t)
{
    return t->status == TASK_WAIT && t->wait == WAIT_SEMAPHORE;
}

/* Its position in the queue of its semaphore. Other waits have no queue: what ends one ends it for all tasks, in their
 * order. */
static uint64_t place_in_line(const process *p, const task *t)
{
    uint64_t before = 0;
    for (size_t i = 0; i < p->task_count && in_line(t); i++) {
        const task *o = p->tasks[i];
        before += in_line(o) && o->object == t->object && o->wait_order < t->wait_order;
    }
    return before;
}

static uint64_t joined(const process *p, const task *t)
{
    uint64_t rank = 0;
    while (rank < p->task_count && p->tasks[rank]->id < t->target)
        rank++;
    return rank;
}

static void put_task(lua_graph *g, const task *t)
{
    process *p = g->p;
    put_text(g, t->name);
    put_count(g, t->thread);
    buf_byte(g->out, (char)('a' + t->daemon + 2 * t->main + 4 * t->work + 8 * t->zero_wait));
    buf_byte(g->out, (char)('a' + t->status));
    buf_byte(g->out, (char)('a' + t->wait));
    buf_byte(g->out, (char)('a' + (t->status == TASK_READY ? t->result : RESULT_NOTHING)));
    put_timer(g, t->wake_ms);
    put_count(g, (uint64_t)t->least_ms);
    put_count(g, (uint64_t)t->most_ms);
    put_count(g, rank_of(g, t->request));
    put_count(g, rank_of(g, t->last_answer));
    put_count(g, t->choices);
    put_count(g, place_in_line(p, t));
    put_count(g, t->wait == WAIT_JOIN ? joined(p, t) : 0);
    put_text(g, str_from(t->next));
    put_count(g, t->link_count);
    for (size_t i = 0; i < t->link_count; i++) {
        put_count(g, (uint64_t)t->links[i].kind);
        put_thread(g, t->links[i].L);
    }
}

/* ---- subscriptions ---- */

/* Handlers of one channel run in the order in which they were added; channels have no order. */
static int by_channel(const void *x, const void *y)
{
    const subscription *a = *(const subscription *const *)x, *b = *(const subscription *const *)y;
    if (a->server != b->server)
        return a->server < b->server ? -1 : 1;
    if (a->pattern != b->pattern)
        return a->pattern ? 1 : -1;
    int order = str_cmp(buf_str(&a->channel), buf_str(&b->channel));
    return order ? order : (a->handler > b->handler) - (a->handler < b->handler);
}

static void put_subscriptions(lua_graph *g)
{
    process *p = g->p;
    put_count(g, p->subscription_count);
    if (p->subscription_count == 0)
        return;
    const subscription **sorted = mem_alloc(p->subscription_count * sizeof *sorted);
    for (size_t i = 0; i < p->subscription_count; i++)
        sorted[i] = &p->subscriptions[i];
    qsort(sorted, p->subscription_count, sizeof *sorted, by_channel);
    for (size_t i = 0; i < p->subscription_count; i++) {
        const subscription *s = sorted[i];
        put_count(g, s->server);
        put_count(g, s->thread);
        buf_byte(g->out, s->pattern ? 'p' : 'c');
        put_text(g, buf_str(&s->channel));
        root_push(g->L, ROOT_HANDLERS);
        lua_rawgeti(g->L, -1, (int)s->handler);
        put_value(g, g->L);
        lua_pop(g->L, 1);
    }
    mem_free(sorted);
}

/* ---- the process ---- */

/* At two times, outcomes may differ by the drift alone where all else follows from the time: their comparison sees
 * readings. */
static void put_drift(lua_graph *g)
{
    size_t from = g->out->n;
    buf_u64(g->out, (uint64_t)drift_skew_ms(g->p, g->now_ms));
    buf_u64(g->out, (uint64_t)drift_tick_ms(g->p, g->now_ms));
    if (g->p->steady_read)
        buf_u64(g->out, (uint64_t)drift_steady_ms(g->p, g->now_ms));
    bool from_the_beginning = !g->p->scenario->clients[g->p->number].after.n &&
                              str_find(g->p->client, '#', 0) == g->p->client.n;
    if (from_the_beginning)
        lua_graph_hide(g, from);
}

static void put_roots(lua_graph *g)
{
    process *p = g->p;
    put_text(g, p->client);
    if (p->clock_read)
        put_drift(g);
    else
        buf_u64(g->out, (uint64_t)p->skew_ms);
    put_count(g, p->unique_count);
    put_count(g, p->task_count);
    for (size_t i = 0; i < p->task_count; i++)
        put_task(g, p->tasks[i]);
    put_futures(g);
    put_subscriptions(g);
    put_count(g, p->observed_count);
    for (size_t i = 0; i < p->observed_count; i++) {
        put_text(g, p->observed[i].lock);
        put_count(g, (uint64_t)p->observed[i].spec);
        put_count(g, p->observed[i].server);
    }
    put_root(g, ROOT_PROCESS);
    put_root(g, ROOT_MODULES);
    put_root(g, ROOT_OBSERVED);
    put_root(g, ROOT_PROGRAM);
    put_root(g, ROOT_ALWAYS);
}

static lua_graph *freeze(process *p, int64_t now_ms, buf *out)
{
    lua_graph *g = lua_graph_of(p);
    lua_graph_begin(g, out, now_ms);
    collect_ranks(g);
    put_roots(g);
    lua_graph_finish(g);
    /* A semaphore on which a task waits is written by its number. One that nothing refers to can never be released. */
    for (size_t i = 0; i < p->task_count; i++)
        put_count(g, in_line(p->tasks[i]) ? lua_graph_find(g, p->tasks[i]->object) : 0);
    return g;
}

bool live_freeze(process *p, int64_t now_ms, buf *out, err *e)
{
    const lua_graph *g = freeze(p, now_ms, out);
    return !g->failure[0] || lua_graph_fail(p->graph, e);
}

void live_each_request(process *p, void (*fn)(void *context, uint32_t request), void *context)
{
    lua_graph *g = lua_graph_of(p);
    if (p->fulfilled) {    /* a fulfilled future that can still be reached is found by the walk */
        buf aside = { 0 };
        freeze(p, p->now_ms, &aside);
        buf_free(&aside);
    } else {
        lua_graph_begin(g, NULL, p->now_ms);
        collect_ranks(g);
    }
    for (size_t i = 0; i < g->rank_count; i++)
        fn(context, g->ranks[i]);
    for (size_t i = 0; i < g->answered_count; i++)
        fn(context, g->answered[i]);
}

frozen process_frozen(const process *p)
{
    const lua_graph *g = p->graph;
    assert(process_is_live(p) && g);
    return (frozen){ .distances = g->distances, .distance_count = g->distance_count, .marks = g->marks,
                     .mark_count = g->mark_count, .ranked = g->ranks, .ranked_count = g->rank_count,
                     .answered = g->answered, .answered_count = g->answered_count };
}

bool process_freeze_named(process *p, const equals *eq, size_t naming, arena *a, int64_t now_ms, buf *out, err *e)
{
    lua_graph *g = lua_graph_of(p);
    g->equals = eq;
    g->naming = naming;
    g->renamed = a;
    bool ok = process_freeze(p, now_ms, out, e);
    g->equals = NULL;
    return ok;
}
