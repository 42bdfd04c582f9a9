/* test_model_table.c - the table of properties is complete and agrees with itself; names of specifications; words of
 * operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

static void every_property_is_fully_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_info *p = property_describe((property)i);
        assert_non_null(p->name);
        assert_true(p->code && strlen(p->code) == 5 && strncmp(p->code, "LK", 2) == 0);
        assert_true(p->promise && strlen(p->promise) > 20 && strlen(p->promise) < 120);
        assert_null(strchr(p->promise, '\n'));
        assert_true(p->explain && strlen(p->explain) > 100);
        assert_int_equal(p->explain[strlen(p->explain) - 1], '\n');
        for (const char *line = p->explain, *end; *line; line = end + 1) {
            end = strchr(line, '\n');
            assert_true(end - line <= 120);        /* fits a terminal */
        }
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(p->name, property_describe((property)k)->name);
            assert_string_not_equal(p->code, property_describe((property)k)->code);
        }
    }
}

static void names_and_codes_lead_back_to_their_property(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        property p = PROPERTY_COUNT;
        assert_true(property_parse(str_from(property_describe((property)i)->name), &p));
        assert_int_equal(p, i);
        p = PROPERTY_COUNT;
        assert_true(property_parse(str_from(property_describe((property)i)->code), &p));
        assert_int_equal(p, i);
    }
    property p = PROPERTY_FIFO;
    assert_true(property_parse(S("lk010"), &p));
    assert_int_equal(p, PROPERTY_NO_LOST_WAKEUP);
    static const char *const wrong[] = { "", "LK", "LK999", "mutual", "mutual_exclusion ", "FIFO" };
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(property_parse(str_from(wrong[i]), &p));
}

/* DESIGN.md: safety by default; these only when named. */
static void defaults_are_those_of_the_design(void **state)
{
    (void)state;
    static const property named[] = { PROPERTY_FIFO, PROPERTY_BOUNDED_WAIT, PROPERTY_PROMPT, PROPERTY_FENCING,
                                      PROPERTY_IDEMPOTENT,
                                      PROPERTY_STRICT_MUTUAL_EXCLUSION, PROPERTY_EQUIVALENT, PROPERTY_SAME_KEYS };
    model_config c = model_config_default();
    size_t off = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        assert_int_equal(c.judged[i], property_describe((property)i)->by_default);
        assert_int_equal(c.parameter[i], property_describe((property)i)->parameter_default);
        off += !c.judged[i];
    }
    for (size_t i = 0; i < COUNT(named); i++)
        assert_false(c.judged[named[i]]);
    assert_int_equal(off, COUNT(named));
    assert_int_equal(c.parameter[PROPERTY_FIFO], 0);
    assert_string_equal(property_describe(PROPERTY_FIFO)->parameter, "max_overtakes");
    assert_string_equal(property_describe(PROPERTY_PROMPT)->parameter, "idle_ms");
    assert_string_equal(property_describe(PROPERTY_BOUNDED_WAIT)->parameter, "hand_offs");
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        assert_int_equal(property_describe((property)i)->along_a_run, i != PROPERTY_BOUNDED_WAIT);
}

static void specifications_are_known_by_their_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        spec_kind k = SPEC_COUNT;
        assert_true(spec_parse(str_from(spec_name((spec_kind)i)), &k));
        assert_int_equal(k, i);
    }
    spec_kind k;
    assert_false(spec_parse(S(""), &k));
    assert_false(spec_parse(S("Mutex"), &k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_property_is_fully_described),
        cmocka_unit_test(names_and_codes_lead_back_to_their_property),
        cmocka_unit_test(defaults_are_those_of_the_design),
        cmocka_unit_test(specifications_are_known_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
