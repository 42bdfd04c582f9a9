/* test_client_workload.c - the field `workload`: what it says, and what is said of wrong ones; processes that share a
 * Lua state. */
#include "client_rig.h"

static const rig_file files[] = {
    { "good.csv", "\xef\xbb\xbf" "client,asked_ms,held_ms\r\nweb-1, 12.5 ,3\r\n\r\n# a "
      "remark\n\"web-2\",0,\nweb-1,3\n" },
    { "letters.csv", "a,1,2\nb,x,2\n" },
    { "negative.csv", "a,-1,2\n" },
    { "held.csv", "a,1,2\n\na,2,nan\n" },
    { "few.csv", "a,1,2\nb\n" },
    { "many.csv", "a,1,2,3\n" },
    { "name.csv", "a b,1,2\n" },
    { "mark.csv", "a#1,1,2\n" },
    { "huge.csv", "a,1e400,2\n" },
    { "log.csv", "client,asked_ms,held_ms\nb,1700000000250.5,3\na,1700000000000.25,\nb,1700000001000,2\n" },
    { "seconds.csv", "a,1763800000.123,0.2\n" },
    { "micro.csv", "a,1763800000123456,2\n" },
    { "mixed.csv", "a,1,2\nb,1700000000000,2\n" },
    { "other.csv", "a,1700000000000,2\nb,1,2\n" },
    { "empty.csv", "client,asked_ms,held_ms\n" },
    { NULL, NULL },
};

static bool load(rig *r, const char *workload)
{
    buf text = { 0 };
    buf_printf(&text, "return {\n  clients = { 'A' },\n  program = function() end,\n  workload = %s,\n}\n", workload);
    arena *a = arena_new();
    const char *kept = arena_str(a, buf_str(&text)).p;
    buf_free(&text);
    bool ok = rig_load(r, files, kept);
    if (!ok)
        rig_error(r);
    arena_free(a);
    return ok;
}

static void one_workload(void **state)
{
    (void)state;
    rig r;
    if (!load(&r, "{ clients = { 20, threads = 3 }, arrivals = { burst = 4, every_ms = { uniform = { 1, 2.5 } } }, "
              "hold_ms = 0.5,"
                  " latency_ms = { list = { 1, 2 } }, message_latency_ms = { log_normal = { median = 3, sigma = 0 } }, "
                  "lose_reply = 0.25, crash = { per_s = 2 }, pause = { per_s = 1, ms = { exponential = 4 } }, "
                  "acquisitions = 10, duration_ms = 7, warm_up = 3, warm_up_ms = 1, seeds = 5, locks = { 'L', 'M' } }"))
        fail_msg("%s", rig_error(&r));
    assert_int_equal(r.scenario.workload_count, 1);
    const workload *w = &r.scenario.workloads[0];
    assert_true(w->clients == 20 && w->threads == 3 && w->arrivals == ARRIVE_BURSTS && w->burst == 4 && w->name.n == 0);
    assert_true(w->think_ms.kind == DRAW_UNIFORM && w->think_ms.a == 1 && w->think_ms.b == 2.5);
    assert_true(w->hold_ms.kind == DRAW_CONSTANT && w->hold_ms.a == 0.5);
    assert_true(w->latency_ms.kind == DRAW_LIST && w->latency_ms.count == 2 && w->latency_ms.list[1] == 2);
    assert_true(w->message_latency_ms.kind == DRAW_LOG_NORMAL && w->message_latency_ms.a == 3 &&
                w->message_latency_ms.b == 0);
    assert_true(w->lose_reply == 0.25 && w->lose_request == 0 && w->crash_per_s == 2 &&
                w->back_ms.kind == DRAW_NOTHING);
    assert_true(w->pause_per_s == 1 && w->pause_ms.kind == DRAW_EXPONENTIAL);
    assert_true(w->acquisitions == 10 && w->duration_ms == 7 && w->warm_up == 3 && w->warm_up_ms == 1 && w->seeds == 5);
    assert_true(w->lock_count == 2 && str_eq(w->locks[0], S("L")) && str_eq(w->locks[1], S("M")));
    rig_free(&r);
}

static void a_list_of_them(void **state)
{
    (void)state;
    rig r;
    if (!load(&r, "{ { name = 'low', arrivals = { poisson_per_s = 0.5 } }, { name = 'listed', arrivals = { at_ms = { "
              "5, 1 } } } }"))
        fail_msg("%s", rig_error(&r));
    assert_int_equal(r.scenario.workload_count, 2);
    assert_true(str_eq(r.scenario.workloads[1].name, S("listed")));
    assert_true(r.scenario.workloads[0].acquisitions > 0);
    assert_true(r.scenario.workloads[1].acquisitions == 0 && r.scenario.workloads[1].demands[0].asked_ms == 1);
    rig_free(&r);
}

static void demands_from_a_file(void **state)
{
    (void)state;
    rig r;
    if (!load(&r, "{ arrivals = { csv = 'good.csv' } }"))
        fail_msg("%s", rig_error(&r));
    const workload *w = &r.scenario.workloads[0];
    assert_int_equal(w->clients, 2);
    assert_true(str_eq(w->client_names[0], S("web-1")) && str_eq(w->client_names[1], S("web-2")));
    static const recorded_demand sorted[] = { { 0, -1, 1 }, { 3, -1, 0 }, { 12.5, 3, 0 } };
    assert_int_equal(w->demand_count, COUNT(sorted));
    for (size_t i = 0; i < COUNT(sorted); i++)
        assert_true(w->demands[i].asked_ms == sorted[i].asked_ms && w->demands[i].held_ms == sorted[i].held_ms &&
                    w->demands[i].client == sorted[i].client);
    rig_free(&r);

    assert_true(load(&r, "{ arrivals = { csv = 'log.csv' } }"));
    w = &r.scenario.workloads[0];
    assert_true(w->demand_count == 3 && w->demands[0].asked_ms == 0.25 && w->demands[0].client == 1);
    assert_true(w->demands[1].asked_ms == 250.5 && w->demands[1].held_ms == 3 && w->demands[2].asked_ms == 1000);
    rig_free(&r);
}

static void wrong_ones_are_told_where_they_are(void **state)
{
    (void)state;
    static const struct { const char *workload, *place, *said; } rows[] = {
        { "7", "s.lua:4:3:", "a table" },
        { "{}", "s.lua:4:3:", "needs arrivals" },
        { "{ arrivals = {} }", "s.lua:4:16:", "one of think_ms" },
        { "{ arrivals = { think_ms = -1 } }", "s.lua:4:29:", "from 0" },
        { "{ arrivals = { think_ms = 0/0 } }", "s.lua:4:29:", "this is none" },
        { "{ arrivals = { think_ms = { exponential = 1/0 } } }", "s.lua:4:42:", "this is inf" },
        { "{ arrivals = { think_ms = { exponental = 1 } } }", "s.lua:4:", "did you mean 'exponential'" },
        { "{ arrivals = { think_ms = { uniform = { 3, 2 } } } }", "s.lua:4:", "lo <= hi" },
        { "{ arrivals = { think_ms = { list = {} } } }", "s.lua:4:", "at least one" },
        { "{ arrivals = { think_ms = { list = { 1, 'x' } } } }", "s.lua:4:", "a string" },
        { "{ arrivals = { think_ms = { list = { 1, nil, 3 } } } }", "s.lua:4:", "without names or holes" },
        { "{ arrivals = { think_ms = { log_normal = { median = 0, sigma = 1 } } } }", "s.lua:4:", "median" },
        { "{ arrivals = { think_ms = { log_normal = { median = 2 } } } }", "s.lua:4:", "needs both" },
        { "{ arrivals = { think_ms = { exponential = 1, list = { 1 } } } }", "s.lua:4:", "one way" },
        { "{ arrivals = { think_ms = 1, poisson_per_s = 2 } }", "s.lua:4:16:", "this has more" },
        { "{ arrivals = { poisson_per_s = 0 } }", "s.lua:4:", "1e-09" },
        { "{ arrivals = { poisson_per_s = 1e300 } }", "s.lua:4:", "1000000" },
        { "{ arrivals = { poisson_per_s = 1000001 } }", "s.lua:4:", "to 1000000, this is 1000001" },
        { "{ arrivals = { burst = 3 } }", "s.lua:4:16:", "go together" },
        { "{ arrivals = { burst = 0, every_ms = 3 } }", "s.lua:4:", "from 1" },
        { "{ arrivals = { at_ms = { 1, -2 } } }", "s.lua:4:", "from 0" },
        { "{ arrivals = { csv = 'nowhere.csv' } }", "s.lua:4:29:", "nowhere.csv" },
        { "{ arrivals = { csv = 'letters.csv' } }", "letters.csv:2:3:", "\"x\"" },
        { "{ arrivals = { csv = 'negative.csv' } }", "negative.csv:1:3:", "\"-1\"" },
        { "{ arrivals = { csv = 'held.csv' } }", "held.csv:3:5:", "\"nan\"" },
        { "{ arrivals = { csv = 'few.csv' } }", "few.csv:2:1:", "only one field" },
        { "{ arrivals = { csv = 'many.csv' } }", "many.csv:1:1:", "more than three" },
        { "{ arrivals = { csv = 'name.csv' } }", "name.csv:1:1:", "printable" },
        { "{ arrivals = { csv = 'mark.csv' } }", "mark.csv:1:1:", "printable" },
        { "{ arrivals = { csv = 'huge.csv' } }", "huge.csv:1:3:", "\"1e400\"" },
        { "{ arrivals = { csv = 'seconds.csv' } }", "seconds.csv:1:3:", "in seconds since 1970: write milliseconds, or "
          "count" },
        { "{ arrivals = { csv = 'micro.csv' } }", "micro.csv:1:3:", "from the beginning, or from 1970" },
        { "{ arrivals = { csv = 'mixed.csv' } }", "mixed.csv:2:3:", "since the beginning" },
        { "{ arrivals = { csv = 'other.csv' } }", "other.csv:2:3:", "since 1970" },
        { "{ arrivals = { csv = 'empty.csv' } }", "empty.csv:", "no row" },
        { "{ clients = 3, arrivals = { csv = 'good.csv' } }", "s.lua:4:16:", "leave workload.clients out" },
        { "{ clients = 0, arrivals = { think_ms = 1 } }", "s.lua:4:16:", "from 1 to 10000" },
        { "{ clients = 10001, arrivals = { think_ms = 1 } }", "s.lua:4:16:", "from 1 to 10000" },
        { "{ clients = { threads = 2 }, arrivals = { think_ms = 1 } }", "s.lua:4:16:", "no number" },
        { "{ clients = 2.5, arrivals = { think_ms = 1 } }", "s.lua:4:16:", "integer" },
        { "{ arrivals = { think_ms = 1 }, lose_message = 1.5 }", "s.lua:4:", "from 0 to 1" },
        { "{ arrivals = { think_ms = 1 }, crash = { back_ms = 1 } }", "s.lua:4:", "needs per_s" },
        { "{ arrivals = { think_ms = 1 }, pause = { per_s = 1 } }", "s.lua:4:", "needs per_s and ms" },
        { "{ arrivals = { think_ms = 1 }, pause = { per_s = -1, ms = 1 } }", "s.lua:4:", "from 0" },
        { "{ arrivals = { think_ms = 1 }, pause = { per_s = 1e9, ms = 0 } }", "s.lua:4:",
          "to 1000000, this is 1000000000" },
        { "{ arrivals = { think_ms = 1 }, crash = { per_s = 1e9, back_ms = 0 } }", "s.lua:4:",
          "to 1000000, this is 1000000000" },
        { "{ arrivals = { think_ms = 1 }, acquisitions = 0 }", "s.lua:4:", "at least 1" },
        { "{ arrivals = { think_ms = 1 }, acquisitions = 1e18 }", "s.lua:4:",
          "from 1 to 1000000000000, this is 1e+18" },
        { "{ arrivals = { think_ms = 1 }, duration_ms = 0 }", "s.lua:4:", "duration_ms" },
        { "{ arrivals = { think_ms = 1 }, name = 'a/b' }", "s.lua:4:", "name" },
        { "{ arrivals = { think_ms = 1 }, hold = 2 }", "s.lua:4:", "hold_ms" },
        { "{ arrivals = { think_ms = 1 }, locks = 'L' }", "s.lua:4:45:", "a list of names" },
        { "{ arrivals = { think_ms = 1 }, locks = {} }", "s.lua:4:45:", "has no name" },
        { "{ arrivals = { think_ms = 1 }, locks = { 'L', [3] = 'M' } }", "s.lua:4:", "without holes" },
        { "{ arrivals = { think_ms = 1 }, locks = { 'L', n = 1 } }", "s.lua:4:", "without holes" },
        { "{ arrivals = { think_ms = 1 }, locks = { 1 } }", "s.lua:4:", "string" },
        { "{ { arrivals = { think_ms = 1 } } }", "s.lua:4:", "has a name" },
        { "{ { name = 'a', arrivals = { think_ms = 1 } }, { name = 'a', arrivals = { think_ms = 1 } } }", "s.lua:4:",
          "two workloads" },
        { "{ { name = 'a', arrivals = { think_ms = 1 } }, x = 1 }", "s.lua:4:", "list" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rig r;
        assert_false(load(&r, rows[i].workload));
        const char *text = rig_error(&r);
        if (!strstr(text, rows[i].place) || !strstr(text, rows[i].said) || r.e.class_ != ERR_SCENARIO)
            fail_msg("%s: %s", rows[i].workload, text);
        rig_free(&r);
    }
}

/* ---- a pool ---- */

static const char counting[] =
    "local other = require 'other'\n"
    "local mine = 0\n"
    "return { clients = { 'A', { 'B', threads = 2 } }, program = function(me)\n"
    "  mine = mine + 1\n"
    "  me.process.n = (me.process.n or 0) + 1\n"
    "  me:log(me.id .. ' ' .. mine .. ' ' .. me.process.n .. ' ' .. other.count())\n"
    "  local co = coroutine.wrap(function() me:sleep(1) coroutine.yield('yielded') end)\n"
    "  me:log(co())\n"
    "end }";
static const rig_file other[] = { { "other.lua", "local n = 0 return { count = function() n = n + 1 return n end }" },
                                  { NULL, NULL } };

static void run_to_its_end(rig *r, process *p, uint32_t thread)
{
    process_begin(p, thread);
    for (;; r->now_ms++) {
        task_ahead t = process_next(p, r->now_ms);
        if (t.status == TASK_DONE)
            break;
        if (t.wake_ms > r->now_ms)
            continue;
        assert_true(process_run(p, t.task, r->now_ms, &r->out, &r->e));
    }
    for (size_t i = 0; i < r->out.count; i++)
        if (r->out.items[i].kind == OUTPUT_LOG)
            buf_printf(&r->text, "%.*s, ", STR_ARG(r->out.items[i].text));
    r->out.count = 0;
}

/* Property: processes of a pool share nothing that their code could notice, also when one ends and another takes its
 * place. */
static void processes_of_a_pool_are_apart(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, other, counting));
    process_pool *pool = process_pool_new(&r.scenario, &r.loader);
    process *a = process_pool_add(pool, 0, 0, r.now_ms, &r.e), *b = process_pool_add(pool, 1, 0, r.now_ms, &r.e);
    assert_true(a && b);
    for (int i = 0; i < 2; i++) {
        run_to_its_end(&r, a, 1);
        run_to_its_end(&r, b, (uint32_t)i + 1);
    }
    process_free(a);
    a = process_pool_add(pool, 0, 1, r.now_ms, &r.e);
    run_to_its_end(&r, a, 1);
    run_to_its_end(&r, b, 2);
    assert_string_equal(r.text.p, "A:1 1 1 1, yielded, B:1 1 1 1, yielded, A:1 2 2 2, yielded, B:2 2 2 2, yielded, "
                        "A#1:1 1 1 1, yielded, "
                                  "B:2 3 3 3, yielded, ");
    process_free(a);
    process_free(b);
    process_pool_free(pool);
    rig_free(&r);
}

static void a_pool_does_not_grow(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, other, counting));
    process_pool *pool = process_pool_new(&r.scenario, &r.loader);
    size_t at[2] = { 0, 0 };
    for (int i = 0; i < 2000; i++) {
        process *p = process_pool_add(pool, 0, 0, r.now_ms, &r.e);
        run_to_its_end(&r, p, 1);
        process_free(p);
        size_t bytes = process_pool_bytes(pool), *most = &at[i >= 1000];
        *most = bytes > *most ? bytes : *most;
    }
    assert_true(at[1] <= at[0] + at[0] / 4);
    process_pool_free(pool);
    rig_free(&r);
}

static void a_pool_forgets_the_locks_it_looked_at_long_ago(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "return { clients = { 'A' }, program = function(me)\n"
                                   "  local driver = { spec = 'semaphore', view = function() return {} end }\n"
                                   "  for i = 1, 1000 do me:observe('lock ' .. i, driver) end\nend }"));
    process_pool *pool = process_pool_new(&r.scenario, &r.loader);
    process *p = process_pool_add(pool, 0, 0, r.now_ms, &r.e);
    run_to_its_end(&r, p, 1);
    const observed *list;
    size_t n = process_observed(p, &list), newest = 0;
    for (size_t i = 0; i < n; i++)
        newest += str_eq(list[i].lock, S("lock 1000")) && list[i].spec == SPEC_SEMAPHORE;
    assert_true(n < 300 && newest == 1);
    process_free(p);
    process_pool_free(pool);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_workload),
        cmocka_unit_test(a_list_of_them),
        cmocka_unit_test(demands_from_a_file),
        cmocka_unit_test(wrong_ones_are_told_where_they_are),
        cmocka_unit_test(processes_of_a_pool_are_apart),
        cmocka_unit_test(a_pool_does_not_grow),
        cmocka_unit_test(a_pool_forgets_the_locks_it_looked_at_long_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
