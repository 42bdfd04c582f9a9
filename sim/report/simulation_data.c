/* simulation_data.c - the measurements as plain data: what templates of gnuplot, spreadsheets and scripts read. */
#include <inttypes.h>
#include <string.h>

#include "report/clean.h"
#include "report/simulation.h"

static void add_ms(buf *out, int64_t us)
{
    buf_printf(out, "%s%" PRId64 ".%03" PRId64, us < 0 ? "-" : "", (us < 0 ? -us : us) / 1000,
               (us < 0 ? -us : us) % 1000);
}

static void add_number(buf *out, bool known, double value)
{
    if (known)
        buf_printf(out, "%.6g", value);
    else
        buf_byte(out, '-');
}

static void add_span(buf *out, const simulated *s, int64_t from_us, int64_t to_us)
{
    add_ms(out, from_us);
    buf_byte(out, '\t');
    add_ms(out, to_us > s->end_us ? s->end_us : to_us);
}

static void add_client(buf *out, const simulated *s, uint32_t client)
{
    if (client < s->client_count)
        clean_text(out, s->clients[client]);
    else
        buf_byte(out, '-');
}

/* Tab and a quantile, for each share of 10,000. */
static void add_quantiles(buf *out, const histogram *h, const unsigned *shares, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_byte(out, '\t');
        if (h->count)
            add_ms(out, histogram_quantile(h, shares[i]));
        else
            buf_byte(out, '-');
    }
}

static void add_mean(buf *out, const histogram *h)
{
    buf_byte(out, '\t');
    add_number(out, h->count > 0, h->count ? histogram_mean(h) / 1000.0 : 0);
}

static void add_summary(const simulated *s, buf *out)
{
    buf_addz(out, "# The mean over the seeds that have the number, and its 95 % interval (Student's t): - where fewer "
             "than two have it\n"
                  "metric\tunit\tvalue\tlo\thi\tseeds\n");
    for (int k = 0; k < METRIC_COUNT; k++) {
        const metric_info *info = metric_describe((metric)k);
        interval i = { 0 };
        bool known = replications_interval(s->runs, (metric)k, &i), bounded = known && i.count >= 2;
        buf_printf(out, "%s\t%s\t", info->name, *info->unit ? info->unit : "-");
        add_number(out, known, i.mean);
        buf_byte(out, '\t');
        add_number(out, bounded, i.mean - i.half);
        buf_byte(out, '\t');
        add_number(out, bounded, i.mean + i.half);
        buf_printf(out, "\t%zu\n", i.count);
    }
}

static void add_hold(buf *out, int64_t hold_us, uint64_t holds)
{
    add_number(out, holds > 0, holds ? (double)hold_us / 1000.0 / (double)holds : 0);
}

static void add_clients(const simulated *s, buf *out)
{
    static const unsigned tail[] = { 5000, 9000, 9900, 10000 }, box[] = { 0, 2500, 5000, 7500, 10000 };
    const measure *m = s->runs->first;
    uint64_t all = 0;
    for (uint32_t c = 0; m && c < measure_clients(m) && c < s->client_count; c++)
        all += measure_client(m, c)->grants;
    buf_addz(out, "client\tgrants\tshare\ttimeouts\twait_mean_ms\twait_p50_ms\twait_p90_ms\twait_p99_ms\twait_max_ms\t"
                  "q_min\tq1\tmedian\tq3\tq_max\tovertaken_mean\tovertaken_longest\thold_mean_ms\n");
    for (uint32_t c = 0; m && c < measure_clients(m) && c < s->client_count; c++) {
        const client_account *a = measure_client(m, c);
        add_client(out, s, c);
        buf_printf(out, "\t%" PRIu64 "\t", a->grants);
        add_number(out, all > 0, all ? (double)a->grants / (double)all : 0);
        buf_printf(out, "\t%" PRIu64, a->timeouts);
        add_mean(out, &a->waits);
        add_quantiles(out, &a->waits, tail, COUNT(tail));
        add_quantiles(out, &a->waits, box, COUNT(box));
        buf_byte(out, '\t');
        add_number(out, a->waits_known > 0, a->waits_known ? (double)a->overtaken / (double)a->waits_known : 0);
        if (a->waits_known)
            buf_printf(out, "\t%" PRIu32 "\t", a->overtaken_longest);
        else
            buf_addz(out, "\t-\t");
        add_hold(out, a->hold_us, a->holds);
        buf_byte(out, '\n');
    }
}

static void add_locks(const simulated *s, buf *out)
{
    static const unsigned waits[] = { 5000, 9000, 9900, 10000 }, handoffs[] = { 9900 };
    const measure *m = s->runs->first;
    double measured_us = (double)(s->end_us - s->begin_us);
    buf_addz(out, "lock\tgrants\ttimeouts\twait_mean_ms\twait_p50_ms\twait_p90_ms\twait_p99_ms\twait_max_ms\t"
             "handoff_mean_ms\thandoff_p99_ms\t"
                  "busy_percent\tidle_percent\thold_mean_ms\tqueue_mean\n");
    for (size_t i = 0; m && i < measure_locks(m); i++) {
        const lock_totals *l = measure_lock(m, i);
        if (i < s->lock_count)
            clean_text(out, s->locks[i]);
        else
            buf_byte(out, '-');
        buf_printf(out, "\t%" PRIu64 "\t%" PRIu64, l->grants, l->timeouts);
        add_mean(out, &l->waits);
        add_quantiles(out, &l->waits, waits, COUNT(waits));
        add_mean(out, &l->handoffs);
        add_quantiles(out, &l->handoffs, handoffs, COUNT(handoffs));
        buf_byte(out, '\t');
        add_number(out, measured_us > 0, 100.0 * (double)l->busy_us / measured_us);
        buf_byte(out, '\t');
        add_number(out, measured_us > 0, 100.0 * (double)l->idle_us / measured_us);
        buf_byte(out, '\t');
        add_hold(out, l->hold_us, l->holds);
        buf_byte(out, '\t');
        add_number(out, measured_us > 0, (double)l->queue_us / measured_us);
        buf_byte(out, '\n');
    }
}

/* A row is at least a hundredth above the row before it, so that a picture stays small whatever the range is. */
static void add_distribution(const histogram *h, const char *columns, buf *out)
{
    uint64_t below = 0, here = 0;
    int64_t last = -1;
    size_t at = 0;
    histogram_class c, next;
    buf_addz(out, columns);
    for (bool more = histogram_next(h, &at, &c); more; c = next) {
        more = histogram_next(h, &at, &next);
        here += c.count;
        if (more && last >= 0 && next.high * 100 < last * 101)
            continue;
        below += here;
        last = c.high > h->max ? h->max : c.high;
        add_ms(out, last);
        buf_printf(out, "\t%.9g\t%.9g\t%" PRIu64 "\n", (double)below / (double)h->count,
                   (double)(h->count - below) / (double)h->count, here);
        here = 0;
    }
}

static void add_waits(const simulated *s, buf *out)
{
    add_distribution(&s->runs->all[MEASURED_WAITS], "wait_ms\tcdf\tccdf\tcount\n", out);
}

static void add_handoffs(const simulated *s, buf *out)
{
    add_distribution(&s->runs->all[MEASURED_HANDOFFS], "handoff_ms\tcdf\tccdf\tcount\n", out);
}

static void add_overtakes(const simulated *s, buf *out)
{
    const histogram *h = &s->runs->all[MEASURED_OVERTAKES];
    size_t at = 0;
    histogram_class c;
    buf_addz(out, "overtakes\tacquisitions\tshare\n");
    while (histogram_next(h, &at, &c))
        buf_printf(out, "%" PRId64 "\t%" PRIu64 "\t%.9g\n", c.low + (c.high - c.low) / 2, c.count,
                   (double)c.count / (double)h->count);
}

static void add_wait_time(const simulated *s, buf *out)
{
    static const unsigned shares[] = { 5000, 9900, 10000 };
    const windows *w = s->runs->first ? measure_windows(s->runs->first) : NULL;
    buf_addz(out, "from_ms\tto_ms\tgrants\tmean_ms\tp50_ms\tp99_ms\tmax_ms\n");
    for (size_t i = 0; w && i < w->used; i++) {
        add_span(out, s, w->begin_us + (int64_t)i * w->width_us, w->begin_us + (int64_t)(i + 1) * w->width_us);
        buf_printf(out, "\t%" PRIu64, w->at[i].waits.count);
        add_mean(out, &w->at[i].waits);
        add_quantiles(out, &w->at[i].waits, shares, COUNT(shares));
        buf_byte(out, '\n');
    }
}

static void add_samples(const simulated *s, buf *out)
{
    const excerpt *x = s->runs->first ? measure_excerpt(s->runs->first) : NULL;
    buf_addz(out, "granted_ms\twait_ms\tclient\n");
    for (size_t i = 0; x && i < excerpt_waits(x); i++) {
        add_ms(out, x->waits[i].granted_us);
        buf_byte(out, '\t');
        add_ms(out, x->waits[i].wait_us);
        buf_byte(out, '\t');
        add_client(out, s, x->waits[i].client);
        buf_byte(out, '\n');
    }
}

static void add_jain(const simulated *s, buf *out)
{
    const windows *w = s->runs->first ? measure_windows(s->runs->first) : NULL;
    size_t group = w ? windows_jain_group(w) : 1;
    buf_addz(out, "from_ms\tto_ms\tjain\tclients\n");
    for (size_t i = 0; w && i + group <= w->used; i += group) {   /* a rest at the end would look like unfairness */
        double index = 0;
        size_t served = 0, end = i + group;
        bool known = windows_jain(w, i, group, &index, &served);
        add_span(out, s, w->begin_us + (int64_t)i * w->width_us, w->begin_us + (int64_t)end * w->width_us);
        buf_byte(out, '\t');
        add_number(out, known, index);
        buf_printf(out, "\t%zu\n", served);
    }
}

static void add_gantt(const simulated *s, buf *out)
{
    const excerpt *x = s->runs->first ? measure_excerpt(s->runs->first) : NULL;
    buf_addz(out, "client\trow\tfrom_ms\tto_ms\twhat\n");
    for (size_t i = 0; x && i < x->interval_count; i++) {
        add_client(out, s, x->intervals[i].client);
        buf_printf(out, "\t%" PRIu32 "\t", x->intervals[i].row);
        add_span(out, s, x->intervals[i].from_us, x->intervals[i].to_us);
        buf_addz(out, x->intervals[i].holds ? "\thold\n" : "\twait\n");
    }
}

static void add_queue(const simulated *s, buf *out)
{
    const windows *w = s->runs->first ? measure_windows(s->runs->first) : NULL;
    buf_addz(out, "from_ms\tto_ms\tmean\tmax\n");
    for (size_t i = 0; w && i < w->used; i++) {
        int64_t from_us = w->begin_us + (int64_t)i * w->width_us, to_us = from_us + w->width_us;
        to_us = to_us > s->end_us ? s->end_us : to_us;
        add_span(out, s, from_us, to_us);
        buf_byte(out, '\t');
        add_number(out, to_us > from_us, (double)w->at[i].queue_us / (double)(to_us - from_us));
        buf_printf(out, "\t%" PRIu32 "\n", w->at[i].queue_max);
    }
}

static void add_faults(const simulated *s, buf *out)
{
    const excerpt *x = s->runs->first ? measure_excerpt(s->runs->first) : NULL;
    buf_addz(out, "from_ms\tto_ms\twhat\tclient\n");
    for (size_t i = 0; x && i < excerpt_faults(x); i++) {
        add_span(out, s, x->faults[i].from_us, x->faults[i].to_us);
        buf_addz(out, x->faults[i].crash ? "\tcrash\t" : "\tpause\t");
        add_client(out, s, x->faults[i].client);
        buf_byte(out, '\n');
    }
}

static void add_meta(const simulated *s, buf *out)
{
    buf_addz(out, "key\tvalue\nscenario\t");
    clean_text(out, s->path);
    buf_addz(out, "\nworkload\t");
    clean_text(out, s->workload);
    buf_addz(out, "\ntitle\t");
    clean_text(out, s->title);
    buf_addz(out, "\nname\t");
    clean_text(out, s->name);
    buf_printf(out, "\nclients\t%zu\nthreads\t%" PRIu32 "\nlocks\t%zu\nseeds\t%zu\nseed\t%" PRIu64
               "\nresult\t%s\nbegin_ms\t", s->client_count, s->threads,
               s->lock_count, s->runs->done, s->seed, simulated_verdict(s));
    add_ms(out, s->begin_us);
    buf_addz(out, "\nend_ms\t");
    add_ms(out, s->end_us);
    buf_addz(out, "\nduration_ms\t");
    add_ms(out, s->end_us - s->begin_us);
    buf_printf(out, "\nacquisitions\t%" PRIu64 "\npercentile_error\t%.6g\nclient_percentile_error\t%.6g\n",
               s->runs->all[MEASURED_WAITS].count, histogram_error(HISTOGRAM_FINE), histogram_error(HISTOGRAM_COARSE));
}

static const struct {
    const char *name, *what;
    void (*add)(const simulated *s, buf *out);
    bool first_only;       /* of the first seed alone */
} files[] = {
    { "summary.tsv", "All measured numbers; `locksim simulate --help` defines them", add_summary, false },
    { "clients.tsv", "What each client got, and the quantiles of its waits (ms)", add_clients, true },
    { "locks.tsv", "What each lock gave", add_locks, true },
    { "waits.tsv", "How many waits are not longer than wait_ms, all seeds together: their share, the share of longer "
      "ones, and how many lie above the row before", add_waits, false },
    { "wait_time.tsv", "Waits by the instant of the grant", add_wait_time, true },
    { "wait_samples.tsv", "Waits, or a random sample of 2000 of them", add_samples, true },
    { "overtakes.tsv", "How many acquisitions were overtaken so often, all seeds together", add_overtakes, false },
    { "jain.tsv", "Jain's index of grants over the clients that asked and how many were granted, in whole windows of "
      "10 acquisitions for each client (fewer in a short run)", add_jain, true },
    { "gantt.tsv", "Who waited and who held: the first 400 intervals after the warm-up, of at most 40 tasks", add_gantt,
      true },
    { "queue.tsv", "How many waited: the mean over each window and the most at once", add_queue, true },
    { "handoff.tsv", "Hand-offs not longer than handoff_ms, all seeds together, as in waits.tsv", add_handoffs, false },
    { "faults.tsv", "Crashes until the client was back and pauses, the first 1000", add_faults, true },
    { "meta.tsv", "What was simulated; times in ms of virtual time since the run began", add_meta, false },
};

size_t report_simulation_file_count(void)
{
    return COUNT(files);
}

const char *report_simulation_file(size_t k)
{
    return files[k].name;
}

void report_simulation_data(const simulated *s, size_t k, buf *out)
{
    buf_printf(out, "# %s", files[k].what);
    if (files[k].first_only && s->runs->wanted > 1)
        buf_printf(out, "; seed %" PRIu64 " alone", s->seed);
    buf_addz(out, "\n# of ");
    clean_text(out, s->path);
    if (s->workload.n) {
        buf_addz(out, ", workload ");
        clean_text(out, s->workload);
    }
    buf_printf(out, ", by locksim simulate --seed %" PRIu64 " --seeds %zu\n", s->seed, s->runs->wanted);
    files[k].add(s, out);
}
