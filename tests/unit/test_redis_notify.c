/* test_redis_notify.c - keyspace notifications: which are told, when an expiry is, and that a pending one is part of a
 * state. What real servers tell is compared by tests/conformance (module events). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "ask.h"
#include "base/mem.h"
#include "script/script.h"

typedef struct {
    redis *r;
    redis_conn *writer, *listener;
    int64_t now_ms;
    arena *a;
    buf heard;
} rig;

static void hear(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    rig *g = context;
    (void)conn, (void)pattern;
    buf_addz(&g->heard, g->heard.n ? ", " : "");
    buf_add(&g->heard, channel);
    buf_printf(&g->heard, " %.*s", STR_ARG(payload));
}

static reply run(rig *g, redis_conn *conn, const char *text)
{
    str words[16];
    size_t n = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " ");
        words[n++] = (str){ at, length };
        at += length + (at[length] == ' ');
    }
    return redis_execute(g->r, conn, words, n, g->now_ms, g->a);
}

static rig *rig_new(const char *letters, const char *dialect)
{
    rig *g = mem_zero(sizeof *g);
    redis_limits limits = { 0 };
    const char *why;
    assert_true(redis_notify_parse(str_from(letters), &limits.notify, &why));
    assert_true(dialect_parse(str_from(dialect), &limits.dialect));
    g->r = redis_new(limits);
    g->a = arena_new();
    g->now_ms = INT64_C(1700000000000);
    redis_observe(g->r, &(redis_observer){ .context = g, .message = hear });
    g->writer = redis_connect(g->r, 1);
    g->listener = redis_connect(g->r, 2);
    run(g, g->listener, "psubscribe __key*");
    return g;
}

static void rig_free(rig *g)
{
    redis_free(g->r);
    arena_free(g->a);
    buf_free(&g->heard);
    mem_free(g);
}

static void expect_heard(rig *g, const char *text)
{
    assert_string_equal(g->heard.n ? g->heard.p : "", text);
    buf_clear(&g->heard);
}

static void letters_choose_what_is_told(void **state)
{
    (void)state;
    static const struct { const char *letters, *heard; } row[] = {
        { "", "" }, { "E", "" }, { "$", "" }, { "Eg", "__keyevent@0__:expire k, __keyevent@0__:del k" },
        { "E$", "__keyevent@0__:set k" },
        { "K$", "__keyspace@0__:k set" }, { "KE$", "__keyspace@0__:k set, __keyevent@0__:set k" },
        { "EAn", "__keyevent@0__:new k, __keyevent@0__:set k, __keyevent@0__:expire k, __keyevent@0__:del k" },
        { "EA", "__keyevent@0__:set k, __keyevent@0__:expire k, __keyevent@0__:del k" }, { "Exl", "" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig *g = rig_new(row[i].letters, "redis 7.0");
        run(g, g->writer, "set k v px 100");
        run(g, g->writer, "del k");
        expect_heard(g, row[i].heard);
        rig_free(g);
    }
}

/* Real servers take "m" and tell of each look-up that finds no key. Here none would ever be heard: a request for it is
 * refused. */
static void letters_that_are_not_told_are_refused(void **state)
{
    (void)state;
    static const struct { const char *letters, *why; } row[] = {
        { "KEq", "Invalid event class character. Use 'Ag$lshzxeKEtmdn'." },
        { "KEm", "locksim does not tell of keys that were not found: leave 'm' out." },
        { "AKEm", "locksim does not tell of keys that were not found: leave 'm' out." },
    };
    rig *g = rig_new("Ex", "redis 7.0");
    redis_host_by(g->r, &(redis_host){ .context = g });        /* CONFIG is only there beside connections */
    for (size_t i = 0; i < COUNT(row); i++) {
        unsigned flags;
        const char *why;
        assert_false(redis_notify_parse(str_from(row[i].letters), &flags, &why));
        assert_string_equal(why, row[i].why);
        str argv[] = { S("config"), S("set"), S("notify-keyspace-events"), str_from(row[i].letters) };
        reply r = redis_execute(g->r, g->writer, argv, COUNT(argv), g->now_ms, g->a);
        assert_int_equal(r.kind, REPLY_ERROR);
        assert_string_equal(r.text.p + r.text.n - strlen(why), why);
    }
    run(g, g->writer, "set k v px 1");             /* and the setting stays */
    g->now_ms += 2;
    run(g, g->writer, "get k");
    expect_heard(g, "__keyevent@0__:expired k");
    rig_free(g);
}

/* Property: a key may hold any byte, and its channel holds it whole; of two keys that expired the one that is looked up
 * first is told of first. */
static void channels_have_whole_keys(void **state)
{
    (void)state;
    rig *g = rig_new("Kg$x", "redis 7.0");
    str set[] = { S("set"), { "a\0b", 3 }, S("v") };
    redis_execute(g->r, g->writer, set, COUNT(set), g->now_ms, g->a);
    assert_int_equal(g->heard.n, sizeof "__keyspace@0__:a?b set" - 1);
    assert_memory_equal(g->heard.p, "__keyspace@0__:a\0b set", g->heard.n);
    buf_clear(&g->heard);
    run(g, g->writer, "set s v px 1");
    run(g, g->writer, "set t v px 1");
    buf_clear(&g->heard);
    g->now_ms += 2;
    run(g, g->writer, "smove s t m");
    expect_heard(g, "__keyspace@0__:s expired, __keyspace@0__:t expired");
    rig_free(g);
}

/* Property: the event comes when the key is really removed, by a command or by the server itself, and once. */
static void expiry_is_told_when_the_key_goes(void **state)
{
    (void)state;
    for (int by_itself = 0; by_itself < 2; by_itself++) {
        rig *g = rig_new("Egx", "redis 7.0");
        run(g, g->writer, "set k v px 100");
        buf_clear(&g->heard);
        g->now_ms += 100;
        run(g, g->writer, "get k");
        expect_heard(g, "");
        assert_false(redis_expire(g->r, g->now_ms, S("k")));
        g->now_ms += 1;
        expect_heard(g, "");
        redis_only_look(g->r, true);
        assert_int_equal(run(g, g->writer, "get k").kind, REPLY_NIL);
        redis_only_look(g->r, false);
        expect_heard(g, "");
        if (by_itself)
            assert_true(redis_expire(g->r, g->now_ms, S("k")));
        else
            run(g, g->writer, "exists k");
        expect_heard(g, "__keyevent@0__:expired k");
        run(g, g->writer, "get k");
        expect_heard(g, "");
        rig_free(g);
    }
}

static void name_key(void *context, str key)
{
    buf_printf(context, "%.*s ", STR_ARG(key));
}

static void pending_is(rig *g, const char *keys)
{
    buf b = { 0 };
    redis_each_expired(g->r, g->now_ms, name_key, &b);
    assert_string_equal(b.n ? b.p : "", keys);
    buf_free(&b);
}

static void a_pending_expiry_is_part_of_a_state(void **state)
{
    (void)state;
    rig *g = rig_new("Exn", "redis 8.0"), *quiet = rig_new("Eg", "redis 8.0");
    run(g, g->writer, "set k v px 100");
    run(g, g->writer, "set later v px 900");
    buf_clear(&g->heard);
    run(quiet, quiet->writer, "set k v px 100");
    g->now_ms += 101;
    quiet->now_ms += 101;
    pending_is(g, "k ");
    pending_is(quiet, "");                         /* nobody would be told */
    buf frozen = { 0 }, again = { 0 }, without = { 0 };
    redis_fold(g->r, g->now_ms, &frozen);
    g->now_ms += 5;
    redis_unfold(g->r, g->now_ms, buf_str(&frozen));
    redis_fold(g->r, g->now_ms, &again);
    assert_true(str_eq(buf_str(&frozen), buf_str(&again)));
    pending_is(g, "k ");
    expect_heard(g, "");                           /* thawing is no event */
    assert_true(redis_expire(g->r, g->now_ms, S("k")));
    expect_heard(g, "__keyevent@0__:expired k");
    redis_fold(g->r, g->now_ms, &without);
    assert_false(str_eq(buf_str(&frozen), buf_str(&without)));
    buf_clear(&again);
    redis_fold(quiet->r, quiet->now_ms, &again);
    assert_int_equal(again.n, 1);                  /* there the expired key is as good as gone */
    buf_free(&frozen);
    buf_free(&again);
    buf_free(&without);
    rig_free(g);
    rig_free(quiet);
}

/* Fields that expired are seen by HLEN until they go, with or without listeners. */
static void fields_go_by_themselves(void **state)
{
    (void)state;
    rig *g = rig_new("Ehg", "valkey 9.1");
    run(g, g->writer, "hsetex h px 10 fields 1 a 1");
    buf_clear(&g->heard);
    g->now_ms += 11;
    pending_is(g, "h ");
    assert_true(redis_expire(g->r, g->now_ms, S("h")));
    expect_heard(g, "__keyevent@0__:hexpired h, __keyevent@0__:del h");
    pending_is(g, "");
    rig_free(g);
}

/* However many expired fields one command finds in Redis, they are told once, and first. */
static void expired_fields_are_told_once_a_command(void **state)
{
    (void)state;
    static const struct { const char *command, *heard; } row[] = {
        { "hmget h a b c", "hexpired" }, { "hget h a", "hexpired" }, { "hmget h c", "" },
        { "hgetex h px 99 fields 3 a c b", "hexpired hexpire" }, { "hgetdel h fields 2 a b", "hexpired" },
        { "hgetdel h fields 3 a c b", "hexpired hdel del" }, { "hsetex h fnx fields 2 a 1 b 2", "hexpired hset" },
        { "hsetex h fxx fields 2 c 1 b 2", "hexpired" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig *g = rig_new("Ehg", "redis 8.0.6");
        buf told = { 0 };
        run(g, g->writer, "hset h c 1");
        run(g, g->writer, "hsetex h px 10 fields 2 a 1 b 2");
        g->now_ms += 11;
        buf_clear(&g->heard);
        run(g, g->writer, row[i].command);
        for (str rest = str_from(row[i].heard); rest.n; rest = str_slice(rest, str_find(rest, ' ', 0) + 1, rest.n)) {
            str event = str_slice(rest, 0, str_find(rest, ' ', 0));
            buf_printf(&told, "%s__keyevent@0__:%.*s h", told.n ? ", " : "", STR_ARG(event));
        }
        expect_heard(g, told.n ? told.p : "");
        buf_free(&told);
        rig_free(g);
    }
}

static void who_may_hear_from_the_server_itself(void **state)
{
    (void)state;
    static const struct { const char *letters, *channel; bool may; } row[] = {
        { "Ex", "__keyevent@0__:expired", true }, { "Ex", "__keyevent@0__:del", false }, { "Ex", "__keyevent@*", true },
        { "Ex", "__keyspace@0__:k", false },
        { "Kx", "__keyspace@0__:k", true }, { "Kx", "__keyevent@0__:expired", false },
        { "Eg", "__keyevent@0__:expired", false }, { "Kx", "wake", false },
        { "Kx", "*", true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig *g = rig_new(row[i].letters, "redis 7.0");
        assert_int_equal(redis_tells_by_itself(g->r, str_from(row[i].channel)), row[i].may);
        rig_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_have_whole_keys),
        cmocka_unit_test(letters_choose_what_is_told),
        cmocka_unit_test(letters_that_are_not_told_are_refused),
        cmocka_unit_test(expiry_is_told_when_the_key_goes),
        cmocka_unit_test(a_pending_expiry_is_part_of_a_state),
        cmocka_unit_test(fields_go_by_themselves),
        cmocka_unit_test(expired_fields_are_told_once_a_command),
        cmocka_unit_test(who_may_hear_from_the_server_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
