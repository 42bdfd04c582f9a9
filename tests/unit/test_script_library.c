/* test_script_library.c - the string and table functions that are ours give what stock Lua 5.1 gives, result and error
 * text alike. How: the same text of Lua runs in the script host and in a stock interpreter, on random arguments that
 * lean towards corners. */
#include "script_rig.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/rng.h"

enum { ROUNDS = 12000 };

/* Calls what ARGV names and tells everything about the outcome as text. */
static const char probe[] =
    "local function show(v, depth)\n"
    "  if type(v) == 'string' then return string.format('%q', v) end\n"
    "  if type(v) == 'number' then return string.format('%.17g', v) end\n"
    "  if type(v) == 'table' then\n"
    "    local r = {}\n"
    "    for i = -2, 40 do local x = rawget(v, i) if x ~= nil then r[#r + 1] = i .. '=' .. (depth > 2 and '...' or "
        "show(x, depth + 1)) end end\n"
    "    return '{' .. table.concat(r, ';') .. '}'\n"
    "  end\n"
    "  if type(v) == 'nil' or type(v) == 'boolean' then return tostring(v) end\n"
    "  return type(v)\n"
    "end\n"
    "local chunk, problem = loadstring(ARGV[1], '@probe')\n"
    "if not chunk then return 'no chunk: ' .. problem end\n"
    "local r = { pcall(chunk) }\n"
    "local n = 0\n"
    "for k in pairs(r) do if k > n then n = k end end\n"
    "for i = 1, n do r[i] = show(r[i], 0) end\n"
    "return table.concat(r, ' , ')\n";

static lua_State *stock_open(void)
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    int status = luaL_loadbuffer(L, probe, strlen(probe), "@user_script");
    assert_int_equal(status, 0);
    lua_setglobal(L, "probe");
    return L;
}

static void stock_run(lua_State *L, const char *code, buf *out)
{
    lua_createtable(L, 1, 0);
    lua_pushstring(L, code);
    lua_rawseti(L, -2, 1);
    lua_setglobal(L, "ARGV");
    lua_getglobal(L, "probe");
    int status = lua_pcall(L, 0, 1, 0);
    str text;
    text.p = lua_tolstring(L, -1, &text.n);
    buf_clear(out);
    if (status != 0)
        buf_addz(out, "stock failed: ");
    buf_add(out, text);
    lua_settop(L, 0);
}

static void host_run(script_rig *g, const char *code, buf *out)
{
    str argv[] = { S("eval"), { probe, sizeof probe - 1 }, S("0"), str_from(code) };
    reply r = rig_command(g, argv, COUNT(argv));
    buf_clear(out);
    if (r.kind != REPLY_BULK)
        buf_addz(out, "host failed: ");
    buf_add(out, r.text);
}

static const char *word(rng *g, const char *const *words, size_t n)
{
    return words[rng_below(g, n)];
}
#define WORD(g, words) word((g), (words), COUNT(words))

/* A pattern, mostly well formed. */
static void add_pattern(rng *g, buf *out)
{
    static const char *const parts[] = { "a", "b", ".", "%a", "%d", "%s", "%w", "%W", "%x", "%p", "%u", "%l", "%c",
                                         "%z", "%%", "[ab]", "[^a]", "[a-c]", "[%w_]", "[]]", "[^]]", "[a-]", "[%]]",
                                         "(a)", "(.)", "()", "(a*)", "(.-)", "%1", "%2", "%b()", "%bab", "%f[%a]",
                                         "%f[%A]", "^",
                                         "$", "(", ")", "[", "%", "\\0", "(%w+)", "x", " ", "-", "%b", "%f", "[a", "[%",
                                         "%g" };
    static const char *const many[] = { "", "", "", "*", "+", "-", "?" };
    if (rng_below(g, 5) == 0)
        buf_addz(out, "^");
    for (uint64_t n = rng_below(g, 6); n > 0; n--)
        buf_printf(out, "%s%s", WORD(g, parts), WORD(g, many));
    if (rng_below(g, 6) == 0)
        buf_addz(out, "$");
}

static void add_text(rng *g, buf *out)
{
    static const char *const letters[] = { "a", "b", "c", "x", "A", "1", " ", "_", "(", ")", "ab", "aab", "\\0", "\\n",
                                           "\\255", "%", "[", "]", "-" };
    for (uint64_t n = rng_below(g, 12); n > 0; n--)
        buf_addz(out, WORD(g, letters));
}

static void add_pattern_call(rng *g, buf *code)
{
    static const char *const replacements[] = { "'%1'", "'<%0>'", "'%%'", "'x'", "''", "'%'", "'%2'", "5",
                                                "{a='1',b=true,ab=2}", "function(a,b) return b end",
                                                "function() end", "function(...) return select('#',...) end",
                                                "function() return {} end", "true", "nil", "'%a'" };
    static const char *const functions[] = { "find", "match", "gmatch", "gsub", "find", "match" };
    const char *name = WORD(g, functions);
    bool each = strcmp(name, "gmatch") == 0;
    buf_addz(code, each ? "local r={} for a,b in string.gmatch('" : "return string.");
    if (!each)
        buf_printf(code, "%s('", name);
    add_text(g, code);
    buf_addz(code, "','");
    add_pattern(g, code);
    buf_addz(code, "'");
    if (each) {
        buf_addz(code, ") do r[#r+1]=a r[#r+1]=b end return r");
        return;
    }
    if (strcmp(name, "gsub") == 0) {
        buf_printf(code, ",%s", WORD(g, replacements));
        if (rng_below(g, 4) == 0)
            buf_printf(code, ",%d", (int)rng_below(g, 5) - 1);
    } else if (rng_below(g, 3) == 0) {
        buf_printf(code, ",%d", (int)rng_below(g, 20) - 8);
        if (rng_below(g, 3) == 0)
            buf_addz(code, ",true");
    }
    buf_addz(code, ")");
}

static void add_argument(rng *g, buf *code)
{
    static const char *const words[] = { "''", "'a'", "'abc'", "'a\\0b'", "'10'", "' 7 '", "'0x1F'", "'1e2'", "'x'",
                                         "0", "1", "2", "3", "-1", "-2", "10", "1.5", "-0.5", "255",
                                         "256", "1e9", "nil", "true", "{}", "{1,2,3}", "{3,1,2,5,4}", "{'b','a','c'}",
                                         "{1,nil,3}", "{n=1}", "{'x',2,'y'}",
                                         "function(a,b) return a>b end", "function(a,b) return true end",
                                         "function(a,b) return a end", "'%d'", "'%s|%s'", "'%q'",
                                         "'%5.1f'", "'%y'", "'%'", "' '", "','", "16", "36", "37", "{1,2,3,nil,5}",
                                         "{{}}", "{5,4,3,2,1,5,4,3,2,1,9,8,7}" };
    buf_addz(code, WORD(g, words));
}

static void add_library_call(rng *g, buf *code)
{
    static const char *const functions[] = { "string.sub", "string.byte", "string.char", "string.len", "string.lower",
                                             "string.upper", "string.reverse", "string.format", "table.concat",
                                             "table.insert", "table.remove", "table.sort", "table.maxn", "table.getn",
                                             "table.setn", "table.foreach", "table.foreachi", "unpack", "select",
                                             "next", "tonumber", "rawget", "rawset", "rawequal", "ipairs", "type",
                                             "assert", "setmetatable", "getmetatable", "coroutine.create",
                                             "coroutine.status", "coroutine.wrap", "coroutine.resume", "math.max",
                                             "loadstring", "load", "xpcall", "error", "pairs" };
    const char *name = WORD(g, functions);
    /* The first argument is shown afterwards, for functions that change it. */
    buf_addz(code, "local a=");
    add_argument(g, code);
    buf_printf(code, " local function f(...) return %s(...) end local r={pcall(f", name);
    for (uint64_t i = 0, n = rng_below(g, 5); i < n; i++) {
        if (i == 0) {
            buf_addz(code, ",a");
            continue;
        }
        buf_addz(code, ",");
        add_argument(g, code);
    }
    buf_addz(code, ")} return a,r");
}

static void compare(uint64_t seed, void (*generate)(rng *g, buf *code))
{
    script_rig *g = rig_open((redis_limits){ 0 });
    lua_State *L = stock_open();
    rng random = rng_new(seed, 0);
    buf code = { 0 }, stock = { 0 }, host = { 0 };
    size_t compared = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        buf_clear(&code);
        generate(&random, &code);
        stock_run(L, code.p, &stock);
        host_run(g, code.p, &host);
        if (!str_eq(buf_str(&stock), buf_str(&host)))
            fail_msg("%s\n  stock: %.*s\n  host:  %.*s", code.p, STR_ARG(buf_str(&stock)), STR_ARG(buf_str(&host)));
        compared++;
    }
    assert_int_equal(compared, ROUNDS);
    buf_free(&code);
    buf_free(&stock);
    buf_free(&host);
    lua_close(L);
    rig_close(g);
}

static void patterns_match_as_in_stock_lua(void **state)
{
    (void)state;
    compare(1, add_pattern_call);
    compare(2, add_pattern_call);
}

/* Left out: what Redis changed (pcall, the missing globals), addresses, and 2^31, at which stock unpack overflows and
 * crashes. */
static void library_functions_answer_as_in_stock_lua(void **state)
{
    (void)state;
    compare(3, add_library_call);
}

static void add_sort(rng *g, buf *code)
{
    static const char *const orders[] = { "", ",function(a,b) return a>b end", ",function(a,b) return a%3<b%3 end",
                                          ",function(a,b) return a<=b end",
                                          ",function(a,b) n=n+1 return n%2==0 end", ",function(a,b) return false end" };
    buf_addz(code, "local n=0 local t={");
    for (uint64_t n = rng_below(g, 38); n > 0; n--)
        buf_printf(code, "%d,", (int)rng_below(g, 12));
    buf_printf(code, "} local r={pcall(table.sort,t%s)} return t,r,n", WORD(g, orders));
}

/* Equal elements and lying comparators leave their traces in the order of comparisons. */
static void tables_are_sorted_in_stock_luas_order_of_comparisons(void **state)
{
    (void)state;
    compare(4, add_sort);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_in_stock_lua),
        cmocka_unit_test(library_functions_answer_as_in_stock_lua),
        cmocka_unit_test(tables_are_sorted_in_stock_luas_order_of_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
