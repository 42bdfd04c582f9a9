/* zset.h - the sorted-set commands, spread over zset.c (members), zrange.c (ranges) and zcombine.c (unions). Only those
 * include it. */
#ifndef LOCKSIM_REDIS_ZSET_H
#define LOCKSIM_REDIS_ZSET_H

#include "redis/collection.h"

/* zrange.c */
command_fn cmd_zrange, cmd_zrevrange, cmd_zrangebyscore, cmd_zrevrangebyscore, cmd_zrangebylex, cmd_zrevrangebylex,
    cmd_zrangestore,
    cmd_zcount, cmd_zlexcount, cmd_zremrangebyrank, cmd_zremrangebyscore, cmd_zremrangebylex;
/* zcombine.c */
command_fn cmd_zunion, cmd_zinter, cmd_zdiff, cmd_zunionstore, cmd_zinterstore, cmd_zdiffstore, cmd_zintercard;

static inline str zset_member(const value *v, size_t at)
{
    double unused;
    return zset_at(v, at, &unused);
}

/* The members at ranks first, first + step, ... (n of them; step 1 or -1), with their scores if asked. */
reply zset_reply(const call *c, const value *v, size_t first, int step, size_t n, bool with_scores);
/* Removes n members from rank `from` on. */
void zset_cut(value *v, size_t from, size_t n);

#endif
