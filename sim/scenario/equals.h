/* equals.h - which clients are equal: the scenario distinguishes them by their names only, so exchanging their names
 * changes nothing. What their code does with its name is not checked here: a caller that relies on equality also runs
 * the code under other names.
 *
 * A permutation of equal clients renames the ids in a text (ids.h). Names of equal clients have one length, so that
 * this can be done in place. */
#ifndef LOCKSIM_SCENARIO_EQUALS_H
#define LOCKSIM_SCENARIO_EQUALS_H

#include "scenario/ids.h"

/* Classes with more members are not folded, as all their orders are tried. */
enum { EQUALS_CLIENTS_MAX = 32, EQUALS_CLASS_MAX = 7 };

typedef struct { uint8_t to[EQUALS_CLIENTS_MAX]; } permutation;        /* client i takes the place of client to[i] */

/* For tests of the tests: what is not renamed or not checked, a bit each. */
enum { EQUALS_WITHOUT_KEYS = 1, EQUALS_WITHOUT_REQUESTS = 2, EQUALS_WITHOUT_ANSWERS = 4, EQUALS_WITHOUT_MESSAGES = 8,
       EQUALS_WITHOUT_CHANNELS = 16, EQUALS_WITHOUT_STATES = 32, EQUALS_WITHOUT_MONITORS = 64,
       EQUALS_WITHOUT_PROCESSES = 128, EQUALS_WITHOUT_SECOND = 256,
       EQUALS_WITHOUT_SPELLING = 512, EQUALS_WITHOUT_CONNECTIONS = 1024,
       EQUALS_WITHOUT_WAITERS = 2048, EQUALS_WITHOUT_ALL = 4095 };

typedef struct {
    const scenario *sc;
    unsigned without;
    const scenario *second;            /* the same world under other names, in the opposite order and longer */
    size_t count;                      /* of clients */
    uint8_t first[EQUALS_CLIENTS_MAX]; /* the first client of each client's class */
} equals;

/* NULL: no two clients are equal, and *why says what distinguishes them, or why equality cannot be used. In `a`;
 * borrows `sc`. */
const equals *equals_of(arena *a, const scenario *sc, unsigned without, str *why);

permutation permutation_none(void);
permutation permutation_swap(size_t i, size_t k);
permutation permutation_then(const permutation *first, const permutation *next);
permutation permutation_back(const permutation *x);
bool permutation_is_none(const permutation *x);
bool permutation_equal(const permutation *x, const permutation *y);

/* In place. */
void equals_rename(const equals *eq, const permutation *x, char *bytes, size_t n);
/* The same of a copy in `a`; `s` itself where no id is in it. */
str equals_renamed(arena *a, const equals *eq, const permutation *x, str s);
/* The text in the second naming, or with the ids of client `naming` and of the first of its class exchanged. bare: a
 * text that is just a client's name is renamed, too. */
enum { EQUALS_SECOND = EQUALS_CLIENTS_MAX };
str equals_named(arena *a, const equals *eq, size_t naming, bool bare, str s);

#endif
