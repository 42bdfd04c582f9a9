/* whole_internal.h - what the files of the second pass share: whole.c (the graph), whole_ways.c (the way to each
 * finding), whole_judge.c (LK011, LK030), whole_waiting.c (LK012); where equal clients count once, whole_equal.c (who
 * waits for ever) and whole_plain.c (the way to each finding). */
#ifndef LOCKSIM_SEARCH_WHOLE_INTERNAL_H
#define LOCKSIM_SEARCH_WHOLE_INTERNAL_H

#include "base/mem.h"
#include "search/causes.h"
#include "search/graph.h"
#include "search/whole.h"

/* In the graph for ways, the movers are the clients; in the one for fairness, each task is a mover. */
enum { MOVER_TIME = GRAPH_MOVERS_MAX - 1 };

typedef struct { uint32_t *items; size_t count, cap; } numbers;

typedef struct {
    hunt *h;
    vectors *t;
    const visited *seen;
    uint32_t expanded;
    graph *g;
    causes *c;             /* NULL: not wanted */
    numbers leaks;         /* nodes where every program has ended and something is left */
    numbers ends[PROPERTY_COUNT];      /* edges, or nodes for violations at rest, at the depth of the finding */
    bool crowded;          /* there are more movers than a graph has bits */
    uint64_t waiters;      /* all that wait in some state */
    /* Where equal clients count once: */
    uint64_t *waits;       /* by node */
    uint64_t *stuck;       /* by node: who waits there for ever; NULL: not computed */
    numbers forms, turns;  /* permutations to the canonical form: by node, of its row; by edge, of the row it leads
                            * to */
    size_t waits_cap;
} whole;

static inline void add_number(numbers *n, uint32_t v)
{
    MEM_RESERVE(n->items, n->cap, n->count + 1);
    n->items[n->count++] = v;
}

/* Is it still to be judged? */
static inline bool is_open(const whole *w, property p)
{
    return w->h->sc->model.judged[p] && !w->h->found[p].yes && !w->h->stopped;
}

/* ... or, if it is expected to break, are its causes wanted? */
static inline bool is_asked(const whole *w, property p)
{
    return is_open(w, p) || causes_asks(w->c, p);
}

/* whole.c: the graph of all states, for the fairness to waiters of this lock, or (no lock) for ways. NULL: it did not
 * fit, or an error. */
graph *whole_graph(whole *w, str lock);

/* whole_ways.c */
void whole_add_edges(const graph *g, const uint32_t *edges, size_t count, way *out);
void whole_found(whole *w, property p, const way *to);  /* makes a way that only this pass could find the finding */
void whole_sign(whole *w, bool waits_told_apart);              /* the causes of expected violations */
void whole_tell(whole *w);                                     /* gives each finding of the first pass its schedule */

/* The way to the first of the nodes that is reached with the fewest switches. */
void whole_way_to_rest(arena *a, const graph *g, const numbers *nodes, graph_path *best);

/* whole_judge.c */
/* The shortest cycle from `node` to itself, in its component (of[]), whose last step is time: the real world detects
 * cycles after time has passed. false: there is none. */
bool whole_cycle_by_time(const graph *g, const uint32_t *of, uint32_t node, numbers *cycle);
void whole_judge_leaks(whole *w);
bool whole_leaks(whole *w);                        /* would it find anything? */
void whole_judge_deadlock(whole *w);
void whole_mark(whole *w);                                     /* LK030 and LK011 for causes, in all of the graph */

/* whole_waiting.c */
void whole_judge_waiting(whole *w);

/* whole_equal.c: fills in w->stuck. false: there are more waiters than bits. */
bool whole_find_stuck(whole *w);

/* whole_plain.c: as their namesakes, where equal clients count once. */
bool whole_plain_way(whole *w, property p, way *out);
void whole_plain_deadlock(whole *w);
void whole_plain_leak(whole *w, const numbers *goals);         /* nodes where something is left for ever */

#endif
