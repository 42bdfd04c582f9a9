/* test_model_freeze.c - model_freeze: histories with one future freeze equally, and each fact that can matter later
 * shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"

/* Writes a history into `h`; variants 0 and 1 are compared. Fencing is open where it is the point: it remembers for
 * ever. */
typedef void builder(history *h, int variant);
static builder fencing_token, who_used_the_resource;

/* The newest request of a process is 1, the one before it 2. */
static uint32_t newest_first(void *context, uint32_t process, uint32_t number)
{
    const history *h = context;
    uint32_t name = 1;
    for (uint32_t n = number + 1; n <= h->number; n++)
        name += (uint32_t)(h->sent[n].who[0] - 'A') == process;
    return name;
}

static uint32_t same_task(void *context, uint32_t process, uint32_t task)
{
    (void)context;
    (void)process;
    return task;
}

static bool freeze_alike(builder *b)
{
    buf bytes[2] = { { 0 }, { 0 } };
    model_config c = model_config_default();
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        c.judged[i] = i != PROPERTY_FENCING || b == fencing_token || b == who_used_the_resource;
    c.parameter[PROPERTY_FIFO] = 5;
    for (int v = 0; v < 2; v++) {
        history *h = history_with(&c, SPEC_FAIR);
        b(h, v);
        model_names names = { .context = h, .request = newest_first, .task = same_task };
        model_freeze(h->m, T0 + h->at_ms, &names, &bytes[v]);
        assert_true(bytes[v].n > 8);
        history_free(h);
    }
    bool alike = str_eq(buf_str(&bytes[0]), buf_str(&bytes[1]));
    buf_free(&bytes[0]);
    buf_free(&bytes[1]);
    return alike;
}

/* ---- one future ---- */

static void past_turns(history *h, int v)
{
    for (int i = 0; i < 3 * v; i++) {
        takes(h, "A:1", 1000);
        asks(h, "B:1");
        gave_up(h, "B:1");
        drops(h, "A:1");
        at(h, h->at_ms + 7);
    }
    takes(h, "A:1", LEASE_NONE);
}

static void later_in_time(history *h, int v)
{
    at(h, v * 123456789);
    takes(h, "A:1", 1000);
    at(h, h->at_ms + 10);
    asks(h, "B:1");
}

static void other_order_of_first_sight(history *h, int v)
{
    wants(h, v ? "C:1" : "B:1");
    wants(h, v ? "B:1" : "C:1");
    gave_up(h, "B:1");
    gave_up(h, "C:1");
    takes(h, "A:1", LEASE_NONE);
    asks(h, "B:1");
    asks(h, "C:1");
}

static void other_order_of_two_readers(history *h, int v)
{
    h->mode = "read";
    takes(h, v ? "A:1" : "B:1", 1000);
    takes(h, v ? "B:1" : "A:1", 1000);
}

static void hold_without_lease_however_long(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    for (int i = 0; i < 1 + v; i++) {
        at(h, h->at_ms + 10000);
        renews(h, "A:1", 30000);
    }
    at(h, h->at_ms + 40000);           /* beyond what the first TTL promised */
    renews(h, "A:1", 30000);
}

static void lapsed_belief_however_long_ago(history *h, int v)
{
    takes(h, "A:1", 1000);
    at(h, 1001);
    expires(h);
    at(h, 2000 + 1000 * v);
    step(h);
}

static void requests_that_were_only_sent(history *h, int v)
{
    if (v)
        sends(h, "A:1", "acquire", 1000);
    step(h);
}

static void texts_of_a_broken_property(history *h, int v)
{
    at(h, v);
    emit(h, (event){ .kind = EVENT_FINDING, .op = S("error"), .text = v ? S("one") : S("two") });
}

static void equal_futures_freeze_equally(void **state)
{
    (void)state;
    static const struct { const char *name; builder *b; } row[] = {
        { "past turns", past_turns }, { "later in time", later_in_time }, { "first sight", other_order_of_first_sight },
        { "two readers", other_order_of_two_readers }, { "hold without lease", hold_without_lease_however_long },
        { "lapsed belief", lapsed_belief_however_long_ago }, { "sent", requests_that_were_only_sent },
        { "texts", texts_of_a_broken_property },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        if (!freeze_alike(row[i].b))
            fail_msg("%s: freeze differently", row[i].name);
}

/* ---- two futures ---- */

static void believes(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    if (v)
        sends(h, "A:1", "release", LEASE_NONE);
    step(h);
}

static void waits(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    asks(h, "B:1");
    if (v)
        gave_up(h, "B:1");
    step(h);
}

static void who_waits(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    asks(h, v ? "C:1" : "B:1");
}

static void order_of_waiters(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    asks(h, v ? "C:1" : "B:1");
    asks(h, v ? "B:1" : "C:1");
}

static void end_of_a_lease(history *h, int v)
{
    uint32_t n = sends(h, "A:1", "acquire", LEASE_NONE);
    runs(h, n);
    granted(h, "A:1", n, 1000 + v);
    put(h, "A:1", 1, 5000);
    view(h, n);
    step(h);
}

static void lease_or_none(history *h, int v)
{
    uint32_t n = sends(h, "A:1", "acquire", 5000);
    runs(h, n);
    granted(h, "A:1", n, v ? 5000 : LEASE_NONE);
    put(h, "A:1", 1, 5000);
    view(h, n);
    step(h);
}

static void ttl_that_was_asked(history *h, int v)
{
    uint32_t n = sends(h, "A:1", "acquire", v ? 5000 : LEASE_NONE);
    runs(h, n);
    answers(h, n);
    granted(h, "A:1", n, LEASE_NONE);
    put(h, "A:1", 1, 5000);
    view(h, n);
    step(h);
}

static void kept_from_renewing(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    at(h, 25000);
    if (v) {
        happens(h, EVENT_PAUSED, "A:1");
        happens(h, EVENT_RESUMED, "A:1");
    }
    step(h);
}

static void waits_for_what_was_lost(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    uint32_t n = sends(h, "A:1", "renew", 30000);
    if (v)
        fault(h, "late_request", "A:1", n);
    step(h);
}

static void renews_how_often(history *h, int v)
{
    uint32_t n = sends(h, "A:1", "acquire", 30000);
    runs(h, n);
    answers(h, n);
    h->renew_ms = v ? 5000 : 4000;
    granted(h, "A:1", n, LEASE_NONE);
    put(h, "A:1", 1, 30000);
    view(h, n);
    step(h);
}

static void pauses(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    happens(h, EVENT_PAUSED, "A:1");
    step(h);
    if (!v)
        happens(h, EVENT_RESUMED, "A:1");
    step(h);
}

static void open_time_out(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    uint32_t n = sends(h, "A:1", v ? "acquire" : "force_release", LEASE_NONE);
    fault(h, "lose_request", "A:1", n);
    times_out(h, n);
    step(h);
    if (v) {                           /* both believe nothing any more */
        sends(h, "A:1", "release", LEASE_NONE);
        step(h);
    }
}

/* A renewal for so long; the key itself got more. */
static void renewed_until(history *h, int v)
{
    takes(h, "A:1", 1000);
    uint32_t n = sends(h, "A:1", "renew", 2000 + v);
    runs(h, n);
    answers(h, n);
    put(h, "A:1", 1, 5000);
    view(h, n);
    step(h);
    n = sends(h, "A:1", "renew", 1);   /* the next answer: the first renewal is forgotten */
    runs(h, n);
    answers(h, n);
    step(h);
}

static void ended_with_a_lease(history *h, int v)
{
    takes(h, "A:1", 1000);
    put(h, "A:1", 1, -1);              /* LK031 is broken: nothing but the belief is left to differ */
    uint32_t n = sends(h, "A:1", "acquire", LEASE_NONE);
    runs(h, n);
    answers(h, n);
    view(h, n);
    step(h);
    if (v)
        happens(h, EVENT_ENDED, "A:1");
    step(h);
}

static void order_of_two_answers_under_way(history *h, int v)
{
    uint32_t n = sends(h, v ? "B:1" : "C:1", "set", 1000);
    runs(h, n);
    step(h);
    n = sends(h, v ? "C:1" : "B:1", "set", 1000);
    runs(h, n);
    step(h);
}

static void lapsed_when(history *h, int v)
{
    uint32_t n = sends(h, "A:1", "acquire", 1000);
    runs(h, n);
    put(h, "A:1", 1, 999 + v);
    view(h, n);
    step(h);
    at(h, 1001);
    expires(h);
}

static void passed_how_often(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    uint32_t n = sends(h, "B:1", "acquire", 1000);
    runs(h, n);
    step(h);
    drops(h, "A:1");
    takes(h, "C:1", LEASE_NONE);
    if (v) {
        drops(h, "C:1");
        takes(h, "C:1", LEASE_NONE);
    }
}

/* B's earlier request waits for its answer; A's grant ended before or after C's was executed, in the same
 * millisecond. */
static void ended_before_whom(history *h, int v)
{
    uint32_t b = sends(h, "B:1", "set", 1000);
    runs(h, b);
    step(h);
    takes(h, "A:1", 1000);
    if (v)
        sends(h, "A:1", "release", LEASE_NONE);
    uint32_t c = sends(h, "C:1", "set", 1000);
    runs(h, c);
    step(h);
    if (!v)
        sends(h, "A:1", "release", LEASE_NONE);
    step(h);
}

static void paused_with_the_answer_under_way(history *h, int v)
{
    uint32_t n = sends(h, "B:1", "set", 1000);
    runs(h, n);
    if (v) {
        happens(h, EVENT_PAUSED, "B:1");
        happens(h, EVENT_RESUMED, "B:1");
    }
    step(h);
}

static void overtaken(history *h, int v)
{
    takes(h, "C:1", LEASE_NONE);
    asks(h, "B:1");
    for (int i = 0; i < 2 * v; i++) {
        drops(h, i ? "A:1" : "C:1");
        takes(h, i ? "C:1" : "A:1", LEASE_NONE);
    }
}

static void idle_since(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    asks(h, "B:1");
    at(h, 100 * v);
    happens(h, EVENT_CRASHED, "A:1");
    step(h);
    at(h, 200);
    renews(h, "C:1", 30000);           /* whatever the owner: the views end at one instant */
}

static void answer_under_way(history *h, int v)
{
    uint32_t n = sends(h, "B:1", "acquire", 1000);
    if (v)
        runs(h, n);
    step(h);
}

static void executed_when(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    at(h, v);
    uint32_t n = sends(h, "B:1", "acquire", 1000);
    runs(h, n);
    step(h);
    at(h, 10);
    step(h);
}

static void executed_before_whom(history *h, int v)
{
    uint32_t n = 0;
    if (v) {
        n = sends(h, "B:1", "set", 1000);
        runs(h, n);
        step(h);
    }
    takes(h, "A:1", LEASE_NONE);
    if (!v) {
        n = sends(h, "B:1", "set", 1000);
        runs(h, n);
        step(h);
    }
}

static void what_the_answer_must_be(history *h, int v)
{
    if (!v)
        takes(h, "A:1", LEASE_NONE);
    uint32_t n = sends(h, "B:1", "release", LEASE_NONE);
    if (v) {
        put(h, "B:1", 1, 30000);       /* a fault gave it to B */
        view_by(h, "failover");
        step(h);
    }
    runs(h, n);
    vacate(h);
    view(h, n);
    step(h);
}

static void lapsed_before_the_answer(history *h, int v)
{
    uint32_t n = sends(h, "A:1", "acquire", 1000);
    runs(h, n);
    put(h, "A:1", 1, 1000);
    view(h, n);
    step(h);
    at(h, 1001);
    vacate(h);
    view_by(h, v ? "expiry" : "evict");
    step(h);
}

/* A released while B's earlier request is not answered: its promise may still turn out to have met B's. */
static void promise_that_is_over(history *h, int v)
{
    uint32_t n = sends(h, "B:1", "acquire", 1000);
    runs(h, n);
    step(h);
    if (v) {
        takes(h, "A:1", LEASE_NONE);
        drops(h, "A:1");
    }
    step(h);
}

static void duplicate_to_come(history *h, int v)
{
    uint32_t n = sends(h, "A:1", "acquire", 1000);
    if (v)
        fault(h, "duplicate", "A:1", n);
    step(h);
}

static void store_holder(history *h, int v)
{
    put(h, v ? "A:1" : "B:1", 1, 1000);
    view_by(h, "failover");
    step(h);
}

static void store_deadline(history *h, int v)
{
    put(h, "A:1", 1, 1000 + v);
    view_by(h, "evict");
    step(h);
}

static void store_queue(history *h, int v)
{
    queue(h, v ? "A:1 B:1" : "B:1 A:1");
    view_by(h, "evict");
    step(h);
}

static void fencing_token(history *h, int v)
{
    h->token = 7 + v;
    takes(h, "A:1", LEASE_NONE);
    drops(h, "A:1");
}

static void who_used_the_resource(history *h, int v)
{
    takes(h, "A:1", LEASE_NONE);
    drops(h, "A:1");
    takes(h, "B:1", LEASE_NONE);
    if (v)
        uses(h, "B:1", 0);
    step(h);
}

static void broken_or_open(history *h, int v)
{
    if (v)
        emit(h, (event){ .kind = EVENT_BUSY, .who = S("A:1"), .op = S("acquire") });
    step(h);
}

static void different_futures_freeze_differently(void **state)
{
    (void)state;
    static const struct { const char *name; builder *b; } row[] = {
        { "believes", believes }, { "waits", waits }, { "who waits", who_waits },
        { "order of waiters", order_of_waiters },
        { "end of a lease", end_of_a_lease }, { "lease or none", lease_or_none },
        { "ttl that was asked", ttl_that_was_asked },
        { "kept from renewing", kept_from_renewing },
        { "waits for what was lost", waits_for_what_was_lost }, { "renews how often", renews_how_often },
        { "pauses", pauses }, { "open time-out", open_time_out },
        { "overtaken", overtaken }, { "idle since", idle_since }, { "answer under way", answer_under_way },
        { "executed when", executed_when }, { "executed before whom", executed_before_whom },
        { "what the answer must be", what_the_answer_must_be },
        { "lapsed before the answer", lapsed_before_the_answer }, { "promise that is over", promise_that_is_over },
        { "duplicate to come", duplicate_to_come }, { "store's holder", store_holder },
        { "store's deadline", store_deadline },
        { "store's queue", store_queue }, { "fencing token", fencing_token }, { "resource", who_used_the_resource },
        { "broken or open", broken_or_open }, { "renewed until", renewed_until },
        { "ended with a lease", ended_with_a_lease },
        { "two answers under way", order_of_two_answers_under_way }, { "lapsed when", lapsed_when },
        { "passed how often", passed_how_often }, { "ended before whom", ended_before_whom },
        { "paused under way", paused_with_the_answer_under_way },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        if (freeze_alike(row[i].b))
            fail_msg("%s: freeze alike", row[i].name);
}

static void freezing_twice_gives_the_same_bytes_and_changes_nothing(void **state)
{
    (void)state;
    history *h = history_new(SPEC_REENTRANT);
    takes(h, "A:1", 1000);
    asks(h, "B:1");
    buf a = { 0 }, b = { 0 };
    model_freeze(h->m, T0, NULL, &a);
    model_freeze(h->m, T0, NULL, &b);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    drops(h, "A:1");
    takes(h, "B:1", 1000);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        holds(h, (property)i);
    buf_free(&a);
    buf_free(&b);
    history_free(h);
}

/* The value goes on in the place of the model that it was frozen from. */
static void go_on_thawed(history *h, const model_config *c)
{
    static const str names[] = { { "A", 1 }, { "B", 1 }, { "C", 1 }, { "D", 1 } };
    buf b = { 0 };
    model_freeze(h->m, T0 + h->at_ms, NULL, &b);
    model_free(h->m);
    h->m = model_thaw(c, names, COUNT(names), buf_str(&b), T0 + h->at_ms);
    buf_free(&b);
}

/* Property: an old token whose answer comes after the next holder's grant breaks nothing, also when the state was
 * frozen in between.
 * How: three grants by three owners, the answer to the second one under way; the value goes on instead of the model. */
static void a_late_answer_keeps_its_place_among_the_tokens(void **state)
{
    (void)state;
    model_config c = { .judged[PROPERTY_FENCING] = true };
    history *h = history_with(&c, SPEC_MUTEX);
    h->token = 1;
    takes(h, "B:1", 1000);
    drops(h, "B:1");
    wants(h, "A:1");
    uint32_t late = sends(h, "A:1", "acquire", 1000);
    runs(h, late);
    step(h);
    h->token = 3;
    takes(h, "C:1", 1000);
    go_on_thawed(h, &c);
    h->token = 2;
    answers(h, late);
    granted(h, "A:1", late, 1000);
    step(h);
    holds(h, PROPERTY_FENCING);
    h->token = 2;                                  /* and a grant after C's that does not have a greater one is still
                                                    * found */
    takes(h, "D:1", 1000);
    breaks(h, PROPERTY_FENCING);
    history_free(h);
}

/* Property: of a request that is still to be executed again, the side of the lock that it asks for is known, in a
 * frozen state, too.
 * How: a read acquire that the network doubles; the second copy runs on the value. */
static void a_second_copy_asks_for_the_same_side(void **state)
{
    (void)state;
    model_config c = { .judged[PROPERTY_MATCHES_SPEC] = true };
    history *h = history_with(&c, SPEC_READ_WRITE);
    h->mode = "read";
    wants(h, "A:1");
    uint32_t n = sends(h, "A:1", "acquire_read", 1000);
    fault(h, "duplicate", "A:1", n);
    runs(h, n);
    put_mode(h, "A:1", 1, "read", 1000);
    view(h, n);
    step(h);
    go_on_thawed(h, &c);
    runs(h, n);
    put_mode(h, "A:1", 2, "read", 1000);
    view(h, n);
    answers(h, n);
    granted(h, "A:1", n, 1000);
    step(h);
    holds(h, PROPERTY_MATCHES_SPEC);
    history_free(h);
}

 /* Property: a pop that waited and is told of late, after another's grant, is compared with the instant of that grant
  * as it was, also when the state was frozen and time has passed in between. How: A's pop ends at 100 and is promised
  * until 200; B is granted then or a millisecond later; A hears of it at 250. */
static void a_wait_that_is_told_late_meets_what_was_granted_meanwhile(void **state)
{
    (void)state;
    for (int64_t other_ms = 199; other_ms <= 202; other_ms++) {
        model_config c = { .judged[PROPERTY_MUTUAL_EXCLUSION] = true };
        history *h = history_with(&c, SPEC_NONE);
        wants(h, "A:1");
        uint32_t a = sends_pop(h, "A:1", 100);
        step(h);
        at(h, other_ms);
        takes(h, "B:1", 1000);
        go_on_thawed(h, &c);
        at(h, 230);
        step(h);
        go_on_thawed(h, &c);
        at(h, 250);
        runs_ago(h, a, 150);
        answers(h, a);
        granted(h, "A:1", a, 100);
        step(h);
        (other_ms <= 200 ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_that_is_told_late_meets_what_was_granted_meanwhile),
        cmocka_unit_test(a_late_answer_keeps_its_place_among_the_tokens),
        cmocka_unit_test(a_second_copy_asks_for_the_same_side),
        cmocka_unit_test(equal_futures_freeze_equally),
        cmocka_unit_test(different_futures_freeze_differently),
        cmocka_unit_test(freezing_twice_gives_the_same_bytes_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
