/* cli.h - the command line: the only part of locksim that meets the outside world (arguments, files, the environment,
 * the real clock) beside host/. Each subcommand is one function, here or in its wing; all return an exit status of
 * host/print.h. */
#ifndef LOCKSIM_CLI_CLI_H
#define LOCKSIM_CLI_CLI_H

#include "host/print.h"

/* The whole program. Results go to stdout, progress and complaints to stderr. */
int cli_main(int argc, char **argv);

int cli_run(const options *o);
int cli_simulate(const options *o);
int cli_report(const options *o);
int cli_replay(const options *o);
int cli_shell(const options *o);
int cli_serve(const options *o);
int cli_drive(const options *o);
int cli_plot(const options *o);
int cli_list(const options *o);
int cli_explain(const options *o);
/* What the last of these words may become, for a shell's completion; they stand after `locksim complete`. */
int cli_complete(size_t count, char **words);
int cli_trace(const options *o);

#endif
