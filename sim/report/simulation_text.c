/* simulation_text.c - a simulation for people: its settings, then the numbers in a few lines, their meaning, and what
 * to do next. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/clean.h"
#include "report/simulation_parts.h"

enum { LABEL_COLUMNS = SIMULATION_LABEL_COLUMNS, STOP_COLUMNS = 9, TEXT_COLUMNS = 118 };

static bool anybody(const simulated *s)
{
    interval i;
    return s->runs && replications_interval(s->runs, METRIC_ACQUISITIONS, &i) && i.mean > 0;
}

const char *simulated_verdict(const simulated *s)
{
    switch (s->ending) {
    case SIMULATED_FAILED: return "ERROR";
    case SIMULATED_INTERRUPTED:
    case SIMULATED_LATE: return "PARTIAL";
    case SIMULATED_ALL: break;
    }
    return anybody(s) ? "MEASURED" : "EMPTY";
}

static void add_verdict(const simulated *s, const report_style *style, buf *out)
{
    const char *verdict = simulated_verdict(s);
    bool good = strcmp(verdict, "MEASURED") == 0, bad = s->ending == SIMULATED_FAILED;
    buf_printf(out, "%s%s%s  ", !style->color ? "" : good ? "\033[32m" : bad ? "\033[31;1m" : "\033[33;1m", verdict,
               style->color ? "\033[0m" : "");
    clean_text(out, s->path);
    if (s->workload.n) {
        buf_addz(out, "  ");
        clean_text(out, s->workload);
    }
    if (s->title.n) {
        buf_addz(out, "   ");
        clean_text(out, s->title);
    }
    buf_byte(out, '\n');
}

/* Two digits of the half width, and the mean as far as these; without one, as any value. */
void report_simulation_interval(const interval *i, buf *out)
{
    if (i->count < 2 || i->half <= 0) {
        metric_add_value(out, i->mean);
        return;
    }
    int decimals = 1 - (int)floor(log10(i->half));
    decimals = decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
    metric_add_rounded(out, i->mean, decimals);
    buf_addz(out, " \xc2\xb1");
    metric_add_rounded(out, i->half, decimals);
}

typedef struct {
    metric metric;
    const char *word;
} cell;

/* "mean 102 +-3"; false: it is not known, or a count of nothing. */
static bool add_cell(const simulated *s, const cell *c, buf *out)
{
    const metric_info *info = metric_describe(c->metric);
    interval value;
    if (!replications_interval(s->runs, c->metric, &value) || (info->kind == METRIC_COUNTS && value.mean == 0))
        return false;
    buf_printf(out, "%s ", c->word);
    report_simulation_interval(&value, out);
    if (strcmp(info->unit, "%") == 0)
        buf_addz(out, " %");
    return true;
}

/* Cells begin at stops, so that those of several lines stand under each other where they are alike; what does not fit
 * goes below. Nothing where no cell is known. */
static void add_line(const simulated *s, const char *label, const cell *cells, size_t count, buf *out)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        buf b = { 0 };
        if (add_cell(s, &cells[i], &b)) {
            size_t width = clean_width(buf_str(&b)),
                           stop = at == 0 ? 0 : (at + 2 + STOP_COLUMNS - 1) / STOP_COLUMNS * STOP_COLUMNS;
            if (at == 0)
                buf_printf(out, "  %-*s", LABEL_COLUMNS, label);
            if (at > 0 && stop + width > TEXT_COLUMNS - LABEL_COLUMNS - 2) {
                buf_printf(out, "\n%*s", LABEL_COLUMNS + 2, "");
                at = stop = 0;
            }
            for (; at < stop; at++)
                buf_byte(out, ' ');
            buf_add(out, buf_str(&b));
            at += width;
        }
        buf_free(&b);
    }
    if (at)
        buf_byte(out, '\n');
}

static const cell wait_cells[] = {
    { METRIC_WAIT_MEAN, "mean" }, { METRIC_WAIT_P50, "p50" }, { METRIC_WAIT_P90, "p90" }, { METRIC_WAIT_P99, "p99" },
    { METRIC_WAIT_P999, "p99.9" }, { METRIC_WAIT_MAX, "max" },
};
static const cell hold_cells[] = { { METRIC_HOLD_MEAN, "mean" }, { METRIC_HOLD_P99, "p99" } };
static const cell handoff_cells[] = {
    { METRIC_HANDOFF_MEAN, "mean" }, { METRIC_HANDOFF_P50, "p50" }, { METRIC_HANDOFF_P99, "p99" },
    { METRIC_HANDOFF_MAX, "max" },
};
static const cell overtaken_cells[] = {
    { METRIC_OVERTAKEN_MEAN, "mean" }, { METRIC_OVERTAKEN_P99, "p99" }, { METRIC_OVERTAKEN_MAX, "max" },
    { METRIC_OVERTAKEN_LONGEST, "in a row" },
};
static const cell jain_cells[] = {
    { METRIC_JAIN_GRANTS, "of grants" }, { METRIC_JAIN_WAITS, "of mean waits" }, { METRIC_JAIN_SHORT, "short term" },
};
static const cell share_cells[] = { { METRIC_SHARE_LEAST, "least" }, { METRIC_SHARE_MOST, "greatest" } };
static const cell queue_cells[] = { { METRIC_QUEUE_MEAN, "mean" }, { METRIC_QUEUE_MAX, "max" } };
static const cell lock_cells[] = {
    { METRIC_THROUGHPUT, "acquisitions/s" }, { METRIC_BUSY, "held" }, { METRIC_IDLE, "free while someone waits" },
};
static const cell cost_cells[] = {
    { METRIC_REQUESTS, "requests" }, { METRIC_COMMANDS, "commands" }, { METRIC_SCRIPTS, "scripts" },
    { METRIC_MESSAGES, "messages" },
    { METRIC_IDLE_POLLS, "idle polls" },
};
static const cell other_cells[] = {
    { METRIC_TIMEOUTS, "gave up" }, { METRIC_TIMEOUT_WAIT, "after ms" },
    { METRIC_UNFINISHED, "still waiting at the end" },
    { METRIC_UNFINISHED_LONGEST, "the longest for ms" },
    { METRIC_UNSERVED, "demands that no client came to" }, { METRIC_LOST, "lost" },
    { METRIC_UNRELEASED, "never released" }, { METRIC_CRASHED_HOLDING, "crashed holding" },
    { METRIC_CRASHED_WAITING, "crashed waiting" },
};
static const cell fault_cells[] = { { METRIC_CRASHES, "crashes" }, { METRIC_PAUSES, "pauses" },
                                    { METRIC_LOST_ON_THE_WAY, "lost on the way" } };

/* The client of the first seed with the shortest or the longest mean wait; of equal ones the first. false: there is
 * none. */
static bool client_at(const measure *m, bool longest, uint32_t *client)
{
    bool any = false;
    double best = 0;
    for (uint32_t c = 0; c < measure_clients(m); c++) {
        const client_account *a = measure_client(m, c);
        if (a->waits_known == 0)
            continue;
        double mean = (double)a->wait_us / (double)a->waits_known;
        if (any && (longest ? mean <= best : mean >= best))
            continue;
        any = true;
        best = mean;
        *client = c;
    }
    return any;
}

static void add_client(const simulated *s, const char *word, uint32_t c, buf *out)
{
    const client_account *a = measure_client(s->runs->first, c);
    buf_printf(out, "%s ", word);
    clean_text(out, s->clients[c]);
    buf_addz(out, ": mean wait ");
    metric_add_value(out, (double)a->wait_us / (double)a->waits_known / 1000.0);
    buf_addz(out, " ms, p99 ");
    metric_add_value(out, (double)histogram_quantile(&a->waits, 9900) / 1000.0);
    buf_addz(out, " ms, ");
    report_add_count(out, a->grants);
    buf_addz(out, a->grants == 1 ? " acquisition" : " acquisitions");
}

/* The luckiest and the unluckiest client of the first seed, and how many were never granted anything. */
static void add_clients(const simulated *s, buf *out)
{
    const measure *m = s->runs->first;
    uint32_t best = 0, worst = 0;
    size_t none = 0;
    if (!m || s->client_count < 2)
        return;
    for (uint32_t c = 0; c < measure_clients(m); c++)
        none += measure_client(m, c)->asked && measure_client(m, c)->grants == 0;
    if (client_at(m, false, &best) && client_at(m, true, &worst)) {
        buf_printf(out, "  %-*s", LABEL_COLUMNS, "clients");
        add_client(s, "best", best, out);
        buf_addz(out, ";  ");
        add_client(s, "worst", worst, out);
        if (s->runs->wanted > 1)
            buf_printf(out, "  (seed %" PRIu64 ")", s->seed);
        buf_byte(out, '\n');
    }
    if (none && anybody(s)) {
        buf_printf(out, "  %-*s", LABEL_COLUMNS, "");
        report_add_count(out, none);
        buf_addz(out, none == 1 ? " client asked and was never granted a lock" : " clients asked and were never "
                 "granted a lock");
        if (s->runs->wanted > 1)
            buf_printf(out, "  (seed %" PRIu64 ")", s->seed);
        buf_byte(out, '\n');
    }
}

static void add_wrapped(const char *label, str text, buf *out)
{
    str rest = text;
    for (bool first = true; rest.n; first = false) {
        str part = clean_line(&rest, TEXT_COLUMNS - LABEL_COLUMNS - 2);
        buf_printf(out, "  %-*s%.*s\n", LABEL_COLUMNS, first ? label : "", STR_ARG(part));
    }
}

static void add_seconds(buf *out, int64_t us)
{
    metric_add_value(out, (double)us / 1e6);
    buf_addz(out, " s");
}

static void add_early(buf *out, size_t runs, size_t done, const char *why)
{
    if (runs > 0)
        buf_printf(out, "; %zu of %zu %s ended early: %s", runs, done, done == 1 ? "run" : "runs", why);
}

static void add_means(const simulated *s, buf *out)
{
    buf b = { 0 };
    size_t done = s->runs->done;
    report_add_count(&b, s->client_count);
    buf_addz(&b, s->client_count == 1 ? " client" : " clients");
    if (s->threads > 1)
        buf_printf(&b, " of %" PRIu32 " threads", s->threads);
    if (s->lock_count > 1) {
        buf_addz(&b, ", ");
        report_add_count(&b, s->lock_count);
        buf_addz(&b, " locks (each is in locks.tsv, an acquisition is of one of them; the workload's field locks names "
                 "those that count)");
    }
    buf_addz(&b, ", ");
    add_seconds(&b, s->end_us - s->begin_us);
    buf_addz(&b, " of virtual time");
    if (s->begin_us > 0) {
        buf_addz(&b, " after ");
        add_seconds(&b, s->begin_us);
        buf_addz(&b, " of warm-up");
    }
    if (s->runs->wanted > 1)
        buf_printf(&b, " (seed %" PRIu64 ")", s->seed);
    if (s->once)
        buf_addz(&b, "; the scenario has no `workload`: each client ran its program once, requests took 1 ms each way");
    else if (s->ran_out)
        buf_addz(&b, "; nothing was left to happen before the workload's end");
    add_early(&b, s->starved, done, "for an hour of virtual time no client was granted anything, and no round ended");
    add_early(&b, s->fruitless, done, "100,000 rounds in a row ended and no client was granted anything; duration_ms "
              "says how long to go on all the same");
    add_early(&b, s->flooded, done, "16 million demands waited for an idle client");
    buf_printf(&b, "; %s", done == 1 ? "one seed: no interval" : "");
    if (done > 1)
        buf_printf(&b, "%zu seeds, %" PRIu64 " to %" PRIu64 ": each number is their mean \xc2\xb1 its 95 %% interval "
                   "by Student's t with %zu %s of "
                       "freedom, or the mean alone where all agree",
                   done, s->seed, s->seed + s->runs->wanted - 1, done - 1, done == 2 ? "degree" : "degrees");
    buf_addz(&b, "; percentiles are within 0.05 %, one client's within 0.8 %");
    add_wrapped("means", buf_str(&b), out);
    buf_free(&b);
}

static void add_partial(const simulated *s, buf *out)
{
    buf b = { 0 };
    if (s->ending == SIMULATED_ALL)
        return;
    buf_printf(&b, "%s: ", s->ending == SIMULATED_LATE ? "the time limit came first" : "interrupted");
    if (s->cut)
        buf_addz(&b, "not one run came to its end, and what the first had measured by then is shown");
    else
        buf_printf(&b, "%zu of %zu seeds", s->runs->done, s->runs->wanted);
    add_wrapped("partial", buf_str(&b), out);
    buf_free(&b);
}

static void add_numbers(const simulated *s, buf *out)
{
    add_line(s, "wait, ms", wait_cells, COUNT(wait_cells), out);
    add_line(s, "hold, ms", hold_cells, COUNT(hold_cells), out);
    add_line(s, "hand-off, ms", handoff_cells, COUNT(handoff_cells), out);
    if (s->client_count > 1 || s->threads > 1) {
        add_line(s, "overtaken", overtaken_cells, COUNT(overtaken_cells), out);
        add_line(s, "Jain index", jain_cells, COUNT(jain_cells), out);
        add_line(s, "shares", share_cells, COUNT(share_cells), out);
    }
    add_line(s, "queue", queue_cells, COUNT(queue_cells), out);
    add_line(s, "lock", lock_cells, COUNT(lock_cells), out);
    add_line(s, "cost", cost_cells, COUNT(cost_cells), out);
    add_line(s, "besides", other_cells, COUNT(other_cells), out);
    add_line(s, "faults", fault_cells, COUNT(fault_cells), out);
}

static void add_errors(const simulated *s, buf *out)
{
    if (s->errors == 0)
        return;
    buf b = { 0 };
    report_add_count(&b, s->errors);
    buf_addz(&b, s->errors == 1 ? " request was answered with an error: " : " requests were answered with an error, "
             "warm-up included, the first: ");
    clean_text(&b, s->first_error);
    add_wrapped("errors", buf_str(&b), out);
    buf_free(&b);
}

static void add_nobody(const simulated *s, buf *out)
{
    buf b = { 0 };
    buf_addz(&b, s->begin_us > 0 ? "was granted a lock after the warm-up, and what was granted in it counts for nothing"
             : "was ever granted a lock");
    buf_addz(&b, ": there are no waits, no holds and no hand-offs to measure. If there should be: ");
    if (s->begin_us > 0)
        buf_addz(&b, "a longer run, or a shorter warm-up; and ");
    buf_addz(&b, "its driver announces what it wants and gets by me:wants and me:granted");
    for (size_t i = 0; i < s->wanted_count; i++) {
        buf_addz(&b, i == 0 ? ". The workload's field locks lets count only " : ", ");
        clean_text(&b, s->wanted[i]);
    }
    add_wrapped("nobody", buf_str(&b), out);
    buf_free(&b);
}

void report_simulation_numbers(const simulated *s, buf *out)
{
    add_numbers(s, out);
    add_clients(s, out);
}

void report_simulation_text(const simulated *s, const report_style *style, buf *out)
{
    add_verdict(s, style, out);
    if (s->ending == SIMULATED_FAILED) {
        buf b = { 0 }, shown = { 0 };
        err_print(s->error, &b);
        clean_lines(&shown, buf_str(&b));
        buf_add(out, buf_str(&shown));
        buf_free(&b);
        buf_free(&shown);
        buf_byte(out, '\n');
        return;
    }
    add_partial(s, out);
    if (!anybody(s))
        add_nobody(s, out);
    add_numbers(s, out);
    add_errors(s, out);
    add_clients(s, out);
    add_means(s, out);
    if (s->folder.n) {
        const char *program = style->program ? style->program : "locksim";
        buf_printf(out, "  %-*s", LABEL_COLUMNS, "wrote");
        clean_text(out, s->folder);
        buf_printf(out, "/   %zu files of data, their columns are named in them\n  %-*s",
                   report_simulation_file_count(), LABEL_COLUMNS, "next");
        clean_argument(out, str_from(program));
        buf_addz(out, " plot ");
        clean_argument(out, s->folder);
        buf_byte(out, '\n');
    }
    buf_byte(out, '\n');
}
