/* waiting.c - pops and readers of streams that wait, beside a real redis-server: several connections that pop, push,
 * run transactions and scripts, go away, and wait for the clock. All answers must be the same, step by step, and
 * so must the keyspace be. Usage: waiting SOCKET CLOCK_FILE [STEPS [SEED]]        server.sh gives the first two */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "real.h"
#include "redis/redis.h"
#include "script/script.h"

enum { CONNS = 6, STEPS_DEFAULT = 20000, EPISODE = 60, ANSWER_WITHIN_MS = 3000, WORDS_MAX = 16, LINE_MAX_BYTES = 256 };
#define START_MS INT64_C(1700000000000)

typedef struct {
    real *server;
    real_conn *theirs[CONNS], *control;
    redis *sim;
    redis_conn *ours[CONNS];
    buf told[CONNS];               /* by ours, since it was last looked at */
    arena *a;
    int64_t now_ms;
    rng random;
    char lines[EPISODE][LINE_MAX_BYTES];
    size_t line_count;
    uint64_t passed, failed, episodes;
} pair;

static void hear(void *context, uint32_t conn, const reply *r)
{
    pair *t = context;
    reply_encode(r, 2, &t->told[conn - 1]);
}

static void fail(pair *t, int conn, const char *what, str theirs, str ours)
{
    buf b = { 0 };
    printf("waiting: connection %d %s, after:\n", conn, what);
    for (size_t i = 0; i < t->line_count; i++)
        printf("  %s\n", t->lines[i]);
    buf_addz(&b, "  # redis:   ");
    show_bytes(theirs, 500, &b);
    buf_addz(&b, "\n  # locksim: ");
    show_bytes(ours, 500, &b);
    printf("%s\n", b.p);
    buf_free(&b);
    t->failed++;
}

/* Twice round: what a closed socket or the clock brings about is over by then. */
static void settle(pair *t)
{
    buf pong = { 0 };
    for (int i = 0; i < 2; i++)
        real_execute(t->control, &(str){ "ping", 4 }, 1, &pong);
    buf_free(&pong);
}

/* What this connection was told, or that it was told nothing. */
static void compare(pair *t, int conn)
{
    buf theirs = { 0 };
    str ours = buf_str(&t->told[conn]);
    bool came = real_read_within(t->theirs[conn], ours.n ? ANSWER_WITHIN_MS : 0, &theirs);
    if (came == (ours.n > 0) && str_eq(buf_str(&theirs), ours))
        t->passed++;
    else
        fail(t, conn, came ? ours.n ? "is told something else" : "is told, and should wait"
             : "waits, and should be told", buf_str(&theirs), ours);
    buf_clear(&t->told[conn]);
    buf_free(&theirs);
}

static void compare_keyspace(pair *t)
{
    str argv[] = { S("eval"), keyspace_script, S("0"), S("2") };
    buf theirs = { 0 }, ours = { 0 };
    redis_conn *reader = redis_connect(t->sim, CONNS + 1);
    real_execute(t->control, argv, 4, &theirs);
    reply r = redis_execute(t->sim, reader, argv, 4, t->now_ms, t->a);
    reply_encode(&r, 2, &ours);
    redis_disconnect(t->sim, reader);
    if (str_eq(buf_str(&theirs), buf_str(&ours)))
        t->passed++;
    else
        fail(t, 0, "sees another keyspace", buf_str(&theirs), buf_str(&ours));
    buf_free(&theirs);
    buf_free(&ours);
}

/* ---- steps ---- */

/* Not SWAPDB: of several keys that it brings, which is looked at first depends on how the real server hashes. */
static const char *const quick[] = {
    "rpush %k %v", "rpush %k %v %v", "lpush %k %v %v %v", "zadd %k 1 %v", "zadd %k 2 %v 1 %v", "set %k v", "del %k",
    "del %k %k", "rename %k %k", "copy %k %k replace", "lmove %k %k left right", "rpoplpush %k %k", "sadd %k %v",
    "multi", "exec", "exec", "discard", "blpop %k %k 0", "lmpop 2 %k %k left", "zpopmin %k",
    "sort %k by nosort store %k", "zunionstore %k 2 %k %k", "sunionstore %k %k", "rpushx %k %v", "select 0", "select 1",
    "eval redis.call('rpush',KEYS[1],'x')return(redis.call('blmpop',0,1,KEYS[2],'left')) 2 %k %k",
    "eval redis.call('del',KEYS[1])redis.call('zadd',KEYS[1],1,'m')return(1) 1 %k", "move %k 1", "flushall",
    "linsert %k before %v w", "zrangestore %k %k 0 -1", "persist %k", "pexpire %k 50", "getset %k v", "xadd %k * a b",
    "lrem %k 1 %v",
};
/* Streams have keys of their own, so that readers are more than refused. Not FLUSHALL: Redis 7.0 remembers the streams
 * that it removes, in the order of a hash table. */
static const char *const stream_quick[] = {
    "xadd %s * a b", "rpush %s x", "xadd %s * a %v", "xadd %s %i a b", "xadd %s %i c d", "xadd %s maxlen 0 * a b",
    "xadd %s maxlen 1 * a b", "xadd %k * a b", "del %s", "xdel %s %i %i", "xtrim %s maxlen 1", "rename %s %s",
    "copy %s %s replace", "multi", "exec", "exec", "xread streams %s %s 0 $", "xread count 1 streams %s %i",
    "xread streams %s +", "xread block 0 streams %s %i", "xinfo stream %s", "xinfo stream %s full count 1",
    "eval redis.call('xadd',KEYS[1],'*','a','b')return(redis.pcall('xread','block','0','streams',KEYS[2],'$')) 2 %s %s",
    "eval redis.call('xadd',KEYS[1],'*','a','b')redis.call('xtrim',KEYS[1],'maxlen',0) 1 %s", "move %s 1",
    "eval redis.call('del',KEYS[1])redis.call('xadd',KEYS[1],'5-0','a','b')return(1) 1 %s", "pexpire %s 50",
    "set %s v", "select 0",
    "xgroup create %s g %i", "xgroup create %s g 0 mkstream", "xgroup create %s g $ mkstream", "xgroup destroy %s g",
    "xgroup setid %s g %i", "xreadgroup group g %v streams %s >", "xreadgroup group g %v streams %s 0",
    "xgroup create %s h 0 mkstream", "xgroup delconsumer %s g %v", "xack %s g %i", "xinfo groups %s",
    "xinfo consumers %s g", "xautoclaim %s g %v 0 - count 1", "xpending %s g", "xgroup destroy %s h",
    "eval redis.call('xgroup','destroy',KEYS[1],'g')redis.call('xgroup','create',KEYS[1],'g','0')return(1) 1 %s",
    "eval redis.call('del',KEYS[1])redis.call('set',KEYS[1],'v') 1 %s", "xtrim %s maxlen 0",
    "eval return(redis.pcall('xreadgroup','group','g','a','block','0','streams',KEYS[1],'>')) 1 %s",
};
static const char *const stream_slow[] = {
    "xread block %T streams %s $", "xread block %T streams %s $", "xread block %T streams %s %s $ $",
    "xread block %T streams %s %s %i %i", "xread block %T streams %s %s %i $", "xread count 1 block %T streams %s %i",
    "xread block %T count 2 streams %k %s $ %i", "xread block %T streams %s +", "xread block %T streams %s %s + $",
    "xread block %B streams %s $", "xread block %T count x streams %s $", "xread block %T streams %s %s $",
    "xreadgroup group g %v block %T streams %s >", "xreadgroup group g %v block %T streams %s >",
    "xreadgroup group g %v block %T streams %s >", "xreadgroup group g %v block %T count 1 streams %s >",
    "xreadgroup group g %v block %T noack streams %s %s > >", "xreadgroup group h %v block %T streams %s >",
    "xreadgroup group g %v block %T streams %s %s > %i", "xreadgroup group g %v block %B streams %s >",
    "xreadgroup group g %v block %T noack streams %s >",
    "xread block %T streams %s >", "xread block %T streams %s 9", "blpop %s %t", "xread count -1 block %T streams %s 0",
};
static const char *const ms_times[] = { "0", "0", "100", "50", "1000", "1", "300" };
static const char *const bad_ms_times[] = { "-1", "x", "''", "1.5", "9223372036854775808", "+1", "01" };
static const char *const ids[] = { "0", "5", "5-1", "9-9", "1700000000000", "1700000000100-0", "1700000000001-1",
                                   "1700000000000-0", "18446744073709551615-18446744073709551615", "$", "x" };
static const char *const slow[] = {
    "blpop %k %t", "blpop %k %k %t", "brpop %k %k %t", "blmove %k %k left right %t", "blmove %k %k right left %t",
    "brpoplpush %k %k %t", "bzpopmin %k %k %t", "bzpopmax %k %t", "blmpop %t 2 %k %k left count 2",
    "blmpop %t 1 %k right", "bzmpop %t 1 %k max", "bzmpop %t 2 %k %k min count 3", "blpop %k %b", "blmpop %b 1 %k left",
    "blmpop 0 0 %k left", "bzmpop 1 1 %k sideways", "blmove %k %k up down 0", "brpop %k", "bzmpop 0 1 %k min count 0",
};
static const char *const times[] = { "0", "0", "0.1", "0.05", "1", "0.0001", "0.3" };
static const char *const bad_times[] = { "-1", "x", "''", "nan", "inf", "-inf", "1e30", "9223372036854775", "1e15",
                                         "0x1", "-0.0001", "5e-9" };

#define PICK(t, list) list[rng_below(&(t)->random, COUNT(list))]

static void fill(pair *t, const char *form, char *line)
{
    size_t n = 0;
    for (; *form && n < LINE_MAX_BYTES - 60; form++) {
        if (*form != '%') {
            line[n++] = *form;
            continue;
        }
        char word[48];
        switch (*++form) {
        case 'k': snprintf(word, sizeof word, "k%d", (int)rng_below(&t->random, 4)); break;
        case 'v': snprintf(word, sizeof word, "v%d", (int)rng_below(&t->random, 3)); break;
        case 's': snprintf(word, sizeof word, "s%d", (int)rng_below(&t->random, 2)); break;
        case 'i': snprintf(word, sizeof word, "%s", PICK(t, ids)); break;
        case 'T': snprintf(word, sizeof word, "%s", PICK(t, ms_times)); break;
        case 'B': snprintf(word, sizeof word, "%s", PICK(t, bad_ms_times)); break;
        case 't': snprintf(word, sizeof word, "%s", PICK(t, times)); break;
        default: snprintf(word, sizeof word, "%s", PICK(t, bad_times)); break;
        }
        n += (size_t)snprintf(line + n, LINE_MAX_BYTES - n, "%s", word);
    }
    line[n] = '\0';
}

static char *next_line(pair *t)
{
    return t->lines[t->line_count++];
}

static void run(pair *t, int conn, const char *form)
{
    char *line = next_line(t);
    int head = snprintf(line, LINE_MAX_BYTES, "(connection %d) ", conn);
    fill(t, form, line + head);
    str argv[WORDS_MAX];
    size_t argc = 0;
    for (const char *p = line + head; *p; argc++) {
        size_t n = strcspn(p, " ");
        argv[argc] = n == 2 && strncmp(p, "''", 2) == 0 ? S("") : (str){ p, n };
        p += n + (p[n] == ' ');
    }
    arena_reset(t->a);
    reply r = redis_execute(t->sim, t->ours[conn], argv, argc, t->now_ms, t->a);
    if (!redis_waits(t->ours[conn]))
        reply_encode(&r, 2, &t->told[conn]);
    real_queue(t->theirs[conn], argv, argc);
    real_send(t->theirs[conn]);
    settle(t);
    for (int i = 0; i < CONNS; i++)
        if (i == conn || redis_waits(t->ours[i]) || t->told[i].n > 0)
            compare(t, i);
}

static void pass_time(pair *t)
{
    static const int lengths[] = { 1, 1, 20, 50, 51, 100, 101, 300, 1001 };
    int64_t due_ms = redis_next_timeout_ms(t->sim), ms = PICK(t, lengths);
    if (due_ms - t->now_ms < 1000000 && rng_below(&t->random, 2))
        ms = due_ms - t->now_ms - (int64_t)rng_below(&t->random, 2);    /* the very millisecond, or the one before */
    ms = ms < 1 ? 1 : ms;
    snprintf(next_line(t), LINE_MAX_BYTES, "(%" PRId64 " ms pass)", ms);
    t->now_ms += ms;
    real_set_clock(t->server, t->now_ms);
    redis_timeouts(t->sim, t->now_ms);
    settle(t);
    /* Which of two that are due at one instant goes first the real server leaves open: each is told the same, and pops
     * nothing. */
    for (int i = 0; i < CONNS; i++)
        if (t->told[i].n > 0)
            compare(t, i);
}

static void go_away(pair *t, int conn)
{
    snprintf(next_line(t), LINE_MAX_BYTES, "(connection %d goes and comes back)", conn);
    real_disconnect(t->theirs[conn]);
    settle(t);
    t->theirs[conn] = real_connect(t->server);
    redis_disconnect(t->sim, t->ours[conn]);
    t->ours[conn] = redis_connect(t->sim, (uint32_t)conn + 1);
}

/* Every third episode is one of streams. */
static bool of_streams(const pair *t) { return t->episodes % 3 == 0; }
static const char *quick_form(pair *t) { return of_streams(t) ? PICK(t, stream_quick) : PICK(t, quick); }
static const char *slow_form(pair *t) { return of_streams(t) ? PICK(t, stream_slow) : PICK(t, slow); }

static void step(pair *t)
{
    uint64_t what = rng_below(&t->random, 100);
    int conn = (int)rng_below(&t->random, CONNS);
    if (what < 12)
        pass_time(t);
    else if (redis_waits(t->ours[conn]))
        what < 20 ? go_away(t, conn) : run(t, 0, quick_form(t));
    else
        run(t, conn, conn > 0 && what < 60 ? slow_form(t) : quick_form(t));
}

/* Connection 0 never waits; a BLPOP of its own is only sent in a transaction. */
static bool may_run(const pair *t)
{
    return !redis_waits(t->ours[0]);
}

static void begin(pair *t)
{
    t->line_count = 0;
    t->episodes++;
    for (int i = 0; i < CONNS; i++) {
        go_away(t, i);
        t->line_count = 0;
    }
    real_reset(t->control);
    redis_conn *c = redis_connect(t->sim, CONNS + 1);
    redis_execute(t->sim, c, &(str){ "flushall", 8 }, 1, t->now_ms, t->a);
    redis_disconnect(t->sim, c);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: waiting SOCKET CLOCK_FILE [STEPS [SEED]]\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    uint64_t steps = argc > 3 ? strtoull(argv[3], NULL, 10) : STEPS_DEFAULT;
    pair *t = calloc(1, sizeof *t);
    *t = (pair){ .server = real_open(argv[1], argv[2]), .a = arena_new(), .now_ms = START_MS,
                  .random = rng_new(argc > 4 ? strtoull(argv[4], NULL, 10) : 1, 0) };
    t->sim = redis_new((redis_limits){ .dialect = real_dialect(t->server) });
    redis_observe(t->sim, &(redis_observer){ .context = t, .answered = hear });
    t->control = real_connect(t->server);
    for (int i = 0; i < CONNS; i++) {
        t->theirs[i] = real_connect(t->server);
        t->ours[i] = redis_connect(t->sim, (uint32_t)i + 1);
    }
    for (uint64_t i = 0; i < steps && t->failed == 0; i++) {
        if (i % (EPISODE - 1) == 0 || !may_run(t))
            begin(t);
        step(t);
        if (i % 10 == 0 && t->failed == 0)
            compare_keyspace(t);
    }
    for (int i = 0; i < CONNS; i++) {
        real_disconnect(t->theirs[i]);
        buf_free(&t->told[i]);
    }
    real_disconnect(t->control);
    real_close(t->server);
    redis_free(t->sim);
    arena_free(t->a);
    uint64_t passed = t->passed, failed = t->failed;
    free(t);
    return real_verdict(passed, failed);
}
