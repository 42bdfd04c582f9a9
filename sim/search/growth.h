/* growth.h - what keeps growing where a search by tables did not end. */
#ifndef LOCKSIM_SEARCH_GROWTH_H
#define LOCKSIM_SEARCH_GROWTH_H

#include "search/whole.h"

/* What kept changing and never repeated, on a shortest way to `state`: "the key `n` (5, 6, 7, ...)". Empty: nothing. */
str growth_say(hunt *h, vectors *t, const visited *seen, uint32_t state);

#endif
