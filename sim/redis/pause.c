/* pause.c - CLIENT PAUSE and UNPAUSE: requests wait until a pause is over, all of them or those that may write; what
 * has expired stays meanwhile, unseen. Facts: redis.io/commands/client-pause, and what five real servers did
 * (tests/conformance/busy.py). */
#include <string.h>

#include "redis/collection.h"
#include "redis/server.h"

void redis_conn_postpone(redis_conn *c, bool yes)
{
    c->client.postponed = yes;
}

void pause_ends(redis *r)
{
    r->paused_until_ms = INT64_MIN;
    r->paused_all = false;
    redis_only_look(r, false);
}

int64_t redis_paused_until_ms(redis *r, int64_t now_ms)
{
    if (r->paused_until_ms != INT64_MIN && now_ms > r->paused_until_ms && !r->running)
        pause_ends(r);
    return r->paused_until_ms;
}

/* A script or function that says it writes nothing goes on, and so does EXEC of what does not write. */
static bool may_write(const redis *r, const redis_conn *conn, const command *cmd, const str *argv, size_t argc)
{
    if (cmd->flags & CMD_EXEC)
        return transaction_writes(conn);
    if (!(cmd->flags & CMD_RUNS_OTHERS))
        return cmd->flags & (CMD_WRITE | CMD_MAY_REPLICATE);
    call c = { .server = (redis *)r, .argv = argv, .argc = argc };
    return !r->engine->writes_nothing(&c);
}

/* CLOCK is a command of locksim: a pause must not stop it. */
bool pause_stops(const redis *r, const redis_conn *conn, const command *cmd, const str *argv, size_t argc)
{
    if (strncmp(cmd->name, "clock", 5) == 0)
        return false;
    return r->paused_all || may_write(r, conn, cmd, argv, argc);
}

/* CLIENT PAUSE ms [WRITE|ALL]. One more pause makes the one that is there longer and stricter, never the reverse. */
static reply cmd_pause(const call *c)
{
    redis *r = c->server;
    int64_t ms, now_ms = store_now_ms(c->st);
    bool all = c->argc < 4 || arg_is(c, 3, S("all"));
    if (c->argc > 4 && !server_follows(r, RULE_OPEN_PAUSE))
        return reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                        "CLIENT HELP.", STR_ARG(c->argv[1])));
    if (!all && !arg_is(c, 3, S("write")))
        return reply_error(S("ERR CLIENT PAUSE mode must be WRITE or ALL"));
    if (!parse_int(c->argv[2], &ms))
        return reply_error(S("ERR timeout is not an integer or out of range"));
    if (ms < 0)
        return reply_error(S("ERR timeout is negative"));
    if (ms > INT64_MAX - now_ms && server_follows(r, RULE_NEAR_PAUSE))
        return reply_error(S("ERR timeout is out of range"));
    /* Where there is no such check the sum is an instant that is long over. */
    int64_t until_ms = ms > INT64_MAX - now_ms ? INT64_MIN + 1 : now_ms + ms;
    r->paused_all |= all;
    if (until_ms > r->paused_until_ms)
        r->paused_until_ms = until_ms;
    redis_only_look(r, true);
    return reply_ok();
}

static reply cmd_unpause(const call *c)
{
    pause_ends(c->server);
    return reply_ok();
}

const command commands_pause[] = {
    { .name = "client|pause", -3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_pause },
    { .name = "client|unpause", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_unpause },
    { .name = NULL },
};
