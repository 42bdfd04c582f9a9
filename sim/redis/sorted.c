/* sorted.c - see sorted.h. A list of blocks of at most BLOCK_ITEMS pointers: one block is a plain sorted array, which
 * is all that a lock ever needs; many blocks keep a huge set from costing a huge memmove per insertion. */
#include "redis/sorted.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK_ITEMS = 256, BLOCK_ITEMS_FIRST = 4 };

struct sorted_block {
    size_t count, cap;
    size_t before;                                 /* items in the blocks before this one; see sorted.numbered */
    void *at[];
};

static sorted_block *block_new(size_t cap)
{
    sorted_block *b = mem_alloc(sizeof *b + cap * sizeof b->at[0]);
    b->count = 0;
    b->cap = cap;
    return b;
}

void sorted_free(sorted *s)
{
    for (size_t i = 0; i < s->blocks_count; i++)
        mem_free(s->blocks[i]);
    mem_free(s->blocks);
    *s = (sorted){ 0 };
}

/* The block in which the probe is or belongs: the first whose last item is not before it, else the last one. */
static size_t block_for(const sorted *s, sorted_cmp *cmp, const void *probe)
{
    size_t lo = 0, hi = s->blocks_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const sorted_block *b = s->blocks[mid];
        if (cmp(b->at[b->count - 1], probe) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->blocks_count ? lo : s->blocks_count - 1;
}

static size_t lower_in(const sorted_block *b, sorted_cmp *cmp, const void *probe)
{
    size_t lo = 0, hi = b->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (cmp(b->at[mid], probe) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Numbers the blocks up to and with block k. The numbers are a cache: they change nothing that a caller can see. */
static void number_blocks(const sorted *s, size_t k)
{
    if (k < s->numbered)
        return;
    for (size_t i = s->numbered; i <= k; i++)
        s->blocks[i]->before = i ? s->blocks[i - 1]->before + s->blocks[i - 1]->count : 0;
    ((sorted *)s)->numbered = k + 1;
}

/* The counts from block k on have changed: what comes after it must be numbered again. */
static void forget_numbers(sorted *s, size_t k)
{
    if (s->numbered > k + 1)
        s->numbered = k + 1;
}

size_t sorted_lower(const sorted *s, sorted_cmp *cmp, const void *probe)
{
    if (!s->count)
        return 0;
    size_t k = block_for(s, cmp, probe);
    number_blocks(s, k);
    return s->blocks[k]->before + lower_in(s->blocks[k], cmp, probe);
}

void *sorted_find(const sorted *s, sorted_cmp *cmp, const void *probe)
{
    if (!s->count)
        return NULL;
    const sorted_block *b = s->blocks[block_for(s, cmp, probe)];
    size_t i = lower_in(b, cmp, probe);
    return i < b->count && cmp(b->at[i], probe) == 0 ? b->at[i] : NULL;
}

void *sorted_at(const sorted *s, size_t i)
{
    assert(i < s->count);
    if (i < s->blocks[0]->count)
        return s->blocks[0]->at[i];
    number_blocks(s, s->blocks_count - 1);
    size_t lo = 0, hi = s->blocks_count;           /* the last block that begins at or before i */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->blocks[mid]->before <= i)
            lo = mid;
        else
            hi = mid;
    }
    return s->blocks[lo]->at[i - s->blocks[lo]->before];
}

static void block_list_insert(sorted *s, size_t k, sorted_block *b)
{
    MEM_RESERVE(s->blocks, s->blocks_cap, s->blocks_count + 1);
    memmove(s->blocks + k + 1, s->blocks + k, (s->blocks_count - k) * sizeof s->blocks[0]);
    s->blocks[k] = b;
    s->blocks_count++;
    if (s->numbered > k)
        s->numbered = k;
}

void sorted_insert(sorted *s, sorted_cmp *cmp, void *item)
{
    if (!s->blocks_count)
        block_list_insert(s, 0, block_new(BLOCK_ITEMS_FIRST));
    size_t k = s->count ? block_for(s, cmp, item) : 0;
    sorted_block *b = s->blocks[k];
    if (b->count == b->cap && b->cap < BLOCK_ITEMS) {
        b->cap *= 2;
        b = s->blocks[k] = mem_grow(b, sizeof *b + b->cap * sizeof b->at[0]);
    } else if (b->count == BLOCK_ITEMS) {
        /* Appending at the very end, as ever-growing scores do, leaves full blocks behind; elsewhere a block is
         * halved. */
        size_t keep = k + 1 == s->blocks_count && cmp(b->at[b->count - 1], item) < 0 ? BLOCK_ITEMS : BLOCK_ITEMS / 2;
        sorted_block *next = block_new(BLOCK_ITEMS);
        next->count = b->count - keep;
        memcpy(next->at, b->at + keep, next->count * sizeof b->at[0]);
        b->count = keep;
        block_list_insert(s, k + 1, next);
        if (cmp(b->at[keep - 1], item) < 0)
            b = next;
    }
    size_t i = lower_in(b, cmp, item);
    assert(i == b->count || cmp(b->at[i], item) != 0);
    memmove(b->at + i + 1, b->at + i, (b->count - i) * sizeof b->at[0]);
    b->at[i] = item;
    b->count++;
    s->count++;
    forget_numbers(s, k);
}

bool sorted_stays(const sorted *s, sorted_cmp *cmp, const void *probe, const void *then)
{
    size_t k = block_for(s, cmp, probe);
    const sorted_block *b = s->blocks[k];
    size_t i = lower_in(b, cmp, probe);
    bool first = i == 0 && k == 0, last = i + 1 == b->count && k + 1 == s->blocks_count;
    return (first || (i > 0 && cmp(b->at[i - 1], then) < 0)) &&
           (last || (i + 1 < b->count && cmp(b->at[i + 1], then) > 0));
}

void *sorted_remove(sorted *s, sorted_cmp *cmp, const void *probe)
{
    if (!s->count)
        return NULL;
    size_t k = block_for(s, cmp, probe);
    sorted_block *b = s->blocks[k];
    size_t i = lower_in(b, cmp, probe);
    if (i == b->count || cmp(b->at[i], probe) != 0)
        return NULL;
    void *item = b->at[i];
    b->count--;
    s->count--;
    memmove(b->at + i, b->at + i + 1, (b->count - i) * sizeof b->at[0]);
    forget_numbers(s, k);
    if (!b->count) {                               /* no block is ever empty */
        mem_free(b);
        s->blocks_count--;
        memmove(s->blocks + k, s->blocks + k + 1, (s->blocks_count - k) * sizeof s->blocks[0]);
        if (s->numbered > k)
            s->numbered = k;
    }
    return item;
}
