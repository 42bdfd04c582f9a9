/* graph_walk.c - the shortest walk that does all that is required: breadth-first over pairs of a node and what is left
 * to do. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "search/graph_internal.h"

/* The limit for a story: 32 MB and less than a second. Beyond it the walk is short, but perhaps not the shortest. */
enum { PLACES_MAX = 1 << 20 };

typedef struct {
    graph_place place;
    uint32_t from, edge;   /* index of the place before, and the edge that left it */
} stop;

typedef struct {
    const graph_walker *w;
    stop *stops;           /* the queue, which is also the list of all reached places */
    size_t count, cap;
    map3 reached;          /* (node, the halves of what is left to do) -> index */
} frontier;

static void reach(frontier *h, stop s)
{
    uint32_t low = (uint32_t)s.place.todo, high = (uint32_t)(s.place.todo >> 32);
    if (map3_find(&h->reached, s.place.node, low, high) != INTERN_NONE)
        return;
    map3_put(&h->reached, s.place.node, low, high, (uint32_t)h->count);
    MEM_RESERVE(h->stops, h->cap, h->count + 1);
    h->stops[h->count++] = s;
}

/* Appends the edges from the first stop to `last`. */
static void tell(const frontier *h, stop last, graph_trail *out)
{
    size_t length = 1;
    for (uint32_t i = last.from; i > 0; i = h->stops[i].from)
        length++;
    MEM_RESERVE(out->edges, out->cap, out->count + length);
    out->count += length;
    size_t at = out->count;
    for (stop s = last;; s = h->stops[s.from]) {
        out->edges[--at] = s.edge;
        if (s.from == 0)
            return;
    }
}

/* To the first end, or with `any_gain` to the first place where less is left to do. false: more than `places_max`
 * places. */
static bool walk_once(const graph_walker *w, graph_place *at, bool any_gain, size_t places_max, graph_trail *out)
{
    frontier h = { .w = w };
    bool found = false;
    graph_place start = *at;
    reach(&h, (stop){ .place = start });
    for (size_t k = 0; k < h.count && !found && h.count <= places_max; k++) {
        graph_place here = h.stops[k].place;
        for (uint32_t i = w->g->first[here.node], end = graph_end_edge(w->g, here.node); i < end && !found; i++) {
            stop s = { .from = (uint32_t)k, .edge = i };
            if (!w->step(w->context, here, i, &s.place))
                continue;
            found = w->is_end(w->context, s.place) || (any_gain && s.place.todo != start.todo);
            if (found) {
                *at = s.place;
                tell(&h, s, out);
            } else {
                reach(&h, s);
            }
        }
    }
    mem_free(h.stops);
    map3_free(&h.reached);
    return found;
}

void graph_walk(const graph_walker *w, graph_place from, graph_trail *out)
{
    if (walk_once(w, &from, false, PLACES_MAX, out))
        return;
    do {
        bool found = walk_once(w, &from, true, SIZE_MAX, out);
        assert(found);
    } while (!w->is_end(w->context, from));
}

graph_path graph_trail_end(arena *a, graph_trail *t)
{
    graph_path p = { .edges = ARENA_ARRAY(a, uint32_t, t->count), .count = t->count };
    if (t->count)
        memcpy(p.edges, t->edges, t->count * sizeof *p.edges);
    mem_free(t->edges);
    *t = (graph_trail){ 0 };
    return p;
}
