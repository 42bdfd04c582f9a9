/* script_api.c - the `redis` table of a script: call, pcall and the small functions around them.
 * Facts: REDIS-FIDELITY.md sections 1.3 and 2. */
#include "redis/script_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "redis/lua_slots.h"
#include "redis/server.h"

/* --- Errors --------------------------------------------------------------------------------------------------------- */

/* Pushes { err = text }, and for an error that a command gave also the field by which Redis keeps its statistics. */
static void push_error(lua_State *L, str text, bool from_command)
{
    lua_createtable(L, 0, from_command ? 2 : 1);
    lua_pushlstring(L, text.p, text.n);
    lua_setfield(L, -2, "err");
    if (from_command) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "ignore_error_stats_update");
    }
}

static int raise_error(lua_State *L, const char *text)
{
    push_error(L, str_from(text), false);
    return lua_error(L);
}

enum { CALL_STEPS = 10 };          /* what one call costs of the budget, its data apart */

/* --- redis.call ----------------------------------------------------------------------------------------------------- */

/* Commands whose cost does not grow with the value they touch (or is charged by their reply). All others are charged by
 * the number of elements under their first key, for a list or a set may be walked or moved as a whole. A sorted set moves one block (sorted.h). */
static growth_kind growth_of(str name)
{
    static const char *const flat[] = {
        "append", "decr", "decrby", "del", "echo", "exists", "expire", "expireat", "expiretime", "get", "getdel", "getex", "getset",
        "hdel", "hexists", "hget", "hincrby", "hincrbyfloat", "hlen", "hmget", "hmset", "hset", "hsetnx", "hstrlen", "incr", "incrby",
        "incrbyfloat", "lindex", "llen", "lpop", "lpush", "lpushx", "mget", "mset", "msetnx", "persist", "pexpire", "pexpireat",
        "pexpiretime", "ping", "psetex", "pttl", "publish", "rpop", "rpush", "rpushx", "scard", "set", "setex", "setnx", "sismember",
        "spublish", "strlen", "time", "touch", "ttl", "type", "unlink", "zadd", "zcard", "zincrby", "zrem", "zscore",
    };
    for (size_t i = 0; i < COUNT(flat); i++)
        if (str_eq_nocase(name, str_from(flat[i])))
            return GROWS_NOT;
    return str_eq_nocase(name, S("setrange")) ? GROWS_TO_BYTE : str_eq_nocase(name, S("setbit")) ? GROWS_TO_BIT : GROWS_WITH_VALUE;
}

/* The row of a command by the address of its name, which SLOT_ANCHORS keeps alive and so unique. NULL: not remembered. */
static script_name *name_find(script_host *h, const char *p)
{
    size_t at = ((uintptr_t)p >> 4) % HOST_NAMES_MAX;
    for (; h->names[at].p; at = (at + 1) % HOST_NAMES_MAX)
        if (h->names[at].p == p)
            return &h->names[at];
    return NULL;
}

/* Only rows that the name alone decides: containers need their subcommand. */
static script_name *name_remember(lua_State *L, script_host *h, str name)
{
    const command *cmd = command_find(name);
    if (!cmd || cmd->flags & CMD_CONTAINER || strchr(cmd->name, '|') || h->names_n >= HOST_NAMES_MAX / 2)
        return NULL;
    size_t at = ((uintptr_t)name.p >> 4) % HOST_NAMES_MAX;
    while (h->names[at].p)
        at = (at + 1) % HOST_NAMES_MAX;
    /* Anchors hang in the main thread's table, whichever coroutine calls. */
    lua_getfield(L, LUA_REGISTRYINDEX, "anchors");
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, (int)++h->names_n);
    lua_pop(L, 1);
    h->names[at] = (script_name){ name.p, cmd, growth_of(name) };
    return &h->names[at];
}

/* The arguments of the running C function as byte strings; false if one is neither string nor number. They are Lua's and
 * the scratch arena's, and stay where they are until the call has ended. */
static inline bool take_arguments(lua_State *L, script_host *h, size_t argc)
{
    MEM_RESERVE(h->argv, h->argv_cap, argc);
    const lua_slot *given = lua_slots(L);
    size_t bytes = 0;
    for (size_t i = 0; i < argc; i++) {
        str *arg = &h->argv[i];
        switch (given[i].type) {
        case LUA_TSTRING:
            *arg = lua_slot_text(&given[i]);
            bytes += arg->n;
            break;
        case LUA_TNUMBER:
            if (!script_integral_text(h->scratch, given[i].as.number, arg))
                *arg = arena_printf(h->scratch, "%.17g", given[i].as.number);
            break;
        default:
            return false;
        }
    }
    host_spend(h, L, CALL_STEPS + argc + bytes / 16);
    return true;
}

static void check_key(void *context, str key)
{
    script_host *h = context;
    script_run *run = &h->run;
    for (size_t i = 0; i < run->keys_n; i++)
        if (run->keys[i].p == key.p || str_eq(run->keys[i], key))
            return;
    script_report(h, FINDING_UNDECLARED_KEY, h->call_line, key);
    script_check_slot(h, key, h->call_line);
}

static void check_keys(script_host *h, const script_name *name, size_t argc)
{
    const command *cmd = name ? name->cmd : NULL;
    if (cmd && (cmd->first_key == 0 || (cmd->first_key == cmd->last_key && !(cmd->flags & CMD_NUMKEYS)))) {
        if (cmd->first_key > 0 && (size_t)cmd->first_key < argc && command_arity_ok(cmd, argc))
            check_key(h, h->argv[cmd->first_key]);
        return;
    }
    server_each_key(h->server, h->argv, argc, check_key, h);
}

#define BULK_BYTES_MAX (INT64_C(512) << 20)         /* proto-max-bulk-len */

/* Charges a command whose cost grows with the value under its first key. */
static void charge_value(lua_State *L, script_host *h, const script_name *name, size_t argc)
{
    const command *cmd = name->cmd;
    if (cmd->first_key <= 0 || (size_t)cmd->first_key >= argc) {
        host_spend(h, L, store_size(h->server->st, h->run.db) / 4);
        return;
    }
    const value *v = store_peek(h->server->st, h->run.db, h->argv[cmd->first_key]);
    int64_t offset;
    if (v)
        host_spend(h, L, value_count(v) / 4);
    /* A string grows to where it is written, half a gigabyte by one call; what Redis refuses costs nothing. */
    if (name->growth == GROWS_WITH_VALUE || argc != 4 || !parse_int(h->argv[2], &offset) || offset < 0)
        return;
    if (name->growth == GROWS_TO_BYTE && h->argv[3].n > 0 && offset < BULK_BYTES_MAX)
        host_spend(h, L, (size_t)offset / 4);
    if (name->growth == GROWS_TO_BIT && offset < 8 * BULK_BYTES_MAX)
        host_spend(h, L, (size_t)offset / 32);
}

/* Commands that Redis refuses to scripts and that locksim has not: they are refused, not unknown. A name with a bar is a
 * container's subcommand. Source: the flags and arities of COMMAND, Redis 7.0.15. */
static bool refused_to_scripts(const str *argv, size_t argc)
{
    static const struct { const char *name; int arity; } rows[] = {
        { "acl|cat", -2 }, { "acl|deluser", -3 }, { "acl|dryrun", -4 }, { "acl|genpass", -2 }, { "acl|getuser", 3 }, { "acl|list", 2 },
        { "acl|load", 2 }, { "acl|log", -2 }, { "acl|save", 2 }, { "acl|setuser", -3 }, { "acl|users", 2 }, { "acl|whoami", 2 },
        { "auth", -2 }, { "bgrewriteaof", 1 }, { "bgsave", -1 }, { "blmove", 6 }, { "blpop", -3 }, { "brpop", -3 }, { "brpoplpush", 4 },
        { "bzpopmax", -3 }, { "bzpopmin", -3 }, { "client|caching", 3 }, { "client|getname", 2 }, { "client|getredir", 2 },
        { "client|id", 2 }, { "client|info", 2 }, { "client|kill", -3 }, { "client|list", -2 }, { "client|no-evict", 3 },
        { "client|pause", -3 }, { "client|reply", 3 }, { "client|setname", 3 }, { "client|tracking", -3 }, { "client|trackinginfo", 2 },
        { "client|unblock", -3 }, { "client|unpause", 2 }, { "cluster|reset", -2 }, { "config|get", -3 }, { "config|resetstat", 2 },
        { "config|rewrite", 2 }, { "config|set", -4 }, { "debug", -2 }, { "failover", -1 }, { "fcall", -3 }, { "fcall_ro", -3 },
        { "function|delete", 3 }, { "function|dump", 2 }, { "function|flush", -2 }, { "function|kill", 2 }, { "function|list", -2 },
        { "function|load", -3 }, { "function|restore", -3 }, { "function|stats", 2 }, { "hello", -1 }, { "latency|doctor", 2 },
        { "latency|graph", 3 }, { "latency|histogram", -2 }, { "latency|history", 3 }, { "latency|latest", 2 }, { "latency|reset", -2 },
        { "module|list", 2 }, { "module|load", -3 }, { "module|loadex", -3 }, { "module|unload", 3 }, { "monitor", 1 }, { "psync", -3 },
        { "quit", -1 }, { "replconf", -1 }, { "replicaof", 3 }, { "reset", 1 }, { "role", 1 }, { "save", 1 }, { "script|debug", 3 },
        { "shutdown", -1 }, { "slaveof", 3 }, { "sync", 1 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        str name = str_from(rows[i].name);
        size_t bar = str_find(name, '|', 0);
        if (!str_eq_nocase(argv[0], str_slice(name, 0, bar)))
            continue;
        if (bar < name.n && (argc < 2 || !str_eq_nocase(argv[1], str_slice(name, bar + 1, name.n))))
            continue;
        return rows[i].arity < 0 ? argc >= (size_t)-rows[i].arity : argc == (size_t)rows[i].arity;
    }
    return false;
}

static inline bool arity_fits(const command *cmd, size_t argc)
{
    return cmd->arity < 0 ? argc >= (size_t)-cmd->arity : argc == (size_t)cmd->arity;
}

static reply run_command(lua_State *L, script_host *h, const script_name *name, size_t argc)
{
    redis *r = h->server;
    script_run *run = &h->run;
    if (!name || !arity_fits(name->cmd, argc) || name->cmd->flags & CMD_NOSCRIPT || run->read_only) {
        host_spend(h, L, CALL_STEPS + store_size(r->st, run->db) / 4);
        if (!name && !command_find(h->argv[0]) && refused_to_scripts(h->argv, argc))
            return reply_error(S("ERR This Redis command is not allowed from script"));
        return server_call_from_script(r, run->conn, h->argv, argc, run->read_only, &run->db, h->scratch);
    }
    if (name->growth != GROWS_NOT)
        charge_value(L, h, name, argc);
    call c = { .server = r, .conn = run->conn, .st = r->st, .db = run->db, .selected = &run->db, .argv = h->argv, .argc = argc,
               .out = h->scratch, .in_script = true };
    return name->cmd->run(&c);
}

static int call_generic(lua_State *L, bool raise)
{
    script_host *h = host_of(L);
    const redis_observer *o = &h->server->observer;
    size_t argc = (size_t)lua_gettop(L);
    const char *fault = NULL;
    arena_reset(h->scratch);
    if (argc == 0)
        fault = "ERR Please specify at least one argument for this redis lib call";
    else if (!take_arguments(L, h, argc))
        fault = "ERR Lua redis lib command arguments must be strings or integers";
    if (fault) {
        push_error(L, str_from(fault), false);
        return raise ? lua_error(L) : 1;
    }
    if (o->effect || o->finding)
        h->call_line = script_line_of(L);
    const script_name *name = name_find(h, h->argv[0].p);
    if (!name && lua_type(L, 1) == LUA_TSTRING)
        name = name_remember(L, h, h->argv[0]);
    if (o->finding)
        check_keys(h, name, argc);
    h->server->script_calls++;
    reply r = run_command(L, h, name, argc);
    if (o->effect)
        o->effect(o->context, (str){ h->run.script->sha, 40 }, h->call_line, h->argv, argc, &r);
    if (r.kind == REPLY_ERROR) {
        push_error(L, r.text, true);
        return raise ? lua_error(L) : 1;
    }
    script_push_reply(L, h, &r);
    return 1;
}

static int api_call(lua_State *L)
{
    return call_generic(L, true);
}

static int api_pcall(lua_State *L)
{
    return call_generic(L, false);
}

/* --- The rest ------------------------------------------------------------------------------------------------------- */

static bool one_string(lua_State *L)
{
    if (lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TSTRING)
        return true;
    push_error(L, S("ERR wrong number or type of arguments"), false);
    return false;
}

static int api_error_reply(lua_State *L)
{
    if (!one_string(L))
        return 1;
    str text;
    text.p = lua_tolstring(L, 1, &text.n);
    host_charge_bytes(L, text.n);
    text.n = strlen(text.p);
    while (text.n > 0 && (text.p[text.n - 1] == '\r' || text.p[text.n - 1] == '\n'))
        text.n--;
    if (text.n > 0 && text.p[0] == '-')
        text = str_slice(text, 1, text.n);
    arena *scratch = host_of(L)->scratch;
    arena_reset(scratch);
    if (str_find(text, ' ', 0) == text.n)
        text = arena_printf(scratch, "ERR %.*s", STR_ARG(text));
    push_error(L, text, false);
    return 1;
}

static int api_status_reply(lua_State *L)
{
    if (!one_string(L))
        return 1;
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, "ok");
    return 1;
}

static int api_sha1hex(lua_State *L)
{
    if (lua_gettop(L) != 1)
        return raise_error(L, "ERR wrong number of arguments");
    str text = { "", 0 };
    if (lua_isstring(L, 1))
        text.p = lua_tolstring(L, 1, &text.n);
    host_charge(L, text.n / 4);
    char hex[41];
    redis_sha1(text, hex);
    lua_pushstring(L, hex);
    return 1;
}

static int api_log(lua_State *L)
{
    script_host *h = host_of(L);
    int argc = lua_gettop(L);
    if (argc < 2)
        return raise_error(L, "ERR redis.log() requires two arguments or more.");
    if (!lua_isnumber(L, 1))
        return raise_error(L, "ERR First argument must be a number (log level).");
    lua_Number n = lua_tonumber(L, 1);
    if (!(n > -1 && n < 4))
        return raise_error(L, "ERR Invalid debug level.");
    int level = (int)n;
    buf text = { 0 };
    size_t bytes = 0;
    for (int i = 2; i <= argc; i++)
        bytes += lua_type(L, i) == LUA_TSTRING ? lua_objlen(L, i) : 0;
    host_charge_bytes(L, bytes);
    for (int i = 2; i <= argc; i++) {
        if (lua_isstring(L, i)) {
            lua_pushvalue(L, i);                         /* tolstring changes numbers in place */
            str s;
            s.p = lua_tolstring(L, -1, &s.n);
            if (i > 2)
                buf_byte(&text, ' ');
            buf_add(&text, s);
            lua_pop(L, 1);
        }
    }
    if (h->server->observer.log)
        h->server->observer.log(h->server->observer.context, level, buf_str(&text));
    buf_free(&text);
    return 0;
}

static int api_setresp(lua_State *L)
{
    if (lua_gettop(L) != 1)
        return raise_error(L, "ERR redis.setresp() requires one argument.");
    lua_Number n = trunc(lua_tonumber(L, 1));
    if (n != 2 && n != 3)
        return raise_error(L, "ERR RESP version must be 2 or 3.");
    host_of(L)->run.resp = (int)n;
    return 0;
}

static int api_set_repl(lua_State *L)
{
    if (lua_gettop(L) != 1)
        return raise_error(L, "ERR redis.set_repl() requires two arguments.");
    lua_Number n = lua_tonumber(L, 1);
    if (!(n > -1 && n < 4))                        /* as a C integer: cut off towards zero */
        return raise_error(L, "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
    return 0;
}

static int api_true(lua_State *L)
{
    lua_pushboolean(L, true);
    return 1;
}

static int api_false(lua_State *L)
{
    lua_pushboolean(L, false);
    return 1;
}

static int api_nothing(lua_State *L)
{
    (void)L;
    return 0;
}

static int api_acl_check_cmd(lua_State *L)
{
    script_host *h = host_of(L);
    size_t argc = (size_t)lua_gettop(L);
    arena_reset(h->scratch);
    if (argc == 0)
        return raise_error(L, "ERR Please specify at least one argument for this redis lib call");
    if (!take_arguments(L, h, argc))
        return raise_error(L, "ERR Lua redis lib command arguments must be strings or integers");
    reply why;
    if (!server_lookup(h->server, h->argv, argc, h->scratch, &why))
        return raise_error(L, "ERR Invalid command passed to redis.acl_check_cmd()");
    return api_true(L);
}

void script_open_redis(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "call", api_call }, { "pcall", api_pcall }, { "error_reply", api_error_reply }, { "status_reply", api_status_reply },
        { "sha1hex", api_sha1hex }, { "log", api_log }, { "setresp", api_setresp }, { "set_repl", api_set_repl },
        { "replicate_commands", api_true }, { "breakpoint", api_false }, { "debug", api_nothing },
        { "acl_check_cmd", api_acl_check_cmd }, { NULL, NULL },
    };
    static const struct { const char *name; int value; } numbers[] = {
        { "LOG_DEBUG", 0 }, { "LOG_VERBOSE", 1 }, { "LOG_NOTICE", 2 }, { "LOG_WARNING", 3 }, { "REPL_NONE", 0 }, { "REPL_AOF", 1 },
        { "REPL_SLAVE", 2 }, { "REPL_REPLICA", 2 }, { "REPL_ALL", 3 }, { "REDIS_VERSION_NUM", 0x0007000f },
    };
    lua_newtable(L);
    for (const luaL_Reg *r = functions; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        lua_pushinteger(L, numbers[i].value);
        lua_setfield(L, -2, numbers[i].name);
    }
    lua_pushliteral(L, "7.0.15");
    lua_setfield(L, -2, "REDIS_VERSION");
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "anchors");
}
