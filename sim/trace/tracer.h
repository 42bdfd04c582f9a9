/* tracer.h - what really happened to the locks of a log: its commands run again on a Redis in memory, at their own
 * times, and what the locks' views say is judged. One pass over the records, in memory that grows with the locks that
 * are held or wanted at one time, not with the log.
 *
 * What is known of the server is its requests; what clients believe is not (LK002). Ours is the same server as long
 * as the commands that scripts ran (`lua` lines of MONITOR) and the answers, where the log has them, are the same: at
 * the first difference a lock is no longer judged until a moment comes at which it is surely free, or surely granted.
 * The same holds at the log's beginning, for anyone who held it then. */
#ifndef LOCKSIM_TRACE_TRACER_H
#define LOCKSIM_TRACE_TRACER_H

#include "model/model.h"
#include "trace/family.h"
#include "trace/record.h"

/* The kind of a finding. Only those of a property mean a broken promise; the others say where to look. */
typedef enum {
    FOUND_VIOLATION,       /* a property of the model's: `property` says which */
    FOUND_OVERRUN,         /* a lease ended during a hold: its owner came back later */
    FOUND_ORPHAN,          /* renewed for many leases, without any other word of its owner */
    FOUND_STORM,           /* very many refused attempts in one second */
    FOUND_DIFFERENCE,      /* the log's server did something else than ours */
    FOUND_UNKNOWN_SCRIPT,  /* the script of a hash is unknown: its `lua` lines were executed */
    FOUND_STRANGE,         /* a request that the driver of --conform would never send (conform.h) */
    FOUND_DISORDER,        /* a line is earlier than the one before it */
    FOUND_KINDS,
} found_kind;
const char *found_name(found_kind k);              /* "overrun" */

/* Texts are borrowed for the duration of the call. */
typedef struct {
    found_kind kind;
    property property;     /* of FOUND_VIOLATION */
    str lock;              /* "" if it is about none */
    int db;                /* of the lock */
    int64_t at_us;         /* since 1970 */
    size_t line, since;    /* of the log: where it showed, and where it began (0: nowhere else) */
    str text, why;         /* one sentence each; why may be empty */
} finding;

/* An event for statistics. Clients, locks and tasks are numbers: trace_client, trace_lock have the names; a task is one
 * of those that want or hold the lock at one time. */
typedef enum {
    TOLD_ASKED, TOLD_REFUSED, TOLD_GRANTED, TOLD_GAVE_UP, TOLD_RELEASED, TOLD_LOST, TOLD_REQUEST,
} told_kind;
enum { TRACE_CLIENTS_MAX = 256, TRACE_LOCKS_MAX = 65536 };
typedef struct {
    told_kind kind;
    int64_t at_us;         /* since 1970; never before the one that was told last */
    uint32_t client, task, lock;                   /* lock UINT32_MAX: none, or one beyond TRACE_LOCKS_MAX */
    uint32_t commands;     /* of TOLD_REQUEST */
    uint32_t count;        /* of TOLD_GRANTED: which hold of its owner it is; of TOLD_RELEASED: holds left */
    bool script, wrote;    /* of TOLD_REQUEST */
    size_t line;           /* of the log; 0: the clock did it */
    str name, who;         /* of the lock, and of the task as the lock's view names it; borrowed for the call */
    int db;
    int64_t seen_us;       /* of TOLD_GAVE_UP: when it was heard of last */
} told;

/* A request about a lock, for code that writes a passage. Borrowed for the duration of the call; a request about
 * several locks is passed once for each. */
typedef struct {
    size_t line;
    int64_t at_us;         /* since 1970 */
    int db;
    const family *family;
    str lock, client, who; /* who: the owner for which it acts, as the lock's view names it; the client if there is
                            * none */
    bool owner;            /* `who` is an owner's name, not a client's */
    str op;
    deed_kind deed;
    int64_t lease_ms;      /* asked for, or granted; LEASE_NONE: none */
    const str *argv;
    size_t argc;
    str sha;               /* of the script that it runs; "": it is a command */
    const reply *answer;   /* ours */
    int64_t had, has;      /* holds of `who` before and after it */
    bool was_free;         /* before it nothing was known of the lock: no holder, and no key of its */
    bool waits;            /* a pop that found nothing */
} seen_request;

typedef struct {
    family **families;     /* tried in order; borrowed */
    size_t family_count;
    bool guessed;          /* the user has not named them: a key that looks like a lock may be none */
    uint64_t orphan_leases;        /* 0: 10 */
    uint64_t storm_per_s;          /* 0: 100 */
    void *context;
    void (*found)(void *context, const finding *f);
    void (*told)(void *context, const told *t);    /* may be NULL */
    void (*seen)(void *context, const seen_request *r);        /* may be NULL */
    /* a message was sent to a channel; may be NULL */
    void (*published)(void *context, int64_t at_us, str channel, str payload);
    dialect dialect;
} trace_options;

typedef struct tracer tracer;
tracer *tracer_new(const trace_options *o);          /* copied */
void tracer_free(tracer *t);
/* From now on the script is known by its hash. What does not compile is passed over. */
void tracer_know_script(tracer *t, str body);
/* The records of a log, one after the other. false: a view failed, and `e` says why; nothing goes on from there. */
bool tracer_take(tracer *t, const record *r, err *e);
bool tracer_end(tracer *t, err *e);

typedef struct {
    uint64_t requests;     /* about locks */
    uint64_t passed_over;  /* about nothing that is a lock */
    uint64_t scripts, compared, differed;          /* runs; those whose `lua` lines or answers were compared; those that
                                                    * were not the same */
    uint64_t answers;      /* compared */
    uint64_t unknown;      /* runs of unknown scripts */
    uint64_t grants, releases, lapses, refusals, renewals;
    uint64_t locks;        /* ever met, counted again when one comes back after it was forgotten */
    uint64_t unsure;       /* requests that were not judged, since the holder was unknown */
    size_t known;          /* locks that are remembered now ... */
    size_t modelled;       /* ... and those with a model, which takes most of a lock's memory */
    size_t held, waiting;  /* at the end */
    uint64_t backwards;    /* lines out of order */
    uint64_t beliefs;      /* holds of which the client itself says from when to when it believed in them */
    int64_t begin_us, end_us;
    bool lua_seen;
} trace_counts;
trace_counts tracer_count(const tracer *t);
/* Names by number; the arrays are borrowed. */
size_t tracer_clients(const tracer *t, const str **names);
size_t tracer_locks(const tracer *t, const str **names);

#endif
