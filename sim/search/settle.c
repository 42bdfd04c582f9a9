/* settle.c - see settle.h. */
#include "search/settle.h"

size_t settle_choose(void *chooser, world *w, const step *steps, size_t count, size_t step_number)
{
    settler *s = chooser;
    (void)w;
    (void)step_number;
    size_t best = SIZE_MAX;
    int best_rank = 99;
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kind == STEP_FAULT)
            continue;
        int rank = steps[i].kind == STEP_TIME ? 4 : steps[i].kind == STEP_RESUME ? 3 : !steps[i].holds_time ? 2 : 1;
        if (rank == 1 && steps[i].process == s->last)
            rank = 0;
        else if (rank == 2 && steps[i].kind != STEP_RUN)
            rank = 5;      /* polls that change nothing, late requests: only when nothing else is left */
        /* Of the others, the next in turn after the one that moved last. */
        bool nearer = best != SIZE_MAX && rank == best_rank && rank == 1 && steps[best].process < s->last &&
                      steps[i].process > s->last;
        if (rank < best_rank || nearer) {
            best = i;
            best_rank = rank;
        }
    }
    if (steps[best].process != NOBODY)
        s->last = steps[best].process;
    return best;
}
