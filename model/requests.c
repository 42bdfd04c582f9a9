/* requests.c - the life of a request: sent, executed at its server, answered, or given up by its sender. */
#include "model/monitor.h"

/* The request that an event names; NULL for one that was only sent. */
pending *event_request(model *m, const event *e)
{
    pending *r = track_request(m, e->process, e->request);
    return r ? r : track_request_stub(m, e->process, e->request);
}

/* Ends the promise; the belief in it stays. */
static void end_promise(model *m, grant *g)
{
    if (g->end_seq)
        return;
    g->end_seq = ++m->seq;
    if (g->until_ms > m->now_ms)
        g->until_ms = m->now_ms;
}

void hear_sent(model *m, const event *e)
{
    track_went_on(m, e->process, e->task);
    pending *r = e->request ? track_request_add(m, e) : NULL;
    if (r)
        r->pops = e->count & SENT_POPS;
    const op_word *word = r ? r->word : track_word(m, e->op);
    if ((word->kind != OP_RELEASE && word->kind != OP_FORCE_RELEASE) || (e->count & SENT_AGAIN))
        return;
    stake *s = event_stake(m, e);
    if (!s)
        return;
    mode_kind which = e->mode.n ? mode_parse(e->mode) : word->mode;
    if (e->permits > 0)
        track_end_permits(m, s, e->permits);
    else
        track_end_grants(m, s, which, word->kind == OP_FORCE_RELEASE, false);
    track_refresh(s);
}

/* Consent: when a force_release is executed, it ends the promises of the other threads of its own process, even if they
 * do not know. An operator's, whom the scenario names, ends those of all clients. */
static void consent(model *m, const pending *r)
{
    if (r->word->kind != OP_FORCE_RELEASE || !r->l || r->process >= m->process_count)
        return;
    bool operates = m->config.operators >> r->process & 1;
    for (size_t k = 0; k < r->l->active_count; k++) {
        stake *s = r->l->active[k];
        for (size_t i = 0; i < s->grant_count && (operates || s->o->process == r->process); i++)
            end_promise(m, &s->grants[i]);
    }
    for (size_t i = 0; i < m->request_count; i++) {
        pending *q = &m->requests[i];
        q->freed |= q->l == r->l && track_may_grant(q) && q != r && (operates || q->process == r->process);
    }
}

void hear_executed(model *m, const event *e)
{
    if (m->running || m->dirty)
        model_settle(m);
    pending *r = track_request(m, e->process, e->request);
    if (!r) {
        r = track_request_add(m, e);
        r->given_up = e->request == 0;
    } else if (!r->word || (!r->l && e->lock.n)) {
        track_request_fill(m, r, e);
    }
    if (e->count & EXECUTED_QUEUED) {  /* nothing has happened */
        r->runs--;
        r->executed = r->done = true;
        return;
    }
    bool copy = e->count & EXECUTED_COPY;
    stake *s = r->o && r->l ? track_stake(m, r->o, r->l) : NULL;
    uint64_t seq = ++m->seq;
    r->runs--;
    bool first = !r->executed, itself = r->vain && !copy;
    r->repeat = (!first && !itself) || (s && (s->unresolved & (1u << r->word->kind)) && !r->given_up);
    m->running = r->number ? 1 + (size_t)(r - m->requests) : 0;
    if (!first && !itself)
        return;            /* a duplicate: the promise counts from the first time */
    r->vain = copy;
    r->copy_seq = itself ? r->seq : 0;
    r->executed = true;
    r->settled = false;
    r->lapsed_ms = NEVER_MS;
    r->executed_ms = m->now_ms - e->ago_ms;
    r->waited = e->ago_ms > 0;
    r->too_late = e->count & EXECUTED_TOO_LATE;
    r->seq = seq;
    r->failed = str_starts(e->text, S("error: "));
    r->calm_ms = NEVER_MS;
    r->freed = false;
    consent(m, r);
    r->held = r->o && r->l && r->l->observed && !view_free(&r->l->now, m->now_ms) &&
              spec_reenters(r->l->spec, r->word->mode, r->o->name, &r->l->now);
}

void hear_answered(model *m, const event *e)
{
    pending *r = track_request(m, e->process, e->request);
    for (size_t i = 0; i < m->request_count; i++) {
        pending *old = &m->requests[i];
        /* A request sent before it and answered after it does not show that its answer was read. */
        if (old != r && old->answered && old->went_on && old->process == e->process && old->task == e->task)
            old->done = true;
    }
    lock *l = track_lock(m, e->lock);
    stake *s = l ? track_find_stake(track_find_owner(m, e->who), l) : NULL;
    if (s)
        s->unresolved &= ~(1u << op_parse(e->op));
    if (!r)
        return;
    r->answered = true;
    r->task = e->task;     /* the task that got it may announce it */
    hear_found(m, r);
}

/* The answer is not awaited any more. The request itself may still be executed, unless the event says that it cannot:
 * then nothing new can be learned of it. */
pending *event_given_up(model *m, const event *e)
{
    bool over = e->count > 0;
    pending *r = e->request == 0 ? NULL : over ? track_request(m, e->process, e->request) : event_request(m, e);
    if (r && over && !r->executed && r->runs > 0)
        r->runs--;
    return r;
}

void hear_timed_out(model *m, const event *e)
{
    pending *r = event_given_up(m, e);
    if (r) {
        r->given_up = true;
        hear_found(m, r);
    }
    /* The effect of a release that found nothing to return is known; sent again, it finds nothing again. */
    if (r && r->executed && r->settled && r->told == TOLD_LOST)
        return;
    stake *s = event_stake(m, e);
    if (!s)
        return;
    op_kind kind = op_parse(e->op);
    s->unresolved |= 1u << kind;
    s->uncounted |= kind == OP_RELEASE || kind == OP_FORCE_RELEASE;
}

/* ---- its step is over ---- */

/* How many permits a request returns, as it says, or wants: as many as its owner waits for. */
static int64_t permits_of(const pending *r)
{
    if (r->word->kind == OP_RELEASE)
        return r->permits;
    const stake *s = track_find_stake(r->o, r->l);
    return s && s->waiting && !r->given_up ? s->wait_permits : 0;
}

void settle_request(model *m, pending *r)
{
    lock *l = r->l;
    if (!l || !r->o || !l->observed) {
        r->settled = true;
        return;
    }
    bool mine = l->changed && l->cause.request == r->number && l->cause.process == r->process;
    const kept_view *before = mine ? &l->before : &l->now, *after = &l->now;
    int64_t was = view_free(before, m->now_ms) ? 0 : view_count(before, r->o->name), is = view_count(after, r->o->name);
    bool semaphore = l->spec == SPEC_SEMAPHORE;
    r->won |= semaphore ? view_gain(before, after) > 0 : is > was;
    r->vain &= !r->won;
    if (l->spec == SPEC_NONE || r->failed || (l->changed && !mine)) {
        r->settled = true;
        return;
    }
    spec_answer a = semaphore ? spec_judge_permits(r->word->kind, r->o->name, permits_of(r), before, after)
                              : spec_judge(l->spec, r->word, r->o->name, before, after, m->now_ms);
    /* Its lease, which its sender had computed, was over when it came: nothing is left of a grant. */
    bool nothing = a.fault == SPEC_COUNT_WRONG || a.fault == SPEC_NOT_SERVED;
    if (r->too_late && r->word->kind == OP_ACQUIRE && nothing && was == 0 && is == 0)
        a = (spec_answer){ .told = TOLD_OVER };
    bool passes = a.told == TOLD_GRANTED && l->spec == SPEC_LATCH;    /* passing a latch takes nothing */
    r->vain &= passes || (a.told != TOLD_GRANTED && a.told != TOLD_RELEASED);
    if (!r->repeat) {      /* otherwise it may have counted, or been recognised as a repetition */
        r->told = a.told;
        r->told_count = a.count;
    }
    r->settled = true;
    monitors_tell(m, &(heard){ .kind = SETTLE_REQUEST, .r = r, .answer = &a, .before = before, .after = after });
}
