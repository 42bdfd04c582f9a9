/* memory.c - MEMORY, where clients reach the server from outside: how much a key takes is about what locksim counts for
 * it (INFO memory has the sum), not what a real server's allocator would give it. */
#include "redis/collection.h"
#include "redis/server.h"

/* MEMORY USAGE key [SAMPLES n] */
static reply cmd_usage(const call *c)
{
    enum { KEY_BYTES = 48 };                       /* beside its name */
    for (size_t i = 3; i < c->argc; i++) {
        int64_t n;
        if (!arg_is(c, i, S("samples")) || i + 1 == c->argc)
            return reply_syntax();
        if (!parse_int(c->argv[++i], &n))
            return reply_not_integer();
        if (n < 0)
            return reply_syntax();
    }
    const value *v = store_find(c->st, c->db, c->argv[2]);
    return v ? reply_integer((int64_t)(value_bytes(v) + c->argv[2].n + KEY_BYTES)) : reply_nil();
}

static reply cmd_doctor(const call *c)
{
    (void)c;
    return (reply){ .kind = REPLY_VERBATIM, .format = S("txt"),
                    .text = S("locksim keeps everything in its own memory: there is nothing to find out here.\n") };
}

static reply cmd_purge(const call *c)
{
    (void)c;
    return reply_ok();
}

static reply cmd_malloc_stats(const call *c)
{
    (void)c;
    return reply_bulk(S("Stats not supported for the current allocator"));
}

static reply cmd_stats(const call *c)
{
    size_t keys = 0, bytes = store_bytes(c->st);
    for (int db = 0; db < STORE_DBS; db++)
        keys += store_size(c->st, db);
    const struct { const char *name; size_t n; } rows[] = {
        { "peak.allocated", bytes + SERVER_BYTES }, { "total.allocated", bytes + SERVER_BYTES },
        { "startup.allocated", SERVER_BYTES }, { "keys.count", keys },
        { "keys.bytes-per-key", keys ? bytes / keys : 0 }, { "dataset.bytes", bytes },
    };
    reply all = reply_items(c->out, REPLY_MAP, 2 * COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        all.items[2 * i] = reply_bulk(str_from(rows[i].name));
        all.items[2 * i + 1] = reply_integer((int64_t)rows[i].n);
    }
    return all;
}

const command commands_memory[] = {
    { .name = "memory|usage", -3, CMD_HOSTED | CMD_READONLY | CMD_QUIET, 2, 2, 1, cmd_usage },
    { .name = "memory|doctor", 2, CMD_HOSTED, 0, 0, 0, cmd_doctor },
    { .name = "memory|purge", 2, CMD_HOSTED, 0, 0, 0, cmd_purge },
    { .name = "memory|malloc-stats", 2, CMD_HOSTED, 0, 0, 0, cmd_malloc_stats },
    { .name = "memory|stats", 2, CMD_HOSTED, 0, 0, 0, cmd_stats },
    { .name = NULL },
};
