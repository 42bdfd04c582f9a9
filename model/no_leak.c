/* no_leak.c - LK030 no_leak: at rest, nothing of the lock is left. */
#include <inttypes.h>

#include "model/monitor.h"

static void left(model *m, str text, str why)
{
    model_break(m, PROPERTY_NO_LEAK, text, why);
}

static void hear(model *m, const heard *h)
{
    const event *e = h->e;
    const lock_view *v = e->view;
    str at = model_time(m, m->now_ms);
    if (v && v->ttl_ms != TTL_NO_KEY && v->permits < v->capacity)
        left(m, model_say(m, "At rest, at %.*s, %" PRId64 " of the %" PRId64 " permits of \"%.*s\" did not come back.",
                          STR_ARG(at),
                          v->capacity - v->permits, v->capacity, STR_ARG(e->lock)),
             S("No client is left that could give them back."));
    else if (v && v->holder_count > 0)
        left(m, model_say(m, "At rest, at %.*s, %.*s still holds \"%.*s\".", STR_ARG(at), STR_ARG(v->holders[0].id),
                          STR_ARG(e->lock)),
             v->ttl_ms == TTL_NONE ? S("Its key has no TTL.") : S("Its key is renewed, or outlives the run."));
    else if (v && v->queue_count > 0)
        left(m, model_say(m, "At rest, at %.*s, %.*s is still queued for \"%.*s\".", STR_ARG(at), STR_ARG(v->queue[0]),
                          STR_ARG(e->lock)), S("Its program has ended or died, and no client takes the entry out."));
    else if (v && v->key_count > 0)
        left(m, model_say(m, "At rest, at %.*s, the key %.*s of \"%.*s\" is still there.", STR_ARG(at),
                          STR_ARG(v->keys[0]), STR_ARG(e->lock)), S("No client holds the lock or waits for it."));
    else if (e->subscriptions > 0)
        left(m, model_say(m, "At rest, at %.*s, %zu subscription%s of live processes %s left.", STR_ARG(at),
                          e->subscriptions, e->subscriptions == 1 ? "" : "s", e->subscriptions == 1 ? "is" : "are"),
             S("Every program has ended, and one did not unsubscribe."));
}

const monitor no_leak_monitor = {
    .info = {
        .name = "no_leak", .code = "LK030", .by_default = true, .along_a_run = true,
        .promise = "once every program has ended or died and time has run to rest, nothing of the lock is left",
        .explain =
            "At rest the driver's view must show no holder, no queue entry and no key that belongs to the lock "
                "(latches,\n"
            "time-out sets), and no live process may still be subscribed. Time has then run past every TTL and timer, "
                "or round a\n"
            "cycle of timers. What is meant to outlive the lock, such as a fencing counter, does not belong into the "
                "view's keys.\n"
            "\n"
            "Usual causes: a key without a TTL after a crash; a queue entry that is not taken out when a waiter is "
                "interrupted;\n"
            "a watchdog that renews for ever; a subscription that is not given back on an error path.\n",
    },
    .hears = HEARS(HEAR_REST),
    .hear = hear,
};
