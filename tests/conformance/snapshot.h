/* snapshot.h - what the two servers have at one moment of a replay, to be brought back later: what a replica had when
 * it was promoted. */
#ifndef LOCKSIM_TESTS_SNAPSHOT_H
#define LOCKSIM_TESTS_SNAPSHOT_H

#include "base/arena.h"
#include "real.h"

typedef struct {
    int64_t at_ms;         /* the caller's: when it was taken */
    str sim;               /* the caller's: the simulated keyspace, frozen at at_ms */
    const str *real;       /* four a key of the real server: database, key, deadline (0: none), its value as DUMP gives
                            * it */
    size_t count;
} snapshot;

/* The real server's keyspace; nothing is changed. Lives in `a`. */
snapshot snapshot_take(arena *a, real_conn *c);
/* Replaces its keyspace. Deadlines are instants: what has run out at now_ms is gone. The script cache stays as it is.
 * `c` belongs to `r`, whose clock is set back on the way. */
void snapshot_restore(const snapshot *s, real *r, real_conn *c, int64_t now_ms);

#endif
