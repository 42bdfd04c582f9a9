/* Tests of how collections are kept, as OBJECT ENCODING tells it: packed up to a limit, unpacked past it, for good. */
#include "fixture.h"

#include <string.h>

#include "ask.h"

/* Asks `format` with the numbers from .. to, one after the other; a format without a number once. */
static void ask_many(asker *k, const char *format, int from, int to)
{
    buf command = { 0 };
    for (int i = from; i <= to; i++) {
        buf_clear(&command);
        for (const char *p = format; *p; p++)
            if (*p == '#')
                buf_printf(&command, "%d", i);
            else if (*p == '@')                    /* a word of this many bytes */
                buf_printf(&command, "%0*d", i, 0);
            else
                buf_byte(&command, *p);
        ask(k, command.p);
    }
    buf_free(&command);
}

typedef struct {
    const char *dialect;
    struct { const char *format; int from, to; } step[4];
    const char *encoding;              /* of the key k */
} packed_row;

static void check_encoding(asker *k, const packed_row *row, size_t at, const char *when)
{
    const char *answer = strrchr(ask(k, "object encoding k"), ' ');
    if (!answer || strcmp(answer + 1, row->encoding) != 0)
        fail_msg("row %zu (%s)%s: %s", at, row->dialect, when, k->answer.p);
}

/* Also once it was frozen and thawed, copied, and renamed. */
static void collections_are_packed_up_to_a_limit(void **state)
{
    (void)state;
    static const packed_row row[] = {
        { "redis 7.0", { { "hset k # v", 1, 512 } }, "listpack" },
        { "redis 7.0", { { "hset k # v", 1, 513 } }, "hashtable" },
        { "redis 7.0", { { "hset k # v", 1, 513 }, { "hdel k #", 2, 513 } }, "hashtable" },
        { "redis 7.0", { { "hset k @ v", 64, 64 } }, "listpack" },
        { "redis 7.0", { { "hset k @ v", 65, 65 } }, "hashtable" },
        { "redis 7.0", { { "hset k f @", 64, 64 } }, "listpack" },
        { "redis 7.0", { { "hset k f @", 64, 65 } }, "hashtable" },
        { "redis 7.0", { { "hset k f @", 65, 65 }, { "hset k f v", 1, 1 } }, "hashtable" },
        { "redis 7.0", { { "hset k f @", 65, 65 }, { "del k", 1, 1 }, { "hset k f v", 1, 1 } }, "listpack" },
        { "redis 7.0", { { "sadd k #", 1, 512 } }, "intset" }, { "redis 7.0", { { "sadd k #", 1, 513 } }, "hashtable" },
        { "redis 7.0", { { "sadd k # a", 1, 1 } }, "hashtable" },
        { "redis 7.0", { { "sadd k # a", 1, 1 }, { "srem k a", 1, 1 } }, "hashtable" },
        { "redis 8.0", { { "sadd k # a", 1, 1 }, { "srem k a", 1, 1 } }, "listpack" },
        { "redis 8.0", { { "sadd k m#", 1, 128 } }, "listpack" },
        { "redis 8.0", { { "sadd k m#", 1, 129 } }, "hashtable" },
        { "redis 8.0", { { "sadd k @", 64, 64 } }, "listpack" },
        { "redis 8.0", { { "sadd k @", 65, 65 } }, "hashtable" },
        { "redis 8.0", { { "sadd k #", 1, 200 }, { "sadd k a", 1, 1 } }, "hashtable" },
        { "redis 7.0", { { "zadd k # #", 1, 128 } }, "listpack" },
        { "redis 7.0", { { "zadd k # #", 1, 129 } }, "skiplist" },
        { "redis 7.0", { { "zadd k 1 @", 64, 64 } }, "listpack" },
        { "redis 7.0", { { "zadd k 1 @", 65, 65 } }, "skiplist" },
        { "redis 7.0", { { "zadd k 1 a", 1, 1 }, { "sort k by nosort", 1, 1 } }, "skiplist" },
        { "redis 7.0", { { "zadd z # #", 1, 129 }, { "zrangestore k z 0 5", 1, 1 } }, "listpack" },
        { "redis 7.0", { { "rpush k a", 1, 1 } }, "quicklist" },
        { "redis 8.0", { { "rpush k @", 8185, 8185 } }, "listpack" },
        { "redis 8.0", { { "rpush k @", 8186, 8186 } }, "quicklist" },
        { "redis 8.0", { { "rpush k @", 4000, 4003 }, { "rpop k", 1, 2 } }, "quicklist" },
        { "redis 8.0", { { "rpush k @", 4000, 4003 }, { "rpop k", 1, 3 } }, "listpack" },
        { "redis 8.0", { { "hset k # v", 1, 2 }, { "hpexpire k 9 fields 1 nosuch", 1, 1 } }, "listpackex" },
        { "redis 8.0", { { "hset k # v", 1, 2 }, { "hpexpire k 9 fields 1 2", 1, 1 },
                         { "hpersist k fields 1 2", 1, 1 } },
          "listpackex" },
        { "valkey 9.1", { { "hset k # v", 1, 2 }, { "hpexpire k 9 fields 1 nosuch", 1, 1 } }, "listpack" },
        { "valkey 9.1", { { "hset k # v", 1, 2 }, { "hpexpire k 9 fields 1 2", 1, 1 },
                         { "hpersist k fields 1 2", 1, 1 } },
          "hashtable" },
        { "valkey 8.1", { { "set k @", 32, 32 } }, "embstr" }, { "valkey 8.1", { { "set k @", 41, 41 } }, "raw" },
        { "valkey 9.1", { { "set k @", 104, 104 } }, "embstr" }, { "valkey 9.1", { { "set k @", 113, 113 } }, "raw" },
        { "valkey 9.1", { { "setrange k 0 @", 60, 60 } }, "raw" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        asker *k = asker_of(row[i].dialect);
        buf frozen = { 0 };
        for (size_t n = 0; n < COUNT(row[i].step) && row[i].step[n].format; n++)
            ask_many(k, row[i].step[n].format, row[i].step[n].from, row[i].step[n].to);
        check_encoding(k, &row[i], i, "");
        redis_freeze(k->server, k->now_ms, &frozen);
        redis_thaw(k->server, k->now_ms, buf_str(&frozen));
        check_encoding(k, &row[i], i, ", thawed");
        ask(k, "copy k l");
        ask(k, "del k");
        ask(k, "rename l k");
        check_encoding(k, &row[i], i, ", copied and renamed");
        buf_free(&frozen);
        asker_free((void **)&k);
    }
}

/* Since Redis 7.2 the words of one command count, even where they name one element. */
static void many_words_unpack(void **state)
{
    (void)state;
    static const struct { const char *dialect, *begin, *word, *encoding; int words; } row[] = {
        { "redis 7.0", "hset k", " f v", "listpack", 513 }, { "redis 8.0", "hset k", " f v", "hashtable", 513 },
        { "redis 8.0", "hset k", " f v", "listpack", 512 },
        { "redis 7.0", "zadd k", " 1 m", "listpack", 129 }, { "redis 8.0", "zadd k", " 1 m", "skiplist", 129 },
        { "redis 7.0", "sadd k", " 1", "intset", 600 }, { "redis 8.0", "sadd k", " 1", "hashtable", 600 },
        { "redis 8.0", "sadd k", " m", "hashtable", 129 }, { "redis 8.0", "sadd k", " m", "listpack", 128 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        asker *k = asker_of(row[i].dialect);
        buf command = { 0 };
        buf_addz(&command, row[i].begin);
        for (int n = 0; n < row[i].words; n++)
            buf_addz(&command, row[i].word);
        ask(k, command.p);
        const char *answer = strrchr(ask(k, "object encoding k"), ' ');
        if (!answer || strcmp(answer + 1, row[i].encoding) != 0)
            fail_msg("row %zu: %s", i, k->answer.p);
        buf_free(&command);
        asker_free((void **)&k);
    }
}

/* Where few members are left SPOP makes a new set of them. */
static void a_set_popped_almost_empty_is_packed_again(void **state)
{
    (void)state;
    static const struct { const char *dialect, *command, *encoding; } row[] = {
        { "redis 7.0", "spop k 500", "intset" }, { "redis 7.0", "spop k 400", "hashtable" },
        { "redis 8.0", "spop k 500", "listpack" }, { "redis 8.0", "spop k 499", "hashtable" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        asker *k = asker_of(row[i].dialect);
        ask_many(k, "sadd k #", 1, 600);
        ask(k, row[i].command);
        const char *answer = strrchr(ask(k, "object encoding k"), ' ');
        if (!answer || strcmp(answer + 1, row[i].encoding) != 0)
            fail_msg("row %zu: %s", i, k->answer.p);
        asker_free((void **)&k);
    }
}

/* How a collection is kept is written down only where it does not follow from what it holds. */
static void equal_collections_freeze_to_equal_bytes(void **state)
{
    (void)state;
    asker *k = asker_of("redis 7.0");
    buf grown = { 0 }, shrunk = { 0 };
    ask_many(k, "hset k # v", 1, 513);
    redis_freeze(k->server, k->now_ms, &grown);
    ask(k, "hset k x y");
    ask(k, "hdel k x");
    redis_freeze(k->server, k->now_ms, &shrunk);
    assert_int_equal(grown.n, shrunk.n);
    assert_memory_equal(grown.p, shrunk.p, grown.n);
    buf_clear(&grown);
    buf_clear(&shrunk);
    ask_many(k, "hdel k #", 2, 513);
    redis_freeze(k->server, k->now_ms, &shrunk);
    ask(k, "del k");
    ask(k, "hset k 1 v");
    redis_freeze(k->server, k->now_ms, &grown);
    assert_int_equal(grown.n, shrunk.n);
    assert_memory_not_equal(grown.p, shrunk.p, grown.n);
    buf_free(&grown);
    buf_free(&shrunk);
    asker_free((void **)&k);
}

/* In a search two collections that hold the same are the same. */
static void unless_asked_for_nothing_is_followed(void **state)
{
    asker *k = *state;
    buf before = { 0 }, after = { 0 };
    ask(k, "sadd k 1");
    redis_freeze(k->server, k->now_ms, &before);
    assert_memory_equal(ask(k, "object encoding k"), "-ERR locksim refuses 'object encoding': ", 38);
    ask(k, "sadd k a");
    ask(k, "srem k a");
    redis_freeze(k->server, k->now_ms, &after);
    assert_int_equal(before.n, after.n);
    assert_memory_equal(before.p, after.p, before.n);
    buf_free(&before);
    buf_free(&after);
}

/* Source: a real 7.0.15 and 9.1.2. */
static void small_numbers_are_shared_but_where_each_key_has_its_own(void **state)
{
    (void)state;
    static const struct { const char *dialect, *last; } row[] = {
        { "redis 7.0", ":2147483647" }, { "valkey 9.1", ":1" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        asker *k = asker_of(row[i].dialect);
        ASK_ALL(k, { "object refcount k", "$-1" }, { "set k v", "+OK" }, { "object refcount k", ":1" },
                { "set k 9998", "+OK" }, { "incr k", ":9999" }, { "object refcount k", row[i].last },
                { "incr k", ":10000" }, { "object refcount k", ":1" }, { "rpush l 1", ":1" },
                { "object refcount l", ":1" });
        asker_free((void **)&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collections_are_packed_up_to_a_limit),
        cmocka_unit_test(many_words_unpack),
        cmocka_unit_test(a_set_popped_almost_empty_is_packed_again),
        cmocka_unit_test(equal_collections_freeze_to_equal_bytes),
        cmocka_unit_test(small_numbers_are_shared_but_where_each_key_has_its_own),
        cmocka_unit_test_setup_teardown(unless_asked_for_nothing_is_followed, asker_new, asker_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
