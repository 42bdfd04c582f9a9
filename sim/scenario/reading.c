/* reading.c - see reading.h. */
#include "scenario/reading.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool reading_wrong(reading *r, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    position where = source_field(r->main, r->at, r->depth);
    err_at(r->e, ERR_SCENARIO, where.path, where.line, where.col, "%s", text);
    err_quote(r->e, r->main->text);
    return false;
}

bool reading_enter(reading *r, str name, int64_t index)
{
    if (r->depth < STEPS_DEEP)
        r->at[r->depth++] = (field_step){ .name = name, .index = index };
    return true;
}

bool reading_leave(reading *r, bool ok)
{
    r->depth--;
    return ok;
}

const char *reading_field(reading *r)
{
    buf b = { 0 };
    for (size_t i = 0; i < r->depth; i++) {
        if (r->at[i].name.n)
            buf_printf(&b, "%s%.*s", i ? "." : "", STR_ARG(r->at[i].name));
        else
            buf_printf(&b, "[%d]", (int)r->at[i].index);
    }
    const char *text = arena_str(r->a, buf_str(&b)).p;
    buf_free(&b);
    return text;
}

bool read_integer(reading *r, int64_t least, int64_t most, int64_t *out)
{
    lua_State *L = r->L;
    if (lua_type(L, -1) != LUA_TNUMBER)
        return reading_wrong(r, "%s has to be an integer, this is a %s", reading_field(r), luaL_typename(L, -1));
    double n = lua_tonumber(L, -1);
    if (isnan(n))
        return reading_wrong(r, "%s has to be an integer, this is none (0/0)", reading_field(r));
    if (n != floor(n) || isinf(n))
        return reading_wrong(r, "%s has to be an integer, this is %.14g", reading_field(r), n);
    if (n < (double)least || n > (double)most) {
        if (most >= INT32_MAX && n < (double)least)
            return reading_wrong(r, "%s has to be at least %" PRId64 ", this is %.14g", reading_field(r), least, n);
        return reading_wrong(r, "%s has to be from %" PRId64 " to %" PRId64 ", this is %.14g", reading_field(r), least,
                             most, n);
    }
    *out = (int64_t)n;
    return true;
}

/* some thirty years */

bool read_str(reading *r, str *out)
{
    if (lua_type(r->L, -1) != LUA_TSTRING)
        return reading_wrong(r, "%s has to be a string, this is a %s", reading_field(r), luaL_typename(r->L, -1));
    str s;
    s.p = lua_tolstring(r->L, -1, &s.n);
    *out = arena_str(r->a, s);
    return true;
}

bool read_table(reading *r, const char *what)
{
    return lua_istable(r->L, -1) || reading_wrong(r, "%s has to be %s, this is a %s", reading_field(r), what,
                                                  luaL_typename(r->L, -1));
}

/* Inserts a key in order: positions, then names. Beyond a thousand, keys keep their order: no real scenario has that
 * many. */
static void insert_key(field_step *keys, size_t n, field_step k)
{
    size_t i = n;
    for (; i > 0 && n < 1000; i--) {
        const field_step *before = &keys[i - 1];
        bool sorted = k.name.p ? !before->name.p || str_cmp(before->name, k.name) <= 0
                      : !before->name.p && before->index <= k.index;
        if (sorted)
            break;
        keys[i] = *before;
    }
    keys[i] = k;
}

/* The key at the top as a step; false: neither a name nor a position. */
static bool key_step(lua_State *L, field_step *k)
{
    *k = (field_step){ 0 };
    if (lua_type(L, -1) == LUA_TSTRING) {
        k->name.p = lua_tolstring(L, -1, &k->name.n);
        return true;
    }
    double n = lua_tonumber(L, -1);
    if (lua_type(L, -1) != LUA_TNUMBER || n != floor(n) || fabs(n) >= 1e9)
        return false;
    k->index = (int64_t)n;
    return true;
}

static bool sorted_keys(reading *r, int table, field_step **keys, size_t *n)
{
    lua_State *L = r->L;
    size_t cap = 0;
    *n = 0;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        if (*n == cap) {
            field_step *grown = ARENA_ARRAY(r->a, field_step, cap ? 2 * cap : 16);
            if (*n)
                memcpy(grown, *keys, *n * sizeof *grown);
            *keys = grown;
            cap = cap ? 2 * cap : 16;
        }
        field_step k;
        if (!key_step(L, &k))
            return reading_wrong(r, "%s has a key that is neither a name nor a position",
                                 r->depth ? reading_field(r) : "the scenario");
        insert_key(*keys, (*n)++, k);
    }
    return true;
}

bool read_fields(reading *r, read_field *read, void *context)
{
    lua_State *L = r->L;
    int table = lua_gettop(L);
    size_t n;
    field_step *keys = NULL;
    luaL_checkstack(L, 6, NULL);
    bool ok = sorted_keys(r, table, &keys, &n);
    for (size_t i = 0; ok && i < n; i++) {
        if (keys[i].name.p) {
            lua_pushlstring(L, keys[i].name.p, keys[i].name.n);
            lua_rawget(L, table);
        } else {
            lua_rawgeti(L, table, (int)keys[i].index);
        }
        str name = keys[i].name.p ? arena_str(r->a, keys[i].name) : (str){ .p = "" };
        reading_enter(r, name, keys[i].index);
        ok = reading_leave(r, read(r, name, keys[i].index, context));
        lua_settop(L, table);
    }
    return ok;
}

bool reading_unknown(reading *r, const char *what, str name, const str *known, size_t n)
{
    str near = err_nearest(name, known, n);
    buf all = { 0 };
    for (size_t i = 0; i < n; i++) {
        buf_addz(&all, i ? ", " : "");
        buf_add(&all, known[i]);
    }
    if (near.n)
        err_hint(r->e, "did you mean '%.*s'? known: %s", STR_ARG(near), all.p);
    else
        err_hint(r->e, "known: %s", all.p);
    buf_free(&all);
    return reading_wrong(r, "unknown %s '%.*s'", what, STR_ARG(name));
}

bool reading_unknown_position(reading *r, const char *known)
{
    r->depth--;
    reading_wrong(r, "%s has values without a name; it takes %s", reading_field(r), known);
    r->depth++;
    return false;
}

/* n, or { lo, hi } */
typedef struct {
    int64_t value[2];
    size_t n;
} range;

static bool read_range_part(reading *r, str name, int64_t index, void *context)
{
    range *g = context;
    if (name.n || index < 1 || index > 2)
        return reading_wrong(r, "%s: a length is n, or { lo, hi }", reading_field(r));
    g->n++;
    return read_integer(r, 0, READ_MS_MAX, &g->value[index - 1]);
}

bool read_range(reading *r, int64_t *lo, int64_t *hi)
{
    if (lua_type(r->L, -1) == LUA_TNUMBER) {
        bool ok = read_integer(r, 0, READ_MS_MAX, lo);
        *hi = *lo;
        return ok;
    }
    range g = { .n = 0 };
    if (!read_table(r, "an integer or { lo, hi }") || !read_fields(r, read_range_part, &g))
        return false;
    if (g.n != 2 || g.value[0] > g.value[1])
        return reading_wrong(r, "%s has to be { lo, hi } with lo <= hi", reading_field(r));
    *lo = g.value[0];
    *hi = g.value[1];
    return true;
}
