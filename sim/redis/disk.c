/* disk.c - SAVE, BGSAVE, BGREWRITEAOF and LASTSAVE, where clients reach the server from outside. Nothing is written: a
 * server that is asked to save has saved at once, and whoever asks when and how often is told. What is kept is kept in
 * memory and forgotten at the end, as `locksim serve --help` says. */
#include "redis/collection.h"
#include "redis/server.h"

static void saved(const call *c)
{
    c->server->disk.saved_s = store_now_ms(c->st) / 1000;
    c->server->disk.saves++;
}

static reply cmd_save(const call *c)
{
    saved(c);
    return reply_ok();
}

/* BGSAVE [SCHEDULE], since Valkey 8.1 [CANCEL]. */
static reply cmd_bgsave(const call *c)
{
    static const dialect_since since = VALKEY_ONLY(8, 1);
    bool cancel = c->argc == 2 && arg_is(c, 1, S("cancel")) && dialect_has(c->server->dialect, since);
    if (cancel)
        return reply_error(S("ERR Background saving is currently not in progress or scheduled"));
    if (c->argc > 2 || (c->argc == 2 && !arg_is(c, 1, S("schedule"))))
        return reply_syntax();
    saved(c);
    return reply_status(c->conn->in_exec ? S("Background saving scheduled") : S("Background saving started"));
}

static reply cmd_bgrewriteaof(const call *c)
{
    c->server->disk.rewrites++;
    return reply_status(c->conn->in_exec ? S("Background append only file rewriting scheduled")
                                         : S("Background append only file rewriting started"));
}

int64_t disk_saved_s(const redis *r) { return r->disk.saved_s ? r->disk.saved_s : r->host.since_ms / 1000; }

static reply cmd_lastsave(const call *c) { return reply_integer(disk_saved_s(c->server)); }

const command commands_disk[] = {
    { .name = "save", 1, CMD_HOSTED | CMD_NOSCRIPT | CMD_NO_MULTI, 0, 0, 0, cmd_save },
    { .name = "bgsave", -1, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_bgsave },
    { .name = "bgrewriteaof", 1, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_bgrewriteaof },
    { .name = "lastsave", 1, CMD_HOSTED, 0, 0, 0, cmd_lastsave },
    { .name = NULL },
};
