/* matches_spec.c - LK040 matches_spec: what callers are told and the resulting state, compared with the reference
 * specification.
 *
 * A request is judged after its step, because its view comes last. An announcement before that is stored with the
 * request; a later one is compared at once. */
#include <inttypes.h>
#include <string.h>

#include "model/monitor.h"

/* Of a request: its announcements before it was settled. */
typedef struct {
    told_kind told;
    int64_t count;
} announced;

static str says(told_kind k)
{
    switch (k) {
    case TOLD_GRANTED: return S("granted");
    case TOLD_REFUSED: case TOLD_OVER: return S("refused");
    case TOLD_RELEASED: return S("released");
    case TOLD_LOST: return S("not the owner");
    case TOLD_NOT_LOST: return S("still the owner");
    case TOLD_ANYTHING: break;
    }
    return S("anything");
}

static void lied(model *m, const pending *r, const lock *l, told_kind said)
{
    model_break(m, PROPERTY_MATCHES_SPEC,
                model_say(m, "%.*s's %.*s of \"%.*s\" at %.*s was answered \"%.*s\"; %s %s lock says \"%.*s\".",
                          STR_ARG(r->o->name), STR_ARG(r->word->name), STR_ARG(l->name),
                          STR_ARG(model_time(m, r->executed_ms)),
                          STR_ARG(says(said)), strchr("aeiou", spec_name(l->spec)[0]) ? "an" : "a",
                          spec_name(l->spec), STR_ARG(says((told_kind)r->told))),
                l->spec == SPEC_SEMAPHORE ? S("By the server's account the permits went otherwise when the request was "
                                              "executed.")
                : r->told == TOLD_LOST    ? S("By the server's account it held nothing when the request was executed.")
                : r->told == TOLD_REFUSED ? S("By the server's account another held the lock, or was ahead, when the "
                                              "request was executed.")
                : r->told == TOLD_OVER    ? S("Its deadline, which the client had computed, had come when the request "
                                              "was executed: what it stored was gone at once.")
                : r->told == TOLD_GRANTED ? S("By the server's account nothing stood in its way when the request was "
                                              "executed.")
                                          : S("By the server's account it was the holder when the request was "
                                              "executed."));
}

/* Replies rarely contain the number of holds, so drivers count for themselves. A driver that does not know whether a
 * release counted may count too many: LK004 judges the server's count. */
static void miscounted(model *m, const pending *r, const lock *l, int64_t said)
{
    const stake *s = track_find_stake(r->o, l);
    if (s && s->uncounted && spec_counts(l->spec) && said > r->told_count)
        return;
    model_break(m, PROPERTY_MATCHES_SPEC,
                model_say(m, "%.*s was told that it has %" PRId64 " hold%s of \"%.*s\" after its %.*s of %.*s; it has %"
                          PRId64 ".",
                          STR_ARG(r->o->name), said, said == 1 ? "" : "s", STR_ARG(l->name), STR_ARG(r->word->name),
                          STR_ARG(model_time(m, r->executed_ms)), r->told_count), S(""));
}

/* Do its grants contain the number of holds? */
static bool tells_count(spec_kind kind)
{
    return kind != SPEC_MUTEX && kind != SPEC_IDEMPOTENT && kind != SPEC_LATCH && kind != SPEC_GROUPED;
}

/* Only announcements that answer the operation are compared: an acquire is granted or refused, a release counts or does
 * not. */
static void compare(model *m, const pending *r, const lock *l, told_kind said, int64_t count)
{
    op_kind op = r->word->kind;
    bool fits = op == OP_ACQUIRE                              ? said == TOLD_GRANTED || said == TOLD_REFUSED
                : op == OP_RELEASE || op == OP_FORCE_RELEASE ? said == TOLD_RELEASED || said == TOLD_LOST
                                                              : op == OP_RENEW && said == TOLD_LOST;
    if (!fits || r->told == TOLD_ANYTHING)
        return;
    if (r->told == TOLD_NOT_LOST ? said == TOLD_LOST : r->told == TOLD_OVER ? said != TOLD_REFUSED
        : said != (told_kind)r->told)
        lied(m, r, l, said);
    else if (said == TOLD_GRANTED && tells_count(l->spec) && count > 0 && count != r->told_count)
        miscounted(m, r, l, count);
    else if (said == TOLD_RELEASED && count > 0 && r->told_count == 0)
        miscounted(m, r, l, count);    /* a driver without a count says 0, which may mean "unknown" */
}

static void hear(model *m, const heard *h)
{
    pending *r = h->r;
    if (!r || r->l != h->s->l || r->o != h->s->o || r->l->spec == SPEC_NONE)
        return;
    if (r->settled)
        compare(m, r, r->l, h->told, h->count);
    else
        *(announced *)own_of_request(m, r, PROPERTY_MATCHES_SPEC) = (announced){ .told = h->told, .count = h->count };
}

/* A grant that names no acquire: the server's account decides. */
static void judge_unproven(model *m, const stake *s)
{
    const lock *l = s->l;
    if (l->spec == SPEC_SEMAPHORE)
        return;            /* its permits need not have names */
    if (l->spec == SPEC_NONE || !l->observed || view_count(&l->now, s->o->name) > 0)
        return;
    model_break(m, PROPERTY_MATCHES_SPEC,
                model_say(m, "%.*s goes on at %.*s as if it had been granted \"%.*s\", and no request granted it.",
                          STR_ARG(s->o->name), STR_ARG(model_time(m, m->now_ms)), STR_ARG(l->name)),
                model_say(m, "By the server's account %.*s.",
                          STR_ARG(l->now.holder_count ? model_say(m, "%.*s holds it", STR_ARG(l->now.holders[0].id))
                                                      : S("no client holds it"))));
}

static void left_wrong(model *m, const pending *r, const spec_answer *a)
{
    const lock *l = r->l;
    str did = model_say(m, "%.*s of %.*s on \"%.*s\" at %.*s", STR_ARG(r->word->name), STR_ARG(r->o->name),
                        STR_ARG(l->name), STR_ARG(model_time(m, m->now_ms))), text = S(""), why = S("");
    switch (a->fault) {
    case SPEC_COUNT_WRONG:
        if (l->spec == SPEC_SEMAPHORE) {
            text = model_say(m, "The %.*s did not give back %" PRId64 " permit%s.", STR_ARG(did), a->after_count,
                             a->after_count == 1 ? "" : "s");
            break;
        }
        if (l->spec == SPEC_LATCH) {
            text = model_say(m, "The %.*s did not leave a count of %" PRId64 ".", STR_ARG(did), a->after_count);
            break;
        }
        text = model_say(m, "The %.*s left it with %" PRId64 " holds instead of %" PRId64 ".", STR_ARG(did),
                         view_count(&l->now, r->o->name), a->after_count);
        if (r->word->kind == OP_RENEW && a->after_count == 0)
            why = S("It had ended, and others may have held it since. Where the client means to take it again, it is "
                    "an acquire: op = \"acquire\", then me:granted.");
        break;
    case SPEC_OTHERS_CHANGED:
        text = model_say(m, "The %.*s changed what %.*s holds.", STR_ARG(did),
                         STR_ARG(a->whom.n ? a->whom : S("\"\"")));
        break;
    case SPEC_PASSED:
        text = model_say(m, "The %.*s was granted, and %.*s is ahead of it in the queue.", STR_ARG(did),
                         STR_ARG(a->whom));
        why = S("A free fair lock goes to the first in its queue.");
        break;
    case SPEC_NOT_SERVED:
        text = model_say(m, "The %.*s was refused, and %s.", STR_ARG(did),
                         l->spec == SPEC_SEMAPHORE ? "there were enough permits"
                         : "the lock is free with no waiter ahead");
        break;
    case SPEC_QUEUE_BROKEN:
        text = model_say(m, "The %.*s left %.*s in the wrong place of the queue, or out of it.", STR_ARG(did),
                         STR_ARG(a->whom));
        why = S("Slots go from the head on, newcomers enter at the tail, no other waiter moves.");
        break;
    case SPEC_FINE:
        return;
    }
    model_break(m, PROPERTY_MATCHES_SPEC, text, why);
}

static void judge_request(model *m, const heard *h)
{
    const pending *r = h->r;
    const spec_answer *a = h->answer;
    if (r->repeat) {       /* it may have counted, or been recognised as a repetition */
        int64_t was = view_free(h->before, m->now_ms) ? 0 : view_count(h->before, r->o->name);
        if (a->judged && a->fault == SPEC_COUNT_WRONG && view_count(h->after, r->o->name) != was)
            left_wrong(m, r, a);
        return;
    }
    if (a->fault != SPEC_FINE)
        left_wrong(m, r, a);
    const announced *said = own_of_request(m, r, PROPERTY_MATCHES_SPEC);
    if (said->told)
        compare(m, r, r->l, said->told, said->count);
}

static void settle(model *m, const heard *h)
{
    if (h->kind == SETTLE_REQUEST) {
        judge_request(m, h);
        return;
    }
    for (size_t k = 0; k < h->l->active_count; k++)
        if (h->l->active[k]->granted && h->l->active[k]->unproven)
            judge_unproven(m, h->l->active[k]);
}

const monitor matches_spec_monitor = {
    .info = {
        .name = "matches_spec", .code = "LK040", .by_default = true, .along_a_run = true,
        .promise = "every reply is what the reference specification of that kind of lock says",
        .explain =
            "The driver names a specification: mutex, reentrant or fair. At each request that is executed the "
                "specification says,\n"
            "from the state before it, what the caller must be told (granted, refused, released, not the owner) and "
                "what the\n"
            "state must be afterwards; what the driver then announces is compared. After a fault, an expiry or a "
                "script error\n"
            "the specification takes up the state that is there. A queued waiter's slot may time out, and then the "
                "next one in\n"
            "the queue is served; no client may pass a waiter that is still queued.\n"
            "\n"
            "Usual causes: a release of a lock that has vanished reported as a success; a reply of a refused acquire "
                "taken for\n"
            "success (nil, 0 and false are three things); an interrupted wait that returns as if it had acquired.\n",
    },
    .reads_named = FACT_ANSWERS | FACT_TOLD,
    .hears = HEARS(HEAR_TOLD) | HEARS(SETTLE_REQUEST) | HEARS(SETTLE_LOCK),
    .hear = hear,
    .settle = settle,
    .owns = { .request = sizeof(announced) },
};
