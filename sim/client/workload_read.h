/* workload_read.h - how a scenario's field `workload` comes from its Lua, and recorded demands from a file. */
#ifndef LOCKSIM_CLIENT_WORKLOAD_READ_H
#define LOCKSIM_CLIENT_WORKLOAD_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "client/reading.h"
#include "client/workload.h"

/* The table at the top into r->out->workloads. */
bool workload_read(reading *r);

/* Rows of client,asked_ms,held_ms (the last may be empty; a first line of these names, blank lines and lines that begin with # are passed
 * over) into w->demands, by time, and w->client_names, in order of first mention; w->clients counts them. Everything lives in `a`.
 * false: a row is broken; `e` names its line. */
bool workload_read_csv(arena *a, str path, str text, workload *w, err *e);

#endif
