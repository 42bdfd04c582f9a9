/* history.h - hand-written histories for tests of the model: one lock "L" (or another), processes A to D with two
 * threads each. A history keeps its own account of the store, which tests set by hand, and passes it on as views; it
 * judges nothing. */
#ifndef LOCKSIM_TESTS_UNIT_HISTORY_H
#define LOCKSIM_TESTS_UNIT_HISTORY_H

#include "model/model.h"

#define T0 INT64_C(1700000000000)

enum { HISTORY_LOCKS = 2, HISTORY_HOLDERS = 6, HISTORY_TASKS = 8, HISTORY_REQUESTS = 256 };

typedef struct {
    lock_holder holders[HISTORY_HOLDERS];
    size_t holder_count;
    int64_t deadline_ms;   /* instant; -1: no TTL, -2: no key */
    str queue[8];
    size_t queue_count;
    int64_t permits, capacity;         /* of a semaphore */
} history_store;

typedef struct {
    model *m;
    int64_t at_ms;         /* since T0 */
    uint32_t number;       /* of the last request */
    struct { const char *who, *op; int64_t lease_ms, permits; } sent[HISTORY_REQUESTS];
    str lock;              /* that the next calls are about */
    history_store store[HISTORY_LOCKS];            /* of L and M */
    task_state tasks[HISTORY_TASKS];               /* A:1 A:2 B:1 ... */
    bool dead[HISTORY_TASKS];
    const char *mode;      /* of the next announcements */
    int64_t token, renew_ms;           /* of the next grants */
} history;

/* Judges everything, with `spec` for both locks. */
history *history_new(spec_kind spec);
history *history_with(const model_config *c, spec_kind spec);
void history_free(history *h);

void at(history *h, int64_t ms);                   /* since T0 */
void emit(history *h, event e);    /* at_ms and the current lock are filled in, `who` gives process and task */
void about(history *h, const char *lock);          /* "L" or "M" from now on */

/* The store, by hand. ttl_ms < 0: as TTL_NONE. */
void put(history *h, const char *who, int64_t count, int64_t ttl_ms);
void put_mode(history *h, const char *who, int64_t count, const char *mode, int64_t ttl_ms);
void vacate(history *h);                            /* no key */
void put_permits(history *h, int64_t permits, int64_t capacity);
void queue(history *h, const char *ids);           /* "B:1 C:1" */

/* Parts of a step. */
uint32_t sends(history *h, const char *who, const char *op, int64_t lease_ms);
uint32_t sends_pop(history *h, const char *who, int64_t lease_ms);  /* an acquire that the server may let wait */
/* A release that says how many permits it gives back. */
uint32_t sends_back(history *h, const char *who, int64_t permits);
void runs(history *h, uint32_t request);           /* executed */
void runs_as_copy(history *h, uint32_t request);   /* its copy by the network */
/* It waited at the server, and was answered by another's step so long ago. */
void runs_ago(history *h, uint32_t request, int64_t ago_ms);
void runs_saying(history *h, uint32_t request, const char *reply);
void view(history *h, uint32_t request);           /* caused by it */
void view_by(history *h, const char *cause);       /* "expiry" or a fault */
void answers(history *h, uint32_t request);
void times_out(history *h, uint32_t request);
void wants(history *h, const char *who);
void granted(history *h, const char *who, uint32_t request, int64_t lease_ms);
void granted_count(history *h, const char *who, uint32_t request, int64_t lease_ms, int64_t count);
void refused(history *h, const char *who, uint32_t request);
void released(history *h, const char *who, uint32_t request, int64_t count);
void lost(history *h, const char *who, uint32_t request);
void gave_up(history *h, const char *who);
void uses(history *h, const char *who, int64_t token);
void happens(history *h, event_kind kind, const char *who);     /* CRASHED, PAUSED, RESUMED, INTERRUPTED, ENDED */
void fault(history *h, const char *name, const char *who, uint32_t request);
void step(history *h);                             /* EVENT_STATE */
void wake_of(history *h, const char *who, wake w);
void stuck(history *h);
void rest(history *h, size_t subscriptions);

/* Whole steps of a lock that works. `lease_ms` of a grant may be LEASE_NONE; the key then gets 30000 ms. */
uint32_t takes(history *h, const char *who, int64_t lease_ms);  /* asks, is granted; the store is one hold more */
uint32_t asks(history *h, const char *who);                     /* asks, is refused */
uint32_t drops(history *h, const char *who);                    /* releases one hold */
void renews(history *h, const char *who, int64_t ttl_ms);
void expires(history *h);                                       /* at now, which is after the deadline */

/* Asserts with the property's name. */
void holds(history *h, property p);
void breaks(history *h, property p);
void only_breaks(history *h, property p);          /* and no other property does */

#endif
