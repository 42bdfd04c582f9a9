/* test_model_reads.c - each property's row says which facts of the memory it reads, and reads all that it says: a fact
 * that is read and not said would merge states that differ, and a property would hold that does not. For each of them
 * there is a pair of pasts here that differ in this fact, and a future in which the property, judged alone, breaks
 * after the one and holds after the other. It does so as well when the state is frozen and thawed in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"
#include "model/monitor.h"

typedef struct {
    history *h;
    uint32_t late;         /* a request whose answer is under way */
} life;

typedef struct {
    property p;
    spec_kind spec;
    uint32_t fact;
    const char *what;      /* the pasts differ in */
    void (*past)(life *l, int v);
    void (*future)(history *h, uint32_t late);
} row;

/* ---- pasts and futures ---- */

static void faulty_view(history *h, const char *who, int64_t count, int64_t ttl_ms)
{
    put(h, who, count, ttl_ms);
    view_by(h, "failover");
    step(h);
}

static void nothing_is_held(history *h)
{
    vacate(h);
    view_by(h, "failover");
    step(h);
}

/* Executes a request of `who`, whose answer stays under way, and leaves so many holds. -1: it changes nothing. */
static void runs_unanswered(life *l, const char *who, const char *op, int64_t lease_ms, int64_t count)
{
    l->late = sends(l->h, who, op, lease_ms);
    runs(l->h, l->late);
    if (count >= 0) {
        put_mode(l->h, who, count, l->h->mode ? l->h->mode : "", lease_ms == LEASE_NONE ? 30000 : lease_ms);
        view(l->h, l->late);
    }
    step(l->h);
}

static void a_or_b_holds_by_view(life *l, int v)
{
    faulty_view(l->h, v ? "B:1" : "A:1", 1, 30000);
}

static void a_holds_by_view_or_nobody(life *l, int v)
{
    faulty_view(l->h, "A:1", 1, 30000);
    if (v)
        nothing_is_held(l->h);
}

static void b_waits_for_ever(history *h, uint32_t late)
{
    (void)late;
    wants(h, "B:1");
    wake_of(h, "B:1", WAKE_NEVER);
    step(h);
}

static void b_waits_or_not(life *l, int v)
{
    faulty_view(l->h, "A:1", 1, 30000);
    if (v)
        asks(l->h, "B:1");
}

static void b_parks_and_the_lock_is_free(history *h, uint32_t late)
{
    (void)late;
    wake_of(h, "B:1", WAKE_NEVER);
    nothing_is_held(h);
}

static void renewed_for_how_long(life *l, int v)
{
    l->h->renew_ms = 10;
    takes(l->h, "A:1", LEASE_NONE);
    renews(l->h, "A:1", v ? 1000 : 30000);
}

/* A is disturbed until so late that a second or 30 seconds make the difference, and its key runs out. */
static void disturbed_and_run_out(history *h, uint32_t late)
{
    (void)late;
    at(h, 100);
    happens(h, EVENT_PAUSED, "A:1");
    step(h);
    at(h, 200);
    happens(h, EVENT_RESUMED, "A:1");
    step(h);
    at(h, 31000);
    expires(h);
    takes(h, "B:1", LEASE_NONE);
}

static void a_believes_or_not(life *l, int v)
{
    takes(l->h, "A:1", 1000);
    if (v)
        sends(l->h, "A:1", "release", LEASE_NONE);
    step(l->h);
    nothing_is_held(l->h);
}

static void b_takes_it(history *h, uint32_t late)
{
    (void)late;
    takes(h, "B:1", 1000);
}

static void promised_for_how_long(life *l, int v)
{
    takes(l->h, "A:1", v ? 10 : 1000);
    nothing_is_held(l->h);
}

static void b_takes_it_later(history *h, uint32_t late)
{
    (void)late;
    at(h, 500);
    takes(h, "B:1", 1000);
}

static void a_promise_is_over_while_bs_answer_is_under_way(life *l, int v)
{
    runs_unanswered(l, "B:1", "acquire", 1000, -1);
    if (v) {
        takes(l->h, "A:1", 1000);
        drops(l->h, "A:1");
    }
    step(l->h);
}

static void b_is_granted_it(history *h, uint32_t late)
{
    answers(h, late);
    granted(h, "B:1", late, 1000);
    step(h);
}

static void executed_when(life *l, int v)
{
    at(l->h, v ? 0 : 90);
    runs_unanswered(l, "B:1", "acquire", 100, -1);
    at(l->h, 100);
    step(l->h);
}

/* Between the end of an early promise to B and that of a late one. */
static void a_takes_it_and_b_hears_of_its_own(history *h, uint32_t late)
{
    at(h, 150);
    takes(h, "A:1", 10);
    at(h, 200);
    answers(h, late);
    granted(h, "B:1", late, 100);
    step(h);
}

static void asked_for_how_long(life *l, int v)
{
    runs_unanswered(l, "A:1", "acquire", v ? 300 : 30000, -1);
    faulty_view(l->h, "A:1", 1, 30000);
}

static void a_goes_on_without_a_lease(history *h, uint32_t late)
{
    answers(h, late);
    granted(h, "A:1", late, LEASE_NONE);
    step(h);
    happens(h, EVENT_PAUSED, "A:1");
    step(h);
    at(h, 20000);
    happens(h, EVENT_RESUMED, "A:1");
    step(h);
    at(h, 30001);
    expires(h);
}

/* To renew every 10 s there was no time left, to renew every 100 ms there was. */
static void disturbed_long_and_b_takes_it(history *h, uint32_t late)
{
    a_goes_on_without_a_lease(h, late);
    takes(h, "B:1", LEASE_NONE);
}

static void b_takes_away_what_is_as_again(history *h, uint32_t late)
{
    a_goes_on_without_a_lease(h, late);
    put(h, "A:1", 1, 30000);
    faulty_view(h, "B:1", 1, 30000);
    drops(h, "B:1");
    uint32_t n = sends(h, "B:1", "acquire", 30000);
    runs(h, n);
    vacate(h);
    put(h, "B:1", 1, 30000);
    view(h, n);
    step(h);
}

static void b_executed_within_as_hold_or_after_it(life *l, int v)
{
    takes(l->h, "A:1", 1000);
    if (!v)
        drops(l->h, "A:1");
    runs_unanswered(l, "B:1", "set", 1000, -1);
    if (v)
        drops(l->h, "A:1");
}

static void b_frees_it(history *h, uint32_t late)
{
    (void)late;
    uint32_t n = sends(h, "B:1", "release", LEASE_NONE);
    runs(h, n);
    vacate(h);
    view(h, n);
    step(h);
}

/* By the server's account both hold it. */
static void both_are_seen(history *h)
{
    put(h, "A:1", 1, 30000);
    faulty_view(h, "B:1", 1, 30000);
}

static void a_believes_or_not_and_both_are_seen(life *l, int v)
{
    if (v)
        takes(l->h, "A:1", 1000);
    both_are_seen(l->h);
}

static void promised_for_how_long_and_both_are_seen(life *l, int v)
{
    takes(l->h, "A:1", v ? 10 : 1000);
    both_are_seen(l->h);
}

static void b_frees_it_later(history *h, uint32_t late)
{
    at(h, 500);
    b_frees_it(h, late);
}

static void executed_when_and_both_are_seen(life *l, int v)
{
    at(l->h, v ? 0 : 90);
    runs_unanswered(l, "A:1", "acquire", 50, -1);
    at(l->h, 100);
    both_are_seen(l->h);
}

static void a_hears_of_its_grant_and_b_frees_it(history *h, uint32_t late)
{
    answers(h, late);
    granted(h, "A:1", late, 50);
    step(h);
    at(h, 120);
    b_frees_it(h, late);
}

static void one_hold_or_two(life *l, int v)
{
    faulty_view(l->h, "A:1", 1 + v, 30000);
}

static void a_releases_to_one(history *h, uint32_t late)
{
    (void)late;
    uint32_t n = sends(h, "A:1", "release", LEASE_NONE);
    runs(h, n);
    put(h, "A:1", 1, 30000);
    view(h, n);
    step(h);
}

/* It held when it asked again, or had nothing; then a fault leaves the same of both. */
static void held_before_or_not(life *l, int v)
{
    if (v)
        faulty_view(l->h, "A:1", 1, 30000);
    runs_unanswered(l, "A:1", "acquire", 30000, v ? 2 : -1);
    faulty_view(l->h, "A:1", 2, 30000);
}

static void a_is_refused(history *h, uint32_t late)
{
    answers(h, late);
    refused(h, "A:1", late);
    step(h);
}

static void an_old_token_believed_in_or_not(life *l, int v)
{
    l->h->token = 5;
    takes(l->h, "A:1", 1000);
    if (!v)
        drops(l->h, "A:1");
    l->h->token = 7;
    takes(l->h, "B:1", 1000);
    l->h->token = 9;
    takes(l->h, "A:1", 1000);
}

static void first_b_uses_it_then_a(history *h, uint32_t late)
{
    (void)late;
    uses(h, "B:1", 0);
    uses(h, "A:1", 5);
    step(h);
}

/* A's first grant comes before B's of another lock, or after it; A's newest comes after both. */
static void which_grant_came_first(life *l, int v)
{
    l->h->token = 5;
    if (v)
        takes(l->h, "A:1", 1000);
    about(l->h, "M");
    takes(l->h, "B:1", 1000);
    about(l->h, "L");
    if (!v)
        takes(l->h, "A:1", 1000);
    l->h->token = 7;
    takes(l->h, "A:1", 1000);
}

static void executed_before_as_grant_or_after(life *l, int v)
{
    l->h->token = 5;
    if (!v)
        runs_unanswered(l, "B:1", "acquire", 1000, -1);
    takes(l->h, "A:1", 1000);
    if (v)
        runs_unanswered(l, "B:1", "acquire", 1000, -1);
    step(l->h);
}

static void b_hears_of_token_4(history *h, uint32_t late)
{
    h->token = 4;
    b_is_granted_it(h, late);
}

static void b_waits_and_perhaps_has_it_by_view(life *l, int v)
{
    faulty_view(l->h, v ? "C:1" : "B:1", 1, 30000);
    asks(l->h, "B:1");
}

static void time_passes(history *h, uint32_t late)
{
    (void)late;
    for (int i = 1; i < 4; i++) {
        at(h, 100 * i);
        step(h);
    }
}

static void b_waits_and_a_believes_or_not(life *l, int v)
{
    takes(l->h, "A:1", 30000);
    asks(l->h, "B:1");
    if (v)
        sends(l->h, "A:1", "release", LEASE_NONE);
    step(l->h);
}

static void b_waits_and_perhaps_has_won_a_permit(life *l, int v)
{
    put_permits(l->h, v ? 0 : 1, 1);
    view_by(l->h, "failover");
    step(l->h);
    wants(l->h, "B:1");
    l->late = sends(l->h, "B:1", "acquire", 1000);
    runs(l->h, l->late);
    put_permits(l->h, 0, 1);
    if (!v)
        view(l->h, l->late);
    step(l->h);
}

static void b_waits_to_read_or_to_write(life *l, int v)
{
    l->h->mode = "read";
    takes(l->h, "A:1", 1000);
    l->h->mode = v ? "read" : "write";
    asks(l->h, "B:1");
    emit(l->h, (event){ .kind = EVENT_WANTS, .who = S("B:1"), .mode = str_from(l->h->mode) });
    step(l->h);
    l->h->mode = NULL;
}

static void c_takes_it_to_read(history *h, uint32_t late)
{
    (void)late;
    h->mode = "read";
    takes(h, "C:1", 1000);
}

static void b_waits_beside_an_account(life *l, int v)
{
    asks(l->h, "B:1");
    if (v)
        faulty_view(l->h, "B:1", 1, 30000);
}

/* B's next request finds B, or leaves B, as the holder: it gained a hold, and C passes nobody. */
static void b_wins_and_c_is_granted(history *h, uint32_t late)
{
    (void)late;
    uint32_t n = sends(h, "B:1", "acquire", 30000);
    runs(h, n);
    put(h, "B:1", 1, 29000);
    view(h, n);
    step(h);
    takes(h, "C:1", 1000);
}

static void c_takes_it(history *h, uint32_t late)
{
    (void)late;
    takes(h, "C:1", 1000);
}

static void a_takes_it(history *h, uint32_t late)
{
    (void)late;
    takes(h, "A:1", 1000);
}

static void b_waits_or_was_never_refused(life *l, int v)
{
    if (v)
        asks(l->h, "B:1");
    step(l->h);
}

static void b_waits_and_a_may_re_enter(life *l, int v)
{
    takes(l->h, "A:1", 30000);
    if (v)
        drops(l->h, "A:1");
    asks(l->h, "B:1");
}

static void whose_copy_was_refused_first(life *l, int v)
{
    faulty_view(l->h, "A:1", 1, 30000);            /* else a refusal would not be in vain, but wrong */
    if (v)
        asks(l->h, "C:1");
    wants(l->h, "B:1");
    l->late = sends(l->h, "B:1", "acquire", 1000);
    fault(l->h, "duplicate", "B:1", l->late);
    step(l->h);
    runs_as_copy(l->h, l->late);
    step(l->h);
    if (!v)
        asks(l->h, "C:1");
    runs(l->h, l->late);
    step(l->h);
}

static void b_is_refused_and_c_takes_it(history *h, uint32_t late)
{
    answers(h, late);
    refused(h, "B:1", late);
    step(h);
    takes(h, "C:1", 1000);
}

static void who_was_refused_first(life *l, int v)
{
    asks(l->h, v ? "B:1" : "C:1");
    asks(l->h, v ? "C:1" : "B:1");
}

static void whose_refusal_was_executed_first(life *l, int v)
{
    wants(l->h, "B:1");
    if (v)
        asks(l->h, "C:1");
    runs_unanswered(l, "B:1", "acquire", 1000, -1);
    if (!v)
        asks(l->h, "C:1");
}

static void b_waits_and_perhaps_has_won(life *l, int v)
{
    asks(l->h, "B:1");
    runs_unanswered(l, "B:1", "acquire", 30000, v ? -1 : 1);
    if (v)
        faulty_view(l->h, "B:1", 1, 30000);
}

static void its_key_ends_when(life *l, int v)
{
    faulty_view(l->h, "A:1", 1, 30000);
    nothing_is_held(l->h);
    takes(l->h, "A:1", v ? 1000 : 5000);
}

static void a_re_enters_for_less_than_is_left(history *h, uint32_t late)
{
    (void)late;
    uint32_t n = sends(h, "A:1", "acquire", 100);
    runs(h, n);
    put(h, "A:1", 2, 5000);
    view(h, n);
    step(h);
}

static void a_believes_in_its_hold_or_not(life *l, int v)
{
    takes(l->h, "A:1", 1000);
    if (v)
        sends(l->h, "A:1", "release", LEASE_NONE);
    step(l->h);
}

static void as_key_is_shortened(history *h, uint32_t late)
{
    (void)late;
    renews(h, "A:1", 10);
}

static void executed_when_beside_a_key(life *l, int v)
{
    int64_t at_ms = v ? 90 : 0;
    at(l->h, at_ms);
    l->late = sends(l->h, "A:1", "acquire", 200);
    runs(l->h, l->late);
    put(l->h, "A:1", 1, 150 - at_ms);
    view(l->h, l->late);
    step(l->h);
    at(l->h, 100);
    step(l->h);
}

static void a_hears_of_100_ms(history *h, uint32_t late)
{
    answers(h, late);
    granted(h, "A:1", late, 100);
    step(h);
}

static void asked_for_how_long_beside_a_key(life *l, int v)
{
    l->late = sends(l->h, "A:1", "acquire", v ? 300 : 160);
    runs(l->h, l->late);
    put(l->h, "A:1", 1, 160);
    view(l->h, l->late);
    step(l->h);
}

static void a_hears_of_it(history *h, uint32_t late)
{
    answers(h, late);
    granted(h, "A:1", late, LEASE_NONE);
    step(h);
}

static void b_takes_what_was_as(history *h, uint32_t late)
{
    (void)late;
    uint32_t n = sends(h, "B:1", "acquire", 30000);
    runs(h, n);
    vacate(h);
    put(h, "B:1", 1, 30000);
    view(h, n);
    step(h);
}

static void released_something_or_nothing(life *l, int v)
{
    if (v)
        faulty_view(l->h, "B:1", 1, 30000);
    l->late = sends(l->h, "B:1", "release", LEASE_NONE);
    runs(l->h, l->late);
    vacate(l->h);
    view(l->h, l->late);
    step(l->h);
}

static void b_is_told_that_it_released(history *h, uint32_t late)
{
    answers(h, late);
    released(h, "B:1", late, 0);
    step(h);
}

#define P(upper, fact, spec, past, future) { PROPERTY_##upper, SPEC_##spec, FACT_##fact, #past, past, future }
static const row rows[] = {
    P(NO_LOST_WAKEUP, VIEW, MUTEX, a_holds_by_view_or_nobody, b_waits_for_ever),
    P(NO_LOST_WAKEUP, WAITS, MUTEX, b_waits_or_not, b_parks_and_the_lock_is_free),
    P(NO_DEADLOCK, WAITS, MUTEX, b_waits_or_not, NULL),
    P(BOUNDED_WAIT, WAITS, MUTEX, b_waits_or_not, NULL),
    P(MUTUAL_EXCLUSION, VIEW, REENTRANT, renewed_for_how_long, disturbed_and_run_out),
    P(MUTUAL_EXCLUSION, BELIEFS, MUTEX, a_believes_or_not, b_takes_it),
    P(MUTUAL_EXCLUSION, PROMISES, MUTEX, promised_for_how_long, b_takes_it_later),
    P(MUTUAL_EXCLUSION, PAST_PROMISES, MUTEX, a_promise_is_over_while_bs_answer_is_under_way, b_is_granted_it),
    P(MUTUAL_EXCLUSION, EXECUTED, MUTEX, executed_when, a_takes_it_and_b_hears_of_its_own),
    P(MUTUAL_EXCLUSION, LEASE, MUTEX, asked_for_how_long, disturbed_long_and_b_takes_it),
    P(MUTUAL_EXCLUSION, ORDER, MUTEX, b_executed_within_as_hold_or_after_it, b_is_granted_it),
    P(STRICT_MUTUAL_EXCLUSION, BELIEFS, MUTEX, a_believes_or_not, b_takes_it),
    P(OWNER_ONLY, VIEW, MUTEX, a_or_b_holds_by_view, b_frees_it),
    P(OWNER_ONLY, BELIEFS, NONE, a_believes_or_not_and_both_are_seen, b_frees_it),
    P(OWNER_ONLY, PROMISES, NONE, promised_for_how_long_and_both_are_seen, b_frees_it_later),
    P(OWNER_ONLY, EXECUTED, NONE, executed_when_and_both_are_seen, a_hears_of_its_grant_and_b_frees_it),
    P(OWNER_ONLY, LEASE, NONE, asked_for_how_long, b_takes_away_what_is_as_again),
    P(REENTRANCY, ANSWERS, REENTRANT, one_hold_or_two, a_releases_to_one),
    P(REENTRANCY, HELD, REENTRANT, held_before_or_not, a_is_refused),
    P(REENTRANCY, HELD, FAIR, held_before_or_not, a_is_refused),
    P(REENTRANCY, HELD, READ_WRITE, held_before_or_not, a_is_refused),
    P(REENTRANCY, HELD, GROUPED, held_before_or_not, a_is_refused),
    P(FENCING, BELIEFS, NONE, an_old_token_believed_in_or_not, first_b_uses_it_then_a),
    P(FENCING, ORDER, NONE, executed_before_as_grant_or_after, b_hears_of_token_4),
    P(FENCING, GRANT_ORDER, NONE, which_grant_came_first, first_b_uses_it_then_a),
    P(PROMPT, VIEW, MUTEX, b_waits_and_perhaps_has_it_by_view, time_passes),
    P(PROMPT, BELIEFS, MUTEX, b_waits_and_a_believes_or_not, time_passes),
    P(PROMPT, WAITS, MUTEX, b_waits_or_not, time_passes),
    P(PROMPT, WON, SEMAPHORE, b_waits_and_perhaps_has_won_a_permit, time_passes),
    P(PROMPT, WAIT_MODE, READ_WRITE, b_waits_to_read_or_to_write, time_passes),
    P(FIFO, VIEW, MUTEX, b_waits_beside_an_account, b_wins_and_c_is_granted),
    P(FIFO, BELIEFS, REENTRANT, b_waits_and_a_may_re_enter, a_takes_it),
    P(FIFO, WAITS, MUTEX, b_waits_or_was_never_refused, c_takes_it),
    P(FIFO, WAIT_MODE, READ_WRITE, b_waits_to_read_or_to_write, c_takes_it_to_read),
    P(FIFO, COPY_ORDER, MUTEX, whose_copy_was_refused_first, b_is_refused_and_c_takes_it),
    P(FIFO, OWN_ORDERS, MUTEX, who_was_refused_first, c_takes_it),
    P(FIFO, ORDER, MUTEX, whose_refusal_was_executed_first, b_is_refused_and_c_takes_it),
    P(FIFO, WON, MUTEX, b_waits_and_perhaps_has_won, c_takes_it),
    P(LEASE_SET, VIEW, REENTRANT, its_key_ends_when, a_re_enters_for_less_than_is_left),
    P(LEASE_SET, BELIEFS, MUTEX, a_believes_in_its_hold_or_not, as_key_is_shortened),
    P(LEASE_SET, EXECUTED, MUTEX, executed_when_beside_a_key, a_hears_of_100_ms),
    P(LEASE_SET, LEASE, MUTEX, asked_for_how_long_beside_a_key, a_hears_of_it),
    P(MATCHES_SPEC, ANSWERS, MUTEX, a_holds_by_view_or_nobody, b_takes_what_was_as),
    P(MATCHES_SPEC, TOLD, MUTEX, released_something_or_nothing, b_is_told_that_it_released),
};
#undef P

/* ---- judged alone ---- */

static void go_on_thawed(history *h, const model_config *c)
{
    static const str names[] = { { "A", 1 }, { "B", 1 }, { "C", 1 }, { "D", 1 } };
    buf b = { 0 };
    model_freeze(h->m, T0 + h->at_ms, NULL, &b);
    model_free(h->m);
    h->m = model_thaw(c, names, COUNT(names), buf_str(&b), T0 + h->at_ms);
    buf_free(&b);
}

static void count_waiter(void *context, str who, str lock, int64_t since_ms)
{
    (void)who;
    (void)lock;
    (void)since_ms;
    ++*(int *)context;
}

/* Broken; of what is judged in the graph of all states, that a task waits, which is what the graph asks for. */
static bool broken(const row *r, int v, bool thawed)
{
    model_config c = model_config_default();
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        c.judged[i] = i == (size_t)r->p;
    c.parameter[PROPERTY_PROMPT] = 20;
    life l = { .h = history_with(&c, r->spec) };
    r->past(&l, v);
    if (model_broken(l.h->m))
        fail_msg("%s: %s: broken already: %.*s", property_describe(r->p)->name, r->what,
                 STR_ARG(model_violation(l.h->m, r->p)->text));
    if (thawed)
        go_on_thawed(l.h, &c);
    int waiting = 0;
    if (r->future)
        r->future(l.h, l.late);
    else
        model_each_waiting(l.h->m, count_waiter, &waiting);
    bool is = model_violation(l.h->m, r->p) != NULL || waiting > 0;
    history_free(l.h);
    return is;
}

static void what_is_read_makes_the_difference(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const row *r = &rows[i];
        bool lived[2] = { broken(r, 0, false), broken(r, 1, false) },
                        thawed[2] = { broken(r, 0, true), broken(r, 1, true) };
        if (lived[0] != lived[1] && lived[0] == thawed[0] && lived[1] == thawed[1])
            continue;
        wrong++;
        print_message("%s, fact %x: %s: %d and %d as it was lived, %d and %d from frozen states\n",
                      property_describe(r->p)->name,
                      (unsigned)r->fact, r->what, lived[0], lived[1], thawed[0], thawed[1]);
    }
    assert_int_equal(wrong, 0);
}

static bool shown(property p, uint32_t fact, size_t spec)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].p == p && rows[i].fact == fact && (spec == SPEC_COUNT || (size_t)rows[i].spec == spec))
            return true;
    return false;
}

/* No fact is written for nothing: states that differ in it alone would be searched twice. */
static void whatever_is_read_is_shown_to_be_needed(void **state)
{
    (void)state;
    int wrong = 0, facts = 0;
    for (size_t p = 0; p < PROPERTY_COUNT; p++)
        for (uint32_t fact = 1; fact; fact <<= 1) {
            const monitor *m = monitor_of((property)p);
            for (size_t spec = 0; spec <= SPEC_COUNT; spec++) {
                if (!((spec < SPEC_COUNT ? m->reads_of[spec] : m->reads | m->reads_named) & fact))
                    continue;
                facts++;
                if (shown((property)p, fact, spec))
                    continue;
                wrong++;
                print_message("%s reads %x, and nothing shows why\n", m->info.name, (unsigned)fact);
            }
        }
    assert_int_equal(wrong, 0);
    assert_in_range(facts, COUNT(rows) - 2, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_makes_the_difference),
        cmocka_unit_test(whatever_is_read_is_shown_to_be_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
