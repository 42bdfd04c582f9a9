/* no_deadlock.c - LK011 no_deadlock: a program has not ended, and nothing can happen any more. Tasks that are caught
 * while timers go on are found in the graph of all states. */
#include "model/waiters.h"

static void judge_deadlock(model *m, const event *e)
{
    const task_state *caught = NULL;
    for (size_t i = 0; i < e->task_count && !caught; i++)
        if (e->tasks[i].main)
            caught = &e->tasks[i];
    if (!caught)
        return;
    const stake *s = NULL;
    const owner *o = track_find_owner(m, caught->who);
    for (const stake *t = o ? o->stakes : NULL; t; t = t->next_of_owner)
        if (t->waiting &&
            (!s || t->wait_ms > s->wait_ms || (t->wait_ms == s->wait_ms && str_cmp(t->l->name, s->l->name) < 0)))
            s = t;
    str at = model_time(m, m->now_ms);
    if (!s) {
        model_break(m, PROPERTY_NO_DEADLOCK,
                    model_say(m, "%.*s has not finished at %.*s, and nothing can happen any more.",
                              STR_ARG(caught->who), STR_ARG(at)), S("It waits for something other than a lock."));
        return;
    }
    bool semaphore = s->l->spec == SPEC_SEMAPHORE;
    str holder = s->l->now.holder_count && !semaphore ? s->l->now.holders[0].id : S("");
    model_break(m, PROPERTY_NO_DEADLOCK,
                model_say(m, "%.*s waits for \"%.*s\" since %.*s, and at %.*s nothing can happen any more.",
                          STR_ARG(caught->who), STR_ARG(s->l->name), STR_ARG(model_time(m, s->wait_ms)), STR_ARG(at)),
                !s->l->observed ? S("")
                : semaphore     ? model_account(m, m->memory, s->l->name)
                : holder.n      ? model_say(m, "By the server's account %.*s holds it%s.", STR_ARG(holder),
                                            s->l->now.has_ttl ? "" : ", without a TTL")
                                : S("By the server's account it is free."));
}

static void settle(model *m, const heard *h)
{
    if (h->stuck)
        judge_deadlock(m, h->e);
}

const monitor no_deadlock_monitor = {
    .info = {
        .name = "no_deadlock", .code = "LK011", .by_default = true, .along_a_run = true,
        .promise = "never: a task that has not finished can no longer pass its wait, though nothing fails any more",
        .explain =
            "Along one run it is judged where truly nothing is enabled any more and no instant lies ahead, while some "
                "program has\n"
            "not ended. An exhaustive search proves more: that a task stays caught although timers go on ticking. It "
                "then shows one\n"
            "of the loops in which it is caught: in the schedule, the steps between [ and ] lead back to the same "
                "state.\n"
            "\n"
            "Usual causes: two locks taken in two orders; a reader that asks for the write lock; a lock without a TTL "
                "whose holder\n"
            "is gone; a wake-up that was lost (LK010 then names the moment).\n",
    },
    .reads = FACT_WAITS,
    .hears = HEARS(SETTLE_STATE),
    .settle = settle,
};
