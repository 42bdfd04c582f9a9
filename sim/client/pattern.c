/* pattern.c - the pattern functions of client code (script/lua_match.h), charged to the budget of the running input.
 * Applied to an instant, they use more of it than its distance from now. */
#include "client/process_internal.h"
#include "client/time_use.h"
#include "script/lua_match.h"

static const match_host charged = { .charge = state_charge, .depth_max = 200 };

static int client_find(lua_State *L)
{
    time_use_argument(L, 1);
    return match_find(L, &charged);
}

static int client_match(lua_State *L)
{
    time_use_argument(L, 1);
    return match_match(L, &charged);
}

static int client_gsub(lua_State *L)
{
    time_use_argument(L, 1);
    return match_gsub(L, &charged);
}

static int next_match(lua_State *L)
{
    return match_next(L, &charged);
}

static int client_gmatch(lua_State *L)
{
    time_use_argument(L, 1);
    return match_gmatch(L, next_match);
}

void pattern_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "find", client_find }, { "gmatch", client_gmatch }, { "gsub", client_gsub }, { "match", client_match },
        { NULL, NULL },
    };
    luaL_register(L, NULL, functions);
}
