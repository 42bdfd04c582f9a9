/* whole.h - what only the graph of all states can tell: the second pass of an exhaustive search. */
#ifndef LOCKSIM_SEARCH_WHOLE_H
#define LOCKSIM_SEARCH_WHOLE_H

#include "search/level.h"
#include "search/vector.h"

/* After the first pass, which met the states in `seen` and expanded those numbered below `expanded`: judges who waits
 * for ever (LK011, LK012) and what is left at rest (LK030), and gives every finding its schedule: of the shortest ways
 * one with the fewest switches. Where the graph does not fit into the limits, the findings keep some shortest way, and
 * what only the graph can tell is undecided. */
void whole_search(hunt *h, vectors *t, const visited *seen, uint32_t expanded);

/* way.c: a way through the states as the places of its steps among all that can happen, and as a schedule. */
typedef struct {
    uint32_t *choices;
    size_t count, cap;
    size_t loop;           /* the steps from here on lead back to the state there; SIZE_MAX: they do not */
    bool rests;            /* ... and are taken until the world, which then has seen it, comes to rest */
} way;
void way_add(way *to, uint32_t choice);
/* The parents that the first search kept. false: an error, in the hunt. */
bool way_to_state(vectors *t, const visited *seen, uint32_t state, way *out);
/* The same for the rows of many states, one after the other: what two ways have in common is gone once. */
typedef struct walker walker;
walker *walker_new(vectors *t, const visited *seen);
void walker_free(walker *w);
/* Borrowed until the next call; NULL: an error, in the hunt. *steps grows by those that were taken. */
const uint32_t *walker_to(walker *w, uint32_t state, size_t *steps);
/* Takes the way in a real world, which knows its steps by name. Empty: it could not be taken. */
str way_tell(hunt *h, vectors *t, const way *w, property p);

#endif
