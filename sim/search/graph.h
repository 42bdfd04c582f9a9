/* graph.h - the graph of all states of a search, and what only the whole graph can show: a task that never passes its
 * wait, or can be passed over for ever under fair scheduling, where a run comes to rest, and the shortest path with the
 * fewest switches. It knows nothing of worlds. Nodes are numbered breadth-first from the start, 0; all results depend
 * on the numbers alone. */
#ifndef LOCKSIM_SEARCH_GRAPH_H
#define LOCKSIM_SEARCH_GRAPH_H

#include <stdbool.h>

#include "base/arena.h"

/* Numbers from 0 on: bits of a mask. One bit of a mover's mask is reserved. */
enum { GRAPH_MOVERS_MAX = 63, GRAPH_WAITERS_MAX = 64 };
/* The maximum number of nodes; of edges, one less. */
#define GRAPH_NODES_MAX ((uint32_t)INT32_MAX)
#define GRAPH_EDGES_MAX (UINT32_MAX - 1)

typedef struct {
    uint32_t to;
    uint32_t mover;        /* whose move it is: a process, a message, time */
    uint64_t progress;     /* bit t: waiter t passes its wait here; it was granted or gave up */
    bool fault;            /* a fault: no property may rely on it */
    bool hand_off;         /* a lock was granted */
    bool coin;             /* the fall of a fair coin: together with all others of its mover that leave the same node
                            * it is one move */
} graph_edge;

typedef struct graph graph;

/* ---- building ---- */

/* Bits of `nobody` are movers that a reader does not follow (time, servers): they cause no switch between two moves of
 * A. Fairness counts them like any other. */
graph *graph_open(uint64_t nobody);
void graph_close(graph *g);                        /* NULL is fine */
/* Movers that cannot be held up for ever: in graph_find_lasso, if one of them is enabled in some node of a component,
 * it must move there. Time is such a mover: a loop that takes no time while time could pass is no starvation. */
void graph_set_unstoppable(graph *g, uint64_t movers);
/* Adds the next node, in order: who waits there, and whether every program has ended. Edges added from now on leave it.
 * A state that the search did not expand is added with waits 0 and not ended: no conclusion is drawn from it. */
uint32_t graph_add_node(graph *g, uint64_t waits, bool ended);
/* Returns the edge's number; edges are numbered in order. `to` is a known node or the next new one. Moves that change
 * nothing are edges, too: a mover is enabled in a node exactly if an edge of it without `fault` leaves the node. */
uint32_t graph_add_edge(graph *g, graph_edge e);

uint32_t graph_node_count(const graph *g);
uint32_t graph_edge_count(const graph *g);
graph_edge graph_get_edge(const graph *g, uint32_t edge);
uint32_t graph_edge_source(const graph *g, uint32_t edge);         /* by bisection */
/* an edge's number minus this is its index among its node's edges */
uint32_t graph_first_edge(const graph *g, uint32_t node);
uint32_t graph_edges_end(const graph *g, uint32_t node);           /* one behind the last of them */
uint32_t graph_depth(const graph *g, uint32_t node);               /* length of a shortest path to it, by bisection */
/* in use: 8 a node, 8 an edge, and one entry for each different label and level */
size_t graph_bytes(const graph *g);

/* ---- asking: every node that an edge leads to must have been added. Time is near-linear; memory, 12 to 24 bytes a
 * node, is freed afterwards. */

typedef struct {
    uint32_t *edges;
    size_t count;
} graph_path;

/* Strongly connected components over the edges without faults. Returns the number of components; of[node] is the
 * component's number; no edge leads to a higher one. bottom[node]: no edge leaves its component. Both need room for all
 * nodes; bottom may be NULL. */
uint32_t graph_find_components(const graph *g, uint32_t *of, bool *bottom);

/* LK011. The first node with a waiter that no path without faults lets progress or stop waiting. That is a proof, as
 * all paths are there. Of several waiters the lowest. */
bool graph_find_deadlock(const graph *g, uint32_t *node, uint32_t *waiter);

/* Marks all such nodes in `nodes`, which needs room for all. */
void graph_mark_deadlocks(const graph *g, bool *nodes);

/* LK030. The nodes where a run has come to rest: ended, and on a cycle without faults of ended nodes, or with only
 * faults left. In order; the list lives in `a`. */
uint32_t graph_find_rest(arena *a, const graph *g, uint32_t **nodes);

typedef struct {
    uint32_t waiter, start;
    graph_path stem;       /* from the start of the graph to `start`: shortest, with the fewest switches */
    graph_path walk;       /* from there on, without faults; the waiter waits all along */
    uint64_t hand_offs;    /* graph_find_overtaken: the most that any of the waiters sees */
    bool repeats;          /* graph_find_overtaken: see there */
} graph_wait;

/* LK012, starvation. A closed walk without faults on which one of `waiters` waits and never progresses, under weak
 * fairness: a mover that is enabled in all of its nodes moves on it (one that is enabled only sometimes may be passed
 * over). The first node of such a walk, its lowest waiter, and from there the shortest such walk (a short one, in a
 * very large component), with a hand-off on it if possible. hand_off: only walks with a grant count. The coin is fair:
 * however it falls from any node of the walk, the walk stays possible (an end component of a Markov decision process:
 * de Alfaro, "Formal verification of probabilistic systems", 1997). A node without edges is no walk: that is a
 * deadlock. */
bool graph_find_lasso(arena *a, const graph *g, uint64_t waiters, bool hand_off, graph_wait *out);
/* The same with an unfair coin: it may fall one way for ever. */
bool graph_find_unlucky_lasso(arena *a, const graph *g, uint64_t waiters, graph_wait *out);

/* LK012, the bound; for graphs without a lasso that has a hand-off. True if one of `waiters` can see more than
 * `hand_offs_max` hand-offs on a path without faults while it waits: the first node where such a path begins, its
 * lowest waiter, and the path up to the first hand-off above the bound. out->hand_offs and out->repeats are always
 * filled. A cycle with a hand-off may need an unfair scheduler to repeat for ever, while a fair one can still repeat it
 * any number of times before it leaves. No bound holds then, and the lock is not the cause: the hand-offs inside such a
 * component count as one, which every scheduler can take. out->repeats says that there was such a component. */
bool graph_find_overtaken(arena *a, const graph *g, uint64_t waiters, uint64_t hand_offs_max, graph_wait *out);

/* Marks in `nodes` all nodes on a walk of graph_find_lasso, or where a path of graph_find_overtaken begins. */
void graph_mark_waits(const graph *g, uint64_t waiters, uint64_t hand_offs_max, bool *nodes);

/* The shortest path from node 0, faults included, with the fewest switches of mover; of several the one with the lowest
 * first edge, then the lowest second, and so on. Returns the number of switches. The path lives in `a`. */
uint32_t graph_path_to_node(arena *a, const graph *g, uint32_t node, graph_path *out);
/* The same for paths that end with one of these edges, count >= 1; only edges whose source is nearest to node 0
 * count. */
uint32_t graph_path_by_edges(arena *a, const graph *g, const uint32_t *edges, size_t count, graph_path *out);

#endif
