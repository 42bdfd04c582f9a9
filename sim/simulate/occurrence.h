/* occurrence.h - the seam between a simulation and its measurement: the engine reports occurrences, one at a time, and
 * keeps none. Instants are microseconds of virtual time since the run began, and never decrease except where ASKED says
 * so. */
#ifndef LOCKSIM_SIMULATE_OCCURRENCE_H
#define LOCKSIM_SIMULATE_OCCURRENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    /* Announced by drivers (me:wants and related methods), by client. One wait is identified by (client, task,
     * lock). */
    OCCURS_ASKED,          /* at_us: when the demand arose, which may be before the last occurrence: a demand that
                            * found its client busy, or no client idle, waits from its own arrival on (no coordinated
                            * omission). executed_us: when the client itself began to ask */
    OCCURS_REFUSED,        /* learned that it has to wait */
    OCCURS_GRANTED,        /* executed_us: when the server executed the request that granted it. count: which grant of
                            * this lock it is in this round of the program; above 1 it is a re-entry. Of a semaphore
                            * always 1 */
    OCCURS_GAVE_UP,        /* stops waiting without the lock */
    OCCURS_RELEASED,       /* executed_us: when the server executed the request that freed it. count: holds left by what
                            * the driver knows; 0: it is free */
    OCCURS_LOST,           /* was told that it does not own the lock */

    /* The way to servers and back. */
    OCCURS_REQUEST,        /* one executed: `script` or a plain command; commands: what it ran at the server, 1 for a
                            * plain one, the number of redis.call for a script; wrote: the keyspace changed. A request
                            * that was not waited for counts too */
    OCCURS_MESSAGE,        /* one message of a channel delivered to one subscriber */
    OCCURS_TIMED_OUT,      /* a client stopped waiting for an answer */

    /* Faults of the workload. */
    OCCURS_CRASHED,        /* the client: its tasks are gone, and whatever they waited for or held they do no longer */
    OCCURS_RESTARTED,
    OCCURS_PAUSED,
    OCCURS_RESUMED,
    OCCURS_LOST_REQUEST,   /* it never reaches its server */
    OCCURS_LOST_REPLY,     /* it was executed, and its sender is not told */
    OCCURS_LOST_MESSAGE,

    /* The run. */
    OCCURS_BEGINS,         /* the warm-up is over: what follows counts. Once; first of all where there is no warm-up */
    OCCURS_ENDS,           /* the last of all. count: demands that arose and that no client had come to yet */
} occurrence_kind;

#define OCCURS_NOBODY UINT32_MAX                   /* no client, or no lock */

/* Clients and locks are numbered from 0; simulate.h has their names. A task is a thread of its client's program, from
 * 0. */
typedef struct {
    occurrence_kind kind;
    int64_t at_us;
    int64_t executed_us;   /* of GRANTED, RELEASED, ASKED; else at_us */
    uint32_t client, task, lock;
    uint32_t commands;     /* of REQUEST */
    uint32_t count;        /* of GRANTED, RELEASED, ENDS */
    bool script, wrote, listens;                   /* of REQUEST; listens: to channels (or no longer), or blocks until
                                                    * something is there */
} occurrence;

#endif
