/* host.c - see host.h. The programs are one blob, made by the Makefile: for each file a line `name bytes`, then its
 * text. */
#include "source/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/mem.h"

/* Where `ld -b binary` puts a file that is called `programs`. */
extern const char _binary_programs_start[], _binary_programs_end[];

struct source_host {
    lua_State *L;
};

/* The arguments of a call; everything that can raise a Lua error runs inside lua_cpcall. */
typedef struct {
    arena *a;
    const char *program, *function;
    const str *in;
    size_t n;
    source_rows *out;
} run_call;

/* The next program of the blob at *at. false: there is none. */
static bool next_program(const char **at, str *name, str *text)
{
    if (*at >= _binary_programs_end)
        return false;
    const char *line = *at, *end = memchr(line, '\n', (size_t)(_binary_programs_end - line));
    const char *space = memchr(line, ' ', (size_t)(end - line));
    *name = (str){ .p = line, .n = (size_t)(space - line) };
    *text = (str){ .p = end + 1, .n = (size_t)strtoull(space, NULL, 10) };
    *at = text->p + text->n;
    return true;
}

/* package.preload[name] = the program, compiled. */
static void preload_programs(lua_State *L)
{
    const char *at = _binary_programs_start;
    str name, text;
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    while (next_program(&at, &name, &text)) {
        lua_pushlstring(L, name.p, name.n);
        lua_pushfstring(L, "@sim/source/%s.lua", lua_tostring(L, -1));
        if (luaL_loadbuffer(L, text.p, text.n, lua_tostring(L, -1)) != 0)
            lua_error(L);
        lua_remove(L, -2);
        lua_rawset(L, -3);
    }
    lua_pop(L, 2);
}

static int open_all(lua_State *L)
{
    luaL_openlibs(L);
    /* A module in the current folder must not be loaded as luacheck, and one in C would need the Lua that we link
     * in. */
    if (luaL_dostring(L, "package.path = (';' .. package.path):gsub(';%./[^;]*', ''):sub(2)  package.cpath = ''") != 0)
        return lua_error(L);
    preload_programs(L);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "luacheck.parser");
    lua_call(L, 1, 0);
    return 0;
}

source_host *source_host_new(err *e)
{
    lua_State *L = luaL_newstate();
    if (L && lua_cpcall(L, open_all, NULL) == 0) {
        source_host *h = mem_zero(sizeof *h);
        h->L = L;
        return h;
    }
    str why = str_from(L ? lua_tostring(L, -1) : "not enough memory");
    err_set(e, ERR_SCENARIO, "luacheck, whose parser reads Lua, cannot be loaded: %.*s", (int)str_find(why, '\n', 0),
            why.p);
    err_hint(e, "install it: apt-get install lua-check");
    if (L)
        lua_close(L);
    return NULL;
}

const char *source_host_lua(void) { return LUA_RELEASE; }

void source_host_free(source_host *h)
{
    if (!h)
        return;
    lua_close(h->L);
    mem_free(h);
}

static str to_field(lua_State *L, arena *a, int index)
{
    if (lua_isboolean(L, index))
        return lua_toboolean(L, index) ? S("true") : S("false");
    str s;
    s.p = lua_tolstring(L, index, &s.n);
    if (!s.p)
        luaL_error(L, "a field is %s, not a text", luaL_typename(L, index));
    return arena_str(a, s);
}

static void take_rows(lua_State *L, arena *a, source_rows *out)
{
    luaL_checktype(L, -1, LUA_TTABLE);
    *out = (source_rows){ .count = lua_objlen(L, -1) };
    out->row = ARENA_ARRAY(a, source_row, out->count + 1);
    for (size_t i = 0; i < out->count; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        luaL_checktype(L, -1, LUA_TTABLE);
        source_row *row = &out->row[i];
        row->count = lua_objlen(L, -1);
        row->field = ARENA_ARRAY(a, str, row->count + 1);
        for (size_t k = 0; k < row->count; k++) {
            lua_rawgeti(L, -1, (int)k + 1);
            row->field[k] = to_field(L, a, -1);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}

/* Adds a traceback to our own errors; a table that a program raised is passed on unchanged. */
static int add_traceback(lua_State *L)
{
    if (!lua_isstring(L, 1))
        return 1;
    lua_getglobal(L, "debug");
    lua_getfield(L, -1, "traceback");
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 2);
    lua_call(L, 2, 1);
    return 1;
}

static int run_inside(lua_State *L)
{
    const run_call *c = lua_touserdata(L, 1);
    lua_settop(L, 0);
    luaL_checkstack(L, (int)c->n + 8, "inputs");
    lua_pushcfunction(L, add_traceback);
    lua_getglobal(L, "require");
    lua_pushstring(L, c->program);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, c->function);
    for (size_t i = 0; i < c->n; i++)
        lua_pushlstring(L, c->in[i].p ? c->in[i].p : "", c->in[i].n);
    if (lua_pcall(L, (int)c->n, 1, 1) != 0)
        return lua_error(L);
    take_rows(L, c->a, c->out);
    return 0;
}

/* The text of a field of the raised table, which is on top; empty if it has none. Borrowed while the table lives. */
static str raised(lua_State *L, const char *name)
{
    str s = { .p = "" };
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    const char *p = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &s.n) : NULL;
    if (p)
        s.p = p;
    lua_pop(L, 1);
    return s;
}

static int raised_number(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    int n = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return n;
}

static void tell(lua_State *L, const char *program, err *e)
{
    if (!lua_istable(L, -1)) {
        const char *text = lua_tostring(L, -1);
        err_set(e, ERR_BUG, "sim/source/%s.lua: %s", program, text ? text : "raised what is neither a table nor a "
                "text");
        return;
    }
    str path = raised(L, "path"), message = raised(L, "message"), hint = raised(L, "hint");
    err_at(e, ERR_SCENARIO, path, raised_number(L, "line"), raised_number(L, "col"), "%.*s", STR_ARG(message));
    if (hint.n)
        err_hint(e, "%.*s", STR_ARG(hint));
    err_quote(e, raised(L, "text"));
}

bool source_host_run(source_host *h, arena *a, const char *program, const char *function, const str *in, size_t n,
                     source_rows *out, err *e)
{
    run_call c = { .a = a, .program = program, .function = function, .in = in, .n = n, .out = out };
    *out = (source_rows){ 0 };
    bool ok = lua_cpcall(h->L, run_inside, &c) == 0;
    if (!ok)
        tell(h->L, program, e);
    lua_settop(h->L, 0);
    return ok;
}
