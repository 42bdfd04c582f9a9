/* visited.h - the states that a breadth-first search has met: of each a fingerprint, a number and a parent, and nothing
 * else. 36 to 38 bytes a state from some hundred thousand on: half of the slots stay empty, so that a look-up costs one
 * cache line. It grows by 64 KiB at a time and never copies itself as a whole. Running out of memory is a result, not
 * the end of the program.
 *
 *     print --> first bits --> directory --> segment of 64 KiB --> last bits --> bucket, a cache line of four slots
 *                                                                                | hi, lo | number + 1 |  x 4
 *     number --> pages of parents: the state from which it was first met; stories are read from there to the first
 * state */
#ifndef LOCKSIM_SEARCH_VISITED_H
#define LOCKSIM_SEARCH_VISITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spill.h"

/* The fingerprint of a state: 96 bits of a good hash of its bytes. Two states with one fingerprint are merged: see
 * visited_odds. */
typedef struct {
    uint64_t hi;
    uint32_t lo;
} print;

#define VISITED_NONE UINT32_MAX        /* no state: a result of visited_find, and the parent of a first state */
#define VISITED_FULL (UINT32_MAX - 1)  /* no room: a result of visited_add */

typedef struct visited visited;

/* It uses at most max_bytes; with 0, what the machine has. */
visited *visited_new(size_t max_bytes);
/* From now on its memory lies in files and does not count. Borrowed. */
void visited_spill(visited *v, const spill *to);
void visited_free(visited *v);

/* Prefetches what visited_add or visited_find will read for `p`: call it some states ahead. */
void visited_prefetch(const visited *v, print p);

/* The number of the state: 0, 1, 2, ... in the order of first meeting. *fresh: it is new, and its `parent` is stored.
 * VISITED_FULL, with nothing changed: it is new, and memory or numbers ran out. (Prints that were chosen to collide in
 * one place, unlike those of a hash, get this result early.) States met before are still found. */
uint32_t visited_add(visited *v, print p, uint32_t parent, bool *fresh);
/* The number of the state, or VISITED_NONE. */
uint32_t visited_find(const visited *v, print p);
/* The parent with which `state` (< visited_count) was added. */
uint32_t visited_parent(const visited *v, uint32_t state);

/* ---- by several threads ----
 * The set is divided into shares, by prints: two threads may add to different shares at the same time. An added state
 * has no number, and is not found, until visited_number numbers it. All other functions are for one thread, while no
 * other uses the set. */

enum { VISITED_SHARE_BITS_MAX = 10 };
/* Into 2^bits shares; once for each set. false: no memory, and nothing changed. */
bool visited_divide(visited *v, unsigned bits);
unsigned visited_share(const visited *v, print p);
typedef struct visited_place visited_place;
/* The place of the state, valid until its share moves places. *fresh: it is new; NULL then means no room. */
visited_place *visited_put(visited *v, print p, bool *fresh);
uint64_t visited_moves(const visited *v, unsigned share);              /* how often the share moved places */
visited_place *visited_again(const visited *v, print p);               /* of a state that is in the set: after a move */
/* Room for `count` more numbers after visited_count. false: there is none. */
bool visited_reserve(visited *v, size_t count);
/* Numbers an unnumbered place, by any thread; each number once. */
void visited_number(visited *v, visited_place *at, uint32_t number, uint32_t parent);
void visited_numbered(visited *v, size_t count);   /* after that many were numbered */

size_t visited_count(const visited *v);
/* All memory that the set uses. */
size_t visited_bytes(const visited *v);

/* An upper bound of the probability that any two of that many distinct states share a fingerprint, so that one was
 * missed. */
double visited_odds(uint64_t states);

/* ---- saving and loading ---- */

/* Each state once, in an order that suits visited_put_again. */
void visited_each(const visited *v, void (*each)(void *context, print p, uint32_t number, uint32_t parent),
                  void *context);
/* Prepares a new set for `count` states; all of them must be put before any other call. false: no memory. */
bool visited_begin_again(visited *v, size_t count);
bool visited_put_again(visited *v, print p, uint32_t number, uint32_t parent);

#endif
