/* preempt.c - where a thread stops so that another one of its process can go first: the calls that points.h puts into
 * client code. A thread stops before an access to memory that another task can reach, if it could wait there at all and
 * is not in me:atomic. Which memory that is follows from the process's state alone, so equal states stop at equal
 * places. */
#include <stdio.h>

#include "client/lua_graph.h"
#include "client/process_internal.h"
#include "scenario/points.h"

static bool in_atomic(const process *p)
{
    for (size_t i = 0; i < p->link_count; i++)
        if (p->links[i].kind == LINK_ATOMIC)
            return true;
    return false;
}

/* Could anything else run meanwhile: another task, or the handler of a message or answer? */
static bool has_others(process *p, lua_State *L)
{
    if (p->task_count > 1 || p->subscription_count > 0)
        return true;
    root_push(L, ROOT_FUTURES);
    lua_pushnil(L);
    bool any = lua_next(L, -2);
    lua_pop(L, any ? 3 : 1);
    return any;
}

/* One by one: their numbers form no list, and which futures exist is part of no state. */
static void put_futures(lua_graph *g)
{
    lua_State *L = g->L;
    root_push(L, ROOT_FUTURES);
    for (lua_pushnil(L); lua_next(L, -2);)
        put_value(g, L);                           /* takes it off the stack */
    lua_pop(L, 1);
}

/* What others reach: through their stacks, me.process, and the arguments and modules that every function can
 * get. */
static void put_others(lua_graph *g)
{
    process *p = g->p;
    for (size_t i = 0; i < p->task_count; i++)
        for (size_t k = 0; p->tasks[i] != p->running && k < p->tasks[i]->link_count; k++)
            put_thread(g, p->tasks[i]->links[k].L);
    put_root(g, ROOT_PROCESS);
    put_root(g, ROOT_MODULES);
    put_futures(g);
    if (p->subscription_count)
        put_root(g, ROOT_HANDLERS);
    lua_graph_finish(g);
}

static bool is_waited_at(const process *p, const object *o)
{
    for (size_t i = 0; i < p->task_count; i++)
        if (p->tasks[i] != p->running && p->tasks[i]->object == o)
            return true;
    return false;
}

/* Everything that other tasks reach, in the process's graph. It is not charged to the client's budget. */
static lua_graph *reach(process *p)
{
    int guarded = p->guarded;
    p->guarded = 0;
    buf aside = { 0 };
    lua_graph *g = lua_graph_of(p);
    lua_graph_begin(g, &aside, p->now_ms);
    put_others(g);
    buf_free(&aside);
    p->guarded = guarded;
    return g;
}

/* Does another task reach the value at `at`: a table, or one of our objects on which tasks wait? */
static bool is_shared(process *p, lua_State *L, int at)
{
    const object *o = lua_type(L, at) == LUA_TUSERDATA ? object_at(L, at) : NULL;
    if (o ? o->kind != OBJECT_SEMAPHORE && o->kind != OBJECT_FUTURE && o->kind != OBJECT_TASK : !lua_istable(L, at))
        return false;
    if (o && is_waited_at(p, o))
        return true;
    const lua_graph *g = reach(p);
    return g->failure[0] || lua_graph_find(g, lua_topointer(L, at));
}

static const source *source_of(const process *p, const lua_Debug *ar)
{
    uint32_t number;
    return sscanf(ar->source, "=\1%u", &number) == 1 ? source_numbered(p->sources, number) : NULL;
}

/* Is the marked variable one of a function that other tasks reach, */
static bool marked_in_functions(lua_graph *g, const void *mark)
{
    bool found = false;
    for (size_t c = 0; c < g->cell_count && !found; c++) {
        lua_graph_push(g, g->cells[c].closure);
        lua_getupvalue(g->L, -1, (int)g->cells[c].index);
        found = lua_touserdata(g->L, -1) == mark;
        lua_pop(g->L, 2);
    }
    return found;
}

/* or a local of one that waits? */
static bool marked_in_frames(const process *p, const void *mark)
{
    bool found = false;
    for (size_t i = 0; i < p->task_count; i++)
        for (size_t k = 0; p->tasks[i] != p->running && k < p->tasks[i]->link_count; k++) {
            lua_State *T = p->tasks[i]->links[k].L;
            lua_Debug ar;
            for (int level = lua_checkstack(T, 2) ? 0 : INT32_MAX; !found && lua_getstack(T, level, &ar); level++)
                for (int n = 1; !found && lua_getlocal(T, &ar, n); n++) {
                    found = lua_touserdata(T, -1) == mark;
                    lua_pop(T, 1);
                }
        }
    return found;
}

/* The variable that the calling function is about to read or assign. Lua 5.1 cannot say whether two functions share
 * one: it is marked, and searched for through the others (as in lua_graph_functions.c). */
static bool is_shared_variable(process *p, lua_State *L)
{
    static const char mark = 0;
    lua_Debug ar;
    if (!lua_getstack(L, 1, &ar))
        return true;
    lua_getinfo(L, "Slf", &ar);
    int function = lua_gettop(L);
    const source *s = source_of(p, &ar);
    int v = s ? source_point_variable(s, ar.currentline) : 0;
    if (v == 0)
        return true;
    lua_graph *g = reach(p);
    if (v > 0)
        lua_getupvalue(L, function, v);
    else
        lua_getlocal(L, &ar, -v);
    for (int pass = 0; pass < 2; pass++) {
        bool back = pass == 1;
        bool found = back && (marked_in_functions(g, &mark) || marked_in_frames(p, &mark));
        if (back)
            lua_pushvalue(L, function + 1);
        else
            lua_pushlightuserdata(L, (void *)(uintptr_t)&mark);
        if (v > 0)
            lua_setupvalue(L, function, v);
        else
            lua_setlocal(L, &ar, -v);
        if (back)
            return found || g->failure[0];
    }
    return true;
}

/* Can the frame's function be suspended while it calls the one above it? Not if the caller is C, an operator, or a
 * for. */
static bool frame_waits(const process *p, lua_State *T, lua_Debug *ar)
{
    lua_getinfo(T, "Sl", ar);
    if (*ar->what == 'C')
        return false;
    const source *s = source_of(p, ar);
    if (!s)
        return true;       /* a trampoline of ours */
    if (!registers_after_call(s, ar->currentline))
        return false;      /* no call stands there, so it is a for's iterator */
    int slots = 0;         /* a call's function lies in a register; an operator's is put above all of them */
    for (; lua_getlocal(T, ar, slots + 1); slots++)
        lua_pop(T, 1);
    return slots < registers_of_frame(s, ar->linedefined);
}

static bool can_wait(const process *p)
{
    for (size_t i = 0; i < p->link_count; i++) {
        lua_State *T = p->links[i].L;
        lua_Debug ar;
        if (!lua_checkstack(T, 2) || !lua_getstack(T, 0, &ar))
            return false;
        /* below the built-in function that runs, or called the next coroutine */
        for (ar.i_ci--; ar.i_ci > 0; ar.i_ci--)
            if (!frame_waits(p, T, &ar))
                return false;
    }
    return true;
}

static bool may_stop(process *p, lua_State *L)
{
    return p->points && p->running && !in_atomic(p) && has_others(p, L);
}

static int stop(process *p, lua_State *L)
{
    if (!can_wait(p))
        return 0;
    return task_wait(L, &(wait_request){ .kind = WAIT_POINT, .ms = -1, .name = "go_on", .call = "an access" }, 0);
}

/* (), (table), (table, key). A computed name could be one that points.c took for constant. */
static int before_access(lua_State *L)
{
    process *p = process_of(L);
    bool variable = lua_gettop(L) == 0;
    if (!may_stop(p, L) || !(variable ? is_shared_variable(p, L) : is_shared(p, L, 1)))
        return 0;
    str key = { 0 };
    if (!variable && lua_type(L, 2) == LUA_TSTRING)
        key.p = lua_tolstring(L, 2, &key.n);
    if (key.p && point_names_constant(source_points(p->sources), key))
        return luaL_error(L, "with faults = { preempt = ... } the field '%s' of a table that other tasks reach cannot "
                          "be "
                             "assigned by a computed name, because it is read as .%s elsewhere and assigned by that "
                             "name nowhere", key.p, key.p);
    return stop(p, L);
}

/* (function, its first argument) */
static int before_call(lua_State *L)
{
    process *p = process_of(L);
    if (!lua_iscfunction(L, 1) || !may_stop(p, L) || !is_shared(p, L, 2))
        return 0;
    return stop(p, L);
}

void preempt_open(lua_State *L)
{
    lua_pushcfunction(L, before_access);
    lua_setfield(L, -2, POINT_ACCESS);
    lua_pushcfunction(L, before_call);
    lua_setfield(L, -2, POINT_CALL);
}
