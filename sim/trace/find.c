/* find.c - passes findings on, and occurrences for statistics. */
#include <inttypes.h>

#include "trace/internal.h"

const char *found_name(found_kind k)
{
    static const char *const names[FOUND_KINDS] = {
        [FOUND_VIOLATION] = "violation", [FOUND_OVERRUN] = "overrun", [FOUND_ORPHAN] = "orphan",
        [FOUND_STORM] = "storm", [FOUND_STRANGE] = "strange_request",
        [FOUND_DIFFERENCE] = "difference", [FOUND_UNKNOWN_SCRIPT] = "unknown_script", [FOUND_DISORDER] = "disorder",
    };
    return names[k];
}

str tracer_time(tracer *t, int64_t at_us)
{
    int64_t ms = (at_us - t->counts.begin_us) / 1000;
    return arena_printf(t->scratch, "%" PRId64 ".%03d s", ms / 1000, (int)(ms % 1000));
}

void find(tracer *t, finding f)
{
    t->o.found(t->o.context, &f);
}

void tell(tracer *t, told what, const traced *l, const party *p)
{
    if (!t->o.told)
        return;
    what.at_us = t->last_us;
    what.line = t->clock ? 0 : t->q.line;
    what.lock = l ? l->number : UINT32_MAX;
    if (l) {
        what.name = l->name;
        what.db = l->db;
    }
    if (p) {
        what.who = p->who;
        what.seen_us = p->seen_us;
        what.client = p->client;
        what.task = (uint32_t)party_number(l, p);
    }
    t->o.told(t->o.context, &what);
}
