/* versions.h - two versions of the scripts of one scenario: can any client tell them apart? See world/lockstep.h for
 * how.
 *
 * What a caller that judges many versions does (a thread needs nothing but a scenario, a loader and an arena of its
 * own):
 *
 *   scenario_load(a, &old, path, text, &sc, &e)               once a thread: it holds what was read and compiled
 *   compare_search(b, &sc, &old, &new, &so, &relation, &out)  for each version; `b` may be reset afterwards
 *
 * with so = { .max_states = N, .untold = true } where only the answer counts (no story, which costs a second pass), and
 * relation = { .keys = true } for "no client and no reader of the keys". `new` needs to find scripts only, under the
 * names by which drivers load them ("redisson/fair/acquire.lua"): a loader that gives its own text for one name and
 * asks `old` for all others. Drivers, and what they require, are always `old`'s, and were read when the scenario was
 * first searched. */
#ifndef LOCKSIM_SEARCH_VERSIONS_H
#define LOCKSIM_SEARCH_VERSIONS_H

#include "search/search.h"

typedef enum {
    COMPARE_EQUIVALENT,    /* within the scenario's bounds nobody can tell, nor, where they count, do the keyspaces ever
                            * differ */
    COMPARE_DIFFERENT,     /* a client can tell: LK060 */
    COMPARE_KEYS_DIFFER,   /* no client can tell, but the keyspaces differ: LK061. found.search.complete: no client ever
                            * can */
    COMPARE_UNDECIDED,     /* a limit came first */
    COMPARE_ERROR,         /* found.error says what: the scenario's own (4, 65), or a second version that does not parse
                            * or fit (65) */
} compare_verdict;
const char *compare_verdict_name(compare_verdict v);           /* "EQUIVALENT" ... */

typedef struct {
    compare_verdict verdict;
    /* Nothing but PROPERTY_EQUIVALENT and PROPERTY_SAME_KEYS is judged in it. Of found.error the owner calls
     * err_clear. */
    outcome found;
    bool same_scripts;     /* every script that was asked for has the same text in both versions; false of two
                            * servers */
} compare_outcome;

/* Visits every state of the scenario, or follows its schedule where it has one: its program was written for that.
 * `expect` and `must_see` do not count. Never fails: see COMPARE_ERROR. All of *out lives in `a`. Of `o` the limits,
 * schedule (followed instead), no_memo, untold, context, elapsed_ms and progress count. */
void compare_search(arena *a, const scenario *sc, const loader *old, const loader *new, const search_options *o,
                    const lockstep_relation *relation, compare_outcome *out);

/* Two versions of the client code, each with the scripts that its loader finds: two worlds in lock step, each with a
 * keyspace of its own. Both take the same steps, as long as what anybody outside the client's code can see is the same:
 * requests with their words, what programs are told (announcements, with relation->answers what each call returns, and
 * whatever they do next), and the keyspaces. A
 * step that only one of them can take, and in which nothing of this happens, it takes alone. `second` is the same
 * scenario, read with `new`. Keyspaces count if relation->keys; the rest of the relation is not for client code.
 * Nothing else of `o` counts than in compare_search, but that a schedule cannot be followed: all are looked at, and
 * where a program that was written for one of them ends in an error on another, nothing is decided. */
void compare_clients(arena *a, const scenario *first, const loader *old, const scenario *second, const loader *new,
                     const search_options *o, const lockstep_relation *relation, compare_outcome *out);

#endif
