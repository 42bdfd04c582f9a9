/* lua_math.c - the math library with Redis's random numbers: a 48-bit generator whose state belongs to the server.
 * Source: drand48 of POSIX (multiplier 0x5DEECE66D, increment 0xB); REDIS-FIDELITY.md section 3 for seeds and
 * scaling. */
#include "script/script_host.h"

#include <math.h>

#include <lualib.h>

static int32_t draw(script_host *h)
{
    h->random_state = (h->random_state * UINT64_C(0x5DEECE66D) + 0xB) & ((UINT64_C(1) << 48) - 1);
    return (int32_t)(h->random_state >> 17);             /* the upper 31 bits */
}

static int math_random(lua_State *L)
{
    /* The number is drawn before the arguments are checked: a refused call changes the state, too. */
    lua_Number r = (lua_Number)(draw(host_of(L)) % INT32_MAX) / (lua_Number)INT32_MAX;
    int low, high;
    switch (lua_gettop(L)) {
    case 0:
        lua_pushnumber(L, r);
        return 1;
    case 1:
        high = luaL_checkint(L, 1);
        luaL_argcheck(L, 1 <= high, 1, "interval is empty");
        lua_pushnumber(L, floor(r * high) + 1);
        return 1;
    case 2:
        low = luaL_checkint(L, 1);
        high = luaL_checkint(L, 2);
        luaL_argcheck(L, low <= high, 2, "interval is empty");
        lua_pushnumber(L, floor(r * (int)((unsigned)high - (unsigned)low + 1)) + low);
        return 1;
    default:
        return luaL_error(L, "wrong number of arguments");
    }
}

static int math_randomseed(lua_State *L)
{
    uint32_t seed = (uint32_t)luaL_checkint(L, 1);
    host_of(L)->random_state = (uint64_t)seed << 16 | 0x330E;
    return 0;
}

void lua_open_math(lua_State *L)
{
    lua_pushcfunction(L, luaopen_math);
    lua_pushliteral(L, "math");
    lua_call(L, 1, 1);
    lua_pushcfunction(L, math_random);
    lua_setfield(L, -2, "random");
    lua_pushcfunction(L, math_randomseed);
    lua_setfield(L, -2, "randomseed");
}

uint64_t script_host_random(const script_host *h)
{
    return h->random_state;
}

void script_host_set_random(script_host *h, uint64_t state)
{
    h->random_state = state;
}
