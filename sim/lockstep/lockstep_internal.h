/* lockstep_internal.h - what the files of sim/lockstep share. */
#ifndef LOCKSIM_LOCKSTEP_LOCKSTEP_INTERNAL_H
#define LOCKSIM_LOCKSTEP_LOCKSTEP_INTERNAL_H

#include "lockstep/lockstep.h"
#include "world/learner.h"
#include "world/mirror.h"

/* A script of the first version and its counterpart in the second. */
typedef struct {
    char sha1[41];         /* of the first */
    const script_file *second;
    str first_why_not;     /* the first does not compile, in Redis's words; empty: it does */
    str why_not;           /* the same of the second */
    size_t first_keys, second_keys;    /* the largest constant index of KEYS in each; 0: none */
    int line, col;         /* where the second script has it */
} lockstep_script;

/* The output of one request on a connection: a message, or the answer for which its client waited. */
typedef struct { uint32_t conn, seq; str what; } said;

struct lockstep {
    mirror m;              /* first, so that a pointer to it is the lockstep */
    arena *memory;
    loader from;
    const scenario *scenario;      /* its patches apply to both versions */
    lockstep_relation relation;
    lockstep_script **scripts;
    size_t script_count, script_cap;
    redis *trial[2];       /* copies of both keyspaces, to remove what is not compared */
    redis_conn *trial_conn[2];
    struct said_list { said *items; size_t count, cap; } said[2];      /* in the request that runs, of each version */
};

lockstep *lockstep_of(const world *w);             /* its mirror */
const lockstep_script *lockstep_find(const lockstep *t, str sha1);               /* NULL: not met */
/* Found, read and checked at the first use; NULL: `e` says why not. */
const lockstep_script *lockstep_counterpart(lockstep *t, const script_file *first, err *e);
/* Do both servers' keyspaces count as equal? */
bool lockstep_same_keys(lockstep *t, redis *first, redis *second, int64_t now_ms);
str lockstep_message(arena *a, str channel, str payload, str pattern);
str lockstep_answer(arena *a, const reply *answer);
/* An answer in the form in which it is compared. */
bool lockstep_common(world *w, const flight *f, bool second, const reply *r, str *common, err *e);
/* Says in words what differs, after both runs: to the model, and in the story. */
void lockstep_tell(world *w, const flight *first, const flight *second, const int64_t waits_ms[2], unsigned differ);

#endif
