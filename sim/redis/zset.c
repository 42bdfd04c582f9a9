/* zset.c - the sorted-set commands of Redis 7.0. Facts: REDIS-FIDELITY.md sections 6 and 8. */
#include "redis/command.h"

static reply cmd_zcard(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    return reply_integer(v ? (int64_t)value_count(v) : 0);
}

const command commands_zset[] = {
    { "zcard", 2, CMD_READONLY, 1, 1, 1, cmd_zcard },
    { .name = NULL },
};
