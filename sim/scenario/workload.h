/* workload.h - a scenario's field `workload` as plain data: how many clients, when they want the lock, how long they
 * hold it, how long requests take and what fails. Lengths are milliseconds of virtual time and may be fractions. */
#ifndef LOCKSIM_SCENARIO_WORKLOAD_H
#define LOCKSIM_SCENARIO_WORKLOAD_H

#include "base/str.h"

typedef enum { DRAW_NOTHING, DRAW_CONSTANT, DRAW_UNIFORM, DRAW_EXPONENTIAL, DRAW_LOG_NORMAL, DRAW_LIST } draw_kind;

/* A length to be drawn. */
typedef struct {
    draw_kind kind;        /* DRAW_NOTHING: not given */
    double a, b;           /* constant a; uniform from a to b; exponential of mean a; log-normal of median a and sigma
                            * b */
    const double *list;    /* drawn with replacement */
    size_t count;
} distribution;

typedef enum {
    ARRIVE_THINKING,       /* closed loop: each thread thinks, runs its program, thinks again */
    ARRIVE_POISSON,        /* open: demands of all clients together; an idle client takes a demand, or it waits for
                            * the first idle one */
    ARRIVE_BURSTS,         /* `burst` demands at a time */
    ARRIVE_LISTED,         /* at given instants */
    ARRIVE_RECORDED,       /* rows of a file: who, when, how long held */
} arrival_kind;

typedef struct {
    double asked_ms, held_ms;                      /* held_ms < 0: not given */
    uint32_t client;       /* UINT32_MAX: any */
} recorded_demand;

enum { WORKLOAD_CLIENTS_MAX = 10000, WORKLOADS_MAX = 32 };

typedef struct {
    str name;              /* "" where there is only one without a name */
    uint32_t clients;      /* 0: the scenario's own */
    uint32_t threads;      /* of each, if clients > 0 */
    const str *client_names;                       /* ARRIVE_RECORDED: the names in the file; else NULL */
    arrival_kind arrivals;
    double poisson_per_s;
    uint32_t burst;
    distribution think_ms;                         /* between rounds; of bursts, between two of them */
    const recorded_demand *demands;                /* ARRIVE_LISTED, ARRIVE_RECORDED: by time */
    size_t demand_count;
    distribution hold_ms, latency_ms, message_latency_ms;
    double lose_request, lose_reply, lose_message; /* probabilities */
    double crash_per_s, pause_per_s;               /* of all clients together */
    distribution back_ms, pause_ms;                /* back_ms DRAW_NOTHING: never */
    uint64_t acquisitions; /* after the warm-up; 0: not given */
    double duration_ms;    /* after the warm-up; 0: not given */
    uint64_t warm_up;      /* acquisitions */
    double warm_up_ms;
    uint32_t seeds;        /* replications, unless the command line gives them; 0: not given */
    const str *locks;      /* those that are measured; NULL: all */
    size_t lock_count;
} workload;

#endif
