/* trials.h - what a search asked of each script: every state of a server and every call that met there, once. Another
 * text of the script that does the same on all of them leads the search through the very same states, so its verdict is
 * known without searching again. Only the lines that are reached, and named in stories, may be others. */
#ifndef LOCKSIM_MEMO_TRIALS_H
#define LOCKSIM_MEMO_TRIALS_H

#include "redis/redis.h"

typedef struct trials trials;
trials *trials_new(redis_limits limits);      /* of the searches it listens to */
void trials_free(trials *t);                       /* NULL is fine */
/* Something made a script's text a part of what clients know or send: then texts must not be exchanged. */
void trials_spoil(trials *t);
/* Such a script was loaded, whether anything was asked of it or not. */
void trials_know(trials *t, str path, str body);
/* Does `body`, in the place of the script that was loaded from `path`, do what that did, on all that was asked of it,
 * now and at other times of the day? false also where that cannot be told, or no such script was loaded. *tried: how
 * many calls it was tried on. */
bool trials_same(const trials *t, str path, str body, size_t *tried);

/* ---- for the world, which takes down what it runs ---- */

typedef struct {
    str path, body;        /* of the script */
    str keyspace;          /* as keyspace_load reads it */
    str subscribed;        /* of each connection but the first: channels and patterns, a word each, after its kind (p,
                            * s, or m) */
    const str *argv;       /* EVALSHA hash n keys... args..., or FCALL function n keys... args... */
    size_t argc;
    int64_t now_ms;
} trial;
void trials_add(trials *t, const trial *x);

#endif
