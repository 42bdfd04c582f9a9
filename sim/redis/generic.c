/* generic.c - commands on keys of any kind, and on the server: EXISTS to WAIT. Facts: REDIS-FIDELITY.md 6,
 * "Generic". */
#include <assert.h>
#include <string.h>

#include "redis/collection.h"
#include "redis/server.h"

static reply cmd_del(const call *c)
{
    int64_t n = 0;
    for (size_t i = 1; i < c->argc; i++)
        n += collection_delete(c, c->argv[i]);
    return reply_integer(n);
}

static reply cmd_exists(const call *c)
{
    int64_t n = 0;
    for (size_t i = 1; i < c->argc; i++)
        n += store_find(c->st, c->db, c->argv[i]) != NULL;
    return reply_integer(n);
}

static str kind_name(value_kind kind)
{
    switch (kind) {
    case VALUE_STRING: return S("string");
    case VALUE_LIST:   return S("list");
    case VALUE_HASH:   return S("hash");
    case VALUE_SET:    return S("set");
    case VALUE_ZSET:   return S("zset");
    case VALUE_STREAM: return S("stream");
    }
    return S("none");
}

static reply cmd_type(const call *c)
{
    const value *v = store_find(c->st, c->db, c->argv[1]);
    return reply_status(v ? kind_name(value_kind_of(v)) : S("none"));
}

static reply rename_key(const call *c, bool only_if_free)
{
    str from = c->argv[1], to = c->argv[2];
    if (!store_find(c->st, c->db, from))
        return reply_no_such_key();
    bool taken = str_eq(from, to) || (only_if_free && store_find(c->st, c->db, to));
    if (only_if_free && taken)
        return reply_integer(0);
    if (!str_eq(from, to)) {
        store_rename(c->st, c->db, from, to);
        notify(c, NOTIFY_GENERIC, "rename_from", from);
        notify(c, NOTIFY_GENERIC, "rename_to", to);
    }
    return only_if_free ? reply_integer(1) : reply_ok();
}

static reply cmd_rename(const call *c) { return rename_key(c, false); }
static reply cmd_renamenx(const call *c) { return rename_key(c, true); }

bool parse_db(str s, int *db, reply *r)
{
    int64_t n;
    if (!parse_int(s, &n)) {
        *r = reply_not_integer();
        return false;
    }
    if (n < INT32_MIN || n > INT32_MAX) {
        *r = reply_error(S("ERR value is out of range, value must between -2147483648 and 2147483647"));
        return false;
    }
    if (n < 0 || n >= STORE_DBS) {
        *r = reply_error(S("ERR DB index is out of range"));
        return false;
    }
    *db = (int)n;
    return true;
}

static reply cmd_copy(const call *c)
{
    str from = c->argv[1], to = c->argv[2];
    int to_db = c->db;
    bool replace = false;
    reply r;
    for (size_t i = 3; i < c->argc; i++) {
        if (arg_is(c, i, S("replace"))) {
            replace = true;
        } else if (arg_is(c, i, S("db")) && i + 1 < c->argc) {
            if (!parse_db(c->argv[++i], &to_db, &r))
                return r;
        } else {
            return reply_syntax();
        }
    }
    if (to_db == c->db && str_eq(from, to))
        return reply_error(S("ERR source and destination objects are the same"));
    const value *v = store_find(c->st, c->db, from);
    if (!v || (store_find(c->st, to_db, to) && !replace))
        return reply_integer(0);
    int64_t deadline_ms = store_deadline_ms(c->st, c->db, from);
    store_del(c->st, to_db, to);                   /* not overwritten: waiting connections are notified */
    value *copy = value_copy(v);
    if (value_kind_of(copy) == VALUE_HASH && !server_follows(c->server, RULE_FIELDS_GO_WHEN_SEEN))
        hash_reap(copy, store_now_ms(c->st));      /* Valkey leaves expired fields behind */
    store_put(c->st, to_db, to, copy, false);
    store_set_deadline(c->st, to_db, to, deadline_ms);
    notify_in(c->server, to_db, NOTIFY_GENERIC, "copy_to", to);
    return reply_integer(1);
}

/* ---- looking for keys: Redis leaves the order open, ours is byte order ---- */

typedef struct {
    const call *c;
    str pattern, kind;                             /* .p NULL: any */
    reply *items;
    size_t count;
} gatherer;

static void gather_key(void *context, str key, const value *v, int64_t deadline_ms)
{
    gatherer *g = context;
    (void)deadline_ms;
    if ((!g->pattern.p || glob_match(g->pattern, key)) &&
        (!g->kind.p || str_eq_nocase(g->kind, kind_name(value_kind_of(v)))))
        g->items[g->count++] = reply_bulk(arena_str(g->c->out, key));
}

static reply gather(const call *c, str pattern, str kind)
{
    reply all = reply_items(c->out, REPLY_ARRAY, store_size(c->st, c->db));
    gatherer g = { .c = c, .pattern = pattern, .kind = kind, .items = all.items };
    store_each(c->st, c->db, gather_key, &g);
    all.count = g.count;
    return all;
}

static reply cmd_keys(const call *c)
{
    bool all = str_eq(c->argv[1], S("*"));
    return gather(c, all ? (str){ 0 } : c->argv[1].p ? c->argv[1] : S(""), (str){ 0 });
}

static bool matches(void *pattern, str key)
{
    const str *glob = pattern;
    return !glob->p || glob_match(*glob, key);
}

static bool is_type(str name)
{
    static const str known[] = { { "string", 6 }, { "list", 4 }, { "set", 3 }, { "zset", 4 }, { "hash", 4 },
                                 { "stream", 6 } };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq_nocase(name, known[i]))
            return true;
    return false;
}

/* The word up to a NUL, and the quote that ends the error. */
static str kind_quoted(const call *c, str kind)
{
    return arena_printf(c->out, "%.*s'", STR_ARG(str_slice(kind, 0, str_find(kind, '\0', 0))));
}

/* In one round; expired keys that it meets are deleted, which KEYS does not do. */
static reply cmd_scan(const call *c)
{
    str pattern = { 0 }, kind = { 0 };
    if (!scan_cursor_ok(c, c->argv[1]))
        return reply_error(S("ERR invalid cursor"));
    for (size_t i = 2; i < c->argc; i += 2) {
        int64_t n;
        if (i + 1 == c->argc)
            return reply_syntax();
        str option = c->argv[i + 1].p ? c->argv[i + 1] : S("");
        if (arg_is(c, i, S("count"))) {
            if (!parse_int(option, &n))
                return reply_not_integer();
            if (n < 1)
                return reply_syntax();
        } else if (arg_is(c, i, S("match"))) {
            pattern = option;
        } else if (arg_is(c, i, S("type"))) {
            kind = option;
            if (server_follows(c->server, RULE_KNOWN_TYPES) && !is_type(kind))
                return reply_error_about(c, "ERR unknown type name '", kind_quoted(c, kind));
        } else {
            return reply_syntax();
        }
    }
    if (str_eq(pattern, S("*")))
        pattern = (str){ 0 };
    store_reap_matching(c->st, c->db, matches, &pattern);
    return scan_reply(c, gather(c, pattern, kind));
}

static reply cmd_randomkey(const call *c)
{
    reply all = gather(c, (str){ 0 }, (str){ 0 });
    return all.count ? all.items[server_random_below(c->server, all.count)] : reply_nil();
}

static reply cmd_dbsize(const call *c)
{
    return reply_integer((int64_t)store_size(c->st, c->db));
}

static reply flush(const call *c, int db)
{
    if (c->argc > 2 || (c->argc == 2 && !arg_is(c, 1, S("sync")) && !arg_is(c, 1, S("async"))))
        return reply_syntax();
    store_clear(c->st, db);
    tracking_flushed(c->server);
    return reply_ok();
}

static reply cmd_flushdb(const call *c) { return flush(c, c->db); }
static reply cmd_flushall(const call *c) { return flush(c, -1); }

/* ---- the server ---- */

static reply cmd_select(const call *c)
{
    reply r = reply_ok();
    int db;
    if (!parse_db(c->argv[1], &db, &r))
        return r;
    if (db != 0 && c->server->limits.cluster == CLUSTER_YES && !server_follows(c->server, RULE_CLUSTER_DATABASES))
        return reply_error(S("ERR SELECT is not allowed in cluster mode"));
    *c->selected = db;
    return r;
}

static reply cmd_time(const call *c)
{
    int64_t now_ms = store_now_ms(c->st);
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = reply_bulk(arena_int(c->out, now_ms / 1000));
    r.items[1] = reply_bulk(arena_int(c->out, now_ms % 1000 * 1000));
    return r;
}

static reply cmd_ping(const call *c)
{
    if (c->argc > 2)
        return reply_bad_arity(c, "ping");
    reply text = c->argc == 2 ? reply_bulk(arena_str(c->out, c->argv[1])) : reply_bulk(S(""));
    if (pubsub_is_subscriber(c->conn) && !c->in_script) {
        reply r = reply_items(c->out, REPLY_ARRAY, 2);
        r.items[0] = reply_bulk(S("pong"));
        r.items[1] = text;
        return r;
    }
    return c->argc == 2 ? text : reply_status(S("PONG"));
}

static reply cmd_echo(const call *c)
{
    return reply_bulk(arena_str(c->out, c->argv[1]));
}

/* Never blocks here: the acknowledgements of replicas are known when the command runs. */
static reply cmd_wait(const call *c)
{
    int64_t replicas, timeout_ms;
    if (!parse_int(c->argv[1], &replicas))
        return reply_not_integer();
    if (!parse_int(c->argv[2], &timeout_ms))
        return reply_error(S("ERR timeout is not an integer or out of range"));
    if (timeout_ms < 0)
        return reply_error(S("ERR timeout is negative"));
    return reply_integer(c->server->acks);
}

const command commands_generic[] = {
    { .name = "del", -2, CMD_WRITE | CMD_FLAT, 1, -1, 1, cmd_del },
    { .name = "unlink", -2, CMD_WRITE | CMD_FLAT, 1, -1, 1, cmd_del },
    { .name = "exists", -2, CMD_READONLY | CMD_FLAT | CMD_QUIET, 1, -1, 1, cmd_exists },
    { .name = "touch", -2, CMD_READONLY | CMD_FLAT, 1, -1, 1, cmd_exists },
    { .name = "type", 2, CMD_READONLY | CMD_FLAT | CMD_QUIET, 1, 1, 1, cmd_type },
    { .name = "rename", 3, CMD_WRITE, 1, 2, 1, cmd_rename },
    { .name = "renamenx", 3, CMD_WRITE, 1, 2, 1, cmd_renamenx },
    { .name = "copy", -3, CMD_WRITE | CMD_DENYOOM, 1, 2, 1, cmd_copy },
    { .name = "keys", 2, CMD_READONLY, 0, 0, 0, cmd_keys },
    { .name = "scan", -2, CMD_READONLY, 0, 0, 0, cmd_scan },
    { .name = "randomkey", 1, CMD_READONLY, 0, 0, 0, cmd_randomkey },
    { .name = "dbsize", 1, CMD_READONLY, 0, 0, 0, cmd_dbsize },
    { .name = "flushdb", -1, CMD_WRITE, 0, 0, 0, cmd_flushdb },
    { .name = "flushall", -1, CMD_WRITE, 0, 0, 0, cmd_flushall },
    { .name = "select", 2, CMD_TALK, 0, 0, 0, cmd_select },
    { .name = "time", 1, CMD_FLAT, 0, 0, 0, cmd_time },
    { .name = "ping", -1, CMD_PUBSUB_OK | CMD_FLAT, 0, 0, 0, cmd_ping },
    { .name = "echo", 2, CMD_FLAT, 0, 0, 0, cmd_echo },
    { .name = "wait", 3, CMD_NOSCRIPT, 0, 0, 0, cmd_wait, .until = UNTIL_7_2 },
    { .name = "wait", 3, CMD_WAITS_THERE, 0, 0, 0, cmd_wait, .since = SINCE(7, 2, 0, 0) },
    { .name = NULL },
};
