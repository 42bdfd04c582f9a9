/* run.h - one run of real programs: at each rest everything that can happen next is listed, a chooser takes one of it,
 * and that happens. The same seed and choices give the same run. */
#ifndef LOCKSIM_DRIVE_RUN_H
#define LOCKSIM_DRIVE_RUN_H

#include "drive/account.h"
#include "drive/against.h"
#include "drive/program.h"
#include "drive/rest.h"
#include "drive/wire.h"
#include "scenario/scenario.h"

#define DRIVE_EPOCH_MS INT64_C(1700000000000)

typedef enum {
    CHOICE_PRINT,          /* a program that is held in the write of a line goes on */
    CHOICE_CLOCK,          /* ... in a read of its clock */
    CHOICE_GO,             /* a thread that was woken, or is new, goes on */
    CHOICE_WAKE,           /* a wait whose time is up ends */
    CHOICE_ANSWER,         /* an answer is delivered */
    CHOICE_MESSAGE,
    CHOICE_EXECUTE,        /* a request is executed */
    CHOICE_LATE,           /* one whose connection was cut */
    CHOICE_TIME,           /* `amount` ms pass */
    CHOICE_RESUME,
    CHOICE_FAULT,
} choice_kind;

typedef struct {
    choice_kind kind;
    fault_kind fault;
    uint32_t client;       /* NOBODY: none */
    wire_link *link;
    shared_slot *slot;
    size_t late;           /* of CHOICE_LATE: which */
    uint32_t server;       /* of a fault that strikes one */
    str key;               /* of an eviction */
    int64_t amount;        /* of CHOICE_TIME; of a pause, until the client's lease is over; of a resume, how long it was
                            * paused; of a clock jump; of a failover, how many writes are lost */
    str token;             /* as schedules have it: "A.set", "A<answer", "!pause A", "+100" */
    bool biased;           /* a fault where locks break: its client is inside */
    bool silent;           /* of a loss: the client learns of it by a time-out of its own; else its connection is cut */
} choice;

/* Which of them happens; 0 continues with the same client. At least one; SIZE_MAX: the run ends here. */
typedef size_t choose_fn(void *context, const choice *choices, size_t count);

typedef struct {
    const drive_client *clients;
    size_t client_count;
    program_host host;
    uint32_t faults[FAULT_KINDS];
    bool strict;           /* account.h */
    bool silent;           /* lost messages are lost without a sign, and only where the client's wait has an end: no
                            * connection is cut */
    const lock_table *table;           /* NULL: SET NX and SETNX take locks */
    wire_scripts *scripts; /* that the server knows from the start; NULL: none */
    bool clock_points;     /* a program is held in each read of a clock, too */
    bool fresh;            /* each run starts each program anew: no fork server */
    int64_t latency_ms;    /* how long requests, answers and messages may be in transit */
    uint64_t max_steps;    /* of one run */
    int64_t end_ms;        /* length: virtual time that a run may take */
    rest_limits limits;
} drive_setup;

typedef enum {
    RUN_ENDED,             /* every program ended or died, or waits for ever */
    RUN_BROKEN,            /* a property is violated */
    RUN_LIMIT,             /* of steps or of virtual time; `why` says which */
    RUN_UNCONTROLLED,      /* something was not under control; `why` says what */
    RUN_STOPPED,           /* the caller's choose or goes_on said so */
    RUN_FAILED,            /* a program could not be started; `why` says why */
} run_ending;

typedef struct {
    run_ending ending;
    str why;               /* lives in the run */
    property broken;       /* of RUN_BROKEN */
    size_t steps, connections, requests;
    uint64_t grants, print;
    int *statuses;         /* of each client's first process; -1: it was still there */
    bool *idle;            /* each client: it was still there when nothing could happen any more */
    str *last_words;       /* of those that ended badly, their last line on stderr */
    against_result held;   /* the campaign's: the comparison with a driver, if there is one */
} run_result;

typedef struct run run;
/* The programs are made once and started anew by each run. The setup must outlive it. NULL and `e` on failure. */
run *run_new(const drive_setup *setup, err *e);
void run_free(run *r);
/* From now on this property is not judged. */
void run_settle(run *r, property p);
/* Runs once. With `record` it writes a story. The result is valid until the next call. */
const run_result *run_from_start(run *r, uint64_t seed, bool record, choose_fn *choose, void *context);
const story *run_story(const run *r);
const violation *run_violation(const run *r, property p);

#endif
