/* lua_table.c - the table library of Lua 5.1: the same results and error texts, but loops inside C are charged.
 * Source: the Lua 5.1 reference manual, section 5.5. */
#include "script/script_host.h"

#include <string.h>

#include <lualib.h>

static int size_of(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    return (int)lua_objlen(L, 1);
}

static int table_getn(lua_State *L)
{
    lua_pushinteger(L, size_of(L));
    return 1;
}

static int table_setn(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    return luaL_error(L, "'setn' is obsolete");
}

static int table_maxn(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    host_charge(L, host_of(L)->largest_table_bytes / 64);
    lua_Number max = 0;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        host_charge(L, 1);
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) > max)
            max = lua_tonumber(L, -1);
    }
    lua_pushnumber(L, max);
    return 1;
}

static int table_insert(lua_State *L)
{
    int end = size_of(L) + 1, at;
    if (sandbox_is_protected(L, 1) && lua_gettop(L) >= 2 && lua_gettop(L) <= 3) {
        if (lua_gettop(L) == 3)
            (void)luaL_checkint(L, 2);
        return sandbox_readonly(L);
    }
    switch (lua_gettop(L)) {
    case 2:
        at = end;
        break;
    case 3:
        at = luaL_checkint(L, 2);
        if (at > end)
            end = at;                                    /* the table grows up to the given index */
        if (end > at)
            host_charge(L, (uint64_t)((int64_t)end - at));
        for (int i = end; i > at; i--) {
            lua_rawgeti(L, 1, i - 1);
            lua_rawseti(L, 1, i);
        }
        break;
    default:
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_rawseti(L, 1, at);
    return 0;
}

static int table_remove(lua_State *L)
{
    int end = size_of(L);
    int at = luaL_optint(L, 2, end);
    if (at < 1 || at > end)
        return 0;
    host_charge(L, (uint64_t)(end - at));
    lua_rawgeti(L, 1, at);
    for (; at < end; at++) {
        lua_rawgeti(L, 1, at + 1);
        lua_rawseti(L, 1, at);
    }
    lua_pushnil(L);
    lua_rawseti(L, 1, end);
    return 1;
}

static void add_element(lua_State *L, luaL_Buffer *b, int i)
{
    lua_rawgeti(L, 1, i);
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid value (%s) at index %d in table for 'concat'", luaL_typename(L, -1), i);
    host_charge(L, 1 + lua_objlen(L, -1) / 16);
    luaL_addvalue(b);
}

static int table_concat(lua_State *L)
{
    size_t n;
    const char *separator = luaL_optlstring(L, 2, "", &n);
    luaL_checktype(L, 1, LUA_TTABLE);
    int i = luaL_optint(L, 3, 1);
    int last = luaL_opt(L, luaL_checkint, 4, (int)lua_objlen(L, 1));
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (; i < last; i++) {
        add_element(L, &b, i);
        host_charge_bytes(L, n);
        luaL_addlstring(&b, separator, n);
    }
    if (i == last)
        add_element(L, &b, i);
    luaL_pushresult(&b);
    return 1;
}

static int table_foreachi(lua_State *L)
{
    int n = size_of(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    for (int i = 1; i <= n; i++) {
        host_charge(L, 1);
        lua_pushvalue(L, 2);
        lua_pushinteger(L, i);
        lua_rawgeti(L, 1, i);
        lua_call(L, 2, 1);
        if (!lua_isnil(L, -1))
            return 1;
        lua_pop(L, 1);
    }
    return 0;
}

static int table_foreach(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    host_charge(L, host_of(L)->largest_table_bytes / 64);
    lua_settop(L, 2);
    if (sandbox_push_real(L, 1))
        lua_replace(L, 1);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        host_charge(L, 1);
        lua_pushvalue(L, 2);
        lua_pushvalue(L, -3);
        lua_pushvalue(L, -3);
        lua_call(L, 2, 1);
        if (!lua_isnil(L, -1))
            return 1;
        lua_pop(L, 2);
    }
    return 0;
}

/* --- sort -------- */

/* Quicksort, median of three (Sedgewick 1978), in the order of comparisons of stock Lua 5.1: equal elements are in the
 * order that they have there, and so are all under a comparator that lies. */

static bool less(lua_State *L, int a, int b)
{
    host_charge(L, 2);
    if (!lua_isnil(L, 2)) {
        lua_pushvalue(L, 2);
        lua_pushvalue(L, a - 1);
        lua_pushvalue(L, b - 2);
        lua_call(L, 2, 1);
        bool is = lua_toboolean(L, -1);
        lua_pop(L, 1);
        return is;
    }
    if (lua_type(L, a) == LUA_TSTRING && lua_type(L, b) == LUA_TSTRING)
        host_charge_bytes(L, lua_objlen(L, a) < lua_objlen(L, b) ? lua_objlen(L, a) : lua_objlen(L, b));
    return lua_lessthan(L, a, b);
}

/* Stores the two values on top: the topmost at i, the one below at j. */
static void store_pair(lua_State *L, int i, int j)
{
    lua_rawseti(L, 1, i);
    lua_rawseti(L, 1, j);
}

/* Puts t[i] and t[j] in order. */
static void order_pair(lua_State *L, int i, int j)
{
    lua_rawgeti(L, 1, i);
    lua_rawgeti(L, 1, j);
    if (less(L, -1, -2))
        store_pair(L, i, j);
    else
        lua_pop(L, 2);
}

static void sort_range(lua_State *L, int low, int high)
{
    while (low < high) {
        order_pair(L, low, high);
        if (high - low == 1)
            break;
        int middle = (low + high) / 2;
        lua_rawgeti(L, 1, middle);
        lua_rawgeti(L, 1, low);
        if (less(L, -2, -1)) {                           /* t[middle] < t[low] */
            store_pair(L, middle, low);
        } else {
            lua_pop(L, 1);
            lua_rawgeti(L, 1, high);
            if (less(L, -1, -2))                         /* t[high] < t[middle] */
                store_pair(L, middle, high);
            else
                lua_pop(L, 2);
        }
        if (high - low == 2)
            break;
        lua_rawgeti(L, 1, middle);                       /* the pivot, kept on the stack */
        lua_pushvalue(L, -1);
        lua_rawgeti(L, 1, high - 1);
        store_pair(L, middle, high - 1);
        int i = low, j = high - 1;
        for (;;) {
            while (lua_rawgeti(L, 1, ++i), less(L, -1, -2)) {
                if (i > high)
                    luaL_error(L, "invalid order function for sorting");
                lua_pop(L, 1);
            }
            while (lua_rawgeti(L, 1, --j), less(L, -3, -1)) {
                if (j < low)
                    luaL_error(L, "invalid order function for sorting");
                lua_pop(L, 1);
            }
            if (j < i) {
                lua_pop(L, 3);
                break;
            }
            store_pair(L, i, j);
        }
        lua_rawgeti(L, 1, high - 1);
        lua_rawgeti(L, 1, i);
        store_pair(L, high - 1, i);
        if (i - low < high - i) {                        /* the smaller half first: depth stays logarithmic */
            sort_range(L, low, i - 1);
            low = i + 1;
        } else {
            sort_range(L, i + 1, high);
            high = i - 1;
        }
    }
}

static int table_sort(lua_State *L)
{
    int n = size_of(L);
    luaL_checkstack(L, 40, "");
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    sort_range(L, 1, n);
    return 0;
}

void lua_open_table(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "concat", table_concat }, { "foreach", table_foreach }, { "foreachi", table_foreachi },
        { "getn", table_getn },
        { "insert", table_insert }, { "maxn", table_maxn }, { "remove", table_remove }, { "setn", table_setn },
        { "sort", table_sort }, { NULL, NULL },
    };
    lua_newtable(L);
    for (const luaL_Reg *r = functions; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
}
