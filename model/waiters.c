/* waiters.c - the waiters of a lock, and what the server's account has for them. */
#include <inttypes.h>

#include "model/waiters.h"

void model_each_waiting(const model *m, void (*fn)(void *context, str who, str lock, int64_t since_ms), void *context)
{
    for (const lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = 0; l->waiting && k < l->active_count; k++)
            if (l->active[k]->waiting)
                fn(context, l->active[k]->o->name, l->name, l->active[k]->wait_ms);
}

str model_account(const model *m, arena *a, str name)
{
    lock *l;
    HASH_FIND(hh, m->locks, name.p, name.n, l);
    if (!l || !l->observed)
        return S("");
    if (l->spec == SPEC_SEMAPHORE)
        return arena_printf(a, "By the server's account %" PRId64 " of its permits are free.", l->now.permits);
    if (l->now.holder_count == 0)
        return S("By the server's account it is free.");
    return arena_printf(a, "By the server's account %.*s holds it%s.", STR_ARG(l->now.holders[0].id),
                        l->now.has_ttl ? "" : ", without a TTL");
}

uint64_t model_grants(const model *m, str name)
{
    lock *l;
    HASH_FIND(hh, m->locks, name.p, name.n, l);
    return l ? l->grants : 0;
}

bool waiter_could_have(const model *m, const stake *s)
{
    const lock *l = s->l;
    return l->spec == SPEC_SEMAPHORE ? l->now.permits >= s->wait_permits : view_free(&l->now, m->now_ms);
}

const stake *waiter_first(const model *m, const lock *l, bool served)
{
    const stake *first = NULL;
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (s->waiting && (!served || waiter_could_have(m, s)) && (!first || s->wait_ms < first->wait_ms ||
                           (s->wait_ms == first->wait_ms && str_cmp(s->o->name, first->o->name) < 0)))
            first = s;
    }
    return first;
}
