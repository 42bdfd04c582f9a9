/* test_redis_cluster.c - slots of keys, what a node of a cluster refuses, and what is seen of a slot that moves.
 * tests/conformance/cluster.sh asks two real nodes the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "script/script.h"

typedef struct {
    redis *r;
    redis_conn *conn;
    arena *a;
    int findings;
    str found;
} node;

static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    node *n = context;
    (void)sha1, (void)line;
    n->findings += kind == FINDING_CROSS_SLOT;
    n->found = arena_str(n->a, text);
}

static node node_open(redis_limits limits)
{
    node n = { .r = redis_new(limits), .a = arena_new() };
    n.conn = redis_connect(n.r, 1);
    return n;
}

static void node_watch(node *n)
{
    redis_observe(n->r, &(redis_observer){ .context = n, .finding = on_finding });
}

static void node_close(node *n)
{
    redis_free(n->r);
    arena_free(n->a);
}

enum { WORDS_AT_MOST = 8 };

static const char *ask(node *n, const char *const *words)
{
    str argv[WORDS_AT_MOST];
    size_t argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = str_from(words[argc]);
    reply r = redis_execute(n->r, n->conn, argv, argc, 1000, n->a);
    buf b = { 0 };
    reply_print_short(&r, &b);
    const char *text = arena_str(n->a, buf_str(&b)).p;
    buf_free(&b);
    return text;
}

#define ASK(n, ...) ask(n, (const char *const[]){ __VA_ARGS__, NULL })

#define CROSSES "error: CROSSSLOT Keys in request don't hash to the same slot"
#define AGAIN "error: TRYAGAIN Multiple keys request during rehashing of slot"
#define NOT_LOCAL "error: ERR Script attempted to access a non local key in a cluster node"

/* The slots that a real server tells of these (CLUSTER KEYSLOT). */
static void keys_have_slots(void **state)
{
    (void)state;
    static const struct { const char *key; unsigned slot; } row[] = {
        { "foo", 12182 }, { "bar", 5061 }, { "{user1000}.following", 3443 }, { "{}foo", 9500 }, { "foo{}{bar}", 8363 },
        { "foo{{bar}}zap", 4015 }, { "foo{bar}{zap}", 5061 }, { "", 0 }, { "123456789", 12739 },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        assert_int_equal(redis_key_slot(str_from(row[i].key)), row[i].slot);
}

/* Property: keys of two slots are refused before anything runs, and found; in a script another slot is another
 * node's. */
static void keys_of_two_slots_are_refused(void **state)
{
    (void)state;
    node n = node_open((redis_limits){ .cluster = CLUSTER_YES });
    node_watch(&n);
    assert_string_equal(ASK(&n, "mset", "a", "1", "b", "2"), CROSSES);
    assert_int_equal(n.findings, 1);
    assert_true(str_eq(n.found, S("b")));
    assert_string_equal(ASK(&n, "mset", "{a}1", "1", "{a}2", "2"), "OK");
    assert_string_equal(ASK(&n, "eval", "return redis.call('set', KEYS[1], 1)", "2", "a", "b"), CROSSES);
    assert_string_equal(ASK(&n, "exists", "a"), "0");
    assert_string_equal(ASK(&n, "eval", "return redis.pcall('get', 'b')", "1", "a"), NOT_LOCAL);
    assert_string_equal(ASK(&n, "eval", "return redis.pcall('get', 'a')", "0"), NOT_LOCAL);
    assert_string_equal(ASK(&n, "eval", "return redis.call('get', '{a}1')", "1", "a"), "\"1\"");
    assert_string_equal(ASK(&n, "multi"), "OK");
    assert_string_equal(ASK(&n, "set", "a", "1"), "QUEUED");
    assert_string_equal(ASK(&n, "set", "b", "1"), "QUEUED");
    assert_string_equal(ASK(&n, "exec"), CROSSES);
    assert_string_equal(ASK(&n, "exec"), "error: ERR EXEC without MULTI");
    assert_string_equal(ASK(&n, "select", "1"), "error: ERR SELECT is not allowed in cluster mode");
    assert_string_equal(ASK(&n, "cluster", "keyslot", "foo"), "12182");
    node_close(&n);
}

/* Property: keys of two slots are a finding where nothing is said of a cluster, and nobody's concern where there is
 * none. */
static void what_is_no_cluster_is_not_judged_as_one(void **state)
{
    (void)state;
    static const struct { cluster_kind cluster; int findings; } row[] = { { CLUSTER_NOT_SAID, 1 }, { CLUSTER_NO, 0 } };
    for (size_t i = 0; i < COUNT(row); i++) {
        node n = node_open((redis_limits){ .cluster = row[i].cluster });
        node_watch(&n);
        assert_string_equal(ASK(&n, "eval", "return redis.call('set', KEYS[2], 1)", "2", "a", "b"), "OK");
        assert_string_equal(ASK(&n, "mset", "a", "1", "b", "2"), "OK");
        assert_int_equal(n.findings, row[i].findings);
        node_close(&n);
    }
}

/* Property: while a slot moves several keys are told to try again and nothing is done; a script's hash is not known;
 * one key is served. */
static void a_slot_that_moves_shows(void **state)
{
    (void)state;
    node n = node_open((redis_limits){ .cluster = CLUSTER_YES });
    static const char hash[] = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";       /* return 1 */
    assert_string_equal(ASK(&n, "eval", "return 1", "0"), "1");
    redis_slot_moves(n.r, true);
    assert_string_equal(ASK(&n, "mset", "{a}1", "1", "{a}2", "2"), AGAIN);
    assert_string_equal(ASK(&n, "exists", "{a}1"), "0");
    assert_string_equal(ASK(&n, "del", "a", "a"), "0");
    assert_string_equal(ASK(&n, "set", "a", "1"), "OK");
    assert_string_equal(ASK(&n, "evalsha", hash, "1", "a"), "error: NOSCRIPT No matching script. Please use EVAL.");
    assert_string_equal(ASK(&n, "evalsha", hash, "2", "{a}1", "{a}2"), AGAIN);
    assert_string_equal(ASK(&n, "evalsha", hash, "0"), "1");
    assert_string_equal(ASK(&n, "eval", "return 1", "1", "a"), "1");
    assert_string_equal(ASK(&n, "multi"), "OK");
    assert_string_equal(ASK(&n, "del", "{a}1", "{a}2"), AGAIN);
    assert_string_equal(ASK(&n, "exec"), "error: EXECABORT Transaction discarded because of previous errors.");
    redis_slot_moves(n.r, false);
    assert_string_equal(ASK(&n, "evalsha", hash, "1", "a"), "1");
    str two[] = { S("del"), S("{a}1"), S("{a}2") }, one[] = { S("get"), S("a") },
                by_hash[] = { S("evalsha"), S("x"), S("1"), S("a") };
    assert_true(redis_shows_moving(n.r, two, COUNT(two)));
    assert_false(redis_shows_moving(n.r, one, COUNT(one)));
    assert_true(redis_shows_moving(n.r, by_hash, COUNT(by_hash)));
    node_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_slots),
        cmocka_unit_test(keys_of_two_slots_are_refused),
        cmocka_unit_test(what_is_no_cluster_is_not_judged_as_one),
        cmocka_unit_test(a_slot_that_moves_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
