/* test_client_time_use.c - what client code makes of an instant: what keeps the distance from now is no use of it.
 * Where seconds fold, neither is what keeps full seconds. */
#include "client_rig.h"

#include "client/live.h"

static bool uses(const char *code, instant_spelling instants)
{
    rig r;
    err e = { 0 };
    buf text = { 0 };
    buf_printf(&text, "return { clients = { 'A' }, start_ms = 0, program = function(me)\n"
                      "  local now, s, x = me:now(), math.floor(me:now() / 1000)\n"
                      "  me:step()\n"
                      "  %s me:step()\n"
                      "  me:sleep(x)\n"
                      "end }\n", code);
    assert_true(rig_load(&r, NULL, text.p));
    process *p = process_new(&r.scenario, &r.loader, 0, 0, RIG_T0, &e);
    process_fold(p, instants);
    process_trust(p);      /* of how the seconds were made */
    outputs out = { .memory = r.a };
    assert_true(process_run(p, 0, RIG_T0, &out, &e));
    process_watch(p);
    assert_true(process_run(p, 0, RIG_T0, &out, &e));
    bool used = process_live_facts(p).time_used;
    process_free(p);
    buf_free(&text);
    rig_free(&r);
    return used;
}

/* Property: by thousands an instant in ms becomes one in seconds and back, and what is past of a second is the same a
 * full second later; any other scale, and any look into the digits, is a use. */
static void seconds_are_kept(void **state)
{
    (void)state;
    static const struct { const char *code; bool plain, seconds; } row[] = {
        { "x = now + 5 - now", false, false }, { "x = now < 5", false, false },
        { "x = now / 1000 - s", true, false }, { "x = now % 1000", true, false },
        { "x = now - now % 1000", true, false },
        { "x = s * 1000 - now", false, false }, { "x = s + 2", false, false }, { "x = s < 5", false, false },
        { "x = s % 1000", false, true }, { "x = s / 1000", false, true }, { "x = s % 60", false, true },
        { "x = now * 1000", true, true }, { "x = now % 60000", true, true }, { "x = now / 60000", true, true },
        { "x = now / 1000 / 60", true, true }, { "x = s * 60", false, true }, { "x = now ^ 1000", true, true },
        { "x = tostring(s):sub(1, 2)", false, true }, { "x = ('x' .. s):sub(1, 2)", false, true },
        { "x = -s % 4", false, true }, { "x = -now % 4000", true, true },
        { "local k = 1000 x = now / k", true, true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        bool plain = uses(row[i].code, INSTANTS_PLAIN), seconds = uses(row[i].code, INSTANTS_SECONDS);
        if (plain != row[i].plain || seconds != row[i].seconds)
            fail_msg("%s: plain %d, seconds %d", row[i].code, plain, seconds);
        assert_int_equal(uses(row[i].code, INSTANTS_WITHIN), row[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
