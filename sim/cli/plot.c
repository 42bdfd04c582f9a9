/* plot.c - `locksim plot`: pictures of what `locksim simulate` measured. */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot_draw.h"
#include "cli/plot_stage.h"
#include "host/files.h"
#include "report/clean.h"

/* Runs that are drawn together, and how their pictures are called. */
typedef struct {
    str name;
    const str *folders;
    size_t count;
} plot_group;

static int by_bytes(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

static str last_name(str path)
{
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    str folder = files_folder(path);
    return folder.n && folder.n < path.n ? str_slice(path, folder.n + (folder.p[folder.n - 1] != '/'), path.n) : path;
}

/* The runs in `folder`, in byte order. */
static bool list_runs(arena *a, str folder, str **runs, size_t *count, err *e)
{
    DIR *d = opendir(folder.p);
    size_t room = 0;
    *count = 0;
    *runs = NULL;
    if (!d) {
        err_at(e, ERR_USAGE, folder, 0, 0, "cannot read this folder: %s", strerror(errno));
        return err_hint(e, "`locksim simulate FILE` writes a folder for each scenario and workload");
    }
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        str path = files_join(a, folder, str_from(entry->d_name));
        if (entry->d_name[0] == '.' || !plot_is_run(a, path))
            continue;
        if (*count == room) {
            str *larger = ARENA_ARRAY(a, str, room = 2 * room + 16);
            if (*count)
                memcpy(larger, *runs, *count * sizeof **runs);
            *runs = larger;
        }
        (*runs)[(*count)++] = path;
    }
    closedir(d);
    if (*count)
        qsort(*runs, *count, sizeof **runs, by_bytes);
    if (*count)
        return true;
    err_at(e, ERR_USAGE, folder, 0, 0, "there are no data of a simulation here");
    return err_hint(e, "`locksim simulate FILE` writes a folder for each scenario and workload");
}

/* The name of a single run, else that of the workload that the runs share. */
static plot_group group_of(arena *a, const str *folders, const plot_run *runs, size_t count)
{
    str name = count == 1 ? last_name(files_tidy(a, folders[0])) : runs[0].workload.n ? runs[0].workload
               : S("compared");
    for (size_t i = 1; i < count; i++)
        if (!str_eq(runs[i].workload, runs[0].workload))
            name = S("compared");
    char *plain = ARENA_ARRAY(a, char, name.n + 1);
    for (size_t i = 0; i < name.n; i++)            /* it becomes part of a file's name */
        plain[i] = name.p[i] == '/' || (unsigned char)name.p[i] < 0x20 ? '_' : name.p[i];
    return (plot_group){ .name = { .p = plain, .n = name.n }, .folders = folders, .count = count };
}

/* Two runs of one name and workload are called by their folders. */
static void tell_apart(plot_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (i != k && runs[i].label.n == 0 && str_eq(runs[i].scenario, runs[k].scenario) &&
                str_eq(runs[i].workload, runs[k].workload))
                runs[i].label = runs[i].folder;
}

static bool wanted(const options *o, const plot_kind *kind, size_t runs)
{
    if (!o->only)
        return runs > PLOT_RUNS_MAX ? kind->many : runs > 1 || !kind->many;
    str only = str_from(o->only), name = str_from(kind->name);
    for (size_t from = 0; from <= only.n; ) {
        size_t comma = str_find(only, ',', from);
        if (str_eq(str_slice(only, from, comma), name))
            return true;
        from = comma + 1;
    }
    return false;
}

static bool check_only(const options *o, err *e)
{
    str only = str_from(o->only ? o->only : plot_kind_at(0)->name), names[16] = { 0 };
    for (size_t i = 0; i < plot_kinds(); i++)
        names[i] = str_from(plot_kind_at(i)->name);
    for (size_t from = 0; from <= only.n; ) {
        size_t comma = str_find(only, ',', from), i = 0;
        str one = str_slice(only, from, comma);
        while (i < plot_kinds() && !str_eq(one, names[i]))
            i++;
        if (i == plot_kinds()) {
            str near = err_nearest(one, names, plot_kinds());
            err_set(e, ERR_USAGE, "--only: there is no picture '%.*s'", STR_ARG(one));
            return near.n ? err_hint(e, "did you mean %.*s?", STR_ARG(near))
                   : err_hint(e, "`locksim plot --help` lists them");
        }
        from = comma + 1;
    }
    return true;
}

static bool check_count(const options *o, const plot_group *g, err *e)
{
    size_t most = PLOT_RUNS_MANY_MAX;
    for (size_t i = 0; o->only && i < plot_kinds(); i++)
        if (wanted(o, plot_kind_at(i), g->count) && !plot_kind_at(i)->many)
            most = PLOT_RUNS_MAX;
    if (g->count <= most)
        return true;
    err_set(e, ERR_USAGE, "%zu runs are too many for one picture: at most %zu can be told apart", g->count, most);
    return err_hint(e, most == PLOT_RUNS_MAX ? "name fewer folders, or draw --only compare" : "name fewer folders");
}

static str title_of(arena *a, const plot_kind *kind, const plot_run *runs, size_t count)
{
    buf b = { 0 };
    buf_addz(&b, kind->what);
    for (size_t i = 0; i < count && i < PLOT_RUNS_MAX; i++)
        buf_printf(&b, "%s %.*s%s%.*s", i ? "," : ":", STR_ARG(runs[i].label.n ? runs[i].label : runs[i].scenario),
                   runs[i].workload.n ? ", " : "", STR_ARG(runs[i].workload));
    if (count > PLOT_RUNS_MAX)
        buf_printf(&b, ", and %zu more", count - PLOT_RUNS_MAX);
    str title = clean_copy(a, buf_str(&b));
    buf_free(&b);
    return title;
}

static bool draw_all(arena *a, const options *o, const plot_group *g, const plot_run *runs, str templates, str stage,
                     buf *said, err *e)
{
    str beside = files_folder(g->folders[0]);
    str out = o->out_dir ? str_from(o->out_dir) : beside.n ? beside : S(".");
    const char *suffix = o->format == PLOT_PNG ? "png" : "svg";
    for (size_t i = 0; i < plot_kinds(); i++) {
        const plot_kind *kind = plot_kind_at(i);
        if (!wanted(o, kind, g->count))
            continue;
        buf picture = { 0 };
        str path, name = arena_printf(a, "%.*s.%s.%s", STR_ARG(g->name), kind->name, suffix);
        bool ok = plot_draw(a, templates, kind, stage, g->count, o->format == PLOT_PNG,
                            title_of(a, kind, runs, g->count), &picture, e) &&
                  files_write(a, out, name, buf_str(&picture), &path, e);
        buf_free(&picture);
        if (!ok)
            return false;
        buf_addz(said, "wrote  ");
        clean_text(said, path);
        buf_printf(said, "   %s\n", kind->what);
    }
    return true;
}

/* A signal that ends us waits until the temporary folder is gone; gnuplot itself gets it at once. */
static bool draw_group(arena *a, const options *o, plot_group *g, plot_run *runs, str templates, buf *said, err *e)
{
    sigset_t held, before;
    str stage;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    tell_apart(runs, g->count);
    sigprocmask(SIG_BLOCK, &held, &before);
    bool ok = plot_stage_open(a, runs, g->count, &stage, e) && draw_all(a, o, g, runs, templates, stage, said, e);
    plot_stage_close(stage);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* Reads the runs in `folders` and draws them: together, or those of each workload together. */
static bool draw_folders(arena *a, const options *o, str *folders, size_t count, bool by_workload, str templates,
                         buf *said, err *e)
{
    plot_run *runs = ARENA_ARRAY(a, plot_run, count), *some = ARENA_ARRAY(a, plot_run, count);
    str *theirs = ARENA_ARRAY(a, str, count);
    bool *drawn = ARENA_ARRAY(a, bool, count), ok = true;
    for (size_t i = 0; i < count; i++)
        if (!plot_run_read(a, folders[i], &runs[i], e))
            return false;
    for (size_t i = 0; i < count && ok; i++) {
        size_t n = 0;
        for (size_t k = i; k < count; k++)
            if (!drawn[k] && (!by_workload || str_eq(runs[k].workload, runs[i].workload))) {
                drawn[k] = true;
                theirs[n] = folders[k];
                some[n++] = runs[k];
            }
        if (n == 0)
            continue;
        plot_group g = group_of(a, theirs, some, n);
        ok = check_count(o, &g, e) && draw_group(a, o, &g, some, templates, said, e);
    }
    return ok;
}

/* Folders of runs are drawn together. A folder that holds such folders is drawn workload by workload. */
static bool plot(arena *a, const options *o, buf *said, err *e)
{
    str templates, *single = ARENA_ARRAY(a, str, o->argument_count);
    size_t singles = 0;
    bool ok = true;
    if (!plot_templates(a, &templates, e) || !check_only(o, e))
        return false;
    for (size_t i = 0; i < o->argument_count && ok; i++) {
        str folder = str_from(o->arguments[i]), *runs;
        size_t count;
        if (plot_is_run(a, folder))
            single[singles++] = folder;
        else
            ok = list_runs(a, folder, &runs, &count, e) && draw_folders(a, o, runs, count, true, templates, said, e);
    }
    return ok && (singles == 0 || draw_folders(a, o, single, singles, false, templates, said, e));
}

int plot_main(const options *o)
{
    err e = { 0 };
    buf said = { 0 };
    arena *a = arena_new();
    int status = plot(a, o, &said, &e) ? STATUS_PASS : print_complaint(&e);
    if (!print_out(&said))                         /* output before an error stays */
        status = status_worse(status, STATUS_IO);
    err_clear(&e);
    buf_free(&said);
    arena_free(a);
    return status;
}
