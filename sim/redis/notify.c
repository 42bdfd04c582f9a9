/* notify.c - see notify.h. */
#include "redis/notify.h"

#include "redis/server.h"

/* In the order in which servers write them. The first ten together are "A". */
static const struct { char letter; unsigned flag; } letters[] = {
    { 'g', NOTIFY_GENERIC }, { '$', NOTIFY_STRING }, { 'l', NOTIFY_LIST }, { 's', NOTIFY_SET }, { 'h', NOTIFY_HASH }, { 'z', NOTIFY_ZSET },
    { 'x', NOTIFY_EXPIRED }, { 'e', NOTIFY_EVICTED }, { 't', NOTIFY_STREAM }, { 'd', NOTIFY_MODULE }, { 'n', NOTIFY_NEW },
    { 'K', NOTIFY_KEYSPACE }, { 'E', NOTIFY_KEYEVENT }, { 'm', NOTIFY_MISS },
};
enum { KINDS_OF_ALL = 10, KINDS_AND_NEW = 11 };

static unsigned all_kinds(void)
{
    unsigned all = 0;
    for (size_t i = 0; i < KINDS_OF_ALL; i++)
        all |= letters[i].flag;
    return all;
}

bool notify_parse(str text, unsigned *flags)
{
    *flags = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned flag = text.p[i] == 'A' ? all_kinds() : 0;
        for (size_t k = 0; k < COUNT(letters); k++)
            if (text.p[i] == letters[k].letter)
                flag = letters[k].flag;
        if (!flag)
            return false;
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
    arena *a = arena_new();
    if (r->events & NOTIFY_KEYSPACE)
        pubsub_publish(r, arena_printf(a, "__keyspace@%d__:%.*s", db, STR_ARG(key)), str_from(event));
    if (r->events & NOTIFY_KEYEVENT)
        pubsub_publish(r, arena_printf(a, "__keyevent@%d__:%s", db, event), key);
    arena_free(a);
}

void notify(const call *c, unsigned kind, const char *event, str key)
{
    notify_in(c->server, c->db, kind, event, key);
}

bool redis_notify(redis *r, str text)
{
    unsigned flags;
    if (!notify_parse(text, &flags))
        return false;
    r->events = flags;
    return true;
}
