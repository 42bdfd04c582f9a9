/* parallel.h - the rows of a level gone on from by several threads, with the very results of one: the states get the
 * same numbers, parents and rows, and what has to be learned is learned in the same order.
 *
 *     rows of the level    | slice | slice | slice | ...                                          who
 *     1. look up           what happens there; rows of which something is not known are set aside all, a slice each
 *     2. learn             those rows, in order                                               one
 *     3. look up again     slices that had such rows                                          all
 *     4. visited set       what is new? each in its shares, in the order of slices                all, a share each
 *     5. number            the new ones, in the order of slices: their rows, their parents        all, a slice each */
#ifndef LOCKSIM_SEARCH_PARALLEL_H
#define LOCKSIM_SEARCH_PARALLEL_H

#include "search/level.h"
#include "search/vector.h"

enum {
    PARALLEL_ROWS_MIN = 1024,                      /* of a level: for fewer it does not pay */
    PARALLEL_SLICE_ROWS = 128,
    PARALLEL_SLICES_MAX = 32,                      /* at once: what happens there shall stay in a core's cache */
};

typedef struct parallel parallel;
/* It divides `seen`. NULL: there is no memory for that. */
parallel *parallel_new(hunt *h, vectors *t, visited *seen, size_t slice_rows);
void parallel_free(parallel *p);                   /* NULL is fine */
size_t parallel_bytes(const parallel *p);

typedef struct {
    const level *now;
    level *next;
    size_t from;           /* rows of `now` before it are done */
    uint64_t room;         /* so many states may still be met */
    /* Looks at the row as one thread does, with all that it tells of it, but meets no state; *count: what happened
     * there. false: it must not go on there. */
    bool (*learn)(void *context, size_t row, size_t *count);
    void *context;
    uint32_t (*asked)(void *context);              /* properties of which a break has to be told: learn does */
} parallel_work;

typedef struct {
    size_t rows;           /* gone on from */
    bool alone;            /* one thread has to go on: a limit of states is near, or an error */
    uint64_t transitions, same;        /* of these rows */
    uint64_t stand_for;    /* the states that were new there */
    bool full;             /* the visited set is: no memory */
    bool low;              /* there is hardly any memory left */
} parallel_done;
/* Goes on from the next rows, with so many threads. */
parallel_done parallel_go_on(parallel *p, const parallel_work *w, size_t threads);

#endif
