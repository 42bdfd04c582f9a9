/* mem.c - see mem.h. */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *need(void *p)
{
    if (!p) {
        fputs("locksim: error: out of memory\n", stderr);
        exit(70);
    }
    return p;
}

void *mem_alloc(size_t bytes)
{
    return need(malloc(bytes ? bytes : 1));
}

void *mem_zero(size_t bytes)
{
    return need(calloc(1, bytes ? bytes : 1));
}

void *mem_grow(void *p, size_t bytes)
{
    return need(realloc(p, bytes ? bytes : 1));
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
