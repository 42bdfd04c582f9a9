/* reentrancy.c - LK004 reentrancy: the owner re-enters at once, the count of holds is right, and zero means free. */
#include <inttypes.h>

#include "model/internal.h"

void reentrancy_refused(model *m, stake *s, const pending *r)
{
    if (!model_open(m, PROPERTY_REENTRANCY) || !spec_counts(s->l->spec) || !r->held || r->word->kind != OP_ACQUIRE || r->l != s->l)
        return;
    model_break(m, PROPERTY_REENTRANCY,
                model_say(m, "%.*s held \"%.*s\" and was refused when it asked again at %.*s.", STR_ARG(s->o->name),
                          STR_ARG(s->l->name), STR_ARG(model_time(m, r->executed_ms))),
                S("By the server's account it was the holder when the request was executed."));
}

/* A request of an owner was executed; `after` is the state it left. */
void reentrancy_executed(model *m, const pending *r, const spec_answer *a, const kept_view *after)
{
    if (!model_open(m, PROPERTY_REENTRANCY) || !spec_counts(r->l->spec) || !a->judged)
        return;
    int64_t is = view_count(after, r->o->name);
    op_kind op = r->word->kind;
    bool step = op == OP_RELEASE || (op == OP_ACQUIRE && (r->held || is > 0)) || op == OP_RENEW || op == OP_ABANDON;
    if (!step || is == a->after_count)
        return;
    model_break(m, PROPERTY_REENTRANCY,
                model_say(m, "%.*s has %" PRId64 " hold%s of \"%.*s\" after its %.*s at %.*s; it should be %" PRId64 ".",
                          STR_ARG(r->o->name), is, is == 1 ? "" : "s", STR_ARG(r->l->name), STR_ARG(r->word->name),
                          STR_ARG(model_time(m, m->now_ms)), a->after_count),
                a->after_count == 0 ? S("The last hold was released, and the key is not free.")
                : is == 0           ? S("A hold was left, and the key is gone.")
                                    : S("Each acquire adds one hold, each release takes one away."));
}
