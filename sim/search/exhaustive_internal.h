/* exhaustive_internal.h - shared by the files of the search of all states: exhaustive.c goes from level to level,
 * decides when to stop and saves checkpoints; exhaustive_expand.c expands the rows of one level. */
#ifndef LOCKSIM_SEARCH_EXHAUSTIVE_INTERNAL_H
#define LOCKSIM_SEARCH_EXHAUSTIVE_INTERNAL_H

#include "search/checkpoint.h"
#include "search/exhaustive.h"
#include "search/forecast.h"
#include "search/parallel.h"

enum { EXHAUSTIVE_RECENT = 1 << 14 };

/* A happening that leads to a state. Whether the state is new is asked some rows later. */
typedef struct {
    happening x;
    const uint32_t *from;  /* the row it happens in */
    uint32_t state;
    size_t made;           /* the index of its own row, where that is already made */
    bool is_made;
    uint64_t stands_for;
} waiting;

typedef struct {
    hunt *h;
    vectors *t;
    visited *seen;
    level now, next;
    print *recent;         /* states met recently, indexed by a few bits of their prints: most states are met several
                            * times within a few rows */
    waiting *line;
    size_t in, out, line_cap;          /* out: those that have arrived */
    uint32_t *made;        /* rows that are already made, of happenings in line */
    size_t made_count, made_cap;
    parallel *crew;        /* NULL: one thread so far */
    bool alone, halted;    /* alone: one thread must do the rest; halted: while it learned for all */
    bool decided;  /* it is known whether the scenario shows nothing; until then one thread asks at fixed points */
    uint64_t stand_for;    /* the number of states for which those met stand */
    uint32_t depth;
    size_t at;             /* rows of the level `now` that are expanded */
    forecast levels;       /* up to `now` */
    uint64_t states_max;
    uint64_t ran;          /* pieces of Lua that had run at the last must_stop */
    size_t peak_bytes;
    str wrong;             /* why the tables are wrong; empty: they are right so far */
    journal learned;       /* width 0: not recorded */
    size_t attempt;
    int64_t kept_ms;       /* when the last checkpoint was saved, or the search began */
} exhaustive;

/* Expands the remaining rows of the level `now`, with one thread or several; new states form the level `next`. false:
 * the search is over. */
bool exhaustive_expand(exhaustive *s);
/* The canonical form of a row, under which the visited set stores its state. */
folded exhaustive_fold(exhaustive *s, const uint32_t *row);
/* Properties broke in a state, or (x not NULL) in something that happens there. */
void exhaustive_note(exhaustive *s, uint32_t state, size_t choice, const happening *x, uint32_t broken);

/* Has a limit or the end been reached? Also measures, and saves a checkpoint where one is due. */
bool exhaustive_must_stop(exhaustive *s);
void exhaustive_stop_for_memory(exhaustive *s);

#endif
