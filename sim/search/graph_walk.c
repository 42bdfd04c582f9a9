/* graph_walk.c - the shortest walk that gets something done: breadth-first over pairs of a node and what is left to
 * do. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "search/graph_internal.h"

/* What a story may cost: 32 MB and less than a second. Above it the walk is short, but perhaps not the shortest. */
enum { PLACES_MAX = 1 << 20 };

typedef struct {
    graph_place place;
    uint32_t from, edge;   /* position of the place before, and how it was left */
} stop;

typedef struct {
    const graph_walker *w;
    stop *stops;           /* the queue, and all that were reached */
    size_t count, cap;
    uint32_t *slots;       /* open addressing: position + 1 */
    size_t slot_count;
} frontier;

static size_t place_slot(const frontier *h, graph_place p)
{
    uint64_t x = (p.todo + (uint64_t)p.node * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(x ^ x >> 32) & (h->slot_count - 1);
    for (; h->slots[slot]; slot = (slot + 1) & (h->slot_count - 1)) {
        graph_place q = h->stops[h->slots[slot] - 1].place;
        if (q.node == p.node && q.todo == p.todo)
            break;
    }
    return slot;
}

static void slots_grow(frontier *h)
{
    mem_free(h->slots);
    h->slot_count = h->slot_count ? h->slot_count * 2 : 64;
    h->slots = mem_zero(h->slot_count * sizeof *h->slots);
    for (size_t i = 0; i < h->count; i++)
        h->slots[place_slot(h, h->stops[i].place)] = (uint32_t)i + 1;
}

static void reach(frontier *h, stop s)
{
    if (h->count * 2 >= h->slot_count)
        slots_grow(h);
    size_t slot = place_slot(h, s.place);
    if (h->slots[slot])
        return;
    MEM_RESERVE(h->stops, h->cap, h->count + 1);
    h->stops[h->count++] = s;
    h->slots[slot] = (uint32_t)h->count;
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

/* To the first end, or with `any_gain` to the first place where something has been done. False: more than `places_max`
 * on the way. */
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
    mem_free(h.slots);
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
