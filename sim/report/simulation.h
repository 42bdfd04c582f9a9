/* simulation.h - what `locksim simulate` found out, as text for people, as JSON for programs, and as plain data for
 * pictures. Pure: the same runs give the same bytes. */
#ifndef LOCKSIM_REPORT_SIMULATION_H
#define LOCKSIM_REPORT_SIMULATION_H

#include "base/arena.h"
#include "base/err.h"
#include "report/report.h"
#include "simulate/replications.h"

typedef enum {
    SIMULATED_ALL,         /* every seed ran as long as its workload says */
    SIMULATED_INTERRUPTED, /* some seeds are missing, or the only one is cut short */
    SIMULATED_LATE,        /* the same, by the time limit */
    SIMULATED_FAILED,      /* error says why; nothing else is known */
} simulated_ending;

/* One scenario under one workload. Strings and lists are borrowed. */
typedef struct {
    str path, title, workload;     /* workload "": it has no name */
    str name;                      /* in tables and of the folder: "fair.saturated" */
    bool once;                     /* it has no workload: each client ran its program once */
    const str *clients, *locks;
    size_t client_count, lock_count;
    const str *wanted;             /* the workload's field locks: no others are measured; wanted_count 0: all are */
    size_t wanted_count;
    uint32_t threads;
    uint64_t seed;                 /* the first one; the others follow */
    const replications *runs;
    int64_t begin_us, end_us;      /* the measured interval of the first seed */
    bool ran_out;                  /* nothing was left to happen before the workload's end */
    size_t starved, fruitless, flooded;  /* runs that ended early: no more grants, or demands that exceed the service */
    uint64_t errors;               /* requests that were answered with an error, of all runs */
    str first_error;               /* of the first run that has one: the request, and the answer */
    bool cut;                      /* the only run that there is did not come to its end */
    simulated_ending ending;
    const err *error;
    str folder;                    /* where its data were written; "": they were not */
} simulated;

/* MEASURED, EMPTY (no lock was ever granted), PARTIAL or ERROR. */
const char *simulated_verdict(const simulated *s);

/* "102.0 \xc2\xb13.1", or the mean alone where all runs agree or there is only one. */
void report_simulation_interval(const interval *i, buf *out);
void report_simulation_text(const simulated *s, const report_style *style, buf *out);
/* Of that the numbers alone, a line for each kind: of a history that was measured without being simulated. */
void report_simulation_numbers(const simulated *s, buf *out);
/* Side by side, a table for each workload that several of them share; nothing if none is. */
void report_simulation_comparison(const simulated *all, size_t count, const report_style *style, buf *out);
/* {"locksim": 1, "simulations": [...]}: the schema is in locksim(1), section JSON. */
void report_simulation_json(const simulated *all, size_t count, int exit_status, buf *out);

/* The data files: name k ("waits.tsv") and text. Lines that begin with "# " say what it is; then the names of the
 * columns with their units; then rows; columns are separated by tabs; "-" stands for what is not defined. Not for
 * SIMULATED_FAILED. */
size_t report_simulation_file_count(void);
const char *report_simulation_file(size_t k);
void report_simulation_data(const simulated *s, size_t k, buf *out);

#endif
