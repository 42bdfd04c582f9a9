/* script_convert.c - values between Redis and Lua, both ways. Facts: REDIS-FIDELITY.md sections 1.1 and 1.2. */
#include "redis/server.h"
#include "script/script_host.h"

#include <math.h>
#include <string.h>

/* Nesting at which the real server's stack of 8000 values is full. */
enum { DEPTH_MAX = 7995 };

static str blanked(arena *a, str text)
{
    str line = arena_str(a, text);
    char *p = (char *)(uintptr_t)line.p;
    for (size_t i = 0; i < line.n; i++)
        if (p[i] == '\r' || p[i] == '\n')
            p[i] = ' ';
    return line;
}

str script_line(arena *a, str text)
{
    return blanked(a, str_slice(text, 0, str_find(text, '\0', 0)));
}

bool script_integral_text(arena *a, double n, str *text)
{
    if (!(fabs(n) < 1e16) || n != (double)(int64_t)n || (n == 0 && signbit(n)))
        return false;
    *text = arena_int(a, (int64_t)n);
    return true;
}

str script_number_text(script_host *h, double n)
{
    str text;
    if (script_integral_text(h->scratch, n, &text))
        return text;
    if (!server_follows(h->server, RULE_SHORT_NUMBERS))
        return arena_printf(h->scratch, "%.17g", n);
    if (isnan(n) && signbit(n))
        return S("-nan");
    return n == 0 ? S("0") : score_text(h->server, h->scratch, n);
}

/* --- Redis to Lua
 * --------------------------------------------------------------------------------------------------- */

static void push_line(lua_State *L, const char *field, str text)
{
    lua_createtable(L, 0, 1);
    lua_pushlstring(L, text.p, text.n);
    lua_setfield(L, -2, field);
}

static void push_sequence(lua_State *L, script_host *h, const reply *r)
{
    host_spend(h, L, r->count * 4);
    luaL_checkstack(L, 4, "reply is nested too deeply");
    /* Where nulls leave holes, the length operator tells how the table grew: then it must grow as the real server's
     * does. */
    bool sized = h->run.resp != 3 || server_follows(h->server, RULE_SIZED_ARRAYS);
    lua_createtable(L, sized ? (int)r->count : 0, 0);
    for (size_t i = 0; i < r->count; i++) {
        host_spend(h, L, 1);
        script_push_reply(L, h, &r->items[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

static void push_resp3(lua_State *L, script_host *h, const reply *r)
{
    luaL_checkstack(L, 6, "reply is nested too deeply");
    host_spend(h, L, r->count * 4);
    switch (r->kind) {
    case REPLY_DOUBLE:
        lua_createtable(L, 0, 1);
        lua_pushnumber(L, r->number);
        lua_setfield(L, -2, "double");
        return;
    case REPLY_BIG_NUMBER:
        push_line(L, "big_number", r->text);
        return;
    case REPLY_VERBATIM:
        lua_createtable(L, 0, 1);
        lua_createtable(L, 0, 2);
        lua_pushlstring(L, r->text.p, r->text.n);
        lua_setfield(L, -2, "string");
        lua_pushlstring(L, r->format.p, r->format.n);
        lua_setfield(L, -2, "format");
        lua_setfield(L, -2, "verbatim_string");
        return;
    case REPLY_MAP:
        lua_createtable(L, 0, 1);
        lua_newtable(L);
        for (size_t i = 0; i + 1 < r->count; i += 2) {
            script_push_reply(L, h, &r->items[i]);
            script_push_reply(L, h, &r->items[i + 1]);
            lua_rawset(L, -3);
        }
        lua_setfield(L, -2, "map");
        return;
    case REPLY_SET:
        lua_createtable(L, 0, 1);
        lua_newtable(L);
        for (size_t i = 0; i < r->count; i++) {
            script_push_reply(L, h, &r->items[i]);
            lua_pushboolean(L, true);
            lua_rawset(L, -3);
        }
        lua_setfield(L, -2, "set");
        return;
    default:                                             /* an array that RESP3 groups in pairs */
        lua_newtable(L);
        for (size_t i = 0; i + 1 < r->count; i += 2) {
            lua_createtable(L, 2, 0);
            for (size_t k = 0; k < 2; k++) {
                script_push_reply(L, h, &r->items[i + k]);
                lua_rawseti(L, -2, (int)k + 1);
            }
            lua_rawseti(L, -2, (int)(i / 2) + 1);
        }
        return;
    }
}

static void push_mapped(lua_State *L, script_host *h, const reply *r)
{
    reply flat = reply_items(h->scratch, REPLY_MAP, 2 * r->count);
    for (size_t i = 0; i < flat.count; i++)
        flat.items[i] = r->items[i / 2].items[i % 2];
    push_resp3(L, h, &flat);
}

void script_push_reply(lua_State *L, script_host *h, const reply *r)
{
    bool resp3 = h->run.resp == 3;
    switch (r->kind) {
    case REPLY_INTEGER:
        lua_pushnumber(L, (lua_Number)r->integer);
        return;
    case REPLY_BULK:
        if (r->text.n >= 256)
            host_spend(h, L, r->text.n / 16);
        lua_pushlstring(L, r->text.p, r->text.n);
        return;
    case REPLY_NIL:
    case REPLY_NIL_ARRAY:
        if (resp3)
            lua_pushnil(L);
        else
            lua_pushboolean(L, false);
        return;
    case REPLY_STATUS:
        push_line(L, "ok", r->text);
        return;
    case REPLY_ERROR:
        push_line(L, "err", r->text);
        return;
    case REPLY_BOOLEAN:
        if (resp3)
            lua_pushboolean(L, r->integer != 0);
        else
            lua_pushnumber(L, (lua_Number)r->integer);
        return;
    case REPLY_ARRAY:
        if (resp3 && r->mapped)
            push_mapped(L, h, r);
        else if (resp3 && r->pairs)
            push_resp3(L, h, r);
        else
            push_sequence(L, h, r);
        return;
    case REPLY_DOUBLE:
    case REPLY_BIG_NUMBER:
    case REPLY_VERBATIM:
        if (!resp3) {
            str text = r->text;
            if (r->kind == REPLY_DOUBLE && !text.p && !script_integral_text(h->scratch, r->number, &text))
                text = reply_double_text(h->scratch, r->number);
            lua_pushlstring(L, text.p, text.n);
            return;
        }
        push_resp3(L, h, r);
        return;
    case REPLY_MAP:
    case REPLY_SET:
        if (resp3)
            push_resp3(L, h, r);
        else
            push_sequence(L, h, r);
        return;
    }
}

/* --- Lua to Redis
 * --------------------------------------------------------------------------------------------------- */

typedef struct {
    script_host *h;
    size_t depth;
} taker;

static reply take(lua_State *L, taker *t);

static int64_t truncated(lua_Number n)
{
    if (!(n > -9223372036854775808.0 && n < 9223372036854775808.0))
        return INT64_MIN;  /* the result of x86-64 for infinities, NaN and all other values out of range */
    return (int64_t)n;
}

/* Pushes the raw field `name` of the table on top; true if it has the type, else it is popped again. */
static bool field(lua_State *L, const char *name, int type)
{
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    if (lua_type(L, -1) == type)
        return true;
    lua_pop(L, 1);
    return false;
}

/* The string on top, copied; pops it. */
static str pop_text(lua_State *L, arena *out)
{
    str text;
    text.p = lua_tolstring(L, -1, &text.n);
    text = arena_str(out, text);
    lua_pop(L, 1);
    return text;
}

static void add_item(arena *a, reply *r, size_t *cap, reply item)
{
    if (r->count == *cap) {
        *cap = *cap ? *cap * 2 : 8;
        reply *items = ARENA_ARRAY(a, reply, *cap);
        if (r->count > 0)
            memcpy(items, r->items, r->count * sizeof *items);
        r->items = items;
    }
    r->items[r->count++] = item;
}

/* The table on top: keys and values of a map, keys of a set, elements of an array up to the first nil. Pops it. */
static reply take_items(lua_State *L, taker *t, reply_kind kind)
{
    arena *out = t->h->run.out;
    reply r = { .kind = kind };
    size_t cap = 0;
    if (kind == REPLY_ARRAY) {
        for (int i = 1;; i++) {
            lua_rawgeti(L, -1, i);
            if (lua_isnil(L, -1)) {
                lua_pop(L, 1);
                break;
            }
            add_item(out, &r, &cap, take(L, t));
        }
    } else {
        lua_pushnil(L);
        while (lua_next(L, -2)) {
            lua_pushvalue(L, -2);
            add_item(out, &r, &cap, take(L, t));         /* the key */
            if (kind == REPLY_MAP)
                add_item(out, &r, &cap, take(L, t));
            else
                lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
    return r;
}

static reply take_table(lua_State *L, taker *t)
{
    arena *out = t->h->run.out;
    reply r = { .kind = REPLY_NIL };
    if (field(L, "err", LUA_TSTRING)) {
        str text = pop_text(L, out);
        /* cut before its end is trimmed */
        text = str_slice(text, 0, str_find(text, '\0', 0));
        while (text.n > 0 && (text.p[text.n - 1] == '\r' || text.p[text.n - 1] == '\n'))
            text.n--;
        r = reply_error(script_line(out, text));
        if (field(L, "ignore_error_stats_update", LUA_TBOOLEAN)) {
            r.counted = lua_toboolean(L, -1);
            lua_pop(L, 1);
        }
    } else if (field(L, "ok", LUA_TSTRING)) {
        r = reply_status(script_line(out, pop_text(L, out)));
    } else if (field(L, "double", LUA_TNUMBER)) {
        r = reply_double(lua_tonumber(L, -1));
        if (server_follows(t->h->server, RULE_SHORT_NUMBERS))
            r.text = score_text(t->h->server, out, r.number);
        lua_pop(L, 1);
    } else if (field(L, "big_number", LUA_TSTRING)) {
        r = (reply){ .kind = REPLY_BIG_NUMBER, .text = blanked(out, pop_text(L, out)) };
        if (server_follows(t->h->server, RULE_CUT_BIG_NUMBERS))
            r.text = str_slice(r.text, 0, str_find(r.text, '\0', 0));
    } else if (field(L, "verbatim_string", LUA_TTABLE)) {
        bool whole = field(L, "format", LUA_TSTRING);
        if (whole) {
            r.format = pop_text(L, out);
            whole = field(L, "string", LUA_TSTRING);
        }
        if (whole) {
            r.kind = REPLY_VERBATIM;
            r.text = pop_text(L, out);
            char *three = arena_alloc(out, 4);
            memset(three, ' ', 3);
            memcpy(three, r.format.p, r.format.n < 3 ? r.format.n : 3);
            r.format = (str){ three, 3 };
            lua_pop(L, 1);
        } else {
            lua_pop(L, 1);
            goto collection;
        }
    } else {
        goto collection;
    }
    lua_pop(L, 1);
    return r;

collection:
    if (field(L, "map", LUA_TTABLE))
        r = take_items(L, t, REPLY_MAP);
    else if (field(L, "set", LUA_TTABLE))
        r = take_items(L, t, REPLY_SET);
    else
        return take_items(L, t, REPLY_ARRAY);
    lua_pop(L, 1);
    return r;
}

/* The value on top, no table; pops it. */
static reply take_scalar(lua_State *L, script_host *h)
{
    reply r = { .kind = REPLY_NIL };
    switch (lua_type(L, -1)) {
    case LUA_TSTRING:
        return reply_bulk(pop_text(L, h->run.out));
    case LUA_TNUMBER:
        r = reply_integer(truncated(lua_tonumber(L, -1)));
        break;
    case LUA_TBOOLEAN:
        if (h->run.resp == 3)
            r = (reply){ .kind = REPLY_BOOLEAN, .integer = lua_toboolean(L, -1) };
        else if (lua_toboolean(L, -1))
            r = reply_integer(1);
        break;
    default:                                             /* functions, userdata (cjson.null) and coroutines, too */
        break;
    }
    lua_pop(L, 1);
    return r;
}

/* The value on top; pops it. Tables are read raw. */
static reply take(lua_State *L, taker *t)
{
    host_spend(t->h, L, 8);
    if (t->depth >= DEPTH_MAX || !lua_checkstack(L, 4)) {
        lua_pop(L, 1);
        return reply_error(S("ERR reached lua stack limit"));
    }
    if (!lua_istable(L, -1)) {
        if (lua_type(L, -1) == LUA_TSTRING)
            host_spend(t->h, L, lua_objlen(L, -1) / 16);
        return take_scalar(L, t->h);
    }
    t->depth++;
    if (sandbox_push_real(L, -1))
        lua_replace(L, -2);
    reply r = take_table(L, t);
    t->depth--;
    return r;
}

static int take_protected(lua_State *L)
{
    reply *r = lua_touserdata(L, 1);
    taker t = { .h = host_of(L) };
    lua_settop(L, 2);
    lua_remove(L, 1);
    *r = take(L, &t);
    return 0;
}

/* Protected, because a value can be larger than the budget; and the inner function's stack begins empty, as the real
 * server's does. */
bool script_take_reply(lua_State *L, script_host *h, reply *out)
{
    if (!lua_istable(L, -1)) {
        *out = take_scalar(L, h);
        return true;
    }
    lua_pushcfunction(L, take_protected);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, out);
    lua_insert(L, -2);
    return lua_pcall(L, 2, 0, 0) == 0;
}
