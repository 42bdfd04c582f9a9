/* internal.h - the inside of a model: what it remembers of owners, locks, grants, waits and requests, and the monitors' hooks.
 * track.c keeps the memory, freeze*.c write it down, one file per group of properties judges it. Nothing else includes this. */
#ifndef LOCKSIM_MODEL_INTERNAL_H
#define LOCKSIM_MODEL_INTERNAL_H

#include <uthash.h>

#include "model/model.h"

#define NEVER_MS INT64_MAX             /* an instant that does not come */
/* No driver announces what it was told an hour ago; without a bound, a loop that only sleeps would never come back to a state. */
#define ANNOUNCE_MS_MAX INT64_C(3600000)
#define RUN_START_MS INT64_C(1700000000000)        /* virtual time begins here: texts tell times relative to it */

typedef enum { OP_OTHER, OP_ACQUIRE, OP_RELEASE, OP_RENEW, OP_FORCE_RELEASE, OP_ABANDON, OP_LISTEN, OP_KINDS } op_kind;
/* Readers do not conflict with readers, permits with nobody; all else excludes. */
typedef enum { MODE_EXCLUSIVE, MODE_READ, MODE_PERMIT, MODE_UNSAID } mode_kind;

/* A driver's word for an operation, parsed once. */
typedef struct {
    str name;
    op_kind kind;
    mode_kind mode;        /* of "release_read": which of the owner's holds is meant; MODE_UNSAID otherwise */
} op_word;

/* A view as the model keeps it. Lives in `memory`, which is used again for the next one. */
typedef struct {
    arena *memory;         /* NULL: it has none yet */
    lock_holder *holders;
    size_t holder_count;
    str *queue;
    size_t queue_count;
    bool has_ttl;
    int64_t deadline_ms;   /* the last millisecond of the key's life; NEVER_MS without TTL or key */
    int64_t permits;       /* of a semaphore: to be had */
} kept_view;

typedef struct stake stake;
typedef struct lock lock;

/* Whoever holds or waits: a thread, by its name in the keyspace ("A:1"). Lives as long as the model. */
typedef struct {
    str name;
    uint32_t process;
    bool ended;            /* its program returned; settled with the next list of tasks */
    stake *stakes;
    UT_hash_handle hh;
} owner;

/* One grant, nested grants being several. It stays after the belief in it ended for as long as a late answer could still
 * show that its promise met another one. */
typedef struct {
    int64_t lease_ms;      /* as announced; LEASE_NONE: until released */
    int64_t executed_ms;   /* the promise's first instant ... */
    int64_t until_ms;      /* ... and its last; NEVER_MS: until released */
    int64_t ttl_until_ms;  /* LK031: the key may not be set to end before; INT64_MIN: nothing was said */
    uint64_t seq;          /* order of execution */
    uint64_t end_seq;      /* ended by its owner; 0: not, or by time */
    mode_kind mode;
    int64_t token;
    int64_t permits;       /* of a semaphore */
    bool believed;
    bool waited;           /* of a request that waited at the server: told, and numbered, after it was executed. Not kept by a freeze */
} grant;

/* What one owner has to do with one lock. */
struct stake {
    owner *o;
    lock *l;
    stake *next_of_owner;
    size_t active;         /* 1 + index in the lock's list, 0: not in it */
    grant *grants;         /* oldest first */
    size_t grant_count, grant_cap;
    size_t beliefs;        /* grants still believed in */
    bool disturbed;        /* something kept its process from renewing since the TTL was last set for it */
    uint32_t unresolved;   /* bits by op_kind: a time-out left open whether it was executed */
    bool waiting;
    uint32_t process, task;            /* of the waiting task */
    mode_kind wait_mode;
    int64_t wait_permits;  /* of a semaphore: so many at once */
    int64_t wait_ms;       /* since when, for texts */
    uint64_t place;        /* LK020: order of its first refusal's execution; 0: not refused yet */
    int64_t refused_ms;    /* for texts */
    int64_t overtakes;
    bool overtaken;        /* too often, if it still waits when the step is over */
    str overtaker;
    uint64_t last_seq;     /* LK005: of its newest grant */
    bool granted, unproven;            /* in this step; by no request that is known */
    /* For texts only: how the hold last vanished from the server's account, and when. */
    struct { const op_word *word; const owner *by; int64_t at_ms, deadline_ms; bool expired, fault, paused; } gone;
};

struct lock {
    str name;
    spec_kind spec;
    int64_t capacity;      /* of a semaphore; 0: not known */
    bool observed;         /* its view is known; before the first one it is free */
    kept_view now, before; /* `before`: at the step's beginning, while `changed` */
    bool changed;
    struct { const op_word *word; owner *by; uint32_t process, request; bool expiry, fault; } cause;   /* of `changed` */
    bool faulted;          /* LK031: a fault set this key, until it is free again */
    stake **active;        /* whoever has grants or waits */
    size_t active_count, active_cap;
    size_t waiting, beliefs;
    uint64_t grants;       /* first holds, since this model was made: not a part of its state */
    bool granted;          /* somebody was, in this step */
    int64_t idle_since_ms; /* LK013; NEVER_MS: its clock does not run */
    struct { int64_t token; uint64_t seq; owner *o; } fence;   /* LK005: of the newest grant by execution */
    struct { const op_word *word; const owner *by; int64_t at_ms; } ttl_set;               /* for texts */
    UT_hash_handle hh;
};

/* A request from being sent until nothing can refer to it any more. Known by its process and number together: the numbers that
 * a search gives are each process's own. */
typedef struct {
    uint32_t number, process, task;
    owner *o;              /* NULL: nobody's */
    lock *l;               /* NULL: not about a lock */
    const op_word *word;   /* NULL: nothing but its number is known before it is executed */
    int64_t lease_ms;
    int64_t permits;       /* of a release: how many it says that it gives back; 0: nothing. Known until its step is over */
    int runs;              /* executions still to come; duplicates add one */
    bool executed, answered, given_up, announced, done;
    bool went_on;          /* answered, and its task has sent something else */
    bool failed;           /* the reply was an error */
    bool waited;           /* at the server, so that its execution was told late */
    bool vain;             /* only its copy has been executed, and that got nothing */
    bool repeat;           /* executed twice, or sent again after a time-out: it may have counted or not */
    bool held;             /* its owner held before, by the server's account, and may therefore re-enter */
    bool won;              /* and held more after it */
    bool settled;          /* `told` is what the specification says */
    bool disturbed;
    uint32_t told;         /* told_kind */
    int64_t told_count;
    uint32_t said;         /* told_kind announced before it was settled */
    int64_t said_count;
    int64_t executed_ms, lapsed_ms;    /* lapsed: its hold ran out before anybody could renew; NEVER_MS */
    uint64_t seq;
    uint64_t copy_seq;     /* of its copy, which came first and got nothing; 0: none did */
    int64_t overtakes;     /* LK020: grants that passed it, should it turn out to be a first refusal */
    str overtaker;
} pending;

typedef struct { str name; int64_t token; uint64_t seq; owner *o; } resource;      /* LK005: greatest token, newest grant seen */
typedef struct { str name; bool paused; } process_state;

struct model {
    model_config config;
    arena *memory;         /* owners, locks, names, texts: what lives as long as the model */
    process_state *processes;
    size_t process_count;
    owner *owners;         /* uthash */
    lock *locks;           /* uthash */
    op_word *words[64];
    size_t word_count;
    pending *requests;
    size_t request_count, request_cap;
    resource *resources;
    size_t resource_count, resource_cap;
    uint64_t seq, events;
    int64_t now_ms;
    size_t leftovers;      /* grants nobody believes in any more, to be looked through */
    size_t ended;          /* owners to settle */
    size_t overtaken;      /* stakes to settle */
    size_t dirty;          /* locks changed or granted in this step */
    size_t running;        /* 1 + index of the request executed in this step; 0: none */
    violation *broken[PROPERTY_COUNT];
    struct { violation *v; const stake *s; grant g; } unexplained[2];  /* LK001, LK002: `why` needs the view at the step's end */
};

/* model.c */
/* Still to be judged: asked for, and not broken yet. */
bool model_open(const model *m, property p);
void model_break(model *m, property p, str text, str why);
/* "30.001 s" since the run's beginning; lives in the model. */
str model_time(model *m, int64_t at_ms);
/* A text that lives in the model: for violations only, which are few. */
#define model_say(m, ...) arena_printf((m)->memory, __VA_ARGS__)

/* track.c */
const op_word *track_word(model *m, str op);
owner *track_owner(model *m, str who, uint32_t process);           /* NULL for an empty name */
owner *track_find_owner(const model *m, str who);
lock *track_lock(model *m, str name);                              /* NULL for an empty name */
stake *track_stake(model *m, owner *o, lock *l);
stake *track_find_stake(const owner *o, const lock *l);
/* The process that a name in the keyspace belongs to, NOBODY if it cannot be told. */
uint32_t track_process_of(const model *m, str id);
pending *track_request(const model *m, uint32_t process, uint32_t number);
pending *track_request_add(model *m, const event *e);
void track_request_fill(model *m, pending *r, const event *e);     /* what the event says of it */
/* The same, of which nothing else is known. */
pending *track_request_stub(model *m, uint32_t process, uint32_t number);
/* The executed request that an announcement refers to, or NULL. */
pending *track_announced(const model *m, const event *e, const lock *l);
/* Executed, and may still turn out to be a grant whose promise counts from its execution. */
bool track_may_grant(const pending *r);
/* The promises of a request's owner and of `s` are compared: two owners', and of a semaphore one owner's own, too. */
bool track_rivals(const pending *r, const stake *s);
/* Its answer is under way, and by the server's account it has what it asked for. */
bool track_has_won(const model *m, const stake *s);
void track_refresh(stake *s);                                      /* in or out of the lock's list, by what it has */
void track_dirty(model *m, lock *l);
void track_view(model *m, lock *l, const event *e);
void track_wait(stake *s, bool waiting);
void track_end_grants(model *m, stake *s, mode_kind which, bool all, bool belief_only);
/* Ends the newest grants of a semaphore, so many permits in all; of the last of them perhaps only some. */
void track_end_permits(model *m, stake *s, int64_t permits);
/* The task sends something else: what was answered before will hardly be announced any more. */
void track_went_on(model *m, uint32_t process, uint32_t task);
/* After a step, whose EVENT_STATE is given if there is one: forget what can no longer matter. */
void track_sweep(model *m, const event *e);
const task_state *track_task(const event *e, uint32_t process, uint32_t task);    /* in its list; NULL: not alive */
bool track_matters(const model *m, const stake *s, const grant *g);/* could its promise still meet another one? */
bool track_older_request(const model *m, const stake *s, const grant *g);      /* executed before it, and could meet it */

bool track_promises(const model *m);               /* does an open property read how long a grant was promised? */

/* view.c */
mode_kind mode_parse(str mode);
bool modes_conflict(mode_kind a, mode_kind b);
op_kind op_parse(str op);
int64_t view_count(const kept_view *v, str id);                    /* holds of `id` in all modes */
int64_t view_count_mode(const kept_view *v, str id, mode_kind mode);
const lock_holder *view_holder(const kept_view *v, str id, str mode);
bool view_free(const kept_view *v, int64_t now_ms);
int64_t view_gain(const kept_view *before, const kept_view *after);            /* of a semaphore: permits that somebody got */
size_t view_place(const kept_view *v, str id);                     /* in the queue, or queue_count */
int64_t time_after(int64_t at_ms, int64_t ms);                     /* their sum, at most NEVER_MS - 1 */

/* spec.c - the reference specifications: pure functions from a state and an operation to what must be told and be. */
typedef enum { TOLD_ANYTHING, TOLD_GRANTED, TOLD_REFUSED, TOLD_RELEASED, TOLD_LOST, TOLD_NOT_LOST } told_kind;
typedef enum {
    SPEC_FINE,
    SPEC_COUNT_WRONG,      /* its owner's holds are not `after_count` */
    SPEC_OTHERS_CHANGED,   /* somebody else's hold came, went or changed: `whom` */
    SPEC_PASSED,           /* granted although `whom`, queued before, is still queued */
    SPEC_NOT_SERVED,       /* free, nobody ahead, and not granted */
    SPEC_QUEUE_BROKEN,     /* `whom` left, entered or changed its place in the queue without reason */
} spec_fault;
typedef struct {
    told_kind told;
    int64_t count;         /* of TOLD_GRANTED and TOLD_RELEASED: holds afterwards */
    int64_t after_count;   /* of the owner, as it must be */
    bool judged;           /* the state afterwards is bound by the specification */
    spec_fault fault;
    str whom;
} spec_answer;
spec_answer spec_judge(spec_kind kind, const op_word *op, str who, const kept_view *before, const kept_view *after, int64_t now_ms);
/* The same of a semaphore; said: permits that the operation asks for, or gives back, 0 if that is not known. */
spec_answer spec_judge_permits(op_kind op, int64_t said, const kept_view *before, const kept_view *after);
/* spec_grouped.c: one lock over several values, of which others may hold some. */
spec_answer spec_judge_grouped(op_kind op, str who, const kept_view *before, const kept_view *after, int64_t now_ms);
bool spec_has_all(const kept_view *v, str who);
spec_answer spec_judge_latch(op_kind op, const kept_view *before, const kept_view *after);

/* Its holds nest: an owner may take it again, and has to give it back as often. */
bool spec_counts(spec_kind kind);
/* `who` holds, so that an acquire in this mode is a re-entry. */
bool spec_reenters(spec_kind kind, mode_kind mode, str who, const kept_view *v);

/* The monitors. Each is called where its name says, with the memory as it was before, unless said otherwise. */
void exclusion_granted(model *m, stake *s, const grant *g);        /* LK001 LK002 */
void capacity_granted(model *m, stake *s, const grant *g);         /* the same of a semaphore */
void exclusion_explain(model *m);                                  /* the step's view is known: say why */
void exclusion_owner_only(model *m, lock *l);                      /* LK003: a request changed the view */
void reentrancy_refused(model *m, stake *s, const pending *r);     /* LK004 */
void reentrancy_executed(model *m, const pending *r, const spec_answer *a, const kept_view *after);
void fencing_granted(model *m, stake *s, const grant *g);          /* LK005 */
void fencing_used(model *m, const event *e);
void liveness_forget_dead_waiters(model *m, const event *e);        /* who waited, and whose task is gone */
void liveness_state(model *m, const event *e, bool stuck);         /* LK010 LK013, and LK011 when stuck */
void fairness_refused(model *m, stake *s, pending *r);             /* LK020 */
void fairness_granted(model *m, stake *s, const grant *g);
void fairness_settle(model *m);
void leases_changed(model *m, lock *l);                            /* LK031: after a step */
void leases_rest(model *m, const event *e);                        /* LK030 */
void conformity_executed(model *m, pending *r);                    /* LK040 and LK004: after a step */
void conformity_said(model *m, stake *s, pending *r, told_kind said, int64_t count);
void conformity_settle_granted(model *m, stake *s);                /* a grant that names no request */
void health_finding(model *m, const event *e);                     /* LK050 */
void health_busy(model *m, const event *e);                        /* LK051 */

/* ---- model.c hands each event to one of these, and says when a step is over ---- */

/* announced.c */
stake *event_stake(model *m, const event *e);
void hear_wants(model *m, stake *s, const event *e);
void hear_refused(model *m, stake *s, const event *e);
void hear_granted(model *m, stake *s, const event *e);
void hear_lost(model *m, stake *s, const event *e);
void hear_released(model *m, stake *s, const event *e);
/* requests.c */
pending *event_request(model *m, const event *e);
void hear_sent(model *m, const event *e);
void hear_executed(model *m, const event *e);
void hear_answered(model *m, const event *e);
pending *event_given_up(model *m, const event *e);
void hear_timed_out(model *m, const event *e);
/* lives.c */
void hear_disturbed(model *m, uint32_t process);
void hear_fault(model *m, const event *e);
void hear_crashed(model *m, const event *e);
void hear_interrupted(model *m, const event *e);
void hear_ended(model *m, const event *e);
void hear_no_more(model *m, const event *e);
/* model.c */
void model_settle(model *m);

#endif
