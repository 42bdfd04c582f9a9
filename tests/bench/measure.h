/* measure.h - one exhaustive search, measured: for the benchmarks that compare searches. */
#ifndef LOCKSIM_TESTS_BENCH_MEASURE_H
#define LOCKSIM_TESTS_BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef struct {
    uint64_t states, steps, idle;      /* steps that lead back to the same state count in `steps` too */
    uint64_t stand_for;                /* where equal clients count once: so many states */
    double seconds;                    /* of processor time */
    bool complete;
    uint64_t bytes;                    /* at the peak */
    uint64_t lua;                      /* pieces of Lua really run, of scripts and clients, replays counted; */
    uint64_t repeats;                  /* of these, client code run again in order to come back to a state */
} count;

/* Processor time of RUSAGE_SELF or RUSAGE_CHILDREN so far, user and system. */
double cpu_s(int who);
/* Searches the scenario whose text this is, with the shipped scripts; from the root. A bad one ends the program with
 * its error. */
count search_text(str name, str text, int64_t limit_ms);
/* The same, and equal clients count once; open: a client without a start of its own starts at any moment. */
count search_folded(str name, str text, int64_t limit_ms, bool open);
/* The same, each client for itself, by so many cores; seconds of real time. */
count search_text_by(str name, str text, int64_t limit_ms, size_t threads);
/* Searches it by one core and by two, turn by turn, and prints a line of the quickest of each: real time means little
 * while others use the machine. false: they do not come to the same. */
bool compare_cores(str name, str text, int64_t limit_ms);

#endif
