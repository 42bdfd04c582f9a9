/* script_run.c - one run of a script: KEYS and ARGV in, a reply or an error with its line out, findings on the way.
 * Facts: REDIS-FIDELITY.md sections 2.1 and 4; cluster slots: section 9. */
#include "script/script_host.h"

#include <inttypes.h>
#include <string.h>

#include "redis/server.h"

int script_line_of(lua_State *L)
{
    lua_Debug ar;
    for (int level = 0; L && level < 64 && lua_getstack(L, level, &ar); level++)
        if (lua_getinfo(L, "l", &ar) && ar.currentline > 0)
            return ar.currentline;
    return 0;
}

void script_report(script_host *h, script_finding kind, int line, str text)
{
    const redis_observer *o = &h->server->observer;
    if (o->finding)
        o->finding(o->context, kind, h->run.script ? (str){ h->run.script->sha, 40 } : S(""), line, text);
}

void script_check_slot(script_host *h, str key, int line)
{
    script_run *run = &h->run;
    if (run->cross_slot || h->limits.cluster == CLUSTER_NO)
        return;
    int slot = (int)redis_key_slot(key);
    if (run->slot < 0)
        run->slot = slot;
    else if (run->slot != slot) {
        run->cross_slot = true;
        script_report(h, FINDING_CROSS_SLOT, line, key);
    }
}

/* --- Errors
 * --------------------------------------------------------------------------------------------------------- */

/* The position of an error as the real server's handler finds it: the function that raised it or, if that is C, its
 * caller. */
static bool error_place(lua_State *L, lua_Debug *ar)
{
    if (!lua_getstack(L, 1, ar) || !lua_getinfo(L, "Sl", ar))
        return false;
    if (strcmp(ar->what, "C") != 0)
        return true;
    return lua_getstack(L, 2, ar) && lua_getinfo(L, "Sl", ar);
}

int script_handler(lua_State *L)
{
    script_host *h = host_of(L);
    if (h->blown != BLOWN_NOT)
        return 1;
    lua_settop(L, 1);
    lua_Debug ar;
    bool placed = error_place(L, &ar);
    const char *source = placed ? ar.source : NULL;
    int line = placed ? ar.currentline : 0;
    if (!lua_istable(L, 1)) {
        lua_getglobal(L, "tostring");
        lua_pushvalue(L, 1);
        lua_call(L, 1, 1);
        lua_pushliteral(L, "ERR ");
        lua_insert(L, -2);
        lua_concat(L, 2);
        lua_createtable(L, 0, 3);
        lua_insert(L, -2);
        lua_setfield(L, -2, "err");
        lua_replace(L, 1);
    } else if (placed && sandbox_is_protected(L, 1)) {
        /* The real handler is Lua code; in this case it fails itself, at its line 10, when it stores the position. */
        lua_createtable(L, 0, 3);
        lua_pushliteral(L, "ERR err_handler_def:10: Attempt to modify a readonly table");
        lua_setfield(L, -2, "err");
        lua_replace(L, 1);
        source = "@err_handler_def";
        line = 10;
    }
    if (placed) {
        lua_pushstring(L, source);
        lua_setfield(L, 1, "source");
        lua_pushinteger(L, line);
        lua_setfield(L, 1, "line");
    }
    return 1;
}

typedef struct {
    arena *out;
    str err, source, line_text;
    int line;
    bool has_err, placed, counted;
} error_parts;

static bool text_field(lua_State *L, const char *name, arena *out, str *text)
{
    lua_getfield(L, 2, name);
    bool is = lua_isstring(L, -1);
    if (is) {
        str s;
        s.p = lua_tolstring(L, -1, &s.n);
        *text = script_line(out, s);
    }
    lua_pop(L, 1);
    return is;
}

/* Protected: fields are read with metamethods, as the real server reads them. */
static int read_error(lua_State *L)
{
    error_parts *e = lua_touserdata(L, 1);
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "line");
        lua_rawget(L, 2);
        e->line = (int)lua_tointeger(L, -1);
        lua_pop(L, 1);
        lua_pushliteral(L, "ignore_error_stats_update");
        lua_rawget(L, 2);
        e->counted = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    e->has_err = text_field(L, "err", e->out, &e->err);
    e->placed = text_field(L, "source", e->out, &e->source) && text_field(L, "line", e->out, &e->line_text);
    return 0;
}

/* The server's name for what runs, and for the source of an error. */
static const char *run_name(const script_host *h)
{
    return h->run.function ? h->run.function->name : h->run.script->sha;
}
static const char *run_source(const script_host *h) { return h->run.function ? "user_function" : "user_script"; }

/* A real server does what locksim refuses: however the script handles the error, it has taken another path. */
void script_note_refusal(lua_State *L, script_host *h, str text)
{
    if (!h->run.refused.n)
        h->run.refused = arena_printf(h->run.out, "%.*s script: %s, on @%s:%d.", STR_ARG(text), run_name(h),
                                      run_source(h), script_line_of(L));
}

/* The error object on top of the stack as a reply; also reported as a finding. */
static reply take_error(lua_State *L, script_host *h)
{
    arena *out = h->run.out;
    error_parts e = { .out = out };
    if (lua_istable(L, -1) || lua_isstring(L, -1)) {
        lua_pushcfunction(L, read_error);
        lua_insert(L, -2);
        lua_pushlightuserdata(L, &e);
        lua_insert(L, -2);
        bool read = lua_pcall(L, 2, 0, 0) == 0;
        if (read && !e.has_err && server_follows(h->server, RULE_UNKNOWN_ERRORS))
            e.err = S("ERR unknown error");
        e.has_err = read && (e.has_err || e.err.n);
    }
    if (h->blown != BLOWN_NOT)
        return reply_nil();
    if (!e.has_err) {
        str text = arena_printf(out, "ERR locksim: the error object has no string field 'err': a real Redis server "
                                "crashes here "
                                     "script: %s, on @%s:%d.", run_name(h), run_source(h), e.line);
        script_report(h, FINDING_CRASH, e.line, text);
        return reply_error(text);
    }
    str text;
    bool named = !server_follows(h->server, RULE_NAMELESS_ERRORS);
    if (e.placed)
        text = arena_printf(out, "%.*s script: %s%son %.*s:%.*s.", STR_ARG(e.err), named ? run_name(h) : "",
                            named ? ", " : "", STR_ARG(e.source), STR_ARG(e.line_text));
    else
        text = arena_printf(out, "%.*s script: %s", STR_ARG(e.err), run_name(h));
    if (!server_lacks_memory(h->server) || !str_starts(text, S("OOM ")))    /* which is no fault of its own */
        script_report(h, FINDING_SCRIPT_ERROR, e.line, text);
    return (reply){ .kind = REPLY_ERROR, .text = text, .counted = e.counted };
}

static reply budget_error(script_host *h)
{
    arena *out = h->run.out;
    bool steps = h->blown == BLOWN_STEPS;
    uint64_t budget = steps ? h->limits.script_steps : h->limits.script_bytes;
    str text = arena_printf(out, "ERR locksim: script exceeded its budget of %" PRIu64 " %s script: %s", budget,
                            steps ? "steps" : "bytes", run_name(h));
    if (h->blown_line > 0)                               /* no line while its result is read */
        text = arena_printf(out, "%.*s, on @%s:%d.", STR_ARG(text), run_source(h), h->blown_line);
    script_report(h, FINDING_BUDGET, h->blown_line, text);
    return reply_error(text);
}

/* --- The run
 * -------------------------------------------------------------------------------------------------------- */

enum { SHORT_BYTES = 1024 };       /* arrays of longer strings are not kept: they are made anew, and count in the
                                    * budget */

static void push_array(lua_State *L, const str *items, size_t n)
{
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_pushlstring(L, items[i].p, items[i].n);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* Sets a global array of strings. */
static void set_array(lua_State *L, int globals_slot, int name_slot, const str *items, size_t n)
{
    lua_pushvalue(L, name_slot);
    push_array(L, items, n);
    lua_rawset(L, globals_slot);
}

static bool is_kept(const str *kept, str item)
{
    return kept->p && str_eq(*kept, item);
}

/* The array of this length, made when it is first asked for. */
static void push_kept(lua_State *L, int place, size_t n)
{
    lua_rawgeti(L, SLOT_KEPT, place);
    if (!lua_isnil(L, -1))
        return;
    lua_pop(L, 1);
    lua_createtable(L, (int)n, 0);
    lua_pushvalue(L, -1);
    lua_rawseti(L, SLOT_KEPT, place);
}

/* The same for a script that does not change its arrays: there is one of each length, and only differing items are
 * written into it. */
static void set_kept_array(script_host *h, int name_slot, const str *items, size_t n)
{
    lua_State *L = h->L;
    size_t which = name_slot == SLOT_KEYS ? 0 : 1, at = 0;
    int place = (int)(which * (HOST_FEW_STRINGS + 1) + n) + 1;
    str *kept = h->kept[which][n];
    while (at < n && is_kept(&kept[at], items[at]))
        at++;
    if (at == n && h->array_kept[which] == place)
        return;
    push_kept(L, place, n);
    for (; at < n; at++)
        if (!is_kept(&kept[at], items[at])) {
            lua_pushlstring(L, items[at].p, items[at].n);
            kept[at].p = lua_tolstring(L, -1, &kept[at].n);
            lua_rawseti(L, -2, (int)at + 1);
        }
    if (h->array_kept[which] != place) {
        lua_pushvalue(L, name_slot);
        lua_pushvalue(L, -2);
        lua_rawset(L, SLOT_FAST);
        h->array_kept[which] = place;
    }
    lua_pop(L, 1);
}

static bool few_and_short(const str *items, size_t n)
{
    if (n > HOST_FEW_STRINGS)
        return false;
    for (size_t i = 0; i < n; i++)
        if (items[i].n > SHORT_BYTES)
            return false;
    return true;
}

/* Fresh for each run, for a script may keep or change the tables while it runs; unless it provably cannot. */
static void set_arrays(script_host *h, const script *s, const call *c, size_t keys_n)
{
    const str *keys = c->argv + 3, *args = keys + keys_n;
    size_t args_n = c->argc - 3 - keys_n;
    if (!s->keeps_arrays || !few_and_short(keys, keys_n) || !few_and_short(args, args_n)) {
        set_array(h->L, s->globals_slot, SLOT_KEYS, keys, keys_n);
        set_array(h->L, s->globals_slot, SLOT_ARGV, args, args_n);
        if (s->globals_slot == SLOT_FAST)
            h->array_kept[0] = h->array_kept[1] = 0;
        return;
    }
    set_kept_array(h, SLOT_KEYS, keys, keys_n);
    set_kept_array(h, SLOT_ARGV, args, args_n);
    h->small_n = 0;                                      /* what earlier runs have made already must not count in this
                                                          * one's budget */
}

/* no-writes allows it, too, except in Valkey 9.1, which checks the memory first. */
static bool allows_oom(const redis *r, unsigned flags)
{
    return flags & (SCRIPT_ALLOW_OOM | SCRIPT_NO_WRITES) &&
           !(flags & SCRIPT_NO_WRITES && server_follows(r, RULE_MEMORY_BEFORE_WRITES));
}

/* KEYS and ARGV: globals of a script, parameters of a function. Returns how many parameters. */
static int hand_over(script_host *h, const evaluation *e)
{
    const str *keys = e->c->argv + 3;
    if (!e->function) {
        set_arrays(h, e->script, e->c, e->keys_n);
        return 0;
    }
    push_array(h->L, keys, e->keys_n);
    push_array(h->L, keys + e->keys_n, e->c->argc - 3 - e->keys_n);
    return 2;
}

reply script_evaluate(script_host *h, const evaluation *e)
{
    script *s = e->script;
    const call *c = e->c;
    unsigned flags = e->function ? e->function->flags : s->flags;
    h->run = (script_run){ .script = s, .function = e->function, .conn = c->conn, .keys = c->argv + 3,
                           .keys_n = e->keys_n, .argv = c->argv, .argc = c->argc, .out = c->out, .db = c->db,
                           .resp = 2, .slot = -1 };
    h->run.may = (script_may){ .slot = e->keys_n ? (int)redis_key_slot(c->argv[3]) : -1,
                               .read_only = e->read_only || flags & SCRIPT_NO_WRITES,
                               .no_replicas = server_lacks_replicas(h->server),
                               .no_memory = server_lacks_memory(h->server) && !allows_oom(h->server, flags) };
    if (!host_push(h, s))
        return reply_error(S("ERR locksim: no memory to compile the script again"));
    lua_State *L = h->L;
    script_trace_start(h, s);
    if (e->function)
        library_push(h, e->library, e->function);
    h->server->runs_function = e->function != NULL;
    host_budget_start(h);
    host_budget_lift(h);
    if (h->server->observer.finding)
        for (size_t i = 0; i < e->keys_n; i++)
            script_check_slot(h, c->argv[3 + i], 0);
    int parameters = hand_over(h, e);
    if (s->body.n >= HOST_BIG_BYTES)
        h->weight = s->body.n / 1024;                    /* its constants may be long */
    host_heap_limit(h);

    int status = lua_pcall(L, parameters, 1, SLOT_HANDLER);
    reply r = reply_nil();
    if (h->blown == BLOWN_NOT) {
        if (status != 0)
            r = take_error(L, h);
        else if (!script_take_reply(L, h, &r) && h->blown == BLOWN_NOT)
            h->blown = BLOWN_BYTES;
    }
    if (h->blown != BLOWN_NOT)
        r = budget_error(h);
    else if (h->run.refused.n && !redis_refusal(&r))
        r = reply_error(h->run.refused);
    host_budget_end(h);
    if (h->blown != BLOWN_NOT)
        host_close(h);                                   /* the next script finds a clean interpreter */
    else
        lua_settop(L, SLOT_LAST);
    return r;
}
