/* exhaustive.h - one search of all states (exhaustive.c), for attempts.c, which says which ones are made. */
#ifndef LOCKSIM_SEARCH_EXHAUSTIVE_H
#define LOCKSIM_SEARCH_EXHAUSTIVE_H

#include "search/internal.h"

/* By tables; or, where the time of day is a part of every state (time_of_day: what looks at it), by running everything
 * again. Empty, or why the tables must not be believed. */
str search_states(hunt *h, str time_of_day);

#endif
