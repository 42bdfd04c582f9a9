/* track.c - the model's memory: owners, locks, grants, waits, views and requests in progress, kept while they can
 * matter. */
#include "model/monitor.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

const op_word *track_word(model *m, str op)
{
    for (size_t i = 0; i < m->word_count; i++)
        if (str_eq(m->words[i]->name, op))
            return m->words[i];
    op_word w = { .kind = op_parse(op), .mode = MODE_UNSAID };
    if (str_ends(op, S("_read")))
        w.mode = MODE_READ;
    else if (str_ends(op, S("_write")))
        w.mode = MODE_EXCLUSIVE;
    /* More words than drivers have: the rest share one name, so that memory is bounded. */
    w.name = m->word_count + OP_KINDS < COUNT(m->words) ? arena_str(m->memory, op) : S("request");
    for (size_t i = 0; i < m->word_count; i++)
        if (str_eq(m->words[i]->name, w.name) && m->words[i]->kind == w.kind)
            return m->words[i];
    assert(m->word_count < COUNT(m->words));
    op_word *kept = m->words[m->word_count++] = ARENA_NEW(m->memory, op_word);
    *kept = w;
    return kept;
}

owner *track_find_owner(const model *m, str who)
{
    owner *o = NULL;
    if (who.n)
        HASH_FIND(hh, m->owners, who.p, who.n, o);
    return o;
}

owner *track_owner(model *m, str who, uint32_t process)
{
    owner *o = track_find_owner(m, who);
    if (o || who.n == 0)
        return o;
    o = ARENA_NEW(m->memory, owner);
    o->name = arena_str(m->memory, who);
    o->process = process < m->process_count ? process : NOBODY;
    HASH_ADD_KEYPTR(hh, m->owners, o->name.p, o->name.n, o);
    return o;
}

/* Names in the keyspace begin with their process's name: "A:1", after a restart "A#1:1". */
uint32_t track_process_of(const model *m, str id)
{
    const owner *o = track_find_owner(m, id);
    if (o)
        return o->process;
    for (uint32_t p = 0; p < m->process_count; p++) {
        str name = m->processes[p].name;
        if (str_starts(id, name) && id.n > name.n && (id.p[name.n] == ':' || id.p[name.n] == '#'))
            return p;
    }
    return NOBODY;
}

lock *track_lock(model *m, str name)
{
    lock *l = NULL;
    if (name.n == 0)
        return NULL;
    HASH_FIND(hh, m->locks, name.p, name.n, l);
    if (l)
        return l;
    l = ARENA_NEW(m->memory, lock);
    l->name = arena_str(m->memory, name);
    l->now.deadline_ms = l->before.deadline_ms = NEVER_MS;
    HASH_ADD_KEYPTR(hh, m->locks, l->name.p, l->name.n, l);
    return l;
}

stake *track_find_stake(const owner *o, const lock *l)
{
    for (stake *s = o ? o->stakes : NULL; s; s = s->next_of_owner)
        if (s->l == l)
            return s;
    return NULL;
}

stake *track_stake(model *m, owner *o, lock *l)
{
    stake *s = track_find_stake(o, l);
    if (s)
        return s;
    s = ARENA_NEW(m->memory, stake);
    s->o = o;
    s->l = l;
    s->next_of_owner = o->stakes;
    o->stakes = s;
    return s;
}

void track_refresh(stake *s)
{
    lock *l = s->l;
    bool needed = s->grant_count > 0 || s->waiting;
    if (needed && !s->active) {
        MEM_RESERVE(l->active, l->active_cap, l->active_count + 1);
        l->active[l->active_count++] = s;
        s->active = l->active_count;
    } else if (!needed && s->active) {
        stake *last = l->active[--l->active_count];
        l->active[s->active - 1] = last;
        last->active = s->active;
        s->active = 0;
    }
}

void track_wait(stake *s, bool waiting)
{
    if (s->waiting != waiting)
        s->l->waiting += waiting ? 1 : SIZE_MAX;
    s->waiting = waiting;
    if (!waiting)
        memset(s->own_wait, 0, sizeof s->own_wait);
}

void track_dirty(model *m, lock *l)
{
    if (!l->changed && !l->granted)
        m->dirty++;
}

/* ---- requests ---- */

pending *track_request(const model *m, uint32_t process, uint32_t number)
{
    for (size_t i = m->request_count; number && i-- > 0;)
        if (m->requests[i].number == number && (m->requests[i].process == process || process == NOBODY))
            return &m->requests[i];
    return NULL;
}

pending *track_request_stub(model *m, uint32_t process, uint32_t number)
{
    MEM_RESERVE(m->requests, m->request_cap, m->request_count + 1);
    pending *r = &m->requests[m->request_count++];
    *r = (pending){ .number = number, .process = process, .task = NOBODY, .runs = 1, .lapsed_ms = NEVER_MS,
                    .calm_ms = NEVER_MS, .lease_ms = LEASE_NONE };
    return r;
}

void track_request_fill(model *m, pending *r, const event *e)
{
    r->task = e->task;
    r->o = track_owner(m, e->who, e->process);
    r->l = track_lock(m, e->lock);
    r->word = track_word(m, e->op);
    r->lease_ms = e->lease_ms;
    r->permits = e->permits;
}

pending *track_request_add(model *m, const event *e)
{
    pending *r = track_request_stub(m, e->process, e->request);
    track_request_fill(m, r, e);
    return r;
}

bool track_may_grant(const pending *r)
{
    return r->executed && !r->done && !r->announced && !r->given_up && !r->failed && r->o && r->word &&
           (r->word->kind == OP_ACQUIRE || r->word->kind == OP_OTHER);
}

pending *track_announced(const model *m, const event *e, const lock *l)
{
    pending *r = track_request(m, e->process, e->request);
    return r && r->executed && !r->done && (r->l == l || !r->l) ? r : NULL;
}

bool track_has_won(const model *m, const stake *s)
{
    for (size_t i = 0; i < m->request_count; i++) {
        const pending *r = &m->requests[i];
        if (r->o == s->o && r->l == s->l && r->won && !r->announced && !r->given_up)
            return true;
    }
    return false;
}

const task_state *track_task(const event *e, uint32_t process, uint32_t task)
{
    size_t lo = 0, hi = e->task_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const task_state *t = &e->tasks[mid];
        if (t->process < process || (t->process == process && t->task < task))
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < e->task_count && e->tasks[lo].process == process && e->tasks[lo].task == task)
        return &e->tasks[lo];
    return NULL;
}

/* ---- disturbances ---- */

bool track_disturbed(const model *m, uint32_t process)
{
    if (process == NOBODY)
        return false;
    for (size_t i = 0; i < m->request_count; i++)
        if (m->requests[i].lost && m->requests[i].process == process)
            return true;
    return m->processes[process].paused;
}

bool track_too_late(const stake *s, int64_t calm_ms, int64_t timeout_ms)
{
    const kept_view *v = &s->l->now;
    return v->has_ttl && v->deadline_ms < time_after(calm_ms, time_after(s->renew_ms, timeout_ms));
}

/* ---- grants ---- */

bool track_overlap(const lock *a, const lock *b)
{
    return a == b || (a->spec == SPEC_GROUPED && b->spec == SPEC_GROUPED && spec_share_values(a->name, b->name));
}

bool track_rivals(const pending *r, const stake *s)
{
    return (r->o != s->o || s->l->spec == SPEC_SEMAPHORE) && (!r->l || track_overlap(r->l, s->l));
}

/* A request that may still turn out to be a grant, and whose promise could meet one that lasts until `until_ms`. */
static bool may_meet(const pending *r, const stake *s, int64_t until_ms)
{
    return track_may_grant(r) && track_rivals(r, s) && r->executed_ms <= until_ms;
}

bool track_matters(const model *m, const stake *s, const grant *g)
{
    if (!model_reads(m, s->l, FACT_PROMISES))
        return false;
    if (!g->end_seq && g->until_ms >= m->now_ms)
        return true;
    if (!model_reads(m, s->l, FACT_PAST_PROMISES))
        return false;
    for (size_t i = 0; i < m->request_count; i++)
        if (may_meet(&m->requests[i], s, g->until_ms) && (!g->end_seq || m->requests[i].seq < g->end_seq))
            return true;
    return false;
}

bool track_older_request(const model *m, const stake *s, const grant *g)
{
    for (size_t i = 0; i < m->request_count; i++)
        if (may_meet(&m->requests[i], s, g->until_ms) && m->requests[i].seq < g->seq)
            return true;
    return false;
}

/* Is a pop in progress? It may have ended already, which is reported when its sender learns of it. */
bool track_pops(const model *m)
{
    for (size_t i = 0; i < m->request_count; i++)
        if (m->requests[i].pops && !m->requests[i].executed && !m->requests[i].given_up)
            return true;
    return false;
}

static void drop_grant(stake *s, size_t i)
{
    memmove(s->grants + i, s->grants + i + 1, (s->grant_count - i - 1) * sizeof *s->grants);
    s->grant_count--;
}

static void end_grant(model *m, stake *s, grant *g, bool belief_only)
{
    if (g->believed) {
        g->believed = false;
        s->beliefs--;
        s->l->beliefs--;
        m->leftovers++;
    }
    if (belief_only || g->end_seq)
        return;
    g->end_seq = ++m->seq;
    if (g->until_ms > m->now_ms)
        g->until_ms = m->now_ms;
}

/* Ends the newest grant of mode `which` (the newest of all if there is none), or all of that mode. */
void track_end_grants(model *m, stake *s, mode_kind which, bool all, bool belief_only)
{
    bool some = false;
    for (size_t i = s->grant_count; i-- > 0;) {
        grant *g = &s->grants[i];
        if (!g->believed || (which != MODE_UNSAID && g->mode != which))
            continue;
        end_grant(m, s, g, belief_only);
        some = true;
        if (!all)
            return;
    }
    if (!some && !all && which != MODE_UNSAID)
        track_end_grants(m, s, MODE_UNSAID, false, belief_only);
}

/* Splits a grant of which only some permits are returned: the rest, and after it the returned ones. */
static void split_grant(stake *s, size_t i, int64_t permits)
{
    MEM_RESERVE(s->grants, s->grant_cap, s->grant_count + 1);
    memmove(s->grants + i + 1, s->grants + i, (s->grant_count - i) * sizeof *s->grants);
    s->grant_count++;
    s->grants[i].permits -= permits;
    s->grants[i + 1].permits = permits;
    s->beliefs++;
    s->l->beliefs++;
}

void track_end_permits(model *m, stake *s, int64_t permits)
{
    for (size_t i = s->grant_count; i-- > 0 && permits > 0;) {
        if (!s->grants[i].believed)
            continue;
        if (s->grants[i].permits > permits)
            split_grant(s, i++, permits);
        permits -= s->grants[i].permits > 0 ? s->grants[i].permits : 1;
        end_grant(m, s, &s->grants[i], false);
    }
}

static void forget_leftovers(model *m)
{
    if (m->leftovers == 0)
        return;
    m->leftovers = 0;
    for (lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = l->active_count; k-- > 0;) {
            stake *s = l->active[k];
            for (size_t i = s->grant_count; i-- > 0;) {
                if (s->grants[i].believed)
                    continue;
                if (track_matters(m, s, &s->grants[i]))
                    m->leftovers++;
                else
                    drop_grant(s, i);
            }
            track_refresh(s);
        }
}

static bool asks_for_a_hold(const pending *r)
{
    return r->word->kind == OP_ACQUIRE || r->word->kind == OP_OTHER;
}

static bool within_a_hold(const pending *r)
{
    const stake *s = r->l && r->o && asks_for_a_hold(r) ? track_find_stake(r->o, r->l) : NULL;
    return s && s->beliefs > 0;
}

/* The answer came, and the step ended without an announcement. Requests without a lock are not waited for. Neither are
 * re-entrant acquires, nor requests that asked for no hold, once their task has sent something else or waits (a paused
 * one has not read its answer yet): if a grant is announced later, its promise counts from then on. */
static bool passed_over(const model *m, const pending *r, const event *e)
{
    if (!r->l || !r->o || m->now_ms - r->executed_ms > ANNOUNCE_MS_MAX)
        return true;
    const task_state *t = e ? track_task(e, r->process, r->task) : NULL;
    bool waits = t && t->wake != WAKE_COMING;
    if (within_a_hold(r))
        return r->went_on || waits || (e && !t);
    return !asks_for_a_hold(r) && (r->went_on || waits);
}

void track_went_on(model *m, uint32_t process, uint32_t task)
{
    for (size_t i = 0; i < m->request_count; i++) {
        pending *r = &m->requests[i];
        if (r->process != process || r->task != task || !r->answered)
            continue;
        r->went_on = true;
        r->done |= r->executed && within_a_hold(r);            /* what is sent now may end that hold */
    }
}

void track_sweep(model *m, const event *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->request_count; i++) {
        pending *r = &m->requests[i];
        r->done |= r->announced || (r->answered && r->executed && passed_over(m, r, e));
        if (r->runs <= 0 && !r->lost && (r->done || r->given_up))
            continue;
        if (kept != i)
            m->requests[kept] = *r;
        kept++;
    }
    m->request_count = kept;
    forget_leftovers(m);
}

/* ---- the server's account ---- */

static void keep(kept_view *v, const lock_view *from, int64_t at_ms)
{
    if (!v->memory)
        v->memory = arena_new();
    arena_reset(v->memory);
    v->holder_count = from->holder_count;
    v->holders = ARENA_ARRAY(v->memory, lock_holder, from->holder_count + 1);
    for (size_t i = 0; i < from->holder_count; i++)
        v->holders[i] = (lock_holder){ .id = arena_str(v->memory, from->holders[i].id), .count = from->holders[i].count,
                                       .mode = arena_str(v->memory, from->holders[i].mode) };
    v->queue_count = from->queue_count;
    v->queue = ARENA_ARRAY(v->memory, str, from->queue_count + 1);
    for (size_t i = 0; i < from->queue_count; i++)
        v->queue[i] = arena_str(v->memory, from->queue[i]);
    v->lapsed_count = from->lapsed_count;
    v->lapsed = ARENA_ARRAY(v->memory, str, from->lapsed_count + 1);
    for (size_t i = 0; i < from->lapsed_count; i++)
        v->lapsed[i] = arena_str(v->memory, from->lapsed[i]);
    v->permits = from->permits;
    v->has_ttl = from->ttl_ms >= 0;
    v->deadline_ms = v->has_ttl ? time_after(at_ms, from->ttl_ms) : NEVER_MS;
}

/* The key expired. A holder without a lease that could not renew is excused, and so is one that did not yet know of its
 * grant. */
static void excuse(model *m, lock *l, owner *o, int64_t deadline_ms)
{
    stake *s = track_find_stake(o, l);
    bool excused = (s && s->excused) || track_disturbed(m, o->process);
    for (size_t i = 0; s && i < s->grant_count; i++) {
        grant *g = &s->grants[i];
        if (g->lease_ms == LEASE_NONE && excused && g->until_ms > deadline_ms)
            g->until_ms = deadline_ms;
    }
    for (size_t i = 0; i < m->request_count; i++) {
        pending *r = &m->requests[i];
        if (r->o == o && (r->l == l || (!r->l && !r->answered)) && r->executed && !r->announced &&
            r->lapsed_ms == NEVER_MS)
            r->lapsed_ms = deadline_ms;
    }
}

/* Holds that vanished: excuses; and for texts who took them. */
static void note_gone(model *m, lock *l, const kept_view *was)
{
    for (size_t i = 0; i < was->holder_count; i++) {
        owner *o = track_find_owner(m, was->holders[i].id);
        if (!o || view_holder(&l->now, was->holders[i].id, was->holders[i].mode))
            continue;
        stake *s = track_stake(m, o, l);
        s->gone.word = l->cause.word;
        s->gone.by = l->cause.by;
        s->gone.at_ms = m->now_ms;
        s->gone.deadline_ms = was->deadline_ms;
        s->gone.expired = l->cause.expiry;
        s->gone.fault = l->cause.fault;
        s->gone.paused = o->process != NOBODY && m->processes[o->process].paused;
        if (l->cause.expiry)
            excuse(m, l, o, was->has_ttl && was->deadline_ms < m->now_ms ? was->deadline_ms : m->now_ms - 1);
    }
}

/* A process prolonged the key's life: its disturbances no longer matter. */
static void note_prolonged(lock *l)
{
    for (size_t k = 0; k < l->active_count; k++) {
        stake *s = l->active[k];
        if (s->o->process == l->cause.process && view_count(&l->now, s->o->name) > 0)
            s->excused = false;
    }
}

/* A renewal was executed: the leases of its process go on. */
static void note_renewed(model *m, lock *l, int64_t lease_ms)
{
    for (size_t k = 0; k < l->active_count; k++) {
        stake *s = l->active[k];
        if (s->o->process != l->cause.process || view_count(&l->now, s->o->name) == 0)
            continue;
        int64_t until_ms = lease_ms >= 0 ? time_after(m->now_ms, lease_ms - (l->spec == SPEC_SEMAPHORE || l->lapses))
                                         : l->now.deadline_ms;
        for (size_t i = 0; i < s->grant_count; i++) {
            grant *g = &s->grants[i];
            if (g->believed && g->lease_ms != LEASE_NONE && !g->end_seq && g->until_ms < until_ms && l->now.has_ttl)
                g->until_ms = until_ms;
        }
    }
}

void track_view(model *m, lock *l, const event *e)
{
    l->capacity = e->view->capacity;
    l->lapses = e->view->lapsed != NULL;
    if (!l->observed) {    /* the state before is unknown: this is the first one */
        l->observed = true;
        keep(&l->now, e->view, m->now_ms);
        return;
    }
    if (!l->changed) {
        track_dirty(m, l);
        kept_view before = l->now;
        l->now = l->before;
        l->before = before;
        l->changed = true;
    }
    keep(&l->now, e->view, m->now_ms);
    const pending *r = track_request(m, e->process, e->request);
    l->cause.word = track_word(m, e->op);
    l->cause.by = e->who.n ? track_owner(m, e->who, e->process) : r ? r->o : NULL;
    l->cause.process = e->process;
    l->cause.request = e->request;
    l->cause.expiry = str_eq(e->op, S("expiry"));
    l->cause.fault = !l->cause.expiry && e->request == 0;
    monitors_tell(m, &(heard){ .kind = HEAR_VIEW, .l = l });
    note_gone(m, l, &l->before);
    if (l->now.has_ttl && l->now.deadline_ms != l->before.deadline_ms) {
        l->ttl_set.word = l->cause.word;
        l->ttl_set.by = l->cause.by;
        l->ttl_set.at_ms = m->now_ms;
    }
    if (l->now.deadline_ms > l->before.deadline_ms && l->cause.process < m->process_count)
        note_prolonged(l);
    if (l->cause.word->kind == OP_RENEW && l->cause.process < m->process_count)
        note_renewed(m, l, r ? r->lease_ms : LEASE_NONE);
}

/* ---- the whole-structure check ---- */

static size_t check_stake(const stake *s)
{
    size_t beliefs = 0;
    for (size_t i = 0; i < s->grant_count; i++) {
        const grant *g = &s->grants[i];
        assert(g->mode < MODE_UNSAID);
        beliefs += g->believed;
    }
    assert(beliefs == s->beliefs);
    assert(s->waiting || all_zero(s->own_wait, sizeof s->own_wait));
    return beliefs;
}

void memory_check(const model *m)
{
    for (const lock *l = m->locks; l; l = l->hh.next) {
        size_t waiting = 0, beliefs = 0;
        assert((size_t)l->spec < SPEC_COUNT);
        assert(!l->changed && !l->granted);
        for (size_t k = 0; k < l->active_count; k++) {
            const stake *s = l->active[k];
            assert(s->l == l && s->active == k + 1);
            waiting += s->waiting;
            beliefs += check_stake(s);
        }
        assert(waiting == l->waiting && beliefs == l->beliefs);
    }
    for (size_t i = 0; i < m->request_count; i++) {
        const pending *r = &m->requests[i];
        assert(r->number != 0);
        assert(!r->executed || r->word || r->done || r->given_up);
    }
}
