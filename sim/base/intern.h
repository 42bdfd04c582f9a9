/* intern.h - equal byte strings get equal small numbers, and small tables from three numbers to one. Numbers are dense:
 * 0, 1, 2, ... in the order of first meeting, so that arrays can be indexed by them. */
#ifndef LOCKSIM_BASE_INTERN_H
#define LOCKSIM_BASE_INTERN_H

#include "base/str.h"

#define INTERN_NONE UINT32_MAX

typedef struct intern intern;
intern *intern_new(void);
void intern_free(intern *t);
/* The number of these bytes; *fresh (may be NULL): they were never met before. */
uint32_t intern_add(intern *t, str bytes, bool *fresh);
uint32_t intern_find(const intern *t, str bytes);  /* INTERN_NONE: they were never met */
str intern_get(const intern *t, uint32_t id);      /* lives as long as the table */
size_t intern_count(const intern *t);
size_t intern_bytes(const intern *t);              /* memory held, about */

/* Three numbers to one, which is never INTERN_NONE. Zero-initialise: map3 m = { 0 }. */
typedef struct {
    struct map3_slot { uint32_t key[3], value; } *slots;
    size_t count, cap;     /* cap is a power of two */
} map3;
uint32_t map3_get(const map3 *m, uint32_t a, uint32_t b, uint32_t c);     /* INTERN_NONE: not there */
void map3_put(map3 *m, uint32_t a, uint32_t b, uint32_t c, uint32_t value);/* must not be there yet */
void map3_free(map3 *m);
size_t map3_bytes(const map3 *m);

static inline uint64_t map3_hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t h = (a * UINT64_C(0x9E3779B97F4A7C15)) ^ (b * UINT64_C(0xC2B2AE3D27D4EB4F)) ^
                 (c * UINT64_C(0x165667B19E3779F9));
    h ^= h >> 29;
    return h * UINT64_C(0xBF58476D1CE4E5B9) >> 16;
}

/* The same as map3_get where every nanosecond counts. */
static inline uint32_t map3_find(const map3 *m, uint32_t a, uint32_t b, uint32_t c)
{
    if (m->cap == 0)
        return INTERN_NONE;
    for (size_t i = map3_hash(a, b, c) & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
        const struct map3_slot *s = &m->slots[i];
        if (s->value == INTERN_NONE || (s->key[0] == a && s->key[1] == b && s->key[2] == c))
            return s->value;
    }
}

#endif
