/* heap.c - see heap.h: small blocks are cut from chunks and kept in lists by size, large ones come from malloc. Nothing
 * is freed before the end: a process is short-lived, and closing a Lua state block by block costs more than making it.
 * Making a state costs more than copying one: see heap_keep. */
#include "client/heap.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { CHUNK = 32 * 1024 };

typedef struct heap_chunk {
    struct heap_chunk *next;
    size_t pad;
} chunk;

/* An earlier state of the heap. Chunks and large blocks stay in place, so that all pointers in them are valid again
 * after a restore. */
typedef struct heap_image {
    size_t bytes;
    chunk *chunks;
    char *at, *end;
    heap_spare *spares[HEAP_CLASSES];
    heap_large **larges;
    size_t large_count;
    char *content;         /* of the chunks, then of the large blocks */
    size_t content_bytes;
} image;

heap *heap_new(void)
{
    heap *h = mem_zero(sizeof *h);
    h->all_large.next = h->all_large.prev = &h->all_large;
    return h;
}

static void link_large(heap *h, heap_large *l)
{
    l->next = h->all_large.next;
    l->prev = &h->all_large;
    l->next->prev = l;
    l->prev->next = l;
}

/* Empties the ring; blocks of the image stay. */
static void forget_large(heap *h)
{
    for (heap_large *l = h->all_large.next, *next; l != &h->all_large; l = next) {
        next = l->next;
        if (!l->kept)
            mem_free(l);
    }
    h->all_large.next = h->all_large.prev = &h->all_large;
}

static void forget_image(heap *h)
{
    if (!h->image)
        return;
    mem_free(h->image->larges);
    mem_free(h->image->content);
    mem_free(h->image);
    h->image = NULL;
}

void heap_free(heap *h)
{
    if (!h)
        return;
    for (chunk *c = h->chunks, *next; c; c = next) {
        next = c->next;
        mem_free(c);
    }
    forget_large(h);
    for (size_t i = 0; h->image && i < h->image->large_count; i++)
        mem_free(h->image->larges[i]);
    forget_image(h);
    mem_free(h);
}

size_t heap_bytes(const heap *h)
{
    return h->bytes;
}

size_t heap_held(const heap *h)
{
    return h->bytes + (h->image ? h->image->content_bytes : 0);
}

void *heap_take_anew(heap *h, size_t bytes)
{
    h->bytes += bytes;
    if (bytes > HEAP_SMALL_MAX) {
        heap_large *l = mem_alloc(sizeof *l + bytes);
        l->bytes = bytes;
        l->kept = false;
        link_large(h, l);
        return l + 1;
    }
    size_t need = heap_class(bytes) * HEAP_GRAIN;
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

void heap_give_large(heap *h, void *block, size_t bytes)
{
    h->bytes -= bytes;
    heap_large *l = (heap_large *)block - 1;
    l->prev->next = l->next;
    l->next->prev = l->prev;
    if (!l->kept)
        mem_free(l);
}

void *heap_resize(heap *h, void *block, size_t old_bytes, size_t new_bytes)
{
    if (old_bytes <= HEAP_SMALL_MAX && new_bytes <= HEAP_SMALL_MAX && heap_class(old_bytes) == heap_class(new_bytes)) {
        h->bytes += new_bytes - old_bytes;
        return block;
    }
    void *moved = heap_take(h, new_bytes);
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    heap_give(h, block, old_bytes);
    return moved;
}

/* Between the heap and its image, in one order. */
static void copy_content(heap *h, bool back)
{
    image *m = h->image;
    char *at = m->content;
    for (chunk *c = m->chunks; c; c = c->next) {
        memcpy(back ? (char *)(c + 1) : at, back ? at : (char *)(c + 1), CHUNK - sizeof *c);
        at += CHUNK - sizeof *c;
    }
    for (size_t i = 0; i < m->large_count; i++) {
        heap_large *l = m->larges[i];
        memcpy(back ? (char *)(l + 1) : at, back ? at : (char *)(l + 1), l->bytes);
        at += l->bytes;
    }
}

/* Its large blocks that are still in use are the heap's again. */
static void drop_image(heap *h)
{
    image *m = h->image;
    for (size_t i = 0; m && i < m->large_count; i++)
        m->larges[i]->kept = false;
    for (heap_large *l = h->all_large.next; m && l != &h->all_large; l = l->next)
        l->kept = true;
    for (size_t i = 0; m && i < m->large_count; i++)
        if (!m->larges[i]->kept)
            mem_free(m->larges[i]);
    forget_image(h);
}

void heap_keep(heap *h)
{
    drop_image(h);
    image *m = h->image = mem_zero(sizeof *m);
    m->bytes = h->bytes;
    m->chunks = h->chunks;
    m->at = h->at;
    m->end = h->end;
    memcpy(m->spares, h->spares, sizeof m->spares);
    for (chunk *c = h->chunks; c; c = c->next)
        m->content_bytes += CHUNK - sizeof *c;
    for (heap_large *l = h->all_large.next; l != &h->all_large; l = l->next) {
        m->content_bytes += l->bytes;
        m->large_count++;
    }
    m->larges = mem_alloc((m->large_count + 1) * sizeof *m->larges);
    size_t n = 0;
    for (heap_large *l = h->all_large.next; l != &h->all_large; l = l->next) {
        l->kept = true;
        m->larges[n++] = l;
    }
    m->content = mem_alloc(m->content_bytes + 1);
    copy_content(h, false);
}

void heap_rewind(heap *h)
{
    image *m = h->image;
    assert(m);
    while (h->chunks != m->chunks) {
        chunk *made_since = h->chunks;
        h->chunks = made_since->next;
        mem_free(made_since);
    }
    forget_large(h);
    for (size_t i = 0; i < m->large_count; i++)
        link_large(h, m->larges[i]);
    h->bytes = m->bytes;
    h->at = m->at;
    h->end = m->end;
    memcpy(h->spares, m->spares, sizeof h->spares);
    copy_content(h, true);
}
