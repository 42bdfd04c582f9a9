/* test_redis_dialect.c - dialects: which names there are, how versions compare, and that a server answers as its own
 * does. What real servers answer is compared by tests/conformance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "ask.h"
#include "redis/command.h"

static dialect of(const char *name)
{
    dialect d;
    assert_true(dialect_parse(str_from(name), &d));
    return d;
}

static void released_versions_have_names(void **state)
{
    (void)state;
    static const char *const right[] = { "redis 7.0", "Redis 8.0", "VALKEY 9.1", "redis 7.0.15", "valkey 8.1.1",
                                         "redis 8.4" };
    static const char *const wrong[] = { "", "redis", "redis ", "redis 7", "redis 7.", "redis 6.2", "redis 7.0.",
                                         "redis 7.0.x", "redis 7.0 ", "redis  7.0",
                                         "valkey 7.0", "keydb 6.3", "redis 70", "redis 7.0.15.1", "redis 7.100" };
    dialect d;
    for (size_t i = 0; i < COUNT(right); i++)
        assert_true(dialect_parse(str_from(right[i]), &d));
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(dialect_parse(str_from(wrong[i]), &d));
    arena *a = arena_new();
    assert_string_equal(dialect_name(a, (dialect){ 0 }).p, "redis 7.0");
    assert_string_equal(dialect_name(a, of("Valkey 9.1")).p, "valkey 9.1");
    assert_string_equal(dialect_name(a, of("Valkey 9.1.0")).p, "valkey 9.1.0");
    assert_string_equal(dialect_release(a, of("redis 8.0")).p, "8.0.2");
    assert_string_equal(dialect_release(a, of("redis 8.0.6")).p, "8.0.6");
    assert_string_equal(dialect_redis_release(a, of("valkey 8.1.3")).p, "7.2.4");
    assert_true(dialect_equal(of("redis 8.0"), of("redis 8.0.6")));
    assert_true(dialect_is_proved((dialect){ 0 }));
    assert_true(dialect_is_proved(of("valkey 8.1")));
    assert_false(dialect_is_proved(of("redis 7.2")));
    arena_free(a);
}

/* Property: versions compare within a lineage only. */
static void since_counts_for_each_lineage(void **state)
{
    (void)state;
    static const struct { const char *dialect; dialect_since from; bool has; } row[] = {
        { "redis 7.0", { 0, 0 }, true }, { "redis 7.0", { 702, 0 }, false }, { "redis 7.2", { 702, 0 }, true },
        { "redis 8.0", { 704, 900 }, true },
        { "valkey 8.1", { 704, 900 }, false }, { "valkey 9.0", { 704, 900 }, true },
        { "valkey 9.1", { 704, DIALECT_NEVER }, false },
        { "valkey 7.2", { 800, 0 }, true }, { "redis 8.4", { DIALECT_NEVER, 0 }, false },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        assert_int_equal(dialect_has(of(row[i].dialect), row[i].from), row[i].has);
}

static void rows_belong_to_versions(void **state)
{
    (void)state;
    static const struct { const char *dialect, *name; int arity; } row[] = {
        { "redis 7.0", "zrank", 3 }, { "redis 8.0", "zrank", -3 }, { "valkey 8.1", "zrank", -3 },
        { "redis 7.0", "hexpire", 0 }, { "redis 7.2", "hexpire", 0 },
        { "redis 7.4", "hexpire", -6 }, { "valkey 8.1", "hexpire", 0 }, { "valkey 9.0", "hexpire", -6 },
        { "redis 8.0", "vadd", -1 }, { "valkey 9.1", "vadd", 0 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const command *found = command_find_hosted(of(row[i].dialect), str_from(row[i].name));
        assert_int_equal(found ? found->arity : 0, row[i].arity);
    }
    assert_false(command_in_scripts(command_find(of("redis 7.0"), S("blpop")), of("redis 7.0")));
    assert_true(command_in_scripts(command_find(of("redis 7.2"), S("blpop")), of("redis 7.2")));
}

/* The digits are those of real servers, also where they are not the fewest. */
static void doubles_are_short(void **state)
{
    (void)state;
    static const struct { double d; const char *text; } row[] = {
        { 0.1, "0.1" }, { 3.3, "3.3" }, { 1e17, "100000000000000000" }, { 123456789012345678., "123456789012345680" },
        { 1 / 3.0, "0.3333333333333333" },
        { 1e300, "1e+300" }, { 5e-324, "5e-324" }, { -0.0, "-0" }, { 0, "0" }, { 1e-7, "1e-7" },
        { 922337203685477632., "922337203685477632" },
        { 365.99582765584603, "365.99582765584603" }, { -739074.12938019994, "-7.390741293801999e+5" },
        { 1e23, "99999999999999990000000" },
        { 9.9e21, "9900000000000001000000" }, { -5.9622076920360655e-239, "-5.9622076920360656e-239" },
        { 5.3735454620617605e18, "5373545462061761000" },
        { 1.7976931348623157e308, "1.7976931348623157e+308" }, { INFINITY, "inf" }, { -INFINITY, "-inf" },
        { NAN, "nan" }, { 1.5, "1.5" }, { 0.000001, "0.000001" },
        { 2251799813685248.5, "2251799813685248.5" }, { 4.35, "4.35" }, { 100, "100" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char text[DOUBLE_TEXT_MAX + 1];
        text[double_text_short(row[i].d, text)] = '\0';
        assert_string_equal(text, row[i].text);
    }
}

static void servers_answer_in_their_own_words(void **state)
{
    (void)state;
    static const struct { const char *dialect, *command, *answer; } row[] = {
        { "redis 7.0", "zadd z 3.3 a", ":1" }, { "redis 7.0", "zincrby z 3.3 a", "$18 3.2999999999999998" },
        { "redis 8.0", "zincrby z 3.3 a", "$3 3.3" },
        { "redis 7.0", "scan ''", "*2 $1 0 *0" }, { "redis 8.0", "scan ''", "-ERR invalid cursor" },
        { "redis 7.0", "bitcount no x", ":0" },
        { "redis 8.0", "bitcount no x", "-ERR syntax error" }, { "redis 7.0", "zcount z 0x1 2", ":0" },
        { "redis 8.0", "zcount z 0x1 2", "-ERR min or max is not a float" },
        { "redis 7.0", "evalsha aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 0", "-NOSCRIPT No matching script. Please use "
          "EVAL." },
        { "valkey 8.1", "evalsha aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 0", "-NOSCRIPT No matching script." },
        { "redis 7.0", "eval return(redis.pcall('nosuch').err) 0", "$44 ERR Unknown Redis command called from script" },
        { "valkey 9.1", "eval return(server.pcall('nosuch').err) 0", "$38 ERR Unknown command called from script" },
        { "valkey 9.1", "eval return(server.SERVER_NAME..redis.REDIS_VERSION) 0", "$11 valkey7.2.4" },
        { "redis 8.0", "eval return(type(os.clock())) 0", "$6 number" },
        { "redis 8.0", "cluster keyslot foo", "-ERR This instance has cluster support disabled" },
        { "valkey 9.1", "cluster keyslot foo", ":12182" },
        { "valkey 9.1", "eval error('x',0) 0", "-ERR x script: on @user_script:1." },
        { "valkey 9.1", "eval error({}) 0", "-ERR unknown error script: on @user_script:1." },
        { "valkey 9.1", "eval error({err=false}) 0", "-ERR unknown error script: on @user_script:1." },
        { "valkey 8.1", "eval error({}) 0", "-ERR locksim: the error object has no string field 'err': a real Redis "
          "server crashes here script: 367bf7fe449ba40e54d99d9086aa3c2164008136, on @user_script:1." },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        asker *k = asker_of(row[i].dialect);
        assert_string_equal(ask(k, row[i].command), row[i].answer);
        asker_free((void **)&k);
    }
}

/* A zero that a negative weight turned has its sign where it is shown, and loses it where it is kept. */
static void minus_zero_is_shown(void **state)
{
    (void)state;
    static const char *const servers[] = { "redis 7.0", "redis 8.0", "valkey 9.1" };
    for (size_t i = 0; i < COUNT(servers); i++) {
        asker *k = asker_of(servers[i]);
        ASK_ALL(k, { "zadd z 0 m", ":1" }, { "zunion 1 z weights -6 withscores", "*2 $1 m $2 -0" },
                { "zunionstore d 1 z weights -6", ":1" },
                { "zscore d m", "$1 0" });
        asker_free((void **)&k);
    }
}

/* A trim that cuts nothing off is a write to WATCH, but not from Valkey 9.1 on. */
static void trims_of_nothing(void **state)
{
    (void)state;
    static const struct { const char *dialect, *exec; } row[] = { { "redis 7.0", "*-1" }, { "redis 8.0", "*-1" },
                                                                  { "valkey 8.1", "*-1" }, { "valkey 9.1", "*0" } };
    for (size_t i = 0; i < COUNT(row); i++) {
        asker *k = asker_of(row[i].dialect);
        ASK_ALL(k, { "rpush l a b", ":2" }, { "watch l", "+OK" }, { "ltrim l 0 -1", "+OK" }, { "multi", "+OK" },
                { "exec", row[i].exec }, { "watch l", "+OK" },
                { "ltrim l 0 0", "+OK" }, { "multi", "+OK" }, { "exec", "*-1" });
        asker_free((void **)&k);
    }
}

/* Compare and set, compare and delete. */
static void conditions_on_values(void **state)
{
    (void)state;
    asker *k = asker_of("valkey 9.1");
    ASK_ALL(k, { "set k w ifeq v", "$-1" }, { "set k v", "+OK" }, { "set k w ifeq v", "+OK" },
            { "set k x ifeq v get", "$1 w" }, { "get k", "$1 w" },
            { "set k x ifeq w nx", "-ERR syntax error" }, { "set k x ifne w", "-ERR syntax error" },
            { "delifeq k v", ":0" }, { "rpush l a", ":1" },
            { "delifeq l a", "-WRONGTYPE Operation against a key holding the wrong kind of value" },
            { "delifeq k w", ":1" }, { "exists k", ":0" },
            { "delifeq k w", ":0" });
    asker_free((void **)&k);
    k = asker_of("redis 8.4");
    ASK_ALL(k, { "set k v ifne x", "+OK" }, { "set k w ifne v", "$-1" }, { "set k w ifeq v", "+OK" },
            { "digest no", "$-1" }, { "delex k ifne w", ":0" },
            { "delex k ifeq v", ":0" }, { "delex k ifdeq 0000000000000000", ":0" },
            { "delex k ifx v", "-ERR syntax error" }, { "delex k ifeq w", ":1" },
            { "rpush l a", ":1" }, { "delex l", ":1" },
            { "delifeq k v", "-ERR unknown command 'delifeq', with args beginning with: 'k' 'v' " } );
    asker_free((void **)&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_versions_have_names),
        cmocka_unit_test(since_counts_for_each_lineage),
        cmocka_unit_test(rows_belong_to_versions),
        cmocka_unit_test(trims_of_nothing),
        cmocka_unit_test(doubles_are_short),
        cmocka_unit_test(servers_answer_in_their_own_words),
        cmocka_unit_test(minus_zero_is_shown),
        cmocka_unit_test(conditions_on_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
