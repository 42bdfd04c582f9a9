/* config.h - .locksim/config: a repository's options for each command. A line is a command's name and options, as on
 * the command line:
 *
 *     # what our lock tests use
 *     run   --scripts redis --time-limit 60
 *     lint  --ignore LS021 --min-severity error
 *
 * Blank lines and # comments are skipped; a word in single or double quotes may contain blanks. It lies in the current
 * folder, or, within a git repository, in one above it up to the repository's root; folders and files in it are
 * relative to the one that holds .locksim. Options of the command line come after it, so that they win. */
#ifndef LOCKSIM_HOST_CONFIG_H
#define LOCKSIM_HOST_CONFIG_H

#include "host/options.h"

typedef struct {
    int argc;
    char **argv;
} words;
/* The words for command c, then `typed`, all in `a`. With LOCKSIM_NO_CONFIG set and not empty, or where there is no
 * such file, `typed` alone. false: the file cannot be read, or a line is not understood; `e` has the place. */
bool config_words(arena *a, command_kind c, words typed, words *all, err *e);

#endif
