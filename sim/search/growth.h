/* growth.h - what keeps growing where a search by tables came to no end. */
#ifndef LOCKSIM_SEARCH_GROWTH_H
#define LOCKSIM_SEARCH_GROWTH_H

#include "search/whole.h"

/* What went on changing and never came back, on a shortest way to `state`: "the key `n` (5, 6, 7, ...)". Empty: nothing
 * did. */
str growth_say(hunt *h, vectors *t, const visited *seen, uint32_t state);

#endif
