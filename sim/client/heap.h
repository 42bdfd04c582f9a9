/* heap.h - the memory of one process's Lua state: fast to allocate, and freed at once with all blocks. */
#ifndef LOCKSIM_CLIENT_HEAP_H
#define LOCKSIM_CLIENT_HEAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAP_GRAIN = 16, HEAP_SMALL_MAX = 512, HEAP_CLASSES = HEAP_SMALL_MAX / HEAP_GRAIN + 1 };

typedef struct heap_spare {
    struct heap_spare *next;
} heap_spare;

typedef struct heap_large {
    struct heap_large *next, *prev;
    size_t bytes;
    bool kept;             /* in the image */
} heap_large;

/* Used only by heap.c and the two functions below: a client allocates or frees seventy blocks for each script call,
 * nearly all of them small. */
typedef struct heap {
    size_t bytes;
    struct heap_chunk *chunks;
    char *at, *end;
    heap_large all_large;  /* a ring */
    heap_spare *spares[HEAP_CLASSES];
    struct heap_image *image;                      /* NULL: none */
} heap;

heap *heap_new(void);
void heap_free(heap *h);
size_t heap_bytes(const heap *h);                  /* in use */
size_t heap_held(const heap *h);                   /* in use, and in the image */
/* A new block where there is no spare one of that size, or where it is too large for the lists. */
void *heap_take_anew(heap *h, size_t bytes);
void heap_give_large(heap *h, void *block, size_t bytes);
/* A block has become larger or smaller; neither size is 0. It may move. */
void *heap_resize(heap *h, void *block, size_t old_bytes, size_t new_bytes);
/* Saves an image of all contents, in place of an earlier one. heap_rewind restores it, as often as wanted: every block
 * is back in its place with its contents, and newer blocks are gone. */
void heap_keep(heap *h);
void heap_rewind(heap *h);

static inline size_t heap_class(size_t bytes)
{
    return (bytes + HEAP_GRAIN - 1) / HEAP_GRAIN;
}

/* A block of `bytes` > 0; never fails. */
static inline void *heap_take(heap *h, size_t bytes)
{
    heap_spare *s = bytes <= HEAP_SMALL_MAX ? h->spares[heap_class(bytes)] : NULL;
    if (!s)
        return heap_take_anew(h, bytes);
    h->bytes += bytes;
    h->spares[heap_class(bytes)] = s->next;
    __builtin_prefetch(s->next, 1);    /* it was freed long ago, and the next block of this size is taken from it */
    return s;
}

/* Gives back a block of that size, or NULL. */
static inline void heap_give(heap *h, void *block, size_t bytes)
{
    if (!block)
        return;
    assert(h->bytes >= bytes);
    if (bytes > HEAP_SMALL_MAX) {
        heap_give_large(h, block, bytes);
        return;
    }
    h->bytes -= bytes;
    heap_spare *s = block;
    s->next = h->spares[heap_class(bytes)];
    h->spares[heap_class(bytes)] = s;
}

#endif
