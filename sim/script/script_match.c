/* script_match.c - the pattern functions of scripts (lua_match.h), charged to the script's budget. */
#include "script/lua_match.h"
#include "script/script_host.h"

static const match_host charged = { .charge = host_charge, .depth_max = 10000 };

static int string_find(lua_State *L) { return match_find(L, &charged); }
static int string_match(lua_State *L) { return match_match(L, &charged); }
static int string_gsub(lua_State *L) { return match_gsub(L, &charged); }
static int gmatch_next(lua_State *L) { return match_next(L, &charged); }
static int string_gmatch(lua_State *L) { return match_gmatch(L, gmatch_next); }

void lua_open_match(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "find", string_find }, { "match", string_match }, { "gmatch", string_gmatch }, { "gfind", string_gmatch },
        { "gsub", string_gsub }, { NULL, NULL },
    };
    for (const luaL_Reg *r = functions; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
}
