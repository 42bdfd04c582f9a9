/* measure_internal.h - the inside of measure.h, for the files measure*.c alone. */
#ifndef LOCKSIM_SIMULATE_MEASURE_INTERNAL_H
#define LOCKSIM_SIMULATE_MEASURE_INTERNAL_H

#include "simulate/measure.h"

/* The waits for one lock, in the order in which they began. */
typedef struct {
    int64_t demand_us, asked_us;
    uint32_t client, task;
    uint32_t overtaken, in_a_row, most_in_a_row;
    int interval;          /* of the excerpt */
} waiter;

/* A hold by the server's account, in the order of the grants there. It stays until all granted before it have ended, so
 * that it is known whether the lock was free in between: answers may come in another order. */
typedef struct {
    int64_t granted_us, ended_us;                  /* ended_us is set where `ended` */
    int64_t waited_since_us;                       /* the earliest demand of those that were granted it or still wait */
    uint32_t client, task;
    bool ended, released, looked_at;
} tenure;

enum { TENURES_MAX = 4096 };       /* beyond, the oldest is taken for one that never ends */

typedef struct {
    lock_totals total;
    waiter *waiters;
    size_t waiter_count, waiter_cap;
    tenure *tenures;
    size_t tenure_count, tenure_cap;
    int64_t busy_until_us;         /* no client is known to hold it after this */
    bool released;                 /* and that was by a release */
    int64_t queue_since_us;        /* total.queue_us is complete up to here */
    bool used;                     /* held or asked for since the warm-up */
} lock_account;

/* A task's present relation to a lock. */
typedef struct {
    uint32_t task, lock;
    bool waits, holds;
    int64_t learned_us;            /* of the grant */
    int interval;
} engagement;

typedef struct {
    client_account account;
    engagement *at;
    size_t count, cap;
    uint32_t grants_short;         /* in the present window of jain_short */
} client_state;

struct measure {
    bool detail, begun, ended;
    int64_t begin_us, end_us, now_us;
    client_state *clients;
    uint32_t client_count;
    lock_account *locks;
    size_t lock_count, lock_cap;
    histogram all[MEASURED_KINDS];
    windows *over_time;
    excerpt *sample;
    int64_t queue_us, queue_since_us;
    uint32_t waiting, waiting_max;
    uint32_t askers;               /* clients whose account.asked is set */
    uint64_t short_grants;
    double short_sum;
    uint64_t short_windows;
    uint64_t grants, timeouts, crashed_holding, crashed_waiting, unreleased, lost, crashes, pauses, lost_on_the_way;
    uint64_t requests, commands, scripts, messages, idle_polls;
    int64_t timeout_us;
    uint32_t overtaken_longest;
    uint64_t unfinished, unserved;
    int64_t unfinished_longest_us;
};

/* measure.c */
lock_account *measure_account(measure *m, uint32_t lock);
engagement *measure_engaged(measure *m, uint32_t client, uint32_t task, uint32_t lock);    /* NULL: it is not */
/* when it neither waits nor holds any more */
void measure_disengage(measure *m, uint32_t client, uint32_t task, uint32_t lock);
void measure_queue_until(measure *m, int64_t at_us);       /* before `waiting` changes */
void measure_lock_queue_until(measure *m, lock_account *l, int64_t at_us); /* before its list of waiters changes */

/* measure_waiting.c */
void measure_note_asker(measure *m, uint32_t client);
void measure_asked(measure *m, const occurrence *o);
/* Removes the waiter from its list: it was granted (then overtaken waiters are counted), or stops waiting. */
waiter measure_leave(measure *m, uint32_t client, uint32_t task, uint32_t lock, bool granted);
void measure_wait_over(measure *m, const occurrence *o, const waiter *w);

/* measure_holding.c */
void measure_holds(measure *m, const occurrence *o, int64_t waited_since_us);
/* The hold ends at the server: by a release, or otherwise (a lease, a crash). */
void measure_hold_over(measure *m, uint32_t client, uint32_t task, uint32_t lock, int64_t ended_us, bool released);
void measure_holds_begin(measure *m);              /* the warm-up is over */
void measure_holds_end(measure *m);                /* the run is over */

#endif
