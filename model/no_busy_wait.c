/* no_busy_wait.c - LK051 no_busy_wait: the sentence for a loop of requests in zero time, which the world detects. */
#include "model/monitor.h"

static void hear(model *m, const heard *h)
{
    const event *e = h->e;
    model_break(m, PROPERTY_NO_BUSY_WAIT,
                model_say(m, "%.*s polls \"%.*s\" over and over at %.*s: nothing changes and no time passes.",
                          STR_ARG(e->who), STR_ARG(e->lock.n ? e->lock : e->op), STR_ARG(model_time(m, m->now_ms))),
                e->op.n ? model_say(m, "The request is %.*s%.*s.", STR_ARG(e->op), STR_ARG(model_place(m, e))) : S(""));
}

const monitor no_busy_wait_monitor = {
    .info = {
        .name = "no_busy_wait", .code = "LK051", .by_default = true, .along_a_run = true,
        .promise = "no loop of requests takes zero time",
        .explain =
            "A task sent a series of requests at one instant and came back to where it was, with nothing changed: on a "
                "real server\n"
            "it would poll as fast as the network allows.\n"
            "\n"
            "Usual causes: a reply of 0 ms to wait (the lock is free, but another is head of the queue); a spin lock "
                "without\n"
            "back-off; a wait that was released by an old permit.\n",
    },
    .hears = HEARS(HEAR_BUSY),
    .hear = hear,
};
