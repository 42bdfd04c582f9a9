/* seen.h - which objects a walk has met, and under which number. Begun again, it forgets without being cleared, so that
 * a walk costs what it meets. What was added before the first seen_begin is never forgotten. */
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
    size_t lasting;        /* of count: never forgotten */
    uint32_t walk;         /* 0: what is added lasts */
} seen;

void seen_free(seen *s);
void seen_begin(seen *s);
/* 0: not met. */
uint32_t seen_find(const seen *s, const void *address);
/* The number it was met under; if it was not met: 0, and from now on `number` (not 0). */
uint32_t seen_meet(seen *s, const void *address, uint32_t number);

#endif
