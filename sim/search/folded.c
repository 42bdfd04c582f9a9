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
    path way;
} folder;

/* True if this state was not met before. */
static bool fresh(folder *p, world *w)
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
    folder *p = chooser;
    if (step_number == p->way.depth) {
        if (!fresh(p, w))
            return RUN_NO_FURTHER;
        p->h->out->search.states++;
        p->h->out->search.transitions += count;
    }
    return path_choice(&p->way, step_number, steps, count);
}

void search_every_state(hunt *h)
{
    folder p = { .h = h, .memory = arena_new() };
    h->out->search.strategy = S("every state");
    h->folded = true;
    bool more = true;
    while (more && run_once(h, next_choice, &p) && !h->failed)
        more = path_advance(&p.way);
    h->out->search.complete = !more && h->cut_runs == 0 && !h->failed;
    HASH_CLEAR(hh, p.seen);
    arena_free(p.memory);
    path_free(&p.way);
}
