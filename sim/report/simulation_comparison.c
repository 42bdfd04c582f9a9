/* simulation_comparison.c - several simulations of one workload side by side: a row for each number, a column for each
 * lock. */
#include "report/clean.h"
#include "report/simulation.h"

enum { DIFFERENCE_COLUMNS = 20 };

/* At least two blanks, even where what stands before is too long. */
static void pad(buf *out, size_t from, size_t columns)
{
    buf_addz(out, "  ");
    for (size_t have = clean_width(str_slice(buf_str(out), from, out->n)); have < columns; have++)
        buf_byte(out, ' ');
}

static const metric compared[] = {
    METRIC_WAIT_MEAN, METRIC_WAIT_P50, METRIC_WAIT_P99, METRIC_WAIT_MAX, METRIC_HANDOFF_MEAN, METRIC_HANDOFF_P99,
    METRIC_OVERTAKEN_MEAN, METRIC_OVERTAKEN_LONGEST, METRIC_JAIN_GRANTS, METRIC_JAIN_WAITS, METRIC_JAIN_SHORT,
    METRIC_QUEUE_MEAN, METRIC_THROUGHPUT, METRIC_IDLE, METRIC_REQUESTS, METRIC_COMMANDS, METRIC_SCRIPTS,
    METRIC_MESSAGES, METRIC_IDLE_POLLS, METRIC_TIMEOUTS, METRIC_LOST,
};

/* The difference between two, seed by seed: the same seed has the same arrivals, so the difference is more certain than
 * either number. */
static bool differ(const simulated *const *side, size_t count, metric k, interval *out)
{
    return count == 2 && side[0]->seed == side[1]->seed &&
           replications_difference(side[0]->runs, side[1]->runs, k, out) && out->count >= 2;
}

static void add_difference(const interval *i, buf *out)
{
    if (i->mean > 0)
        buf_byte(out, '+');
    report_simulation_interval(i, out);
}

static void add_compared_row(const simulated *const *side, size_t count, metric k, const size_t *width,
                             size_t label_columns, buf *out)
{
    const metric_info *info = metric_describe(k);
    bool any = false;
    size_t line = out->n, at = label_columns + 2;
    buf_printf(out, "  %s%s%s", info->label, *info->unit ? ", " : "", info->unit);
    for (size_t i = 0; i < count; i++) {
        buf b = { 0 };
        interval value;
        bool known = replications_interval(side[i]->runs, k, &value);
        any = any || (known && (info->kind != METRIC_COUNTS || value.mean > 0));
        if (known)
            report_simulation_interval(&value, &b);
        else
            buf_byte(&b, '-');
        at += width[i] + 2;
        pad(out, line, at - clean_width(buf_str(&b)));
        buf_add(out, buf_str(&b));
        buf_free(&b);
    }
    interval difference;
    if (differ(side, count, k, &difference)) {
        buf b = { 0 };
        add_difference(&difference, &b);
        pad(out, line, at + 2 + DIFFERENCE_COLUMNS - clean_width(buf_str(&b)));
        buf_add(out, buf_str(&b));
        buf_free(&b);
    }
    if (any)
        buf_byte(out, '\n');
    else
        out->n = line;
}

/* A client that takes several locks at once makes as many acquires in the time of one on another lock. */
static void add_several_locks(const simulated *const *side, size_t count, buf *out)
{
    bool differ_in_locks = false;
    for (size_t i = 1; i < count; i++)
        differ_in_locks = differ_in_locks || side[i]->lock_count != side[0]->lock_count;
    for (size_t i = 0; i < count && differ_in_locks; i++) {
        if (side[i]->lock_count < 2)
            continue;
        buf_addz(out, "  ");
        clean_text(out, report_stem(side[i]->path));
        buf_addz(out, ": ");
        report_add_count(out, side[i]->lock_count);
        buf_addz(out, " locks, and an acquisition is of one of them\n");
    }
}

static void add_side_by_side(const simulated *const *side, size_t count, const report_style *style, buf *out)
{
    enum { LABEL = 34, LEAST = 18 };
    interval difference;
    bool paired = differ(side, count, METRIC_ACQUISITIONS, &difference);
    size_t width[8], line = out->n, at = LABEL + 2;
    buf_addz(out, style->color ? "\033[1m" : "");
    buf_addz(out, "  ");
    if (side[0]->workload.n)
        clean_text(out, side[0]->workload);
    for (size_t i = 0; i < count; i++) {
        buf b = { 0 };
        clean_text(&b, report_stem(side[i]->path));
        width[i] = clean_width(buf_str(&b)) > LEAST ? clean_width(buf_str(&b)) : LEAST;
        at += width[i] + 2;
        pad(out, line + (style->color ? 4 : 0), at - clean_width(buf_str(&b)));
        buf_add(out, buf_str(&b));
        buf_free(&b);
    }
    if (paired)
        buf_printf(out, "%*s", 2 + DIFFERENCE_COLUMNS, "difference");
    buf_addz(out, style->color ? "\033[0m\n" : "\n");
    for (size_t k = 0; k < COUNT(compared); k++)
        add_compared_row(side, count, compared[k], width, LABEL, out);
    if (paired)
        buf_printf(out, "  difference: the second less the first, seed by seed (a seed is the same draws for both), "
                   "with its 95 %% interval over %zu\n"
                        "  seeds: where the interval holds 0, these seeds do not tell the two apart\n",
                        side[0]->runs->wanted);
    add_several_locks(side, count, out);
    bool written = true;
    for (size_t i = 0; i < count; i++)
        written = written && side[i]->folder.n > 0;
    if (written) {
        buf_addz(out, "  next        ");
        clean_argument(out, str_from(style->program ? style->program : "locksim"));
        buf_addz(out, " plot");
    }
    for (size_t i = 0; i < count && written; i++) {
        buf_byte(out, ' ');
        clean_argument(out, side[i]->folder);
    }
    buf_addz(out, written ? "\n\n" : "\n");
}

void report_simulation_comparison(const simulated *all, size_t count, const report_style *style, buf *out)
{
    enum { SIDES_MAX = 4 };        /* as many as fit beside each other; the others get a table of their own below */
    for (size_t i = 0; i < count; i++) {
        bool seen = all[i].ending == SIMULATED_FAILED;
        size_t sides = 0;
        const simulated *side[SIDES_MAX];
        for (size_t k = 0; k < i && !seen; k++)
            seen = all[k].ending != SIMULATED_FAILED && str_eq(all[k].workload, all[i].workload);
        if (seen)
            continue;
        size_t same = 0;
        for (size_t k = i; k < count; k++)
            same += all[k].ending != SIMULATED_FAILED && str_eq(all[k].workload, all[i].workload);
        for (size_t k = i; k < count && same > 1; k++) {
            if (all[k].ending == SIMULATED_FAILED || !str_eq(all[k].workload, all[i].workload))
                continue;
            side[sides++] = &all[k];
            if (sides == SIDES_MAX) {
                add_side_by_side(side, sides, style, out);
                sides = 0;
            }
        }
        if (sides)
            add_side_by_side(side, sides, style, out);
    }
}
