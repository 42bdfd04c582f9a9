/* git.h - git, run as a program of its own and without a shell, for what it knows of earlier versions of a file. */
#ifndef LOCKSIM_CLI_GIT_H
#define LOCKSIM_CLI_GIT_H

#include "base/arena.h"
#include "base/err.h"

/* Runs `git -C folder argument...` (NULL ends the list; empty folder: the current one) to its end. *out, if asked for: what it wrote to
 * stdout; its stderr goes nowhere. Returns its exit status, or -1 if it cannot be run. */
int git_run(arena *a, str folder, const char *const *arguments, str *out);
/* Does git refuse to work in the folder though it may well lie in a repository: one that is somebody else's, or broken? `e` then has git's own
 * words, and begins with `what`. */
bool git_refuses(arena *a, str folder, str what, err *e);

/* Lines [from, to] of a file. */
typedef struct {
    int from, to;
} line_range;
/* Which lines of the file at `path` differ from revision `rev`: all of them if it was not there. Where lines were taken away, their two
 * neighbours count. false: no repository, no such revision, no git; `e` says so (ERR_SCENARIO). */
bool git_changed_lines(arena *a, const char *rev, str path, line_range **list, size_t *count, err *e);

#endif
