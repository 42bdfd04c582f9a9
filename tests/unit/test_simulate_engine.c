/* test_simulate_engine.c - runs of workloads: what happens when, worked out by hand, and what must never depend on
 * chance. */
#include "simulation_rig.h"

#include <malloc.h>
#include <math.h>

static void must_run(bench *b, const char *text, uint64_t seed)
{
    if (!bench_run(b, NULL, text, seed))
        fail_msg("%s", rig_error(&b->r));
}

static const rig_file two_demands[] = { { "d.csv", "one,0,\ntwo,10.5,4\n" }, { NULL, NULL } };

/* Two demands, at 0 and 10.5 ms; a request takes 1 ms each way, work 20 ms unless the file says otherwise, and a
 * refused client asks again 5 ms later, on a whole millisecond of its clock. */
static void the_way_of_two_demands(void **state)
{
    (void)state;
    bench b = { 0 };
    if (!bench_run(&b, two_demands, POLLED_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                   "workload = { arrivals = { csv = 'd.csv' }, hold_ms = 20, latency_ms = 1 } }", 1))
        fail_msg("%s", rig_error(&b.r));
    assert_string_equal(b.lines.p,
                        "0.000 begins\n"
                        "0.000 c1 asked\n"
                        "1.000 c1 request 1 wrote\n"
                        "2.000 c1 granted (1.000) 1\n"
                        "10.500 c2 asked\n"
                        "11.500 c2 request 1\n"
                        "12.500 c2 refused\n"          /* asks again at 12 + 5 ms: clients see whole ones */
                        "18.000 c2 request 1\n"
                        "19.000 c2 refused\n"
                        "23.000 c1 request 2 script wrote\n"       /* work ended at 22 */
                        "24.000 c1 released (23.000) 0\n"
                        "25.000 c2 request 1 wrote\n"
                        "26.000 c2 granted (25.000) 1\n"
                        "31.000 c2 request 2 script wrote\n"       /* held for 4 */
                        "32.000 c2 released (31.000) 0\n"
                        "32.000 ends\n");
    assert_int_equal(b.result.ending, SIMULATE_DONE);
    assert_int_equal(b.result.client_count, 2);
    assert_int_equal(b.result.acquisitions, 2);
    assert_int_equal(b.result.requests, 6);
    assert_int_equal(b.result.lock_count, 1);
    buf name = { 0 };
    assert_true(str_eq(simulate_client_name(&b.r.scenario, 0, 1, &name), S("two")));
    buf_free(&name);
    bench_free(&b);
}

/* Property: a release that no request stands for is over when it is said, and not when the grant was. */
static void a_release_without_a_request_is_now(void **state)
{
    (void)state;
    static const char *const latencies[] = { "0", "1" };
    for (size_t i = 0; i < COUNT(latencies); i++) {
        bench b = { 0 };
        buf text = { 0 };
        buf_printf(&text, "return { clients = { 'A' }, program = function(me)\n"
                          "  me:wants('L') me:call('SET', 'L', me.id, 'PX', 20) me:granted('L') me:work() "
                          "me:released('L')\n"
                          "end, workload = { arrivals = { at_ms = { 0 } }, hold_ms = 20, latency_ms = %s } }",
                          latencies[i]);
        must_run(&b, (const char *)text.p, 1);
        assert_string_equal(b.lines.p, i == 0 ?
                            "0.000 begins\n0.000 c1 asked\n0.000 c1 request 1 wrote\n0.000 c1 granted 1\n20.000 c1 "
                            "released 0\n20.000 ends\n" :
                            "0.000 begins\n0.000 c1 asked\n1.000 c1 request 1 wrote\n2.000 c1 granted (1.000) "
                            "1\n22.000 c1 released 0\n22.000 ends\n");
        bench_free(&b);
        buf_free(&text);
    }
}

/* Property: a lock that is made of others, and says so ahead, is released when the last of them is, whatever its thread
 * does after that. */
static void a_release_ahead_ends_with_the_others(void **state)
{
    (void)state;
    static const struct { const char *after, *told; } row[] = {
        { "me:call('SET', 'X', 1) me:sleep(10)", "10.000 c1 request 1 wrote\n21.000 c1 released (8.000) 0\n21.000 "
          "ends\n" },
        { "me:call('SET', 'X', 1) me:wants('N')", "10.000 c1 request 1 wrote\n11.000 c1 released (8.000) 0\n11.000 "
          "ends\n" },
        { "", "9.000 c1 released (8.000) 0\n9.000 ends\n" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        bench b = { 0 };
        buf text = { 0 }, told = { 0 };
        buf_printf(&text, "return { clients = { 'A' }, program = function(me)\n"
                          "  me:wants('L') me:call('SET', 'L', me.id) me:granted('L') me:work() me:released('L', { "
                          "ahead = true })\n"
                          "  me:call('DEL', 'L1') me:released('L1') me:call('DEL', 'L2') me:released('L2') %s\n"
                          "end, workload = { arrivals = { at_ms = { 0 } }, hold_ms = 3, latency_ms = 1, locks = { 'L' "
                          "} } }", row[i].after);
        must_run(&b, (const char *)text.p, 1);
        buf_printf(&told, "0.000 begins\n0.000 c1 asked\n1.000 c1 request 1 wrote\n2.000 c1 granted (1.000) 1\n6.000 "
                   "c1 request 1\n"
                          "8.000 c1 request 1\n%s", row[i].told);
        assert_string_equal(b.lines.p, told.p);
        buf_free(&told);
        buf_free(&text);
        bench_free(&b);
    }
}

/* Property: with `locks` the others' announcements are not told, and their acquisitions do not end the run. */
static void only_named_locks_are_measured(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, "return { clients = { 'A' }, program = function(me)\n"
                 "  me:wants('M') me:granted('M') me:wants('L') me:sleep(2) me:granted('L') me:work() me:released('L') "
                 "me:released('M')\n"
                 "end, workload = { arrivals = { at_ms = { 0, 20 } }, hold_ms = 3, latency_ms = 0, locks = { 'L' } } }",
                 1);
    assert_string_equal(b.lines.p, "0.000 begins\n0.000 c1 asked\n2.000 c1 granted 1\n5.000 c1 released 0\n"
                                   "20.000 c1 asked\n22.000 c1 granted 1\n25.000 c1 released 0\n25.000 ends\n");
    assert_int_equal(b.result.acquisitions, 2);
    assert_int_equal(b.result.lock_count, 1);
    bench_free(&b);
}

static const char wild[] =
    POLLED_LOCK "return { clients = { 'A' }, " ROUND ",\n"
    "workload = { clients = { 20, threads = 2 }, arrivals = { think_ms = { exponential = 50 } }, hold_ms = { "
        "log_normal = { median = 3, sigma = 1 } },\n"
    "latency_ms = { uniform = { 0.1, 2 } }, crash = { per_s = 2, back_ms = 100 }, pause = { per_s = 2, ms = { "
        "exponential = 50 } },\n"
    "lose_request = 0.01, lose_reply = 0.01, acquisitions = 1000, warm_up = 50 } }";

typedef struct {
    int64_t asked_us[40], granted_us[40];          /* of each task, when its client began to ask, and when it learned of
                                                    * its grant */
    uint64_t restarts, wrong;
} places;

static void place(void *context, const occurrence *o)
{
    places *p = context;
    p->restarts += o->kind == OCCURS_RESTARTED;
    if (o->kind != OCCURS_ASKED && o->kind != OCCURS_GRANTED && o->kind != OCCURS_RELEASED)
        return;
    size_t k = o->client * 2 + o->task;
    assert_in_range(k, 0, 39);
    if (o->kind == OCCURS_ASKED)
        p->asked_us[k] = o->executed_us;
    else
        p->wrong += o->executed_us < (o->kind == OCCURS_GRANTED ? p->asked_us[k] : p->granted_us[k]) ||
            o->executed_us > o->at_us;
    if (o->kind == OCCURS_GRANTED)
        p->granted_us[k] = o->at_us;
}

/* Property: a grant is executed after its client asked, a release after it learned of the grant, also of a client that
 * came back from a crash. */
static void requests_are_executed_where_they_belong(void **state)
{
    (void)state;
    places p = { 0 };
    bench b = { .context = &p, .on = place };
    must_run(&b, wild, 7);
    assert_true(p.restarts > 20);
    assert_int_equal(p.wrong, 0);
    bench_free(&b);
}

static void same_seed_same_run(void **state)
{
    (void)state;
    bench a = { 0 }, b = { 0 }, c = { 0 };
    must_run(&a, wild, 7);
    must_run(&b, wild, 7);
    must_run(&c, wild, 8);
    assert_true(a.counts[OCCURS_CRASHED] > 5 && a.counts[OCCURS_PAUSED] > 5 && a.counts[OCCURS_LOST_REQUEST] > 5);
    assert_true(str_eq(buf_str(&a.lines), buf_str(&b.lines)));
    assert_false(str_eq(buf_str(&a.lines), buf_str(&c.lines)));
    bench_free(&a);
    bench_free(&b);
    bench_free(&c);
}

/* ---- what each concern draws does not move the others ---- */

typedef struct {
    int64_t at_us[100];
    size_t count;
} instants;

static void note_asked(void *context, const occurrence *o)
{
    instants *t = context;
    if (o->kind == OCCURS_ASKED && t->count < COUNT(t->at_us))
        t->at_us[t->count++] = o->at_us;
}

static instants asked_in(const char *workload)
{
    instants t = { .count = 0 };
    bench b = { .on = note_asked, .context = &t };
    buf text = { 0 };
    buf_printf(&text, POLLED_LOCK "return { clients = { 'A' }, " ROUND ",\nworkload = { clients = 50, arrivals = { "
               "poisson_per_s = 20 }, %s } }", workload);
    must_run(&b, text.p, 3);
    buf_free(&text);
    bench_free(&b);
    return t;
}

static void arrivals_do_not_move_with_anything_else(void **state)
{
    (void)state;
    instants plain = asked_in("acquisitions = 200"),
    slow = asked_in("acquisitions = 200, hold_ms = { exponential = 3 }, latency_ms = { uniform = { 0, 1 } }"),
             rough = asked_in("acquisitions = 200, pause = { per_s = 0.5, ms = 20 }, lose_reply = 0.01");
    assert_int_equal(plain.count, 100);
    for (size_t i = 0; i < plain.count; i++) {
        assert_int_equal(plain.at_us[i], slow.at_us[i]);
        assert_int_equal(plain.at_us[i], rough.at_us[i]);
    }
}

/* ---- demands ---- */

/* Property: a demand that finds its client busy waits from its own arrival on. One client, three demands at once, 10 ms
 * of work each. */
static void no_coordinated_omission(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, TOKEN_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                 "workload = { clients = 1, arrivals = { at_ms = { 1, 1, 2.5 } }, hold_ms = 10 } }", 1);
    assert_non_null(strstr(b.lines.p, "1.000 c1 asked\n"));
    assert_non_null(strstr(b.lines.p, "1.000 c1 asked (11.000)\n"));
    assert_non_null(strstr(b.lines.p, "2.500 c1 asked (21.000)\n"));
    assert_non_null(strstr(b.lines.p, "31.000 ends\n"));
    bench_free(&b);
}

static void bursts_come_together(void **state)
{
    (void)state;
    bench b = { 0 };
    instants t = { .count = 0 };
    b.on = note_asked;
    b.context = &t;
    must_run(&b, TOKEN_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                 "workload = { clients = 4, arrivals = { burst = 5, every_ms = 100 }, hold_ms = 1, "
                  "acquisitions = 10 } }", 1);
    assert_true(t.count >= 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(t.at_us[i], i < 5 ? 0 : 100000);
    bench_free(&b);
}

static void the_warm_up_is_told(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, TOKEN_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                 "workload = { clients = 2, arrivals = { think_ms = 5 }, hold_ms = 1, warm_up = 10, warm_up_ms = 3, "
                 "acquisitions = 20 } }", 1);
    assert_int_equal(b.counts[OCCURS_BEGINS], 1);
    assert_int_equal(b.counts[OCCURS_GRANTED], 30);
    const char *begins = strstr(b.lines.p, " begins");
    size_t before = 0;
    for (const char *at = b.lines.p; (at = strstr(at, " granted")) && at < begins; at++)
        before++;
    assert_int_equal(before, 10);
    bench_free(&b);
}

static void a_run_of_a_length(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, TOKEN_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                 "workload = { clients = 2, arrivals = { think_ms = 5 }, hold_ms = 1, warm_up_ms = 50, duration_ms = "
                 "200 } }", 1);
    assert_int_equal(b.result.begin_us, 50000);
    assert_int_equal(b.result.end_us, 250000);
    bench_free(&b);
}

/* Without a workload each client runs its program once, from its start_ms on. */
static void once_without_a_workload(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, TOKEN_LOCK "return { clients = { 'A', { 'B', threads = 2, start_ms = 30 } }, work_ms = 7, " ROUND
             " }", 1);
    assert_int_equal(b.counts[OCCURS_GRANTED], 3);
    assert_int_equal(b.result.ending, SIMULATE_DONE);
    assert_int_equal(b.result.end_us, 44000);      /* 30 + 7 + 7 */
    bench_free(&b);
}

/* ---- what fails ---- */

typedef struct {
    bool dead[64], paused[64];
    int64_t since_us[64], most_us;
    uint64_t wrong;
} lives;

static void follow_lives(void *context, const occurrence *o)
{
    lives *l = context;
    if (o->client == OCCURS_NOBODY)
        return;
    assert_true(o->client < COUNT(l->dead));
    switch (o->kind) {
    case OCCURS_CRASHED:
        l->dead[o->client] = true;
        l->paused[o->client] = false;
        l->since_us[o->client] = o->at_us;
        break;
    case OCCURS_RESTARTED:
        l->wrong += !l->dead[o->client] || o->at_us - l->since_us[o->client] != 70000;
        l->dead[o->client] = false;
        break;
    case OCCURS_PAUSED: l->paused[o->client] = true; break;
    case OCCURS_RESUMED: l->paused[o->client] = false; break;
    /* at the server; it was sent before */
    case OCCURS_REQUEST: case OCCURS_LOST_REPLY: case OCCURS_LOST_MESSAGE: break;
    default: l->wrong += l->dead[o->client] || l->paused[o->client];
    }
}

/* Property: the dead and the paused learn and do nothing, and who crashed is back after back_ms. */
static void nobody_acts_while_dead_or_paused(void **state)
{
    (void)state;
    lives l = { .wrong = 0 };
    bench b = { .on = follow_lives, .context = &l };
    must_run(&b, POLLED_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                 "workload = { clients = 30, arrivals = { think_ms = { exponential = 100 } }, hold_ms = 2, latency_ms "
                 "= { uniform = { 0.1, 9 } },\n"
                 "crash = { per_s = 20, back_ms = 70 }, pause = { per_s = 20, ms = { exponential = 30 } }, "
                 "acquisitions = 1000 } }", 5);
    assert_true(b.counts[OCCURS_CRASHED] > 100 && b.counts[OCCURS_PAUSED] > 100);
    assert_int_equal(l.wrong, 0);
    bench_free(&b);
}

static void lost_requests_time_out(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, POLLED_LOCK "return { clients = { 'A' }, timeout_ms = 50, " ROUND ",\n"
                 "workload = { clients = 3, arrivals = { think_ms = 10 }, lose_request = 1, duration_ms = 1000 } }", 5);
    assert_int_equal(b.counts[OCCURS_GRANTED], 0);
    assert_int_equal(b.counts[OCCURS_REQUEST], 0);
    assert_int_equal(b.counts[OCCURS_TIMED_OUT], 3 * 16);      /* 60 ms a round */
    assert_int_equal(b.counts[OCCURS_GAVE_UP], 3 * 16);
    bench_free(&b);
}

/* Property: that no client ever acquires is told, and not waited for. */
static void a_starved_run_ends(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, "return { clients = { 'A' }, program = function(me) me:wants('L') me:call('BLPOP', 'never', 0) end,\n"
                 "workload = { clients = 3, arrivals = { poisson_per_s = 1 }, acquisitions = 10 } }", 5);
    assert_int_equal(b.result.ending, SIMULATE_STARVED);
    assert_int_equal(b.result.acquisitions, 0);
    bench_free(&b);
    must_run(&b, "return { clients = { 'A' }, program = function(me) me:wants('L') me:call('BLPOP', 'never', 0) end,\n"
                 "workload = { clients = 3, arrivals = { think_ms = 1 }, acquisitions = 10 } }", 5);
    assert_int_equal(b.result.ending, SIMULATE_IDLE);
    bench_free(&b);
    /* A wait that never ends, of the last demand of a list. */
    must_run(&b, "return { clients = { 'A' }, program = function(me) me:wants('L') while true do me:sleep(1000) end "
             "end,\n"
                 "workload = { clients = 3, arrivals = { at_ms = { 1, 20000000 } } } }", 5);
    assert_int_equal(b.result.ending, SIMULATE_STARVED);
    assert_in_range(b.result.end_us / 1000, 20000000 + 3600000, 20000000 + 3602000);
    bench_free(&b);
    must_run(&b, "return { clients = { 'A' }, program = function(me) while true do me:work() end end,\n"
                 "workload = { clients = 3, arrivals = { think_ms = 1 }, hold_ms = 1000 } }", 5);
    assert_int_equal(b.result.ending, SIMULATE_STARVED);
    bench_free(&b);
}

/* Property: demands that are hours apart are waited for. */
static void rare_demands_are_waited_for(void **state)
{
    (void)state;
    static const char *const arrivals[] = { "think_ms = 7200000", "poisson_per_s = 0.0001",
                                            "burst = 2, every_ms = 7200000" };
    for (size_t i = 0; i < COUNT(arrivals); i++) {
        bench b = { 0 };
        buf text = { 0 };
        buf_printf(&text, TOKEN_LOCK "return { clients = { 'A' }, " ROUND ", workload = { clients = 3, arrivals = { %s "
                   "}, latency_ms = 1,\n"
                          "pause = { per_s = 0.01, ms = 5 }, hold_ms = 5, acquisitions = 20 } }", arrivals[i]);
        must_run(&b, (const char *)text.p, 5);
        assert_int_equal(b.result.ending, SIMULATE_DONE);
        assert_int_equal(b.result.acquisitions, 20);
        bench_free(&b);
        buf_free(&text);
    }
}

/* Property: rounds that end with nothing do not go on for ever, unless a duration ends them, whose warm-up of
 * acquisitions does not. */
static void a_fruitless_run_ends(void **state)
{
    (void)state;
    static const struct { const char *workload; simulate_ending ending; } row[] = {
        { "acquisitions = 10", SIMULATE_FRUITLESS },
        { "warm_up = 1, duration_ms = 1000", SIMULATE_FRUITLESS },
        { "warm_up_ms = 1000, duration_ms = 2000", SIMULATE_DONE },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        bench b = { .max_fruitless = 1000 };
        buf text = { 0 };
        buf_printf(&text, "return { clients = { 'A' }, program = function(me) me:wants('L') me:gave_up('L') end,\n"
                          "workload = { clients = 30, arrivals = { think_ms = 10 }, %s } }", row[i].workload);
        must_run(&b, (const char *)text.p, 5);
        assert_int_equal(b.result.ending, row[i].ending);
        if (row[i].ending == SIMULATE_FRUITLESS)
            assert_int_equal(b.counts[OCCURS_GAVE_UP], 1000);
        else
            assert_true(b.counts[OCCURS_GAVE_UP] > 1000);
        bench_free(&b);
        buf_free(&text);
    }
}

/* Property: rounds that a crash ends bring nobody anything either, whatever else happens meanwhile. */
static void crashed_rounds_are_fruitless(void **state)
{
    (void)state;
    bench b = { .max_fruitless = 500 };
    must_run(&b, "return { clients = { 'A' }, program = function(me)\n"
                 "  me:wants('L')\n"
                 "  if me:choose { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } > 1 then me:call('BLPOP', 'L', 0) end\n"
                 "  me:gave_up('L')\n"
                 "end, workload = { clients = 5, arrivals = { think_ms = 10 }, crash = { per_s = 10, back_ms = 10 }, "
                 "acquisitions = 2 } }", 5);
    assert_int_equal(b.result.ending, SIMULATE_FRUITLESS);
    assert_true(b.counts[OCCURS_CRASHED] > 250 && b.counts[OCCURS_CRASHED] + b.counts[OCCURS_GAVE_UP] < 600);
    bench_free(&b);
}

/* Property: the last holder may wait long for another's section; and a lock that is lost for good ends the run. */
static void long_sections_are_waited_for(void **state)
{
    (void)state;
    bench b = { .max_fruitless = 1000 };
    must_run(&b, "return { clients = { 'A' }, program = function(me)\n"
                 "  me:wants('L')\n"
                 "  if me:call('SETNX', 'L', me.id) == 0 then me:gave_up('L') return end\n"
                 "  me:granted('L') me:work() me:call('DEL', 'L') me:released('L')\n"
                 "end, workload = { clients = 2, arrivals = { think_ms = 3500 }, hold_ms = 3700000, latency_ms = 0, "
                 "acquisitions = 2 } }", 5);
    assert_int_equal(b.result.ending, SIMULATE_DONE);
    assert_int_equal(b.result.acquisitions, 2);
    bench_free(&b);
    b.max_fruitless = 1000;
    must_run(&b, "return { clients = { 'A' }, program = function(me)\n"
                 "  me:wants('L')\n"
                 "  if me:call('SETNX', 'L', me.id) == 0 then me:gave_up('L') return end\n"
                 "  me:granted('L')\n"
                 "end, workload = { clients = 2, arrivals = { think_ms = 6000 }, latency_ms = 0 } }", 5);
    assert_int_equal(b.result.ending, SIMULATE_FRUITLESS);
    assert_int_equal(b.result.acquisitions, 1);
    bench_free(&b);
}

/* ---- messages ---- */

/* Property: a connection keeps the order of its messages, however long each takes; a pop's time-out is the server's. */
static void messages_keep_their_order(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, "local heard = 0\n"
                 "return { clients = { 'A' }, program = function(me)\n"
                 "  if me.client == 'c1' then\n"
                 "    local done = me:semaphore(0)\n"
                 "    me:subscribe('ch', function(_, n) assert(tonumber(n) == heard + 1, n) heard = heard + 1 if heard "
                 "== 50 then done:release(1) end end)\n"
                 "    me:call('SET', 'ready', 1)\n"
                 "    done:acquire() me:wants('L') me:granted('L')\n"
                 "  else\n"
                 "    while me:call('GET', 'ready') ~= '1' do me:sleep(1) end\n"
                 "    for i = 1, 50 do me:send('PUBLISH', { 'ch' }, { i }) me:sleep(1) end\n"
                 "    assert(me:call('BLPOP', 'nothing', 0.02) == nil)\n"
                 "    me:sleep(100000)\n"
                 "  end\n"
                 "end, workload = { clients = 2, arrivals = { think_ms = 0 }, latency_ms = 0, message_latency_ms = { "
                 "uniform = { 0, 20 } }, acquisitions = 1 } }", 5);
    assert_int_equal(b.counts[OCCURS_MESSAGE], 50);
    assert_int_equal(b.result.acquisitions, 1);
    bench_free(&b);
}

/* ---- wrong programs ---- */

static const char *error_of(bench *b, const char *text)
{
    assert_false(bench_run(b, NULL, text, 1));
    return rig_error(&b->r);
}

static void errors_are_located(void **state)
{
    (void)state;
    bench b = { 0 };
    const char *text = error_of(&b, "return { clients = { 'A' }, program = function(me)\n  me:call('GET', 'x')\n  "
                                "error('no')\nend,\n"
                                    "workload = { clients = 2, arrivals = { think_ms = 1 } } }");
    assert_int_equal(b.r.e.class_, ERR_DRIVER);
    assert_non_null(strstr(text, "s.lua:3:"));
    bench_free(&b);
    text = error_of(&b, "return { clients = { 'A' }, program = function(me)\n  while true do\n    me:call('GET', "
                    "'x')\n  end\nend,\n"
                        "workload = { clients = 2, arrivals = { think_ms = 1 } } }");
    assert_int_equal(b.r.e.class_, ERR_DRIVER);
    assert_non_null(strstr(text, "s.lua:3:"));
    assert_non_null(strstr(text, "goes round and no time passes"));
    assert_non_null(strstr(text, "latency_ms"));
    bench_free(&b);
    text = error_of(&b, "return { clients = { 'A' }, program = function(me) while true do me:step() end end,\n"
                        "workload = { clients = 2, arrivals = { think_ms = 1 } } }");
    assert_non_null(strstr(text, "goes round and no time passes"));
    bench_free(&b);
    error_of(&b, "return { clients = { 'A' }, program = function(me) while true do me:sleep(0) end end,\n"
                 "workload = { clients = 2, arrivals = { think_ms = 1 } } }");
    bench_free(&b);
}

/* Property: at the millisecond in which a lease ends, a waiter told to wait for 0 ms gets through to the next. */
static void a_lease_that_ends_now_is_no_loop(void **state)
{
    (void)state;
    bench b = { 0 };
    must_run(&b, "return { clients = { 'A' }, program = function(me)\n"
                 "  me:call('SET', 'L', 1, 'PX', 100)\n"
                 "  while true do local ms = me:call('PTTL', 'L') if ms == -2 then break end me:sleep(ms) end\n"
                 "  me:wants('L') me:granted('L')\n"
                 "end, workload = { clients = 1, arrivals = { think_ms = 0 }, acquisitions = 1 } }", 1);
    assert_int_equal(b.result.end_us, 101000);
    bench_free(&b);
}

/* ---- theory ---- */

typedef struct {
    int64_t asked_us[64];
    double sum_ms;
    uint64_t count;
} waits;

static void note_wait(void *context, const occurrence *o)
{
    waits *w = context;
    if (o->kind == OCCURS_ASKED)
        w->asked_us[o->client] = o->at_us;
    if (o->kind == OCCURS_GRANTED) {
        w->sum_ms += (double)(o->at_us - w->asked_us[o->client]) / 1000;
        w->count++;
    }
}

static double mean_wait_ms(const char *hold)
{
    waits w = { .count = 0 };
    bench b = { .on = note_wait, .context = &w };
    buf text = { 0 };
    buf_printf(&text, TOKEN_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                      "workload = { clients = 64, arrivals = { poisson_per_s = 50 }, hold_ms = %s, acquisitions = "
                      "10000 } }", hold);
    must_run(&b, text.p, 11);
    assert_int_equal(w.count, 10000);
    buf_free(&text);
    bench_free(&b);
    return w.sum_ms / (double)w.count;
}

/* Poisson arrivals of 50/s, service of 10 ms: rho = 0.5. M/M/1: mean wait rho / (mu - lambda) = 10 ms; M/D/1: half of
 * it (Pollaczek and Khinchine). The mean of n waits of M/M/1 has about the variance rho (2 + 5 rho - 4 rho^2 + rho^3) /
 * (mu^2 (1 - rho)^4) / n (Whitt, "Planning Queueing Simulations", 1989): here a deviation of 0.54 ms; of three of them
 * no more may it be off. */
static void waits_are_those_of_theory(void **state)
{
    (void)state;
    double exponential = mean_wait_ms("{ exponential = 10 }"), constant = mean_wait_ms("10");
    if (fabs(exponential - 10) > 3 * 0.54 || fabs(constant - 5) > 3 * 0.54 / 2)
        fail_msg("M/M/1 %.3f ms, M/D/1 %.3f ms", exponential, constant);
}

/* ---- size ---- */

/* There where the sanitizer has taken malloc's place, which then counts nothing. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */

static size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : mallinfo2().uordblks;
}

/* Under valgrind nobody counts. */
static void skip_without_a_count(void)
{
    if (allocated() == 0)
        skip();
}

static bool watch_memory(void *context, int64_t at_us, uint64_t acquisitions)
{
    (void)at_us;
    size_t *at = context, bytes = allocated();
    if (acquisitions < 5000)
        at[0] = bytes > at[0] ? bytes : at[0];
    if (acquisitions > 9000)
        at[1] = bytes > at[1] ? bytes : at[1];
    return true;
}

/* Property: what a run holds in memory does not grow with its length, whatever fails meanwhile. */
static void memory_does_not_grow(void **state)
{
    (void)state;
    skip_without_a_count();
    size_t at[2] = { 0, 0 };
    bench b = { 0 };
    assert_true(rig_load(&b.r, NULL, POLLED_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                "workload = { clients = { 20, threads = 2 }, arrivals = { think_ms = { exponential = 50 } }, hold_ms = "
                "{ exponential = 1 },\n"
                "latency_ms = { uniform = { 0.1, 2 } }, crash = { per_s = 0.5, back_ms = 100 }, pause = { per_s = 2, "
                "ms = 20 },\n"
                "lose_request = 0.01, lose_reply = 0.01, acquisitions = 10000 } }"));
    simulate_options o = { .seed = 1, .context = at, .go_on = watch_memory };
    assert_true(simulate_run(&b.r.scenario, &b.r.loader, &o, &b.result, &b.r.e));
    assert_true(at[0] > 0 && at[1] > 0);
    if (at[1] > at[0] + at[0] / 10)
        fail_msg("%zu bytes in the first half, %zu at the end", at[0], at[1]);
    bench_free(&b);
}

/* A process keeps nothing of a subscription that has ended. */
static void subscriptions_do_not_add_up(void **state)
{
    (void)state;
    skip_without_a_count();
    size_t at[2] = { 0, 0 };
    bench b = { 0 };
    assert_true(rig_load(&b.r, NULL, "local channel = ('c'):rep(1000)\n"
                "return { clients = { 'A' }, program = function(me)\n"
                "  me:subscribe(channel, function() end)\n  me:wants('L') me:granted('L') me:released('L')\n  "
                "me:unsubscribe(channel)\nend,\n"
                "workload = { clients = 2, arrivals = { think_ms = 1 }, latency_ms = 0.1, acquisitions = 10000 } }"));
    simulate_options o = { .seed = 1, .context = at, .go_on = watch_memory };
    assert_true(simulate_run(&b.r.scenario, &b.r.loader, &o, &b.result, &b.r.e));
    assert_true(at[0] > 0 && at[1] > 0);
    if (at[1] > at[0] + 1000000)
        fail_msg("%zu bytes in the first half, %zu at the end", at[0], at[1]);
    bench_free(&b);
}

static bool stop_at_once(void *context, int64_t at_us, uint64_t acquisitions)
{
    (void)context, (void)at_us;
    return acquisitions < 100;
}

static void ten_thousand_clients_and_a_stop(void **state)
{
    (void)state;
    bench b = { 0 };
    assert_true(rig_load(&b.r, NULL, POLLED_LOCK "return { clients = { 'A' }, " ROUND ",\n"
                "workload = { clients = 10000, arrivals = { think_ms = { exponential = 1000000 } }, hold_ms = 0.1, "
                "latency_ms = 0.1, acquisitions = 100000 } }"));
    simulate_options o = { .seed = 1, .go_on = stop_at_once };
    assert_true(simulate_run(&b.r.scenario, &b.r.loader, &o, &b.result, &b.r.e));
    assert_int_equal(b.result.client_count, 10000);
    assert_int_equal(b.result.ending, SIMULATE_STOPPED);
    assert_true(b.result.acquisitions >= 100 && b.result.acquisitions < 3000);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_of_two_demands),
        cmocka_unit_test(a_release_without_a_request_is_now),
        cmocka_unit_test(a_release_ahead_ends_with_the_others),
        cmocka_unit_test(only_named_locks_are_measured),
        cmocka_unit_test(requests_are_executed_where_they_belong),
        cmocka_unit_test(same_seed_same_run),
        cmocka_unit_test(arrivals_do_not_move_with_anything_else),
        cmocka_unit_test(no_coordinated_omission),
        cmocka_unit_test(bursts_come_together),
        cmocka_unit_test(the_warm_up_is_told),
        cmocka_unit_test(a_run_of_a_length),
        cmocka_unit_test(once_without_a_workload),
        cmocka_unit_test(nobody_acts_while_dead_or_paused),
        cmocka_unit_test(lost_requests_time_out),
        cmocka_unit_test(a_starved_run_ends),
        cmocka_unit_test(rare_demands_are_waited_for),
        cmocka_unit_test(a_fruitless_run_ends),
        cmocka_unit_test(crashed_rounds_are_fruitless),
        cmocka_unit_test(long_sections_are_waited_for),
        cmocka_unit_test(messages_keep_their_order),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(a_lease_that_ends_now_is_no_loop),
        cmocka_unit_test(waits_are_those_of_theory),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(subscriptions_do_not_add_up),
        cmocka_unit_test(ten_thousand_clients_and_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
