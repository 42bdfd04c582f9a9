/* settle.h - how a run goes on when nothing is chosen. */
#ifndef LOCKSIM_SEARCH_SETTLE_H
#define LOCKSIM_SEARCH_SETTLE_H

#include "world/world.h"

/* The process that moved last goes on while it can, then the others in turn; then open-ended work ends, paused
 * processes resume, and time passes. Faults never happen: some step must be no fault. `chooser` is a settler. */
typedef struct { uint32_t last; } settler;         /* at first NOBODY */
size_t settle_choose(void *chooser, world *w, const step *steps, size_t count, size_t step_number);

#endif
