/* memory.h - what a model remembers: owners, locks, grants, waits and requests. track.c maintains it, freeze*.c write
 * it, the monitors (monitor.h) read it and store their own parts beside it. Only model/ includes this. */
#ifndef LOCKSIM_MODEL_MEMORY_H
#define LOCKSIM_MODEL_MEMORY_H

#include "base/hash.h"
#include "model/spec.h"

/* A driver never announces an answer that is an hour old. Without a bound, a loop that only sleeps would never repeat a
 * state. */
#define ANNOUNCE_MS_MAX INT64_C(3600000)
#define RUN_START_MS INT64_C(1700000000000)        /* virtual time begins here: texts tell times relative to it */

/* The parts of the memory that a monitor may read. Only what an open one reads is part of the state. */
enum {
    FACT_VIEW = 1 << 0,            /* the server's account of a lock */
    FACT_ANSWERS = 1 << 1,         /* what its specification needs: the account with its queue, waits for permits,
                                    * time-outs left open */
    FACT_TOLD = 1 << 2,            /* what the specification says that a request is answered */
    FACT_HELD = 1 << 3,            /* of a request: its owner held before */
    FACT_WON = 1 << 4,             /* of a request: its owner holds more after it */
    FACT_BELIEFS = 1 << 5,         /* grants that are believed in, their modes and permits */
    FACT_PROMISES = 1 << 6,        /* how long grants are promised, and what can change that */
    FACT_PAST_PROMISES = 1 << 7,   /* also promises that are over, while an answer to come could show that they met
                                    * another one */
    FACT_EXECUTED = 1 << 8,        /* when a request was executed */
    FACT_LEASE = 1 << 9,           /* of a request: the TTL that it asked for */
    FACT_ORDER = 1 << 10,          /* of requests that may turn out to be grants: their order of execution */
    FACT_GRANT_ORDER = 1 << 11,    /* the same of grants */
    FACT_COPY_ORDER = 1 << 12,     /* the same of a request's copy by the network */
    FACT_WAITS = 1 << 13,          /* who waits, by which task */
    FACT_WAIT_MODE = 1 << 14,      /* and for what */
    FACT_OWN_ORDERS = 1 << 15,     /* not of the memory: the monitor's own part has orders of execution in it
                                    * (codec.h, code_order). Implied by FACT_GRANT_ORDER */
};

typedef struct stake stake;
typedef struct lock lock;
typedef struct monitor monitor;

/* What a monitor may hear: see monitor.h. */
typedef enum {
    /* During a step. */
    HEAR_VIEW,             /* l: the server's account of it changed, and is new already */
    HEAR_REFUSED,          /* s, r or NULL: learned that it must wait */
    HEAR_GRANTED,          /* s, g, r or NULL, e: before the grant is remembered */
    HEAR_TOLD,             /* s, r, told, count: its owner said what r was answered */
    HEAR_USED,             /* e: a resource */
    HEAR_FOUND,            /* e: the script host's finding */
    HEAR_BUSY,             /* e */
    HEAR_REST,             /* e */
    /* After it, in this order. */
    SETTLE_REQUEST,        /* r, answer, before, after: executed in this step, of a lock that has a specification */
    SETTLE_LOCK,           /* l: changed, or granted to a task */
    SETTLE_STATE,          /* e: all tasks; stuck. Also of what was broken in this step */
    HEARD_KINDS
} heard_kind;

/* Space for the parts that monitors own (monitor.h), in words of eight bytes: monitors_lay_out asserts that it is
 * enough. */
enum { LOCK_WORDS = 8, STAKE_WORDS = 2, WAIT_WORDS = 6, GRANT_WORDS = 2, REQUEST_WORDS = 6 };

/* A holder or waiter: a thread, by its name in the keyspace ("A:1"). Lives as long as the model. */
typedef struct {
    str name;
    uint32_t process;
    bool ended;            /* its program returned; handled at the next list of tasks */
    stake *stakes;
    UT_hash_handle hh;
} owner;

/* One grant; nested grants are several. It is kept after the belief in it ended while a late answer could still show
 * that its promise met another one. */
typedef struct {
    int64_t lease_ms;      /* as announced; LEASE_NONE: until released */
    int64_t executed_ms;   /* the promise's first instant ... */
    int64_t until_ms;      /* ... and its last; NEVER_MS: until released */
    uint64_t seq;          /* order of execution */
    uint64_t end_seq;      /* ended by its owner; 0: not, or by time */
    mode_kind mode;
    int64_t permits;       /* of a semaphore */
    bool believed;
    bool waited;           /* of a request that waited at the server: reported and numbered after its execution. Not
                            * part of a frozen state */
    bool met_pop;  /* while it was granted, another client's pop was in progress, which may turn out to be older */
    uint64_t own[GRANT_WORDS];
} grant;

/* One owner's relation to one lock. */
struct stake {
    owner *o;
    lock *l;
    stake *next_of_owner;
    size_t active;         /* 1 + index in the lock's list, 0: not in it */
    grant *grants;         /* oldest first */
    size_t grant_count, grant_cap;
    size_t beliefs;        /* grants still believed in */
    int64_t renew_ms;      /* length: the interval at which its owner renews, from its newest grant without a lease */
    bool excused;          /* when the last disturbance ended, too little of the key's life was left to renew it;
                            * until it is prolonged */
    uint32_t unresolved;   /* bits by op_kind: requests of which a time-out left open whether they were executed */
    bool uncounted;        /* one of them was a release, forced or not: from then on its owner may count too many */
    bool waiting;
    uint32_t process, task;            /* of the waiting task */
    mode_kind wait_mode;
    int64_t wait_permits;  /* of a semaphore: the permits wanted */
    int64_t wait_ms;       /* the beginning of the wait, for texts */
    bool granted, unproven;            /* in this step; by no known request */
    /* For texts only: how the hold last vanished from the server's account, and when. */
    struct { const op_word *word; const owner *by; int64_t at_ms, deadline_ms; bool expired, fault, paused; } gone;
    uint64_t own[STAKE_WORDS], own_wait[WAIT_WORDS];
};

struct lock {
    str name;
    spec_kind spec;
    int64_t capacity;      /* of a semaphore; 0: unknown */
    bool lapses;           /* its holds end by a time of their own, and no key's TTL */
    bool observed;         /* its view is known; before the first view it counts as free */
    kept_view now, before; /* `before`: at the step's beginning, while `changed` */
    bool changed;
    /* of `changed` */
    struct { const op_word *word; owner *by; uint32_t process, request; bool expiry, fault; } cause;
    stake **active;        /* stakes that have grants or waits */
    size_t active_count, active_cap;
    size_t waiting, beliefs;
    uint64_t grants;       /* first holds since this model was made: not part of its state */
    bool granted;          /* in this step */
    struct { const op_word *word; const owner *by; int64_t at_ms; } ttl_set;               /* for texts */
    uint64_t own[LOCK_WORDS];
    UT_hash_handle hh;
};

/* A request from its sending until nothing can refer to it any more. Identified by process and number together: the
 * numbers that a search gives are each process's own. */
typedef struct {
    uint32_t number, process, task;
    owner *o;              /* NULL: none */
    lock *l;               /* NULL: it is not about a lock */
    const op_word *word;   /* NULL: before its execution only its number is known */
    int64_t lease_ms;
    int64_t permits;       /* of a release: the permits that it returns; 0: unknown. Known until its step is over */
    int runs;              /* executions still to come; a duplicate adds one */
    bool executed, answered, given_up, announced, done;
    bool went_on;          /* answered, and its task has sent another request since */
    bool failed;           /* the reply was an error */
    bool pops;             /* the server may make it wait, and its end is reported late */
    bool too_late;         /* what it stored was gone at once: EXECUTED_TOO_LATE. Known until its step is over */
    bool waited;           /* at the server, so that its execution was reported late */
    bool vain;             /* only its copy has been executed, and that got nothing */
    bool repeat;           /* executed twice, or sent again after a time-out: it may or may not have counted */
    bool held;             /* its owner held before, by the server's account, and so may re-enter */
    bool won;              /* its owner holds more after it */
    bool settled;          /* `told` is what the specification says */
    bool lost;             /* possibly a renewal: it or its answer was lost or delayed, and its sender still waits
                            * for it: a disturbance */
    int64_t patience_ms;   /* of a lost one: how long its sender waits for it */
    bool freed;            /* ended by consent, before its answer was read: as a grant it has ended already */
    uint32_t told;         /* told_kind */
    int64_t told_count;
    int64_t executed_ms, lapsed_ms;    /* lapsed: its hold ran out before a renewal was possible; NEVER_MS */
    int64_t calm_ms;       /* since its execution: when its process's last disturbance ended; NEVER_MS: none */
    uint64_t seq;
    uint64_t copy_seq;     /* of its copy, which came first and got nothing; 0: none */
    uint64_t own[REQUEST_WORDS];
} pending;

typedef struct { str name; bool paused; } process_state;

struct model {
    model_config config;
    arena *memory;         /* owners, locks, names, texts: for the life of the model */
    process_state *processes;
    size_t process_count;
    owner *owners;         /* uthash */
    lock *locks;           /* uthash */
    op_word *words[64];
    size_t word_count;
    pending *requests;
    size_t request_count, request_cap;
    uint64_t seq, events;
    int64_t now_ms;
    size_t leftovers;      /* grants that are no longer believed in, to be checked */
    size_t ended;          /* owners to handle */
    size_t dirty;          /* locks changed or granted in this step */
    size_t running;        /* 1 + index of the request executed in this step; 0: none */
    violation *broken[PROPERTY_COUNT];
    uint32_t broken_now;   /* of this step, a bit each */
    /* Of the open monitors, computed by monitors_open. */
    uint32_t reads[SPEC_COUNT + 1];    /* facts that they read of locks of each specification; last: of requests
                                        * without a lock */
    uint32_t hearers[HEARD_KINDS];     /* by kind: which monitors hear it, a bit each */
    /* who has a frozen form of its own, a bit each */
    struct { uint32_t model, lock, stake, wait, grant, request; } coders;
    /* where theirs begins, in words */
    struct { uint8_t lock, stake, wait, grant, request; uint64_t *model; } own[PROPERTY_COUNT];
};

/* model.c */
/* Still to be judged: wanted, and not broken yet. */
bool model_open(const model *m, property p);
void model_break(model *m, property p, str text, str why);
/* Does an open monitor read these facts of `l`? NULL: of a request without a lock. */
bool model_reads(const model *m, const lock *l, uint32_t facts);
uint32_t model_facts(const model *m);            /* that are read of at least one lock */
/* "30.001 s" since the beginning of the run; lives in the model. */
str model_time(model *m, int64_t at_ms);
/* " (path:line)" of a finding, or empty; lives in the model. */
str model_place(model *m, const event *e);
/* A text that lives in the model: for violations only, which are few. */
#define model_say(m, ...) arena_printf((m)->memory, __VA_ARGS__)

/* track.c */
/* The whole-structure check, on both sides of freezing: redundant counts are equal, and lists agree with each other. */
void memory_check(const model *m);
const op_word *track_word(model *m, str op);
owner *track_owner(model *m, str who, uint32_t process);           /* NULL for an empty name */
owner *track_find_owner(const model *m, str who);
lock *track_lock(model *m, str name);                              /* NULL for an empty name */
stake *track_stake(model *m, owner *o, lock *l);
stake *track_find_stake(const owner *o, const lock *l);
/* The process of a name in the keyspace; NOBODY: unknown. */
uint32_t track_process_of(const model *m, str id);
pending *track_request(const model *m, uint32_t process, uint32_t number);
pending *track_request_add(model *m, const event *e);
void track_request_fill(model *m, pending *r, const event *e);     /* fills in what the event says of it */
/* The same, with nothing else known. */
pending *track_request_stub(model *m, uint32_t process, uint32_t number);
/* The executed request that an announcement refers to, or NULL. */
pending *track_announced(const model *m, const event *e, const lock *l);
/* Executed, and may still turn out to be a grant whose promise counts from its execution. */
bool track_may_grant(const pending *r);
/* One lock, or two over common values of one group: holding one keeps others from the other. */
bool track_overlap(const lock *a, const lock *b);
/* Do the promises of a request's owner and of `s` compete? Two owners' do; a semaphore's own owner's do, too. */
bool track_rivals(const pending *r, const stake *s);
/* Its answer is on its way, and by the server's account it has what it asked for. */
bool track_has_won(const model *m, const stake *s);
void track_refresh(stake *s);  /* adds it to or removes it from the lock's list, by its contents */
void track_dirty(model *m, lock *l);
void track_view(model *m, lock *l, const event *e);
void track_wait(stake *s, bool waiting);
void track_end_grants(model *m, stake *s, mode_kind which, bool all, bool belief_only);
/* Ends the newest grants of a semaphore, that many permits in total; the last one possibly only in part. */
void track_end_permits(model *m, stake *s, int64_t permits);
/* The task sends another request: earlier answers will hardly be announced any more. */
/* Is the process kept from renewing: is it paused, or does it wait for a lost answer? */
bool track_disturbed(const model *m, uint32_t process);
/* At calm_ms its last disturbance ended. Was that too late for one more renewal before the key of `s` ends? A client
 * certainly sends one within renew_ms and has its answer within one time-out. */
bool track_too_late(const stake *s, int64_t calm_ms, int64_t timeout_ms);
void track_went_on(model *m, uint32_t process, uint32_t task);
/* After a step, with its EVENT_STATE if there is one: drops what can no longer matter. */
void track_sweep(model *m, const event *e);
const task_state *track_task(const event *e, uint32_t process, uint32_t task);    /* in the event's list; NULL: not
                                                                                   * alive */
bool track_matters(const model *m, const stake *s, const grant *g);/* could its promise still meet another one? */
/* executed before it, and could meet it */
bool track_older_request(const model *m, const stake *s, const grant *g);
bool track_pops(const model *m);

/* ---- model.c passes each event to one of these, and calls model_settle after a step ---- */

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
void settle_request(model *m, pending *r);
/* lives.c */
void hear_resumed(model *m, const event *e);
/* The answer of a lost request came after all, or its sender no longer waits for it. */
void hear_found(model *m, pending *r);
void hear_fault(model *m, const event *e);
void hear_crashed(model *m, const event *e);
void hear_interrupted(model *m, const event *e);
void hear_ended(model *m, const event *e);
void hear_no_more(model *m, const event *e);
void forget_dead_waiters(model *m, const event *e);                /* waiters whose task is gone */
/* model.c */
void model_settle(model *m);

#endif
