/* internal.h - the inside of a trace, shared by the files of sim/trace: the known locks, the owners that use each, and
 * the current request. */
#ifndef LOCKSIM_TRACE_INTERNAL_H
#define LOCKSIM_TRACE_INTERNAL_H

#include <uthash.h>

#include "base/buf.h"
#include "trace/tracer.h"

#define NEVER_US INT64_MAX
enum { PARTIES_MAX = 256 };

/* An owner that wants the lock, holds it, or lost it by expiry and may come back. By its name in the view. */
typedef struct {
    str who;               /* owned; p NULL: the place is free */
    uint32_t client;
    bool waiting, holding;
    bool lapsed;           /* its lease ended during its hold, and it was not heard of since */
    bool orphan_told;
    int64_t asked_us, seen_us;     /* the beginning of its wait; its last request */
    int64_t sign_us;       /* its last request but renewals */
    int64_t granted_us, lapsed_us;
    int64_t lease_ms;      /* of its last grant, LEASE_NONE: no end */
    int64_t believes_us;   /* since when it has known that it was granted; 0: that is not known */
    int64_t relies_us;     /* and until when its lease lasts by its own account, from its request on */
    int64_t count;         /* holds */
    size_t granted_line, renewed_line, rival_line;
    str rival;             /* owned; of one that lapsed: the owner that was granted the lock after it */
} party;

/* A copy of a view, in one block. */
typedef struct {
    lock_view v;
    void *memory;
    int64_t deadline_ms;   /* when the key goes; INT64_MAX: never, or there is none */
} kept_view;

/* By a client's own account: from the answer that granted it until the release was sent or the lease was over, or until
 * a renewal that failed. */
typedef struct {
    str who;               /* owned */
    deed_kind deed;        /* that ended it ... */
    bool lapsed;           /* ... or the lease did before */
    int64_t from_us, to_us;
    size_t line;
} belief;
enum { BELIEFS_MAX = 32 };

typedef struct lock_key lock_key;
typedef struct traced {
    UT_hash_handle hh;
    str id;                /* the database's number in four bytes, then the name; owned */
    str name;
    int db;
    uint32_t number;
    uint64_t claimed;      /* the number of the last request that was about it */
    family *f;
    bool sure;             /* the holder is known */
    int64_t sure_us;       /* not before then does an unsure one become sure by being free */
    kept_view now;
    party *parties;
    size_t party_count, party_cap;
    lock_key *keys;        /* but for its name; linked */
    int64_t wake_us;       /* when it must be looked at even without a request */
    size_t heap_at;        /* 1-based; 0: it is not in the heap */
    model *m;              /* NULL: it is free, and no promise of it lasts */
    int64_t lapsed_us;     /* when a lease ended last, by our account; 0: none has */
    int64_t promised_us;   /* until then an owner may rely on a hold that was taken from it ... */
    size_t taken_line;     /* ... and that it was granted here */
    int64_t storm_us;      /* a second of refusals began */
    uint64_t storm_count;
    bool storm_told;
    int64_t seen_us;
    belief *beliefs;       /* the last ones; NULL: none */
    size_t belief_count;   /* ever */
} traced;

struct lock_key {
    UT_hash_handle hh;
    str id;                /* as of a lock; owned */
    traced *l;
    lock_key *next;
    bool still;
};

/* A command that a script ran on our server. */
typedef struct {
    str *argv;
    size_t argc;
} effect;

/* The current request: judged after its `lua` lines. */
typedef struct {
    bool open;
    arena *memory;
    size_t line;
    int64_t at_us;
    int64_t sent_us, answered_us;      /* by the client's own account; else RECORD_UNKNOWN */
    int db;
    uint32_t client;
    str client_name, sha;
    str *argv;
    size_t argc;
    uint64_t number;
    claim *claims;         /* as many as locks, which may be all that are known */
    traced **locks;
    size_t claim_count, claim_cap;
    bool script, known;            /* known: our server has the script */
    effect *effects;
    size_t effect_count, effect_cap, matched;
    bool follows;          /* not our script is believed but the `lua` lines */
    bool differed;
    bool proven;           /* the log shows that the server did what ours did */
    bool freed;            /* it deleted keys for sure */
    bool meddled;          /* LK003 was reported for it */
    bool wrote;
    uint32_t commands;
    bool waits;            /* a pop that found nothing */
    reply answer;          /* ours, in `memory` */
    str reply;             /* the same on one line */
    str failed;            /* its script's error with its position; or empty */
} asked;

struct tracer {
    trace_options o;
    redis *server;
    redis_conn *conn;
    int conn_db;
    uint32_t conn_id;
    struct { redis_conn *c; uint32_t client; } *blocked;           /* pops that wait */
    size_t blocked_count, blocked_cap;
    traced *locks;
    lock_key *keys;
    traced **heap;
    size_t heap_count, heap_cap;
    asked q;
    arena *scratch;        /* of one view, one answer */
    buf id;                /* scratch for look-ups */
    struct named_client { UT_hash_handle hh; str name; uint32_t number; } *client_table;
    str client_names[TRACE_CLIENTS_MAX];
    bool client_local[TRACE_CLIENTS_MAX];
    size_t client_count;
    str *lock_names;
    size_t lock_name_count, lock_name_cap;
    struct known_sha { UT_hash_handle hh; char sha[41]; } *unknown, *failed;       /* told already */
    int64_t last_us;
    bool clock;            /* no request, but time is what changes a lock */
    bool ends;             /* the log is over */
    int64_t reap_ms;       /* expired keys are looked for next */
    trace_counts counts;
    arena *names;
    err *e;                /* of the running call */
};

/* locks.c */
traced *locks_find(tracer *t, int db, str key);     /* by its name or one of its keys; NULL: none */
traced *locks_add(tracer *t, int db, str name, family *f);
void locks_forget(tracer *t, traced *l);
void locks_free(tracer *t);
void locks_wake(tracer *t, traced *l, int64_t at_us);           /* NEVER_US: not at all */
/* The lock's view at `now_ms`, in t->scratch. */
bool locks_look(tracer *t, traced *l, int64_t now_ms, lock_view *out);
/* Stores the view as the present knowledge. */
void locks_keep(tracer *t, traced *l, const lock_view *v, int64_t now_ms);
bool locks_same(const traced *l, const lock_view *v, int64_t now_ms);
const lock_holder *view_holder_of(const lock_view *v, str id);

/* parties.c */
party *party_find(traced *l, str who);
party *party_get(tracer *t, traced *l, str who, uint32_t client);   /* added if it is new */
void party_drop(party *p);                         /* if nothing is known of it any more */
void party_forget_old(tracer *t, traced *l, int64_t now_us);
size_t party_number(const traced *l, const party *p);

/* beliefs.c: LK002, for logs in which clients report what they knew. */
void beliefs_granted(tracer *t, party *p);
void beliefs_renewed(tracer *t, party *p);
/* It sent a request after which it holds nothing: a release, a renewal that failed, or another one that shows it
 * knew. */
void beliefs_asked(tracer *t, traced *l, party *p, deed_kind deed);
void beliefs_free(traced *l);

/* lock_events.c */
void judge_forget(tracer *t, traced *l);           /* the lock's model */
void judge_claim(tracer *t, traced *l, const claim *c, const lock_view *after);
void judge_lapse(tracer *t, traced *l, int64_t at_us, const lock_view *after);  /* the clock changed the view */
/* A lease ends within a millisecond of the request. A line's time is a little later than the server's own at the
 * request, so without more in the log whether the key was still there is not known. */
bool judge_near_end(const tracer *t, const traced *l);
/* accepts the present holder without a report */
void judge_adopt(tracer *t, traced *l, const lock_view *v);
void judge_end(tracer *t);

/* find.c */
void find(tracer *t, finding f);
void tell(tracer *t, told what, const traced *l, const party *p);
str tracer_time(tracer *t, int64_t at_us);           /* "+12.345 s" since the log's beginning; in t->scratch */

/* claims.c: the locks that the request in t->q is about, added to its claims. Each is there once. */
void claims_of_families(tracer *t, int db, const str *argv, size_t argc, str sha);  /* what the families know of the
                                                                                     * words */
void claims_of_keys(tracer *t, int db, const str *argv, size_t argc);  /* any other command about a key of a lock */
void claims_all(tracer *t);            /* every lock that is known: all may have changed */

/* tracer.c: what runs on our server. */
reply tracer_execute(tracer *t, int db, const str *argv, size_t argc, int64_t now_ms, arena *out);

#endif
