/* advice.h - why a search did not finish, nobody was granted anything, or nothing was shown: the likeliest cause, the
 * place in the user's file, and one change to try. */
#ifndef LOCKSIM_SEARCH_ADVICE_H
#define LOCKSIM_SEARCH_ADVICE_H

#include "search/internal.h"

/* Of a result whose verdict and note stand: fills h->out->advice where it is INCONCLUSIVE or VACUOUS, and says in the
 * note of a pass with one client how a second one is added. */
void advice_give(hunt *h);

#endif
