/* notify.c - see notify.h. */
#include "redis/notify.h"

#include "redis/server.h"

/* In the order in which servers write them. The first ten together are "A". */
static const struct { char letter; unsigned flag; } letters[] = {
    { 'g', NOTIFY_GENERIC }, { '$', NOTIFY_STRING }, { 'l', NOTIFY_LIST }, { 's', NOTIFY_SET }, { 'h', NOTIFY_HASH },
    { 'z', NOTIFY_ZSET },
    { 'x', NOTIFY_EXPIRED }, { 'e', NOTIFY_EVICTED }, { 't', NOTIFY_STREAM }, { 'd', NOTIFY_MODULE },
    { 'n', NOTIFY_NEW },
    { 'K', NOTIFY_KEYSPACE }, { 'E', NOTIFY_KEYEVENT },
};
enum { KINDS_OF_ALL = 10, KINDS_AND_NEW = 11 };

static unsigned all_kinds(void)
{
    unsigned all = 0;
    for (size_t i = 0; i < KINDS_OF_ALL; i++)
        all |= letters[i].flag;
    return all;
}

bool notify_parse(str text, unsigned *flags, const char **why)
{
    *flags = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned flag = text.p[i] == 'A' ? all_kinds() : 0;
        for (size_t k = 0; k < COUNT(letters); k++)
            if (text.p[i] == letters[k].letter)
                flag = letters[k].flag;
        if (!flag) {
            *why = text.p[i] == 'm' ? "locksim does not tell of keys that were not found: leave 'm' out."
                                    : "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
            return false;
        }
        *flags |= flag;
    }
    return true;
}

/* Beside "A" servers do not write "n". */
str notify_letters(arena *a, unsigned flags)
{
    char text[COUNT(letters) + 1];
    size_t n = 0;
    bool all = (flags & all_kinds()) == all_kinds();
    if (all)
        text[n++] = 'A';
    for (size_t i = all ? KINDS_AND_NEW : 0; i < COUNT(letters); i++)
        if (flags & letters[i].flag)
            text[n++] = letters[i].letter;
    return arena_str(a, (str){ text, n });
}

void notify_in(redis *r, int db, unsigned kind, const char *event, str key)
{
    if (!(r->events & kind))
        return;
    buf channel = { 0 };
    if (r->events & NOTIFY_KEYSPACE) {
        buf_printf(&channel, "__keyspace@%d__:", db);
        buf_add(&channel, key);                    /* whatever bytes it has */
        pubsub_publish(r, buf_str(&channel), str_from(event));
        buf_clear(&channel);
    }
    if (r->events & NOTIFY_KEYEVENT) {
        buf_printf(&channel, "__keyevent@%d__:%s", db, event);
        pubsub_publish(r, buf_str(&channel), key);
    }
    buf_free(&channel);
}

void notify(const call *c, unsigned kind, const char *event, str key)
{
    notify_in(c->server, c->db, kind, event, key);
}

bool redis_notify_parse(str text, unsigned *flags, const char **why)
{
    return notify_parse(text, flags, why);
}

bool redis_tells_by_itself(const redis *r, str channel)
{
    static const struct { unsigned kind; bool of_fields; const char *name; } events[] = {
        { NOTIFY_EXPIRED, false, "__keyevent@0__:expired" }, { NOTIFY_HASH, true, "__keyevent@0__:hexpired" },
        { NOTIFY_GENERIC, true, "__keyevent@0__:del" },
    };
    bool any = false;
    for (size_t i = 0; i < COUNT(events); i++) {
        if (!(r->events & events[i].kind) || (events[i].of_fields && !store_is_dated(r->st)))
            continue;
        any = true;
        if (r->events & NOTIFY_KEYEVENT && (str_eq(channel, str_from(events[i].name)) ||
                                            glob_match(channel, str_from(events[i].name))))
            return true;
    }
    bool wide = str_starts(channel, S("__keyspace@")) ||
                (str_starts(channel, S("__key")) && str_find(channel, '*', 0) < channel.n);
    return any && r->events & NOTIFY_KEYSPACE && (wide || str_eq(channel, S("*")));
}

bool redis_tells_expiry(const redis *r)
{
    return r->events & (NOTIFY_KEYSPACE | NOTIFY_KEYEVENT) && r->events & NOTIFY_EXPIRED;
}
