/* intern.c - see intern.h: open addressing over 64-bit hashes; the bytes lie in an arena. */
#include "base/intern.h"

#include <assert.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/arena.h"
#include "base/mem.h"

struct intern {
    arena *memory;
    struct { str bytes; uint64_t hash; } *items;
    size_t count, cap;
    uint32_t *slots;       /* number + 1; 0: empty */
    size_t slot_count;     /* a power of two */
};

intern *intern_new(void)
{
    intern *t = mem_zero(sizeof *t);
    t->memory = arena_new();
    return t;
}

void intern_free(intern *t)
{
    if (!t)
        return;
    arena_free(t->memory);
    mem_free(t->items);
    mem_free(t->slots);
    mem_free(t);
}

static void place(intern *t, uint32_t id)
{
    size_t i = t->items[id].hash & (t->slot_count - 1);
    while (t->slots[i])
        i = (i + 1) & (t->slot_count - 1);
    t->slots[i] = id + 1;
}

static void grow(intern *t)
{
    enum { FIRST = 256 };
    t->slot_count = t->slot_count ? 2 * t->slot_count : FIRST;
    mem_free(t->slots);
    t->slots = mem_zero(t->slot_count * sizeof *t->slots);
    for (size_t i = 0; i < t->count; i++)
        place(t, (uint32_t)i);
}

static uint64_t hash_of(str bytes) { return XXH3_64bits(bytes.n ? bytes.p : "", bytes.n); }

static uint32_t find(const intern *t, str bytes, uint64_t hash)
{
    for (size_t i = hash & (t->slot_count - 1); t->slots[i]; i = (i + 1) & (t->slot_count - 1)) {
        uint32_t id = t->slots[i] - 1;
        if (t->items[id].hash == hash && str_eq(t->items[id].bytes, bytes))
            return id;
    }
    return INTERN_NONE;
}

uint32_t intern_find(const intern *t, str bytes)
{
    return t->count == 0 ? INTERN_NONE : find(t, bytes, hash_of(bytes));
}

uint32_t intern_add(intern *t, str bytes, bool *fresh)
{
    if (4 * (t->count + 1) > 3 * t->slot_count)
        grow(t);
    uint64_t hash = hash_of(bytes);
    uint32_t known = find(t, bytes, hash);
    if (fresh)
        *fresh = false;
    if (known != INTERN_NONE)
        return known;
    assert(t->count < INTERN_NONE - 1);
    MEM_RESERVE(t->items, t->cap, t->count + 1);
    t->items[t->count].bytes = arena_str(t->memory, bytes);
    t->items[t->count].hash = hash;
    place(t, (uint32_t)t->count);
    if (fresh)
        *fresh = true;
    return (uint32_t)t->count++;
}

str intern_get(const intern *t, uint32_t id)
{
    assert(id < t->count);
    return t->items[id].bytes;
}

size_t intern_count(const intern *t)
{
    return t->count;
}

size_t intern_bytes(const intern *t)
{
    return arena_bytes(t->memory) + t->cap * sizeof *t->items + t->slot_count * sizeof *t->slots;
}

uint32_t map3_get(const map3 *m, uint32_t a, uint32_t b, uint32_t c)
{
    return map3_find(m, a, b, c);
}

static void map3_place(map3 *m, const struct map3_slot *s)
{
    size_t i = map3_hash(s->key[0], s->key[1], s->key[2]) & (m->cap - 1);
    while (m->slots[i].value != INTERN_NONE)
        i = (i + 1) & (m->cap - 1);
    m->slots[i] = *s;
}

void map3_put(map3 *m, uint32_t a, uint32_t b, uint32_t c, uint32_t value)
{
    assert(value != INTERN_NONE);
    if (2 * (m->count + 1) > m->cap) {
        enum { FIRST = 64 };
        map3 old = *m;
        m->cap = old.cap ? 2 * old.cap : FIRST;
        m->slots = mem_alloc(m->cap * sizeof *m->slots);
        memset(m->slots, 0xff, m->cap * sizeof *m->slots);
        for (size_t i = 0; i < old.cap; i++)
            if (old.slots[i].value != INTERN_NONE)
                map3_place(m, &old.slots[i]);
        mem_free(old.slots);
    }
    map3_place(m, &(struct map3_slot){ { a, b, c }, value });
    m->count++;
}

void map3_free(map3 *m)
{
    mem_free(m->slots);
    *m = (map3){ 0 };
}

size_t map3_bytes(const map3 *m)
{
    return m->cap * sizeof *m->slots;
}
