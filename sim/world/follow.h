/* follow.h - at which instants a step that does not hold time would come out differently. Whoever can put a world into a state again and
 * again asks; the steps are really taken. */
#ifndef LOCKSIM_WORLD_FOLLOW_H
#define LOCKSIM_WORLD_FOLLOW_H

#include "base/outline.h"
#include "world/world.h"

/* The step, all ways to go on, and what its process does after it without letting time pass, and on through its next waits of known length, as an outline: the
 * requests, their answers, what it announces, and what it and the servers are in the end. `branch` says which way to go where there are
 * several; *branched: there were. heard: what scripts and the client were told on the way. The world is used up. */
void follow_step(world *w, const step *s, unsigned branch, bool *branched, outline *out, outline *heard);
/* The state of the process, and of the servers if asked for, as it is. */
void follow_state(world *w, uint32_t process, bool servers, outline *out);
/* Lets time pass, and nothing else. */
void follow_wait(world *w, int64_t ms);
/* Those of the process's steps that time does not wait for and that run its code; in the arena. */
size_t follow_steps(world *w, uint32_t process, arena *a, step **out);
/* Is it enabled now? Fills in what enabled.c says of it today. */
bool follow_find(world *w, step *s);

typedef struct {
    void *context;
    /* The outline of a step `ms` later, all branches of it; step NULL: of the state now, of the process alone where heard is NULL. false: it cannot be taken then. */
    bool (*at)(void *context, const step *s, int64_t ms, outline *out, outline *heard);
    const int64_t *constants;          /* of the code, sorted */
    size_t constant_count;
    int64_t now_ms;
} follower;

/* The first length, less than upto_ms, after which the step no longer does what it does now; INT64_MAX: there is none. */
int64_t follow_first(const follower *f, const step *s, int64_t upto_ms);

/* All numbers in the client's code and in scripts, digits in texts included; sorted, each once, in the arena. */
size_t follow_constants(const scenario *sc, arena *a, int64_t **out);

#endif
