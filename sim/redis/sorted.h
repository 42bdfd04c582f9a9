/* sorted.h - a sequence of pointers kept in order, with positions: O(log n) to find, cheap to insert and remove
 * anywhere. The items are the caller's; no two of them may compare equal. Only sim/redis includes this file. */
#ifndef LOCKSIM_REDIS_SORTED_H
#define LOCKSIM_REDIS_SORTED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sorted_block sorted_block;

/* Zero-initialise before use. */
typedef struct {
    sorted_block **blocks;
    size_t blocks_count, blocks_cap;
    size_t count;
    size_t numbered;  /* the number of first blocks whose count of preceding items is known */
} sorted;

/* <0, 0, >0 as the item comes before, at, or after the probe. */
typedef int sorted_cmp(const void *item, const void *probe);

void sorted_free(sorted *s);                       /* not the items */
/* The first position whose item does not come before the probe; count if none. */
size_t sorted_lower(const sorted *s, sorted_cmp *cmp, const void *probe);
/* The item that equals the probe, or NULL. */
void *sorted_find(const sorted *s, sorted_cmp *cmp, const void *probe);
void *sorted_at(const sorted *s, size_t i);        /* i < count; O(log n) while nothing changes */
/* The item must not be there yet. It serves as its own probe. */
void sorted_insert(sorted *s, sorted_cmp *cmp, void *item);
/* Would the item that equals `probe` stay at its place if it were `then`? False: perhaps not. */
bool sorted_stays(const sorted *s, sorted_cmp *cmp, const void *probe, const void *then);
/* Takes out the item that equals the probe and returns it; NULL if there is none. */
void *sorted_remove(sorted *s, sorted_cmp *cmp, const void *probe);

#endif
