/* against.h - compares a real program with the Lua driver that models it: a driven run becomes a schedule of a
 * scenario, and client, time, words and answer are compared request by request.
 *
 * Each client of the run is the scenario's client of the same name. Random words may differ: a word in which the driver
 * has an id of its own (me.id, me:unique) corresponds to one word of the program, always the same. EVAL and EVALSHA
 * count as equal, and so do scripts that always occur in the same places. The extra request that tells a server an
 * unknown script is left out (if time passes in it, or a fault strikes it, the comparison of the run ends). Where the
 * driver chooses or draws (me:choose, me:random, a range), the choice that is nearest to the program counts. */
#ifndef LOCKSIM_DRIVE_AGAINST_H
#define LOCKSIM_DRIVE_AGAINST_H

#include "scenario/scenario.h"
#include "world/story.h"

/* All borrowed. */
typedef struct {
    const scenario *sc;    /* its clients are those of the run */
    const loader *l;
    int64_t slow_ms;       /* how long requests and answers of the run may have taken */
} against;

typedef struct {
    bool differs;
    bool failed;           /* the driver or the scenario ended with an error: `reason` */
    size_t requests;       /* of the program that were compared */
    str reason;            /* of a difference: a sentence */
    str table;             /* and lines: the equal part before it, then the difference, side by side */
    size_t ways;           /* how often the driver was run, to choose otherwise */
} against_result;

/* Are the run's clients the scenario's? false: `e` says which one is missing where. */
bool against_fits(const against *with, const str *clients, size_t count, err *e);
/* `real`: of a whole run; `ended`: every program of it ended, so that nothing may follow. In `a`. */
void against_compare(arena *a, const against *with, const story *real, const str *clients, size_t count, bool ended,
                     against_result *out);

/* The two words of one place, where the driver's ids correspond to the program's: for against.c and its test. */
typedef struct { str theirs, ours; } against_pair;
typedef struct {
    arena *a;
    against_pair *at;
    size_t count, cap;
} against_pairs;
/* Does the driver's word equal the program's? Learns a new pair if the driver's has an id of `client` in it. */
bool against_same_word(against_pairs *known, str theirs, str ours, str client);
/* The driver's text with its ids replaced by the program's words. */
str against_in_their_words(const against_pairs *known, str ours);

#endif
