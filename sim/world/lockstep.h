/* lockstep.h - two versions of the scripts side by side in one world, for `locksim compare`.
 *
 * Clients are the same code on both sides. As long as every answer and message is the same, two worlds in lock step
 * have equal clients, requests, faults and time, and can differ in their keyspaces only. So each server keeps a second
 * keyspace: each request is executed on both, on the second one with the second version's script of the same name; what
 * strikes or ages one keyspace strikes and ages both. Clients get the first version's answers and messages. The first
 * difference that a client can tell breaks PROPERTY_EQUIVALENT, the first between the keyspaces PROPERTY_SAME_KEYS;
 * searches find them as they find any other. A world of two versions looks at no lock (me:observe). */
#ifndef LOCKSIM_WORLD_LOCKSTEP_H
#define LOCKSIM_WORLD_LOCKSTEP_H

#include "client/process.h"

/* What counts as the same. Zero-initialised but for `keys`: everything must be equal, down to the bytes; only what
 * Redis itself says of a script in its error texts (its hash, its line numbers) never counts. */
typedef struct {
    bool keys;             /* keyspaces are compared, too */
    bool answers;          /* of client code: also what each call returns to the program, which need not look */
    const str *ignored;    /* glob patterns of keys that do not count */
    size_t ignored_count;
    /* Not two versions of the scripts but two servers: the second one is of this dialect. What is said of an error
     * beyond its code does not count then, for every server has its own words. */
    bool two_servers;
    dialect dialect;
    int64_t ttl_within_ms; /* TTLs may differ by so much; a key with less than that to live may be gone */
    void *context;
    /* What the answer of this script means, in words that both versions share; called for answers of scripts with a
     * file only. NULL: answers are compared as they are. `common` goes into `a`. false: it failed, and `e` says how. */
    bool (*adapt)(void *context, str script, bool second, const reply *r, arena *a, str *common, err *e);
} lockstep_relation;

typedef struct lockstep lockstep;

/* `second` finds the second version's scripts under the names by which drivers load them; what it does not have is an
 * error of the run (ERR_SCENARIO) when it is asked for. Both must outlive it. One thread at a time. */
lockstep *lockstep_new(const scenario *sc, const loader *second, const lockstep_relation *relation);
void lockstep_free(lockstep *t);
/* every script that was asked for so far has the same text in both versions */
bool lockstep_same_scripts(const lockstep *t);
/* The second server's dialect, where not two versions are compared but two servers; else NULL. */
const dialect *lockstep_second_server(const lockstep *t);

#endif
