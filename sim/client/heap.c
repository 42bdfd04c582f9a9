/* heap.c - see heap.h: small blocks are cut from chunks and kept in lists by size, large ones come from malloc.
 * Nothing is given back before the end: a process is short-lived, and closing a Lua state block by block costs more than
 * making it. */
#include "client/heap.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { GRAIN = 16, SMALL_MAX = 512, CLASSES = SMALL_MAX / GRAIN + 1, CHUNK = 32 * 1024 };

typedef struct chunk {
    struct chunk *next;
    size_t pad;
} chunk;

typedef struct large {
    struct large *next, *prev;
} large;

typedef struct spare {
    struct spare *next;
} spare;

struct heap {
    size_t bytes;
    chunk *chunks;
    char *at, *end;
    large all_large;       /* a ring */
    spare *spares[CLASSES];
};

heap *heap_new(void)
{
    heap *h = mem_zero(sizeof *h);
    h->all_large.next = h->all_large.prev = &h->all_large;
    return h;
}

void heap_free(heap *h)
{
    if (!h)
        return;
    for (chunk *c = h->chunks, *next; c; c = next) {
        next = c->next;
        mem_free(c);
    }
    for (large *l = h->all_large.next, *next; l != &h->all_large; l = next) {
        next = l->next;
        mem_free(l);
    }
    mem_free(h);
}

size_t heap_bytes(const heap *h)
{
    return h->bytes;
}

static size_t class_of(size_t bytes)
{
    return (bytes + GRAIN - 1) / GRAIN;
}

static void *take(heap *h, size_t bytes)
{
    if (bytes > SMALL_MAX) {
        large *l = mem_alloc(sizeof *l + bytes);
        l->next = h->all_large.next;
        l->prev = &h->all_large;
        l->next->prev = l;
        l->prev->next = l;
        return l + 1;
    }
    size_t class = class_of(bytes);
    spare *s = h->spares[class];
    if (s) {
        h->spares[class] = s->next;
        return s;
    }
    size_t need = class * GRAIN;
    if ((size_t)(h->end - h->at) < need) {         /* what is left of the chunk is lost: at most 512 bytes of 32 Ki */
        chunk *c = mem_alloc(CHUNK);
        c->next = h->chunks;
        h->chunks = c;
        h->at = (char *)(c + 1);
        h->end = (char *)c + CHUNK;
    }
    void *p = h->at;
    h->at += need;
    return p;
}

static void give_back(heap *h, void *p, size_t bytes)
{
    if (bytes > SMALL_MAX) {
        large *l = (large *)p - 1;
        l->prev->next = l->next;
        l->next->prev = l->prev;
        mem_free(l);
        return;
    }
    spare *s = p;
    size_t class = class_of(bytes);
    s->next = h->spares[class];
    h->spares[class] = s;
}

void *heap_resize(heap *h, void *p, size_t old_bytes, size_t new_bytes)
{
    if (!p)
        old_bytes = 0;
    if (new_bytes == 0) {
        if (p)
            give_back(h, p, old_bytes);
        h->bytes -= old_bytes;
        return NULL;
    }
    assert(h->bytes >= old_bytes);
    h->bytes = h->bytes - old_bytes + new_bytes;
    if (p && old_bytes <= SMALL_MAX && new_bytes <= SMALL_MAX && class_of(old_bytes) == class_of(new_bytes))
        return p;
    void *q = take(h, new_bytes);
    if (p) {
        memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
        give_back(h, p, old_bytes);
    }
    return q;
}
