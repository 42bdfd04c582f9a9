/* convert.c - converts Redis replies to what a client library returns, and checks arguments of the driver API. */
#include <math.h>
#include <string.h>

#include "client/process_internal.h"

/* One value: nil inside an array is false, so that arrays have no holes. */
static void push_value(lua_State *L, const reply *r, bool inside, int depth)
{
    enum { DEPTH_MAX = 100 };
    luaL_checkstack(L, 4, "a reply is nested too deep");
    switch (r->kind) {
    case REPLY_NIL:
    case REPLY_NIL_ARRAY:
        if (inside)
            lua_pushboolean(L, 0);
        else
            lua_pushnil(L);
        return;
    case REPLY_STATUS:
    case REPLY_BULK:
    case REPLY_ERROR:                              /* inside an array only */
    case REPLY_BIG_NUMBER:
    case REPLY_VERBATIM:
        lua_pushlstring(L, r->text.p ? r->text.p : "", r->text.n);
        return;
    case REPLY_INTEGER:
        lua_pushnumber(L, (lua_Number)r->integer);
        return;
    case REPLY_BOOLEAN:
        lua_pushboolean(L, r->integer != 0);
        return;
    case REPLY_DOUBLE: {                           /* RESP2 has no doubles: a client gets the text */
        char text[40];
        if (isinf(r->number))
            snprintf(text, sizeof text, "%sinf", r->number < 0 ? "-" : "");
        else
            snprintf(text, sizeof text, "%.17g", r->number == 0 ? 0.0 : r->number);
        lua_pushstring(L, text);
        return;
    }
    case REPLY_ARRAY:
    case REPLY_MAP:
    case REPLY_SET:
        if (depth > DEPTH_MAX) {
            lua_pushboolean(L, 0);
            return;
        }
        lua_createtable(L, (int)r->count, 0);
        for (size_t i = 0; i < r->count; i++) {
            push_value(L, &r->items[i], true, depth + 1);
            lua_rawseti(L, -2, (int)i + 1);
        }
        return;
    }
}

/* The kind of a server's error, for drivers: some errors need a reaction. */
static str kind_of(str text)
{
    static const struct { str code, kind; } kinds[] = { { { "NOSCRIPT ", 9 }, { "noscript", 8 } },
                                                        { { "NOSYNC ", 7 }, { "nosync", 6 } },
                                                        { { "ERR Function not found", 22 }, { "noscript", 8 } } };
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_starts(text, kinds[i].code))
            return kinds[i].kind;
    return S("reply");
}

int convert_push_error(lua_State *L, str kind, str message)
{
    lua_createtable(L, 0, 3);
    lua_pushlstring(L, kind.p, kind.n);
    lua_setfield(L, -2, "kind");
    lua_pushlstring(L, message.p, message.n);
    lua_setfield(L, -2, "message");
    str code = str_slice(message, 0, str_find(message, ' ', 0));
    bool upper = code.n > 0 && (str_eq(kind, S("reply")) || str_eq(kind, S("noscript")) || str_eq(kind, S("nosync")));
    for (size_t i = 0; i < code.n; i++)
        upper = upper && ((code.p[i] >= 'A' && code.p[i] <= 'Z') || code.p[i] == '_' ||
                          (code.p[i] >= '0' && code.p[i] <= '9'));
    if (upper) {
        lua_pushlstring(L, code.p, code.n);
        lua_setfield(L, -2, "code");
    }
    return 1;
}

int convert_push(lua_State *L, const reply *r)
{
    if (r->kind == REPLY_ERROR) {
        lua_pushnil(L);
        convert_push_error(L, kind_of(r->text), r->text);
        return 2;
    }
    push_value(L, r, false, 0);
    return 1;
}

bool convert_word(lua_State *L, int index, arena *a, str *out, const char **why)
{
    switch (lua_type(L, index)) {
    case LUA_TSTRING:
        out->p = lua_tolstring(L, index, &out->n);
        return true;
    case LUA_TNUMBER: {
        lua_Number n = lua_tonumber(L, index);
        if (fabs(n) < 1e17 && n == (lua_Number)(int64_t)n)
            *out = arena_int(a, (int64_t)n);           /* a time is never written 1.7e+12 */
        else if (isnan(n) || isinf(n))
            return *why = "is not a finite number", false;
        else
            *out = arena_printf(a, "%.17g", n);
        return true;
    }
    default:
        *why = lua_typename(L, lua_type(L, index));
        return false;
    }
}

int64_t check_integer(lua_State *L, int index, const char *what, int64_t least)
{
    if (lua_type(L, index) != LUA_TNUMBER)
        luaL_error(L, lua_isnone(L, index) ? "%s is missing" : "%s has to be an integer, this is a %s", what,
                   luaL_typename(L, index));
    lua_Number n = lua_tonumber(L, index);
    if (n != n)
        luaL_error(L, "%s has to be an integer, this is not a number", what);
    if (!(n == floor(n)) || fabs(n) > 9007199254740992.0)
        luaL_error(L, "%s has to be an integer, this is %f", what, n);
    if (n < (lua_Number)least)
        luaL_error(L, "%s has to be at least %d, this is %f", what, (int)least, n);
    return (int64_t)n;
}

int64_t opt_ms(lua_State *L, int index, const char *what)
{
    return lua_isnoneornil(L, index) ? -1 : check_integer(L, index, what, 0);
}

str check_lock(lua_State *L, int index)
{
    str s = check_str(L, index);
    if (str_find(s, '\0', 0) < s.n)
        luaL_error(L, "the name of a lock or resource holds a NUL byte, which no text could show");
    return s;
}

str check_str(lua_State *L, int index)
{
    str s;
    luaL_checktype(L, index, LUA_TSTRING);
    s.p = lua_tolstring(L, index, &s.n);
    return s;
}
