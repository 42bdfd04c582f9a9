/* info.c - what the program says of itself: INFO by sections, and CONFIG, which keeps what it is told where nothing
 * hangs on it. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/notify.h"
#include "redis/server.h"

/* ---- INFO ---- */

static void info_server(const call *c, buf *b)
{
    const redis_host *h = &c->server->host;
    int64_t now_ms = store_now_ms(c->st), up_s = (now_ms - h->since_ms) / 1000;
    const dialect d = c->server->dialect;
    str release = dialect_redis_release(c->out, d), own = dialect_release(c->out, d);
    buf_printf(b, "redis_version:%.*s\r\n", STR_ARG(release));
    if (d.lineage == LINEAGE_VALKEY)
        buf_printf(b, "server_name:valkey\r\nvalkey_version:%.*s\r\n", STR_ARG(own));
    buf_printf(b, "redis_git_sha1:00000000\r\nredis_git_dirty:0\r\nredis_mode:standalone\r\nos:locksim\r\n"
                  "arch_bits:64\r\nprocess_id:%" PRId64 "\r\ntcp_port:%" PRId64 "\r\nserver_time_usec:%" PRId64 "\r\n"
                  "uptime_in_seconds:%" PRId64 "\r\nuptime_in_days:%" PRId64 "\r\nhz:10\r\nconfigured_hz:10\r\n"
                  "executable:locksim\r\n"
                  "config_file:\r\n",
               h->process_id, h->port, now_ms * 1000, up_s, up_s / 86400);
}

static void info_clients(const call *c, buf *b)
{
    size_t n = 0, waiting = 0;
    for (const redis_conn *k = c->server->conns; k; k = k->next) {
        n++;
        waiting += redis_waits(k) || k->client.postponed;
    }
    buf_printf(b, "connected_clients:%zu\r\ncluster_connections:0\r\nmaxclients:10000\r\nblocked_clients:%zu\r\n"
               "tracking_clients:0\r\n",
               n, waiting);
}

/* 512B, 1.50K, 3.00M: as people read it. */
static void add_size(buf *b, const char *name, size_t bytes)
{
    static const char units[] = "KMG";
    double n = (double)bytes / 1024;
    size_t unit = 0;
    for (; n >= 1024 && unit + 1 < sizeof units - 1; unit++)
        n /= 1024;
    if (bytes < 1024)
        buf_printf(b, "%s:%zuB\r\n", name, bytes);
    else
        buf_printf(b, "%s:%.2f%c\r\n", name, n, units[unit]);
}

static void info_memory(const call *c, buf *b)
{
    add_size(b, "used_memory_human", store_bytes(c->st));
    buf_printf(b, "used_memory:%zu\r\nused_memory_dataset:%zu\r\nmaxmemory:%zu\r\nmaxmemory_policy:noeviction\r\n",
               store_bytes(c->st), store_bytes(c->st), c->server->limits.store_bytes);
}

static void info_persistence(const call *c, buf *b)
{
    (void)c;
    buf_addz(b, "loading:0\r\nasync_loading:0\r\nrdb_changes_since_last_save:0\r\nrdb_bgsave_in_progress:0\r\n"
             "rdb_last_save_time:0\r\n"
                "rdb_last_bgsave_status:ok\r\naof_enabled:0\r\naof_rewrite_in_progress:0\r\n"
                "aof_last_write_status:ok\r\n");
}

static void info_stats(const call *c, buf *b)
{
    buf_printf(b, "total_connections_received:%" PRIu64 "\r\ntotal_commands_processed:%" PRIu64 "\r\n",
               c->server->connected, c->server->executed);
    buf_printf(b, "pubsub_channels:%zu\r\npubsub_patterns:%zu\r\n", pubsub_count_all(c->server, false),
               pubsub_count_all(c->server, true));
}

static void info_replication(const call *c, buf *b)
{
    (void)c;
    buf_addz(b, "role:master\r\nconnected_slaves:0\r\nmaster_failover_state:no-failover\r\n"
                "master_replid:0000000000000000000000000000000000000000\r\n"
                "master_replid2:0000000000000000000000000000000000000000\r\n"
                "master_repl_offset:0\r\nsecond_repl_offset:-1\r\nrepl_backlog_active:0\r\n");
}

static void info_cluster(const call *c, buf *b)
{
    (void)c;
    buf_addz(b, "cluster_enabled:0\r\n");
}

static void info_keyspace(const call *c, buf *b)
{
    for (int db = 0; db < STORE_DBS; db++) {
        if (store_size(c->st, db))
            buf_printf(b, "db%d:keys=%zu,expires=%zu,avg_ttl=0\r\n", db, store_size(c->st, db),
                       store_volatile(c->st, db));
    }
}

static const struct {
    const char *name, *title;
    void (*add)(const call *c, buf *b);
} sections[] = {
    { "server", "Server", info_server }, { "clients", "Clients", info_clients }, { "memory", "Memory", info_memory },
    { "persistence", "Persistence", info_persistence }, { "stats", "Stats", info_stats },
    { "replication", "Replication", info_replication }, { "cluster", "Cluster", info_cluster },
    { "keyspace", "Keyspace", info_keyspace },
};

static bool is_wanted(const call *c, const char *name)
{
    for (size_t i = 1; i < c->argc; i++) {
        if (str_eq_nocase(c->argv[i], str_from(name)) || arg_is(c, i, S("all")) || arg_is(c, i, S("default")) ||
            arg_is(c, i, S("everything")))
            return true;
    }
    return c->argc == 1;
}

static reply cmd_info(const call *c)
{
    buf b = { 0 };
    for (size_t i = 0; i < COUNT(sections); i++) {
        if (!is_wanted(c, sections[i].name))
            continue;
        buf_printf(&b, "%s# %s\r\n", b.n ? "\r\n" : "", sections[i].title);
        sections[i].add(c, &b);
    }
    reply r = { .kind = REPLY_VERBATIM, .format = S("txt"), .text = arena_str(c->out, buf_str(&b)) };
    buf_free(&b);
    return r;
}

/* ---- CONFIG ---- */

enum {
    SET_FREELY = 1,                                /* nothing that a client could see hangs on it */
    SET_MEMORY = 4,                                /* maxmemory */
    SET_EVENTS = 2,                                /* notify-keyspace-events */
    SET_BUSY = 8,                                  /* busy-reply-threshold */
};

static const struct {
    const char *name, *value;
    unsigned flags;
} options[] = {
    { "activerehashing", "yes", SET_FREELY }, { "appendfsync", "everysec", SET_FREELY }, { "appendonly", "no", 0 },
    { "bind", "127.0.0.1", 0 }, { "busy-reply-threshold", NULL, SET_BUSY },
    { "client-output-buffer-limit", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", 0 },
    { "databases", "16", 0 }, { "dbfilename", "dump.rdb", SET_FREELY }, { "dir", "/", 0 },
    { "hash-max-listpack-entries", "512", 0 },
    { "hash-max-listpack-value", "64", 0 }, { "hz", "10", SET_FREELY }, { "io-threads", "1", 0 },
    { "latency-monitor-threshold", "0", SET_FREELY }, { "lazyfree-lazy-expire", "no", SET_FREELY },
    { "lazyfree-lazy-user-del", "no", SET_FREELY }, { "list-max-listpack-size", "-2", 0 },
    { "loglevel", "notice", SET_FREELY },
    { "lua-time-limit", NULL, SET_BUSY }, { "maxclients", "10000", 0 }, { "maxmemory", "0", SET_MEMORY },
    { "maxmemory-policy", "noeviction", 0 }, { "notify-keyspace-events", "", SET_EVENTS }, { "port", NULL, 0 },
    { "proto-max-bulk-len", "536870912", 0 },
    { "protected-mode", "no", SET_FREELY }, { "requirepass", "", 0 }, { "save", "", SET_FREELY },
    { "set-max-intset-entries", "512", 0 },
    { "slowlog-log-slower-than", "10000", SET_FREELY }, { "slowlog-max-len", "128", SET_FREELY },
    { "stop-writes-on-bgsave-error", "yes", SET_FREELY },
    { "tcp-keepalive", "300", SET_FREELY }, { "timeout", "0", 0 }, { "unixsocket", NULL, 0 },
    { "zset-max-listpack-entries", "128", 0 },
    { "zset-max-listpack-value", "64", 0 },
};

struct settings {
    char *value[COUNT(options)];                   /* own; NULL: as it was */
};

int64_t redis_busy_after_ms(const redis *r)
{
    return r->busy_after_ms;
}

struct settings *settings_new(void)
{
    return mem_zero(sizeof(struct settings));
}

void settings_free(struct settings *s)
{
    for (size_t i = 0; s && i < COUNT(options); i++)
        mem_free(s->value[i]);
    mem_free(s);
}

static str value_of(const call *c, size_t i)
{
    const redis_host *h = &c->server->host;
    if (options[i].flags & SET_MEMORY)
        return arena_printf(c->out, "%" PRIu64, c->server->maxmemory);
    if (options[i].flags & SET_EVENTS)
        return notify_letters(c->out, c->server->events);
    if (options[i].flags & SET_BUSY)
        return arena_printf(c->out, "%" PRId64, c->server->busy_after_ms);
    if (c->server->settings->value[i])
        return arena_str(c->out, str_from(c->server->settings->value[i]));
    if (options[i].value)
        return str_from(options[i].value);
    return strcmp(options[i].name, "port") == 0 ? arena_int(c->out, h->port) : str_from(h->unix_path);
}

static str lower(const call *c, str word)
{
    word = arena_str(c->out, word);
    for (char *p = (char *)(uintptr_t)word.p; p < word.p + word.n; p++)
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + ('a' - 'A') : *p);
    return word;
}

/* A name that is no pattern comes back as it was typed. */
static bool is_asked_for(const call *c, const char *name, str *shown)
{
    *shown = str_from(name);
    for (size_t k = 2; k < c->argc; k++) {
        str word = c->argv[k];
        bool pattern = str_find(word, '*', 0) < word.n || str_find(word, '?', 0) < word.n ||
                       str_find(word, '[', 0) < word.n;
        if (pattern ? glob_match(lower(c, word), str_from(name)) : str_eq_nocase(word, str_from(name))) {
            *shown = pattern ? *shown : arena_str(c->out, word);
            return true;
        }
    }
    return false;
}

static reply cmd_get(const call *c)
{
    reply all = reply_items(c->out, REPLY_MAP, 2 * COUNT(options));
    size_t n = 0;
    for (size_t i = 0; i < COUNT(options); i++) {
        str name;
        if (!is_asked_for(c, options[i].name, &name))
            continue;
        all.items[n++] = reply_bulk(name);
        all.items[n++] = reply_bulk(value_of(c, i));
    }
    all.count = n;
    return all;
}

/* "100", "100k" (thousands), "100mb" (of 1024 each). */
static bool parse_bytes(str text, uint64_t *bytes)
{
    static const struct { const char *unit; uint64_t of; } units[] = {
        { "", 1 }, { "b", 1 }, { "k", 1000 }, { "kb", 1024 }, { "m", 1000000 }, { "mb", 1 << 20 }, { "g", 1000000000 },
        { "gb", 1 << 30 },
    };
    size_t n = 0;
    int64_t number;
    while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
        n++;
    if (n > 12 || !parse_int(str_slice(text, 0, n), &number))
        return false;
    for (size_t i = 0; i < COUNT(units); i++)
        if (str_eq_nocase(str_slice(text, n, text.n), str_from(units[i].unit)))
            return *bytes = (uint64_t)number * units[i].of, true;
    return false;
}

static bool busy_ok(const call *c, const char *name, str value, reply *r)
{
    int64_t ms;
    const char *why = NULL;
    if (!parse_int(value, &ms))
        why = "argument couldn't be parsed into an integer";
    else if (ms < 0)
        why = "argument must be between 0 and 9223372036854775807 inclusive";
    if (why)
        *r = reply_error(arena_printf(c->out, "ERR CONFIG SET failed (possibly related to argument '%s') - %s", name,
                                      why));
    return !why;
}

/* Is the change one that locksim can make, or none? */
static bool set_ok(const call *c, str name, str value, size_t *i, reply *r)
{
    for (*i = 0; *i < COUNT(options); ++*i) {
        if (!str_eq_nocase(name, str_from(options[*i].name)))
            continue;
        unsigned events;
        const char *why;
        if (options[*i].flags & SET_BUSY)
            return busy_ok(c, options[*i].name, value, r);
        if (options[*i].flags & SET_FREELY || str_eq(value, value_of(c, *i)) ||
            (options[*i].flags & SET_EVENTS && notify_parse(value, &events, &why)))
            return true;
        uint64_t bytes;
        if (options[*i].flags & SET_MEMORY && parse_bytes(value, &bytes))
            return true;
        if (options[*i].flags & SET_MEMORY) {
            *r = reply_error(S("ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a "
                               "memory value"));
            return false;
        }
        if (options[*i].flags & SET_EVENTS) {
            *r = reply_error(arena_printf(c->out, "ERR CONFIG SET failed (possibly related to argument "
                                          "'notify-keyspace-events') - %s", why));
            return false;
        }
        *r = reply_error(arena_printf(c->out, "ERR CONFIG SET failed (possibly related to argument '%s') - locksim "
                                      "cannot change it",
                                      options[*i].name));
        return false;
    }
    *r = reply_error_about(c, "ERR Unknown option or number of arguments for CONFIG SET - '", name);
    *r = reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r->text)));
    return false;
}

static reply cmd_set(const call *c)
{
    size_t at;
    reply r;
    if (c->argc % 2)
        return reply_bad_arity(c, "config|set");
    for (size_t i = 2; i < c->argc; i += 2) {
        if (!set_ok(c, c->argv[i], c->argv[i + 1], &at, &r))
            return r;
    }
    for (size_t i = 2; i < c->argc; i += 2) {
        char **kept = c->server->settings->value;
        (void)set_ok(c, c->argv[i], c->argv[i + 1], &at, &r);
        if (options[at].flags & SET_MEMORY) {
            parse_bytes(c->argv[i + 1], &c->server->maxmemory);
            continue;
        }
        if (options[at].flags & SET_BUSY) {
            parse_int(c->argv[i + 1], &c->server->busy_after_ms);
            continue;
        }
        if (options[at].flags & SET_EVENTS) {
            notify_parse(c->argv[i + 1], &c->server->events, &(const char *){ NULL });
            continue;
        }
        mem_free(kept[at]);
        kept[at] = mem_zero(c->argv[i + 1].n + 1);
        if (c->argv[i + 1].n)
            memcpy(kept[at], c->argv[i + 1].p, c->argv[i + 1].n);
    }
    return reply_ok();
}

static reply cmd_resetstat(const call *c)
{
    (void)c;
    return reply_ok();
}

static reply cmd_rewrite(const call *c)
{
    (void)c;
    return reply_error(S("ERR The server is running without a config file"));
}

const command commands_info[] = {
    { .name = "info", -1, CMD_HOSTED, 0, 0, 0, cmd_info },
    { .name = "config", -2, CMD_HOSTED | CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "config|get", -3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_get },
    { .name = "config|set", -4, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_set },
    { .name = "config|resetstat", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_resetstat },
    { .name = "config|rewrite", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_rewrite },
    { .name = NULL },
};
