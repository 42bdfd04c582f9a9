/* info.c - INFO: facts about the program, by sections. */
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
    buf_printf(b, "connected_clients:%zu\r\ncluster_connections:0\r\nmaxclients:%s\r\nblocked_clients:%zu\r\n"
               "tracking_clients:%zu\r\n",
               n, settings_value(c->server, "maxclients"), waiting, tracking_count(c->server).clients);
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
    buf_printf(b, "used_memory:%zu\r\nused_memory_dataset:%zu\r\nmaxmemory:%" PRIu64
                  "\r\nmaxmemory_policy:%s\r\nmem_not_counted_for_evict:0\r\nmem_allocator:libc\r\n"
                  "active_defrag_running:0\r\nlazyfree_pending_objects:0\r\nlazyfreed_objects:0\r\n",
               store_bytes(c->st), store_bytes(c->st), c->server->maxmemory,
               settings_value(c->server, "maxmemory-policy"));
}

static void info_persistence(const call *c, buf *b)
{
    buf_printf(b, "loading:0\r\nasync_loading:0\r\nrdb_changes_since_last_save:0\r\nrdb_bgsave_in_progress:0\r\n"
             "rdb_last_save_time:%" PRId64 "\r\n"
                "rdb_last_bgsave_status:ok\r\nrdb_last_bgsave_time_sec:-1\r\n"
                "rdb_current_bgsave_time_sec:-1\r\nrdb_saves:%" PRIu64 "\r\naof_enabled:%d\r\n"
                                                                       "aof_rewrite_in_progress:0\r\n"
                "aof_rewrite_scheduled:0\r\naof_last_rewrite_time_sec:-1\r\naof_current_rewrite_time_sec:-1\r\n"
                "aof_last_bgrewrite_status:ok\r\naof_rewrites:%" PRIu64 "\r\naof_last_write_status:ok\r\n",
               disk_saved_s(c->server), c->server->disk.saves, settings_append_only(c->server),
               c->server->disk.rewrites);
}

static void info_stats(const call *c, buf *b)
{
    const stats_sums *sums = stats_of(c->server->stats);
    const tracking_sums tracks = tracking_count(c->server);
    buf_printf(b, "total_connections_received:%" PRIu64 "\r\ntotal_commands_processed:%" PRIu64 "\r\n"
                  "rejected_connections:0\r\nexpired_keys:%" PRIu64 "\r\nevicted_keys:%" PRIu64 "\r\n"
                  "evicted_clients:0\r\n"
                  "total_eviction_exceeded_time:0\r\ncurrent_eviction_exceeded_time:0\r\nsync_full:0\r\n"
                  "sync_partial_ok:0\r\nsync_partial_err:0\r\nlatest_fork_usec:0\r\ntotal_forks:0\r\n"
                  "migrate_cached_sockets:0\r\nslave_expires_tracked_keys:0\r\nactive_defrag_hits:0\r\n"
                  "active_defrag_misses:0\r\ntracking_total_keys:%zu\r\ntracking_total_items:%zu\r\n"
                  "tracking_total_prefixes:%zu\r\ndump_payload_sanitizations:0\r\n",
               sums->connected, sums->calls, sums->expired, sums->evicted, tracks.keys, tracks.items, tracks.prefixes);
    buf_printf(b, "pubsub_channels:%zu\r\npubsub_patterns:%zu\r\n", pubsub_count_all(c->server, false),
               pubsub_count_all(c->server, true));
    buf_printf(b, "unexpected_error_replies:0\r\ntotal_error_replies:%" PRIu64 "\r\n", sums->errors);
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
    bool only_asked;                               /* not among those that INFO alone tells */
} sections[] = {
    { "server", "Server", info_server, false }, { "clients", "Clients", info_clients, false },
    { "memory", "Memory", info_memory, false }, { "persistence", "Persistence", info_persistence, false },
    { "stats", "Stats", info_stats, false }, { "replication", "Replication", info_replication, false },
    { "commandstats", "Commandstats", stats_tell_commands, true },
    { "errorstats", "Errorstats", stats_tell_errors, false },
    { "latencystats", "Latencystats", stats_tell_latencies, true },
    { "cluster", "Cluster", info_cluster, false }, { "keyspace", "Keyspace", info_keyspace, false },
};

static bool is_wanted(const call *c, const char *name, bool only_asked)
{
    for (size_t i = 1; i < c->argc; i++) {
        if (str_eq_nocase(c->argv[i], str_from(name)) || arg_is(c, i, S("all")) || arg_is(c, i, S("everything")) ||
            (arg_is(c, i, S("default")) && !only_asked))
            return true;
    }
    return c->argc == 1 && !only_asked;
}

static reply cmd_info(const call *c)
{
    buf b = { 0 };
    for (size_t i = 0; i < COUNT(sections); i++) {
        if (!is_wanted(c, sections[i].name, sections[i].only_asked))
            continue;
        buf_printf(&b, "%s# %s\r\n", b.n ? "\r\n" : "", sections[i].title);
        sections[i].add(c, &b);
    }
    reply r = { .kind = REPLY_VERBATIM, .format = S("txt"), .text = arena_str(c->out, buf_str(&b)) };
    buf_free(&b);
    return r;
}

const command commands_info[] = {
    { .name = "info", -1, CMD_HOSTED, 0, 0, 0, cmd_info },
    { .name = NULL },
};
