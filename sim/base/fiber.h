/* fiber.h - a function on a stack of its own, which may stop in its midst and be gone on with later: one thing at a
 * time runs, on one thread. For what runs long inside a library that knows nothing of others who wait (a script). */
#ifndef LOCKSIM_BASE_FIBER_H
#define LOCKSIM_BASE_FIBER_H

#include <stdbool.h>

typedef struct fiber fiber;

/* Its stack has the system's default size, and a guard page at its end. Aborts when the machine has no memory left. */
fiber *fiber_new(void);
void fiber_free(fiber *f);                         /* NULL is fine; not while it is suspended */

/* Runs the function until it returns (true) or pauses (false). It must not be suspended in another function. */
bool fiber_run(fiber *f, void (*fn)(void *context), void *context);
/* Goes on where it paused, until it returns (true) or pauses again. */
bool fiber_go_on(fiber *f);
bool fiber_stands(const fiber *f);                 /* did it pause, and has not returned? */

/* From within the function: the caller of fiber_run or fiber_go_on goes on. Returns when it is gone on with. */
void fiber_pause(fiber *f);

#endif
