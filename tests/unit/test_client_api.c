/* test_client_api.c - what client code may ask of `me`, and what a process does for it. */
#include "client_rig.h"

static void a_request_goes_out_and_its_answer_comes_back(void **state)
{
    (void)state;
    rig r;
    const rig_file files[] = { { "acquire.lua", "return 1" }, { NULL, NULL } };
    rig_program(&r, files,
                "local s = script 'acquire.lua'\n"
                "local v, e = me:eval(s, { 'k' }, { 30000, me.id, 1700000000123 }, { op = 'acquire', lock = 'k', lease "
                "= 30000 })\n"
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
                "    local inner = coroutine.create(function() coroutine.yield(me:call('GET', 'a')); error({ code = 7 "
                "}) end)\n"
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
                "local ok, e = xpcall(function() me:call('GET', 'c'); local x = nil + 1 end, function(m) return 'H ' "
                ".. m end)\n"
                "me:log(tostring(ok) .. ' ' .. e)\n");
    assert_string_equal(rig_text(&r), "0 request 1 get@0: GET a\n");
    assert_true(rig_answer(&r, 1, reply_bulk(S("v"))));
    assert_string_equal(rig_text(&r), "0 log v!\n0 log true again 7\n0 request 2 get@0: GET b\n");
    assert_true(rig_answer(&r, 2, reply_nil()));
    assert_string_equal(rig_text(&r), "0 log false s.lua:12:3: deep\n0 request 3 get@0: GET c\n");
    if (!rig_answer(&r, 3, reply_nil()))
        fail_msg("%s", rig_error(&r));
    assert_string_equal(rig_text(&r), "0 log false H s.lua:17:70: attempt to perform arithmetic on a nil value\n0 "
                        "ended\n");
    rig_free(&r);
}


static void a_semaphore_serves_in_the_order_of_asking(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local s = me:semaphore(1)\n"
                "assert(s:acquire() == true and s:permits() == 0)\n"
                "for i = 1, 3 do me:spawn('w' .. i, function(me)\n"
                "  local got, why = s:acquire(i == 2 and 50 or nil)\n"
                "  me:log(i .. ' ' .. tostring(got) .. ' ' .. tostring(why))\n"
                "end) end\n"
                "me:sleep(10)\n"
                "me:log(tostring(s:waiting()))\n"
                "s:release(2)\n"
                "me:log(tostring(s:waiting()) .. ' ' .. tostring(s:permits()))\n"
                "assert(s:acquire(0) == false)\n"
                "me:sleep(100)\n"
                "s:release(5) me:log(tostring(s:drain()) .. ' ' .. tostring(s:permits()))\n");
    assert_true(rig_run(&r, 2) && rig_run(&r, 1) && rig_run(&r, 3));          /* asked in the order 2, 1, 3 */
    assert_int_equal(rig_task(&r, 2)->wake_ms, RIG_T0 + 50);
    assert_true(rig_task(&r, 1)->wake_ms == INT64_MAX);
    r.now_ms += 10;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log 3\n0 log 1 0\n");
    assert_int_equal(rig_task(&r, 2)->status, TASK_READY);
    assert_int_equal(rig_task(&r, 1)->status, TASK_READY);
    assert_int_equal(rig_task(&r, 3)->status, TASK_WAIT);
    assert_true(rig_run(&r, 1) && rig_run(&r, 2) && rig_interrupt(&r, 3));
    assert_string_equal(rig_text(&r), "1 log 1 true nil\n1 ended\n2 log 2 true nil\n2 ended\n3 log 3 nil "
                        "interrupted\n3 ended\n");
    r.now_ms += 100;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log 5 0\n0 ended\n");
    rig_free(&r);
}

static void a_permit_that_does_not_come_in_time_is_false(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "local s = me:semaphore(0)\nme:log(tostring(s:acquire(50)) .. ' ' .. s:waiting())\n");
    assert_int_equal(rig_task(&r, 0)->status, TASK_WAIT);
    assert_true(rig_task(&r, 0)->interruptible);
    assert_false(rig_task(&r, 0)->zero_wait);
    r.now_ms += 50;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log false 0\n0 ended\n");
    rig_free(&r);
}

static void a_future_is_fulfilled_once_for_all_who_wait(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local f = me:send('PTTL', { 'k' })\n"
                "f:on_answer(function(me, v, e) me:log('callback ' .. tostring(v) .. tostring(e)) me:granted('k') "
                "end)\n"
                "me:spawn('other', function(me) me:log('other ' .. f:wait()) end)\n"
                "local v, e = f:wait(20)\n"
                "me:log(tostring(v) .. ' ' .. tostring(e))\n"
                "v, e = f:wait()\n"
                "me:log(tostring(v) .. ' ' .. tostring(e) .. tostring(f:done()))\n"
                "f:on_answer(function(me, v) me:log('late ' .. v) end)\n");
    assert_string_equal(rig_text(&r), "0 request 1 pttl@0 future: PTTL k\n");
    assert_true(rig_run(&r, 1));
    r.now_ms += 20;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log nil timeout\n");
    assert_true(rig_answer(&r, 1, reply_integer(7)));
    assert_string_equal(rig_text(&r), "");
    assert_true(rig_run(&r, 2) && rig_run(&r, 0) && rig_run(&r, 1) && rig_run(&r, 3));
    assert_string_equal(rig_text(&r), "2 log callback 7nil\n2 granted k by A:1 lease -1 token 0 count 1 request 1\n2 "
                        "ended\n"
                                      "0 log 7 niltrue\n0 ended\n1 log other 7\n1 ended\n3 log late 7\n3 ended\n");
    assert_true(rig_answer(&r, 1, reply_integer(8)));       /* a second answer (duplicate) is nobody's */
    assert_string_equal(rig_text(&r), "");
    rig_free(&r);
}

static void a_future_that_is_given_up_has_an_error(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "local f = me:send(script.text 'return 1', { 'k' }, { 2 }, { op = 'renew', timeout_ms = 5 "
                "})\n"
                          "local v, e = f:wait() me:log(tostring(v) .. e.kind)\n");
    assert_string_equal(rig_text(&r), "0 request 1 renew@0 future: EVALSHA SHA 1 k 2\n");
    assert_true(process_give_up(r.p, 1, S("lost"), r.now_ms, &r.out, &r.e));
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log nillost\n0 ended\n");
    rig_free(&r);
}

static void a_time_out_and_an_interrupt_end_the_wait_for_an_answer(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "for i = 1, 2 do local v, e = me:call('GET', 'k', { timeout_ms = 100 }) me:log(tostring(v) "
                ".. e.kind) end\n"
                          "local ok, why = me:sleep(5) me:log(tostring(ok) .. why)\n"
                          "me:log(tostring(me:sleep(0)))\n");
    rig_text(&r);
    assert_true(process_give_up(r.p, 1, S("timeout"), r.now_ms, &r.out, &r.e));
    rig_note(&r);
    assert_string_equal(rig_text(&r), "0 log niltimeout\n0 request 2 get@0: GET k\n");
    assert_true(rig_interrupt(&r, 0));
    assert_string_equal(rig_text(&r), "0 log nilinterrupted\n");
    assert_true(rig_answer(&r, 2, reply_nil()));            /* it still comes, and nobody waits */
    assert_string_equal(rig_text(&r), "");
    assert_true(rig_interrupt(&r, 0));
    assert_string_equal(rig_text(&r), "0 log nilinterrupted\n");
    assert_true(rig_task(&r, 0)->zero_wait);
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log true\n0 ended\n");
    rig_free(&r);
}

static void messages_run_their_handlers_in_the_order_of_subscription(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "me.process.n = 0\n"
                "assert(me:subscribe('ch', function(me, m, c) me.process.n = me.process.n + 1 me:log(m .. c) "
                "me:sleep(1) me:log('b') end, 77))\n"
                "assert(me:psubscribe('c*', function(me, m, c) me:log('p' .. m .. c) end))\n"
                "me:sleep(1)\n"
                "assert(me:unsubscribe('ch'))\n"
                "me:log(tostring(me.process.n))\n");
    assert_string_equal(rig_text(&r), "0 request 1 subscribe@0: SUBSCRIBE ch\n");
    assert_true(rig_message(&r, "ch", "early"));            /* the handler is there since the request was sent */
    assert_string_equal(rig_text(&r), "1 log earlych\n");
    assert_string_equal(rig_task(&r, 1)->name.p, "message");
    assert_true(rig_answer(&r, 1, reply_nil()));
    assert_true(rig_answer(&r, 2, reply_nil()));
    rig_text(&r);
    assert_true(rig_message(&r, "ch", "1") && rig_message(&r, "other", "2"));
    assert_string_equal(rig_text(&r), "2 log 1ch\n");
    assert_true(process_message(r.p, 0, S("cx"), S("3"), S("c*"), r.now_ms, &r.out, &r.e));
    rig_note(&r);
    assert_string_equal(rig_text(&r), "3 log p3cx\n3 ended\n");
    r.now_ms++;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 request 3 unsubscribe@0: UNSUBSCRIBE ch\n");
    assert_true(rig_message(&r, "ch", "late"));             /* unsubscribed when it was sent */
    assert_string_equal(rig_text(&r), "");
    assert_true(rig_answer(&r, 3, reply_nil()));
    assert_string_equal(rig_text(&r), "0 log 2\n0 ended\n");
    rig_free(&r);
}

static void a_subscription_is_sent_without_waiting_and_its_confirmation_heard_later(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local f = me:send_subscribe('ch', function(me, m) me:log('heard ' .. m) end, 3000)\n"
                "local v, e = f:wait(20)\n"
                "me:log(tostring(v) .. ' ' .. tostring(e))\n"
                "f:on_answer(function(me, v, e) me:log(tostring(v) .. ' ' .. tostring(e)) me:unsubscribe('ch') end)\n");
    assert_string_equal(rig_text(&r), "0 request 1 subscribe@0 future: SUBSCRIBE ch\n");
    assert_true(rig_message(&r, "ch", "early"));
    assert_string_equal(rig_text(&r), "1 log heard early\n1 ended\n");
    r.now_ms += 20;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log nil timeout\n0 ended\n");
    assert_true(rig_answer(&r, 1, reply_nil()));
    assert_true(rig_run(&r, 2));
    assert_string_equal(rig_text(&r), "2 log true nil\n2 request 2 unsubscribe@0: UNSUBSCRIBE ch\n");
    rig_free(&r);
}

static void tasks_are_joined_and_cancelled(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local t = me:spawn('t', function(me) me:sleep(10) me:log('t done') end, { daemon = true })\n"
                "local u = me:spawn('u', function(me) me:call('GET', 'k') me:log('never') end)\n"
                "local w = me:spawn('w', function(me) u:join() me:log('u over') t:join() end)\n"
                "me:log(tostring(t:join(5)))\n"
                "me:log(tostring(u:cancel()) .. tostring(u:cancel()) .. tostring(u:done()))\n"
                "me:log(tostring(t:join()) .. tostring(w:join(0)))\n");
    assert_true(rig_task(&r, 1)->daemon && !rig_task(&r, 2)->daemon);
    assert_true(rig_run(&r, 1) && rig_run(&r, 2) && rig_run(&r, 3));
    assert_string_equal(rig_text(&r), "2 request 1 get@0: GET k\n");
    r.now_ms += 5;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log false\n2 ended\n0 log truefalsetrue\n");
    assert_true(rig_answer(&r, 1, reply_nil()));            /* the answer to a task that is no more */
    assert_true(rig_run(&r, 3));
    assert_string_equal(rig_text(&r), "3 log u over\n");
    r.now_ms += 5;
    assert_true(rig_run(&r, 1) && rig_run(&r, 0) && rig_run(&r, 3));
    assert_string_equal(rig_text(&r), "1 log t done\n1 ended\n0 log truefalse\n0 ended\n3 ended\n");
    rig_free(&r);
}

static void a_task_may_cancel_itself(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "local t t = me:spawn('t', function(me) me:log('in') pcall(function() t:cancel() end) "
                "me:log('never') end)\n");
    assert_true(rig_run(&r, 1));
    assert_string_equal(rig_text(&r), "0 ended\n1 log in\n1 ended\n");
    rig_free(&r);
}

static void choices_and_open_work_are_the_worlds(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "return { clients = { 'A' }, work_ms = { 5, 9 }, program = function(me)\n"
                                   "  me:log(me:choose{ 'x', 'y', 'z' } .. me:choose{ 'only' })\n"
                                   "  me:work() me:log('worked') me:step() me:log('stepped')\nend }"));
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    assert_true(rig_run(&r, 0));
    assert_int_equal(rig_task(&r, 0)->choices, 3);
    assert_true(process_choose(r.p, 0, 1, r.now_ms, &r.out, &r.e));
    rig_note(&r);
    assert_string_equal(rig_text(&r), "0 log yonly\n");
    assert_string_equal(rig_task(&r, 0)->next.p, "work");
    assert_int_equal(rig_task(&r, 0)->status, TASK_SLEEP);
    assert_int_equal(rig_task(&r, 0)->wake_ms, RIG_T0 + 5);
    r.now_ms += 5;
    assert_true(rig_run(&r, 0));
    assert_int_equal(rig_task(&r, 0)->status, TASK_WORK);
    assert_int_equal(rig_task(&r, 0)->wake_ms, RIG_T0 + 9);
    r.now_ms += 1;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log worked\n");
    assert_int_equal(rig_task(&r, 0)->status, TASK_READY);
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log stepped\n0 ended\n");
    rig_free(&r);
}

static void who_and_when_are_the_processes_own(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "local count = 0\n"
                                   "return { clients = { { 'A', threads = 2, skew_ms = -250, start_ms = 10 } }, "
                                   "servers = 2, program = function(me)\n"
                                   "  count = count + 1\n"
                                   "  me:log(me.id .. ' ' .. me.client .. ' ' .. me.thread .. ' ' .. me:now() .. ' ' "
                                   ".. me:unique('req') .. ' ' .. count)\n"
                                   "  me:on(2):call('PING')\nend }"));
    /* after a restart it does not wait for start_ms */
    r.p = process_new(&r.scenario, &r.loader, 0, 1, r.now_ms, &r.e);
    assert_true(rig_run(&r, 1) && rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "1 log A#1:2 A 2 1699999999750 A#1:req:1 1\n1 request 1 ping@1: PING\n"
                                      "0 log A#1:1 A 1 1699999999750 A#1:req:2 2\n0 request 2 ping@1: PING\n");
    process_free(r.p);
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    assert_int_equal(rig_task(&r, 0)->status, TASK_SLEEP);
    assert_int_equal(rig_task(&r, 1)->wake_ms, RIG_T0 + 10);
    assert_false(rig_task(&r, 1)->interruptible);
    process_jump_clock(r.p, 1000);
    r.now_ms += 10;
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log A:1 A 1 1700000000760 A#0:req:1 1\n0 request 1 ping@1: PING\n");
    rig_free(&r);
}

/* Handles share the table of their thread and server, and all of them the methods. */
static void each_thread_and_server_has_a_handle_of_its_own(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "return { clients = { { 'A', threads = 2 } }, servers = 2, program = function(me)\n"
                                   "  local on, p = me:on(2), me.process\n"
                                   "  p.sleep, p.spawn = p.sleep or me.sleep, p.spawn or on.spawn\n"
                                   "  assert(on.sleep == p.sleep and me.spawn == p.spawn and on.process == p and "
                                   "on:on(1) ~= me)\n"
                                   "  for _, m in ipairs { me, on, on:on(1), me:on(1) } do me:log(m.id .. ' ' .. "
                                   "m.thread .. ' ' .. m.server) end\n"
                                   "end }"));
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    assert_true(rig_run(&r, 1));
    assert_string_equal(rig_text(&r), "1 log A:2 2 1\n1 log A:2 2 2\n1 log A:2 2 1\n1 log A:2 2 1\n1 ended\n");
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log A:1 1 1\n0 log A:1 1 2\n0 log A:1 1 1\n0 log A:1 1 1\n0 ended\n");
    rig_free(&r);
}

/* Property: tasks are told by ids that are never given twice, in their order, under their own names, whatever ended
 * before: the memory of those that are over is used again. */
static void tasks_that_follow_others_are_new_ones(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "local t = {}\n"
                          "for i, name in ipairs { 'a', 'a much longer name', '' } do t[i] = me:spawn(name, "
                          "function(me) me:sleep(i) end) end\n"
                          "me:sleep(5)\n"
                          "assert(t[2]:cancel() and not t[2]:cancel() and t[2]:done() and not t[1]:done())\n"
                          "t[4] = me:spawn('b', function(me) me:log(me.id) me:sleep(9) end, { daemon = true })\n"
                          "assert(t[2]:done() and not t[2]:cancel())\n"
                          "t[5] = me:spawn('one more, with a name as long as this', function() end)\n"
                          "me:sleep(5)\n");
    r.now_ms += 5;
    assert_true(rig_run(&r, 1) && rig_run(&r, 2) && rig_run(&r, 0) && rig_run(&r, 4));
    assert_string_equal(rig_text(&r), "2 ended\n4 log A:1\n");
    static const struct { uint32_t id; const char *name; bool daemon; } want[] = {
        { 0, "main", false }, { 1, "a", false }, { 3, "", false }, { 4, "b", true },
        { 5, "one more, with a name as long as this", false },
    };
    const task_view *list;
    assert_int_equal(process_tasks(r.p, &list), COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(list[i].id, want[i].id);
        assert_int_equal(list[i].daemon, want[i].daemon);
        assert_true(str_eq(list[i].name, str_from(want[i].name)));
    }
    rig_free(&r);
}

/* Another lock's answer is no word on this one, and a lease may be over when it begins. */
static void a_release_ahead_names_no_request(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "me:call('GET', 'L')\n"
                          "me:granted('L', { lease = -2000 })\nme:released('L', { ahead = true }) me:released('L')");
    reply nothing = reply_nil();
    assert_true(process_answer(r.p, 1, &nothing, r.now_ms, &r.out, &r.e));
    assert_int_equal(r.out.items[0].announcement.lease_ms, -2000);
    assert_int_equal(r.out.items[1].announcement.request, 0);
    assert_int_equal(r.out.items[2].announcement.request, 1);
    rig_free(&r);
}

static reply number_of_server(void *context, uint32_t server, const str *argv, size_t argc, arena *a)
{
    (void)context, (void)argv, (void)argc, (void)a;
    return reply_integer((int64_t)server);
}

/* Whatever comes of a handle talks to its server: tasks, callbacks, message handlers, and the views of locks. */
static void what_comes_of_a_handle_talks_to_its_server(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "return { clients = { 'A' }, servers = 3, program = function(me)\n"
                                   "  local on = me:on(3)\n"
                                   "  me:log(me.server .. ' ' .. on.server .. ' ' .. on:on(2).server)\n"
                                   "  on:observe('L', { view = function(redis) return { ttl_ms = redis.call('PING') } "
                                   "end })\n"
                                   "  me:observe('M', { view = function(redis) return { ttl_ms = redis.call('PING') } "
                                   "end })\n"
                                   "  on:spawn('t', function(t) t:call('SPAWNED') end)\n"
                                   "  on:send('GET', { 'k' }, {}):on_answer(function(t) t:call('ANSWERED') end)\n"
                                   "  on:subscribe('ch', function(t) t:call('HEARD') end)\nend }"));
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log 1 3 2\n0 request 1 get@2 future: GET k\n0 request 2 subscribe@2: "
                        "SUBSCRIBE ch\n");
    assert_true(rig_run(&r, 1));
    assert_string_equal(rig_text(&r), "1 request 3 spawned@2: SPAWNED\n");
    assert_true(rig_answer(&r, 1, reply_nil()) && rig_run(&r, 2));
    assert_string_equal(rig_text(&r), "2 request 4 answered@2: ANSWERED\n");
    assert_true(rig_answer(&r, 2, reply_nil()));
    rig_text(&r);
    assert_true(process_message(r.p, 2, S("ch"), S("1"), S(""), r.now_ms, &r.out, &r.e));
    rig_note(&r);
    assert_non_null(strstr(rig_text(&r), "request 5 heard@2: HEARD\n"));
    for (size_t i = 0; i < 2; i++) {
        lock_view v;
        assert_true(process_view(r.p, i, r.now_ms, number_of_server, NULL, r.a, &v, &r.e));
        assert_int_equal(v.ttl_ms, i == 0 ? 2 : 0);
    }
    rig_free(&r);
}

static void announcements_say_what_was_believed(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "me:wants('L')\n"
                "me:call('GET', 'L')\n"
                "me:refused('L')\n"
                "me:granted('L', { lease = 30000, token = 3, mode = 'read', count = 2 })\n"
                "me:use('disk', 3) me:released('L', { count = 1 }) me:lost('L') me:gave_up('L') me:log(12)\n");
    assert_true(rig_answer(&r, 1, reply_nil()));
    assert_string_equal(rig_text(&r), "0 wants L by A:1\n0 request 1 get@0: GET L\n0 refused L by A:1\n"
                                      "0 granted L by A:1 lease 30000 token 3 count 2 request 1\n0 use disk by A:1\n"
                                      "0 released L by A:1\n0 lost L by A:1\n0 gave_up L by A:1\n0 log 12\n0 ended\n");
    rig_free(&r);
}

static reply canned(void *context, uint32_t server, const str *argv, size_t argc, arena *a)
{
    (void)context;
    if (str_eq(argv[0], S("PTTL")))
        return reply_integer(25000 + server);
    if (str_eq(argv[0], S("HGETALL"))) {
        reply all = reply_items(a, REPLY_ARRAY, 4);
        all.items[0] = reply_bulk(S("B:1")), all.items[1] = reply_bulk(S("2"));
        all.items[2] = reply_bulk(S("A:1")), all.items[3] = reply_bulk(S("1"));
        return all;
    }
    return argc == 1 ? reply_error(S("ERR no")) : reply_nil();
}

static void a_view_is_read_into_holders_queue_and_keys(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local driver = { spec = 'reentrant', view = function(redis, lock)\n"
                "  local holders, flat = {}, redis.call('HGETALL', lock)\n"
                "  for i = 1, #flat, 2 do holders[flat[i]] = tonumber(flat[i + 1]) end\n"
                "  assert(redis.call('GET', 'x') == nil)\n"
                "  local v, e = redis.call('BAD') assert(v == nil and e.message == 'ERR no')\n"
                "  return { holders = holders, ttl_ms = redis.on(1).call('PTTL', lock), queue = { 'C:1' }, keys = { "
                "lock }, modes = { ['A:1'] = 'read' } }\n"
                "end }\n"
                "me:observe('L', driver) me:observe('L', driver) me:observe('M', { view = function() me:sleep(1) end "
                "})\n"
                "me:observe('N', { view = function() return { holder = {} } end })\n"
                "me:observe('W', { view = function() return { holders = { ['A:1'] = { write = 1, read = 2 }, B = 1 }, "
                "modes = { B = 'm' } } end })\n"
                "me:observe('X', { view = function() return { holders = { ['A:1'] = { write = {} } } } end })\n"
                "me:observe('Y', { view = function() return { holders = { ['A:1'] = { 1 } } } end })\n");
    const observed *list;
    assert_int_equal(process_observed(r.p, &list), 6);
    assert_int_equal(list[0].spec, SPEC_REENTRANT);
    lock_view v;
    assert_true(process_view(r.p, 0, r.now_ms, canned, NULL, r.a, &v, &r.e));
    assert_int_equal(v.holder_count, 2);
    assert_string_equal(v.holders[0].id.p, "A:1");
    assert_string_equal(v.holders[0].mode.p, "read");
    assert_int_equal(v.holders[1].count, 2);
    assert_int_equal(v.ttl_ms, 25000);
    assert_int_equal(v.queue_count, 1);
    assert_string_equal(v.keys[0].p, "L");
    assert_false(process_view(r.p, 1, r.now_ms, canned, NULL, r.a, &v, &r.e));
    assert_non_null(strstr(rig_error(&r), "s.lua:9:88: error[driver]: me cannot be used here: no task is running"));
    err_clear(&r.e);
    assert_false(process_view(r.p, 2, r.now_ms, canned, NULL, r.a, &v, &r.e));
    assert_non_null(strstr(rig_error(&r), "s.lua:10:26: error[driver]: what view returned: 'holder' is not a field"));
    err_clear(&r.e);
    assert_true(process_view(r.p, 3, r.now_ms, canned, NULL, r.a, &v, &r.e));
    static const struct { const char *id, *mode; int64_t count; } both[] = { { "A:1", "read", 2 },
                                                                             { "A:1", "write", 1 }, { "B", "m", 1 } };
    assert_int_equal(v.holder_count, COUNT(both));
    for (size_t i = 0; i < COUNT(both); i++) {
        assert_string_equal(v.holders[i].id.p, both[i].id);
        assert_string_equal(v.holders[i].mode.p, both[i].mode);
        assert_int_equal(v.holders[i].count, both[i].count);
    }
    assert_false(process_view(r.p, 4, r.now_ms, canned, NULL, r.a, &v, &r.e));
    assert_non_null(strstr(rig_error(&r), "what view returned: holders has to have integers as counts"));
    err_clear(&r.e);
    assert_false(process_view(r.p, 5, r.now_ms, canned, NULL, r.a, &v, &r.e));
    assert_non_null(strstr(rig_error(&r), "what view returned: holders has to have strings as modes"));
    rig_free(&r);
}

/* The invariant is given what the view gave: a count, or a count for each mode. */
static void the_invariant_sees_every_mode_of_a_holder(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "return { clients = { 'A' }, program = function(me) end, always = function(view)\n"
                                   "  local a, b = view.holders.A, view.holders.B\n"
                                   "  return a.read == 2 and a.write == 1 and a.idle == nil and b == 3 and "
                                   "view.modes.A == nil and view.modes.B == 'read'\n"
                                   "end }"));
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    lock_holder h[] = { { S("A"), 2, S("read") }, { S("A"), 1, S("write") }, { S("B"), 3, S("read") } };
    for (int64_t writes = 1; writes <= 2; writes++) {
        h[1].count = writes;
        bool ok;
        str why;
        assert_true(process_always(r.p, &(always_asked){ .view = &(lock_view){ .lock = S("L"), .holders = h,
                                   .holder_count = COUNT(h) } }, r.now_ms, r.a, &ok, &why, &r.e));
        assert_int_equal(ok, writes == 1);
    }
    rig_free(&r);
}

static void the_invariant_sees_the_view(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "return { clients = { 'A' }, program = function(me) end, always = function(view)\n"
                                   "  local n = 0 for id, count in pairs(view.holders) do n = n + count end\n"
                                   "  return n <= 1 and view.lock == 'L' and view.ttl_ms == 5 and #view.queue == 0, n "
                                   ".. ' holds of ' .. view.keys[1]\nend }"));
    assert_true(r.scenario.has_always && r.scenario.model.judged[PROPERTY_ALWAYS]);
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    lock_holder h[] = { { .id = S("A:1"), .count = 1 }, { .id = S("B:1"), .count = 1 } };
    str keys[] = { S("L") };
    lock_view v = { .lock = S("L"), .holders = h, .holder_count = 1, .ttl_ms = 5, .keys = keys, .key_count = 1 };
    bool ok;
    str why;
    assert_true(process_always(r.p, &(always_asked){ .view = &v }, r.now_ms, r.a, &ok, &why, &r.e) && ok);
    v.holder_count = 2;
    assert_true(process_always(r.p, &(always_asked){ .view = &v }, r.now_ms, r.a, &ok, &why, &r.e) && !ok);
    assert_string_equal(why.p, "2 holds of L");
    rig_free(&r);
}

static void offer_instant(void *context, int64_t at_ms)
{
    buf_printf(context, "%d ", (int)(at_ms - RIG_T0));
}

static void instants_are_found_wherever_a_process_keeps_them(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local deadline = me:now() + 100\n"
                "me.process.t = { [me:now() + 200] = { tostring(me:now() + 300) } }\n"
                "local up, answered, refused = me:now() + 400, me:send('PEXPIRETIME', { 'k' }), me:send('GET', { 'k' "
                "})\n"
                "me:spawn('s', function(me) me:sleep(up) me:log(answered:wait() .. refused:wait()) end)\n"
                "local co = coroutine.wrap(function() pcall(function() local t = me:now() + 600 coroutine.yield() "
                "return t end) end) co()\n"
                "pcall(function() local inner, forgotten = me:now() + 500, me:now() + 700 me:call('SET', 'k', "
                "forgotten) me:log(tostring(inner)) end)\n"
                "me:log(tostring(deadline)) co()\n");
    assert_true(rig_answer(&r, 1, reply_integer(RIG_T0 + 800)));
    assert_true(rig_answer(&r, 2, reply_error(S("ERR 1700000000900"))));
    buf b = { 0 };
    process_each_instant(r.p, r.now_ms, 1000000000, offer_instant, &b);
    static const char *const wanted[] = { "100 ", "200 ", "300 ", "400 ", "500 ", "600 ", "800 " };
    for (size_t i = 0; i < COUNT(wanted); i++)
        if (!strstr(b.p, wanted[i]))
            fail_msg("%s is not in %s", wanted[i], b.p);
    assert_null(strstr(b.p, "700 "));              /* nothing will read it: no part of the state, see freeze.c */
    buf_free(&b);
    rig_free(&r);
}

/* By me:call, and by a future that is asked twice: the second time of what it has kept. */
static void replies_become_the_values_of_a_client_library(void **state)
{
    (void)state;
    static const char *const ways[] = { "me:call('X')", "kept(me:send('X', {}))" };
    arena *a = arena_new();
    for (size_t way = 0; way < COUNT(ways); way++) {
        rig r;
        rig_program(&r, NULL,
                    arena_printf(a, "local function show(v) if type(v) ~= 'table' then return type(v) .. ':' .. "
                                 "tostring(v) end\n"
                    "  local s = '' for i, x in ipairs(v) do s = s .. '[' .. show(x) .. ']' end return s end\n"
                    "local function kept(f) f:wait() return f:wait() end\n"
                    "for i = 1, 8 do local v, e = %s me:log(show(v) .. (e and e.kind or '')) end\n", ways[way]).p);
        reply list = reply_items(r.a, REPLY_ARRAY, 3);
        list.items[0] = reply_integer(1), list.items[2] = reply_items(r.a, REPLY_ARRAY, 1);
        list.items[2].items[0] = reply_bulk(S("x"));
        const reply answers[] = { reply_nil(), reply_ok(), reply_integer(INT64_C(1700000000000)), reply_bulk(S("b")),
                                  list, reply_nil_array(),
                                  reply_double(1.5), reply_error(S("ERR no")) };
        static const char *const want[] = { "nil:nil\n", "string:OK\n", "number:1700000000000\n", "string:b\n",
                                            "[number:1][boolean:false][[string:x]]\n", "nil:nil\n", "string:1.5\n",
                                            "nil:nilreply\n" };
        for (size_t i = 0; i < COUNT(want); i++) {
            rig_text(&r);
            assert_true(rig_answer(&r, (uint32_t)i + 1, answers[i]) && (way == 0 || rig_run(&r, 0)));
            const char *line = strchr(rig_text(&r), ' ');
            if (!line || strncmp(line + 5, want[i], strlen(want[i])) != 0)
                fail_msg("%s is not %s", line, want[i]);
        }
        rig_free(&r);
    }
    arena_free(a);
}

static void a_forgotten_request_is_answered_without_harm(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "me:call('SUBSCRIBE') me:log('on')\n");
    rig_text(&r);
    assert_true(rig_answer(&r, 1, reply_nil()));
    process_forget(r.p, 1);
    process_forget(r.p, 77);
    assert_true(rig_answer(&r, 1, reply_nil()));
    assert_string_equal(rig_text(&r), "0 log on\n0 ended\n");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_goes_out_and_its_answer_comes_back),
        cmocka_unit_test(requests_pass_through_pcall_and_nested_coroutines),
        cmocka_unit_test(a_semaphore_serves_in_the_order_of_asking),
        cmocka_unit_test(a_permit_that_does_not_come_in_time_is_false),
        cmocka_unit_test(a_future_is_fulfilled_once_for_all_who_wait),
        cmocka_unit_test(a_future_that_is_given_up_has_an_error),
        cmocka_unit_test(a_time_out_and_an_interrupt_end_the_wait_for_an_answer),
        cmocka_unit_test(messages_run_their_handlers_in_the_order_of_subscription),
        cmocka_unit_test(a_subscription_is_sent_without_waiting_and_its_confirmation_heard_later),
        cmocka_unit_test(tasks_are_joined_and_cancelled),
        cmocka_unit_test(a_task_may_cancel_itself),
        cmocka_unit_test(choices_and_open_work_are_the_worlds),
        cmocka_unit_test(who_and_when_are_the_processes_own),
        cmocka_unit_test(each_thread_and_server_has_a_handle_of_its_own),
        cmocka_unit_test(tasks_that_follow_others_are_new_ones),
        cmocka_unit_test(a_release_ahead_names_no_request),
        cmocka_unit_test(what_comes_of_a_handle_talks_to_its_server),
        cmocka_unit_test(announcements_say_what_was_believed),
        cmocka_unit_test(a_view_is_read_into_holders_queue_and_keys),
        cmocka_unit_test(the_invariant_sees_every_mode_of_a_holder),
        cmocka_unit_test(the_invariant_sees_the_view),
        cmocka_unit_test(instants_are_found_wherever_a_process_keeps_them),
        cmocka_unit_test(replies_become_the_values_of_a_client_library),
        cmocka_unit_test(a_forgotten_request_is_answered_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
