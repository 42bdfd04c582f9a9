/* against.h - a real program held against the Lua driver that stands for it: what a driven run did is turned into a
 * schedule of a scenario, and request by request client, time, words and answer are compared.
 *
 * Each client of the run is the scenario's client of the same name. What both do by chance may differ: a word in which
 * the driver has an id of its own (me.id, me:unique) stands for one word of the program, always the same. EVAL and
 * EVALSHA are one, and so are scripts that always stand in the same places; that a server was asked for a script that
 * it did not know yet, and given its text, is left out (where time passes in that, or a fault strikes it, the
 * comparison of the run ends). Where the driver chooses or draws (me:choose, me:random, a range), it may do whatever
 * comes nearest
 * to the program. */
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
    str table;             /* and lines: what was alike before it, then what differs, side by side */
    size_t ways;           /* how often the driver was run, to choose otherwise */
} against_result;

/* Are the run's clients the scenario's? false: `e` says who is missing where. */
bool against_fits(const against *with, const str *clients, size_t count, err *e);
/* `real`: of a whole run; `ended`: every program of it ended, so that nothing may follow. In `a`. */
void against_compare(arena *a, const against *with, const story *real, const str *clients, size_t count, bool ended,
                     against_result *out);

/* The two words of one place, in which the driver's ids stand for the program's: for against.c and its test. */
typedef struct { str theirs, ours; } against_pair;
typedef struct {
    arena *a;
    against_pair *at;
    size_t count, cap;
} against_pairs;
/* Is the driver's word what the program's is? Learns a new pair where the driver's has an id of `client` in it. */
bool against_same_word(against_pairs *known, str theirs, str ours, str client);
/* The driver's text with the program's words for its ids. */
str against_in_their_words(const against_pairs *known, str ours);

#endif
