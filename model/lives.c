/* lives.c - faults and survival: processes that crash or are paused, waits that are interrupted, programs that end. */
#include "model/memory.h"

/* A disturbance lasts from the fault to the process's resume, or to the time-out of the lost request. It excuses holds
 * that their owner could not renew any more when it was over, and no others. timeout_ms: how long another try takes at
 * most. */
static void calm(model *m, uint32_t process, int64_t timeout_ms)
{
    if (track_disturbed(m, process))
        return;            /* by another disturbance */
    for (lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = 0; k < l->active_count; k++) {
            stake *s = l->active[k];
            if (s->o->process == process)
                s->excused = track_too_late(s, m->now_ms, timeout_ms);
        }
    for (size_t i = 0; i < m->request_count; i++)
        if (m->requests[i].process == process && m->requests[i].executed)
            m->requests[i].calm_ms = m->now_ms;
}

void hear_found(model *m, pending *r)
{
    if (!r->lost)
        return;
    r->lost = false;
    calm(m, r->process, r->patience_ms);
}

void hear_resumed(model *m, const event *e)
{
    if (e->process >= m->process_count || !m->processes[e->process].paused)
        return;
    m->processes[e->process].paused = false;
    calm(m, e->process, m->config.timeout_ms);
}

void hear_fault(model *m, const event *e)
{
    bool lost = str_eq(e->op, S("lose_request")), again = str_eq(e->op, S("duplicate"));
    bool held_up = lost || str_eq(e->op, S("lose_reply")) || str_eq(e->op, S("late_request"));
    pending *r = e->request && (held_up || again) ? event_request(m, e) : NULL;
    if (r && again)
        r->runs++;
    if (r && lost)
        r->runs--;
    if (!r || !held_up || e->process >= m->process_count)
        return;
    /* Only possible renewals count: a driver may renew under any name. */
    op_kind kind = r->word ? r->word->kind : op_parse(e->text);
    r->lost = kind == OP_RENEW || kind == OP_OTHER;
    r->patience_ms = e->renew_ms > 0 ? e->renew_ms : m->config.timeout_ms;
}

static void forget_stakes(owner *o)
{
    for (stake *s = o->stakes; s; s = s->next_of_owner) {
        s->l->beliefs -= s->beliefs;
        s->beliefs = s->grant_count = 0;
        s->unresolved = 0;
        s->uncounted = false;
        s->excused = false;
        track_wait(s, false);
        track_refresh(s);
    }
}

void hear_crashed(model *m, const event *e)
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
            m->requests[i].lost = false;
            m->requests[i].runs = 0;
        }
}

void hear_interrupted(model *m, const event *e)
{
    pending *r = event_given_up(m, e);
    if (r && !r->answered) {
        r->given_up = true;
        hear_found(m, r);
    }
    owner *o = track_find_owner(m, e->who);
    for (stake *s = o ? o->stakes : NULL; s; s = s->next_of_owner)
        if (s->waiting && s->process == e->process && s->task == e->task) {
            track_wait(s, false);      /* leaves the order, and waits on until it says otherwise */
            track_wait(s, true);
        }
}

void hear_ended(model *m, const event *e)
{
    /* An ended task announces nothing more; a callback may still announce what it asked for the lock itself. */
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

/* A program that returned believes nothing any more once no task acts for its thread; the last of these tasks to end
 * arrives here, too. A lease outlives it. */
void hear_no_more(model *m, const event *e)
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
            s->uncounted = false;
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

void forget_dead_waiters(model *m, const event *e)
{
    for (lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = l->waiting ? l->active_count : 0; k-- > 0;) {
            stake *s = l->active[k];
            if (s->waiting && !track_task(e, s->process, s->task)) {
                track_wait(s, false);
                track_refresh(s);
            }
        }
}
