/* list.c - the list commands of Redis 7.0. Facts: REDIS-FIDELITY.md sections 6 and 8. */
#include "redis/command.h"

static reply push(const call *c, bool tail, bool only_existing)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v && only_existing)
        return reply_integer(0);
    if (!v && !find_or_create(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    for (size_t i = 2; i < c->argc; i++)
        list_push(v, tail, c->argv[i]);
    store_touch(c->st, c->db, c->argv[1]);
    return reply_integer((int64_t)value_count(v));
}

static reply cmd_lpush(const call *c) { return push(c, false, false); }
static reply cmd_rpush(const call *c) { return push(c, true, false); }
static reply cmd_lpushx(const call *c) { return push(c, false, true); }
static reply cmd_rpushx(const call *c) { return push(c, true, true); }

const command commands_list[] = {
    { "lpush", -3, CMD_WRITE, 1, 1, 1, cmd_lpush },
    { "rpush", -3, CMD_WRITE, 1, 1, 1, cmd_rpush },
    { "lpushx", -3, CMD_WRITE, 1, 1, 1, cmd_lpushx },
    { "rpushx", -3, CMD_WRITE, 1, 1, 1, cmd_rpushx },
    { .name = NULL },
};
