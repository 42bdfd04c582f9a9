/* deadline.h - how SET, SETEX, PSETEX and GETEX read the time a key may live. Only sim/redis includes this file. */
#ifndef LOCKSIM_REDIS_DEADLINE_H
#define LOCKSIM_REDIS_DEADLINE_H

#include "redis/command.h"

/* What the number means; milliseconds from now if neither. */
enum { DEADLINE_SECONDS = 1, DEADLINE_ABSOLUTE = 2 };

/* False and *r Redis's refusal: no integer, not positive, or beyond 64 bits; `name` is the command it blames. An absolute
 * deadline may lie in the past. */
bool deadline_from(const call *c, str text, unsigned form, const char *name, int64_t *deadline_ms, reply *r);

#endif
