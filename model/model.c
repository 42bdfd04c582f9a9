/* model.c - feeds events to the memory and the monitors in the right order, and keeps the first violation of each property. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "model/internal.h"

model *model_new(const model_config *config, const str *process_names, size_t processes)
{
    model *m = mem_zero(sizeof *m);
    m->config = *config;
    m->memory = arena_new();
    m->process_count = processes;
    m->processes = ARENA_ARRAY(m->memory, process_state, processes + 1);
    for (size_t i = 0; i < processes; i++)
        m->processes[i].name = arena_str(m->memory, process_names[i]);
    return m;
}

void model_free(model *m)
{
    if (!m)
        return;
    for (lock *l = m->locks; l; l = l->hh.next) {
        arena_free(l->now.memory);
        arena_free(l->before.memory);
        mem_free(l->active);
    }
    for (owner *o = m->owners; o; o = o->hh.next)
        for (stake *s = o->stakes; s; s = s->next_of_owner)
            mem_free(s->grants);
    HASH_CLEAR(hh, m->locks);
    HASH_CLEAR(hh, m->owners);
    mem_free(m->requests);
    mem_free(m->resources);
    arena_free(m->memory);
    mem_free(m);
}

void model_lock(model *m, str name, spec_kind kind)
{
    lock *l = track_lock(m, name);
    if (!l)
        return;
    l->spec = kind;
    l->observed = true;
}

const violation *model_violation(const model *m, property p)
{
    return (size_t)p < PROPERTY_COUNT ? m->broken[p] : NULL;
}

bool model_open(const model *m, property p)
{
    return m->config.judged[p] && !m->broken[p];
}

void model_forgive(model *m)
{
    memset(m->broken, 0, sizeof m->broken);
}

uint32_t model_broken(const model *m)
{
    static_assert(PROPERTY_COUNT <= 32, "a bit for each property");
    uint32_t broken = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        broken |= m->broken[i] ? UINT32_C(1) << i : 0;
    return broken;
}

void model_close(model *m, property p)
{
    m->config.judged[p] = false;
}

void model_break(model *m, property p, str text, str why)
{
    if (!model_open(m, p))
        return;
    violation *v = m->broken[p] = ARENA_NEW(m->memory, violation);
    v->property = p;
    v->at_ms = m->now_ms;
    v->event_number = m->events;
    v->text = arena_str(m->memory, text);
    v->why = arena_str(m->memory, why);
}

void model_report(model *m, property p, int64_t at_ms, str text, str why)
{
    m->now_ms = at_ms;
    model_break(m, p, text, why);
}

str model_time(model *m, int64_t at_ms)
{
    int64_t ms = at_ms < INT64_MIN + RUN_START_MS ? INT64_MIN : at_ms - RUN_START_MS;
    uint64_t size = ms < 0 ? 0 - (uint64_t)ms : (uint64_t)ms;
    return arena_printf(m->memory, "%s%" PRIu64 ".%03" PRIu64 " s", ms < 0 ? "-" : "", size / 1000, size % 1000);
}

/* ---- what drivers announce ---- */

static stake *stake_of(model *m, const event *e)
{
    owner *o = track_owner(m, e->who, e->process);
    lock *l = track_lock(m, e->lock);
    return o && l ? track_stake(m, o, l) : NULL;
}

static void start_waiting(model *m, stake *s, const event *e)
{
    if (!s->waiting || e->mode.n)      /* a refusal seldom says again what is waited for */
        s->wait_mode = mode_parse(e->mode);
    if (!s->waiting) {
        track_wait(s, true);
        s->wait_ms = m->now_ms;
        s->wait_permits = 1;
    }
    s->process = e->process;
    s->task = e->task;
    if (e->kind == EVENT_WANTS && e->count > 0)
        s->wait_permits = e->count;
    track_refresh(s);
}

static void on_refused(model *m, stake *s, const event *e)
{
    pending *r = track_announced(m, e, s->l);
    start_waiting(m, s, e);
    if (r) {
        reentrancy_refused(m, s, r);
        conformity_said(m, s, r, TOLD_REFUSED, 0);
    }
    fairness_refused(m, s, r);
    if (r)
        r->announced = true;
}

static void on_granted(model *m, stake *s, const event *e)
{
    lock *l = s->l;
    l->grants += e->count <= 1 || l->spec == SPEC_SEMAPHORE;
    pending *named = track_announced(m, e, l), *r = named && track_may_grant(named) ? named : NULL;
    grant g = {
        .lease_ms = e->lease_ms, .executed_ms = r ? r->executed_ms : m->now_ms, .seq = r ? r->seq : ++m->seq,
        .until_ms = NEVER_MS, .ttl_until_ms = INT64_MIN, .mode = mode_parse(e->mode), .token = e->token,
        .permits = e->count, .believed = true, .waited = r && r->waited,
    };
    if (g.lease_ms != LEASE_NONE)
        /* Permits and values come back when their lease is over, while a key lives through that millisecond. */
        g.until_ms = g.ttl_until_ms = time_after(g.executed_ms, g.lease_ms - (l->spec == SPEC_SEMAPHORE || l->spec == SPEC_GROUPED));
    else if (r && r->lapsed_ms != NEVER_MS)
        g.until_ms = r->lapsed_ms;
    if (g.lease_ms == LEASE_NONE && r && r->lease_ms >= 0)
        g.ttl_until_ms = time_after(g.executed_ms, r->lease_ms - (l->spec == SPEC_GROUPED));
    if (named)
        conformity_said(m, s, named, TOLD_GRANTED, e->count);
    exclusion_granted(m, s, &g);
    fencing_granted(m, s, &g);
    fairness_granted(m, s, &g);
    if (named)
        named->announced = true;
    track_wait(s, false);
    if (l->spec == SPEC_LATCH) {       /* who was let through holds nothing */
        track_refresh(s);
        return;
    }
    MEM_RESERVE(s->grants, s->grant_cap, s->grant_count + 1);
    s->grants[s->grant_count++] = g;
    s->beliefs++;
    l->beliefs++;
    bool paused = s->o->process != NOBODY && m->processes[s->o->process].paused;
    s->disturbed = paused || (r && r->disturbed);
    track_dirty(m, l);
    l->granted = s->granted = true;
    /* No request about this lock said so, or one that is no acquire said so just now: the server's account decides. */
    s->unproven = !r || !r->l || (r->word->kind != OP_ACQUIRE && r->executed_ms == m->now_ms);
    track_refresh(s);
}

static void on_lost(model *m, stake *s, const event *e)
{
    pending *r = track_announced(m, e, s->l);
    if (r) {
        conformity_said(m, s, r, TOLD_LOST, 0);
        r->announced = true;
    }
    track_end_grants(m, s, e->mode.n ? mode_parse(e->mode) : MODE_UNSAID, true, false);
    track_refresh(s);
}

static void on_released(model *m, stake *s, const event *e)
{
    if (e->request == 0) {
        track_end_grants(m, s, e->mode.n ? mode_parse(e->mode) : MODE_UNSAID, e->count == 0, false);
        track_refresh(s);
        return;
    }
    pending *r = track_announced(m, e, s->l);
    if (!r)
        return;
    conformity_said(m, s, r, TOLD_RELEASED, e->count);
    r->announced = true;
}

/* ---- the way of a request ---- */

/* The request that an event names; one that was only sent need not be known. */
static pending *request_of(model *m, const event *e)
{
    pending *r = track_request(m, e->process, e->request);
    return r ? r : track_request_stub(m, e->process, e->request);
}

/* A force_release by the holder's own process ends what its other threads were promised: by consent, though they may not know. */
static void consent(model *m, stake *by)
{
    lock *l = by->l;
    for (size_t k = 0; k < l->active_count; k++) {
        stake *s = l->active[k];
        if (s == by || s->o->process != by->o->process || s->o->process == NOBODY)
            continue;
        for (size_t i = 0; i < s->grant_count; i++)
            if (!s->grants[i].end_seq) {
                s->grants[i].end_seq = ++m->seq;
                if (s->grants[i].until_ms > m->now_ms)
                    s->grants[i].until_ms = m->now_ms;
            }
    }
}

static void on_sent(model *m, const event *e)
{
    track_went_on(m, e->process, e->task);
    pending *r = e->request ? track_request_add(m, e) : NULL;
    const op_word *word = r ? r->word : track_word(m, e->op);
    if ((word->kind != OP_RELEASE && word->kind != OP_FORCE_RELEASE) || e->count > 0)
        return;
    stake *s = stake_of(m, e);
    if (!s)
        return;
    mode_kind which = e->mode.n ? mode_parse(e->mode) : word->mode;
    if (e->permits > 0)
        track_end_permits(m, s, e->permits);
    else
        track_end_grants(m, s, which, word->kind == OP_FORCE_RELEASE, false);
    if (word->kind == OP_FORCE_RELEASE)
        consent(m, s);
    track_refresh(s);
}

static void settle(model *m);

static void on_executed(model *m, const event *e)
{
    if (m->running || m->dirty)
        settle(m);
    pending *r = track_request(m, e->process, e->request);
    if (!r) {
        r = track_request_add(m, e);
        r->given_up = e->request == 0;
    } else if (!r->word) {
        track_request_fill(m, r, e);
    }
    stake *s = r->o && r->l ? track_stake(m, r->o, r->l) : NULL;
    uint64_t seq = ++m->seq;
    r->runs--;
    bool first = !r->executed, itself = r->vain && e->count == 0;
    r->repeat = (!first && !itself) || (s && (s->unresolved & (1u << r->word->kind)) && !r->given_up);
    m->running = r->number ? 1 + (size_t)(r - m->requests) : 0;
    if (!first && !itself)
        return;            /* a duplicate: the promise counts from the first time */
    r->vain = e->count > 0;
    r->copy_seq = itself ? r->seq : 0;
    r->executed = true;
    r->settled = false;
    r->lapsed_ms = NEVER_MS;
    r->executed_ms = m->now_ms - e->ago_ms;
    r->waited = e->ago_ms > 0;
    r->seq = seq;
    r->failed = str_starts(e->text, S("error: "));
    r->disturbed = r->process < m->process_count && m->processes[r->process].paused;
    r->held = r->o && r->l && r->l->observed && !view_free(&r->l->now, m->now_ms) &&
              spec_reenters(r->l->spec, r->word->mode, r->o->name, &r->l->now);
}

static void on_answered(model *m, const event *e)
{
    pending *r = track_request(m, e->process, e->request);
    for (size_t i = 0; i < m->request_count; i++) {
        pending *old = &m->requests[i];
        /* What was sent before it and answered after it does not say that its answer has been read. */
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
    r->task = e->task;     /* who got it may announce it */
}

/* Nobody waits for the answer any more. The request itself may still be executed, unless the event says that it cannot: then there is
 * nothing to remember of it that is not known already. */
static pending *given_up(model *m, const event *e)
{
    bool over = e->count > 0;
    pending *r = e->request == 0 ? NULL : over ? track_request(m, e->process, e->request) : request_of(m, e);
    if (r && over && !r->executed && r->runs > 0)
        r->runs--;
    return r;
}

static void on_timed_out(model *m, const event *e)
{
    pending *r = given_up(m, e);
    if (r)
        r->given_up = true;
    /* Of a release that found nothing to give back it is known what it did; sent again, it finds nothing again. */
    if (r && r->executed && r->settled && r->told == TOLD_LOST)
        return;
    stake *s = stake_of(m, e);
    if (s)
        s->unresolved |= 1u << op_parse(e->op);
}

/* ---- faults and lives ---- */

static void disturb(model *m, uint32_t process)
{
    for (lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = 0; k < l->active_count; k++)
            if (l->active[k]->o->process == process)
                l->active[k]->disturbed = true;
    for (size_t i = 0; i < m->request_count; i++)
        if (m->requests[i].process == process)
            m->requests[i].disturbed = true;
}

static void on_fault(model *m, const event *e)
{
    bool lost = str_eq(e->op, S("lose_request")), again = str_eq(e->op, S("duplicate"));
    pending *r = e->request && (lost || again) ? request_of(m, e) : track_request(m, e->process, e->request);
    if (r && again)
        r->runs++;
    if (r && lost)
        r->runs--;
    if (e->process >= m->process_count || !(lost || str_eq(e->op, S("lose_reply")) || str_eq(e->op, S("late_request"))))
        return;
    /* Only what might have been a renewal: a driver may renew under any name of its own. */
    op_kind kind = r && r->word ? r->word->kind : op_parse(e->text);
    if (kind == OP_RENEW || kind == OP_OTHER)
        disturb(m, e->process);
}

static void forget_stakes(owner *o)
{
    for (stake *s = o->stakes; s; s = s->next_of_owner) {
        s->l->beliefs -= s->beliefs;
        s->beliefs = s->grant_count = 0;
        s->unresolved = 0;
        s->disturbed = false;
        track_wait(s, false);
        track_refresh(s);
    }
}

static void on_crashed(model *m, const event *e)
{
    if (e->process >= m->process_count)
        return;
    m->processes[e->process].paused = false;
    for (owner *o = m->owners; o; o = o->hh.next)
        if (o->process == e->process)
            forget_stakes(o);
    for (size_t i = 0; i < m->request_count; i++)
        if (m->requests[i].process == e->process) {
            m->requests[i].done = m->requests[i].given_up = true;
            m->requests[i].runs = 0;
        }
}

static void on_interrupted(model *m, const event *e)
{
    pending *r = given_up(m, e);
    if (r && !r->answered)
        r->given_up = true;
    owner *o = track_find_owner(m, e->who);
    for (stake *s = o ? o->stakes : NULL; s; s = s->next_of_owner)
        if (s->waiting && s->process == e->process && s->task == e->task) {
            track_wait(s, false);      /* leaves the order, and goes on waiting until it says otherwise */
            track_wait(s, true);
        }
}

static void on_ended(model *m, const event *e)
{
    /* A task that is over announces nothing any more; what it asked for the lock itself may still be told by a callback. */
    for (size_t i = 0; i < m->request_count; i++) {
        pending *r = &m->requests[i];
        op_kind kind = r->word ? r->word->kind : OP_OTHER;
        bool asks = kind == OP_ACQUIRE || kind == OP_RELEASE || kind == OP_FORCE_RELEASE;
        r->done |= r->process == e->process && r->task == e->task && r->answered && !asks;
    }
    owner *o = track_find_owner(m, e->who);
    if (!o || o->ended)
        return;
    o->ended = true;
    m->ended++;
}

/* A program that returned believes nothing any more, once no task is left that acts for its thread: the last of them to end comes by
 * here, too. A lease outlives it. */
static void settle_ended(model *m, const event *e)
{
    for (owner *o = m->owners; m->ended && o; o = o->hh.next) {
        bool acts = !o->ended;
        for (size_t i = 0; i < e->task_count && !acts; i++)
            acts = !e->tasks[i].daemon && str_eq(e->tasks[i].who, o->name);
        m->ended -= o->ended;
        o->ended = false;
        if (acts)
            continue;
        for (stake *s = o->stakes; s; s = s->next_of_owner) {
            track_wait(s, false);
            s->unresolved = 0;
            track_end_grants(m, s, MODE_UNSAID, true, true);
            for (size_t i = 0; i < s->grant_count; i++)
                if (s->grants[i].lease_ms == LEASE_NONE && !s->grants[i].end_seq) {
                    s->grants[i].end_seq = ++m->seq;
                    if (s->grants[i].until_ms > m->now_ms)
                        s->grants[i].until_ms = m->now_ms;
                }
            track_refresh(s);
        }
    }
}

/* ---- a step is over ---- */

static void settle(model *m)
{
    if (m->running)
        conformity_executed(m, &m->requests[m->running - 1]);
    for (lock *l = m->dirty ? m->locks : NULL; l; l = l->hh.next) {
        if (!l->changed && !l->granted)
            continue;
        if (l->changed && !l->cause.expiry && !l->cause.fault)
            exclusion_owner_only(m, l);
        leases_changed(m, l);
        for (size_t k = 0; k < l->active_count; k++) {
            stake *s = l->active[k];
            if (s->granted && s->unproven)
                conformity_settle_granted(m, s);
            s->granted = s->unproven = false;
        }
        l->changed = l->granted = false;
    }
    m->dirty = 0;
    m->running = 0;
}

static void on_state(model *m, const event *e, bool stuck)
{
    exclusion_explain(m);
    settle(m);
    if (m->ended)
        settle_ended(m, e);
    liveness_forget_dead_waiters(m, e);
    if (m->overtaken)
        fairness_settle(m);
    liveness_state(m, e, stuck);
    track_sweep(m, e);
}

void model_event(model *m, const event *e)
{
    m->events++;
    m->now_ms = e->at_ms;
    stake *s;
    switch (e->kind) {
    case EVENT_WANTS:
        if ((s = stake_of(m, e)))
            start_waiting(m, s, e);
        break;
    case EVENT_REFUSED:
        if ((s = stake_of(m, e)))
            on_refused(m, s, e);
        break;
    case EVENT_GRANTED:
        if ((s = stake_of(m, e)))
            on_granted(m, s, e);
        break;
    case EVENT_GAVE_UP:
        if ((s = stake_of(m, e))) {
            track_wait(s, false);
            track_refresh(s);
        }
        break;
    case EVENT_RELEASED:
        if ((s = stake_of(m, e)))
            on_released(m, s, e);
        break;
    case EVENT_LOST:
        if ((s = stake_of(m, e)))
            on_lost(m, s, e);
        break;
    case EVENT_USE: fencing_used(m, e); break;
    case EVENT_SENT: on_sent(m, e); break;
    case EVENT_EXECUTED: on_executed(m, e); break;
    case EVENT_ANSWERED: on_answered(m, e); break;
    case EVENT_TIMED_OUT: on_timed_out(m, e); break;
    case EVENT_VIEW:
        if (e->view && e->lock.n)
            track_view(m, track_lock(m, e->lock), e);
        break;
    case EVENT_FINDING: health_finding(m, e); break;
    case EVENT_CRASHED: on_crashed(m, e); break;
    case EVENT_RESTARTED: break;       /* its threads have new names */
    case EVENT_PAUSED:
        if (e->process < m->process_count) {
            m->processes[e->process].paused = true;
            disturb(m, e->process);
        }
        break;
    case EVENT_RESUMED:
        if (e->process < m->process_count)
            m->processes[e->process].paused = false;
        break;
    case EVENT_INTERRUPTED: on_interrupted(m, e); break;
    case EVENT_ENDED: on_ended(m, e); break;
    case EVENT_FAULT: on_fault(m, e); break;
    case EVENT_STATE: on_state(m, e, false); break;
    case EVENT_BUSY: health_busy(m, e); break;
    case EVENT_STUCK: on_state(m, e, true); break;
    case EVENT_REST: leases_rest(m, e); break;
    }
}
