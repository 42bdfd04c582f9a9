/* library_commands.c - every command that the scripts and clients of sixteen lock, queue and limiter libraries use
 * exists, from a client and from a script, and refuses what the real server refuses.
 * Usage: library_commands SOCKET CLOCK_FILE          server.sh gives both
 *
 * The libraries: Redisson, node-redlock, redis-semaphore, redis-py, redlock-py, redlock-rb, redsync, redislock for Go,
 * spring-integration, python-redis-lock, redis_rate, rate-limiter-flexible, limits for Python, sidekiq-unique-jobs,
 * bottleneck, bullmq. Each command is tried with up to WORDS_MAX arguments, which are no command's right ones: numbers
 * of arguments, and what is looked at first, show then. */
#include <stdio.h>
#include <string.h>

#include "real.h"
#include "redis/redis.h"
#include "script/script.h"

#define START_MS INT64_C(1700000000000)
enum { WORDS_MAX = 6 };

static const char *const names[] = {
    "DEL", "GET", "SET", "PEXPIRE", "EXISTS", "PTTL", "HSET", "ZADD", "ZREM", "ZSCORE", "HDEL", "LPUSH", "LRANGE",
    "ZRANGE", "ZREMRANGEBYSCORE", "EXPIRE", "HEXISTS", "HGET", "HINCRBY", "HLEN", "HMGET", "INCR", "INCRBY", "LINDEX",
    "LREM", "PUBLISH", "RENAME", "TIME", "ZCARD", "ZRANGEBYSCORE", "HGETALL", "HKEYS", "HMSET", "HSETNX", "LLEN",
    "LPOP", "LTRIM", "RPOP", "RPUSH", "UNLINK", "ZCOUNT", "ZINCRBY", "DECR", "DECRBY", "GETRANGE", "HSTRLEN", "KEYS",
    "LMOVE", "LPOS", "LSET", "MGET", "MSET", "MSETNX", "PERSIST", "RPOPLPUSH", "SADD", "SCAN", "SCARD", "SISMEMBER",
    "SMEMBERS", "SPUBLISH", "SREM", "SSCAN", "TTL", "TYPE", "XADD", "XTRIM", "ZPOPMIN", "ZREMRANGEBYRANK", "ZREVRANGE",
    "ZREVRANGEBYSCORE", "ZSCAN",
    /* what the same libraries send outside their scripts */
    "EVAL", "EVALSHA", "SCRIPT", "SUBSCRIBE", "UNSUBSCRIBE", "SSUBSCRIBE", "SUNSUBSCRIBE", "MULTI", "EXEC", "WATCH",
    "UNWATCH", "DISCARD", "WAIT", "BLPOP", "BRPOP", "BRPOPLPUSH", "BLMOVE", "BZPOPMIN",
};

typedef struct {
    real_conn *theirs;
    redis *sim;
    redis_conn *conn;
    arena *a;
    buf their_reply, our_reply;
    uint64_t passed, failed;
} pair;

static void open_connections(pair *t, real *server)
{
    real_disconnect(t->theirs);
    redis_free(t->sim);
    t->theirs = real_connect(server);
    real_reset(t->theirs);
    t->sim = redis_new((redis_limits){ .dialect = real_dialect(server) });
    t->conn = redis_connect(t->sim, 1);
}

static bool same(pair *t, const str *argv, size_t argc)
{
    buf_clear(&t->their_reply);
    buf_clear(&t->our_reply);
    arena_reset(t->a);
    real_execute(t->theirs, argv, argc, &t->their_reply);
    reply r = redis_execute(t->sim, t->conn, argv, argc, START_MS, t->a);
    reply_encode(&r, 2, &t->our_reply);
    return str_eq(buf_str(&t->their_reply), buf_str(&t->our_reply));
}

/* Both servers might not know it, if this list had a misspelt name. */
static void judge(pair *t, bool is_same, const str *argv, size_t argc)
{
    if (is_same && !str_starts(buf_str(&t->our_reply), S("-ERR unknown command"))) {
        t->passed++;
        return;
    }
    t->failed++;
    buf b = { 0 };
    paste_command(argv, argc, &b);
    buf_addz(&b, "\n  real: ");
    show_bytes(buf_str(&t->their_reply), 300, &b);
    buf_addz(&b, "\n  ours: ");
    show_bytes(buf_str(&t->our_reply), 300, &b);
    printf("library_commands: %s\n", b.p);
    buf_free(&b);
}

/* SUBSCRIBE and its kin answer once for each channel, which only a client that counts can read: from scripts they are
 * refused all the same, and with no argument. */
static bool answers_often(str name) { return str_ends(name, S("SUBSCRIBE")); }

/* With these arguments it would, for time that stands still: a last one that is a number is how long. */
static bool waits(str name, size_t n)
{
    return (str_eq(name, S("WAIT")) && n == 2) || (str_starts(name, S("BRPOPLPUSH")) && n == 3) ||
           ((str_ends(name, S("POP")) || str_ends(name, S("POPMIN"))) && str_starts(name, S("B")) &&
            (n == 3 || n == 4 || n == 6));
}

static void try_command(pair *t, real *server, str name)
{
    static const str words[WORDS_MAX] = { { "a", 1 }, { "b", 1 }, { "3", 1 }, { "4", 1 }, { "e", 1 }, { "6", 1 } };
    str argv[4 + WORDS_MAX] = { S("eval"), S("return redis.call(unpack(ARGV))"), S("0"), name };
    memcpy(argv + 4, words, sizeof words);
    for (size_t n = 0; n <= WORDS_MAX; n++) {
        open_connections(t, server);
        if (!waits(name, n) && (!answers_often(name) || n == (size_t)str_starts(name, S("S"))))
            judge(t, same(t, argv + 3, 1 + n), argv + 3, 1 + n);
        open_connections(t, server);
        if (!str_eq(name, S("TIME")))
            judge(t, same(t, argv, 4 + n), argv, 4 + n);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: library_commands SOCKET CLOCK_FILE\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    real *server = real_open(argv[1], argv[2]);
    real_set_clock(server, START_MS);
    pair t = { .a = arena_new() };
    for (size_t i = 0; i < COUNT(names) && t.failed < 20; i++)
        try_command(&t, server, str_from(names[i]));
    redis_free(t.sim);
    arena_free(t.a);
    buf_free(&t.their_reply);
    buf_free(&t.our_reply);
    real_disconnect(t.theirs);
    real_close(server);
    return real_verdict(t.passed, t.failed);
}
