/* progress.h - what a person sees while a search runs, on stderr alone: a live line on a terminal, else one line a minute.
 * Also the real clock, which nothing below cli/ reads, and Ctrl-C. */
#ifndef LOCKSIM_CLI_PROGRESS_H
#define LOCKSIM_CLI_PROGRESS_H

#include "base/str.h"

typedef struct {
    str name;                      /* of the scenario */
    size_t number, count;          /* "3 of 12" */
    int64_t begin_ms, told_ms;
    bool terminal, line_open;
} progress;

/* Asks for Ctrl-C to be noted instead of ending the program, and for our own faults to name the scenario they met. */
void progress_begin(progress *p);
void progress_scenario(progress *p, str name, size_t number, size_t count);
/* Wipes the live line, before something else is printed. */
void progress_clear(progress *p);
bool progress_interrupted(void);

/* For search_options, with the progress as context. */
int64_t progress_elapsed_ms(void *context);
bool progress_tick(void *context, uint64_t runs_done, uint64_t runs_all, uint64_t transitions);

#endif
