/* test_client_api.c - what client code may ask of `me`, and what comes out of a process for it. */
#include "client_rig.h"

static void a_request_goes_out_and_its_answer_comes_back(void **state)
{
    (void)state;
    rig r;
    const rig_file files[] = { { "acquire.lua", "return 1" }, { NULL, NULL } };
    rig_program(&r, files,
                "local s = script 'acquire.lua'\n"
                "local v, e = me:eval(s, { 'k' }, { 30000, me.id, 1700000000123 }, { op = 'acquire', lock = 'k', lease = 30000 })\n"
                "me:log(tostring(v) .. ' ' .. tostring(e))\n"
                "v, e = me:call('GET', 'k')\n"
                "me:log(tostring(v) .. ' ' .. e.kind .. ' ' .. e.code .. ' ' .. e.message)\n");
    assert_string_equal(rig_text(&r), "0 request 1 acquire@0: EVALSHA SHA 1 k 30000 A:1 1700000000123\n");
    assert_int_equal(rig_task(&r, 0)->status, TASK_REQUEST);
    assert_int_equal(rig_task(&r, 0)->line, 3);
    assert_true(rig_answer(&r, 1, reply_integer(5)));
    assert_string_equal(rig_text(&r), "0 log 5 nil\n0 request 2 get@0: GET k\n");
    assert_true(rig_answer(&r, 2, reply_error(S("WRONGTYPE no"))));
    assert_string_equal(rig_text(&r), "0 log nil reply WRONGTYPE WRONGTYPE no\n0 ended\n");
    assert_null(rig_task(&r, 0));
    rig_free(&r);
}

static void requests_pass_through_pcall_and_nested_coroutines(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local co = coroutine.wrap(function(a)\n"
                "  local ok, x, y = pcall(function()\n"
                "    local inner = coroutine.create(function() coroutine.yield(me:call('GET', 'a')); error({ code = 7 }) end)\n"
                "    local _, v = coroutine.resume(inner)\n"
                "    local got = coroutine.yield(v .. a)\n"
                "    local good, e = coroutine.resume(inner)\n"
                "    return got, e.code\n"
                "  end)\n"
                "  me:log(tostring(ok) .. ' ' .. tostring(x) .. ' ' .. tostring(y))\n"
                "  me:call('GET', 'b')\n"
                "  error('deep')\n"
                "end)\n"
                "me:log(co('!'))\n"
                "local ok, e = pcall(co, 'again')\n"
                "me:log(tostring(ok) .. ' ' .. e)\n"
                "local ok, e = xpcall(function() me:call('GET', 'c'); local x = nil + 1 end, function(m) return 'H ' .. m end)\n"
                "me:log(tostring(ok) .. ' ' .. e)\n");
    assert_string_equal(rig_text(&r), "0 request 1 get@0: GET a\n");
    assert_true(rig_answer(&r, 1, reply_bulk(S("v"))));
    assert_string_equal(rig_text(&r), "0 log v!\n0 log true again 7\n0 request 2 get@0: GET b\n");
    assert_true(rig_answer(&r, 2, reply_nil()));
    assert_string_equal(rig_text(&r), "0 log false s.lua:12:3: deep\n0 request 3 get@0: GET c\n");
    if (!rig_answer(&r, 3, reply_nil()))
        fail_msg("%s", rig_error(&r));
    assert_string_equal(rig_text(&r), "0 log false H s.lua:17:70: attempt to perform arithmetic on a nil value\n0 ended\n");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_goes_out_and_its_answer_comes_back),
        cmocka_unit_test(requests_pass_through_pcall_and_nested_coroutines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
