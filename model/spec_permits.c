/* spec_permits.c - the reference specifications of what nobody in particular holds: a semaphore's permits, a latch's
 * count. Pure functions as in spec.c. */
#include "model/spec.h"

/* Who asks is granted all that it asked for, or nothing and refused. Whatever is given back is to be had by others;
 * whose it was only a semaphore knows whose permits have names, and there a release may find that its permit has run
 * out. A release that says how many it gives back, of those that nobody in particular holds, gives back as many. */
spec_answer spec_judge_permits(op_kind op, int64_t said, const kept_view *before, const kept_view *after)
{
    spec_answer a = { .told = TOLD_ANYTHING, .judged = op == OP_ACQUIRE || op == OP_RELEASE };
    bool named = before->holder_count || after->holder_count, back = after->permits > before->permits;
    if (op == OP_ACQUIRE) {
        a.count = view_gain(before, after);
        a.told = a.count > 0 ? TOLD_GRANTED : TOLD_REFUSED;
        if (a.count == 0 && said > 0 && before->permits >= said)
            a.fault = SPEC_NOT_SERVED;
    } else if (op == OP_RELEASE) {
        a.told = !back ? TOLD_LOST : named ? TOLD_ANYTHING : TOLD_RELEASED;
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

/* Everybody is let through once the count has gone, and each count-down takes one. A latch's view has its count as what
 * holds it. */
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
