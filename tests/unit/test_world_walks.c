/* test_world_walks.c - random walks over the shipped scenarios with every fault allowed: names, states and replays
 * agree at each step. */
#include "memo/parts.h"
#include "world_rig.h"

#include <glob.h>

#include "base/rng.h"
#include "client/load.h"
#include "scenario/cases.h"

/* Reads "redisson/lock.lua" below scripts/ and beside the scenario, as the command line does. */
static bool read_shipped(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const char *beside = context;
    const char *at[] = { "", beside, "scripts/" };
    for (size_t i = 0; i < COUNT(at); i++) {
        char full[512];
        snprintf(full, sizeof full, "%s%.*s", at[i], STR_ARG(name));
        FILE *f = fopen(full, "rb");
        if (!f)
            continue;
        buf b = { 0 };
        char chunk[4096];
        for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
            buf_add(&b, (str){ .p = chunk, .n = n });
        fclose(f);
        *path = arena_str(a, str_from(full));
        *text = arena_str(a, buf_str(&b));
        buf_free(&b);
        return true;
    }
    return err_set(e, ERR_SCENARIO, "no file '%.*s'", STR_ARG(name));
}

static bool equal_steps(const step *x, const step *y)
{
    return x->kind == y->kind && x->fault == y->fault && x->process == y->process && x->task == y->task &&
           x->request == y->request &&
           x->copy == y->copy && x->server == y->server && x->amount == y->amount && x->holds_time == y->holds_time &&
               str_eq(x->key, y->key);
}

/* The numbers of its parts: equal states, equal numbers. */
static void put_state(arena *a, parts *p, size_t clients, world *w, buf *out)
{
    err e = { 0 };
    part_state s = { .nodes = ARENA_ARRAY(a, uint32_t, clients) };
    buf_clear(out);
    if (parts_take_apart(p, w, &s, &e)) {          /* or there is no canonical form: nothing to compare */
        for (size_t q = 0; q < clients; q++)
            buf_u64(out, s.nodes[q]);
        buf_u64(out, (uint64_t)s.servers << 32 | s.bounds);
        buf_u64(out, s.model);
    }
    err_clear(&e);
}

static void parse_name(arena *a, const buf *name, schedule_item *item)
{
    schedule_item *items;
    size_t count = 0;
    err e = { 0 };
    if (!schedule_parse(a, buf_str(name), S("walk"), &items, &count, &e) || count != 1)
        fail_msg("'%s' is not one item of a schedule", name->p);
    *item = items[0];
}

/* The scenario that is walked, and what its states are told apart by. */
typedef struct {
    arena *a;
    const scenario *sc;
    const loader *l;
    const char *path;
    parts *p;
} place;

/* Every enabled step's name finds that very step again, and looking changes nothing. */
static void check_names(const place *at, world *w)
{
    const step *steps;
    size_t count = world_enabled(w, &steps);
    arena *a = at->a;
    step *all = ARENA_ARRAY(a, step, count + 1);
    for (size_t i = 0; i < count; i++) {
        all[i] = steps[i];
        all[i].key = arena_str(a, steps[i].key);
    }
    buf name = { 0 }, before = { 0 }, after = { 0 };
    put_state(a, at->p, at->sc->client_count, w, &before);
    for (size_t i = 0; i < count; i++) {
        buf_clear(&name);
        world_name_step(w, &all[i], &name);
        schedule_item item;
        parse_name(a, &name, &item);
        step found;
        err e = { 0 };
        bool ok = world_find(w, item.token, item.argument, &found, &e);
        err_clear(&e);
        if (!ok || (all[i].kind == STEP_TIME ? found.amount != all[i].amount : !equal_steps(&found, &all[i])))
            fail_msg("%s: '%s' finds another step, or none", at->path, name.p);
    }
    put_state(a, at->p, at->sc->client_count, w, &after);
    assert_true(str_eq(buf_str(&before), buf_str(&after)));
    buf_free(&name);
    buf_free(&before);
    buf_free(&after);
}

enum { STEPS = 60 };

typedef struct {
    size_t count;
    buf schedule, state;
    uint64_t sights;
} walk;

static void go(const place *at, uint64_t seed, walk *out)
{
    err e = { 0 };
    world *w = world_new(at->sc, at->l, &(world_options){ .record = seed % 2 }, &e);
    assert_non_null(w);
    rng r = rng_new(seed, 1);
    bool ok = true;
    for (int i = 0; ok && !world_over(w) && out->count < STEPS && i < 4 * STEPS; i++) {
        if (seed % 2 && i % 4 == 0)
            check_names(at, w);
        const step *steps;
        size_t count = world_enabled(w, &steps);
        if (count == 0)
            break;
        step s = steps[rng_below(&r, count)];
        if (s.kind == STEP_FAULT && rng_below(&r, 4) != 0)     /* or all have crashed before anything happened */
            continue;
        if (out->schedule.n)
            buf_byte(&out->schedule, ' ');
        world_name_step(w, &s, &out->schedule);
        ok = world_take(w, &s, &e);
        out->count += ok;
    }
    err_clear(&e);         /* a driver that cannot cope with every fault at once is not the matter here */
    if (ok)
        put_state(at->a, at->p, at->sc->client_count, w, &out->state);
    out->sights = world_seen(w);
    world_free(w);
}

/* The same again from the text alone. */
static void follow(const place *at, const walk *first)
{
    err e = { 0 };
    schedule_item *items;
    size_t count;
    assert_true(schedule_parse(at->a, buf_str(&first->schedule), S("walk"), &items, &count, &e));
    world *w = world_new(at->sc, at->l, &(world_options){ .record = true }, &e);
    assert_non_null(w);
    buf again = { 0 }, state = { 0 };
    for (size_t i = 0; i < first->count; i++) {
        step s;
        if (!world_find(w, items[i].token, items[i].argument, &s, &e) || !world_take(w, &s, &e))
            fail_msg("%s: step %zu of '%s' is not there again", at->path, i + 1, first->schedule.p);
        const story *told = world_story(w);
        buf_printf(&again, "%s%.*s", i ? " " : "", STR_ARG(told->rows[told->count - 1].token));
    }
    assert_true(first->count < count || str_eq(buf_str(&again), buf_str(&first->schedule)));
    if (first->state.n > 0) {
        put_state(at->a, at->p, at->sc->client_count, w, &state);
        assert_true(str_eq(buf_str(&state), buf_str(&first->state)));
        assert_int_equal(world_seen(w), first->sights);
    }
    buf_free(&again);
    buf_free(&state);
    world_free(w);
}

/* How many steps were taken. `which` counts the cases of the file; *more: there is another one. */
static size_t walk_scenario(const char *path, size_t which, bool *more)
{
    arena *a = arena_new();
    char *beside = (char *)arena_str(a, str_from(path)).p;
    strrchr(beside, '/')[1] = 0;
    loader l = { .context = beside, .read = read_shipped };
    str at, text;
    err e = { 0 };
    scenario sc;
    const str *cases;
    size_t count;
    *more = false;
    if (!read_shipped(NULL, str_from(path), a, &at, &text, &e) || !strstr(text.p, "program") ||
        !scenario_cases(a, &l, str_from(path), text, &cases, &count, &e) ||
        !scenario_load_case(a, &l, &(scenario_source){ .file = str_from(path), .text = text,
                                                       .case_ = which < count ? cases[which] : S("") },
                            &sc, &e)) {
        err_clear(&e);     /* a script beside a scenario */
        arena_free(a);
        return 0;
    }
    size_t taken = 0;
    *more = which + 1 < count;
    for (int k = 0; k < FAULT_KINDS; k++)          /* a driver has to be made for these two */
        sc.faults[k] = (fault_budget){ .budget = k == FAULT_PREEMPT || k == FAULT_STALL ? 0 : 2,
                                       .amount = sc.faults[k].amount, .of = S("") };
    sc.replicas = 1;
    const world_options wo = { .record = false };
    place walked = { .a = a, .sc = &sc, .l = &l, .path = path,
                     .p = parts_new(&sc, &l, &(parts_options){ .world = &wo, .live = true }, &e) };
    for (uint64_t seed = 1; seed <= 4; seed++) {
        walk first = { 0 };
        go(&walked, seed, &first);
        follow(&walked, &first);
        taken += first.count;
        buf_free(&first.schedule);
        buf_free(&first.state);
    }
    parts_free(walked.p);
    arena_free(a);
    return taken;
}

/* Property: in every state that a shipped scenario can come to, each enabled step has a name of its own that finds it;
 * looking at what is enabled changes nothing; and the names of a run's steps make the same run again, to the last byte
 * of its state. */
static void names_find_their_steps_and_make_the_run_again(void **state)
{
    (void)state;
    static const char *const patterns[] = { "scenarios/seeds/*/*.lua", "scenarios/seeds/*.lua",
                                            "scenarios/meetings/*.lua",
                                            "scenarios/faults/*.lua" };
    size_t steps = 0;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        glob_t g;
        if (glob(patterns[i], 0, NULL, &g) != 0)
            continue;
        for (size_t k = 0; k < g.gl_pathc; k++) {
            /* those are overridden: one case of a lock is enough */
            bool more = true, faults = i + 1 == COUNT(patterns);
            for (size_t which = 0; more && (which == 0 || !faults); which++)
                steps += walk_scenario(g.gl_pathv[k], which, &more);
        }
        globfree(&g);
    }
    print_message("  %zu steps\n", steps);
    assert_true(steps > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_find_their_steps_and_make_the_run_again) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
