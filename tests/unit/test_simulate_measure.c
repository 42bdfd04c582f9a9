/* test_simulate_measure.c - each number that `locksim simulate` shows, against cases worked out by hand. */
#include "occurrences.h"

#include <malloc.h>

#include "base/mem.h"
#include "base/rng.h"

#define NEAR 1e-9

/* A, B and C share a lock; microseconds:
 *            asks   granted there / learned   freed there / learned
 *   A           0           1000 /  2000           10000 / 11000
 *   C        2000          12000 / 13000           20000 / 21000
 *   B        1000          21000 / 22000           30000 / 31000        the run ends at 40000
 * C asked after B and was granted first. */
static measure *three_clients(void)
{
    measure *m = measure_new(3, 1, true);
    begins(m, 0);
    asks(m, 0, 0);
    asks(m, 1, 1000);
    is_granted(m, 0, 1000, 2000);
    asks(m, 2, 2000);
    releases(m, 0, 10000, 11000);
    is_granted(m, 2, 12000, 13000);
    releases(m, 2, 20000, 21000);
    is_granted(m, 1, 21000, 22000);
    releases(m, 1, 30000, 31000);
    ends(m, 40000);
    return m;
}

static void waits_and_holds_of_three_clients(void **state)
{
    (void)state;
    measure *m = three_clients();
    assert_near(metric_of(m, METRIC_ACQUISITIONS), 3, 0);
    assert_near(metric_of(m, METRIC_THROUGHPUT), 75, NEAR);                    /* 3 in 0.04 s */
    assert_near(metric_of(m, METRIC_WAIT_MEAN), (2 + 11 + 21) / 3.0, NEAR);
    assert_near(metric_of(m, METRIC_WAIT_P50), 11, 11 * histogram_error(HISTOGRAM_FINE));
    assert_near(metric_of(m, METRIC_WAIT_P90), 21, 21 * histogram_error(HISTOGRAM_FINE));
    assert_near(metric_of(m, METRIC_WAIT_MAX), 21, NEAR);
    assert_near(metric_of(m, METRIC_WAIT_BEST_CLIENT), 2, NEAR);
    assert_near(metric_of(m, METRIC_WAIT_WORST_CLIENT), 21, NEAR);
    assert_near(metric_of(m, METRIC_HOLD_MEAN), (8 + 7 + 8) / 3.0, NEAR);      /* learned .. freed at the server */
    assert_near(metric_of(m, METRIC_BUSY), 100 * (9 + 8 + 9) / 40.0, NEAR);    /* granted .. freed at the server */
    assert_near(metric_of(m, METRIC_QUEUE_MEAN), (2 + 21 + 11) / 40.0, NEAR);
    assert_near(metric_of(m, METRIC_QUEUE_MAX), 2, 0);
    measure_free(m);
}

static void overtakes_and_shares_of_three_clients(void **state)
{
    (void)state;
    measure *m = three_clients();
    assert_near(metric_of(m, METRIC_OVERTAKEN_MEAN), 1 / 3.0, NEAR);
    assert_near(metric_of(m, METRIC_OVERTAKEN_MAX), 1, 0);
    assert_near(metric_of(m, METRIC_OVERTAKEN_LONGEST), 1, 0);
    assert_near(metric_of(m, METRIC_JAIN_GRANTS), 1, NEAR);
    assert_near(metric_of(m, METRIC_JAIN_WAITS), 34.0 * 34 / (3 * (4 + 121 + 441)), NEAR);
    assert_near(metric_of(m, METRIC_SHARE_LEAST), 1, NEAR);
    assert_false(is_known(m, METRIC_JAIN_SHORT));                              /* not one whole window of 30 */
    assert_int_equal(measure_client(m, 1)->overtaken, 1);
    assert_int_equal(measure_client(m, 2)->overtaken, 0);
    measure_free(m);
}

static void a_free_lock_is_handed_off_at_the_server(void **state)
{
    (void)state;
    measure *m = three_clients();
    assert_near(metric_of(m, METRIC_HANDOFF_MEAN), 1.5, NEAR);                 /* 10000 to 12000, 20000 to 21000 */
    assert_near(metric_of(m, METRIC_HANDOFF_MAX), 2, NEAR);
    assert_near(metric_of(m, METRIC_IDLE), 100 * 3 / 40.0, NEAR);
    measure_free(m);
}

/* A's answer to its release comes after B has learned of its grant: the lock was free from 10000 to 11000 all the
 * same. */
static void answers_may_come_in_another_order(void **state)
{
    (void)state;
    measure *m = measure_new(2, 1, false);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    asks(m, 1, 5000);
    is_granted(m, 1, 11000, 12000);
    releases(m, 0, 10000, 15000);
    releases(m, 1, 16000, 16000);
    ends(m, 20000);
    assert_near(metric_of(m, METRIC_HANDOFF_MEAN), 1, NEAR);
    assert_near(metric_of(m, METRIC_IDLE), 100 * 1 / 20.0, NEAR);
    assert_near(metric_of(m, METRIC_BUSY), 100 * (10 + 5) / 20.0, NEAR);
    measure_free(m);
}

/* B asks 3 ms after A has freed the lock: nothing is handed off, and the lock was idle with a waiter from B's asking on
 * alone. */
static void an_asker_that_finds_the_lock_free_is_no_hand_off(void **state)
{
    (void)state;
    measure *m = measure_new(2, 1, false);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    releases(m, 0, 1000, 1000);
    asks(m, 1, 4000);
    is_granted(m, 1, 5000, 6000);
    releases(m, 1, 7000, 8000);
    ends(m, 10000);
    assert_false(is_known(m, METRIC_HANDOFF_MEAN));
    assert_near(metric_of(m, METRIC_IDLE), 10, NEAR);
    measure_free(m);
}

/* R and S read together, from 0 to 10 and from 5 to 20 ms; W, asking at 6 ms, writes from 22 to 26: held for 24 of 30
 * ms, and handed off once, in 2 ms. */
static void holds_that_overlap_count_once(void **state)
{
    enum { R, S, W };
    (void)state;
    measure *m = measure_new(3, 1, false);
    begins(m, 0);
    asks(m, R, 0);
    is_granted(m, R, 0, 0);
    asks(m, S, 4000);
    is_granted(m, S, 5000, 5000);
    asks(m, W, 6000);
    releases(m, R, 10000, 10000);
    releases(m, S, 20000, 20000);
    is_granted(m, W, 22000, 22000);
    releases(m, W, 26000, 26000);
    ends(m, 30000);
    assert_near(metric_of(m, METRIC_BUSY), 80, NEAR);
    assert_near(metric_of(m, METRIC_HANDOFF_MEAN), 2, NEAR);
    assert_near(metric_of(m, METRIC_IDLE), 100 * 2 / 30.0, NEAR);
    measure_free(m);
}

/* A reads from 0 to 25 ms at the server, but learns of its grant at 20 only, after B, which reads from 10 to 15, has
 * learned of its own. */
static void grants_may_be_learned_in_another_order(void **state)
{
    (void)state;
    measure *m = measure_new(2, 1, false);
    begins(m, 0);
    asks(m, 0, 0);
    asks(m, 1, 9000);
    is_granted(m, 1, 10000, 12000);
    is_granted(m, 0, 0, 20000);
    releases(m, 1, 15000, 22000);
    releases(m, 0, 25000, 26000);
    ends(m, 50000);
    assert_near(metric_of(m, METRIC_BUSY), 50, NEAR);
    assert_false(is_known(m, METRIC_HANDOFF_MEAN));
    measure_free(m);
}

/* Told in another order than they asked: the later asker, granted first, has overtaken all the same. */
static void asking_counts_from_when_it_began(void **state)
{
    (void)state;
    measure *m = measure_new(2, 1, true);
    begins(m, 0);
    asks(m, 0, 2000);
    asks(m, 1, 1000);
    is_granted(m, 0, 3000, 3000);
    releases(m, 0, 4000, 4000);
    is_granted(m, 1, 5000, 5000);
    ends(m, 6000);
    assert_int_equal(measure_client(m, 1)->overtaken, 1);
    measure_free(m);
}

/* A and B ask in the same instant, L and M later. Granted: L, B, M, A. L and M overtake A, B does not, and ends the
 * run. */
static void who_asks_in_the_same_instant_overtakes_nobody(void **state)
{
    enum { A, B, L, M, CLIENTS };
    static const uint32_t granted[] = { L, B, M, A };
    (void)state;
    measure *m = measure_new(CLIENTS, 1, true);
    begins(m, 0);
    asks(m, A, 0);
    asks(m, B, 0);
    asks(m, L, 1000);
    asks(m, M, 1000);
    for (size_t i = 0; i < COUNT(granted); i++) {
        is_granted(m, granted[i], 2000 + (int64_t)i, 2000 + (int64_t)i);
        releases(m, granted[i], 2000 + (int64_t)i, 2000 + (int64_t)i);
    }
    ends(m, 3000);
    assert_int_equal(measure_client(m, A)->overtaken, 2);
    assert_int_equal(measure_client(m, A)->overtaken_longest, 1);
    assert_int_equal(measure_client(m, M)->overtaken, 0);
    measure_free(m);
}

/* D holds. E, then W ask; then L1, L2, L3, each later. Granted: L1, L2, E, L3, W. Three overtake W, at most two one
 * after the other; E was overtaken by L1 and L2; L3 by nobody. */
static void a_run_of_overtakes_ends_with_the_grant_of_an_earlier_asker(void **state)
{
    enum { E, W, L1, L2, L3, CLIENTS };
    static const uint32_t granted[] = { L1, L2, E, L3, W };
    (void)state;
    measure *m = measure_new(CLIENTS, 1, true);
    begins(m, 0);
    for (uint32_t c = E; c < CLIENTS; c++)
        asks(m, c, 100 * (int64_t)c);
    for (size_t i = 0; i < COUNT(granted); i++) {
        is_granted(m, granted[i], 1000 + 100 * (int64_t)i, 1000 + 100 * (int64_t)i);
        releases(m, granted[i], 1050 + 100 * (int64_t)i, 1050 + 100 * (int64_t)i);
    }
    ends(m, 2000);
    assert_int_equal(measure_client(m, W)->overtaken, 3);
    assert_int_equal(measure_client(m, W)->overtaken_longest, 2);
    assert_int_equal(measure_client(m, E)->overtaken, 2);
    assert_int_equal(measure_client(m, E)->overtaken_longest, 2);
    assert_int_equal(measure_client(m, L3)->overtaken, 0);
    assert_near(metric_of(m, METRIC_OVERTAKEN_MEAN), 1, NEAR);                 /* 0 0 2 0 3 */
    assert_near(metric_of(m, METRIC_OVERTAKEN_LONGEST), 2, 0);
    measure_free(m);
}

/* Property: overtakes counted as grants pass by are the pairs (earlier asker, later asker granted first), counted one
 * by one. In every other round three ask in the same instant: among them there is none. */
static void overtakes_are_all_pairs_granted_in_the_other_order(void **state)
{
    enum { CLIENTS = 40, ROUNDS = 50 };
    (void)state;
    rng r = rng_new(7, 1);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t order[CLIENTS];
        uint64_t pairs = 0;
        uint32_t together = round % 2 ? 3 : 1;
        measure *m = measure_new(CLIENTS, 1, false);
        begins(m, 0);
        for (uint32_t c = 0; c < CLIENTS; c++) {
            asks(m, c, c / together);
            order[c] = c;
        }
        for (size_t i = CLIENTS; i > 1; i--) {
            size_t k = rng_below(&r, i);
            uint32_t kept = order[i - 1];
            order[i - 1] = order[k];
            order[k] = kept;
        }
        for (uint32_t i = 0; i < CLIENTS; i++) {
            for (uint32_t k = 0; k < i; k++)
                pairs += order[k] / together > order[i] / together;
            is_granted(m, order[i], 100 + i, 100 + i);
            releases(m, order[i], 100 + i, 100 + i);
        }
        ends(m, 1000);
        assert_near(metric_of(m, METRIC_OVERTAKEN_MEAN) * CLIENTS, (double)pairs, 1e-6);
        measure_free(m);
    }
}

/* Round i of 1000: B asks when A has the lock; A frees it i ms after it learned, B has it i ms after that and frees it
 * at once. Of the numbers 1 .. 1000, 990 are not above 990, 999 not above 999. Waits are B's i + i, and A's 0. */
static void tails_by_hand(void **state)
{
    enum { ROUNDS = 1000 };
    const double error = histogram_error(HISTOGRAM_FINE);
    (void)state;
    measure *m = measure_new(2, 1, false);
    int64_t now = 0;
    begins(m, 0);
    for (int64_t i = 1; i <= ROUNDS; i++) {
        asks(m, 0, now);
        is_granted(m, 0, now, now);
        asks(m, 1, now);
        releases(m, 0, now + 1000 * i, now + 1000 * i);
        is_granted(m, 1, now + 2000 * i, now + 2000 * i);
        now += 2000 * i + 1;
        releases(m, 1, now, now);
        now++;
    }
    ends(m, now);
    assert_near(metric_of(m, METRIC_HANDOFF_P50), 500, 500 * error);
    assert_near(metric_of(m, METRIC_HANDOFF_P99), 990, 990 * error);
    /* of 2000 holds, half of them next to nothing: rank 1980 */
    assert_near(metric_of(m, METRIC_HOLD_P99), 980, 980 * error);
    assert_near(metric_of(m, METRIC_WAIT_P99), 2 * 980, 2 * 980 * error);
    assert_near(metric_of(m, METRIC_WAIT_P999), 2 * 998, 2 * 998 * error);
    measure_free(m);
}

/* A hundred ask one after the other and are granted in the other order: they were overtaken 0 .. 99 times, 99 of them
 * at most 98 times. */
static void the_tail_of_overtakes_by_hand(void **state)
{
    enum { CLIENTS = 100 };
    (void)state;
    measure *m = measure_new(CLIENTS, 1, false);
    begins(m, 0);
    for (uint32_t c = 0; c < CLIENTS; c++)
        asks(m, c, c);
    for (uint32_t c = CLIENTS; c > 0; c--) {
        is_granted(m, c - 1, 1000 - c, 1000 - c);
        releases(m, c - 1, 1000 - c, 1000 - c);
    }
    ends(m, 2000);
    assert_near(metric_of(m, METRIC_OVERTAKEN_P99), 98, 0);
    assert_near(metric_of(m, METRIC_OVERTAKEN_MAX), 99, 0);
    assert_near(metric_of(m, METRIC_OVERTAKEN_LONGEST), 99, 0);
    assert_near(metric_of(m, METRIC_OVERTAKEN_MEAN), 49.5, NEAR);
    measure_free(m);
}

/* A learns at 7 ms that it has lost the lock: its hold was 7 ms, and what B gets at 9 ms was not handed off. Besides, a
 * pause and three losses on the way. */
static void a_lost_lock_is_no_hand_off(void **state)
{
    static const occurrence_kind losses[] = { OCCURS_LOST_REQUEST, OCCURS_LOST_REPLY, OCCURS_LOST_MESSAGE };
    (void)state;
    measure *m = measure_new(2, 1, true);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    asks(m, 1, 1000);
    tell(m, OCCURS_PAUSED, 2000, 2000, 0);
    tell(m, OCCURS_RESUMED, 6000, 6000, 0);
    tell(m, OCCURS_LOST, 7000, 7000, 0);
    for (size_t i = 0; i < COUNT(losses); i++)
        tell(m, losses[i], 8000, 8000, 1);
    is_granted(m, 1, 9000, 9000);
    releases(m, 1, 10000, 10000);
    tell(m, OCCURS_LOST, 11000, 11000, 1);    /* holds nothing: it is told all the same */
    ends(m, 12000);
    assert_near(metric_of(m, METRIC_LOST), 2, 0);
    assert_near(metric_of(m, METRIC_PAUSES), 1, 0);
    assert_near(metric_of(m, METRIC_LOST_ON_THE_WAY), 3, 0);
    assert_near(metric_of(m, METRIC_HOLD_MEAN), (7 + 1) / 2.0, NEAR);
    assert_false(is_known(m, METRIC_HANDOFF_MEAN));
    const excerpt *x = measure_excerpt(m);
    assert_true(excerpt_faults(x) == 1 && !x->faults[0].crash && x->faults[0].from_us == 2000 &&
                x->faults[0].to_us == 6000);
    measure_free(m);
}

/* Not one number may be "not a number": what is not defined says so, and counts are 0. */
static void nobody_acquires(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        measure *m = measure_new(2, 1, true);
        begins(m, 1000);
        if (asked)
            asks(m, 1, 4000);
        measure_occurrence(m, &(occurrence){ .kind = OCCURS_ENDS, .at_us = 10000, .client = OCCURS_NOBODY,
                                             .count = 7 });
        assert_near(metric_of(m, METRIC_UNSERVED), 7, 0);
        for (int k = 0; k < METRIC_COUNT; k++) {
            double value = 0;
            if (measure_metric(m, (metric)k, &value))
                assert_true(isfinite(value));
        }
        assert_false(is_known(m, METRIC_WAIT_MEAN));
        assert_false(is_known(m, METRIC_JAIN_GRANTS));
        assert_false(is_known(m, METRIC_REQUESTS));
        assert_false(is_known(m, METRIC_SHARE_LEAST));
        assert_near(metric_of(m, METRIC_ACQUISITIONS), 0, 0);
        assert_near(metric_of(m, METRIC_UNFINISHED), asked, 0);
        assert_int_equal(is_known(m, METRIC_UNFINISHED_LONGEST), asked);
        if (asked)
            assert_near(metric_of(m, METRIC_UNFINISHED_LONGEST), 6, NEAR);
        measure_free(m);
    }
}

/* A run that ends before its warm-up has measured nothing, and does not divide by its length. */
static void a_run_within_its_warm_up_measures_nothing(void **state)
{
    (void)state;
    measure *m = measure_new(1, 1, true);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 10);
    measure_end(m, 500);
    assert_near(metric_of(m, METRIC_ACQUISITIONS), 0, 0);
    for (int k = 0; k < METRIC_COUNT; k++) {
        double value = 0;
        assert_true(!measure_metric(m, (metric)k, &value) || isfinite(value));
    }
    measure_free(m);
}

/* A holds when it crashes at 5000; B waits and crashes at 6000; C is granted at 9000 when A's lease has ended: no
 * hand-off. */
static void crashes_end_holds_and_waits_without_counting_them_as_such(void **state)
{
    (void)state;
    measure *m = measure_new(3, 1, true);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    asks(m, 1, 1000);
    asks(m, 2, 2000);
    tell(m, OCCURS_CRASHED, 5000, 5000, 0);
    tell(m, OCCURS_CRASHED, 6000, 6000, 1);
    tell(m, OCCURS_RESTARTED, 7000, 7000, 1);
    is_granted(m, 2, 9000, 9000);
    releases(m, 2, 10000, 10000);
    ends(m, 10000);
    assert_near(metric_of(m, METRIC_CRASHES), 2, 0);
    assert_near(metric_of(m, METRIC_CRASHED_HOLDING), 1, 0);
    assert_near(metric_of(m, METRIC_CRASHED_WAITING), 1, 0);
    assert_near(metric_of(m, METRIC_ACQUISITIONS), 2, 0);
    assert_near(metric_of(m, METRIC_HOLD_MEAN), 1, NEAR);                      /* C's; A's was cut */
    assert_near(metric_of(m, METRIC_WAIT_MEAN), (0 + 7) / 2.0, NEAR);
    assert_false(is_known(m, METRIC_HANDOFF_MEAN));
    assert_near(metric_of(m, METRIC_OVERTAKEN_MEAN), 0, 0);
    assert_near(metric_of(m, METRIC_UNFINISHED), 0, 0);
    const excerpt *x = measure_excerpt(m);
    assert_int_equal(excerpt_faults(x), 2);
    assert_true(x->faults[0].to_us == INT64_MAX);                              /* A never came back */
    assert_int_equal(x->faults[1].to_us, 7000);
    measure_free(m);
}

/* B waits from 1 to 4 ms and gives up: no wait, no acquisition, and the queue is empty afterwards. */
static void who_gives_up_has_no_wait_but_a_time_out(void **state)
{
    (void)state;
    measure *m = measure_new(2, 1, true);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    asks(m, 1, 1000);
    asks(m, 1, 2000);                                                          /* tries again: the same wait */
    tell(m, OCCURS_GAVE_UP, 4000, 4000, 1);
    releases(m, 0, 8000, 8000);
    ends(m, 10000);
    assert_near(metric_of(m, METRIC_TIMEOUTS), 1, 0);
    assert_near(metric_of(m, METRIC_TIMEOUT_WAIT), 3, NEAR);
    assert_near(metric_of(m, METRIC_ACQUISITIONS), 1, 0);
    assert_near(metric_of(m, METRIC_QUEUE_MEAN), 0.3, NEAR);
    assert_near(metric_of(m, METRIC_UNFINISHED), 0, 0);
    assert_int_equal(measure_client(m, 1)->timeouts, 1);
    measure_free(m);
}

/* A enters twice and leaves twice: one acquisition, one hold of 9 ms. */
static void a_reentry_is_no_acquisition(void **state)
{
    (void)state;
    measure *m = measure_new(1, 1, false);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 1000, 1000);
    asks(m, 0, 2000);
    measure_occurrence(m, &(occurrence){ .kind = OCCURS_GRANTED, .at_us = 3000, .executed_us = 3000, .count = 2 });
    measure_occurrence(m, &(occurrence){ .kind = OCCURS_RELEASED, .at_us = 5000, .executed_us = 5000, .count = 1 });
    releases(m, 0, 10000, 10000);
    ends(m, 10000);
    assert_near(metric_of(m, METRIC_ACQUISITIONS), 1, 0);
    assert_near(metric_of(m, METRIC_WAIT_MEAN), 1, NEAR);
    assert_near(metric_of(m, METRIC_HOLD_MEAN), 9, NEAR);
    measure_free(m);
}

/* A never learns of its release (the reply is lost), and in its next round it gets the lock anew: two acquisitions, one
 * hold of a known length, no hand-off. */
static void a_hold_without_a_release_ends_with_the_next_round(void **state)
{
    (void)state;
    measure *m = measure_new(1, 1, true);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 1000, 1000);
    asks(m, 0, 20000);
    is_granted(m, 0, 21000, 21000);
    releases(m, 0, 25000, 25000);
    ends(m, 30000);
    assert_near(metric_of(m, METRIC_ACQUISITIONS), 2, 0);
    assert_near(metric_of(m, METRIC_UNRELEASED), 1, 0);
    assert_near(metric_of(m, METRIC_HOLD_MEAN), 4, NEAR);
    assert_false(is_known(m, METRIC_HANDOFF_MEAN));
    assert_near(metric_of(m, METRIC_WAIT_MEAN), 1, NEAR);
    measure_free(m);
}

/* What is granted in the warm-up counts for nothing. B asked in it, at 2 ms, and is granted after it, at 12 ms: its
 * wait is 10 ms, the queue's time begins at 10 ms, C's giving up lies before it, and the lock was held from 10 to 11
 * ms, and from 12 to 16 ms of the 10 that are measured. */
static void the_warm_up_is_cut(void **state)
{
    (void)state;
    measure *m = measure_new(3, 1, true);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 1000);
    asks(m, 1, 2000);
    asks(m, 2, 3000);
    tell(m, OCCURS_GAVE_UP, 5000, 5000, 2);
    measure_occurrence(m, &(occurrence){ .kind = OCCURS_REQUEST, .at_us = 3000, .client = 1, .commands = 5,
                                         .script = true });
    begins(m, 10000);
    releases(m, 0, 11000, 11000);
    is_granted(m, 1, 12000, 12000);
    releases(m, 1, 16000, 16000);
    ends(m, 20000);
    assert_near(metric_of(m, METRIC_ACQUISITIONS), 1, 0);
    assert_near(metric_of(m, METRIC_WAIT_MEAN), 10, NEAR);
    assert_near(metric_of(m, METRIC_QUEUE_MEAN), 0.2, NEAR);
    assert_near(metric_of(m, METRIC_BUSY), 50, NEAR);
    assert_near(metric_of(m, METRIC_HANDOFF_MEAN), 1, NEAR);
    assert_near(metric_of(m, METRIC_REQUESTS), 0, 0);
    assert_near(metric_of(m, METRIC_TIMEOUTS), 0, 0);
    assert_near(metric_of(m, METRIC_QUEUE_MAX), 1, 0);
    assert_near(metric_of(m, METRIC_THROUGHPUT), 100, NEAR);
    const excerpt *x = measure_excerpt(m);
    assert_int_equal(x->interval_count, 3);                                    /* B waits, A holds, B holds */
    assert_int_equal(x->intervals[0].from_us, 10000);
    assert_int_equal(x->intervals[0].to_us, 12000);
    assert_true(x->intervals[1].holds && x->intervals[1].to_us == 11000);
    measure_free(m);
}

/* A demand of 0 ms whose client was busy until 7 ms, and then asked: the wait counts from the demand, the queue from
 * the asking. */
static void a_wait_begins_with_the_demand(void **state)
{
    (void)state;
    measure *m = measure_new(1, 1, false);
    begins(m, 0);
    tell(m, OCCURS_ASKED, 0, 7000, 0);
    is_granted(m, 0, 8000, 9000);
    ends(m, 10000);
    assert_near(metric_of(m, METRIC_WAIT_MEAN), 9, NEAR);
    assert_near(metric_of(m, METRIC_QUEUE_MEAN), 0.2, NEAR);
    assert_near(metric_of(m, METRIC_IDLE), 0, NEAR);                           /* it had not been released by anybody */
    measure_free(m);
}

/* Two acquisitions and: the acquiring script twice (3 commands, writes), a poll by a waiter that changed nothing (2
 * commands), one that did, a plain command by the holder that changed nothing, a waiter's subscribing, a command of its
 * client by another task; three messages. */
static void costs_are_for_each_acquisition(void **state)
{
    static const struct { uint32_t client, task, commands; bool script, wrote, listens; } requests[] = {
        { 0, 0, 3, true, true, false }, { 1, 0, 3, true, true, false }, { 1, 0, 2, true, false, false },
        { 1, 0, 2, true, true, false },
        { 0, 0, 1, false, false, false }, { 1, 0, 1, false, false, true }, { 1, OCCURS_NOBODY, 1, false, false, false },
    };
    (void)state;
    measure *m = measure_new(2, 1, false);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    asks(m, 1, 0);
    for (size_t i = 0; i < COUNT(requests); i++)
        measure_occurrence(m, &(occurrence){ .kind = OCCURS_REQUEST, .at_us = 1000, .client = requests[i].client,
                                             .task = requests[i].task, .listens = requests[i].listens,
                                             .commands = requests[i].commands, .script = requests[i].script,
                                             .wrote = requests[i].wrote });
    for (int i = 0; i < 3; i++)
        tell(m, OCCURS_MESSAGE, 1500, 1500, 1);
    releases(m, 0, 2000, 2000);
    is_granted(m, 1, 2000, 2000);
    ends(m, 3000);
    assert_near(metric_of(m, METRIC_REQUESTS), 7 / 2.0, NEAR);
    assert_near(metric_of(m, METRIC_COMMANDS), 13 / 2.0, NEAR);
    assert_near(metric_of(m, METRIC_SCRIPTS), 4 / 2.0, NEAR);
    assert_near(metric_of(m, METRIC_MESSAGES), 3 / 2.0, NEAR);
    assert_near(metric_of(m, METRIC_IDLE_POLLS), 1 / 2.0, NEAR);
    measure_free(m);
}

/* Of 30 acquisitions A has 20, B 10, C, who asks, none: (30)^2 / (3 * 500) = 0.6; D never asks and does not count. A
 * window of the short-term index is 30 acquisitions: the first 10 A, 10 B, 10 C is wholly fair, the next 30 of A alone
 * gives 1/3: the mean of both is 2/3. */
static void jains_index_by_hand(void **state)
{
    (void)state;
    measure *m = measure_new(4, 1, true);
    begins(m, 0);
    asks(m, 2, 0);
    asks(m, 1, 0);
    is_granted(m, 1, 0, 0);
    releases(m, 1, 0, 0);
    for (int i = 0; i < 29; i++) {
        asks(m, i < 20 ? 0 : 1, i);
        is_granted(m, i < 20 ? 0 : 1, i, i);
        releases(m, i < 20 ? 0 : 1, i, i);
    }
    ends(m, 3000);
    assert_near(metric_of(m, METRIC_JAIN_GRANTS), 0.6, NEAR);
    assert_near(metric_of(m, METRIC_JAIN_SHORT), 0.6, NEAR);
    assert_near(metric_of(m, METRIC_SHARE_MOST), 2, NEAR);
    assert_near(metric_of(m, METRIC_SHARE_LEAST), 0, NEAR);
    assert_false(measure_client(m, 3)->asked);
    double index;
    size_t served;
    assert_true(windows_jain(measure_windows(m), 0, 1, &index, &served));
    assert_near(index, 0.6, NEAR);
    assert_int_equal(served, 2);
    measure_free(m);
    m = measure_new(4, 1, false);
    begins(m, 0);
    for (int i = 0; i < 60; i++) {
        uint32_t c = i < 30 ? (uint32_t)i % 3 : 0;
        asks(m, c, i);
        is_granted(m, c, i, i);
        releases(m, c, i, i);
    }
    ends(m, 3000);
    assert_near(metric_of(m, METRIC_SHARE_LEAST), 0.5, NEAR);    /* 10 of 60, where 20 are equal; D never asked */
    measure_free(m);
}

/* One length of an exponential draw, in microseconds, from whole numbers alone but for the logarithm. */
static double exponential(rng *r, double mean_us)
{
    return -mean_us * log((double)(rng_next(r) >> 11) / 9007199254740992.0 + 1e-17);
}

/* A queue with one server, clients without number: each demand is a client's, the lock goes to who asked first. */
static measure *queue_of(uint64_t seed, size_t count, double apart_us, double held_us, bool constant)
{
    enum { CLIENTS = 4000 };
    rng arrivals = rng_new(seed, 1), holds = rng_new(seed, 2);
    measure *m = measure_new(CLIENTS, seed, false);
    double now = 0;
    int64_t free_us = 0, *granted = mem_alloc(count * sizeof *granted), *asked = mem_alloc(count * sizeof *asked),
                      *freed = mem_alloc(count * sizeof *freed);
    for (size_t i = 0; i < count; i++) {
        now += exponential(&arrivals, apart_us);
        asked[i] = (int64_t)now;
        granted[i] = asked[i] > free_us ? asked[i] : free_us;
        free_us = freed[i] = granted[i] + (int64_t)(constant ? held_us : exponential(&holds, held_us));
    }
    begins(m, 0);
    size_t a = 0, g = 0, f = 0;
    while (f < count) {    /* in the order of time; freeing before granting */
        if (f < g && freed[f] <= (a < count ? asked[a] : INT64_MAX) && (g == count || freed[f] <= granted[g])) {
            releases(m, f % CLIENTS, freed[f], freed[f]);
            f++;
        } else if (g < a && granted[g] <= (a < count ? asked[a] : INT64_MAX)) {
            is_granted(m, g % CLIENTS, granted[g], granted[g]);
            g++;
        } else {
            asks(m, a % CLIENTS, asked[a]);
            a++;
        }
    }
    ends(m, freed[count - 1]);
    mem_free(granted);
    mem_free(asked);
    mem_free(freed);
    return m;
}

/* M/M/1 and M/D/1 at 80 % load, 100 ms held: the mean time in the queue is rho / (1 - rho) times 100 ms, half of it
 * where all hold equally long (Pollaczek, Khinchine); as many wait on average as arrive in that time (Little); a share
 * rho of the time the lock is held. */
static void waits_in_a_queue_are_as_theory_has_them(void **state)
{
    enum { COUNT_EACH = 60000, SEEDS = 8 };
    (void)state;
    for (int constant = 0; constant < 2; constant++) {
        double waits[SEEDS];
        for (uint64_t s = 0; s < SEEDS; s++) {
            measure *m = queue_of(s + 1, COUNT_EACH, 125000, 100000, constant);
            waits[s] = metric_of(m, METRIC_WAIT_MEAN);
            assert_near(metric_of(m, METRIC_QUEUE_MEAN), waits[s] * metric_of(m, METRIC_THROUGHPUT) / 1000, 1e-3);
            assert_near(metric_of(m, METRIC_BUSY), 80, 2);
            assert_near(metric_of(m, METRIC_OVERTAKEN_MEAN), 0, 0);
            assert_near(metric_of(m, METRIC_IDLE), 0, 0);
            measure_free(m);
        }
        double mean = 0;
        for (size_t s = 0; s < SEEDS; s++)
            mean += waits[s] / SEEDS;
        assert_near(mean, constant ? 200 : 400, constant ? 8 : 20);
    }
}

/* Memory after a tenth of a long run and at its end. */
static void memory_does_not_grow_with_the_run(void **state)
{
    enum { CLIENTS = 20, GRANTS = 200000 };
    (void)state;
    size_t before = 0;
    rng r = rng_new(1, 1);
    measure *m = measure_new(CLIENTS, 1, true);
    begins(m, 0);
    for (int64_t i = 0; i < GRANTS; i++) {
        uint32_t c = (uint32_t)rng_below(&r, CLIENTS);
        asks(m, c, 1000 * i);
        is_granted(m, c, 1000 * i + 100, 1000 * i + 100 + (int64_t)rng_below(&r, 500));
        releases(m, c, 1000 * i + 800, 1000 * i + 900);
        if (i == GRANTS / 10)
            before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= before + 64 * 1024);
    ends(m, 1000 * (int64_t)GRANTS);
    assert_true(measure_windows(m)->used <= WINDOWS_MAX && measure_windows(m)->used > WINDOWS_MAX / 2 - 1);
    assert_int_equal(excerpt_waits(measure_excerpt(m)), EXCERPT_WAITS_MAX);
    measure_free(m);
}

/* A's hold never ends; B takes the lock ten thousand times meanwhile, as when A's lease is over and A sleeps. Memory
 * stays bounded, and so does what is known of the server: hand-offs are told again once A is taken for one that never
 * ends. */
static void a_hold_that_never_ends_does_not_stop_the_rest(void **state)
{
    enum { GRANTS = 10000 };
    (void)state;
    measure *m = measure_new(3, 1, false);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    size_t before = 0;
    for (int64_t i = 0; i < GRANTS; i++) {
        uint32_t c = 1 + (uint32_t)(i % 2);
        asks(m, c, 1000 * i + 100);
        is_granted(m, c, 1000 * i + 1000, 1000 * i + 1000);
        releases(m, c, 1000 * i + 1500, 1000 * i + 1500);
        if (i == GRANTS / 2)
            before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= before + 64 * 1024);
    ends(m, 1000 * (int64_t)GRANTS + 1000);
    assert_near(metric_of(m, METRIC_ACQUISITIONS), GRANTS + 1, 0);
    assert_true(metric_of(m, METRIC_BUSY) <= 100);
    assert_near(metric_of(m, METRIC_IDLE), 50, 0.1);    /* free for half of each ms, the next one waits already */
    measure_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_and_holds_of_three_clients),
        cmocka_unit_test(overtakes_and_shares_of_three_clients),
        cmocka_unit_test(a_free_lock_is_handed_off_at_the_server),
        cmocka_unit_test(answers_may_come_in_another_order),
        cmocka_unit_test(an_asker_that_finds_the_lock_free_is_no_hand_off),
        cmocka_unit_test(holds_that_overlap_count_once),
        cmocka_unit_test(grants_may_be_learned_in_another_order),
        cmocka_unit_test(asking_counts_from_when_it_began),
        cmocka_unit_test(who_asks_in_the_same_instant_overtakes_nobody),
        cmocka_unit_test(a_run_of_overtakes_ends_with_the_grant_of_an_earlier_asker),
        cmocka_unit_test(overtakes_are_all_pairs_granted_in_the_other_order),
        cmocka_unit_test(tails_by_hand),
        cmocka_unit_test(the_tail_of_overtakes_by_hand),
        cmocka_unit_test(a_lost_lock_is_no_hand_off),
        cmocka_unit_test(nobody_acquires),
        cmocka_unit_test(a_run_within_its_warm_up_measures_nothing),
        cmocka_unit_test(crashes_end_holds_and_waits_without_counting_them_as_such),
        cmocka_unit_test(who_gives_up_has_no_wait_but_a_time_out),
        cmocka_unit_test(a_reentry_is_no_acquisition),
        cmocka_unit_test(a_hold_without_a_release_ends_with_the_next_round),
        cmocka_unit_test(the_warm_up_is_cut),
        cmocka_unit_test(a_wait_begins_with_the_demand),
        cmocka_unit_test(costs_are_for_each_acquisition),
        cmocka_unit_test(jains_index_by_hand),
        cmocka_unit_test(waits_in_a_queue_are_as_theory_has_them),
        cmocka_unit_test(memory_does_not_grow_with_the_run),
        cmocka_unit_test(a_hold_that_never_ends_does_not_stop_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
