/* cli.h - the command line: the only part of locksim that meets the outside world (arguments, files, the environment, the
 * real clock). Each subcommand is one function in a file of its own; all return an exit status of DESIGN.md. */
#ifndef LOCKSIM_CLI_CLI_H
#define LOCKSIM_CLI_CLI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "cli/options.h"

#define LOCKSIM_VERSION "0.2.0"        /* as .debian/changelog and reports/pages/changelog.md say it; tests/package.sh compares them */

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

/* The whole program. Results go to stdout, progress and complaints to stderr. */
int cli_main(int argc, char **argv);

int cli_run(const options *o);
int cli_simulate(const options *o);
int cli_watch(const options *o);
int cli_report(const options *o);
int cli_replay(const options *o);
int cli_compare(const options *o);
int cli_init(const options *o);
int cli_shell(const options *o);
int cli_serve(const options *o);
int cli_drive(const options *o);
int cli_plot(const options *o);
int cli_list(const options *o);
int cli_explain(const options *o);
int cli_mutate(const options *o);
int cli_lint(const options *o);
/* What the last of these words may become, for a shell's completion; they stand after `locksim complete`. */
int cli_complete(size_t count, char **words);
int cli_trace(const options *o);

/* Prints a diagnostic to stderr and gives the status of its class. */
int cli_complain(const err *e);
/* --color and NO_COLOR: is stdout to be coloured? */
bool cli_wants_color(int choice);
/* Writes a result to stdout; false (and a complaint) when it cannot be written. Where the reader of a pipe has left, nothing is
 * complained of, and the program ends by SIGPIPE, as other tools do, once its files are in order. */
bool cli_print(const buf *b);
/* A line with the options that a result rests on (options_tell), if there are any. */
void cli_print_options(const options *o);

#endif
