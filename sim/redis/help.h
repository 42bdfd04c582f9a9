/* help.h - how a server answers HELP of a container: a status for each line. Only sim/redis includes it. */
#ifndef LOCKSIM_REDIS_HELP_H
#define LOCKSIM_REDIS_HELP_H

#include "redis/server.h"

/* NULL among the lines: the one that ends each of the texts, as this server words it. */
reply help_reply(const call *c, const char *const *lines, size_t n);

#endif
