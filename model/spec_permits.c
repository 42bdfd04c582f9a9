/* spec_permits.c - the reference specifications of locks without a particular holder: a semaphore's permits, a latch's
 * count. Pure functions as in spec.c. */
#include "model/spec.h"

/* A request for permits gets all of them, or is refused and gets nothing. Returned permits are available to all. Only a
 * semaphore with named permits knows their owners, and there a release may find that its permit has expired. A release
 * of unnamed permits returns exactly the number that it names. */
spec_answer spec_judge_permits(op_kind op, str who, int64_t said, const kept_view *before, const kept_view *after)
{
    spec_answer a = { .told = TOLD_ANYTHING, .judged = op == OP_ACQUIRE || op == OP_RELEASE };
    bool named = before->holder_count || after->holder_count, back = after->permits > before->permits;
    if (op == OP_ACQUIRE) {
        a.count = view_gain(before, after);
        a.told = a.count > 0 ? TOLD_GRANTED : TOLD_REFUSED;
        if (a.count == 0 && (before->lapsed_count || view_lapsed(after, who)))  /* as in spec_judge */
            a.told = TOLD_ANYTHING;
        else if (a.count == 0 && said > 0 && before->permits >= said)
            a.fault = SPEC_NOT_SERVED;
    } else if (op == OP_RELEASE) {
        a.told = !back ? view_lapsed(before, who) ? TOLD_ANYTHING : TOLD_LOST : named ? TOLD_ANYTHING : TOLD_RELEASED;
        a.after_count = said;
        if (said > 0 && !named && after->permits - before->permits != said)
            a.fault = SPEC_COUNT_WRONG;
    }
    return a;
}

static int64_t count_of(const kept_view *v)
{
    return v->holder_count ? v->holders[0].count : 0;
}

/* All are let through when the count has reached zero, and each count-down takes one. A latch's view reports its count
 * as its holders. */
spec_answer spec_judge_latch(op_kind op, const kept_view *before, const kept_view *after)
{
    spec_answer a = { .told = TOLD_ANYTHING, .judged = op == OP_ACQUIRE || op == OP_RELEASE };
    a.after_count = count_of(before);
    if (op == OP_ACQUIRE) {
        a.told = a.after_count > 0 ? TOLD_REFUSED : TOLD_GRANTED;
    } else if (op == OP_RELEASE) {
        a.told = TOLD_RELEASED;
        a.after_count -= a.after_count > 0;
    }
    if (a.judged && count_of(after) != a.after_count)
        a.fault = SPEC_COUNT_WRONG;
    return a;
}
