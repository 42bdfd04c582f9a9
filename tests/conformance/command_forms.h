/* command_forms.h - how commands are written, for generating random ones: a table of forms, and the hostile words that fill them.
 * A form is words: a literal; a|b, one of them; [..], there or not; {..}, once to three times; %x, a word of kind x:
 *   k  a key of the command's own family, mostly      K  any key         v  a value, field or member
 *   i  an integer        p  a position or short count  c  a count >= 0, mostly      o  an offset that costs no memory
 *   f  a score           b  a bound by score           y  a bound by member bytes
 *   t  a length of time  s  an instant in seconds      m  an instant in milliseconds
 *   g  a glob            u  a cursor                   N  numkeys and as many keys, mostly
 *   x  a script that makes the collection KEYS[1] large */
#ifndef LOCKSIM_TESTS_COMMAND_FORMS_H
#define LOCKSIM_TESTS_COMMAND_FORMS_H

#include "base/str.h"

/* A literal in a static table: S() is no constant expression. */
#define W(literal) { literal, sizeof(literal) - 1 }

/* The named list of what the two sides need not agree in, looked at only where their bytes differ. */
enum {
    ANY_ORDER = 1,         /* the elements of the reply, where Redis keeps them in a hash table */
    ANY_ORDER_PAIRS = 2,   /* the same by twos: HGETALL of a hash that is no listpack */
    RANDOM = 4,            /* which elements: both sides must give the same number of them */
    RANDOM_POP = 8,        /* the same, and the popped members are made equal afterwards */
    SCANS = 16,            /* order, and in how many rounds */
    REAPED = 64,           /* DBSIZE once a SCAN was run: which expired keys that deletes depends on where its rounds end */
    COMBINES = 32,         /* any order, whatever the encoding of the operands: SINTER and its kin */
};

typedef struct {
    char family;           /* s string, h hash, l list, S set, z sorted set, g any */
    const char *form;
    int leniency;
} command_form;

static const command_form command_forms[] = {
    /* lists */
    { 'l', "lpush|rpush %k {%v}", 0 },
    { 'l', "rpush %k {%v}", 0 },
    { 'l', "lpushx|rpushx %k {%v}", 0 },
    { 'l', "lpop|rpop %k [%c]", 0 },
    { 'l', "llen %k", 0 },
    { 'l', "lindex %k %p", 0 },
    { 'l', "lset %k %p %v", 0 },
    { 'l', "linsert %k before|after %v %v", 0 },
    { 'l', "lrem %k %p %v", 0 },
    { 'l', "lrange %k %p %p", 0 },
    { 'l', "ltrim %k %p %p", 0 },
    { 'l', "lpos %k %v [rank %p] [count %c] [maxlen %c]", 0 },
    { 'l', "lpos %k %v [maxlen %c] [rank %p] [count %c]", 0 },
    { 'l', "rpoplpush %k %k", 0 },
    { 'l', "lmove %k %k left|right left|right", 0 },
    { 'l', "lmpop %N left|right [count %c]", 0 },
    /* sets */
    { 'S', "sadd %k {%v}", 0 },
    { 'S', "sadd %k {%p}", 0 },
    { 'S', "srem %k {%v}", 0 },
    { 'S', "sismember %k %v", 0 },
    { 'S', "smismember %k {%v}", 0 },
    { 'S', "smembers %k", ANY_ORDER },
    { 'S', "scard %k", 0 },
    { 'S', "smove %k %k %v", 0 },
    { 'S', "spop %k", RANDOM_POP },
    { 'S', "spop %k %c", RANDOM_POP },
    { 'S', "srandmember %k [%p]", RANDOM },
    { 'S', "sinter|sunion|sdiff {%k}", COMBINES },
    { 'S', "sinterstore|sunionstore|sdiffstore {%k} %k", 0 },
    { 'S', "sintercard %N [limit %c]", 0 },
    { 'S', "sscan %k %u [match %g] [count %c]", SCANS },
    /* sorted sets */
    { 'z', "zadd %k {%f %v}", 0 },
    { 'z', "zadd %k {%f %v}", 0 },
    { 'z', "zadd %k [nx|xx] [gt|lt] [ch] {%f %v}", 0 },
    { 'z', "zadd %k [nx|xx] [ch] [gt|lt] incr %f %v", 0 },
    { 'z', "zincrby %k %f %v", 0 },
    { 'z', "zrem %k {%v}", 0 },
    { 'z', "zscore %k %v", 0 },
    { 'z', "zmscore %k {%v}", 0 },
    { 'z', "zcard %k", 0 },
    { 'z', "zrank|zrevrank %k %v", 0 },
    { 'z', "zcount %k %b %b", 0 },
    { 'z', "zlexcount %k %y %y", 0 },
    { 'z', "zpopmin|zpopmax %k [%c]", 0 },
    { 'z', "zmpop %N min|max [count %c]", 0 },
    { 'z', "zrandmember %k [%p]", RANDOM },
    { 'z', "zrandmember %k %p withscores", RANDOM },
    { 'z', "zrange %k %p %p [rev] [withscores]", 0 },
    { 'z', "zrange %k %b %b byscore [rev] [limit %p %p] [withscores]", 0 },
    { 'z', "zrange %k %y %y bylex [rev] [limit %p %p]", 0 },
    { 'z', "zrange %k %p|%b|%y %p|%b|%y [byscore|bylex] [rev] [limit %p %p] [withscores] [byscore|bylex|rev]", 0 },
    { 'z', "zrevrange %k %p %p [withscores]", 0 },
    { 'z', "zrangebyscore|zrevrangebyscore %k %b %b [withscores] [limit %p %p]", 0 },
    { 'z', "zrangebylex|zrevrangebylex %k %y %y [limit %p %p]", 0 },
    { 'z', "zrangestore %k %k %p %p [rev]", 0 },
    { 'z', "zrangestore %k %k %b %b byscore [rev] [limit %p %p]", 0 },
    { 'z', "zrangestore %k %k %y %y bylex [rev] [limit %p %p]", 0 },
    { 'z', "zremrangebyrank %k %p %p", 0 },
    { 'z', "zremrangebyscore %k %b %b", 0 },
    { 'z', "zremrangebylex %k %y %y", 0 },
    { 'z', "zunionstore|zinterstore %k %N [weights %f %f] [aggregate sum|min|max]", 0 },
    { 'z', "zunionstore|zinterstore %k %N [aggregate sum|min|max] [weights %f]", 0 },
    { 'z', "zdiffstore %k %N", 0 },
    { 'z', "zunion|zinter %N [weights %f %f] [aggregate sum|min|max] [withscores]", 0 },
    { 'z', "zdiff %N [withscores]", 0 },
    { 'z', "zintercard %N [limit %c]", 0 },
    { 'z', "zscan %k %u [match %g] [count %c]", SCANS },
    /* strings */
    { 's', "get %k", 0 },
    { 's', "set %k %v", 0 },
    { 's', "set %k %v [nx|xx] [get] [ex|px %t]", 0 },
    { 's', "set %k %v [get] [keepttl] [xx|nx]", 0 },
    { 's', "set %k %v [exat %s] [pxat %m] [px %t]", 0 },
    { 's', "setnx %k %v", 0 },
    { 's', "setex|psetex %k %t %v", 0 },
    { 's', "getset %k %v", 0 },
    { 's', "getdel %k", 0 },
    { 's', "getex %k [persist]", 0 },
    { 's', "getex %k ex|px %t", 0 },
    { 's', "getex %k [exat %s] [pxat %m]", 0 },
    { 's', "mget {%K}", 0 },
    { 's', "mset|msetnx {%k %v}", 0 },
    { 's', "incr|decr %k", 0 },
    { 's', "incrby|decrby %k %i", 0 },
    { 's', "incrbyfloat %k %f", 0 },
    { 's', "append %k %v", 0 },
    { 's', "strlen %k", 0 },
    { 's', "getrange|substr %k %p %p", 0 },
    { 's', "setrange %k %o %v", 0 },
    { 's', "setbit %k %o 0|1|2", 0 },
    { 's', "getbit %k %p", 0 },
    { 's', "bitcount %k [%p %p] [byte|bit]", 0 },
    /* hashes */
    { 'h', "hset %k {%v %v}", 0 },
    { 'h', "hset %k %v %i", 0 },
    { 'h', "hmset %k {%v %v}", 0 },
    { 'h', "hsetnx %k %v %v", 0 },
    { 'h', "hget %k %v", 0 },
    { 'h', "hmget %k {%v}", 0 },
    { 'h', "hgetall %k", ANY_ORDER_PAIRS },
    { 'h', "hkeys|hvals %k", ANY_ORDER },
    { 'h', "hlen %k", 0 },
    { 'h', "hexists|hstrlen %k %v", 0 },
    { 'h', "hdel %k {%v}", 0 },
    { 'h', "hincrby %k %v %i", 0 },
    { 'h', "hincrbyfloat %k %v %f", 0 },
    { 'h', "hrandfield %k [%p]", RANDOM },
    { 'h', "hrandfield %k %p withvalues", RANDOM },
    { 'h', "hscan %k %u [match %g] [count %c]", SCANS },
    /* keys; not RANDOMKEY, which deletes an expired key if it happens to draw it: DBSIZE would then tell the draws apart */
    { 'g', "del|unlink|exists|touch {%K}", 0 },
    { 'g', "del %K", 0 },
    { 'g', "type %K", 0 },
    { 'g', "expire|pexpire %K %t [nx|xx|gt|lt]", 0 },
    { 'g', "expire|pexpire %K %t [nx|xx] [gt|lt]", 0 },
    { 'g', "pexpire %K %t", 0 },
    { 'g', "expireat %K %s [nx|xx|gt|lt]", 0 },
    { 'g', "pexpireat %K %m [nx|xx|gt|lt]", 0 },
    { 'g', "ttl|pttl|expiretime|pexpiretime %K", 0 },
    { 'g', "persist %K", 0 },
    { 'g', "rename|renamenx %K %K", 0 },
    { 'g', "copy %K %K [db 0|1|x|16|-1] [replace]", 0 },
    { 'g', "keys %g", COMBINES },
    { 'g', "scan %u [match %g] [count %c] [type string|hash|list|set|zset|nosuch]", SCANS },
    { 'g', "dbsize", REAPED },
    { 'g', "time", 0 },
    { 'g', "select 0|0|0|0|1|16|x", 0 },
    { 'g', "ping [%v]", 0 },
    { 'g', "echo %v", 0 },
    { 'g', "nosuch|lpushy {%v}", 0 },
    { 'g', "publish|spublish %K %v", 0 },
    /* Large collections, out of the sorted sets' reach: a large sorted set keeps -0 apart from 0, and answers ranges by member over
     * unequal scores in its own way. */
    { 'S', "eval %x 1 big", 0 },
    { 'g', "type|del big", 0 },
    { 'l', "lrange|ltrim big %p %p", 0 },
    { 'l', "lpos big %p", 0 },
    { 'l', "lrem big %p %p", 0 },
    { 'l', "linsert big before|after %p %v", 0 },
    { 'h', "hgetall big", ANY_ORDER_PAIRS },
    { 'h', "hdel|hmget big {%p}", 0 },
    { 'h', "hrandfield big %p withvalues", RANDOM },
    { 'S', "smembers big", COMBINES },
    { 'S', "spop big %c", RANDOM_POP },
    { 'S', "srandmember big %p", RANDOM },
    { 'S', "srem|sadd|smismember big {%p}", 0 },
    { 'S', "scard big", 0 },
    { 'S', "sinter|sunion|sdiff big %k", COMBINES },
    { 'g', "multi", 0 },
    { 'g', "exec", 0 },
    { 'g', "exec", 0 },
    { 'g', "discard", 0 },
    { 'g', "watch {%K}", 0 },
    { 'g', "unwatch", 0 },
};

/* Words by kind. Some are no such thing at all, which is their use. None is an offset between 1 MB and the limit of a string,
 * and none a huge negative count: the real server would spend its memory on them. */
static const str hostile_integers[] = {
    W("0"), W("-0"), W("+1"), W("01"), W(" 1"), W("1 "), W(""), W("abc"), W("1.5"), W("1e3"),
    W("0x10"), W("1\0"), W("-"), W("9223372036854775807"), W("-9223372036854775808"), W("9223372036854775808"),
    W("-9223372036854775807"), W("-9223372036854775809"), W("18446744073709551616"), W("4294967296"),
    W("9223372036854775"), W("99999999999999999999999999999999"),
};
static const str hostile_floats[] = {
    W("inf"), W("-inf"), W("+inf"), W("Infinity"), W("-infinity"), W("nan"), W("-nan"), W("1e400"),
    W("-1e400"), W("1e-400"), W("0x1p3"), W("0x10"), W(" 1"), W("1 "), W(""), W("-0"), W("3.3"),
    W("1e17"), W("1e308"), W("5e-324"), W("0.1"), W("9007199254740993"), W("(1"), W("1e"), W("+5"),
    W(".5"), W("5."), W("1700000000123"), W("-1e308"), W("abc"), W("1\0"), W("1e-7"), W("17179869184"),
    W("123456789012345678"), W("0.30000000000000004"),
};
static const str hostile_bounds[] = {
    W("(1"), W("("), W(""), W("-inf"), W("+inf"), W("inf"), W("(inf"), W("(-inf"), W(" 1"),
    W("1 "), W("( 2"), W("nan"), W("(nan"), W("1e400"), W("abc"), W("[1"), W("((1"), W("0x1"),
    W("-0"), W("(3.3"), W("2.5"), W("1\0x"), W("-"), W("+"),
};
static const str lex_bounds[] = {
    W("-"), W("+"), W("-"), W("+"), W("[a"), W("(a"), W("[b"), W("(b"), W("[c"), W("(c"),
    W("["), W("("), W("a"), W(""), W("-x"), W("+x"), W("[10"), W("(\xff"), W("[hello"), W("+\0"),
};
static const str values[] = {
    W("a"), W("b"), W("c"), W("a"), W("b"), W("c"), W("d"), W("aa"), W(""), W("1"), W("2"), W("10"),
    W("-5"), W("3.14"), W("5e3"), W("\xff\0bin"), W("hello world"), W("nan"), W("inf"), W(" 7"), W("007"),
    W("9223372036854775807"), W("-9223372036854775808"), W("1700000000123"), W("\r\n"),
    W("0123456789012345678901234567890123456789012345678901234567890123"), W("B"),
};
/* Turns a small hash into a hash table for good, and so is rare. Never in a sorted set. */
static const str long_value = W("01234567890123456789012345678901234567890123456789012345678901234");
static const str globs[] = {
    W("*"), W("?"), W("l*"), W("[a-c]"), W("[c-a]"), W("[^a]"), W("[a"), W("\\a"), W("*2"), W(""), W("**"),
    W("[]"), W("[^"), W("a*b"), W("h[ae]llo*"), W("\\"), W("[\\]]"), W("1"),
};
/* Past the limits at which Redis changes a collection's encoding. */
static const str growing_scripts[] = {
    W("for i = 1, 140 do redis.call('RPUSH', KEYS[1], i, 'x' .. i) end return redis.call('LLEN', KEYS[1])"),
    W("for i = 1, 520 do redis.call('SADD', KEYS[1], i) end return redis.call('SCARD', KEYS[1])"),
    W("for i = 1, 20 do redis.call('SADD', KEYS[1], i * 7 - 60) end return redis.call('SCARD', KEYS[1])"),
    W("for i = 1, 520 do redis.call('HSET', KEYS[1], i, i) end return redis.call('HLEN', KEYS[1])"),
    W("for i = 1, 30 do redis.call('HSET', KEYS[1], 30 - i, i) end return redis.call('HLEN', KEYS[1])"),
};
static const str cursors[] = {
    W("0"), W("0"), W("0"), W("0"), W("5"), W("-1"), W(""), W("x"), W(" 0"), W("0 "), W("18446744073709551616"),
    W("+3"), W("18446744073709551615"),
};

#endif
