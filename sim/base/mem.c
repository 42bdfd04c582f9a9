/* mem.c - see mem.h. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/last.h"

static _Thread_local void *reserve;
/* the largest single request since the reserve was made */
static _Thread_local size_t reserve_bytes, largest_bytes;
static _Thread_local bool low;

void mem_keep_back(size_t bytes)
{
    if (bytes < 2 * largest_bytes)
        bytes = 2 * largest_bytes;
    if (low || bytes <= reserve_bytes)
        return;
    void *more = malloc(bytes);
    if (!more) {
        low = true;        /* the reserve will be needed soon */
        return;
    }
    free(reserve);
    reserve = more;
    reserve_bytes = bytes;
}

bool mem_is_low(void)
{
    return low;
}

void mem_give_back(void)
{
    free(reserve);
    reserve = NULL;
    reserve_bytes = largest_bytes = 0;
    low = false;
}

/* Is it worth trying again? */
static bool give_up_reserve(void)
{
    bool had = reserve != NULL;
    free(reserve);
    reserve = NULL;
    reserve_bytes = 0;
    low |= had;
    return had;
}

static size_t asked(size_t bytes)
{
    if (bytes > largest_bytes)
        largest_bytes = bytes;
    return bytes ? bytes : 1;
}

static void *need(void *p)
{
    if (!p)
        last_words("out of memory");
    return p;
}

void *mem_alloc(size_t bytes)
{
    void *p = malloc(asked(bytes));
    if (!p && give_up_reserve())
        p = malloc(asked(bytes));
    return need(p);
}

/* Small blocks come from malloc: glibc's calloc passes by those that this thread freed last, which are then given back
 * the slow way. */
void *mem_zero(size_t bytes)
{
    enum { SMALL_BYTES = 1024 };
    if (bytes <= SMALL_BYTES)
        return memset(mem_alloc(bytes), 0, bytes);
    void *p = calloc(1, asked(bytes));
    if (!p && give_up_reserve())
        p = calloc(1, asked(bytes));
    return need(p);
}

void *mem_grow(void *p, size_t bytes)
{
    void *grown = realloc(p, asked(bytes));
    if (!grown && give_up_reserve())
        grown = realloc(p, asked(bytes));
    return need(grown);
}

void mem_free(void *p)
{
    free(p);
}

void *mem_reserve(void *array, size_t *cap, size_t need_count, size_t item_bytes)
{
    if (need_count <= *cap)
        return array;
    size_t grown = *cap ? *cap * 2 : 8;
    if (grown < need_count)
        grown = need_count;
    if (grown > SIZE_MAX / item_bytes)
        need(NULL);
    array = mem_grow(array, grown * item_bytes);
    *cap = grown;
    return array;
}
