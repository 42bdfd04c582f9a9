/* drift.c - a client's clock that is too fast or too slow: it gains or loses one millisecond per interval, counted from
 * the birth of its process. So for a process born at the beginning of the run, the time determines what its clock
 * shows. */
#include <stdlib.h>

#include "base/lua_tokens.h"
#include "client/process_internal.h"
#include "scenario/source.h"

static int64_t drift_of(const process *p)
{
    return p->scenario ? p->scenario->clients[p->number].drift : 0;
}

int64_t drift_steady_ms(const process *p, int64_t now_ms)
{
    int64_t drift = drift_of(p);
    return drift ? (now_ms - p->born_ms) / drift : 0;
}

int64_t drift_skew_ms(const process *p, int64_t now_ms)
{
    return p->skew_ms + drift_steady_ms(p, now_ms);
}

int64_t drift_tick_ms(const process *p, int64_t now_ms)
{
    int64_t every_ms = llabs(drift_of(p));
    return every_ms ? every_ms - (now_ms - p->born_ms) % every_ms : INT64_MAX;
}

int64_t drift_timer_ms(const process *p, int64_t ms)
{
    int64_t drift = drift_of(p), every_ms = llabs(drift);
    if (!drift || ms <= 0 || ms > INT64_MAX / (2 * every_ms))
        return ms;
    int64_t shown_ms = every_ms + (drift > 0 ? 1 : -1);        /* by that clock, in every_ms */
    return (ms * every_ms + shown_ms - 1) / shown_ms;
}

bool drift_is_read(const process *p, str name)
{
    const source *s;
    for (uint32_t i = 0; (s = source_numbered(p->sources, i)) != NULL; i++)
        for (size_t t = 0; t < s->token_count; t++)
            if (s->tokens[t].kind == TOKEN_NAME && str_eq(s->tokens[t].text, name))
                return true;
    return false;
}
