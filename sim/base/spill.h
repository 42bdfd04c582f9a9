/* spill.h - memory that lies in files instead, where what is kept may be more than the machine has: the caller of a
 * search says how. */
#ifndef LOCKSIM_BASE_SPILL_H
#define LOCKSIM_BASE_SPILL_H

#include <stddef.h>

/* Zeroed, from the beginning of a page; its owner gives it back by munmap. NULL: it cannot be had (a full disk), which
 * was said. Called by several threads. */
typedef struct {
    void *context;
    void *(*map)(void *context, size_t bytes);
} spill;

#endif
