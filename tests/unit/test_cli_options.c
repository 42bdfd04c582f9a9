/* test_cli_options.c - arguments: what is taken, what is refused and with which word, and that every option is
 * described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"

/* Parses blank-separated words; the options point into `words`. */
static bool parse(arena *a, command_kind c, const char *line, options *o, err *e)
{
    enum { WORDS_MAX = 32 };
    char **argv = ARENA_ARRAY(a, char *, WORDS_MAX);
    int argc = 0;
    str rest = str_from(line);
    for (size_t from = 0; from < rest.n; ) {
        size_t end = str_find(rest, ' ', from);
        str word = arena_str(a, str_slice(rest, from, end));
        argv[argc] = arena_alloc(a, word.n + 1);
        memcpy(argv[argc++], word.p, word.n);
        from = end + 1;
    }
    return options_parse(a, c, argc, argv, o, e);
}

static void run_takes_all_its_options_before_and_after_the_files(void **state)
{
    (void)state;
    arena *a = arena_new();
    options o;
    err e = { 0 };
    assert_true(parse(a, COMMAND_RUN, "--scripts one x.lua --scripts=two --seed 7 -o out --strategy pct --runs=50 "
                      "--format json y.lua "
                                      "--max-steps 9 --time-limit 3 -v --timing --color never -- --z.lua", &o, &e));
    assert_int_equal(o.script_count, 2);
    assert_string_equal(o.scripts[0], "one");
    assert_string_equal(o.scripts[1], "two");
    assert_int_equal(o.argument_count, 3);
    assert_string_equal(o.arguments[2], "--z.lua");
    assert_true(o.has_seed && o.seed == 7 && o.has_runs && o.runs == 50 && o.max_steps == 9 && o.time_limit_s == 3);
    assert_true(o.strategy == 1 && o.format == FORMAT_JSON && o.color == COLOR_NEVER && o.verbose && o.timing);
    assert_string_equal(o.out_dir, "out");
    assert_true(parse(a, COMMAND_RUN, "--max-states 9 --max-memory 64K --exhaustive x.lua", &o, &e));
    assert_true(o.has_max_states && o.max_states == 9 && o.has_max_memory && o.max_memory == 65536 && o.exhaustive);
    assert_true(parse(a, COMMAND_RUN, "-oelsewhere x.lua", &o, &e));
    assert_string_equal(o.out_dir, "elsewhere");
    assert_true(o.format == FORMAT_TEXT && o.strategy == CHOICE_UNSAID && !o.has_seed);
    arena_free(a);
}

static void folders_of_scripts_are_counted_by_every_subcommand_that_knows_them(void **state)
{
    (void)state;
    static const command_kind knowing[] = { COMMAND_RUN, COMMAND_REPORT, COMMAND_WATCH, COMMAND_SIMULATE,
                                            COMMAND_REPLAY, COMMAND_SHELL,
                                            COMMAND_LIST, COMMAND_MUTATE, COMMAND_COMPARE };
    for (size_t i = 0; i < COUNT(knowing); i++) {
        char *argv[] = { "--scripts", "one", "--scripts=two", "--", "a", "b" };
        arena *a = arena_new();
        options o;
        err e = { 0 };
        options_parse(a, knowing[i], 6, argv, &o, &e);         /* some take fewer arguments: the options come first */
        assert_int_equal(o.script_count, 2);
        assert_string_equal(o.scripts[0], "one");
        assert_string_equal(o.scripts[1], "two");
        err_clear(&e);
        arena_free(a);
    }
}

static void wrong_arguments_are_refused_with_a_word(void **state)
{
    (void)state;
    static const struct { command_kind c; const char *line, *message, *hint; } rows[] = {
        { COMMAND_RUN, "", "takes FILE|DIR...", "--help" },
        { COMMAND_RUN, "--sed 1 x", "no option '--sed'", "--seed" },
        { COMMAND_RUN, "-z x", "no option '-z'", "--help" },
        { COMMAND_RUN, "x --seed", "--seed needs a value", "" },
        { COMMAND_RUN, "x --seed -1", "whole number", "" },
        { COMMAND_RUN, "x --seed 1e3", "whole number", "" },
        { COMMAND_RUN, "x --seed 99999999999999999999", "whole number", "" },
        { COMMAND_RUN, "x --runs 0", "from 1 to", "" },
        { COMMAND_RUN, "x --strategy pctt", "one of uniform|pct", "pct" },
        { COMMAND_RUN, "x --format xml", "one of text|json|junit", "" },
        { COMMAND_RUN, "x --faults=", "there is no fault ''", "list faults" },
        { COMMAND_RUN, "x --faults crahs=1", "no fault 'crahs'", "mean crash" },
        { COMMAND_RUN, "x --faults crash,", "there is no fault ''", "list faults" },
        { COMMAND_RUN, "x --faults crash=", "from 0 to 1000, not ''", "" },
        { COMMAND_RUN, "x --faults crash=-1", "from 0 to 1000, not '-1'", "" },
        { COMMAND_RUN, "x --faults crash=1001", "from 0 to 1000, not '1001'", "" },
        { COMMAND_RUN, "x --faults crash=4294967297", "from 0 to 1000", "" },
        { COMMAND_RUN, "x --faults pause=1,crash=0,pause=1", "pause is named twice", "" },
        { COMMAND_RUN, "x --faults none,crash", "no fault 'none'", "" },
        { COMMAND_RUN, "x --verbose=yes", "takes no value", "" },
        { COMMAND_RUN, "x --schedule A --runs 3", "--schedule follows one schedule", "alone" },
        { COMMAND_RUN, "x --no-fold --strategy pct", "--no-fold runs every schedule", "" },
        { COMMAND_RUN, "x --exhaustive --runs 3", "--exhaustive visits every state", "one of them" },
        { COMMAND_RUN, "x --exhaustive --no-fold", "--no-fold runs every schedule", "one of them" },
        { COMMAND_RUN, "x --exhaustive --schedule A", "--schedule follows one schedule", "alone" },
        { COMMAND_RUN, "x --max-states 5 --schedule A", "--schedule follows one schedule", "alone" },
        { COMMAND_RUN, "x --max-memory 5 --strategy pct", "a random one keeps no states", "--time-limit" },
        { COMMAND_RUN, "x --max-states 5 --no-fold", "--no-fold keeps no states", "--time-limit" },
        { COMMAND_RUN, "x --max-states 0", "from 1 to", "" },
        { COMMAND_RUN, "x --max-memory 4T", "a number of bytes, not '4T'", "512M" },
        { COMMAND_RUN, "x --max-memory 0", "a number of bytes, not '0'", "" },
        { COMMAND_RUN, "x --max-memory M", "a number of bytes, not 'M'", "" },
        { COMMAND_RUN, "x --max-memory 9007199254740992K", "a number of bytes", "" },
        { COMMAND_REPLAY, "a b", "takes FILE", "" },
        { COMMAND_REPLAY, "a --seed 1", "no option '--seed'", "" },
        { COMMAND_SHELL, "a b", "takes [FILE]", "" },
        { COMMAND_EXPLAIN, "", "takes CODE|NAME...", "" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        arena *a = arena_new();
        options o;
        err e = { 0 };
        assert_false(parse(a, rows[i].c, rows[i].line, &o, &e));
        assert_int_equal(e.class_, ERR_USAGE);
        assert_non_null(strstr(e.message.p, rows[i].message));
        assert_true(rows[i].hint[0] == '\0' || (e.hint.n && strstr(e.hint.p, rows[i].hint)));
        err_clear(&e);
        arena_free(a);
    }
}

static void help_wins_over_every_mistake_but_not_after_two_dashes(void **state)
{
    (void)state;
    arena *a = arena_new();
    options o;
    err e = { 0 };
    assert_true(parse(a, COMMAND_RUN, "--nonsense --help", &o, &e) && o.help);
    assert_true(parse(a, COMMAND_RUN, "-h", &o, &e) && o.help);
    assert_true(parse(a, COMMAND_RUN, "-- --help", &o, &e) && !o.help);
    arena_free(a);
}

static void every_subcommand_describes_itself_with_an_example(void **state)
{
    (void)state;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        buf b = { 0 };
        options_help((command_kind)i, &b);
        assert_non_null(strstr(b.p, "Usage: locksim "));
        assert_non_null(strstr(b.p, "\nExample:\n  "));
        assert_non_null(strstr(b.p, "--help"));
        buf_free(&b);
    }
}

static void a_misspelt_subcommand_names_the_nearest(void **state)
{
    (void)state;
    command_kind c;
    err e = { 0 };
    assert_false(command_parse(S("replya"), &c, &e));
    assert_non_null(strstr(e.hint.p, "locksim replay"));
    err_clear(&e);
    assert_true(command_parse(S("shell"), &c, &e) && c == COMMAND_SHELL);
}

static void of_two_statuses_the_worse_counts(void **state)
{
    (void)state;
    static const int order[] = { 70, 65, 64, 4, 1, 2, 3, 0 };
    for (size_t i = 0; i < COUNT(order); i++)
        for (size_t k = 0; k < COUNT(order); k++)
            assert_int_equal(status_worse(order[i], order[k]), order[i < k ? i : k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_takes_all_its_options_before_and_after_the_files),
        cmocka_unit_test(folders_of_scripts_are_counted_by_every_subcommand_that_knows_them),
        cmocka_unit_test(wrong_arguments_are_refused_with_a_word),
        cmocka_unit_test(help_wins_over_every_mistake_but_not_after_two_dashes),
        cmocka_unit_test(every_subcommand_describes_itself_with_an_example),
        cmocka_unit_test(a_misspelt_subcommand_names_the_nearest),
        cmocka_unit_test(of_two_statuses_the_worse_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
