/* command_facts.c - see command_facts.h. Facts: COMMAND of each server (tests/conformance/commands.c compares them); of
 * those the notes that servers write beside some keys are left out. */
#include "redis/command_facts.h"

#include <string.h>

typedef struct {
    const char *name, *categories, *tips;
    const char *keys;                              /* one after the other, "; " between them: flags, where they begin
                                                    * (@index, WORD@from, ?), which they are (last step limit, #number
                                                    * first step, ?) */
    dialect_since since;                           /* of rows of one name the last one that holds */
} facts;

static const facts rows[] = {
    { .name = "acl", "slow", "", "" },
    { .name = "acl|cat", "slow", "", "" },
    { .name = "acl|deluser", "admin slow dangerous", "", "" },
    { .name = "acl|deluser", "admin slow dangerous", "request_policy:all_nodes response_policy:all_succeeded",
      "", SINCE(7, 2, 0, 0) },
    { .name = "acl|dryrun", "admin slow dangerous", "", "" },
    { .name = "acl|genpass", "slow", "", "" },
    { .name = "acl|getuser", "admin slow dangerous", "", "" },
    { .name = "acl|help", "slow", "", "" },
    { .name = "acl|list", "admin slow dangerous", "", "" },
    { .name = "acl|load", "admin slow dangerous", "", "" },
    { .name = "acl|save", "admin slow dangerous", "", "" },
    { .name = "acl|save", "admin slow dangerous", "request_policy:all_nodes response_policy:all_succeeded",
      "", SINCE(7, 2, 0, 0) },
    { .name = "acl|users", "admin slow dangerous", "", "" },
    { .name = "acl|whoami", "slow", "", "" },
    { .name = "append", "write string fast", "", "RW insert @1 0 1 0" },
    { .name = "auth", "fast connection", "", "" },
    { .name = "bgrewriteaof", "admin slow dangerous", "", "" },
    { .name = "bgsave", "admin slow dangerous", "", "" },
    { .name = "bitcount", "read bitmap slow", "", "RO access @1 0 1 0" },
    { .name = "bitfield", "write bitmap slow", "", "RW access update variable_flags @1 0 1 0" },
    { .name = "bitfield_ro", "read bitmap fast", "", "RO access @1 0 1 0" },
    { .name = "bitop", "write bitmap slow", "", "OW update @2 0 1 0; RO access @3 -1 1 0" },
    { .name = "bitpos", "read bitmap slow", "", "RO access @1 0 1 0" },
    { .name = "blmove", "write list slow blocking", "", "RW access delete @1 0 1 0; RW insert @2 0 1 0" },
    { .name = "blmpop", "write list slow blocking", "", "RW access delete @2 #0 1 1" },
    { .name = "blpop", "write list slow blocking", "", "RW access delete @1 -2 1 0" },
    { .name = "brpop", "write list slow blocking", "", "RW access delete @1 -2 1 0" },
    { .name = "brpoplpush", "write list slow blocking", "", "RW access delete @1 0 1 0; RW insert @2 0 1 0" },
    { .name = "bzmpop", "write sortedset slow blocking", "", "RW access delete @2 #0 1 1" },
    { .name = "bzpopmax", "write sortedset fast blocking", "", "RW access delete @1 -2 1 0" },
    { .name = "bzpopmin", "write sortedset fast blocking", "", "RW access delete @1 -2 1 0" },
    { .name = "client", "slow", "", "" },
    { .name = "client|caching", "slow connection", "", "" },
    { .name = "client|getname", "slow connection", "", "" },
    { .name = "client|getredir", "slow connection", "", "" },
    { .name = "client|help", "slow connection", "", "" },
    { .name = "client|id", "slow connection", "", "" },
    { .name = "client|info", "slow connection", "nondeterministic_output", "" },
    { .name = "client|kill", "admin slow dangerous connection", "", "" },
    { .name = "client|list", "admin slow dangerous connection", "nondeterministic_output", "" },
    { .name = "client|no-evict", "admin slow dangerous connection", "", "" },
    { .name = "client|no-touch", "slow connection", "", "" },
    { .name = "client|pause", "admin slow dangerous connection", "", "" },
    { .name = "client|reply", "slow connection", "", "" },
    { .name = "client|setinfo", "slow connection", "request_policy:all_nodes response_policy:all_succeeded", "" },
    { .name = "client|setname", "slow connection", "", "" },
    { .name = "client|setname", "slow connection", "request_policy:all_nodes response_policy:all_succeeded",
      "", SINCE(7, 2, 0, 0) },
    { .name = "client|tracking", "slow connection", "", "" },
    { .name = "client|trackinginfo", "slow connection", "", "" },
    { .name = "client|unblock", "admin slow dangerous connection", "", "" },
    { .name = "client|unpause", "admin slow dangerous connection", "", "" },
    { .name = "cluster", "slow", "", "" },
    { .name = "cluster|keyslot", "slow", "", "" },
    { .name = "command", "slow connection", "nondeterministic_output_order", "" },
    { .name = "command|count", "slow connection", "", "" },
    { .name = "command|docs", "slow connection", "nondeterministic_output_order", "" },
    { .name = "command|getkeys", "slow connection", "", "" },
    { .name = "command|getkeysandflags", "slow connection", "", "" },
    { .name = "command|help", "slow connection", "", "" },
    { .name = "command|info", "slow connection", "nondeterministic_output_order", "" },
    { .name = "command|list", "slow connection", "nondeterministic_output_order", "" },
    { .name = "config", "slow", "", "" },
    { .name = "config|get", "admin slow dangerous", "", "" },
    { .name = "config|help", "slow", "", "" },
    { .name = "config|resetstat", "admin slow dangerous", "", "" },
    { .name = "config|resetstat", "admin slow dangerous", "request_policy:all_nodes response_policy:all_succeeded",
      "", SINCE(7, 2, 0, 0) },
    { .name = "config|rewrite", "admin slow dangerous", "", "" },
    { .name = "config|rewrite", "admin slow dangerous", "request_policy:all_nodes response_policy:all_succeeded",
      "", SINCE(7, 2, 0, 0) },
    { .name = "config|set", "admin slow dangerous", "request_policy:all_nodes response_policy:all_succeeded", "" },
    { .name = "copy", "keyspace write slow", "", "RO access @1 0 1 0; OW update @2 0 1 0" },
    { .name = "dbsize", "keyspace read fast", "request_policy:all_shards response_policy:agg_sum", "" },
    { .name = "debug", "admin slow dangerous", "", "" },
    { .name = "decr", "write string fast", "", "RW access update @1 0 1 0" },
    { .name = "decrby", "write string fast", "", "RW access update @1 0 1 0" },
    { .name = "del", "keyspace write slow", "request_policy:multi_shard response_policy:agg_sum",
      "RM delete @1 -1 1 0" },
    { .name = "delifeq", "write string fast", "", "RM delete @1 0 1 0" },
    /* from its documentation, as is DIGEST */
    { .name = "delex", "write string fast", "", "RW access delete @1 0 1 0" },
    { .name = "digest", "read string fast", "", "RO access @1 0 1 0" },
    { .name = "discard", "fast transaction", "", "" },
    { .name = "dump", "keyspace read slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "echo", "fast connection", "", "" },
    { .name = "eval", "slow scripting", "", "RW access update @2 #0 1 1" },
    { .name = "eval_ro", "slow scripting", "", "RO access @2 #0 1 1" },
    { .name = "evalsha", "slow scripting", "", "RW access update @2 #0 1 1" },
    { .name = "evalsha_ro", "slow scripting", "", "RO access @2 #0 1 1" },
    { .name = "exec", "slow transaction", "", "" },
    { .name = "exists", "keyspace read fast", "request_policy:multi_shard response_policy:agg_sum", "RO @1 -1 1 0" },
    { .name = "expire", "keyspace write fast", "", "RW update @1 0 1 0" },
    { .name = "expireat", "keyspace write fast", "", "RW update @1 0 1 0" },
    { .name = "expiretime", "keyspace read fast", "", "RO access @1 0 1 0" },
    { .name = "fcall", "slow scripting", "", "RW access update @2 #0 1 1" },
    { .name = "fcall_ro", "slow scripting", "", "RO access @2 #0 1 1" },
    { .name = "flushall", "keyspace write slow dangerous", "request_policy:all_shards response_policy:all_succeeded",
      "" },
    { .name = "flushdb", "keyspace write slow dangerous", "request_policy:all_shards response_policy:all_succeeded",
      "" },
    { .name = "function", "slow", "", "" },
    { .name = "function|delete", "write slow scripting", "request_policy:all_shards response_policy:all_succeeded",
      "" },
    { .name = "function|dump", "slow scripting", "", "" },
    { .name = "function|flush", "write slow scripting", "request_policy:all_shards response_policy:all_succeeded", "" },
    { .name = "function|help", "slow scripting", "", "" },
    { .name = "function|kill", "slow scripting", "request_policy:all_shards response_policy:one_succeeded", "" },
    { .name = "function|list", "slow scripting", "nondeterministic_output_order", "" },
    { .name = "function|load", "write slow scripting", "request_policy:all_shards response_policy:all_succeeded", "" },
    { .name = "function|restore", "write slow scripting", "request_policy:all_shards response_policy:all_succeeded",
      "" },
    { .name = "function|stats", "slow scripting",
      "nondeterministic_output request_policy:all_shards response_policy:special",
      "" },
    { .name = "geoadd", "write geo slow", "", "RW update @1 0 1 0" },
    { .name = "geodist", "read geo slow", "", "RO access @1 0 1 0" },
    { .name = "geohash", "read geo slow", "", "RO access @1 0 1 0" },
    { .name = "geopos", "read geo slow", "", "RO access @1 0 1 0" },
    { .name = "georadius", "write geo slow", "",
      "RO access @1 0 1 0; OW update STORE@6 0 1 0; OW update STOREDIST@6 0 1 0" },
    { .name = "georadius", "write geo slow",
      "",
      "RO access @1 0 1 0; OW update variable_flags STORE@6 0 1 0; OW update variable_flags STOREDIST@6 0 1 0",
      VALKEY_ONLY(9, 1) },
    { .name = "georadius_ro", "read geo slow", "", "RO access @1 0 1 0" },
    { .name = "georadiusbymember", "write geo slow", "",
      "RO access @1 0 1 0; OW update STORE@5 0 1 0; OW update STOREDIST@5 0 1 0" },
    { .name = "georadiusbymember", "write geo slow",
      "",
      "RO access @1 0 1 0; OW update variable_flags STORE@5 0 1 0; OW update variable_flags STOREDIST@5 0 1 0",
      VALKEY_ONLY(9, 1) },
    { .name = "georadiusbymember_ro", "read geo slow", "", "RO access @1 0 1 0" },
    { .name = "geosearch", "read geo slow", "", "RO access @1 0 1 0" },
    { .name = "geosearchstore", "write geo slow", "", "OW update @1 0 1 0; RO access @2 0 1 0" },
    { .name = "get", "read string fast", "", "RO access @1 0 1 0" },
    { .name = "getbit", "read bitmap fast", "", "RO access @1 0 1 0" },
    { .name = "getdel", "write string fast", "", "RW access delete @1 0 1 0" },
    { .name = "getex", "write string fast", "", "RW access update @1 0 1 0" },
    { .name = "getrange", "read string slow", "", "RO access @1 0 1 0" },
    { .name = "getset", "write string fast", "", "RW access update @1 0 1 0" },
    { .name = "hdel", "write hash fast", "", "RW delete @1 0 1 0" },
    { .name = "hello", "fast connection", "", "" },
    { .name = "hexists", "read hash fast", "", "RO @1 0 1 0" },
    { .name = "hexpire", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hexpireat", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hexpiretime", "read hash fast", "", "RO access @1 0 1 0" },
    { .name = "hget", "read hash fast", "", "RO access @1 0 1 0" },
    { .name = "hgetall", "read hash slow", "nondeterministic_output_order", "RO access @1 0 1 0" },
    { .name = "hgetdel", "write hash fast", "", "RW access delete @1 0 1 0" },
    { .name = "hgetex", "write hash fast", "", "RW access update @1 0 1 0" },
    { .name = "hincrby", "write hash fast", "", "RW access update @1 0 1 0" },
    { .name = "hincrbyfloat", "write hash fast", "", "RW access update @1 0 1 0" },
    { .name = "hkeys", "read hash slow", "nondeterministic_output_order", "RO access @1 0 1 0" },
    { .name = "hlen", "read hash fast", "", "RO @1 0 1 0" },
    { .name = "hmget", "read hash fast", "", "RO access @1 0 1 0" },
    { .name = "hmset", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hpersist", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hpexpire", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hpexpireat", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hpexpiretime", "read hash fast", "", "RO access @1 0 1 0" },
    { .name = "hpttl", "read hash fast", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "hpttl", "read hash fast", "", "RO access @1 0 1 0", VALKEY_ONLY(9, 0) },
    { .name = "hrandfield", "read hash slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "hscan", "read hash slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "hset", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hsetex", "write hash fast", "", "RW update @1 0 1 0" },
    { .name = "hsetex", "write hash fast", "", "RW insert @1 0 1 0", VALKEY_ONLY(9, 0) },
    { .name = "hsetnx", "write hash fast", "", "RW insert @1 0 1 0" },
    { .name = "hstrlen", "read hash fast", "", "RO @1 0 1 0" },
    { .name = "httl", "read hash fast", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "httl", "read hash fast", "", "RO access @1 0 1 0", VALKEY_ONLY(9, 0) },
    { .name = "hvals", "read hash slow", "nondeterministic_output_order", "RO access @1 0 1 0" },
    { .name = "incr", "write string fast", "", "RW access update @1 0 1 0" },
    { .name = "incrby", "write string fast", "", "RW access update @1 0 1 0" },
    { .name = "incrbyfloat", "write string fast", "", "RW access update @1 0 1 0" },
    { .name = "info", "slow dangerous", "nondeterministic_output request_policy:all_shards response_policy:special",
      "" },
    { .name = "keys", "keyspace read slow dangerous", "request_policy:all_shards nondeterministic_output_order", "" },
    { .name = "lastsave", "admin fast dangerous", "nondeterministic_output", "" },
    { .name = "latency", "slow", "", "" },
    { .name = "latency|graph", "admin slow dangerous",
      "nondeterministic_output request_policy:all_nodes response_policy:special", "" },
    { .name = "latency|help", "slow", "", "" },
    { .name = "latency|histogram", "admin slow dangerous",
      "nondeterministic_output request_policy:all_nodes response_policy:special", "" },
    { .name = "latency|history", "admin slow dangerous",
      "nondeterministic_output request_policy:all_nodes response_policy:special",
      "" },
    { .name = "latency|latest", "admin slow dangerous",
      "nondeterministic_output request_policy:all_nodes response_policy:special",
      "" },
    { .name = "latency|reset", "admin slow dangerous", "request_policy:all_nodes response_policy:all_succeeded", "" },
    { .name = "latency|reset", "admin slow dangerous", "request_policy:all_nodes response_policy:agg_sum",
      "", SINCE(7, 2, 0, 0) },
    { .name = "lcs", "read string slow", "", "RO access @1 1 1 0" },
    { .name = "lindex", "read list slow", "", "RO access @1 0 1 0" },
    { .name = "linsert", "write list slow", "", "RW insert @1 0 1 0" },
    { .name = "llen", "read list fast", "", "RO @1 0 1 0" },
    { .name = "lmove", "write list slow", "", "RW access delete @1 0 1 0; RW insert @2 0 1 0" },
    { .name = "lmpop", "write list slow", "", "RW access delete @1 #0 1 1" },
    { .name = "lpop", "write list fast", "", "RW access delete @1 0 1 0" },
    { .name = "lpos", "read list slow", "", "RO access @1 0 1 0" },
    { .name = "lpush", "write list fast", "", "RW insert @1 0 1 0" },
    { .name = "lpushx", "write list fast", "", "RW insert @1 0 1 0" },
    { .name = "lrange", "read list slow", "", "RO access @1 0 1 0" },
    { .name = "lrem", "write list slow", "", "RW delete @1 0 1 0" },
    { .name = "lset", "write list slow", "", "RW update @1 0 1 0" },
    { .name = "ltrim", "write list slow", "", "RW delete @1 0 1 0" },
    { .name = "memory|doctor", "slow", "nondeterministic_output request_policy:all_shards response_policy:special",
      "" },
    { .name = "memory|help", "slow", "", "" },
    { .name = "memory|malloc-stats", "slow",
      "nondeterministic_output request_policy:all_shards response_policy:special", "" },
    { .name = "memory|purge", "slow", "request_policy:all_shards response_policy:all_succeeded", "" },
    { .name = "memory|stats", "slow", "nondeterministic_output request_policy:all_shards response_policy:special", "" },
    { .name = "memory|usage", "read slow", "", "RO @2 0 1 0" },
    { .name = "mget", "read string fast", "request_policy:multi_shard", "RO access @1 -1 1 0" },
    { .name = "module", "slow", "", "" },
    { .name = "module|help", "slow", "", "" },
    { .name = "module|list", "admin slow dangerous", "nondeterministic_output_order", "" },
    { .name = "monitor", "admin slow dangerous", "", "" },
    { .name = "move", "keyspace write fast", "", "RW access update @1 0 1 0" },
    { .name = "mset", "write string slow", "request_policy:multi_shard response_policy:all_succeeded",
      "OW update @1 -1 2 0" },
    { .name = "msetnx", "write string slow", "request_policy:multi_shard response_policy:agg_min",
      "OW insert @1 -1 2 0" },
    { .name = "msetnx", "write string slow", "", "OW insert @1 -1 2 0", SINCE(7, 2, 0, 0) },
    { .name = "multi", "fast transaction", "", "" },
    { .name = "object", "slow", "", "" },
    { .name = "object|encoding", "keyspace read slow", "nondeterministic_output", "RO @2 0 1 0" },
    { .name = "object|freq", "keyspace read slow", "nondeterministic_output", "RO @2 0 1 0" },
    { .name = "object|help", "keyspace slow", "", "" },
    { .name = "object|idletime", "keyspace read slow", "nondeterministic_output", "RO @2 0 1 0" },
    { .name = "object|refcount", "keyspace read slow", "nondeterministic_output", "RO @2 0 1 0" },
    { .name = "persist", "keyspace write fast", "", "RW update @1 0 1 0" },
    { .name = "pexpire", "keyspace write fast", "", "RW update @1 0 1 0" },
    { .name = "pexpireat", "keyspace write fast", "", "RW update @1 0 1 0" },
    { .name = "pexpiretime", "keyspace read fast", "", "RO access @1 0 1 0" },
    { .name = "pfadd", "write hyperloglog fast", "", "RW insert @1 0 1 0" },
    { .name = "pfcount", "read hyperloglog slow", "", "RW access @1 -1 1 0" },
    { .name = "pfdebug", "write hyperloglog admin slow dangerous", "", "RW access @2 0 1 0" },
    { .name = "pfmerge", "write hyperloglog slow", "", "RW access insert @1 0 1 0; RO access @2 -1 1 0" },
    { .name = "pfselftest", "hyperloglog admin slow dangerous", "", "" },
    { .name = "ping", "fast connection", "request_policy:all_shards response_policy:all_succeeded", "" },
    { .name = "psetex", "write string slow", "", "OW update @1 0 1 0" },
    { .name = "psubscribe", "pubsub slow", "", "" },
    { .name = "pttl", "keyspace read fast", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "publish", "pubsub fast", "", "" },
    { .name = "pubsub", "slow", "", "" },
    { .name = "pubsub|channels", "pubsub slow", "", "" },
    { .name = "pubsub|help", "slow", "", "" },
    { .name = "pubsub|numpat", "pubsub slow", "", "" },
    { .name = "pubsub|numsub", "pubsub slow", "", "" },
    { .name = "pubsub|shardchannels", "pubsub slow", "", "" },
    { .name = "pubsub|shardnumsub", "pubsub slow", "", "" },
    { .name = "punsubscribe", "pubsub slow", "", "" },
    { .name = "quit", "fast connection", "", "" },
    { .name = "randomkey", "keyspace read slow", "request_policy:all_shards nondeterministic_output", "" },
    { .name = "randomkey", "keyspace read slow",
      "request_policy:all_shards response_policy:special nondeterministic_output",
      "", SINCE(7, 2, 0, 0) },
    { .name = "rename", "keyspace write slow", "", "RW access delete @1 0 1 0; OW update @2 0 1 0" },
    { .name = "renamenx", "keyspace write fast", "", "RW access delete @1 0 1 0; OW insert @2 0 1 0" },
    { .name = "replicaof", "admin slow dangerous", "", "" },
    { .name = "reset", "fast connection", "", "" },
    { .name = "restore", "keyspace write slow dangerous", "", "OW update @1 0 1 0" },
    { .name = "restore-asking", "keyspace write slow dangerous", "", "OW update @1 0 1 0" },
    { .name = "role", "admin fast dangerous", "", "" },
    { .name = "rpop", "write list fast", "", "RW access delete @1 0 1 0" },
    { .name = "rpoplpush", "write list slow", "", "RW access delete @1 0 1 0; RW insert @2 0 1 0" },
    { .name = "rpush", "write list fast", "", "RW insert @1 0 1 0" },
    { .name = "rpushx", "write list fast", "", "RW insert @1 0 1 0" },
    { .name = "sadd", "write set fast", "", "RW insert @1 0 1 0" },
    { .name = "save", "admin slow dangerous", "", "" },
    { .name = "scan", "keyspace read slow", "nondeterministic_output request_policy:special", "" },
    { .name = "scan", "keyspace read slow", "nondeterministic_output request_policy:special response_policy:special",
      "", SINCE(7, 2, 0, 0) },
    { .name = "scard", "read set fast", "", "RO @1 0 1 0" },
    { .name = "script", "slow", "", "" },
    { .name = "script|exists", "slow scripting", "request_policy:all_shards response_policy:agg_logical_and", "" },
    { .name = "script|show", "slow scripting", "", "" },
    { .name = "script|flush", "slow scripting", "request_policy:all_nodes response_policy:all_succeeded", "" },
    { .name = "script|help", "slow scripting", "", "" },
    { .name = "script|kill", "slow scripting", "request_policy:all_shards response_policy:one_succeeded", "" },
    { .name = "script|load", "slow scripting", "request_policy:all_nodes response_policy:all_succeeded", "" },
    { .name = "sdiff", "read set slow", "nondeterministic_output_order", "RO access @1 -1 1 0" },
    { .name = "sdiffstore", "write set slow", "", "OW update @1 0 1 0; RO access @2 -1 1 0" },
    { .name = "select", "fast connection", "", "" },
    { .name = "set", "write string slow", "", "RW access update variable_flags @1 0 1 0" },
    { .name = "setbit", "write bitmap slow", "", "RW access update @1 0 1 0" },
    { .name = "setex", "write string slow", "", "OW update @1 0 1 0" },
    { .name = "setnx", "write string fast", "", "OW insert @1 0 1 0" },
    { .name = "setrange", "write string slow", "", "RW update @1 0 1 0" },
    { .name = "shutdown", "admin slow dangerous", "", "" },
    { .name = "sinter", "read set slow", "nondeterministic_output_order", "RO access @1 -1 1 0" },
    { .name = "sintercard", "read set slow", "", "RO access @1 #0 1 1" },
    { .name = "sinterstore", "write set slow", "", "RW update @1 0 1 0; RO access @2 -1 1 0" },
    { .name = "sinterstore", "write set slow", "", "OW update @1 0 1 0; RO access @2 -1 1 0", SINCE(7, 2, 0, 0) },
    { .name = "sismember", "read set fast", "", "RO @1 0 1 0" },
    { .name = "slaveof", "admin slow dangerous", "", "" },
    { .name = "slowlog", "slow", "", "" },
    { .name = "slowlog|get", "admin slow dangerous", "request_policy:all_nodes nondeterministic_output", "" },
    { .name = "slowlog|help", "slow", "", "" },
    { .name = "slowlog|len", "admin slow dangerous",
      "request_policy:all_nodes response_policy:agg_sum nondeterministic_output",
      "" },
    { .name = "slowlog|reset", "admin slow dangerous", "request_policy:all_nodes response_policy:all_succeeded", "" },
    { .name = "smembers", "read set slow", "nondeterministic_output_order", "RO access @1 0 1 0" },
    { .name = "smismember", "read set fast", "", "RO access @1 0 1 0" },
    { .name = "smove", "write set fast", "", "RW access delete @1 0 1 0; RW insert @2 0 1 0" },
    { .name = "sort", "write set sortedset list slow dangerous", "",
      "RO access @1 0 1 0; RO access ? ?; OW update ? ?" },
    { .name = "sort_ro", "read set sortedset list slow dangerous", "", "RO access @1 0 1 0; RO access ? ?" },
    { .name = "spop", "write set fast", "nondeterministic_output", "RW access delete @1 0 1 0" },
    { .name = "spublish", "pubsub fast", "", "not_key @1 0 1 0" },
    { .name = "srandmember", "read set slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "srem", "write set fast", "", "RW delete @1 0 1 0" },
    { .name = "sscan", "read set slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "ssubscribe", "pubsub slow", "", "not_key @1 -1 1 0" },
    { .name = "strlen", "read string fast", "", "RO @1 0 1 0" },
    { .name = "subscribe", "pubsub slow", "", "" },
    { .name = "substr", "read string slow", "", "RO access @1 0 1 0" },
    { .name = "sunion", "read set slow", "nondeterministic_output_order", "RO access @1 -1 1 0" },
    { .name = "sunionstore", "write set slow", "", "OW update @1 0 1 0; RO access @2 -1 1 0" },
    { .name = "sunsubscribe", "pubsub slow", "", "not_key @1 -1 1 0" },
    { .name = "swapdb", "keyspace write fast dangerous", "", "" },
    { .name = "time", "fast", "nondeterministic_output", "" },
    { .name = "touch", "keyspace read fast", "request_policy:multi_shard response_policy:agg_sum", "RO @1 -1 1 0" },
    { .name = "ttl", "keyspace read fast", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "type", "keyspace read fast", "", "RO @1 0 1 0" },
    { .name = "unlink", "keyspace write fast", "request_policy:multi_shard response_policy:agg_sum",
      "RM delete @1 -1 1 0" },
    { .name = "unsubscribe", "pubsub slow", "", "" },
    { .name = "unwatch", "fast transaction", "", "" },
    { .name = "wait", "slow connection", "request_policy:all_shards response_policy:agg_min", "" },
    { .name = "wait", "slow blocking connection", "request_policy:all_shards response_policy:agg_min", "",
      SINCE(7, 2, 0, 0) },
    { .name = "waitaof", "slow blocking connection", "request_policy:all_shards response_policy:agg_min", "" },
    { .name = "watch", "fast transaction", "", "RO @1 -1 1 0" },
    { .name = "xack", "write stream fast", "", "RW update @1 0 1 0" },
    { .name = "xadd", "write stream fast", "nondeterministic_output", "RW update @1 0 1 0" },
    { .name = "xautoclaim", "write stream fast", "nondeterministic_output", "RW delete @1 0 1 0" },
    { .name = "xclaim", "write stream fast", "nondeterministic_output", "RW update @1 0 1 0" },
    { .name = "xdel", "write stream fast", "", "RW delete @1 0 1 0" },
    { .name = "xgroup", "slow", "", "" },
    { .name = "xgroup|create", "write stream slow", "", "RW insert @2 0 1 0" },
    { .name = "xgroup|createconsumer", "write stream slow", "", "RW insert @2 0 1 0" },
    { .name = "xgroup|delconsumer", "write stream slow", "", "RW delete @2 0 1 0" },
    { .name = "xgroup|destroy", "write stream slow", "", "RW delete @2 0 1 0" },
    { .name = "xgroup|help", "stream slow", "", "" },
    { .name = "xgroup|setid", "write stream slow", "", "RW update @2 0 1 0" },
    { .name = "xinfo", "slow", "", "" },
    { .name = "xinfo|consumers", "read stream slow", "nondeterministic_output", "RO access @2 0 1 0" },
    { .name = "xinfo|groups", "read stream slow", "", "RO access @2 0 1 0" },
    { .name = "xinfo|help", "stream slow", "", "" },
    { .name = "xinfo|stream", "read stream slow", "", "RO access @2 0 1 0" },
    { .name = "xlen", "read stream fast", "", "RO @1 0 1 0" },
    { .name = "xpending", "read stream slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "xrange", "read stream slow", "", "RO access @1 0 1 0" },
    { .name = "xread", "read stream slow blocking", "", "RO access STREAMS@1 -1 1 2" },
    { .name = "xreadgroup", "write stream slow blocking", "", "RO access STREAMS@4 -1 1 2" },
    { .name = "xrevrange", "read stream slow", "", "RO access @1 0 1 0" },
    { .name = "xsetid", "write stream fast", "", "RW update @1 0 1 0" },
    { .name = "xtrim", "write stream slow", "nondeterministic_output", "RW delete @1 0 1 0" },
    { .name = "zadd", "write sortedset fast", "", "RW update @1 0 1 0" },
    { .name = "zcard", "read sortedset fast", "", "RO @1 0 1 0" },
    { .name = "zcount", "read sortedset fast", "", "RO access @1 0 1 0" },
    { .name = "zdiff", "read sortedset slow", "", "RO access @1 #0 1 1" },
    { .name = "zdiffstore", "write sortedset slow", "", "OW update @1 0 1 0; RO access @2 #0 1 1" },
    { .name = "zincrby", "write sortedset fast", "", "RW access update @1 0 1 0" },
    { .name = "zinter", "read sortedset slow", "", "RO access @1 #0 1 1" },
    { .name = "zintercard", "read sortedset slow", "", "RO access @1 #0 1 1" },
    { .name = "zinterstore", "write sortedset slow", "", "OW update @1 0 1 0; RO access @2 #0 1 1" },
    { .name = "zlexcount", "read sortedset fast", "", "RO access @1 0 1 0" },
    { .name = "zmpop", "write sortedset slow", "", "RW access delete @1 #0 1 1" },
    { .name = "zmscore", "read sortedset fast", "", "RO access @1 0 1 0" },
    { .name = "zpopmax", "write sortedset fast", "", "RW access delete @1 0 1 0" },
    { .name = "zpopmin", "write sortedset fast", "", "RW access delete @1 0 1 0" },
    { .name = "zrandmember", "read sortedset slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "zrange", "read sortedset slow", "", "RO access @1 0 1 0" },
    { .name = "zrangebylex", "read sortedset slow", "", "RO access @1 0 1 0" },
    { .name = "zrangebyscore", "read sortedset slow", "", "RO access @1 0 1 0" },
    { .name = "zrangestore", "write sortedset slow", "", "OW update @1 0 1 0; RO access @2 0 1 0" },
    { .name = "zrank", "read sortedset fast", "", "RO access @1 0 1 0" },
    { .name = "zrem", "write sortedset fast", "", "RW delete @1 0 1 0" },
    { .name = "zremrangebylex", "write sortedset slow", "", "RW delete @1 0 1 0" },
    { .name = "zremrangebyrank", "write sortedset slow", "", "RW delete @1 0 1 0" },
    { .name = "zremrangebyscore", "write sortedset slow", "", "RW delete @1 0 1 0" },
    { .name = "zrevrange", "read sortedset slow", "", "RO access @1 0 1 0" },
    { .name = "zrevrangebylex", "read sortedset slow", "", "RO access @1 0 1 0" },
    { .name = "zrevrangebyscore", "read sortedset slow", "", "RO access @1 0 1 0" },
    { .name = "zrevrank", "read sortedset fast", "", "RO access @1 0 1 0" },
    { .name = "zscan", "read sortedset slow", "nondeterministic_output", "RO access @1 0 1 0" },
    { .name = "zscore", "read sortedset fast", "", "RO access @1 0 1 0" },
    { .name = "zunion", "read sortedset slow", "", "RO access @1 #0 1 1" },
    { .name = "zunionstore", "write sortedset slow", "", "OW update @1 0 1 0; RO access @2 #0 1 1" },
};

static const facts *facts_of(const command *row, dialect d)
{
    const facts *found = NULL;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].name, row->name) == 0 && dialect_has(d, rows[i].since))
            found = &rows[i];
    return found;
}

bool facts_known(const command *row, dialect d) { return facts_of(row, d) != NULL; }

/* The next word; .n 0: there is none. */
static str next_word(str *left, char until)
{
    size_t end = str_find(*left, until, 0);
    str word = str_slice(*left, 0, end);
    *left = str_slice(*left, end + 1, left->n);
    return word;
}

/* ---- categories and tips ---- */

bool facts_in_category(const command *row, dialect d, str category)
{
    const facts *f = facts_of(row, d);
    str left = str_from(f ? f->categories : "");
    for (str word; (word = next_word(&left, ' ')).n;)
        if (str_eq_nocase(word, category))
            return true;
    return false;
}

static size_t count_words(const char *text)
{
    size_t n = *text != '\0';
    for (; *text; text++)
        n += *text == ' ';
    return n;
}

reply facts_categories(const call *c, const command *row)
{
    const facts *f = facts_of(row, c->server->dialect);
    const char *text = f ? f->categories : "";
    str left = str_from(text);
    reply all = reply_items(c->out, REPLY_SET, count_words(text));
    for (size_t i = 0; i < all.count; i++) {
        str word = next_word(&left, ' ');
        all.items[i] = reply_status(arena_printf(c->out, "@%.*s", STR_ARG(word)));
    }
    return all;
}

reply facts_tips(const call *c, const command *row)
{
    const facts *f = facts_of(row, c->server->dialect);
    const char *text = f ? f->tips : "";
    str left = str_from(text);
    reply all = reply_items(c->out, REPLY_SET, count_words(text));
    for (size_t i = 0; i < all.count; i++)
        all.items[i] = reply_bulk(next_word(&left, ' '));
    return all;
}

/* ---- keys ---- */

typedef enum { BY_INDEX, BY_WORD, UNKNOWN, BY_RANGE, BY_NUMBER } key_place;

/* One of a command's key specifications. */
typedef struct {
    str flags;
    key_place begin, find;
    str word;                                      /* BY_WORD */
    int64_t from;                                  /* the index, or where the search for the word begins */
    int64_t numbers[3];                            /* of a range: last, step, limit; of a number: its place, first,
                                                    * step */
} key_spec;

static bool is_place(str word) { return str_eq(word, S("?")) || str_find(word, '@', 0) < word.n; }

static key_spec read_spec(str text)
{
    key_spec s = { .begin = UNKNOWN, .find = UNKNOWN };
    str left = text, word;
    while (!is_place(word = next_word(&left, ' ')))
        s.flags = str_slice(text, 0, (size_t)(word.p - text.p) + word.n);
    size_t at = str_find(word, '@', 0);
    if (at < word.n) {
        s.begin = at ? BY_WORD : BY_INDEX;
        s.word = str_slice(word, 0, at);
        parse_int(str_slice(word, at + 1, word.n), &s.from);
    }
    for (size_t i = 0; i < COUNT(s.numbers) && (word = next_word(&left, ' ')).n && word.p[0] != '?'; i++) {
        bool number = word.p[0] == '#';
        if (i == 0)
            s.find = number ? BY_NUMBER : BY_RANGE;
        parse_int(str_slice(word, number, word.n), &s.numbers[i]);
    }
    return s;
}

static reply status_set(const call *c, str words)
{
    size_t n = words.n > 0, i = 0;
    for (size_t k = 0; k < words.n; k++)
        n += words.p[k] == ' ';
    reply all = reply_items(c->out, REPLY_SET, n);
    for (; i < n; i++)
        all.items[i] = reply_status(next_word(&words, ' '));
    return all;
}

/* type, and spec: names and numbers */
static reply part(const call *c, const char *type, reply spec)
{
    reply all = reply_items(c->out, REPLY_MAP, 4);
    all.items[0] = reply_bulk(S("type"));
    all.items[1] = reply_bulk(str_from(type));
    all.items[2] = reply_bulk(S("spec"));
    all.items[3] = spec;
    return all;
}

static reply numbers(const call *c, const char *const *names, const int64_t *values, size_t n)
{
    reply all = reply_items(c->out, REPLY_MAP, 2 * n);
    for (size_t i = 0; i < n; i++) {
        all.items[2 * i] = reply_bulk(str_from(names[i]));
        all.items[2 * i + 1] = reply_integer(values[i]);
    }
    return all;
}

static reply begin_of(const call *c, const key_spec *s)
{
    if (s->begin == UNKNOWN)
        return part(c, "unknown", reply_items(c->out, REPLY_MAP, 0));
    if (s->begin == BY_INDEX)
        return part(c, "index", numbers(c, (const char *const[]){ "index" }, &s->from, 1));
    reply spec = reply_items(c->out, REPLY_MAP, 4);
    spec.items[0] = reply_bulk(S("keyword"));
    spec.items[1] = reply_bulk(s->word);
    spec.items[2] = reply_bulk(S("startfrom"));
    spec.items[3] = reply_integer(s->from);
    return part(c, "keyword", spec);
}

static reply find_of(const call *c, const key_spec *s)
{
    static const char *const range[] = { "lastkey", "keystep", "limit" },
                             *const number[] = { "keynumidx", "firstkey", "keystep" };
    if (s->find == UNKNOWN)
        return part(c, "unknown", reply_items(c->out, REPLY_MAP, 0));
    bool ranged = s->find == BY_RANGE;
    return part(c, ranged ? "range" : "keynum", numbers(c, ranged ? range : number, s->numbers, COUNT(s->numbers)));
}

static reply spec_reply(const call *c, const key_spec *s, bool incomplete)
{
    reply all = reply_items(c->out, REPLY_MAP, 6);
    str flags = incomplete ? arena_printf(c->out, "%.*s incomplete", STR_ARG(s->flags)) : s->flags;
    all.items[0] = reply_bulk(S("flags"));
    all.items[1] = status_set(c, flags);
    all.items[2] = reply_bulk(S("begin_search"));
    all.items[3] = begin_of(c, s);
    all.items[4] = reply_bulk(S("find_keys"));
    all.items[5] = find_of(c, s);
    return all;
}

/* The next one of them; false after the last. */
static bool next_spec(str *left, key_spec *s)
{
    if (!left->n)
        return false;
    *s = read_spec(next_word(left, ';'));
    *left = str_slice(*left, 1, left->n);          /* the blank after it */
    return true;
}

static str specs_of(const call *c, const command *row)
{
    const facts *f = facts_of(row, c->server->dialect);
    return str_from(f ? f->keys : "");
}

reply facts_keys(const call *c, const command *row)
{
    key_spec s;
    size_t n = 0;
    str left = specs_of(c, row);
    while (next_spec(&left, &s))
        n++;
    reply all = reply_items(c->out, REPLY_SET, n);
    bool incomplete = (row->flags & CMD_STREAMS && server_follows(c->server, RULE_STRICT_STREAMS)) ||
                      (row->flags & CMD_STORES && server_follows(c->server, RULE_LAST_STORE) &&
                       c->server->dialect.lineage == LINEAGE_REDIS);
    left = specs_of(c, row);
    for (size_t i = 0; next_spec(&left, &s); i++)
        all.items[i] = spec_reply(c, &s, incomplete && s.begin == BY_WORD);
    return all;
}

/* Where its keys begin in argv; 0: nowhere. */
static size_t begins_at(const key_spec *s, const str *argv, size_t argc)
{
    if (s->begin == BY_INDEX)
        return (size_t)s->from;
    for (size_t i = s->begin == BY_WORD && s->from > 0 ? (size_t)s->from : argc; i < argc; i++)
        if (str_eq_nocase(argv[i], s->word))
            return i + 1;
    return 0;
}

/* argv[at] is one of its keys. */
static bool spec_holds(const key_spec *s, const str *argv, size_t argc, size_t at)
{
    size_t first = begins_at(s, argv, argc), last = 0;
    int64_t n, end = (int64_t)argc, step = s->numbers[s->find == BY_RANGE ? 1 : 2];
    if (!first || s->find == UNKNOWN || first >= argc)
        return false;
    if (s->find == BY_RANGE) {
        int64_t to = s->numbers[0], limit = s->numbers[2];
        int64_t from = (int64_t)first, behind = limit ? from + (end - from) / limit : end;
        last = (size_t)(to >= 0 ? from + to : behind + to);
    } else {
        if (!parse_int(argv[first], &n) || n < 1 || n > end)
            return false;
        first += (size_t)s->numbers[1];
        last = first + (size_t)((n - 1) * step);
    }
    return at >= first && at <= last && (at - first) % (size_t)step == 0;
}

/* What a command does with its key by what else it says. */
static str flags_by_words(const command *row, const str *argv, size_t argc, str flags)
{
    bool writes = false;
    if (strcmp(row->name, "set") == 0) {
        for (size_t i = 3; i < argc; i++)
            writes |= str_eq_nocase(argv[i], S("get"));
        return writes ? flags : S("OW update");
    }
    if (strcmp(row->name, "bitfield") == 0) {
        for (size_t i = 2; i < argc; i++)
            writes |= str_eq_nocase(argv[i], S("set")) || str_eq_nocase(argv[i], S("incrby"));
        return writes ? flags : S("RO access");
    }
    return flags;
}

reply facts_of_key(const call *c, const command *row, const str *argv, size_t argc, size_t at)
{
    key_spec s;
    str left = specs_of(c, row), flags = S("OW update");   /* SORT's STORE, which may stand anywhere */
    bool found = false;
    while (!found && next_spec(&left, &s))
        if ((found = spec_holds(&s, argv, argc, at)))
            flags = flags_by_words(row, argv, argc, s.flags);
    str kept = str_slice(flags, 0, flags.n - (str_ends(flags, S(" variable_flags")) ? strlen(" variable_flags") : 0));
    return status_set(c, kept);
}
