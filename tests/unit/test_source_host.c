/* test_source_host.c - our Lua programs inside the C program: what they return, what they raise, and where a syntax
 * error stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "source/host.h"

static int open_host(void **state)
{
    err e = { 0 };
    *state = source_host_new(&e);
    assert_int_equal(e.class_, ERR_NONE);
    return *state ? 0 : -1;
}

static int close_host(void **state)
{
    source_host_free(*state);
    return 0;
}

static bool rows_of(void **state, arena *a, str text, source_rows *rows, err *e)
{
    str in[] = { S("my/script.lua"), text };
    return source_host_run(*state, a, "tree", "rows", in, COUNT(in), rows, e);
}

static bool row_is(const source_row *row, str tag, str line, str col, str first, str last)
{
    return row->count == 5 && str_eq(row->field[0], tag) && str_eq(row->field[1], line) && str_eq(row->field[2], col) &&
           str_eq(row->field[3], first) && str_eq(row->field[4], last);
}

/* Property: places are in bytes, whatever stands in comments and strings before them. */
static void places_count_bytes(void **state)
{
    arena *a = arena_new();
    source_rows rows;
    err e = { 0 };
    assert_true(rows_of(state, a, S("-- \xc3\xa4\n  return '\xe2\x82\xac' .. x"), &rows, &e));
    assert_int_equal(rows.count, 4);
    assert_true(row_is(&rows.row[0], S("Return"), S("2"), S("3"), S("9"), S("25")));
    assert_true(row_is(&rows.row[3], S("Id"), S("2"), S("19"), S("25"), S("25")));
    arena_free(a);
}

/* Property: what Lua 5.1 would not load is refused where it stands; what it loads is read. */
static void syntax_is_that_of_lua_5_1(void **state)
{
    static const struct { str text; int line, col; } row[] = {
        { { "", 0 }, 0, 0 },
        { { "return", 6 }, 0, 0 },
        { { "#!lua flags=no-writes\nreturn 1", 30 }, 0, 0 },
        { { "-- \xff\xfe\nreturn 1", 14 }, 0, 0 },
        { { "local x = = 1", 13 }, 1, 11 },
        { { "\n\nif x then", 11 }, 3, 10 },
        { { "goto done", 9 }, 1, -1 },
        { { "x = 7 // 2", 10 }, 1, -1 },
        { { "x += 1", 6 }, 1, -1 },
        { { "return 'a", 9 }, 1, -1 },
        { { "\0\0", 2 }, 1, -1 },
        { { "\x1bLua", 4 }, 1, 1 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        arena *a = arena_new();
        source_rows rows;
        err e = { 0 };
        assert_int_equal(rows_of(state, a, row[i].text, &rows, &e), row[i].line == 0);
        if (row[i].line) {
            assert_int_equal(e.class_, ERR_SCENARIO);
            assert_true(str_eq(buf_str(&e.path), S("my/script.lua")));
            assert_int_equal(e.line, row[i].line);
            if (row[i].col >= 0)
                assert_int_equal(e.col, row[i].col);
        }
        err_clear(&e);
        arena_free(a);
    }
}

static void any_depth_ends_in_an_answer(void **state)
{
    static const char *const pieces[] = { "(", "{", "if x then ", "f(", "x = not ", "- - ", "function () ", "[[" };
    for (size_t i = 0; i < COUNT(pieces); i++) {
        arena *a = arena_new();
        buf b = { 0 };
        for (int n = 0; n < 50000; n++)
            buf_addz(&b, pieces[i]);
        source_rows rows;
        err e = { 0 };
        assert_false(rows_of(state, a, buf_str(&b), &rows, &e));
        assert_int_equal(e.class_, ERR_SCENARIO);
        err_clear(&e);
        buf_free(&b);
        arena_free(a);
    }
}

static void an_unknown_program_or_function_is_our_mistake(void **state)
{
    static const char *const names[][2] = { { "nothing", "rows" }, { "tree", "nothing" }, { "tree", "place" } };
    for (size_t i = 0; i < COUNT(names); i++) {
        arena *a = arena_new();
        source_rows rows;
        err e = { 0 };
        assert_false(source_host_run(*state, a, names[i][0], names[i][1], NULL, 0, &rows, &e));
        assert_int_equal(e.class_, ERR_BUG);
        err_clear(&e);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(places_count_bytes, open_host, close_host),
        cmocka_unit_test_setup_teardown(syntax_is_that_of_lua_5_1, open_host, close_host),
        cmocka_unit_test_setup_teardown(any_depth_ends_in_an_answer, open_host, close_host),
        cmocka_unit_test_setup_teardown(an_unknown_program_or_function_is_our_mistake, open_host, close_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
