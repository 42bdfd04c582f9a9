/* fuzz_script.c - any text as a script: it ends within its budget with a reply that is whole, does the same whatever
 * ran before it and while it is counted, and the next script finds a clean interpreter.
 * Input: one or more scripts, a line "--next" between them. */
#include "fuzz.h"

#include "script/coverage.h"
#include "script/script.h"

enum { SCRIPTS_MAX = 4 };

static const redis_limits limits = { .script_steps = 20000, .script_bytes = 2 << 20, .store_bytes = 4 << 20 };

/* Everything that a script could have left behind, as one text. */
static const char canary[] =
    "local t, n = {}, 0\n"
    "for k in pairs(_G) do t[#t + 1] = k end\n"
    "for _, lib in ipairs{string, table, math, coroutine, bit, cjson, cmsgpack, struct, redis, getmetatable(''), "
        "getmetatable(_G)} do\n"
    "  for k, v in pairs(lib) do t[#t + 1] = tostring(k) .. type(v) end\n"
    "end\n"
    "table.sort(t)\n"
    "for i = 1, 50 do n = n + i end\n"
    "local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 end)\n"
    "local plain = {}\n"
    "return {table.concat(t, ' '), n, #KEYS, KEYS[1], #ARGV, ARGV[1], co(1), co(2), tostring(getmetatable(plain)), "
        "tostring(plain.x),\n"
    "  ('aXb'):lower():rep(2), ('k=v'):match('(%w)=(%w)'), cjson.encode({1, {}}), #cmsgpack.pack({1}), "
        "tostring(coroutine.running()),\n"
    "  tostring(getmetatable(KEYS)), tostring(redis.call('get', 'none')),\n"
    "  select(2, pcall(function() return nosuch end)), pcall(error), struct.size('i4'), bit.tohex(255), "
        "tostring(next({}))}";

/* What leaves as much behind as a script can. */
static const char prelude[] =
    "local t = {} for i = 1, 60 do t[i] = {i .. 'z', tostring({})} end KEYS.x = t ARGV[9] = t setmetatable(KEYS, "
        "{__index = error})\n"
    "pcall(loadstring('return ' .. ('1+'):rep(50) .. '1')) pcall(string.rep, 'x', 1e9) pcall(redis.call, 'get', "
        "'none')\n"
    "local co = coroutine.create(function() coroutine.yield(('y'):rep(5000)) end) coroutine.resume(co) return #t";

typedef struct {
    redis *server;
    redis_conn *conn;
    coverage *cover;
    buf told;
} bench;

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    bench *b = context;
    (void)sha1;
    buf_u64(&b->told, (uint64_t)line);
    for (size_t i = 0; i < argc; i++)
        buf_lenstr(&b->told, argv[i]);
    fuzz_check_reply(r, &b->told);
}

static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    bench *b = context;
    (void)sha1;
    buf_printf(&b->told, "%d@%d %.*s", (int)kind, line, STR_ARG(text));
}

static void on_log(void *context, int level, str text)
{
    bench *b = context;
    buf_printf(&b->told, "log %d %.*s", level, STR_ARG(text));
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    on_finding(context, FINDING_CRASH, pattern, (int)conn, channel);
    buf_lenstr(&((bench *)context)->told, payload);
}

static void bench_open(bench *b, bool covered)
{
    *b = (bench){ .server = redis_new(limits), .cover = covered ? coverage_new() : NULL };
    b->conn = redis_connect(b->server, 1);
    redis_observe(b->server, &(redis_observer){ .context = b, .message = on_message, .effect = on_effect,
                                                .finding = on_finding, .log = on_log });
    redis_cover(b->server, b->cover);
}

static void bench_close(bench *b)
{
    redis_free(b->server);
    coverage_free(b->cover);
    buf_free(&b->told);
}

/* Runs it with KEYS = {k, {k}2} and ARGV = {a, 5}; what it did is added to told. */
static reply_kind eval(bench *b, str body, arena *a)
{
    str argv[] = { S("eval"), body, S("2"), S("k"), S("{k}2"), S("a"), S("5") };
    reply r = redis_execute(b->server, b->conn, argv, COUNT(argv), FUZZ_NOW_MS, a);
    fuzz_check_reply(&r, &b->told);
    redis_freeze(b->server, FUZZ_NOW_MS, &b->told);
    return r.kind;
}

/* What the canary sings on a server that never ran anything. */
static str first_song(void)
{
    static buf song;
    if (song.n == 0) {
        arena *a = arena_new();
        bench b;
        bench_open(&b, false);
        FUZZ_CHECK(eval(&b, str_from(canary), a) == REPLY_ARRAY, "the canary says %.*s", STR_ARG(buf_str(&b.told)));
        buf_add(&song, buf_str(&b.told));
        bench_close(&b);
        arena_free(a);
    }
    return buf_str(&song);
}

static void check_canary(bench *b, arena *a)
{
    redis_wipe(b->server);                           /* the keyspace; scripts may write there */
    buf_clear(&b->told);
    eval(b, str_from(canary), a);
    str song = first_song();
    FUZZ_CHECK(str_eq(buf_str(&b->told), song), "the next script finds\n%.*s\nnot\n%.*s", STR_ARG(buf_str(&b->told)),
               STR_ARG(song));
}

static bool next_script(str *rest, str *body)
{
    static const str mark = { "\n--next\n", 8 };
    if (rest->n == 0)
        return false;
    for (size_t i = 0; i + mark.n <= rest->n; i++)
        if (memcmp(rest->p + i, mark.p, mark.n) == 0) {
            *body = str_slice(*rest, 0, i);
            *rest = str_slice(*rest, i + mark.n, rest->n);
            return true;
        }
    *body = *rest;
    rest->n = 0;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str rest = { (const char *)data, size }, body;
    arena *a = arena_new();
    bench fresh, used;
    bench_open(&fresh, false);
    bench_open(&used, size % 2);
    eval(&used, str_from(prelude), a);
    buf_clear(&used.told);
    for (size_t n = 0; n < SCRIPTS_MAX && next_script(&rest, &body); n++) {
        eval(&fresh, body, a);
        eval(&used, body, a);
        FUZZ_CHECK(str_eq(buf_str(&fresh.told), buf_str(&used.told)), "script %zu depends on what ran before "
                   "it:\n%.*s\nor\n%.*s", n,
                   STR_ARG(buf_str(&fresh.told)), STR_ARG(buf_str(&used.told)));
    }
    check_canary(&fresh, a);
    check_canary(&used, a);
    bench_close(&fresh);
    bench_close(&used);
    arena_free(a);
    return 0;
}
