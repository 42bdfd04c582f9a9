/* hidden.h - instants that client code holds and does not read. A process that waits for an answer keeps the time of
 * its request, perhaps in order to repeat it: the next step mostly passes that time on without reading it. Then the
 * effect of the step does not depend on how long ago that time is.
 *
 * Whether a step reads an instant is measured. Each instant is replaced by a hidden number, a signaling NaN: it can be
 * stored, passed and returned like any number, and every addition, comparison and conversion sets the processor's flag
 * for invalid operations (IEEE 754-2019, 7.2). That printing a number sets it, too, depends on the C library:
 * hidden_works tests it. */
#ifndef LOCKSIM_CLIENT_HIDDEN_H
#define LOCKSIM_CLIENT_HIDDEN_H

#include "client/process.h"

enum { HIDDEN_MAX = 16 };                          /* different instants of one process */

/* Does this machine, with this C library, detect each use? An emulator that does not support the flags does not: then
 * nothing may be hidden. */
bool hidden_works(void);
/* Replaces these instants by hidden numbers wherever the process's future can read them: number k stands for at_ms[k].
 * The list must live until process_reveal, which restores the instants. */
void process_hide(process *p, const int64_t *at_ms, size_t count);
void process_reveal(process *p);
/* Is it one of this process's? *k: which. */
bool hidden_is(const process *p, double n, size_t *k);
/* Was any hidden number read since process_hide? */
bool process_looked(const process *p);
/* Before and after client code runs. */
void hidden_run_begin(void);
void hidden_run_end(process *p);

/* instants.c: every number on which the process's future can depend gets another value, if `fn` says so. */
void process_each_number(process *p, bool (*fn)(void *context, double *n), void *context);

#endif
