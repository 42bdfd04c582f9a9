/* library_load.c - FUNCTION LOAD: a library's first line, and its chunk, which registers its functions. */
#include "script/libraries.h"

#include "base/mem.h"
#include "base/words.h"
#include "redis/server.h"
#include "script/script.h"

/* The contents of a library's first line. */
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

/* The words after the engine. */
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
    if (ok && !library_name_is_good(m->name))
        return wrong(why, str_from(BAD_LIBRARY_NAME));
    if (ok && !str_eq_nocase(m->engine, S("lua")))
        return wrong(why, script_line(out, arena_printf(out, "ERR Engine '%.*s' not found", STR_ARG(m->engine))));
    return ok;
}

/* The error on top of the stack, of a chunk that registers functions. */
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

bool library_run(script_host *h, library *l, arena *out, str *why)
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
    library_free_functions(l);
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
        const library *other = library_of_function(h, str_from(l->functions[i].name));
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
    if (!library_run(h, l, out, why) || !names_are_free(h, l, old, out, why)) {
        library_free(h, l);
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
