/* simulate.h - one run of a workload: a discrete-event simulation of a scenario's clients over the real scripts and
 * drivers, on virtual time in microseconds. Redis, timers and clients see whole milliseconds; so that latencies of a
 * fraction of one show in waits, the way of requests and messages is counted in microseconds. The same scenario,
 * workload and seed give the same occurrences. */
#ifndef LOCKSIM_SIMULATE_SIMULATE_H
#define LOCKSIM_SIMULATE_SIMULATE_H

#include "redis/reply.h"
#include "scenario/scenario.h"
#include "simulate/occurrence.h"

/* Instead of a workload: each of the scenario's clients runs its program once, at its start_ms. */
#define SIMULATE_ONCE SIZE_MAX

typedef struct {
    uint64_t seed;
    size_t workload;       /* the index in sc->workloads, or SIMULATE_ONCE */
    /* The workload ends the run. These are additional bounds; 0: the default. */
    uint64_t max_steps;    /* events taken; default SIMULATE_STEPS_MAX */
    uint64_t max_fruitless;                        /* consecutive rounds without any grant, see SIMULATE_FRUITLESS;
                                                    * default SIMULATE_FRUITLESS_MAX */
    int64_t latency_us;    /* SIMULATE_ONCE only: of each request, each way, and of each message */
    void *context;         /* of the callbacks, each of which may be NULL */
    void (*on_occurrence)(void *context, const occurrence *o);
    /* Called every few hundred events: at_us of virtual time are simulated. false: stop, and return the results so
     * far. */
    bool (*go_on)(void *context, int64_t at_us, uint64_t acquisitions);
    /* For a replay elsewhere: each request after its execution (script: of an EVALSHA, else NULL), and before it each
     * redis.call of its script. Both cost time. */
    void (*on_executed)(void *context, uint32_t server, const str *argv, size_t argc, str script);
    void (*on_call)(void *context, const reply *answer);
} simulate_options;

#define SIMULATE_STEPS_MAX UINT64_C(1000000000000)
#define SIMULATE_FRUITLESS_MAX 100000

typedef enum {
    SIMULATE_DONE,         /* as long as the workload says */
    SIMULATE_IDLE,         /* nothing was left to happen before that */
    SIMULATE_STOPPED,      /* go_on said so */
    SIMULATE_CUT,          /* max_steps */
    SIMULATE_STARVED,      /* for an hour of virtual time no lock was granted, no round ended and no client worked */
    SIMULATE_FRUITLESS,    /* rounds end without any grant, and the workload has no duration that would end the run */
    SIMULATE_FLOODED,      /* 16 million demands wait for an idle client: more arrive than are ever served */
} simulate_ending;

typedef struct {
    simulate_ending ending;
    int64_t begin_us, end_us;                      /* of what counts: without the warm-up */
    uint32_t client_count, threads;                /* clients, and how many tasks each has */
    arena *memory;                                 /* of the names */
    str *locks;                                    /* by number */
    size_t lock_count;
    /* From the beginning, warm-up included. */
    uint64_t acquisitions, requests, scripts, commands, messages, steps;
    uint64_t errors;       /* requests that a server answered with an error */
    str error;             /* the first of them, with its request */
} simulate_result;

/* Runs it. `out` is filled as far as the run came in either case; simulate_result_free frees it. false: an uncaught
 * error in the client's code (ERR_DRIVER), or one that loops in zero time (ERR_DRIVER), both located. The scenario is
 * not changed, but its cache of compiled files is used: only one run of a scenario at a time. */
bool simulate_run(const scenario *sc, const loader *l, const simulate_options *o, simulate_result *out, err *e);
void simulate_result_free(simulate_result *r);

/* How many clients that run has, and the name of one: the scenario's own, or c1, c2, ... where the workload has its
 * number. */
uint32_t simulate_clients(const scenario *sc, size_t workload);
str simulate_client_name(const scenario *sc, size_t workload, uint32_t client, buf *into);

#endif
