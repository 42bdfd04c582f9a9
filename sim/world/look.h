/* look.h - a read-only look at a world, for people. Nothing here changes what happens. */
#ifndef LOCKSIM_WORLD_LOOK_H
#define LOCKSIM_WORLD_LOOK_H

#include "base/facts.h"
#include "world/world.h"

typedef enum { LOOK_ALIVE, LOOK_DEAD, LOOK_PAUSED } look_state;
look_state look_process(const world *w, uint32_t process);
/* Its tasks; borrowed until the next step. A dead process has none. */
size_t look_tasks(world *w, uint32_t process, const task_view **out);
/* Adds to `out` what its Lua holds: locals of waiting functions, variables that functions share. */
void look_values(world *w, uint32_t process, facts *out);
/* Where a task stands: its call stack, innermost first, at most `max` entries. Returns how many. */
size_t look_places(const world *w, uint32_t process, uint32_t task, position *out, size_t max);
/* A lock's name, and what its driver's view said last; false: nothing yet. i below world_locks. */
bool look_lock(const world *w, size_t i, str *name, lock_view *out);
/* How many ms have passed since that view gave `ttl_ms`. */
int64_t look_lock_age_ms(const world *w, size_t i);

#endif
