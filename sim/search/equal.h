/* equal.h - a state and its permutations as one: the fingerprint of a row in its canonical form, in which equal clients
 * stand in an order that what they are decides, not who they are. Which form that is nobody sees: rows stay as they
 * were met, so that every way through them is one of the real world. The order goes by the numbers of parts; a form is
 * compared only with forms made of the same numbers. */
#ifndef LOCKSIM_SEARCH_EQUAL_H
#define LOCKSIM_SEARCH_EQUAL_H

#include "search/vector.h"

typedef struct folder folder;
/* NULL: no clients are equal, each state is for itself. */
folder *folder_new(vectors *t);
void folder_free(folder *f);
size_t folder_bytes(const folder *f);
/* For a reader of the same tables (vector.h), which finds what `f` has found before: each time after `f` has learned;
 * `own` is what it returned before, at first NULL. Of `f` NULL: NULL. */
folder *folder_reader(folder *own, const folder *f, vectors *reader);
void folder_reader_free(folder *own);              /* NULL is fine */

/* With `f` NULL the row itself. Where something tells the clients apart (parts_apart) the row itself, too. */
folded folder_find(folder *f, const vectors *t, const uint32_t *row);

#endif
