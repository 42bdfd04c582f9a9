/* locks.c - see locks.h. */
#include "report/locks.h"

#include <stdlib.h>

#include "scenario/cases.h"

/* The lock of a scenario: for "scenarios/faults/redisson_lock.lua:pause.two" the file's name, for
 * "scenarios/mine/redisson_lock/pause.lua" the folder's. */
static str lock_of(str path)
{
    str part = case_part(path);
    bool alone = str_eq(part, S("exhibit")) || str_eq(part, S("twin"));
    size_t colon = alone ? path.n : case_colon(path), end = colon, begin;
    while (colon == path.n && end > 0 && path.p[end - 1] != '/')
        end--;
    end -= colon < path.n ? 4 : end > 0;           /* ".lua", or the slash */
    for (begin = end; begin > 0 && path.p[begin - 1] != '/'; begin--)
        ;
    return str_slice(path, begin, end);
}

static property_outcome came_out(const situation *s, int p)
{
    return s->result->properties[p].outcome;
}

bool situation_breaks(const situation *s, int p)
{
    return came_out(s, p) == OUTCOME_VIOLATED;
}

size_t lock_count(const lock_row *r, int p, property_outcome o)
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++)
        n += came_out(&r->at[i], p) == o;
    return n;
}

bool lock_always_breaks(const lock_row *r, int p)
{
    return r->count > 1 && lock_count(r, p, OUTCOME_VIOLATED) == r->count;
}

bool lock_breaks_with_less(const lock_row *r, const fault_mix *m, int p)
{
    for (size_t i = 0; i < r->count; i++)
        if (situation_breaks(&r->at[i], p) && !mix_is_empty(&r->at[i].faults) && mix_within(&r->at[i].faults, m))
            return true;
    return false;
}

bool lock_first_of_its_faults(const lock_row *r, size_t i, int p)
{
    for (size_t k = 0; k < i; k++)
        if (mix_cmp(&r->at[k].faults, &r->at[i].faults) == 0 && (p < 0 || situation_breaks(&r->at[k], p)))
            return false;
    return true;
}

/* By lock, then by their faults; qsort is not stable, so the path comes last. */
static int cmp_situations(const void *a, const void *b)
{
    const situation *x = a, *y = b;
    int by_lock = str_cmp(lock_of(x->result->path), lock_of(y->result->path));
    int by_faults = by_lock ? by_lock : mix_cmp(&x->faults, &y->faults);
    return by_faults ? by_faults : str_cmp(x->result->path, y->result->path);
}

lock_row *locks_collect(arena *a, const report_item *items, size_t count, size_t *rows)
{
    situation *all = ARENA_ARRAY(a, situation, count + 1);
    lock_row *list = ARENA_ARRAY(a, lock_row, count + 1);
    for (size_t i = 0; i < count; i++)
        all[i] = (situation){ .result = items[i].result, .faults = mix_of(items[i].result->faults) };
    qsort(all, count, sizeof *all, cmp_situations);
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        str name = lock_of(all[i].result->path);
        if (i == 0 || !str_eq(name, list[*rows - 1].name))
            list[(*rows)++] = (lock_row){ .name = name, .at = &all[i] };
        list[*rows - 1].count++;
    }
    return list;
}
