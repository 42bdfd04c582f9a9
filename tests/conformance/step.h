/* step.h - one step of a history that both servers live through: the clock moves, then one connection sends one
 * command. */
#ifndef LOCKSIM_TESTS_STEP_H
#define LOCKSIM_TESTS_STEP_H

#include "base/str.h"

enum { WORDS_MAX = 48, CONNS_MAX = 3 };

/* What two replies need not agree in; normal.c says why. */
typedef enum {
    EXACT,
    TABLE_ORDER,           /* the order of the elements, where Redis keeps them in a hash table */
    TABLE_ORDER_PAIRS,     /* the same by twos: fields with their values */
    OPEN_ORDER,            /* the order of the elements */
    OPEN_CHOICE,           /* which elements, not how many: they are drawn */
    OPEN_POP,              /* the same, and what was drawn is gone: ours is made to have lost the same */
    SCAN_ROUNDS,           /* the order, and in how many rounds */
    STALE_ERRNO,           /* SORT by numbers may say that one is none */
    REFUSED,               /* whatever it is: locksim may refuse the command by its name */
    NORMAL_KINDS
} normal;

typedef struct {
    int64_t advance_ms;
    int conn;
    normal forgive;
    bool thaw;             /* afterwards our keyspace is frozen and thawed, which must change nothing */
    size_t argc;
    str argv[WORDS_MAX];   /* borrowed */
} step;

#endif
