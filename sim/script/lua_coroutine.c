/* lua_coroutine.c - the coroutine library of Lua 5.1, with every coroutine under the budget of its script.
 *
 * A coroutine has its own hook and its own stack: both must be watched, and an error by which we stop the run must pass
 * through resume. Each stack carries our mark in its first slot (script_budget.c recognises stacks by it), so one slot
 * more than stock Lua's is in use. Source: the Lua 5.1 reference manual, section 5.2. */
#include "script/script_host.h"

typedef enum { RUNNING, SUSPENDED, NORMAL, DEAD } co_status;

static const char *const status_names[] = { "running", "suspended", "normal", "dead" };

static co_status status_of(lua_State *L, lua_State *co)
{
    lua_Debug ar;
    if (L == co)
        return RUNNING;
    switch (lua_status(co)) {
    case LUA_YIELD:
        return SUSPENDED;
    case 0:
        if (lua_getstack(co, 0, &ar) > 0)
            return NORMAL;
        return lua_gettop(co) <= 1 ? DEAD : SUSPENDED;   /* not begun: the function lies above the mark */
    default:
        return DEAD;
    }
}

/* Moves `args` values over, runs, moves the results back: their number, or -1 with the error object on top. */
static int resume(lua_State *L, lua_State *co, int args)
{
    script_host *h = host_of(L);
    co_status was = status_of(L, co);
    if (!lua_checkstack(co, args))
        luaL_error(L, "too many arguments to resume");
    if (was != SUSPENDED) {
        lua_pushfstring(L, "cannot resume %s coroutine", status_names[was]);
        return -1;
    }
    host_charge(L, (uint64_t)args + 1);
    lua_xmove(L, co, args);
    lua_setlevel(L, co);
    host_watch(L, co);
    h->current = co;
    int status = lua_resume(co, args);
    h->current = L;
    host_watch(L, L);
    host_check(L, status == LUA_ERRMEM ? status : 0);
    if (status != 0 && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    int results = lua_gettop(co) - (status == 0 ? 1 : 0);
    if (!lua_checkstack(L, results + 1))
        luaL_error(L, "too many results to resume");
    if (results > 1)
        host_many(L, (size_t)results);
    lua_xmove(co, L, results);
    return results;
}

static lua_State *check_thread(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argcheck(L, co, 1, "coroutine expected");
    return co;
}

static int co_resume(lua_State *L)
{
    lua_State *co = check_thread(L);
    int n = resume(L, co, lua_gettop(L) - 1);
    lua_pushboolean(L, n >= 0);
    int below = n >= 0 ? n + 1 : 2;
    lua_insert(L, -below);
    return below;
}

static int wrap_call(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int n = resume(L, co, lua_gettop(L));
    if (n >= 0)
        return n;
    if (lua_isstring(L, -1)) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int co_create(lua_State *L)
{
    luaL_argcheck(L, lua_isfunction(L, 1) && !lua_iscfunction(L, 1), 1, "Lua function expected");
    host_charge(L, HOST_COROUTINE_STEPS);                /* what it may execute before its hook fires first */
    lua_State *co = lua_newthread(L);
    script_trace_inherit(host_of(L), L, co);
    lua_pushlightuserdata(co, host_of(L));
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

static int co_wrap(lua_State *L)
{
    co_create(L);
    lua_pushcclosure(L, wrap_call, 1);
    return 1;
}

static int co_yield(lua_State *L)
{
    return lua_yield(L, lua_gettop(L));
}

static int co_status_name(lua_State *L)
{
    lua_pushstring(L, status_names[status_of(L, check_thread(L))]);
    return 1;
}

static int co_running(lua_State *L)
{
    if (lua_pushthread(L))
        lua_pushnil(L);                                  /* the main thread is no coroutine */
    return 1;
}

void lua_open_coroutine(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "create", co_create }, { "resume", co_resume }, { "running", co_running }, { "status", co_status_name },
        { "wrap", co_wrap }, { "yield", co_yield }, { NULL, NULL },
    };
    lua_newtable(L);
    for (const luaL_Reg *r = functions; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
}
