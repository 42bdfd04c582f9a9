/* object.c - OBJECT: what Redis tells of how it keeps a value. locksim keeps values in its own way: where it does not
 * follow the server's it says so, and does not guess. */
#include <string.h>

#include "redis/collection.h"
#include "redis/server.h"

static reply about(const call *c, str why_not)
{
    return store_find(c->st, c->db, c->argv[2]) ? reply_error(why_not) : reply_nil();
}

/* Strings, streams, and the lists of Redis 7.0, which have one encoding. What else a value becomes depends on every
 * size that it ever had. */
static reply cmd_encoding(const call *c)
{
    static const char *const texts[] = { [ENCODING_INT] = "int", [ENCODING_EMBSTR] = "embstr", [ENCODING_RAW] = "raw" };
    const value *v = store_find(c->st, c->db, c->argv[2]);
    if (!v)
        return reply_nil();
    if (value_kind_of(v) == VALUE_STRING && !server_follows(c->server, RULE_EMBEDDED_BY_KEY))
        return reply_bulk(str_from(texts[value_string_encoding(v)]));
    if (value_kind_of(v) == VALUE_STREAM)
        return reply_bulk(S("stream"));
    if (value_kind_of(v) == VALUE_LIST && !server_follows(c->server, RULE_LISTPACK_LISTS))
        return reply_bulk(S("quicklist"));
    return reply_error(S("ERR locksim refuses 'object encoding': it does not follow how this server keeps a value of "
                         "this kind"));
}

static reply cmd_refcount(const call *c)
{
    return about(c, S("ERR locksim refuses 'object refcount': it shares no values"));
}

static reply cmd_idletime(const call *c)
{
    return about(c, S("ERR locksim refuses 'object idletime': it does not note when a key was last used"));
}

static reply cmd_freq(const call *c)
{
    return about(c, S("ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
                      "when switching between policies at runtime LRU and LFU data will take some time to adjust."));
}

const command commands_object[] = {
    { .name = "object", -2, CMD_CONTAINER | CMD_READONLY, 0, 0, 0, NULL },
    { .name = "object|encoding", 3, CMD_READONLY, 2, 2, 1, cmd_encoding },
    { .name = "object|refcount", 3, CMD_READONLY, 2, 2, 1, cmd_refcount },
    { .name = "object|idletime", 3, CMD_READONLY, 2, 2, 1, cmd_idletime },
    { .name = "object|freq", 3, CMD_READONLY, 2, 2, 1, cmd_freq },
    { .name = NULL },
};
