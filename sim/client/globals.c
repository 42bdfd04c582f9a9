/* globals.c - the global names of client code: fixed and read-only; for an unknown name the error suggests the nearest
 * known one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/process_internal.h"

int raise_at(lua_State *L, position where, const char *format, ...)
{
    char message[1024], place[32] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (where.line > 0)
        snprintf(place, sizeof place, ":%d:%d: ", where.line, where.col);
    lua_pushlstring(L, where.path.p, where.line > 0 ? where.path.n : 0);
    lua_pushstring(L, place);
    lua_pushstring(L, message);
    lua_concat(L, 3);
    return lua_error(L);
}

/* The assignment that called __newindex. */
static position assignment(lua_State *L, str name)
{
    lua_Debug ar;
    unsigned number;
    if (!lua_getstack(L, 1, &ar))
        return (position){ 0 };
    lua_getinfo(L, "Sl", &ar);
    const source *s = ar.source[0] == '=' && sscanf(ar.source + 1, "\001%u", &number) == 1 ?
                          source_numbered(process_of(L)->sources, number) : NULL;
    return s ? source_assignment(s, ar.currentline, name) : (position){ 0 };
}

static int refuse_new(lua_State *L)
{
    str name = { 0 };
    if (lua_type(L, 2) == LUA_TSTRING)
        name.p = lua_tolstring(L, 2, &name.n);
    return raise_at(L, assignment(L, name), "assignment to global '%.*s': write 'local %.*s', or keep shared state in "
                    "me.process",
                    STR_ARG(name), STR_ARG(name));
}

static int refuse_unknown(lua_State *L)
{
    static const char *const forbidden[][2] = {
        { "os", "the clock is me:now()" }, { "io", "me:log(text) writes to the story" },
        { "print", "me:log(text) writes to the story" },
        { "debug", "errors are located as they are" }, { "load", "client code is loaded by require" },
        { "loadstring", "client code is loaded by require" }, { "dofile", "client code is loaded by require" },
        { "loadfile", "client code is loaded by require" }, { "collectgarbage", "memory is bounded by locksim" },
        { "_G", "globals are read-only" }, { "getfenv", "globals are read-only" },
        { "setfenv", "globals are read-only" },
        { "redis", "only scripts and view functions see it" }, { "KEYS", "only scripts see it" },
        { "ARGV", "only scripts see it" },
    };
    str name = { 0 };
    if (lua_type(L, 2) == LUA_TSTRING)
        name.p = lua_tolstring(L, 2, &name.n);
    position where = state_where(process_of(L), L, 1);
    for (size_t i = 0; i < COUNT(forbidden); i++)
        if (str_eq(name, str_from(forbidden[i][0])))
            return raise_at(L, where, "client code has no global '%s': %s", forbidden[i][0], forbidden[i][1]);
    str known[64];
    size_t n = 0;
    root_push(L, ROOT_ENVIRONMENT);
    lua_pushnil(L);
    while (n < COUNT(known) && lua_next(L, -2)) {
        lua_pop(L, 1);
        known[n].p = lua_tolstring(L, -1, &known[n].n);
        n += known[n].p[0] != 1;                   /* not a name that client code could write (points.h) */
    }
    for (size_t i = 1; i < n; i++)                 /* the nearest must not depend on the table's order */
        for (size_t j = i; j > 0 && str_cmp(known[j], known[j - 1]) < 0; j--) {
            str swap = known[j];
            known[j] = known[j - 1];
            known[j - 1] = swap;
        }
    str near = err_nearest(name, known, n);
    if (near.n)
        return raise_at(L, where, "client code has no global '%.*s'; did you mean '%.*s'?", STR_ARG(name),
                        STR_ARG(near));
    return raise_at(L, where, "client code has no global '%.*s'", STR_ARG(name));
}

static int raise_err(lua_State *L, err *e)
{
    process *p = process_of(L);
    position where = { .path = buf_str(&e->path), .line = e->line, .col = e->col };
    if (where.line == 0)
        where = state_where(p, L, 1);
    buf text = { 0 };
    buf_add(&text, buf_str(&e->message));
    if (e->hint.n) {
        buf_addz(&text, "; ");
        buf_add(&text, buf_str(&e->hint));
    }
    char place[32] = "";
    if (where.line > 0)
        snprintf(place, sizeof place, ":%d:%d: ", where.line, where.col);
    int guarded = p->guarded;  /* the texts are malloc's: no error may be raised before they are freed */
    p->guarded = 0;
    lua_pushlstring(L, where.path.p ? where.path.p : "", where.line > 0 ? where.path.n : 0);
    lua_pushstring(L, place);
    lua_pushlstring(L, text.p ? text.p : "", text.n);
    lua_concat(L, 3);
    p->guarded = guarded;
    buf_free(&text);
    err_clear(e);
    return lua_error(L);
}

/* The module `name` loads name.lua, once per process; it is pushed. */
static int push_module(lua_State *L, str name)
{
    process *p = process_of(L);
    char file[300];
    luaL_argcheck(L, name.n > 0 && name.n < 256 && !memchr(name.p, 0, name.n), 1,
                  "a module's name has 1 to 255 characters");
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++)
        file[n++] = name.p[i] == '.' ? '/' : name.p[i];
    if (n > 4 && memcmp(file + n - 4, "/lua", 4) == 0)     /* require "x.lua" is a common slip */
        n -= 4;
    memcpy(file + n, ".lua", 5);
    n += 4;
    lua_settop(L, 1);
    root_push(L, ROOT_MODULES);                    /* 2 */
    lua_pushlstring(L, file, n);                   /* 3 */
    lua_pushvalue(L, 3);
    lua_rawget(L, 2);
    if (lua_islightuserdata(L, -1))
        return luaL_error(L, "require: '%s' requires itself", file);
    if (!lua_isnil(L, -1))
        return 1;
    lua_settop(L, 3);
    err e = { 0 };
    source *s = source_module(p->sources, p->loader, (str){ file, n }, &e);
    if (!s || !state_load(p, L, s, &e))
        return raise_err(L, &e);
    lua_pushvalue(L, 3);
    lua_pushlightuserdata(L, p);                   /* a mark: it is being loaded */
    lua_rawset(L, 2);
    bool ok = state_call(p, L, 0, 1, NULL);
    if (ok && lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
    }
    lua_pushvalue(L, 3);
    if (ok)
        lua_pushvalue(L, -2);
    else
        lua_pushnil(L);
    lua_rawset(L, 2);
    if (!ok)
        return lua_error(L);
    return 1;
}

/* require "redisson.lock"; the scenario's file learns where answers are (scripts/locksim/answers.lua). */
static int client_require(lua_State *L)
{
    process *p = process_of(L);
    str name = check_str(L, 1);
    push_module(L, name);
    if (!p->scenario || !p->scenario->answers_told || !str_eq(state_where(p, L, 1).path, p->scenario->file))
        return 1;
    lua_replace(L, 1);
    lua_settop(L, 1);
    push_module(L, S("locksim.answers"));
    lua_getfield(L, -1, "wrap");
    lua_pushvalue(L, 1);
    if (!state_call(p, L, 1, 1, NULL))
        return lua_error(L);
    return 1;
}

static int push_script(lua_State *L, const script_file *file, bool inline_text)
{
    root_push(L, ROOT_SCRIPTS);
    str id = inline_text ? file->body : file->name;
    if (inline_text) {
        lua_pushlstring(L, "\0", 1);
        lua_pushlstring(L, id.p, id.n);
        lua_concat(L, 2);
    } else {
        lua_pushlstring(L, id.p, id.n);
    }
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        object_new(L, OBJECT_SCRIPT)->script = file;
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
    }
    return 1;
}

/* script "acquire.lua": a file with Lua for Redis. */
static int client_script(lua_State *L)
{
    process *p = process_of(L);
    str name = check_str(L, 2);
    err e = { 0 };
    const script_file *file = source_script(p->sources, p->loader, name, &e);
    if (!file)
        return raise_err(L, &e);
    return push_script(L, file, false);
}

/* script.text "return 1" */
static int client_script_text(lua_State *L)
{
    return push_script(L, source_script_text(process_of(L)->sources, check_str(L, 1)), true);
}

void globals_open(lua_State *L)
{
    lua_newtable(L);
    library_open(L);
    lua_pushcfunction(L, client_require);
    lua_setfield(L, -2, "require");
    lua_newtable(L);                               /* script: callable, with a field */
    lua_pushcfunction(L, client_script_text);
    lua_setfield(L, -2, "text");
    library_protect(L);
    lua_getmetatable(L, -1);
    lua_pushcfunction(L, client_script);
    lua_setfield(L, -2, "__call");
    lua_pop(L, 1);
    lua_setfield(L, -2, "script");

    preempt_open(L);

    lua_createtable(L, 0, 3);
    lua_pushcfunction(L, refuse_unknown);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_new);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    root_set(L, ROOT_ENVIRONMENT);
    lua_replace(L, LUA_GLOBALSINDEX);
}
