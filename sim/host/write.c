/* write.c - the files that locksim writes: whole or not at all, and only below the folder it was told. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/files.h"

err_class files_cause(int number)
{
    static const int nowhere[] = { ENOSPC, EDQUOT, EIO, EFBIG, EROFS, EACCES, EPERM };
    for (size_t i = 0; i < COUNT(nowhere); i++)
        if (number == nowhere[i])
            return ERR_IO;
    return ERR_USAGE;
}

/* Each folder above was made or is there: where a file system says that one is missing, it takes no file at all. */
static err_class cause_below(int number)
{
    return number == ENOENT ? ERR_IO : files_cause(number);
}

/* Refuses a default folder that is a link to elsewhere. */
static bool refuse_folder(str path, int number, err *e)
{
    err_at(e, cause_below(number), path, 0, 0, "cannot make this folder: %s", strerror(number));
    return str_starts(S(FILES_OUT), path) ? err_hint(e, "--out DIR saves elsewhere") : false;
}

bool files_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Makes the folder and those above it. `own`: it is the default one or below it, which a repository that was cloned
 * may hold as a link to elsewhere. */
static bool make_folders(char *path, bool own, err *e)
{
    for (char *p = path + 1; ; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        if (own && files_is_link(path)) {
            err_at(e, ERR_USAGE, str_from(path), 0, 0, "this folder is a link, and may lead anywhere: nothing is "
                   "written through it");
            return err_hint(e, "--out DIR saves elsewhere");
        }
        if (mkdir(path, 0777) != 0 && (errno != EEXIST || !files_is_folder(path)))
            return refuse_folder(str_from(path), errno, e);
        *p = kept;
        if (kept == '\0')
            return true;
    }
}

/* Files in the default folder are no part of the user's repository: a .gitignore inside says so. */
static void ignore_own(void)
{
    static const char text[] = "# Made by locksim: counterexamples, pages and data of runs.\n*\n";
    int fd = open(FILES_OUT "/.gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return;                                    /* it is there */
    if (write(fd, text, sizeof text - 1) < 0)
        unlink(FILES_OUT "/.gitignore");           /* the disk is full; the error of the file itself is reported */
    close(fd);
}

bool files_make_folder(arena *a, str folder, err *e)
{
    if (folder.n == 0)
        return true;
    char *copy = arena_alloc(a, folder.n + 1);     /* zeroed, so it ends in a NUL */
    memcpy(copy, folder.p, folder.n);
    bool own = str_starts(folder, S(FILES_OUT));
    if (!make_folders(copy, own, e))
        return false;
    if (own)
        ignore_own();
    return true;
}

bool files_write(arena *a, str folder, str name, str text, str *path, err *e)
{
    if (!files_make_folder(a, folder, e))
        return false;
    *path = files_join(a, folder, name);
    struct stat there;
    if (stat(path->p, &there) == 0 && !S_ISREG(there.st_mode))     /* a device would be replaced by a file */
        return err_at(e, ERR_USAGE, *path, 0, 0, "cannot write: it is there, and is no file");
    str draft = arena_printf(a, "%.*s.part", STR_ARG(*path));
    int fd = open(draft.p, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_at(e, cause_below(errno), *path, 0, 0, "cannot write: %s", strerror(errno));
    size_t n = 0;
    int failed = 0;
    while (n < text.n && !failed) {
        ssize_t put = write(fd, text.p + n, text.n - n);
        if (put < 0 && errno != EINTR)
            failed = errno;
        n += put > 0 ? (size_t)put : 0;
    }
    if (close(fd) != 0 && !failed)
        failed = errno;
    if (!failed && rename(draft.p, path->p) != 0)
        failed = errno;
    if (!failed)
        return true;
    unlink(draft.p);
    return err_at(e, cause_below(failed), *path, 0, 0, "cannot write: %s", strerror(failed));
}
