/* watch_links.c - files that are links: their target is saved elsewhere, and a save of it affects every link to it. See
 * watch_internal.h. */
#include <unistd.h>

#include "base/mem.h"
#include "watch/watch_internal.h"

/* The target of a link, one step, as it is written, so that its folder is watched under this name. false: it is no
 * link. */
static bool read_link(arena *a, str path, str *to)
{
    enum { LINK_BYTES_MAX = 4096 };
    char text[LINK_BYTES_MAX];
    ssize_t n = readlink(arena_str(a, path).p, text, sizeof text);
    if (n <= 0 || (size_t)n == sizeof text)
        return false;
    str target = { .p = text, .n = (size_t)n };
    *to = text[0] == '/' ? arena_str(a, target) : files_join(a, files_folder(path), target);
    return true;
}

static void add_link(watch *w, str from, str to)
{
    for (size_t i = 0; i < w->link_count; i++)
        if (str_eq(w->links[i].from, from) && str_eq(w->links[i].to, to))
            return;
    MEM_RESERVE(w->links, w->link_cap, w->link_count + 1);
    w->links[w->link_count++] = (struct watched_link){ .from = arena_str(w->memory, from),
                                                       .to = arena_str(w->memory, to) };
}

bool watch_links_of(watch *w, str path, err *e)
{
    enum { STEPS_MAX = 16 };           /* they may lead round */
    arena *a = arena_new();
    str at = path, to;
    bool ok = true;
    for (int i = 0; ok && i < STEPS_MAX && read_link(a, at, &to); i++) {
        add_link(w, path, to);
        ok = watch_files_add(w->files, files_folder(to), e);
        at = to;
    }
    arena_free(a);
    return ok;
}

static bool is_looked_at(watch *w, str path)
{
    for (size_t i = 0; i < watch_set_count(w->set); i++)
        if (looked_touches(&watch_set_get(w->set, i)->now.looked, path))
            return true;
    return false;
}

void watch_add_links(watch *w, arena *a, file_list *paths)
{
    size_t count = paths->count;
    for (size_t i = 0; i < w->link_count; i++)
        for (size_t k = 0; k < count; k++)
            if (str_eq(w->links[i].to, paths->paths[k]))
                files_add(a, paths, w->links[i].from);
    for (size_t k = 0; k < paths->count; k++) {    /* they may lead elsewhere by now */
        err e = { 0 };
        if (is_looked_at(w, paths->paths[k]))
            watch_links_of(w, paths->paths[k], &e);
        err_clear(&e);
    }
}
