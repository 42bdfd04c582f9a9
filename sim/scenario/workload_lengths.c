/* workload_lengths.c - lengths of time as a workload writes them: numbers, lists of them, and distributions to draw
 * them from. */
#include "scenario/workload_read.h"

enum { LIST_MAX = 1000000 };

bool read_number(reading *r, double least, double most, double *out)
{
    lua_State *L = r->L;
    if (lua_type(L, -1) != LUA_TNUMBER)
        return reading_wrong(r, "%s has to be a number, this is a %s", reading_field(r), luaL_typename(L, -1));
    double n = lua_tonumber(L, -1);
    if (n != n)
        return reading_wrong(r, "%s has to be a number, this is none (0/0)", reading_field(r));
    if (n < least || n > most)
        return reading_wrong(r, "%s has to be a number from %.14g to %.14g, this is %.14g", reading_field(r), least,
                             most, n);
    *out = n;
    return true;
}

bool read_lengths(reading *r, double **out, size_t *count)
{
    lua_State *L = r->L;
    if (!read_table(r, "a list of numbers"))
        return false;
    size_t n = lua_objlen(L, -1), keys = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        keys++;
    }
    if (n == 0 || keys != n)
        return reading_wrong(r, n ? "%s has to be a list without names or holes" : "%s has to have at least one number",
                             reading_field(r));
    if (n > LIST_MAX)
        return reading_wrong(r, "%s has at most %d numbers", reading_field(r), LIST_MAX);
    double *at = ARENA_ARRAY(r->a, double, n);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        reading_enter(r, (str){ .p = "" }, (int64_t)i + 1);
        bool ok = reading_leave(r, read_number(r, 0, (double)READ_MS_MAX, &at[i]));
        lua_pop(L, 1);
        if (!ok)
            return false;
    }
    *out = at;
    *count = n;
    return true;
}

static bool read_log_normal(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    distribution *d = context;
    if (str_eq(name, S("median")))
        return read_number(r, 1e-6, (double)READ_MS_MAX, &d->a);
    if (str_eq(name, S("sigma")))
        return read_number(r, 0, 100, &d->b);
    static const str known[] = { { "median", 6 }, { "sigma", 5 } };
    return name.n ? reading_unknown(r, "field of a log-normal distribution", name, known, COUNT(known)) :
                    reading_unknown_position(r, "{ median = , sigma = }");
}

static bool read_uniform(reading *r, distribution *d)
{
    double *at = NULL;
    size_t n = 0;
    if (!read_lengths(r, &at, &n))
        return false;
    if (n != 2 || at[0] > at[1])
        return reading_wrong(r, "%s has to be { lo, hi } with lo <= hi", reading_field(r));
    d->a = at[0];
    d->b = at[1];
    return true;
}

static bool read_draw_field(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    distribution *d = context;
    if (!name.n)
        return reading_unknown_position(r, "a number, or { exponential = 50 }");
    if (d->kind != DRAW_NOTHING)
        return reading_wrong(r, "%s: a length is drawn in one way, not in two", reading_field(r));
    if (str_eq(name, S("exponential"))) {
        d->kind = DRAW_EXPONENTIAL;
        return read_number(r, 0, (double)READ_MS_MAX, &d->a);
    }
    if (str_eq(name, S("uniform"))) {
        d->kind = DRAW_UNIFORM;
        return read_uniform(r, d);
    }
    if (str_eq(name, S("log_normal"))) {
        d->kind = DRAW_LOG_NORMAL;
        d->b = -1;
        if (!read_table(r, "{ median = , sigma = }") || !read_fields(r, read_log_normal, d))
            return false;
        return (d->a > 0 && d->b >= 0) || reading_wrong(r, "%s needs both: { median = , sigma = }", reading_field(r));
    }
    if (str_eq(name, S("list"))) {
        d->kind = DRAW_LIST;
        double *at;
        bool ok = read_lengths(r, &at, &d->count);
        d->list = ok ? at : NULL;
        return ok;
    }
    static const str known[] = { { "exponential", 11 }, { "list", 4 }, { "log_normal", 10 }, { "uniform", 7 } };
    return reading_unknown(r, "distribution", name, known, COUNT(known));
}

bool read_draw(reading *r, distribution *d)
{
    *d = (distribution){ 0 };
    if (lua_type(r->L, -1) == LUA_TNUMBER) {
        d->kind = DRAW_CONSTANT;
        return read_number(r, 0, (double)READ_MS_MAX, &d->a);
    }
    if (!read_table(r, "a number of ms, or { exponential = mean }, { uniform = { lo, hi } }, { log_normal = { median = "
                    ", sigma = } } or { list = { ... } }") ||
        !read_fields(r, read_draw_field, d))
        return false;
    return d->kind != DRAW_NOTHING || reading_wrong(r, "%s says no distribution: { exponential = 50 }",
                                                    reading_field(r));
}
