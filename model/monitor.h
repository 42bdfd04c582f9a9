/* monitor.h - a monitor: one property as a row of the table (properties.h). A monitor is a pure step: what is
 * remembered and what is heard give a judgement. It lives in one file, which says all that the rest of the model has to
 * know of it:
 *
 *   info       its texts
 *   reads      the facts of the memory (memory.h) that its judgement asks for: only these are written into a frozen
 *              state. A fact that is read and not said here merges states that differ; tests/unit/test_model_random.c
 *              finds that
 *   owns       how much it remembers itself, beside locks, stakes, waits, grants and requests. All zero says nothing,
 *              and need not be written; what is owned of a wait is zero again when the wait is over
 *   hear       called while a step goes on, settle when it is over: with what `hears` names, and only while the
 *              property is open
 *   code       its frozen form, written and read by the same function (codec.h), so that freezing and thawing agree
 */
#ifndef LOCKSIM_MODEL_MONITOR_H
#define LOCKSIM_MODEL_MONITOR_H

#include "model/codec.h"
#include "model/memory.h"

/* A notice to a monitor: the fields that its kind (memory.h) names, the rest is zero. Borrowed. */
typedef struct {
    heard_kind kind;
    const event *e;
    lock *l;
    stake *s;
    grant *g;
    pending *r;
    told_kind told;
    int64_t count;
    const spec_answer *answer;
    const kept_view *before, *after;
    bool stuck;
} heard;

#define HEARS(kind) (UINT32_C(1) << (kind))

struct monitor {
    property_info info;
    uint32_t reads;                    /* facts, a bit each */
    uint32_t reads_named;              /* the same of locks and of requests that name one */
    uint32_t reads_of[SPEC_COUNT];     /* the same of locks of one specification */
    uint32_t hears;                    /* HEARS(...) */
    void (*hear)(model *m, const heard *h);
    void (*settle)(model *m, const heard *h);
    struct { size_t model, lock, stake, wait, grant, request; } owns;  /* bytes */
    struct {
        void (*lock)(codec *c, lock *at, const lock *itself);          /* `at` is a copy when writing */
        void (*stake)(codec *c, stake *at);
        void (*wait)(codec *c, stake *at);
        void (*grant)(codec *c, grant *g, const stake *s);
        void (*request)(codec *c, pending *r);    /* only of one that may still turn out to be a grant */
        void (*model)(codec *c);                                       /* what it owns of the whole model */
    } code;
};

const monitor *monitor_of(property p);
/* Lays out what the monitors own, in a new model. */
void monitors_lay_out(model *m);
/* After the open properties have changed: the facts that they read. */
void monitors_open(model *m);
/* Goes through the monitors of a set, a bit each. */
#define EACH_MONITOR(row, set) \
    for (uint32_t left_ = (set); left_ && ((row) = monitor_of((property)__builtin_ctz(left_))); left_ &= left_ - 1)
/* Tells every monitor that is open and hears it. */
void monitors_tell(model *m, const heard *h);

/* What the monitor of `p` remembers itself of the model, a lock, a stake, a grant, a request: as many bytes as its row
 * says. */
void *own_of_model(const model *m, property p);
void *own_of_lock(const model *m, const lock *l, property p);
void *own_of_stake(const model *m, const stake *s, property p);
void *own_of_wait(const model *m, const stake *s, property p);
void *own_of_grant(const model *m, const grant *g, property p);
void *own_of_request(const model *m, const pending *r, property p);

#endif
