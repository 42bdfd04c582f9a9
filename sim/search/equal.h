/* equal.h - a state and its permutations as one: the fingerprint of a row in its canonical form, where equal clients
 * are sorted by what they are, not by who they are. The form is used for the fingerprint only: rows stay as they were
 * met, so every path through them exists in the real world. The order uses the numbers of parts; forms can be compared
 * only if they use the same numbers. */
#ifndef LOCKSIM_SEARCH_EQUAL_H
#define LOCKSIM_SEARCH_EQUAL_H

#include "search/vector.h"

typedef struct folder folder;
/* NULL: no clients are equal, each state counts for itself. */
folder *folder_new(vectors *t);
void folder_free(folder *f);
size_t folder_bytes(const folder *f);
/* How many forms of rows were made to find the canonical ones: that takes the time of a search. */
uint64_t folder_forms(const folder *f);
/* For a reader of the same tables (vector.h): it finds what `f` has found before. Call it each time after `f` has
 * learned; `own` is its last result, at first NULL. `f` NULL: NULL. */
folder *folder_reader(folder *own, const folder *f, vectors *reader);
void folder_reader_free(folder *own);              /* NULL is fine */

/* `f` NULL: the row itself. Also where something tells the clients apart (parts_apart). */
folded folder_find(folder *f, const vectors *t, const uint32_t *row);

#endif
