/* announced.c - the announcements of drivers: a client wants a lock, was refused, holds it, released it, or learned
 * that it was lost. */
#include "base/mem.h"
#include "model/monitor.h"

stake *event_stake(model *m, const event *e)
{
    owner *o = track_owner(m, e->who, e->process);
    lock *l = track_lock(m, e->lock);
    return o && l ? track_stake(m, o, l) : NULL;
}

void hear_wants(model *m, stake *s, const event *e)
{
    if (!s->waiting || e->mode.n)      /* a refusal rarely repeats what is waited for */
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

/* Stores the announced answer with the request `r`, if the announcement names one. */
static void told(model *m, stake *s, pending *r, told_kind told, int64_t count)
{
    if (!r)
        return;
    monitors_tell(m, &(heard){ .kind = HEAR_TOLD, .s = s, .r = r, .told = told, .count = count });
    r->announced = true;
}

void hear_refused(model *m, stake *s, const event *e)
{
    pending *r = track_announced(m, e, s->l);
    hear_wants(m, s, e);
    monitors_tell(m, &(heard){ .kind = HEAR_REFUSED, .s = s, .r = r });
    told(m, s, r, TOLD_REFUSED, 0);
}

/* An owner that does not say how often it renews does so after a third of the TTL, as usual watchdogs do. */
static int64_t third_of_life(const lock *l, const pending *r)
{
    int64_t ttl_ms = r && r->lease_ms >= 0 ? r->lease_ms : r && l->now.has_ttl
                     ? l->now.deadline_ms - r->executed_ms : 0;
    return ttl_ms > 0 ? ttl_ms / 3 : 0;
}

void hear_granted(model *m, stake *s, const event *e)
{
    lock *l = s->l;
    l->grants += e->count <= 1 || l->spec == SPEC_SEMAPHORE;
    pending *named = track_announced(m, e, l), *r = named && track_may_grant(named) ? named : NULL;
    grant g = {
        .lease_ms = e->lease_ms, .executed_ms = r ? r->executed_ms : m->now_ms, .seq = r ? r->seq : ++m->seq,
        .until_ms = NEVER_MS, .mode = mode_parse(e->mode), .permits = e->count, .believed = true,
        .waited = r && r->waited, .met_pop = track_pops(m), .end_seq = r && r->freed ? r->seq : 0,
    };
    if (g.lease_ms != LEASE_NONE)
        /* Permits and values end with their lease; a key lives through its last millisecond. */
        g.until_ms = time_after(g.executed_ms, g.lease_ms - (l->spec == SPEC_SEMAPHORE || l->spec == SPEC_GROUPED ||
                                                             l->lapses));
    else if (r && r->lapsed_ms != NEVER_MS)
        g.until_ms = r->lapsed_ms;
    monitors_tell(m, &(heard){ .kind = HEAR_GRANTED, .s = s, .g = &g, .r = r, .e = e });
    told(m, s, named, TOLD_GRANTED, e->untold ? 0 : e->count);
    track_wait(s, false);
    if (l->spec == SPEC_LATCH) {       /* passing a latch holds nothing */
        track_refresh(s);
        return;
    }
    if (l->spec == SPEC_IDEMPOTENT)    /* replaces the grant before: one release ends both */
        track_end_grants(m, s, MODE_UNSAID, true, false);
    MEM_RESERVE(s->grants, s->grant_cap, s->grant_count + 1);
    s->grants[s->grant_count++] = g;
    s->beliefs++;
    l->beliefs++;
    if (g.lease_ms == LEASE_NONE)
        s->renew_ms = e->renew_ms > 0 ? e->renew_ms : third_of_life(l, r);
    s->excused = r && r->calm_ms != NEVER_MS && track_too_late(s, r->calm_ms, m->config.timeout_ms);
    track_dirty(m, l);
    l->granted = s->granted = true;
    /* No request about this lock announced it, or one that is no acquire did so just now: the server's account
     * decides. */
    s->unproven = !r || !r->l || (r->word->kind != OP_ACQUIRE && r->executed_ms == m->now_ms);
    track_refresh(s);
}

void hear_lost(model *m, stake *s, const event *e)
{
    told(m, s, track_announced(m, e, s->l), TOLD_LOST, 0);
    track_end_grants(m, s, e->mode.n ? mode_parse(e->mode) : MODE_UNSAID, true, false);
    track_refresh(s);
}

void hear_released(model *m, stake *s, const event *e)
{
    if (e->request == 0) {
        track_end_grants(m, s, e->mode.n ? mode_parse(e->mode) : MODE_UNSAID, e->count == 0, false);
        track_refresh(s);
        return;
    }
    told(m, s, track_announced(m, e, s->l), e->untold ? TOLD_ANYTHING : TOLD_RELEASED,
         e->own_count ? 0 : e->count);
}
