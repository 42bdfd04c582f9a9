/* heap.c - see heap.h: small blocks are cut from chunks and kept in lists by size, each large one is a chunk. Little
 * is freed before the end: a process is short-lived, and closing a Lua state block by block costs more than making it.
 * Making a state costs more than copying one: see heap_save.
 *
 * Images. A chunk that an image knows stays in its place until the heap is freed. Each of them has a copy, with its
 * contents as in the image that was saved or restored last (h->current). An image holds the lines that differ from its
 * parent's; before the first image all contents count as zero. Restoring one fills the copies with its contents, from
 * the oldest ancestor on, and the chunks from the copies. */
#include "client/heap.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { CHUNK = 32 * 1024, LINE = 64 };

struct heap_chunk {
    size_t bytes;          /* of its content; a multiple of LINE */
    char *copy;            /* NULL: no image knows it */
    size_t place;          /* its index in heap.chunks */
    bool used;             /* by the heap as it is */
    bool known;            /* to the image h->current: the copy is its content there */
    char pad[6];           /* the content is aligned as malloc's blocks are */
};
_Static_assert(sizeof(heap_chunk) % HEAP_GRAIN == 0, "blocks are aligned");

/* Consecutive lines of a chunk (NULL: of the cursor); their bytes follow. */
typedef struct {
    heap_chunk *of;
    uint32_t first, count;
} run;

struct heap_image {
    heap *of;
    heap_image *parent;
    size_t refs;
    size_t bytes;
    heap_chunk **chunks;   /* those in use */
    size_t chunk_count;
    char *runs;            /* each with its bytes */
    size_t run_bytes, run_cap;
};

enum { CURSOR_BYTES = (sizeof(struct heap_cursor) + LINE - 1) / LINE * LINE };

heap *heap_new(void)
{
    return mem_zero(sizeof(heap));
}

static char *content(heap_chunk *c)
{
    return (char *)(c + 1);
}

/* ---- chunks ---- */

static heap_chunk *add_chunk(heap *h, size_t bytes)
{
    heap_chunk *c = mem_zero(sizeof *c + bytes);
    *c = (heap_chunk){ .bytes = bytes, .place = h->count, .used = true };
    MEM_RESERVE(h->chunks, h->cap, h->count + 1);
    h->chunks[h->count++] = c;
    return c;
}

/* One that is free now, not much too large; or a new one. */
static heap_chunk *take_chunk(heap *h, size_t bytes)
{
    bytes = (bytes + LINE - 1) / LINE * LINE;
    for (size_t i = 0; h->unused > 0 && i < h->count; i++) {
        heap_chunk *c = h->chunks[i];
        if (!c->used && c->bytes >= bytes && c->bytes <= 2 * bytes) {
            c->used = true;
            h->unused--;
            return c;
        }
    }
    return add_chunk(h, bytes);
}

static void remove_chunk(heap *h, heap_chunk *c)
{
    assert(!c->copy && h->chunks[c->place] == c);
    h->chunks[c->place] = h->chunks[--h->count];
    h->chunks[c->place]->place = c->place;
    mem_free(c);
}

/* It holds nothing any more. */
static void give_chunk(heap *h, heap_chunk *c)
{
    if (!c->copy) {
        remove_chunk(h, c);
        return;
    }
    assert(c->used);
    c->used = false;
    h->unused++;
}

void heap_free(heap *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->count; i++) {
        mem_free(h->chunks[i]->copy);
        mem_free(h->chunks[i]);
    }
    heap_image_release(h->current);
    assert(h->image_bytes == 0);
    mem_free(h->chunks);
    mem_free(h->cursor);
    mem_free(h);
}

size_t heap_bytes(const heap *h)
{
    return h->now.bytes;
}

size_t heap_held(const heap *h)
{
    size_t bytes = h->image_bytes;
    for (size_t i = 0; i < h->count; i++)
        bytes += h->chunks[i]->bytes * (h->chunks[i]->copy ? 2 : 1);
    return bytes;
}

/* ---- blocks ---- */

static size_t middle_class(size_t bytes)
{
    return (bytes - HEAP_SMALL_MAX + HEAP_MIDDLE_GRAIN - 1) / HEAP_MIDDLE_GRAIN;
}

/* What a block takes in its chunk, and its list. */
static size_t room(size_t bytes, size_t *list)
{
    if (bytes <= HEAP_SMALL_MAX) {
        *list = heap_class(bytes);
        return heap_class(bytes) * HEAP_GRAIN;
    }
    *list = HEAP_CLASSES + middle_class(bytes);
    return HEAP_SMALL_MAX + middle_class(bytes) * HEAP_MIDDLE_GRAIN;
}

void *heap_take_anew(heap *h, size_t bytes)
{
    h->now.bytes += bytes;
    if (bytes > HEAP_MIDDLE_MAX)
        return content(take_chunk(h, bytes));
    size_t list, need = room(bytes, &list);
    heap_spare *s = h->now.spares[list];
    if (s) {
        h->now.spares[list] = s->next;
        return s;
    }
    if ((size_t)(h->now.end - h->now.at) < need) { /* what is left of the chunk is lost */
        heap_chunk *c = take_chunk(h, CHUNK - sizeof *c);
        h->now.at = content(c);
        h->now.end = content(c) + c->bytes;
    }
    void *p = h->now.at;
    h->now.at += need;
    return p;
}

void heap_give_large(heap *h, void *block, size_t bytes)
{
    if (bytes > HEAP_MIDDLE_MAX) {
        give_chunk(h, (heap_chunk *)block - 1);
        return;
    }
    size_t list;
    room(bytes, &list);
    heap_spare *s = block;
    s->next = h->now.spares[list];
    h->now.spares[list] = s;
}

/* The size of the room for a block of that many bytes. */
static size_t whole(size_t bytes)
{
    size_t list;
    return bytes > HEAP_MIDDLE_MAX ? bytes : room(bytes, &list);
}

void *heap_resize(heap *h, void *block, size_t old_bytes, size_t new_bytes)
{
    if (whole(old_bytes) == whole(new_bytes)) {
        h->now.bytes += new_bytes - old_bytes;
        return block;
    }
    void *moved = heap_take(h, new_bytes);
    memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    heap_give(h, block, old_bytes);
    return moved;
}

/* ---- images ---- */

static void add_run(heap_image *m, heap_chunk *of, size_t first, size_t count, const char *from)
{
    run r = { .of = of, .first = (uint32_t)first, .count = (uint32_t)count };
    MEM_RESERVE(m->runs, m->run_cap, m->run_bytes + sizeof r + count * LINE);
    memcpy(m->runs + m->run_bytes, &r, sizeof r);
    memcpy(m->runs + m->run_bytes + sizeof r, from + first * LINE, count * LINE);
    m->run_bytes += sizeof r + count * LINE;
}

static bool differ(const char *a, const char *b, size_t line)
{
    return memcmp(a + line * LINE, b + line * LINE, LINE) != 0;
}

/* Adds the lines that are other than in the copy, and brings that up to date. */
static void save_lines(heap_image *m, heap_chunk *of, const char *from, char *copy, size_t bytes)
{
    enum { GROUP = 16 };                           /* most lines are equal: compared many at a time */
    size_t count = bytes / LINE;
    for (size_t i = 0; i < count;) {
        if (i % GROUP == 0 && i + GROUP <= count && memcmp(from + i * LINE, copy + i * LINE, GROUP * LINE) == 0) {
            i += GROUP;
            continue;
        }
        size_t first = i;
        while (i < count && differ(from, copy, i))
            i++;
        if (i == first) {
            i++;
            continue;
        }
        add_run(m, of, first, i - first, from);
        memcpy(copy + first * LINE, from + first * LINE, (i - first) * LINE);
    }
}

static void save_cursor(heap *h, heap_image *m)
{
    char now[CURSOR_BYTES] = { 0 };
    memcpy(now, &h->now, sizeof h->now);
    if (!h->cursor)
        h->cursor = mem_zero(CURSOR_BYTES);
    save_lines(m, NULL, now, h->cursor, CURSOR_BYTES);
}

static void save_chunk(heap *h, heap_image *m, heap_chunk *c)
{
    m->chunks[m->chunk_count++] = c;
    if (!c->copy)
        c->copy = mem_alloc(c->bytes);
    if (!c->known)
        memset(c->copy, 0, c->bytes);
    c->known = true;
    size_t bytes = c->bytes;
    if (h->now.end == content(c) + c->bytes) {     /* nothing is in the rest of it */
        bytes = ((size_t)(h->now.at - content(c)) + LINE - 1) / LINE * LINE;
        memset(h->now.at, 0, (size_t)(content(c) + bytes - h->now.at));
    }
    save_lines(m, c, content(c), c->copy, bytes);
}

heap_image *heap_save(heap *h)
{
    heap_image *m = mem_zero(sizeof *m);
    m->of = h;
    m->refs = 2;           /* the caller's, and the heap's */
    m->parent = h->current;                        /* whose reference goes over to the image */
    h->current = m;
    m->chunks = mem_alloc((h->count + 1) * sizeof(heap_chunk *));
    save_cursor(h, m);
    for (size_t i = 0; i < h->count; i++) {
        if (h->chunks[i]->used)
            save_chunk(h, m, h->chunks[i]);
        else
            h->chunks[i]->known = false;
    }
    m->runs = mem_grow(m->runs, m->run_bytes + 1);
    m->bytes = sizeof *m + m->chunk_count * sizeof(heap_chunk *) + m->run_bytes;
    h->image_bytes += m->bytes;
    return m;
}

static void apply(heap *h, const heap_image *m)
{
    for (size_t at = 0; at < m->run_bytes;) {
        run r;
        memcpy(&r, m->runs + at, sizeof r);
        at += sizeof r;
        memcpy((r.of ? r.of->copy : h->cursor) + (size_t)r.first * LINE, m->runs + at, (size_t)r.count * LINE);
        at += (size_t)r.count * LINE;
    }
}

/* `guess`: where it probably is in the list. */
static bool has(const heap_image *m, const heap_chunk *c, size_t guess)
{
    if (guess < m->chunk_count && m->chunks[guess] == c)
        return true;
    for (size_t i = 0; i < m->chunk_count; i++)
        if (m->chunks[i] == c)
            return true;
    return false;
}

/* The copies become what they were when the image was saved. A chunk that was free in between began as zero again. */
static void fill_copies(heap *h, heap_image *m)
{
    size_t depth = 0;
    for (const heap_image *a = m; a; a = a->parent)
        depth++;
    const heap_image **path = mem_alloc(depth * sizeof *path);
    size_t i = depth;
    for (const heap_image *a = m; a; a = a->parent)
        path[--i] = a;
    memset(h->cursor, 0, CURSOR_BYTES);
    for (i = 0; i < depth; i++) {
        const heap_image *a = path[i], *before = i ? path[i - 1] : NULL;
        for (size_t k = 0; k < a->chunk_count; k++)
            if (!before || !has(before, a->chunks[k], k))
                memset(a->chunks[k]->copy, 0, a->chunks[k]->bytes);
        apply(h, a);
    }
    mem_free(path);
}

/* Chunks that no image knows are gone; the others are in use if this one knows them. */
static void choose_chunks(heap *h, const heap_image *m)
{
    for (size_t i = h->count; i-- > 0;) {
        h->chunks[i]->used = h->chunks[i]->known = false;
        if (!h->chunks[i]->copy)
            remove_chunk(h, h->chunks[i]);
    }
    for (size_t i = 0; i < m->chunk_count; i++)
        m->chunks[i]->used = m->chunks[i]->known = true;
    h->unused = h->count - m->chunk_count;
}

void heap_restore(heap *h, heap_image *m)
{
    if (h->current != m) {
        fill_copies(h, m);
        m->refs++;
        heap_image_release(h->current);
        h->current = m;
    }
    choose_chunks(h, m);
    for (size_t i = 0; i < m->chunk_count; i++)
        memcpy(content(m->chunks[i]), m->chunks[i]->copy, m->chunks[i]->bytes);
    memcpy(&h->now, h->cursor, sizeof h->now);
}

void heap_image_release(heap_image *m)
{
    while (m && --m->refs == 0) {
        heap_image *parent = m->parent;
        m->of->image_bytes -= m->bytes;
        mem_free(m->chunks);
        mem_free(m->runs);
        mem_free(m);
        m = parent;
    }
}

bool heap_image_is_needed(const heap_image *m)
{
    return m->refs > 1;
}

size_t heap_image_bytes(const heap_image *m)
{
    return m->bytes;
}
