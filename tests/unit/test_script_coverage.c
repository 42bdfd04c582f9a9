/* test_script_coverage.c - what is said to be reached was, what is said not to be was not, and nobody else can tell. */
#include "script_rig.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/rng.h"
#include "script/script.h"

typedef struct {
    script_rig *rig;
    coverage *c;
    buf said;
} cover_rig;

static int open_rig(void **state)
{
    cover_rig *g = calloc(1, sizeof *g);
    g->rig = rig_open((redis_limits){ 0 });
    g->c = coverage_new();
    redis_cover(g->rig->server, g->c);
    *state = g;
    return 0;
}

static int close_rig(void **state)
{
    cover_rig *g = *state;
    rig_close(g->rig);
    coverage_free(g->c);
    buf_free(&g->said);
    free(g);
    return 0;
}

/* "1*2 2*0 | 1:1 then 1, 1:1 else 0": lines with their counts, then branches with theirs. */
static void say(const coverage_script *s, buf *out)
{
    for (size_t i = 0; i < s->line_count; i++)
        buf_printf(out, "%s%d*%d", i ? " " : "", s->lines[i].line, (int)s->lines[i].count);
    buf_addz(out, " |");
    for (size_t i = 0; i < s->branch_count; i++)
        buf_printf(out, "%s %d:%d %s %d", i ? "," : "", s->branches[i].line, s->branches[i].col, s->branches[i].what,
                   (int)s->branches[i].count);
}

/* What the coverage knows of this script; "" if it does not know it. */
static const char *covered_by(cover_rig *g, const char *body)
{
    char sha[41];
    redis_sha1(str_from(body), sha);
    arena *a = arena_new();
    const coverage_script *scripts;
    size_t n = coverage_scripts(g->c, a, &scripts);
    buf_clear(&g->said);
    for (size_t i = 0; i < n; i++)
        if (str_eq(scripts[i].sha1, str_from(sha)))
            say(&scripts[i], &g->said);
    arena_free(a);
    return g->said.p ? g->said.p : "";
}

/* One script in a fresh coverage, run once. */
static const char *after_one_run(const char *body, buf *said)
{
    void *state;
    open_rig(&state);
    cover_rig *g = state;
    rig_eval(g->rig, body);
    buf_clear(said);
    buf_addz(said, covered_by(g, body));
    close_rig(&state);
    return said->p;
}


static void expect_rows(const script_row *rows, size_t n)
{
    buf said = { 0 };
    for (size_t i = 0; i < n; i++) {
        const char *got = after_one_run(rows[i].body, &said);
        if (strcmp(got, rows[i].answer) != 0)
            fail_msg("%s\n  gives   %s\n  not     %s", rows[i].body, got, rows[i].answer);
    }
    buf_free(&said);
}
#define EXPECT(...) expect_rows((const script_row[]){ __VA_ARGS__ }, COUNT(((const script_row[]){ __VA_ARGS__ })))

/* KEYS are k and {k}2, ARGV a and 5. */
static void lines_are_those_that_hold_code(void **state)
{
    (void)state;
    EXPECT({ "", "1*1 |" },
           { "return 1", "1*1 |" },
           { "\n-- a comment\n\nreturn 1\n\n", "4*1 |" },
           { "--[[ a long\ncomment ]] return --[==[ ]] ]==] 1", "2*1 |" },
           { "local s = [[a\nb]]\nreturn s", "2*1 3*1 |" },
           { "local s = 'a\\\nb'\nreturn s", "2*1 3*1 |" },
           { "#!lua flags=no-writes\nreturn 1", "2*1 |" },
           { "local function f()\n return 1\nend\nreturn 2", "2*0 3*1 4*1 |" },
           { "local function f()\n return 1\nend\nreturn f()", "2*1 3*1 4*1 |" },
           { "local t = {\n function()\n  return 1\n end,\n function() return function()\n  return 2\n end "
             "end,\n}\nreturn t[2]()()", "1*1 3*0 4*1 6*1 7*1 8*1 9*1 |" },
           { "if KEYS[1] == 'k' then\n return 1\nelse\n return 2\nend", "1*1 2*1 4*0 | 1:1 then 1, 1:1 else 0" },
           { "do return 1 end\nreturn 2", "1*1 2*0 |" },
           { "if false then\n return 2\nend\nreturn 1", "1*1 2*0 4*1 | 1:1 then 0, 1:1 else 1" });
}

static void decisions_stand_at_their_keywords(void **state)
{
    (void)state;
    EXPECT({ "if KEYS[1] then return 1 end return 2", "1*1 | 1:1 then 1, 1:1 else 0" },
           { "if KEYS[3] then return 1 end return 2", "1*1 | 1:1 then 0, 1:1 else 1" },
           { "\tif not KEYS[1] then return 1 else return 2 end", "1*1 | 1:2 then 0, 1:2 else 1" },
           { "local a = 5\nif a == 1 then a = 2 elseif a == 5 then a = 3\nelseif a == 6 then a = 4 else a = 5 end",
             "1*1 2*1 3*1 | 2:1 then 0, 2:1 else 1, 2:22 then 1, 2:22 else 0, 3:1 then 0, 3:1 else 0" },
           { "for i = 1, 0 do\n redis.log(3, i)\nend", "1*1 2*0 3*1 | 1:1 loop's end 1, 1:1 loop 0" },
           { "for i = 1, 3 do if i == 2 then break end end", "1*2 | 1:1 loop's end 0, 1:1 loop 2, 1:17 then 1, 1:17 "
             "else 1" },
           { "for i, k in ipairs(KEYS) do local x = k end", "1*3 | 1:1 loop's end 1, 1:1 loop 2" },
           { "local n = 0 for i,\nk in\npairs({}) do n = 1 end", "1*1 3*1 | 1:13 loop's end 1, 1:13 loop 0" },
           { "local n = 0\nrepeat n = n + 1 until n == 3", "1*1 2*3 | 2:18 loop's end 1, 2:18 loop again 2" },
           { "local n = 0\nrepeat local m = n n = n + 1\nlocal function f() return m end until (f() == 2)",
             "1*1 2*3 3*3 | 3:33 loop's end 1, 3:33 loop again 2" },
           { "local n = 0 while n < 2 do n = n + 1 end", "1*3 | 1:13 loop's end 1, 1:13 loop 2" },
           { "while true do if KEYS[1] then break end end", "1*1 | 1:15 then 1, 1:15 else 0" });
}

static void and_and_or_are_decisions_of_their_own(void **state)
{
    (void)state;
    EXPECT({ "return KEYS[1] and KEYS[2]", "1*1 | 1:16 and, left true 1, 1:16 and, left false 0" },
           { "return KEYS[1] or KEYS[2]", "1*1 | 1:16 or, left true 1, 1:16 or, left false 0" },
           { "return KEYS[1] == 'x' and 1 or 2", "1*1 | 1:23 and, left true 0, 1:23 and, left false 1, 1:29 or, left "
             "true 0, 1:29 or, left false 0" },
           { "if (KEYS[1] == 'x') or 'k' == KEYS[1] then return 1 end", "1*1 | 1:1 then 1, 1:1 else 0, 1:21 or, left "
             "true 0, 1:21 or, left false 1" },
           { "if KEYS[1] or KEYS[2] then return 1 end", "1*1 | 1:1 then 1, 1:1 else 0, 1:12 or, left true 1, 1:12 or, "
             "left false 0" },
           { "if not (KEYS[3] and KEYS[2]) then return 1 end", "1*1 | 1:1 then 1, 1:1 else 0, 1:17 and, left true 0, "
             "1:17 and, left false 1" });
}

/* A value is no decision, and where both ways are one there is none. */
static void what_decides_nothing_is_left_out(void **state)
{
    (void)state;
    EXPECT({ "return KEYS[1] == 'k'", "1*1 |" }, { "local x = not (KEYS[1] == 'k') return x", "1*1 |" },
           { "local t = { KEYS[1] < 'k', (2 == 3) } return t[1] == t[2]", "1*1 |" },
           { "return tostring(KEYS[1] == 'k' ) and 1", "1*1 | 1:34 and, left true 1, 1:34 and, left false 0" },
           { "return ('a' .. tostring(KEYS[1] == 'k')) and 1", "1*1 | 1:42 and, left true 1, 1:42 and, left false 0" },
           { "if KEYS[1] then end", "1*1 |" }, { "while true do return 1 end", "1*1 |" });
}

/* The rest of a line is not reached by its beginning. */
static void an_error_ends_what_is_reached(void **state)
{
    (void)state;
    EXPECT({ "local x = KEYS[1] < 5\nif x then return 1 end", "1*1 2*0 | 2:1 then 0, 2:1 else 0" },
           { "if KEYS[1] < 5 then return 1 end", "1*1 | 1:1 then 0, 1:1 else 0" },
           { "if redis.call('nonsense') or KEYS[1] then return 1 end", "1*1 | 1:1 then 0, 1:1 else 0, 1:27 or, left "
             "true 0, 1:27 or, left false 0" },
           { "local function f(x)\n if x > 0 then return 1 end\nend\npcall(f, {})\npcall(f, 1)\nreturn pcall(f, {})",
             "2*3 3*1 4*1 5*1 6*1 | 2:2 then 1, 2:2 else 0" });
}

/* Code between a comparison and its outcome: metamethods, comparators, coroutines, code that nobody wrote down. */
static void other_code_in_between_takes_nothing_away(void **state)
{
    (void)state;
    EXPECT({ "local m = { __lt = function(a, b)\n if a.n then return false end return true end }\n"
             "local a, b = setmetatable({ n = 1 }, m), setmetatable({}, m)\nif b < a then\n b.m = 1\nend\nif a < b "
             "then\n return 2\nend",
             "1*1 2*2 3*1 4*1 5*1 7*1 8*0 9*1 | 2:2 then 1, 2:2 else 1, 4:1 then 1, 4:1 else 0, "
              "7:1 then 0, 7:1 else 1" },
           { "local t = { 3, 1, 2 }\ntable.sort(t, function(a, b)\n return a < b\nend)\nif t[1] == 1 then return 1 end",
             "1*1 2*1 3*2 4*1 5*1 | 5:1 then 1, 5:1 else 0" },
           { "local co = coroutine.wrap(function(x)\n while x do\n  x = coroutine.yield(x) end\n return 'end' "
             "end)\nco(1) co(2)\nif co(nil) then return 3 end",
             "1*1 2*3 3*2 4*1 5*1 6*1 | 2:2 loop's end 1, 2:2 loop 2, 6:1 then 1, 6:1 else 0" },
           { "local f = loadstring('if KEYS[1] then return 1 end\\n\\n\\n return 2')\nif f() == 1 then return 3 end",
             "1*1 2*1 | 2:1 then 1, 2:1 else 0" });
}

/* ---- against what the program says of itself ---- */

/* A random program, written twice: as it is, and with every way of every decision counted by the program itself. */
enum { DECISIONS_MAX = 400, WAYS = 2 };
typedef struct {
    int line, col;
    const char *what[WAYS];
} expected_decision;

typedef struct {
    buf plain, marked;
    rng r;
    expected_decision decisions[DECISIONS_MAX];
    int count, fuel, loops;
} program;

static void both(program *g, const char *text)
{
    buf_addz(&g->plain, text);
    buf_addz(&g->marked, text);
}

static int pick(program *g, int n)
{
    return (int)rng_below(&g->r, (uint64_t)n);
}

static void blank(program *g)
{
    static const char *const blanks[] = { " ", "\n", "  ", " --[[ and\nor ]] ", " -- if\n" };
    buf_addz(&g->plain, blanks[pick(g, 10) < 6 ? 0 : pick(g, COUNT(blanks))]);
    buf_addz(&g->marked, " ");
}

static int new_decision(program *g, const char *yes, const char *no)
{
    assert_true(g->count < DECISIONS_MAX);
    g->decisions[g->count] = (expected_decision){ .what = { yes, no } };
    return g->count++;
}

/* The keyword of the decision comes next. */
static void stands_here(program *g, int decision)
{
    int line = 1, col = 1;
    for (size_t i = 0; i < g->plain.n; i++) {
        col = g->plain.p[i] == '\n' ? 1 : col + 1;
        line += g->plain.p[i] == '\n';
    }
    g->decisions[decision].line = line;
    g->decisions[decision].col = col;
}

static void hit(program *g, int decision, int way)
{
    buf_printf(&g->marked, " hit(%d) ", decision * WAYS + way + 1);
}

/* What stands last before an `and` or an `or` is what that decision looks at; no_way: nothing stands behind. */
enum { NOBODY_LOOKS = -1 };

static void leaf(program *g, int looked_at, bool inverted)
{
    static const char *const texts[] = { "x", "not y", "n % 3 == 0", "n % 4 < 2", "f(x)", "(z)", "(n % 2 ~= 0)", "t.x",
                                         "f(x == y)", "(x == y) == z",
                                         "g { 1, x }", "h'and'" };
    const char *text = texts[pick(g, COUNT(texts))];
    buf_addz(&g->plain, text);
    if (looked_at == NOBODY_LOOKS)
        buf_addz(&g->marked, text);
    else
        buf_printf(&g->marked, "look(%d, %d, %s)", looked_at * WAYS + 1 + inverted, looked_at * WAYS + 1 + !inverted,
                   text);
}

static void expression(program *g, int depth, int looked_at, bool inverted)
{
    int kind = depth > 0 ? pick(g, 5) : 0;
    if (kind < 2) {
        leaf(g, looked_at, inverted);
        return;
    }
    if (kind == 2) {
        both(g, "not (");
        expression(g, depth - 1, looked_at, !inverted);
        both(g, ")");
        return;
    }
    bool and_ = kind == 3;
    int decision = new_decision(g, and_ ? "and, left true" : "or, left true",
                                and_ ? "and, left false" : "or, left false");
    both(g, "((");
    expression(g, depth - 1, decision, false);
    both(g, ")");
    blank(g);
    stands_here(g, decision);
    both(g, and_ ? "and" : "or");
    blank(g);
    expression(g, depth - 1, looked_at, inverted);
    both(g, ")");
}

static void block(program *g, int depth);

static void if_(program *g, int depth)
{
    int arms = 1 + pick(g, 3);
    for (int i = 0; i < arms; i++) {
        int decision = new_decision(g, "then", "else");
        stands_here(g, decision);
        buf_addz(&g->plain, i ? "elseif " : "if ");
        buf_addz(&g->marked, "if ");
        expression(g, 3, NOBODY_LOOKS, false);
        blank(g);
        both(g, "then ");
        hit(g, decision, 0);
        block(g, depth - 1);
        if (i == arms - 1 && pick(g, 2)) {
            both(g, "else ");
            hit(g, decision, 1);
            block(g, depth - 1);
        } else {
            buf_addz(&g->marked, "else ");
            hit(g, decision, 1);
        }
    }
    buf_addz(&g->plain, "end ");
    for (int i = 0; i < arms; i++)
        buf_addz(&g->marked, "end ");
}

static void loop(program *g, int depth)
{
    int kind = pick(g, 4), decision = new_decision(g, kind == 3 ? "loop again" : "loop", "loop's end");
    buf_addz(&g->marked, "broken = false ");
    if (kind < 3)
        stands_here(g, decision);
    if (kind == 0)
        both(g, pick(g, 2) ? "for i = 1, n % 4 do " : "for i = 3, 1, -1 do ");
    else if (kind == 1)
        both(g, "for i, k in ipairs(t) do ");
    else if (kind == 3)
        both(g, "repeat local w = x ");
    if (kind == 2) {
        both(g, "while ");
        int guard = new_decision(g, "and, left true", "and, left false");
        buf_addz(&g->plain, "n < 200 ");
        buf_printf(&g->marked, "look(%d, %d, n < 200) ", guard * WAYS + 1, guard * WAYS + 2);
        stands_here(g, guard);
        both(g, "and ");
        expression(g, 2, NOBODY_LOOKS, false);
        both(g, " do ");
    }
    if (kind < 3)
        hit(g, decision, 0);
    g->loops++;
    block(g, depth - 1);
    g->loops--;
    if (kind < 3) {
        both(g, "end ");
        buf_addz(&g->marked, "if not broken then");
        hit(g, decision, 1);
        buf_addz(&g->marked, "end broken = false ");
        return;
    }
    if (pick(g, 2))
        both(g, "local function keep() return w end ");
    buf_addz(&g->marked, "local c = ");
    int guard = new_decision(g, "or, left true", "or, left false");
    buf_printf(&g->marked, "look(%d, %d, n > 200) or ", guard * WAYS + 1, guard * WAYS + 2);
    stands_here(g, decision);
    buf_addz(&g->plain, "until n > 200 ");
    stands_here(g, guard);
    buf_addz(&g->plain, "or ");
    expression(g, 2, NOBODY_LOOKS, false);
    both(g, " ");
    buf_addz(&g->marked, "if c then");
    hit(g, decision, 1);
    buf_addz(&g->marked, "else");
    hit(g, decision, 0);
    buf_addz(&g->marked, "end until c broken = false ");
}

static void statement(program *g, int depth)
{
    static const char *const names[] = { "x", "y", "z" };
    g->fuel--;
    int kind = depth > 0 && g->fuel > 0 ? pick(g, 6) : 5;
    if (kind < 2) {
        if_(g, depth);
    } else if (kind < 4) {
        loop(g, depth);
    } else if (kind == 4 && g->loops > 0) {
        buf_addz(&g->plain, "if n % 5 == 0 then break end ");
        int decision = new_decision(g, "then", "else");
        g->plain.n -= strlen("if n % 5 == 0 then break end ");
        stands_here(g, decision);
        g->plain.n += strlen("if n % 5 == 0 then break end ");
        buf_printf(&g->marked, "if n %% 5 == 0 then hit(%d) broken = true break else hit(%d) end ", decision * WAYS + 1,
                   decision * WAYS + 2);
    } else {
        both(g, names[pick(g, COUNT(names))]);
        both(g, " = f(");                            /* in `x = y and x` both ways would be one */
        expression(g, 3, NOBODY_LOOKS, false);
        both(g, ");");
    }
}

static void block(program *g, int depth)
{
    both(g, "n = n + 1");
    blank(g);
    for (int i = 1 + pick(g, 2); i > 0; i--) {
        statement(g, depth);
        blank(g);
    }
}

static void write_program(program *g, uint64_t seed)
{
    buf_clear(&g->plain);
    buf_clear(&g->marked);
    g->r = rng_new(seed, 1);
    g->count = g->loops = 0;
    g->fuel = 12;
    buf_addz(&g->marked, "local hits, broken = {}, false local function hit(i) hits[i] = (hits[i] or 0) + 1 end "
                         "local function look(yes, no, v) hit(v and yes or no) return v end ");
    both(g, "local n, x, y, z, t = 0, 1, false, nil, { 1, 2 }\n"
            "local function f(v) n = n + 1 return v end local function g(v) return v[2] end local function h(v) return "
            "n % 2 == 0 end\n");
    for (int i = 0; i < 3; i++)
        statement(g, 3);
    both(g, "\n");
    buf_addz(&g->plain, "return n");
    buf_printf(&g->marked, "local all = {} for i = 1, %d do all[i] = hits[i] or 0 end return all", g->count * WAYS);
}

static uint64_t count_of(const coverage_script *s, const expected_decision *d, int way)
{
    for (size_t i = 0; i < s->branch_count; i++)
        if (s->branches[i].line == d->line && s->branches[i].col == d->col &&
            strcmp(s->branches[i].what, d->what[way]) == 0)
            return s->branches[i].count;
    return UINT64_MAX;
}

/* Which lines stock Lua's own line hook sees, and which it knows. */
static bool lua_lines[2000];
static void see_line(lua_State *L, lua_Debug *ar)
{
    (void)L;
    assert_true(ar->currentline > 0 && (size_t)ar->currentline < COUNT(lua_lines));
    lua_lines[ar->currentline] = true;
}

static void expect_lines_as_lua_sees_them(const coverage_script *s, const char *text)
{
    memset(lua_lines, 0, sizeof lua_lines);
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    assert_int_equal(luaL_loadstring(L, text), 0);
    lua_sethook(L, see_line, LUA_MASKLINE, 0);
    assert_int_equal(lua_pcall(L, 0, 0, 0), 0);
    lua_close(L);
    size_t reached = 0, seen = 0;
    for (size_t i = 0; i < s->line_count; i++) {
        reached += s->lines[i].count > 0;
        if ((s->lines[i].count > 0) != lua_lines[s->lines[i].line])
            fail_msg("%s\n line %d: %d times, but Lua says %d", text, s->lines[i].line, (int)s->lines[i].count,
                     lua_lines[s->lines[i].line]);
    }
    for (size_t i = 0; i < COUNT(lua_lines); i++)
        seen += lua_lines[i];
    assert_int_equal(reached, seen);
}

/* Property: every way of every decision is counted as often as the program itself counts it, and lines are reached
 * where Lua's line hook says so. */
static void random_programs_are_counted_as_they_count_themselves(void **state)
{
    (void)state;
    enum { PROGRAMS = 400 };
    program *g = calloc(1, sizeof *g);
    size_t decisions = 0, taken = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        write_program(g, seed);
        script_rig *marked = rig_open((redis_limits){ 0 }), *plain = rig_open((redis_limits){ 0 });
        coverage *c = coverage_new();
        redis_cover(plain->server, c);
        str eval[] = { S("eval"), buf_str(&g->marked), S("0") },
                     eval_plain[] = { S("eval"), buf_str(&g->plain), S("0") };
        reply told = rig_command(marked, eval, COUNT(eval));
        reply r = rig_command(plain, eval_plain, COUNT(eval_plain));
        if (told.kind != REPLY_ARRAY || r.kind != REPLY_INTEGER)
            fail_msg("seed %d: %s\n%s", (int)seed, g->marked.p, g->plain.p);
        const coverage_script *s;
        arena *a = arena_new();
        assert_int_equal(coverage_scripts(c, a, &s), 1);
        for (int i = 0; i < g->count * WAYS; i++) {
            const expected_decision *d = &g->decisions[i / WAYS];
            uint64_t got = count_of(s, d, i % WAYS);
            if (got != (uint64_t)told.items[i].integer)
                fail_msg("seed %d, %d:%d %s: %d, not %d\n%s", (int)seed, d->line, d->col, d->what[i % WAYS], (int)got,
                         (int)told.items[i].integer, g->plain.p);
            taken += got > 0;
        }
        decisions += s->branch_count;
        assert_true(s->branch_count == (size_t)g->count * WAYS);
        expect_lines_as_lua_sees_them(s, g->plain.p);
        arena_free(a);
        rig_close(marked);
        rig_close(plain);
        coverage_free(c);
    }
    assert_true(decisions > 10000);
    assert_true(taken * 6 > decisions && taken < decisions);
    buf_free(&g->plain);
    buf_free(&g->marked);
    free(g);
}

/* ---- nobody can tell ---- */

/* Property: with the least budget and any more, a run ends where it ends without coverage, with the same words. (Calls
 * are nested no deeper than a small stack allows: see script_trace.c.) */
static void budgets_end_at_the_same_step(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "local n = 0\nwhile true do n = n + 1\nif n % 7 == 0 then n = n + 1 end end",
        "local s = 'x'\nfor i = 1, 12 do\n s = s .. s end\nfor i = 1, 300 do local t = s .. i end return #s",
        "local co = coroutine.wrap(function() while true do\n coroutine.yield(1) end end)\nfor i = 1, 100 do co() "
        "end\nreturn 7",
        ("local made = {}\nfor i = 1, 20 do made[i] = coroutine.create(function(n)\n for j = 1, n do "
         "redis.call('incr', KEYS[1]) end end) end\n"
         "for i = 1, 20 do coroutine.resume(made[i], i) end return redis.call('get', KEYS[1])"),
        "local function deep(n) if n == 0 then return 0 end\n return 1 + deep(n - 1) end\nreturn { pcall(deep, 30) }",
        "local t = {} for i = 1, 300 do t[i] = i end\nlocal n = 0 for i = 1, 20 do n = n + select('#', unpack(t)) end "
        "return n",
        "local ok, e = pcall(function() local x = nil\n return x.y end)\nfor i = 1, 50 do e = e .. 'x' end error(e)",
    };
    size_t blown = 0, ended = 0;
    for (size_t i = 0; i < COUNT(bodies); i++)
        for (uint64_t steps = 1; steps < 6000; steps += steps / 9 + 1) {
            script_rig *off = rig_open((redis_limits){ .script_steps = steps }),
                              *on = rig_open((redis_limits){ .script_steps = steps });
            coverage *c = coverage_new();
            redis_cover(on->server, c);
            rig_eval(off, bodies[i]);
            rig_eval(on, bodies[i]);
            if (strcmp(off->answer.p, on->answer.p) != 0)
                fail_msg("%s\n  with %d steps: %s\n  covered:  %s", bodies[i], (int)steps, off->answer.p, on->answer.p);
            assert_string_equal(off->findings.p, on->findings.p);
            assert_string_equal(off->effects.p, on->effects.p);
            blown += off->budget_n;
            ended += off->budget_n == 0;
            rig_close(off);
            rig_close(on);
            coverage_free(c);
        }
    assert_true(blown > 50 && ended > 50);
}

/* ---- one coverage, several servers and lives of a server ---- */

static void servers_that_share_a_coverage_add_up(void **state)
{
    cover_rig *g = *state;
    static const char body[] = "if ARGV[1] == 'a' and redis.call('incr', KEYS[1]) == 2 then\n return 'twice'\nend";
    script_rig *other = rig_open((redis_limits){ 0 });
    redis_cover(other->server, g->c);
    rig_eval(g->rig, body);
    rig_eval(other, body);
    assert_string_equal(covered_by(g, body), "1*2 2*0 3*2 | 1:1 then 0, 1:1 else 2, 1:19 and, left true 2, 1:19 and, "
                        "left false 0");
    rig_eval(other, body);
    assert_string_equal(covered_by(g, body), "1*3 2*1 3*2 | 1:1 then 1, 1:1 else 2, 1:19 and, left true 3, 1:19 and, "
                        "left false 0");
    rig_close(other);
    redis_flush_scripts(g->rig->server);
    rig_eval(g->rig, body);
    redis_wipe(g->rig->server);
    rig_eval(g->rig, body);
    rig_eval(g->rig, "while true do end");               /* blows the budget: the interpreter is made anew */
    rig_eval(g->rig, body);
    assert_string_equal(covered_by(g, body), "1*6 2*3 3*3 | 1:1 then 3, 1:1 else 3, 1:19 and, left true 6, 1:19 and, "
                        "left false 0");
    redis_cover(g->rig->server, NULL);
    rig_eval(g->rig, body);
    assert_string_equal(covered_by(g, body), "1*6 2*3 3*3 | 1:1 then 3, 1:1 else 3, 1:19 and, left true 6, 1:19 and, "
                        "left false 0");
    redis_cover(g->rig->server, g->c);
    rig_eval(g->rig, body);
    assert_string_equal(covered_by(g, body), "1*7 2*3 3*4 | 1:1 then 3, 1:1 else 4, 1:19 and, left true 7, 1:19 and, "
                        "left false 0");
}

/* A script that is known and never run is told all the same; one that does not compile is not. */
static void what_never_ran_is_listed_under_its_name(void **state)
{
    cover_rig *g = *state;
    arena *a = arena_new();
    str why, bodies[] = { S("return 3"), S("return 1"), S("return 2"), S("return +") };
    const char *names[] = { "b.lua", "a.lua", "b.lua", "c.lua" };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        char sha[41];
        redis_sha1(bodies[i], sha);
        coverage_name(g->c, str_from(sha), str_from(names[i]));
        coverage_name(g->c, str_from(sha), S("too late"));
        assert_int_equal(redis_load_script(g->rig->server, bodies[i], a, &why), i < 3);
    }
    const coverage_script *s;
    assert_int_equal(coverage_scripts(g->c, a, &s), 3);
    assert_string_equal(s[0].name.p, "a.lua");
    assert_string_equal(s[1].name.p, "b.lua");
    assert_string_equal(s[2].name.p, "b.lua");
    assert_true(str_cmp(s[1].sha1, s[2].sha1) < 0);
    assert_string_equal(s[0].body.p, "return 1");
    assert_int_equal(s[0].line_count, 1);
    assert_int_equal(s[0].lines[0].count, 0);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_that_hold_code),
        cmocka_unit_test(decisions_stand_at_their_keywords),
        cmocka_unit_test(and_and_or_are_decisions_of_their_own),
        cmocka_unit_test(what_decides_nothing_is_left_out),
        cmocka_unit_test(an_error_ends_what_is_reached),
        cmocka_unit_test(other_code_in_between_takes_nothing_away),
        cmocka_unit_test(random_programs_are_counted_as_they_count_themselves),
        cmocka_unit_test(budgets_end_at_the_same_step),
        cmocka_unit_test_setup_teardown(servers_that_share_a_coverage_add_up, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(what_never_ran_is_listed_under_its_name, open_rig, close_rig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
