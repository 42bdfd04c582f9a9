/* every.c - every schedule of a small world, each re-run from the start, nothing merged: the reference that no wrong merging of states
 * can fool. Depth first: a run takes the first choice everywhere, then the last choice that has another is changed. */
#include "base/mem.h"
#include "search/internal.h"

typedef struct {
    uint32_t *taken, *of;  /* at each step so far: which choice, out of how many */
    size_t depth, cap, of_cap;
} path;

static size_t next_choice(void *chooser, world *w, const step *steps, size_t count, size_t step_number)
{
    path *p = chooser;
    (void)w;
    (void)steps;
    if (step_number == p->depth) {
        MEM_RESERVE(p->taken, p->cap, p->depth + 1);
        MEM_RESERVE(p->of, p->of_cap, p->depth + 1);
        p->taken[p->depth] = 0;
        p->of[p->depth] = (uint32_t)count;
        p->depth++;
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

void search_every_schedule(hunt *h)
{
    path p = { 0 };
    h->out->search.strategy = S("every schedule");
    uint64_t limit = h->o->runs ? h->o->runs : UINT64_MAX;
    bool more = true;
    while (more) {
        if (h->out->search.runs == limit) {
            run_stop(h, arena_printf(h->a, "the limit of %llu runs came first", (unsigned long long)limit));
            break;
        }
        if (!run_once(h, next_choice, &p))
            break;
        more = advance(&p);
    }
    h->out->search.complete = !more && h->cut_runs == 0;
    mem_free(p.taken);
    mem_free(p.of);
}
