/* facts.c - see facts.h. */
#include "base/facts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

enum { SHOWN_BYTES = 160 };

static str cut(arena *a, str s)
{
    return s.n <= SHOWN_BYTES ? arena_str(a, s) : arena_printf(a, "%.*s... (%zu bytes)", (int)SHOWN_BYTES, s.p, s.n);
}

void facts_add(facts *f, str key, str name, str value)
{
    MEM_RESERVE(f->items, f->cap, f->count + 1);
    f->items[f->count++] = (fact){ .key = arena_str(f->memory, key), .name = cut(f->memory, name),
                                   .value = cut(f->memory, value), .where = S("") };
}

void facts_add_count(facts *f, str key, str name, uint64_t n, int vague)
{
    facts_add(f, key, name, arena_printf(f->memory, "%" PRIu64, n));
    f->items[f->count - 1].vague = vague;
}

void facts_add_clock(facts *f, str key, str name, str value)
{
    facts_add(f, key, name, value);
    f->items[f->count - 1].vague = FACT_CLOCK;
}

void facts_place(facts *f, str where)
{
    if (f->count > 0)
        f->items[f->count - 1].where = arena_str(f->memory, where);
}

void facts_free(facts *f)
{
    mem_free(f->items);
    *f = (facts){ 0 };
}

static int by_key(const void *x, const void *y)
{
    return str_cmp(((const fact *)x)->key, ((const fact *)y)->key);
}

void facts_sort(facts *f)
{
    if (f->count > 1)
        qsort(f->items, f->count, sizeof *f->items, by_key);
}

const fact *facts_find(const facts *f, str key)
{
    const fact wanted = { .key = key };
    return f->count ? bsearch(&wanted, f->items, f->count, sizeof *f->items, by_key) : NULL;
}
