/* reentrancy.c - LK004 reentrancy: the owner re-enters at once, the count of holds is right, and zero means free. */
#include <inttypes.h>

#include "model/monitor.h"

static void hear(model *m, const heard *h)
{
    const stake *s = h->s;
    const pending *r = h->r;
    if (!r || !spec_counts(s->l->spec) || !r->held || r->word->kind != OP_ACQUIRE || r->l != s->l)
        return;
    model_break(m, PROPERTY_REENTRANCY,
                model_say(m, "%.*s held \"%.*s\" and was refused when it asked again at %.*s.", STR_ARG(s->o->name),
                          STR_ARG(s->l->name), STR_ARG(model_time(m, r->executed_ms))),
                S("By the server's account it was the holder when the request was executed."));
}

/* An owner's request was executed; `after` is the resulting state. */
static void settle(model *m, const heard *h)
{
    const pending *r = h->r;
    const spec_answer *a = h->answer;
    if (!spec_counts(r->l->spec) || !a->judged || r->repeat)
        return;            /* a repeated one may have counted, or been recognised as a repetition */
    int64_t is = view_count(h->after, r->o->name);
    op_kind op = r->word->kind;
    bool step = op == OP_RELEASE || (op == OP_ACQUIRE && (r->held || is > 0)) || op == OP_RENEW || op == OP_ABANDON;
    if (!step || is == a->after_count)
        return;
    model_break(m, PROPERTY_REENTRANCY,
                model_say(m, "%.*s has %" PRId64 " hold%s of \"%.*s\" after its %.*s at %.*s; it should be %"
                          PRId64 ".",
                          STR_ARG(r->o->name), is, is == 1 ? "" : "s", STR_ARG(r->l->name), STR_ARG(r->word->name),
                          STR_ARG(model_time(m, m->now_ms)), a->after_count),
                a->after_count == 0 ? S("The last hold was released, and the key is not free.")
                : is == 0           ? S("A hold was left, and the key is gone.")
                                    : S("Each acquire adds one hold, each release takes one away."));
}

const monitor reentrancy_monitor = {
    .info = {
        .name = "reentrancy", .code = "LK004", .by_default = true, .along_a_run = true,
        .promise = "the owner re-enters at once, and the key is free exactly when the last hold is released",
        .explain =
            "Judged for locks whose driver says spec = \"reentrant\", \"fair\" or \"read_write\". The holder by the "
                "server's account\n"
            "that asks again is granted at the first try; the count of holds goes up by one with each acquire that is "
                "executed and\n"
            "down by one with each release; at zero the key is gone, and not before. A request that the network "
                "repeats, or that\n"
            "a client sends again after a time-out, may count once or twice.\n"
            "\n"
            "Usual causes: a nested hold that overwrites the count; a release that deletes the key whatever the count "
                "is; one\n"
            "kind of hold (read, write) that forgets the other; an owner id that differs between two objects of one "
            "thread.\n",
    },
    .reads_named = FACT_ANSWERS,
    .reads_of = { [SPEC_REENTRANT] = FACT_HELD, [SPEC_FAIR] = FACT_HELD, [SPEC_READ_WRITE] = FACT_HELD,
                  [SPEC_GROUPED] = FACT_HELD },
    .hears = HEARS(HEAR_REFUSED) | HEARS(SETTLE_REQUEST),
    .hear = hear,
    .settle = settle,
};
