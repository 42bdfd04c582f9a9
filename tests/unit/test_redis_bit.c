/* test_redis_bit.c - SETBIT, GETBIT and BITCOUNT: bits from the highest of the first byte on. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ask.h"

#define NO_OFFSET "-ERR bit offset is not an integer or out of range"
#define NO_BIT "-ERR bit is not an integer or out of range"

/* Property: a string grows by zero bytes up to the bit, also for a 0; the answer is the bit that was there. */
static void setting_a_bit_answers_the_old_one(void **state)
{
    ASK_ALL(*state, { "setbit b 1 1", ":0" }, { "get b", "$1 @" }, { "setbit b 1 0", ":1" }, { "setbit b 7 1", ":0" },
            { "get b", "$1 \x01" },
        { "setbit b 23 0", ":0" }, { "strlen b", ":3" }, { "getbit b 7", ":1" }, { "getbit b 8", ":0" },
        { "getbit b 4294967295", ":0" },
        { "getbit no 0", ":0" }, { "exists no", ":0" });
}

static void offsets_and_bits_are_judged_before_the_key(void **state)
{
    ASK_ALL(*state, { "rpush l a", ":1" }, { "setbit l -1 1", NO_OFFSET }, { "setbit l 4294967296 1", NO_OFFSET },
            { "setbit l x 1", NO_OFFSET }, { "setbit l 0 2", NO_BIT },
        { "setbit l 0 x", NO_BIT }, { "setbit l 0 1", "-WRONGTYPE Operation against a key holding the wrong kind of "
                                      "value" }, { "getbit l -1", NO_OFFSET },
        { "getbit l 0", "-WRONGTYPE Operation against a key holding the wrong kind of value" });
}

static void counts_are_by_byte_or_by_bit(void **state)
{
    ASK_ALL(*state, { "set s foobar", "+OK" }, { "bitcount s", ":26" }, { "bitcount s 0 0", ":4" },
            { "bitcount s 1 1", ":6" }, { "bitcount s -2 -1", ":7" }, { "bitcount s 5 30 bit", ":17" },
        { "bitcount s 0 9223372036854775807", ":26" }, { "bitcount s 3 1", ":0" }, { "bitcount s 0 -99", ":4" },
        { "bitcount s 0", "-ERR syntax error" }, { "bitcount s 0 1 word", "-ERR syntax error" },
        { "bitcount s x 1", "-ERR value is not an integer or out of range" }, { "bitcount no x", ":0" },
        { "bitcount s -1 -2 word", ":0" });
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(setting_a_bit_answers_the_old_one),
        ON_FRESH_SERVER(offsets_and_bits_are_judged_before_the_key),
        ON_FRESH_SERVER(counts_are_by_byte_or_by_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
