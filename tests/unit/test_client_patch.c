/* test_client_patch.c - a patch changes what it says and nothing else, names each line where it is written, and fails
 * where the original moved. */
#include "client_rig.h"

#include "client/load.h"
#include "scenario/cases.h"
#include "redis/redis.h"

static const char original[] = "one\ntwo\n\nthree\ntwo\nfour\n";

/* "text/origins" of the patched text, or the error. Lives in the arena. */
static const char *patch_text(arena *a, const char *diff)
{
    patch p = { .name = S("x.lua"), .diff = str_from(diff), .file = S("s.lua"), .line = 10, .laid_out = true };
    patched out;
    err e = { 0 };
    buf b = { 0 };
    if (patch_apply(a, &p, S("lib/x.lua"), str_from(original), &out, &e)) {
        size_t lines = 0;
        for (size_t i = 0; i < out.text.n; i++)
            lines += out.text.p[i] == '\n';
        assert_int_equal(lines, out.lines);
        for (size_t i = 0; i < out.text.n; i++)
            buf_byte(&b, out.text.p[i] == '\n' ? '|' : out.text.p[i]);
        for (size_t i = 0; i < out.lines; i++)
            buf_printf(&b, " %s%d", out.origins[i].ours ? "s" : "", out.origins[i].line);
    } else {
        err_print(&e, &b);
    }
    const char *text = arena_str(a, buf_str(&b)).p;
    buf_free(&b);
    err_clear(&e);
    return text;
}

static void changes_are_where_their_context_is(void **state)
{
    (void)state;
    static const struct { const char *diff, *wanted; } row[] = {
        { "@@\n one\n-two\n+zwei\n", "one|zwei||three|two|four| 1 s13 3 4 5 6" },
        { "@@ -1,2 +1,9 @@ anything\n-one\n+eins\n+uno\n", "eins|uno|two||three|two|four| s12 s13 2 3 4 5 6" },
        { "--- a/x.lua\n+++ b/x.lua\n@@\n three\n-two\n", "one|two||three|four| 1 2 3 4 6" },
        { "@@\n two\n four\n+five", "one|two||three|two|four|five| 1 2 3 4 5 6 s13" },
        { "@@\n-one\n+eins\n@@\n-four\n+vier\n", "eins|two||three|two|vier| s12 2 3 4 5 s15" },
        /* an empty line is an unchanged one */
        { "@@\n two\n\n+drei\n-three\n", "one|two||drei|two|four| 1 2 3 s13 5 6" },
        { "@@\n three\n@@\n-two\n+zwei\n", "hunk that changes nothing" },
        /* behind the hunk before there is one */
        { "@@\n three\n+a\n@@\n-two\n+zwei\n", "one|two||three|a|zwei|four| 1 2 3 4 s12 s15 6" },
        { "@@\n-two\n+zwei\n", "s.lua:11: error[scenario]: the patch of x.lua: these lines stand in 2 places of "
          "lib/x.lua" },
        { "@@\n-five\n+x\n", "s.lua:11: error[scenario]: the patch of x.lua: the original has moved, lib/x.lua has no "
          "such line: \"five\"" },
        { "@@\n one\n-three\n+x\n", "the original has moved, in lib/x.lua these lines are not beside each other" },
        { "@@\n-four\n+vier\n@@\n-one\n+eins\n", "s.lua:14: error[scenario]: the patch of x.lua: the original has "
          "moved, lib/x.lua has no such line behind the hunk before" },
        { "@@\n+zero\n", "without an unchanged or removed line" },
        { "@@\n", "changes nothing" },
        { "-one\n@@\n", "is no unified diff" },
        { "eins\nzwei", "eins|zwei| s10 s11" },                               /* without a hunk: the whole file */
        { "@@\n-one\n*eins\n", "s.lua:12: error[scenario]: the patch of x.lua has a line that begins with none of "
          "blank, - and +" },
        { "@@\n-one\n+eins\n\\ No newline at end of file\n", "eins|two||three|two|four| s12 2 3 4 5 6" },
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(row); i++)
        if (!strstr(patch_text(a, row[i].diff), row[i].wanted))
            fail_msg("row %zu: not '%s' but '%s'", i, row[i].wanted, patch_text(a, row[i].diff));
    arena_free(a);
}

/* Property: no text whatever crashes it, and what it accepts has an origin for each line. */
static void random_diffs_do_no_harm(void **state)
{
    (void)state;
    static const char *const parts[] = { "@@", "\n", " one", "-two", "+x", "\n\n", " ", "-", "+", " two\n", "-three\n",
                                         "\\", "--- a\n", "\r", "four" };
    arena *a = arena_new();
    uint32_t seed = 1;
    size_t accepted = 0;
    for (int i = 0; i < 20000; i++) {
        buf b = { 0 };
        for (uint32_t n = (seed >> 8) % 12; n > 0; n--) {
            seed = seed * 1664525 + 1013904223;
            buf_addz(&b, parts[(seed >> 10) % COUNT(parts)]);
        }
        seed = seed * 1664525 + 1013904223;
        buf_byte(&b, 0);
        accepted += strchr(patch_text(a, b.p), '|') != NULL;
        buf_free(&b);
        arena_reset(a);
    }
    assert_true(accepted > 0);
    arena_free(a);
}

static const rig_file files[] = {
    { "drv.lua", "local s = script 'inc.lua'\nlocal M = {}\nfunction M.go(me)\n  return me:eval(s, {}, "
      "{})\nend\nreturn M\n" },
    { "inc.lua", "local by = 1\nreturn by\n" },
    { NULL, NULL },
};

static bool load_case(rig *r, const char *text, const char *name)
{
    *r = (rig){ .a = arena_new(), .files = files, .now_ms = RIG_T0 };
    r->loader = (loader){ .context = r, .read = rig_read };
    r->out.memory = r->a;
    scenario_source from = { .file = S("s.lua"), .text = str_from(text), .case_ = str_from(name) };
    return scenario_load_case(r->a, &r->loader, &from, &r->scenario, &r->e);
}

#define HEAD "local drv = require 'drv'\nreturn { clients = { 'A' }, program = function(me) drv.go(me) end,\n"

/* Property: the script that is sent is the patched one, by its SHA; a driver's error in a changed line stands in the
 * scenario, one in an unchanged line in the original. */
static void what_a_case_loads_is_patched(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "twin = { patch = { ['inc.lua'] = [[\n@@\n-local by = 1\n+local by = 2\n]] } },\n"
        "cases = { bad = { patch = { ['drv.lua'] = [[\n@@\n function M.go(me)\n+  local x = me + 1\n]] } },\n"
        "          worse = { patch = { ['drv.lua'] = '@@\\n-local M = {}\\n+\\n+\\n+local M = {} .. 1\\n' } } } }";
    static const struct { const char *name, *body; } row[] = { { "exhibit", "local by = 1\nreturn by\n" },
                                                               { "twin", "local by = 2\nreturn by\n" } };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig r;
        char sha[41];
        const task_view *tasks;
        if (!load_case(&r, text, row[i].name))
            fail_msg("%s", rig_error(&r));
        r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
        assert_non_null(r.p);
        process_tasks(r.p, &tasks);
        assert_true(process_run(r.p, tasks[0].id, r.now_ms, &r.out, &r.e));
        assert_int_equal(r.out.count, 1);
        const script_file *s = r.out.items[0].request->script;
        redis_sha1(str_from(row[i].body), sha);
        assert_string_equal(s->sha1, sha);
        int line = 1;
        str path = script_line_path(s, &line);
        assert_string_equal(arena_str(r.a, path).p, i ? "s.lua" : "inc.lua");
        assert_int_equal(line, i ? 6 : 1);
        line = 2;
        path = script_line_path(s, &line);
        assert_string_equal(arena_str(r.a, path).p, "inc.lua");
        assert_int_equal(line, 2);
        rig_free(&r);
    }
    rig r;
    assert_true(load_case(&r, text, "bad"));
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    const task_view *tasks;
    process_tasks(r.p, &tasks);
    assert_false(process_run(r.p, tasks[0].id, r.now_ms, &r.out, &r.e));
    if (!strstr(rig_error(&r), "s.lua:11:19: error[driver]: attempt to perform arithmetic"))
        fail_msg("%s", rig_error(&r));
    assert_non_null(strstr(rig_error(&r), "+  local x = me + 1"));
    rig_free(&r);
    assert_false(load_case(&r, text, "worse"));
    assert_non_null(strstr(rig_error(&r), "s.lua:13:"));       /* a quoted text: its field tells the place */
    rig_free(&r);
}

static void what_is_wrong_with_a_patch_is_told_where_it_is_written(void **state)
{
    (void)state;
    static const struct { const char *text, *said; } row[] = {
        { HEAD "patch = 'x' }", "patch has to be a table" },
        { HEAD "patch = { 'x' } }", "values without a name" },
        { HEAD "patch = { ['inc.lua'] = 7 } }", "has to be a string" },
        { HEAD "patch = { ['drv.lua'] = 'x' } }", "s.lua:3:" },
        { HEAD "patch = { ['nope.lua'] = [[\n@@\n-a\n+b\n]] } }", "the patch of nope.lua: no file \"nope.lua\"" },
        { HEAD "patch = { ['inc.lua'] = [[\n@@\n-local by = 7\n+x\n]] } }",
          "s.lua:5: error[scenario]: the patch of inc.lua: the original has moved, inc.lua has no such line: \"local "
          "by = 7\"" },
        { HEAD "patch = { ['drv.lua'] = [[\n@@\n-local M = {}\n+local M = {\n]] } }", "error[scenario]" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig r;
        if (load_case(&r, row[i].text, ""))
            fail_msg("row %zu loads", i);
        if (!strstr(rig_error(&r), row[i].said))
            fail_msg("row %zu: not '%s' but %s", i, row[i].said, rig_error(&r));
        assert_int_equal(r.e.class_, ERR_SCENARIO);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_where_their_context_is),
        cmocka_unit_test(random_diffs_do_no_harm),
        cmocka_unit_test(what_a_case_loads_is_patched),
        cmocka_unit_test(what_is_wrong_with_a_patch_is_told_where_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
