/* case_layers.c - see case_layers.h. Fields are read raw: a metamethod could do anything here. */
#include "scenario/case_layers.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a file says of its cases ---- */

static bool push_raw(lua_State *L, int index, str name)
{
    lua_pushlstring(L, name.p, name.n);
    lua_rawget(L, index);
    return !lua_isnil(L, -1);
}

static bool read_key(reading *r, str name, int64_t index, void *context)
{
    case_table *t = context;
    (void)index;
    if (!name.n)
        return reading_unknown_position(r, "cases by name: { pause = { faults = { pause = 1 } } }");
    if (!case_pattern_check(name))
        return reading_wrong(r, "a case's name has at most %d of a-z, 0-9, _ and . (and * for any of them), and begins "
                             "with a letter or _; this is "
                                "\"%.*s\"", CASE_NAME_BYTES_MAX, STR_ARG(name));
    bool off = lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1);
    if (!off && !lua_istable(r->L, -1))
        return reading_wrong(r, "%s has to be a table of fields, or false for no such case; this is a %s",
                             reading_field(r), luaL_typename(r->L, -1));
    if (t->key_count == CASES_MAX)
        return reading_wrong(r, "a file has at most %d cases", CASES_MAX);
    t->keys[t->key_count++] = (struct case_key){ .text = name, .off = off,
                                                 .pattern = memchr(name.p, '*', name.n) != NULL };
    return true;
}

static size_t table_fields(lua_State *L, int index)
{
    size_t n = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        n++;
    return n;
}

/* faults = "all", or { "all", clock_jump = { 1, ms = 250 } } */
static bool is_all(lua_State *L)
{
    str s = { 0 };
    bool inside = lua_istable(L, -1);
    if (inside)
        lua_rawgeti(L, -1, 1);
    if (lua_type(L, -1) == LUA_TSTRING)
        s.p = lua_tolstring(L, -1, &s.n);
    bool all = s.p && str_eq(s, S("all"));
    if (inside)
        lua_pop(L, 1);
    return all;
}

static bool read_keys(reading *r, case_table *t)
{
    lua_State *L = r->L;
    bool ok = true;
    reading_enter(r, S("twin"), 0);
    t->twin = push_raw(L, 1, S("twin"));
    ok = !t->twin || read_table(r, "a table of fields");
    reading_leave(r, ok);
    lua_settop(L, 1);
    reading_enter(r, S("cases"), 0);
    if (ok && push_raw(L, 1, S("cases"))) {
        ok = read_table(r, "a table of cases by name");
        if (ok) {
            t->keys = ARENA_ARRAY(r->a, struct case_key, table_fields(L, 2) + 1);
            ok = read_fields(r, read_key, t);
        }
    }
    reading_leave(r, ok);
    lua_settop(L, 1);
    if (push_raw(L, 1, S("faults")))
        t->all = is_all(L);
    lua_settop(L, 1);
    return ok;
}

/* ---- names ---- */

static int by_bytes(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

/* How specific a pattern is, by the bytes it names: of two that match, the more specific one comes last. */
static size_t said(str pattern)
{
    size_t n = 0;
    for (size_t i = 0; i < pattern.n; i++)
        n += pattern.p[i] != '*';
    return n;
}

static int by_said(const void *x, const void *y)
{
    const struct case_key *a = *(const struct case_key *const *)x, *b = *(const struct case_key *const *)y;
    if (a->pattern != b->pattern)
        return a->pattern ? -1 : 1;
    size_t m = said(a->text), n = said(b->text);
    return m != n ? (m < n ? -1 : 1) : str_cmp(a->text, b->text);
}

/* The keys that match, the most specific one last. */
static size_t matching(reading *r, const case_table *t, str name, const struct case_key ***out)
{
    size_t n = 0;
    const struct case_key **list = ARENA_ARRAY(r->a, const struct case_key *, t->key_count + 1);
    for (size_t i = 0; i < t->key_count; i++)
        if (case_matches(t->keys[i].text, name))
            list[n++] = &t->keys[i];
    if (n > 1)
        qsort(list, n, sizeof *list, by_said);
    *out = list;
    return n;
}

static bool is_off(reading *r, const case_table *t, str name)
{
    const struct case_key **list;
    size_t n = matching(r, t, name, &list);
    return n > 0 && list[n - 1]->off;
}

static size_t clients_of(lua_State *L)
{
    size_t n = push_raw(L, 1, S("clients")) && lua_istable(L, -1) ? lua_objlen(L, -1) : 0;
    lua_settop(L, 1);
    return n;
}

/* A name that is not in the matrix is a case of its own, and names its faults. */
static bool check_key(reading *r, const case_table *t, const struct case_key *k, size_t clients)
{
    matrix_row row;
    bool met = false;
    for (size_t i = 0; i < t->name_count && !met; i++)
        met = case_matches(k->text, t->names[i]);
    reading_enter(r, S("cases"), 0);
    reading_enter(r, k->text, 0);
    bool ok = met || reading_wrong(r, "\"%.*s\" is the name of no case of this file", STR_ARG(k->text));
    if (ok && t->all && !k->pattern && !k->off && matrix_parse(k->text, &row) && row.clients > clients)
        ok = reading_wrong(r, "%s names more clients than the %zu of this file", reading_field(r), clients);
    else if (ok && t->all && !k->pattern && !k->off && !matrix_parse(k->text, &row)) {
        push_raw(r->L, 1, S("cases"));
        push_raw(r->L, 2, k->text);
        if (!push_raw(r->L, 3, S("faults"))) {
            const str *all;
            size_t n = matrix_names(r->a, clients, &all);
            str near = err_nearest(k->text, all, n);
            if (near.n)
                err_hint(r->e, "did you mean \"%.*s\"?", STR_ARG(near));
            ok = reading_wrong(r, "\"%.*s\" is no row of faults = \"all\", and has no faults of its own",
                               STR_ARG(k->text));
        }
        lua_settop(r->L, 1);
    }
    reading_leave(r, ok);
    return reading_leave(r, ok);
}

static bool make_names(reading *r, case_table *t)
{
    static const str parts[] = { { "exhibit", 7 }, { "twin", 4 } };
    const str *all = NULL;
    size_t clients = clients_of(r->L), n = t->all ? matrix_names(r->a, clients, &all) : 0, count = 0;
    t->names = ARENA_ARRAY(r->a, str, n + COUNT(parts) + t->key_count + 1);
    for (size_t i = 0; i < n; i++)
        t->names[count++] = all[i];
    for (size_t i = 0; t->twin && i < COUNT(parts); i++)
        t->names[count++] = parts[i];
    for (size_t i = 0; i < t->key_count; i++)
        if (!t->keys[i].pattern && !t->keys[i].off)
            t->names[count++] = t->keys[i].text;
    if (count > 1)
        qsort(t->names, count, sizeof *t->names, by_bytes);
    for (size_t i = 0; i < count; i++)
        if (t->name_count == 0 || !str_eq(t->names[t->name_count - 1], t->names[i]))
            t->names[t->name_count++] = t->names[i];
    for (size_t i = 0; i < t->key_count; i++)
        if (!check_key(r, t, &t->keys[i], clients))
            return false;
    size_t kept = 0;
    for (size_t i = 0; i < t->name_count; i++)
        if (!is_off(r, t, t->names[i]))
            t->names[kept++] = t->names[i];
    bool none = t->name_count > 0 && kept == 0;
    t->name_count = kept;
    reading_enter(r, t->all ? S("faults") : S("cases"), 0);
    bool ok = !none || reading_wrong(r, "no case is left of this file");
    if (ok && t->all && n == 0)
        ok = reading_wrong(r, "faults = \"all\" takes two clients or more: clients = { \"A\", \"B\", \"C\" }");
    return reading_leave(r, ok);
}

bool case_table_read(reading *r, case_table *out)
{
    *out = (case_table){ 0 };
    return read_keys(r, out) && make_names(r, out);
}

/* ---- layers ---- */

/* A hint with a case's name, where none was given. */
static bool hint_cases(reading *r, const case_table *t)
{
    return err_hint(r->e, "name one, as in %.*s:%.*s; `locksim list scenarios FILE` names them all",
                    STR_ARG(r->out->file), STR_ARG(t->names[0]));
}

static bool unknown_case(reading *r, const case_table *t, str name)
{
    if (t->name_count == 0)
        err_at(r->e, ERR_SCENARIO, r->out->file, 0, 0, "is one scenario: it has no case '%.*s'", STR_ARG(name));
    else if (name.n)
        err_at(r->e, ERR_SCENARIO, r->out->file, 0, 0, "has no case '%.*s'", STR_ARG(name));
    else
        err_at(r->e, ERR_SCENARIO, r->out->file, 0, 0, "has %zu cases, and none is named", t->name_count);
    str near = name.n ? err_nearest(name, t->names, t->name_count) : S("");
    if (near.n)
        return err_hint(r->e, "did you mean %.*s:%.*s?", STR_ARG(r->out->file), STR_ARG(near));
    return t->name_count ? hint_cases(r, t) : err_hint(r->e, "leave out the colon and what follows it");
}

bool case_layers_of(reading *r, const case_table *t, str name, const case_layer **layers, size_t *count,
                    matrix_row *row)
{
    const struct case_key **keys;
    bool known = name.n == 0 && t->name_count == 0;
    for (size_t i = 0; i < t->name_count && !known; i++)
        known = str_eq(t->names[i], name);
    *row = (matrix_row){ .clients = 0 };
    if (!known)
        return unknown_case(r, t, name);
    if (t->all && !matrix_parse(name, row))
        *row = (matrix_row){ .clients = 0 };
    size_t n = name.n ? matching(r, t, name, &keys) : 0, k = 0;
    case_layer *list = ARENA_ARRAY(r->a, case_layer, n + 2);
    list[k++] = (case_layer){ .field = S(""), .name = S("") };
    if (t->twin && str_eq(name, S("twin")))
        list[k++] = (case_layer){ .field = S("twin"), .name = S("") };
    for (size_t i = 0; i < n; i++)
        if (!keys[i]->off)
            list[k++] = (case_layer){ .field = S("cases"), .name = keys[i]->text };
    *layers = list;
    *count = k;
    return true;
}

void case_layer_push(lua_State *L, int index, const case_layer *l)
{
    lua_pushvalue(L, index);
    const str steps[] = { l->field, l->name };
    for (size_t i = 0; i < COUNT(steps) && steps[i].n && lua_istable(L, -1); i++) {
        push_raw(L, lua_gettop(L), steps[i]);
        lua_remove(L, -2);
    }
}

void case_push_field(lua_State *L, int index, const scenario *sc, const char *name)
{
    luaL_checkstack(L, 4, NULL);
    for (size_t i = sc->layer_count; i-- > 0;) {
        case_layer_push(L, index, &sc->layers[i]);
        if (lua_istable(L, -1) && push_raw(L, lua_gettop(L), str_from(name))) {
            lua_remove(L, -2);
            return;
        }
        lua_settop(L, index);
    }
    lua_pushnil(L);
}
