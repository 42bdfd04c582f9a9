/* test_model_thaw.c - a model as a value: thawed from bytes, fed one step, renamed and frozen again, it gives the bytes
 * of the model that lived through it all, and finds the same violations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "toy.h"

enum { NAMES_MAX = 32, TASKS = 2 };

/* A search in small: the value of the live model before the step, and the events of the step under the names of that
 * value. */
typedef struct {
    toy t;
    model *live, *value;
    model_config config;
    buf bytes;             /* of `value` */
    uint32_t numbers[TOY_CLIENTS][NAMES_MAX];      /* by name: the toy's number; 0: free */
    uint32_t flip;         /* tasks 0 and 1 change their names after every step */
    uint32_t broken;
} pair;

static const str process_names[TOY_CLIENTS] = { { "A", 1 }, { "B", 1 }, { "C", 1 } };

static int64_t now_of(const pair *p)
{
    return INT64_C(1700000000000) + p->t.at_ms;
}

static uint32_t name_in(uint32_t numbers[NAMES_MAX], uint32_t number)
{
    for (uint32_t n = 1; n < NAMES_MAX; n++)
        if (!numbers[n] || numbers[n] == number) {
            numbers[n] = number;
            return n;
        }
    fail_msg("more requests under way than the test has names for");
    return 0;
}

static void tell_the_value(void *context, const event *e)
{
    pair *p = context;
    event said = *e;
    task_state tasks[TOY_CLIENTS + 1];
    if (e->process < TOY_CLIENTS) {
        if (e->request)
            said.request = name_in(p->numbers[e->process], e->request);
        said.task = e->task ^ p->flip;
    }
    for (size_t i = 0; i < e->task_count; i++) {
        tasks[i] = e->tasks[i];
        tasks[i].task ^= p->flip;
    }
    said.tasks = tasks;
    model_event(p->value, &said);
}

static uint32_t request_name(void *context, uint32_t process, uint32_t number)
{
    return toy_request_name(&((pair *)context)->t, process, number);
}

static uint32_t task_name(void *context, uint32_t process, uint32_t task)
{
    (void)process;
    return task ^ ((const pair *)context)->flip;
}

static void rename_all(pair *p)
{
    static const uint32_t swapped[TASKS] = { 1, 0 };
    for (uint32_t c = 0; c < TOY_CLIENTS; c++) {
        uint32_t now[NAMES_MAX] = { UINT32_MAX }, after[NAMES_MAX] = { 0 };
        size_t count = 1;
        for (; count < NAMES_MAX && p->numbers[c][count]; count++) {
            now[count] = request_name(p, c, p->numbers[c][count]);
            if (now[count] != UINT32_MAX)
                after[now[count]] = p->numbers[c][count];
        }
        model_rename(p->value, c, now, count, swapped, TASKS);
        memcpy(p->numbers[c], after, sizeof after);
    }
    p->flip ^= 1;
}

static void begin(pair *p, const model_config *c, toy_rules rules)
{
    memset(p, 0, sizeof *p);
    p->config = *c;
    p->live = toy_model(c);
    toy_begin(&p->t, rules, p->live, 0);
    p->t.context = p;
    model_freeze(p->live, now_of(p), NULL, &p->bytes);
}

static void end(pair *p)
{
    buf_free(&p->bytes);
    model_free(p->live);
}

static void value_matches_life(pair *p, uint64_t seed, int i)
{
    buf lived = { 0 }, again = { 0 };
    model_names names = { .context = p, .request = request_name, .task = task_name };
    model_freeze(p->live, now_of(p), &names, &lived);
    if (!str_eq(buf_str(&lived), buf_str(&p->bytes)))
        fail_msg("seed %d step %d: the value froze to other bytes", (int)seed, i);
    model *m = model_thaw(&p->config, process_names, TOY_CLIENTS, buf_str(&p->bytes), 12345);
    model_freeze(m, 12345, NULL, &again);
    assert_true(str_eq(buf_str(&again), buf_str(&p->bytes)));
    model_free(m);
    buf_free(&lived);
    buf_free(&again);
}

static bool step(pair *p, uint64_t choice)
{
    p->value = model_thaw(&p->config, process_names, TOY_CLIENTS, buf_str(&p->bytes), now_of(p));
    p->t.also = tell_the_value;
    bool more = toy_step(&p->t, choice);
    p->broken |= model_broken(p->value);
    rename_all(p);
    buf_clear(&p->bytes);
    model_freeze(p->value, now_of(p), NULL, &p->bytes);
    model_free(p->value);
    return more;
}

static model_config judging(uint64_t seed)
{
    model_config c = model_config_default();
    for (size_t i = 0; i < PROPERTY_COUNT; i++)    /* every third run has but a few of them open */
        c.judged[i] = seed % 3 || (seed * 2654435761u >> i & 3) == 0;
    c.parameter[PROPERTY_PROMPT] = 20;
    c.parameter[PROPERTY_FIFO] = (int64_t)(seed % 2);
    return c;
}

static void chain_of_values_is_the_life(void **state)
{
    (void)state;
    uint32_t all = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        toy_rules rules = { .spec = (spec_kind)(seed % SPEC_COUNT), .leased = seed & 4, .faults = seed & 8,
                            .evicts = seed & 16, .wrong = (toy_wrong)(seed / 32 % TOY_WRONGS) };
        model_config c = judging(seed);
        rng r = rng_new(seed, 1);
        pair p;
        begin(&p, &c, rules);
        for (int i = 0; i < 60 && step(&p, rng_next(&r)); i++) {
            value_matches_life(&p, seed, i);
            if (p.broken != model_broken(p.live))
                fail_msg("seed %d step %d: the value broke %x, the life %x", (int)seed, i, p.broken,
                         model_broken(p.live));
        }
        all |= p.broken;
        end(&p);
    }
    assert_true(all >> PROPERTY_MUTUAL_EXCLUSION & 1 && all >> PROPERTY_OWNER_ONLY & 1 && all >> PROPERTY_FIFO & 1);
}

/* ---- closing, reporting ---- */

static void closed_properties_are_neither_judged_nor_remembered(void **state)
{
    (void)state;
    model_config c = model_config_default();
    model *m = toy_model(&c), *fresh = toy_model(&c);
    model_lock(m, S("L"), SPEC_NONE);
    event e = { .kind = EVENT_GRANTED, .at_ms = 1, .who = S("A:1"), .lock = S("L"), .lease_ms = LEASE_NONE };
    model_event(m, &e);
    task_state tasks[] = { { .process = 0, .who = S("A:1") }, { .process = 1, .who = S("B:1") } };
    event over = { .kind = EVENT_STATE, .at_ms = 1, .process = NOBODY, .task = NOBODY, .tasks = tasks,
                   .task_count = COUNT(tasks) };
    model_event(m, &over);
    buf a = { 0 }, b = { 0 };
    for (size_t p = 0; p < PROPERTY_COUNT; p++) {
        model_close(m, (property)p);
        model_close(fresh, (property)p);
        model_freeze(m, 1, NULL, &a);
    }
    buf_clear(&a);
    model_freeze(m, 1, NULL, &a);
    model_freeze(fresh, 1, NULL, &b);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    e.process = 1;
    e.who = S("B:1");
    model_event(m, &e);
    assert_int_equal(model_broken(m), 0);
    buf_free(&a);
    buf_free(&b);
    model_free(m);
    model_free(fresh);
}

static void what_a_graph_shows_is_reported_from_outside(void **state)
{
    (void)state;
    static const property outside[] = { PROPERTY_NO_DEADLOCK, PROPERTY_BOUNDED_WAIT, PROPERTY_IDEMPOTENT };
    model_config c = model_config_default();
    c.judged[PROPERTY_BOUNDED_WAIT] = c.judged[PROPERTY_IDEMPOTENT] = true;
    model *m = toy_model(&c);
    for (size_t i = 0; i < COUNT(outside); i++) {
        model_report(m, outside[i], 7, S("So it is."), S("Because."));
        model_report(m, outside[i], 9, S("And again."), S(""));
        const violation *v = model_violation(m, outside[i]);
        assert_non_null(v);
        assert_true(str_eq(v->text, S("So it is.")) && str_eq(v->why, S("Because.")) && v->at_ms == 7 &&
                    v->property == outside[i]);
    }
    assert_int_equal(model_broken(m),
                     1u << PROPERTY_NO_DEADLOCK | 1u << PROPERTY_BOUNDED_WAIT | 1u << PROPERTY_IDEMPOTENT);
    model_free(m);
}

/* ---- growth ---- */

/* Requests that come and go, renamed after each step, leave nothing behind. */
static void value_does_not_grow_with_its_history(void **state)
{
    (void)state;
    model_config c = model_config_default();
    c.judged[PROPERTY_PROMPT] = c.judged[PROPERTY_FIFO] = c.judged[PROPERTY_STRICT_MUTUAL_EXCLUSION] = true;
    size_t most = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        rng r = rng_new(seed, 3);
        pair p;
        begin(&p, &c, (toy_rules){ .spec = SPEC_REENTRANT, .leased = seed & 1, .faults = true });
        for (int i = 0; i < 400 && step(&p, rng_next(&r)); i++)
            most = p.bytes.n > most ? p.bytes.n : most;
        end(&p);
    }
    print_message("    at most %zu bytes\n", most);
    assert_in_range(most, 40, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_values_is_the_life),
        cmocka_unit_test(closed_properties_are_neither_judged_nor_remembered),
        cmocka_unit_test(what_a_graph_shows_is_reported_from_outside),
        cmocka_unit_test(value_does_not_grow_with_its_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
