/* print.h - the manners that all commands share: exit statuses, stdout, complaints. */
#ifndef LOCKSIM_HOST_PRINT_H
#define LOCKSIM_HOST_PRINT_H

#include "base/buf.h"
#include "base/err.h"
#include "host/options.h"
#include "redis/dialect.h"

enum {
    STATUS_PASS = 0,
    STATUS_VIOLATED = 1,
    STATUS_INCONCLUSIVE = 2,
    STATUS_VACUOUS = 3,
    STATUS_DRIVER = 4,
    STATUS_USAGE = 64,
    STATUS_SCENARIO = 65,
    STATUS_BUG = 70,
    STATUS_IO = 74,                /* a result could not be written: a full disk, a closed stdout */
};
/* Of several results the worst counts: 70 74 65 64 4 1 2 3 0. */
int status_worse(int a, int b);

/* Prints a diagnostic to stderr and gives the status of its class. */
int print_complaint(const err *e);
/* --color and NO_COLOR: is stdout to be coloured? */
bool print_wants_color(int choice);
/* Writes a result to stdout; false (and a complaint) when it cannot be written. Where the reader of a pipe has left,
 * nothing is complained of, and the program ends by SIGPIPE, as other tools do, once its files are in order. */
bool print_out(const buf *b);
/* Columns of the terminal that fd is, 40 at least; 0: it is none. */
size_t print_width(int fd);
/* A line with the options that a result rests on (options_tell), if there are any. */
void print_options(const options *o);
/* A note to stderr where no real server of this version was there to be compared with. */
void print_unproved(dialect d);

#endif
