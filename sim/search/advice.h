/* advice.h - for a search that did not finish, granted nothing or showed nothing: the likeliest cause, the place in the
 * user's file, and one change to try. */
#ifndef LOCKSIM_SEARCH_ADVICE_H
#define LOCKSIM_SEARCH_ADVICE_H

#include "search/internal.h"

/* After verdict and note are set: fills h->out->advice where the result is INCONCLUSIVE or VACUOUS; for a pass with one
 * client, the note says how to add a second one. */
void advice_give(hunt *h);

#endif
