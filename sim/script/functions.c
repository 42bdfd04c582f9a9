/* functions.c - Redis functions: libraries that register them, FUNCTION and FCALL.
 * Libraries have a Lua state of their own, apart from that of scripts. A library's chunk runs once, when it is loaded,
 * and registers its functions; what they keep in its locals lasts until the library is replaced. Names of libraries are
 * exact, those of functions are found in any case of letters. Lists are sorted by name, where the real server keeps a
 * hash table. Facts: REDIS-FIDELITY.md section 4, and what real servers of four dialects answered
 * (tests/conformance/function_cases.h). */
#include "script/script_host.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"
#include "base/words.h"
#include "redis/server.h"
#include "script/script.h"

static const char BAD_LIBRARY_NAME[] = "ERR Library names can only contain letters, numbers, or underscores(_) and "
                                       "must be at least one character long";
static const char BAD_FUNCTION_NAME[] = "ERR Function names can only contain letters, numbers, or underscores(_) and "
                                        "must be at least one character long";
static const char FUNCTION_TWICE[] = "ERR Function already exists in the library";

/* ---- libraries ---- */

static void free_functions(library *l)
{
    for (size_t i = 0; i < l->count; i++) {
        mem_free(l->functions[i].name);
        mem_free(l->functions[i].description);
    }
    l->count = 0;
}

/* Its code goes, too, as far as the Lua state is there. */
static void free_library(script_host *h, library *l)
{
    for (size_t i = 0; h->L && l->code.function && i <= l->count; i++) {
        lua_pushnil(h->L);
        lua_rawseti(h->L, SLOT_FUNCTIONS, (int)(i < l->count ? l->functions[i].place : l->code.function));
    }
    free_functions(l);
    mem_free(l->functions);
    mem_free(l->name);
    mem_free((void *)(uintptr_t)l->code.body.p);
    mem_free(l);
}

void libraries_forget(script_host *h)
{
    for (size_t i = 0; i < h->libraries_n; i++)
        free_library(h, h->libraries[i]);
    h->libraries_n = 0;
}

void libraries_forget_code(script_host *h)
{
    for (size_t i = 0; i < h->libraries_n; i++)
        h->libraries[i]->code.function = 0;
}

/* Where the library of this name is, or would be. */
static size_t library_at(const script_host *h, str name)
{
    size_t i = 0;
    while (i < h->libraries_n && str_cmp(str_from(h->libraries[i]->name), name) < 0)
        i++;
    return i;
}

static library *library_find(const script_host *h, str name)
{
    size_t i = library_at(h, name);
    return i < h->libraries_n && str_eq(str_from(h->libraries[i]->name), name) ? h->libraries[i] : NULL;
}

static void library_remove(script_host *h, library *l)
{
    size_t i = library_at(h, str_from(l->name));
    free_library(h, l);
    memmove(&h->libraries[i], &h->libraries[i + 1], (--h->libraries_n - i) * sizeof *h->libraries);
}

static void library_insert(script_host *h, library *l)
{
    size_t i = library_at(h, str_from(l->name));
    MEM_RESERVE(h->libraries, h->libraries_cap, h->libraries_n + 1);
    memmove(&h->libraries[i + 1], &h->libraries[i], (h->libraries_n++ - i) * sizeof *h->libraries);
    h->libraries[i] = l;
}

/* The function of this name in any case of letters, in the exact one first. */
static library_function *function_in(const library *l, str name)
{
    library_function *found = NULL;
    for (size_t i = 0; i < l->count; i++) {
        str known = str_from(l->functions[i].name);
        if (str_eq(known, name))
            return &l->functions[i];
        if (!found && str_eq_nocase(known, name))
            found = &l->functions[i];
    }
    return found;
}

static library *function_find(const script_host *h, str name)
{
    for (size_t i = 0; i < h->libraries_n; i++)
        if (function_in(h->libraries[i], name))
            return h->libraries[i];
    return NULL;
}

bool function_knows(const redis *r, str sha1)
{
    const script_host *h = r->scripts->functions;
    for (size_t i = 0; i < h->libraries_n; i++)
        if (str_eq(str_from(h->libraries[i]->code.sha), sha1))
            return true;
    return false;
}

void library_push(script_host *h, const library *l, const library_function *f)
{
    assert(l->code.function && h->L);
    lua_rawgeti(h->L, SLOT_FUNCTIONS, (int)f->place);
}

/* ---- redis.register_function ---- */

static bool name_is_good(str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return name.n > 0;
}

/* Raises; the text names the function as the server's dialect does. */
static int refuse(lua_State *L, const char *before, const char *after)
{
    const char *table = server_follows(host_of(L)->server, RULE_SERVER_TABLE) ? "server" : "redis";
    lua_pushfstring(L, "ERR %s%s.register_function%s", before, table, after);
    return script_raise(L, lua_tostring(L, -1));
}

/* What a call of it says; indices are places on the stack, 0: not given. */
typedef struct {
    int name, callback, description;
    unsigned flags;
} registration;

static bool read_flags(lua_State *L, int index, unsigned *flags)
{
    for (int i = 1;; i++) {
        lua_rawgeti(L, index, i);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            return true;
        }
        str name = S("");
        if (lua_isstring(L, -1))
            name.p = lua_tolstring(L, -1, &name.n);
        unsigned flag = script_flag(name, true);
        lua_pop(L, 1);
        if (!flag)
            return false;
        *flags |= flag;
    }
}

/* One named argument: its name below its value, on top. */
static void read_named(lua_State *L, registration *r)
{
    int value = lua_gettop(L), key = value - 1;
    if (!lua_isstring(L, key)) {
        refuse(L, "named argument key given to ", " is not a string");
        return;
    }
    lua_pushvalue(L, key);                               /* tolstring changes numbers in place */
    str name;
    name.p = lua_tolstring(L, -1, &name.n);
    if (str_eq_nocase(name, S("function_name"))) {
        if (!lua_isstring(L, value))
            refuse(L, "function_name argument given to ", " must be a string");
        lua_pushvalue(L, value);
        lua_replace(L, r->name = 2);
    } else if (str_eq_nocase(name, S("description"))) {
        if (!lua_isstring(L, value))
            refuse(L, "description argument given to ", " must be a string");
        lua_pushvalue(L, value);
        lua_replace(L, r->description = 4);
    } else if (str_eq_nocase(name, S("callback"))) {
        if (!lua_isfunction(L, value))
            refuse(L, "callback argument given to ", " must be a function");
        lua_pushvalue(L, value);
        lua_replace(L, r->callback = 3);
    } else if (str_eq_nocase(name, S("flags"))) {
        if (!lua_istable(L, value))
            refuse(L, "flags argument to ", " must be a table representing function flags");
        if (!read_flags(L, value, &r->flags))
            script_raise(L, "ERR unknown flag given");
    } else {
        refuse(L, "unknown argument given to ", "");
    }
    lua_settop(L, key);
}

static void read_table(lua_State *L, registration *r)
{
    if (!lua_istable(L, 1)) {
        const char *table = server_follows(host_of(L)->server, RULE_SERVER_TABLE) ? "server" : "redis";
        lua_pushfstring(L, "ERR calling %s.register_function with a single argument is only applicable to Lua table "
                           "(representing named arguments).", table);
        script_raise(L, lua_tostring(L, -1));
    }
    lua_settop(L, 4);                                    /* the table, name, callback, description */
    lua_pushnil(L);
    while (lua_next(L, 1))
        read_named(L, r);
    if (!r->name)
        refuse(L, "", " must get a function name argument");
    if (!r->callback)
        refuse(L, "", " must get a callback argument");
}

static void read_pair(lua_State *L, registration *r)
{
    if (!lua_isstring(L, 1))
        refuse(L, "first argument to ", " must be a string");
    if (!lua_isfunction(L, 2))
        refuse(L, "second argument to ", " must be a function");
    *r = (registration){ .name = 1, .callback = 2 };
}

/* Some dialects find it only when the chunk has ended; then the first such error counts. */
static int refuse_late(lua_State *L, const char *text, const char *late)
{
    script_host *h = host_of(L);
    if (!server_follows(h->server, RULE_FUNCTIONS_MADE_LATE))
        return script_raise(L, text);
    if (!h->loading_late)
        h->loading_late = late;
    return 0;
}

static str string_at(lua_State *L, int index)
{
    str s;
    s.p = lua_tolstring(L, index, &s.n);
    return s;
}

static void add_function(lua_State *L, library *l, const registration *r)
{
    script_host *h = host_of(L);
    str name = string_at(L, r->name);
    size_t at = 0;
    while (at < l->count && str_cmp(str_from(l->functions[at].name), name) < 0)
        at++;
    MEM_RESERVE(l->functions, l->cap, l->count + 1);
    memmove(&l->functions[at + 1], &l->functions[at], (l->count++ - at) * sizeof *l->functions);
    l->functions[at] = (library_function){ .name = host_text(name), .flags = r->flags, .place = ++h->functions_n,
                                           .description = r->description ? host_text(string_at(L, r->description))
                                           : NULL };
    lua_getfield(L, LUA_REGISTRYINDEX, "functions");     /* what lies in SLOT_FUNCTIONS, from whatever depth */
    lua_pushvalue(L, r->callback);
    lua_rawseti(L, -2, (int)h->functions_n);
}

int library_register(lua_State *L)
{
    library *l = host_of(L)->loading;
    registration r = { 0 };
    int argc = lua_gettop(L);
    if (argc < 1 || argc > 2)
        return refuse(L, "wrong number of arguments to ", "");
    if (argc == 1)
        read_table(L, &r);
    else
        read_pair(L, &r);
    if (!l)
        return refuse(L, "", " can only be called on FUNCTION LOAD command");
    str name = string_at(L, r.name);
    if (!name_is_good(name))
        return refuse_late(L, BAD_LIBRARY_NAME, BAD_FUNCTION_NAME);
    for (size_t i = 0; i < l->count; i++)
        if (str_eq(str_from(l->functions[i].name), name))
            return refuse_late(L, FUNCTION_TWICE, FUNCTION_TWICE);
    add_function(L, l, &r);
    return 0;
}

/* ---- what functions keep between calls ---- */

/* A fingerprint of all that a value leads to. Tables are walked in the order that they have: who puts something in
 * changes them anyway. A coroutine's inside is not looked at: then nobody can be sure. */
typedef struct {
    XXH64_state_t *hash;
    lua_State *L;
    int seen;              /* a table of what was visited */
    bool unsure;           /* there is something that was not looked into */
} walker;

enum { WALK_DEPTH_MAX = 150 };

static void walk(walker *w, int depth);

static void add_word(walker *w, uint64_t word)
{
    XXH64_update(w->hash, &word, sizeof word);
}

static bool visited(walker *w)
{
    lua_pushvalue(w->L, -1);
    lua_rawget(w->L, w->seen);
    bool yes = lua_toboolean(w->L, -1);
    lua_pop(w->L, 1);
    if (!yes) {
        lua_pushvalue(w->L, -1);
        lua_pushboolean(w->L, 1);
        lua_rawset(w->L, w->seen);
    }
    return yes;
}

static void walk_table(walker *w, int depth)
{
    if (sandbox_is_protected(w->L, -1))
        return;
    if (lua_getmetatable(w->L, -1)) {
        walk(w, depth);
        lua_pop(w->L, 1);
    }
    lua_pushnil(w->L);
    while (lua_next(w->L, -2)) {
        walk(w, depth);
        lua_pop(w->L, 1);
        walk(w, depth);
    }
}

static void walk_function(walker *w, int depth)
{
    for (int i = 1; !lua_iscfunction(w->L, -1) && lua_getupvalue(w->L, -1, i); i++) {
        walk(w, depth);
        lua_pop(w->L, 1);
    }
}

/* The value on top; it stays there. */
static void walk(walker *w, int depth)
{
    int type = lua_type(w->L, -1);
    add_word(w, (uint64_t)type);
    if (type == LUA_TSTRING) {
        str s = string_at(w->L, -1);
        add_word(w, s.n);
        XXH64_update(w->hash, s.p, s.n);
    } else if (type == LUA_TNUMBER) {
        lua_Number n = lua_tonumber(w->L, -1);
        XXH64_update(w->hash, &n, sizeof n);
    } else if (type == LUA_TBOOLEAN) {
        add_word(w, (uint64_t)lua_toboolean(w->L, -1));
    } else if (type != LUA_TNIL) {
        add_word(w, (uintptr_t)lua_topointer(w->L, -1));
        if (type == LUA_TTHREAD || depth > WALK_DEPTH_MAX)
            w->unsure = true;
        else if (type == LUA_TTABLE && !visited(w))
            walk_table(w, depth + 1);
        else if (type == LUA_TFUNCTION && !visited(w))
            walk_function(w, depth + 1);
    }
}

static int walk_all(lua_State *L)
{
    walker *w = lua_touserdata(L, 1);
    const library *l = lua_touserdata(L, 2);
    w->L = L;
    luaL_checkstack(L, 4 * WALK_DEPTH_MAX + LUA_MINSTACK, "a library");
    lua_newtable(L);
    w->seen = lua_gettop(L);
    for (size_t i = 0; i < l->count; i++) {
        lua_getfield(L, LUA_REGISTRYINDEX, "functions");
        lua_rawgeti(L, -1, (int)l->functions[i].place);
        walk(w, 0);
        lua_pop(L, 2);
    }
    return 0;
}

/* 0: it cannot be told. */
static uint64_t library_print(script_host *h, library *l)
{
    walker w = { .hash = XXH64_createState() };
    XXH64_reset(w.hash, 0);
    lua_pushcfunction(h->L, walk_all);
    lua_pushlightuserdata(h->L, &w);
    lua_pushlightuserdata(h->L, l);
    bool ok = lua_pcall(h->L, 2, 0, 0) == 0;
    uint64_t print = XXH64_digest(w.hash);
    XXH64_freeState(w.hash);
    lua_settop(h->L, SLOT_LAST);
    return ok && !w.unsure ? print | 1 : 0;
}

/* ---- FUNCTION LOAD ---- */

/* What a library's first line says. */
typedef struct {
    str engine, name;
    bool named;
    size_t lua_at;
} metadata;

static bool wrong(str *why, str text)
{
    *why = text;
    return false;
}

/* The words behind the engine. */
static bool read_names(str line, size_t *at, bool joined, buf *word, metadata *m, arena *out, str *why)
{
    for (;;) {
        word_kind kind = joined ? words_next_joined(line, at, word) : words_next(line, at, word);
        str w = buf_str(word);
        if (kind == WORD_NONE)
            return m->named || wrong(why, S("ERR Library name was not given"));
        if (!str_starts_nocase(w, S("name=")))
            return wrong(why,
                         script_line(out, arena_printf(out, "ERR Invalid metadata value given: %.*s", STR_ARG(w))));
        if (m->named)
            return wrong(why, S("ERR Invalid metadata value, name argument was given multiple times"));
        m->named = true;
        m->name = arena_str(out, str_slice(w, 5, w.n));
    }
}

static bool read_metadata(const script_host *h, str body, metadata *m, arena *out, str *why)
{
    if (!str_starts(body, S("#!")))
        return wrong(why, S("ERR Missing library metadata"));
    m->lua_at = str_find(body, '\n', 0);
    str line = str_slice(body, 0, m->lua_at);
    bool joined = server_follows(h->server, RULE_QUOTES_JOIN);
    buf word = { 0 };
    bool ok = m->lua_at < body.n && words_close(line, joined, &word);
    if (!ok)
        *why = S("ERR Invalid library metadata");
    size_t at = 0;
    if (ok) {
        joined ? words_next_joined(line, &at, &word) : words_next(line, &at, &word);
        m->engine = arena_str(out, str_slice(buf_str(&word), 2, word.n));
        ok = read_names(line, &at, joined, &word, m, out, why);
    }
    buf_free(&word);
    if (ok && !name_is_good(m->name))
        return wrong(why, str_from(BAD_LIBRARY_NAME));
    if (ok && !str_eq_nocase(m->engine, S("lua")))
        return wrong(why, script_line(out, arena_printf(out, "ERR Engine '%.*s' not found", STR_ARG(m->engine))));
    return ok;
}

/* The error on top of the stack, of a chunk that registers. */
static str load_error(script_host *h, arena *out)
{
    lua_State *L = h->L;
    if (h->blown != BLOWN_NOT)
        return S("ERR Error registering functions: ERR locksim: loading the library exceeded its budget");
    if (lua_istable(L, -1)) {
        lua_pushliteral(L, "err");
        lua_rawget(L, -2);
        lua_replace(L, -2);
        return script_line(out, arena_printf(out, "ERR Error registering functions: %s", lua_tostring(L, -1)));
    }
    const char *text = lua_tostring(L, -1);
    return script_line(out, arena_printf(out, "ERR Error registering functions: ERR %s",
                                         text ? text : "locksim: an error that is no text"));
}

/* Runs the chunk, which is on top of the stack. */
static bool run_chunk(script_host *h, library *l, arena *out, str *why)
{
    h->run = (script_run){ .script = &l->code, .out = out, .resp = 2, .slot = -1 };
    script_trace_start(h, &l->code);
    h->loading = l;
    h->loading_late = NULL;
    sandbox_loading(h->L, true);
    host_budget_start(h);
    host_heap_limit(h);
    int status = lua_pcall(h->L, 0, 0, 0);
    host_budget_end(h);
    sandbox_loading(h->L, false);
    h->loading = NULL;
    if (status != 0)
        *why = load_error(h, out);
    else if (h->loading_late)
        *why = str_from(h->loading_late);
    else if (l->count == 0)
        *why = S("ERR No functions registered");
    else
        return true;
    return false;
}

/* Compiles it and lets it register its functions. */
static bool run_library(script_host *h, library *l, arena *out, str *why)
{
    host_open(h);
    if (host_compile(h, str_slice(l->code.body, l->code.lua_at, l->code.body.n)) != 0) {
        *why = script_line(out, arena_printf(out, "ERR Error compiling function: %s", lua_tostring(h->L, -1)));
        lua_settop(h->L, SLOT_LAST);
        host_tidy(h);
        return false;
    }
    script_trace_learn(h, &l->code);
    lua_pushvalue(h->L, -1);
    l->code.function = ++h->functions_n;
    lua_rawseti(h->L, SLOT_FUNCTIONS, (int)l->code.function);
    free_functions(l);
    bool ok = run_chunk(h, l, out, why);
    if (h->blown != BLOWN_NOT)
        host_close(h);
    else
        lua_settop(h->L, SLOT_LAST);
    if (ok && h->limits.pure_functions)
        l->print = library_print(h, l);
    return ok;
}

/* A name that another library has already. */
static bool names_are_free(const script_host *h, const library *l, const library *old, arena *out, str *why)
{
    for (size_t i = 0; i < l->count; i++) {
        const library *other = function_find(h, str_from(l->functions[i].name));
        if (other && other != old)
            return wrong(why, arena_printf(out, "ERR Function %s already exists", l->functions[i].name));
    }
    return true;
}

static library *library_make(str body, const metadata *m)
{
    library *l = mem_zero(sizeof *l);
    l->name = host_text(m->name);
    redis_sha1(body, l->code.sha);
    l->code.body = (str){ host_text(body), body.n };
    l->code.lua_at = m->lua_at;                          /* the newline stays, so that lines keep their numbers */
    return l;
}

bool function_load(redis *r, str body, bool replace, arena *out, str *name, str *why)
{
    script_host *h = r->scripts->functions;
    metadata m = { 0 };
    if (!read_metadata(h, body, &m, out, why))
        return false;
    library *old = library_find(h, m.name);
    if (old && !replace)
        return wrong(why, script_line(out, arena_printf(out, "ERR Library '%.*s' already exists", STR_ARG(m.name))));
    library *l = library_make(body, &m);
    if (!run_library(h, l, out, why) || !names_are_free(h, l, old, out, why)) {
        free_library(h, l);
        return false;
    }
    if (old)
        library_remove(h, old);
    library_insert(h, l);
    if (name)
        *name = m.name;
    return true;
}

bool redis_is_library(str body)
{
    str line = str_slice(body, 0, str_find(body, '\n', 0));
    buf word = { 0 };
    bool named = false;
    if (str_starts(line, S("#!")))
        for (size_t at = 0; !named && words_next(line, &at, &word) == WORD_PLAIN;)
            named = str_starts_nocase(buf_str(&word), S("name="));
    buf_free(&word);
    return named;
}

reply function_load_command(const call *c)
{
    script_host *h = c->server->scripts->functions;
    bool replace = false;
    for (size_t i = 2; i + 1 < c->argc; i++) {
        if (!str_eq_nocase(c->argv[i], S("replace")))
            return reply_error_about(c, "ERR Unknown option given: ", c->argv[i]);
        replace = true;
    }
    str name, why;
    if (function_load(c->server, c->argv[c->argc - 1], replace, c->out, &name, &why))
        return reply_bulk(name);
    h->run.script = NULL;
    script_report(h, FINDING_SCRIPT_ERROR, 0, why);
    return reply_error(why);
}

/* ---- FCALL ---- */

/* The state of math.random is one for scripts and functions. */
static reply evaluate(const call *c, const evaluation *e)
{
    script_host *h = c->server->scripts->functions, *scripts = c->server->scripts;
    script_host_set_random(h, script_host_random(scripts));
    reply r = script_evaluate(h, e);
    script_host_set_random(scripts, script_host_random(h));
    return r;
}

/* Who merges states of the world knows nothing of what a library keeps: a function that changes it fails, and finds it
 * as it was. */
static reply impure(script_host *h, library *l, arena *out)
{
    str text = arena_printf(out, "ERR locksim: a function changed what library '%s' keeps in its locals between calls, "
                            "which is no part of "
                                 "a state that is searched", l->name);
    h->run.script = &l->code;
    script_report(h, FINDING_BUDGET, 0, text);
    host_close(h);
    return reply_error(text);
}

static reply call_function(const call *c, bool read_only)
{
    script_host *h = c->server->scripts->functions;
    library *l = function_find(h, c->argv[1]);
    size_t keys_n;
    reply why;
    str text;
    if (!l)
        return reply_error(S("ERR Function not found"));
    if (!script_numkeys(c, reply_error(S("ERR Bad number of keys provided")), &keys_n, &why))
        return why;
    const library_function *f = function_in(l, c->argv[1]);
    if (!script_may_begin(c, f->flags | SCRIPT_SHEBANG, read_only, &why))
        return why;
    if (!l->code.function && !run_library(h, l, c->out, &text))
        return reply_error(S("ERR locksim: no memory to load the library again"));
    evaluation e = { .script = &l->code, .library = l, .function = function_in(l, c->argv[1]), .c = c, .keys_n = keys_n,
                     .read_only = read_only };
    reply r = evaluate(c, &e);
    if (h->limits.pure_functions && h->L && l->print != library_print(h, l))
        return impure(h, l, c->out);
    return r;
}

reply function_fcall(const call *c) { return call_function(c, false); }
reply function_fcall_ro(const call *c) { return call_function(c, true); }

/* ---- FUNCTION, the rest ---- */

reply function_delete(const call *c)
{
    script_host *h = c->server->scripts->functions;
    library *l = library_find(h, c->argv[2]);
    if (!l)
        return reply_error(S("ERR Library not found"));
    library_remove(h, l);
    return reply_ok();
}

static reply bad_words(const call *c)
{
    str sub = c->argv[1];
    return reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                    "FUNCTION HELP.",
                                    STR_ARG(sub)));
}

reply function_flush(const call *c)
{
    if (c->argc > 3)
        return bad_words(c);
    if (c->argc == 3 && !str_eq_nocase(c->argv[2], S("sync")) && !str_eq_nocase(c->argv[2], S("async")))
        return reply_error(S("ERR FUNCTION FLUSH only supports SYNC|ASYNC option"));
    libraries_forget(c->server->scripts->functions);
    return reply_ok();
}

static reply tell_function(const call *c, const library_function *f)
{
    reply r = reply_items(c->out, REPLY_MAP, 6);
    r.items[0] = reply_bulk(S("name"));
    r.items[1] = reply_bulk(arena_str(c->out, str_from(f->name)));
    r.items[2] = reply_bulk(S("description"));
    if (f->description)
        r.items[3] = reply_bulk(arena_str(c->out, str_from(f->description)));
    r.items[4] = reply_bulk(S("flags"));
    r.items[5] = reply_items(c->out, REPLY_SET, 0);
    r.items[5].items = ARENA_ARRAY(c->out, reply, 8);
    unsigned flag;
    for (size_t i = 0; script_flag_name(i, &flag); i++)
        if (f->flags & flag)
            r.items[5].items[r.items[5].count++] = reply_status(str_from(script_flag_name(i, &flag)));
    return r;
}

static reply tell_library(const call *c, const library *l, bool with_code)
{
    reply r = reply_items(c->out, REPLY_MAP, with_code ? 8 : 6);
    r.items[0] = reply_bulk(S("library_name"));
    r.items[1] = reply_bulk(arena_str(c->out, str_from(l->name)));
    r.items[2] = reply_bulk(S("engine"));
    r.items[3] = reply_bulk(S("LUA"));
    r.items[4] = reply_bulk(S("functions"));
    r.items[5] = reply_items(c->out, REPLY_ARRAY, l->count);
    for (size_t i = 0; i < l->count; i++)
        r.items[5].items[i] = tell_function(c, &l->functions[i]);
    if (with_code) {
        r.items[6] = reply_bulk(S("library_code"));
        r.items[7] = reply_bulk(arena_str(c->out, l->code.body));
    }
    return r;
}

static str lower(arena *a, str s)
{
    s = arena_str(a, s);
    for (char *p = (char *)(uintptr_t)s.p; p < s.p + s.n; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p + ('a' - 'A'));
    return s;
}

reply function_list(const call *c)
{
    const script_host *h = c->server->scripts->functions;
    bool with_code = false;
    const str *pattern = NULL;
    for (size_t i = 2; i < c->argc; i++) {
        if (!with_code && str_eq_nocase(c->argv[i], S("withcode")))
            with_code = true;
        else if (!pattern && str_eq_nocase(c->argv[i], S("libraryname")) && i + 1 >= c->argc)
            return reply_error(S("ERR library name argument was not given"));
        else if (!pattern && str_eq_nocase(c->argv[i], S("libraryname")))
            pattern = &c->argv[++i];
        else
            return reply_error_about(c, "ERR Unknown argument ", c->argv[i]);
    }
    reply r = reply_items(c->out, REPLY_ARRAY, h->libraries_n);
    r.count = 0;
    for (size_t i = 0; i < h->libraries_n; i++)
        if (!pattern || glob_match(lower(c->out, *pattern), lower(c->out, str_from(h->libraries[i]->name))))
            r.items[r.count++] = tell_library(c, h->libraries[i], with_code);
    return r;
}

reply function_stats(const call *c)
{
    const script_host *h = c->server->scripts->functions;
    int64_t functions = 0;
    for (size_t i = 0; i < h->libraries_n; i++)
        functions += (int64_t)h->libraries[i]->count;
    reply r = reply_items(c->out, REPLY_MAP, 4), engines = reply_items(c->out, REPLY_MAP, 2),
              lua = reply_items(c->out, REPLY_MAP, 4);
    lua.items[0] = reply_bulk(S("libraries_count"));
    lua.items[1] = reply_integer((int64_t)h->libraries_n);
    lua.items[2] = reply_bulk(S("functions_count"));
    lua.items[3] = reply_integer(functions);
    engines.items[0] = reply_bulk(S("LUA"));
    engines.items[1] = lua;
    r.items[0] = reply_bulk(S("running_script"));
    r.items[2] = reply_bulk(S("engines"));
    r.items[3] = engines;
    return r;
}
