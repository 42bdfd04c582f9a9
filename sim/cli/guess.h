/* guess.h - what somebody's lock scripts want, found out by trying them on a Redis in memory: which KEYS and ARGV are the lock, the owner,
 * the lease and the channel, what a grant and a refusal look like, where the lock keeps its owner. */
#ifndef LOCKSIM_CLI_GUESS_H
#define LOCKSIM_CLI_GUESS_H

#include "base/err.h"
#include "redis/redis.h"

enum { GUESS_WORDS_MAX = 16 };             /* KEYS or ARGV of one script */

typedef enum { ROLE_UNKNOWN, ROLE_LOCK, ROLE_CHANNEL, ROLE_OWNER, ROLE_LEASE_MS, ROLE_LEASE_S, ROLE_MESSAGE, ROLE_COUNT } guess_role;
/* As a word of generic.lock's table: "$lock"; of what stayed unknown: "?". */
const char *guess_word(guess_role r);

typedef struct {
    str path, text;                        /* given by the caller; an empty path: there is no such script */
    size_t keys_n, args_n;                 /* the highest index that its text names */
    guess_role keys[GUESS_WORDS_MAX], args[GUESS_WORDS_MAX];
} guess_script;

typedef enum { HOLDER_UNKNOWN, HOLDER_STRING, HOLDER_HASH } guess_holder;

typedef struct {
    guess_script acquire, release, renew;  /* renew may be absent */
    reply granted, refused;
    reply still_held;                      /* the release's where its owner has it once more, if tells_holds */
    guess_holder holder;
    bool reentrant;                        /* its owner gets it again */
    bool tells_holds;                      /* the release answers something else where its owner has it once more */
    bool expires;                          /* the lock's key has a TTL */
    bool publishes;                        /* the release tells a channel */
    bool frees_for_anyone;                 /* the release does not ask for the owner */
    str release_error;                     /* the release frees the lock and then ends in this error; empty: it does not */
} guess;

/* Fills in all but paths and texts. Replies live in `a`. false: the scripts do not do what a lock's would; `e` says which and how. */
bool guess_lock(arena *a, guess *g, err *e);

#endif
