/* lockstep.h - two versions of the scripts side by side in one world, for `locksim compare`.
 *
 * Clients are the same code on both sides. While every answer and message is equal, two worlds in lock step have equal
 * clients, requests, faults and time; only their keyspaces can differ. So each server keeps a second keyspace
 * (world/mirror.h). Each request is executed on both, on the second one with the second version's script of the same
 * name; faults and time act on both. Clients get the first version's answers and messages. The first difference that a
 * client can tell breaks PROPERTY_EQUIVALENT, the first between the keyspaces PROPERTY_SAME_KEYS; a search finds them
 * as it finds any other violation. */
#ifndef LOCKSIM_LOCKSTEP_LOCKSTEP_H
#define LOCKSIM_LOCKSTEP_LOCKSTEP_H

#include "client/process.h"
#include "world/world.h"

/* What counts as equal. Zero-initialised but for `keys`: everything must be equal, to the byte, except what Redis
 * itself says of a script in its error texts (its hash, its line numbers). */
typedef struct {
    bool keys;             /* keyspaces are compared, too */
    bool answers;  /* of client code: also what each call returns to the program, even if the program ignores it */
    const str *ignored;    /* glob patterns of keys that are not compared */
    size_t ignored_count;
    /* Not two versions of the scripts but two servers: the second one has this dialect. Of errors only the code is
     * compared then, as each server has its own words. */
    bool two_servers;
    dialect dialect;
    int64_t ttl_within_ms; /* TTLs may differ by that much; a key with less than that to live may be gone */
    void *context;
    /* The meaning of a script's answer, in words that both versions share; called only for scripts with a file. NULL:
     * answers are compared as they are. `common` goes into `a`. false: the adapter failed; `e` says how. */
    bool (*adapt)(void *context, str script, bool second, const reply *r, arena *a, str *common, err *e);
} lockstep_relation;

typedef struct lockstep lockstep;

/* `second` finds the second version's scripts under the names by which drivers load them; a missing one is an error of
 * the run (ERR_SCENARIO) when it is asked for. Both must outlive it. One thread at a time. */
lockstep *lockstep_new(const scenario *sc, const loader *second, const lockstep_relation *relation);
void lockstep_free(lockstep *t);
struct mirror *lockstep_mirror(lockstep *t);       /* world_options.mirror: part of `t`; NULL if `t` is */
/* is the text of every script asked for so far the same in both versions? */
bool lockstep_same_scripts(const lockstep *t);
/* The second server's dialect, where two servers are compared; else NULL. */
const dialect *lockstep_second_server(const lockstep *t);

#endif
