/* visited.c - see visited.h. Extendible hashing (Fagin and others, "Extendible hashing - a fast access method for
 * dynamic files", 1979): a directory leads from the first bits of a mixed fingerprint to a segment; the last bits
 * choose one of its buckets, a bucket being a cache line of four slots. A state is there, or where it is full in the
 * next bucket that has room. A segment splits long before it is full, so that nearly always one line of memory is all
 * that is read. */
#include "search/visited.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

enum {
    SLOTS = 4,
    BUCKETS = 1024,                                /* of a segment */
    ROOM = BUCKETS * SLOTS * 23 / 32,              /* states of a segment: beyond it splits, so there is always an empty
                                                    * slot */
    SEGMENT_BYTES = 64 * 1024,
    PAGE_BYTES = 32 * 1024,
    PARENTS = PAGE_BYTES / 4,                      /* of a page */
    HUGE_BYTES = 2 * 1024 * 1024,                  /* the memory pages with which looking far apart is cheap */
    SLAB_BYTES = 16 * HUGE_BYTES,
    FIRST_BYTES = HUGE_BYTES / 2,                  /* of the first slab: a small search shall not pay for a huge page */
};

typedef struct {
    uint64_t hi;
    uint32_t lo;
    uint32_t mark;                                 /* the state's number + 1; 0: empty */
} slot;

typedef struct {
    slot slots[SLOTS];
} bucket;

typedef struct {
    bucket *buckets;
    uint32_t count;
    uint32_t depth;                                /* it holds the prints that agree in so many first bits */
} segment;

/* Address space, of which pages are handed out from the front; what was not yet handed out costs no memory. */
typedef struct slab {
    struct slab *next;
    char *bytes;
    size_t size, used;
} slab;

struct visited {
    segment **directory;                           /* 2^depth; NULL before the first state */
    uint32_t depth;
    uint32_t count;
    uint32_t **parents;                            /* pages that never move */
    size_t parent_pages, parent_cap;
    segment *segments;                             /* a page of them, some in use */
    uint32_t segments_left;
    slot *scratch;                                 /* a segment's states while it is split */
    slab *slabs;
    size_t bytes, max_bytes;
};

static_assert(sizeof(bucket) == 64, "a bucket is a cache line");
static_assert(sizeof(bucket) * BUCKETS == SEGMENT_BYTES, "a segment is full of buckets");

/* ---- memory
 * --------------------------------------------------------------------------------------------------------------- */

static bool charge(visited *v, size_t bytes)
{
    if (v->max_bytes && (bytes > v->max_bytes || v->bytes > v->max_bytes - bytes))
        return false;
    v->bytes += bytes;
    return true;
}

/* Address space that begins where a huge page can, filled with zeros; NULL if there is none. */
static char *map_aligned(size_t size)
{
    size_t all = size + HUGE_BYTES;
    char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = (HUGE_BYTES - (uintptr_t)p % HUGE_BYTES) % HUGE_BYTES;
    if (before)
        munmap(p, before);
    if (before < HUGE_BYTES)
        munmap(p + before + size, HUGE_BYTES - before);
    return p + before;
}

static bool slab_add(visited *v)
{
    slab *s = malloc(sizeof *s);
    if (!s)
        return false;
    *s = (slab){ .next = v->slabs, .size = v->slabs ? SLAB_BYTES : FIRST_BYTES };
    s->bytes = map_aligned(s->size);
    if (!s->bytes) {
        free(s);
        return false;
    }
    if (s->size >= HUGE_BYTES)
        madvise(s->bytes, s->size, MADV_HUGEPAGE); /* advice: where it cannot be had, nothing is lost but speed */
    v->slabs = s;
    return true;
}

/* So many bytes, zeroed, from the beginning of a cache line; NULL if they cannot be had. They live as long as the
 * set. */
static void *take(visited *v, size_t bytes)
{
    if (!charge(v, bytes))
        return NULL;
    if ((!v->slabs || v->slabs->size - v->slabs->used < bytes) && !slab_add(v)) {
        v->bytes -= bytes;
        return NULL;
    }
    void *p = v->slabs->bytes + v->slabs->used;
    v->slabs->used += bytes;
    return p;
}

/* ---- looking
 * -------------------------------------------------------------------------------------------------------------- */

/* Prints are uniform already; mixed, a hash with a weakness in some of its bits does no harm either.
 * The upper half is bent, x + 0.36 x (1 - x), so that the first prints lie about half as dense as the last. Else all
 * segments would fill at one pace and grow at one time, and right after it the whole set would be a third emptier than
 * it need be. */
static uint64_t mix(print p)
{
    uint64_t m = (p.hi + p.lo * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    m ^= m >> 32;
    uint64_t x = m >> 32, bent = x + (((x * (UINT32_MAX - x)) >> 32) * 1474 >> 12);
    return bent << 32 | (m & UINT32_MAX);
}

static segment **entry_of(const visited *v, uint64_t m)
{
    return &v->directory[m >> 1 >> (63 - v->depth)];
}

static bucket *home(const segment *s, uint64_t m)
{
    return &s->buckets[m % BUCKETS];
}

static bucket *next_bucket(const segment *s, const bucket *b)
{
    return &s->buckets[(size_t)(b - s->buckets + 1) % BUCKETS];
}

/* The slot of `p`, or the empty one where it belongs. Slots fill from the first, so that an empty one never comes
 * before the print, and that the zeros of an empty one look like a print does no harm. Hardly a branch: what a single
 * slot holds cannot be foreseen. */
static slot *look(const segment *s, uint64_t m, print p)
{
    for (bucket *b = home(s, m);; b = next_bucket(s, b)) {
        unsigned stop = 0;
        for (unsigned k = 0; k < SLOTS; k++)
            stop |= (unsigned)(((b->slots[k].hi == p.hi) & (b->slots[k].lo == p.lo)) | (b->slots[k].mark == 0)) << k;
        if (stop)
            return &b->slots[__builtin_ctz(stop)];
    }
}

void visited_prefetch(const visited *v, print p)
{
    if (!v->directory)
        return;
    uint64_t m = mix(p);
    __builtin_prefetch(home(*entry_of(v, m), m), 1);
}

uint32_t visited_find(const visited *v, print p)
{
    if (!v->directory)
        return VISITED_NONE;
    uint64_t m = mix(p);
    const slot *at = look(*entry_of(v, m), m, p);
    return at->mark ? at->mark - 1 : VISITED_NONE;
}

/* ---- growing
 * -------------------------------------------------------------------------------------------------------------- */

static uint64_t mix_of(const slot *s)
{
    return mix((print){ s->hi, s->lo });
}

/* A segment that is being written anew, and how many slots of each bucket are taken: looking into the buckets instead,
 * right behind the store before, is slow. */
typedef struct {
    segment *to;
    uint8_t taken[BUCKETS];
} refill;

static void refill_put(refill *r, uint64_t m, const slot *state)
{
    size_t i = m % BUCKETS;
    while (r->taken[i] == SLOTS)
        i = (i + 1) % BUCKETS;
    r->to->buckets[i].slots[r->taken[i]++] = *state;
    r->to->count++;
}

static segment *segment_new(visited *v)
{
    if (v->segments_left == 0) {
        segment *page = take(v, PAGE_BYTES);
        if (!page)
            return NULL;
        v->segments = page;
        v->segments_left = PAGE_BYTES / sizeof *page;
    }
    return &v->segments[--v->segments_left];
}

static bool directory_double(visited *v)
{
    size_t old = (size_t)1 << v->depth;
    if (!charge(v, 2 * old * sizeof *v->directory))
        return false;
    segment **twice = malloc(2 * old * sizeof *twice);
    if (!twice) {
        v->bytes -= 2 * old * sizeof *twice;
        return false;
    }
    for (size_t i = 0; i < 2 * old; i++)
        twice[i] = v->directory[i / 2];
    free(v->directory);
    v->bytes -= old * sizeof *twice;
    v->directory = twice;
    v->depth++;
    return true;
}

/* The bit by which a segment of `depth` would be split. */
static unsigned next_bit(uint64_t m, uint32_t depth)
{
    return m << depth >> 63;
}

/* True if the halves of a segment have room in a segment each, as they do unless they were chosen not to. */
static bool splits_well(const segment *s)
{
    uint32_t ones = 0;
    for (size_t i = 0; i < (size_t)BUCKETS * SLOTS; i++) {
        const slot *at = &s->buckets[i / SLOTS].slots[i % SLOTS];
        ones += at->mark && next_bit(mix_of(at), s->depth);
    }
    return ones < ROOM && s->count - ones < ROOM;
}

/* The second half of what leads to `s`, a segment of prints like `m`, leads to `other` from now on. */
static void directory_share(visited *v, const segment *s, uint64_t m, segment *other)
{
    size_t half = (size_t)1 << (v->depth - s->depth) >> 1;
    size_t first = (size_t)(entry_of(v, m) - v->directory) & ~(2 * half - 1);
    for (size_t i = first + half; i < first + 2 * half; i++)
        v->directory[i] = other;
}

/* A full segment of prints like `m` becomes two that are half full. */
static bool split(visited *v, segment *s, uint64_t m)
{
    if (!v->scratch && !(v->scratch = take(v, SEGMENT_BYTES)))
        return false;
    if (!splits_well(s) || (s->depth == v->depth && !directory_double(v)))
        return false;
    segment *other = segment_new(v);
    bucket *buckets = other ? take(v, SEGMENT_BYTES) : NULL;
    if (!buckets) {
        v->segments_left += other != NULL;
        return false;
    }
    directory_share(v, s, m, other);
    uint32_t depth = s->depth++;
    *other = (segment){ .buckets = buckets, .depth = s->depth };
    memcpy(v->scratch, s->buckets, SEGMENT_BYTES);
    memset(s->buckets, 0, SEGMENT_BYTES);
    s->count = 0;
    refill half[2] = { { .to = s }, { .to = other } };
    for (size_t i = 0; i < (size_t)BUCKETS * SLOTS; i++) {
        if (v->scratch[i].mark == 0)
            continue;
        uint64_t each = mix_of(&v->scratch[i]);
        refill_put(&half[next_bit(each, depth)], each, &v->scratch[i]);
    }
    return true;
}

/* ---- adding
 * --------------------------------------------------------------------------------------------------------------- */

/* The first segment, which every print belongs to. */
static bool begin(visited *v)
{
    segment *s = segment_new(v);
    bucket *buckets = s ? take(v, SEGMENT_BYTES) : NULL;
    if (!buckets || !charge(v, sizeof *v->directory) || !(v->directory = malloc(sizeof *v->directory))) {
        v->segments_left += s != NULL;
        return false;
    }
    *s = (segment){ .buckets = buckets };
    v->directory[0] = s;
    return true;
}

/* Sees to it that the next state's parent has a place. */
static bool parent_room(visited *v)
{
    if (v->count < v->parent_pages * PARENTS)
        return true;
    if (v->parent_pages == v->parent_cap) {
        size_t more = v->parent_cap ? v->parent_cap : 8;
        if (!charge(v, more * sizeof *v->parents))
            return false;
        uint32_t **grown = realloc(v->parents, (v->parent_cap + more) * sizeof *grown);
        if (!grown) {
            v->bytes -= more * sizeof *grown;
            return false;
        }
        v->parents = grown;
        v->parent_cap += more;
    }
    uint32_t *page = take(v, PAGE_BYTES);
    if (!page)
        return false;
    v->parents[v->parent_pages++] = page;
    return true;
}

uint32_t visited_add(visited *v, print p, uint32_t parent, bool *fresh)
{
    *fresh = false;
    if (!v->directory && !begin(v))
        return VISITED_FULL;
    uint64_t m = mix(p);
    segment *s = *entry_of(v, m);
    slot *at = look(s, m, p);
    if (at->mark)
        return at->mark - 1;
    if (v->count == VISITED_FULL || !parent_room(v))
        return VISITED_FULL;
    if (s->count >= ROOM) {
        if (!split(v, s, m))
            return VISITED_FULL;
        s = *entry_of(v, m);
        at = look(s, m, p);
    }
    uint32_t state = v->count++;
    *at = (slot){ p.hi, p.lo, state + 1 };
    s->count++;
    v->parents[state / PARENTS][state % PARENTS] = parent;
    *fresh = true;
    return state;
}

uint32_t visited_parent(const visited *v, uint32_t state)
{
    assert(state < v->count);
    return v->parents[state / PARENTS][state % PARENTS];
}

size_t visited_count(const visited *v)
{
    return v->count;
}

size_t visited_bytes(const visited *v)
{
    return v->bytes;
}

double visited_odds(uint64_t states)
{
    double n = (double)states;
    return n * n / 0x1p97;
}

visited *visited_new(size_t max_bytes)
{
    visited *v = mem_zero(sizeof *v);
    v->bytes = sizeof *v;
    v->max_bytes = max_bytes;
    return v;
}

void visited_free(visited *v)
{
    if (!v)
        return;
    for (slab *s = v->slabs; s;) {
        slab *next = s->next;
        munmap(s->bytes, s->size);
        free(s);
        s = next;
    }
    free(v->directory);
    free(v->parents);
    mem_free(v);
}
