/* lock_events.c - the effect of a request, or of time, on a lock by the server's account: reported to the model, whose
 * properties judge it, and examined for other facts of a server's log: leases that end within a hold, renewals without
 * an owner, storms of refusals. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "trace/internal.h"

/* ---- the model ---- */

static const int64_t MODEL_EPOCH_MS = INT64_C(1700000000000);      /* from which the model's texts count */

static model *model_of(tracer *t, traced *l)
{
    model_config c = model_config_default();
    if (l->m)
        return l->m;
    for (size_t p = 0; p < PROPERTY_COUNT; p++)
        c.judged[p] = p == PROPERTY_MUTUAL_EXCLUSION || p == PROPERTY_OWNER_ONLY || p == PROPERTY_LEASE_SET;
    l->m = model_new(&c, NULL, 0);
    t->counts.modelled++;
    model_lock(l->m, l->name, family_spec(l->f));
    return l->m;
}

static event event_new(const tracer *t, traced *l, event_kind kind, str who)
{
    return (event){ .kind = kind, .at_ms = MODEL_EPOCH_MS + (t->last_us - t->counts.begin_us) / 1000, .process = NOBODY,
                    .task = NOBODY, .who = who, .lock = l->name, .lease_ms = LEASE_NONE };
}

static void send(tracer *t, traced *l, const event *e)
{
    model_event(model_of(t, l), e);
}

/* With the key's whole TTL, as in the view. */
static void tell_view(tracer *t, traced *l, const lock_view *v, str who, str op, uint32_t request)
{
    event e = event_new(t, l, EVENT_VIEW, who);
    lock_view named = *v;
    named.lock = l->name;
    e.op = op;
    e.request = request;
    e.view = &named;
    send(t, l, &e);
}

/* The step is over: reports the model's violations, and judges again from here. */
static void settle_model(tracer *t, traced *l, size_t since)
{
    event e = event_new(t, l, EVENT_STATE, S(""));
    send(t, l, &e);
    if (!model_broken(l->m))
        return;
    for (property p = 0; p < PROPERTY_COUNT; p++) {
        const violation *v = model_violation(l->m, p);
        t->q.meddled |= v && p == PROPERTY_OWNER_ONLY;
        if (v)
            find(t, (finding){ .kind = FOUND_VIOLATION, .property = p, .lock = l->name, .db = l->db,
                               .at_us = t->last_us, .line = t->q.line, .since = since, .text = v->text,
                               .why = v->why });
    }
    model_forgive(l->m);
}

void judge_forget(tracer *t, traced *l)
{
    if (!l->m)
        return;
    model_free(l->m);
    l->m = NULL;
    t->counts.modelled--;
}

/* ---- owners ---- */

static bool one_application(const tracer *t, uint32_t x, uint32_t y)
{
    return x == y || (t->client_local[x] && t->client_local[y]);
}

/* On whose behalf: the owner that the request names, as the view would name it; else a holder whose name is among its
 * words; else, of a release that names no owner, the holder if it may be that one's; else the client. */
static str who_asks(tracer *t, traced *l, const claim *c)
{
    const asked *q = &t->q;
    const lock_view *was = &l->now.v;
    if (c->owner.n)
        return c->owner;
    for (size_t k = 0; k < was->holder_count; k++)
        for (size_t i = 1; i < q->argc; i++)
            if (str_eq(q->argv[i], was->holders[k].id) || str_eq(family_owner(l->f, q->argv[i]), was->holders[k].id))
                return was->holders[k].id;
    for (size_t k = 0; k < l->party_count; k++)    /* a former holder */
        for (size_t i = 1; l->parties[k].lapsed && i < q->argc; i++)
            if (str_eq(q->argv[i], l->parties[k].who) || str_eq(family_owner(l->f, q->argv[i]), l->parties[k].who))
                return l->parties[k].who;
    if (was->holder_count == 1 && c->deed != DEED_FORCE_RELEASE && c->deed != DEED_ACQUIRE) {
        const party *p = party_find(l, was->holders[0].id);
        if (p && (p->client == q->client || (c->deed == DEED_RELEASE && one_application(t, p->client, q->client))))
            return was->holders[0].id;
    }
    return q->client_name;
}

/* ---- effects on owners ---- */

static str shown_lease(tracer *t, int64_t lease_ms)
{
    return lease_ms == LEASE_NONE ? S("no lease") : arena_printf(t->scratch, "%" PRId64 " ms", lease_ms);
}

static void granted(tracer *t, traced *l, party *p, const lock_holder *h, int64_t lease_ms, bool anew)
{
    p->count = h->count;
    p->lease_ms = lease_ms;
    t->counts.grants += anew;
    if (anew) {
        p->granted_us = t->last_us;
        p->granted_line = t->q.line;
        p->renewed_line = 0;
        p->holding = true;
        p->lapsed = p->orphan_told = false;
        beliefs_granted(t, p);
        mem_free((void *)(uintptr_t)p->rival.p);
        p->rival = (str){ 0 };
    }
    for (size_t i = 0; anew && i < l->party_count; i++) {
        party *other = &l->parties[i];
        if (other == p || !other->lapsed || other->rival.p)
            continue;
        other->rival = (str){ .p = mem_alloc(p->who.n + 1), .n = p->who.n };
        memcpy((char *)(uintptr_t)other->rival.p, p->who.p, p->who.n);
        other->rival_line = t->q.line;
    }
    if (anew && !p->waiting)
        tell(t, (told){ .kind = TOLD_ASKED }, l, p);
    p->waiting = false;
    tell(t, (told){ .kind = TOLD_GRANTED, .count = (uint32_t)(h->count > 0 ? h->count : 1) }, l, p);
}

static void over(tracer *t, traced *l, party *p, bool by_himself)
{
    p->holding = false;
    p->count = 0;
    t->counts.releases += by_himself;
    tell(t, (told){ .kind = by_himself ? TOLD_RELEASED : TOLD_LOST }, l, p);
}

/* It comes back to a lock that it lost to the clock. */
static void came_back(tracer *t, traced *l, party *p, const claim *c)
{
    const asked *q = &t->q;
    int64_t late_ms = (q->at_us - p->lapsed_us) / 1000;
    p->lapsed = false;
    if (c->deed == DEED_ACQUIRE)
        return;                        /* it asks again: it may have known */
    str renewed = p->renewed_line ? arena_printf(t->scratch, ", last renewed in line %zu", p->renewed_line) : S("");
    str why = p->rival.p ? arena_printf(t->scratch, "%.*s was granted it meanwhile, in line %zu: for some time both "
                                        "may have believed that they hold it.",
                                        STR_ARG(p->rival), p->rival_line)
                         : S("No other client was granted it meanwhile.");
    find(t, (finding){ .kind = FOUND_OVERRUN, .lock = l->name, .db = l->db, .at_us = q->at_us, .line = q->line,
                       .since = p->granted_line, .why = why,
                       .text = arena_printf(t->scratch, "The lease of %.*s (%.*s, granted in line %zu%.*s) ended at "
                                            "%.*s; its %.*s came %" PRId64
                                            " ms later.", STR_ARG(p->who), STR_ARG(shown_lease(t, p->lease_ms)),
                                            p->granted_line, STR_ARG(renewed),
                                            STR_ARG(tracer_time(t, p->lapsed_us)), STR_ARG(c->op), late_ms) });
    mem_free((void *)(uintptr_t)p->rival.p);
    p->rival = (str){ 0 };
}

static void renewed(tracer *t, traced *l, party *p, const claim *c)
{
    const asked *q = &t->q;
    p->renewed_line = q->line;
    t->counts.renewals++;
    if (c->lease_ms != LEASE_NONE)
        p->lease_ms = c->lease_ms;
    beliefs_renewed(t, p);
    int64_t silent_us = q->at_us - p->sign_us;
    if (p->orphan_told || p->lease_ms <= 0 || silent_us / 1000 < p->lease_ms * (int64_t)t->o.orphan_leases)
        return;
    p->orphan_told = true;
    find(t, (finding){ .kind = FOUND_ORPHAN, .lock = l->name, .db = l->db, .at_us = q->at_us, .line = q->line,
                       .since = p->granted_line,
                       .text = arena_printf(t->scratch, "%.*s holds it since %.*s and has renewed it for %" PRId64
                                            " ms (%" PRIu64 " leases of %" PRId64
                                            " ms) without any other request.", STR_ARG(p->who),
                                            STR_ARG(tracer_time(t, p->granted_us)), silent_us / 1000,
                                            t->o.orphan_leases, p->lease_ms),
                       .why = S("Either its work takes that long, or the thread that would release it is gone and its "
                                "watchdog lives on.") });
}

static void refused(tracer *t, traced *l, party *p)
{
    const asked *q = &t->q;
    t->counts.refusals++;
    if (!p->waiting) {
        p->waiting = true;
        p->asked_us = q->at_us;
        tell(t, (told){ .kind = TOLD_ASKED }, l, p);
    }
    tell(t, (told){ .kind = TOLD_REFUSED }, l, p);
    if (q->at_us - l->storm_us >= 1000000) {
        l->storm_told = l->storm_told && l->storm_count >= t->o.storm_per_s / 2;
        l->storm_us = q->at_us;
        l->storm_count = 0;
    }
    if (++l->storm_count < t->o.storm_per_s || l->storm_told)
        return;
    size_t waiting = 0;
    for (size_t i = 0; i < l->party_count; i++)
        waiting += l->parties[i].waiting;
    l->storm_told = true;
    find(t, (finding){ .kind = FOUND_STORM, .lock = l->name, .db = l->db, .at_us = q->at_us, .line = q->line,
                       .text = arena_printf(t->scratch, "%" PRIu64 " attempts were refused within one second; %zu wait "
                                            "for it.", l->storm_count, waiting),
                       .why = S("Who is refused asks again too soon: a pause that grows, or a message at the release, "
                                "would do.") });
}

/* ---- one request ---- */

/* anew: by the server's account it held nothing before. So it asked for a lock that it had lost, and may have known:
 * its earlier grants promise nothing any more. */
static void tell_grant(tracer *t, traced *l, const claim *c, const lock_holder *h, bool anew, int64_t ttl_ms,
                       uint32_t request)
{
    event e = event_new(t, l, EVENT_LOST, h->id);
    if (anew)
        send(t, l, &e);
    e.kind = EVENT_GRANTED;
    e.lease_ms = c->lease_ms != LEASE_NONE ? c->lease_ms : ttl_ms >= 0 ? ttl_ms : LEASE_NONE;
    e.count = h->count;
    e.mode = h->mode;
    e.request = request;
    send(t, l, &e);
}

static const char *model_word(deed_kind d)
{
    switch (d) {
    case DEED_ACQUIRE: return "acquire";
    case DEED_RENEW: return "renew";
    case DEED_RELEASE: return "release";
    case DEED_FORCE_RELEASE: return "force_release";
    case DEED_ABANDON: return "abandon";
    default: return NULL;
    }
}

/* The request in the model's words. An unknown script counts as the request that would have had its effect. */
static str word_of(traced *l, const claim *c, str who, const lock_view *after, int64_t now_ms)
{
    const lock_holder *held = view_holder_of(&l->now.v, who), *left = view_holder_of(after, who);
    const char *word = model_word(c->deed);
    if (word)
        return c->op.n ? c->op : str_from(word);
    if (held && (!left || left->count < held->count))
        return S("release");
    if (held && held->count == left->count && after->ttl_ms >= 0 && l->now.deadline_ms < now_ms + after->ttl_ms)
        return S("renew");
    return c->op;
}

static void tell_model(tracer *t, traced *l, const claim *c, str who, const lock_view *after)
{
    enum { THE_REQUEST = 1 };
    const lock_view *was = &l->now.v;
    event e = event_new(t, l, EVENT_SENT, who);
    size_t since = 0;
    e.op = word_of(l, c, who, after, t->q.at_us / 1000);
    e.lease_ms = c->lease_ms;
    e.request = THE_REQUEST;
    send(t, l, &e);
    e.kind = EVENT_EXECUTED;
    e.text = t->q.reply;
    send(t, l, &e);
    if (!locks_same(l, after, t->q.at_us / 1000))
        tell_view(t, l, after, who, e.op, THE_REQUEST);
    e.kind = EVENT_ANSWERED;
    send(t, l, &e);
    for (size_t i = 0; i < after->holder_count; i++) {
        const lock_holder *h = &after->holders[i], *before = view_holder_of(was, h->id);
        if (!before || h->count > before->count)
            tell_grant(t, l, c, h, !before, after->ttl_ms,
                       str_eq(h->id, who) && c->deed != DEED_RENEW ? THE_REQUEST : 0);
    }
    for (size_t i = 0; i < was->holder_count && !since; i++) {
        const party *p = party_find(l, was->holders[i].id);
        since = p && p->holding ? p->granted_line : 0;
    }
    if (!since && l->promised_us >= t->last_us)
        since = l->taken_line;
    settle_model(t, l, since);
}

/* LK020: the lock has a queue, and an owner other than its head was granted the lock. */
static void judge_queue(tracer *t, traced *l, str id, const lock_view *after)
{
    const lock_view *was = &l->now.v;
    if (was->queue_count == 0 || str_eq(was->queue[0], id) || after->queue_count == 0 ||
        !str_eq(after->queue[0], was->queue[0]))
        return;
    find(t, (finding){ .kind = FOUND_VIOLATION, .property = PROPERTY_FIFO, .lock = l->name, .db = l->db,
                       .at_us = t->q.at_us, .line = t->q.line,
                       .text = arena_printf(t->scratch, "%.*s was granted it before %.*s, who is first in the queue.",
                                            STR_ARG(id), STR_ARG(was->queue[0])) });
}

/* Another owner ended its hold. The model counts the promise at the grant; a hold that was renewed since, or has no
 * end, is a promise, too. */
static void taken(tracer *t, traced *l, const party *p, const claim *c, str who)
{
    int64_t until_us = l->now.deadline_ms != INT64_MAX ? l->now.deadline_ms * 1000 : t->last_us;
    if (until_us > l->promised_us)
        l->promised_us = until_us;
    l->taken_line = p->granted_line;
    if (t->q.meddled || c->deed == DEED_FORCE_RELEASE)
        return;
    find(t, (finding){ .kind = FOUND_VIOLATION, .property = PROPERTY_OWNER_ONLY, .lock = l->name, .db = l->db,
                       .at_us = t->q.at_us, .line = t->q.line, .since = p->granted_line,
                       .text = arena_printf(t->scratch, "%.*s (%.*s) took away the hold of %.*s at %.*s.", STR_ARG(who),
                                            STR_ARG(c->op), STR_ARG(p->who), STR_ARG(tracer_time(t, t->q.at_us))),
                       .why = arena_printf(t->scratch, "%.*s was granted it in line %zu%s.", STR_ARG(p->who),
                                           p->granted_line, p->renewed_line ? ", and has renewed it since" : "") });
}

/* New holders, and owners that hold no longer. */
static void follow_holders(tracer *t, traced *l, const claim *c, str who, const lock_view *after)
{
    const lock_view *was = &l->now.v;
    int64_t lease_ms = c->lease_ms != LEASE_NONE ? c->lease_ms : after->ttl_ms >= 0 ? after->ttl_ms : LEASE_NONE;
    for (size_t i = 0; i < was->holder_count; i++) {
        const lock_holder *h = &was->holders[i], *left = view_holder_of(after, h->id);
        party *p = party_find(l, h->id);
        if (!p || left)
            continue;
        bool himself = str_eq(h->id, who);
        /* a permit that ran out is taken back by the next that comes */
        if (!himself && !str_eq(h->mode, S("permit")))
            taken(t, l, p, c, who);
        over(t, l, p, himself);
    }
    for (size_t i = 0; i < after->holder_count; i++) {
        const lock_holder *h = &after->holders[i], *before = view_holder_of(was, h->id);
        if (before && h->count <= before->count)
            continue;
        party *p = party_get(t, l, h->id, t->q.client);
        p->seen_us = p->sign_us = t->q.at_us;
        if (str_eq(h->id, who))
            p->client = t->q.client;   /* of owners with one name for all, this one */
        if (!before)
            judge_queue(t, l, h->id, after);
        granted(t, l, p, h, lease_ms, !before);
    }
}

static void follow_request(tracer *t, traced *l, const claim *c, str who, const lock_view *after)
{
    const lock_view *was = &l->now.v;
    bool held = view_holder_of(was, who) != NULL, holds = view_holder_of(after, who) != NULL;
    int64_t now_ms = t->q.at_us / 1000, deadline_ms = after->ttl_ms >= 0 ? now_ms + after->ttl_ms : INT64_MAX;
    party *p = c->deed == DEED_ACQUIRE && !holds ? party_get(t, l, who, t->q.client) : party_find(l, who);
    if (!p)
        return;
    bool renews = held && holds &&
                  (c->deed == DEED_RENEW || (c->deed == DEED_OTHER && deadline_ms > l->now.deadline_ms));
    p->seen_us = t->q.at_us;
    /* a release that no table knows, of another text of the library's */
    deed_kind deed = c->deed == DEED_OTHER && t->q.script && held ? DEED_RELEASE : c->deed;
    if (!holds && (!held || deed == DEED_RELEASE))
        beliefs_asked(t, l, p, deed);
    if (p->lapsed && !held && !holds)
        came_back(t, l, p, c);
    if (renews)
        renewed(t, l, p, c);
    else
        p->sign_us = t->q.at_us;
    if (c->deed == DEED_ACQUIRE && !holds)
        refused(t, l, p);
    else if (c->deed == DEED_ABANDON && p->waiting) {
        p->waiting = false;
        tell(t, (told){ .kind = TOLD_GAVE_UP }, l, p);
    }
}

/* When to look at it again: when its key ends, or when a waiter has been silent for long. */
static void plan(tracer *t, traced *l)
{
    static const int64_t LOOK_US = INT64_C(61) * 1000000;
    int64_t at_us = l->now.deadline_ms != INT64_MAX ? (l->now.deadline_ms + 1) * 1000 : NEVER_US;
    bool others = false;
    for (size_t i = 0; i < l->party_count; i++)
        others |= l->parties[i].who.p && !l->parties[i].holding;
    if ((others || l->now.v.key_count == 0) && at_us > t->last_us + LOOK_US)
        at_us = l->wake_us > t->last_us && l->wake_us <= t->last_us + LOOK_US ? l->wake_us : t->last_us + LOOK_US;
    locks_wake(t, l, at_us);
}

static void keep(tracer *t, traced *l, const lock_view *v)
{
    int64_t now_ms = t->last_us / 1000;
    if (!locks_same(l, v, now_ms))
        locks_keep(t, l, v, now_ms);
    l->seen_us = t->last_us;
    for (size_t i = 0; i < l->party_count; i++)
        party_drop(&l->parties[i]);
    if (l->now.v.holder_count == 0 && l->promised_us < t->last_us)
        judge_forget(t, l);
    plan(t, l);
}

void judge_adopt(tracer *t, traced *l, const lock_view *v)
{
    judge_forget(t, l);
    l->promised_us = 0;
    for (size_t i = 0; i < l->party_count; i++) {
        party *p = &l->parties[i];
        if (!p->who.p)
            continue;
        if (p->holding)
            tell(t, (told){ .kind = TOLD_LOST }, l, p);
        if (p->waiting)
            tell(t, (told){ .kind = TOLD_GAVE_UP }, l, p);
        p->holding = p->waiting = p->lapsed = false;
        p->believes_us = 0;
        party_drop(p);
    }
    keep(t, l, v);
}

/* While the holder is unknown, each acquire may have been granted, and that grant lasts as long as its lease;
 * so does what is renewed. */
static void grant_may_last(const tracer *t, traced *l, int64_t lease_ms)
{
    int64_t until_us = t->q.at_us + (lease_ms > 0 ? lease_ms * 1000 : 0);
    l->sure_us = until_us > l->sure_us ? until_us : l->sure_us;
}

/* The holder is known after the lock was certainly free: its key was deleted, or the log shows a grant; or its holder
 * by our account gives it back (each gives back only what it was granted); or it has been free by our account for as
 * long as an earlier lease could have lasted. */
static bool becomes_sure(tracer *t, traced *l, const claim *c, const lock_view *after)
{
    const asked *q = &t->q;
    const lock_view *was = &l->now.v;
    bool first = l->seen_us == 0;
    if (first)
        l->sure_us = t->counts.begin_us + (c->lease_ms > 0 ? c->lease_ms : 30000) * 1000;
    bool fresh = was->holder_count == 0 && after->holder_count > 0;
    bool strange = (c->deed == DEED_RENEW || c->deed == DEED_RELEASE) && !view_holder_of(was, c->owner) &&
                   after->holder_count > 0;
    if (strange && !q->proven)
        l->sure_us = q->at_us + (c->lease_ms > 0 ? c->lease_ms : 30000) * 1000;
    bool timed = q->at_us >= l->sure_us && c->lease_ms > 0 && was->holder_count == 0;
    bool given_back = c->deed == DEED_RELEASE && view_holder_of(was, c->owner) && after->key_count == 0;
    if ((fresh && q->proven) || (q->freed && after->key_count == 0) || given_back || timed)
        return true;
    if ((c->deed == DEED_ACQUIRE && !q->proven) || c->deed == DEED_RENEW)
        grant_may_last(t, l, c->lease_ms);
    return false;
}

static void tell_seen(tracer *t, traced *l, const claim *c, const lock_view *after)
{
    const asked *q = &t->q;
    str who = arena_str(t->scratch, who_asks(t, l, c)), op = word_of(l, c, who, after, q->at_us / 1000);
    const lock_holder *before = view_holder_of(&l->now.v, who), *now = view_holder_of(after, who);
    seen_request r = {
        .line = q->line, .at_us = q->at_us, .db = q->db, .family = l->f, .lock = l->name, .client = q->client_name,
        .who = who, .owner = c->owner.n > 0 || before || now || party_find(l, who), .op = op, .deed = c->deed,
        .lease_ms = c->lease_ms, .argv = q->argv, .argc = q->argc, .sha = q->sha, .answer = &q->answer,
        .had = before ? before->count : 0, .has = now ? now->count : 0,
        .was_free = l->now.v.holder_count == 0 && l->now.v.key_count == 0, .waits = q->waits,
    };
    if (c->deed == DEED_OTHER && (str_eq(op, S("release")) || r.has > r.had))
        r.deed = r.has > r.had ? DEED_ACQUIRE : DEED_RELEASE;
    else if (c->deed == DEED_OTHER && str_eq(op, S("renew")))
        r.deed = DEED_RENEW;
    if (c->deed == DEED_ACQUIRE && r.has > r.had && c->lease_ms == LEASE_NONE && after->ttl_ms >= 0)
        r.lease_ms = after->ttl_ms;
    t->o.seen(t->o.context, &r);
}

/* A command that is no known acquire filled the key, as a cache does: the holder in the view has not taken a lock.
 * Where the user named no locks, a key that is filled anew under its "holder" is such a cache, too. */
static bool is_no_hold(const tracer *t, const traced *l, const claim *c, const lock_view *after)
{
    const lock_view *was = &l->now.v;
    return !t->q.script && c->deed == DEED_OTHER && after->holder_count > 0 &&
           (was->holder_count == 0 || (t->o.guessed && !view_holder_of(was, after->holders[0].id)));
}

bool judge_near_end(const tracer *t, const traced *l)
{
    enum { NEAR_MS = 1 };
    int64_t now_ms = t->q.at_us / 1000;
    bool ends = l->now.v.holder_count > 0 && l->now.deadline_ms - now_ms <= NEAR_MS;
    bool ended = l->now.v.holder_count == 0 && l->lapsed_us && now_ms - l->lapsed_us / 1000 <= NEAR_MS;
    return ends || ended;
}

/* Nothing is judged until it is surely free. */
static void doubt(tracer *t, traced *l, int64_t for_ms, const lock_view *after)
{
    l->sure = false;
    l->sure_us = t->q.at_us + for_ms * 1000;
    t->counts.unsure++;
    judge_adopt(t, l, after);
}

void judge_claim(tracer *t, traced *l, const claim *c, const lock_view *after)
{
    if (t->o.seen)
        tell_seen(t, l, c, after);
    if (l->sure && is_no_hold(t, l, c, after)) {
        doubt(t, l, 30000, after);
        return;
    }
    if (l->sure && c->deed == DEED_ACQUIRE && !t->q.proven && judge_near_end(t, l)) {
        doubt(t, l, c->lease_ms > 0 ? c->lease_ms : 30000, after);
        return;
    }
    if (!l->sure && !becomes_sure(t, l, c, after)) {
        t->counts.unsure++;
        judge_adopt(t, l, after);
        return;
    }
    if (!l->sure && t->q.freed && after->key_count == 0) {     /* it is free: earlier states are unknown */
        l->sure = true;
        judge_adopt(t, l, after);
        return;
    }
    if (!l->sure) {
        l->sure = true;
        l->now.v.holder_count = 0;
        l->now.deadline_ms = INT64_MAX;
    }
    str who = arena_str(t->scratch, who_asks(t, l, c));
    if (after->holder_count || l->now.v.holder_count || l->m)
        tell_model(t, l, c, who, after);
    follow_holders(t, l, c, who, after);
    follow_request(t, l, c, who, after);
    keep(t, l, after);
}

/* ---- the clock ---- */

void judge_lapse(tracer *t, traced *l, int64_t at_us, const lock_view *after)
{
    const lock_view *was = &l->now.v;
    for (size_t i = 0; l->sure && i < was->holder_count; i++) {
        if (view_holder_of(after, was->holders[i].id))
            continue;
        party *p = party_find(l, was->holders[i].id);
        if (!p)
            continue;
        t->counts.lapses++;
        l->lapsed_us = at_us;
        over(t, l, p, false);
        p->lapsed = true;
        p->lapsed_us = at_us;
        mem_free((void *)(uintptr_t)p->rival.p);
        p->rival = (str){ 0 };
    }
    if (l->m && !locks_same(l, after, at_us / 1000)) {
        tell_view(t, l, after, S(""), S("expiry"), 0);
        for (size_t i = 0; i < l->party_count; i++) {
            event e = event_new(t, l, EVENT_LOST, l->parties[i].who);
            if (l->parties[i].who.p && l->parties[i].lapsed && l->parties[i].lapsed_us == at_us)
                send(t, l, &e);
        }
        settle_model(t, l, 0);
    }
    party_forget_old(t, l, at_us);
    bool idle = after->key_count == 0 && after->holder_count == 0 && l->party_count == 0 && l->promised_us < at_us &&
                (l->sure || l->sure_us <= at_us);          /* forgotten, it would be sure at once */
    if (idle) {
        locks_forget(t, l);
        return;
    }
    keep(t, l, after);
}

void judge_end(tracer *t)
{
    traced *l, *next;
    HASH_ITER(hh, t->locks, l, next)
        for (size_t i = 0; i < l->party_count; i++) {
            t->counts.held += l->parties[i].who.p && l->parties[i].holding;
            t->counts.waiting += l->parties[i].who.p && l->parties[i].waiting;
        }
}
