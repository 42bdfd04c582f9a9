/* keyspace.h - all that decides what a server will do, but for its connections and scripts, as canonical bytes: values,
 * what its random commands draw next, who waits, and what connections watch and queue. */
#ifndef LOCKSIM_WORLD_KEYSPACE_H
#define LOCKSIM_WORLD_KEYSPACE_H

#include "redis/redis.h"

enum { KEYSPACE_TEXTS = 4 };           /* it is so many texts of buf_lenstr */
void keyspace_save(redis *r, int64_t now_ms, buf *out);
void keyspace_load(redis *r, int64_t now_ms, str *from);        /* takes it off the front */
/* Past it. */
void keyspace_skip(str *from);

#endif
