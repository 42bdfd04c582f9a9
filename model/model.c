/* model.c - passes events to the memory and the monitors in the right order, and keeps the first violation of each
 * property. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "model/monitor.h"

model *model_new(const model_config *config, const str *process_names, size_t processes)
{
    model *m = mem_zero(sizeof *m);
    m->config = *config;
    m->memory = arena_new();
    m->process_count = processes;
    m->processes = ARENA_ARRAY(m->memory, process_state, processes + 1);
    for (size_t i = 0; i < processes; i++)
        m->processes[i].name = arena_str(m->memory, process_names[i]);
    monitors_lay_out(m);
    monitors_open(m);
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
    if (model_broken(m) == 0)
        return;
    memset(m->broken, 0, sizeof m->broken);
    m->broken_now = 0;
    monitors_open(m);
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
    monitors_open(m);
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
    m->broken_now |= UINT32_C(1) << p;
    monitors_open(m);
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

str model_place(model *m, const event *e)
{
    if (e->path.n == 0)
        return S("");
    return e->line > 0 ? model_say(m, " (%.*s:%d)", STR_ARG(e->path), e->line)
           : model_say(m, " (%.*s)", STR_ARG(e->path));
}

/* ---- a step is over ---- */

void model_settle(model *m)
{
    if (m->running)
        settle_request(m, &m->requests[m->running - 1]);
    for (lock *l = m->dirty ? m->locks : NULL; l; l = l->hh.next) {
        if (!l->changed && !l->granted)
            continue;
        monitors_tell(m, &(heard){ .kind = SETTLE_LOCK, .l = l });
        for (size_t k = 0; k < l->active_count; k++)
            l->active[k]->granted = l->active[k]->unproven = false;
        l->changed = l->granted = false;
    }
    m->dirty = 0;
    m->running = 0;
}

static void on_state(model *m, const event *e, bool stuck)
{
    model_settle(m);
    if (m->ended)
        hear_no_more(m, e);
    forget_dead_waiters(m, e);
    monitors_tell(m, &(heard){ .kind = SETTLE_STATE, .e = e, .stuck = stuck });
    m->broken_now = 0;
    track_sweep(m, e);
}

void model_event(model *m, const event *e)
{
    m->events++;
    m->now_ms = e->at_ms;
    stake *s;
    switch (e->kind) {
    case EVENT_WANTS:
        if ((s = event_stake(m, e)))
            hear_wants(m, s, e);
        break;
    case EVENT_REFUSED:
        if ((s = event_stake(m, e)))
            hear_refused(m, s, e);
        break;
    case EVENT_GRANTED:
        if ((s = event_stake(m, e)))
            hear_granted(m, s, e);
        break;
    case EVENT_GAVE_UP:
        if ((s = event_stake(m, e))) {
            track_wait(s, false);
            track_refresh(s);
        }
        break;
    case EVENT_RELEASED:
        if ((s = event_stake(m, e)))
            hear_released(m, s, e);
        break;
    case EVENT_LOST:
        if ((s = event_stake(m, e)))
            hear_lost(m, s, e);
        break;
    case EVENT_USE: monitors_tell(m, &(heard){ .kind = HEAR_USED, .e = e }); break;
    case EVENT_SENT: hear_sent(m, e); break;
    case EVENT_EXECUTED: hear_executed(m, e); break;
    case EVENT_ANSWERED: hear_answered(m, e); break;
    case EVENT_TIMED_OUT: hear_timed_out(m, e); break;
    case EVENT_VIEW:
        if (e->view && e->lock.n)
            track_view(m, track_lock(m, e->lock), e);
        break;
    case EVENT_FINDING: monitors_tell(m, &(heard){ .kind = HEAR_FOUND, .e = e }); break;
    case EVENT_CRASHED: hear_crashed(m, e); break;
    case EVENT_RESTARTED: break;       /* its threads have new names */
    case EVENT_PAUSED:
        if (e->process < m->process_count)
            m->processes[e->process].paused = true;
        break;
    case EVENT_RESUMED: hear_resumed(m, e); break;
    case EVENT_STALLED:    /* a stalled task is in the list of tasks; its process goes on, and it excuses nothing */
    case EVENT_WENT_ON: break;
    case EVENT_INTERRUPTED: hear_interrupted(m, e); break;
    case EVENT_ENDED: hear_ended(m, e); break;
    case EVENT_FAULT: hear_fault(m, e); break;
    case EVENT_STATE: on_state(m, e, false); break;
    case EVENT_BUSY: monitors_tell(m, &(heard){ .kind = HEAR_BUSY, .e = e }); break;
    case EVENT_STUCK: on_state(m, e, true); break;
    case EVENT_REST: monitors_tell(m, &(heard){ .kind = HEAR_REST, .e = e }); break;
    }
}
