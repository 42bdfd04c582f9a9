/* comparisons.h - what the scripts of a server compare, and what else their branches depend on: for code that has to
 * know when they take another path. */
#ifndef LOCKSIM_SCRIPT_COMPARISONS_H
#define LOCKSIM_SCRIPT_COMPARISONS_H

#include "redis/redis.h"

typedef struct {
    void *context;
    /* Two numbers, the left side less the right one; of two texts how they are ordered. */
    void (*compared)(void *context, double difference);
    /* A value that influences a branch in another way (lua_compare.h); NULL: unknown which one. */
    void (*used)(void *context, const str *value);
} script_ears;
/* From now on reports what scripts of this server compare, in order; the ears are borrowed. NULL: ends it. Only between
 * runs. Replies and budgets do not depend on it, as with redis_cover. */
void redis_hear_scripts(redis *r, const script_ears *ears);

#endif
