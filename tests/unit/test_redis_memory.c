/* test_redis_memory.c - a server whose memory is short (maxmemory, noeviction): what is refused, and of a script when.
 * The same was asked of redis-server 7.0.15 and 8.0.6 and of valkey-server 8.1.1 and 9.1.2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "ask.h"

#define OOM "-OOM command not allowed when used memory > 'maxmemory'."

static const char *const servers[] = { "redis 7.0", "redis 8.0", "valkey 8.1", "valkey 9.1" };

static void commands_that_may_need_memory_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(servers); i++) {
        asker *k = asker_of(servers[i]);
        ask(k, "set a 1");
        redis_out_of_memory(k->server, true);
        ASK_ALL(k, { "set b 1", OOM }, { "get a", "$1 1" }, { "lpush l 1", OOM }, { "hset h a 1", OOM },
                { "pexpire a 1000", ":1" }, { "del a", ":1" });
        redis_out_of_memory(k->server, false);
        ASK_ALL(k, { "set b 1", "+OK" });
        asker_free((void **)&k);
    }
}

/* Property: a script is refused its first write, and none after it has written: it is not stopped in the middle. */
static void scripts_are_refused_their_first_write_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(servers); i++) {
        asker *k = asker_of(servers[i]);
        ask(k, "sadd s 1 2");
        redis_out_of_memory(k->server, true);
        assert_true(str_starts(str_from(ask(k, "eval redis.call('set',KEYS[1],1) 1 x")), S(OOM " script: ")));
        ASK_ALL(k, { "eval return(redis.pcall('set',KEYS[1],1).err) 1 x", "$55 OOM command not allowed when used "
                     "memory > 'maxmemory'." },
                { "eval redis.call('srem','s',1)redis.call('set',KEYS[1],1)return(redis.call('set',KEYS[1],2)) 1 x",
                  "+OK" },
                { "eval redis.pcall('set',KEYS[1],1)redis.call('srem','s',2)return(redis.call('set',KEYS[1],2)) 1 x",
                  "+OK" },
                { "eval return(redis.call('get',KEYS[1])) 1 x", "$1 2" },
                { "eval #!lua\nreturn(1) 0", OOM });
        str allowed[] = { S("eval"), S("#!lua flags=allow-oom\nreturn redis.call('set', KEYS[1], 3)"), S("1"), S("x") };
        assert_int_equal(redis_execute(k->server, k->conn, allowed, COUNT(allowed), k->now_ms, k->a).kind,
                         REPLY_STATUS);
        asker_free((void **)&k);
    }
}

/* Older servers queue nothing; EXEC is refused by all for what it would run. */
static void transactions_ask_at_both_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(servers); i++) {
        asker *k = asker_of(servers[i]);
        redis_out_of_memory(k->server, true);
        ASK_ALL(k, { "multi", "+OK" }, { "get a", i == 0 ? OOM : "+QUEUED" }, { "set a 1", OOM },
                { "exec", "-EXECABORT Transaction discarded because of previous errors." });
        redis_out_of_memory(k->server, false);
        ASK_ALL(k, { "multi", "+OK" }, { "set a 1", "+QUEUED" });
        redis_out_of_memory(k->server, true);
        assert_true(str_starts(str_from(ask(k, "exec")), S("-EXECABORT Transaction discarded because of: ")));
        asker_free((void **)&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_that_may_need_memory_are_refused),
        cmocka_unit_test(scripts_are_refused_their_first_write_only),
        cmocka_unit_test(transactions_ask_at_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
