/* level.h - the states of one distance from the start, as rows (vector.h), in the order of their numbers. Grows without
 * a copy. */
#ifndef LOCKSIM_SEARCH_LEVEL_H
#define LOCKSIM_SEARCH_LEVEL_H

#include <stdint.h>

#include "base/mem.h"

enum { CHUNK_ROWS = 4096 };
typedef struct {
    uint32_t **chunks;
    size_t chunk_count, chunk_cap, count, width;
    uint32_t first;        /* number of its first state */
} level;

static inline uint32_t *level_row(const level *l, size_t i)
{
    return l->chunks[i / CHUNK_ROWS] + i % CHUNK_ROWS * l->width;
}

/* Room for one more. */
static inline uint32_t *level_add(level *l)
{
    if (l->count == l->chunk_count * CHUNK_ROWS) {
        MEM_RESERVE(l->chunks, l->chunk_cap, l->chunk_count + 1);
        l->chunks[l->chunk_count++] = mem_alloc(CHUNK_ROWS * l->width * sizeof **l->chunks);
    }
    return level_row(l, l->count++);
}

/* Room for so many more, which are then there: to be filled. */
static inline void level_extend(level *l, size_t more)
{
    while (l->count + more > l->chunk_count * CHUNK_ROWS) {
        MEM_RESERVE(l->chunks, l->chunk_cap, l->chunk_count + 1);
        l->chunks[l->chunk_count++] = mem_alloc(CHUNK_ROWS * l->width * sizeof **l->chunks);
    }
    l->count += more;
}

static inline void level_clear(level *l)
{
    for (size_t i = 0; i < l->chunk_count; i++)
        mem_free(l->chunks[i]);
    mem_free(l->chunks);
    *l = (level){ .width = l->width };
}

static inline size_t level_bytes(const level *l)
{
    return l->chunk_count * CHUNK_ROWS * l->width * sizeof(uint32_t);
}

#endif
