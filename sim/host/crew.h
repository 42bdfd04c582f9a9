/* crew.h - pieces of work done side by side by a few threads. */
#ifndef LOCKSIM_HOST_CREW_H
#define LOCKSIM_HOST_CREW_H

#include <stddef.h>

/* How many threads `wanted` (0: one for each core that this process may use) comes to, at most 64. */
size_t crew_size(size_t wanted);
/* Calls work(context, i) for i = 0 .. count - 1, begun in this order by `threads` threads; returns when all are
 * done. */
void crew_run(size_t threads, size_t count, void (*work)(void *context, size_t i), void *context);

#endif
