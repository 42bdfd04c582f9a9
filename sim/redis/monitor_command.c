/* monitor_command.c - MONITOR: the text for each command that a server runs, its receivers, and what is left out.
 * Source: redis.io/commands/monitor; compared with real servers by tests/conformance/sessions.c. */
#include <string.h>

#include "redis/server.h"

/* Commands about the server itself are not told: their words may be secrets. */
static bool is_told(const command *cmd)
{
    static const char *const prefixes[] = { "acl|", "cluster|", "config|", "debug", "latency|", "module|", "slowlog|",
                                            "commandlog|", "clock" };
    static const char *const names[] = { "monitor", "shutdown", "client|kill", "client|list", "client|no-evict",
                                         "client|pause", "client|unblock", "client|unpause" };
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (strncmp(cmd->name, prefixes[i], strlen(prefixes[i])) == 0 && strcmp(cmd->name, "config|help") != 0)
            return false;
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(cmd->name, names[i]) == 0)
            return false;
    return true;
}

/* The words that are names and passwords; false: there are none. */
static bool find_secret(const command *cmd, const str *argv, size_t argc, size_t *from, size_t *to)
{
    bool hello = strcmp(cmd->name, "hello") == 0, moves = strcmp(cmd->name, "migrate") == 0;
    *from = 1, *to = argc;
    if (strcmp(cmd->name, "auth") == 0)
        return true;
    for (size_t i = hello ? 2 : 6; (hello || moves) && i < argc; i++) {
        bool one = str_eq_nocase(argv[i], S("auth")), two = moves && str_eq_nocase(argv[i], S("auth2"));
        *from = i + 1, *to = i + (one && moves ? 2 : 3);
        if (one || two)
            return true;
    }
    return false;
}

const str *secrets_hidden(arena *a, const command *cmd, const str *argv, size_t argc)
{
    size_t from, to;
    if (!find_secret(cmd, argv, argc, &from, &to))
        return argv;
    str *shown = ARENA_ARRAY(a, str, argc);
    for (size_t i = 0; i < argc; i++)
        shown[i] = i >= from && i < to ? S("(redacted)") : argv[i];
    return shown;
}

void monitor_tell(redis *r, const redis_conn *conn, bool lua, int db, const command *cmd, const str *argv, size_t argc)
{
    if (!r->observer.monitored || !is_told(cmd))
        return;
    arena *a = arena_new();
    argv = secrets_hidden(a, cmd, argv, argc);
    r->observer.monitored(r->observer.context, conn->id, lua, db, argv, argc);
    arena_free(a);
}

void monitor_leave(redis *r, redis_conn *conn)
{
    r->monitors -= conn->client.monitor;
    conn->client.monitor = false;
}

bool redis_conn_monitors(const redis_conn *c)
{
    return c->client.monitor && !c->client.silent && c->client.skip != 1;
}

static reply cmd_monitor(const call *c)
{
    if (c->conn->in_exec)
        return reply_error(S("ERR MONITOR isn't allowed for DENY BLOCKING client"));
    if (c->conn->client.monitor)                   /* asked again: not even an answer */
        return (reply){ .kind = REPLY_ARRAY, .several = true };
    c->server->monitors++;
    c->conn->client.monitor = true;
    return reply_ok();
}

const command commands_monitor[] = {
    { .name = "monitor", 1, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_monitor },
    { .name = NULL },
};
