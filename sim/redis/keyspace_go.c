/* keyspace_go.c - keys that a server removes by itself: expired ones, when the world or time says so, and evicted
 * ones. */
#include <assert.h>

#include "redis/notify.h"
#include "redis/server.h"

typedef struct {
    redis *r;
    void (*fn)(void *context, str key);
    void *context;
} expired_teller;

static void tell_expired(void *context, str key, const value *v, int64_t deadline_ms)
{
    const expired_teller *t = context;
    int64_t now_ms = store_now_ms(t->r->st);
    bool gone = deadline_ms != STORE_NO_DEADLINE && deadline_ms < now_ms, fields = false;
    for (const hash_field *f = NULL; !gone && value_kind_of(v) == VALUE_HASH && hash_dated(v) &&
         (f = hash_next(v, f));) {
        int64_t at_ms = hash_field_deadline_ms(f);
        fields |= at_ms != FIELD_NO_DEADLINE && at_ms < now_ms;
    }
    bool comes_back = gone && now_ms - deadline_ms <= t->r->limits.back_ms;
    if (fields || comes_back || (gone && redis_tells_expiry(t->r)))
        t->fn(t->context, key);
}

void redis_each_expired(redis *r, int64_t now_ms, void (*fn)(void *context, str key), void *context)
{
    expired_teller t = { r, fn, context };
    store_set_now(r->st, now_ms);
    if (redis_tells_expiry(r) || r->limits.back_ms > 0 || store_is_dated(r->st))
        store_each_even_expired(r->st, 0, tell_expired, &t);
}

bool redis_expire(redis *r, int64_t now_ms, str key)
{
    server_acts(r, now_ms);
    bool removed = store_expire(r->st, 0, key);
    server_acted(r);
    return removed;
}

void redis_only_look(redis *r, bool yes)
{
    r->only_looked_at = yes;
    store_only_look(r->st, yes);
}

bool redis_evict(redis *r, int64_t now_ms, str key)
{
    server_acts(r, now_ms);
    bool was = store_del(r->st, 0, key);
    if (was)
        notify_in(r, 0, NOTIFY_EVICTED, "evicted", key);
    server_acted(r);
    return was;
}

bool redis_reap(redis *r, int64_t now_ms, size_t keys_max, size_t *gone)
{
    assert(!r->running);
    *gone = 0;
    if (r->expires_lazily || redis_paused_until_ms(r, now_ms) != INT64_MIN)
        return false;
    server_acts(r, now_ms);
    bool more = store_reap(r->st, keys_max, gone);
    server_acted(r);
    return more;
}
