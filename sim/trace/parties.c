/* parties.c - the owners that use a lock now. An owner's index in the list is its number for statistics, and is reused
 * after it is forgotten. */
#include <string.h>

#include "base/mem.h"
#include "trace/internal.h"

/* A waiter that is silent for WAIT_US_MAX has gone; one that lost its lease, or its hold, is remembered for
 * LAPSE_US_MAX. */
static const int64_t WAIT_US_MAX = INT64_C(60) * 1000000, LAPSE_US_MAX = INT64_C(600) * 1000000;

static str copy(str s)
{
    char *p = mem_alloc(s.n + 1);
    memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (str){ .p = p, .n = s.n };
}

party *party_find(traced *l, str who)
{
    for (size_t i = 0; i < l->party_count; i++)
        if (l->parties[i].who.p && str_eq(l->parties[i].who, who))
            return &l->parties[i];
    return NULL;
}

size_t party_number(const traced *l, const party *p)
{
    return (size_t)(p - l->parties);
}

void party_drop(party *p)
{
    if (!p->who.p || p->waiting || p->holding || p->lapsed || p->believes_us)
        return;
    mem_free((void *)(uintptr_t)p->who.p);
    mem_free((void *)(uintptr_t)p->rival.p);
    *p = (party){ 0 };
}

/* The waiter that has been silent longest makes room. */
static party *make_room(tracer *t, traced *l)
{
    party *oldest = NULL;
    for (size_t i = 0; i < l->party_count; i++) {
        party *p = &l->parties[i];
        if (!p->holding && (!oldest || p->seen_us < oldest->seen_us))
            oldest = p;
    }
    if (!oldest)
        return NULL;
    if (oldest->waiting)
        tell(t, (told){ .kind = TOLD_GAVE_UP }, l, oldest);
    oldest->waiting = oldest->lapsed = false;
    oldest->believes_us = 0;
    party_drop(oldest);
    return oldest;
}

party *party_get(tracer *t, traced *l, str who, uint32_t client)
{
    party *p = party_find(l, who);
    if (p)
        return p;
    for (size_t i = 0; i < l->party_count && !p; i++)
        if (!l->parties[i].who.p)
            p = &l->parties[i];
    if (!p && l->party_count >= PARTIES_MAX)
        p = make_room(t, l);
    if (!p) {
        MEM_RESERVE(l->parties, l->party_cap, l->party_count + 1);
        p = &l->parties[l->party_count++];
    }
    *p = (party){ .who = copy(who), .client = client, .lease_ms = LEASE_NONE };
    return p;
}

void party_forget_old(tracer *t, traced *l, int64_t now_us)
{
    for (size_t i = 0; i < l->party_count; i++) {
        party *p = &l->parties[i];
        if (!p->who.p)
            continue;
        if (p->waiting && now_us - p->seen_us > WAIT_US_MAX) {
            tell(t, (told){ .kind = TOLD_GAVE_UP }, l, p);
            p->waiting = false;
        }
        if (p->lapsed && now_us - p->lapsed_us > LAPSE_US_MAX)
            p->lapsed = false;
        if (p->believes_us && !p->holding && !p->lapsed && now_us - p->seen_us > LAPSE_US_MAX)
            p->believes_us = 0;
        party_drop(p);
    }
    while (l->party_count > 0 && !l->parties[l->party_count - 1].who.p)
        l->party_count--;
}
