/* refused.c - commands that locksim knows by name and does not do: no lock, semaphore, limiter or queue is made of
 * them. Each is refused with the reason. Arity and flags are Redis's: too few words are an error of arity first, as
 * there. */
#include "redis/server.h"

const reply *redis_refusal(const reply *r)
{
    if (r->kind == REPLY_ERROR && str_starts(r->text, S("ERR locksim refuses '")))
        return r;
    const reply *found = NULL;
    for (size_t i = 0; i < r->count && !found; i++)
        found = redis_refusal(&r->items[i]);
    return found;
}

static reply refuse(const call *c, const char *why)
{
    str name = str_slice(c->argv[0], 0, 64);
    return reply_error(arena_printf(c->out, "ERR locksim refuses '%.*s': %s", STR_ARG(name), why));
}

static reply refuse_files(const call *c) { return refuse(c, "it keeps values in no file format"); }
/* MIGRATE host port key ...: nothing need leave where there is no such key. */
static reply refuse_leaving(const call *c)
{
    bool there = c->argv[3].n == 0;                /* "": the keys are named at the end */
    if (!there)
        there = store_find(c->st, c->db, c->argv[3]) != NULL;
    return there ? refuse(c, "it keeps values in no file format") : reply_status(S("NOKEY"));
}
static reply refuse_cluster(const call *c)
{
    return refuse(c, "it is one server, neither a replica nor part of a cluster");
}
/* As a server does that is part of no cluster; in a scenario's cluster it is ours to refuse. */
static reply refuse_in_one(const call *c)
{
    if (c->server->limits.cluster == CLUSTER_YES)
        return refuse_cluster(c);
    return reply_error(S("ERR This instance has cluster support disabled"));
}
/* READONLY where there is no cluster. */
static reply say_ok(const call *c)
{
    (void)c;
    return reply_ok();
}
static reply refuse_program(const call *c)
{
    return refuse(c, "it has neither modules nor users, and does not measure itself");
}
static reply refuse_many(const call *c) { return refuse(c, "a key at a time has a deadline"); }
static reply refuse_vectors(const call *c) { return refuse(c, "it has no sets of vectors"); }
static reply refuse_debugger(const call *c)
{
    (void)c;
    return reply_error(S("ERR locksim refuses 'script debug': it has no debugger"));
}

const command commands_refused[] = {
    { .name = "dump", 2, CMD_READONLY, 1, 1, 1, refuse_files },
    { .name = "restore", -4, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, refuse_files },
    { .name = "restore-asking", -4, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, refuse_files },
    { .name = "migrate", -6, CMD_WRITE, 3, 3, 1, refuse_leaving },
    { .name = "save", 1, CMD_NOSCRIPT | CMD_NO_MULTI, 0, 0, 0, refuse_files },
    { .name = "bgsave", -1, CMD_NOSCRIPT, 0, 0, 0, refuse_files },
    { .name = "bgrewriteaof", 1, CMD_NOSCRIPT, 0, 0, 0, refuse_files },
    { .name = "lastsave", 1, 0, 0, 0, 0, refuse_files },
    { .name = "sync", 1, CMD_NOSCRIPT | CMD_NO_MULTI, 0, 0, 0, refuse_cluster },
    { .name = "psync", -3, CMD_NOSCRIPT | CMD_NO_MULTI, 0, 0, 0, refuse_cluster },
    { .name = "replconf", -1, CMD_ALLOW_BUSY | CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { .name = "failover", -1, CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { .name = "asking", 1, 0, 0, 0, 0, refuse_in_one },
    { .name = "readonly", 1, 0, 0, 0, 0, refuse_in_one, .until = { DIALECT_NEVER, 800 } },
    { .name = "readonly", 1, 0, 0, 0, 0, say_ok, .since = VALKEY_ONLY(8, 0) },
    { .name = "readwrite", 1, 0, 0, 0, 0, refuse_in_one, .until = { DIALECT_NEVER, 800 } },
    { .name = "readwrite", 1, 0, 0, 0, 0, say_ok, .since = VALKEY_ONLY(8, 0) },
    { .name = "memory", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "lolwut", -1, CMD_READONLY, 0, 0, 0, refuse_program },
    { .name = "script|debug", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_debugger, .until = { DIALECT_NEVER, 901 } },
    { .name = "script|debug", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_debugger, .since = VALKEY_ONLY(9, 1) },
    { .name = "acl|cat", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|deluser", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|dryrun", -4, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|genpass", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|getuser", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|list", 2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|load", 2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|log", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|save", 2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "acl|setuser", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "client|capa", -3, CMD_TALK | CMD_NOSCRIPT, 0, 0, 0, refuse_program, .since = VALKEY_ONLY(8, 0) },
    { .name = "client|import-source", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_program, .since = VALKEY_ONLY(8, 1) },
    { .name = "clusterscan", -2, CMD_READONLY, 1, 1, 1, refuse_cluster, .since = VALKEY_ONLY(9, 1) },
    { .name = "cluster|addslots", -3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|addslotsrange", -4, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|bumpepoch", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|cancelslotmigrations", 2, 0, 0, 0, 0, refuse_in_one, .since = VALKEY_ONLY(9, 0) },
    { .name = "cluster|count-failure-reports", 3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|countkeysinslot", 3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|delslots", -3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|delslotsrange", -4, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|failover", -2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|flushslot", -3, CMD_WRITE, 0, 0, 0, refuse_in_one, .since = VALKEY_ONLY(9, 0) },
    { .name = "cluster|flushslots", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|forget", 3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|getkeysinslot", 4, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|getslotmigrations", 2, 0, 0, 0, 0, refuse_in_one, .since = VALKEY_ONLY(9, 0) },
    { .name = "cluster|help", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|info", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|links", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|meet", -4, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|migrateslots", -4, 0, 0, 0, 0, refuse_in_one, .since = VALKEY_ONLY(9, 0) },
    { .name = "cluster|myid", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|myshardid", 2, 0, 0, 0, 0, refuse_in_one, .since = SINCE(7, 2, 0, 0) },
    { .name = "cluster|nodes", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|replicas", 3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|replicate", 3, 0, 0, 0, 0, refuse_in_one, .until = { DIALECT_NEVER, 900 } },
    { .name = "cluster|replicate", -3, 0, 0, 0, 0, refuse_in_one, .since = VALKEY_ONLY(9, 0) },
    { .name = "cluster|reset", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_in_one },
    { .name = "cluster|saveconfig", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|set-config-epoch", 3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|setslot", -4, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|shards", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|slaves", 3, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|slot-stats", -4, 0, 0, 0, 0, refuse_in_one, .since = SINCE(8, 2, 8, 0) },
    { .name = "cluster|slots", 2, 0, 0, 0, 0, refuse_in_one },
    { .name = "cluster|syncslots", -3, 0, 0, 0, 0, refuse_in_one, .since = VALKEY_ONLY(9, 0) },
    { .name = "commandlog", -2, CMD_CONTAINER, 0, 0, 0, NULL, .since = VALKEY_ONLY(8, 1) },
    { .name = "commandlog|get", 4, 0, 0, 0, 0, refuse_program, .since = VALKEY_ONLY(8, 1) },
    { .name = "commandlog|help", 2, 0, 0, 0, 0, refuse_program, .since = VALKEY_ONLY(8, 1) },
    { .name = "commandlog|len", 3, 0, 0, 0, 0, refuse_program, .since = VALKEY_ONLY(8, 1) },
    { .name = "commandlog|reset", 3, 0, 0, 0, 0, refuse_program, .since = VALKEY_ONLY(8, 1) },
    { .name = "latency|doctor", 2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "latency|graph", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "latency|histogram", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "memory|doctor", 2, 0, 0, 0, 0, refuse_program },
    { .name = "memory|malloc-stats", 2, 0, 0, 0, 0, refuse_program },
    { .name = "memory|purge", 2, 0, 0, 0, 0, refuse_program },
    { .name = "memory|stats", 2, 0, 0, 0, 0, refuse_program },
    { .name = "memory|usage", -3, CMD_READONLY, 2, 2, 1, refuse_program },
    { .name = "module|load", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "module|loadex", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "module|unload", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { .name = "vadd", -1, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vcard", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vdim", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vemb", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vgetattr", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vinfo", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vismember", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vlinks", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vrandmember", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vrem", -1, CMD_WRITE, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vsetattr", -1, CMD_WRITE, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "vsim", -1, CMD_READONLY, 1, 1, 1, refuse_vectors, .since = REDIS_ONLY(8, 0) },
    { .name = "msetex", -4, CMD_WRITE | CMD_DENYOOM | CMD_NUMKEYS, 0, 0, 0, refuse_many, .since = SINCE(8, 4, 9, 1) },
    { .name = NULL },
};
