/* mem.h - malloc that never returns NULL: where no memory is left come the last words (last.h). */
#ifndef LOCKSIM_BASE_MEM_H
#define LOCKSIM_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t bytes);                     /* not zeroed */
void *mem_zero(size_t bytes);
void *mem_grow(void *p, size_t bytes);
void mem_free(void *p);
/* Room for `need` items of `size` bytes in *array (capacity *cap), doubling; the new pointer is stored. */
#define MEM_RESERVE(array, cap, need) \
    do { if ((need) > (cap)) (array) = mem_reserve((array), &(cap), (need), sizeof *(array)); } while (0)
void *mem_reserve(void *array, size_t *cap, size_t need, size_t item_bytes);

/* Keeps memory back for this thread until mem_give_back, at least `bytes`, and twice the largest piece that it asked
 * for, since arrays double. When memory runs out the reserve is given up first, so that what goes on can end in order:
 * it asks mem_is_low now and then, and calls this again, lest its arrays outgrow the reserve. */
void mem_keep_back(size_t bytes);
bool mem_is_low(void);                             /* the reserve is gone, or could not grow */
void mem_give_back(void);

#endif
