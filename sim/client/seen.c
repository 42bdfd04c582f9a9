/* seen.c - see seen.h. */
#include "client/seen.h"

#include <assert.h>

#include "base/mem.h"

enum { SLOTS_LEAST = 1024 };

void seen_free(seen *s)
{
    mem_free(s->slots);
    *s = (seen){ 0 };
}

static bool is_free(const seen *s, const seen_slot *at)
{
    return !at->address || (at->walk != 0 && at->walk != s->walk);
}

/* Lasting entries were added with only lasting slots in their way, so a freed slot never hides one. */
static seen_slot *slot_of(const seen *s, const void *address)
{
    size_t at = (size_t)(((uintptr_t)address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->cap - 1);
    while (!is_free(s, &s->slots[at]) && s->slots[at].address != address)
        at = (at + 1) & (s->cap - 1);
    return &s->slots[at];
}

static void grow(seen *s)
{
    seen old = *s;
    s->cap = old.cap ? 2 * old.cap : SLOTS_LEAST;
    s->slots = mem_zero(s->cap * sizeof *s->slots);
    for (int lasting = 1; lasting >= 0; lasting--)             /* these first, see slot_of */
        for (size_t i = 0; i < old.cap; i++)
            if (!is_free(&old, &old.slots[i]) && (old.slots[i].walk == 0) == lasting)
                *slot_of(s, old.slots[i].address) = old.slots[i];
    mem_free(old.slots);
}

void seen_begin(seen *s)
{
    if (s->walk == 0)
        s->lasting = s->count;
    s->count = s->lasting;
    if (++s->walk != 0)
        return;
    s->walk = 1;                                   /* after 2^32 walks old slots would count again */
    for (size_t i = 0; i < s->cap; i++)
        if (s->slots[i].walk != 0)
            s->slots[i] = (seen_slot){ 0 };
}

uint32_t seen_find(const seen *s, const void *address)
{
    if (s->cap == 0)
        return 0;
    const seen_slot *at = slot_of(s, address);
    return is_free(s, at) ? 0 : at->number;
}

uint32_t seen_meet(seen *s, const void *address, uint32_t number)
{
    assert(address && number != 0);
    if (2 * s->count >= s->cap)
        grow(s);
    seen_slot *at = slot_of(s, address);
    if (!is_free(s, at))
        return at->number;
    *at = (seen_slot){ .address = address, .number = number, .walk = s->walk };
    s->count++;
    return 0;
}
