/* test_world.c - what is enabled when, and what each step and fault does, on worlds driven by hand. */
#include "world_rig.h"

static int fresh(void **state)
{
    *state = arena_new();
    return 0;
}

static int gone(void **state)
{
    arena_free(*state);
    return 0;
}

#define COUNTER "program = function(me) local v, e = me:call('INCR', 'n') me:log(e and e.kind or v) end"

/* ---- requests and answers ---- */

/* Property: a request and its answer are one step where nothing of the process can come between, else two. */
static void a_request_is_one_step_with_its_answer_only_where_nothing_can_come_between(void **state)
{
    static const struct { const char *fields; bool one; } row[] = {
        { "clients = { 'A' }", true },
        { "clients = { 'A', 'B' }", true },
        { "clients = { 'A' }, faults = { crash = 1, evict = 1, wipe = 1, lose_message = 1, clock_jump = 1 }", true },
        { "clients = { 'A' }, faults = { pause = 1 }", false },
        { "clients = { 'A', 'B' }, faults = { pause = { 1, of = 'B' } }", true },
        { "clients = { 'A' }, faults = { lose_reply = 1 }", false },
        { "clients = { 'A' }, faults = { interrupt = 1 }", false },
        { "clients = { 'A' }, latency_ms = { 0, 1 }", false },
        { "clients = { 'A' }, timeout_ms = 1", true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[512];
        snprintf(fields, sizeof fields, "%s, " COUNTER, row[i].fields);
        rig r = rig_new(*state, fields);
        rig_take(&r, "A.incr");
        bool answered = strstr(rig_enabled(&r), "A<answer") == NULL;
        if (answered != row[i].one)
            print_error("%s\n", row[i].fields);
        assert_int_equal(answered, row[i].one);
        rig_free(&r);
    }
}

/* A request that stood still while its process was paused may be found too late, and may come back in time, at
 * resume. */
static void after_a_pause_a_time_out_can_come_between_request_and_answer(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, timeout_ms = 10, faults = { pause = 1 }, " COUNTER);
    rig_take(&r, "!pause A +10 !resume A");
    rig_enables(&r, "A.incr A<timeout");
    rig_take(&r, "A.incr");
    rig_enables(&r, "A<answer A<timeout");
    rig_take(&r, "A<timeout");
    assert_string_equal(rig_log(&r), "timeout");
    rig_free(&r);
}

/* At a deadline a millisecond may pass although the answer holds time: what is due then comes between. */
static void at_a_deadline_the_next_millisecond_can_come_between(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, program = function(me) me:call('SET', 'k', 'v', 'PX', '5')"
                            " local t = me:spawn('timer', function(m) m:sleep(5) m:log('timer') end) me:sleep(4)"
                            " me:sleep(1) me:log(tostring(me:call('GET', 'k'))) end");
    rig_take(&r, "A.set A:timer.start +4 A.sleep +1");
    rig_enables(&r, "A.sleep A:timer.sleep +1");
    rig_take(&r, "A:timer.sleep A.sleep");
    rig_enables(&r, "A.get +1");
    rig_take(&r, "A.get");                          /* nothing else is due: one step */
    assert_string_equal(rig_log(&r), "timer v");
    rig_free(&r);

    r = rig_new(*state, "clients = { 'A' }, program = function(me) me:call('SET', 'k', 'v', 'PX', '5')"
                        " me:spawn('timer', function(m) m:sleep(6) m:log('timer') end)"
                        " me:sleep(5) me:log(tostring(me:call('GET', 'k'))) end");
    rig_take(&r, "A.set A:timer.start +5 A.sleep A.get");
    rig_enables(&r, "A<answer +1");
    rig_take(&r, "+1");
    rig_enables(&r, "A:timer.sleep A<answer");
    rig_free(&r);
}

/* Two requests of one task under one name are told apart, and so are those of a task that has ended. */
static void names_of_steps_are_unique(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, faults = { lose_request = 1 }, program = function(me)"
                            " me:spawn('t', function(m) m:send('return 3', {}, {}, { op = 'go' }) end)"
                            " me:send('return 1', {}, {}, { op = 'go' }) local f = me:send('return 2', {}, {}, { op = "
                            "'go' }) me:log(f:wait()) end");
    rig_take(&r, "A:t");
    rig_enables(&r, "A.go A.go#2 A.go#3 !lose_request A.go !lose_request A.go#2 !lose_request A.go#3");
    rig_take(&r, "A.go#3");
    rig_take(&r, "A.go#2");
    rig_enables(&r, "A.go A<answer.go A<answer.go#2 !lose_request A.go");
    rig_take(&r, "A<answer.go A.wait");
    assert_string_equal(rig_log(&r), "2");
    rig_free(&r);
}

/* One key of several may be the one that is lost. */
static void evict_of_a_key_spares_the_others(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, faults = { evict = { 1, of = 'a' } }, program = function(me)"
                            " me:call('SET', 'b', '1') me:sleep(1) me:call('SET', 'a', '1') me:sleep(1) end");
    rig_take(&r, "A.set");
    rig_enables(&r, "+1");
    rig_take(&r, "+1 A.sleep A.set");
    rig_enables(&r, "+1 !evict a");
    rig_free(&r);
}

/* Keys and names may hold blanks, marks and nothing at all: a schedule names them all the same. */
static void a_schedule_can_name_any_key(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, servers = 2, faults = { evict = 9 }, program = function(me)"
                            " for _, k in ipairs { '', ' ', 'a', 'a b', 'a.b', 'a@1', '!x', '+1', '100%' } do "
                            "me:call('SET', k, '1') end me:sleep(5) end");
    for (int i = 0; i < 9; i++)
        rig_take(&r, "A.set");
    rig_enables(&r, "+5 !evict %@1 !evict %20@1 !evict %21x@1 !evict %2B1@1 !evict 100%25@1 !evict a@1 !evict a%20b@1 "
                "!evict a.b@1 !evict a@1@1");
    rig_take(&r, "!evict a@1");
    assert_string_equal(rig_redis(&r), "1: a gone");
    rig_take(&r, "!evict a@1@1");
    assert_string_equal(rig_redis(&r), "1: a@1 gone");
    rig_take(&r, "!evict %");
    assert_string_equal(rig_redis(&r), "1:  gone");
    rig_take(&r, "!evict %20 !evict a%20b !evict %21x !evict %2B1 !evict 100%25");
    step s;
    err e = { 0 };
    assert_false(world_find(r.w, S("!evict"), S("a"), &s, &e));        /* "a.b" is another key */
    err_clear(&e);
    rig_take(&r, "!evict a.b@1");
    rig_free(&r);
}

static void refuses(rig *r, const char *token, const char *why)
{
    step s;
    err e = { 0 };
    assert_false(world_find(r->w, str_from(token), S(""), &s, &e));
    if (str_find(buf_str(&e.message), why[0], 0) == e.message.n || !strstr(e.message.p, why))
        fail_msg("%s: %s", token, e.message.p);
    err_clear(&e);
}

/* Property: what takes a declared range ends at the very millisecond that a schedule names, and at none outside. */
static void a_schedule_can_name_any_millisecond_of_a_range(void **state)
{
    for (int ms = 2; ms <= 9; ms++) {
        rig r = rig_new(*state, "clients = { { 'A', start_ms = 0 } }, work_ms = { 2, 9 }, latency_ms = { 0, 5 }, "
                        "program = function(me) me:work() me:call('PING') end");
        refuses(&r, "A=1", "'A=1' is out of range: work_ms goes from 2 to 9 ms");
        refuses(&r, "A=10", "'A=10' is out of range");
        rig_take(&r, arena_printf(r.a, "A=%d", ms).p);
        assert_int_equal(world_now_ms(r.w) - WORLD_EPOCH_MS, ms);
        refuses(&r, "A.ping=6", "'A.ping=6' is out of range: latency_ms goes from 0 to 5 ms");
        rig_take(&r, "A.ping=4");
        assert_int_equal(world_now_ms(r.w) - WORLD_EPOCH_MS, ms + 4);
        rig_take(&r, "+3");
        refuses(&r, "A<answer=2", "'A<answer=2' is over: 3 ms have passed since it began");
        rig_take(&r, "A<answer=5");
        assert_int_equal(world_now_ms(r.w) - WORLD_EPOCH_MS, ms + 9);
        rig_free(&r);
    }
}

/* Where a choice of that number is there, it is that choice; and what declares no range has no millisecond. */
static void a_choice_is_named_as_before(void **state)
{
    rig r = rig_new(*state, "clients = { { 'A', start_ms = 0 } }, latency_ms = { 0, 5 }, program = function(me) "
                    "me:send('GET', { 'k' }, {}) me:choose{ 1, 2, 3 } me:work() end");
    rig_take(&r, "A=3");
    assert_int_equal(world_now_ms(r.w), WORLD_EPOCH_MS);
    refuses(&r, "A.work=1", "not enabled");
    rig_free(&r);
}

/* Whatever operations and tasks are called, the schedule that names a step is read back and means that step. */
static void a_step_of_any_name_is_found_by_its_name(void **state)
{
    rig r = rig_new(*state, "clients = { { 'A', threads = 2 } }, faults = { evict = 1 }, program = function(me) if "
                    "me.thread == 2 then me:sleep(9) end"
                            " me:call('SET', '\\195\\188', '1') me:spawn('2', function(m) m:sleep(7) end) "
                            "me:spawn('t', function(m) m:call('GET', 'k', { op = 'u.sleep' }) end) me:spawn('t.u', "
                            "function(m) m:sleep(7) end) me:spawn('t#2', function(m) m:step() end) me:spawn('t', "
                            "function(m) m:step() end) me:spawn('', function(m) m:step() end) me:spawn('\\27[31m x', "
                            "function(m) m:step() end) me:send('GET', { 'k' }, {}, { op = 'o#2' }) me:send('GET', { "
                            "'k' }, {}, { op = 'o' }) me:send('GET', { 'k' }, {}, { op = 'o' }) me:send('GET', { 'k' "
                            "}, {}, { op = ('x'):rep(99999) .. 'y' }) me:send('GET', { 'k' }, {}, { op = "
                            "('x'):rep(99999) .. 'z' }) end");
    rig_take(&r, "A.start A.set A<answer A:%32");
    rig_take(&r, "A:t.start");
    const step *steps;
    size_t count = world_enabled(r.w, &steps);
    step *all = ARENA_ARRAY(r.a, step, count);
    memcpy(all, steps, count * sizeof *all);
    assert_true(count >= 10);
    for (size_t i = 0; i < count; i++) {
        buf name = { 0 };
        schedule_item *items;
        size_t n;
        err e = { 0 };
        step found = { 0 };
        world_name_step(r.w, &all[i], &name);
        if (!schedule_parse(r.a, buf_str(&name), S("test"), &items, &n, &e) || n != 1 ||
            !world_find(r.w, items[0].token, items[0].argument, &found, &e))
            fail_msg("%s", name.p);
        if (found.kind != all[i].kind || found.process != all[i].process || found.task != all[i].task ||
            found.request != all[i].request)
            fail_msg("%s means another step", name.p);
        world_enabled(r.w, &steps);
        buf_free(&name);
    }
    rig_free(&r);
}

/* A saved schedule may be longer than the run that it is replayed on. */
static void after_the_end_nothing_can_be_named_not_even_time(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, program = function(me) me:sleep(5) end");
    rig_take(&r, "+5 A.sleep");
    const step *steps;
    err e = { 0 };
    step s;
    if (world_enabled(r.w, &steps) == 0 && !world_over(r.w))
        world_settle(r.w, &e);
    rig_enables(&r, "");
    assert_true(world_over(r.w));
    assert_false(world_find(r.w, S("+100"), S(""), &s, &e));
    assert_int_equal(e.class_, ERR_SCENARIO);
    err_clear(&e);
    assert_false(world_find(r.w, S("A"), S(""), &s, &e));
    err_clear(&e);
    rig_free(&r);
}

/* A script may log, change and raise as much as its budget allows; a step's story stays readable, and ends soon. */
static void the_story_of_a_step_is_bounded(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, program = function(me)"
                            " me:eval([[ for i = 1, 3000 do redis.log(redis.LOG_WARNING, ('x'):rep(1000)) "
                            "redis.call('SET', 'k' .. i, ('v'):rep(5000)) end redis.call('DEL', 'k7') "
                            "error(('e'):rep(1e6)) ]], {}, {}) me:log(('y'):rep(1e6)) me:call('DEL', 'k8') me:sleep(1) "
                            "end");
    rig_take(&r, "A");
    rig_take(&r, "A");
    const story *told = world_story(r.w);
    enum { ROOM = 128 * 1024 + 8192 };
    for (size_t i = 0; i < told->count; i++) {
        assert_in_range(told->rows[i].notes.n, 0, ROOM);
        assert_in_range(told->rows[i].effects.n, 0, ROOM);
        assert_in_range(told->rows[i].redis.n, 0, ROOM);
    }
    assert_true(str_ends(told->rows[0].redis, S("... and more, which is left out")));
    assert_true(str_ends(told->rows[0].notes, S("... and more, which is left out")));
    assert_string_equal(rig_redis(&r), "k8 gone");
    rig_free(&r);
}

/* ---- faults ---- */

static void a_duplicate_is_executed_twice_and_its_answer_may_be_of_either(void **state)
{
    static const struct { const char *schedule, *log; } row[] = {
        { "!duplicate A.incr A.incr A.incr", "1" },
        { "!duplicate A.incr A.incr#2 A.incr", "2" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig r = rig_new(*state, "clients = { 'A' }, faults = { duplicate = 1 }, " COUNTER);
        rig_take(&r, "!duplicate A.incr");
        rig_enables(&r, "A.incr A.incr#2");
        rig_take(&r, row[i].schedule + strlen("!duplicate A.incr "));
        assert_int_equal(world_requests(r.w), 2);
        assert_string_equal(rig_log(&r), row[i].log);
        rig_free(&r);
    }
}

static void a_late_request_is_executed_after_its_sender_gave_up(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, timeout_ms = 10, faults = { late_request = 1 }, " COUNTER);
    rig_enables(&r, "A.incr !late_request A.incr");
    rig_take(&r, "!late_request A.incr");
    rig_enables(&r, "A.incr +10");
    rig_take(&r, "+10 A<timeout");
    assert_string_equal(rig_log(&r), "timeout");
    rig_enables(&r, "A.incr");
    rig_take(&r, "A.incr");
    assert_string_equal(rig_redis(&r), "n \"1\"");
    rig_enables(&r, "");
    rig_free(&r);
}

static void a_late_request_outlives_its_sender_and_another_request_does_not(void **state)
{
    rig r = rig_new(*state, "clients = { 'A', 'B' }, faults = { late_request = 1, crash = 2, restart = 1 }, " COUNTER);
    rig_take(&r, "!late_request A.incr !crash A !crash B");
    rig_enables(&r, "A.incr !restart A !restart B");
    rig_take(&r, "!restart A");
    rig_enables(&r, "A.start A.incr");
    rig_take(&r, "A.incr");
    assert_string_equal(rig_redis(&r), "n \"1\"");
    rig_enables(&r, "A.start");
    rig_take(&r, "A A");
    assert_string_equal(rig_log(&r), "2");
    rig_free(&r);
}

static void lost_requests_and_replies_end_in_a_time_out_and_only_a_lost_reply_was_executed(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, timeout_ms = 10, faults = { lose_request = 1, lose_reply = 1 }, "
                    COUNTER);
    rig_enables(&r, "A.incr !lose_request A.incr");
    rig_take(&r, "!lose_request A.incr");
    rig_enables(&r, "+10");
    rig_take(&r, "+10 A<timeout");
    assert_int_equal(world_requests(r.w), 0);
    rig_free(&r);

    r = rig_new(*state, "clients = { 'A' }, timeout_ms = 10, faults = { lose_reply = 1 }, " COUNTER);
    rig_enables(&r, "A.incr");
    rig_take(&r, "A.incr !lose_reply A.incr");
    assert_int_equal(world_requests(r.w), 1);
    rig_enables(&r, "+10");
    rig_take(&r, "+10");
    rig_enables(&r, "A<timeout");
    rig_free(&r);
}

#define WRITER "program = function(me) for i = 1, 20 do me:call('SET', 'k', i) me:eval('return 1') end me:sleep(9) end"

/* Property: the replica that is promoted misses the last k writes, and what wrote nothing is none. */
static void a_failover_loses_exactly_k_writes(void **state)
{
    for (int k = 0; k <= 8; k++) {
        rig r = rig_new(*state, "clients = { 'A' }, replicas = 1, faults = { failover = { 1, writes = 8 } }, " WRITER);
        for (int i = 0; i < 10; i++)
            rig_take(&r, "A.set A.eval");
        char failover[32], shows[32];
        snprintf(failover, sizeof failover, "!failover 1=%d", k);
        snprintf(shows, sizeof shows, "k \"%d\"", 10 - k);
        rig_take(&r, failover);
        assert_string_equal(rig_redis(&r), k ? shows : "");
        rig_free(&r);
    }
}

static void a_failover_loses_no_more_than_was_written(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, replicas = 1, faults = { failover = { 1, writes = 3 } }, " WRITER);
    rig_enables(&r, "A.set !failover 1=0");
    rig_take(&r, "A.set");
    rig_enables(&r, "A.eval !failover 1=0 !failover 1=1");
    rig_take(&r, "!failover 1=1");
    assert_string_equal(rig_redis(&r), "k gone");
    rig_free(&r);
}

/* WAIT tells how many replicas have everything; then no failover can lose it. A lagging replica has not, and catches up
 * in the end. */
static void what_a_replica_acknowledged_no_failover_loses(void **state)
{
    const char *fields = "clients = { 'A' }, replicas = 1, faults = { lag = { 1, ms = 50 }, failover = { 1, writes = 5 "
                         "} }, program = function(me) for i = 1, 9 do me:call('SET', 'k', i) me:log(me:call('WAIT', "
                             "'1', '0')) end end";
    rig r = rig_new(*state, fields);
    rig_take(&r, "A.set");
    rig_enables(&r, "A.wait !lag 1 !failover 1=0 !failover 1=1");
    rig_take(&r, "A.wait");
    rig_enables(&r, "A.set !lag 1 !failover 1=0");
    rig_take(&r, "A.set !lag 1");
    rig_enables(&r, "A.wait !failover 1=0");
    rig_take(&r, "A.wait A.set A.wait");
    assert_string_equal(rig_log(&r), "1 0 0");
    rig_take(&r, "!failover 1=0");                  /* what it had when the lag began */
    assert_string_equal(rig_redis(&r), "k \"2\"");
    rig_free(&r);

    r = rig_new(*state, fields);
    rig_take(&r, "A.set A.wait A.set !lag 1 A.wait A.set +50");
    /* it has caught up: neither the writes before nor those during the lag are lost */
    rig_enables(&r, "A.wait !failover 1=0");
    rig_take(&r, "A.wait A.set !failover 1=1");
    assert_string_equal(rig_redis(&r), "k \"3\"");
    rig_free(&r);
}

/* A request with a WAIT in its batch: nothing comes between the two, and where the replica lags the sender learns that
 * alone. */
static void a_synced_request_is_executed_and_answered_by_its_replicas(void **state)
{
    const char *fields = "clients = { 'A' }, replicas = 1, faults = { lag = { 1, ms = 50 }, failover = { 1, writes = 5 "
                         "} }, program = function(me) for i = 1, 9 do local v, e = me:eval([[ return "
                             "redis.call('INCR', KEYS[1]) ]], { 'k' }, {}, { op = 'incr', sync = 1 })"
                         " me:log(e and e.kind .. e.code or v) end end";
    rig r = rig_new(*state, fields);
    rig_take(&r, "A.incr");
    rig_enables(&r, "A.incr !lag 1 !failover 1=0");
    rig_take(&r, "!lag 1 A.incr");
    assert_string_equal(rig_log(&r), "1 nosyncNOSYNC");
    assert_string_equal(rig_redis(&r), "k \"2\"");
    rig_take(&r, "!failover 1=0");
    assert_string_equal(rig_redis(&r), "k \"1\"");
    rig_take(&r, "A.incr");
    assert_string_equal(rig_log(&r), "1 nosyncNOSYNC 2");
    rig_free(&r);

    static const struct { const char *replicas, *sync, *log; } rows[] = {
        { "", "0", "1" }, { "", "1", "nosync" }, { "replicas = 2,", "2", "1" }, { "replicas = 2,", "3", "nosync" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        r = rig_new(*state, arena_printf(*state, "clients = { 'A' }, %s program = function(me) local v, e = "
                                         "me:call('INCR', 'k', { sync = %s }) me:log(e and e.kind or v) me:sleep(5) "
                                         "end", rows[i].replicas, rows[i].sync).p);
        rig_take(&r, "A.incr");
        assert_string_equal(rig_log(&r), rows[i].log);
        assert_string_equal(rig_redis(&r), "k \"1\"");
        rig_free(&r);
    }
}

/* Property: of several replicas one may lag. WAIT counts the others, and does not protect from a failover to this
 * one. */
static void of_two_replicas_one_lags_and_may_be_the_one_that_takes_over(void **state)
{
    const char *fields = "clients = { 'A' }, replicas = 2, faults = { lag = { 1, ms = 50 }, failover = { 1, writes = 5 "
                         "} }, program = function(me) for i = 1, 9 do me:call('SET', 'k', i) me:log(me:call('WAIT', 1, "
                             "0)) end end";
    rig r = rig_new(*state, fields);
    rig_take(&r, "A.set");
    rig_enables(&r, "A.wait !lag 1 !failover 1=0 !failover 1=1");
    rig_take(&r, "!lag 1");
    rig_enables(&r, "A.wait !failover 1=0 !failover 1=1 !failover 1=lagging");
    rig_take(&r, "A.wait A.set");
    rig_enables(&r, "A.wait !failover 1=0 !failover 1=1 !failover 1=lagging");
    rig_take(&r, "A.wait A.set A.wait");
    assert_string_equal(rig_log(&r), "1 1 1");
    rig_enables(&r, "A.set !failover 1=0 !failover 1=lagging");
    rig_take(&r, "!failover 1=lagging");
    assert_string_equal(rig_redis(&r), "k \"1\"");
    rig_free(&r);

    r = rig_new(*state, fields);
    rig_take(&r, "A.set !lag 1 A.wait A.set !failover 1=1");
    assert_string_equal(rig_redis(&r), "k \"1\"");           /* of the one that keeps up: it has what WAIT said */
    rig_free(&r);

    r = rig_new(*state, fields);
    rig_take(&r, "A.set !lag 1 A.wait A.set A.wait A.set +50");
    rig_enables(&r, "A.wait !failover 1=0 !failover 1=1");
    rig_take(&r, "A.wait");
    assert_string_equal(rig_log(&r), "1 1 2");
    rig_free(&r);
}

/* What a script says itself is said, synced or not. */
static void an_error_of_a_synced_script_is_its_own(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, replicas = 1, faults = { lag = 1 }, program = function(me)"
                            " local _, e = me:eval([[ return redis.error_reply('NO never') ]], {}, {}, { op = 'go', "
                            "sync = 1 }) me:log(e.kind .. ' ' .. e.message) me:sleep(5) end");
    rig_take(&r, "!lag 1 A.go");
    assert_string_equal(rig_log(&r), "reply NO never");
    rig_free(&r);
}

static void a_failover_after_a_wipe_brings_nothing_back(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, replicas = 1, faults = { wipe = 1, failover = { 1, writes = 5 } }, "
                    WRITER);
    rig_take(&r, "A.set !wipe 1");
    assert_string_equal(rig_redis(&r), "k gone");
    rig_enables(&r, "A.eval !failover 1=0");
    rig_free(&r);
}

static void an_eviction_is_a_write_that_a_replica_may_miss(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, replicas = 1, faults = { evict = 1, failover = { 1, writes = 5 } }, "
                    WRITER);
    rig_take(&r, "A.set !evict k !failover 1=1");
    assert_string_equal(rig_redis(&r), "k \"1\"");
    rig_free(&r);
}

/* Deadlines are instants: they do not begin anew on the replica. */
static void a_failover_keeps_deadlines_where_they_were(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, replicas = 1, faults = { failover = 1 }, program = function(me)"
                            " me:call('SET', 'k', '1', 'PX', '100') me:sleep(30) me:call('SET', 'n', '1') me:sleep(5) "
                            "end");
    rig_take(&r, "A.set +30 A.sleep A.set !failover 1");
    assert_string_equal(rig_redis(&r), "n gone");
    rig_take(&r, "+70");
    assert_string_equal(rig_redis(&r), "");
    rig_take(&r, "+1");
    assert_string_equal(rig_redis(&r), "k expired");
    rig_free(&r);
}

static void a_wiped_server_is_subscribed_to_again_and_knows_no_script(void **state)
{
    rig r = rig_new(*state, "clients = { 'A', 'B' }, faults = { wipe = 1 }, program = function(me)"
                            " if me.client == 'B' then me:subscribe('ch', function(m, text) m:log(text) end) "
                            "me:sleep(9) me:unsubscribe('ch') return end local function go() local v, e = "
                            "me:eval('return 1', {}, {}, { op = 'go' }) me:log(e and e.kind or v) end go() go() "
                            "me:call('PUBLISH', 'ch', 'hello') end");
    rig_take(&r, "B.subscribe B<answer A.go !wipe 1 A.go A.publish");
    rig_enables(&r, "B<msg");
    rig_take(&r, "B<msg");
    assert_string_equal(rig_log(&r), "1 noscript hello");
    rig_free(&r);
}

static void a_restarted_client_is_another_owner_with_nothing_left(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, faults = { restart = 2, crash = 1 }, program = function(me) "
                    "me.process.n = (me.process.n or 0) + 1"
                            " me:log(me.id .. '=' .. me.process.n) me:call('INCR', 'n') me:sleep(5) end");
    rig_take(&r, "A.incr !restart A A A.incr !crash A");
    rig_enables(&r, "!restart A");
    rig_take(&r, "!restart A A A.incr");
    assert_string_equal(rig_log(&r), "A#1:1=1 A#2:1=1");
    assert_string_equal(rig_redis(&r), "n \"3\"");
    rig_free(&r);
}

/* A lock nobody else knows is still seen after its client was restarted. */
static void a_lock_is_seen_while_its_client_restarts(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, faults = { restart = 1 }, program = function(me)"
                            " if me.id ~= 'A:1' then return end try(me, 'L', 100) me:sleep(500) end");
    rig_take(&r, "A.acquire !restart A A");
    assert_int_equal(world_seen(r.w) >> 3 & 1, 0);
    rig_take(&r, "+100 +1");
    assert_int_equal(world_seen(r.w) >> 3 & 1, 1);             /* "expiry" */
    const step *steps;
    err e = { 0 };
    while (!world_over(r.w) && world_enabled(r.w, &steps) > 0) {
        step s = steps[0];
        assert_true(world_take(r.w, &s, &e));
    }
    assert_true(world_settle(r.w, &e));
    assert_null(model_violation(world_model(r.w), PROPERTY_NO_LEAK));
    rig_free(&r);
}

static void a_clock_jump_moves_one_clock_and_no_other(void **state)
{
    rig r = rig_new(*state, "clients = { 'A', 'B' }, faults = { clock_jump = { 1, ms = -250 } }, program = "
                    "function(me) local t = me:now()"
                            " me:step() me:log(me.client .. (me:now() - t)) end");
    rig_enables(&r, "A.step B.step !clock_jump A=-250 !clock_jump B=-250");
    rig_take(&r, "!clock_jump A A B");
    assert_string_equal(rig_log(&r), "A-250 B0");
    rig_free(&r);
}

/* What a library counts by CLOCK_MONOTONIC goes on as before, with the same drift. */
static void a_clock_that_is_monotonic_never_jumps(void **state)
{
    rig r = rig_new(*state, "clients = { { 'A', skew_ms = 7 }, { 'B', drift = '+1/10' } }, faults = { clock_jump = { "
                    "2, ms = -250 } }, program = function(me) local from, t = me:now(), me:monotonic()"
                    " me:work(40) me:log(me.client .. (me:now() - from) .. ',' .. (me:monotonic() - t))"
                    " end");
    rig_take(&r, "!clock_jump A !clock_jump B +40 A B");
    assert_string_equal(rig_log(&r), "A-210,40 B-206,44");
    rig_free(&r);
}

/* Property: keys expire by the clock of their server as it is after a jump, either way; TIME tells it; other servers
 * and clients keep theirs.
 * How: a key of 100 ms, looked at 99, 100 and 101 ms of that clock after it was set. */
static void a_servers_clock_that_jumps_takes_its_keys_along(void **state)
{
    static const struct { int jump_ms; const char *schedule, *log; } row[] = {
        { 40, "A !server_clock_jump 1=40 +60 A.sleep A.eval A.exists A.exists", "1700000000100 1 1 60" },
        { 40, "A !server_clock_jump 1=40 +61 A.sleep A.eval A.exists A.exists", "1700000000101 0 1 61" },
        { -40, "A !server_clock_jump 1 +140 A.sleep A.eval A.exists A.exists", "1700000000100 1 0 140" },
        { -40, "A !server_clock_jump 1 +141 A.sleep A.eval A.exists A.exists", "1700000000101 0 0 141" },
        { 40, "A !server_clock_jump 2=40 +61 A.sleep A.eval A.exists A.exists", "1700000000061 1 0 61" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig r = rig_new(*state, arena_printf(*state, "clients = { 'A' }, servers = 2, faults = { server_clock_jump = { "
                                             "1, ms = %d } }, program = function(me)"
                                " local t = me:now() me:call('SET', 'k', 'x', 'PX', 100) me:on(2):call('SET', 'k', "
                                "'x', 'PX', 100) me:sleep(60) local now = me:eval(\"local t = redis.call('TIME') "
                                "return t[1] .. string.format('%%03d', math.floor(t[2] / 1000))\", {}, {}) me:log(now "
                                ".. ' ' .. me:call('EXISTS', 'k') .. ' ' .. me:on(2):call('EXISTS', 'k') .. ' ' .. "
                                "(me:now() - t)) end", row[i].jump_ms).p);
        rig_take(&r, "A");
        rig_take(&r, row[i].schedule);
        assert_string_equal(rig_log(&r), row[i].log);
        rig_free(&r);
    }
}

/* ... and its keys' deadlines are stops of time at the right instants. */
static void time_stops_at_deadlines_by_the_servers_clock(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, faults = { server_clock_jump = { 1, ms = 40 } }, program = function(me)"
                            " me:call('SET', 'k', 'x', 'PX', 100) me:sleep(500) end");
    rig_take(&r, "A !server_clock_jump 1");
    rig_enables(&r, "+60");
    rig_take(&r, "+60");
    rig_enables(&r, "+1");
    rig_free(&r);
}

/* ... and what has expired by that clock the server may remove by itself, and nothing sooner. */
static void a_server_removes_what_expired_by_its_own_clock(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, notify_keyspace_events = 'Ex', faults = { server_clock_jump = { 1, ms "
                    "= 100 } }, program = function(me)"
                            " me:subscribe('__keyevent@0__:expired', function(m, key) m:log(key) end)"
                            " me:call('SET', 'k', 'x', 'PX', 100) me:call('SET', 'l', 'x', 'PX', 102) me:sleep(500) "
                            "end");
    rig_take(&r, "A A<answer A A<answer A A<answer !server_clock_jump 1");
    rig_enables(&r, "+1");
    rig_take(&r, "+1");
    rig_enables(&r, "+1 !expire k");
    rig_take(&r, "!expire k A<msg");
    assert_string_equal(rig_log(&r), "k");
    rig_free(&r);
}

/* A replica runs on another machine, whose clock did not jump; its keys have the deadlines that they had. */
static void a_failover_leaves_a_clock_that_jumped(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, replicas = 1, faults = { server_clock_jump = { 1, ms = 40 }, failover "
                    "= { 1, writes = 1 } }, program = function(me)"
                            " me:call('SET', 'k', 'x', 'PX', 100) me:call('SET', 'l', 'x', 'PX', 100) me:sleep(50) "
                            "me:log(me:call('PTTL', 'k') .. ' ' .. me:call('PTTL', 'l')) end");
    rig_take(&r, "A !server_clock_jump 1 A !failover 1=1 +50 A.sleep A A");
    assert_string_equal(rig_log(&r), "50 -2");
    rig_free(&r);
}

/* ---- messages ---- */

static void messages_of_a_connection_keep_their_order_and_one_can_be_lost(void **state)
{
    rig r = rig_new(*state, "clients = { 'A', 'B' }, faults = { lose_message = 1 }, program = function(me)"
                            " if me.client == 'A' then for i = 1, 3 do me:call('PUBLISH', 'ch', i) end return end"
                            " me:subscribe('ch', function(m, text) m:log(text) end) me:sleep(50) me:unsubscribe('ch') "
                            "end");
    rig_take(&r, "B.subscribe B<answer A A A B<msg !lose_message B B<msg");
    assert_string_equal(rig_log(&r), "1 3");
    rig_enables(&r, "+50");
    rig_free(&r);
}

/* ---- time ---- */

/* Property: time stands still while something holds it; at a deadline one millisecond may pass all the same, so that
 * what happens then happens before and after. */
static void time_moves_only_past_what_does_not_hold_it(void **state)
{
    static const struct { const char *program, *enabled; } row[] = {
        { "me:sleep(5) me:step()", "+5" },
        { "me:step() me:sleep(5)", "A.step" },
        { "me:work() me:sleep(5)", "A.work" },
        { "me:spawn('t', function(m) m:sleep(5) end) me:work()", "A.work A:t.start" },
        { "me:sleep(0) me:sleep(5)", "A.sleep" },
        { "me:call('GET', 'k')", "A.get" },
        { "local x = me:choose { 1, 2 }", "A=1 A=2" },
        { "me:semaphore(0):acquire(7)", "+7" },
        { "me:semaphore(0):acquire()", "" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[512];
        snprintf(fields, sizeof fields, "clients = { 'A' }, program = function(me) %s end", row[i].program);
        rig r = rig_new(*state, fields);
        rig_enables(&r, row[i].enabled);
        rig_free(&r);
    }
}

static void both_orders_at_a_deadline_are_enabled(void **state)
{
    const char *fields = "clients = { 'A', { 'B', start_ms = 10 } }, program = function(me)"
                         " if me.client == 'A' then me:call('SET', 'k', 'v', 'PX', '10') else "
                             "me:log(tostring(me:call('GET', 'k'))) end end";
    rig r = rig_new(*state, fields);
    rig_take(&r, "A +10 B.start");
    rig_enables(&r, "B.get +1");
    rig_take(&r, "B.get");
    assert_string_equal(rig_log(&r), "v");
    rig_free(&r);
    r = rig_new(*state, fields);
    rig_take(&r, "A +10 B.start +1");
    assert_string_equal(rig_redis(&r), "k expired");
    rig_enables(&r, "B.get");
    rig_take(&r, "B.get");
    assert_string_equal(rig_log(&r), "nil");
    rig_free(&r);
}

/* Property: with latency lo..hi a request, an answer and a message each come between lo and hi after they were sent. */
static void what_is_under_way_comes_between_lo_and_hi(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, latency_ms = { 2, 5 }, timeout_ms = 100, " COUNTER);
    rig_enables(&r, "+2");
    rig_take(&r, "+2");
    rig_enables(&r, "A.incr +3");
    rig_take(&r, "+3");
    rig_enables(&r, "A.incr");
    rig_take(&r, "A.incr");
    rig_enables(&r, "+2");
    rig_take(&r, "+2");
    rig_enables(&r, "A<answer +3");
    rig_take(&r, "+3");
    rig_enables(&r, "A<answer");
    rig_free(&r);
}

static void a_paused_process_holds_no_time_and_its_timers_fire_late(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, faults = { pause = 1 }, program = function(me) me:call('INCR', 'n') "
                    "me:sleep(5) me:log(me:now() - 1700000000000) end");
    rig_take(&r, "!pause A");
    rig_enables(&r, "A.incr !resume A +3000");      /* its time-out is an instant, though it comes later */
    rig_take(&r, "A.incr !resume A A<answer");
    rig_enables(&r, "+5");
    rig_free(&r);
    r = rig_new(*state, "clients = { 'A' }, faults = { pause = 1 }, program = function(me) me:sleep(5) me:log(me:now() "
                "- 1700000000000) end");
    rig_take(&r, "!pause A +5");
    rig_enables(&r, "!resume A");
    rig_take(&r, "+20 !resume A A.sleep");
    assert_string_equal(rig_log(&r), "25");
    rig_free(&r);
}

/* Property: a run that is cut by end_ms is not stuck: a task that sleeps beyond the end has not failed. */
static void the_end_of_a_run_is_no_deadlock(void **state)
{
    static const struct { const char *program; bool stuck; } row[] = {
        { "me:sleep(1000)", false }, { "me:semaphore(0):acquire()", true },
        { "me:sleep(10) me:semaphore(0):acquire()", true },
        { "me:call('SET', 'k', 'v', 'PX', '5') me:sleep(1000)", false }, { "while true do me:sleep(7) end", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[256];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A' }, end_ms = 100, explore = 'exhaustive', "
                 "program = function(me) %s end }",
                 row[i].program);
        outcome *out = fixture_run(*state, lua, (search_options){ 0 });
        assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome,
                         row[i].stuck ? OUTCOME_VIOLATED : OUTCOME_HOLDS);
        out = fixture_run(*state, lua, (search_options){ .schedule = "" });
        assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome,
                         row[i].stuck ? OUTCOME_VIOLATED : OUTCOME_HOLDS);
    }
}

/* Times beyond what a number of Lua can hold are refused, not wrapped round. */
static void time_does_not_overflow(void **state)
{
    rig r = rig_new(*state, "clients = { 'A' }, latency_ms = { 1, 1000 }, program = function(me) while true do "
                    "me:call('INCR', 'n') me:sleep(1e15) end end");
    err e = { 0 };
    bool refused = false;
    for (int i = 0; i < 200 && !refused; i++) {
        step s;
        assert_true(world_find(r.w, S("+9999999999999999"), S(""), &s, &e));
        refused = !world_take(r.w, &s, &e);
    }
    assert_true(refused);
    assert_int_equal(e.class_, ERR_SCENARIO);
    err_clear(&e);
    (void)rig_enabled(&r);
    rig_free(&r);
}

static bool saw(const rig *r, const char *what)
{
    for (size_t i = 0; world_sight(i); i++)
        if (strcmp(world_sight(i), what) == 0)
            return world_seen(r->w) >> i & 1;
    fail_msg("no sight '%s'", what);
    return false;
}

/* must_see is worth something only if what it names has happened. */
static void only_who_was_woken_has_been_seen_to_wake_up(void **state)
{
    rig r = rig_new(*state, "clients = { { 'A', threads = 2 } }, program = function(me) me:step() me:sleep(5) end");
    rig_take(&r, "A.start A A:2 A:2 +5 A A:2");
    assert_false(saw(&r, "wake-up"));
    rig_free(&r);
    r = rig_new(*state, "clients = { 'A' }, program = function(me) local s = me:semaphore(0) me:spawn('t', function() "
                "s:release(1) end) s:acquire() end");
    rig_take(&r, "A:t A");
    assert_true(saw(&r, "wake-up"));
    rig_free(&r);
}

/* The user's invariant is asked in every state, also where nothing but the TTL has changed. */
static void an_invariant_of_the_ttl_is_judged_while_it_runs_down(void **state)
{
    static const struct { const char *always; property_outcome outcome; } row[] = {
        { "view.ttl_ms ~= 0", OUTCOME_VIOLATED }, { "view.ttl_ms ~= 30", OUTCOME_VIOLATED },
        { "view.ttl_ms <= 50", OUTCOME_HOLDS },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { 'A' }, always = function(view) return %s end,"
                 " program = function(me) try(me, 'L', 50) me:sleep(20) me:sleep(200) end }", FIXTURE_LOCK,
                 row[i].always);
        outcome *out = fixture_run(*state, lua, (search_options){ .schedule = "" });
        assert_int_equal(out->properties[PROPERTY_ALWAYS].outcome, row[i].outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_request_is_one_step_with_its_answer_only_where_nothing_can_come_between,
                                        fresh, gone),
        cmocka_unit_test_setup_teardown(after_a_pause_a_time_out_can_come_between_request_and_answer, fresh, gone),
        cmocka_unit_test_setup_teardown(at_a_deadline_the_next_millisecond_can_come_between, fresh, gone),
        cmocka_unit_test_setup_teardown(names_of_steps_are_unique, fresh, gone),
        cmocka_unit_test_setup_teardown(evict_of_a_key_spares_the_others, fresh, gone),
        cmocka_unit_test_setup_teardown(a_schedule_can_name_any_key, fresh, gone),
        cmocka_unit_test_setup_teardown(a_schedule_can_name_any_millisecond_of_a_range, fresh, gone),
        cmocka_unit_test_setup_teardown(a_choice_is_named_as_before, fresh, gone),
        cmocka_unit_test_setup_teardown(a_step_of_any_name_is_found_by_its_name, fresh, gone),
        cmocka_unit_test_setup_teardown(the_story_of_a_step_is_bounded, fresh, gone),
        cmocka_unit_test_setup_teardown(after_the_end_nothing_can_be_named_not_even_time, fresh, gone),
        cmocka_unit_test_setup_teardown(a_duplicate_is_executed_twice_and_its_answer_may_be_of_either, fresh, gone),
        cmocka_unit_test_setup_teardown(a_late_request_is_executed_after_its_sender_gave_up, fresh, gone),
        cmocka_unit_test_setup_teardown(a_late_request_outlives_its_sender_and_another_request_does_not, fresh, gone),
        cmocka_unit_test_setup_teardown(lost_requests_and_replies_end_in_a_time_out_and_only_a_lost_reply_was_executed,
                                        fresh, gone),
        cmocka_unit_test_setup_teardown(a_failover_loses_exactly_k_writes, fresh, gone),
        cmocka_unit_test_setup_teardown(a_failover_loses_no_more_than_was_written, fresh, gone),
        cmocka_unit_test_setup_teardown(what_a_replica_acknowledged_no_failover_loses, fresh, gone),
        cmocka_unit_test_setup_teardown(a_synced_request_is_executed_and_answered_by_its_replicas, fresh, gone),
        cmocka_unit_test_setup_teardown(of_two_replicas_one_lags_and_may_be_the_one_that_takes_over, fresh, gone),
        cmocka_unit_test_setup_teardown(an_error_of_a_synced_script_is_its_own, fresh, gone),
        cmocka_unit_test_setup_teardown(a_failover_after_a_wipe_brings_nothing_back, fresh, gone),
        cmocka_unit_test_setup_teardown(an_eviction_is_a_write_that_a_replica_may_miss, fresh, gone),
        cmocka_unit_test_setup_teardown(a_failover_keeps_deadlines_where_they_were, fresh, gone),
        cmocka_unit_test_setup_teardown(a_wiped_server_is_subscribed_to_again_and_knows_no_script, fresh, gone),
        cmocka_unit_test_setup_teardown(a_restarted_client_is_another_owner_with_nothing_left, fresh, gone),
        cmocka_unit_test_setup_teardown(a_lock_is_seen_while_its_client_restarts, fresh, gone),
        cmocka_unit_test_setup_teardown(a_clock_that_is_monotonic_never_jumps, fresh, gone),
        cmocka_unit_test_setup_teardown(a_clock_jump_moves_one_clock_and_no_other, fresh, gone),
        cmocka_unit_test_setup_teardown(a_servers_clock_that_jumps_takes_its_keys_along, fresh, gone),
        cmocka_unit_test_setup_teardown(time_stops_at_deadlines_by_the_servers_clock, fresh, gone),
        cmocka_unit_test_setup_teardown(a_server_removes_what_expired_by_its_own_clock, fresh, gone),
        cmocka_unit_test_setup_teardown(a_failover_leaves_a_clock_that_jumped, fresh, gone),
        cmocka_unit_test_setup_teardown(messages_of_a_connection_keep_their_order_and_one_can_be_lost, fresh, gone),
        cmocka_unit_test_setup_teardown(time_moves_only_past_what_does_not_hold_it, fresh, gone),
        cmocka_unit_test_setup_teardown(both_orders_at_a_deadline_are_enabled, fresh, gone),
        cmocka_unit_test_setup_teardown(what_is_under_way_comes_between_lo_and_hi, fresh, gone),
        cmocka_unit_test_setup_teardown(a_paused_process_holds_no_time_and_its_timers_fire_late, fresh, gone),
        cmocka_unit_test_setup_teardown(the_end_of_a_run_is_no_deadlock, fresh, gone),
        cmocka_unit_test_setup_teardown(time_does_not_overflow, fresh, gone),
        cmocka_unit_test_setup_teardown(only_who_was_woken_has_been_seen_to_wake_up, fresh, gone),
        cmocka_unit_test_setup_teardown(an_invariant_of_the_ttl_is_judged_while_it_runs_down, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
