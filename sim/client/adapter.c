/* adapter.c - see adapter.h. */
#include "client/adapter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"
#include "scenario/source.h"

struct adapter {
    arena *memory;
    process *p;
    str path;
};

enum { MEANING_DEPTH_MAX = 16 };

adapter *adapter_new(str path, str text, err *e)
{
    arena *a = arena_new();
    adapter *t = ARENA_NEW(a, adapter);
    *t = (adapter){ .memory = a, .path = arena_str(a, path) };
    text = arena_str(a, text);
    source *main = NULL;
    t->p = state_new(source_cache_new(a), NULL, a);
    bool ok = process_load_main(t->p, t->path, text, &main, e);
    if (ok && !lua_isfunction(t->p->L, 1)) {
        ok = err_at(e, ERR_SCENARIO, t->path, 0, 0, "an adapter returns a function, this one returns %s",
                    luaL_typename(t->p->L, 1));
        err_hint(e, "return function(script, reply, problem, version) return reply == 1 end");
    }
    if (ok)
        return t;
    adapter_free(t);
    return NULL;
}

void adapter_free(adapter *t)
{
    if (!t)
        return;
    state_free(t->p);
    arena_free(t->memory);
}

/* ---- what it returned, as text ---- */

static bool put_meaning(lua_State *L, int at, int depth, buf *out);

static void put_quoted(buf *out, str s)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            buf_byte(out, '\\');
        if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\%03u", c);
        else
            buf_byte(out, (char)c);
    }
    buf_byte(out, '"');
}

static int by_text(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

/* Fields in the order of their texts: a table has none of its own. */
static bool put_table(lua_State *L, int at, int depth, buf *out)
{
    str *fields = NULL;
    size_t count = 0, cap = 0;
    bool ok = lua_checkstack(L, 8);
    lua_pushnil(L);
    while (ok && lua_next(L, at)) {
        int top = lua_gettop(L);
        buf field = { 0 };
        buf_byte(&field, '[');
        ok = put_meaning(L, top - 1, depth + 1, &field);
        buf_addz(&field, "] = ");
        ok = ok && put_meaning(L, top, depth + 1, &field);
        MEM_RESERVE(fields, cap, count + 1);
        fields[count++] = buf_str(&field);         /* takes the buffer over */
        lua_settop(L, top - 1);
    }
    if (count)
        qsort(fields, count, sizeof *fields, by_text);
    buf_addz(out, count ? "{ " : "{");
    for (size_t i = 0; i < count; i++) {
        buf_addz(out, i ? ", " : "");
        buf_add(out, fields[i]);
        mem_free((char *)(uintptr_t)fields[i].p);
    }
    buf_addz(out, count ? " }" : "}");
    mem_free(fields);
    return ok;
}

static bool put_meaning(lua_State *L, int at, int depth, buf *out)
{
    str s;
    switch (lua_type(L, at)) {
    case LUA_TNIL:
        buf_addz(out, "nil");
        return true;
    case LUA_TBOOLEAN:
        buf_addz(out, lua_toboolean(L, at) ? "true" : "false");
        return true;
    case LUA_TNUMBER:
        buf_printf(out, "%.17g", lua_tonumber(L, at));
        return !isnan(lua_tonumber(L, at));
    case LUA_TSTRING:
        s.p = lua_tolstring(L, at, &s.n);
        put_quoted(out, s);
        return true;
    case LUA_TTABLE:
        return depth < MEANING_DEPTH_MAX && put_table(L, at, depth, out);
    default:
        return false;
    }
}

bool adapter_adapt(void *context, str script, bool second, const reply *r, arena *a, str *common, err *e)
{
    adapter *t = context;
    process *p = t->p;
    lua_State *L = p->L;
    state_refill(p);
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    lua_pushlstring(L, script.p, script.n);
    if (convert_push(L, r) == 1)
        lua_pushnil(L);
    lua_pushstring(L, second ? "new" : "old");
    lua_State *trace;
    if (!state_call(p, L, 4, 1, &trace))
        return state_fail(p, L, trace, e);
    buf b = { 0 };
    bool ok = put_meaning(L, 2, 0, &b);
    *common = arena_str(a, buf_str(&b));
    buf_free(&b);
    lua_settop(L, 1);
    if (ok)
        return true;
    err_at(e, ERR_SCENARIO, t->path, 0, 0, "the adapter returned for %.*s what is no meaning", STR_ARG(script));
    return err_hint(e, "nil, a boolean, a number, a string, or a table of these, at most %d deep", MEANING_DEPTH_MAX);
}
