/* files.c - reading files, and finding scripts by name: in a scenario's overlay folder, beside it, under --scripts,
 * among the shipped ones. */
#define _GNU_SOURCE                                /* dladdr1 */
#include "host/files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/cases.h"

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

bool files_cannot_open(str path, int number, err *e)
{
    struct stat st;
    scenario_name n = names_split(path);
    arena *scratch = arena_new();
    bool is_case = n.case_.n && stat(arena_str(scratch, n.file).p, &st) == 0;
    arena_free(scratch);
    if (is_case) {
        err_at(e, ERR_SCENARIO, path, 0, 0, "is a case of a scenario, and a whole file is needed here");
        return err_hint(e, "leave out ':%.*s', or give the case to a command that runs scenarios", STR_ARG(n.case_));
    }
    err_at(e, ERR_SCENARIO, path, 0, 0, "cannot open: %s", strerror(number));
    return number == ENOENT ? err_hint(e, "no such file or folder; is the path right?") : false;
}

bool files_read(arena *a, str path, str *text, err *e)
{
    return files_read_long(a, path, FILE_BYTES_MAX, text, e);
}

bool files_read_long(arena *a, str path, size_t bytes_max, str *text, err *e)
{
    if (memchr(path.p, 0, path.n))
        return err_at(e, ERR_SCENARIO, str_slice(path, 0, str_find(path, 0, 0)), 0, 0, "the name holds a NUL byte");
    str z = arena_str(a, path);
    /* non-blocking: a FIFO without a writer must not hang us */
    int fd = open(z.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return files_cannot_open(path, errno, e);
    struct stat st;
    bool ok = false;
    if (fstat(fd, &st) != 0)
        err_at(e, ERR_SCENARIO, path, 0, 0, "cannot read: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        err_at(e, ERR_SCENARIO, path, 0, 0, "is a folder, not a file");
    else if (!S_ISREG(st.st_mode))
        err_at(e, ERR_SCENARIO, path, 0, 0, "is not a regular file");
    else if (st.st_size < 0 || (uint64_t)st.st_size > bytes_max)
        err_at(e, ERR_SCENARIO, path, 0, 0, "is %lld bytes long; at most %zu are read", (long long)st.st_size,
               bytes_max);
    else
        ok = read_all(a, fd, path, (size_t)st.st_size, text, e);
    close(fd);
    return ok;
}

static size_t after_last_slash(str path)
{
    size_t i = path.n;
    while (i > 0 && path.p[i - 1] != '/')
        i--;
    return i;
}

str files_folder(str path)
{
    size_t i = after_last_slash(path);
    return str_slice(path, 0, i > 1 ? i - 1 : i);
}

str files_name(str path)
{
    return str_slice(path, after_last_slash(path), path.n);
}

str files_join(arena *a, str folder, str name)
{
    if (folder.n == 0)
        return arena_str(a, name);
    return arena_printf(a, "%.*s%s%.*s", STR_ARG(folder), folder.p[folder.n - 1] == '/' ? "" : "/", STR_ARG(name));
}

bool files_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A path below the current folder is shown relative to it, so that output does not depend on the place of a
 * checkout. */
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

str files_tidy(arena *a, str path)
{
    char *real = realpath(arena_str(a, path).p, NULL);
    str tidy = real ? without_cwd(a, real) : path;
    free(real);
    return tidy;
}

str files_relative(arena *a, str folder, str path)
{
    char *from_z = realpath(folder.n ? arena_str(a, folder).p : ".", NULL),
                   *to_z = realpath(arena_str(a, path).p, NULL);
    str from = str_from(from_z), to = str_from(to_z), relative = path;
    if (from_z && to_z) {
        size_t same = 0, i = 0;                    /* the folders that both begin with */
        for (; i < from.n && i < to.n && from.p[i] == to.p[i]; i++)
            if (to.p[i] == '/')
                same = i + 1;
        if (i == from.n && i < to.n && to.p[i] == '/')
            same = i + 1;
        buf b = { 0 };
        if (same <= from.n)
            for (size_t k = same; k < from.n; k++)
                if (k == same || from.p[k] == '/')
                    buf_addz(&b, "../");
        buf_add(&b, str_slice(to, same, to.n));
        relative = arena_str(a, buf_str(&b));
        buf_free(&b);
    }
    free(from_z);
    free(to_z);
    return relative;
}

/* Where the program was when it began: it may have been built anew since, and then the link says that it is gone. */
static char *own_program(void)
{
    str gone = S(" (deleted)");
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n < 0 || n == (ssize_t)sizeof path)
        return NULL;
    bool is_gone = str_ends((str){ path, (size_t)n }, gone);
    return strndup(path, (size_t)n - (is_gone ? gone.n : 0));
}

/* The file with this code: the program, or the library into which it was linked. */
static char *own_file(void)
{
    static const char anchor;
    Dl_info info;
    struct link_map *map = NULL;
    bool library = dladdr1(&anchor, &info, (void **)&map, RTLD_DL_LINKMAP) && map && map->l_name[0];
    return library ? realpath(map->l_name, NULL) : own_program();
}

str files_shipped(arena *a, const char *name)
{
    char *own = own_file();
    if (!own)
        return S("");
    str folder = files_folder(str_from(own)), found = S("");
    /* Installed: <prefix>/bin, <prefix>/lib, or <prefix>/lib/MACHINE, beside <prefix>/share. In the source tree: a
     * build folder up to three levels below its root, which the folder sim/ gives away, so that a stranger's scripts/
     * further up is not taken for ours. */
    static const char *const beside[] = { "../share/locksim", "../../share/locksim", "..", "../..", "../../.." };
    enum { INSTALLED = 2 };
    for (size_t i = 0; i < COUNT(beside) && found.n == 0; i++) {
        if (i >= INSTALLED && !files_is_folder(arena_printf(a, "%.*s/%s/sim", STR_ARG(folder), beside[i]).p))
            continue;
        str path = arena_printf(a, "%.*s/%s/%s", STR_ARG(folder), beside[i], name);
        char *real = realpath(path.p, NULL);
        if (real && files_is_folder(real))
            found = without_cwd(a, real);
        free(real);
    }
    free(own);
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

static bool take_overlay(search_path *p, arena *a, str folder)
{
    folder = arena_str(a, folder);
    bool there = files_is_folder(folder.p);
    looked_add(p->looked, folder, file_print_folder(there));
    if (there)
        p->overlay = folder;
    return there;
}

scenario_name names_split(str name)
{
    struct stat st;
    size_t colon = case_colon(name);
    scenario_name whole = { .file = name, .case_ = S("") };
    if (colon == name.n)
        return whole;
    arena *scratch = arena_new();
    bool there = stat(arena_str(scratch, name).p, &st) == 0;
    arena_free(scratch);
    return there ? whole : (scenario_name){ .file = str_slice(name, 0, colon),
                                            .case_ = str_slice(name, colon + 1, name.n) };
}

void search_path_for(search_path *p, arena *a, str name)
{
    scenario_name n = names_split(name);
    p->beside = files_folder(n.file);
    p->overlay = S("");
    if (str_ends(n.file, S(".lua")) && !str_ends(n.file, S("/.lua")) &&
        !(n.case_.n && take_overlay(p, a, case_stem(a, name))))
        take_overlay(p, a, str_slice(n.file, 0, n.file.n - 4));
}

/* 1: read; 0: not there; -1: there, but unreadable, and `e` says why. */
static int try_folder(const search_path *p, arena *a, str folder, str name, str *path, str *text, err *e)
{
    str full = files_join(a, folder, name);
    struct stat st;
    int found = 0;
    if (stat(full.p, &st) == 0 || (errno != ENOENT && errno != ENOTDIR)) {
        *path = full;
        found = files_read(a, full, text, e) ? 1 : -1;
    }
    looked_add(p->looked, full, found == 1 ? file_print_of(*text) : 0);
    return found;
}

/* The i-th place where names are looked for; false: there is none of that number. An empty folder is the current one,
 * but is skipped unless it is the second. */
static bool place_at(const search_path *p, size_t i, str *folder)
{
    if (i >= p->script_count + 3)
        return false;
    *folder = i == 0 ? p->overlay : i == 1 ? p->beside : i < p->script_count + 2 ? str_from(p->scripts[i - 2])
              : p->shipped;
    return true;
}

bool search_path_find(const search_path *p, str name, arena *a, str *path)
{
    str folder;
    struct stat st;
    for (size_t i = 0; name.n > 0 && name.p[0] != '/' && place_at(p, i, &folder); i++) {
        if (i != 1 && folder.n == 0)
            continue;
        *path = files_join(a, folder, name);
        if (stat(path->p, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
            return true;
    }
    return false;
}

static bool path_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const search_path *p = context;
    if (name.n == 0 || memchr(name.p, 0, name.n) || name.p[0] == '/') {
        err_set(e, ERR_SCENARIO, "'%.*s' is no script name: names are relative paths, as in \"my/acquire.lua\"",
                STR_ARG(name));
        return err_hint(e, "name the folder with --scripts DIR");
    }
    buf looked = { 0 };
    int found = 0;
    str folder;
    for (size_t i = 0; found == 0 && place_at(p, i, &folder); i++) {
        if (i != 1 && folder.n == 0)
            continue;
        found = try_folder(p, a, folder, name, path, text, e);
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
