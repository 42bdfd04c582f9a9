/* heap.h - the memory of one process's Lua state: quick to make, and freed at once with everything in it. */
#ifndef LOCKSIM_CLIENT_HEAP_H
#define LOCKSIM_CLIENT_HEAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct heap heap;

heap *heap_new(void);
void heap_free(heap *h);
/* As lua_Alloc wants it; never fails but for new_bytes = 0, which frees. */
void *heap_resize(heap *h, void *p, size_t old_bytes, size_t new_bytes);
size_t heap_bytes(const heap *h);                  /* in use */
size_t heap_held(const heap *h);                   /* in use, and in the image */
/* Keeps an image of all that it holds, once. heap_rewind comes back to it, as often as wanted: every block is where it was, with what
 * it held, and what was made since is gone. */
void heap_keep(heap *h);
void heap_rewind(heap *h);

#endif
