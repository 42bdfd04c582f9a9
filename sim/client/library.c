/* library.c - the standard functions of client code: Lua 5.1's own where they are pure and bounded, and replacements
 * where stock Lua would show addresses, hash order or randomness, or could run for ever inside one instruction. */
#include <lualib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/ids.h"
#include "client/process_internal.h"
#include "client/time_use.h"

static int refuse_write(lua_State *L)
{
    return luaL_error(L, "this table belongs to locksim and cannot be changed (field '%s')", luaL_checkstring(L, 2));
}

void library_protect(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, 0, 3);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_write);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

/* Order of keys: numbers ascending, then strings by bytes. Both at absolute indices. */
static bool key_before(lua_State *L, int a, int b)
{
    int type_a = lua_type(L, a), type_b = lua_type(L, b);
    if (type_a != type_b)
        return type_a == LUA_TNUMBER;
    if (type_a == LUA_TNUMBER)
        return lua_tonumber(L, a) < lua_tonumber(L, b);
    str x, y;
    x.p = lua_tolstring(L, a, &x.n);
    y.p = lua_tolstring(L, b, &y.n);
    return str_cmp(x, y) < 0;
}

static void check_key(lua_State *L, int index)
{
    int type = lua_type(L, index);
    if (type != LUA_TNUMBER && type != LUA_TSTRING)
        luaL_error(L, "a table with a key of type %s has no order to walk it in; use strings or numbers as keys",
                   type == LUA_TBOOLEAN ? "boolean" : "table, function or coroutine");
}

/* next(t, k) in key order; k need not be in the table. */
static int client_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    bool first = lua_isnil(L, 2);
    if (!first)
        check_key(L, 2);
    lua_pushnil(L);                                /* 3: the best so far */
    size_t seen = 0;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);                             /* 4: this key */
        seen++;
        check_key(L, 4);
        if ((first || key_before(L, 2, 4)) && (lua_isnil(L, 3) || key_before(L, 4, 3))) {
            lua_pushvalue(L, 4);
            lua_replace(L, 3);
        }
    }
    state_charge(L, seen);
    if (lua_isnil(L, 3))
        return 1;
    lua_pushvalue(L, 3);
    lua_rawget(L, 1);
    return 2;
}

typedef struct {
    lua_Number number;
    str text;              /* p NULL: a number */
} key;

static int key_order(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (!x->text.p != !y->text.p)
        return x->text.p ? 1 : -1;
    if (!x->text.p)
        return (x->number > y->number) - (x->number < y->number);
    return str_cmp(x->text, y->text);
}

/* The iterator of pairs over many keys: state { [0] = table, key, key, ... } in order. It has no other state, so that a
 * loop can be frozen at any point: it searches the first key after the last one. */
static int pairs_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    size_t low = 1, high = lua_objlen(L, 1) + 1;
    lua_rawgeti(L, 1, 0);                          /* 3: the table */
    luaL_checktype(L, 3, LUA_TTABLE);
    while (!lua_isnil(L, 2) && low < high) {
        size_t middle = low + (high - low) / 2;
        lua_rawgeti(L, 1, (int)middle);
        if (key_before(L, 2, 4))
            high = middle;
        else
            low = middle + 1;
        lua_pop(L, 1);
    }
    for (;; low++) {
        lua_rawgeti(L, 1, (int)low);
        if (lua_isnil(L, -1))
            return 1;
        lua_pushvalue(L, -1);
        lua_rawget(L, 3);
        if (!lua_isnil(L, -1))
            return 2;                              /* a key that was removed meanwhile is passed over */
        lua_pop(L, 2);
    }
}

void library_note_ids(process *p, lua_State *L, int index, uint64_t *met)
{
    str s;
    if (lua_type(L, index) != LUA_TSTRING || !p->out || p->pool || p->out->ids_in_order)
        return;
    s.p = lua_tolstring(L, index, &s.n);
    ids_meet(p->scenario, s, met);
    p->out->ids_in_order |= ids_several(*met);
}

static int client_pairs(lua_State *L)
{
    enum { FEW = 12 };                             /* up to here a scan of all keys at each step is as fast */
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    size_t n = 0;
    uint64_t met = 0;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        check_key(L, 2);
        library_note_ids(process_of(L), L, 2, &met);
        n++;
    }
    state_charge(L, n);
    if (n <= FEW) {
        lua_pushcfunction(L, client_next);
        lua_pushvalue(L, 1);
        return 2;
    }
    key *keys = lua_newuserdata(L, n * sizeof *keys);
    size_t i = 0;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        keys[i] = (key){ 0 };
        if (lua_type(L, -1) == LUA_TNUMBER)
            keys[i].number = lua_tonumber(L, -1);
        else
            keys[i].text.p = lua_tolstring(L, -1, &keys[i].text.n);
        i++;
    }
    qsort(keys, n, sizeof *keys, key_order);
    lua_pushcfunction(L, pairs_next);
    lua_createtable(L, (int)n, 1);
    for (i = 0; i < n; i++) {
        if (keys[i].text.p)
            lua_pushlstring(L, keys[i].text.p, keys[i].text.n);
        else
            lua_pushnumber(L, keys[i].number);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 0);
    return 2;
}

static int client_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_callmeta(L, 1, "__tostring"))
        return 1;
    switch (lua_type(L, 1)) {
    case LUA_TNUMBER:
        lua_pushstring(L, lua_tostring(L, 1));
        return 1;
    case LUA_TSTRING:
        lua_pushvalue(L, 1);
        return 1;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, 1) ? "true" : "false");
        return 1;
    case LUA_TNIL:
        lua_pushliteral(L, "nil");
        return 1;
    default:
        return luaL_error(L, "tostring of a %s would show where it lies in memory, which differs from run to run",
                          luaL_typename(L, 1));
    }
}

/* Pushes the position of the level-th function from the running one, as luaL_where does. Completed tail calls do not
 * count as levels here: in a loop of them the count would grow for ever, and no state would repeat. */
static void push_where(lua_State *L, int level)
{
    lua_Debug ar;
    for (int i = 1; level > 0 && lua_getstack(L, i, &ar); i++) {
        lua_getinfo(L, "Sl", &ar);
        if (strcmp(ar.what, "tail") != 0 && --level == 0 && ar.currentline > 0) {
            lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
            return;
        }
    }
    lua_pushliteral(L, "");
}

static int client_error(lua_State *L)
{
    int level = luaL_optint(L, 2, 1);
    lua_settop(L, 1);
    if (lua_type(L, 1) == LUA_TSTRING && level > 0) {
        push_where(L, level);
        lua_pushvalue(L, 1);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

/* where(level): the place that error(text, level) would begin with, for an error that is raised later. */
static int client_where(lua_State *L)
{
    push_where(L, luaL_optint(L, 1, 1));
    return 1;
}

static int client_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table expected");
    if (luaL_getmetafield(L, 1, "__metatable"))
        return luaL_error(L, "cannot change a protected metatable");
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__mode");
        lua_rawget(L, 2);
        if (!lua_isnil(L, -1))
            return luaL_error(L, "weak tables are not available in client code: when they lose an entry is left to "
                              "chance");
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

static int client_rawset(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    if (luaL_getmetafield(L, 1, "__metatable") && !lua_toboolean(L, -1))
        return luaL_error(L, "this table belongs to locksim and cannot be changed");
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 1;
}

/* A stock function (upvalue 1) whose running time grows with its arguments. */
static int charged(lua_State *L)
{
    size_t cost = (size_t)lua_gettop(L) / 4;
    for (int i = 1, top = lua_gettop(L); i <= top; i++)
        if (lua_type(L, i) == LUA_TSTRING)
            cost += lua_objlen(L, i) / 16;
        else if (lua_type(L, i) == LUA_TTABLE)
            cost += lua_objlen(L, i) / 4;
    state_charge(L, cost);
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* A function that decomposes a number or a text. */
static int parting(lua_State *L)
{
    time_use_argument(L, 1);
    return charged(L);
}

static int charged_sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t n = lua_objlen(L, 1), cost = 0;
    for (size_t m = n; m; m /= 2)
        cost += n;
    state_charge(L, cost);
    uint64_t met = 0;
    for (size_t i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, (int)i);
        library_note_ids(process_of(L), L, -1, &met);
        lua_pop(L, 1);
    }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static int client_insert(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t n = lua_objlen(L, 1);
    if (lua_gettop(L) == 3) {
        lua_Number at = luaL_checknumber(L, 2);
        luaL_argcheck(L, at >= 1 && at <= (lua_Number)n + 1 && at == floor(at), 2, "position out of bounds");
        state_charge(L, n / 4);
    }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* Many values on the stack are moved by one instruction. Lua's own counts them in an int, which overflows
 * (CVE-2025-46817). */
static int client_unpack(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    int from = luaL_optint(L, 2, 1), to = luaL_opt(L, luaL_checkint, 3, (int)lua_objlen(L, 1));
    int64_t n = (int64_t)to - from + 1;
    if (n <= 0)
        return 0;
    if (n > INT32_MAX / 2 || !lua_checkstack(L, (int)n))
        return luaL_error(L, "too many results to unpack");
    state_charge(L, (size_t)n);
    for (int64_t i = from; i <= to; i++)
        lua_rawgeti(L, 1, (int)i);
    return (int)n;
}

static int client_rep(lua_State *L)
{
    size_t n;
    luaL_checklstring(L, 1, &n);
    lua_Number times = luaL_checknumber(L, 2);
    if (n == 0 || times < 1) {
        lua_pushliteral(L, "");
        return 1;
    }
    luaL_argcheck(L, times * (lua_Number)n <= HEAP_MAX, 2, "the result would be too long");
    state_charge(L, (size_t)times + (size_t)(times * (lua_Number)n) / 16);
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* Copies fields of the table at `from` into the table at the top: "name" takes the stock function, "name" + replacement
 * our own, which gets the stock one as upvalue. */
typedef struct {
    const char *name;
    lua_CFunction ours;
} pick;

static void copy(lua_State *L, int from, const pick *what)
{
    for (; what->name; what++) {
        lua_getfield(L, from, what->name);
        if (what->ours)
            lua_pushcclosure(L, what->ours, lua_iscfunction(L, -1) ? 1 : 0);
        lua_setfield(L, -2, what->name);
    }
}

static void open_stock(lua_State *L, lua_CFunction open, const char *name)
{
    lua_pushcfunction(L, open);
    lua_pushstring(L, name);
    lua_call(L, 1, 0);
}

/* Gives the table at the top the library `name`, with these of its functions. */
static void open_part(lua_State *L, lua_CFunction open, const char *name, const pick *what)
{
    open_stock(L, open, name);
    lua_getglobal(L, name);
    lua_newtable(L);
    copy(L, lua_gettop(L) - 1, what);
    if (open == luaopen_string)
        pattern_open(L);
    lua_remove(L, -2);
    library_protect(L);
    lua_setfield(L, -2, name);
}

void library_open(lua_State *L)
{
    static const pick base[] = {
        { "assert", NULL }, { "error", client_error }, { "getmetatable", NULL }, { "ipairs", NULL },
        { "next", client_next },
        { "pairs", client_pairs }, { "rawequal", NULL }, { "rawget", NULL }, { "rawset", client_rawset },
        { "select", charged },
        { "setmetatable", client_setmetatable }, { "tonumber", charged }, { "tostring", client_tostring },
        { "type", NULL },
        { "unpack", client_unpack }, { "_VERSION", NULL }, { NULL, NULL },
    };
    static const pick string[] = {
        { "byte", parting }, { "char", charged }, { "format", charged }, { "len", NULL }, { "lower", charged },
        { "rep", client_rep },
        { "reverse", parting }, { "sub", parting }, { "upper", charged }, { NULL, NULL },
    };
    static const pick table[] = {
        { "concat", charged }, { "getn", NULL }, { "insert", client_insert }, { "maxn", charged },
        { "remove", charged },
        { "sort", charged_sort }, { NULL, NULL },
    };
    static const pick math[] = {
        { "abs", NULL }, { "acos", NULL }, { "asin", NULL }, { "atan", NULL }, { "atan2", NULL }, { "ceil", NULL },
        { "cos", NULL },
        { "cosh", NULL }, { "deg", NULL }, { "exp", NULL }, { "floor", NULL }, { "fmod", parting }, { "frexp", NULL },
        { "huge", NULL },
        { "ldexp", NULL }, { "log", NULL }, { "log10", NULL }, { "max", charged }, { "min", charged }, { "modf", NULL },
        { "pi", NULL },
        { "pow", NULL }, { "rad", NULL }, { "sin", NULL }, { "sinh", NULL }, { "sqrt", NULL }, { "tan", NULL },
        { "tanh", NULL },
        { NULL, NULL },
    };
    open_stock(L, luaopen_base, "");
    lua_pushvalue(L, LUA_GLOBALSINDEX);
    lua_insert(L, -2);
    copy(L, lua_gettop(L) - 1, base);
    lua_remove(L, -2);
    lua_pushcfunction(L, client_where);
    lua_setfield(L, -2, "where");
    open_part(L, luaopen_table, "table", table);
    open_part(L, luaopen_math, "math", math);
    open_part(L, luaopen_string, "string", string);
    /* ("x"):upper() finds our functions, and client code cannot change them. */
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_getfield(L, -3, "string");
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
    coroutine_open(L);
}
