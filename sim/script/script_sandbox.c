/* script_sandbox.c - what a script can reach: the globals of Redis, read-only, and nothing of the machine.
 *
 * Stock Lua 5.1 knows no read-only tables. So scripts only ever see empty proxies: a proxy's metatable reads from the
 * real table and refuses writes, and the functions that look behind metatables (rawget, rawset, next, ...) know the
 * proxies. The real globals have in turn a metatable whose __index raises, so a hit costs two table look-ups and no
 * call. Facts: REDIS-FIDELITY.md section 3. */
#include "redis/server.h"
#include "script/script_host.h"

#include <assert.h>

static const char READONLY[] = "Attempt to modify a readonly table";

bool sandbox_push_real(lua_State *L, int index)
{
    script_host *h = host_of(L);
    const void *p = lua_topointer(L, index);
    for (size_t i = 0; i < h->protected_n; i++)
        if (h->protected[i].proxy == p) {
            lua_getfield(L, LUA_REGISTRYINDEX, "protected");
            lua_rawgeti(L, -1, (int)i + 1);
            lua_remove(L, -2);
            return true;
        }
    return false;
}

bool sandbox_is_protected(lua_State *L, int index)
{
    script_host *h = host_of(L);
    const void *p = lua_topointer(L, index);
    for (size_t i = 0; i < h->protected_n; i++)
        if (h->protected[i].proxy == p || h->protected[i].real == p)
            return true;
    return false;
}

int sandbox_readonly(lua_State *L)
{
    lua_pushstring(L, READONLY);
    return lua_error(L);
}

/* __newindex of every proxy: from Lua code, so with its position. */
static int refuse_write(lua_State *L)
{
    script_host *h = host_of(L);
    if (h->run.running && lua_topointer(L, 1) == h->protected[0].proxy) {
        str name = S("?");
        if (lua_type(L, 2) == LUA_TSTRING)
            name.p = lua_tolstring(L, 2, &name.n);
        script_report(h, FINDING_LEAKED_GLOBAL, script_line_of(L), name);
    }
    return luaL_error(L, "%s", READONLY);
}

/* __index of the real globals: only names that do not exist come here. */
static int refuse_read(lua_State *L)
{
    if (lua_gettop(L) != 2)
        return luaL_error(L, "Wrong number of arguments to luaProtectedTableError");
    if (!lua_isstring(L, 2))
        return luaL_error(L, "Second argument to luaProtectedTableError must be a string or number");
    return luaL_error(L, "Script attempted to access nonexistent global variable '%s'", lua_tostring(L, 2));
}

/* Remembers that `proxy` (below the top) stands for `real` (on top); pops the real one. */
static void remember(lua_State *L)
{
    script_host *h = host_of(L);
    assert(h->protected_n < HOST_TABLES_MAX);
    h->protected[h->protected_n].proxy = lua_topointer(L, -2);
    h->protected[h->protected_n++].real = lua_topointer(L, -1);
    lua_getfield(L, LUA_REGISTRYINDEX, "protected");
    lua_insert(L, -2);
    lua_rawseti(L, -2, (int)h->protected_n);
    /* so that they are never collected, and their addresses stay theirs */
    lua_getfield(L, LUA_REGISTRYINDEX, "proxies");
    lua_pushvalue(L, -3);
    lua_rawseti(L, -2, (int)h->protected_n);
    lua_pop(L, 2);
}

void sandbox_protect(lua_State *L)
{
    lua_newtable(L);                                     /* real, proxy */
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_write);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_insert(L, -2);                                   /* proxy, real */
    remember(L);
}

/* Adds the protected library on top of the stack to the globals, at index `globals`. */
static void add_library(lua_State *L, int globals, const char *name)
{
    sandbox_protect(L);
    lua_setfield(L, globals, name);
}

/* Processor seconds: as many as the run's steps would take, so that equal runs get equal answers. */
static int os_clock(lua_State *L)
{
    const double step_s = 1e-8;
    const script_host *h = host_of(L);
    lua_pushnumber(L, (double)(h->limits.script_steps - h->steps_left) * step_s);
    return 1;
}

/* The globals of a library's chunk while it is loaded: `redis` with few fields, and nothing else. The metatable of
 * globals is on top. */
static void add_load_globals(lua_State *L, bool server_table)
{
    int metatable = lua_gettop(L);
    lua_newtable(L);
    script_open_load(L);
    lua_pushvalue(L, metatable);
    lua_setmetatable(L, -2);
    sandbox_protect(L);
    if (server_table) {
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, "server");
    }
    lua_setfield(L, -2, "redis");
    lua_pushvalue(L, metatable);
    lua_setmetatable(L, -2);
    lua_setfield(L, LUA_REGISTRYINDEX, "load_globals");
}

void sandbox_loading(lua_State *L, bool yes)
{
    lua_getmetatable(L, LUA_GLOBALSINDEX);
    if (yes)
        lua_getfield(L, LUA_REGISTRYINDEX, "load_globals");
    else
        lua_pushvalue(L, SLOT_GLOBALS);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}

static int open_all(lua_State *L)
{
    lua_newtable(L);                                     /* real tables and their proxies, by number */
    lua_setfield(L, LUA_REGISTRYINDEX, "protected");
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "proxies");

    lua_open_base(L);                                    /* leaves the real globals */
    int globals = lua_gettop(L);
    const redis *server = host_of(L)->server;
    bool of_functions = host_of(L)->of_functions;
    if (!of_functions) {
        lua_pushcfunction(L, script_handler);
        lua_setfield(L, globals, "__redis__err__handler");
    }
    if (!of_functions && server_follows(server, RULE_SERVER_TABLE)) {
        lua_pushcfunction(L, script_handler);
        lua_setfield(L, globals, "__server__err__handler");
    }

    /* _G first: protected[0] is the globals. */
    lua_pushvalue(L, globals);
    sandbox_protect(L);
    lua_setfield(L, globals, "_G");

    lua_open_string(L);
    lua_open_match(L);
    lua_pushvalue(L, -1);
    sandbox_protect(L);                                  /* real string, proxy string */
    lua_pushvalue(L, -1);
    lua_setfield(L, globals, "string");
    lua_newtable(L);                                     /* getmetatable('') as scripts see it */
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    sandbox_protect(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "string_metatable");
    lua_newtable(L);                                     /* and as the machine sees it: methods without a detour */
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "");
    lua_insert(L, -2);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);

    lua_open_table(L);
    add_library(L, globals, "table");
    lua_open_math(L);
    add_library(L, globals, "math");
    lua_open_coroutine(L);
    add_library(L, globals, "coroutine");
    lua_open_bit(L);
    add_library(L, globals, "bit");
    lua_open_cjson(L);
    add_library(L, globals, "cjson");
    lua_open_cmsgpack(L);
    add_library(L, globals, "cmsgpack");
    lua_open_struct(L);
    add_library(L, globals, "struct");
    script_open_redis(L);
    add_library(L, globals, "redis");
    if (server_follows(server, RULE_SERVER_TABLE)) {
        lua_getfield(L, globals, "redis");
        lua_setfield(L, globals, "server");
    }
    if (server_follows(server, RULE_OS_CLOCK)) {
        lua_newtable(L);
        lua_pushcfunction(L, os_clock);
        lua_setfield(L, -2, "clock");
        add_library(L, globals, "os");
    }

    lua_newtable(L);
    lua_pushcfunction(L, refuse_read);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, -1);
    lua_setmetatable(L, globals);
    if (of_functions)
        add_load_globals(L, server_follows(server, RULE_SERVER_TABLE));
    sandbox_protect(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "globals_metatable");
    assert(lua_gettop(L) == globals);
    return 1;
}

void sandbox_open(lua_State *L)
{
    script_host *h = host_of(L);
    int ok = lua_checkstack(L, SLOT_LAST + LUA_MINSTACK);
    assert(ok);
    lua_pushlightuserdata(L, h);                         /* SLOT_MARK */
    lua_pushcfunction(L, open_all);
    int status = lua_pcall(L, 0, 1, 0);                  /* SLOT_GLOBALS */
    assert(status == 0);
    lua_pushcfunction(L, script_handler);
    lua_newtable(L);                                     /* SLOT_FUNCTIONS */
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "functions");
    lua_pushliteral(L, "KEYS");
    lua_pushliteral(L, "ARGV");
    script_fast_globals(L);                              /* SLOT_FAST */
    lua_newtable(L);                                     /* SLOT_KEPT */
    /* Chunks are compiled in the thread's globals: the proxy. */
    lua_pushliteral(L, "_G");
    lua_rawget(L, SLOT_GLOBALS);
    lua_replace(L, LUA_GLOBALSINDEX);
}
