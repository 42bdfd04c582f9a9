/* files.c - reading files, and finding scripts by name: beside the scenario, under --scripts, among the shipped ones. */
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(arena *a, int fd, str path, size_t size, str *text, err *e)
{
    char *p = arena_alloc(a, size + 1);
    size_t n = 0;
    while (n < size) {
        ssize_t got = read(fd, p + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_at(e, ERR_SCENARIO, path, 0, 0, "cannot read: %s", strerror(errno));
        if (got == 0)
            break;
        n += (size_t)got;
    }
    *text = (str){ .p = p, .n = n };
    return true;
}

bool files_read(arena *a, str path, str *text, err *e)
{
    if (memchr(path.p, 0, path.n))
        return err_at(e, ERR_SCENARIO, str_slice(path, 0, str_find(path, 0, 0)), 0, 0, "the name holds a NUL byte");
    str z = arena_str(a, path);
    int fd = open(z.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK);     /* non-blocking: a FIFO without a writer must not hang us */
    if (fd < 0) {
        err_at(e, ERR_SCENARIO, path, 0, 0, "cannot open: %s", strerror(errno));
        return errno == ENOENT ? err_hint(e, "no such file or folder; is the path right?") : false;
    }
    struct stat st;
    bool ok = false;
    if (fstat(fd, &st) != 0)
        err_at(e, ERR_SCENARIO, path, 0, 0, "cannot read: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        err_at(e, ERR_SCENARIO, path, 0, 0, "is a folder, not a file");
    else if (!S_ISREG(st.st_mode))
        err_at(e, ERR_SCENARIO, path, 0, 0, "is not a regular file");
    else if (st.st_size < 0 || (uint64_t)st.st_size > FILE_BYTES_MAX)
        err_at(e, ERR_SCENARIO, path, 0, 0, "is %lld bytes long; at most %zu are read", (long long)st.st_size, FILE_BYTES_MAX);
    else
        ok = read_all(a, fd, path, (size_t)st.st_size, text, e);
    close(fd);
    return ok;
}

str files_folder(str path)
{
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/')
            return str_slice(path, 0, i > 1 ? i - 1 : 1);
    return S("");
}

str files_join(arena *a, str folder, str name)
{
    if (folder.n == 0)
        return arena_str(a, name);
    return arena_printf(a, "%.*s%s%.*s", STR_ARG(folder), folder.p[folder.n - 1] == '/' ? "" : "/", STR_ARG(name));
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What lies below the current folder is shown without it, so that output does not depend on where a checkout is. */
static str without_cwd(arena *a, const char *absolute)
{
    char *cwd = getcwd(NULL, 0);
    str path = str_from(absolute);
    if (cwd && str_starts(path, str_from(cwd)) && path.p[strlen(cwd)] == '/')
        path = str_slice(path, strlen(cwd) + 1, path.n);
    path = arena_str(a, path);
    free(cwd);
    return path;
}

str files_shipped(arena *a, const char *name)
{
    char *exe = realpath("/proc/self/exe", NULL);
    if (!exe)
        return S("");
    str folder = files_folder(str_from(exe)), found = S("");
    static const char *const beside[] = { "../share/locksim/", "../", "../../", "../../../" };
    for (size_t i = 0; i < COUNT(beside) && found.n == 0; i++) {
        str path = arena_printf(a, "%.*s/%s%s", STR_ARG(folder), beside[i], name);
        char *real = realpath(path.p, NULL);
        if (real && is_folder(real))
            found = without_cwd(a, real);
        free(real);
    }
    free(exe);
    return found;
}

search_path search_path_new(arena *a, const options *o)
{
    const char *named = getenv("LOCKSIM_SCRIPTS");
    return (search_path){
        .scripts = o->scripts, .script_count = o->script_count, .beside = S(""),
        .shipped = named && *named ? str_from(named) : files_shipped(a, "scripts"),
    };
}

/* 1: read; 0: not there; -1: there, but unreadable, and `e` says why. */
static int try_folder(arena *a, str folder, str name, str *path, str *text, err *e)
{
    str full = files_join(a, folder, name);
    struct stat st;
    if (stat(full.p, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    *path = full;
    return files_read(a, full, text, e) ? 1 : -1;
}

static bool path_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const search_path *p = context;
    if (name.n == 0 || memchr(name.p, 0, name.n) || name.p[0] == '/') {
        err_set(e, ERR_SCENARIO, "'%.*s' is no script name: names are relative paths, as in \"my/acquire.lua\"", STR_ARG(name));
        return err_hint(e, "name the folder with --scripts DIR");
    }
    buf looked = { 0 };
    int found = 0;
    for (size_t i = 0; i < p->script_count + 2 && found == 0; i++) {
        str folder = i == 0 ? p->beside : i <= p->script_count ? str_from(p->scripts[i - 1]) : p->shipped;
        if (i > 0 && folder.n == 0)
            continue;
        found = try_folder(a, folder, name, path, text, e);
        buf_printf(&looked, "%s%.*s", looked.n ? ", " : "", STR_ARG(folder.n ? folder : S(".")));
    }
    if (found == 0) {
        err_set(e, ERR_SCENARIO, "cannot find '%.*s'", STR_ARG(name));
        err_hint(e, "looked in %.*s; --scripts DIR adds a folder", STR_ARG(buf_str(&looked)));
    }
    buf_free(&looked);
    return found == 1;
}

loader search_path_loader(search_path *p)
{
    return (loader){ .context = p, .read = path_read };
}

static bool make_folders(char *path, err *e)
{
    for (char *p = path + 1; ; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && (errno != EEXIST || !is_folder(path)))
            return err_at(e, ERR_USAGE, str_from(path), 0, 0, "cannot make this folder: %s", strerror(errno));
        *p = kept;
        if (kept == '\0')
            return true;
    }
}

bool files_write(arena *a, str folder, str name, str text, str *path, err *e)
{
    if (folder.n) {
        char *copy = arena_alloc(a, folder.n + 1);             /* zeroed, so it ends in a NUL */
        memcpy(copy, folder.p, folder.n);
        if (!make_folders(copy, e))
            return false;
    }
    *path = files_join(a, folder, name);
    str draft = arena_printf(a, "%.*s.part", STR_ARG(*path));
    int fd = open(draft.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_at(e, ERR_USAGE, *path, 0, 0, "cannot write: %s", strerror(errno));
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
    return err_at(e, ERR_USAGE, *path, 0, 0, "cannot write: %s", strerror(failed));
}
