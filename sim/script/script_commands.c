/* script_commands.c - EVAL, EVALSHA, their read-only forms and SCRIPT: arguments checked, the script found, run by the
 * host. Facts: REDIS-FIDELITY.md section 4. */
#include "script/script_host.h"

#include <string.h>

#include "redis/server.h"
#include "script/script.h"

bool script_numkeys(const call *c, reply not_a_number, size_t *keys_n, reply *why)
{
    int64_t n;
    if (!parse_int(c->argv[2], &n)) {
        *why = not_a_number;
        return false;
    }
    if (n > (int64_t)c->argc - 3) {
        *why = reply_error(S("ERR Number of keys can't be greater than number of args"));
        return false;
    }
    if (n < 0) {
        *why = reply_error(S("ERR Number of keys can't be negative"));
        return false;
    }
    *keys_n = (size_t)n;
    return true;
}

bool script_may_begin(const call *c, unsigned flags, bool read_only, reply *why)
{
    if (read_only && flags & SCRIPT_SHEBANG && !(flags & SCRIPT_NO_WRITES)) {
        *why = reply_error(S("ERR Can not execute a script with write flag using *_ro command."));
        return false;
    }
    if (flags & SCRIPT_NO_CLUSTER && c->server->limits.cluster == CLUSTER_YES) {
        *why = reply_error(S("ERR Can not run script on cluster, 'no-cluster' flag is set."));
        return false;
    }
    if (flags & SCRIPT_SHEBANG && !(flags & (SCRIPT_ALLOW_OOM | SCRIPT_NO_WRITES)) && server_lacks_memory(c->server)) {
        *why = reply_no_memory();
        return false;
    }
    if (flags & SCRIPT_SHEBANG && !(flags & SCRIPT_NO_WRITES) && server_lacks_replicas(c->server)) {
        *why = reply_no_replicas();
        return false;
    }
    return true;
}

static reply run(const call *c, script *s, size_t keys_n, bool read_only)
{
    reply why;
    if (!script_may_begin(c, s->flags, read_only, &why))
        return why;
    return script_evaluate(c->server->scripts, &(evaluation){ .script = s, .c = c, .keys_n = keys_n,
                                                              .read_only = read_only });
}

static reply refuse_script(script_host *h, str why)
{
    h->run.script = NULL;
    script_report(h, FINDING_SCRIPT_ERROR, 0, why);
    return reply_error(why);
}

static reply eval(const call *c, bool read_only)
{
    script_host *h = c->server->scripts;
    size_t keys_n;
    reply why;
    if (!script_numkeys(c, reply_not_integer(), &keys_n, &why))
        return why;
    str text;
    script *s = host_add(h, c->argv[1], c->out, &text);
    if (!s)
        return refuse_script(h, text);
    return run(c, s, keys_n, read_only);
}

static reply evalsha(const call *c, bool read_only)
{
    size_t keys_n;
    reply why;
    if (c->argv[1].n != 40)
        return reply_error(str_from(server_say(c->server, WORDS_NOSCRIPT)));
    if (!script_numkeys(c, reply_not_integer(), &keys_n, &why))
        return why;
    script *s = host_find(c->server->scripts, c->argv[1]);
    if (!s)
        return reply_error(str_from(server_say(c->server, WORDS_NOSCRIPT)));
    return run(c, s, keys_n, read_only);
}

static reply cmd_eval(const call *c)
{
    return eval(c, false);
}

static reply cmd_eval_ro(const call *c)
{
    return eval(c, true);
}

static reply cmd_evalsha(const call *c)
{
    return evalsha(c, false);
}

static reply cmd_evalsha_ro(const call *c)
{
    return evalsha(c, true);
}

/* --- SCRIPT
 * --------------------------------------------------------------------------------------------------------- */

static reply cmd_script_load(const call *c)
{
    script_host *h = c->server->scripts;
    str why;
    script *s = host_add(h, c->argv[2], c->out, &why);
    if (!s)
        return refuse_script(h, why);
    return reply_bulk(arena_str(c->out, (str){ s->sha, 40 }));
}

static reply cmd_script_exists(const call *c)
{
    reply r = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        r.items[i - 2] = reply_integer(host_find(c->server->scripts, c->argv[i]) != NULL);
    return r;
}

static reply cmd_script_show(const call *c)
{
    const script *s = host_find(c->server->scripts, c->argv[2]);
    return s ? reply_bulk(arena_str(c->out, s->body)) : reply_error(str_from(server_say(c->server, WORDS_NOSCRIPT)));
}

static reply cmd_script_flush(const call *c)
{
    if (c->argc > 3 || (c->argc == 3 && !str_eq_nocase(c->argv[2], S("sync")) &&
                        !str_eq_nocase(c->argv[2], S("async"))))
        return reply_error(S("ERR SCRIPT FLUSH only support SYNC|ASYNC option"));
    script_host_flush(c->server->scripts);
    return reply_ok();
}

static reply kill_running(const call *c, bool function)
{
    redis *r = c->server;
    const script_host *h = r->runs_function ? r->scripts->functions : r->scripts;
    if (!h->run.running)
        return reply_error(S("NOTBUSY No scripts in execution right now."));
    if (h->run.may.wrote)
        return reply_error(S("UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
                             "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
                             "NOSAVE command."));
    if (function != r->runs_function)
        return reply_busy(r);
    r->script_killed = true;
    return reply_ok();
}

static reply cmd_script_kill(const call *c) { return kill_running(c, false); }
static reply cmd_function_kill(const call *c) { return kill_running(c, true); }

/* Of a script that is not known the text is looked at. */
static bool writes_nothing(const call *c)
{
    script_host *h = c->server->scripts;
    unsigned flags = 0;
    size_t lua_at;
    str name = c->argv[0];
    if (str_eq_nocase(name, S("fcall")))
        return function_writes_nothing(c);
    if (str_eq_nocase(name, S("evalsha"))) {
        const script *s = host_find(h, c->argv[1]);
        flags = s ? s->flags : 0;
    } else if (str_eq_nocase(name, S("eval"))) {
        arena *a = arena_new();
        str why;
        if (!script_shebang(h, c->argv[1], &flags, &lua_at, a, &why))
            flags = 0;
        arena_free(a);
    }
    return flags & SCRIPT_NO_WRITES;
}

/* --- Without a connection
 * ------------------------------------------------------------------------------------------- */

bool redis_load_script(redis *r, str body, arena *out, str *why)
{
    if (redis_is_library(body))
        return function_load(r, body, true, out, NULL, why);
    return host_add(r->scripts, body, out, why) != NULL;
}

bool redis_knows_script(const redis *r, str sha1)
{
    return host_find(r->scripts, sha1) != NULL || function_knows(r, sha1);
}

void redis_forget_scripts(redis *r)
{
    script_host_flush(r->scripts);
    script_host_flush(r->scripts->functions);
}

void redis_flush_scripts(redis *r)
{
    script_host_flush(r->scripts);
}

/* --- A server with this interpreter
 * --------------------------------------------------------------------------------- */

static const script_engine stock_lua = {
    .make = script_host_new,
    .free = script_host_free,
    .wipe = script_host_wipe,
    .random = script_host_random,
    .set_random = script_host_set_random,
    .eval = cmd_eval,
    .evalsha = cmd_evalsha,
    .eval_ro = cmd_eval_ro,
    .evalsha_ro = cmd_evalsha_ro,
    .script_load = cmd_script_load,
    .script_exists = cmd_script_exists, .script_show = cmd_script_show,
    .script_flush = cmd_script_flush,
    .script_kill = cmd_script_kill,
    .function_kill = cmd_function_kill,
    .writes_nothing = writes_nothing,
    .fcall = function_fcall,
    .fcall_ro = function_fcall_ro,
    .function_load = function_load_command,
    .function_delete = function_delete,
    .function_flush = function_flush,
    .function_list = function_list,
    .function_stats = function_stats,
    .function_dump = function_dump,
    .function_restore = function_restore,
};

redis *redis_new(redis_limits limits)
{
    return redis_new_with(limits, &stock_lua);
}
