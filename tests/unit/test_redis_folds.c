/* test_redis_folds.c - instants within texts, in microseconds and in seconds, as distances from now: what is folded
 * moves with the clock, and comes back as it was spelled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "script/script.h"
#include "ask.h"

static void spell(asker *k, instant_spelling spelling)
{
    redis_free(k->server);
    k->server = redis_new((redis_limits){ .instants = spelling });
    k->conn = redis_connect(k->server, 1);
}

/* The keyspace by_ms later. Its fold must be equal then: what moved, moved all the same. */
static void move(asker *k, int64_t by_ms)
{
    buf folded = { 0 }, again = { 0 };
    redis_fold(k->server, k->now_ms, &folded);
    k->now_ms += by_ms;
    redis_unfold(k->server, k->now_ms, buf_str(&folded));
    redis_fold(k->server, k->now_ms, &again);
    assert_true(str_eq(buf_str(&folded), buf_str(&again)));
    buf_free(&folded);
    buf_free(&again);
}

static void fill(asker *k)
{
    ASK_ALL(k, { "set plain 1700000000050", "+OK" },
            { "set both 1700000000050:A,1699999999950:B", "+OK" }, { "set us 1700000000000050", "+OK" },
            { "set s 1700000005", "+OK" }, { "set fraction 1700000005.25", "+OK" },
            { "hset at:1700000000050 till 1700000000060:x", ":1" },
            { "zadd z 1700000000050 a 1700000000000050 b 1700000005 c 1700000005.25 d 7 e", ":5" });
}

static void times_alone_are_plain(void **state)
{
    asker *k = *state;
    fill(k);
    move(k, 2000);
    ASK_ALL(k, { "get plain", "$13 1700000002050" }, { "get both", "$31 1700000000050:A,1699999999950:B" },
            { "get us", "$16 1700000000000050" }, { "get s", "$10 1700000005" },
            { "hget at:1700000000050 till", "$15 1700000000060:x" }, { "zscore z a", "$13 1700000002050" },
            { "zscore z b", "$16 1700000000000050" }, { "zscore z c", "$10 1700000005" });
}

static void times_within_texts_move(void **state)
{
    asker *k = *state;
    spell(k, INSTANTS_WITHIN);
    fill(k);
    move(k, 2001);
    ASK_ALL(k, { "get plain", "$13 1700000002051" }, { "get both", "$31 1700000002051:A,1700000001951:B" },
            { "get us", "$16 1700000002001050" }, { "get s", "$10 1700000005" },
            { "hget at:1700000002051 till", "$15 1700000002061:x" }, { "zscore z a", "$13 1700000002051" },
            { "zscore z b", "$16 1700000002001050" }, { "zscore z c", "$10 1700000005" }, { "zscore z e", "$1 7" });
}

/* At another instant of the same phase only: seconds are counted from the last full one. */
static void seconds_move_by_whole_ones(void **state)
{
    asker *k = *state;
    spell(k, INSTANTS_SECONDS);
    k->now_ms += 999;
    fill(k);
    move(k, 2000);
    ASK_ALL(k, { "get s", "$10 1700000007" }, { "get fraction", "$13 1700000007.25" },
            { "get both", "$31 1700000002050:A,1700000001950:B" }, { "get us", "$16 1700000002000050" },
            { "zscore z c", "$10 1700000007" }, { "zscore z d", "$13 1700000007.25" }, { "zscore z e", "$1 7" });
}

/* Digits that would not come back as they were: with a zero before them, too many, too far from now. */
static void other_digits_stay(void **state)
{
    static const char *const words[] = {
        "01700000000050", "x01700000000050", "17000000000505050505", "1600000000000", "1690000005",
        "0.1700000000050x", "-",
        "1700000000050x1700000000050x",
    };
    asker *k = *state;
    for (size_t i = 0; i < COUNT(words); i++) {
        spell(k, INSTANTS_SECONDS);
        askf(k, "set k %s", words[i]);
        move(k, 0);
        assert_non_null(strstr(ask(k, "get k"), words[i]));
    }
    spell(k, INSTANTS_SECONDS);
    askf(k, "set k %s", words[0]);
    move(k, 5000);
    assert_non_null(strstr(ask(k, "get k"), words[0]));
}

static void to_upper(void *context, char *bytes, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] >= 'a' && bytes[i] <= 'z')
            bytes[i] = (char)(bytes[i] - 'a' + 'A');
}

static uint32_t itself(void *context, uint32_t conn)
{
    (void)context;
    return conn;
}

/* Property: a text with an instant is renamed as any other. */
static void names_beside_times_are_exchanged(void **state)
{
    asker *k = *state;
    spell(k, INSTANTS_WITHIN);
    ASK_ALL(k, { "set k a1700000000050b", "+OK" });
    buf folded = { 0 };
    redis_fold(k->server, k->now_ms, &folded);
    redis_rename_by(k->server, &(redis_renamer){ NULL, to_upper, itself });
    redis_unfold(k->server, k->now_ms, buf_str(&folded));
    redis_rename_by(k->server, NULL);
    buf_free(&folded);
    ASK_ALL(k, { "get K", "$15 A1700000000050B" });
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        T(times_alone_are_plain), T(times_within_texts_move), T(seconds_move_by_whole_ones), T(other_digits_stay),
        T(names_beside_times_are_exchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
