/* object.c - OBJECT: how Redis stores a value. locksim stores values in its own way: where it does not follow the
 * server's way it says so, and does not guess. */
#include <string.h>

#include "redis/collection.h"
#include "redis/server.h"

static reply about(const call *c, str why_not)
{
    return store_find(c->st, c->db, c->argv[2]) ? reply_error(why_not) : reply_nil();
}

static const char *collection_encoding(const value *v)
{
    static const char *const names[][UNPACKED + 1] = {
        [VALUE_LIST] = { "", "listpack", "listpack", "quicklist" },
        [VALUE_HASH] = { "", "listpack", "listpackex", "hashtable" },
        [VALUE_SET] = { "", "intset", "listpack", "hashtable" },
        [VALUE_ZSET] = { "", "listpack", "listpack", "skiplist" },
    };
    return value_kind_of(v) == VALUE_STREAM ? "stream" : names[value_kind_of(v)][value_packing(v)];
}

/* The maximum size of a key and its text together in one block, if the key never had a deadline: a deadline takes 8
 * bytes more, and that room stays after it is removed. A key of 32 bytes or more takes some more, too. Measured on the
 * real servers; other versions are unknown. */
static const struct { lineage lineage; int version; size_t bytes, long_key; } blocks[] = {
    { LINEAGE_VALKEY, 801, 41, 0 }, { LINEAGE_VALKEY, 901, 113, 2 },
};

static reply embedded_by_key(const call *c, const value *v)
{
    enum { LONG_KEY = 32, DEADLINE = 8 };
    const dialect d = c->server->dialect;
    text_encoding plain = value_string_encoding(v);
    size_t bytes = c->argv[2].n + value_count(v);
    bool known = c->server->limits.packings || !server_follows(c->server, RULE_SCRIPTS_SET_TEXTS);
    if (plain == ENCODING_INT && known)
        return reply_bulk(S("int"));
    for (size_t i = 0; i < COUNT(blocks); i++) {
        size_t most = blocks[i].bytes - (c->argv[2].n < LONG_KEY ? 0 : blocks[i].long_key);
        if (blocks[i].lineage != d.lineage || blocks[i].version != d.version ||
            plain == ENCODING_INT)
            continue;
        if (bytes > most || value_string_form(v) == TEXT_GROWN)
            return reply_bulk(S("raw"));
        if (bytes + DEADLINE <= most)
            return reply_bulk(S("embstr"));
    }
    return reply_error(S("ERR locksim refuses 'object encoding': it does not follow how this server keeps such a "
                         "string"));
}

static reply cmd_encoding(const call *c)
{
    static const char *const texts[] = { [ENCODING_INT] = "int", [ENCODING_EMBSTR] = "embstr", [ENCODING_RAW] = "raw" };
    const value *v = store_find(c->st, c->db, c->argv[2]);
    if (!v)
        return reply_nil();
    if (value_kind_of(v) != VALUE_STRING) {
        bool told = c->server->limits.packings || value_kind_of(v) == VALUE_STREAM ||
                    (value_kind_of(v) == VALUE_LIST && value_packing(v) == UNPACKED);
        return told ? reply_bulk(str_from(collection_encoding(v)))
                    : reply_error(S("ERR locksim refuses 'object encoding': only `locksim serve` and `locksim shell` "
                                    "follow how a collection grew"));
    }
    if (!server_follows(c->server, RULE_EMBEDDED_BY_KEY))
        return reply_bulk(str_from(texts[value_string_encoding(v)]));
    return embedded_by_key(c, v);
}

/* A server has one copy of each small number, which counts as shared by all; where a value lies in one block with
 * its key, each has its own. */
static reply cmd_refcount(const call *c)
{
    enum { SHARED = 10000 };
    const value *v = store_find(c->st, c->db, c->argv[2]);
    int64_t n;
    if (!v)
        return reply_nil();
    if (!c->server->limits.packings)
        return reply_error(S("ERR locksim refuses 'object refcount': only `locksim serve` and `locksim shell` follow "
                             "how a server keeps a string"));
    bool shares = !server_follows(c->server, RULE_EMBEDDED_BY_KEY) && value_kind_of(v) == VALUE_STRING &&
                  value_string_encoding(v) == ENCODING_INT && parse_int(value_string(v), &n) && n >= 0 && n < SHARED;
    return reply_integer(shares ? INT32_MAX : 1);
}

/* In whole seconds. */
static reply cmd_idletime(const call *c)
{
    if (c->server->hosted && store_find(c->st, c->db, c->argv[2]))
        return reply_integer((store_now_ms(c->st) - store_used_ms(c->st, c->db, c->argv[2])) / 1000);
    return about(c, S("ERR locksim refuses 'object idletime': only `locksim serve` notes when a key was last used"));
}

static reply cmd_freq(const call *c)
{
    return about(c, S("ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
                      "when switching between policies at runtime LRU and LFU data will take some time to adjust."));
}

const command commands_object[] = {
    { .name = "object", -2, CMD_CONTAINER | CMD_READONLY, 0, 0, 0, NULL },
    { .name = "object|encoding", 3, CMD_READONLY | CMD_QUIET, 2, 2, 1, cmd_encoding },
    { .name = "object|refcount", 3, CMD_READONLY | CMD_QUIET, 2, 2, 1, cmd_refcount },
    { .name = "object|idletime", 3, CMD_READONLY | CMD_QUIET, 2, 2, 1, cmd_idletime },
    { .name = "object|freq", 3, CMD_READONLY | CMD_QUIET, 2, 2, 1, cmd_freq },
    { .name = NULL },
};
