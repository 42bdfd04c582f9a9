/* level.h - the states of one distance from the start, as rows (vector.h), in the order of their numbers. It grows
 * without copying. The later rows of a large level may lie in files (base/spill.h). */
#ifndef LOCKSIM_SEARCH_LEVEL_H
#define LOCKSIM_SEARCH_LEVEL_H

#include <stdint.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/spill.h"

enum { CHUNK_ROWS = 4096, CHUNKS_IN_MEMORY = 16 };
typedef struct {
    struct level_chunk { uint32_t *rows; bool spilled; } *chunks;
    size_t chunk_count, chunk_cap, count, width, spilled;
    uint32_t first;        /* number of its first state */
    const spill *spill;    /* NULL: all of it lies in memory */
} level;

static inline size_t level_chunk_bytes(const level *l)
{
    return CHUNK_ROWS * l->width * sizeof(uint32_t);
}

static inline uint32_t *level_row(const level *l, size_t i)
{
    return l->chunks[i / CHUNK_ROWS].rows + i % CHUNK_ROWS * l->width;
}

static inline void level_grow(level *l)
{
    MEM_RESERVE(l->chunks, l->chunk_cap, l->chunk_count + 1);
    struct level_chunk *c = &l->chunks[l->chunk_count++];
    c->rows = l->spill && l->chunk_count > CHUNKS_IN_MEMORY ? l->spill->map(l->spill->context, level_chunk_bytes(l))
              : NULL;
    c->spilled = c->rows;
    l->spilled += c->spilled;
    if (!c->spilled)
        c->rows = mem_alloc(level_chunk_bytes(l));
}

/* Room for one more. */
static inline uint32_t *level_add(level *l)
{
    if (l->count == l->chunk_count * CHUNK_ROWS)
        level_grow(l);
    return level_row(l, l->count++);
}

/* Adds `more` rows, to be filled by the caller. */
static inline void level_extend(level *l, size_t more)
{
    while (l->count + more > l->chunk_count * CHUNK_ROWS)
        level_grow(l);
    l->count += more;
}

static inline void level_clear(level *l)
{
    for (size_t i = 0; i < l->chunk_count; i++)
        if (l->chunks[i].spilled)
            munmap(l->chunks[i].rows, level_chunk_bytes(l));
        else
            mem_free(l->chunks[i].rows);
    mem_free(l->chunks);
    *l = (level){ .width = l->width, .spill = l->spill };
}

/* Of memory. */
static inline size_t level_bytes(const level *l)
{
    return (l->chunk_count - l->spilled) * level_chunk_bytes(l);
}

#endif
