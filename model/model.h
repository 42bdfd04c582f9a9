/* model.h - what a lock promises: properties as monitors over events, and reference specifications. A monitor is a pure
 * step: state and event give a state or a violation. Stands on base alone. DESIGN.md, "What is judged", has the
 * table. */
#ifndef LOCKSIM_MODEL_MODEL_H
#define LOCKSIM_MODEL_MODEL_H

#include "base/arena.h"
#include "base/buf.h"
#include "model/event.h"
#include "model/properties.h"

/* PROPERTY_MUTUAL_EXCLUSION and so on. */
#define P(upper, lower) PROPERTY_##upper,
typedef enum { PROPERTIES(P) PROPERTY_COUNT } property;
#undef P

typedef struct {
    const char *name, *code;
    const char *promise;   /* one line: holds when ... */
    const char *explain;   /* paragraphs for `locksim explain`: what it means, the usual causes, what to do */
    bool by_default;       /* judged unless the scenario says otherwise; the others only when named */
    bool along_a_run;      /* false: needs the whole graph */
    bool compared;         /* judged of two versions of the scripts, by `locksim compare` only */
    const char *parameter; /* the name of its number in `expect`, or NULL: max_overtakes, idle_ms, hand_offs */
    int64_t parameter_default;
} property_info;

const property_info *property_describe(property p);
bool property_parse(str name_or_code, property *p);

/* The reference specification of a lock (LK040, LK004), as named by its driver. */
typedef enum {
    SPEC_NONE, SPEC_MUTEX, SPEC_IDEMPOTENT, SPEC_REENTRANT, SPEC_FAIR, SPEC_READ_WRITE, SPEC_SEMAPHORE, SPEC_LATCH,
        SPEC_GROUPED, SPEC_COUNT
} spec_kind;
bool spec_parse(str name, spec_kind *kind);
const char *spec_name(spec_kind kind);

typedef struct {
    bool judged[PROPERTY_COUNT];
    int64_t parameter[PROPERTY_COUNT];
    int64_t timeout_ms;    /* length: how long a client waits for an answer; default 3000 */
    uint64_t operators;    /* processes, a bit each, whose force_release ends any grant by consent */
} model_config;
model_config model_config_default(void);           /* by_default properties, default parameters */

typedef struct {
    property property;
    int64_t at_ms;
    uint64_t event_number; /* 1-based count of the event that broke it */
    str text;  /* one sentence: who, what, when: "A and B both believe they hold "order:42" from 30.001 s." */
    str why;               /* the lease, request or message that made the difference; may be empty */
} violation;

/* What part of its sender's belief in its holds ends when this operation (event.h) is sent. */
typedef enum { ENDS_NOTHING, ENDS_ONE_HOLD, ENDS_ALL } model_ending;
model_ending model_op_ending(str op);
bool model_op_asks(str op);                        /* it is an acquire, by its word */
bool model_op_renews(str op);                      /* renew or extend */

typedef struct model model;
/* Lives in its own memory. The names of processes are for texts. */
model *model_new(const model_config *config, const str *process_names, size_t processes);
void model_free(model *m);
/* The specification of `lock`; call it before the first event about the lock. The default is SPEC_NONE. */
void model_lock(model *m, str lock, spec_kind kind);
void model_event(model *m, const event *e);
/* The first violation of `p`, or NULL. Borrowed until model_free. Complete at the end of a step (event.h). */
const violation *model_violation(const model *m, property p);
/* For a violation that was found elsewhere: of the scenario's own invariant by the world, or of any property by a
 * search. */
void model_report(model *m, property p, int64_t at_ms, str text, str why);
/* Stops judging `p`, which is settled elsewhere: its data leave the state. */
void model_close(model *m, property p);
/* The properties that were violated since this model was made, a bit each. */
uint32_t model_broken(const model *m);
/* Every waiter for a lock: from its wants or first refusal until it was granted, gave up, or ended. */
void model_each_waiting(const model *m, void (*fn)(void *context, str who, str lock, int64_t since_ms), void *context);
/* By the server's account: "A:1 holds it", "it is free", with its TTL if there is one. Empty: no view is known. */
str model_account(const model *m, arena *a, str lock);
/* How often a client that did not hold the lock was granted it, since this model was made. */
uint64_t model_grants(const model *m, str lock);
/* Judges violated properties again as if they had not been violated: for a search that continues after a violation. */
void model_forgive(model *m);

/* ---- the state as a value ---- */

/* The names of a process's requests and tasks in frozen bytes, so that histories of different lengths can be equal. A
 * request's name is not 0. UINT32_MAX: nothing can refer to it any more, not even a late execution. */
typedef struct {
    void *context;
    uint32_t (*request)(void *context, uint32_t process, uint32_t number);
    uint32_t (*task)(void *context, uint32_t process, uint32_t task);
} model_names;

/* The monitors' state as canonical bytes, instants relative to now_ms: equal bytes <=> equal judgement of every future
 * in which events use these names. `names` NULL: names stay. Only between steps. */
void model_freeze(const model *m, int64_t now_ms, const model_names *names, buf *out);
/* A model that judges every future as the frozen one would, with now_ms as its present; the caller frees it. The config
 * and the names of processes must be those of the frozen one. Frozen again now, it gives the same bytes. Properties
 * that were not open are neither judged nor broken in it. Texts may lack what the bytes do not hold ("since ..."). */
model *model_thaw(const model_config *config, const str *process_names, size_t processes, str frozen, int64_t now_ms);
/* The same with names exchanged: `text` renames owners and other names (in the arena, or unchanged), `process` renames
 * processes. */
typedef struct {
    void *context;
    str (*text)(void *context, arena *a, str s);
    uint32_t (*process)(void *context, uint32_t process);
} model_renamer;
model *model_thaw_renamed(const model_config *config, const str *process_names, size_t processes, str frozen,
                          int64_t now_ms, const model_renamer *names);
/* After EVENT_STATE: requests and tasks of `process` have new names, request n is requests[n] from now on, task n
 * tasks[n], those beyond the arrays keep theirs. UINT32_MAX: nothing can refer to it any more. Two never get one
 * name. */
void model_rename(model *m, uint32_t process, const uint32_t *requests, size_t request_count, const uint32_t *tasks,
                  size_t task_count);

#endif
