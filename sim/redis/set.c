/* set.c - the set commands of Redis 7.0. Facts: REDIS-FIDELITY.md sections 6 and 8. */
#include "redis/command.h"

static reply cmd_sadd(const call *c)
{
    value *v;
    reply r;
    if (!find_or_create(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    int64_t added = 0;
    for (size_t i = 2; i < c->argc; i++)
        added += set_add(v, c->argv[i]);
    if (added)
        store_touch(c->st, c->db, c->argv[1]);
    return reply_integer(added);
}

const command commands_set[] = {
    { "sadd", -3, CMD_WRITE, 1, 1, 1, cmd_sadd },
    { .name = NULL },
};
