/* self.c - commands about modules and replicas, where there is nothing to list: no module but the server's own. */
#include "redis/collection.h"
#include "redis/server.h"

static reply nothing(const call *c) { return reply_items(c->out, REPLY_ARRAY, 0); }

static reply cmd_module_list(const call *c)
{
    return server_follows(c->server, RULE_MODULES) ? client_modules(c) : nothing(c);
}

/* REPLICAOF NO ONE: it is a master already. */
static reply cmd_replicaof(const call *c)
{
    if (arg_is(c, 1, S("no")) && arg_is(c, 2, S("one")))
        return reply_ok();
    return reply_error(arena_printf(c->out, "ERR locksim refuses '%.*s': it is one server and never a replica",
                                    STR_ARG(str_slice(c->argv[0], 0, 16))));
}

/* WAITAOF local replicas timeout-ms: a program has no log of changes and no replica,
 * so that there is nothing to wait for. In a world, where there may be replicas, it is unsaid whether they keep one. */
static reply cmd_waitaof(const call *c)
{
    int64_t local, replicas, timeout_ms;
    if (!c->server->hosted)
        return reply_error(S("ERR locksim refuses 'waitaof': it keeps no log of changes"));
    if (!parse_int(c->argv[1], &local))
        return reply_not_integer();
    if (local < 0 || local > 1)
        return reply_error(S("ERR value is out of range, value must between 0 and 1"));
    if (!parse_int_within(c->argv[2], 0, INT64_MAX, &replicas))
        return reply_not_positive();
    if (!parse_int(c->argv[3], &timeout_ms))
        return reply_error(S("ERR timeout is not an integer or out of range"));
    if (timeout_ms < 0)
        return reply_error(S("ERR timeout is negative"));
    bool logs = settings_append_only(c->server);
    if (local && !logs)
        return reply_error(S("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."));
    reply both = reply_items(c->out, REPLY_ARRAY, 2);
    both.items[0] = reply_integer(logs);
    both.items[1] = reply_integer(0);
    return both;
}

const command commands_self[] = {
    { .name = "waitaof", 4, CMD_WAITS_THERE, 0, 0, 0, cmd_waitaof, .since = SINCE(7, 2, 0, 0) },
    { .name = "module", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "module|list", 2, CMD_NOSCRIPT, 0, 0, 0, cmd_module_list },
    { .name = "replicaof", 3, CMD_NOSCRIPT, 0, 0, 0, cmd_replicaof },
    { .name = "slaveof", 3, CMD_NOSCRIPT, 0, 0, 0, cmd_replicaof },
    { .name = NULL },
};
