/* object.c - OBJECT: what Redis tells of how it keeps a value. locksim keeps values in its own way: it says so, and
 * does not guess. */
#include <string.h>

#include "redis/collection.h"

static reply about(const call *c, str why_not)
{
    return store_find(c->st, c->db, c->argv[2]) ? reply_error(why_not) : reply_nil();
}

static reply cmd_encoding(const call *c)
{
    return about(c, S("ERR locksim refuses 'object encoding': it keeps values in its own way, and no script can see "
                      "the difference"));
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
