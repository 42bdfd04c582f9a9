/* test_cli_files.c - files found by name, files written, which files are scenarios, and saved counterexamples read
 * back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "host/files.h"
#include "judge/saved.h"
#include "tests/unit/folder.h"

typedef struct {
    arena *a;
    str root;
} place;

static int fresh_place(void **state)
{
    static place p;
    p = (place){ .a = arena_new() };
    p.root = folder_make(p.a);
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

static void put(place *p, const char *folder, const char *name, str text)
{
    str path;
    err e = { 0 };
    assert_true(files_write(p->a, files_join(p->a, p->root, str_from(folder)), str_from(name), text, &path, &e));
}

/* Property: folder and name, joined, are the path again, at the top of all folders, too. */
static void a_path_is_its_folder_and_its_name(void **state)
{
    place *p = *state;
    static const struct { const char *path, *folder, *name; } rows[] = {
        { "a.lua", "", "a.lua" }, { "b/a.lua", "b", "a.lua" }, { "/a.lua", "/", "a.lua" },
            { "/b/c/a.lua", "/b/c", "a.lua" }, { "b/", "b", "" } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        str path = str_from(rows[i].path), folder = files_folder(path), name = files_name(path);
        assert_true(str_eq(folder, str_from(rows[i].folder)));
        assert_true(str_eq(name, str_from(rows[i].name)));
        assert_true(str_eq(files_join(p->a, folder, name), path));
    }
}

static void the_first_folder_that_has_a_script_wins(void **state)
{
    place *p = *state;
    put(p, "beside", "a.lua", S("beside"));
    put(p, "one", "a.lua", S("one"));
    put(p, "one", "b.lua", S("one"));
    put(p, "two", "b.lua", S("two"));
    put(p, "shipped", "c.lua", S("shipped"));
    const char *scripts[] = { arena_printf(p->a, "%s/one", p->root.p).p, arena_printf(p->a, "%s/two", p->root.p).p };
    search_path where = { .scripts = scripts, .script_count = 2, .shipped = arena_printf(p->a, "%s/shipped", p->root.p),
                          .beside = arena_printf(p->a, "%s/beside", p->root.p) };
    loader l = search_path_loader(&where);
    static const char *const rows[][2] = { { "a.lua", "beside" }, { "b.lua", "one" }, { "c.lua", "shipped" } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        str path, text;
        err e = { 0 };
        assert_true(l.read(l.context, str_from(rows[i][0]), p->a, &path, &text, &e));
        assert_true(str_eq(text, str_from(rows[i][1])));
    }
}

/* Property: an overlay folder goes before everything, and is the scenario's own: its neighbours do not see it. */
static void a_scenarios_overlay_folder_comes_first(void **state)
{
    place *p = *state;
    put(p, "m/R03/lock", "acquire.lua", S("overlay"));
    put(p, "m/lock", "acquire.lua", S("beside"));
    put(p, "m/lock", "release.lua", S("beside"));
    put(p, "m/R04", "lock", S("no folder"));
    put(p, "shipped/lock", "renew.lua", S("shipped"));
    search_path where = { .shipped = arena_printf(p->a, "%s/shipped", p->root.p) };
    loader l = search_path_loader(&where);
    static const char *const rows[][3] = {
        { "R03.lua", "lock/acquire.lua", "overlay" }, { "R03.lua", "lock/release.lua", "beside" },
        { "R03.lua", "lock/renew.lua", "shipped" }, { "R03_mended.lua", "lock/acquire.lua", "beside" },
        { "R03", "lock/acquire.lua", "beside" }, { ".lua", "lock/acquire.lua", "beside" },
        { "R04.lua", "lock/acquire.lua", "beside" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        str path, text;
        err e = { 0 };
        search_path_for(&where, p->a, arena_printf(p->a, "%s/m/%s", p->root.p, rows[i][0]));
        assert_true(l.read(l.context, str_from(rows[i][1]), p->a, &path, &text, &e));
        assert_true(str_eq(text, str_from(rows[i][2])));
    }
    search_path_for(&where, p->a, S("R03.lua"));
    assert_int_equal(where.beside.n + where.overlay.n, 0);
    str path, text;
    err e = { 0 };
    search_path_for(&where, p->a, arena_printf(p->a, "%s/m/R03.lua", p->root.p));
    assert_false(l.read(l.context, S("none.lua"), p->a, &path, &text, &e));
    assert_non_null(strstr(e.hint.p, "/m/R03, "));             /* and says so where it was looked in */
    err_clear(&e);
}

/* Property: what lies in the overlay of a scenario is no scenario of its own; a folder beside a driver, or beside
 * nothing, is walked. */
static void a_walk_leaves_overlay_folders_out(void **state)
{
    place *p = *state;
    const str program = S("return { program = function(me) end }");
    put(p, "s", "R03.lua", program);
    put(p, "s/R03/lock", "client.lua", program);
    put(p, "s", "lock.lua", S("local d = {} function d.view() end return d"));
    put(p, "s/lock", "x.lua", program);
    put(p, "s/R04", "y.lua", program);
    file_list found = { 0 };
    err e = { 0 };
    assert_true(files_expand(p->a, arena_printf(p->a, "%s/s", p->root.p), files_is_scenario, &found, &e));
    static const char *const wanted[] = { "/s/R03.lua", "/s/R04/y.lua", "/s/lock/x.lua" };
    assert_int_equal(found.count, COUNT(wanted));
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_true(str_ends(found.paths[i], str_from(wanted[i])));
}

static void names_that_no_folder_has_are_located_errors(void **state)
{
    place *p = *state;
    put(p, "one", "file", S("x"));
    search_path where = { .beside = arena_printf(p->a, "%s/one", p->root.p) };
    loader l = search_path_loader(&where);
    static const str bad[] = { { "none.lua", 8 }, { "", 0 }, { "/etc/passwd", 11 }, { "a\0b", 3 }, { "file/x", 6 },
                               { ".", 1 } };
    for (size_t i = 0; i < COUNT(bad); i++) {
        str path, text;
        err e = { 0 };
        assert_false(l.read(l.context, bad[i], p->a, &path, &text, &e));
        assert_int_equal(e.class_, ERR_SCENARIO);
        assert_true(e.message.n > 0);
        err_clear(&e);
    }
}

static void folders_devices_and_long_files_are_refused(void **state)
{
    place *p = *state;
    str big = arena_printf(p->a, "%s/big.lua", p->root.p), fifo = arena_printf(p->a, "%s/fifo.lua", p->root.p);
    FILE *f = fopen(big.p, "w");
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), (off_t)FILE_BYTES_MAX + 1), 0);
    fclose(f);
    assert_int_equal(mkfifo(fifo.p, 0600), 0);
    const str bad[] = { p->root, S("/dev/zero"), big, fifo, arena_printf(p->a, "%s/none", p->root.p) };
    for (size_t i = 0; i < COUNT(bad); i++) {
        str text;
        err e = { 0 };
        assert_false(files_read(p->a, bad[i], &text, &e));
        assert_true(str_eq(buf_str(&e.path), bad[i]));
        err_clear(&e);
    }
    f = fopen(big.p, "w");
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), (off_t)FILE_BYTES_MAX), 0);
    fclose(f);
    str text;
    assert_true(files_read(p->a, big, &text, NULL));
    assert_int_equal(text.n, FILE_BYTES_MAX);
}

static void a_walk_finds_scenarios_in_byte_order_and_passes_over_the_rest(void **state)
{
    place *p = *state;
    const str program = S("return { program = function(me) end }");
    put(p, "s", "b.lua", program);
    put(p, "s", "B.lua", program);
    put(p, "s", "a.txt", program);
    put(p, "s", ".hidden.lua", program);
    put(p, "s/a", "z.lua", program);
    put(p, "s/a", "driver.lua", S("local d = {} function d.view() end return d"));
    put(p, "s/a", "script.lua", S("-- program = in a comment\nreturn redis.call('get', 'program = 1')"));
    put(p, "s/.git", "x.lua", program);
    assert_int_equal(symlink(p->root.p, arena_printf(p->a, "%s/s/loop", p->root.p).p), 0);
    file_list found = { 0 };
    err e = { 0 };
    assert_true(files_expand(p->a, arena_printf(p->a, "%s/s/", p->root.p), files_is_scenario, &found, &e));
    static const char *const wanted[] = { "/s/B.lua", "/s/a/z.lua", "/s/b.lua" };
    assert_int_equal(found.count, COUNT(wanted));
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_true(str_ends(found.paths[i], str_from(wanted[i])));
    assert_int_equal(found.passed_over, 2);
}

static void a_folder_without_scenarios_is_an_error_and_says_what_it_holds(void **state)
{
    place *p = *state;
    put(p, "s", "acquire.lua", S("return 1"));
    file_list found = { 0 };
    err e = { 0 };
    assert_false(files_expand(p->a, p->root, files_is_scenario, &found, &e));
    assert_int_equal(e.class_, ERR_SCENARIO);
    assert_non_null(strstr(e.hint.p, "1 other"));
    err_clear(&e);
    assert_false(files_expand(p->a, S("/nowhere/at/all"), files_is_scenario, &found, &e));
    err_clear(&e);
    assert_int_equal(found.count, 0);
}

static void code_that_sets_program_is_a_scenario_and_its_mention_is_not(void **state)
{
    (void)state;
    static const struct { const char *text; bool is; } rows[] = {
        { "return { program = function(me) end }", true },
        { "return {\n  program\n = f }", true },
        { "local s = {} s.program = f return s", true },
        { "return { program = function(me) broken syntax", true },
        { "local program = 1 return program", false },
        { "if program == 1 then end", false },
        { "-- program = 1", false },
        { "--[[ program = 1 ]]", false },
        { "--[==[ ]] program = 1 ]==]", false },
        { "--[[ unclosed program = 1", false },
        { "x = 'program = 1'", false },
        { "x = \"\\\" program = 1\"", false },
        { "x = [[ program = 1 ]]", false },
        { "x = a[b[1]] y = { program = 1 }", true },
        { "subprogram = 1", false },
        { "", false },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (files_is_scenario(str_from(rows[i].text)) != rows[i].is)
            fail_msg("%s", rows[i].text);
    assert_true(files_is_driver(S("function driver.view(redis, lock) end")));
    assert_true(files_is_driver(S("return { view = function() end }")));
    assert_false(files_is_driver(S("return { view = f, program = g }")));
    assert_true(files_is_driver(S("return generic.lock { acquire = 'a.lua' }")));
    assert_false(files_is_driver(S("-- generic.lock { }\nerror('generic.lock: no')  mygeneric.lock {}  generic.locks "
                                   "{}")));
}

/* Property: a glance at any bytes ends, within the bytes. */
static void any_bytes_are_looked_at_and_left(void **state)
{
    (void)state;
    static const char alphabet[] = "-[]='\"\\ \nprogam\0";
    rng r = rng_new(1, 2);
    for (int round = 0; round < 20000; round++) {
        size_t n = rng_below(&r, 24);
        char *exact = malloc(n ? n : 1);           /* so that a byte too far is found */
        assert_non_null(exact);
        for (size_t i = 0; i < n; i++)
            exact[i] = alphabet[rng_below(&r, sizeof alphabet)];
        files_is_scenario((str){ exact, n });
        arena *a = arena_new();
        files_headline(a, (str){ exact, n });
        arena_free(a);
        free(exact);
    }
}

static void a_headline_is_the_first_sentence_without_its_file_name(void **state)
{
    place *p = *state;
    static const char *const rows[][2] = {
        { "-- late.lua: a holder that stalls.\nreturn", "a holder that stalls." },
        { "--- A lock: the plain one\n", "A lock: the plain one" },
        { "-- One sentence\n-- on two lines. And another.\n", "One sentence on two lines." },
        { "-- No end here\n\n-- a comment of its own.", "No end here" },
        { "-- Version 3.13 it is. Yes.", "Version 3.13 it is." },
        { "return 1 -- not this", "" },
        { "--[[ nor this ]]", "" },
        { "", "" },
        { "--", "" },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(str_eq(files_headline(p->a, str_from(rows[i][0])), str_from(rows[i][1])));
}

static void a_relative_path_leads_back(void **state)
{
    place *p = *state;
    put(p, "a/b", "x.lua", S("x"));
    put(p, "a/bc", "y.lua", S("y"));
    static const char *const rows[][3] = {
        { "a/b", "a/b/x.lua", "x.lua" }, { "a", "a/b/x.lua", "b/x.lua" }, { "a/b", "a/bc/y.lua", "../bc/y.lua" },
        { "a/bc", "a/b/x.lua", "../b/x.lua" }, { "a/b", "a", "../../a" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        str folder = files_join(p->a, p->root, str_from(rows[i][0])),
                     to = files_join(p->a, p->root, str_from(rows[i][1]));
        str way = files_relative(p->a, folder, to);
        struct stat one, two;
        assert_true(str_eq(way, str_from(rows[i][2])));
        assert_int_equal(stat(files_join(p->a, folder, way).p, &one), 0);
        assert_int_equal(stat(to.p, &two), 0);
        assert_true(one.st_ino == two.st_ino);
    }
}

static void what_cannot_be_written_is_said_and_leaves_nothing(void **state)
{
    place *p = *state;
    put(p, "", "file", S("kept"));
    str path, text;
    err e = { 0 };
    assert_false(files_write(p->a, arena_printf(p->a, "%s/file/sub", p->root.p), S("x"), S("y"), &path, &e));
    assert_int_equal(e.class_, ERR_USAGE);
    err_clear(&e);
    assert_true(files_read(p->a, arena_printf(p->a, "%s/file", p->root.p), &text, &e));
    assert_true(str_eq(text, S("kept")));
}

static void a_saved_counterexample_comes_back_whole(void **state)
{
    place *p = *state;
    str scripts[] = { S("../my scripts"), S("..") };
    saved s = { .scenario = S("../../we\"ird\\\n\001.lua"), .property = PROPERTY_NO_LOST_WAKEUP, .seed = 7,
                .max_steps = 99, .by = { S("crash,pause=2"), S("valkey 9.1") },
                .scripts = scripts, .script_count = 2, .schedule = S("A.acquire !pause A +30001\nB<answer") };
    story_row rows[] = { { .did = S("x\n-- y\"") }, { .did = S("]]") } };
    counterexample x = { .text = S("two\nlines \033"), .story = { .rows = rows, .count = 2 } };
    buf b = { 0 };
    saved_print(&s, S(".locksim/out/x.lua"), &x, &b);
    saved back;
    err e = { 0 };
    if (!saved_parse(p->a, S("x.lua"), buf_str(&b), &back, &e))
        fail_msg("%s", e.message.p);
    assert_true(str_eq(back.scenario, s.scenario));
    assert_true(back.property == s.property && back.seed == 7 && back.max_steps == 99);
    assert_true(str_eq(back.by.faults, s.by.faults) && str_eq(back.by.dialect, s.by.dialect));
    assert_int_equal(back.script_count, 2);
    assert_true(str_eq(back.scripts[0], scripts[0]) && str_eq(back.scripts[1], scripts[1]));
    assert_true(str_eq(back.schedule, S("A.acquire\n!pause A\n+30001\nB<answer")));
    assert_int_equal(back.steps, 4);
    buf_free(&b);
}

static void what_is_no_saved_counterexample_is_located(void **state)
{
    place *p = *state;
    static const struct { const char *text; int line; } rows[] = {
        { "", 1 }, { "x", 1 }, { "return", 1 }, { "return {", 1 }, { "return {}", 1 },
        { "return {\n  locksim = 2 }", 2 },
        { "return { nonsense = 1 }", 1 }, { "return { locksim = 1,\n property = \"no\" }", 2 },
        { "return { locksim = }", 1 },
        { "return { schedule = { \"A\", } } x", 1 }, { "return { scenario = \"open\n }", 1 },
        { "return { schedule = \"A\" }", 1 },
        { "return { scenario = os.exit() }", 1 }, { "return { faults = \"\" }", 1 },
        { "return {\n faults = \"crash=x\" }", 2 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        saved s;
        err e = { 0 };
        assert_false(saved_parse(p->a, S("x.lua"), str_from(rows[i].text), &s, &e));
        assert_int_equal(e.class_, ERR_SCENARIO);
        assert_int_equal(e.line, rows[i].line);
        err_clear(&e);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_place, leave_place)
    const struct CMUnitTest tests[] = {
        TEST(a_path_is_its_folder_and_its_name),
        TEST(the_first_folder_that_has_a_script_wins),
        TEST(a_scenarios_overlay_folder_comes_first),
        TEST(a_walk_leaves_overlay_folders_out),
        TEST(names_that_no_folder_has_are_located_errors),
        TEST(folders_devices_and_long_files_are_refused),
        TEST(a_walk_finds_scenarios_in_byte_order_and_passes_over_the_rest),
        TEST(a_folder_without_scenarios_is_an_error_and_says_what_it_holds),
        TEST(code_that_sets_program_is_a_scenario_and_its_mention_is_not),
        TEST(any_bytes_are_looked_at_and_left),
        TEST(a_headline_is_the_first_sentence_without_its_file_name),
        TEST(a_relative_path_leads_back),
        TEST(what_cannot_be_written_is_said_and_leaves_nothing),
        TEST(a_saved_counterexample_comes_back_whole),
        TEST(what_is_no_saved_counterexample_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
