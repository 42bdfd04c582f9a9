/* checkpoint.h - an exhaustive search between two of its rows, as bytes, and back. Instead of what was learned it holds
 * what was learned from, in order: the same questions in the same order teach the same, under the same numbers. So a
 * checkpoint holds rows, prints and counts, and nothing of Lua.
 *
 *     | standing | found | met | journal | visited set: print, number, parent | rows of this level | of the next |
 *
 * The bytes are valid for this build and machine only; the caller that stores them (checkpoints, search.h) checks
 * that. */
#ifndef LOCKSIM_SEARCH_CHECKPOINT_H
#define LOCKSIM_SEARCH_CHECKPOINT_H

#include "search/forecast.h"
#include "search/level.h"
#include "search/vector.h"

/* The rows from which something was learned, each after what was asked of it and how much was known afterwards.
 * Zero-initialise; mem_free the words. */
typedef enum { ASKED_LOOK, ASKED_AMPLE, ASKED_FOLD, ASKED_SETTLE } asked_kind;
typedef struct {
    uint32_t *words;
    size_t count, cap, width;          /* width: of a row */
} journal;
/* How much the tables know: a question that does not change it taught nothing. */
uint64_t journal_known(vectors *t);
void journal_add(journal *j, vectors *t, asked_kind kind, const uint32_t *row);

/* How far the search has come. Written as bytes: padding must be zero. */
typedef struct {
    uint64_t at;           /* rows of this level that are expanded */
    uint64_t transitions, same, stand_for, ran, peak_bytes, depth, decided;
    forecast levels;
} standing;

typedef struct {
    hunt *h;
    vectors *t;
    visited *seen;
    level *now, *next;
    journal *learned;
    size_t attempt;        /* a search may start again: the number of this attempt */
} checkpointed;
/* false: it could not be stored; that was reported. */
bool checkpoint_save(const checkpointed *c, const standing *at);
/* Loads it into new tables, an empty visited set and empty levels. false: nothing is stored for this attempt, or
 * (h->failed) these tables learn something else. */
bool checkpoint_load(const checkpointed *c, standing *at);

#endif
