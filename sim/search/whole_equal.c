/* whole_equal.c - where equal clients count once: does any task wait for ever? The graph of folded states shows who and
 * where, but not by which way. */
#include "search/whole_internal.h"

/* The bits of waiters with all ids exchanged. */
typedef struct { bool known; uint8_t to[GRAPH_WAITERS_MAX]; } turn;

/* Makes every permutation of a waiter known. false: there are too many. */
static bool know_all_waiters(parts *p, const equals *eq)
{
    bool full = false;
    parts_waiter_count(p, &full);
    for (size_t i = 0; i < parts_waiter_count(p, &full) && !full; i++)
        for (size_t a = 0; a < eq->count; a++)
            for (size_t b = 0; b < a; b++)
                if (eq->first[a] == eq->first[b]) {
                    permutation x = permutation_swap(a, b);
                    parts_waiter_permuted(p, i, &x);
                }
    return !full;
}

static const turn *turn_of(parts *p, turn *turns, uint32_t x, size_t waiters)
{
    turn *t = &turns[x];
    if (!t->known) {
        t->known = true;
        bool as_they_are = parts_equals(p)->without & EQUALS_WITHOUT_WAITERS;
        for (size_t i = 0; i < GRAPH_WAITERS_MAX; i++)
            t->to[i] = i < waiters && !as_they_are ? parts_waiter_permuted(p, i, parts_permutation_of(p, x))
                       : (uint8_t)i;
    }
    return t;
}

static uint64_t turned(const turn *t, uint64_t bits)
{
    uint64_t to = 0;
    for (; bits; bits &= bits - 1)
        to |= UINT64_C(1) << t->to[__builtin_ctzll(bits)];
    return to;
}

/* LK011: waiters at some row that, on no way from there without faults, progress or stop waiting. Along an edge, the
 * permutations of both rows to one form map the waiters of one to those of the other. */
bool whole_find_stuck(whole *w)
{
    parts *p = vectors_parts(w->t);
    bool full, more = true;
    if (!know_all_waiters(p, parts_equals(p)))
        return false;
    size_t waiters = parts_waiter_count(p, &full);
    uint32_t nodes = graph_node_count(w->g), *back = mem_alloc((w->turns.count + 1) * sizeof *back), most = 0;
    map3 joined = { 0 };
    for (uint32_t e = 0; e < w->turns.count; e++) {
        uint32_t form = w->forms.items[graph_get_edge(w->g, e).to],
                        known = map3_find(&joined, form, w->turns.items[e], 0);
        if (known == PART_NONE) {
            permutation leave = permutation_back(parts_permutation_of(p, w->turns.items[e])),
                        all = permutation_then(parts_permutation_of(p, form), &leave);
            known = parts_permutation(p, &all);
            map3_put(&joined, form, w->turns.items[e], 0, known);
        }
        back[e] = known;
        most = known > most ? known : most;
    }
    turn *turns = mem_zero(((size_t)most + 1) * sizeof *turns);
    uint64_t *out = mem_alloc((nodes + 1) * sizeof *out);
    for (uint32_t i = 0; i < nodes; i++)
        out[i] = ~w->waits[i];
    while (more) {
        more = false;
        for (uint32_t i = nodes; i-- > 0;) {
            uint64_t was = out[i];
            for (uint32_t e = graph_first_edge(w->g, i); e < graph_edges_end(w->g, i) && ~out[i]; e++) {
                graph_edge x = graph_get_edge(w->g, e);
                if (!x.fault)
                    out[i] |= x.progress | turned(turn_of(p, turns, back[e], waiters), out[x.to]);
            }
            more |= out[i] != was;
        }
    }
    for (uint32_t i = 0; i < nodes; i++)
        out[i] = ~out[i];
    map3_free(&joined);
    mem_free(back);
    mem_free(turns);
    w->stuck = out;
    return true;
}
