/* meetings.h - which operation of one client fell where another client stood in its code: what a search has put
 * together, and what it never has. A place is where a task waits: at a request that is sent or executed, a sleep, work,
 * a wait. Only those count that touch something in common, by the words that requests name: keys, channels, locks. */
#ifndef LOCKSIM_WORLD_MEETINGS_H
#define LOCKSIM_WORLD_MEETINGS_H

#include "base/arena.h"
#include "base/str.h"
#include "scenario/equals.h"

enum { MEETINGS_MAX = 64, MEETINGS_NONE = 255 };

typedef struct meetings meetings;
struct world;

typedef struct {
    str op;                /* of somebody else: "release" */
    str place;             /* "subscribe": before it is executed; "<acquire": before its answer; "sleep", "work",
                            * "wait" */
    str path;              /* where that stands in the client's code */
    int line;
    bool met;
} meeting;

meetings *meetings_new(size_t clients);
void meetings_free(meetings *m);                   /* NULL is fine */
/* Where the tasks of a client stand, a bit each; none before its first request. */
uint64_t meetings_places(meetings *m, struct world *w, uint32_t process);
/* The operation of request `number` of this client, by number; MEETINGS_NONE: there are too many. */
uint8_t meetings_op(meetings *m, struct world *w, uint32_t process, uint32_t number, uint32_t copy);
/* It fell where others stood. */
void meetings_meet(meetings *m, uint8_t op, uint64_t places);
uint64_t meetings_met(const meetings *m, uint8_t op);          /* so far: places */
/* What one of several equal clients was seen to do, each of them can. */
void meetings_equal(meetings *m, const equals *eq);
/* Every pair that could have met, those that did not first. *full: there was more than could be told apart. Texts are
 * borrowed. */
size_t meetings_list(const meetings *m, arena *a, const meeting **out, bool *full);

#endif
