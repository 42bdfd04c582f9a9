/* stats.c - what INFO counts of commands and errors: how often each command ran, was rejected or failed, and how often
 * each kind of error was answered; and LATENCY HISTOGRAM. Kept only where clients reach the server from outside. Time
 * stands still while a command runs, so that none takes any but DEBUG SLEEP and a script that runs long. Facts: INFO
 * of each server (tests/conformance/statistics.c). */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "redis/server.h"

enum { KINDS_MAX = 128, KIND_BYTES_MAX = 32 };     /* kinds of errors that are told apart; what starts one, with its
                                                    * blank */

/* Runs are told apart by how long they took: up to about 1024 ns, and each time twice as long, to a second. */
enum { TOOK_CLASSES = 21 };
#define TOOK_NS_MAX INT64_C(1000000000)

typedef struct {
    const command *row;
    uint64_t calls, rejected, failed;
    uint64_t took[TOOK_CLASSES];
} of_command;

typedef struct {
    char kind[KIND_BYTES_MAX];                     /* without a NUL inside */
    uint64_t count;
} of_error;

struct stats {
    of_command *commands;                          /* used lately: first */
    size_t commands_n, commands_cap;
    of_error errors[KINDS_MAX];                    /* by name */
    size_t errors_n;
    stats_sums sums;
};

stats *stats_new(void) { return mem_zero(sizeof(stats)); }

void stats_free(stats *s)
{
    if (s)
        mem_free(s->commands);
    mem_free(s);
}

void stats_reset(stats *s)
{
    s->commands_n = s->errors_n = 0;
    s->sums = (stats_sums){ 0 };
}

const stats_sums *stats_of(const stats *s) { return &s->sums; }

void stats_expired(redis *r)
{
    if (r->stats)
        r->stats->sums.expired++;
}

void stats_evicted(redis *r)
{
    if (r->stats)
        r->stats->sums.evicted++;
}

void stats_connected(redis *r)
{
    if (r->stats)
        r->stats->sums.connected++;
}

static of_command *of(stats *s, const command *row)
{
    size_t at = 0;
    while (at < s->commands_n && s->commands[at].row != row)
        at++;
    of_command found = { .row = row };
    if (at < s->commands_n) {
        found = s->commands[at];
    } else {
        MEM_RESERVE(s->commands, s->commands_cap, s->commands_n + 1);
        s->commands_n++;
    }
    memmove(s->commands + 1, s->commands, at * sizeof *s->commands);
    s->commands[0] = found;
    return s->commands;
}

/* The first word; a text of one word, or one whose first word is long, is of the kind ERR. */
static void count_error(stats *s, str text)
{
    str kind = S("ERR");
    size_t blank = str_find(text, ' ', 0);
    if (blank < text.n && blank < KIND_BYTES_MAX - 1)
        kind = str_slice(text, 0, blank);
    s->sums.errors++;
    size_t at = 0;
    while (at < s->errors_n && str_cmp(str_from(s->errors[at].kind), kind) < 0)
        at++;
    if (at == s->errors_n || !str_eq(str_from(s->errors[at].kind), kind)) {
        if (s->errors_n == KINDS_MAX)
            return;
        memmove(s->errors + at + 1, s->errors + at, (s->errors_n - at) * sizeof *s->errors);
        s->errors_n++;
        s->errors[at] = (of_error){ .count = 0 };
        memcpy(s->errors[at].kind, kind.p, kind.n);
    }
    s->errors[at].count++;
}

typedef struct {
    uint64_t passed_on;                            /* counted when the command of a script gave them */
    bool own;
} errors_found;

static void find_errors(stats *s, const reply *answer, errors_found *found)
{
    if (answer->kind == REPLY_ERROR && answer->counted) {
        found->passed_on++;
    } else if (answer->kind == REPLY_ERROR) {
        count_error(s, answer->text);
        found->own = true;
    }
    for (size_t i = 0; i < answer->count; i++)
        find_errors(s, &answer->items[i], found);
}

void stats_answered(redis *r, const command *cmd, const reply *answer)
{
    if (!r->stats)
        return;
    errors_found found = { 0 };
    if (!(cmd->flags & CMD_EXEC) || answer->kind == REPLY_ERROR)       /* what it ran has been counted */
        find_errors(r->stats, answer, &found);
    of(r->stats, cmd)->failed += found.passed_on + found.own;
}

void stats_ran(redis *r, const command *cmd, const reply *answer)
{
    stats_answered(r, cmd, answer);
    if (!r->stats)
        return;
    of(r->stats, cmd)->calls++;
    r->stats->sums.calls++;
}

/* The longest run of a class: servers keep two digits of it. */
static int64_t class_ns(size_t i)
{
    int64_t ns = INT64_C(1024) << i;
    return ns + ns / 128 - 1;
}

void stats_took(redis *r, const command *cmd, int64_t us)
{
    if (!r->stats || strcmp(settings_value(r, "latency-tracking"), "yes") != 0)
        return;
    int64_t ns = us < TOOK_NS_MAX / 1000 ? us * 1000 : TOOK_NS_MAX;
    size_t i = 0;
    while (class_ns(i) < ns)
        i++;
    of(r->stats, cmd)->took[i]++;
}

void stats_rejected(redis *r, const command *cmd, const reply *why)
{
    if (!r->stats)
        return;
    count_error(r->stats, why->text);
    if (cmd)
        of(r->stats, cmd)->rejected++;
}

typedef struct {
    stats *s;
    buf *out;
    const char *percentiles;
} telling;

static void tell_row(void *context, const command *row)
{
    const telling *t = context;
    for (size_t i = 0; i < t->s->commands_n; i++) {
        const of_command *k = &t->s->commands[i];
        if (k->row == row && (k->calls || k->rejected || k->failed))
            buf_printf(t->out, "cmdstat_%s:calls=%" PRIu64 ",usec=0,usec_per_call=0.00,rejected_calls=%" PRIu64
                       ",failed_calls=%" PRIu64 "\r\n", row->name, k->calls, k->rejected, k->failed);
    }
}

void stats_tell_commands(const call *c, buf *b)
{
    command_each(c->server->dialect, tell_row, &(telling){ c->server->stats, b, NULL });
}

/* "50 99.9": two of them. */
static void tell_percentiles(buf *out, const char *name, str percentiles)
{
    buf_printf(out, "latency_percentiles_usec_%s:", name);
    for (size_t from = 0; from < percentiles.n;) {
        size_t end = str_find(percentiles, ' ', from);
        buf_printf(out, "%sp%.*s=0.000", from ? "," : "", STR_ARG(str_slice(percentiles, from, end)));
        from = end + 1;
    }
    buf_addz(out, "\r\n");
}

static void tell_latency(void *context, const command *row)
{
    const telling *t = context;
    for (size_t i = 0; i < t->s->commands_n; i++)
        if (t->s->commands[i].row == row && t->s->commands[i].calls)
            tell_percentiles(t->out, row->name, str_from(t->percentiles));
}

void stats_tell_latencies(const call *c, buf *b)
{
    command_each(c->server->dialect, tell_latency, &(telling){
        c->server->stats, b, settings_value(c->server, "latency-tracking-info-percentiles") });
}

/* How many of its runs took at most so many microseconds, where that number grows. */
static reply histogram(const call *c, const of_command *k)
{
    reply all = reply_items(c->out, REPLY_MAP, 4), counts = reply_items(c->out, REPLY_MAP, (size_t)2 * TOOK_CLASSES);
    uint64_t n = 0;
    counts.count = 0;
    for (size_t i = 0; i < TOOK_CLASSES; i++) {
        if (!k->took[i])
            continue;
        n += k->took[i];
        counts.items[counts.count++] = reply_integer(class_ns(i) / 1000);
        counts.items[counts.count++] = reply_integer((int64_t)n);
    }
    all.items[0] = reply_bulk(S("calls"));
    all.items[1] = reply_integer((int64_t)n);
    all.items[2] = reply_bulk(S("histogram_usec"));
    all.items[3] = counts;
    return all;
}

typedef struct {
    const call *c;
    reply all;
    str name;                                      /* .p NULL: any */
} histograms;

static void add_histogram(void *context, const command *row)
{
    histograms *h = context;
    str name = str_from(row->name);
    bool sub = h->name.p && name.n > h->name.n && name.p[h->name.n] == '|';
    if (h->name.p && !(str_starts_nocase(name, h->name) && (sub || name.n == h->name.n)))
        return;
    const stats *s = h->c->server->stats;
    for (size_t i = 0; i < s->commands_n; i++) {
        const of_command *k = &s->commands[i];
        uint64_t n = 0;
        for (size_t t = 0; t < TOOK_CLASSES; t++)
            n += k->took[t];
        if (k->row != row || !n)
            continue;
        h->all.items[h->all.count++] = reply_bulk(name);
        h->all.items[h->all.count++] = histogram(h->c, k);
    }
}

reply stats_histograms(const call *c)
{
    size_t asked = c->argc > 2 ? c->argc - 2 : 1;
    histograms h = { .c = c, .all = reply_items(c->out, REPLY_MAP, 2 * asked * (c->server->stats->commands_n + 1)) };
    h.all.count = 0;
    for (size_t i = 0; i < asked; i++) {
        h.name = c->argc > 2 ? c->argv[2 + i] : (str){ 0 };
        command_each(c->server->dialect, add_histogram, &h);
    }
    return h.all;
}

void stats_tell_errors(const call *c, buf *b)
{
    const stats *s = c->server->stats;
    for (size_t i = 0; i < s->errors_n; i++)
        buf_printf(b, "errorstat_%s:count=%" PRIu64 "\r\n", s->errors[i].kind, s->errors[i].count);
}
