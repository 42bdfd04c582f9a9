/* test_search_visited.c - the visited set: it forgets no state, takes no two for one, and stays within its memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/team.h"
#include "search/visited.h"

enum { MANY = 200000 };                            /* dozens of segments: each way of growing happens many times */

/* The i-th print of a family; the i of one family give distinct prints. */
typedef print (*family)(uint32_t i);

/* A bijection of 64 bits (splitmix64's last steps), so that distinct i stay distinct. */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static print uniform(uint32_t i) { return (print){ scramble(i), (uint32_t)scramble(~(uint64_t)i) }; }
static print counted_low(uint32_t i) { return (print){ 0, i }; }
static print counted_high(uint32_t i) { return (print){ i, 0 }; }
static print counted_top(uint32_t i) { return (print){ (uint64_t)i << 32, UINT32_MAX }; }
static print equal_hi(uint32_t i) { return (print){ UINT64_MAX, (uint32_t)(i * 2654435761U) }; }
static print equal_lo(uint32_t i) { return (print){ scramble(i), 7 }; }
/* pairs that differ in one half only */
static print pairs(uint32_t i) { return (print){ scramble(i / 2), 5 + i % 2 }; }

static const family families[] = { uniform, counted_low, counted_high, counted_top, equal_hi, equal_lo, pairs };

static uint32_t parent_of(uint32_t state)
{
    return state ? (uint32_t)(scramble(state) % state) : VISITED_NONE;
}

static void add_fresh(visited *v, print p, uint32_t expected)
{
    bool fresh = false;
    assert_int_equal(visited_find(v, p), VISITED_NONE);
    assert_int_equal(visited_add(v, p, parent_of(expected), &fresh), expected);
    assert_true(fresh);
}

static void add_known(visited *v, print p, uint32_t expected)
{
    bool fresh = true;
    assert_int_equal(visited_add(v, p, VISITED_NONE, &fresh), expected);
    assert_false(fresh);
    assert_int_equal(visited_find(v, p), expected);
}

/* Property: states are numbered in the order of first meeting, and found under their numbers with their parents for
 * ever after, whatever the prints have in common.
 * How: after each state an older one is met again; at the end all of them. */
static void every_state_keeps_its_number_and_parent(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(families); f++) {
        visited *v = visited_new(0);
        rng r = rng_new(f, 0);
        for (uint32_t i = 0; i < MANY; i++) {
            visited_prefetch(v, families[f](i + 3));
            add_fresh(v, families[f](i), i);
            uint32_t older = (uint32_t)rng_below(&r, i + 1);
            add_known(v, families[f](older), older);
        }
        assert_int_equal(visited_count(v), MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            assert_int_equal(visited_find(v, families[f](i)), i);
            assert_int_equal(visited_parent(v, i), parent_of(i));
            assert_int_equal(visited_find(v, families[f](MANY + i)), VISITED_NONE);
        }
        visited_free(v);
    }
}

/* Property: the set agrees with a plain array of flags.
 * How: prints drawn from few, so that most are met many times. */
static void it_agrees_with_a_plain_model(void **state)
{
    (void)state;
    enum { KINDS = 40000, DRAWS = 400000 };
    uint32_t *number = mem_alloc(KINDS * sizeof *number);
    for (uint32_t i = 0; i < KINDS; i++)
        number[i] = VISITED_NONE;
    visited *v = visited_new(0);
    rng r = rng_new(11, 0);
    uint32_t next = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint32_t kind = (uint32_t)rng_below(&r, KINDS);
        if (number[kind] == VISITED_NONE) {
            number[kind] = next;
            add_fresh(v, uniform(kind), next++);
        } else {
            add_known(v, uniform(kind), number[kind]);
        }
    }
    assert_int_equal(visited_count(v), next);
    /* of 10 draws each, about e^-10 of the kinds were never drawn */
    assert_true(next > KINDS * 9 / 10 && next < KINDS);
    visited_free(v);
    mem_free(number);
}

/* Property: one bit of difference makes another state.
 * How: a print and the 96 prints one bit away, beginning with all zero. */
static void one_bit_makes_another_state(void **state)
{
    (void)state;
    static const print middle[] = { { 0, 0 }, { UINT64_MAX, UINT32_MAX },
                                    { UINT64_C(0x0123456789abcdef), 0x01234567 } };
    visited *v = visited_new(0);
    uint32_t next = 0;
    for (size_t m = 0; m < COUNT(middle); m++) {
        add_fresh(v, middle[m], next++);
        for (int bit = 0; bit < 96; bit++) {
            print p = middle[m];
            if (bit < 64)
                p.hi ^= UINT64_C(1) << bit;
            else
                p.lo ^= UINT32_C(1) << (bit - 64);
            add_fresh(v, p, next++);
        }
    }
    assert_int_equal(next, 97 * COUNT(middle));
    visited_free(v);
}

/* Property: the print of all zeros is told from an empty slot, whichever of its places it got.
 * How: it joins sets of many sizes, and is met again while they grow. */
static void the_print_of_zeros_is_no_empty_slot(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 3500; before += 31) {
        visited *v = visited_new(0);
        for (uint32_t i = 0; i < before; i++)
            add_fresh(v, uniform(i + 1), i);
        add_fresh(v, (print){ 0, 0 }, before);
        for (uint32_t i = before + 1; i < before + 4000; i++) {
            add_fresh(v, uniform(i), i);
            if (i % 500 == 0)
                add_known(v, (print){ 0, 0 }, before);
        }
        add_known(v, (print){ 0, 0 }, before);
        visited_free(v);
    }
}

/* Property: an empty set knows nothing, and asking it is safe. */
static void an_empty_set_knows_nothing(void **state)
{
    (void)state;
    visited *v = visited_new(0);
    visited_prefetch(v, (print){ 0, 0 });
    assert_int_equal(visited_find(v, (print){ 0, 0 }), VISITED_NONE);
    assert_int_equal(visited_count(v), 0);
    visited_free(v);
    visited_free(NULL);
}

/* Fills a set of at most max_bytes, and looks that the refusal of one state leaves the others as they were. Returns how
 * many fit. */
static uint32_t fill(size_t max_bytes, family f, uint32_t states_max)
{
    visited *v = visited_new(max_bytes);
    uint32_t n = 0;
    bool fresh = true;
    for (; n < states_max && visited_add(v, f(n), parent_of(n), &fresh) == n; n++)
        assert_true(fresh);
    for (int again = 0; n < states_max && again < 3; again++) {
        fresh = true;
        assert_int_equal(visited_add(v, f(n), 0, &fresh), VISITED_FULL);
        assert_false(fresh);
        assert_int_equal(visited_find(v, f(n)), VISITED_NONE);
    }
    assert_int_equal(visited_count(v), n);
    for (uint32_t i = 0; i < n; i++) {
        add_known(v, f(i), i);
        assert_int_equal(visited_parent(v, i), parent_of(i));
    }
    if (max_bytes)
        assert_true(visited_bytes(v) <= max_bytes || n == 0);
    visited_free(v);
    return n;
}

/* Property: within a limit the set holds what it can, never takes more, and answers VISITED_FULL, wherever the limit
 * strikes: at the first page, at a directory, in the middle of a split.
 * How: limits a few KiB apart, and one byte beside each page. */
static void a_limit_is_kept_wherever_it_strikes(void **state)
{
    (void)state;
    enum { KIB = 1024 };
    uint32_t last = 0;
    for (size_t limit = 1; limit < 640 * KIB; limit += 3 * KIB + 7) {
        uint32_t n = fill(limit, uniform, MANY);
        assert_true(n >= last && n < MANY);
        last = n;
    }
    assert_true(last > 10000);
    for (size_t pages = 1; pages < 40; pages++)
        for (size_t beside = 0; beside < 600; beside += 8)
            if (pages > 36 || beside % 200 == 0)
                assert_true(fill(pages * 32 * KIB + beside, uniform, MANY) < MANY);
}

/* Property: prints that all fall into one place end in VISITED_FULL, not in endless splitting.
 * How: lo is made up for by hi in the sum that the set mixes, so that all mixed prints are one; the set then has two
 * buckets to put them in, and one segment. */
static void prints_of_one_place_fill_it_up(void **state)
{
    (void)state;
    visited *v = visited_new(0);
    uint32_t n = 0;
    bool fresh;
    for (; n < MANY; n++) {
        print p = { UINT64_C(1) - n * UINT64_C(0x9e3779b97f4a7c15), n };
        if (visited_add(v, p, 0, &fresh) != n)
            break;
    }
    assert_true(n > 1000 && n < 10000);
    for (uint32_t i = 0; i < n; i++)
        add_known(v, (print){ UINT64_C(1) - i * UINT64_C(0x9e3779b97f4a7c15), i }, i);
    visited_free(v);
}

/* Property: at every size beyond the smallest a state costs 40 bytes at most, and 38 on average.
 * How: looked at every 5 %. */
static void a_state_costs_40_bytes_at_any_size(void **state)
{
    (void)state;
    visited *v = visited_new(0);
    double sum = 0;
    int looks = 0;
    bool fresh;
    for (uint32_t i = 0, next = 300000; i < 1500000; i++) {
        visited_add(v, uniform(i), 0, &fresh);
        if (i == next) {
            double each = (double)visited_bytes(v) / visited_count(v);
            assert_true(each > 16 + 4 && each < 40);
            sum += each;
            looks++;
            next += next / 20;
        }
    }
    assert_int_equal(looks, 33);
    assert_true(sum / looks < 38);
    visited_free(v);
}

/* ---- several threads ---- */

enum { THREADS = 4 };

typedef struct {
    visited *v;
    visited_place *places[MANY];
    bool twice;            /* a state was new to two, or to nobody */
} adding;

/* One share: every print of it, in order, each met twice. */
static void add_share(void *context, size_t member, size_t share)
{
    adding *a = context;
    (void)member;
    for (uint32_t i = MANY / 2; i < MANY; i++) {
        bool first, second, old = false;
        if (visited_share(a->v, uniform(i - MANY / 2)) == share)
            visited_put(a->v, uniform(i - MANY / 2), &old);
        a->twice |= old;               /* it was there before the set was divided */
        if (visited_share(a->v, uniform(i)) != share)
            continue;
        a->twice |= !visited_put(a->v, uniform(i), &first) || !visited_put(a->v, uniform(i), &second);
        a->twice |= !first || second;
    }
    for (uint32_t i = MANY / 2; i < MANY; i++)
        if (visited_share(a->v, uniform(i)) == share)
            a->places[i] = visited_again(a->v, uniform(i));
}

/* Property: what several threads add, each to shares of its own, is there once, and has the number and the parent that
 * it is given; what was there before keeps its own; one thread adds after them.
 * How: half of the states by one thread, half by four. */
static void several_threads_add_to_their_shares(void **state)
{
    (void)state;
    enum { BITS = 4 };
    adding *a = mem_zero(sizeof *a);
    team *t = team_new();
    bool fresh;
    a->v = visited_new(0);
    for (uint32_t i = 0; i < MANY / 2; i++)
        visited_add(a->v, uniform(i), parent_of(i), &fresh);
    assert_true(visited_divide(a->v, BITS));
    team_run(t, THREADS, 1 << BITS, add_share, a);
    assert_false(a->twice);
    assert_int_equal(visited_count(a->v), MANY / 2);
    assert_int_equal(visited_find(a->v, uniform(MANY - 1)), VISITED_NONE);
    assert_true(visited_reserve(a->v, MANY / 2));
    for (uint32_t i = MANY / 2; i < MANY; i++)
        visited_number(a->v, a->places[i], i, parent_of(i));
    visited_numbered(a->v, MANY / 2);
    add_fresh(a->v, uniform(MANY), MANY);
    for (uint32_t i = 0; i <= MANY; i++) {
        assert_int_equal(visited_find(a->v, uniform(i)), i);
        assert_int_equal(visited_parent(a->v, i), parent_of(i));
    }
    team_free(t);
    visited_free(a->v);
    mem_free(a);
}

/* Property: a set that cannot be divided for want of memory is what it was. */
static void a_set_without_room_stays_undivided(void **state)
{
    (void)state;
    bool fresh;
    visited *v = visited_new(2 << 20);
    uint32_t count = 0;
    while (visited_add(v, uniform(count), parent_of(count), &fresh) != VISITED_FULL)
        count++;
    assert_true(count > 10000);
    assert_false(visited_divide(v, 4));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(visited_find(v, uniform(i)), i);
    visited_free(v);
}

/* Property: each piece of work is done once, by one of as many members as were asked for, call after call. */
typedef struct { _Atomic unsigned done[1000]; _Atomic bool stranger; size_t members; } labours;

static void count_one(void *context, size_t member, size_t i)
{
    labours *l = context;
    l->done[i]++;
    if (member >= l->members)
        l->stranger = true;
}

static void a_team_does_each_piece_once(void **state)
{
    (void)state;
    team *t = team_new();
    labours *l = mem_zero(sizeof *l);
    for (unsigned call = 1; call <= 200; call++) {
        l->members = 1 + call % THREADS;
        team_run(t, l->members, COUNT(l->done), count_one, l);
        for (size_t i = 0; i < COUNT(l->done); i++)
            assert_int_equal(l->done[i], call);
    }
    team_run(t, THREADS, 0, count_one, l);
    assert_false(l->stranger);
    mem_free(l);
    team_free(t);
}

/* Property: of the cores that are idle nobody gets more than there are. */
static void idle_cores_are_shared_out(void **state)
{
    (void)state;
    cores *c = cores_new(3);
    assert_int_equal(cores_take(c, 2), 2);
    assert_int_equal(cores_take(c, 2), 1);
    assert_int_equal(cores_take(c, 2), 0);
    cores_give(c, 2);
    assert_int_equal(cores_take(c, 9), 2);
    cores_free(c);
    assert_int_equal(cores_take(NULL, 9), 0);
}

/* Property: the chance of a missed state is that of the birthday paradox in 96 bits, and negligible at a thousand
 * million states. */
static void the_odds_are_those_of_96_bits(void **state)
{
    (void)state;
    assert_true(visited_odds(0) == 0);
    assert_true(visited_odds(UINT64_C(1) << 32) == 0x1p-33);
    assert_true(visited_odds(1000000000) < 1e-9 && visited_odds(1000000000) > 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_keeps_its_number_and_parent),
        cmocka_unit_test(it_agrees_with_a_plain_model),
        cmocka_unit_test(one_bit_makes_another_state),
        cmocka_unit_test(the_print_of_zeros_is_no_empty_slot),
        cmocka_unit_test(an_empty_set_knows_nothing),
        cmocka_unit_test(a_limit_is_kept_wherever_it_strikes),
        cmocka_unit_test(prints_of_one_place_fill_it_up),
        cmocka_unit_test(a_state_costs_40_bytes_at_any_size),
        cmocka_unit_test(several_threads_add_to_their_shares),
        cmocka_unit_test(a_set_without_room_stays_undivided),
        cmocka_unit_test(a_team_does_each_piece_once),
        cmocka_unit_test(idle_cores_are_shared_out),
        cmocka_unit_test(the_odds_are_those_of_96_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
