/* mishaps.c - clients that crash and come back, and clients that stand still for a while, at random. */
#include "simulate/internal.h"

static void next(simulation *s, happening_kind kind, stream from, double per_s)
{
    if (per_s > 0)
        simulation_post(s, kind, s->now_us + draw_exponential_us(&s->random[from], 1000 / per_s), NONE, 0);
}

static uint32_t somebody(simulation *s, stream from)
{
    return (uint32_t)rng_below(&s->random[from], s->client_count);
}

void mishaps_open(simulation *s)
{
    next(s, HAPPENS_CRASH, STREAM_CRASHES, s->w.crash_per_s);
    next(s, HAPPENS_PAUSE, STREAM_PAUSES, s->w.pause_per_s);
}

void mishap_crash(simulation *s)
{
    uint32_t c = somebody(s, STREAM_CRASHES);
    next(s, HAPPENS_CRASH, STREAM_CRASHES, s->w.crash_per_s);
    client *me = &s->clients[c];
    if (!me->p)
        return;            /* it has crashed already */
    announced_ends(s, c);
    simulation_tell(s, (occurrence){ .kind = OCCURS_CRASHED, .client = c, .lock = OCCURS_NOBODY });
    traffic_abandon(s, c);
    process_free(me->p);
    me->p = NULL;
    me->life++;
    me->resume_us = 0;
    demands_gone(s, c);
    if (s->w.back_ms.kind != DRAW_NOTHING)
        simulation_post(s, HAPPENS_RESTART, s->now_us + draw_us(&s->random[STREAM_RESTARTS], &s->w.back_ms), c, 0);
}

bool mishap_restart(simulation *s, uint32_t c)
{
    simulation_tell(s, (occurrence){ .kind = OCCURS_RESTARTED, .client = c, .lock = OCCURS_NOBODY });
    return client_make(s, c) && demands_back(s, c);
}

void mishap_pause(simulation *s)
{
    uint32_t c = somebody(s, STREAM_PAUSES);
    int64_t length_us = draw_us(&s->random[STREAM_PAUSES], &s->w.pause_ms);
    next(s, HAPPENS_PAUSE, STREAM_PAUSES, s->w.pause_per_s);
    client *me = &s->clients[c];
    if (!me->p || me->resume_us > s->now_us || length_us == 0)
        return;
    me->resume_us = s->now_us + length_us;
    simulation_tell(s, (occurrence){ .kind = OCCURS_PAUSED, .client = c, .lock = OCCURS_NOBODY });
    simulation_post(s, HAPPENS_RESUME, me->resume_us, c, 0);
}

void mishap_resume(simulation *s, uint32_t c)
{
    s->clients[c].resume_us = 0;
    simulation_tell(s, (occurrence){ .kind = OCCURS_RESUMED, .client = c, .lock = OCCURS_NOBODY });
}
