/* test_drive_words.c - a program's words and its driver's: what counts as the same. */
#include "fixture.h"

#include "drive/against.h"

#include <stdlib.h>

static int set_up(void **state)
{
    against_pairs *known = malloc(sizeof *known);
    *known = (against_pairs){ .a = arena_new() };
    *state = known;
    return 0;
}

static int tear_down(void **state)
{
    against_pairs *known = *state;
    arena_free(known->a);
    free(known);
    return 0;
}

/* Property: a word without an id of the driver's has to be the same, byte for byte. */
static void plain_words_have_to_be_equal(void **state)
{
    against_pairs *known = *state;
    assert_true(against_same_word(known, S("order:42"), S("order:42"), S("A")));
    assert_false(against_same_word(known, S("order:42"), S("order:43"), S("A")));
    assert_false(against_same_word(known, S("3000"), S("3001"), S("A")));
    assert_false(against_same_word(known, S("x"), S("A"), S("A")));
    assert_false(against_same_word(known, S("x"), S("BA"), S("A")));
    assert_int_equal(known->count, 0);
}

/* Property: an id stands for one word of the program, and that for no other id. */
static void an_id_stands_for_one_word(void **state)
{
    against_pairs *known = *state;
    assert_true(against_same_word(known, S("0f3a"), S("A:1/A#0:token:1"), S("A")));
    assert_true(against_same_word(known, S("0f3a"), S("A:1/A#0:token:1"), S("A")));
    assert_false(against_same_word(known, S("77aa"), S("A:1/A#0:token:1"), S("A")));
    assert_false(against_same_word(known, S("0f3a"), S("A:1/A#0:token:2"), S("A")));
    assert_true(against_same_word(known, S("77aa"), S("A:1/A#0:token:2"), S("A")));
    assert_int_equal(known->count, 2);
    /* "token:1" is no part of "token:10". */
    assert_true(against_same_word(known, S("88bb"), S("A:1/A#0:token:10"), S("A")));
    assert_int_equal(known->count, 3);
}

/* Property: only the client's own ids are ids. */
static void another_clients_id_is_a_plain_word(void **state)
{
    assert_false(against_same_word(*state, S("0f3a"), S("B:1/B#0:token:1"), S("A")));
    assert_true(against_same_word(*state, S("0f3a"), S("B:1/B#0:token:1"), S("B")));
}

/* Property: a known id within a longer word, or an answer, is the program's there, the longest first. */
static void ids_are_found_within_words(void **state)
{
    against_pairs *known = *state;
    assert_true(against_same_word(known, S("x1"), S("A#0:t:1"), S("A")));
    assert_true(against_same_word(known, S("x12"), S("A#0:t:12"), S("A")));
    assert_true(against_same_word(known, S("latch:x12:x1"), S("latch:A#0:t:12:A#0:t:1"), S("A")));
    assert_false(against_same_word(known, S("latch:x1:x12"), S("latch:A#0:t:12:A#0:t:1"), S("A")));
    assert_true(str_eq(against_in_their_words(known, S("[\"A#0:t:1\", nil]")), S("[\"x1\", nil]")));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_words_have_to_be_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_id_stands_for_one_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_clients_id_is_a_plain_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ids_are_found_within_words, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
