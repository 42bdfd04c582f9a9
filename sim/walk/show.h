/* show.h - what of a world is shown to the one who walks, as text within 80 columns where names allow. */
#ifndef LOCKSIM_WALK_SHOW_H
#define LOCKSIM_WALK_SHOW_H

#include "world/world.h"

/* `shipped` is the folder of the shipped scripts: a task stands in the user's own code, and from there in one of
 * those. */

/* What the last `count` rows of the story tell. */
void show_rows(const world *w, size_t count, buf *out);
/* What can happen next, a number a line, as path_take takes it; faults on lines of their own at the end. */
void show_choices(world *w, str shipped, buf *out);
/* The name of choice `n`, 1-based; false: there are fewer. */
bool show_choice(world *w, size_t n, buf *name);
void show_keys(const world *w, buf *out);
/* Each task: where it stands, for what, and what its code holds. */
void show_tasks(const scenario *sc, world *w, str shipped, buf *out);
/* Each lock by its driver's view; who waits; what is broken. */
void show_monitors(world *w, buf *out);
/* Of properties that are broken and were not in `told`: a bit each, added to it. */
void show_broken(const world *w, uint32_t *told, buf *out);

#endif
