/* show.h - a world as text for the user of `walk`, within 80 columns where names allow. */
#ifndef LOCKSIM_WALK_SHOW_H
#define LOCKSIM_WALK_SHOW_H

#include "world/world.h"

/* `shipped` is the folder of the shipped scripts: a task's position is in the user's own code, and further in one of
 * those. */

/* The last `count` rows of the story. */
void show_rows(const world *w, size_t count, buf *out);
/* The possible next steps, a number a line, as path_take takes them; faults on lines of their own at the end. */
void show_choices(world *w, str shipped, buf *out);
/* The name of choice `n`, 1-based; false: there are fewer. */
bool show_choice(world *w, size_t n, buf *name);
void show_keys(const world *w, buf *out);
/* Each task: its position, what it waits for, and its variables. */
void show_tasks(const scenario *sc, world *w, str shipped, buf *out);
/* Each lock by its driver's view; the waiters; the broken properties. */
void show_monitors(world *w, buf *out);
/* Of properties that are broken and were not in `told`: a bit each, added to it. */
void show_broken(const world *w, uint32_t *told, buf *out);

#endif
