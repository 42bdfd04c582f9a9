/* every.c - every schedule of a small world, each re-run from the start, nothing merged: the reference that no wrong merging of states
 * can fool. Depth first. */
#include "search/internal.h"

static size_t next_choice(void *chooser, world *w, const step *steps, size_t count, size_t step_number)
{
    (void)w;
    return path_choice(chooser, step_number, steps, count);
}

void search_every_schedule(hunt *h)
{
    path p = { 0 };
    h->out->search.strategy = S("every schedule");
    uint64_t limit = h->o->runs ? h->o->runs : UINT64_MAX;
    h->runs = h->o->runs;
    bool more = true;
    while (more) {
        if (h->out->search.runs == limit) {
            run_stop(h, arena_printf(h->a, "the limit of %llu runs came first", (unsigned long long)limit));
            break;
        }
        if (!run_once(h, next_choice, &p))
            break;
        more = path_advance(&p);
    }
    h->out->search.complete = !more && h->cut_runs == 0;
    path_free(&p);
}
