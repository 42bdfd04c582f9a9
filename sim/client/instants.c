/* instants.c - every number of a process that may be a time and on which its future can depend: in locals and
 * temporaries that will be read, in upvalues, tables, futures. It walks as lua_graph.c does, so its results depend on
 * the canonical state only. */
#include <math.h>

#include "base/instant.h"
#include "base/mem.h"
#include "client/hidden.h"
#include "client/lua_graph.h"
#include "scenario/registers.h"

typedef struct {
    lua_graph *g;
    int64_t now_ms, window_ms;
    void (*fn)(void *context, int64_t at_ms);
    bool (*change)(void *context, double *n);      /* instead of fn: replaces numbers */
    void *context;
} walk;

static bool is_near(const walk *w, double n)
{
    return n >= (double)(w->now_ms - w->window_ms) && n <= (double)(w->now_ms + w->window_ms) && n == floor(n);
}

/* The instant at which a drifting clock shows `n`: corrected by the part of the next gained or lost millisecond that
 * has passed. */
static void offer_drifting(walk *w, double n)
{
    int64_t ahead_ms = n > (double)w->now_ms && is_near(w, n) ? (int64_t)n - w->now_ms : 0;
    if (ahead_ms == drift_timer_ms(w->g->p, ahead_ms))
        return;
    for (int64_t early_ms = 0; early_ms < 2; early_ms++)
        w->fn(w->context, w->now_ms + drift_timer_ms(w->g->p, ahead_ms) - early_ms);
}

/* By the server's clock, the process's own, and its own that never jumps. */
static void offer(walk *w, double n)
{
    const process *p = w->g->p;
    double skew = (double)drift_skew_ms(p, w->now_ms), steady = (double)drift_steady_ms(p, w->now_ms);
    if (is_near(w, n))
        w->fn(w->context, (int64_t)n);
    if (skew != 0 && is_near(w, n - skew))
        w->fn(w->context, (int64_t)(n - skew));
    offer_drifting(w, n - skew);
    if (!p->steady_read || steady == skew)
        return;
    if (steady != 0 && is_near(w, n - steady))
        w->fn(w->context, (int64_t)(n - steady));
    offer_drifting(w, n - steady);
}

static void offer_text(walk *w, str s)
{
    int64_t n;
    if (instant_digits(s, &n))
        offer(w, (double)n);
}

/* Looks at the value at the top of L and pops it; objects are opened later, once. true: another value replaces it, and
 * was pushed instead. */
static bool visit(walk *w, lua_State *L)
{
    str s;
    double n;
    switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
        n = lua_tonumber(L, -1);
        if (!w->change)
            offer(w, n);
        else if (w->change(w->context, &n)) {
            lua_pop(L, 1);
            lua_pushnumber(L, n);
            return true;
        }
        break;
    case LUA_TSTRING:
        s.p = lua_tolstring(L, -1, &s.n);
        if (!w->change)
            offer_text(w, s);
        break;
    case LUA_TTABLE:
    case LUA_TFUNCTION:
    case LUA_TUSERDATA:
    case LUA_TTHREAD:
        lua_graph_meet(w->g, L);
        return false;
    default:
        break;
    }
    lua_pop(L, 1);
    return false;
}

/* Visits the entries of the table on top of L whose keys are known, and pops it; with `objects` only those with objects
 * as keys, else only the others. True if a key is an object. */
static bool visit_entries(walk *w, lua_State *L, bool objects)
{
    bool any = false;
    for (lua_pushnil(L); lua_next(L, -2);) {
        bool object = lua_type(L, -2) >= LUA_TTABLE;
        any = any || object;
        if (object != objects || (object && !lua_graph_find(w->g, lua_topointer(L, -2)))) {
            lua_pop(L, 1);
            continue;
        }
        if (visit(w, L)) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, -4);         /* of a field that is there: lua_next goes on */
        }
        if (!object && !w->change) {
            lua_pushvalue(L, -1);
            visit(w, L);
        }
    }
    return any;
}

static void open_frames(walk *w, lua_State *T)
{
    lua_Debug ar;
    if (!lua_getstack(T, 0, &ar))
        return;
    for (; ar.i_ci > 0; ar.i_ci--) {
        lua_getinfo(T, "Slf", &ar);
        bool is_c = lua_iscfunction(T, -1);
        visit(w, T);
        const live_registers *live = is_c ? NULL : lua_graph_live(w->g, &ar);
        for (int i = 1; !is_c && lua_getlocal(T, &ar, i); i++) {
            if (!live_has(live, i - 1))
                lua_pop(T, 1);
            else if (visit(w, T))
                lua_setlocal(T, &ar, i);
        }
    }
}

static void open_thread(walk *w, lua_State *L, int at)
{
    lua_State *T = lua_tothread(L, at);
    if (!lua_checkstack(T, 8) || lua_graph_is_dead(w->g, at))
        return;
    /* not begun: its function and arguments; else what it yielded */
    for (int i = 1, n = lua_gettop(T); i <= n; i++) {
        lua_pushvalue(T, i);
        if (visit(w, T))
            lua_replace(T, i);
    }
    open_frames(w, T);
    root_push(L, ROOT_COROUTINES);                 /* the pcalls that stand on it */
    lua_pushvalue(L, at);
    lua_rawget(L, -2);
    visit(w, L);
    lua_pop(L, 1);
}

static void open_userdata(walk *w, lua_State *L, int at)
{
    object *o = object_at(L, at);
    if (!o || o->kind != OBJECT_FUTURE)
        return;
    if (o->table) {
        lua_getfenv(L, at);
        visit(w, L);
    } else if (o->plain == LUA_TNUMBER && w->change) {
        w->change(w->context, &o->number);
    } else if (o->plain == LUA_TNUMBER) {
        offer(w, o->number);
    }
}

/* Opens the object on top of the graph's stack. True: a table with objects as keys. */
static bool open_object(walk *w)
{
    lua_State *L = w->g->L;
    int at = lua_gettop(L);
    switch (lua_type(L, at)) {
    case LUA_TTABLE:
        if (lua_getmetatable(L, at))
            visit(w, L);
        return visit_entries(w, L, false);
    case LUA_TFUNCTION:
        for (int i = 1; lua_getupvalue(L, at, i); i++)
            if (visit(w, L))
                lua_setupvalue(L, at, i);
        break;
    case LUA_TTHREAD:
        open_thread(w, L, at);
        break;
    default:
        open_userdata(w, L, at);
    }
    return false;
}

static void open_all(walk *w)
{
    lua_graph *g = w->g;
    uint32_t met;
    do {
        while (g->done < g->count) {
            lua_graph_push(g, ++g->done);
            if (open_object(w))
                lua_graph_keep_keyed(g, g->done);
            lua_settop(g->L, GRAPH_QUEUE);
        }
        met = g->count;
        for (size_t i = 0; i < g->keyed_count; i++) {          /* a key may have been met since */
            lua_graph_push(g, g->keyed[i].table);
            visit_entries(w, g->L, true);
            lua_settop(g->L, GRAPH_QUEUE);
        }
    } while (g->count > met);
}

static void visit_roots(walk *w)
{
    static const int roots[] = { ROOT_FUTURES, ROOT_MODULES, ROOT_OBSERVED, ROOT_HANDLERS, ROOT_PROCESS, ROOT_PROGRAM };
    lua_graph *g = w->g;
    for (size_t i = 0; i < COUNT(roots); i++) {
        root_push(g->L, roots[i]);
        visit(w, g->L);
    }
    for (size_t i = 0; i < g->p->task_count; i++)
        for (size_t l = 0; l < g->p->tasks[i]->link_count; l++) {
            lua_graph_push_thread(g, g->p->tasks[i]->links[l].L);
            visit(w, g->L);
        }
}

void live_each_instant(process *p, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms),
                       void *context)
{
    walk w = { .g = lua_graph_of(p), .now_ms = now_ms, .window_ms = window_ms, .fn = fn, .context = context };
    lua_graph_begin(w.g, NULL, now_ms);
    visit_roots(&w);
    open_all(&w);
}

void process_each_number(process *p, bool (*fn)(void *context, double *n), void *context)
{
    walk w = { .g = lua_graph_of(p), .now_ms = p->now_ms, .change = fn, .context = context };
    lua_graph_begin(w.g, NULL, p->now_ms);
    visit_roots(&w);
    open_all(&w);
}
