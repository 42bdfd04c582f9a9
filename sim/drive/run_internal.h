/* run_internal.h - a run from within. Only run.c, choices.c and steps.c include this file. */
#ifndef LOCKSIM_DRIVE_RUN_INTERNAL_H
#define LOCKSIM_DRIVE_RUN_INTERNAL_H

#include "drive/run.h"

#define MONO_START_MS INT64_C(1000000000)          /* a machine that has been up for a while */

typedef struct {
    bool over;             /* all of its processes have ended */
    bool crashed, paused, touched;
    int64_t jumped_ms, paused_ms;      /* paused_ms: since when */
    uint32_t marks_seen;   /* of the lines that were held, those that came out since */
    uint64_t doings;
    buf printed;           /* a line that is not yet whole */
    uint32_t incarnation;
    uint32_t printers[64]; /* threads (by the number of their slots) that have printed a line, in this order */
    uint32_t printer_count;
    /* of requests at one instant: the same one again and again, and nothing changes */
    uint64_t last_request, writes;
    int64_t since_ms;
    uint32_t repeated;
} client;

/* A request whose connection was cut, and which arrives all the same. */
typedef struct {
    uint32_t client, server, number;
    buf bytes;
    str *argv;
    size_t argc;
} late_request;

struct run {
    const drive_setup *setup;
    program **programs;
    str *names;
    client *clients;
    rest *rest;
    wire *wire;
    account *account;
    str out_of_reach;      /* what could not be done to a program; empty: nothing */
    arena *memory, *step;  /* of the run; until the next rest */
    int64_t now_ms;
    uint64_t seed;
    uint32_t settled;
    uint32_t budgets[FAULT_KINDS];
    uint32_t last;         /* whose the last step was */
    size_t untold;         /* lines that were seen, not held */
    late_request *late;
    size_t late_count, late_cap;
    choice *choices;
    size_t choice_count, choice_cap;
    run_result result;
};

void run_set_clocks(run *r);
/* At a rest: accepts clients that offer to be a fork server, if nothing of them was seen yet. true: some client goes
 * on. */
bool run_meet_servers(run *r);
bool run_line_counts(str line);                    /* `enter`, `leave` or `token N` */
/* Lets one thread go on for each client in which no choice is lost by it: it is the only one, or no connection is there
 * yet. true: a thread goes on. */
bool run_pass_baton(run *r);
/* At a rest: lines that wait to be printed, requests that came. */
void run_see_slots(run *r, uint32_t client);
void run_see_requests(run *r);
size_t run_choices(run *r);                        /* in r->choices */
void run_take(run *r, const choice *c);
uint32_t run_printer(run *r, uint32_t client, const shared_slot *s);   /* which of its threads that print: 1, 2, ... */
/* Does it have a deadline: a wait, or a timer? */
bool run_is_timed(uint32_t state);
/* When its wait is over, by the server's clock; INT64_MAX: never. */
int64_t run_due_ms(const run *r, uint32_t client, const shared_slot *s);
/* The client's monotonic clock at this instant of the server's. */
int64_t run_mono_ns(const run *r, uint32_t client, int64_t now_ms);
/* A wait of the client ends that had this deadline, by its monotonic clock: until the next instant its clocks show at
 * least a nanosecond more. SHARED_NEVER: nothing happens. */
void run_move_past(run *r, uint32_t client, int64_t deadline_ns);

#endif
