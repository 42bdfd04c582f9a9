/* test_client_source.c - the layout of one token per line keeps the meaning, gives every call a line, and knows every
 * place. */
#include "client_rig.h"

#include <lauxlib.h>
#include <lua.h>

#include "scenario/source.h"

/* A walk over precompiled code (the layout is lua.org's ldump.c, 64-bit little-endian): all of it but line numbers goes
 * to `meaning`, the lines of calls to `lines`. */
typedef struct {
    const unsigned char *p, *end;
    buf *meaning;
    int *lines;
    size_t line_count, line_cap;
} walk;

static void bytes(walk *w, size_t n, bool keep)
{
    assert_true((size_t)(w->end - w->p) >= n);
    if (keep)
        buf_add(w->meaning, (str){ (const char *)w->p, n });
    w->p += n;
}

static uint32_t integer(walk *w, bool keep)
{
    uint32_t n;
    memcpy(&n, w->p, 4);
    bytes(w, 4, keep);
    return n;
}

static void string(walk *w)
{
    uint64_t n;
    memcpy(&n, w->p, 8);
    bytes(w, 8, true);
    bytes(w, n, true);
}

static void function(walk *w)
{
    string(w);
    integer(w, false);
    integer(w, false);
    bytes(w, 4, true);
    uint32_t n = integer(w, true);
    const unsigned char *code = w->p;
    bytes(w, 4 * n, true);
    uint32_t constants = integer(w, true);
    for (uint32_t i = 0; i < constants; i++) {
        int type = *w->p;
        bytes(w, 1, true);
        if (type == LUA_TBOOLEAN)
            bytes(w, 1, true);
        else if (type == LUA_TNUMBER)
            bytes(w, 8, true);
        else if (type == LUA_TSTRING)
            string(w);
    }
    uint32_t inner = integer(w, true);
    for (uint32_t i = 0; i < inner; i++)
        function(w);
    uint32_t lines = integer(w, true);
    assert_int_equal(lines, n);
    for (uint32_t i = 0; i < lines; i++) {
        enum { OP_CALL = 28, OP_TAILCALL = 29 };
        int op = code[4 * i] & 0x3f;
        int line = (int)integer(w, false);
        if (op == OP_CALL || op == OP_TAILCALL) {
            assert_true(w->line_count < w->line_cap);
            w->lines[w->line_count++] = line;
        }
    }
    uint32_t locals = integer(w, true);
    for (uint32_t i = 0; i < locals; i++) {
        string(w);
        integer(w, true);
        integer(w, true);
    }
    uint32_t upvalues = integer(w, true);
    for (uint32_t i = 0; i < upvalues; i++)
        string(w);
}

static int to_buf(lua_State *L, const void *p, size_t n, void *out)
{
    (void)L;
    buf_add(out, (str){ p, n });
    return 0;
}

/* Compiles with stock Lua; false: it does not compile. */
static bool meaning(str text, buf *out, int *lines, size_t *line_count)
{
    lua_State *L = luaL_newstate();
    bool ok = luaL_loadbuffer(L, text.p, text.n, "=x") == 0;
    if (ok) {
        buf dump = { 0 };
        lua_dump(L, to_buf, &dump);
        walk w = { .p = (unsigned char *)dump.p, .end = (unsigned char *)dump.p + dump.n, .meaning = out,
                   .lines = lines, .line_cap = 4096 };
        bytes(&w, 12, true);
        function(&w);
        assert_ptr_equal(w.p, w.end);
        *line_count = w.line_count;
        buf_free(&dump);
    }
    lua_close(L);
    return ok;
}

static void check_same_meaning(const char *text)
{
    static int lines[4096], ignored[4096];
    size_t n = 0, m = 0;
    arena *a = arena_new();
    source s = { .path = S("x.lua"), .text = str_from(text) };
    err e = { 0 };
    buf was = { 0 }, is = { 0 };
    bool before = meaning(s.text, &was, ignored, &m);
    bool laid = source_lay(a, &s, &e);
    if (!before) {
        if (laid && meaning(s.laid, &is, lines, &n))
            fail_msg("compiles only when laid out:\n%s\n---\n%s", text, s.laid.p);
    } else {
        if (!laid)
            fail_msg("%s\n%.*s", text, STR_ARG(buf_str(&e.message)));
        if (!meaning(s.laid, &is, lines, &n))
            fail_msg("does not compile any more:\n%s\n---\n%s", text, s.laid.p);
        if (!str_eq(buf_str(&was), buf_str(&is)))
            fail_msg("another meaning:\n%s\n---\n%s", text, s.laid.p);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                if (lines[i] == lines[j])
                    fail_msg("two calls on laid line %d:\n%s\n---\n%s", lines[i], text, s.laid.p);
    }
    buf_free(&was);
    buf_free(&is);
    err_clear(&e);
    arena_free(a);
}

static const char *const tricky[] = {
    "", " ", "-- only a comment", "--[[ long\n]] return 1",
    "return a.b:c\"x\"{}", "f\"x\"(1)(2)'y'{}(3)", "f{}{}\"z\"{}", "f{g{h\"x\"}\"y\"}(k\"z\")",
    "return f(g(h(1)),i(2))",
    "local x = [[\nfirst line dropped\r\nsecond]] .. [==[ ]] ]=] ]==]", "f[[long]][=[again]=]",
    "x = 'a\\\nb' y = \"\\65\\066\\z\\\"\"",
    "return 1e5, 0x1F, 3., .5, 3.25e-2, 1e+4, 0xA", "return a..b..'c'..1 ..2", "return a-- comment\n-b",
    "return a --[[x]] - --[==[ ]] ]==] b", "local x\n(f)()", "local x, y\n(f)(1)", "local t = {}\n(f or g)(1)",
    "local s = 'x'\n;(f)()", "local function g()\nend\n(f)()",
    "function a.b.c:d(x, y)\n(f)() end", "function f()\nreturn\n(g)()\nend", "return function(a) (f)(a) end",
    "while f() do g() if h() then break end end repeat local z = f() until z", "for i = f(1), g(2), h(3) do k(i) end",
    "for k, v in pairs(t) do f(k)(v) end", "if a() then b() elseif c() then d() else e() end",
    "return {a(), b(), [c()] = d(), e = f(), g(); h()}", "return not -#f(), #t, f() and g() or h()",
    "a, b.c, d[f()] = g(), h()",
    "return (f())(g())((h)())", "f(function() return g(h()) end)(function() k() end)",
    "x = f{1,2,{g()}}.y(z).w\"s\":m{}:n\"t\":o()",
    "f()g()h()", "do f() end do local _ = g() end", "return f\"x\", (f\"x\"), ((f))\"x\"",
    "return '--[[ no comment ]]', \"--\" , [[--]]",
    "return \"\\0\\r\\n\\t\\\\\"", "return f '\\'' (1)", "t.x(1).y(2)[z(3)](4)", "local a <const> = 1", "f(", "f)",
    "return 'unclosed",
    "return [[unclosed", "--[[ unclosed", "return 1 2", "x = = 1", "goto x", "a = b\n(c)()", "f(x)\n(y)()",
    "f{}\n(y)()", "f'x'\n(y)()",
    "t[1]\n(y)()", "\"x\" (1)", "x = \"a\" (b)", "return 3(4)", "return ~1", "@", "\1\2", "return 0x", "return 1..2",
    "return 08", "return 1.2.3",
    "return 'a\\400b'", "f\n\"x\"\n\"y\"", "f\n{}\n{}", "return f\n\"x\"", "return\r\nf(1)\n\rg(2)\r\rh(3)",
};

static void the_layout_keeps_the_meaning_and_gives_every_call_a_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(tricky); i++)
        check_same_meaning(tricky[i]);
}

/* Random sequences of tokens: most do not compile, and must not compile re-laid either. */
static void random_tokens_mean_the_same_when_laid_out(void **state)
{
    (void)state;
    static const char *const words[] = {
        "f", "g", "x", "(", ")", "(", ")", "{", "}", "[", "]", "\"s\"", "'t'", "[[u]]", "1", ".5", "=", ",", ";", ".",
        ":", "..", "+", "-", "not", "and", "function", "end", "local", "return", "if", "then", "else", "do", "while",
        "for", "in", "nil", "--c\n", "\n", "#",
    };
    uint64_t seed = 12345;
    size_t compiled = 0;
    for (int round = 0; round < 30000; round++) {
        buf b = { 0 };
        size_t n = 1 + (size_t)(round % 9);
        buf_addz(&b, round % 3 == 0 ? "return f" : round % 3 == 1 ? "f" : " ");
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            buf_addz(&b, words[(seed >> 33) % COUNT(words)]);
            buf_byte(&b, (seed >> 20) % 8 ? ' ' : '\n');
        }
        lua_State *L = luaL_newstate();
        compiled += luaL_loadbuffer(L, b.p, b.n, "=x") == 0;
        lua_close(L);
        check_same_meaning(b.p);
        buf_free(&b);
    }
    assert_true(compiled > 1000);
}

static source laid(arena *a, const char *text)
{
    source s = { .path = S("x.lua"), .text = str_from(text) };
    err e = { 0 };
    assert_true(source_lay(a, &s, &e));
    return s;
}

static void every_laid_line_knows_its_place(void **state)
{
    (void)state;
    arena *a = arena_new();
    source s = laid(a, "local a = f(1,\n  g\"x\" .. [[\nlong]])\n\treturn a");
    /* local a = f( 1 , g( "x" ) .. [[]] ) return a <end> */
    static const struct { int line, col; } want[] = {
        { 1, 1 }, { 1, 7 }, { 1, 9 }, { 1, 11 }, { 1, 13 }, { 1, 14 }, { 2, 3 }, { 2, 4 }, { 2, 4 }, { 2, 8 },
        { 2, 11 }, { 3, 7 },
        { 4, 2 }, { 4, 9 }, { 4, 10 },
    };
    assert_int_equal(s.line_count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        position p = source_position(&s, (int)i + 1);
        assert_int_equal(p.line, want[i].line);
        assert_int_equal(p.col, want[i].col);
    }
    assert_int_equal(source_position(&s, 0).line, 0);
    assert_int_equal(source_position(&s, (int)COUNT(want) + 1).line, 0);
    arena_free(a);
}

static void a_field_is_found_where_it_is_written(void **state)
{
    (void)state;
    arena *a = arena_new();
    source s = laid(a, "local function f() return { title = 1 } end\n"
                       "return {\n"
                       "  title = f { title = 2 },\n"
                       "  clients = { \"A\", { \"B\", threads = 0 } },\n"
                       "  program = function(me) local faults = { pause = 9 } return faults end,\n"
                       "  [\"faults\"] = { pause = 1, crash = { 2, of = 'Z' } },\n"
                       "}\n");
    static const struct { field_step steps[3]; size_t n; int line, col; } row[] = {
        { { { { "title", 5 }, 0 } }, 1, 3, 3 },
        { { { { "clients", 7 }, 0 }, { { NULL, 0 }, 2 }, { { "threads", 7 }, 0 } }, 3, 4, 27 },
        { { { { "clients", 7 }, 0 }, { { NULL, 0 }, 1 } }, 2, 4, 15 },
        { { { { "faults", 6 }, 0 }, { { "crash", 5 }, 0 }, { { "of", 2 }, 0 } }, 3, 6, 42 },
        { { { { "faults", 6 }, 0 }, { { "nothing", 7 }, 0 } }, 2, 6, 4 },
        { { { { "nothing", 7 }, 0 } }, 1, 2, 1 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        position p = source_field(&s, row[i].steps, row[i].n);
        assert_int_equal(p.line, row[i].line);
        assert_int_equal(p.col, row[i].col);
    }
    arena_free(a);
}

static void wrong_tokens_are_told_with_line_and_column(void **state)
{
    (void)state;
    static const struct { const char *text, *message; int line, col; } row[] = {
        { "local x = 'abc\n'", "this string is not closed on its line", 1, 11 },
        { "x = [==[ a ]=]", "this long string is never closed", 1, 5 },
        { "\n  --[[ a", "this comment is never closed", 2, 3 },
        { "return ...", "'...' is not available in client code: its values cannot be compared between states", 1, 8 },
        { "a = 1\nb = @", "unexpected character '@'", 2, 5 },
        { "a = \x80", "unexpected byte 0x80", 1, 5 },
        { "a = '\\300'", "an escape \\ddd in this string is above 255", 1, 5 },
        { "f\n  (1)", "ambiguous syntax: a call, or a new statement?", 2, 3 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        arena *a = arena_new();
        source s = { .path = S("x.lua"), .text = str_from(row[i].text) };
        err e = { 0 };
        assert_false(source_lay(a, &s, &e));
        assert_string_equal(e.message.p, row[i].message);
        assert_int_equal(e.line, row[i].line);
        assert_int_equal(e.col, row[i].col);
        err_clear(&e);
        arena_free(a);
    }
}

static void random_bytes_are_refused_or_laid_without_harm(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int round = 0; round < 3000; round++) {
        char text[64];
        size_t n = (size_t)round % sizeof text;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[i] = (char)(seed >> 40);
        }
        arena *a = arena_new();
        source s = { .path = S("x.lua"), .text = { text, n } };
        err e = { 0 };
        source_lay(a, &s, &e);
        for (int line = 0; line <= (int)s.line_count + 1; line++)
            source_position(&s, line);
        source_field(&s, &(field_step){ .name = S("title") }, 1);
        err_clear(&e);
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_layout_keeps_the_meaning_and_gives_every_call_a_line),
        cmocka_unit_test(random_tokens_mean_the_same_when_laid_out),
        cmocka_unit_test(every_laid_line_knows_its_place),
        cmocka_unit_test(a_field_is_found_where_it_is_written),
        cmocka_unit_test(wrong_tokens_are_told_with_line_and_column),
        cmocka_unit_test(random_bytes_are_refused_or_laid_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
