/* lua_string.c - the string library of Lua 5.1 without patterns (lua_match.c): the same results, but work is charged by
 * its size.
 * Source: the Lua 5.1 reference manual, section 5.4. */
#include "script/script_host.h"

#include <ctype.h>
#include <string.h>

#include <lualib.h>

/* A position as scripts write it: negative counts from the end, as -1 for the last. */
static ptrdiff_t position(ptrdiff_t at, size_t n)
{
    if (at < 0)
        at += (ptrdiff_t)n + 1;
    return at < 0 ? 0 : at;
}

static int string_len(lua_State *L)
{
    size_t n;
    luaL_checklstring(L, 1, &n);
    lua_pushinteger(L, (lua_Integer)n);
    return 1;
}

static int string_sub(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    ptrdiff_t from = position(luaL_checkinteger(L, 2), n);
    ptrdiff_t to = position(luaL_optinteger(L, 3, -1), n);
    if (from < 1)
        from = 1;
    if (to > (ptrdiff_t)n)
        to = (ptrdiff_t)n;
    if (from > to) {
        lua_pushliteral(L, "");
        return 1;
    }
    host_charge_bytes(L, (size_t)(to - from));
    lua_pushlstring(L, s + from - 1, (size_t)(to - from + 1));
    return 1;
}

/* Builds into a userdata, so that nothing leaks when memory runs out. */
static char *workspace(lua_State *L, size_t n)
{
    host_charge_bytes(L, n);
    return lua_newuserdata(L, n > 0 ? n : 1);
}

static int string_reverse(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    char *out = workspace(L, n);
    for (size_t i = 0; i < n; i++)
        out[i] = s[n - 1 - i];
    lua_pushlstring(L, out, n);
    return 1;
}

static int string_lower(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    char *out = workspace(L, n);
    for (size_t i = 0; i < n; i++)
        out[i] = (char)tolower((unsigned char)s[i]);
    lua_pushlstring(L, out, n);
    return 1;
}

static int string_upper(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    char *out = workspace(L, n);
    for (size_t i = 0; i < n; i++)
        out[i] = (char)toupper((unsigned char)s[i]);
    lua_pushlstring(L, out, n);
    return 1;
}

static int string_rep(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    int times = luaL_checkint(L, 2);
    if (times <= 0 || n == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    size_t total = n * (size_t)times;                    /* n < 2^32, times < 2^31 */
    char *out = workspace(L, total);
    for (size_t i = 0; i < (size_t)times; i++)
        memcpy(out + i * n, s, n);
    lua_pushlstring(L, out, total);
    return 1;
}

static int string_byte(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    ptrdiff_t from = position(luaL_optinteger(L, 2, 1), n);
    ptrdiff_t to = position(luaL_optinteger(L, 3, from), n);
    if (from <= 0)
        from = 1;
    if ((size_t)to > n)
        to = (ptrdiff_t)n;
    if (from > to)
        return 0;
    ptrdiff_t count = to - from + 1;
    if (count >= INT32_MAX)
        return luaL_error(L, "string slice too long");
    luaL_checkstack(L, (int)count, "string slice too long");
    if (count > 1)
        host_many(L, (size_t)count);
    for (ptrdiff_t i = 0; i < count; i++)
        lua_pushinteger(L, (unsigned char)s[from - 1 + i]);
    return (int)count;
}

static int string_char(lua_State *L)
{
    int n = lua_gettop(L);
    char *out = workspace(L, (size_t)n);
    for (int i = 1; i <= n; i++) {
        int c = luaL_checkint(L, i);
        luaL_argcheck(L, (unsigned char)c == c, i, "invalid value");
        out[i - 1] = (char)c;
    }
    lua_pushlstring(L, out, (size_t)n);
    return 1;
}

static int dump_piece(lua_State *L, const void *p, size_t n, void *b)
{
    (void)L;
    luaL_addlstring(b, p, n);
    return 0;
}

static int string_dump(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    if (lua_dump(L, dump_piece, &b) != 0)
        return luaL_error(L, "unable to dump given function");
    luaL_pushresult(&b);
    host_charge(L, lua_objlen(L, -1));
    return 1;
}

/* Called from C, a stock function knows neither its own name nor its caller's place, which its error texts name: both
 * are put in here. */
int lua_raise_as_stock(lua_State *L, int status)
{
    if (status == 0)
        return lua_gettop(L);
    if (lua_type(L, -1) != LUA_TSTRING)
        return lua_error(L);
    lua_Debug ar = { .name = NULL };
    if (lua_getstack(L, 0, &ar))
        lua_getinfo(L, "n", &ar);
    const char *name = ar.name ? ar.name : "?", *text = lua_tostring(L, -1);
    luaL_where(L, 1);
    /* A call as a method does not count the object as an argument. */
    int argument = 0, used = 0;
    if (sscanf(text, "bad argument #%d to '?' %n", &argument, &used) == 1 && used > 0) {
        if (ar.namewhat && strcmp(ar.namewhat, "method") == 0 && --argument == 0)
            lua_pushfstring(L, "calling '%s' on bad self %s", name, text + used);
        else
            lua_pushfstring(L, "bad argument #%d to '%s' %s", argument, name, text + used);
    } else {
        lua_pushvalue(L, -2);
    }
    lua_concat(L, 2);
    return lua_error(L);
}

static int string_format(lua_State *L)
{
    size_t work = 0;
    for (int i = 1; i <= lua_gettop(L); i++)
        work += lua_type(L, i) == LUA_TSTRING ? lua_objlen(L, i) : 16;
    /* A directive of 2 bytes can print some 400. */
    host_charge(L, work / 16 + (lua_type(L, 1) == LUA_TSTRING ? lua_objlen(L, 1) : 0));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    host_check(L, status);
    return lua_raise_as_stock(L, status);
}

void lua_push_charged(lua_State *L, lua_CFunction charged, const char *name)
{
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, charged, 1);
    lua_setfield(L, -2, name);
}

void lua_open_string(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "len", string_len }, { "sub", string_sub }, { "reverse", string_reverse }, { "lower", string_lower },
        { "upper", string_upper }, { "rep", string_rep }, { "byte", string_byte }, { "char", string_char },
        { "dump", string_dump }, { NULL, NULL },
    };
    lua_pushcfunction(L, luaopen_string);
    lua_pushliteral(L, "string");
    lua_call(L, 1, 1);
    for (const luaL_Reg *r = functions; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
    lua_push_charged(L, string_format, "format");
}
