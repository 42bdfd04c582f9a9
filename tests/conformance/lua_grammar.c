/* lua_grammar.c - scripts from a grammar; see lua_grammar.h.
 *
 * Some local functions stand before each script. E(v) is what may be raised: a table without a text `err` crashes the
 * real server (REDIS-FIDELITY.md 0.13). So does an error, raised or returned, whose metatable raises when the server
 * asks it for `line`: no table with `err` gets one. No table ever holds itself: a reply made of one that does so twice
 * has no end there. They end in a line "--", before which nothing is shortened. T(v) is a text for any value: tostring
 * tells addresses of tables and functions. P(f) calls f protected. */
#include "lua_grammar.h"

#include <string.h>

#include "base/buf.h"

enum { NODES_MAX = 60 };               /* of one script: what is asked for beyond is a literal */

typedef struct {
    generator *g;
    rng *r;
    buf *out;
    lua_subject subject;
    int nodes;
    int functions;                     /* around this place: `return` ends them, not the script */
} writer;

/* Those that a script uses, and those that they use. */
static const struct { const char *use, *text; } prelude[] = {
    { "T(", "local function T(v) local t=type(v) if t=='string' or t=='number' or t=='boolean' or t=='nil' then return "
      "tostring(v) end return t end " },
    { "E(", "local function E(v) local t=type(v) if t=='table' then return type(rawget(v,'err'))=='string' and not "
      "getmetatable(v) and v or {err='E '..#v} end "
            "return (t=='string' or t=='number' or t=='boolean') and v or t end " },
    { "setmetatable(", "local M=setmetatable local function setmetatable(t,m) if type(t)=='table' and "
      "rawget(t,'err')~=nil then return t end "
                       "return M(t,m) end " },
    { "P(", "local function P(f,...) local r={pcall(f,...)} if r[1] then return unpack(r,2) end return "
      "type(r[2])=='string' and r[2] or type(r[2]) end " },
};

static void expression(writer *w, int depth);
static void table_constructor(writer *w, int depth);
static void block(writer *w, int depth);

#define ONE_OF(w, words) buf_addz((w)->out, (words)[rng_below((w)->r, COUNT(words))])
static void put(writer *w, const char *text) { buf_addz(w->out, text); }
static bool often(writer *w, unsigned percent) { return chance(w->r, percent); }
static unsigned below(writer *w, unsigned n) { return (unsigned)rng_below(w->r, n); }

/* ---- leaves ---- */

static void quoted(writer *w, str s)
{
    put(w, "'");
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < ' ' || c > '~' || c == '\'' || c == '\\')
            buf_printf(w->out, "\\%03d", c);
        else
            buf_byte(w->out, (char)c);
    }
    put(w, "'");
}

static void text(writer *w)
{
    static const char *const words[] = {
        "''", "'a'", "'b'", "'ab'", "'12'", "'-3'", "'1.5'", "'0x1f'", "'a b'", "'x=y,z=w'", "'%a+'", "'(%w)'",
        "'[^%s]'", "'%d*'", "'^a'",
        "'b$'", "'.-'", "'a\\0b'", "'\\r\\n'", "'\\255'", "'1e3'", "'inf'", "'nan'", "'[1,2]'",
        "'{\"k\":[1,null],\"e\":{}}'", "'>I2s'",
        "'Bc0'", "'\\147\\1\\2\\3'", "'ERR x'", "'-A b'", "'ERR'", "'%1'", "'%%'", "'%5.2f|%d'", "'%q %s'", "'%c%x%g'",
        "'()'", "'%b()'", "'%f[%w]'",
        "'(.)(.)'", "' 10 '", "'\"a\\u00e9\\n\"'", "'[1e308,-0,1.0]'", "'[[[]]]'", "'1,2'", "'<i4d'", "'%-5s|'", "'ok'",
        "'n'", "'return 1'", "'return a'", "'x('", "'%10.3s'", "'%+d % d'", "'%o%u%i'", "'%e'", "'%5'", "'[a-'", "'%'",
    };
    ONE_OF(w, words);
}

static void number(writer *w)
{
    static const char *const words[] = {
        "0", "1", "2", "3", "-1", "7", "10", "255", "256", "1.5", "-2.5", "1e15", "1e17", "2^53", "2^31", "-2^31",
        "0.1", "1/3", "100", "-0.5", "65536", "3.99", "-3.99", "-0", "1/0", "-1/0", "0/0", "2^63", "-2^63", "2^64",
        "1e308", "5e-324", "0x10", "123456789012345678", "2^52+0.5", "1e16",
        "1e14", "1e-7", "3.0", "17179869184", "2^32", "2^53+1",
    };
    ONE_OF(w, words);
}

static void variable(writer *w)
{
    static const char *const words[] = { "a", "b", "c", "d", "a", "b", "c", "d", "KEYS", "ARGV", "KEYS[1]", "KEYS[2]",
                                         "ARGV[1]", "ARGV[2]", "ARGV[3]",
                                         "#ARGV", "cjson.null", "nil", "true", "false", "foo" };
    ONE_OF(w, words);
}

static void leaf(writer *w)
{
    switch (below(w, 3)) {
    case 0: text(w); break;
    case 1: number(w); break;
    default: variable(w); break;
    }
}

static void arguments(writer *w, unsigned most, int depth)
{
    for (unsigned i = 0, n = below(w, most + 1); i < n; i++) {
        put(w, i > 0 ? "," : "");
        expression(w, depth - 1);
    }
}

/* ---- calls ---- */

/* A command of the forms, its words as texts, as numbers where they are such, and now and then anything. */
static void redis_call(writer *w, int depth)
{
    static const char families[] = "sshhllSzzgeeb";
    static const char *const how[] = { "redis.call(", "redis.pcall(", "redis.pcall(", "P(redis.call,",
                                       "pcall(redis.call," };
    step s;
    do {
        s = (step){ .conn = 0 };
        words_plain_command(w->g, families[below(w, sizeof families - 1)], &s);
    } while (s.forgive != EXACT);
    bool grows = str_starts_nocase(s.argv[0], S("setbit")) || str_starts_nocase(s.argv[0], S("setrange"));
    ONE_OF(w, how);
    for (size_t i = 0; i < s.argc; i++) {
        put(w, i > 0 ? "," : "");
        if (i > 0 && !grows && often(w, 6))        /* not to where half a gigabyte is needed */
            expression(w, depth - 2);
        else if (i > 0 && s.argv[i].n > 0 && s.argv[i].n < 15 && strspn(s.argv[i].p, "0123456789") == s.argv[i].n &&
                 often(w, 50))
            buf_add(w->out, s.argv[i]);
        else
            quoted(w, s.argv[i]);
    }
    put(w, ")");
}

static void redis_api(writer *w, int depth)
{
    static const char *const functions[] = {
        "redis.error_reply", "redis.status_reply", "redis.sha1hex", "redis.log", "redis.set_repl",
        "redis.acl_check_cmd", "redis.replicate_commands", "redis.breakpoint", "redis.error_reply",
        "redis.status_reply", "redis.call", "redis.pcall",
    };
    static const char *const whole[] = {
        "redis.setresp(3)", "redis.setresp(2)", "redis.setresp(4)", "redis.call()", "redis.pcall({})",
        "redis.pcall('get')", "redis.call('get')", "redis.pcall('eval','return 1',0)", "redis.call('multi')",
        "redis.pcall('subscribe','x')", "redis.REDIS_VERSION", "redis.REDIS_VERSION_NUM", "redis.LOG_WARNING",
        "redis.nosuch", "_G.nosuch", "rawget(_G,'x')", "redis.REPL_ALL", "redis.pcall('hset','h','a','1','b')",
        "redis.pcall('time')", "redis.pcall('select',1)", "redis.pcall('nosuch')", "redis.pcall('ping')",
        "redis.pcall('get','a','b')", "redis.pcall('publish','c','m')", "redis.pcall('script','flush')",
        "redis.pcall('lpop','l','1','2')", "redis.pcall('watch','k')", "redis.pcall('SeT','s','v')", "redis.pcall(1)",
        "redis.call('get',nil)", "redis.pcall('hgetall','h9')", "redis.pcall('mset','a')", "redis.call('hello',3)",
    };
    if (often(w, 50)) {
        ONE_OF(w, whole);
        return;
    }
    ONE_OF(w, functions);
    put(w, "(");
    arguments(w, 2, depth);
    put(w, ")");
}

/* An argument of a kind: s text, n number, i small integer, t table, f function, p pattern, m format, j JSON, k packed
 * by struct or cmsgpack, v any, x no table. */
static void argument(writer *w, char kind, int depth)
{
    static const char *const functions[] = { "function(x,y) return x end", "function(x,y) return T(y) end", "tostring",
                                             "function(x) return false end",
                                             "function(x,y) return T(x)<T(y) end", "string.upper", "type" };
    static const char *const tables[] = { "{1,2,3}", "{'a','b'}", "{3,1,2}", "{x=1}", "{}", "c", "ARGV", "{{1},{x={}}}",
                                          "{1,nil,3}", "{true,'a'}", "KEYS", "{[1]=1,[3]=3}",
                                          "{1.5,-0,1e20}", "{'c','a','b'}", "{['']='',a={b={}}}" };
    static const char *const patterns[] = { "'%a+'", "'(%w)'", "'[^%s]'", "'%d*'", "'^a'", "'b$'", "'.-'", "'()'",
                                            "'(.)(.)'", "'%f[%w]'", "'%b()'", "'='", "'(%w+)=(%w+)'",
                                            "'[%a_]'", "'[a-c]'", "''", "'%'", "'[a'", "'(a'", "'%1'", "'^(.-),'",
                                            "'%z'", "'[%]]'", "'%s*$'" };
    static const char *const formats[] = { "'%5.2f|%d'", "'%q %s'", "'%c%x%g'", "'%-5s|'", "'%10.3s'", "'%+d % d'",
                                           "'%o%u%i'", "'%e'", "'%%'", "'%05d'", "'%.14g'", "'%.17g'",
                                           "'%s%s%s'", "'%X'", "'%#x'", "'%.0f'", "'%.3s'", "'%E%G'", "'%d'", "'%x'",
                                           "'%q'" };
    static const char *const json[] = { "'[1,2]'", "'{\"k\":[1,null],\"e\":{}}'", "'[1e308,-0,1.0]'", "'[[[]]]'",
                                        "'\"a\\u00e9\\n\"'", "'null'", "'{\"1\":1}'", "'[true,false]'",
                                        "' [ ] '", "'{\"a\":1,\"a\":2}'", "'[1,]'", "'{a:1}'", "'\"\\ud83d\\ude00\"'",
                                        "'nan'", "'[0x10]'", "'1 2'", "'[\"\\/\"]'", "'-'", "'[1.5e-7]'" };
    static const char *const packed[] = { "'\\147\\1\\2\\3'", "'\\130\\161a\\1'", "'\\204'", "'\\203\\63\\63\\63'",
                                          "'\\217'", "cmsgpack.pack(1,'a',{})", "cmsgpack.pack({x=1.5})",
                                          "struct.pack('>I2s',7,'ab')", "'\\1\\2\\3\\4\\5\\6\\7\\8'",
                                          "'\\200\\220\\240'", "struct.pack('d',0.1)",
                                          "cmsgpack.pack(-1,2^40,nil,true)" };
    static const char *const layouts[] = { "'>I2s'", "'Bc0'", "'<i4d'", "'b'", "'h>l'", "'I3'", "'c2'", "'f'",
                                           "'!4 bI'", "'s'", "'T'", "'xB'", "'q'", "'i9'", "'Bc0I'", "'L'" };
    if (kind == 'x') {
        text(w);
        return;
    }
    if (often(w, 15)) {
        expression(w, depth - 1);
        return;
    }
    switch (kind) {
    case 's': often(w, 70) ? text(w) : expression(w, depth - 1); break;
    case 'n': often(w, 80) ? number(w) : expression(w, depth - 1); break;
    case 'i': buf_printf(w->out, "%d", (int)below(w, 9) - 3); break;
    case 't': often(w, 60) ? ONE_OF(w, tables) : table_constructor(w, depth - 1); break;
    case 'f': ONE_OF(w, functions); break;
    case 'p': ONE_OF(w, patterns); break;
    case 'm': ONE_OF(w, formats); break;
    case 'j': ONE_OF(w, json); break;
    case 'k': ONE_OF(w, packed); break;
    case 'l': ONE_OF(w, layouts); break;
    default: expression(w, depth - 1); break;
    }
}

/* With the kinds of their arguments; past a blank they may be missing. */
static const struct { const char *name, *kinds; } library[] = {
    { "tonumber", "s i" }, { "tonumber", "v" }, { "type", "v" }, { "string.sub", "si i" }, { "string.find", "sp iv" },
    { "string.find", "sp i" },
    { "string.match", "sp i" }, { "string.match", "sp" }, { "string.gsub", "sps i" }, { "string.gsub", "spf i" },
    { "string.gsub", "spt" },
    { "string.format", "mnn n" }, { "string.format", "mvv v" }, { "string.format", "mss s" },
    { "string.format", "m v" }, { "string.byte", "s ii" },
    { "string.char", " iin" }, { "string.len", "s" }, { "string.upper", "s" }, { "string.lower", "s" },
    { "string.reverse", "s" },
    { "string.gmatch(", "sp" }, { "table.concat", "t sii" }, { "table.concat", "ts" }, { "table.maxn", "t" },
    { "table.getn", "t" }, { "table.remove", "t i" },
    { "table.sort", "t f" }, { "table.foreachi", "tf" }, { "table.foreach", "tf" }, { "math.floor", "n" },
    { "math.ceil", "n" }, { "math.max", "n nn" },
    { "math.min", "n nn" }, { "math.abs", "n" }, { "math.fmod", "nn" }, { "math.modf", "n" }, { "math.frexp", "n" },
    { "math.ldexp", "ni" }, { "math.sqrt", "n" },
    { "math.pow", "nn" }, { "math.log10", "n" }, { "math.log", "n" }, { "math.deg", "n" }, { "math.random", " in" },
    { "math.random", "" }, { "math.mod", "nn" },
    { "math.exp", "n" }, { "math.sin", "n" }, { "select", "iv vv" }, { "select", "sv v" }, { "unpack", "t ii" },
    { "next", "t v" }, { "rawget", "tv" },
    { "rawset", "tix" }, { "rawequal", "vv" }, { "cjson.encode", "v" }, { "cjson.encode", "t" },
    { "cjson.encode", "t" }, { "cjson.decode", "j" },
    { "cjson.decode", "s" }, { "cmsgpack.pack", "v vt" }, { "cmsgpack.pack", "t" }, { "cmsgpack.unpack", "k" },
    { "cmsgpack.unpack_one", "k i" },
    { "cmsgpack.unpack_limit", "ki i" }, { "cmsgpack.unpack", "s" }, { "struct.pack", "ln sn" },
    { "struct.pack", "lss" }, { "struct.unpack", "lk i" },
    { "struct.unpack", "ls" }, { "struct.size", "l" }, { "bit.band", "nn n" }, { "bit.bor", "nn" },
    { "bit.bxor", "nn" }, { "bit.bnot", "n" },
    { "bit.lshift", "ni" }, { "bit.rshift", "ni" }, { "bit.arshift", "ni" }, { "bit.rol", "ni" }, { "bit.ror", "ni" },
    { "bit.bswap", "n" }, { "bit.tobit", "n" },
    { "bit.tohex", "n i" }, { "loadstring", "s s" }, { "setmetatable", "tt" }, { "type(getmetatable", "v" },
    { "ipairs", "t" }, { "T", "v" },
    { "#string.dump", "f" }, { "table.setn", "ti" }, { "cjson.encode_number_precision", "i" }, { "assert", "v s" },
    { "T", "s" },
};

static void library_call(writer *w, int depth)
{
    size_t i = below(w, COUNT(library));
    const char *name = library[i].name, *kinds = library[i].kinds;
    if (often(w, 3)) {                             /* a count that needs no memory, a place that needs no time */
        buf_printf(w->out, often(w, 50) ? "string.rep(T(b),%d)" : "table.insert(c,%d,T(a))", (int)below(w, 6) - 1);
        return;
    }
    bool opened = strchr(name, '(') != NULL;
    bool made = str_ends(str_from(name), S("("));  /* an iterator: called once */
    bool safe = !opened && name[0] != '#' && often(w, 40);
    buf_printf(w->out, safe ? "P(%s," : made ? "%s" : "%s(", name);
    if (safe && !kinds[0])
        put(w, "1");
    if (often(w, 6)) {                             /* as many as it pleases, of any kind */
        argument(w, 'v', depth);
        arguments(w, 0, depth);
        kinds = "";
    }
    bool optional = false;
    for (size_t n = 0; *kinds && !(optional && often(w, 50)); kinds++) {
        if (*kinds == ' ') {
            optional = true;
            continue;
        }
        put(w, n++ > 0 ? "," : "");
        argument(w, *kinds, depth);
    }
    if (safe && w->out->p[w->out->n - 1] == ',')
        put(w, "1");
    put(w, made ? ")()" : opened ? "))" : ")");
}

static void function_body(writer *w, const char *parameters, int depth)
{
    w->functions++;
    buf_printf(w->out, "function(%s) ", parameters);
    if (often(w, 40))
        block(w, depth - 1);
    put(w, "return ");
    expression(w, depth - 1);
    put(w, " end");
    w->functions--;
}

static void raised(writer *w, int depth)
{
    static const char *const how[] = { "error(E(", "error(E(", "error({err=T(", "assert(false,T(", "error(T(" };
    size_t i = below(w, COUNT(how));
    put(w, how[i]);
    expression(w, depth - 1);
    put(w, i == 2 ? ")})" : i == 3 ? "))" : often(w, 40) ? "),0)" : "))");
}

static void function_call(writer *w, int depth)
{
    switch (below(w, 7)) {
    case 0:
        put(w, "(");
        function_body(w, "...", depth);
        put(w, ")(");
        arguments(w, 2, depth);
        put(w, ")");
        break;
    case 1:
        put(w, "select(2,pcall(");
        function_body(w, "", depth);
        put(w, "))");
        break;
    case 2:
        put(w, "pcall(");
        function_body(w, "x", depth);
        put(w, ",");
        expression(w, depth - 1);
        put(w, ")");
        break;
    case 3:
        put(w, "xpcall(");
        function_body(w, "", depth);
        put(w, ",function(e) return type(e)=='table' and rawget(e,'err') or T(e) end)");
        break;
    case 4:
        put(w, "coroutine.wrap(function(x) local y=coroutine.yield(");
        expression(w, depth - 1);
        put(w, ") return ");
        expression(w, depth - 1);
        put(w, " end)(a)");
        break;
    case 5:
        put(w, "select(2,coroutine.resume(coroutine.create(");
        function_body(w, "x", depth);
        put(w, "),b))");
        break;
    default:
        raised(w, depth);
    }
}

/* ---- tables ---- */

static void table_constructor(writer *w, int depth)
{
    static const char *const keys[] = { "ok", "err", "double", "map", "set", "x", "y", "verbatim_string", "big_number",
                                        "format", "string", "ok", "err" };
    static const char *const replies[] = {
        "{ok='fine'}", "{err='MY bad'}", "{double=3.5}", "{double=1/0}",
        "{big_number='123456789012345678901234567890'}", "{map={a=1}}", "{set={a=true}}",
        "{verbatim_string={format='txt',string='hi'}}", "{map={[1]={2}}}", "{double='x'}", "{1,nil,3}", "{nil,1}", "{}",
        "{{{}}}", "{ok='a\\r\\nb'}", "{err='x\\0y'}", "{map={a={double=0.1}}}", "{set={{1}}}", "{err=1}", "{ok=1}",
        "{1,2,ok='x'}", "{verbatim_string={format='markdown',string='x'}}", "{big_number=1}", "{err='-NO dash'}",
        "{ok=''}", "{err=''}", "{double=0/0}", "{map={}}", "{set={}}",
    };
    if (often(w, 25)) {
        ONE_OF(w, replies);
        return;
    }
    put(w, "{");
    for (unsigned n = below(w, 4); n > 0; n--) {
        if (often(w, 25)) {
            ONE_OF(w, keys);
            put(w, "=");
        } else if (often(w, 15)) {
            buf_printf(w->out, "[%d]=", (int)below(w, 6) - 1);
        }
        expression(w, depth - 1);
        put(w, ",");
    }
    put(w, "}");
}

static void metatable(writer *w, int depth)
{
    static const char *const events[] = { "__index", "__newindex", "__call", "__add", "__sub", "__concat", "__eq",
                                          "__lt", "__le", "__unm", "__tostring",
                                          "__len", "__mod", "__metatable", "__pow" };
    put(w, "setmetatable(");
    table_constructor(w, depth - 1);
    put(w, ",{");
    ONE_OF(w, events);
    put(w, "=");
    function_body(w, "x,y", depth - 1);
    put(w, "})");
}

/* ---- expressions ---- */

static void operand(writer *w, bool numbers, int depth)
{
    if (!numbers)
        expression(w, depth - 1);
    else if (often(w, 60))
        number(w);
    else {
        put(w, often(w, 30) ? "#T(" : "(tonumber(T(");
        bool length = w->out->p[w->out->n - 2] == 'T' && w->out->p[w->out->n - 3] == '#';
        expression(w, depth - 1);
        put(w, length ? ")" : ")) or 7)");
    }
}

static void operation(writer *w, int depth)
{
    static const char *const binary[] = { "+", "-", "*", "/", "%", "^", "<", "<=", "==", "~=", " and ", " or ", ".." };
    static const char *const unary[] = { "-", "not ", "#" };
    put(w, "(");
    if (often(w, 15)) {
        ONE_OF(w, unary);
        put(w, "(");
        expression(w, depth - 1);
        put(w, ")");
    } else {
        size_t which = below(w, COUNT(binary));
        bool numbers = (which < 8 || which == 12) && often(w, 75);
        operand(w, numbers, depth);
        put(w, " ");
        put(w, binary[which]);
        put(w, " ");
        operand(w, numbers, depth);
    }
    put(w, ")");
}

static void field(writer *w, int depth)
{
    static const char *const fields[] = { "[1]", ".err", ".ok", "[2]", ".x", "[a]", ".double", ".map" };
    put(w, "(");
    expression(w, depth - 1);
    put(w, ")");
    ONE_OF(w, fields);
}

static void expression(writer *w, int depth)
{
    if (depth <= 0 || w->nodes++ > NODES_MAX) {
        leaf(w);
        return;
    }
    unsigned kind = below(w, 100), calls = w->subject == LUA_REDIS ? 25 : 5,
                    libraries = w->subject == LUA_REDIS ? 10 : 42;
    if (kind < calls)
        redis_call(w, depth);
    else if (kind < calls + libraries)
        library_call(w, depth);
    else if (kind < 58)
        leaf(w);
    else if (kind < 66)
        w->subject == LUA_REDIS ? redis_api(w, depth) : operation(w, depth);
    else if (kind < 74)
        operation(w, depth);
    else if (kind < 84)
        table_constructor(w, depth);
    else if (kind < 87)
        metatable(w, depth);
    else if (kind < 90)
        field(w, depth);
    else
        function_call(w, depth);
}

/* ---- statements ---- */

static void assignment(writer *w, int depth)
{
    static const char *const variables[] = { "a", "b", "c", "d", "a", "b", "d", "local a", "local b,d", "x",
                                             "redis.x" };
    static const char *const fields[] = { "c[1]", "c.x", "c[2]", "c[#c+1]", "c.y", "c[b]", "KEYS[1]", "ARGV[9]" };
    if (often(w, 65)) {
        ONE_OF(w, variables);
        put(w, "=");
        expression(w, depth);
    } else {
        ONE_OF(w, fields);
        put(w, "=");
        if (often(w, 50))
            redis_call(w, 0);
        else if (often(w, 50))
            number(w);
        else
            text(w);
    }
    put(w, "\n");
}

static void statement(writer *w, int depth)
{
    switch (below(w, 12)) {
    case 0:
        put(w, "if ");
        expression(w, 1);
        put(w, " then ");
        block(w, depth - 1);
        if (often(w, 40)) {
            put(w, "else ");
            block(w, depth - 1);
        }
        put(w, "end\n");
        break;
    case 1:
        buf_printf(w->out, "for i=1,%u do ", below(w, 4));
        block(w, depth - 1);
        put(w, "end\n");
        break;
    case 2:
        put(w, often(w, 60) ? "for k,v in ipairs(" : "for k,v in pairs(");
        table_constructor(w, depth - 1);
        put(w, ") do c[#c+1]=k d=v end\n");
        break;
    case 3:
        put(w, "local ok,e=pcall(");
        function_body(w, "", depth);
        put(w, ") d=type(e)=='table' and e.err or e\n");
        break;
    case 4:
        put(w, "d=");
        redis_call(w, depth);
        put(w, "\n");
        break;
    default:
        assignment(w, depth);
    }
}

static void block(writer *w, int depth)
{
    for (unsigned n = depth > 0 ? 1 + below(w, 2) : 0; n > 0; n--)
        statement(w, depth);
}

str lua_script(generator *g, lua_subject subject)
{
    static const char *const shebangs[] = {
        "#!lua\n", "#!lua flags=no-writes\n", "#!lua flags=allow-oom\n", "#!lua flags=no-writes,allow-stale\n",
        "#!lua flags=\n", "#!lua name=x\n", "#!python\n", "#!lua flags=bogus\n", "#!lua", "#!lua  flags=no-cluster\n",
        "#!\n", "#! lua\n", "#!lua flags=allow-cross-slot-keys\n\n",
    };
    buf out = { 0 };
    writer w = { .g = g, .r = &g->random, .out = &out, .subject = subject };
    put(&w, "--\nlocal a,b,c,d=1,'b',{},nil\n");
    if (subject == LUA_REDIS && often(&w, 25))
        put(&w, "redis.setresp(3)\n");
    for (unsigned n = below(&w, 4); n > 0; n--)
        statement(&w, 3);
    if (often(&w, 95)) {
        bool table = often(&w, 40);
        put(&w, table ? "return {" : "return ");
        expression(&w, 4);
        put(&w, table ? ",a,b,c,d}" : "");
    }
    if (often(&w, 1))
        put(&w, " end");
    buf whole = { 0 };
    if (often(&w, 4))
        buf_addz(&whole, shebangs[below(&w, COUNT(shebangs))]);
    for (size_t i = 0; i < COUNT(prelude); i++)
        if (strstr(out.p, prelude[i].use))
            buf_addz(&whole, prelude[i].text);
    buf_add(&whole, buf_str(&out));
    str script = arena_str(g->a, buf_str(&whole));
    buf_free(&whole);
    buf_free(&out);
    return script;
}
