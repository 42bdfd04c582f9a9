/* workload_read.h - reads a scenario's field `workload` from Lua, and recorded demands from a file. */
#ifndef LOCKSIM_SCENARIO_WORKLOAD_READ_H
#define LOCKSIM_SCENARIO_WORKLOAD_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "scenario/reading.h"
#include "scenario/workload.h"

/* The table at the top into r->out->workloads. */
bool workload_read(reading *r);

/* The value at the top, like read_integer: a number that may be a fraction, from least to most; */
bool read_number(reading *r, double least, double most, double *out);
/* a list of lengths, 0 to READ_MS_MAX, at least one, which lives in r->a; */
bool read_lengths(reading *r, double **out, size_t *count);
/* a length to be drawn: a number, or { exponential = mean } and its kin. */
bool read_draw(reading *r, distribution *d);

/* Rows of client,asked_ms,held_ms into w->demands, by time, and w->client_names, in order of first mention; w->clients
 * counts them. The last column may be empty; a header line of these names, blank lines and lines that begin with # are
 * skipped. asked_ms counts from the beginning of the run or, in all rows, from 1970; then the first row is the
 * beginning. Everything lives in `a`. false: a row is malformed; `e` names its line. */
bool workload_read_csv(arena *a, str path, str text, workload *w, err *e);

#endif
