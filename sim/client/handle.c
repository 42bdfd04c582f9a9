/* handle.c - `me`, a task's handle: its owner, and the source of its fields.
 *
 * All handles of one thread at one server share a metatable, which is made for the first of them and kept among the
 * process's roots. Its __index is a table, so that me.id or me:send runs no C: it contains the fixed fields of `me`
 * from the start, and each method after its first use. */
#include <string.h>

#include "client/process_internal.h"

object *me_check(lua_State *L)
{
    process *p = process_of(L);
    object *me = object_check(L, 1, OBJECT_ME);
    if (!p->running)
        luaL_error(L, "me cannot be used here: no task is running");
    return me;
}

void me_check_thread(lua_State *L, const object *me)
{
    process *p = process_of(L);
    if (me->permits != p->running->thread)
        luaL_error(L, "this handle belongs to %s, but %s is running: pass each task its own me",
                   task_who(p, (uint32_t)me->permits).p, p->running->who.p);
}

static int refuse_write(lua_State *L)
{
    return luaL_error(L, "me is the task's handle and cannot be changed; use locals, or me.process for what tasks "
                      "share");
}

static bool is_guarded_atomic(lua_State *L)
{
    const source_cache *c = process_of(L)->sources;
    return (source_wants_points(c) || source_wants_stalls(c)) && lua_type(L, 2) == LUA_TSTRING &&
           strcmp(lua_tostring(L, 2), "atomic") == 0;
}

/* A name that is not in the table of fields yet: a method, which is added to it, or nothing. Upvalue 1: all methods. */
static int find_method(lua_State *L)
{
    lua_settop(L, 2);
    if (is_guarded_atomic(L))
        lua_pushliteral(L, ATOMIC_GUARDED);
    else
        lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    if (!lua_isnil(L, 3)) {
        lua_pushvalue(L, 2);
        lua_pushvalue(L, 3);
        lua_rawset(L, 1);
        return 1;
    }
    const char *name = luaL_checkstring(L, 2);
    str known[64];
    size_t n = 0;                                  /* lua_next begins with the nil at 3 */
    while (n < COUNT(known) && lua_next(L, lua_upvalueindex(1))) {
        lua_pop(L, 1);
        known[n] = str_from(lua_tostring(L, -1));
        n += known[n].p[0] != 1;
    }
    for (size_t i = 1; i < n; i++)                 /* the nearest must not depend on the table's order */
        for (size_t j = i; j > 0 && str_cmp(known[j], known[j - 1]) < 0; j--) {
            str swap = known[j];
            known[j] = known[j - 1];
            known[j - 1] = swap;
        }
    str near = err_nearest(str_from(name), known, n);
    return near.n ? luaL_error(L, "me has no '%s'; did you mean '%s'?", name, near.p)
           : luaL_error(L, "me has no '%s'", name);
}

static void push_fields(lua_State *L, process *p, uint32_t thread, uint32_t server)
{
    str who = task_who(p, thread);
    lua_newtable(L);
    lua_pushlstring(L, who.p, who.n);
    lua_setfield(L, -2, "id");
    root_push(L, ROOT_PROCESS);
    lua_setfield(L, -2, "process");
    str client = p->scenario->clients[p->number].name;
    lua_pushlstring(L, client.p, client.n);
    lua_setfield(L, -2, "client");
    lua_pushinteger(L, (lua_Integer)thread);
    lua_setfield(L, -2, "thread");
    lua_pushinteger(L, (lua_Integer)server + 1);
    lua_setfield(L, -2, "server");
    lua_rawgeti(L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + OBJECT_ME);
    lua_setmetatable(L, -2);
}

static void push_metatable(lua_State *L, process *p, uint32_t thread, uint32_t server)
{
    int which = (int)((thread - 1) * p->scenario->servers + server + 1);
    root_push(L, ROOT_HANDLES);
    lua_rawgeti(L, -1, which);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        luaL_checkstack(L, 6, NULL);
        lua_createtable(L, 0, 3);
        push_fields(L, p, thread, server);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, refuse_write);
        lua_setfield(L, -2, "__newindex");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, which);
    }
    lua_remove(L, -2);
}

void push_handle(lua_State *L, uint32_t task_id, uint32_t thread, uint32_t server, uint32_t servers)
{
    object *me = lua_newuserdata(L, sizeof *me);
    *me = (object){ .kind = OBJECT_ME, .task = task_id, .server = server, .servers = servers, .permits = thread };
    push_metatable(L, process_of(L), thread, server);
    lua_setmetatable(L, -2);
}

void push_me(lua_State *L, const task *t, uint32_t server)
{
    push_handle(L, t->id, t->thread, server, 0);
}

void me_open(lua_State *L)
{
    lua_createtable(L, 0, 1);
    lua_newtable(L);
    waits_open(L);
    requests_open(L);
    channels_open(L);
    announce_open(L);
    lua_pushcclosure(L, find_method, 1);
    lua_setfield(L, -2, "__index");
    lua_rawseti(L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + OBJECT_ME);
}
