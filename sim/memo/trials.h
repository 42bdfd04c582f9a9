/* trials.h - records all calls of each script in a search: every state of a server and every call that met there, once.
 * A changed text that does the same in all of them leads the search through the same states, so its verdict is known
 * without a search. Only the lines that are reached, and named in stories, may differ. */
#ifndef LOCKSIM_MEMO_TRIALS_H
#define LOCKSIM_MEMO_TRIALS_H

#include "redis/redis.h"

typedef struct trials trials;
trials *trials_new(redis_limits limits);      /* of the searches that it records */
void trials_free(trials *t);                       /* NULL is fine */
/* A script's text became part of what clients know or send: texts must not be exchanged any more. */
void trials_spoil(trials *t);
/* Such a script was loaded, even if it was never called. */
void trials_know(trials *t, str path, str body);
/* Does `body`, in the place of the script loaded from `path`, do the same on all recorded calls, now and at other times
 * of the day? false also where that is unknown, or no such script was loaded. *tried: on how many calls it ran. */
bool trials_same(const trials *t, str path, str body, size_t *tried);

/* ---- for the world, which records what it runs ---- */

typedef struct {
    str path, body;        /* of the script */
    str keyspace;          /* as keyspace_load reads it */
    str subscribed;        /* by each connection but the first: channels and patterns, a word each, after its kind
                            * (p, s, or m) */
    const str *argv;       /* EVALSHA hash n keys... args..., or FCALL function n keys... args... */
    size_t argc;
    int64_t now_ms;
} trial;
void trials_add(trials *t, const trial *x);

#endif
