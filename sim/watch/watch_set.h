/* watch_set.h - the scenarios of `locksim watch`: what is known of each, which are to be run, and the threads that run
 * them. One thread owns the set and calls these functions; the others only work. */
#ifndef LOCKSIM_WATCH_WATCH_SET_H
#define LOCKSIM_WATCH_WATCH_SET_H

#include "judge/kept.h"

/* What is kept of a result. */
typedef struct {
    bool known;
    verdict verdict;
    property_outcome properties[PROPERTY_COUNT];
    int status;
} last_result;

/* A result and what it rests on. */
typedef struct {
    last_result last;
    looked looked;
    struct trials *trials;         /* what the search asked of scripts; NULL: nothing is known */
    uint64_t work;                 /* of the search, in steps: quick ones go first */
} known_result;

typedef enum { WATCHED_IDLE, WATCHED_WAITING, WATCHED_RUNNING, WATCHED_DONE } watched_state;

typedef struct {
    str path;
    known_result now, before;      /* a change is often taken back */
    kept *kept;                    /* of its last run, whatever that was a run of; while it runs, only that thread may
                                    * touch it */
    uint64_t used;                 /* grows from run to run */
    bool urgent;                   /* a save asks for it; else it is only part of the first pass */
    /* Shared with the threads, under the set's lock. */
    watched_state state;
    _Atomic bool cancel;           /* this run is for nothing: something it rests on has changed, or more urgent ones
                                    * wait */
    judged fresh;                  /* WATCHED_DONE, unless `same` */
    /* WATCHED_DONE, and nothing was searched: the scripts do what they did for this result, on `tried` calls; or
     * NULL. */
    known_result *same;
    file_print *prints;            /* with `same`: of its files, by now */
    size_t tried;
} watched;

/* There is a newer result; it takes over what `k` holds. */
void watched_know(watched *w, known_result k);
/* The result before is the one that holds. */
void watched_take_back(watched *w);

typedef struct watch_set watch_set;
/* `notify` is called by a thread whenever a result is ready. NULL: the system gives no thread. */
watch_set *watch_set_new(const options *o, void (*notify)(void *context), void *context);
/* Stops the searches that run, and waits for them. */
void watch_set_free(watch_set *s);

size_t watch_set_count(const watch_set *s);
watched *watch_set_get(watch_set *s, size_t i);
watched *watch_set_find(watch_set *s, str path);               /* NULL: it is not among them */
watched *watch_set_add(watch_set *s, str path);                /* idle */
void watch_set_remove(watch_set *s, watched *w);               /* not while it runs: see watch_set_settle */

/* To be run; if it runs already, again from the start. Urgent ones take the cores from those that are not. */
void watch_set_ask(watch_set *s, watched *w, bool urgent);
/* Waits until no thread works at it; it is idle then. */
void watch_set_settle(watch_set *s, watched *w);
/* The next result that is ready; where it is not `same`, *out is the caller's to free. NULL: none. Results of cancelled
 * runs are dropped here. */
watched *watch_set_take(watch_set *s, judged *out);
/* Forgets what was kept of those that ran longest ago where it is too much for all of them together. No result that was
 * taken may be in use. */
void watch_set_trim(watch_set *s);
/* How many are not idle; of these, how many are urgent. */
size_t watch_set_busy(watch_set *s, size_t *urgent);

#endif
