/* keyspace.h - all that determines what a server will do, except its connections and scripts, as canonical bytes:
 * values, the next draws of its random commands, waiting clients, and what connections watch and queue. */
#ifndef LOCKSIM_WORLD_KEYSPACE_H
#define LOCKSIM_WORLD_KEYSPACE_H

#include "redis/redis.h"

enum { KEYSPACE_TEXTS = 4 };           /* it is that many texts of buf_lenstr */
void keyspace_save(redis *r, int64_t now_ms, buf *out);
void keyspace_load(redis *r, int64_t now_ms, str *from);        /* consumes its bytes from the front of `from` */
/* Skips it. */
void keyspace_skip(str *from);

#endif
