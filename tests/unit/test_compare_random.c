/* test_compare_random.c - two versions side by side against each of them alone: where no client is said to be able to
 * tell, both alone answer the same along random schedules; where a client can, they do not along the story's schedule.
 * Scripts, their changes, programs and faults by chance. */
#include "base/mem.h"
#include "base/rng.h"
#include "fixture.h"

#include "client/load.h"
#include "search/versions.h"

static const char *const statements[] = {
    "redis.call('set', KEYS[1], ARGV[1], 'PX', 10)", "redis.call('set', KEYS[1], ARGV[1], 'PX', 11)",
    "redis.call('setnx', KEYS[1], ARGV[1])", "redis.call('pexpire', KEYS[1], 7)", "redis.call('del', KEYS[1])",
    "redis.call('incr', KEYS[2])", "redis.call('persist', KEYS[1])",
    "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end",
    "redis.call('publish', 'ch', ARGV[1])",
    "if redis.call('exists', KEYS[1]) == 0 then redis.call('incrby', KEYS[2], 2) end",
    "redis.call('publish', 'ch', redis.call('pttl', KEYS[1]))", "redis.call('rpush', 'list', ARGV[1])",
    "redis.call('ltrim', 'list', 0, 1)",
};
static const char *const ends[] = {
    "return redis.call('exists', KEYS[1])", "return redis.call('pttl', KEYS[1])", "return redis.call('get', KEYS[2])",
    "return 1", "return redis.call('get', KEYS[1])", "return redis.call('llen', 'list')",
};
static const char *const faults[] = { "", "faults = { evict = 1 }, ", "faults = { crash = 1 }, ",
                                      "faults = { wipe = 1 }, ", "faults = { pause = 1 }, ",
                                      "faults = { duplicate = 1 }, ", "faults = { lose_reply = 1 }, timeout_ms = 3, ",
                                      "replicas = 1, faults = { failover = 1 }, ", "faults = { script_flush = 1 }, " };

enum { LINES = 4, PAIRS = 60, STATES_MAX = 3000, SCHEDULES = 12 };

typedef struct { const char *lines[LINES], *end; } script;

static script random_script(rng *r)
{
    script s;
    for (size_t i = 0; i < LINES; i++)
        s.lines[i] = rng_below(r, 3) ? statements[rng_below(r, COUNT(statements))] : "";
    s.end = ends[rng_below(r, COUNT(ends))];
    return s;
}

/* One line, or the end, is another one; or two lines change places. */
static script changed(rng *r, script s)
{
    size_t i = rng_below(r, LINES), k = rng_below(r, LINES);
    const char *line = s.lines[i];
    switch (rng_below(r, 4)) {
    case 0: s.end = ends[rng_below(r, COUNT(ends))]; break;
    case 1:
        s.lines[i] = s.lines[k];
        s.lines[k] = line;
        break;
    default: s.lines[i] = rng_below(r, 3) ? statements[rng_below(r, COUNT(statements))] : ""; break;
    }
    return s;
}

static str script_text(arena *a, const script *s)
{
    return arena_printf(a, "%s %s %s %s %s", s->lines[0], s->lines[1], s->lines[2], s->lines[3], s->end);
}

static bool version_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    (void)a;
    if (!str_eq(name, S("s.lua")))
        return err_set(e, ERR_SCENARIO, "no such file");
    *path = S("s.lua");
    *text = *(const str *)context;
    return true;
}

static str random_scenario(arena *a, rng *r)
{
    static const char *const calls[] = { "me:eval(s, { 'k', 'n' }, { me.client })",
                                         "me:eval(s, { me.client, 'n' }, { 'x' })", "me:sleep(6)", "me:sleep(11)",
                                         "me:call('GET', 'k')", ("if me.client == 'A' then me:subscribe('ch', "
                                         "function() end) end") };
    buf b = { 0 };
    buf_printf(&b, "return { title = 't', clients = { 'A', 'B' }, explore = { random = %d }, %sprogram = function(me) "
               "local s = script 's.lua' ", SCHEDULES,
               faults[rng_below(r, COUNT(faults))]);
    for (size_t i = 2 + rng_below(r, 3); i > 0; i--)
        buf_printf(&b, "%s ", calls[rng_below(r, COUNT(calls))]);
    buf_addz(&b, "me:eval(s, { 'k', 'n' }, { me.client }) end }");
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* All that clients were answered, in one text. */
static void on_executed(void *context, const world_executed *x)
{
    buf *told = context;
    buf_printf(told, "%u %lld ", x->process, (long long)x->at_ms);
    reply_print_short(x->answer, told);
    buf_byte(told, '\n');
}

/* What one version by itself answers: along random schedules, or along this one. */
static str told_alone(arena *a, str text, const str *version, const char *schedule)
{
    const loader l = { .context = (void *)(uintptr_t)version, .read = version_read };
    scenario sc;
    err e = { 0 };
    buf told = { 0 };
    outcome out;
    assert_true(scenario_load(a, &l, S("test.lua"), text, &sc, &e));
    search_options so = { .seed = 7, .context = &told, .on_executed = on_executed };
    if (schedule)
        search_replay(a, &sc, &l, &so, str_from(schedule), &out);
    else
        search_run(a, &sc, &l, &so, &out);
    err_clear(&out.error);
    str all = arena_str(a, buf_str(&told));
    buf_free(&told);
    return all;
}

typedef struct { size_t equivalent, different, keys, large; } tally;

/* What a story's last step is about: an answer that both alone give otherwise, or messages, of which answers say
 * nothing. */
static void check_difference(arena *a, str text, const str versions[2], const counterexample *x)
{
    if (strstr(x->text.p, "sends waiting"))
        return;
    str told[] = { told_alone(a, text, &versions[0], x->schedule.p), told_alone(a, text, &versions[1], x->schedule.p) };
    if (str_eq(told[0], told[1]))
        fail_msg("both alone answer the same along %s: %s\n%s\n%s\n%s", x->schedule.p, x->text.p, text.p, versions[0].p,
                 versions[1].p);
}

static void judge_pair(arena *a, rng *r, tally *t)
{
    script first = random_script(r), second = changed(r, first);
    str versions[] = { script_text(a, &first), script_text(a, &second) }, text = random_scenario(a, r);
    const loader old = { .context = &versions[0], .read = version_read },
                       new = { .context = &versions[1], .read = version_read };
    scenario sc;
    err e = { 0 };
    compare_outcome c;
    assert_true(scenario_load(a, &old, S("test.lua"), text, &sc, &e));
    compare_search(a, &sc, &old, &new, &(search_options){ .max_states = STATES_MAX },
                   &(lockstep_relation){ .keys = true }, &c);
    if (c.verdict == COMPARE_ERROR)
        fail_msg("%s\n%s\n%s\n%s", buf_str(&c.found.error.message).p, text.p, versions[0].p, versions[1].p);
    t->equivalent += c.verdict == COMPARE_EQUIVALENT;
    t->different += c.verdict == COMPARE_DIFFERENT;
    t->keys += c.verdict == COMPARE_KEYS_DIFFER;
    t->large += c.verdict == COMPARE_UNDECIDED;
    if (c.verdict == COMPARE_DIFFERENT)
        check_difference(a, text, versions, c.found.properties[PROPERTY_EQUIVALENT].example);
    /* other keys are other instants and evictions: the schedules would not be the same */
    else if (c.verdict == COMPARE_EQUIVALENT) {
        str told[] = { told_alone(a, text, &versions[0], NULL), told_alone(a, text, &versions[1], NULL) };
        if (!str_eq(told[0], told[1]))
            fail_msg("%s, and both alone differ along random schedules\n%s\n%s\n%s", compare_verdict_name(c.verdict),
                     text.p, versions[0].p, versions[1].p);
    }
}

static void versions_alone_do_as_they_are_said_to(void **state)
{
    (void)state;
    rng r = rng_new(20, 1);
    tally t = { 0 };
    for (size_t i = 0; i < PAIRS; i++) {
        arena *a = arena_new();
        judge_pair(a, &r, &t);
        arena_free(a);
    }
    print_message("  %zu equivalent, %zu different, %zu in their keys only, %zu too large\n", t.equivalent, t.different,
                  t.keys, t.large);
    assert_true(t.equivalent > PAIRS / 20 && t.different > PAIRS / 20 && t.keys > PAIRS / 20 && t.large < PAIRS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(versions_alone_do_as_they_are_said_to) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
