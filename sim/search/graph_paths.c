/* graph_paths.c - the fewest switches among all shortest paths, by levels from the end back to node 0.
 *  The cost of the rest of a path depends on its node and on the last mover. But any last mover can follow another
 * one's best path for one switch more: so a node's costs are one number, `least`, and the set of movers for which it
 * needs no extra switch. The set is never empty. */
#include <assert.h>

#include "base/mem.h"
#include "search/graph_internal.h"

enum { NOBODY_YET = GRAPH_MOVERS_MAX };

typedef struct {
    const graph *g;
    uint32_t *least;       /* by node: switches to the end; GRAPH_NONE: on no shortest path */
    uint64_t *who;         /* by node: bit m: `least` is enough if m moved last. With NOBODY_YET it always is. */
    uint32_t last_level;   /* of the nodes that final edges leave, or of the final node */
    bool *final;           /* by edge from final_first on; NULL: the path ends in a node */
    uint32_t final_first, final_count;
} switches;

static switches switches_new(const graph *g, uint32_t last_level)
{
    graph_check_whole(g);
    uint32_t n = last_level + 1 < g->level_count ? g->levels[last_level + 1] : g->node_count;
    switches s = { .g = g, .last_level = last_level };
    s.least = mem_alloc(n * sizeof *s.least);
    s.who = mem_alloc(n * sizeof *s.who);
    for (uint32_t i = 0; i < n; i++)
        s.least[i] = GRAPH_NONE;
    return s;
}

static void switches_free(switches *s)
{
    mem_free(s->least);
    mem_free(s->who);
    mem_free(s->final);
}

/* Does the edge end the path? Final edges all leave the last level. */
static bool is_final(const switches *s, uint32_t edge)
{
    return s->final && edge >= s->final_first && edge - s->final_first < s->final_count &&
           s->final[edge - s->final_first];
}

/* Switches from a node to the end, if `last` moved last. */
static uint32_t cost_from(const switches *s, uint32_t node, uint32_t last)
{
    return s->least[node] + !(s->who[node] >> last & 1);
}

/* The next place after an edge out of `level`, for the costs. false: off the shortest paths. */
static bool leads_on(const switches *s, uint32_t level, uint32_t edge, bool *ends, uint32_t *to)
{
    *to = s->g->arrows[edge].to;
    *ends = is_final(s, edge);
    if (*ends)
        return true;
    return level < s->last_level && *to >= s->g->levels[level + 1] && s->least[*to] != GRAPH_NONE;
}

static void settle_node(switches *s, uint32_t level, uint32_t node)
{
    const graph *g = s->g;
    for (uint32_t i = g->first[node], end = graph_end_edge(g, node); i < end; i++) {
        uint32_t to, least = 0, mover = graph_label_of(g, i)->rest & GRAPH_MOVER_BITS;
        uint64_t who = UINT64_MAX;
        bool ends;
        if (!leads_on(s, level, i, &ends, &to))
            continue;
        if (!ends) {
            least = s->least[to];
            who = s->who[to];
        }
        if (!(g->nobody >> mover & 1)) {
            least += !(who >> mover & 1);
            who = UINT64_C(1) << mover | UINT64_C(1) << NOBODY_YET;
        }
        if (least < s->least[node])
            s->who[node] = who;
        else if (least == s->least[node])
            s->who[node] |= who;
        if (least < s->least[node])
            s->least[node] = least;
    }
}

static void settle_levels(switches *s, uint32_t from)
{
    const graph *g = s->g;
    for (uint32_t level = from + 1; level-- > 0;) {
        uint32_t end = level + 1 < g->level_count ? g->levels[level + 1] : g->node_count;
        for (uint32_t node = g->levels[level]; node < end; node++)
            settle_node(s, level, node);
    }
}

/* From node 0 on, takes the lowest edge with the least cost. */
static uint32_t draw_path(const switches *s, uint32_t length, graph_path *out)
{
    const graph *g = s->g;
    uint32_t node = 0, last = NOBODY_YET, spent = 0;
    for (uint32_t level = 0; level < length; level++) {
        uint32_t left = cost_from(s, node, last);
        for (uint32_t i = g->first[node];; i++) {
            assert(i < graph_end_edge(g, node));
            uint32_t to, mover = graph_label_of(g, i)->rest & GRAPH_MOVER_BITS;
            bool ends, real = !(g->nobody >> mover & 1);
            if (!leads_on(s, level, i, &ends, &to))
                continue;
            bool switched = real && last != NOBODY_YET && last != mover;
            uint32_t next = real ? mover : last;
            if (switched + (ends ? 0 : cost_from(s, to, next)) > left)
                continue;
            out->edges[out->count++] = i;
            spent += switched;
            last = next;
            node = to;
            break;
        }
    }
    assert(spent == s->least[0]);
    return spent;
}

uint32_t graph_path_to_node(arena *a, const graph *g, uint32_t node, graph_path *out)
{
    uint32_t depth = graph_depth(g, node);
    switches s = switches_new(g, depth);
    s.least[node] = 0;
    s.who[node] = UINT64_MAX;
    if (depth > 0)
        settle_levels(&s, depth - 1);
    *out = (graph_path){ .edges = ARENA_ARRAY(a, uint32_t, depth) };
    uint32_t spent = draw_path(&s, depth, out);
    switches_free(&s);
    return spent;
}

/* Marks the final edges of the first level that has any. */
static void mark_final(switches *s, uint32_t first, const uint32_t *edges, size_t count)
{
    const graph *g = s->g;
    uint32_t level_end = s->last_level + 1 < g->level_count ? g->first[g->levels[s->last_level + 1]] : g->arrow_count;
    s->final_first = first;
    s->final_count = level_end - first;
    s->final = mem_zero(s->final_count * sizeof *s->final);
    for (size_t i = 0; i < count; i++)
        if (edges[i] < level_end)
            s->final[edges[i] - first] = true;
}

uint32_t graph_path_by_edges(arena *a, const graph *g, const uint32_t *edges, size_t count, graph_path *out)
{
    assert(count > 0);
    uint32_t first = edges[0];                     /* edges come in the order of their nodes: no other starts nearer to
                                                    * node 0 */
    for (size_t i = 0; i < count; i++)
        first = edges[i] < first ? edges[i] : first;
    uint32_t depth = graph_depth(g, graph_edge_source(g, first));
    switches s = switches_new(g, depth);
    mark_final(&s, first, edges, count);
    settle_levels(&s, depth);
    *out = (graph_path){ .edges = ARENA_ARRAY(a, uint32_t, depth + 1) };
    uint32_t spent = draw_path(&s, depth + 1, out);
    switches_free(&s);
    return spent;
}
