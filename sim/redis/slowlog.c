/* slowlog.c - SLOWLOG and LATENCY of a server that clients reach from outside. Time stands still while a command
 * runs, but for DEBUG SLEEP and for a script that runs long: those are the slow ones, and any command is where
 * slowlog-log-slower-than is 0. Facts: redis.io/commands; real servers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/server.h"

enum { WORDS_MAX = 32, WORD_BYTES_MAX = 128, SAMPLES_MAX = 160, EVENTS = 2 };

typedef struct {
    int64_t id, at_s, us;
    str *words;                                    /* own: argv_copy */
    size_t n;
    char *address, *name;                          /* own; NULL: none */
} slow;

typedef struct {
    int64_t at_s, ms;
} sample;

/* One kind of delay: its samples are a ring. */
typedef struct {
    sample samples[SAMPLES_MAX];
    size_t next, n;
    int64_t most_ms, sum_ms, count;
} delays;

struct slowlog {
    slow *entries;                                 /* the newest last */
    size_t n, cap;
    int64_t next_id;
    delays of[EVENTS];
};

static const char *const event_names[EVENTS] = { "command", "fast-command" };

slowlog *slowlog_new(void) { return mem_zero(sizeof(slowlog)); }

static void entry_free(slow *e)
{
    mem_free(e->words);
    mem_free(e->address);
    mem_free(e->name);
}

static void drop_oldest(slowlog *log, size_t keep)
{
    size_t gone = log->n > keep ? log->n - keep : 0;
    for (size_t i = 0; i < gone; i++)
        entry_free(&log->entries[i]);
    if (gone)
        memmove(log->entries, log->entries + gone, (log->n - gone) * sizeof *log->entries);
    log->n -= gone;
}

void slowlog_free(slowlog *log)
{
    if (!log)
        return;
    drop_oldest(log, 0);
    mem_free(log->entries);
    mem_free(log);
}

static int64_t number_of(const redis *r, const char *name)
{
    int64_t n = 0;
    const char *text = settings_value(r, name);
    if (text)
        parse_int(str_from(text), &n);
    return n;
}

static char *text_of(const char *s)
{
    const char *text = s ? s : "";
    char *own = mem_alloc(strlen(text) + 1);
    memcpy(own, text, strlen(text) + 1);
    return own;
}

/* The words that are kept: the last one says how many were left out, a long one how much of it. */
static str *words_kept(const command_ran *k, size_t *n)
{
    arena *a = arena_new();
    const str *argv = secrets_hidden(a, k->cmd, k->argv, k->argc);
    str shown[WORDS_MAX];
    *n = k->argc < WORDS_MAX ? k->argc : WORDS_MAX;
    for (size_t i = 0; i < *n; i++) {
        shown[i] = argv[i];
        if (k->argc > WORDS_MAX && i == WORDS_MAX - 1)
            shown[i] = arena_printf(a, "... (%zu more arguments)", k->argc - WORDS_MAX + 1);
        else if (argv[i].n > WORD_BYTES_MAX)
            shown[i] = arena_printf(a, "%.*s... (%zu more bytes)", WORD_BYTES_MAX, argv[i].p,
                                    argv[i].n - WORD_BYTES_MAX);
    }
    str *own = argv_copy(shown, *n);
    arena_free(a);
    return own;
}

static void note_delay(redis *r, int64_t us)
{
    int64_t threshold = number_of(r, "latency-monitor-threshold"), now_s = store_now_ms(r->st) / 1000;
    if (threshold <= 0 || us / 1000 < threshold)
        return;
    delays *d = &r->slow->of[0];
    size_t last = (d->next + SAMPLES_MAX - 1) % SAMPLES_MAX;
    d->sum_ms += us / 1000;
    d->count++;
    d->most_ms = us / 1000 > d->most_ms ? us / 1000 : d->most_ms;
    if (d->n && d->samples[last].at_s == now_s) {          /* one sample a second, the longest */
        if (d->samples[last].ms < us / 1000)
            d->samples[last].ms = us / 1000;
        return;
    }
    d->samples[d->next] = (sample){ now_s, us / 1000 };
    d->next = (d->next + 1) % SAMPLES_MAX;
    d->n += d->n < SAMPLES_MAX;
}

void slowlog_ran(redis *r, const command_ran *k, int64_t us)
{
    slowlog *log = r->slow;
    if (!log)
        return;
    if (us)
        note_delay(r, us);
    int64_t slower = number_of(r, "slowlog-log-slower-than"), most = number_of(r, "slowlog-max-len");
    if (slower < 0 || us < slower || k->cmd->flags & CMD_EXEC)         /* EXEC's commands are told */
        return;
    bool nobody = k->in_script && r->dialect.lineage == LINEAGE_REDIS;
    slow e = { .id = log->next_id++, .at_s = store_now_ms(r->st) / 1000, .us = us };
    e.words = words_kept(k, &e.n);
    e.address = text_of(nobody ? "?:0" : k->conn->client.address);
    e.name = text_of(nobody ? NULL : k->conn->client.name);
    MEM_RESERVE(log->entries, log->cap, log->n + 1);
    log->entries[log->n++] = e;
    drop_oldest(log, most < 0 ? 0 : (size_t)most);
}

static reply entry_reply(const call *c, const slow *e)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 6), words = reply_items(c->out, REPLY_ARRAY, e->n);
    for (size_t i = 0; i < e->n; i++)
        words.items[i] = reply_bulk(arena_str(c->out, e->words[i]));
    r.items[0] = reply_integer(e->id);
    r.items[1] = reply_integer(e->at_s);
    r.items[2] = reply_integer(e->us);
    r.items[3] = words;
    r.items[4] = reply_bulk(arena_str(c->out, str_from(e->address)));
    r.items[5] = reply_bulk(arena_str(c->out, str_from(e->name)));
    return r;
}

/* SLOWLOG GET [count]: ten; -1: all */
static reply cmd_get(const call *c)
{
    int64_t count = 10;
    const slowlog *log = c->server->slow;
    if (c->argc > 3)
        return reply_error(S("ERR unknown subcommand or wrong number of arguments for 'get'. Try SLOWLOG HELP."));
    if (c->argc == 3 && !parse_int_within(c->argv[2], -1, INT64_MAX, &count))
        return reply_error(S("ERR count should be greater than or equal to -1"));
    size_t have = log ? log->n : 0, n = count < 0 || (uint64_t)count > have ? have : (size_t)count;
    reply all = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t i = 0; i < n; i++)
        all.items[i] = entry_reply(c, &log->entries[have - 1 - i]);
    return all;
}

static reply cmd_len(const call *c) { return reply_integer(c->server->slow ? (int64_t)c->server->slow->n : 0); }

static reply cmd_reset(const call *c)
{
    if (c->server->slow)
        drop_oldest(c->server->slow, 0);
    return reply_ok();
}

/* ---- LATENCY ---- */

static delays *delays_named(const call *c, str name)
{
    for (size_t i = 0; c->server->slow && i < EVENTS; i++)
        if (str_eq(name, str_from(event_names[i])))
            return &c->server->slow->of[i];
    return NULL;
}

/* In any case of letters, as RESET reads it. */
static delays *delays_like(const call *c, str name) { return delays_named(c, word_lower(c, name)); }

/* The i-th sample, the oldest first. */
static sample sample_at(const delays *d, size_t i)
{
    return d->samples[(d->next + SAMPLES_MAX - d->n + i) % SAMPLES_MAX];
}

static reply cmd_latest(const call *c)
{
    reply all = reply_items(c->out, REPLY_ARRAY, EVENTS);
    size_t n = 0;
    for (size_t i = 0; c->server->slow && i < EVENTS; i++) {
        const delays *d = &c->server->slow->of[i];
        if (!d->n)
            continue;
        static const dialect_since sums = VALKEY_ONLY(8, 1);
        reply one = reply_items(c->out, REPLY_ARRAY, dialect_has(c->server->dialect, sums) ? 6 : 4);
        sample last = sample_at(d, d->n - 1);
        one.items[0] = reply_bulk(str_from(event_names[i]));
        one.items[1] = reply_integer(last.at_s);
        one.items[2] = reply_integer(last.ms);
        one.items[3] = reply_integer(d->most_ms);
        if (one.count > 4) {
            one.items[4] = reply_integer(d->sum_ms);
            one.items[5] = reply_integer(d->count);
        }
        all.items[n++] = one;
    }
    all.count = n;
    return all;
}

static reply cmd_history(const call *c)
{
    const delays *d = delays_named(c, c->argv[2]);
    reply all = reply_items(c->out, REPLY_ARRAY, d ? d->n : 0);
    for (size_t i = 0; i < all.count; i++) {
        reply one = reply_items(c->out, REPLY_ARRAY, 2);
        one.items[0] = reply_integer(sample_at(d, i).at_s);
        one.items[1] = reply_integer(sample_at(d, i).ms);
        all.items[i] = one;
    }
    return all;
}

static bool delays_reset(delays *d)
{
    bool any = d && d->n;
    if (d)
        *d = (delays){ .n = 0 };
    return any;
}

static reply cmd_latency_reset(const call *c)
{
    int64_t n = 0;
    for (size_t i = 0; c->server->slow && c->argc == 2 && i < EVENTS; i++)
        n += delays_reset(&c->server->slow->of[i]);
    for (size_t i = 2; i < c->argc; i++)
        n += delays_reset(delays_like(c, c->argv[i]));
    return reply_integer(n);
}

/* ---- LATENCY GRAPH ---- */

enum { GRAPH_COLUMNS = 80, GRAPH_ROWS = 4, GRAPH_LEVELS = 3, LABEL_MAX = 24 };

/* How long ago, in the largest unit of which that is one at least. */
static void label_of(int64_t ago_s, char label[LABEL_MAX])
{
    static const struct { int64_t s; char name; } units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
    size_t i = 0;
    while (i + 1 < COUNT(units) && ago_s < units[i].s)
        i++;
    snprintf(label, LABEL_MAX, "%" PRId64 "%c", ago_s / units[i].s, units[i].name);
}

/* The character of a bar that is `level` high, of GRAPH_ROWS * GRAPH_LEVELS, in a row; the topmost row is 0. */
static char bar_at(int level, int row)
{
    int rest = level - (GRAPH_ROWS - row - 1) * GRAPH_LEVELS;
    return rest < 0 ? ' ' : rest < GRAPH_LEVELS ? "_o#"[rest] : '|';
}

static int level_of(int64_t ms, int64_t least_ms, int64_t most_ms)
{
    int64_t span_ms = most_ms > least_ms ? most_ms - least_ms : 1, levels = GRAPH_ROWS * GRAPH_LEVELS;
    int64_t level = (ms - least_ms) * levels / span_ms;
    return (int)(level < levels ? level : levels - 1);
}

static void draw_bars(const delays *d, size_t from, size_t n, const sample *least, const sample *most, buf *out)
{
    for (int row = 0; row < GRAPH_ROWS; row++) {
        for (size_t i = 0; i < n; i++)
            buf_byte(out, bar_at(level_of(sample_at(d, from + i).ms, least->ms, most->ms), row));
        buf_byte(out, '\n');
    }
}

/* Under each of n samples how long ago it was, downwards. */
static void draw_labels(const delays *d, size_t from, size_t n, int64_t now_s, buf *out)
{
    size_t labels = 0;
    char label[LABEL_MAX];
    for (size_t i = 0; i < n; i++) {
        label_of(now_s - sample_at(d, from + i).at_s, label);
        labels = strlen(label) > labels ? strlen(label) : labels;
    }
    for (size_t row = 0; row <= labels; row++) {               /* an empty one first */
        for (size_t i = 0; i < n; i++) {
            label_of(now_s - sample_at(d, from + i).at_s, label);
            buf_byte(out, row > 0 && row <= strlen(label) ? label[row - 1] : ' ');
        }
        buf_byte(out, '\n');
    }
}

/* LATENCY GRAPH event */
static reply cmd_graph(const call *c)
{
    const delays *d = delays_named(c, c->argv[2]);
    if (!d || !d->n)
        return reply_error_naming(c, "ERR No samples available for event '%'", c->argv[2], S(""));
    sample least = sample_at(d, 0), most = least;
    for (size_t i = 0; i < d->n; i++) {
        sample s = sample_at(d, i);
        least = s.ms < least.ms ? s : least;
        most = s.ms > most.ms ? s : most;
    }
    buf b = { 0 };
    buf_printf(&b, "%s - high %" PRId64 " ms, low %" PRId64 " ms (all time high %" PRId64 " ms)\n",
               event_names[d - c->server->slow->of], most.ms, least.ms, d->most_ms);
    for (int i = 0; i < GRAPH_COLUMNS; i++)
        buf_byte(&b, '-');
    buf_byte(&b, '\n');
    for (size_t from = 0; from < d->n; from += GRAPH_COLUMNS) {
        if (from)
            buf_byte(&b, '\n');
        size_t n = d->n - from < GRAPH_COLUMNS ? d->n - from : GRAPH_COLUMNS;
        draw_bars(d, from, n, &least, &most, &b);
        draw_labels(d, from, n, store_now_ms(c->st) / 1000, &b);
    }
    reply r = { .kind = REPLY_VERBATIM, .format = S("txt"), .text = arena_str(c->out, buf_str(&b)) };
    buf_free(&b);
    return r;
}

const command commands_slowlog[] = {
    { .name = "latency", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "slowlog", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "slowlog|get", -2, 0, 0, 0, 0, cmd_get },
    { .name = "slowlog|len", 2, 0, 0, 0, 0, cmd_len },
    { .name = "slowlog|reset", 2, 0, 0, 0, 0, cmd_reset },
    { .name = "latency|graph", 3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_graph },
    { .name = "latency|histogram", -2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, stats_histograms },
    { .name = "latency|latest", 2, CMD_NOSCRIPT, 0, 0, 0, cmd_latest },
    { .name = "latency|history", 3, CMD_NOSCRIPT, 0, 0, 0, cmd_history },
    { .name = "latency|reset", -2, CMD_NOSCRIPT, 0, 0, 0, cmd_latency_reset },
    { .name = NULL },
};
