/* rest.h - detects a rest: every thread of every client sleeps, by two looks at /proc between which none of them ran.
 * From then on nothing happens until locksim acts. */
#ifndef LOCKSIM_DRIVE_REST_H
#define LOCKSIM_DRIVE_REST_H

#include "drive/program.h"

typedef enum {
    REST_REACHED,
    REST_SPINS,            /* a client reads its clock in a loop; the clock stands still until it waits */
    REST_COMPUTES,         /* it uses the processor for longer than the limit */
    REST_LATE,             /* real time is up */
    REST_STOPPED,          /* the caller's `goes_on` said no */
} rest_result;

typedef struct {
    void *context;
    int64_t (*elapsed_ms)(void *context);          /* real time */
    bool (*goes_on)(void *context);                /* NULL: always */
    int64_t all_ms;                                /* the limit of real time in total; 0: none */
    int64_t wait_ms;                               /* real time for one rest */
    int64_t compute_ms;                            /* processor time of one client for one rest */
    uint64_t clock_reads;                          /* of one client for one rest */
} rest_limits;

typedef struct rest rest;
rest *rest_new(program *const *programs, size_t count, const rest_limits *limits);
void rest_free(rest *r);
/* Can it be told at all here? false: /proc/PID/schedstat is missing, and `e` says so. */
bool rest_possible(err *e);
/* Waits for a rest. *who: the client that prevents it, if one does. */
rest_result rest_wait(rest *r, size_t *who);
/* At a rest: a number that is another one once the client has done anything. How often its threads ran does not tell:
 * the kernel wakes a thread now and then to see that there is nothing for it. */
uint64_t rest_doings(const rest *r, size_t client);
/* A child has come since the rest was reached that the library has not entered yet: it was none. */
bool rest_is_strange(const rest *r);
/* At a rest: a thread waits in a call that ends by the real clock, or in a process that the library did not enter.
 * false: none does. The text lives in `a`: "A (python3) waits in futex, which ends after a time that locksim does not
 * know". */
bool rest_uncontrolled(rest *r, size_t *client, arena *a, str *what);
/* After that: where a thread of this client stands that ran before the rest. "its thread python3 is in the system call
 * read" */
str rest_doing(const rest *r, size_t client, arena *a);

#endif
