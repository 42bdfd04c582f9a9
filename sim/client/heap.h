/* heap.h - the memory of one process's Lua state: fast to allocate, and freed at once with all blocks. It can be saved
 * and restored: an image holds all contents, and every pointer into them is valid again after a restore. */
#ifndef LOCKSIM_CLIENT_HEAP_H
#define LOCKSIM_CLIENT_HEAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks up to HEAP_MIDDLE_MAX are cut from chunks, in two grains; a larger one is a chunk of its own. */
enum { HEAP_GRAIN = 16, HEAP_SMALL_MAX = 512, HEAP_CLASSES = HEAP_SMALL_MAX / HEAP_GRAIN + 1,
       HEAP_MIDDLE_GRAIN = 256, HEAP_MIDDLE_MAX = 8192,
       HEAP_MIDDLE_CLASSES = (HEAP_MIDDLE_MAX - HEAP_SMALL_MAX) / HEAP_MIDDLE_GRAIN + 1 };

typedef struct heap_spare {
    struct heap_spare *next;
} heap_spare;

typedef struct heap_chunk heap_chunk;
typedef struct heap_image heap_image;

/* Used only by heap.c and the two functions below: a client allocates or frees seventy blocks for each script call,
 * nearly all of them small. */
typedef struct heap {
    struct heap_cursor {   /* saved and restored like the contents */
        size_t bytes;
        char *at, *end;    /* the rest of the chunk that small blocks are cut from */
        heap_spare *spares[HEAP_CLASSES + HEAP_MIDDLE_CLASSES];
    } now;
    heap_chunk **chunks;
    size_t count, cap, unused;                     /* unused: chunks that only images need */
    heap_image *current;   /* the one saved or restored last; NULL: none */
    char *cursor;          /* the cursor as in `current` */
    size_t image_bytes;    /* of all its images */
} heap;

heap *heap_new(void);
void heap_free(heap *h);                           /* after its images were released */
size_t heap_bytes(const heap *h);                  /* in use */
size_t heap_held(const heap *h);                   /* taken from the system, images included */
/* A new block where there is no spare one of that size, or where it is larger than small. */
void *heap_take_anew(heap *h, size_t bytes);
void heap_give_large(heap *h, void *block, size_t bytes);
/* A block has become larger or smaller; neither size is 0. It may move. */
void *heap_resize(heap *h, void *block, size_t old_bytes, size_t new_bytes);

/* An image of all contents. It keeps what differs from the image that was saved or restored last, and that image with
 * it: an image lives until it is released and all that were saved after it are gone. */
heap_image *heap_save(heap *h);
/* Every block is back in its place with its contents, and newer blocks are gone. As often as wanted, in any order. */
void heap_restore(heap *h, heap_image *m);
void heap_image_release(heap_image *m);            /* NULL is fine */
size_t heap_image_bytes(const heap_image *m);      /* its own, without those of the images that it needs */
bool heap_image_is_needed(const heap_image *m);    /* by others, or by the heap: releasing it would free nothing */

static inline size_t heap_class(size_t bytes)
{
    return (bytes + HEAP_GRAIN - 1) / HEAP_GRAIN;
}

/* A block of `bytes` > 0; never fails. */
static inline void *heap_take(heap *h, size_t bytes)
{
    heap_spare *s = bytes <= HEAP_SMALL_MAX ? h->now.spares[heap_class(bytes)] : NULL;
    if (!s)
        return heap_take_anew(h, bytes);
    h->now.bytes += bytes;
    h->now.spares[heap_class(bytes)] = s->next;
    __builtin_prefetch(s->next, 1);    /* it was freed long ago, and the next block of this size is taken from it */
    return s;
}

/* Gives back a block of that size, or NULL. */
static inline void heap_give(heap *h, void *block, size_t bytes)
{
    if (!block)
        return;
    assert(h->now.bytes >= bytes);
    h->now.bytes -= bytes;
    if (bytes > HEAP_SMALL_MAX) {
        heap_give_large(h, block, bytes);
        return;
    }
    heap_spare *s = block;
    s->next = h->now.spares[heap_class(bytes)];
    h->now.spares[heap_class(bytes)] = s;
}

#endif
