/* beliefs.c - LK002 by clients' own logs: a client believes that it holds the lock from the time it learns of the
 * grant until it sends its release, or a renewal that fails. Many clients count their lease themselves (Redlock's
 * validity): a release that is sent after its end does not show that its sender relied on the lock until then, so the
 * belief ends with the lease, counted from the request. A renewal shows that it still did. Only intervals with both
 * ends known are compared: a belief that may have ended is never reported. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "trace/internal.h"

void beliefs_granted(tracer *t, party *p)
{
    p->believes_us = t->q.answered_us != RECORD_UNKNOWN && t->q.sent_us != RECORD_UNKNOWN ? t->q.answered_us : 0;
    beliefs_renewed(t, p);
}

void beliefs_renewed(tracer *t, party *p)
{
    p->relies_us = p->lease_ms != LEASE_NONE && t->q.sent_us != RECORD_UNKNOWN ? t->q.sent_us + p->lease_ms * 1000
                   : NEVER_US;
}

static str copy(str s)
{
    char *p = mem_alloc(s.n + 1);
    memcpy(p, s.p, s.n);
    return (str){ .p = p, .n = s.n };
}

static const char *ending_of(const belief *b)
{
    if (b->lapsed)
        return "its lease, counted from its request, ended";
    return b->deed == DEED_RENEW ? "sent its renewal, which failed," : "sent its release";
}

/* "A was told of its grant at 0.010 s and sent its release at 0.090 s" */
static str told_text(tracer *t, const belief *b)
{
    return arena_printf(t->scratch, "%.*s was told of its grant at %.*s and %s at %.*s", STR_ARG(b->who),
                        STR_ARG(tracer_time(t, b->from_us)), ending_of(b), STR_ARG(tracer_time(t, b->to_us)));
}

static void tell_overlap(tracer *t, const traced *l, const belief *b, const belief *now)
{
    int64_t from_us = now->from_us > b->from_us ? now->from_us : b->from_us;
    int64_t to_us = now->to_us < b->to_us ? now->to_us : b->to_us;
    find(t, (finding){ .kind = FOUND_VIOLATION, .property = PROPERTY_STRICT_MUTUAL_EXCLUSION, .lock = l->name,
                       .db = l->db, .at_us = from_us, .line = t->q.line, .since = b->line,
                       .text = arena_printf(t->scratch, "%.*s and %.*s both believed that they hold \"%.*s\" from %.*s "
                                            "to %.*s.", STR_ARG(b->who), STR_ARG(now->who), STR_ARG(l->name),
                                            STR_ARG(tracer_time(t, from_us)), STR_ARG(tracer_time(t, to_us))),
                       .why = arena_printf(t->scratch, "%.*s; %.*s.", STR_ARG(told_text(t, b)),
                                           STR_ARG(told_text(t, now))) });
}

void beliefs_asked(tracer *t, traced *l, party *p, deed_kind deed)
{
    belief now = { .who = p->who, .deed = deed, .from_us = p->believes_us, .to_us = t->q.sent_us,
                   .line = p->granted_line };
    bool ends = deed == DEED_RELEASE || deed == DEED_RENEW;
    now.lapsed = deed == DEED_RELEASE && now.to_us > p->relies_us;
    now.to_us = now.lapsed ? p->relies_us : now.to_us;
    p->believes_us = 0;
    if (!now.from_us || now.to_us == RECORD_UNKNOWN || !ends)
        return;
    if (!l->beliefs)
        l->beliefs = mem_zero(BELIEFS_MAX * sizeof *l->beliefs);
    t->counts.beliefs++;
    for (size_t i = 0; i < BELIEFS_MAX && i < l->belief_count; i++) {
        const belief *b = &l->beliefs[i];
        if (!str_eq(b->who, now.who) && now.from_us < b->to_us && b->from_us < now.to_us)
            tell_overlap(t, l, b, &now);
    }
    belief *kept = &l->beliefs[l->belief_count++ % BELIEFS_MAX];
    mem_free((void *)(uintptr_t)kept->who.p);
    now.who = copy(p->who);
    *kept = now;
}

void beliefs_free(traced *l)
{
    for (size_t i = 0; l->beliefs && i < BELIEFS_MAX; i++)
        mem_free((void *)(uintptr_t)l->beliefs[i].who.p);
    mem_free(l->beliefs);
}
