/* cli.h - the command line: the only part of locksim that meets the outside world (arguments, files, the environment,
 * the real clock) beside host/. Each subcommand is one function, here or in its wing; all return an exit status of
 * host/print.h. */
#ifndef LOCKSIM_CLI_CLI_H
#define LOCKSIM_CLI_CLI_H

#include "host/print.h"

/* The whole program. Results go to stdout, progress and error messages to stderr. */
int cli_main(int argc, char **argv);

/* run_main and the others, each in a file of its name, here or in its wing. */
#define COMMAND_MAIN(NAME, name) int name##_main(const options *o);
COMMANDS(COMMAND_MAIN)
/* Completions of the last of these words, for a shell; they follow `locksim complete`. */
int cli_complete(size_t count, char **words);

#endif
