/* no_lost_wakeup.c - LK010 no_lost_wakeup: a lock is free, a task waits for it, and nothing is coming that could wake
 * it. */
#include <inttypes.h>

#include "model/waiters.h"

static const char *free_word(const lock *l)
{
    return l->spec == SPEC_SEMAPHORE ? "to be had" : l->spec == SPEC_LATCH ? "open" : "free";
}

static void judge_wakeup(model *m, lock *l, const event *e)
{
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (s->waiting && waiter_could_have(m, s) && track_task(e, s->process, s->task)->wake != WAKE_NEVER)
            return;
    }
    const stake *s = waiter_first(m, l, true);
    if (!s)
        return;
    model_break(m, PROPERTY_NO_LOST_WAKEUP,
                model_say(m, "\"%.*s\" is %s at %.*s, and %.*s, who waits for it since %.*s, is not woken.",
                          STR_ARG(l->name), free_word(l), STR_ARG(model_time(m, m->now_ms)), STR_ARG(s->o->name),
                          STR_ARG(model_time(m, s->wait_ms))),
                model_say(m, "No answer, message, permit or timer is coming for %s waiter%s of the lock.",
                          l->waiting == 1 ? "the only" : "any", ""));
}

static void settle(model *m, const heard *h)
{
    for (lock *l = m->locks; l; l = l->hh.next)
        if (l->waiting > 0 && l->observed)
            judge_wakeup(m, l, h->e);
}

const monitor no_lost_wakeup_monitor = {
    .info = {
        .name = "no_lost_wakeup", .code = "LK010", .by_default = true, .along_a_run = true,
        .promise = "never: the lock is free, a live task waits for it, and nothing is coming that could wake any "
        "waiter",
        .explain =
            "After each step: the server's account shows no holder, at least one live task waits, and every waiter of "
                "the lock is\n"
            "parked without an end: not runnable, no answer, message or permit on its way to its process, no finite "
                "timer. Only\n"
            "a newcomer could then set things right. A waiter with a timer is late, not lost: prompt (LK013) judges "
                "that.\n"
            "\n"
            "Usual causes: check, then subscribe, then sleep, without a second check after the subscription; a message "
                "to a\n"
            "waiter that was already removed from the queue; a negative time taken for \"wait without limit\"; a "
                "message that was\n"
            "lost (publish is at most once) where no timer polls again; a release by two requests, the first of which "
                "frees the\n"
            "lock, and the second tells of it: in between nothing is coming yet, and if its client dies there, nothing "
                "ever is.\n",
    },
    .reads = FACT_VIEW | FACT_WAITS,
    .hears = HEARS(SETTLE_STATE),
    .settle = settle,
};
