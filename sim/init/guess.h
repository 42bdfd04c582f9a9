/* guess.h - the arguments of a user's lock scripts, found by running them on a Redis in memory: which KEYS and ARGV are
 * the lock, the owner, the lease, the clock, the limit and the channel, what a grant and a refusal look like, and where
 * the lock stores its owner. */
#ifndef LOCKSIM_INIT_GUESS_H
#define LOCKSIM_INIT_GUESS_H

#include "base/err.h"
#include "redis/redis.h"

enum { GUESS_WORDS_MAX = 16 };             /* KEYS of one script, or its ARGV and the fields of JSON in them */

typedef enum {
    ROLE_UNKNOWN, ROLE_LOCK, ROLE_KEY, ROLE_CHANNEL, ROLE_OWNER, ROLE_OWNER_LENGTH, ROLE_LEASE_MS, ROLE_LEASE_S,
    ROLE_NOW_MS, ROLE_NOW_S, ROLE_UNTIL_MS, ROLE_UNTIL_S, ROLE_LIMIT, ROLE_COUNT_OF, ROLE_MESSAGE, ROLE_TEXT, ROLE_JSON,
    ROLE_UNUSED, ROLE_REPLY, ROLE_CALL_KEY,
    ROLE_COUNT
} guess_role;
/* One of KEYS or ARGV, or a field of a JSON object in ARGV. ROLE_KEY: a further key of the lock's, the n-th of its
 * KEYS. ROLE_TEXT: a text that the script compares it with. ROLE_COUNT_OF: how many permits one owner takes, 1.
 * ROLE_JSON: an object, whose fields are arguments of their own. ROLE_UNUSED: the script's text does not name it.
 * ROLE_REPLY: what its owner's acquire answered, of an array the n-th item, from 1. ROLE_CALL_KEY: as ROLE_KEY, another
 * one for each call. */
typedef struct {
    guess_role role;
    size_t n;
    str text;
    bool by_name;                          /* the trial did not show it: a variable's name in the script says so */
    str called;                            /* the script's own variable for it; "": it has none */
    str field;                             /* of the JSON object in ARGV[in]; "": it is an argument itself */
    size_t in;
} guess_arg;

typedef struct {
    str path, text;                        /* given by the caller; an empty path: there is no such script */
    bool command;                          /* `text` is a command, "SET $lock $owner NX": its words are ARGV */
    bool token;                            /* of a command: it calls the owner $token */
    const str *words;                      /* of a command; given by the caller, too */
    size_t words_n;
    size_t keys_n, args_n;                 /* the highest index that its text names */
    size_t slots_n;                        /* ARGV, then the fields of JSON objects among them */
    bool any_keys;                         /* it takes any number of KEYS: it was tried with keys_n */
    guess_arg keys[GUESS_WORDS_MAX], args[GUESS_WORDS_MAX];
} guess_script;
/* As words of generic.lock's table, "$lock"; of what stayed unknown, "?". `tokens`: each acquisition is an owner of its
 * own, as a semaphore's permits are. */
str guess_key_word(arena *a, const guess_arg *key);
str guess_arg_word(arena *a, const guess_script *s, size_t i, bool tokens);

typedef enum {
    HOLDER_UNKNOWN, HOLDER_STRING, HOLDER_HASH, HOLDER_VALUE, HOLDER_ZSET, HOLDER_MEMBER_PART, HOLDER_SET, HOLDER_LIST,
    HOLDER_PERMITS, HOLDER_COUNT
} guess_holder;
/* Where the lock names its owner. VALUE: in the hash's field `field`; MEMBER_PART: a sorted set's member that ends in
 * `field`; ZSET, HASH: `field` is another member, or field, or ""; PERMITS: nowhere, a number says how many there
 * are. */
typedef struct {
    guess_holder kind;
    str field;
    bool first;                            /* ... and behind it in the same key those who wait */
    bool numbered;                         /* its semaphore has a key for each permit: their names end in 1, 2, ... */
    bool within;                           /* of a longer text: JSON, say */
    str before;                            /* ... where it follows this: "owner":" */
    bool named;                            /* VALUE: the field is called as the lock, in a hash of many locks */
} guess_place;
/* Where a lock says how often its owner has it: as its hash's field COUNT_FIELD, behind a text in its value, as one of
 * its KEYS; COUNT_HIDDEN: it was not to be seen where. */
typedef enum { COUNT_BY_HOLDER, COUNT_FIELD, COUNT_TEXT, COUNT_KEY, COUNT_HIDDEN } guess_counting;

typedef struct {
    guess_script acquire, release, renew;  /* renew may be absent */
    reply granted, refused;
    bool granted_varies;                   /* arrays: a later grant's deciding item is otherwise, and a refusal's
                                            * otherwise again */
    bool refused_varies;                   /* two refusals differ in that item: a time that is left */
    reply freed, kept, gone;               /* the release's: to its owner, to another one, to its owner when the lock is
                                            * free */
    reply still_held;                      /* the release's where its owner has it again, if tells_holds */
    str key;                               /* the lock's key as a word, where a script makes its name; "": $lock */
    guess_place holder;
    guess_counting counting;
    str counted;                           /* the hash's field, the text, or the key as a word */
    bool tells_count;                      /* a grant is a number: how many holds, or permits, there are now */
    bool tells_left;                       /* a grant is a number above a refusal's: how many permits are left */
    bool keeps_seconds;                    /* it keeps the time of day in seconds */
    str lasting[GUESS_WORDS_MAX];          /* further keys that are there after the release, as words */
    size_t lasting_n;
    bool names_owner;                      /* the grant is the owner's name */
    bool tells_anew;                       /* its answer, or an item of it, is another one at each grant */
    bool fencing;                          /* each grant is a higher number */
    bool semaphore;                        /* it has a limit */
    bool tokens;                           /* so it has, or a command says $token */
    bool idempotent;                       /* its owner gets it again, and has it once */
    bool reentrant;                        /* its owner gets it again while it holds it */
    bool tells_holds;                      /* the release answers something else where its owner has it again */
    guess_role ends;                       /* what the stored time that ends a hold is; UNKNOWN: none does */
    bool ends_after;                       /* ... which is still held at that very millisecond, or second */
    str ends_field;                        /* of a hash that stores it */
    str ends_key;                          /* another key ends a hold, this one: of the trial's names; "": none does */
    str ends_member;                       /* ... by the score of this member, ends_field of it, or its value */
    enum { ENDS_BY_TTL, ENDS_BY_SCORE, ENDS_BY_FIELD, ENDS_BY_VALUE } ends_by;
    bool ages;                             /* a stored time that nothing removes grows older for ever */
    bool stays;                            /* ... and nothing removes the lock's key when its owner died */
    bool ends_never;                       /* a time of day is stored, and does not end it */
    bool expires;                          /* another owner gets it once the lease is over */
    int64_t own_lease_ms;                  /* the same for a lease that no argument says; 0: there is none */
    size_t lease_slot;                     /* ... but this slot, from 1, makes, in units called lease_unit */
    const char *lease_unit;
    int64_t ends_early_ms;                 /* another owner gets it so long before its key's time to live is over */
    bool ends_somehow;                     /* another owner gets it within a day, and why was not to be seen */
    bool publishes;                        /* the release tells a channel */
    bool frees_for_anyone;                 /* the release does not check the owner */
    size_t owners_key;                     /* ... but where this one of its KEYS is another one for each; 0: none */
    bool renews_for_anyone;                /* nor does the renewal */
    bool renewal_adds;                     /* it sets no lease anew; by how much it prolongs the lock is not known */
    bool renewal_takes;                    /* the renewal takes a lock that is free */
    bool keeps_part;                       /* of any number of KEYS it keeps those that it got before one refuses it */
    size_t tried;                          /* ways to call a script */
    str release_error;                     /* the release frees the lock and then ends in this error; empty: it does
                                            * not */
} guess;

/* The trial's names for the lock and its first owner: replies may contain them. */
#define GUESS_LOCK "{locksim}"
#define GUESS_OWNER "locksim:A"
#define GUESS_TEXT "lock"                  /* the value of a prefix in ARGV */

bool guess_has_role(const guess_script *s, guess_role r);

/* Fills in all but paths, texts and `command`. Replies live in `a`. false: the scripts do not behave like a lock; `e`
 * says which and how. */
bool guess_lock(arena *a, guess *g, err *e);

#endif
