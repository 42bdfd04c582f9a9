/* script.h - the script host of one simulated server: a sandboxed Lua 5.1, the script cache and the EVAL family.
 * Facts: REDIS-FIDELITY.md sections 1 to 4. Only sim/redis includes this file. */
#ifndef LOCKSIM_REDIS_SCRIPT_H
#define LOCKSIM_REDIS_SCRIPT_H

#include "redis/redis.h"

typedef struct script_host script_host;

/* Owned by the server, which frees it. The Lua state is made at the first use. */
script_host *script_host_new(redis *server, redis_limits limits);
void script_host_free(script_host *h);             /* NULL is fine */
/* SCRIPT FLUSH: forgets scripts and the Lua state; math.random goes on where it was. */
void script_host_flush(script_host *h);
/* The server restarted: also math.random begins anew. */
void script_host_wipe(script_host *h);

/* The state of math.random: a part of what decides the future. */
uint64_t script_host_random(const script_host *h);
void script_host_set_random(script_host *h, uint64_t state);

#endif
