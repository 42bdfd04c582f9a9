/* admin.c - the server as a program: its clock, ROLE, SHUTDOWN. Only if clients reach it from outside. */
#include <inttypes.h>

#include "redis/collection.h"
#include "redis/server.h"

/* ---- the clock: CLOCK is locksim's own word ---- */

static reply clock_not_ours(void)
{
    return reply_error(S("ERR this server's clock is the machine's: CLOCK needs `locksim serve --clock manual`"));
}

/* From here on it is later, for the rest of a transaction, too. */
static void clock_move(const call *c, int64_t now_ms)
{
    c->server->host.set_clock(c->server->host.context, now_ms);
    store_set_now(c->st, now_ms);
}

static reply cmd_clock_get(const call *c)
{
    return c->server->host.set_clock ? reply_integer(store_now_ms(c->st)) : clock_not_ours();
}

static reply clock_to(const call *c, int64_t base_ms)
{
    int64_t ms;
    if (!c->server->host.set_clock)
        return clock_not_ours();
    if (!parse_int(c->argv[2], &ms))
        return reply_not_integer();
    if (ms < 0 || ms > CLOCK_MAX_MS - base_ms)
        return reply_error(arena_printf(c->out, "ERR the clock goes from 0 to %" PRId64 " ms", CLOCK_MAX_MS));
    clock_move(c, base_ms + ms);
    return reply_integer(base_ms + ms);
}

static reply cmd_clock_set(const call *c) { return clock_to(c, 0); }
static reply cmd_clock_advance(const call *c) { return clock_to(c, store_now_ms(c->st)); }

/* ---- the rest ---- */

static reply cmd_role(const call *c)
{
    reply all = reply_items(c->out, REPLY_ARRAY, 3);
    all.items[0] = reply_bulk(S("master"));
    all.items[1] = reply_integer(0);
    all.items[2] = reply_items(c->out, REPLY_ARRAY, 0);
    return all;
}

/* Nothing is ever saved, so NOSAVE and SAVE, NOW and FORCE are all the same. */
static reply cmd_shutdown(const call *c)
{
    bool nosave = false;
    for (size_t i = 1; i < c->argc; i++) {
        if (arg_is(c, i, S("abort")))
            return c->argc == 2 ? reply_error(S("ERR No shutdown in progress.")) : reply_syntax();
        if (!arg_is(c, i, S("nosave")) && !arg_is(c, i, S("save")) && !arg_is(c, i, S("now")) &&
            !arg_is(c, i, S("force")))
            return reply_syntax();
        nosave |= arg_is(c, i, S("nosave"));
    }
    if (c->server->busy && !nosave)
        return reply_busy(c->server);
    if (c->server->host.stop)
        c->server->host.stop(c->server->host.context);
    c->conn->client.over = c->conn->client.silent = true;      /* success has no reply */
    return reply_ok();
}

const command commands_admin[] = {
    { .name = "clock", -2, CMD_HOSTED | CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "clock|get", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_clock_get },
    { .name = "clock|set", 3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_clock_set },
    { .name = "clock|advance", 3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_clock_advance },
    { .name = "role", 1, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_role },
    { .name = "shutdown", -1, CMD_ALLOW_BUSY | CMD_HOSTED | CMD_NOSCRIPT | CMD_NO_MULTI, 0, 0, 0, cmd_shutdown },
    { .name = NULL },
};
