/* spec.c - the reference specifications: what a mutex, a reentrant lock and a fair lock must tell each caller and what must be
 * left afterwards. Pure functions of the state before an operation; the state is the server's account (holders with counts, a
 * lease that ends by the server's clock, the queue), so that after a fault or an expiry they go on from what is there.
 *
 * The fair lock's queue is bound like this (LOCK-PROTOCOLS, 6): whoever is refused may enter, at the tail; slots time out from
 * the head on; who is served or abandons leaves; nobody else's place changes; a free lock goes to the first who is left. When a
 * slot times out is the driver's business (client clocks), so that any run of slots at the head may go. */
#include <string.h>

#include "model/internal.h"

static const char *const names[SPEC_COUNT] = {
    [SPEC_NONE] = "none", [SPEC_MUTEX] = "mutex", [SPEC_REENTRANT] = "reentrant", [SPEC_FAIR] = "fair",
};

const char *spec_name(spec_kind kind)
{
    return (size_t)kind < SPEC_COUNT ? names[kind] : "none";
}

bool spec_parse(str name, spec_kind *kind)
{
    for (size_t i = 0; i < SPEC_COUNT; i++)
        if (str_eq(name, str_from(names[i]))) {
            *kind = (spec_kind)i;
            return true;
        }
    return false;
}

static bool bad(spec_answer *a, spec_fault fault, str whom)
{
    if (a->fault == SPEC_FINE) {
        a->fault = fault;
        a->whom = whom;
    }
    return false;
}

/* Holds of anybody but `who` are as they were. `held`: those before still count, their lease had not ended. */
static bool others_stay(spec_answer *a, const kept_view *before, const kept_view *after, str who, bool held)
{
    for (size_t i = 0; held && i < before->holder_count; i++) {
        const lock_holder *h = &before->holders[i];
        const lock_holder *now = view_holder(after, h->id, h->mode);
        if (!str_eq(h->id, who) && (!now || now->count != h->count))
            return bad(a, SPEC_OTHERS_CHANGED, h->id);
    }
    for (size_t i = 0; i < after->holder_count; i++) {
        const lock_holder *h = &after->holders[i];
        if (!str_eq(h->id, who) && !(held && view_holder(before, h->id, h->mode)))
            return bad(a, SPEC_OTHERS_CHANGED, h->id);
    }
    return true;
}

/* Slots went from the head on, those that stayed kept their order, and only `who` may have left from anywhere, or entered at the
 * tail: perhaps again, after its own slot had timed out. */
static bool queue_stays(spec_answer *a, const kept_view *before, const kept_view *after, str who, bool may_enter)
{
    size_t last = 0;
    bool survivor = false;
    for (size_t i = 0; i < before->queue_count; i++) {
        str id = before->queue[i];
        size_t place = view_place(after, id);
        bool own = str_eq(id, who);
        if (place == after->queue_count) {
            if (survivor && !own)
                return bad(a, SPEC_QUEUE_BROKEN, id);
            continue;
        }
        if (own && may_enter && !survivor && place + 1 == after->queue_count)
            continue;
        if (survivor && place < last)
            return bad(a, SPEC_QUEUE_BROKEN, id);
        survivor = true;
        last = place;
    }
    for (size_t i = 0; i < after->queue_count; i++) {
        str id = after->queue[i];
        if (view_place(after, id) < i)
            return bad(a, SPEC_QUEUE_BROKEN, id);  /* twice */
        bool old = view_place(before, id) < before->queue_count;
        if (!old && !(str_eq(id, who) && may_enter && i + 1 == after->queue_count))
            return bad(a, SPEC_QUEUE_BROKEN, id);
    }
    return true;
}

/* A fair lock that is free: served if nobody is left who was ahead. */
static void fair_acquire_free(spec_answer *a, const kept_view *before, const kept_view *after, str who)
{
    size_t mine = view_place(before, who);
    str ahead = { 0 };
    for (size_t i = 0; i < before->queue_count && i < mine && !ahead.n; i++)
        if (view_place(after, before->queue[i]) < after->queue_count)
            ahead = before->queue[i];
    bool served = view_count(after, who) > 0;
    if (served && ahead.n)
        bad(a, SPEC_PASSED, ahead);
    if (!served && (after->queue_count == 0 || str_eq(after->queue[0], who)))
        bad(a, SPEC_NOT_SERVED, who);
    a->told = served ? TOLD_GRANTED : TOLD_REFUSED;
    a->count = a->after_count = served ? 1 : 0;
}

spec_answer spec_judge(spec_kind kind, op_kind op, str who, const kept_view *before, const kept_view *after, int64_t now_ms)
{
    spec_answer a = { .told = TOLD_ANYTHING };
    bool held = !view_free(before, now_ms);
    int64_t mine = held ? view_count(before, who) : 0;
    if (kind == SPEC_NONE || op == OP_OTHER || op == OP_LISTEN || who.n == 0)
        return a;
    a.judged = true;
    a.after_count = mine;
    switch (op) {
    case OP_ACQUIRE:
        if (!held && kind == SPEC_FAIR) {
            fair_acquire_free(&a, before, after, who);
        } else if (!held || (mine > 0 && kind != SPEC_MUTEX)) {
            a.told = TOLD_GRANTED;
            a.count = a.after_count = mine + 1;
        } else {
            a.told = TOLD_REFUSED;
        }
        break;
    case OP_RELEASE:
        a.told = mine > 0 ? TOLD_RELEASED : TOLD_LOST;
        a.count = a.after_count = mine > 0 ? mine - 1 : 0;
        break;
    case OP_RENEW:
        a.told = mine > 0 ? TOLD_NOT_LOST : TOLD_ANYTHING;
        break;
    case OP_FORCE_RELEASE:
        a.told = held ? TOLD_RELEASED : TOLD_ANYTHING;
        a.after_count = 0;
        held = false;      /* nobody may be left */
        break;
    case OP_ABANDON: case OP_OTHER: case OP_LISTEN: case OP_KINDS:
        break;
    }
    if (view_count(after, who) != a.after_count)
        bad(&a, SPEC_COUNT_WRONG, who);
    others_stay(&a, before, after, who, held);
    if (kind == SPEC_FAIR)
        queue_stays(&a, before, after, who, op == OP_ACQUIRE);
    if (kind == SPEC_FAIR && op == OP_ABANDON && view_place(after, who) < after->queue_count)
        bad(&a, SPEC_QUEUE_BROKEN, who);
    return a;
}
