/* test_cli_kept.c - a scenario that is judged again with what was learned of its clients comes to the very result of
 * one that is loaded anew: same bytes, whatever was edited since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "judge/kept.h"
#include "memo/learned.h"
#include "tests/unit/folder.h"
#include "memo/trials.h"

typedef struct {
    arena *a;
    str root, path;        /* of the scenario */
    options o;
    progress_board board;
    progress p;
} place;

static const char acquire[] =
    "local lock, owner, lease_ms = KEYS[1], ARGV[1], ARGV[2]\n"
    "if redis.call('set', lock, owner, 'nx', 'px', lease_ms) then return false end\n"
    "return redis.call('pttl', lock)\n";
static const char release[] =
    "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end\n"
    "redis.call('del', KEYS[1])\n"
    "redis.call('publish', KEYS[1], ARGV[1])\n"
    "return 1\n";
static const char driver[] =
    "local acquire, release, retry = script 'acquire.lua', script 'release.lua', require 'retry_after'\n"
    "local M = {}\n"
    "function M.view(redis, lock)\n"
    "  local owner = redis.call('get', lock)\n"
    "  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call('pttl', lock), keys = owner and { lock "
        "} or {} }\n"
    "end\n"
    "function M.take(me, lock)\n"
    "  me:observe(lock, M)\n"
    "  me:wants(lock)\n"
    "  while true do\n"
    "    local ttl_ms, problem = me:eval(acquire, { lock }, { me.id, 1000 }, { op = 'acquire', lock = lock, lease = "
        "1000 })\n"
    "    if problem then return false end\n"
    "    if not ttl_ms then break end\n"
    "    me:refused(lock)\n"
    "    me:sleep(retry(ttl_ms))\n"
    "  end\n"
    "  me:granted(lock, { lease = 1000 })\n"
    "  return true\n"
    "end\n"
    "function M.give(me, lock)\n"
    "  me:released(lock)\n"
    "  me:eval(release, { lock }, { me.id }, { op = 'release', lock = lock })\n"
    "end\n"
    "return M\n";
static const char retry[] = "return function(ttl_ms) return ttl_ms > 400 and 400 or 100 end\n";
static const char scenario_text[] =
    "local mine = require 'driver'\n"
    "return {\n"
    "  title = 'kept', clients = { 'A', 'B' },\n"
    "  program = function(me) if mine.take(me, 'l') then me:work(300) mine.give(me, 'l') end end,\n"
    "  faults = { pause = { 1, of = 'A' } },\n"
    "  expect = { strict_mutual_exclusion = 'violated' },\n"
    "}\n";

static void put(place *p, const char *name, const char *text)
{
    str path;
    err e = { 0 };
    assert_true(files_write(p->a, p->root, str_from(name), str_from(text), &path, &e));
}

static int fresh_place(void **state)
{
    static place p;
    p = (place){ .a = arena_new(), .p = { .side_by_side = 1 } };
    p.root = folder_make(p.a);
    p.path = files_join(p.a, p.root, S("s.lua"));
    p.o = (options){ .watching = true, .strategy = CHOICE_UNSAID };
    progress_begin(&p.board);
    progress_scenario(&p.p, &p.board, p.path, 1, 1);
    put(&p, "acquire.lua", acquire);
    put(&p, "release.lua", release);
    put(&p, "driver.lua", driver);
    put(&p, "retry_after.lua", retry);
    put(&p, "s.lua", scenario_text);
    *state = &p;
    return 0;
}

static int leave_place(void **state)
{
    place *p = *state;
    folder_remove(p->a, p->root);
    arena_free(p->a);
    return 0;
}

/* All that is told of it, but for how much Lua really ran. */
static str told(place *p, judged *j)
{
    buf b = { 0 };
    j->result.search.bytes = j->result.search.client_runs = j->result.search.client_repeats = 0;
    j->result.search.elapsed_ms = 0;
    j->result.means = S("");
    report_item item = judge_item(j);
    report_json(&item, 1, j->status, &(report_style){ .verbose = true }, &b);
    report_text(&item, &(report_style){ .verbose = true }, &b);
    for (size_t i = 0; i < j->looked.count; i++)
        buf_printf(&b, "%.*s %llx\n", STR_ARG(j->looked.at[i].path), (unsigned long long)j->looked.at[i].print);
    str text = arena_str(p->a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* What is known of the scripts' calls serves as well. */
static void assert_trials_equal(place *p, const judged *x, const judged *y)
{
    static const char *const names[] = { "acquire.lua", "release.lua" };
    for (size_t i = 0; i < COUNT(names); i++) {
        err e = { 0 };
        str path = files_join(p->a, p->root, str_from(names[i])), text;
        size_t tried[2];
        assert_true(files_read(p->a, path, &text, &e));
        str with = arena_printf(p->a, "-- a comment\n%.*s", STR_ARG(text));
        assert_int_equal(trials_same(x->trials, path, with, &tried[0]), trials_same(y->trials, path, with, &tried[1]));
        assert_int_equal(tried[0], tried[1]);
    }
}

/* Judges it again and anew; both must say the same. */
static verdict judge_both(place *p, kept **k)
{
    judged again, anew;
    judge_again(&p->o, p->path, &p->p, k, &again);
    judge_file(&p->o, p->path, &p->p, &anew);
    assert_string_equal(told(p, &again).p, told(p, &anew).p);
    if (anew.result.error.class_ == ERR_NONE)
        assert_trials_equal(p, &again, &anew);
    verdict v = anew.result.verdict;
    judged_free(&again);
    judged_free(&anew);
    return v;
}

typedef struct { const char *name, *text, *from, *to; } edit;

static const edit edits[] = {
    { "acquire.lua", acquire, "", "-- a comment\n" },
    { "acquire.lua", acquire, "redis.call('pttl', lock)", "redis.call('pttl', lock) + 1" },
    { "acquire.lua", acquire, "redis.call('pttl', lock)", "500" },
    { "acquire.lua", acquire, "ARGV[2]", "ARGV[2] * 2" },                          /* LK031 */
    { "acquire.lua", acquire, "'nx', ", "" },                                      /* both get it */
    { "acquire.lua", acquire, "return redis.call", "return redis.cal" },           /* a script's error */
    { "acquire.lua", acquire, "return false end", "return 'soon' end" },           /* the client stumbles */
    { "release.lua", release, "redis.call('del', KEYS[1])", "" },
    { "release.lua", release, "return 1", "return redis.sha1hex('1')" },
    { "release.lua", release, "return 1", "redis.call('set', 'left', 1) return 1" },
    { "driver.lua", driver, "{ me.id, 1000 }", "{ me.id, 900 }" },                 /* the client's code */
    { "driver.lua", driver, "{ me.id, 1000 }", "{ acquire.sha1, 1000 }" },         /* which reads what a script is */
    { "driver.lua", driver, "me:released(lock)", "if release.text:find 'del' then me:released(lock) end" },
    { "retry_after.lua", retry, "400", "350" },    /* a file that a required file requires */
    { "s.lua", scenario_text, "300", "1300" },
    { "s.lua", scenario_text, "pause =", "crash =" },
    { "s.lua", scenario_text, "'violated'", "'holds'" },
    { "s.lua", scenario_text, "'A', 'B'", "'A', 'C'" },
};

static void apply(place *p, const edit *x)
{
    const char *at = strstr(x->text, x->from);
    assert_non_null(at);
    put(p, x->name, arena_printf(p->a, "%.*s%s%s", (int)(at - x->text), x->text, x->to, at + strlen(x->from)).p);
}

static void every_edit_and_its_way_back(void **state)
{
    place *p = *state;
    kept *k = NULL;
    size_t changed = 0, passed = 0;
    assert_int_equal(judge_both(p, &k), VERDICT_PASS);
    assert_non_null(k);
    for (size_t i = 0; i < COUNT(edits); i++) {
        apply(p, &edits[i]);
        changed += judge_both(p, &k) != VERDICT_PASS;
        put(p, edits[i].name, edits[i].text);
        passed += judge_both(p, &k) == VERDICT_PASS;
    }
    assert_int_equal(passed, COUNT(edits));
    assert_true(changed >= 6);         /* they are not all harmless */
    kept_free(k);
}

/* Property: so it is after any number of edits on top of each other. */
static void edits_in_any_order(void **state)
{
    enum { EDITS = 16, SEED = 8 };
    place *p = *state;
    kept *k = NULL;
    rng r = rng_new(SEED, 0);
    size_t kept_count = 0;
    for (int i = 0; i < EDITS; i++) {
        const edit *x = &edits[rng_below(&r, COUNT(edits))];
        if (rng_below(&r, 3) == 0)
            put(p, x->name, x->text);
        else
            apply(p, x);
        judge_both(p, &k);
        kept_count += k != NULL;
    }
    assert_true(kept_count > EDITS / 4);           /* else nothing was tried */
    kept_free(k);
}

/* Property: what was learned is used: the clients' Lua hardly runs any more. And the opposite: what was learned of
 * other client code gives another result, which the comparison above would see. */
static void what_was_learned_is_used(void **state)
{
    place *p = *state;
    kept *k = NULL;
    judged first, again, anew;
    judge_again(&p->o, p->path, &p->p, &k, &first);
    apply(p, &edits[0]);
    judge_again(&p->o, p->path, &p->p, &k, &again);
    assert_true(first.result.search.client_runs > 40);
    assert_int_equal(again.result.search.client_runs, 0);
    assert_true(again.result.search.client_repeats < 10);      /* to come back to where the view is asked */
    assert_true(again.result.search.executions > 0);
    judged_free(&first);
    judged_free(&again);
    kept_free(k);

    opened old, other;
    judged wrong;
    assert_true(judge_open(&p->o, p->path, &old, &first));
    old.tables = process_tables_new(old.sc, &old.l);
    judge_opened(&p->o, &old, &p->p, &first);
    apply(p, &edits[13]);
    assert_true(judge_open(&p->o, p->path, &other, &wrong));
    other.tables = old.tables;
    judge_opened(&p->o, &other, &p->p, &wrong);
    judge_file(&p->o, p->path, &p->p, &anew);
    assert_string_not_equal(told(p, &wrong).p, told(p, &anew).p);
    judged_free(&first);
    judged_free(&wrong);
    judged_free(&anew);
    process_tables_free(old.tables);
    looked_free(&old.looked);
    looked_free(&other.looked);
    arena_free(old.memory);
    arena_free(other.memory);
}

/* Property: where client code reads what a script is, another text of the script is other client code. */
static void who_reads_a_scripts_text_is_not_kept(void **state)
{
    enum { READS_SHA1 = 11, READS_TEXT = 12 };
    place *p = *state;
    kept *k = NULL;
    for (int reads = READS_SHA1; reads <= READS_TEXT; reads++) {
        apply(p, &edits[reads]);
        judge_both(p, &k);
        assert_null(k);
        apply(p, &edits[0]);
        judge_both(p, &k);
        apply(p, &edits[7]);
        judge_both(p, &k);
    }
}

/* Property: a search that a limit stopped is no search to go by, and one that is cancelled leaves what was learned in
 * order. */
static void what_was_cut_short_does_no_harm(void **state)
{
    place *p = *state;
    kept *k = NULL;
    _Atomic bool cancel = true;
    judged j;
    judge_both(p, &k);
    apply(p, &edits[1]);
    p->p.cancel = &cancel;
    judge_again(&p->o, p->path, &p->p, &k, &j);
    assert_int_equal(j.result.verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(k);
    judged_free(&j);
    p->p.cancel = NULL;
    assert_int_equal(judge_both(p, &k), VERDICT_PASS);
    p->o.max_states = 20;
    apply(p, &edits[2]);
    assert_int_equal(judge_both(p, &k), VERDICT_INCONCLUSIVE);
    assert_null(k);
    kept_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_edit_and_its_way_back, fresh_place, leave_place),
        cmocka_unit_test_setup_teardown(edits_in_any_order, fresh_place, leave_place),
        cmocka_unit_test_setup_teardown(what_was_learned_is_used, fresh_place, leave_place),
        cmocka_unit_test_setup_teardown(who_reads_a_scripts_text_is_not_kept, fresh_place, leave_place),
        cmocka_unit_test_setup_teardown(what_was_cut_short_does_no_harm, fresh_place, leave_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
