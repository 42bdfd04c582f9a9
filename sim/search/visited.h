/* visited.h - the states that a breadth-first search has met: of each a fingerprint, a number and a parent, and nothing
 * else. 36 to 38 bytes a state, however many there are once they are some hundred thousand: half of the slots stay
 * empty, so that looking costs one line of memory. It grows by 64 KiB at a time and never copies itself as a whole;
 * running out of memory is an answer, not the end of the program.
 *
 *     print --> first bits --> directory --> segment of 64 KiB --> last bits --> bucket, a cache line of four slots
 *                                                                                | hi, lo | number + 1 |  x 4
 *     number --> pages of parents: the state from which it was met first; a story is read from there to the first state
 */
#ifndef LOCKSIM_SEARCH_VISITED_H
#define LOCKSIM_SEARCH_VISITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spill.h"

/* The fingerprint of a state: 96 bits of a good hash of its bytes. Two states of one fingerprint are taken for one:
 * visited_odds. */
typedef struct {
    uint64_t hi;
    uint32_t lo;
} print;

#define VISITED_NONE UINT32_MAX        /* no state: what visited_find answers, and the parent of a first state */
#define VISITED_FULL (UINT32_MAX - 1)  /* no room: what visited_add answers */

typedef struct visited visited;

/* It takes max_bytes at most, or what the machine gives if max_bytes is 0. */
visited *visited_new(size_t max_bytes);
/* From now on what it takes lies in files, and counts for nothing. Borrowed. */
void visited_spill(visited *v, const spill *to);
void visited_free(visited *v);

/* Fetches what visited_add or visited_find will read for `p`: worth calling some states ahead. */
void visited_prefetch(const visited *v, print p);

/* The number of the state: 0, 1, 2, ... in the order of first meeting. *fresh: it was not there, and `parent` is kept
 * for it. VISITED_FULL, and nothing changed: it was not there, and memory or numbers ran out. (Prints chosen so as to
 * fall into one place, which a hash does not give, get this answer early.) States met before keep being found. */
uint32_t visited_add(visited *v, print p, uint32_t parent, bool *fresh);
/* The number of the state, or VISITED_NONE. */
uint32_t visited_find(const visited *v, print p);
/* What was given when `state` (< visited_count) was added. */
uint32_t visited_parent(const visited *v, uint32_t state);

/* ---- by several threads ----
 * The set divided into shares, by prints: two threads may add to different shares at one time. What was added has no
 * number until visited_number gives it one, and is not found before. All else is for one thread, while no other uses
 * the set. */

enum { VISITED_SHARE_BITS_MAX = 10 };
/* 2^bits shares; of a set that was not divided before. false: no memory, and nothing changed. */
bool visited_divide(visited *v, unsigned bits);
unsigned visited_share(const visited *v, print p);
typedef struct visited_place visited_place;
/* Where the state is, until the places of its share move. *fresh: it was not there; then NULL: no room. */
visited_place *visited_put(visited *v, print p, bool *fresh);
uint64_t visited_moves(const visited *v, unsigned share);              /* how often they did */
visited_place *visited_again(const visited *v, print p);               /* of a state that is there: after a move */
/* Room for so many more numbers: visited_count and what follows. false: there is none. */
bool visited_reserve(visited *v, size_t count);
/* Of a place without a number, by any thread; each number once. */
void visited_number(visited *v, visited_place *at, uint32_t number, uint32_t parent);
void visited_numbered(visited *v, size_t count);   /* so many were given */

size_t visited_count(const visited *v);
/* All memory that the set uses. */
size_t visited_bytes(const visited *v);

/* At most this is the chance that any two of so many distinct states share a fingerprint, so that one was missed. */
double visited_odds(uint64_t states);

/* ---- kept, and begun again ---- */

/* Each state once, in an order in which they can be put again one after the other. */
void visited_each(const visited *v, void (*each)(void *context, print p, uint32_t number, uint32_t parent),
                  void *context);
/* A new set of so many states, which are all put again before anything else is asked of it. false: no memory. */
bool visited_begin_again(visited *v, size_t count);
bool visited_put_again(visited *v, print p, uint32_t number, uint32_t parent);

#endif
