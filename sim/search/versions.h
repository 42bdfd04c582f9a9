/* versions.h - two versions of the scripts of one scenario: can any client tell them apart? lockstep/lockstep.h says
 * how.
 *
 * A caller that judges many versions (each thread has its own scenario, loader and arena):
 *
 *   scenario_load(a, &old, path, text, &sc, &e)               once a thread: it keeps what was read and compiled
 *   compare_search(b, &sc, &old, &new, &so, &relation, &out)  for each version; `b` may be reset afterwards
 *
 * with so = { .max_states = N, .untold = true } where only the answer counts (no story, which costs a second pass), and
 * relation = { .keys = true } for "no client and no reader of the keys". `new` needs to find scripts only, under the
 * names by which drivers load them ("redisson/fair/acquire.lua"): a loader that gives its own text for one name and
 * asks `old` for all others. Drivers and the modules that they require always come from `old`, and were read when the
 * scenario was first searched. */
#ifndef LOCKSIM_SEARCH_VERSIONS_H
#define LOCKSIM_SEARCH_VERSIONS_H

#include "search/search.h"

typedef enum {
    COMPARE_EQUIVALENT,  /* within the scenario's bounds no client can tell; where keyspaces count, they never differ */
    COMPARE_DIFFERENT,     /* a client can tell: LK060 */
    COMPARE_KEYS_DIFFER,   /* no client can tell, but the keyspaces differ: LK061. found.search.complete: in no state
                            * can a client tell */
    COMPARE_UNDECIDED,     /* a limit came first */
    COMPARE_ERROR,         /* found.error says what: the scenario's own (4, 65), or a second version with a syntax
                            * error or other KEYS (65) */
} compare_verdict;
const char *compare_verdict_name(compare_verdict v);           /* "EQUIVALENT" ... */

typedef struct {
    compare_verdict verdict;
    /* Judges only PROPERTY_EQUIVALENT and PROPERTY_SAME_KEYS. The owner calls err_clear for found.error. */
    outcome found;
    bool same_scripts;  /* every script that was asked for has the same text in both versions; false for two servers */
} compare_outcome;

/* Visits every state of the scenario. If it has a schedule, follows that instead: its program was written for it.
 * `expect` and `must_see` do not count. Never fails: see COMPARE_ERROR. All of *out lives in `a`. Of `o` it uses the
 * limits, schedule (to be followed), no_memo, untold, context, elapsed_ms and progress. */
void compare_search(arena *a, const scenario *sc, const loader *old, const loader *new, const search_options *o,
                    const lockstep_relation *relation, compare_outcome *out);

/* Two versions of the client code, each with the scripts that its loader finds: two worlds in lock step, each with its
 * own keyspace. Both take the same steps as long as everything visible outside the client code is equal: requests with
 * their words, what programs are told (announcements, and with relation->answers what each call returns), what programs
 * do next, and the keyspaces. A step that only one version can take, and that shows nothing outside, it takes alone.
 * `second` is the same scenario, read with `new`. Keyspaces count if relation->keys; the rest of the relation is not
 * for client code. Uses the same fields of `o` as compare_search, but cannot follow a schedule: all schedules are
 * tried. Where a program that was written for one schedule ends in an error on another, the result is undecided. */
void compare_clients(arena *a, const scenario *first, const loader *old, const scenario *second, const loader *new,
                     const search_options *o, const lockstep_relation *relation, compare_outcome *out);

#endif
