/* checkpoint.h - an exhaustive search between two of its rows, as bytes, and back. What it has learned is not kept, but
 * what it learned from, in order: where the same is asked in the same order, the same is learned, under the same
 * numbers. So a checkpoint holds rows, prints and counts, and nothing of Lua.
 *
 *     | standing | found | met | journal | visited set: print, number, parent | rows of this level | of the next |
 *
 * Bytes are of this build and machine alone; anyone who keeps them (checkpoints, search.h) sees to it. */
#ifndef LOCKSIM_SEARCH_CHECKPOINT_H
#define LOCKSIM_SEARCH_CHECKPOINT_H

#include "search/forecast.h"
#include "search/level.h"
#include "search/vector.h"

/* What something was learned from: rows, each after what was asked of it and how much was known then. Zero-initialise;
 * mem_free the words. */
typedef enum { ASKED_LOOK, ASKED_FOLD, ASKED_SETTLE } asked_kind;
typedef struct {
    uint32_t *words;
    size_t count, cap, width;          /* width: of a row */
} journal;
/* How much the tables know: what is asked and does not change it taught nothing. */
uint64_t journal_known(vectors *t);
void journal_add(journal *j, vectors *t, asked_kind kind, const uint32_t *row);

/* How far the search is. Compared by nobody, kept as bytes: no padding that is not zero. */
typedef struct {
    uint64_t at;           /* rows of this level that were gone on from */
    uint64_t transitions, same, stand_for, ran, peak_bytes, depth, decided;
    forecast levels;
} standing;

typedef struct {
    hunt *h;
    vectors *t;
    visited *seen;
    level *now, *next;
    journal *learned;
    size_t attempt;        /* a search may begin again: which one this is */
} checkpointed;
/* false: it could not be kept, and that was said. */
bool checkpoint_save(const checkpointed *c, const standing *at);
/* Into tables, a visited set and levels that are as they begin. false: nothing is kept of this attempt, or (h->failed)
 * it is not what these tables learn. */
bool checkpoint_load(const checkpointed *c, standing *at);

#endif
