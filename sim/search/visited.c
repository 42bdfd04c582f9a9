/* visited.c - see visited.h. Extendible hashing: a directory leads from the first bits of a mixed fingerprint to a segment; the last
 * bits choose two of its buckets, a bucket being a cache line of four slots. A state is in one of the two, or where both are full in
 * the next bucket that has room. All memory comes in pages; a segment begins with two, gets a third, and then splits. */
#include "search/visited.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

enum {
    SLOTS = 4,
    BUCKETS = 512,                                 /* of a page */
    PAGES_MIN = 2,
    PAGES_MAX = 2 * PAGES_MIN - 1,
    ROOM = BUCKETS * SLOTS * 7 / 8,                /* states per page of a segment: beyond it grows, so there is always an empty slot */
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
    bucket *pages[PAGES_MAX];
    uint32_t page_count, count;
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
    slot *scratch;                                 /* room for one segment's states while it is written anew */
    slab *slabs;
    size_t bytes, max_bytes;
};

static_assert(sizeof(bucket) == 64, "a bucket is a cache line");
static_assert(sizeof(bucket) * BUCKETS == PAGE_BYTES, "a page is full of buckets");

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

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

/* So many pages in a row, zeroed; NULL if they cannot be had. They live as long as the set. */
static void *pages_take(visited *v, size_t count)
{
    size_t bytes = count * PAGE_BYTES;
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

/* ---- looking -------------------------------------------------------------------------------------------------------------- */

/* Prints are uniform already; mixed, a hash with a weakness in some of its bits does no harm either.
 * The upper half is bent, x + 0.36 x (1 - x), so that the first prints lie about half as dense as the last. Else all segments would
 * fill at one pace and grow at one time, and right after it the whole set would be a third emptier than it need be. */
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

/* A state may be in either of two buckets, and goes to the emptier one: so few buckets overflow although the set is nearly full. */
static uint32_t first_home(const segment *s, uint64_t m)
{
    return (uint32_t)((m & UINT32_MAX) * (s->page_count * BUCKETS) >> 32);
}

static uint32_t second_home(const segment *s, uint64_t m)
{
    return first_home(s, (m & 0xffff) << 16 | (m >> 16 & 0xffff));
}

static uint32_t next_bucket(const segment *s, uint32_t i)
{
    return i + 1 < s->page_count * BUCKETS ? i + 1 : 0;
}

static bucket *bucket_of(const segment *s, uint32_t i)
{
    return &s->pages[i / BUCKETS][i % BUCKETS];
}

/* Slots whose first 64 bits are the print's: hardly ever more than the one that is meant. */
static unsigned alike_in(const slot *b, print p)
{
    unsigned alike = 0;
    for (unsigned k = 0; k < SLOTS; k++)
        alike |= (unsigned)(b[k].hi == p.hi) << k;
    return alike;
}

static unsigned same_in(const slot *b, print p)
{
    unsigned same = 0;
    for (unsigned k = 0; k < SLOTS; k++)
        same |= (unsigned)((b[k].hi == p.hi) & (b[k].lo == p.lo) & (b[k].mark != 0)) << k;
    return same;
}

/* Slots fill from the first: the more of them are empty, the larger this number. */
static unsigned empty_in(const slot *b)
{
    unsigned empty = 0;
    for (unsigned k = 0; k < SLOTS; k++)
        empty |= (unsigned)(b[k].mark == 0) << k;
    return empty;
}

/* Both homes are full: the state is in the next bucket after the second one that has room, or before. */
static slot *look_on(const segment *s, uint32_t i, print p)
{
    for (;;) {
        i = next_bucket(s, i);
        slot *b = bucket_of(s, i)->slots;
        unsigned stop = same_in(b, p) | empty_in(b);
        if (stop)
            return &b[__builtin_ctz(stop)];
    }
}

/* The slot of `p`, or the empty one where it belongs. Hardly a branch: what a single slot holds cannot be foreseen. */
static slot *look(const segment *s, uint64_t m, print p)
{
    uint32_t second = second_home(s, m);
    slot *a = bucket_of(s, first_home(s, m))->slots, *b = bucket_of(s, second)->slots;
    for (unsigned alike = alike_in(a, p) | alike_in(b, p) << SLOTS; alike; alike &= alike - 1) {
        unsigned k = (unsigned)__builtin_ctz(alike);
        slot *at = k < SLOTS ? a + k : b + (k - SLOTS);
        if (at->lo == p.lo && at->mark)
            return at;
    }
    unsigned empty_a = empty_in(a), empty_b = empty_in(b);
    if (!(empty_a | empty_b))
        return look_on(s, second, p);
    return empty_a >= empty_b ? a + __builtin_ctz(empty_a) : b + __builtin_ctz(empty_b);
}

void visited_prefetch(const visited *v, print p)
{
    if (!v->directory)
        return;
    uint64_t m = mix(p);
    const segment *s = *entry_of(v, m);
    __builtin_prefetch(bucket_of(s, first_home(s, m)), 1);
    __builtin_prefetch(bucket_of(s, second_home(s, m)), 1);
}

uint32_t visited_find(const visited *v, print p)
{
    if (!v->directory)
        return VISITED_NONE;
    uint64_t m = mix(p);
    const slot *at = look(*entry_of(v, m), m, p);
    return at->mark ? at->mark - 1 : VISITED_NONE;
}

/* ---- growing -------------------------------------------------------------------------------------------------------------- */

static uint64_t mix_of(const slot *s)
{
    return mix((print){ s->hi, s->lo });
}

/* Copies all states of a segment to the scratch. Returns how many. */
static uint32_t copy_out(visited *v, const segment *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->page_count; i++) {
        const slot *from = s->pages[i]->slots;
        for (size_t k = 0; k < (size_t)BUCKETS * SLOTS; k++) {
            v->scratch[n] = from[k];
            n += from[k].mark != 0;
        }
    }
    assert(n == s->count);
    return n;
}

/* A segment that is being written anew, and how many slots of each bucket are taken: looking into the buckets instead, right behind
 * the store before, is slow. */
typedef struct {
    segment *to;
    uint8_t taken[PAGES_MAX * BUCKETS];
} refill;

static void refill_begin(refill *r, segment *to)
{
    *r = (refill){ .to = to };
    to->count = 0;
    for (uint32_t i = 0; i < to->page_count; i++)
        memset(to->pages[i], 0, PAGE_BYTES);
}

static void refill_put(refill *r, uint64_t m, const slot *state)
{
    uint32_t a = first_home(r->to, m), b = second_home(r->to, m);
    uint32_t i = r->taken[a] <= r->taken[b] ? a : b;
    if (r->taken[i] == SLOTS)
        for (i = b; r->taken[i] == SLOTS;)
            i = next_bucket(r->to, i);
    bucket_of(r->to, i)->slots[r->taken[i]++] = *state;
    r->to->count++;
}

static segment *segment_new(visited *v)
{
    if (v->segments_left == 0) {
        segment *page = pages_take(v, 1);
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

/* True if the halves of the states in the scratch have room in a segment each, as they do unless they were chosen not to. */
static bool splits_well(const visited *v, uint32_t count, uint32_t depth)
{
    uint32_t ones = 0;
    for (uint32_t i = 0; i < count; i++)
        ones += next_bit(mix_of(&v->scratch[i]), depth);
    return ones < PAGES_MIN * ROOM && count - ones < PAGES_MIN * ROOM;
}

/* The second half of what leads to `s`, a segment of prints like `m`, leads to `other` from now on. */
static void directory_share(visited *v, const segment *s, uint64_t m, segment *other)
{
    size_t half = (size_t)1 << (v->depth - s->depth) >> 1;
    size_t first = (size_t)(entry_of(v, m) - v->directory) & ~(2 * half - 1);
    for (size_t i = first + half; i < first + 2 * half; i++)
        v->directory[i] = other;
}

static bool split(visited *v, segment *s, uint64_t m)
{
    uint32_t count = copy_out(v, s), depth = s->depth;
    if (!splits_well(v, count, depth) || (depth == v->depth && !directory_double(v)))
        return false;
    segment *other = segment_new(v);
    bucket *page = other ? pages_take(v, 1) : NULL;
    if (!page) {
        v->segments_left += other != NULL;
        return false;
    }
    directory_share(v, s, m, other);
    *other = (segment){ .page_count = PAGES_MIN, .depth = depth + 1 };
    memcpy(other->pages, &s->pages[PAGES_MIN], (PAGES_MIN - 1) * sizeof *s->pages);
    other->pages[PAGES_MIN - 1] = page;
    s->page_count = PAGES_MIN;
    s->depth = depth + 1;
    refill half[2];
    refill_begin(&half[0], s);
    refill_begin(&half[1], other);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t each = mix_of(&v->scratch[i]);
        refill_put(&half[next_bit(each, depth)], each, &v->scratch[i]);
    }
    return true;
}

static bool widen(visited *v, segment *s)
{
    bucket *page = pages_take(v, 1);
    if (!page)
        return false;
    uint32_t count = copy_out(v, s);
    s->pages[s->page_count++] = page;
    refill all;
    refill_begin(&all, s);
    for (uint32_t i = 0; i < count; i++)
        refill_put(&all, mix_of(&v->scratch[i]), &v->scratch[i]);
    return true;
}

static bool grow(visited *v, segment *s, uint64_t m)
{
    if (!v->scratch && !(v->scratch = pages_take(v, PAGES_MAX)))
        return false;
    return s->page_count < PAGES_MAX ? widen(v, s) : split(v, s, m);
}

/* ---- adding --------------------------------------------------------------------------------------------------------------- */

/* The first segment, which every print belongs to. */
static bool begin(visited *v)
{
    segment *s = segment_new(v);
    bucket *pages = s ? pages_take(v, PAGES_MIN) : NULL;
    if (!pages || !charge(v, sizeof *v->directory) || !(v->directory = malloc(sizeof *v->directory))) {
        v->segments_left += s != NULL;
        return false;
    }
    *s = (segment){ .page_count = PAGES_MIN };
    for (size_t i = 0; i < PAGES_MIN; i++)
        s->pages[i] = pages + i * BUCKETS;
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
    uint32_t *page = pages_take(v, 1);
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
    if (s->count >= s->page_count * ROOM) {
        if (!grow(v, s, m))
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
