/* test_redis_seldom.c - commands that few scripts use: SORT, LCS, BITFIELD, MOVE, SWAPDB, OBJECT; and those that are
 * refused by name. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"

#define NOT_DOUBLES "-ERR One or more scores can't be converted into double"

/* By numbers: beside the real server only by letters, because it reads an errno that some earlier command left. */
static void sort_orders_by_numbers(void **state)
{
    ASK_ALL(*state, { "rpush l 10 9 2.5 -1 0x10", ":5" }, { "sort l", "*5 $2 -1 $3 2.5 $1 9 $2 10 $4 0x10" },
            { "sort l desc limit 1 2", "*2 $2 10 $1 9" },
        { "sort l alpha", "*5 $2 -1 $4 0x10 $2 10 $3 2.5 $1 9" }, { "rpush l x", ":6" }, { "sort l", NOT_DOUBLES },
        { "sort l limit 0 0", NOT_DOUBLES },
        { "sort l by nosort get #", "*6 $2 10 $1 9 $3 2.5 $2 -1 $4 0x10 $1 x" },
        { "sort l by nosort desc limit 0 2", "*2 $1 x $4 0x10" },
        { "sort l limit a 1", "-ERR value is not an integer or out of range" },
        { "sort l nonsense", "-ERR syntax error" }, { "set s v", "+OK" },
        { "sort s", "-WRONGTYPE Operation against a key holding the wrong kind of value" }, { "sort none", "*0" },
        { "xadd st 1-1 a b", "$3 1-1" },
        { "sort st", "-WRONGTYPE Operation against a key holding the wrong kind of value" });
}

static void sort_looks_at_other_keys(void **state)
{
    ASK_ALL(*state, { "rpush ids 1 2 3 4", ":4" }, { "mset w:1 30 w:2 10 w:3 20 n:1 a n:3 c", "+OK" },
            { "hset o:2 name two", ":1" }, { "sort ids by w:*", "*4 $1 4 $1 2 $1 3 $1 1" },
        { "sort ids by w:* desc get n:* get #", "*8 $1 a $1 1 $1 c $1 3 $-1 $1 2 $-1 $1 4" },
        { "sort ids by nosort get o:*->name", "*4 $-1 $3 two $-1 $-1" },
        { "sort ids by nosort get o:*->", "*4 $-1 $-1 $-1 $-1" }, { "sort ids by w:* get n:* store out", ":4" },
        { "lrange out 0 -1", "*4 $0  $0  $1 c $1 a" },
        { "sort none store out", ":0" }, { "exists out", ":0" }, { "sort_ro ids store out", "-ERR syntax error" },
        { "zadd z 3 c 1 a 2 b", ":3" }, { "sort z by nosort", "*3 $1 a $1 b $1 c" },
        { "sort z by nosort desc limit 0 2", "*2 $1 c $1 b" }, { "sadd s b a", ":2" },
        { "sort s by nosort store t", ":2" }, { "lrange t 0 -1", "*2 $1 a $1 b" });
}

static void lcs_finds_the_longest(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "mset a ohmytext b mynewtext", "+OK" }, { "lcs a b", "$6 mytext" }, { "lcs a b len", ":6" },
            { "lcs a none", "$0 " },
            { "lcs a b len idx", "-ERR If you want both the length and indexes, please just use IDX." },
        { "lcs a b idx", "*4 $7 matches *2 *2 *2 :4 :7 *2 :5 :8 *2 *2 :2 :3 *2 :0 :1 $3 len :6" },
        { "lcs a b idx minmatchlen 4 withmatchlen", "*4 $7 matches *1 *3 *2 :4 :7 *2 :5 :8 :4 $3 len :6" },
        { "rpush l x", ":1" }, { "lcs a l", "-ERR The specified keys must contain string values" },
        { "lcs a b minmatchlen", "-ERR syntax error" });
    k->resp = 3;
    ASK_ALL(k, { "lcs a b idx minmatchlen 9", "%2 $7 matches *0 $3 len :6" });
}

static void bitfields_overflow_as_asked(void **state)
{
    ASK_ALL(*state, { "bitfield b set u8 0 255 get i8 0 incrby u8 0 10", "*3 :0 :-1 :9" },
            { "bitfield b overflow sat incrby u8 0 300 overflow fail incrby u8 0 1 get u4 #1", "*3 :255 $-1 :15" },
        { "bitfield b overflow sat incrby i64 64 9223372036854775807 incrby i64 64 1", "*2 :9223372036854775807 "
          ":9223372036854775807" }, { "bitfield b incrby i64 64 1", "*1 :-9223372036854775808" },
        { "bitfield b get u64 0", "-ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not "
          "supported but i64 is." }, { "bitfield b get u8 -1", "-ERR bit offset is not an integer or out of range" },
        { "bitfield b overflow maybe", "-ERR Invalid OVERFLOW type specified" }, { "bitfield b", "*0" },
        { "bitfield_ro b get u8 0 set u8 0 1", "-ERR BITFIELD_RO only supports the GET subcommand" },
        /* Redis loses a sign here, and so do we */
        { "bitfield c overflow sat set i1 1 -9223372036854775808 get i1 1", "*2 :0 :0" },
        { "bitfield c overflow sat set i2 0 -9000 get i2 0", "*2 :0 :-2" });
}

/* Property: a watched key that BITFIELD made in vain, or left as it was, has not changed. */
static void a_bitfield_that_fails_is_no_change(void **state)
{
    static const struct { const char *command; bool aborts; } row[] = {
        { "bitfield s overflow fail incrby u4 4 -1", false }, { "bitfield s set u8 0 0", true },
        { "bitfield b set u8 0 1", false }, { "bitfield b set u8 0 2", true },
        { "bitfield b overflow fail incrby u8 80 256", false },
        { "bitfield b get u8 0", false },
    };
    asker *k = *state;
    for (size_t i = 0; i < COUNT(row); i++) {
        ASK_ALL(k, { "flushall", "+OK" }, { "set b \\x01", "+OK" }, { "watch b s", "+OK" });
        ask(k, row[i].command);
        ASK_ALL(k, { "multi", "+OK" });
        if (strcmp(ask(k, "exec"), row[i].aborts ? "*-1" : "*0") != 0)
            fail_msg("%s: %s", row[i].command, k->answer.p);
    }
}

static void bits_are_combined_and_found(void **state)
{
    ASK_ALL(*state, { "mset a \\xff\\x0f b \\xf0 e ''", "+OK" }, { "bitop and d a b", ":2" }, { "get d", "$2 \xf0" },
            { "bitop not d b", ":1" }, { "get d", "$1 \x0f" },
            { "bitop not d a b", "-ERR BITOP NOT must be called with a single source key." },
        { "bitop or d e none", ":0" }, { "exists d", ":0" }, { "bitpos a 0", ":8" }, { "bitpos a 1 1", ":12" },
        { "bitpos b 0 0 0", ":4" }, { "setbit o 7 0", ":0" }, { "set o \\xff", "+OK" }, { "bitpos o 0", ":8" },
        { "bitpos o 0 0 -1", ":-1" },
        { "bitpos none 0", ":0" }, { "bitpos none 1", ":-1" },
        { "bitpos a 2", "-ERR The bit argument must be 1 or 0." }, { "bitpos a 1 9 12 bit", ":12" });
}

static void keys_change_their_database(void **state)
{
    ASK_ALL(*state, { "set k v px 100", "+OK" }, { "move k 1", ":1" }, { "exists k", ":0" }, { "move k 1", ":0" },
            { "select 1", "+OK" }, { "pttl k", ":100" },
            { "move k 1", "-ERR source and destination objects are the same" },
        { "move k 16", "-ERR DB index is out of range" }, { "swapdb 0 1", "+OK" }, { "exists k", ":0" },
        { "select 0", "+OK" }, { "get k", "$1 v" }, { "swapdb 0 x", "-ERR invalid second DB index" },
        { "swapdb 0 16", "-ERR DB index is out of range" });
}

/* Property: what a swap brings is seen by who watches and by who waits. */
static void a_swap_is_a_change(void **state)
{
    asker *k = *state;
    redis_conn *first = k->conn, *other = redis_connect(k->server, 2);
    ASK_ALL(k, { "watch k nothing", "+OK" });
    k->conn = other;
    ASK_ALL(k, { "select 1", "+OK" }, { "rpush k v", ":1" }, { "swapdb 0 1", "+OK" });
    k->conn = first;
    ASK_ALL(k, { "multi", "+OK" }, { "ping", "+QUEUED" }, { "exec", "*-1" }, { "watch nothing", "+OK" },
            { "swapdb 0 1", "+OK" }, { "multi", "+OK" }, { "ping", "+QUEUED" }, { "exec", "*1 +PONG" });
    /* one that has expired by then is none */
    ASK_ALL(k, { "swapdb 0 1", "+OK" }, { "set past v pxat 7", "+OK" }, { "swapdb 0 1", "+OK" },
            { "watch past", "+OK" }, { "swapdb 0 1", "+OK" }, { "multi", "+OK" }, { "ping", "+QUEUED" },
            { "exec", "*1 +PONG" },
        { "swapdb 0 1", "+OK" });
    ask(k, "blpop k 0");
    assert_true(redis_waits(first));
    k->conn = other;
    ASK_ALL(k, { "swapdb 0 1", "+OK" });
    assert_false(redis_waits(first));
}

static void streams_append_trim_and_range(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "xadd s * a 1", "$15 1700000000000-0" }, { "xadd s * b 2", "$15 1700000000000-1" },
            { "xadd s 5-5 a 1", "-ERR The ID specified in XADD is equal or smaller than the target stream top item" },
        { "xadd none nomkstream * a 1", "$-1" }, { "type s", "+stream" }, { "xlen s", ":2" },
        { "xrange s - +", "*2 *2 $15 1700000000000-0 *2 $1 a $1 1 *2 $15 1700000000000-1 *2 $1 b $1 2" },
        { "xrevrange s + (1700000000000-0 count 5", "*1 *2 $15 1700000000000-1 *2 $1 b $1 2" },
        { "xrange s - + count 0", "*-1" }, { "xrevrange s +\\x00 -\\x00 count 0", "*-1" },
        { "xdel s 1700000000000-0 7-7", ":1" }, { "xtrim s maxlen 0", ":1" }, { "xlen s", ":0" },
        { "type s", "+stream" },
        { "xadd s 1700000000000-1 a 1", "-ERR The ID specified in XADD is equal or smaller than the target stream top "
          "item" }, { "xadd s maxlen = 1 1700000000000-* a 1", "$15 1700000000000-2" },
        { "copy s t", ":1" }, { "xlen t", ":1" },
        { "get s", "-WRONGTYPE Operation against a key holding the wrong kind of value" },
        { "xadd s * a", "-ERR wrong number of arguments for 'xadd' command" },
        { "xadd s 0-0 a b", "-ERR The ID specified in XADD must be greater than 0-0" });
    for (int i = 0; i < 205; i++)
        askf(k, "xadd long maxlen ~ 10 %d-1 a b", i + 1);
    ASK_ALL(k, { "xlen long", ":105" }, { "xtrim long minid ~ 206", ":105" }, { "exists long", ":1" });
}

/* Property: an id is an instant: folded, it moves with the clock; frozen, it does not. */
static void the_ids_of_a_stream_are_instants(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "xadd s * at 1700000000050", "$15 1700000000000-0" },
            { "xadd s 1700000000100-3 a b", "$15 1700000000100-3" }, { "xadd old 7-0 a b", "$3 7-0" },
            { "xdel s 1700000000100-3", ":1" });
    buf folded = { 0 }, again = { 0 }, frozen = { 0 };
    redis_fold(k->server, k->now_ms, &folded);
    redis_freeze(k->server, k->now_ms, &frozen);
    redis_unfold(k->server, k->now_ms + 1000, buf_str(&folded));
    redis_fold(k->server, k->now_ms + 1000, &again);
    assert_true(str_eq(buf_str(&folded), buf_str(&again)));
    ASK_ALL(k, { "xrange s - +", "*1 *2 $15 1700000001000-0 *2 $2 at $13 1700000001050" },
            { "xrange old - +", "*1 *2 $3 7-0 *2 $1 a $1 b" },
        { "xadd s 1700000001100-3 a b", "-ERR The ID specified in XADD is equal or smaller than the target stream top "
          "item" }, { "xadd s 1700000001100-* a b", "$15 1700000001100-4" });
    redis_thaw(k->server, k->now_ms + 1000, buf_str(&frozen));
    ASK_ALL(k, { "xrange s - +", "*1 *2 $15 1700000000000-0 *2 $2 at $13 1700000000050" });
    buf_free(&folded);
    buf_free(&again);
    buf_free(&frozen);
}

/* Property: what a stream remembers of entries that are gone is part of the state, each fact by itself: two that differ
 * in one of them are not merged, as XINFO tells them apart. */
static void what_a_stream_remembers_is_state(void **state)
{
    static const char *const ways[][3] = {
        { "xadd s 1-0 a b", "", "" },
        { "xadd s 1-0 a b", "xadd s 2-0 c d", "xdel s 2-0" },                      /* last id, deleted id, added */
        { "xadd s 1-0 a b", "xadd s 2-0 c d", "xtrim s minid 3" },
        { "xadd s 2-0 a b", "xadd s 3-0 c d", "xtrim s maxlen 0" },                /* last id alone */
        { "xadd s 1-0 a b", "xadd s 3-0 c d", "xtrim s maxlen 0" },
        { "xadd s 3-0 a b", "xtrim s maxlen 0", "" },                              /* added alone */
        { "xadd s 3-0 a b", "xdel s 3-0", "" },                                    /* deleted id alone */
    };
    static const struct { size_t x, y; bool same; } pair[] = {
        { 0, 1, false }, { 1, 2, false }, { 3, 4, true }, { 2, 4, false }, { 4, 5, false }, { 5, 6, false },
    };
    asker *k = *state;
    buf frozen[COUNT(ways)] = { { 0 } };
    for (size_t i = 0; i < COUNT(ways); i++) {
        ask(k, "flushall");
        for (size_t j = 0; j < 3 && ways[i][j][0]; j++)
            ask(k, ways[i][j]);
        redis_freeze(k->server, k->now_ms, &frozen[i]);
        char before[512];
        snprintf(before, sizeof before, "%s", ask(k, "xinfo stream s"));
        redis_thaw(k->server, k->now_ms, buf_str(&frozen[i]));
        assert_string_equal(ask(k, "xinfo stream s"), before);
        ask(k, "copy s t");
        assert_string_equal(ask(k, "xinfo stream t"), before);
    }
    for (size_t i = 0; i < COUNT(pair); i++)
        assert_int_equal(str_eq(buf_str(&frozen[pair[i].x]), buf_str(&frozen[pair[i].y])), pair[i].same);
    for (size_t i = 0; i < COUNT(ways); i++)
        buf_free(&frozen[i]);
}

/* Property: of a group every fact is part of the state, each by itself: two streams that differ in one of them are not
 * merged; and each comes back, copied or thawed. */
static void what_a_group_knows_is_state(void **state)
{
    static const char *const ways[] = {
        "",
        "xgroup create s h 0",                                                     /* another group */
        "xgroup setid s g 1 entriesread 2",                                        /* the last id alone */
        "xgroup setid s g 2",                                                      /* a count that is not known */
        "xgroup setid s g 2 entriesread 1",                                        /* the count alone */
        "xgroup createconsumer s g c",                                             /* a consumer */
        "+5 xreadgroup group g a streams s 9",                                     /* seen later alone */
        "+5 xclaim s g a 0 1-0 retrycount 1 idle 5 justid",                        /* active later alone */
        "+5 xclaim s g a 0 1-0 retrycount 2 idle 5 justid",                        /* and delivered twice */
        "+5 xclaim s g a 0 1-0 retrycount 1 idle 4 justid",                        /* and delivered later */
        "xclaim s g b 0 1-0 retrycount 1 idle 0 justid",                           /* the owner */
        "xack s g 1-0",                                                            /* one less is pending */
        "xgroup delconsumer s g b",
        "xgroup destroy s g",
    };
    asker *k = *state;
    buf frozen[COUNT(ways)] = { { 0 } };
    int64_t begin_ms = k->now_ms;
    for (size_t i = 0; i < COUNT(ways); i++) {
        const char *way = ways[i];
        k->now_ms = begin_ms;
        static const char *const all[] = { "flushall", "xadd s 1-0 x y", "xadd s 2-0 x y", "xgroup create s g 0",
                                           "xreadgroup group g a streams s >", "xgroup createconsumer s g b" };
        for (size_t j = 0; j < COUNT(all); j++)
            ask(k, all[j]);
        if (*way == '+') {
            k->now_ms += 5;
            way += 3;
        }
        if (*way)
            ask(k, way);
        k->now_ms = begin_ms + 5;
        redis_freeze(k->server, k->now_ms, &frozen[i]);
        for (size_t j = 0; j < i; j++)
            if (str_eq(buf_str(&frozen[i]), buf_str(&frozen[j])))
                fail_msg("'%s' and '%s' are one", ways[i], ways[j]);
        char before[2048];
        snprintf(before, sizeof before, "%s", ask(k, "xinfo stream s full"));
        redis_thaw(k->server, k->now_ms, buf_str(&frozen[i]));
        assert_string_equal(ask(k, "xinfo stream s full"), before);
        ask(k, "copy s t");
        assert_string_equal(ask(k, "xinfo stream t full"), before);
    }
    for (size_t i = 0; i < COUNT(ways); i++)
        buf_free(&frozen[i]);
}

/* Property: what a group knows of times moves with the clock where bytes are folded. */
static void the_times_of_a_group_are_instants(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "xadd s 1700000000050-3 a b", "$15 1700000000050-3" }, { "xgroup create s 1700000000070 0", "+OK" },
            { "xreadgroup group 1700000000070 a streams s >", "*1 *2 $1 s *1 *2 $15 1700000000050-3 *2 $1 a $1 b" });
    buf folded = { 0 }, again = { 0 };
    redis_fold(k->server, k->now_ms, &folded);
    k->now_ms += 1000;
    redis_unfold(k->server, k->now_ms, buf_str(&folded));
    redis_fold(k->server, k->now_ms, &again);
    assert_true(str_eq(buf_str(&folded), buf_str(&again)));
    k->now_ms += 5;
    ASK_ALL(k, { "xpending s 1700000001070 - + 9", "*1 *4 $15 1700000001050-3 $1 a :5 :1" });
    buf_free(&folded);
    buf_free(&again);
}

/* Property: a view asks what changes nothing, and never waits: its connection is asked again at once. */
static void a_view_neither_writes_nor_waits(void **state)
{
    (void)state;
    static const struct { const char *name; bool looks; } row[] = {
        { "GET", true }, { "xrange", true }, { "nosuch", true }, { "XREAD", false }, { "blpop", false },
        { "set", false }, { "eval", false },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        assert_int_equal(redis_command_only_looks(str_from(row[i].name)), row[i].looks);
}

/* How many different elements: exactly while they are few; the bytes are those of a real server, and a view that counts
 * changes none of them. */
static void elements_are_counted_by_estimate(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "pfadd h", ":1" }, { "pfadd h", ":0" }, { "pfadd h a b c a", ":1" }, { "pfadd h b", ":0" },
            { "pfdebug decode h", "$44 Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603" },
            { "pfdebug encoding h", "+sparse" },
            { "pfadd g c d", ":1" }, { "pfmerge m h g", "+OK" }, { "pfcount h g none", ":4" });
    char before[256];
    snprintf(before, sizeof before, "%s", ask(k, "get m"));
    redis_only_look(k->server, true);
    ASK_ALL(k, { "pfcount m", ":4" });
    redis_only_look(k->server, false);
    assert_string_equal(ask(k, "get m"), before);
    ASK_ALL(k, { "pfcount m", ":4" }, { "pfdebug todense m", ":1" }, { "strlen m", ":12304" }, { "pfcount m", ":4" },
            { "set h HYLLx", "+OK" }, { "pfcount h", "-WRONGTYPE Key is not a valid HyperLogLog string value." },
            { "rpush l a", ":1" },
            { "pfadd l a", "-WRONGTYPE Operation against a key holding the wrong kind of value" });
}

/* Places are scores, and those within a circle or a box are found. */
static void places_are_found(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "geoadd s 13.361389 38.115556 Palermo 15.087269 37.502669 Catania", ":2" },
            { "zscore s Palermo", "$16 3479099956230698" }, { "geodist s Palermo Catania km", "$8 166.2742" },
            { "geohash s Palermo", "*1 $11 sqc8b49rny0" },
            { "georadius s 15 37 200 km withdist asc", "*2 *2 $7 Catania $7 56.4413 *2 $7 Palermo $8 190.4424" },
            { "geosearch s fromlonlat 15 37 byradius 100 km", "*1 $7 Catania" },
            { "geosearch s frommember Palermo bybox 400 400 km desc count 1", "*1 $7 Catania" },
            { "geosearchstore d s fromlonlat 15 37 byradius 200 km", ":2" }, { "zcard d", ":2" },
            { "geopos s none", "*1 *-1" },
            { "geoadd s 181 0 x", "-ERR invalid longitude,latitude pair 181.000000,0.000000" });
}

/* Property: what locksim does not do it says, and why; never as if the command did not exist, and words are counted
 * first. */
static void what_is_refused_is_refused_by_name(void **state)
{
    static const char *const refused[] = {
        "dump k", "restore k 0 x", "migrate h 1 k 0 9", "save", "bgsave", "acl list", "memory stats",
        "memory usage k", "module load x", "script debug no", "replicaof a 1",
        "object refcount k", "object idletime k",
    };
    asker *k = *state;
    ask(k, "set k v");
    ask(k, "sadd s v");
    for (size_t i = 0; i < COUNT(refused); i++)
        if (strncmp(ask(k, refused[i]), "-ERR locksim refuses '", 22) != 0 || !strstr(k->answer.p, "': "))
            fail_msg("%s: %s", refused[i], k->answer.p);
    static const char *const helped[] = { "object help", "pubsub help", "script help", "function help" };
    for (size_t i = 0; i < COUNT(helped); i++)
        if (ask(k, helped[i])[0] != '*' || !strstr(k->answer.p, "[<arg> [value] [opt] ...]. Subcommands are:") ||
            !strstr(k->answer.p, "+HELP"))
            fail_msg("%s: %s", helped[i], k->answer.p);
    ASK_ALL(k, { "dump", "-ERR wrong number of arguments for 'dump' command" }, { "object encoding none", "$-1" },
            { "object freq none", "$-1" }, { "object nosuch", "-ERR unknown subcommand 'nosuch'. Try OBJECT HELP." },
        { "eval redis.call('dump','k') 0", "-ERR locksim refuses 'dump': it keeps values in no file format script: "
          "af3aa8d0dc6f35859314fb1f6aef162cdea4dbaf, on @user_script:1." });
    /* and no script keeps it to itself */
    static const char *const hidden[] = {
        "eval redis.pcall('dump','k')return(1) 0", "eval pcall(redis.call,'dump','k')return(1) 0",
        "eval pcall(redis.call,'dump','k')error('other') 0", "eval return({1,redis.pcall('dump','k')}) 0",
    };
    for (size_t i = 0; i < COUNT(hidden); i++)
        if (!strstr(ask(k, hidden[i]), "-ERR locksim refuses 'dump': it keeps values in no file format"))
            fail_msg("%s: %s", hidden[i], k->answer.p);
    ASK_ALL(k, { "eval return(1) 0", ":1" });      /* the next one has done nothing */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        T(sort_orders_by_numbers), T(sort_looks_at_other_keys), T(lcs_finds_the_longest),
        T(bitfields_overflow_as_asked),
        T(a_bitfield_that_fails_is_no_change), T(bits_are_combined_and_found), T(keys_change_their_database),
        T(a_swap_is_a_change), T(streams_append_trim_and_range), T(the_ids_of_a_stream_are_instants),
        T(what_a_stream_remembers_is_state), T(what_a_group_knows_is_state), T(the_times_of_a_group_are_instants),
        T(a_view_neither_writes_nor_waits),
        T(elements_are_counted_by_estimate), T(places_are_found),
        T(what_is_refused_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
