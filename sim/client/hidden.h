/* hidden.h - instants that client code holds and does not look at. A process that waits for an answer keeps the time at
 * which it asked, perhaps for sending it again: the next step mostly hands that on and reads it not. What such a step
 * does is the same however long ago that time is.
 *
 * Whether a step looks is not guessed. Each instant is replaced by a hidden number, a signaling NaN: it can be stored,
 * passed and returned like any number, and every addition, comparison and conversion of it sets the processor's flag
 * for invalid operations (IEEE 754-2019, 7.2). That it is set when a number is printed is the C library's way and no
 * standard: hidden_works tries it. */
#ifndef LOCKSIM_CLIENT_HIDDEN_H
#define LOCKSIM_CLIENT_HIDDEN_H

#include "client/process.h"

enum { HIDDEN_MAX = 16 };                          /* different instants of one process */

/* Does this machine, with this C library, note each use? Not under an emulator that leaves the flags out: then nothing
 * may be hidden. */
bool hidden_works(void);
/* Puts hidden numbers in the place of these instants, wherever the process's future can read them: number k stands for
 * at_ms[k]. The list must live until process_reveal, which puts the instants back. */
void process_hide(process *p, const int64_t *at_ms, size_t count);
void process_reveal(process *p);
/* Is it one of this process's? *k: which. */
bool hidden_is(const process *p, double n, size_t *k);
/* Has anybody looked since process_hide? */
bool process_looked(const process *p);
/* Before and after client code runs. */
void hidden_run_begin(void);
void hidden_run_end(process *p);

/* instants.c: every number of which the process's future can depend on gets another value, if `fn` says so. */
void process_each_number(process *p, bool (*fn)(void *context, double *n), void *context);

#endif
