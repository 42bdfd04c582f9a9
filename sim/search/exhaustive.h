/* exhaustive.h - one search of all states (exhaustive.c); attempts.c decides which ones are made. */
#ifndef LOCKSIM_SEARCH_EXHAUSTIVE_H
#define LOCKSIM_SEARCH_EXHAUSTIVE_H

#include "search/internal.h"

/* By tables; or, where the time of day is part of every state (time_of_day: the code that reads it), by running
 * everything again. Empty, or why the tables were wrong. */
str search_states(hunt *h, str time_of_day);

#endif
