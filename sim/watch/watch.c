/* watch.c - `locksim watch`: runs scenarios, then again those that a saved file affects, and reports what has changed.
 * Except for the searches, everything runs in one thread as events of a loop: a file changed, a result is ready,
 * Ctrl-C. */
#include "watch/watch.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/mem.h"
#include "watch/watch_internal.h"

/* ---- results ---- */

static void on_ready(uv_async_t *handle)
{
    watch *w = handle->data;
    judged now;
    for (watched *x; !w->over && (x = watch_set_take(w->set, &now)) != NULL;) {
        watch_pass_begin(w);
        w->pass.run += x->urgent;
        if (x->same)
            watch_take_same(w, x);
        else
            watch_take_result(w, x, &now);
        x->urgent = false;
        watch_set_trim(w->set);
        if (looked_is_over(&x->now.looked)) {      /* saved before its folder was watched: there was no event */
            watch_note_saved(w, x->path);
            watch_set_ask(w->set, x, true);
        }
    }
    watch_end_passes(w);
}

/* Called by the threads. */
static void notify(void *context)
{
    watch *w = context;
    uv_async_send(&w->ready);
}

/* ---- the command ---- */

static void on_signal(uv_signal_t *s, int number)
{
    (void)number;
    watch_stop(s->data);
}

static void open_loop(watch *w)
{
    static const int numbers[COUNT(w->signals)] = { SIGINT, SIGTERM };
    uv_loop_init(&w->loop);
    uv_async_init(&w->loop, &w->ready, on_ready);
    w->ready.data = w;
    w->files = watch_files_new(&w->loop, watch_changed, w);
    for (size_t i = 0; i < COUNT(w->signals); i++) {
        uv_signal_init(&w->loop, &w->signals[i]);
        w->signals[i].data = w;
        uv_signal_start(&w->signals[i], on_signal, numbers[i]);
    }
}

static void close_loop(watch *w)
{
    /* One Ctrl-C may come as two signals. Without its handles the second one would end the program before its status is
     * told. */
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    watch_files_free(w->files);
    uv_close((uv_handle_t *)&w->ready, NULL);
    for (size_t i = 0; i < COUNT(w->signals); i++)
        uv_close((uv_handle_t *)&w->signals[i], NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_loop_close(&w->loop);
}

static bool watch_arguments(watch *w, err *e)
{
    for (size_t i = 0; i < w->o->argument_count; i++) {
        str path = str_from(w->o->arguments[i]);
        str file = names_split(path).file;
        if (file_print_now(file) == 0) {
            err_at(e, ERR_SCENARIO, path, 0, 0, "cannot open: no such file or folder, or not to be read");
            return err_hint(e, "what is watched must be there at the start; it may go and come back later");
        }
        bool ok = files_is_folder(w->o->arguments[i]) ? watch_below(w, path, e)
                  : watch_files_add(w->files, files_folder(file), e);
        if (!ok)
            return false;
    }
    return true;
}

/* As for a run over all of them; a missing result counts as inconclusive. */
static int status_of(watch *w)
{
    int status = w->deaf ? STATUS_IO : w->broken.count ? STATUS_SCENARIO : STATUS_PASS;
    for (size_t i = 0; i < watch_set_count(w->set); i++) {
        const last_result *r = &watch_set_get(w->set, i)->now.last;
        status = status_worse(status, r->known ? r->status : STATUS_INCONCLUSIVE);
    }
    return status;
}

static int watch_all(watch *w)
{
    err e = { 0 };
    int status = STATUS_PASS;
    w->set = watch_set_new(w->o, notify, w);
    open_loop(w);                  /* its signals are heard instead of the ones that searches by themselves listen to */
    if (!w->set)
        err_set(&e, ERR_USAGE, "the system gives no thread to search in");
    else if (watch_arguments(w, &e)) {
        watch_pass_begin(w);
        watch_look(w, false);
        watch_end_passes(w);
        if (!w->over)
            uv_run(&w->loop, UV_RUN_DEFAULT);
        status = status_of(w);
    }
    if (e.class_ != ERR_NONE)
        status = print_complaint(&e);
    err_clear(&e);
    if (w->set)
        watch_set_free(w->set);
    close_loop(w);
    watch_pass_clear(w);
    mem_free(w->taken.at);
    mem_free(w->links);
    return status;
}

int watch_main(const options *o)
{
    static const char *here[] = { "." }, *scenarios[] = { "scenarios" };
    options with = *o;
    with.watching = true;
    if (o->argument_count == 0) {
        with.arguments = files_is_folder(scenarios[0]) ? scenarios : here;
        with.argument_count = 1;
    }
    watch w = { .o = &with, .first = true, .memory = arena_new(),
                .style = { .verbose = o->verbose, .timing = o->timing || isatty(STDOUT_FILENO), .program = o->program,
                           .color = print_wants_color(o->color), .width = print_width(STDOUT_FILENO) } };
    int status = watch_all(&w);
    arena_free(w.memory);
    return status;
}
