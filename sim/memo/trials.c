/* trials.c - see trials.h. Both texts run every recorded call on a server of their own; everything observable of the
 * two runs is compared. */
#include "memo/trials.h"

#include <string.h>

#include "base/instant_text.h"
#include "base/mem.h"
#include "script/script.h"
#include "memo/parts_internal.h"

typedef struct {
    uint32_t script, keyspace, subscribed;         /* interned; script: path and body */
    uint32_t argc;
    str *argv;
    int64_t now_ms;
} kept_trial;

struct trials {
    arena *memory;
    intern *scripts, *keyspaces, *subscribed;
    kept_trial *items;
    size_t count, cap;
    redis_limits limits;
    bool spoilt;
};

trials *trials_new(redis_limits limits)
{
    trials *t = mem_zero(sizeof *t);
    t->limits = limits;
    t->memory = arena_new();
    t->scripts = intern_new();
    t->keyspaces = intern_new();
    t->subscribed = intern_new();
    return t;
}

void trials_free(trials *t)
{
    if (!t)
        return;
    intern_free(t->scripts);
    intern_free(t->keyspaces);
    intern_free(t->subscribed);
    arena_free(t->memory);
    mem_free(t->items);
    mem_free(t);
}

/* The records are of no use any more. */
void trials_spoil(trials *t)
{
    t->spoilt = true;
    arena_reset(t->memory);
    t->count = 0;
}

/* Beyond this a search is cheaper: trials cost time, and memory as long as they are kept. */
enum { BYTES_MAX = 2 << 20 };

static uint32_t script_id(trials *t, str path, str body)
{
    buf b = { 0 };
    buf_lenstr(&b, path);
    buf_lenstr(&b, body);
    uint32_t id = intern_add(t->scripts, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

void trials_know(trials *t, str path, str body)
{
    script_id(t, path, body);
}

void trials_add(trials *t, const trial *x)
{
    if (t->spoilt)
        return;
    if (arena_bytes(t->memory) + intern_bytes(t->keyspaces) > BYTES_MAX) {
        trials_spoil(t);
        return;
    }
    MEM_RESERVE(t->items, t->cap, t->count + 1);
    kept_trial *k = &t->items[t->count++];
    *k = (kept_trial){ .script = script_id(t, x->path, x->body),
                       .keyspace = intern_add(t->keyspaces, x->keyspace, NULL),
                       .subscribed = intern_add(t->subscribed, x->subscribed, NULL), .argc = (uint32_t)x->argc,
                       .now_ms = x->now_ms, .argv = ARENA_ARRAY(t->memory, str, x->argc + 1) };
    for (size_t i = 0; i < x->argc; i++)
        k->argv[i] = arena_str(t->memory, x->argv[i]);
}

/* ---- trying ---- */

/* A server for one of the texts. */
typedef struct {
    redis *r;
    redis_conn *conn;
    redis_conn **subscribers;
    size_t subscriber_count, subscriber_cap;
    uint32_t subscribed;           /* the subscriptions set up there; INTERN_NONE: none yet */
    char sha1[41];
    arena *passing;
    int64_t now_ms;
    buf noticed;                   /* observations of the current run */
} bench;

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    bench *b = context;
    buf_u64(&b->noticed, conn);
    buf_lenstr(&b->noticed, channel);
    instant_text_put(&b->noticed, payload, INSTANTS_PLAIN, b->now_ms);
    buf_lenstr(&b->noticed, pattern);
}

static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    bench *b = context;
    (void)sha1;
    (void)line;
    buf_u64(&b->noticed, kind);
    buf_lenstr(&b->noticed, kind == FINDING_SCRIPT_ERROR ? S("") : text);          /* its text is the reply's */
}

/* Records a question about subscribers, even if there were none: where the old text asked none, it ran under only one
 * of the possible subscriptions. */
static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    bench *b = context;
    (void)sha1;
    (void)line;
    (void)r;
    if (argc == 0 || !(str_starts_nocase(argv[0], S("PUB")) || str_starts_nocase(argv[0], S("SPUB"))))
        return;
    for (size_t i = 0; i < argc; i++)
        instant_text_put(&b->noticed, argv[i], INSTANTS_PLAIN, b->now_ms);
}

static bool bench_open(bench *b, str body, redis_limits limits)
{
    str why;
    *b = (bench){ .r = redis_new(limits), .passing = arena_new(), .subscribed = INTERN_NONE };
    redis_observe(b->r, &(redis_observer){ .context = b, .message = on_message, .effect = on_effect,
                                           .finding = on_finding });
    b->conn = redis_connect(b->r, 0);
    redis_sha1(body, b->sha1);
    return redis_load_script(b->r, body, b->passing, &why);
}

static void bench_close(bench *b)
{
    redis_free(b->r);
    arena_free(b->passing);
    mem_free(b->subscribers);
    buf_free(&b->noticed);
}

static void subscribe(bench *b, const trials *t, uint32_t subscribed)
{
    if (b->subscribed == subscribed)
        return;
    for (size_t i = 0; i < b->subscriber_count; i++)
        redis_disconnect(b->r, b->subscribers[i]);
    b->subscriber_count = 0;
    str words = intern_get(t->subscribed, subscribed);
    while (words.n > 0) {
        MEM_RESERVE(b->subscribers, b->subscriber_cap, b->subscriber_count + 1);
        redis_conn *c = redis_connect(b->r, (uint32_t)b->subscriber_count + 1);
        b->subscribers[b->subscriber_count++] = c;
        for (size_t n = take_u64(&words); n > 0; n--) {
            str name = take_lenstr(&words);
            str argv[] = { name.p[0] == 'p' ? S("PSUBSCRIBE") : name.p[0] == 's' ? S("SSUBSCRIBE") : S("SUBSCRIBE"),
                           str_slice(name, 1, name.n) };
            redis_execute(b->r, c, argv, COUNT(argv), 0, b->passing);
        }
    }
    b->subscribed = subscribed;
}

/* Everything of a run that a client, another script, or a monitor could observe. */
static void run(bench *b, const trials *t, const kept_trial *x, int64_t shift_ms)
{
    b->now_ms = x->now_ms + shift_ms;
    subscribe(b, t, x->subscribed);
    str at = intern_get(t->keyspaces, x->keyspace);
    keyspace_load(b->r, b->now_ms, &at);
    str *argv = ARENA_ARRAY(b->passing, str, x->argc + 1);
    for (size_t i = 0; i < x->argc; i++)
        argv[i] = instant_text_move(b->passing, x->argv[i], INSTANTS_PLAIN, x->now_ms, x->now_ms + shift_ms);
    if (str_eq(argv[0], S("EVALSHA")))
        argv[1] = str_from(b->sha1);
    buf_clear(&b->noticed);
    reply answer = redis_execute(b->r, b->conn, argv, x->argc, b->now_ms, b->passing);
    instant_put_reply(&b->noticed, &answer, INSTANTS_PLAIN, b->now_ms);
    redis_fold(b->r, b->now_ms, &b->noticed);
    redis_freeze_random(b->r, &b->noticed);
    redis_freeze_waiting(b->r, b->now_ms, &b->noticed);
    arena_reset(b->passing);
}

/* At the instant of the search, and at those at which the search checked for a dependence on the time of day. */
static bool same_on(bench sides[2], const trials *t, const kept_trial *x)
{
    for (size_t i = 0; i <= PART_SHIFTS; i++) {
        for (int s = 0; s < 2; s++)
            run(&sides[s], t, x, i ? part_shifts_ms[i - 1] : 0);
        if (!str_eq(buf_str(&sides[0].noticed), buf_str(&sides[1].noticed)))
            return false;
    }
    return true;
}

/* The index of the text that was loaded from the path; SIZE_MAX: none, or more than one. */
static size_t script_at(const trials *t, str path, str *body)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < intern_count(t->scripts); i++) {
        str at = intern_get(t->scripts, (uint32_t)i);
        if (!str_eq(take_lenstr(&at), path))
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
        *body = take_lenstr(&at);
    }
    return found;
}

bool trials_same(const trials *t, str path, str body, size_t *tried)
{
    str old = { 0 };
    size_t script = t->spoilt ? SIZE_MAX : script_at(t, path, &old);
    *tried = 0;
    if (script == SIZE_MAX)
        return false;
    bench sides[2];
    bool same = bench_open(&sides[0], old, t->limits);
    same = bench_open(&sides[1], body, t->limits) && same;
    for (size_t i = 0; i < t->count && same; i++) {
        if (t->items[i].script != script)
            continue;
        same = same_on(sides, t, &t->items[i]);
        ++*tried;
    }
    bench_close(&sides[0]);
    bench_close(&sides[1]);
    return same;
}
