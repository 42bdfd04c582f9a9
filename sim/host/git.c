/* git.c - see git.h. */
#include "host/git.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uthash.h>

#include "host/files.h"

enum { ARGUMENTS_MAX = 24, NOT_FOUND = 127 };

/* The child: never returns. */
static void become_git(char *const *argv, int out, int said)
{
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0)
        dup2(nowhere, STDIN_FILENO);
    dup2(out >= 0 ? out : nowhere, STDOUT_FILENO);
    dup2(said >= 0 ? said : nowhere, STDERR_FILENO);
    setenv("LC_ALL", "C", 1);
    execvp("git", argv);
    _exit(NOT_FOUND);
}

static void read_to_end(int fd, buf *b)
{
    char piece[4096];
    for (ssize_t n; (n = read(fd, piece, sizeof piece)) != 0; ) {
        if (n > 0)
            buf_add(b, (str){ .p = piece, .n = (size_t)n });
        else if (errno != EINTR)
            break;
    }
}

/* One of its two outputs, as *out (may be NULL). Returns as git_run does. */
static int run_for(arena *a, str folder, const char *const *arguments, bool complaints, str *out)
{
    const char *argv[ARGUMENTS_MAX + 4] = { "git", "-C", folder.n ? arena_str(a, folder).p : "." };
    size_t n = 3;
    for (size_t i = 0; arguments[i] && n < COUNT(argv) - 1; i++)
        argv[n++] = arguments[i];
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0)
        become_git((char *const *)(uintptr_t)argv, complaints ? -1 : ends[1], complaints ? ends[1] : -1);
    close(ends[1]);
    buf b = { 0 };
    if (child > 0)
        read_to_end(ends[0], &b);
    close(ends[0]);
    if (out)
        *out = arena_str(a, buf_str(&b));
    buf_free(&b);
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) != NOT_FOUND ? WEXITSTATUS(status) : -1;
}

int git_run(arena *a, str folder, const char *const *arguments, str *out)
{
    return run_for(a, folder, arguments, false, out);
}

bool git_refuses(arena *a, str folder, str what, err *e)
{
    str said = S("");
    if (run_for(a, folder, (const char *const[]){ "rev-parse", "--git-dir", NULL }, true, &said) <= 0 || said.n == 0 ||
        strstr(said.p, "not a git repository"))
        return false;
    err_set(e, ERR_SCENARIO, "%.*s: git does not work here: %.*s", STR_ARG(what), (int)str_find(said, '\n', 0), said.p);
    err_hint(e, "`git status` there says more; of a folder that is another user's: git config --global --add "
             "safe.directory FOLDER");
    return true;
}

/* "@@ -12,0 +13,2 @@": the part behind the +. */
static bool hunk(str line, line_range *r)
{
    const char *plus = line.n > 3 && memcmp(line.p, "@@ ", 3) == 0 ? memchr(line.p, '+', line.n) : NULL;
    if (!plus)
        return false;
    char *end;
    long from = strtol(plus + 1, &end, 10), count = *end == ',' ? strtol(end + 1, NULL, 10) : 1;
    *r = count ? (line_range){ .from = (int)from, .to = (int)(from + count - 1) }
         : (line_range){ .from = (int)from, .to = (int)from + 1 };
    return true;
}

static void read_hunks(arena *a, str diff, line_range **list, size_t *count)
{
    size_t lines = 1;
    for (size_t i = 0; i < diff.n; i++)
        lines += diff.p[i] == '\n';
    *list = ARENA_ARRAY(a, line_range, lines);
    *count = 0;
    for (size_t at = 0, end; at < diff.n; at = end + 1) {
        end = str_find(diff, '\n', at);
        *count += hunk(str_slice(diff, at, end), &(*list)[*count]);
    }
}

/* The commit of the revision in the repository of `folder`; `path` is for error messages. */
static bool find_commit(arena *a, const char *rev, str folder, str path, const char **id, err *e)
{
    const char *const inside[] = { "rev-parse", "--is-inside-work-tree", NULL };
    int status = git_run(a, folder, inside, NULL);
    if (status < 0) {
        err_set(e, ERR_SCENARIO, "git cannot be run, and --in-diff asks it what has changed");
        return err_hint(e, "install it: apt-get install git");
    }
    if (status != 0 && git_refuses(a, folder, path, e))
        return false;
    if (status != 0) {
        err_at(e, ERR_SCENARIO, path, 0, 0, "lies in no git repository, so nothing is known of revision '%s'", rev);
        return err_hint(e, "leave out --in-diff, and everything counts as changed");
    }
    const char *const verify[] = { "rev-parse", "--verify", "--quiet", "--end-of-options",
                                   arena_printf(a, "%s^{commit}", rev).p, NULL };
    str commit;
    if (git_run(a, folder, verify, &commit) != 0) {
        err_at(e, ERR_SCENARIO, path, 0, 0, "its repository has no revision '%s'", rev);
        return err_hint(e, "`git log --oneline` shows them; a shallow clone has few of them");
    }
    *id = arena_str(a, str_slice(commit, 0, str_find(commit, '\n', 0))).p;
    return true;
}

static bool cannot_tell(const char *rev, str path, err *e)
{
    return err_at(e, ERR_SCENARIO, path, 0, 0, "git cannot tell what has changed since '%s'", rev);
}

bool git_changed_lines(arena *a, const char *rev, str path, line_range **list, size_t *count, err *e)
{
    str folder = files_folder(path), diff;
    const char *name = arena_str(a, files_name(path)).p, *id;
    if (!find_commit(a, rev, folder, path, &id, e))
        return false;
    const char *const exists[] = { "cat-file", "-e", arena_printf(a, "%s:./%s", id, name).p, NULL };
    if (git_run(a, folder, exists, NULL) != 0) {
        *list = ARENA_NEW(a, line_range);
        **list = (line_range){ .from = 1, .to = INT_MAX };
        *count = 1;
        return true;
    }
    const char *const changes[] = { "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-U0", id, "--", name,
                                    NULL };
    if (git_run(a, folder, changes, &diff) != 0)
        return cannot_tell(rev, path, e);
    read_hunks(a, diff, list, count);
    return true;
}

/* ---- which files of a repository ---- */

/* A name below the root, as git writes it. */
typedef struct git_name {
    str name;
    UT_hash_handle hh;
} git_name;

static bool has_name(const git_name *names, str name)
{
    const git_name *found;
    HASH_FIND(hh, names, name.p, name.n, found);
    return found != NULL;
}

/* "a.lua\0b/c.lua\0" */
static void add_names(arena *a, str list, git_name **names)
{
    for (size_t at = 0, end; at < list.n; at = end + 1) {
        end = str_find(list, '\0', at);
        str name = str_slice(list, at, end);
        if (has_name(*names, name))
            continue;
        git_name *n = ARENA_NEW(a, git_name);
        n->name = name;
        HASH_ADD_KEYPTR(hh, *names, n->name.p, n->name.n, n);
    }
}

bool git_changes_since(arena *a, const char *rev, str path, git_changes *out, err *e)
{
    const char *id;
    str folder = files_folder(path), root, changed, tracked;
    *out = (git_changes){ 0 };
    if (!find_commit(a, rev, folder, path, &id, e))
        return false;
    const char *const top[] = { "rev-parse", "--show-toplevel", NULL };
    const char *const differ[] = { "diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none",
                                   "-z", id, "--", NULL };
    const char *const known[] = { "ls-files", "-z", NULL };
    if (git_run(a, folder, top, &root) != 0)
        return cannot_tell(rev, path, e);
    out->root = str_slice(root, 0, str_find(root, '\n', 0));
    if (git_run(a, out->root, differ, &changed) != 0 || git_run(a, out->root, known, &tracked) != 0)
        return cannot_tell(rev, path, e);
    add_names(a, changed, &out->changed);
    add_names(a, tracked, &out->tracked);
    return true;
}

/* Was a folder of that name there, of which nothing is left? */
static bool has_below(const git_name *names, str folder)
{
    for (const git_name *n = names; n; n = n->hh.next)
        if (str_starts(n->name, folder) && n->name.n > folder.n && n->name.p[folder.n] == '/')
            return true;
    return false;
}

/* `full` is absolute. Nothing that is not there can have come, but what git has in its list of changes has gone. */
static bool differs(const git_changes *c, str full)
{
    if (!str_starts(full, c->root) || full.n <= c->root.n || full.p[c->root.n] != '/')
        return false;
    str name = str_slice(full, c->root.n + 1, full.n);
    struct stat is;
    if (has_name(c->changed, name))
        return true;
    if (lstat(full.p, &is) != 0)
        return has_below(c->changed, name);
    return !has_name(c->tracked, name) && !S_ISDIR(is.st_mode);
}

/* The nearest existing folder above it shows where the path would be. */
static bool folder_has_gone(arena *a, const git_changes *c, str path)
{
    str above = files_folder(path);
    char *place = NULL;
    while (!(place = realpath(above.n ? arena_str(a, above).p : ".", NULL)) && above.n)
        above = files_folder(above);
    bool gone = place && differs(c, files_join(a, str_from(place), str_slice(path, above.n ? above.n + 1 : 0, path.n)));
    free(place);
    return gone;
}

bool git_has_changed(const git_changes *c, str path)
{
    arena *a = arena_new();
    str folder = files_folder(path);
    char *place = realpath(folder.n ? arena_str(a, folder).p : ".", NULL), *end = realpath(arena_str(a, path).p, NULL);
    bool changed = (place && differs(c, files_join(a, str_from(place), files_name(path)))) ||
                   (end && differs(c, str_from(end)));
    if (!place)                                    /* its folder is not there: it has gone, or never was */
        changed = folder_has_gone(a, c, path);
    free(place);
    free(end);
    arena_free(a);
    return changed;
}

void git_changes_free(git_changes *c)
{
    HASH_CLEAR(hh, c->changed);
    HASH_CLEAR(hh, c->tracked);
}
