/* lua_bit.c - the bit library as Redis embeds it: Debian's lua-bitop, but for one call that would crash it.
 * bit.tohex(x, n) negates n to learn how many digits to print; for n = -2^31 that overflows, and the library then reads
 * far outside its buffer. Redis 7.0 prints eight capital digits there, as for any n below -8; so do we. */
#include "script/script_host.h"

#include <string.h>

#include <lua-bitop.h>

/* The low 32 bits of the nearest integer, as the library takes its arguments: adding 2^52 + 2^51 leaves them in the
 * mantissa. */
static uint32_t low_bits(lua_Number n)
{
    uint64_t bits;
    n += 6755399441055744.0;
    memcpy(&bits, &n, sizeof bits);
    return (uint32_t)bits;
}

static int bit_tohex(lua_State *L)
{
    if (lua_isnumber(L, 2) && low_bits(lua_tonumber(L, 2)) == UINT32_C(0x80000000)) {
        lua_pushinteger(L, -8);
        lua_replace(L, 2);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    host_check(L, status);
    return lua_raise_as_stock(L, status);
}

void lua_open_bit(lua_State *L)
{
    lua_pushcfunction(L, luaopen_bit);
    lua_pushliteral(L, "bit");
    lua_call(L, 1, 1);                                   /* registers a global too, which the caller replaces */
    lua_push_charged(L, bit_tohex, "tohex");
}
