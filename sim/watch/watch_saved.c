/* watch_saved.c - the list of scenarios, and which of them a saved file affects. See watch_internal.h. */
#include <stdlib.h>

#include "redis/redis.h"
#include "report/clean.h"
#include "script/script.h"
#include "watch/watch_internal.h"

/* ---- the scenarios to run ---- */

/* For files created in a folder before it was watched there is no event: the folders are listed again until all of them
 * were watched before listing. */
bool watch_below(watch *w, str folder, err *e)
{
    bool ok = true;
    for (size_t watched = SIZE_MAX; ok && watched != watch_files_count(w->files);) {
        file_list below = { 0 };
        arena *a = arena_new();
        watched = watch_files_count(w->files);
        ok = files_folders(a, folder, &below, e);
        for (size_t i = 0; i < below.count && ok; i++)
            ok = watch_files_add(w->files, below.paths[i], e);
        arena_free(a);
    }
    return ok;
}

/* Adds the cases that the file had. */
static size_t add_known(watch *w, arena *a, str file, file_list *out)
{
    size_t before = out->count;
    for (size_t i = 0; i < watch_set_count(w->set); i++) {
        scenario_name known = names_split(watch_set_get(w->set, i)->path);
        if (known.case_.n && str_eq(known.file, file))
            files_add(a, out, watch_set_get(w->set, i)->path);
    }
    return out->count - before;
}

/* A file that cannot be loaded tells nothing of its cases: those that it had stay, and have the error for a result. */
static void keep_cases(watch *w, arena *a, file_list *files)
{
    file_list kept = { .passed_over = files->passed_over }, had = { 0 }, now = { 0 };
    for (size_t i = 0; i < files->count; i++) {
        err e = { 0 };
        bool any;
        had.count = 0;
        if (add_known(w, a, files->paths[i], &had) == 0 || names_cases(a, w->o, files->paths[i], S("*"), &now,
                                                                       &any, &e))
            files_add(a, &kept, files->paths[i]);
        else
            for (size_t k = 0; k < had.count; k++)
                files_add(a, &kept, had.paths[k]);
        err_clear(&e);
    }
    *files = kept;
}

void watch_look(watch *w, bool urgent)
{
    arena *a = arena_new();
    file_list files = { 0 };
    for (size_t i = 0; i < w->o->argument_count; i++) {
        err e = { 0 };
        if (files_is_folder(w->o->arguments[i]))
            watch_below(w, str_from(w->o->arguments[i]), &e);
        err_clear(&e);                             /* watched first: what is not listed yet will cause an event */
        if (!names_expand(a, w->o, str_from(w->o->arguments[i]), files_is_scenario, &files, &e) &&
            !files_is_folder(w->o->arguments[i]))
            files_add(a, &files, str_from(w->o->arguments[i]));            /* its result will be the error */
        err_clear(&e);
    }
    keep_cases(w, a, &files);
    buf b = { 0 };
    for (size_t i = watch_set_count(w->set); i-- > 0;) {
        watched *x = watch_set_get(w->set, i);
        size_t k = 0;
        while (k < files.count && !str_eq(files.paths[k], x->path))
            k++;
        if (k < files.count)
            continue;
        watch_set_settle(w->set, x);
        buf_addz(&b, "GONE  ");
        clean_text(&b, x->path);
        buf_byte(&b, '\n');
        watch_set_remove(w->set, x);
    }
    watch_print(w, &b);
    buf_free(&b);
    for (size_t i = 0; i < files.count; i++) {
        if (watch_set_find(w->set, files.paths[i]))
            continue;
        watch_set_ask(w->set, watch_set_add(w->set, files.paths[i]), urgent);
        if (urgent)
            watch_note_saved(w, files.paths[i]);
    }
    arena_free(a);
}

/* ---- what was saved ---- */

static bool is_below_arguments(const watch *w, str path)
{
    for (size_t i = 0; i < w->o->argument_count; i++)
        if (str_starts(path, str_from(w->o->arguments[i])))
            return true;
    return false;
}

static bool is_a_scenario(watch *w, str path)
{
    for (size_t i = 0; i < watch_set_count(w->set); i++)
        if (str_eq(names_split(watch_set_get(w->set, i)->path).file, path))
            return true;
    return false;
}

/* A file that cannot be loaded has those that it had. */
static bool has_other_cases(watch *w, str file)
{
    arena *a = arena_new();
    file_list had = { 0 }, now = { 0 };
    err e = { 0 };
    bool any, loads = names_cases(a, w->o, file, S("*"), &now, &any, &e);
    size_t same = 0, count = add_known(w, a, file, &had);
    for (size_t i = 0; i < now.count; i++)
        same += watch_set_find(w->set, now.paths[i]) != NULL;
    err_clear(&e);
    arena_free(a);
    return loads && (same != count || same != now.count);
}

/* Could a scenario have come there, or gone? Those that are known, and files that they load, are only run again. */
static bool concerns_folders(watch *w, str path)
{
    if (!is_below_arguments(w, path))
        return false;
    file_print print = file_print_now(path);
    if (print == file_print_folder(true) || print == file_print_folder(false))
        return true;
    bool known = is_a_scenario(w, path);
    if (known && has_other_cases(w, path))
        return true;
    for (size_t i = 0; i < watch_set_count(w->set) && !known; i++)
        known = looked_touches(&watch_set_get(w->set, i)->now.looked, path);
    return !known && str_ends(path, S(".lua"));
}

static void set_broken(watch *w, str path, bool broken)
{
    size_t i = 0;
    while (i < w->broken.count && !str_eq(w->broken.paths[i], path))
        i++;
    if (broken && i == w->broken.count)
        files_add(w->memory, &w->broken, arena_str(w->memory, path));
    else if (!broken && i < w->broken.count)
        w->broken.paths[i] = w->broken.paths[--w->broken.count];
}

/* Is it Lua as far as it goes? A file that is saved half-way would break every scenario that reads it, all in the same
 * way: it is told once, and the results of before stay. What is no Lua file, or not there, is left to the scenarios. */
static bool parses(watch *w, str path)
{
    arena *a = arena_new();
    redis *r = redis_new((redis_limits){ 0 });
    err e = { 0 };
    str text, why;
    bool ok = !str_ends(path, S(".lua")) || !files_read(a, path, &text, &e) || redis_load_script(r, text, a, &why);
    err_clear(&e);
    if (!ok) {
        buf b = { 0 };
        /* "...: user_script:7: text" */
        size_t at = str_find(why, ':', str_find(why, ':', 0) + 1) + 1, end = str_find(why, ':', at);
        int line = atoi(arena_str(a, str_slice(why, at, end)).p);
        err_at(&e, ERR_SCENARIO, path, line, 0, "%.*s", STR_ARG(str_slice(why, end + 2, why.n)));
        err_quote(&e, text);
        err_hint(&e, "nothing is run before it is saved again");
        report_add_verdict(&b, &w->style, VERDICT_ERROR);
        clean_text(&b, path);
        buf_byte(&b, '\n');
        report_error(&(outcome){ .error = e }, &b);
        watch_print(w, &b);
        buf_free(&b);
        err_clear(&e);
    }
    set_broken(w, path, !ok);
    redis_free(r);
    arena_free(a);
    return ok;
}

static bool is_affected(watch *w, str path)
{
    for (size_t i = 0; i < watch_set_count(w->set); i++)
        if (looked_differs(&watch_set_get(w->set, i)->now.looked, path) )
            return true;
    if (is_a_scenario(w, path))
        return true;
    for (size_t i = 0; i < w->broken.count; i++)
        if (str_eq(w->broken.paths[i], path))
            return true;
    return false;
}

/* Runs what it may change; is there anything? */
static bool ask_for(watch *w, str path)
{
    bool any = false;
    for (size_t i = 0; i < watch_set_count(w->set); i++) {
        watched *x = watch_set_get(w->set, i);
        bool differs = x->now.looked.count ? looked_differs(&x->now.looked, path) : x->state != WATCHED_IDLE;
        if (differs)
            watch_set_ask(w->set, x, x->now.looked.count > 0);
        any = any || (differs && x->now.looked.count > 0);
    }
    return any;
}

void watch_changed(void *context, const str *paths, size_t count)
{
    watch *w = context;
    arena *a = arena_new();
    file_list saved = { 0 };
    bool look = false;
    for (size_t i = 0; i < count; i++) {
        files_add(a, &saved, paths[i]);
        look = look || concerns_folders(w, paths[i]);
    }
    watch_add_links(w, a, &saved);
    if (look)
        watch_look(w, !w->first);
    for (size_t i = 0; i < saved.count; i++)
        if (is_affected(w, saved.paths[i]) && parses(w, saved.paths[i]) && ask_for(w, saved.paths[i]))
            watch_note_saved(w, saved.paths[i]);
    watch_end_passes(w);
    arena_free(a);
}
