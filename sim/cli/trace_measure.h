/* trace_measure.h - measures a trace as a simulation is measured. */
#ifndef LOCKSIM_CLI_TRACE_MEASURE_H
#define LOCKSIM_CLI_TRACE_MEASURE_H

#include "report/simulation.h"
#include "trace/tracer.h"

typedef struct {
    measure *m;
    replications *runs;
    bool begun;
    int64_t begin_us;      /* since 1970 */
} trace_measure;

void trace_measure_begin(trace_measure *x);
void trace_measure_told(trace_measure *x, const told *t);
/* The trace is over: the measurements in the report's form; all but the numbers lives in `a`. */
simulated trace_measure_end(trace_measure *x, arena *a, const tracer *t, str path, str name);
void trace_measure_free(trace_measure *x);

#endif
