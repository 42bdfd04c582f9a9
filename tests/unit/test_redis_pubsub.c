/* test_redis_pubsub.c - who gets which message, in which order, and when. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"

#define ONLY_PUBSUB(command) "-ERR Can't execute '" command "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT " \
    "/ RESET are allowed in this context"

/* The messages delivered so far, as "conn:channel=payload" or "conn:pattern>channel=payload", parted by blanks. */
typedef struct {
    asker *k;
    redis_conn *conns[4];                          /* 1 to 3 are the asker's numbers; 0 is not used */
    buf log;
} hall;

static void hear(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    hall *h = context;
    buf_printf(&h->log, "%s%u:%.*s%s%.*s=%.*s", h->log.n ? " " : "", conn, STR_ARG(pattern), pattern.p ? ">" : "",
               STR_ARG(channel), STR_ARG(payload));
}

static int hall_new(void **state)
{
    static hall h;
    asker_new(state);
    h = (hall){ .k = *state };
    h.conns[1] = h.k->conn;
    h.conns[2] = redis_connect(h.k->server, 2);
    h.conns[3] = redis_connect(h.k->server, 3);
    redis_observe(h.k->server, &(redis_observer){ .context = &h, .message = hear });
    *state = &h;
    return 0;
}

static int hall_free(void **state)
{
    hall *h = *state;
    buf_free(&h->log);
    void *k = h->k;
    return asker_free(&k);
}

static void say(hall *h, int conn, const char *command, const char *answer)
{
    h->k->conn = h->conns[conn];
    if (strcmp(ask(h->k, command), answer) != 0)
        fail_msg("%d: %s\n  expected: %s\n  answered: %s", conn, command, answer, h->k->answer.p);
}

static void heard(hall *h, const char *expected)
{
    assert_string_equal(h->log.p ? h->log.p : "", expected);
    buf_clear(&h->log);
    buf_add(&h->log, S(""));
}

/* Found by random subscriptions beside the real server: it says pmessage. */
static void an_empty_pattern_is_a_pattern(void **state)
{
    hall *h = *state;
    say(h, 1, "psubscribe ''", "*3 $10 psubscribe $0  :1");
    say(h, 3, "subscribe ''", "*3 $9 subscribe $0  :1");
    say(h, 2, "publish '' a", ":2");
    heard(h, "3:=a 1:>=a");
}

static void messages_reach_subscribers_in_order_of_subscription(void **state)
{
    hall *h = *state;
    say(h, 1, "publish ch nobody", ":0");
    say(h, 3, "subscribe ch", "*3 $9 subscribe $2 ch :1");
    say(h, 1, "subscribe ch", "*3 $9 subscribe $2 ch :1");
    say(h, 2, "publish ch a", ":2");
    say(h, 2, "publish CH b", ":0");
    say(h, 2, "publish ch ''", ":2");
    heard(h, "3:ch=a 1:ch=a 3:ch= 1:ch=");
    say(h, 3, "subscribe ch", "*3 $9 subscribe $2 ch :1");      /* again: confirmed, not doubled */
    say(h, 2, "publish ch c", ":2");
    heard(h, "3:ch=c 1:ch=c");
    say(h, 3, "unsubscribe ch", "*3 $11 unsubscribe $2 ch :0");
    say(h, 2, "publish ch d", ":1");
    heard(h, "1:ch=d");
}

/* Property: a channel's own subscribers come before patterns; one that has both counts twice and hears it twice. */
static void patterns_come_after_channels(void **state)
{
    hall *h = *state;
    say(h, 1, "psubscribe c*", "*3 $10 psubscribe $2 c* :1");
    say(h, 1, "subscribe ch", "*3 $9 subscribe $2 ch :2");
    say(h, 3, "psubscribe ?h", "*3 $10 psubscribe $2 ?h :1");
    say(h, 2, "publish ch x", ":3");
    heard(h, "1:ch=x 1:c*>ch=x 3:?h>ch=x");
    say(h, 2, "publish cat x", ":1");
    heard(h, "1:c*>cat=x");
    say(h, 2, "pubsub numpat", ":2");
    say(h, 2, "pubsub numsub ch cat", "*4 $2 ch :1 $3 cat :0");
    say(h, 2, "pubsub channels", "*1 $2 ch");
    say(h, 1, "punsubscribe", "*3 $12 punsubscribe $2 c* :1");
    say(h, 2, "pubsub numpat", ":1");
}

static void shard_channels_are_a_world_of_their_own(void **state)
{
    hall *h = *state;
    say(h, 1, "ssubscribe ch", "*3 $10 ssubscribe $2 ch :1");
    say(h, 1, "subscribe ch", "*3 $9 subscribe $2 ch :1");
    say(h, 3, "psubscribe *", "*3 $10 psubscribe $1 * :1");
    say(h, 2, "spublish ch s", ":1");
    heard(h, "1:ch=s");
    say(h, 2, "publish ch p", ":2");
    heard(h, "1:ch=p 3:*>ch=p");
    say(h, 2, "pubsub shardchannels", "*1 $2 ch");
    say(h, 2, "pubsub shardnumsub ch no", "*4 $2 ch :1 $2 no :0");
    say(h, 1, "sunsubscribe", "*3 $12 sunsubscribe $2 ch :0");
    say(h, 1, "sunsubscribe", "*3 $12 sunsubscribe $-1 :0");
    say(h, 1, "unsubscribe other", "*3 $11 unsubscribe $5 other :1");
}

static void several_channels_are_confirmed_one_by_one(void **state)
{
    hall *h = *state;
    say(h, 1, "subscribe b a", "*3 $9 subscribe $1 b :1 *3 $9 subscribe $1 a :2");
    say(h, 1, "psubscribe p", "*3 $10 psubscribe $1 p :3");
    say(h, 1, "unsubscribe", "*3 $11 unsubscribe $1 b :2 *3 $11 unsubscribe $1 a :1");
    say(h, 1, "unsubscribe", "*3 $11 unsubscribe $-1 :1");
    say(h, 1, "unsubscribe x y", "*3 $11 unsubscribe $1 x :1 *3 $11 unsubscribe $1 y :1");
}

static void a_subscriber_may_say_little(void **state)
{
    hall *h = *state;
    say(h, 1, "subscribe ch", "*3 $9 subscribe $2 ch :1");
    say(h, 1, "get k", ONLY_PUBSUB("get"));
    say(h, 1, "GET", "-ERR wrong number of arguments for 'get' command");
    say(h, 1, "publish ch x", ONLY_PUBSUB("publish"));
    say(h, 1, "pubsub numpat", ONLY_PUBSUB("pubsub|numpat"));
    say(h, 1, "exec", "-EXECABORT Transaction discarded because of: Can't execute 'exec': only (P|S)SUBSCRIBE / "
        "(P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context");
    say(h, 1, "ping", "*2 $4 pong $0 ");
    say(h, 1, "ping hello", "*2 $4 pong $5 hello");
    say(h, 1, "unsubscribe ch", "*3 $11 unsubscribe $2 ch :0");
    say(h, 1, "get k", "$-1");
    say(h, 1, "ssubscribe ch", "*3 $10 ssubscribe $2 ch :1");   /* a shard channel restricts as well */
    say(h, 1, "get k", ONLY_PUBSUB("get"));
    say(h, 1, "reset", "+RESET");
    say(h, 1, "get k", "$-1");
}

/* Property: nothing is delivered while a command runs; a transaction's messages come at its end, in order. */
static void messages_wait_for_the_end_of_exec(void **state)
{
    hall *h = *state;
    say(h, 3, "subscribe ch", "*3 $9 subscribe $2 ch :1");
    say(h, 1, "multi", "+OK");
    say(h, 1, "publish ch a", "+QUEUED");
    heard(h, "");
    say(h, 1, "set k v", "+QUEUED");
    say(h, 1, "publish ch b", "+QUEUED");
    say(h, 1, "subscribe ch", "+QUEUED");
    say(h, 1, "ssubscribe ch", "+QUEUED");
    say(h, 1, "exec", "*5 :1 +OK :1 *3 $9 subscribe $2 ch :1 -ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
    heard(h, "3:ch=a 3:ch=b");
}

static void a_gone_connection_hears_nothing(void **state)
{
    hall *h = *state;
    redis *r = h->k->server;
    say(h, 3, "subscribe a b", "*3 $9 subscribe $1 a :1 *3 $9 subscribe $1 b :2");
    say(h, 3, "psubscribe *", "*3 $10 psubscribe $1 * :3");
    assert_int_equal(redis_subscriptions(r, h->conns[3]), 3);
    assert_int_equal(redis_subscriptions(r, h->conns[1]), 0);
    redis_disconnect(r, h->conns[3]);
    say(h, 1, "publish a x", ":0");
    say(h, 1, "pubsub channels", "*0");
    say(h, 2, "subscribe a", "*3 $9 subscribe $1 a :1");
    say(h, 1, "set k v", "+OK");
    redis_wipe(r);
    say(h, 1, "publish a x", ":0");
    say(h, 2, "get k", "$-1");                                  /* no subscriber any more, and no data */
    heard(h, "");
}

static void pubsub_knows_its_subcommands(void **state)
{
    hall *h = *state;
    say(h, 1, "pubsub foo", "-ERR unknown subcommand 'foo'. Try PUBSUB HELP.");
    say(h, 1, "pubsub numsub", "*0");
    say(h, 1, "pubsub channels a b", "-ERR unknown subcommand or wrong number of arguments for 'channels'. Try PUBSUB "
        "HELP.");
    say(h, 2, "subscribe b a '' ab", "*3 $9 subscribe $1 b :1 *3 $9 subscribe $1 a :2 *3 $9 subscribe $0  :3 *3 $9 "
        "subscribe $2 ab :4");
    say(h, 1, "pubsub channels", "*4 $0  $1 a $2 ab $1 b");
    say(h, 1, "PUBSUB Channels a*", "*2 $1 a $2 ab");
    say(h, 1, "publish a", "-ERR wrong number of arguments for 'publish' command");
    say(h, 1, "publish '' x", ":1");
    heard(h, "2:=x");
}

int main(void)
{
#define IN_A_HALL(test) cmocka_unit_test_setup_teardown(test, hall_new, hall_free)
    const struct CMUnitTest tests[] = {
        IN_A_HALL(an_empty_pattern_is_a_pattern),
        IN_A_HALL(messages_reach_subscribers_in_order_of_subscription),
        IN_A_HALL(patterns_come_after_channels),
        IN_A_HALL(shard_channels_are_a_world_of_their_own),
        IN_A_HALL(several_channels_are_confirmed_one_by_one),
        IN_A_HALL(a_subscriber_may_say_little),
        IN_A_HALL(messages_wait_for_the_end_of_exec),
        IN_A_HALL(a_gone_connection_hears_nothing),
        IN_A_HALL(pubsub_knows_its_subcommands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
