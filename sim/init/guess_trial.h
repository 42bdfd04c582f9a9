/* guess_trial.h - shared by the parts of guess.h: a server on which scripts are tried, the meaning of replies, and ways
 * to call a script. */
#ifndef LOCKSIM_INIT_GUESS_TRIAL_H
#define LOCKSIM_INIT_GUESS_TRIAL_H

#include "init/guess.h"
#include "init/guess_text.h"

extern const char guess_by_hand[], guess_numbers[];        /* hints */

typedef str (*guess_value)(void *context, const guess_arg *arg, size_t slot);
/* The object in ARGV[in] with these values for its fields. */
str guess_json(arena *a, const guess_script *s, size_t in, guess_value value, void *context);

/* ---- guess_trial.c ---- */

enum { LEASE_MS = 30011, LEASE_S = 31, MARGIN_MS = 40 };

typedef enum { ANN, BOB, CEC, OWNERS = 26 } who;
extern const str trial_owners[OWNERS];     /* their names */
str trial_number(arena *a, who w);          /* ... and where those are numbers */

/* A server on which one try follows the other, each on an empty keyspace and long after the last. */
typedef struct {
    arena *a, *scratch;                    /* scratch: for replies; reset by the owner of the trial */
    redis *server;
    redis_conn *conn;
    int64_t base_ms;
    str channel, message;                  /* of the last publication; "": none since the script began */
    const guess *g;
    bool numbered;                         /* owners' names are numbers */
    bool clock_stands;                     /* clients' clocks stay at the beginning */
    int64_t ahead_ms;                      /* by which they are ahead of the server's */
    int64_t limit, unknown;                /* the values of these roles */
    bool unknown_is_large;                 /* as a length in milliseconds it is one of seconds */
    size_t owners_key;                     /* the further key with this number is another one for each owner */
    str lock;                              /* the lock's key, where a script makes its name; "": GUESS_LOCK */
    who asks;                              /* last */
    reply granted[OWNERS];                 /* what each one's last grant was; nil: none in this try */
    size_t calls;                          /* of scripts, in all */
    bool wrong_length;
} trial;

trial trial_open(arena *a, const guess *g);
void trial_close(trial *t);
/* Compiles the script, which a command needs not, and reads it: guess_read. false: `e` has the place. */
bool trial_reads(trial *t, guess_script *s, guess_hints *h, err *e);
/* Begins the next try. */
void trial_begin(trial *t);
/* `w` runs the script, at_ms after the try began. */
reply trial_ask(trial *t, const guess_script *s, who w, int64_t at_ms);
reply trial_command(trial *t, const str *argv, size_t argc, int64_t at_ms);
reply trial_keyed(trial *t, const char *name, str key, int64_t at_ms);    /* TYPE, GET, LRANGE 0 -1, ... of a key */
str trial_key(trial *t, const guess_arg *key);     /* its value in this trial */
str trial_arg(trial *t, const guess_script *s, size_t i, who w, int64_t at_ms);    /* the same of a slot */
str trial_lock(const trial *t);            /* the key that the lock is */
/* Does the acquire let `w` in? */
bool trial_is_free(trial *t, guess *g, who w, int64_t at_ms);
/* How the key names its owner. */
guess_place trial_holder(trial *t, str key, str owner, int64_t at_ms);

/* The item by which an array that grants and one that refuses differ. */
size_t guess_deciding(const guess *g);
bool guess_is_owner(const reply *r, who w);
bool guess_reads_granted(const guess *g, const reply *r, who w);
bool guess_is_higher(const guess *g, const reply *r);
/* A grant after the first one: as that one, or a higher number. */
bool guess_is_grant(const guess *g, const reply *r, who w);
int64_t guess_lease_ms(const guess_script *s);     /* 0: it takes none */
int64_t guess_hold_ms(const guess *g);             /* how long ANN holds it; 0: for ever */
bool guess_by_clients_clock(const guess *g);       /* its lease ends by a time that the client told */
bool guess_has_either(const guess_script *s, guess_role one, guess_role other);

/* ---- guess_ways.c ---- */

/* No way, but of those that are none the best to tell what is wrong; it leaves no key; it ends in an error. */
enum { NO_WAY = -1000, NO_WAY_KEYLESS = NO_WAY - 1, NO_WAY_FAILS = NO_WAY - 2 };
enum { REPLY_ITEMS_MAX = 4, GUESS_MORE_ARGS_MAX = 4 };
/* Judges s's roles: higher is better, NO_WAY and less is none. *all: nothing could be better. */
typedef int (*judge_way)(trial *t, guess *g, guess_script *s, bool *all);
/* The best way, in `s`; with more ARGV than its text names, where it takes them by computed indexes. false: none;
 * `s` is the best of those that are none, if any does not end in an error. */
typedef struct {
    const guess_hints *hints;
    bool releases;
    unsigned replies;                      /* bits: an ARGV may be the acquire's answer, 0, or its n-th item */
    judge_way judge;
    const guess_script *like;              /* the acquire, of a release or a renewal; else NULL */
} way_plan;
bool guess_find_way(trial *t, guess *g, guess_script *s, const way_plan *plan);
/* Gives a slot another role. */
void guess_set_role(guess_arg *slot, guess_arg role);
void guess_likeliest_way(guess_script *s, const guess_hints *h);
/* An instant that the script's text does not name as one becomes a lease where that does as well: where a script adds
 * the clock to it, or sets it as a key's time to live beside another lease, an instant holds the lock far too long. */
void guess_prefer_lease(trial *t, guess *g, guess_script *s, const way_plan *plan);
/* A role without which the lock behaves the same becomes unknown, or "0" where only a number without a meaning works:
 * an argument that nothing depends on, say, and whose name says nothing. */
void guess_forget_unshown(trial *t, guess *g, guess_script *s, const way_plan *plan);
/* The same for "0" alone. */
void guess_zero_unshown(trial *t, guess *g, guess_script *s, const way_plan *plan);
/* Unknown roles get the meaning of their names, unless the script is then no lock's. */
void guess_mark_by_name(trial *t, guess *g, guess_script *s, const way_plan *plan);
/* Which KEYS are the lock, in every order that acquire's KEYS allow; the others are further keys, or a channel. */
void guess_lay_keys(const guess *g, guess_script *s, size_t lock_at);

/* ---- guess_count.c ---- */

/* Where a lock that its owner gets again says how often it has it: fills in `counting` and `counted`. */
void guess_count(trial *t, guess *g);

/* ---- guess_ends.c ---- */

/* The stored time that ends a hold, where its key's TTL does not: fills in `ends`. */
void guess_find_end(trial *t, guess *g);

/* ---- guess_acquire.c, guess_release.c ---- */

bool guess_acquire(trial *t, guess *g, err *e);
bool guess_release(trial *t, guess *g, err *e);
bool guess_renew(trial *t, guess *g, err *e);

#endif
