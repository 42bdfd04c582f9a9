/* scripts.c - the shipped scripts against recordings of the real ones: no reply, no key and no message may differ.
 * Usage: scripts [--scripts DIR] [--script FILE] [--show N] [--files] RECORDING...         (tests/recordings/run.sh;
 * from the root) --files: tells which script each recording is held against, RECORDING <tab> FILE, and compares
 * nothing. --script: each is held against this one.
 *
 * A recording (scripts/README.md) is a header and a case per line: commands that make a keyspace, KEYS and ARGV in the
 * library's own order, the reply, every key afterwards, and what was published. Each case starts on an empty server
 * with its clock at the case's time; DEBUG SLEEP moves that clock. The script is DIR/redisson/FAMILY/NAME.lua for a
 * recording FAMILY.NAME.jsonl of the release that the drivers follow, if there is such a file, else the one that the
 * header names, which must be there. A recording with neither is counted, by name, as one that nothing is shipped for.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redis/redis.h"
#include "recording_json.h"
#include "script/script.h"

#define RELEASE "4.7.0"                            /* which scripts/redisson follows */

static const char dump_text[] =
    "local all = {} local names = redis.call('keys', '*') table.sort(names)\n"
    "for i, name in ipairs(names) do\n"
    "  local kind, value = redis.call('type', name).ok, nil\n"
    "  if kind == 'string' then value = { redis.call('get', name) }\n"
    "  elseif kind == 'list' then value = redis.call('lrange', name, 0, -1)\n"
    "  elseif kind == 'set' then value = redis.call('smembers', name) table.sort(value)\n"
    "  elseif kind == 'zset' then value = redis.call('zrange', name, 0, -1, 'withscores')\n"
    "  else value = redis.call('hgetall', name) end\n"
    "  all[i] = { name, kind, value, redis.call('pttl', name) }\n"
    "end return all";

enum { CALLER = 1, LISTENER = 2, ARGV_MAX = 512 };

typedef struct {
    redis *server;
    redis_conn *caller, *listener;
    arena *a;
    json_t *messages;                  /* of the case that runs: [channel, payload] */
    const char *scripts;               /* folder */
    const char *script;                /* the one for all, or NULL */
    size_t show;                       /* differences told of each recording */
    bool files;
    uint64_t cases, differ, recordings, nothing_shipped;
    buf unshipped;                     /* the names of those */
} bench;

static void note_message(bench *b, str channel, str payload)
{
    json_t *pair = json_array();
    json_array_append_new(pair, json_of_bytes(channel));
    json_array_append_new(pair, json_of_bytes(payload));
    json_array_append_new(b->messages, pair);
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    (void)conn;
    (void)pattern;
    note_message(context, channel, payload);
}

static void on_shard_message(void *context, uint32_t conn, str channel, str payload)
{
    (void)conn;
    note_message(context, channel, payload);
}

static reply run(bench *b, redis_conn *conn, const str *argv, size_t argc, int64_t now_ms)
{
    return redis_execute(b->server, conn, argv, argc, now_ms, b->a);
}

/* Words of a JSON list after `argv[from]`; how many there are then. */
static size_t words_of(bench *b, const json_t *list, str *argv, size_t from)
{
    size_t i;
    json_t *word;
    json_array_foreach(list, i, word) {
        if (from == ARGV_MAX) {
            fprintf(stderr, "scripts: more than %d words in one command\n", ARGV_MAX);
            exit(70);
        }
        argv[from++] = bytes_of_json(b->a, word);
    }
    return from;
}

/* An empty server, listened to, and the commands of `before`. Returns the time then, or -1 if one of them failed. */
static int64_t set_up(bench *b, const json_t *kase)
{
    int64_t now_ms = json_integer_value(json_object_get(kase, "now_ms"));
    str flush[] = { S("flushall") };
    run(b, b->caller, flush, 1, now_ms);
    const json_t *command, *before = json_object_get(kase, "before");
    for (size_t i = 0; (command = json_array_get(before, i)); i++) {
        str argv[ARGV_MAX];
        size_t argc = words_of(b, command, argv, 0);
        if (argc == 3 && str_eq_nocase(argv[0], S("debug")) && str_eq_nocase(argv[1], S("sleep"))) {
            now_ms += (int64_t)(strtod(json_string_value(json_array_get(command, 2)), NULL) * 1000 + 0.5);
            continue;
        }
        reply r = run(b, b->caller, argv, argc, now_ms);
        if (r.kind == REPLY_ERROR) {
            fprintf(stderr, "scripts: a command of `before` failed: %.*s\n", STR_ARG(r.text));
            return -1;
        }
    }
    return now_ms;
}

static void listen_to_shards(bench *b, const json_t *list, bool pairs)
{
    const json_t *item;
    for (size_t i = 0; (item = json_array_get(list, i)); i++) {
        str argv[] = { S("ssubscribe"), bytes_of_json(b->a, pairs ? json_array_get(item, 0) : item) };
        run(b, b->listener, argv, 2, 0);
    }
}

/* What the case says, as it came out here: { reply, after, messages }; NULL: its keyspace could not be made. */
static json_t *outcome_of(bench *b, const json_t *kase, str script)
{
    listen_to_shards(b, json_object_get(kase, "keys"), false);
    listen_to_shards(b, json_object_get(kase, "messages"), true);
    int64_t now_ms = set_up(b, kase);
    if (now_ms < 0)
        return NULL;
    b->messages = json_array();
    str argv[ARGV_MAX] = { S("eval"), script };
    const json_t *keys = json_object_get(kase, "keys");
    argv[2] = arena_printf(b->a, "%zu", json_array_size(keys));
    size_t argc = words_of(b, json_object_get(kase, "argv"), argv, words_of(b, keys, argv, 3));
    reply answer = run(b, b->caller, argv, argc, now_ms);
    str look[] = { S("eval"), str_from(dump_text), S("0") };
    reply all = run(b, b->caller, look, COUNT(look), now_ms);
    json_t *outcome = json_object();
    json_object_set_new(outcome, "reply", json_of_reply(&answer));
    json_object_set_new(outcome, "after", json_of_keyspace(&all));
    json_object_set_new(outcome, "messages", b->messages);
    return outcome;
}

static void show_json(const char *what, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    printf("    %-8s %s\n", what, text);
    free(text);
}

static void tell_difference(const json_t *kase, const json_t *outcome)
{
    show_json("before", json_object_get(kase, "before"));
    show_json("argv", json_object_get(kase, "argv"));
    static const char *const parts[] = { "reply", "after", "messages" };
    for (size_t i = 0; i < COUNT(parts); i++) {
        const json_t *wanted = json_object_get(kase, parts[i]), *got = json_object_get(outcome, parts[i]);
        if (json_equal(wanted, got))
            continue;
        show_json(parts[i], wanted);
        show_json("here", got);
    }
}

static bool same(const json_t *kase, const json_t *outcome)
{
    return outcome && json_equal(json_object_get(kase, "reply"), json_object_get(outcome, "reply")) &&
           json_equal(json_object_get(kase, "after"), json_object_get(outcome, "after")) &&
           json_equal(json_object_get(kase, "messages"), json_object_get(outcome, "messages"));
}

/* Where the script is, by the rule above; empty: nothing is shipped. */
static str script_path(bench *b, const char *path, const json_t *header)
{
    if (b->script)
        return str_from(b->script);
    const char *release = json_string_value(json_object_get(header, "release"));
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strchr(base, '.'), *end = strstr(base, ".jsonl");
    if (release && strcmp(release, RELEASE) == 0 && dot && end && dot < end) {
        str own = arena_printf(b->a, "%s/redisson/%.*s/%.*s.lua", b->scripts, (int)(dot - base), base,
                               (int)(end - dot - 1), dot + 1);
        FILE *f = fopen(own.p, "r");
        if (f) {
            fclose(f);
            return own;
        }
    }
    const char *named = json_string_value(json_object_get(header, "script"));
    return named ? arena_printf(b->a, "%s/%s.lua", b->scripts, named) : S("");
}

static str read_whole(arena *a, str path)
{
    FILE *f = fopen(path.p, "r");
    if (!f) {
        fprintf(stderr, "scripts: cannot read %s\n", path.p);
        exit(66);
    }
    buf text = { 0 };
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        buf_add(&text, (str){ part, n });
    fclose(f);
    str out = arena_str(a, buf_str(&text));
    buf_free(&text);
    return out;
}

static void run_cases(bench *b, FILE *f, const char *path, str script_at)
{
    arena *kept = arena_new();
    str script = read_whole(kept, script_at);
    uint64_t cases = 0, differ = 0;
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, f) > 0) {
        json_t *kase = json_of_line(line, path);
        arena_reset(b->a);
        json_t *outcome = outcome_of(b, kase, script);
        cases++;
        if (!same(kase, outcome) && differ++ < b->show)
            tell_difference(kase, outcome);
        json_decref(outcome);
        json_decref(kase);
    }
    free(line);
    arena_free(kept);
    if (differ)
        printf("%s: %" PRIu64 " of %" PRIu64 " cases differ\n", path, differ, cases);
    b->cases += cases;
    b->differ += differ;
    b->recordings++;
}

static void run_recording(bench *b, const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    if (!f || getline(&line, &cap, f) <= 0) {
        fprintf(stderr, "scripts: cannot read %s\n", path);
        exit(66);
    }
    json_t *header = json_of_line(line, path);
    free(line);
    str script = script_path(b, path, header);
    if (b->files) {
        if (script.n)
            printf("%s\t%.*s\n", path, STR_ARG(script));
    } else if (script.n == 0) {
        const char *base = strrchr(path, '/');
        buf_printf(&b->unshipped, "%s%s", b->nothing_shipped++ ? ", " : "", base ? base + 1 : path);
    } else if (access(script.p, R_OK) != 0) {
        printf("%s: there is no %s, which it names\n", path, script.p);
        b->recordings++;
        b->differ++;
        b->cases++;
    } else {
        str at = arena_str(b->a, script);
        run_cases(b, f, path, at);
    }
    json_decref(header);
    fclose(f);
}

int main(int argc, char **argv)
{
    bench b = { .server = redis_new((redis_limits){ 0 }), .a = arena_new(), .scripts = "scripts", .show = 3 };
    b.caller = redis_connect(b.server, CALLER);
    b.listener = redis_connect(b.server, LISTENER);
    redis_observe(b.server, &(redis_observer){ .context = &b, .message = on_message,
                                               .shard_message = on_shard_message });
    str everything[] = { S("psubscribe"), S("*") };
    run(&b, b.listener, everything, 2, 0);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--scripts") == 0 && i + 1 < argc)
            b.scripts = argv[++i];
        else if (strcmp(argv[i], "--script") == 0 && i + 1 < argc)
            b.script = argv[++i];
        else if (strcmp(argv[i], "--show") == 0 && i + 1 < argc)
            b.show = (size_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--files") == 0)
            b.files = true;
        else
            run_recording(&b, argv[i]);
    }
    if (b.files)
        return 0;
    printf("scripts: %" PRIu64 " cases of %" PRIu64 " recordings, %" PRIu64 " differ; %" PRIu64
           " recordings for which nothing is shipped%s%.*s\n",
           b.cases, b.recordings, b.differ, b.nothing_shipped, b.unshipped.n ? ": " : "",
           STR_ARG(buf_str(&b.unshipped)));
    buf_free(&b.unshipped);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", b.cases - b.differ, b.differ);
    redis_free(b.server);
    arena_free(b.a);
    return b.differ > 0 || b.cases == 0;
}
