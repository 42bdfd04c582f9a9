/* lock_name.c - identifies a lock: by its servers and its name. One name on two independent servers is two locks,
 * unless a driver makes them one, by a handle for all of them: me:on(1, 2, 3). */
#include "base/mem.h"
#include "client/process_internal.h"

static uint32_t servers_of(const object *me)
{
    return me->servers ? me->servers : UINT32_C(1) << me->server;
}

static str with_servers(const process *p, uint32_t servers, str name, arena *a)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << p->scenario->servers) - 1);
    if (servers == all)
        return name;
    buf b = { 0 };
    buf_add(&b, name);
    buf_addz(&b, servers & (servers - 1) ? " on servers" : " on server");
    const char *between = " ";
    for (uint32_t s = 0; s < p->scenario->servers; s++)
        if (servers >> s & 1) {
            buf_printf(&b, "%s%u", between, s + 1);
            between = ", ";
        }
    str full = arena_str(a, buf_str(&b));
    buf_free(&b);
    return full;
}

/* The only lock of that name that the process has registered, at any server; or nothing. */
static str registered(const process *p, str name)
{
    str found = { 0 };
    for (size_t i = 0; i < p->observed_count; i++) {
        const observed *o = &p->observed[i];
        if (!str_eq(str_slice(o->lock, 0, o->name_bytes), name))
            continue;
        if (found.n)
            return (str){ 0 };
        found = o->lock;
    }
    return found;
}

str lock_exact_name(const process *p, const object *me, str name, arena *a)
{
    return p->scenario && p->scenario->servers > 1 && name.n ? with_servers(p, servers_of(me), name, a) : name;
}

str lock_full_name(const process *p, const object *me, str name, arena *a)
{
    str full = lock_exact_name(p, me, name, a);
    if (full.n == name.n && (!p->scenario || p->scenario->servers <= 1))
        return full;
    for (size_t i = 0; i < p->observed_count; i++)
        if (str_eq(p->observed[i].lock, full))
            return full;
    str only = registered(p, name);
    return only.n ? arena_str(a, only) : full;
}
