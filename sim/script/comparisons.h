/* comparisons.h - what the scripts of a server compare, and what else their way depends on: for anyone who wants to
 * know when they go another way. */
#ifndef LOCKSIM_SCRIPT_COMPARISONS_H
#define LOCKSIM_SCRIPT_COMPARISONS_H

#include "redis/redis.h"

typedef struct {
    void *context;
    /* Two numbers, the left side less the right one; of two texts how they are ordered. */
    void (*compared)(void *context, double difference);
    /* A value that decides in another way (lua_compare.h); NULL: nobody knows which one. */
    void (*used)(void *context, const str *value);
} script_ears;
/* From here on scripts of this server are heard, all in order; the ears are borrowed. NULL: nobody hears them. Between
 * runs only. Replies and budgets do not depend on it, as with redis_cover. */
void redis_hear_scripts(redis *r, const script_ears *ears);

#endif
