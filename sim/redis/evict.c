/* evict.c - CONFIG SET maxmemory-policy: keys that go where memory is short, before a command runs. The real server
 * looks at a few keys and takes the best of them; here it is the best of all, and what is drawn comes from the
 * server's seed. */
#include <string.h>

#include "redis/notify.h"
#include "redis/server.h"

static bool starts(const char *policy, const char *prefix) { return str_starts(str_from(policy), str_from(prefix)); }

/* One key goes; false: there is none that may. */
static bool evict_one(redis *r, const char *policy)
{
    store_choice how = { .dated_only = starts(policy, "volatile-") };
    size_t among = 0;
    for (int db = 0; db < STORE_DBS; db++)
        among += how.dated_only ? store_volatile(r->st, db) : store_size(r->st, db);
    if (!among)
        return false;
    how.by = str_ends(str_from(policy), S("-ttl")) ? STORE_NEXT_TO_EXPIRE
             : str_ends(str_from(policy), S("-random")) ? STORE_NTH : STORE_LONGEST_IDLE;
    how.nth = how.by == STORE_NTH ? (size_t)server_random_below(r, among) : 0;
    int db;
    arena *a = arena_new();
    str key = arena_str(a, store_choose(r->st, how, &db));
    if (store_del(r->st, db, key))
        notify_in(r, db, NOTIFY_EVICTED, "evicted", key);
    stats_evicted(r);
    arena_free(a);
    return true;
}

void evict(redis *r)
{
    const char *policy = r->hosted && r->maxmemory ? settings_value(r, "maxmemory-policy") : NULL;
    if (!policy || strcmp(policy, "noeviction") == 0)
        return;
    while (server_lacks_memory(r) && evict_one(r, policy))
        ;
}
