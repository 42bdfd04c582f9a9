/* brief.h - a scenario's costs in a few numbers, for comparisons: simulated without files, pictures or detail. */
#ifndef LOCKSIM_SIMULATE_BRIEF_H
#define LOCKSIM_SIMULATE_BRIEF_H

#include "simulate/replications.h"
#include "simulate/simulate.h"

typedef struct {
    size_t seeds;          /* runs that it is made of */
    bool acquired;         /* false: no lock was ever granted, and the intervals mean nothing */
    interval wait_mean_ms, wait_p99_ms, commands, requests;        /* the last two: for each acquisition */
} simulation_brief;

/* Runs the scenario's first workload, or each client's program once where it has none (requests and messages then take
 * 1 ms each way, so that waits show), with seeds 1 .. seeds; none after one in which all clients ask on and on and
 * no client is granted anything. false: `e` says why (see simulate_run). */
bool simulate_brief(const scenario *sc, const loader *l, size_t seeds, simulation_brief *out, err *e);

#endif
