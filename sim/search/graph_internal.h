/* graph_internal.h - the representation of a graph, parts of it, and two traversals of a part: by components, and
 * breadth-first. */
#ifndef LOCKSIM_SEARCH_GRAPH_INTERNAL_H
#define LOCKSIM_SEARCH_GRAPH_INTERNAL_H

#include "base/intern.h"
#include "search/graph.h"

/* Most edges, and most nodes, share a few combinations of attributes: each combination is stored once, as a label, and
 * an edge is two numbers. */
typedef struct {
    uint64_t mask;         /* progress; waits */
    uint32_t rest;         /* mover and flags; ended */
} graph_label;

typedef struct {
    graph_label *at;
    map3 known;            /* (the halves of its mask, the rest) -> its number */
    size_t count, cap;
    uint32_t last;         /* the label of the last look-up: the next is likely the same */
} graph_labels;

typedef struct {
    uint32_t to, label;
} graph_arrow;

struct graph {
    uint64_t nobody, unstoppable;
    graph_labels node_labels, edge_labels;
    uint32_t *node_label, *first;      /* per node: its label, and its first edge */
    graph_arrow *arrows;
    uint32_t *levels;                  /* first node of each distance from node 0 */
    size_t node_cap, first_cap, arrow_cap, level_cap, level_count;
    uint32_t node_count, arrow_count;
    uint32_t known;                    /* nodes that were added or that an edge leads to */
    uint32_t next_level;               /* the node that will open the next level */
};

enum { GRAPH_MOVER_BITS = 0xff, GRAPH_FAULT = 0x100, GRAPH_HAND_OFF = 0x200, GRAPH_COIN = 0x400 };
#define GRAPH_NONE UINT32_MAX

static inline const graph_label *graph_label_of(const graph *g, uint32_t edge)
{
    return &g->edge_labels.at[g->arrows[edge].label];
}

static inline uint64_t graph_waits(const graph *g, uint32_t node)
{
    return g->node_labels.at[g->node_label[node]].mask;
}

static inline uint32_t graph_end_edge(const graph *g, uint32_t node)
{
    return node + 1 < g->node_count ? g->first[node + 1] : g->arrow_count;
}

void graph_check_whole(const graph *g);
/* The movers of the edges without faults that leave it. */
uint64_t graph_enabled(const graph *g, uint32_t node);

/* A part of the graph: nodes and edges of certain labels. No part has edges with faults. */
typedef struct {
    const graph *g;
    bool *node_in, *edge_in;           /* by label */
    bool *cut;                         /* by edge: left out although its label is in; NULL: none */
} graph_view;

graph_view graph_view_all(const graph *g);
graph_view graph_view_ended(const graph *g);
/* The part where `waiter` waits, without edges on which it progresses. */
graph_view graph_view_waiting(const graph *g, uint32_t waiter);
void graph_view_free(graph_view *v);

static inline bool graph_view_has_node(const graph_view *v, uint32_t node)
{
    return v->node_in[v->g->node_label[node]];
}

/* For edges that leave a node of the part. */
static inline bool graph_view_has_edge(const graph_view *v, uint32_t edge)
{
    graph_arrow e = v->g->arrows[edge];
    return v->edge_in[e.label] && v->node_in[v->g->node_label[e.to]] && !(v->cut && v->cut[edge]);
}

typedef struct {
    const graph_view *view;
    const uint32_t *of;                /* by node: component; valid for all nodes that this one's edges lead to */
    uint32_t number;                   /* of this one: 0, 1 ... as they are visited */
    const uint32_t *nodes;             /* unordered */
    uint32_t count;
} graph_component;
typedef void graph_component_fn(void *context, const graph_component *c);

/* Visits the strongly connected components of a part, each after all components that its edges lead to. Returns each
 * node's component, GRAPH_NONE outside; the caller frees it with mem_free. */
uint32_t *graph_visit_components(const graph_view *v, graph_component_fn *visit, void *context);

/* A breadth-first walk over pairs of a node and what is left to do there. */
typedef struct {
    uint32_t node;
    uint64_t todo;
} graph_place;
typedef struct {
    const graph *g;
    /* Where the edge leads, given what was left to do before; false: it must not be taken. */
    bool (*step)(const void *context, graph_place from, uint32_t edge, graph_place *to);
    bool (*is_end)(const void *context, graph_place p);
    const void *context;
} graph_walker;
typedef struct {
    uint32_t *edges;
    size_t count, cap;
} graph_trail;

/* The shortest walk of one or more edges from `from` to an end; if that takes too many places, a short one that always
 * takes the nearest place where less is left to do. There must be one, and no place without one may be entered. */
void graph_walk(const graph_walker *w, graph_place from, graph_trail *out);
/* Moves the trail into the arena. */
graph_path graph_trail_end(arena *a, graph_trail *t);

#endif
