/* folded.c - every state of a small world, each visited once: depth first, every run re-executed from the start, states told apart
 * by 128-bit fingerprints of their canonical bytes. It must reach what every.c reaches, which merges nothing. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define uthash_malloc(bytes) mem_alloc(bytes)
#define uthash_free(block, bytes) mem_free(block)
#include "base/mem.h"
#include "search/internal.h"
#include <uthash.h>

typedef struct visited {
    XXH128_hash_t print;
    UT_hash_handle hh;
} visited;

typedef struct {
    hunt *h;
    arena *memory;         /* of the visited set */
    visited *seen;
    uint32_t *taken, *of;  /* along the current path: which choice, out of how many */
    size_t depth, cap, of_cap;
} path;

/* True if this state was not met before. */
static bool fresh(path *p, world *w)
{
    buf bytes = { 0 };
    bool ok = world_freeze(w, &bytes, &p->h->out->error);
    XXH128_hash_t print = XXH3_128bits(bytes.p, bytes.n);
    buf_free(&bytes);
    if (!ok) {
        p->h->failed = true;
        return false;
    }
    visited *v;
    HASH_FIND(hh, p->seen, &print, sizeof print, v);
    if (v)
        return false;
    v = ARENA_NEW(p->memory, visited);
    v->print = print;
    HASH_ADD(hh, p->seen, print, sizeof print, v);
    return true;
}

static size_t next_choice(void *chooser, world *w, const step *steps, size_t count, size_t step_number)
{
    path *p = chooser;
    (void)steps;
    if (step_number == p->depth) {
        if (!fresh(p, w))
            return RUN_NO_FURTHER;
        MEM_RESERVE(p->taken, p->cap, p->depth + 1);
        MEM_RESERVE(p->of, p->of_cap, p->depth + 1);
        p->taken[p->depth] = 0;
        p->of[p->depth] = (uint32_t)count;
        p->depth++;
        p->h->out->search.states++;
        p->h->out->search.transitions += count;
    }
    return p->taken[step_number];
}

static bool advance(path *p)
{
    while (p->depth > 0 && p->taken[p->depth - 1] + 1 == p->of[p->depth - 1])
        p->depth--;
    if (p->depth == 0)
        return false;
    p->taken[p->depth - 1]++;
    return true;
}

void search_every_state(hunt *h)
{
    path p = { .h = h, .memory = arena_new() };
    h->out->search.strategy = S("every state");
    h->folded = true;
    bool more = true;
    while (more && run_once(h, next_choice, &p) && !h->failed)
        more = advance(&p);
    h->out->search.complete = !more && h->cut_runs == 0 && !h->failed;
    HASH_CLEAR(hh, p.seen);
    arena_free(p.memory);
    mem_free(p.taken);
    mem_free(p.of);
}
