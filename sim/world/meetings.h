/* meetings.h - which operation of one client fell where another client stood in its code: the pairs that a search has
 * met, and those that it never has. A place is where a task waits: at a request that is sent or executed, a sleep,
 * work, a wait. Only pairs that touch something in common count: keys, channels or locks that requests name. */
#ifndef LOCKSIM_WORLD_MEETINGS_H
#define LOCKSIM_WORLD_MEETINGS_H

#include "base/arena.h"
#include "base/str.h"
#include "scenario/equals.h"

enum { MEETINGS_MAX = 64, MEETINGS_NONE = 255 };

typedef struct meetings meetings;
struct world;

typedef struct {
    str op;                /* of another client: "release" */
    str place;             /* "subscribe": before it is executed; "<acquire": before its answer; "sleep", "work",
                            * "wait" */
    str path;              /* where that stands in the client's code */
    int line;
    bool met;
} meeting;

meetings *meetings_new(size_t clients);
void meetings_free(meetings *m);                   /* NULL is fine */
/* Where the tasks of a client stand, a bit each; 0 before its first request. */
uint64_t meetings_places(meetings *m, struct world *w, uint32_t process);
/* The number of the operation of this client's request `number`; MEETINGS_NONE: there are too many. */
uint8_t meetings_op(meetings *m, struct world *w, uint32_t process, uint32_t number, uint32_t copy);
/* The operation fell while others stood at `places`. */
void meetings_meet(meetings *m, uint8_t op, uint64_t places);
uint64_t meetings_met(const meetings *m, uint8_t op);          /* so far: bits of places */
/* The client asks for this lock. */
void meetings_ask(meetings *m, uint32_t process, str lock);
/* Where at least two clients ask for locks, and each lock is asked for by one of them only: two of these locks and
 * whose they are, [0] and [1]. false: some lock is two clients', or nobody knows. Texts are borrowed. */
typedef struct { str lock; uint32_t process; } lock_of_one;
bool meetings_apart(const meetings *m, lock_of_one of[2]);
/* A meeting of one of several equal clients counts for each of them. */
void meetings_equal(meetings *m, const equals *eq);
/* Every possible pair, those that never met first. *full: the tables were full, and pairs are missing. Texts are
 * borrowed. */
size_t meetings_list(const meetings *m, arena *a, const meeting **out, bool *full);

#endif
