/* test_model_permits.c - semaphores and latches: never more permits out than there are, who could be let in, and what
 * each is told. Every history is told twice: to one model, and to one that is frozen and thawed after each step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"

typedef struct {
    history *h;
    bool thaws;
    model_config config;
} pool;

static pool pool_new(spec_kind spec, int64_t capacity, bool thaws)
{
    pool p = { .thaws = thaws, .config = model_config_default() };
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        p.config.judged[i] = i != PROPERTY_FIFO;
    p.config.parameter[PROPERTY_PROMPT] = 10;
    p.h = history_with(&p.config, spec);
    if (capacity)
        put_permits(p.h, capacity, capacity);
    view_by(p.h, "set_permits");
    step(p.h);
    return p;
}

static void ends(pool *p)
{
    static const str names[] = { { .p = "A", .n = 1 }, { .p = "B", .n = 1 }, { .p = "C", .n = 1 },
                                 { .p = "D", .n = 1 } };
    step(p->h);
    if (!p->thaws || model_broken(p->h->m))
        return;
    buf bytes = { 0 };
    model_freeze(p->h->m, T0 + p->h->at_ms, NULL, &bytes);
    model *thawed = model_thaw(&p->config, names, COUNT(names), buf_str(&bytes), T0 + p->h->at_ms);
    buf_free(&bytes);
    model_free(p->h->m);
    p->h->m = thawed;
}

static int64_t *free_permits(pool *p)
{
    return &p->h->store[0].permits;
}

static void wants_some(pool *p, const char *who, int64_t permits)
{
    emit(p->h, (event){ .kind = EVENT_WANTS, .who = str_from(who), .count = permits, .lease_ms = LEASE_NONE });
}

/* Executed only; the answer is the caller's. */
static uint32_t executes(pool *p, const char *who, const char *op, int64_t taken)
{
    uint32_t n = sends(p->h, who, op, LEASE_NONE);
    ends(p);
    runs(p->h, n);
    *free_permits(p) -= taken;
    if (taken)
        view(p->h, n);
    ends(p);
    return n;
}

static void told(pool *p, const char *who, uint32_t n, int64_t permits)
{
    answers(p->h, n);
    if (permits)
        granted_count(p->h, who, n, LEASE_NONE, permits);
    else
        refused(p->h, who, n);
    ends(p);
}

static void gets(pool *p, const char *who, int64_t permits, int64_t taken)
{
    wants_some(p, who, permits);
    told(p, who, executes(p, who, "acquire", taken), permits);
}

static void gives(pool *p, const char *who, int64_t permits)
{
    uint32_t n = executes(p, who, "release", -permits);
    answers(p->h, n);
    released(p->h, who, n, 0);
    ends(p);
}

/* Says that it gives back so many, of which so many come. */
static void gives_some(pool *p, const char *who, int64_t said, int64_t came)
{
    uint32_t n = sends_back(p->h, who, said);
    ends(p);
    runs(p->h, n);
    *free_permits(p) += came;
    if (came)
        view(p->h, n);
    ends(p);
    answers(p->h, n);
    released(p->h, who, n, 0);
    ends(p);
}

/* Property: the permits that are out never exceed the capacity, whatever their holders and however many at once.
 * How: two grants of every size within every capacity, the server giving whatever it is asked for. */
static void permits_out_never_exceed_the_capacity(void **state)
{
    (void)state;
    for (int bits = 0; bits < 4; bits++)
        for (int64_t capacity = 1; capacity <= 4; capacity++)
            for (int64_t first = 1; first <= 2; first++)
                for (int64_t second = 1; second <= 2; second++) {
                    pool p = pool_new(SPEC_SEMAPHORE, capacity, bits & 1);
                    gets(&p, "A:1", first, first);
                    gets(&p, bits & 2 ? "A:1" : "B:1", second, second);            /* its own count as well */
                    bool over = first + second > capacity;
                    (over ? breaks : holds)(p.h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
                    if (!over || first > capacity)
                        p.thaws = false;
                    else
                        breaks(p.h, PROPERTY_MUTUAL_EXCLUSION);
                    history_free(p.h);
                }
}

/* What was given back is free again, by promise from the release being sent. */
static void released_permits_are_free_again(void **state)
{
    (void)state;
    for (int thaws = 0; thaws < 2; thaws++) {
        pool p = pool_new(SPEC_SEMAPHORE, 2, thaws);
        gets(&p, "A:1", 1, 1);
        gets(&p, "B:1", 1, 1);
        gives(&p, "A:1", 1);
        gets(&p, "C:1", 1, 1);
        gives(&p, "B:1", 1);
        gets(&p, "B:1", 1, 1);
        holds(p.h, PROPERTY_MUTUAL_EXCLUSION);
        holds(p.h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        holds(p.h, PROPERTY_MATCHES_SPEC);
        gets(&p, "D:1", 1, 1);
        breaks(p.h, PROPERTY_MUTUAL_EXCLUSION);
        breaks(p.h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        history_free(p.h);
    }
}

/* Property: a release gives back as many permits as it says, of the newest grants, be that some of one or all of
 * several; the rest stays out.
 * How: A has three of three, by one grant, two or three of them; it gives back some, and B gets some. */
static void partial_release_leaves_the_rest_out(void **state)
{
    (void)state;
    static const int64_t grants[][3] = { { 3, 0, 0 }, { 1, 2, 0 }, { 2, 1, 0 }, { 1, 1, 1 } };
    for (size_t g = 0; g < COUNT(grants); g++)
        for (int thaws = 0; thaws < 2; thaws++)
            for (int64_t back = 1; back <= 4; back++)
                for (int64_t wanted = 1; wanted <= 3; wanted++) {
                    pool p = pool_new(SPEC_SEMAPHORE, 3, thaws);
                    for (size_t i = 0; i < COUNT(grants[g]); i++)
                        if (grants[g][i])
                            gets(&p, "A:1", grants[g][i], grants[g][i]);
                    gives_some(&p, "A:1", back, back);
                    holds(p.h, PROPERTY_MATCHES_SPEC);
                    gets(&p, "B:1", wanted, wanted);
                    bool over = wanted > back;
                    (over ? breaks : holds)(p.h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
                    if (!over || !p.thaws)
                        (over ? breaks : holds)(p.h, PROPERTY_MUTUAL_EXCLUSION);
                    history_free(p.h);
                }
}

/* Given back twice, in two parts: then all of it is free. */
static void the_rest_may_follow_later(void **state)
{
    (void)state;
    for (int thaws = 0; thaws < 2; thaws++)
        for (int64_t first = 1; first <= 2; first++) {
            pool p = pool_new(SPEC_SEMAPHORE, 3, thaws);
            gets(&p, "A:1", 3, 3);
            gives_some(&p, "A:1", first, first);
            gives_some(&p, "A:1", 3 - first, 3 - first);
            gets(&p, "B:1", 3, 3);
            holds(p.h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
            holds(p.h, PROPERTY_MUTUAL_EXCLUSION);
            history_free(p.h);
        }
}

/* How: two are said to come back, and none to three do. */
static void release_gives_back_what_it_says(void **state)
{
    (void)state;
    for (int thaws = 0; thaws < 2; thaws++)
        for (int64_t came = 0; came <= 3; came++) {
            pool p = pool_new(SPEC_SEMAPHORE, 3, thaws);
            gets(&p, "A:1", 3, 3);
            gives_some(&p, "A:1", 2, came);
            (came == 2 ? holds : breaks)(p.h, PROPERTY_MATCHES_SPEC);
            history_free(p.h);
        }
}

/* A grant counts from its execution: B's answer is late, and A had released by the time it came. */
static void promise_counts_from_the_execution(void **state)
{
    (void)state;
    for (int thaws = 0; thaws < 2; thaws++)
        for (int early = 0; early < 2; early++) {
            pool p = pool_new(SPEC_SEMAPHORE, 1, thaws);
            gets(&p, "A:1", 1, 1);
            wants_some(&p, "B:1", 1);
            uint32_t n = early ? executes(&p, "B:1", "acquire", 1) : 0;
            gives(&p, "A:1", 1);
            if (!early)
                n = executes(&p, "B:1", "acquire", 1);
            told(&p, "B:1", n, 1);
            (early ? breaks : holds)(p.h, PROPERTY_MUTUAL_EXCLUSION);
            holds(p.h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
            history_free(p.h);
        }
}

/* Property: a waiter that could have what it wants is not left parked; any other may be.
 * How: so many permits are free, A wants two of them and is parked, or has a message coming. */
static void parked_waiter_of_enough_permits_was_not_woken(void **state)
{
    (void)state;
    for (int bits = 0; bits < 4; bits++)
        for (int64_t free = 0; free <= 3; free++) {
            pool p = pool_new(SPEC_SEMAPHORE, 3, bits & 1);
            gets(&p, "B:1", 3, 3);
            wants_some(&p, "A:1", 2);
            told(&p, "A:1", executes(&p, "A:1", "acquire", 0), 0);
            wake_of(p.h, "A:1", bits & 2 ? WAKE_NEVER : WAKE_COMING);
            if (free)
                gives(&p, "B:1", free);
            ends(&p);
            (free >= 2 && (bits & 2) ? breaks : holds)(p.h, PROPERTY_NO_LOST_WAKEUP);
            history_free(p.h);
        }
}

/* Property: permits no client believes to hold are in a waiter's hands within idle_ms (10 here), if they would do for
 * it. */
static void permits_nobody_has_are_taken_within_idle_ms(void **state)
{
    (void)state;
    for (int thaws = 0; thaws < 2; thaws++)
        for (int64_t wanted = 1; wanted <= 2; wanted++)
            for (int won = 0; won < 2; won++) {
                pool p = pool_new(SPEC_SEMAPHORE, 2, thaws);
                gets(&p, "B:1", 1, 1);
                *free_permits(&p) = won;           /* the other permit is gone, or has just been granted */
                view_by(p.h, "evict");
                wants_some(&p, "A:1", wanted);
                uint32_t n = executes(&p, "A:1", "acquire", won);
                if (!won)
                    told(&p, "A:1", n, 0);
                at(p.h, 10);
                ends(&p);
                holds(p.h, PROPERTY_PROMPT);
                at(p.h, 11);
                ends(&p);
                (wanted == 1 && !won ? breaks : holds)(p.h, PROPERTY_PROMPT);
                history_free(p.h);
            }
}

/* Property: a semaphore tells the truth, and gives all that was asked for or nothing.
 * How: so many are free, two are wanted, and the server takes and the caller is told whatever it may be. */
static void semaphore_has_one_true_answer(void **state)
{
    (void)state;
    for (int thaws = 0; thaws < 2; thaws++)
        for (int64_t free = 0; free <= 3; free++)
            for (int64_t taken = 0; taken <= free; taken++)
                for (int64_t said = 0; said <= 2; said++) {
                    pool p = pool_new(SPEC_SEMAPHORE, free ? free : 1, thaws);
                    *free_permits(&p) = free;
                    view_by(p.h, "evict");
                    ends(&p);
                    wants_some(&p, "A:1", 2);
                    told(&p, "A:1", executes(&p, "A:1", "acquire", taken), said);
                    bool true_answer = said == taken && !(taken == 0 && free >= 2);
                    (true_answer ? holds : breaks)(p.h, PROPERTY_MATCHES_SPEC);
                    history_free(p.h);
                }
}

static void release_gives_something_back(void **state)
{
    (void)state;
    for (int64_t given = 0; given <= 1; given++) {
        pool p = pool_new(SPEC_SEMAPHORE, 2, false);
        gets(&p, "A:1", 1, 1);
        gives(&p, "A:1", given);
        (given ? holds : breaks)(p.h, PROPERTY_MATCHES_SPEC);
        history_free(p.h);
    }
}

/* Permits with names may run out: a release that finds its own gone must say so. */
static void release_of_a_permit_that_ran_out_says_so(void **state)
{
    (void)state;
    for (int bits = 0; bits < 4; bits++) {
        bool there = bits & 1, said_lost = bits & 2;
        pool p = pool_new(SPEC_SEMAPHORE, 2, false);
        put_mode(p.h, "A:1", 1, "permit", LEASE_NONE);
        put_mode(p.h, "B:1", 1, "permit", LEASE_NONE);
        put_permits(p.h, 0, 2);
        view_by(p.h, "evict");
        ends(&p);
        if (there)
            put_mode(p.h, "A:1", 0, "permit", LEASE_NONE);
        uint32_t n = executes(&p, "A:1", "release", there ? -1 : 0);
        answers(p.h, n);
        if (said_lost)
            lost(p.h, "A:1", n);
        else
            released(p.h, "A:1", n, 0);
        ends(&p);
        (there || said_lost ? holds : breaks)(p.h, PROPERTY_MATCHES_SPEC);
        history_free(p.h);
    }
}

static void permits_that_did_not_come_back_are_a_leak(void **state)
{
    (void)state;
    for (int64_t free = 0; free <= 3; free++) {
        pool p = pool_new(SPEC_SEMAPHORE, 2, false);
        put_permits(p.h, free, 2);
        rest(p.h, 0);
        (free < 2 ? breaks : holds)(p.h, PROPERTY_NO_LEAK);
        history_free(p.h);
    }
}

/* Property: a latch lets no waiter through before its count has gone, and every one after. */
static void latch_lets_through_at_zero(void **state)
{
    (void)state;
    for (int thaws = 0; thaws < 2; thaws++)
        for (int64_t count = 0; count <= 2; count++)
            for (int through = 0; through < 2; through++) {
                pool p = pool_new(SPEC_LATCH, 0, thaws);
                put_mode(p.h, "count", count, "permit", LEASE_NONE);
                view_by(p.h, "set_count");
                ends(&p);
                wants_some(&p, "A:1", 0);
                told(&p, "A:1", executes(&p, "A:1", "acquire", 0), through);
                (through == (count == 0) ? holds : breaks)(p.h, PROPERTY_MATCHES_SPEC);
                if (through) {
                    wants_some(&p, "B:1", 0);
                    told(&p, "B:1", executes(&p, "B:1", "acquire", 0), 1);
                    holds(p.h, PROPERTY_STRICT_MUTUAL_EXCLUSION);  /* nobody holds anything */
                }
                history_free(p.h);
            }
}

/* Property: a look at a latch that the network doubles is answered by what the look itself saw.
 * How: the latch is open for its copy and counts again for itself, or the other way round. */
static void doubled_look_at_a_latch_says_what_it_saw_itself(void **state)
{
    (void)state;
    for (int bits = 0; bits < 8; bits++) {
        bool copy_sees_open = bits & 2, through = bits & 4;
        pool p = pool_new(SPEC_LATCH, 0, bits & 1);
        put_mode(p.h, "count", copy_sees_open ? 0 : 1, "permit", LEASE_NONE);
        view_by(p.h, "set_count");
        ends(&p);
        wants_some(&p, "A:1", 0);
        uint32_t n = sends(p.h, "A:1", "acquire", LEASE_NONE);
        fault(p.h, "duplicate", "A:1", n);
        ends(&p);
        runs_as_copy(p.h, n);
        ends(&p);
        put_mode(p.h, "count", copy_sees_open ? 1 : 0, "permit", LEASE_NONE);
        view_by(p.h, "set_count");
        ends(&p);
        runs(p.h, n);
        ends(&p);
        told(&p, "A:1", n, through);
        (through != copy_sees_open ? holds : breaks)(p.h, PROPERTY_MATCHES_SPEC);
        history_free(p.h);
    }
}

static void count_down_takes_one(void **state)
{
    (void)state;
    for (int64_t left = 0; left <= 2; left++) {
        pool p = pool_new(SPEC_LATCH, 0, false);
        put_mode(p.h, "count", 2, "permit", LEASE_NONE);
        view_by(p.h, "set_count");
        ends(&p);
        put_mode(p.h, "count", left, "permit", LEASE_NONE);
        uint32_t n = sends(p.h, "B:1", "count_down", LEASE_NONE);
        runs(p.h, n);
        view(p.h, n);
        answers(p.h, n);
        released(p.h, "B:1", n, 0);
        ends(&p);
        (left == 1 ? holds : breaks)(p.h, PROPERTY_MATCHES_SPEC);
        history_free(p.h);
    }
}

/* While the count stands nobody is idle; once it has gone, a waiter has idle_ms to get through. */
static void open_latch_is_passed_within_idle_ms(void **state)
{
    (void)state;
    for (int bits = 0; bits < 4; bits++) {
        bool open = bits & 1;
        pool p = pool_new(SPEC_LATCH, 0, bits & 2);
        put_mode(p.h, "count", 1, "permit", LEASE_NONE);
        view_by(p.h, "set_count");
        ends(&p);
        wants_some(&p, "A:1", 0);
        told(&p, "A:1", executes(&p, "A:1", "acquire", 0), 0);
        wake_of(p.h, "A:1", WAKE_NEVER);
        ends(&p);
        holds(p.h, PROPERTY_NO_LOST_WAKEUP);
        if (open)
            put_mode(p.h, "count", 0, "permit", LEASE_NONE);
        view_by(p.h, "evict");
        ends(&p);
        (open ? breaks : holds)(p.h, PROPERTY_NO_LOST_WAKEUP);
        p.thaws = false;
        at(p.h, 11);
        ends(&p);
        (open ? breaks : holds)(p.h, PROPERTY_PROMPT);
        history_free(p.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permits_out_never_exceed_the_capacity),
        cmocka_unit_test(released_permits_are_free_again),
        cmocka_unit_test(partial_release_leaves_the_rest_out),
        cmocka_unit_test(the_rest_may_follow_later),
        cmocka_unit_test(release_gives_back_what_it_says),
        cmocka_unit_test(promise_counts_from_the_execution),
        cmocka_unit_test(parked_waiter_of_enough_permits_was_not_woken),
        cmocka_unit_test(permits_nobody_has_are_taken_within_idle_ms),
        cmocka_unit_test(semaphore_has_one_true_answer),
        cmocka_unit_test(release_gives_something_back),
        cmocka_unit_test(release_of_a_permit_that_ran_out_says_so),
        cmocka_unit_test(permits_that_did_not_come_back_are_a_leak),
        cmocka_unit_test(latch_lets_through_at_zero),
        cmocka_unit_test(doubled_look_at_a_latch_says_what_it_saw_itself),
        cmocka_unit_test(count_down_takes_one),
        cmocka_unit_test(open_latch_is_passed_within_idle_ms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
