/* whole.h - the second pass of an exhaustive search: properties that need the graph of all states. */
#ifndef LOCKSIM_SEARCH_WHOLE_H
#define LOCKSIM_SEARCH_WHOLE_H

#include "search/level.h"
#include "search/vector.h"

/* After the first pass, which met the states in `seen` and expanded those numbered below `expanded`: judges who waits
 * for ever (LK011, LK012) and what is left at rest (LK030), and gives every finding its schedule: a shortest way with
 * the fewest switches. If the graph does not fit into the limits, findings keep any shortest way, and these properties
 * are undecided. */
void whole_search(hunt *h, vectors *t, const visited *seen, uint32_t expanded);

/* way.c: a way through the states, as the indices of its steps among all that can happen; and as a schedule. */
typedef struct {
    uint32_t *choices;
    size_t count, cap;
    size_t loop;           /* the steps from here on lead back to the same state; SIZE_MAX: no loop */
    bool rests;            /* ... and are repeated until the world has detected the cycle and is at rest */
} way;
void way_add(way *to, uint32_t choice);
/* A way along the parents of the first search. false: an error, in the hunt. */
bool way_to_state(vectors *t, const visited *seen, uint32_t state, way *out);
/* The same for the rows of many states, one after the other: the common beginning of two ways is taken once. */
typedef struct walker walker;
walker *walker_new(vectors *t, const visited *seen);
void walker_free(walker *w);
/* Borrowed until the next call; NULL: an error, in the hunt. *steps grows by the steps taken. */
const uint32_t *walker_to(walker *w, uint32_t state, size_t *steps);
/* Takes the way in a real world and writes it as a schedule. Empty: it could not be taken. */
str way_tell(hunt *h, vectors *t, const way *w, property p);

#endif
