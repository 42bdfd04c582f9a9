/* watch_internal.h - shared by the files watch*.c: the state of a `locksim watch`, used by one thread. */
#ifndef LOCKSIM_WATCH_WATCH_INTERNAL_H
#define LOCKSIM_WATCH_WATCH_INTERNAL_H

#include <uv.h>

#include "report/changed.h"
#include "watch/watch_files.h"
#include "watch/watch_set.h"

/* From the first of some saves to the last result that they cause. */
typedef struct {
    bool open;
    uint64_t begin_ms;
    arena *memory;
    file_list saved;
    size_t run, changed;           /* scenarios affected by a save */
    size_t same, tried;            /* of these, those for which trials were enough, and how many */
    struct told { str text; size_t more; } *errors;            /* each is reported once */
    size_t error_count, error_cap;
} pass;

typedef struct {
    const options *o;
    report_style style;
    uv_loop_t loop;
    uv_async_t ready;
    uv_signal_t signals[2];
    watch_files *files;
    watch_set *set;
    arena *memory;
    bool first;                    /* the first pass is not over */
    bool deaf;                     /* stdout has no reader any more */
    bool over;
    struct watched_link { str from, to; } *links;              /* to: one of the places that it leads to */
    size_t link_count, link_cap;
    file_list broken;              /* saved files that do not parse */
    taken_names taken;             /* by counterexamples of this pass */
    pass pass;
} watch;

/* ---- watch_tell.c ---- */

void watch_print(watch *w, buf *b);                /* and empties it */
/* Leaves the loop after the events of this turn. */
void watch_stop(watch *w);
void watch_pass_begin(watch *w);                   /* unless one goes on */
void watch_pass_clear(watch *w);
/* A line for completed work: the saves, when all scenarios that they affect have run; the first pass. */
void watch_end_passes(watch *w);
void watch_note_saved(watch *w, str path);
void watch_take_result(watch *w, watched *x, judged *now);     /* which is freed */
void watch_take_same(watch *w, watched *x);

/* ---- watch_links.c ---- */

/* If it is a link: where it leads to is watched, too. */
bool watch_links_of(watch *w, str path, err *e);
/* Adds the links that lead to one of the saved paths; where they lead to by now is watched. */
void watch_add_links(watch *w, arena *a, file_list *paths);

/* ---- watch_saved.c ---- */

/* Every folder below `folder` is watched from now on, for new scenarios may come there. */
bool watch_below(watch *w, str folder, err *e);
/* Adds new scenarios, and reports removed ones, below the named folders. */
void watch_look(watch *w, bool urgent);
/* For watch_files_new. */
void watch_changed(void *context, const str *paths, size_t count);

#endif
