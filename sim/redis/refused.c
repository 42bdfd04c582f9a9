/* refused.c - commands of Redis 7.0 that locksim knows by name and does not do: no lock, semaphore, limiter or queue is made of them.
 * Each is refused with the reason. Arity and flags are Redis's: who sends too few words is told so first, as there. */
#include "redis/command.h"

static reply refuse(const call *c, const char *why)
{
    str name = str_slice(c->argv[0], 0, 64);
    return reply_error(arena_printf(c->out, "ERR locksim refuses '%.*s': %s", STR_ARG(name), why));
}

static reply refuse_files(const call *c) { return refuse(c, "it keeps values in no file format"); }
static reply refuse_hyperloglog(const call *c) { return refuse(c, "it counts nothing by estimate"); }
static reply refuse_geo(const call *c) { return refuse(c, "it has no places on the globe"); }
static reply refuse_groups(const call *c) { return refuse(c, "its streams have neither readers that wait nor groups"); }
static reply refuse_functions(const call *c) { return refuse(c, "scripts come by EVAL and SCRIPT LOAD only"); }
static reply refuse_cluster(const call *c) { return refuse(c, "it is one server, neither a replica nor part of a cluster"); }
static reply refuse_program(const call *c) { return refuse(c, "it has neither modules nor users, and does not measure itself"); }
static reply refuse_debugger(const call *c)
{
    (void)c;
    return reply_error(S("ERR locksim refuses 'script debug': it has no debugger"));
}

const command commands_refused[] = {
    { "dump", 2, CMD_READONLY, 1, 1, 1, refuse_files },
    { "restore", -4, CMD_WRITE, 1, 1, 1, refuse_files },
    { "restore-asking", -4, CMD_WRITE, 1, 1, 1, refuse_files },
    { "migrate", -6, CMD_WRITE, 3, 3, 1, refuse_files },
    { "save", 1, CMD_NOSCRIPT, 0, 0, 0, refuse_files },
    { "bgsave", -1, CMD_NOSCRIPT, 0, 0, 0, refuse_files },
    { "bgrewriteaof", 1, CMD_NOSCRIPT, 0, 0, 0, refuse_files },
    { "lastsave", 1, 0, 0, 0, 0, refuse_files },
    { "pfadd", -2, CMD_WRITE, 1, 1, 1, refuse_hyperloglog },
    { "pfcount", -2, CMD_READONLY, 1, -1, 1, refuse_hyperloglog },
    { "pfmerge", -2, CMD_WRITE, 1, -1, 1, refuse_hyperloglog },
    { "pfdebug", 3, CMD_WRITE, 2, 2, 1, refuse_hyperloglog },
    { "pfselftest", 1, 0, 0, 0, 0, refuse_hyperloglog },
    { "geoadd", -5, CMD_WRITE, 1, 1, 1, refuse_geo },
    { "geodist", -4, CMD_READONLY, 1, 1, 1, refuse_geo },
    { "geohash", -2, CMD_READONLY, 1, 1, 1, refuse_geo },
    { "geopos", -2, CMD_READONLY, 1, 1, 1, refuse_geo },
    { "georadius", -6, CMD_WRITE, 1, 1, 1, refuse_geo },
    { "georadius_ro", -6, CMD_READONLY, 1, 1, 1, refuse_geo },
    { "georadiusbymember", -5, CMD_WRITE, 1, 1, 1, refuse_geo },
    { "georadiusbymember_ro", -5, CMD_READONLY, 1, 1, 1, refuse_geo },
    { "geosearch", -7, CMD_READONLY, 1, 1, 1, refuse_geo },
    { "geosearchstore", -8, CMD_WRITE, 1, 2, 1, refuse_geo },
    { "xread", -4, CMD_READONLY, 0, 0, 0, refuse_groups },
    { "xreadgroup", -7, CMD_WRITE, 0, 0, 0, refuse_groups },
    { "xgroup", -2, CMD_WRITE, 0, 0, 0, refuse_groups },
    { "xack", -4, CMD_WRITE, 1, 1, 1, refuse_groups },
    { "xclaim", -6, CMD_WRITE, 1, 1, 1, refuse_groups },
    { "xautoclaim", -6, CMD_WRITE, 1, 1, 1, refuse_groups },
    { "xpending", -3, CMD_READONLY, 1, 1, 1, refuse_groups },
    { "xsetid", -3, CMD_WRITE, 1, 1, 1, refuse_groups },
    { "xinfo", -2, CMD_READONLY, 0, 0, 0, refuse_groups },
    { "function", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_functions },
    { "fcall", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_functions },
    { "fcall_ro", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_functions },
    { "replicaof", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { "slaveof", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { "sync", 1, CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { "psync", -3, CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { "replconf", -1, CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { "failover", -1, CMD_NOSCRIPT, 0, 0, 0, refuse_cluster },
    { "cluster", -2, 0, 0, 0, 0, refuse_cluster },
    { "asking", 1, 0, 0, 0, 0, refuse_cluster },
    { "readonly", 1, 0, 0, 0, 0, refuse_cluster },
    { "readwrite", 1, 0, 0, 0, 0, refuse_cluster },
    { "module", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { "acl", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { "latency", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { "slowlog", -2, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { "memory", -2, CMD_READONLY, 0, 0, 0, refuse_program },
    { "monitor", 1, CMD_NOSCRIPT, 0, 0, 0, refuse_program },
    { "lolwut", -1, CMD_READONLY, 0, 0, 0, refuse_program },
    { "script|debug", 3, CMD_NOSCRIPT, 0, 0, 0, refuse_debugger },
    { .name = NULL },
};
