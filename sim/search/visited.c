/* visited.c - see visited.h. Extendible hashing (Fagin and others, "Extendible hashing - a fast access method for
 * dynamic files", 1979): a directory leads from the first bits of a mixed fingerprint to a segment; the last bits
 * choose one of its buckets. A bucket is a cache line of four slots. A state lies in its bucket, or, if that is full,
 * in the next bucket with room. Segments split long before they are full, so nearly every look-up reads one cache
 * line. */
#include "search/visited.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

enum {
    SLOTS = 4,
    BUCKETS = 1024,                                /* in a segment */
    ROOM = BUCKETS * SLOTS * 23 / 32,              /* states of a segment: with more it splits, so that an empty slot
                                                    * is always left */
    SEGMENT_BYTES = 64 * 1024,
    PAGE_BYTES = 32 * 1024,
    PARENTS = PAGE_BYTES / 4,                      /* in a page */
    HUGE_BYTES = 2 * 1024 * 1024,                  /* memory pages that make distant accesses cheap */
    SLAB_BYTES = 16 * HUGE_BYTES,
    FIRST_BYTES = HUGE_BYTES / 2,                  /* of the first slab: a small search needs no huge page */
};

typedef struct visited_place {
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
    uint32_t depth;                                /* all its prints have that many first bits in common */
} segment;

/* Address space, handed out in pages from the front; the rest uses no memory. */
typedef struct slab {
    struct slab *next;
    char *bytes;
    size_t size, used;
    bool spilled;
} slab;

/* The prints with certain first bits, and what a thread needs to add to them while others add to other shares. */
typedef struct {
    segment **directory;                           /* 2^depth; NULL before the first state */
    uint32_t depth;
    segment *segments;                             /* a page of them, some in use */
    uint32_t segments_left;
    slot *scratch;                                 /* a segment's states while it is split */
    uint64_t moves;                                /* how often slots moved */
} share;

struct visited {
    share *shares;                                 /* 2^share_bits */
    unsigned share_bits;
    uint32_t count;
    uint32_t **parents;                            /* pages that never move */
    size_t parent_pages, parent_cap;
    pthread_mutex_t lock;                          /* of all below */
    slab *slabs;
    const spill *spill;                            /* NULL: everything lies in memory */
    size_t bytes, max_bytes;                       /* of memory */
};

/* Marks a slot that is taken and has no number yet. */
static const uint32_t UNNUMBERED = UINT32_MAX;

static_assert(sizeof(bucket) == 64, "a bucket is a cache line");
static_assert(sizeof(bucket) * BUCKETS == SEGMENT_BYTES, "a segment is full of buckets");

/* ---- memory
 * --------------------------------------------------------------------------------------------------------------- */

/* Call it with the lock held. */
static bool charge_locked(visited *v, size_t bytes)
{
    if (v->max_bytes && (bytes > v->max_bytes || v->bytes > v->max_bytes - bytes))
        return false;
    v->bytes += bytes;
    return true;
}

static bool charge(visited *v, size_t bytes)
{
    pthread_mutex_lock(&v->lock);
    bool there = charge_locked(v, bytes);
    pthread_mutex_unlock(&v->lock);
    return there;
}

static void discharge(visited *v, size_t bytes)
{
    pthread_mutex_lock(&v->lock);
    v->bytes -= bytes;
    pthread_mutex_unlock(&v->lock);
}

/* Address space aligned for huge pages, filled with zeros; NULL if there is none. */
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
    s->spilled = v->spill && v->slabs;             /* a small search needs no file */
    s->bytes = s->spilled ? v->spill->map(v->spill->context, s->size) : map_aligned(s->size);
    if (!s->bytes) {
        free(s);
        return false;
    }
    if (s->size >= HUGE_BYTES && !s->spilled)
        madvise(s->bytes, s->size, MADV_HUGEPAGE); /* advice only: without it everything is just slower */
    v->slabs = s;
    return true;
}

/* Zeroed bytes, aligned to a cache line; NULL if there is no memory. They live as long as the set. */
static void *take(visited *v, size_t bytes)
{
    void *p = NULL;
    pthread_mutex_lock(&v->lock);
    bool room = (v->slabs && v->slabs->size - v->slabs->used >= bytes) || slab_add(v);
    if (room && (v->slabs->spilled || charge_locked(v, bytes))) {
        p = v->slabs->bytes + v->slabs->used;
        v->slabs->used += bytes;
    }
    pthread_mutex_unlock(&v->lock);
    return p;
}

/* ---- looking
 * -------------------------------------------------------------------------------------------------------------- */

/* Prints are uniform already; mixing makes a hash with some weak bits harmless, too.
 * The upper half is bent, x + 0.36 x (1 - x), so that the first prints lie about half as dense as the last. Otherwise
 * all segments would fill and split at the same time, and the set would then be a third emptier than necessary. */
static uint64_t mix(print p)
{
    uint64_t m = (p.hi + p.lo * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    m ^= m >> 32;
    uint64_t x = m >> 32, bent = x + (((x * (UINT32_MAX - x)) >> 32) * 1474 >> 12);
    return bent << 32 | (m & UINT32_MAX);
}

static share *share_of(const visited *v, uint64_t m)
{
    return &v->shares[m >> 1 >> (63 - v->share_bits)];
}

/* Uses the bits after those that select the share. */
static segment **entry_of(const visited *v, const share *h, uint64_t m)
{
    return &h->directory[m << v->share_bits >> 1 >> (63 - h->depth)];
}

static bucket *home(const segment *s, uint64_t m)
{
    return &s->buckets[m % BUCKETS];
}

static bucket *next_bucket(const segment *s, const bucket *b)
{
    return &s->buckets[(size_t)(b - s->buckets + 1) % BUCKETS];
}

/* The slot of `p`, or the empty one where it belongs. Slots fill from the first, so an empty one never precedes the
 * print; an empty one may look like a print of zeros without harm. Almost without branches: the content of a single
 * slot is unpredictable. */
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
    uint64_t m = mix(p);
    const share *h = share_of(v, m);
    if (h->directory)
        __builtin_prefetch(home(*entry_of(v, h, m), m), 1);
}

uint32_t visited_find(const visited *v, print p)
{
    uint64_t m = mix(p);
    const share *h = share_of(v, m);
    if (!h->directory)
        return VISITED_NONE;
    const slot *at = look(*entry_of(v, h, m), m, p);
    return at->mark && at->mark != UNNUMBERED ? at->mark - 1 : VISITED_NONE;
}

/* ---- growing
 * -------------------------------------------------------------------------------------------------------------- */

static uint64_t mix_of(const slot *s)
{
    return mix((print){ s->hi, s->lo });
}

/* A segment that is being rewritten, and how many slots of each bucket are taken. Reading that from the buckets, right
 * after the stores, would be slow. */
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

static segment *segment_new(visited *v, share *h)
{
    if (h->segments_left == 0) {
        segment *page = take(v, PAGE_BYTES);
        if (!page)
            return NULL;
        h->segments = page;
        h->segments_left = PAGE_BYTES / sizeof *page;
    }
    return &h->segments[--h->segments_left];
}

static bool directory_double(visited *v, share *h)
{
    size_t old = (size_t)1 << h->depth;
    if (!charge(v, 2 * old * sizeof *h->directory))
        return false;
    segment **twice = malloc(2 * old * sizeof *twice);
    if (!twice) {
        discharge(v, 2 * old * sizeof *twice);
        return false;
    }
    for (size_t i = 0; i < 2 * old; i++)
        twice[i] = h->directory[i / 2];
    free(h->directory);
    discharge(v, old * sizeof *twice);
    h->directory = twice;
    h->depth++;
    return true;
}

/* The bit by which a segment of `depth` would be split. */
static unsigned next_bit(const visited *v, uint64_t m, uint32_t depth)
{
    return m << v->share_bits << depth >> 63;
}

/* True if each half of the segment fits into a segment, as it does unless prints were chosen to collide. */
static bool splits_well(const visited *v, const segment *s)
{
    uint32_t ones = 0;
    for (size_t i = 0; i < (size_t)BUCKETS * SLOTS; i++) {
        const slot *at = &s->buckets[i / SLOTS].slots[i % SLOTS];
        ones += at->mark && next_bit(v, mix_of(at), s->depth);
    }
    return ones < ROOM && s->count - ones < ROOM;
}

/* From the entries that lead to `s`, the first being `first`, the second half leads to `other` from now on. */
static void directory_share(const share *h, const segment *s, size_t first, segment *other)
{
    size_t half = (size_t)1 << (h->depth - s->depth) >> 1;
    for (size_t i = first + half; i < first + 2 * half; i++)
        h->directory[i] = other;
}

/* Splits the segment of an entry into two that are half full. */
static bool split(visited *v, share *h, uint64_t m)
{
    segment *s = *entry_of(v, h, m);
    if (!h->scratch && !(h->scratch = take(v, SEGMENT_BYTES)))
        return false;
    if (!splits_well(v, s) || (s->depth == h->depth && !directory_double(v, h)))
        return false;
    segment *other = segment_new(v, h);
    bucket *buckets = other ? take(v, SEGMENT_BYTES) : NULL;
    if (!buckets) {
        h->segments_left += other != NULL;
        return false;
    }
    size_t entries = (size_t)1 << (h->depth - s->depth);
    directory_share(h, s, (size_t)(entry_of(v, h, m) - h->directory) & ~(entries - 1), other);
    uint32_t depth = s->depth++, count = s->count;
    *other = (segment){ .buckets = buckets, .depth = s->depth };
    memcpy(h->scratch, s->buckets, SEGMENT_BYTES);
    memset(s->buckets, 0, SEGMENT_BYTES);
    s->count = 0;
    h->moves++;
    refill half[2] = { { .to = s }, { .to = other } };
    for (size_t i = 0; i < (size_t)BUCKETS * SLOTS; i++) {
        if (h->scratch[i].mark == 0)
            continue;
        uint64_t each = mix_of(&h->scratch[i]);
        refill_put(&half[next_bit(v, each, depth)], each, &h->scratch[i]);
    }
    assert(s->count + other->count == count);
    return true;
}

/* ---- adding
 * --------------------------------------------------------------------------------------------------------------- */

/* Makes the share's first segment, to which all of its prints belong. */
static bool begin(visited *v, share *h)
{
    segment *s = segment_new(v, h);
    bucket *buckets = s ? take(v, SEGMENT_BYTES) : NULL;
    if (!buckets || !charge(v, sizeof *h->directory) || !(h->directory = malloc(sizeof *h->directory))) {
        h->segments_left += s != NULL;
        return false;
    }
    *s = (segment){ .buckets = buckets };
    h->directory[0] = s;
    return true;
}

/* Makes room for the parents of `more` states. */
static bool parent_room(visited *v, size_t more)
{
    while (v->count + more > v->parent_pages * PARENTS) {
        if (v->parent_pages == v->parent_cap) {
            size_t pages = v->parent_cap ? v->parent_cap : 8;
            if (!charge(v, pages * sizeof *v->parents))
                return false;
            uint32_t **grown = realloc(v->parents, (v->parent_cap + pages) * sizeof *grown);
            if (!grown) {
                discharge(v, pages * sizeof *grown);
                return false;
            }
            v->parents = grown;
            v->parent_cap += pages;
        }
        uint32_t *page = take(v, PAGE_BYTES);
        if (!page)
            return false;
        v->parents[v->parent_pages++] = page;
    }
    return true;
}

/* Takes the empty slot `at` for the print, or the slot after a split. NULL: no room. */
static slot *settle(visited *v, share *h, uint64_t m, print p, slot *at, uint32_t mark)
{
    segment *s = *entry_of(v, h, m);
    if (s->count >= ROOM) {
        if (!split(v, h, m))
            return NULL;
        s = *entry_of(v, h, m);
        at = look(s, m, p);
    }
    *at = (slot){ p.hi, p.lo, mark };
    s->count++;
    return at;
}

static bool put(visited *v, print p, uint32_t mark)
{
    uint64_t m = mix(p);
    share *h = share_of(v, m);
    if (!h->directory && !begin(v, h))
        return false;
    slot *at = look(*entry_of(v, h, m), m, p);
    assert(at->mark == 0);                         /* a state is put once */
    return settle(v, h, m, p, at, mark);
}

uint32_t visited_add(visited *v, print p, uint32_t parent, bool *fresh)
{
    *fresh = false;
    uint64_t m = mix(p);
    share *h = share_of(v, m);
    if (!h->directory && !begin(v, h))
        return VISITED_FULL;
    slot *at = look(*entry_of(v, h, m), m, p);
    if (at->mark)
        return at->mark - 1;
    if (v->count == VISITED_FULL || !parent_room(v, 1) || !settle(v, h, m, p, at, v->count + 1))
        return VISITED_FULL;
    uint32_t state = v->count++;
    v->parents[state / PARENTS][state % PARENTS] = parent;
    *fresh = true;
    return state;
}

static void shares_free(visited *v)
{
    for (size_t i = 0; i < (size_t)1 << v->share_bits; i++)
        free(v->shares[i].directory);
    mem_free(v->shares);
}

/* ---- by several threads
 * --------------------------------------------------------------------------------------------------------------- */

/* The k-th slot of the i-th entry's segment; NULL: it is empty, or the segment is that of the entry before. */
static const slot *slot_at(const share *h, size_t i, size_t k)
{
    const segment *s = h->directory[i];
    const slot *x = &s->buckets[k / SLOTS].slots[k % SLOTS];
    bool again = i > 0 && s == h->directory[i - 1];
    return !again && x->mark ? x : NULL;
}

/* Puts all states of `from` where they belong now. States of one segment are not put one after the other: the first
 * half of them alone would fill a segment. */
static bool put_all(visited *v, const share *from)
{
    for (size_t k = 0; k < (size_t)BUCKETS * SLOTS; k++)
        for (size_t i = 0; i < (size_t)1 << from->depth; i++) {
            const slot *x = slot_at(from, i, k);
            if (x && !put(v, (print){ x->hi, x->lo }, x->mark))
                return false;
        }
    return true;
}

bool visited_divide(visited *v, unsigned bits)
{
    share *was = v->shares;
    assert(v->share_bits == 0 && bits <= VISITED_SHARE_BITS_MAX);
    v->shares = mem_zero(sizeof *v->shares << bits);
    v->share_bits = bits;
    if (!was->directory || put_all(v, was)) {
        free(was->directory);
        mem_free(was);
        return true;
    }
    shares_free(v);
    v->shares = was;
    v->share_bits = 0;
    return false;
}

unsigned visited_share(const visited *v, print p)
{
    return (unsigned)(share_of(v, mix(p)) - v->shares);
}

visited_place *visited_put(visited *v, print p, bool *fresh)
{
    uint64_t m = mix(p);
    share *h = share_of(v, m);
    *fresh = true;
    if (!h->directory && !begin(v, h))
        return NULL;
    slot *at = look(*entry_of(v, h, m), m, p);
    *fresh = at->mark == 0;
    return *fresh ? settle(v, h, m, p, at, UNNUMBERED) : at;
}

visited_place *visited_again(const visited *v, print p)
{
    uint64_t m = mix(p);
    return look(*entry_of(v, share_of(v, m), m), m, p);
}

uint64_t visited_moves(const visited *v, unsigned share)
{
    return v->shares[share].moves;
}

bool visited_reserve(visited *v, size_t count)
{
    return count < VISITED_FULL - v->count && parent_room(v, count);
}

void visited_number(visited *v, visited_place *at, uint32_t number, uint32_t parent)
{
    assert(at->mark == UNNUMBERED && number / PARENTS < v->parent_pages);
    at->mark = number + 1;
    v->parents[number / PARENTS][number % PARENTS] = parent;
}

void visited_numbered(visited *v, size_t count)
{
    v->count += (uint32_t)count;
}

/* ---- kept, and begun again
 * --------------------------------------------------------------------------------------------------------------- */

void visited_each(const visited *v, void (*each)(void *context, print p, uint32_t number, uint32_t parent),
                  void *context)
{
    size_t left = v->count;
    for (size_t k = 0; k < (size_t)BUCKETS * SLOTS; k++)
        for (size_t n = 0; n < (size_t)1 << v->share_bits; n++) {
            const share *h = &v->shares[n];
            for (size_t i = 0; h->directory && i < (size_t)1 << h->depth; i++) {
                const slot *x = slot_at(h, i, k);
                if (!x)
                    continue;
                assert(x->mark != UNNUMBERED && left > 0);
                left--;
                each(context, (print){ x->hi, x->lo }, x->mark - 1, visited_parent(v, x->mark - 1));
            }
        }
    assert(left == 0);                             /* all that entered have left */
}

bool visited_begin_again(visited *v, size_t count)
{
    assert(v->count == 0);
    if (count >= VISITED_FULL || !parent_room(v, count))
        return false;
    v->count = (uint32_t)count;
    return true;
}

bool visited_put_again(visited *v, print p, uint32_t number, uint32_t parent)
{
    assert(number < v->count);
    v->parents[number / PARENTS][number % PARENTS] = parent;
    return put(v, p, number + 1);
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
    v->shares = mem_zero(sizeof *v->shares);
    v->bytes = sizeof *v;
    v->max_bytes = max_bytes;
    pthread_mutex_init(&v->lock, NULL);
    return v;
}

void visited_spill(visited *v, const spill *to) { v->spill = to; }

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
    shares_free(v);
    free(v->parents);
    pthread_mutex_destroy(&v->lock);
    mem_free(v);
}
