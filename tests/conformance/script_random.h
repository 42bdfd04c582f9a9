/* script_random.h - random small scripts that every server must answer alike: no addresses, no crash of the real server, and
 * little enough work for any budget. Each is a few statements over the locals a, b, c and a `return`. */
#ifndef LOCKSIM_TESTS_SCRIPT_RANDOM_H
#define LOCKSIM_TESTS_SCRIPT_RANDOM_H

#include <string.h>

#include "base/buf.h"
#include "base/rng.h"

static void random_value(rng *g, buf *out, int depth);

static const char *random_word(rng *g, const char *const *words, size_t n)
{
    return words[rng_below(g, n)];
}
#define WORD(g, words) random_word((g), (words), COUNT(words))

static void random_string(rng *g, buf *out)
{
    static const char *const words[] = { "''", "'a'", "'b'", "'ab'", "'12'", "'-3'", "'1.5'", "'0x1f'", "'a b'", "'x=y,z=w'", "'%a+'", "'(%w)'",
                                         "'[^%s]'", "'%d*'", "'^a'", "'b$'", "'.-'", "'a\\0b'", "'\\r\\n'", "'\\255'", "'1e3'", "'inf'", "'[1,2]'",
                                         "'{\"k\":[1,null]}'", "'>I2s'", "'Bc0'", "'\\147\\1\\2\\3'", "'ERR x'", "'s'", "'h'", "'q'", "'z'", "'k'" };
    buf_addz(out, WORD(g, words));
}

static void random_number(rng *g, buf *out)
{
    static const char *const words[] = { "0", "1", "2", "3", "-1", "7", "10", "255", "256", "1.5", "-2.5", "1e15", "1e17", "2^53", "2^31", "-2^31",
                                         "0.1", "1/3", "100", "-0.5", "65536", "3.99" };
    buf_addz(out, WORD(g, words));
}

static void random_command(rng *g, buf *out)
{
    static const char *const names[] = { "get", "set", "del", "exists", "incr", "incrby", "hset", "hget", "hgetall", "hincrby", "hdel", "lpush",
                                         "rpush", "lpop", "lrange", "llen", "lindex", "zadd", "zscore", "zrange", "zrem", "zincrby", "sadd", "smembers",
                                         "type", "pttl", "pexpire", "persist", "strlen", "append", "echo", "ping", "setnx", "mget", "hmget", "zcard",
                                         "publish", "hexists", "lrem", "getset", "nosuch", "eval", "zpopmin", "getrange", "hlen" };
    static const char *const args[] = { "'s'", "'h'", "'q'", "'z'", "'k'", "KEYS[1]", "ARGV[1]", "ARGV[2]", "0", "1", "-1", "'a'", "'f'", "5", "'withscores'",
                                        "'nx'", "1.5", "2^40", "'x y'", "''", "a", "b", "nil", "{}" };
    buf_printf(out, "redis.%s('%s'", rng_below(g, 3) ? "pcall" : "call", WORD(g, names));
    for (uint64_t n = rng_below(g, 5); n > 0; n--)
        buf_printf(out, ",%s", WORD(g, args));
    buf_addz(out, ")");
}

static void random_call(rng *g, buf *out, int depth)
{
    static const char *const functions[] = {
        "tostring", "tonumber", "type", "string.sub", "string.rep", "string.find", "string.match", "string.gsub", "string.format", "string.byte",
        "string.char", "string.len", "string.upper", "string.reverse", "table.concat", "table.maxn", "table.getn", "math.floor", "math.max", "math.abs",
        "math.fmod", "select", "unpack", "next", "rawget", "rawequal", "pcall", "cjson.encode", "cjson.decode", "cmsgpack.pack", "cmsgpack.unpack",
        "struct.pack", "struct.unpack", "struct.size", "bit.band", "bit.bxor", "bit.lshift", "bit.tohex", "redis.sha1hex", "redis.error_reply",
        "redis.status_reply", "loadstring", "table.remove", "math.random", "string.lower", "cmsgpack.unpack_one", "setmetatable", "getmetatable", "ipairs",
        "assert", "error", "rawset", "table.insert", "table.sort", "coroutine.wrap", "redis.setresp",
    };
    const char *name = WORD(g, functions);
    /* A table shown by tostring, and an error object without `err`, have no counterpart; neither has a repetition of 2^53. */
    bool text_only = strcmp(name, "tostring") == 0 || strcmp(name, "error") == 0 || strcmp(name, "assert") == 0;
    if (strcmp(name, "string.rep") == 0) {
        buf_addz(out, "string.rep(");
        random_string(g, out);
        buf_printf(out, ",%d)", (int)rng_below(g, 5) - 1);
        return;
    }
    if (strcmp(name, "table.insert") == 0) {             /* at a far place the real one moves nothing for minutes */
        buf_printf(out, "table.insert(c,%d,", (int)rng_below(g, 5) - 1);
        random_value(g, out, depth - 1);
        buf_addz(out, ")");
        return;
    }
    buf_printf(out, "%s(", name);
    for (uint64_t i = 0, n = rng_below(g, 4); i < n; i++) {
        if (i > 0)
            buf_addz(out, ",");
        if (text_only)
            random_string(g, out);
        else
            random_value(g, out, depth - 1);
    }
    buf_addz(out, ")");
}

static void random_table(rng *g, buf *out, int depth)
{
    static const char *const keys[] = { "ok", "err", "double", "map", "set", "x", "y", "verbatim_string", "big_number", "format", "string" };
    buf_addz(out, "{");
    for (uint64_t n = rng_below(g, 4); n > 0; n--) {
        if (rng_below(g, 3) == 0)
            buf_printf(out, "%s=", WORD(g, keys));
        else if (rng_below(g, 5) == 0)
            buf_printf(out, "[%d]=", (int)rng_below(g, 6) - 1);
        random_value(g, out, depth - 1);
        buf_addz(out, ",");
    }
    buf_addz(out, "}");
}

static void random_value(rng *g, buf *out, int depth)
{
    static const char *const simple[] = { "nil", "true", "false", "a", "b", "c", "KEYS", "ARGV", "KEYS[1]", "ARGV[2]", "cjson.null", "#ARGV" };
    static const char *const binary[] = { "+", "-", "*", "/", "%", "..", "==", "~=", "<", "<=", " and ", " or " };
    uint64_t kind = rng_below(g, depth > 0 ? 12 : 5);
    if (kind < 2)
        random_string(g, out);
    else if (kind < 4)
        random_number(g, out);
    else if (kind < 5)
        buf_addz(out, WORD(g, simple));
    else if (kind < 6)
        random_table(g, out, depth);
    else if (kind < 8)
        random_command(g, out);
    else if (kind < 10)
        random_call(g, out, depth);
    else if (kind < 11) {
        buf_addz(out, "(");
        random_value(g, out, depth - 1);
        buf_addz(out, WORD(g, binary));
        random_value(g, out, depth - 1);
        buf_addz(out, ")");
    } else {
        buf_addz(out, "(function(...) return ");
        random_value(g, out, depth - 1);
        buf_addz(out, " end)()");
    }
}

static void script_random(rng *g, buf *out)
{
    static const char *const vars[] = { "a", "b", "c" };
    buf_addz(out, "local a,b,c=1,'b',{}\n");
    for (uint64_t n = rng_below(g, 4); n > 0; n--) {
        switch (rng_below(g, 5)) {
        case 0:
            buf_addz(out, "if ");
            random_value(g, out, 1);
            buf_printf(out, " then %s=", WORD(g, vars));
            random_value(g, out, 2);
            buf_addz(out, " end\n");
            break;
        case 1:
            buf_printf(out, "for i=1,%d do %s=", (int)rng_below(g, 4), WORD(g, vars));
            random_value(g, out, 2);
            buf_addz(out, " end\n");
            break;
        default:
            buf_printf(out, "%s=", WORD(g, vars));
            random_value(g, out, 3);
            buf_addz(out, "\n");
            break;
        }
    }
    buf_addz(out, rng_below(g, 3) ? "return " : "return {");
    bool table = out->p[out->n - 1] == '{';
    random_value(g, out, 3);
    if (table) {
        buf_addz(out, ",");
        random_value(g, out, 3);
        buf_addz(out, ",a,b,c}");
    }
}

#endif
