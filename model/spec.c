/* spec.c - the reference specifications: what a mutex, a reentrant, a fair and a read-write lock must answer, and the
 * state after it. Pure functions of the state before an operation. The state is the server's account (holders with
 * counts, a lease that ends by the server's clock, the queue), so after a fault or an expiry they continue from what is
 * there.
 *
 * The fair lock's queue (LOCK-PROTOCOLS, 6): a refused client may enter at the tail; slots time out from the head on; a
 * client that is served or abandons leaves; all other places stay; a free lock goes to the first one left. When a slot
 * times out is up to the driver (client clocks), so any run of slots at the head may go.
 *
 * The read-write lock's operations name one of its two sides (acquire_read, release_write; without a side the write
 * lock is meant). Readers share it; a writer shares it only with itself as a reader; a reader cannot become a writer.
 * Each reader has its own lease, which the account does not contain: a reader may be dropped when another one releases.
 * Whether its lease had ended is judged by LK003. */
#include <string.h>

#include "model/spec.h"

static const char *const names[SPEC_COUNT] = {
    [SPEC_NONE] = "none", [SPEC_MUTEX] = "mutex", [SPEC_IDEMPOTENT] = "idempotent_mutex",
    [SPEC_REENTRANT] = "reentrant", [SPEC_FAIR] = "fair",
    [SPEC_READ_WRITE] = "read_write", [SPEC_SEMAPHORE] = "semaphore", [SPEC_LATCH] = "latch",
    [SPEC_GROUPED] = "grouped",
};

const char *spec_name(spec_kind kind)
{
    return (size_t)kind < SPEC_COUNT ? names[kind] : "none";
}

bool spec_parse(str name, spec_kind *kind)
{
    if (str_eq(name, S("idempotent")))
        name = S("idempotent_mutex");
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

/* Holds of all but `who` are unchanged. `held`: earlier holds still count, their lease had not ended. `readers_lapse`:
 * a reader's may be gone. */
static bool others_stay(spec_answer *a, const kept_view *before, const kept_view *after, str who, bool held,
                        bool readers_lapse)
{
    for (size_t i = 0; held && i < before->holder_count; i++) {
        const lock_holder *h = &before->holders[i];
        const lock_holder *now = view_holder(after, h->id, h->mode);
        if (!now && readers_lapse && mode_parse(h->mode) == MODE_READ)
            continue;
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

/* Slots went from the head on, the others kept their order, and only `who` may have left from anywhere, or entered at
 * the tail: possibly again, after its own slot had timed out. */
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

/* A free fair lock: the client is served if no waiter is left ahead of it. */
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

bool spec_counts(spec_kind kind)
{
    return kind == SPEC_REENTRANT || kind == SPEC_FAIR || kind == SPEC_READ_WRITE || kind == SPEC_GROUPED;
}

bool spec_reenters(spec_kind kind, mode_kind mode, str who, const kept_view *v)
{
    if (kind == SPEC_GROUPED)
        return spec_has_all(v, who);
    return kind == SPEC_READ_WRITE && mode != MODE_READ ? view_count_mode(v, who, MODE_EXCLUSIVE) > 0
           : view_count(v, who) > 0;
}

static bool somebody_writes(const kept_view *v)
{
    for (size_t i = 0; i < v->holder_count; i++)
        if (mode_parse(v->holders[i].mode) != MODE_READ)
            return true;
    return false;
}

/* May a held lock be granted to `who`: as a re-entrant acquire, or as another reader? */
static bool may_enter(spec_kind kind, mode_kind mode, str who, const kept_view *v)
{
    if (kind == SPEC_READ_WRITE && mode == MODE_READ && !somebody_writes(v))
        return true;
    return kind != SPEC_MUTEX && spec_reenters(kind, mode, who, v);
}

/* Does a force_release find anything to free? That of one side leaves a lock alone that is held on the other. */
static bool frees(spec_kind kind, mode_kind mode, const kept_view *v)
{
    return kind != SPEC_READ_WRITE || mode == MODE_UNSAID || somebody_writes(v) == (mode != MODE_READ);
}

/* The owner's holds on the two sides of a read-write lock: `change` more on the side of `mode`. */
static bool sides_stay(const kept_view *before, const kept_view *after, str who, bool held, mode_kind mode,
                       int64_t change)
{
    int64_t reads = held ? view_count_mode(before, who, MODE_READ) : 0;
    return view_count_mode(after, who, MODE_READ) == reads + (mode == MODE_READ ? change : 0);
}

spec_answer spec_judge(spec_kind kind, const op_word *op, str who, const kept_view *before, const kept_view *after,
                       int64_t now_ms)
{
    spec_answer a = { .told = TOLD_ANYTHING };
    if (kind == SPEC_NONE || op->kind == OP_OTHER || op->kind == OP_LISTEN || who.n == 0)
        return a;
    if (kind == SPEC_LATCH)
        return spec_judge_latch(op->kind, before, after);
    if (kind == SPEC_GROUPED)
        return spec_judge_grouped(op->kind, who, before, after, now_ms);
    bool held = !view_free(before, now_ms), sides = kind == SPEC_READ_WRITE;
    mode_kind side = op->mode == MODE_READ ? MODE_READ : MODE_EXCLUSIVE;
    int64_t all = held ? view_count(before, who) : 0, mine = held && sides ? view_count_mode(before, who, side) : all;
    a.judged = true;
    a.after_count = all;
    switch (op->kind) {
    case OP_ACQUIRE:
        if (!held && kind == SPEC_FAIR) {
            fair_acquire_free(&a, before, after, who);
        } else if (!held || may_enter(kind, op->mode, who, before)) {
            bool again = kind == SPEC_IDEMPOTENT && mine > 0;
            a.told = TOLD_GRANTED;
            a.count = again ? mine : mine + 1;
            a.after_count = again ? all : all + 1;
        } else {
            a.told = TOLD_REFUSED;
        }
        /* By the clock of who asked, which was read before the request was under way, an end may not have come yet, or
         * its own lease may be over. */
        if (!held && view_count(after, who) == 0 && (before->lapsed_count || view_lapsed(after, who))) {
            a.told = TOLD_ANYTHING;
            a.after_count = 0;
        }
        break;
    case OP_RELEASE:
        a.told = mine > 0 ? TOLD_RELEASED : view_lapsed(before, who) ? TOLD_ANYTHING : TOLD_LOST;
        a.count = mine > 0 ? mine - 1 : 0;
        a.after_count = mine > 0 ? all - 1 : all;
        break;
    case OP_RENEW:
        a.told = all > 0 ? TOLD_NOT_LOST : TOLD_ANYTHING;
        if (all == 0 && view_lapsed(before, who))      /* nobody took it meanwhile: it may hold again */
            a.after_count = view_count(after, who);
        break;
    case OP_FORCE_RELEASE:
        if (!frees(kind, op->mode, before))
            break;
        a.told = held ? TOLD_RELEASED : TOLD_ANYTHING;
        a.after_count = 0;
        held = false;      /* none may be left */
        break;
    case OP_ABANDON: case OP_OTHER: case OP_LISTEN: case OP_KINDS:
        break;
    }
    if (view_count(after, who) != a.after_count)
        bad(&a, SPEC_COUNT_WRONG, who);
    if (sides && !sides_stay(before, after, who, held, side, a.after_count - (held ? all : 0)))
        bad(&a, SPEC_OTHERS_CHANGED, who);
    others_stay(&a, before, after, who, held, sides && op->kind == OP_RELEASE);
    if (kind == SPEC_FAIR)
        queue_stays(&a, before, after, who, op->kind == OP_ACQUIRE);
    if (kind == SPEC_FAIR && op->kind == OP_ABANDON && view_place(after, who) < after->queue_count)
        bad(&a, SPEC_QUEUE_BROKEN, who);
    return a;
}
