/* watch_files.c - see watch_files.h. A folder that is removed, renamed or made again is watched again where it was. */
#include "watch/watch_files.h"

#include "base/mem.h"
#include "host/files.h"

/* A save counts as complete after QUIET_MS without an event; one that goes on is reported every PATIENCE_MS. */
enum { QUIET_MS = 15, PATIENCE_MS = 200 };

typedef struct folder_watch {
    uv_fs_event_t handle;
    watch_files *files;
    str path;
    bool closing;
} folder_watch;

struct watch_files {
    uv_loop_t *loop;
    void (*changed)(void *context, const str *paths, size_t count);
    void *context;
    arena *memory;                 /* of the folders' paths */
    folder_watch **at;
    size_t count, cap;
    uv_timer_t timer;
    uint64_t first_ms;             /* of the events that wait; 0: none waits */
    arena *waiting_memory;
    str *waiting;
    size_t waiting_count, waiting_cap;
};

static void note(watch_files *f, str path)
{
    for (size_t i = 0; i < f->waiting_count; i++)
        if (str_eq(f->waiting[i], path))
            return;
    MEM_RESERVE(f->waiting, f->waiting_cap, f->waiting_count + 1);
    f->waiting[f->waiting_count++] = arena_str(f->waiting_memory, path);
}

static str last_name(str path)
{
    str folder = files_folder(path);
    bool root = str_eq(folder, S("/"));
    return folder.n ? str_slice(path, folder.n + !root, path.n) : path;
}

static void on_closed(uv_handle_t *handle)
{
    mem_free(handle->data);
}

/* The system watches the old folder: the present one may be another. */
static void forget(watch_files *f, size_t i)
{
    folder_watch *w = f->at[i];
    f->at[i] = f->at[--f->count];
    w->closing = true;
    uv_close((uv_handle_t *)&w->handle, on_closed);
}

static void watch_again(watch_files *f, str changed)
{
    arena *a = arena_new();
    for (size_t i = f->count; i-- > 0;) {
        str path = f->at[i]->path;
        if (!str_starts(path, changed) || (path.n > changed.n && path.p[changed.n] != '/'))
            continue;
        path = arena_str(a, path);
        forget(f, i);
        watch_files_add(f, path, NULL);
    }
    arena_free(a);
}

static void on_timer(uv_timer_t *timer)
{
    watch_files *f = timer->data;
    str *paths = f->waiting;
    size_t count = f->waiting_count;
    arena *memory = f->waiting_memory;
    f->waiting = NULL;
    f->waiting_count = f->waiting_cap = 0;
    f->waiting_memory = arena_new();
    f->first_ms = 0;
    for (size_t i = 0; i < count; i++)
        watch_again(f, paths[i]);
    f->changed(f->context, paths, count);
    mem_free(paths);
    arena_free(memory);
}

static void on_event(uv_fs_event_t *handle, const char *name, int events, int status)
{
    folder_watch *w = handle->data;
    watch_files *f = w->files;
    (void)events;
    if (w->closing || status < 0 || !name)
        return;
    str file = str_from(name);
    arena *a = arena_new();
    note(f, files_join(a, w->path, file));
    if (str_eq(file, last_name(w->path)))          /* so the system names the folder itself when it goes */
        note(f, w->path);
    arena_free(a);
    uint64_t now_ms = uv_now(f->loop);
    f->first_ms = f->first_ms ? f->first_ms : now_ms;
    if (now_ms - f->first_ms < PATIENCE_MS || !uv_is_active((uv_handle_t *)&f->timer))
        uv_timer_start(&f->timer, on_timer, QUIET_MS, 0);
}

watch_files *watch_files_new(uv_loop_t *loop, void (*changed)(void *context, const str *paths, size_t count),
                             void *context)
{
    watch_files *f = mem_zero(sizeof *f);
    f->loop = loop;
    f->changed = changed;
    f->context = context;
    f->memory = arena_new();
    f->waiting_memory = arena_new();
    uv_timer_init(loop, &f->timer);
    f->timer.data = f;
    return f;
}

static void on_all_closed(uv_handle_t *handle)
{
    watch_files *f = handle->data;
    arena_free(f->memory);
    arena_free(f->waiting_memory);
    mem_free(f->waiting);
    mem_free(f->at);
    mem_free(f);
}

void watch_files_free(watch_files *f)
{
    while (f->count)
        forget(f, f->count - 1);
    uv_close((uv_handle_t *)&f->timer, on_all_closed);
}

size_t watch_files_count(const watch_files *f)
{
    return f->count;
}

static bool is_watched(const watch_files *f, str folder)
{
    for (size_t i = 0; i < f->count; i++)
        if (str_eq(f->at[i]->path, folder))
            return true;
    return false;
}

static bool no_watching(err *e, str folder, int error)
{
    err_set(e, ERR_USAGE, "cannot watch the folder '%.*s': %s", STR_ARG(folder.n ? folder : S(".")),
            uv_strerror(error));
    return error == UV_ENOSPC || error == UV_EMFILE
               ? err_hint(e, "the system watches no more: raise fs.inotify.max_user_watches and max_user_instances, or "
                          "name fewer folders") : false;
}

bool watch_files_add(watch_files *f, str folder, err *e)
{
    arena *a = arena_new();
    str path = arena_str(a, folder);
    while (path.n && !files_is_folder(path.p))
        path = arena_str(a, files_folder(path));
    int error = 0;
    if (!is_watched(f, path)) {
        folder_watch *w = mem_zero(sizeof *w);
        w->files = f;
        w->path = arena_str(f->memory, path);
        uv_fs_event_init(f->loop, &w->handle);
        w->handle.data = w;
        MEM_RESERVE(f->at, f->cap, f->count + 1);
        f->at[f->count++] = w;
        error = uv_fs_event_start(&w->handle, on_event, path.n ? w->path.p : ".", 0);
        if (error < 0)
            forget(f, f->count - 1);
    }
    if (error < 0)
        no_watching(e, path, error);
    arena_free(a);
    return error == 0;
}
