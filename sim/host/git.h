/* git.h - runs git as a program, without a shell, for earlier versions of files. */
#ifndef LOCKSIM_HOST_GIT_H
#define LOCKSIM_HOST_GIT_H

#include "base/arena.h"
#include "base/err.h"

/* Runs `git -C folder argument...` (NULL ends the list; empty folder: the current one) to its end. *out, if not NULL:
 * its stdout; its stderr is dropped. Returns its exit status, or -1 if it cannot be run. */
int git_run(arena *a, str folder, const char *const *arguments, str *out);
/* Does git refuse to work in the folder although it may lie in a repository: another user's, or a broken one? `e` then
 * has git's own words, and begins with `what`. */
bool git_refuses(arena *a, str folder, str what, err *e);

/* Lines [from, to] of a file. */
typedef struct {
    int from, to;
} line_range;
/* Which lines of the file at `path` differ from revision `rev`: all of them if it was not there. Where lines were taken
 * away, their two neighbours count. false: no repository, no such revision, no git; `e` says so (ERR_SCENARIO). */
bool git_changed_lines(arena *a, const char *rev, str path, line_range **list, size_t *count, err *e);

/* The files of one repository's work tree that differ from a revision, and those that git knows at all. */
typedef struct {
    str root;                      /* of the work tree, without links */
    struct git_name *changed, *tracked;
} git_changes;
/* Of the repository that the file at `path` lies in. false: as git_changed_lines. Free it with git_changes_free; names
 * live in `a`. */
bool git_changes_since(arena *a, const char *rev, str path, git_changes *out, err *e);
/* Is something else at `path` than at the revision? A file that git does not know is; nothing outside the repository
 * is. Of a link both count: the link, and what it leads to. */
bool git_has_changed(const git_changes *c, str path);
void git_changes_free(git_changes *c);

#endif
