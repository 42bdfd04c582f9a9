/* seen.h - the objects that a walk has met, with their numbers. Starting a new walk forgets them without clearing, so a
 * walk costs only what it meets. What was added before the first seen_begin is kept for ever. */
#ifndef LOCKSIM_CLIENT_SEEN_H
#define LOCKSIM_CLIENT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const void *address;
    uint32_t number, walk;
} seen_slot;

/* Open addressing; a slot of an older walk counts as free. Zero-initialise before use. */
typedef struct {
    seen_slot *slots;
    size_t count, cap;     /* cap: a power of two */
    size_t lasting;        /* of count: kept for ever */
    uint32_t walk;         /* 0: additions are kept for ever */
} seen;

void seen_free(seen *s);
void seen_begin(seen *s);
/* 0: not met. */
uint32_t seen_find(const seen *s, const void *address);
/* Its number; or, if it was not met: 0, and from now on it has `number` (not 0). */
uint32_t seen_meet(seen *s, const void *address, uint32_t number);

#endif
