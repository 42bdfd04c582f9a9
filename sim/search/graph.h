/* graph.h - the graph of all states of a search, and what only the whole graph can tell: who can never pass its wait,
 * who can be passed over for ever though scheduling is fair, where a run comes to rest, and which of the shortest paths
 * changes hands least often. It knows nothing of worlds. Nodes are numbered breadth-first from the start, 0; all
 * results depend on the numbers alone. */
#ifndef LOCKSIM_SEARCH_GRAPH_H
#define LOCKSIM_SEARCH_GRAPH_H

#include <stdbool.h>

#include "base/arena.h"

/* Numbers from 0 on: they are bits of a mask. One bit of a mover's mask is kept back. */
enum { GRAPH_MOVERS_MAX = 63, GRAPH_WAITERS_MAX = 64 };
/* Nodes, and edges but one, that fit. */
#define GRAPH_NODES_MAX ((uint32_t)INT32_MAX)
#define GRAPH_EDGES_MAX (UINT32_MAX - 1)

typedef struct {
    uint32_t to;
    uint32_t mover;        /* whose move it is: a process, a message, time */
    uint64_t progress;     /* bit t: waiter t passes its wait here; it was granted or gave up */
    bool fault;            /* happens only if somebody is unlucky: no property may count on it */
    bool hand_off;         /* somebody was granted */
    bool coin;             /* a fair coin falls so: with all the others of its mover that leave the same node, it is one
                            * move */
} graph_edge;

typedef struct graph graph;

/* ---- building ---- */

/* Bits of `nobody` are movers that no reader follows (time, servers): between two moves of A they are no switch. They
 * are as fair as everybody else. */
graph *graph_open(uint64_t nobody);
void graph_close(graph *g);                        /* NULL is fine */
/* Movers that nobody holds up for ever: in graph_find_lasso, one of them that is enabled in some node of a component
 * must move there. Time is such a mover: a loop that takes none while it could pass is no starvation. */
void graph_set_unstoppable(graph *g, uint64_t movers);
/* The next node, in order: who waits there, and whether every program has ended. The edges added from now on leave it.
 * A state that the search did not expand is added with waits 0 and not ended: nothing will be concluded from it. */
uint32_t graph_add_node(graph *g, uint64_t waits, bool ended);
/* Returns the edge's number; edges are numbered in the order they come. `to` is a node seen before or the next new one.
 * Moves that change nothing are edges, too: a mover is enabled in a node exactly if an edge without `fault` leaves it
 * by this mover. */
uint32_t graph_add_edge(graph *g, graph_edge e);

uint32_t graph_node_count(const graph *g);
uint32_t graph_edge_count(const graph *g);
graph_edge graph_get_edge(const graph *g, uint32_t edge);
uint32_t graph_edge_source(const graph *g, uint32_t edge);         /* by bisection */
/* an edge's number less this is its place among its node's edges */
uint32_t graph_first_edge(const graph *g, uint32_t node);
uint32_t graph_edges_end(const graph *g, uint32_t node);           /* one behind the last of them */
uint32_t graph_depth(const graph *g, uint32_t node);               /* edges of a shortest path to it, by bisection */
/* in use: 8 a node, 8 an edge, and one entry for each different label and level */
size_t graph_bytes(const graph *g);

/* ---- asking: every node that an edge leads to must have been added. Time is near-linear; memory, 12 to 24 bytes a
 * node, is given back. */

typedef struct {
    uint32_t *edges;
    size_t count;
} graph_path;

/* Strongly connected components over the edges without faults. Returns the number of components; of[node] is filled
 * with the component's number, and no edge leads to a higher one. bottom[node]: nothing leaves its component. Both have
 * room for all nodes; bottom may be NULL. */
uint32_t graph_find_components(const graph *g, uint32_t *of, bool *bottom);

/* LK011. A node and a waiter such that it waits there, and no path without faults from there lets it progress or ends
 * its waiting: proved, for these are all paths there are. The first such node; of its waiters the lowest. */
bool graph_find_deadlock(const graph *g, uint32_t *node, uint32_t *waiter);

/* All such nodes, marked in `nodes`, which has room for all. */
void graph_mark_deadlocks(const graph *g, bool *nodes);

/* LK030. The nodes where a run has come to rest: ended, and on a cycle without faults of ended nodes, or with nothing
 * left but faults. In order; the list lives in `a`. */
uint32_t graph_find_rest(arena *a, const graph *g, uint32_t **nodes);

typedef struct {
    uint32_t waiter, start;
    graph_path stem;       /* from the start of the graph to `start`: shortest, with the fewest switches */
    graph_path walk;       /* from there on, without faults; the waiter waits all along */
    uint64_t hand_offs;    /* graph_find_overtaken: the most that any of the waiters sees */
    bool repeats;          /* graph_find_overtaken: see there */
} graph_wait;

/* LK012, starvation. A closed walk without faults on which one of `waiters` waits and never progresses, fair to
 * everybody: a mover that is enabled in all of its nodes moves on it (weak fairness; who is enabled only now and then
 * may be passed over). The first node of such a walk, of its waiters the lowest, and from there the shortest such walk
 * (a short one, where the component is very large), with a hand-off on it if one can be had. hand_off: look only for
 * walks on which somebody is granted. The coin is fair: however it falls from any node of the walk, the same is still
 * possible (an end component of a Markov decision process: de Alfaro, "Formal verification of probabilistic systems",
 * 1997). A node without any edge is no walk: that is a deadlock. */
bool graph_find_lasso(arena *a, const graph *g, uint64_t waiters, bool hand_off, graph_wait *out);
/* The same where nobody trusts the coin: it may fall one way for ever. */
bool graph_find_unlucky_lasso(arena *a, const graph *g, uint64_t waiters, graph_wait *out);

/* LK012, the bound; meant for graphs without a lasso that has a hand-off. True if one of `waiters` can see more than
 * `hand_offs_max` hand-offs on a path without faults while it waits: the first node where such a path begins, of its
 * waiters the lowest, and the path up to the hand-off that is one too many. out->hand_offs and out->repeats are filled
 * either way. Where a cycle has a hand-off, but only an unfair scheduler goes round it for ever, a fair one may still
 * go round as often as it likes before it leaves. No number holds against that, and the lock is not at fault: the
 * component's own hand-offs count as one, which every scheduler can take. out->repeats says that there was such a
 * component. */
bool graph_find_overtaken(arena *a, const graph *g, uint64_t waiters, uint64_t hand_offs_max, graph_wait *out);

/* All nodes where a walk of graph_find_lasso goes round, or from which one of graph_find_overtaken begins, marked in
 * `nodes`. */
void graph_mark_waits(const graph *g, uint64_t waiters, uint64_t hand_offs_max, bool *nodes);

/* Of the shortest paths from node 0, faults included, the one with the fewest switches of mover; of those the one with
 * the lowest first edge, then the lowest second, and so on. Returns the number of switches. The path lives in `a`. */
uint32_t graph_path_to_node(arena *a, const graph *g, uint32_t node, graph_path *out);
/* The same for paths that end with one of these edges, count >= 1; only those that start nearest to node 0 matter. */
uint32_t graph_path_by_edges(arena *a, const graph *g, const uint32_t *edges, size_t count, graph_path *out);

#endif
