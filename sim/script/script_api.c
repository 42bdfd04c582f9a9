/* script_api.c - the `redis` table of a script: call, pcall and the small functions around them.
 * Facts: REDIS-FIDELITY.md sections 1.3 and 2. */
#include "script/script_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "redis/server.h"
#include "script/lua_slots.h"

/* --- Errors
 * --------------------------------------------------------------------------------------------------------- */

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

int script_raise(lua_State *L, const char *text)
{
    return raise_error(L, text);
}

/* The same in the words of the server's dialect. */
static int raise_words(lua_State *L, dialect_words what)
{
    return raise_error(L, server_say(host_of(L)->server, what));
}

enum { CALL_STEPS = 10 };          /* what one call costs of the budget, its data apart */

/* --- redis.call
 * ----------------------------------------------------------------------------------------------------- */

static growth_kind growth_of(const command *cmd)
{
    return cmd->flags & CMD_FLAT ? GROWS_NOT : cmd->flags & CMD_TO_BYTE ? GROWS_TO_BYTE : cmd->flags & CMD_TO_BIT
           ? GROWS_TO_BIT
                                                                                         : GROWS_WITH_VALUE;
}

/* The row of a command by the address of its name, which SLOT_ANCHORS keeps alive and so unique. NULL: not stored. */
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
    const redis *r = h->server;
    const command *cmd = r->hosted ? command_find_hosted(r->dialect, name) : command_find(r->dialect, name);
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
    h->names[at] = (script_name){ name.p, cmd, growth_of(cmd) };
    return &h->names[at];
}

/* The arguments of the running C function as byte strings; false if one is neither string nor number. They belong to
 * Lua and the scratch arena, and stay valid until the call has ended. */
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
            *arg = script_number_text(h, given[i].as.number);
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
    if (cmd && !(cmd->flags & CMD_STREAMS) && (cmd->first_key == 0 ||
                (cmd->first_key == cmd->last_key && !(cmd->flags & (CMD_NUMKEYS | CMD_CHANNELS | CMD_STORES))))) {
        if (cmd->first_key > 0 && (size_t)cmd->first_key < argc && command_arity_ok(cmd, argc))
            check_key(h, h->argv[cmd->first_key]);
        return;
    }
    server_each_key(h->server, h->argv, argc, check_key, h);
}

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
    /* A string grows to the offset that is written, half a gigabyte by one call; a refused call costs nothing. */
    if (name->growth == GROWS_WITH_VALUE || argc != 4 || !parse_int(h->argv[2], &offset) || offset < 0)
        return;
    if (name->growth == GROWS_TO_BYTE && h->argv[3].n > 0 && offset < STRING_BYTES_MAX)
        host_spend(h, L, (size_t)offset / 4);
    if (name->growth == GROWS_TO_BIT && offset < 8 * STRING_BYTES_MAX)
        host_spend(h, L, (size_t)offset / 32);
}

static inline bool arity_fits(const command *cmd, size_t argc)
{
    return cmd->arity < 0 ? argc >= (size_t)-cmd->arity : argc == (size_t)cmd->arity;
}

static reply run_command(lua_State *L, script_host *h, const script_name *name, size_t argc)
{
    redis *r = h->server;
    script_run *run = &h->run;
    if (!name || !arity_fits(name->cmd, argc) || !command_in_scripts(name->cmd, r->dialect) || run->may.read_only ||
        run->may.no_memory || run->may.no_replicas || r->limits.cluster == CLUSTER_YES) {
        host_spend(h, L, CALL_STEPS + store_size(r->st, run->db) / 4);
        return server_call_from_script(r, run->conn, h->argv, argc, &run->may, &run->db, h->scratch);
    }
    if (name->growth != GROWS_NOT)
        charge_value(L, h, name, argc);
    call c = { .server = r, .conn = run->conn, .st = r->st, .db = run->db, .selected = &run->db, .argv = h->argv,
               .argc = argc, .out = h->scratch, .in_script = true };
    run->may.wrote |= name->cmd->flags & CMD_WRITE;
    reply answer = server_do(name->cmd, &c);
    if (r->hosted)
        server_ran_in_script(&c, name->cmd, &answer);
    return answer;
}

static int call_generic(lua_State *L, bool raise)
{
    script_host *h = host_of(L);
    const redis_observer *o = &h->server->observer;
    size_t argc = (size_t)lua_gettop(L);
    const char *fault = NULL;
    arena_reset(h->scratch);
    if (argc == 0)
        fault = server_say(h->server, WORDS_NO_ARGUMENT);
    else if (!take_arguments(L, h, argc))
        fault = server_say(h->server, WORDS_BAD_ARGUMENT);
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
        if (redis_refusal(&r))
            script_note_refusal(L, h, r.text);
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

/* --- The rest
 * ------------------------------------------------------------------------------------------------------- */

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
        return raise_words(L, WORDS_LOG);
    if (!lua_isnumber(L, 1))
        return raise_error(L, "ERR First argument must be a number (log level).");
    lua_Number n = lua_tonumber(L, 1);
    if (!(n > -1 && n < 4))
        return raise_words(L, WORDS_LOG_LEVEL);
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
        return raise_words(L, WORDS_SETRESP);
    lua_Number n = trunc(lua_tonumber(L, 1));
    if (n != 2 && n != 3)
        return raise_error(L, "ERR RESP version must be 2 or 3.");
    host_of(L)->run.resp = (int)n;
    return 0;
}

static int api_set_repl(lua_State *L)
{
    if (lua_gettop(L) != 1)
        return raise_words(L, WORDS_SET_REPL);
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
        return raise_words(L, WORDS_NO_ARGUMENT);
    if (!take_arguments(L, h, argc))
        return raise_words(L, WORDS_BAD_ARGUMENT);
    reply why;
    if (!server_lookup(h->server, h->argv, argc, h->scratch, &why))
        return raise_words(L, WORDS_ACL_CHECK);
    return api_true(L);
}

/* "7.0.15" as text, and as a number of three bytes. */
static void set_version(lua_State *L, const char *text_name, const char *number_name, str release)
{
    int number = 0, part = 0;
    for (size_t i = 0; i <= release.n; i++) {
        if (i < release.n && release.p[i] != '.') {
            part = part * 10 + (release.p[i] - '0');
            continue;
        }
        number = number << 8 | part;
        part = 0;
    }
    lua_pushlstring(L, release.p, release.n);
    lua_setfield(L, -2, text_name);
    lua_pushinteger(L, number);
    lua_setfield(L, -2, number_name);
}

/* The users of a field of the `redis` table: scripts, functions, a library's chunk while it is loaded. */
enum { IN_SCRIPT = 1, IN_FUNCTION = 2, IN_LOAD = 4, IN_BOTH = IN_SCRIPT | IN_FUNCTION, IN_ALL = IN_BOTH | IN_LOAD };

static void open_redis(lua_State *L, unsigned where)
{
    static const struct { const char *name; lua_CFunction run; unsigned where; } functions[] = {
        { "call", api_call, IN_BOTH }, { "pcall", api_pcall, IN_BOTH }, { "error_reply", api_error_reply, IN_BOTH },
        { "status_reply", api_status_reply, IN_BOTH }, { "sha1hex", api_sha1hex, IN_BOTH }, { "log", api_log, IN_ALL },
        { "setresp", api_setresp, IN_BOTH }, { "set_repl", api_set_repl, IN_BOTH },
        { "replicate_commands", api_true, IN_SCRIPT },
        { "breakpoint", api_false, IN_SCRIPT }, { "debug", api_nothing, IN_SCRIPT },
        { "acl_check_cmd", api_acl_check_cmd, IN_BOTH },
        { "register_function", library_register, IN_LOAD },
    };
    static const struct { const char *name; int value; unsigned where; } numbers[] = {
        { "LOG_DEBUG", 0, IN_ALL }, { "LOG_VERBOSE", 1, IN_ALL }, { "LOG_NOTICE", 2, IN_ALL },
        { "LOG_WARNING", 3, IN_ALL },
        { "REPL_NONE", 0, IN_BOTH }, { "REPL_AOF", 1, IN_BOTH }, { "REPL_SLAVE", 2, IN_BOTH },
        { "REPL_REPLICA", 2, IN_BOTH },
        { "REPL_ALL", 3, IN_BOTH },
    };
    lua_newtable(L);
    for (size_t i = 0; i < COUNT(functions); i++) {
        if (!(functions[i].where & where))
            continue;
        lua_pushcfunction(L, functions[i].run);
        lua_setfield(L, -2, functions[i].name);
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (!(numbers[i].where & where))
            continue;
        lua_pushinteger(L, numbers[i].value);
        lua_setfield(L, -2, numbers[i].name);
    }
    const dialect d = host_of(L)->server->dialect;
    arena *a = arena_new();
    set_version(L, "REDIS_VERSION", "REDIS_VERSION_NUM", dialect_redis_release(a, d));
    if (d.lineage == LINEAGE_VALKEY) {
        set_version(L, "VALKEY_VERSION", "VALKEY_VERSION_NUM", dialect_release(a, d));
        lua_pushliteral(L, "valkey");
        lua_setfield(L, -2, "SERVER_NAME");
    }
    arena_free(a);
}

void script_open_redis(lua_State *L)
{
    open_redis(L, host_of(L)->of_functions ? IN_FUNCTION : IN_SCRIPT);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "anchors");
}

void script_open_load(lua_State *L)
{
    open_redis(L, IN_LOAD);
}
