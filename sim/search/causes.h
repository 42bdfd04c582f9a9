/* causes.h - by which faults, and at whose steps, the properties break that a scenario expects to be broken:
 * scenario/signature.h, over the graph of all states. */
#ifndef LOCKSIM_SEARCH_CAUSES_H
#define LOCKSIM_SEARCH_CAUSES_H

#include "search/graph.h"
#include "search/vector.h"

typedef struct causes causes;
/* NULL: nobody asks (search_options.signatures), or nothing is expected to be broken. All that follows takes NULL for
 * "not asked". */
causes *causes_new(hunt *h, vectors *t);
void causes_free(causes *c);
size_t causes_bytes(const causes *c);
bool causes_asks(const causes *c, property p);

/* While the graph is built, in order: a node; an edge that leaves it; what is broken at that node once nothing but
 * faults can happen. */
void causes_add_node(causes *c, const uint32_t *row);
void causes_add_edge(causes *c, uint32_t edge, const happening *x);
void causes_add_rest(causes *c, uint32_t node, uint32_t broken);
/* Once it is built: from this node on the property breaks as only the whole graph can tell. */
void causes_add_node_of(causes *c, property p, uint32_t node);

/* The property's signature, into the hunt: finding.signature, finding.other_cause. It is in no state broken:
 * nothing. */
void causes_sign(causes *c, const graph *g, property p);
/* Where it breaks by a cause that the scenario does not expect, the first such cause: edges, or (*rest) nodes, in
 * order. The caller frees the list. 0: there is none. */
size_t causes_unexpected(causes *c, const graph *g, property p, uint32_t **list, bool *rest);

#endif
