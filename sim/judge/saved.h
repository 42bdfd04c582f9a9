/* saved.h - a counterexample as a file: its scenario, its property, and the schedule, one step a line with a comment.
 * The file is Lua that returns a table, for the sake of editors; locksim reads exactly this form and runs nothing of
 * it. */
#ifndef LOCKSIM_JUDGE_SAVED_H
#define LOCKSIM_JUDGE_SAVED_H

#include "host/print.h"
#include "search/outcome.h"

/* Paths are relative to the folder of the file. */
typedef struct {
    str scenario;
    property property;             /* PROPERTY_COUNT, "none" in the file: a walk by hand that broke nothing */
    uint64_t seed, max_steps;      /* max_steps 0: the scenario's */
    overrides by;                  /* the --faults and --dialect of the run */
    str *scripts;                  /* the --scripts folders of the run */
    size_t script_count;
    /* For `locksim drive`, which has no scenario: its programs as "A=python3 worker.py", run in the current folder. */
    str *clients;
    size_t client_count;
    str ports;                     /* --port: "6379", "6379,6380" */
    bool strict;
    str clocks;                    /* --clock; empty: none */
    bool clock_reads;
    str lock;                      /* --lock; empty: none */
    uint64_t latency_ms;
    str schedule;                  /* its steps joined by newlines: line i of it is step i */
    size_t steps;
} saved;

/* The text of the file; `file` is its path, for the command in its first lines. The story's rows become comments. */
void saved_print(const saved *s, str file, const counterexample *x, buf *out);
/* false and a located error if the text has another form. Everything lives in `a`. */
bool saved_parse(arena *a, str path, str text, saved *out, err *e);

#endif
