/* lua_base.c - the basic functions of Lua 5.1 as Redis gives them to scripts: those that look behind metatables know
 * the sandbox's proxies, those that catch errors let the end of a budget through, and none shows an address or takes
 * bytecode.
 * Source: the Lua 5.1 reference manual, section 5.1; what Redis changed: REDIS-FIDELITY.md sections 2 and 3. */
#include "redis/command.h"
#include "script/lua_slots.h"
#include "script/script_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lualib.h>

static int base_getmetatable(lua_State *L)
{
    script_host *h = host_of(L);
    luaL_checkany(L, 1);
    if (sandbox_is_protected(L, 1)) {
        if (lua_topointer(L, 1) == h->protected[0].proxy)
            lua_getfield(L, LUA_REGISTRYINDEX, "globals_metatable");
        else
            lua_pushnil(L);
        return 1;
    }
    if (lua_type(L, 1) == LUA_TSTRING) {
        lua_getfield(L, LUA_REGISTRYINDEX, "string_metatable");
        return 1;
    }
    if (!lua_getmetatable(L, 1)) {
        lua_pushnil(L);
        return 1;
    }
    if (luaL_getmetafield(L, 1, "__metatable"))
        return 1;
    const void *real = lua_topointer(L, -1);
    for (size_t i = 0; i < h->protected_n; i++)
        if (h->protected[i].real == real) {              /* never return the table behind a proxy */
            lua_getfield(L, LUA_REGISTRYINDEX, "proxies");
            lua_rawgeti(L, -1, (int)i + 1);
        }
    return 1;
}

static int base_setmetatable(lua_State *L)
{
    int type = lua_type(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
    if (sandbox_is_protected(L, 1))
        return sandbox_readonly(L);
    if (luaL_getmetafield(L, 1, "__metatable"))
        return luaL_error(L, "cannot change a protected metatable");
    if (type == LUA_TTABLE) {
        /* Finalizers exist for userdata only, so a metatable of the script's is harmless. A proxy as metatable would be
         * looked at raw and found empty: the real table takes its place, out of the script's reach either way. */
        lua_settop(L, 2);
        if (sandbox_push_real(L, 2))
            lua_replace(L, 2);
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

static int base_rawget(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    if (sandbox_push_real(L, 1))
        lua_replace(L, 1);
    lua_rawget(L, 1);
    return 1;
}

static int base_rawset(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    if (sandbox_is_protected(L, 1)) {
        script_host *h = host_of(L);
        if (h->run.running && lua_topointer(L, 1) == h->protected[0].proxy && lua_type(L, 2) == LUA_TSTRING) {
            str name;
            name.p = lua_tolstring(L, 2, &name.n);
            script_report(h, FINDING_LEAKED_GLOBAL, script_line_of(L), name);
        }
        return sandbox_readonly(L);
    }
    lua_rawset(L, 1);
    return 1;
}

/* What identifies a key between two calls of `next`, without holding on to it. */
static uint64_t key_identity(lua_State *L, int index)
{
    uint64_t word = 0;
    lua_Number n;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        n = lua_tonumber(L, index);
        memcpy(&word, &n, sizeof word);
        return word;
    case LUA_TSTRING:
        return (uint64_t)(uintptr_t)lua_tostring(L, index);
    default:
        return (uint64_t)(uintptr_t)lua_topointer(L, index) + (uint64_t)lua_toboolean(L, index);
    }
}

/* Walking a table costs its slots, not its entries: `next` on a large table that was emptied scans all of it. A walk
 * that goes on where it stopped is paid for by its beginning; anything else pays again. */
static int base_next(lua_State *L)
{
    script_host *h = host_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    if (h->largest_table_bytes > 0 &&
        (lua_isnil(L, 2) || lua_topointer(L, 1) != h->next_table || key_identity(L, 2) != h->next_key))
        host_charge(L, h->largest_table_bytes / 64);
    if (sandbox_push_real(L, 1))
        lua_replace(L, 1);
    if (!lua_next(L, 1)) {
        lua_pushnil(L);
        return 1;
    }
    if (h->largest_table_bytes > 0) {
        h->next_table = lua_topointer(L, 1);
        h->next_key = key_identity(L, -2);
    }
    return 2;
}

static int base_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushvalue(L, lua_upvalueindex(1));               /* next */
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

static int base_unpack(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    int i = luaL_optint(L, 2, 1);
    int e = luaL_opt(L, luaL_checkint, 3, (int)lua_objlen(L, 1));
    if (i > e)
        return 0;
    int64_t n = (int64_t)e - i + 1;
    if (n >= INT32_MAX || n <= 0 || !lua_checkstack(L, (int)n))
        return luaL_error(L, "too many results to unpack");
    host_many(L, (size_t)n);
    for (int64_t k = i; k <= e; k++)
        lua_rawgeti(L, 1, (int)k);
    return (int)n;
}

/* Objects have addresses; a result must not. Each object that is shown in a run gets the next number. */
static void push_object_text(lua_State *L, int index)
{
    script_host *h = host_of(L);
    if (lua_islightuserdata(L, index) && !lua_touserdata(L, index)) {
        lua_pushliteral(L, "userdata: (nil)");           /* cjson.null */
        return;
    }
    if (h->ids == 0) {    /* the first of this run: numbers of earlier ones are forgotten */
        lua_newtable(L);
        lua_createtable(L, 0, 1);
        lua_pushliteral(L, "k");
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
        lua_setfield(L, LUA_REGISTRYINDEX, "object_ids");
    }
    lua_getfield(L, LUA_REGISTRYINDEX, "object_ids");
    lua_pushvalue(L, index);
    lua_rawget(L, -2);
    lua_Number id = lua_tonumber(L, -1);
    lua_pop(L, 1);
    if (id == 0) {
        id = (lua_Number)++h->ids;
        lua_pushvalue(L, index);
        lua_pushnumber(L, id);
        lua_rawset(L, -3);
    }
    lua_pop(L, 1);
    char text[48];
    snprintf(text, sizeof text, "%s: 0x%012llx", luaL_typename(L, index),
             0x7f0000000000ULL + (unsigned long long)id * 32);
    lua_pushstring(L, text);
}

static int base_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_callmeta(L, 1, "__tostring"))
        return 1;
    switch (lua_type(L, 1)) {
    case LUA_TNUMBER:
        lua_pushstring(L, lua_tostring(L, 1));
        break;
    case LUA_TSTRING:
        lua_pushvalue(L, 1);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, 1) ? "true" : "false");
        break;
    case LUA_TNIL:
        lua_pushliteral(L, "nil");
        break;
    default:
        push_object_text(L, 1);
        break;
    }
    return 1;
}

static int base_tonumber(lua_State *L)
{
    int given = lua_gettop(L), base = given < 2 ? 10 : luaL_optint(L, 2, 10);
    str text = S("");
    int64_t whole;
    if (given > 0 && lua_slots(L)->type == LUA_TSTRING) {
        text = lua_slot_text(lua_slots(L));
        host_charge_bytes(L, text.n);
    }
    if (base == 10) {
        /* as Redis writes most of what scripts read: Lua's own way takes ten times as long */
        if (parse_int(text, &whole)) {
            lua_pushnumber(L, (lua_Number)whole);
            return 1;
        }
        luaL_checkany(L, 1);
        if (lua_isnumber(L, 1)) {
            lua_pushnumber(L, lua_tonumber(L, 1));
            return 1;
        }
    } else {
        const char *digits = luaL_checkstring(L, 1);
        luaL_argcheck(L, 2 <= base && base <= 36, 2, "base out of range");
        char *end;
        unsigned long n = strtoul(digits, &end, base);
        if (end != digits) {
            end += strspn(end, " \t\n\v\f\r");
            if (*end == '\0') {
                lua_pushnumber(L, (lua_Number)n);
                return 1;
            }
        }
    }
    lua_pushnil(L);
    return 1;
}

/* Like Lua's, but a table with an `err` is replaced by its text, as Redis's own replacement does. When there is none,
 * its nil stays behind as a third result; so it does there. */
static int base_pcall(lua_State *L)
{
    int args = lua_gettop(L);
    if (args == 0)
        lua_pushboolean(L, true);    /* what the real one then tries to call is its own first result */
    lua_pushboolean(L, true);
    lua_insert(L, 1);
    int status = lua_pcall(L, args > 0 ? args - 1 : 0, LUA_MULTRET, 0);
    host_check(L, status);
    if (status == 0)
        return lua_gettop(L);
    lua_pushboolean(L, false);
    lua_replace(L, 1);
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "err");
        if (lua_isstring(L, -1))
            lua_replace(L, -2);
    }
    return lua_gettop(L);
}

/* Stands before the handler of xpcall. A run that is being stopped must not enter it: Lua would call it from within our
 * hook, where no further hook fires, and an endless handler would never end. */
static int guarded_handler(lua_State *L)
{
    if (host_of(L)->blown != BLOWN_NOT)
        return 1;
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int base_xpcall(lua_State *L)
{
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    if (lua_isfunction(L, 2))
        lua_pushcclosure(L, guarded_handler, 1);
    lua_insert(L, 1);                                    /* the handler below the function */
    int status = lua_pcall(L, 0, LUA_MULTRET, 1);
    host_check(L, status);
    lua_pushboolean(L, status == 0);
    lua_replace(L, 1);
    return lua_gettop(L);
}

/* Text only: a chunk that begins like bytecode meets the parser instead, behind a blank that it skips. */
static int load_text(lua_State *L, const char *text, size_t n, const char *name)
{
    host_charge(L, n);
    int status;
    script_host *h = host_of(L);
    size_t heap_max = host_library_begin(h, false);
    if (n > 0 && text[0] == LUA_SIGNATURE[0]) {
        lua_pushliteral(L, " ");
        lua_pushlstring(L, text, n);
        lua_concat(L, 2);
        text = lua_tolstring(L, -1, &n);
        status = script_compile(L, (str){ text, n }, name);
        lua_remove(L, -2);
    } else {
        status = script_compile(L, (str){ text, n }, name);
    }
    host_library_end(h, heap_max);
    host_check(L, status);
    if (status == 0)
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

static int base_loadstring(lua_State *L)
{
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    return load_text(L, text, n, luaL_optstring(L, 2, text));
}

typedef struct {
    bool begun, prefixed;
} piece_reader;

/* Slot 3 keeps the current piece alive. */
static const char *read_piece(lua_State *L, void *context, size_t *n)
{
    piece_reader *r = context;
    if (r->prefixed) {
        r->prefixed = false;
        return lua_tolstring(L, 3, n);
    }
    luaL_checkstack(L, 2, "too many nested functions");
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        *n = 0;
        return NULL;
    }
    if (!lua_isstring(L, -1))
        luaL_error(L, "reader function must return a string");
    lua_replace(L, 3);
    const char *text = lua_tolstring(L, 3, n);
    host_charge(L, *n + 1);
    if (!r->begun && *n > 0 && text[0] == LUA_SIGNATURE[0]) {
        r->begun = r->prefixed = true;
        *n = 1;
        return " ";
    }
    r->begun = true;
    return text;
}

static int base_load(lua_State *L)
{
    const char *name = luaL_optstring(L, 2, "=(load)");
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 3);
    piece_reader r = { 0 };
    int status = lua_load(L, read_piece, &r, name);
    host_check(L, status);
    if (status == 0)
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

/* The collector is under our control, so that a run's result does not depend on earlier runs; a script's requests to it
 * are answered. */
static int base_collectgarbage(lua_State *L)
{
    static const char *const options[] = { "stop", "restart", "collect", "count", "step", "setpause", "setstepmul",
                                           NULL };
    script_host *h = host_of(L);
    int option = luaL_checkoption(L, 1, "collect", options);
    int n = luaL_optint(L, 2, 0);
    switch (option) {
    case 2:
        host_charge(L, 1000 + h->heap_bytes / 16);
        lua_gc(L, LUA_GCCOLLECT, 0);
        lua_gc(L, LUA_GCSTOP, 0);
        h->heap_live = h->heap_bytes;
        lua_pushnumber(L, 0);
        break;
    case 3:
        lua_pushnumber(L, (lua_Number)h->heap_bytes / 1024);
        break;
    case 4:
        lua_pushboolean(L, false);
        break;
    case 5:
        lua_pushnumber(L, lua_gc(L, LUA_GCSETPAUSE, n));
        break;
    case 6:
        lua_pushnumber(L, lua_gc(L, LUA_GCSETSTEPMUL, n));
        break;
    default:
        lua_pushnumber(L, 0);
        break;
    }
    return 1;
}

static int base_gcinfo(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)(host_of(L)->heap_bytes / 1024));
    return 1;
}

void lua_open_base(lua_State *L)
{
    static const luaL_Reg ours[] = {
        { "collectgarbage", base_collectgarbage }, { "gcinfo", base_gcinfo }, { "getmetatable", base_getmetatable },
        { "load", base_load }, { "loadstring", base_loadstring }, { "next", base_next }, { "pcall", base_pcall },
        { "rawget", base_rawget }, { "rawset", base_rawset }, { "setmetatable", base_setmetatable },
        { "tonumber", base_tonumber }, { "tostring", base_tostring }, { "unpack", base_unpack },
        { "xpcall", base_xpcall },
        { NULL, NULL },
    };
    static const char *const gone[] = { "dofile", "loadfile", "print", "require", "module", "getfenv", "setfenv",
                                        "newproxy",
                                        "coroutine" };
    lua_pushcfunction(L, luaopen_base);
    lua_call(L, 0, 0);
    lua_pushvalue(L, LUA_GLOBALSINDEX);
    for (size_t i = 0; i < COUNT(gone); i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, gone[i]);
    }
    for (const luaL_Reg *r = ours; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
    lua_getfield(L, -1, "next");
    lua_pushcclosure(L, base_pairs, 1);
    lua_setfield(L, -2, "pairs");
}
