/* exhaustive_internal.h - what the parts of the search of all states share: exhaustive.c goes from level to level, says
 * when to stop and keeps checkpoints; exhaustive_expand.c goes on from the rows of one level. */
#ifndef LOCKSIM_SEARCH_EXHAUSTIVE_INTERNAL_H
#define LOCKSIM_SEARCH_EXHAUSTIVE_INTERNAL_H

#include "search/checkpoint.h"
#include "search/exhaustive.h"
#include "search/forecast.h"
#include "search/parallel.h"

enum { EXHAUSTIVE_RECENT = 1 << 14 };

/* A happening that leads to a state: whether that is new is asked some rows later. */
typedef struct {
    happening x;
    const uint32_t *from;  /* the row it happens in */
    uint32_t state;
    size_t made;           /* the place of its own row, where that is made already */
    bool is_made;
    uint64_t stands_for;
} waiting;

typedef struct {
    hunt *h;
    vectors *t;
    visited *seen;
    level now, next;
    print *recent;         /* states that were met lately, by a few bits of their prints: most are met several times in
                            * a row */
    waiting *line;
    size_t in, out, line_cap;          /* out: those that have arrived */
    uint32_t *made;        /* rows of those in line that are made already */
    size_t made_count, made_cap;
    parallel *crew;        /* NULL: one thread so far */
    bool alone, halted;    /* alone: one thread must do the rest; halted: while it learned for all */
    bool decided;          /* whether the scenario shows nothing: until then one thread asks when it always asks */
    uint64_t stand_for;    /* states that were met stand for so many */
    uint32_t depth;
    size_t at;             /* of the level `now`: gone on from so many */
    forecast levels;       /* up to `now` */
    uint64_t states_max;
    uint64_t ran;          /* pieces of Lua, when must_stop was asked last */
    size_t peak_bytes;
    str wrong;             /* why the tables must not be believed; empty: they may */
    journal learned;       /* width 0: nothing is kept */
    size_t attempt;
    int64_t kept_ms;       /* when the last checkpoint was made, or the search began */
} exhaustive;

/* Goes on from the rows of the level `now` that are left, with one thread or several; the states that are new are the
 * level `next`. false: the search is over. */
bool exhaustive_expand(exhaustive *s);
/* The canonical form of a row: what the visited set knows its state by. */
folded exhaustive_fold(exhaustive *s, const uint32_t *row);
/* Properties broke in a state, or (x not NULL) in what happens there. */
void exhaustive_note(exhaustive *s, uint32_t state, size_t choice, const happening *x, uint32_t broken);

/* Is there a limit that was reached, or an end? Measures, and keeps a checkpoint where one is due. */
bool exhaustive_must_stop(exhaustive *s);
void exhaustive_stop_for_memory(exhaustive *s);

#endif
