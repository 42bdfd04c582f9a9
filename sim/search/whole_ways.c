/* whole_ways.c - the way to each finding: a shortest one with the fewest switches. */
#include "search/whole_internal.h"

void whole_add_edges(const graph *g, const uint32_t *edges, size_t count, way *out)
{
    for (size_t i = 0; i < count; i++)
        way_add(out, edges[i] - graph_first_edge(g, graph_edge_source(g, edges[i])));
}

void whole_way_to_rest(arena *a, const graph *g, const numbers *nodes, graph_path *best)
{
    enum { LOOKED_AT_MAX = 64 };
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < nodes->count && i < LOOKED_AT_MAX; i++) {
        graph_path path;
        uint32_t n = graph_path_to_node(a, g, nodes->items[i], &path);
        if (n >= least)
            continue;
        least = n;
        *best = path;
    }
}

/* false: none is known. */
static bool way_to_finding(whole *w, property p, way *out)
{
    const finding *f = &w->h->found[p];
    const numbers *ends = &w->ends[p];
    if (w->g && ends->count > 0 && vectors_folds(w->t) && whole_plain_way(w, p, out))
        return true;
    if (!w->g || ends->count == 0 || vectors_folds(w->t)) {
        out->count = 0;
        if (!way_to_state(w->t, w->seen, f->state, out))
            return false;
        if (!f->settled)
            way_add(out, (uint32_t)f->choice);
        return true;
    }
    graph_path path = { 0 };
    arena *a = arena_new();
    if (f->settled)
        whole_way_to_rest(a, w->g, ends, &path);
    else
        graph_path_by_edges(a, w->g, ends->items, ends->count, &path);
    whole_add_edges(w->g, path.edges, path.count, out);
    arena_free(a);
    return true;
}

static void tell(whole *w, property p)
{
    way to = { .loop = SIZE_MAX };
    if (way_to_finding(w, p, &to)) {
        str text = way_tell(w->h, w->t, &to, p);
        if (text.p) {
            w->h->found[p].schedule = text;
            w->h->found[p].steps = to.count;
        }
    }
    mem_free(to.choices);
}

/* An unexpected cause gets its own story. */
static void aim(whole *w, property p)
{
    uint32_t *list;
    bool rest;
    size_t count = w->h->found[p].other_cause ? causes_unexpected(w->c, w->g, p, &list, &rest) : 0;
    if (count == 0)
        return;
    mem_free(w->ends[p].items);
    w->ends[p] = (numbers){ .items = list, .count = count, .cap = count };
    w->h->found[p].settled = rest;
}

void whole_tell(whole *w)
{
    for (int p = 0; p < PROPERTY_COUNT && !w->h->failed; p++)
        if (w->h->found[p].yes && !w->h->found[p].schedule.p && run_tells(w->h, (property)p))
            tell(w, (property)p);
}

void whole_found(whole *w, property p, const way *to)
{
    finding *f = &w->h->found[p];
    f->yes = true;
    f->steps = to->count;
    f->schedule = way_tell(w->h, w->t, to, p);
}

void whole_sign(whole *w, bool waits_told_apart)
{
    whole_mark(w);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (p != PROPERTY_BOUNDED_WAIT && (p != PROPERTY_NO_DEADLOCK || waits_told_apart)) {
            causes_sign(w->c, w->g, (property)p);
            if (vectors_folds(w->t) && w->h->found[p].other_cause)
                w->h->apart = S("a cause that is not expected is told by each client for itself");
            else
                aim(w, (property)p);
        }
}
