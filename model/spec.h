/* spec.h - the reference specifications: pure functions from a state and an operation to what must be told, and what
 * must be left. */
#ifndef LOCKSIM_MODEL_SPEC_H
#define LOCKSIM_MODEL_SPEC_H

#include "model/view.h"

/* OVER: as REFUSED, of a lease that was over when it was asked for: no reply says so, and its sender has to see it. */
typedef enum {
    TOLD_ANYTHING, TOLD_GRANTED, TOLD_REFUSED, TOLD_RELEASED, TOLD_LOST, TOLD_NOT_LOST, TOLD_OVER
} told_kind;
typedef enum {
    SPEC_FINE,
    SPEC_COUNT_WRONG,      /* its owner's holds are not `after_count` */
    SPEC_OTHERS_CHANGED,   /* another client's hold came, went or changed: `whom` */
    SPEC_PASSED,           /* granted although `whom`, queued before, is still queued */
    SPEC_NOT_SERVED,       /* free, no waiter ahead, and not granted */
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
spec_answer spec_judge(spec_kind kind, const op_word *op, str who, const kept_view *before, const kept_view *after,
                       int64_t now_ms);
/* The same of a semaphore; said: permits that the operation asks for, or gives back, 0 if that is not known. */
spec_answer spec_judge_permits(op_kind op, str who, int64_t said, const kept_view *before, const kept_view *after);
/* spec_grouped.c: one lock over several values, of which others may hold some. */
spec_answer spec_judge_grouped(op_kind op, str who, const kept_view *before, const kept_view *after, int64_t now_ms);
/* Two grouped locks, by their names "group:value value ...", are of one group and have a value in common. */
bool spec_share_values(str a, str b);
bool spec_has_all(const kept_view *v, str who);
spec_answer spec_judge_latch(op_kind op, const kept_view *before, const kept_view *after);

/* Its holds nest: an owner may take it again, and has to give it back as often. */
bool spec_counts(spec_kind kind);
/* `who` holds, so that an acquire in this mode is a re-entry. */
bool spec_reenters(spec_kind kind, mode_kind mode, str who, const kept_view *v);

#endif
