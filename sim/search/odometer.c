/* odometer.c - counts through sequences of choices: a search that re-runs from the start takes the first choice
 * everywhere, then changes the last choice that has another option. */
#include "base/mem.h"
#include "search/internal.h"

size_t path_choice(path *p, size_t step_number, size_t of)
{
    if (step_number == p->depth) {
        MEM_RESERVE(p->taken, p->taken_cap, p->depth + 1);
        MEM_RESERVE(p->of, p->of_cap, p->depth + 1);
        p->taken[p->depth] = 0;
        p->of[p->depth] = (uint32_t)of;
        p->depth++;
    }
    return p->taken[step_number];
}

bool path_advance(path *p)
{
    while (p->depth > 0 && p->taken[p->depth - 1] + 1 == p->of[p->depth - 1])
        p->depth--;
    if (p->depth == 0)
        return false;
    p->taken[p->depth - 1]++;
    return true;
}

void path_free(path *p)
{
    mem_free(p->taken);
    mem_free(p->of);
    *p = (path){ 0 };
}
