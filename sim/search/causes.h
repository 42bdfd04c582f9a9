/* causes.h - for properties that a scenario expects to break: by which faults, and in whose steps, they break. The form
 * is scenario/signature.h, the source the graph of all states. */
#ifndef LOCKSIM_SEARCH_CAUSES_H
#define LOCKSIM_SEARCH_CAUSES_H

#include "search/graph.h"
#include "search/vector.h"

typedef struct causes causes;
/* NULL: not wanted (search_options.signatures), or nothing is expected to break. The functions below accept NULL. */
causes *causes_new(hunt *h, vectors *t);
void causes_free(causes *c);
size_t causes_bytes(const causes *c);
bool causes_asks(const causes *c, property p);

/* While the graph is built, in order: a node; an edge that leaves it; what breaks at that node where only faults can
 * still happen. */
void causes_add_node(causes *c, const uint32_t *row);
void causes_add_edge(causes *c, uint32_t edge, const happening *x);
void causes_add_rest(causes *c, uint32_t node, uint32_t broken);
/* After it is built: from this node on the property breaks, as only the whole graph shows. */
void causes_add_node_of(causes *c, property p, uint32_t node);

/* Stores the property's signature in the hunt: finding.signature, finding.other_cause. Nothing if it never breaks. */
void causes_sign(causes *c, const graph *g, property p);
/* The first cause that the scenario does not expect: edges, or (*rest) nodes, in order. The caller frees the list. 0:
 * every cause is expected. */
size_t causes_unexpected(causes *c, const graph *g, property p, uint32_t **list, bool *rest);

#endif
