/* trace.h - a trace of a real client (clients/README.md), and what a simulated one does with the same program, both as
 * rows of text. */
#ifndef LOCKSIM_TESTS_TRACE_H
#define LOCKSIM_TESTS_TRACE_H

#include <jansson.h>

#include "scenario/scenario.h"

enum { FATES_MAX = 32, EVENTS_MAX = 32, CLIENTS_MAX = 16 };

typedef enum { FATE_LATE, FATE_DELAY, FATE_RESET, FATE_NOSYNC, FATE_LOST } fate_kind;

/* What becomes of the nth request (0: of each) whose script or command has `part` in its name, of a thread or of any
 * (0). */
typedef struct {
    str part;
    uint32_t thread, nth;
    fate_kind kind;
    int64_t ms;
} fate;

typedef enum { HAPPENS_INTERRUPT, HAPPENS_HANG } happening;

typedef struct {
    int64_t at_ms;
    happening kind;
    uint32_t number;       /* thread, or server from 1 */
} trace_event;

/* The client's threads, by their numbers in the program. */
typedef struct {
    str name;
    uint32_t threads[32];
    size_t thread_count;
} trace_client;

typedef struct {
    str name;              /* of the trace */
    const json_t *log;
    trace_client clients[CLIENTS_MAX];
    size_t client_count;
    fate fates[FATES_MAX];
    size_t fate_count;
    struct { str client; uint32_t nth; } lost[FATES_MAX];
    size_t lost_count;
    trace_event events[EVENTS_MAX];
    size_t event_count;
    int64_t end_ms, rtt_ms;
    uint32_t servers, replicas;
    bool draws_max, cold, redisson;
    str scenario;          /* as Lua text */
    const char *scripts;   /* a folder whose files come before the shipped ones; NULL: none */
    bool tells_files;      /* each file that is loaded is written to stdout, as TRACE <tab> PATH */
} trace;

/* Calls and what they told are in the order of their thread's own requests; what its client sends for its channels
 * is no thread's. */
typedef enum { ROW_REQUEST, ROW_CALL, ROW_CHANNEL, ROW_OTHER } row_kind;

/* One thing that happened: requests, messages, calls, and what callers were told. */
typedef struct {
    int64_t at_ms;
    str text;
    row_kind kind;
    str client;
    uint32_t thread;       /* by its number in the program; 0: of none that is known */
} row;

typedef struct {
    row *items;
    size_t count, cap;
} rows;

void rows_add(rows *r, row x);
void rows_free(rows *r);
/* By time, then by text: the order of different threads within one millisecond is free. */
void rows_sort(rows *r);

/* Reads the program of a trace. false: it has something that cannot be expressed, and `why` names it. All lives in
 * `a`. */
bool trace_read(arena *a, const char *path, const json_t *file, trace *out, str *why);
/* The values of a faster multi-lock, among a script's arguments, in an order of their own: the real client's is that of
 * a hash set. */
void trace_sort_values(str script, str *argv, size_t argc);
/* Does it say of each request whether it may be sent again (`retry`), and whether it was (`attempt`)? */
bool trace_tells_tries(const trace *t);
/* The rows of the trace itself. */
void trace_rows(arena *a, const trace *t, rows *out);
/* The rows of the drivers' client: one run, in which steps at one instant come in an order drawn from `seed` (0: always
 * the first). false: it could not be run to its end, and `why` says why. */
bool trace_run(arena *a, const trace *t, uint64_t seed, rows *out, str *why);

#endif
