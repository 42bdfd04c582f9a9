/* fuzz_commands.c - any commands with any arguments: no crash, replies that are whole, and a keyspace that is the same
 * frozen and thawed. Input: a command a line, quoted as for redis-cli. "+50" moves the clock by 50 ms, "@1" goes on as
 * the second connection. A second server is thawed from the first one before each command: it must answer the same. */
#include "fuzz.h"

#include "base/words.h"
#include "script/script.h"

enum { CONNS = 3, COMMANDS_MAX = 40, ADVANCE_MAX_MS = 100000 };

static const redis_limits limits = { .script_steps = 20000, .script_bytes = 2 << 20, .store_bytes = 4 << 20 };

typedef struct {
    redis *server;
    redis_conn *conns[CONNS];
    buf told;                      /* replies and messages */
} side;

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    side *s = context;
    buf_u64(&s->told, conn);
    buf_lenstr(&s->told, channel);
    buf_lenstr(&s->told, payload);
    buf_lenstr(&s->told, pattern);
}

static void on_answer(void *context, uint32_t conn, const reply *r)
{
    side *s = context;
    buf_u64(&s->told, conn);
    fuzz_check_reply(r, &s->told);
}

static void side_open(side *s)
{
    *s = (side){ .server = redis_new(limits) };
    redis_observe(s->server, &(redis_observer){ .context = s, .message = on_message, .answered = on_answer });
    for (uint32_t i = 0; i < CONNS; i++)
        s->conns[i] = redis_connect(s->server, i);
}

static void side_close(side *s)
{
    redis_free(s->server);
    buf_free(&s->told);
}

static void freeze(redis *r, int64_t now_ms, buf *out)
{
    buf_clear(out);
    redis_freeze(r, now_ms, out);
}

static bool remembers(const side *s)
{
    for (size_t i = 0; i < CONNS; i++)
        if (redis_conn_remembers(s->conns[i]))
            return true;
    return false;
}

/* The second server takes over the keyspace of the first one, and writes it down the same, both ways. */
static void take_over(side *to, side *from, int64_t now_ms)
{
    buf frozen = { 0 }, again = { 0 };
    freeze(from->server, now_ms, &frozen);
    redis_thaw(to->server, now_ms, buf_str(&frozen));
    freeze(to->server, now_ms, &again);
    FUZZ_CHECK(str_eq(buf_str(&frozen), buf_str(&again)), "thawed and frozen again, the keyspace differs");
    buf_clear(&frozen);
    redis_fold(from->server, now_ms, &frozen);
    redis_unfold(to->server, now_ms, buf_str(&frozen));
    freeze(to->server, now_ms, &frozen);
    FUZZ_CHECK(str_eq(buf_str(&frozen), buf_str(&again)), "unfolded and frozen, the keyspace differs");
    buf_clear(&frozen);
    redis_freeze_random(from->server, &frozen);
    redis_thaw_random(to->server, buf_str(&frozen));
    buf_free(&frozen);
    buf_free(&again);
}

static void ignore_instant(void *context, int64_t at_ms, bool deadline)
{
    (void)context;
    (void)at_ms;
    (void)deadline;
}

static void ignore_key(void *context, str key, str shown, int64_t ttl_ms)
{
    (void)context;
    FUZZ_CHECK(ttl_ms >= -1 && shown.n > 0, "key %.*s is shown as %.*s, ttl %" PRId64, STR_ARG(key), STR_ARG(shown),
               ttl_ms);
}

static void execute(side *s, size_t conn, const str *argv, size_t argc, int64_t now_ms, arena *a)
{
    reply r = redis_execute(s->server, s->conns[conn], argv, argc, now_ms, a);
    fuzz_check_reply(&r, &s->told);
    buf frozen = { 0 };
    redis_freeze(s->server, now_ms, &frozen);
    buf_add(&s->told, buf_str(&frozen));
    buf_free(&frozen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str rest = { (const char *)data, size }, line;
    side live, other;
    side_open(&live);
    side_open(&other);
    arena *a = arena_new();
    int64_t now_ms = FUZZ_NOW_MS;
    size_t conn = 0;
    for (size_t n = 0; n < COMMANDS_MAX && fuzz_next(&rest, '\n', &line); n++) {
        str *argv;
        bool *quoted;
        size_t argc;
        arena_reset(a);
        if (!words_split(a, line, &argv, &quoted, &argc) || argc == 0)
            continue;
        if (argc == 1 && argv[0].n > 1 && argv[0].p[0] == '+') {
            now_ms += (int64_t)(strtoul(arena_str(a, argv[0]).p + 1, NULL, 10) % ADVANCE_MAX_MS);
            continue;
        }
        if (argc == 1 && argv[0].n == 2 && argv[0].p[0] == '@') {
            conn = (size_t)(unsigned char)argv[0].p[1] % CONNS;
            continue;
        }
        if (redis_waits(live.conns[conn]))         /* it may not execute anything */
            continue;
        if (!remembers(&live))
            take_over(&other, &live, now_ms);
        buf_clear(&live.told);
        buf_clear(&other.told);
        execute(&live, conn, argv, argc, now_ms, a);
        execute(&other, conn, argv, argc, now_ms, a);
        FUZZ_CHECK(str_eq(buf_str(&live.told), buf_str(&other.told)), "command %zu, '%.*s': a thawed keyspace does "
                   "otherwise", n, STR_ARG(argv[0]));
    }
    redis_each_instant(live.server, now_ms, INT64_C(1000000000), ignore_instant, NULL);
    redis_each_key(live.server, now_ms, a, ignore_key, NULL);
    arena_free(a);
    side_close(&live);
    side_close(&other);
    return 0;
}
