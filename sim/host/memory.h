/* memory.h - how much memory a search may use by default: enough, and so little that the machine stays usable. */
#ifndef LOCKSIM_HOST_MEMORY_H
#define LOCKSIM_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes for each of `jobs` searches side by side: 4 GiB in all, or three quarters of what this process can get,
 * whichever is less. */
uint64_t memory_default(size_t jobs);

#endif
