/* progress.h - the progress of a search for people, on stderr only: a live line on a terminal, else one line a minute.
 * Also the real clock, which nothing below cli/ reads, and Ctrl-C (SIGTERM counts, too). */
#ifndef LOCKSIM_HOST_PROGRESS_H
#define LOCKSIM_HOST_PROGRESS_H

#include <pthread.h>

#include "search/search.h"

/* Shared by the searches of one run: several run in parallel, and the one whose result comes next has the line. */
typedef struct {
    pthread_mutex_t lock;          /* of all below, and of stderr */
    bool terminal, line_open;
    size_t shown;                  /* number of the scenario that has the line */
} progress_board;

typedef struct {
    progress_board *board;
    str name;                      /* of the scenario */
    size_t number, count;          /* "3 of 12" */
    size_t side_by_side;           /* how many scenarios are searched at once; 0: one */
    cores *cores;                  /* search_options.cores */
    int64_t begin_ms, told_ms;
    const _Atomic bool *cancel;    /* set by a caller that wants this search to stop; may be NULL */
} progress;

/* Asks for Ctrl-C to be noted instead of ending the program, and for our own faults to name the scenario they met. */
void progress_begin(progress_board *b);
/* To be called by the thread that will run the scenario. */
void progress_scenario(progress *p, progress_board *b, str name, size_t number, size_t count);
/* Wipes the live line and gives it to the scenario of that number: to none while something else is printed, or
 * another thread's line would stand before it. */
enum { PROGRESS_NOBODY = 0 };
void progress_clear(progress_board *b, size_t next_number);
bool progress_interrupted(void);

/* For search_options, with the progress as context. */
int64_t progress_elapsed_ms(void *context);
bool progress_tick(void *context, const search_progress *at);
/* The same for a simulation: run `number` of `runs`. */
bool progress_simulating(progress *p, size_t number, size_t runs, int64_t at_us, uint64_t acquisitions);
/* The same for anything that describes its count itself. */
bool progress_saying(progress *p, str what);
/* The real clock, from an arbitrary origin. */
int64_t progress_now_ms(void);

#endif
