/* functions.c - Redis functions: FCALL, and FUNCTION but for LOAD (library_load.c).
 * Libraries have a Lua state of their own, apart from that of scripts. A library's chunk runs once, when it is loaded,
 * and registers its functions; what they keep in its locals lasts until the library is replaced. Names of libraries are
 * exact, those of functions are found in any case of letters. Lists are sorted by name, where the real server keeps a
 * hash table. Facts: REDIS-FIDELITY.md section 4, and what real servers of four dialects answered
 * (tests/conformance/function_cases.h). */
#include "script/libraries.h"

#include "redis/server.h"

/* Scripts and functions share the state of math.random. */
static reply evaluate(const call *c, const evaluation *e)
{
    script_host *h = c->server->scripts->functions, *scripts = c->server->scripts;
    script_host_set_random(h, script_host_random(scripts));
    reply r = script_evaluate(h, e);
    script_host_set_random(scripts, script_host_random(h));
    return r;
}

/* The state that a library keeps is no part of a world's state: a function that changes it fails, and the change is
 * undone. */
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
    library *l = library_of_function(h, c->argv[1]);
    size_t keys_n;
    reply why;
    str text;
    if (!l)
        return reply_error(S("ERR Function not found"));
    if (!script_numkeys(c, reply_error(S("ERR Bad number of keys provided")), &keys_n, &why))
        return why;
    const library_function *f = library_function_in(l, c->argv[1]);
    if (!script_may_begin(c, f->flags | SCRIPT_SHEBANG, read_only, &why))
        return why;
    if (!l->code.function && !library_run(h, l, c->out, &text))
        return reply_error(S("ERR locksim: no memory to load the library again"));
    evaluation e = { .script = &l->code, .library = l, .function = library_function_in(l, c->argv[1]), .c = c,
                     .keys_n = keys_n, .read_only = read_only };
    reply r = evaluate(c, &e);
    if (h->limits.pure_functions && h->L && l->print != library_print(h, l))
        return impure(h, l, c->out);
    return r;
}

reply function_fcall(const call *c) { return call_function(c, false); }
reply function_fcall_ro(const call *c) { return call_function(c, true); }

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

bool function_writes_nothing(const call *c)
{
    script_host *h = c->server->scripts->functions;
    const library *l = library_of_function(h, c->argv[1]);
    const library_function *f = l ? library_function_in(l, c->argv[1]) : NULL;
    return f && f->flags & SCRIPT_NO_WRITES;
}

/* What runs, and for how long it had when it was left. */
static reply tell_running(const call *c, const script_run *run)
{
    reply r = reply_items(c->out, REPLY_MAP, 6), words = reply_items(c->out, REPLY_ARRAY, run->argc);
    for (size_t i = 0; i < run->argc; i++)
        words.items[i] = reply_bulk(arena_str(c->out, run->argv[i]));
    r.items[0] = reply_bulk(S("name"));
    r.items[1] = reply_bulk(arena_str(c->out, str_from(run->function->name)));
    r.items[2] = reply_bulk(S("command"));
    r.items[3] = words;
    r.items[4] = reply_bulk(S("duration_ms"));
    r.items[5] = reply_integer(c->server->script_ms);
    return r;
}

reply function_stats(const call *c)
{
    const script_host *h = c->server->scripts->functions;
    if (c->server->busy && !c->server->runs_function)
        return reply_busy(c->server);
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
    if (c->server->busy)
        r.items[1] = tell_running(c, &h->run);
    r.items[2] = reply_bulk(S("engines"));
    r.items[3] = engines;
    return r;
}
