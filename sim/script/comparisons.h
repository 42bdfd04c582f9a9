/* comparisons.h - what the scripts of a server compare: two numbers, of which one may move with time. */
#ifndef LOCKSIM_SCRIPT_COMPARISONS_H
#define LOCKSIM_SCRIPT_COMPARISONS_H

#include "redis/redis.h"

/* The left side less the right one. */
typedef void redis_comparison(void *context, double difference);
/* From here on each comparison of two numbers in a script of this server is told to `fn`, in order; NULL: none is.
 * Between runs only. Replies and budgets do not depend on it, as with redis_cover. */
void redis_hear_comparisons(redis *r, redis_comparison *fn, void *context);

#endif
