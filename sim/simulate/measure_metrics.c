/* measure_metrics.c - computes the numbers of metric.h from the counts. */
#include <assert.h>

#include "simulate/measure_internal.h"

const histogram *measure_histogram(const measure *m, measured_kind k)
{
    return &m->all[k];
}

const client_account *measure_client(const measure *m, uint32_t client)
{
    assert(client < m->client_count);
    return &m->clients[client].account;
}

uint32_t measure_clients(const measure *m)
{
    return m->client_count;
}

size_t measure_locks(const measure *m)
{
    return m->lock_count;
}

const lock_totals *measure_lock(const measure *m, size_t lock)
{
    return &m->locks[lock].total;
}

int64_t measure_begin_us(const measure *m)
{
    return m->begin_us;
}

int64_t measure_end_us(const measure *m)
{
    return m->end_us;
}

const windows *measure_windows(const measure *m)
{
    return m->over_time;
}

const excerpt *measure_excerpt(const measure *m)
{
    return m->sample;
}

static bool ms(int64_t us, double *value)
{
    *value = (double)us / 1000.0;
    return true;
}

static bool number(double n, double *value)
{
    *value = n;
    return true;
}

static bool ratio(double above, double below, double *value)
{
    return below > 0 && number(above / below, value);
}

static bool mean_of(const histogram *h, double scale, double *value)
{
    return h->count > 0 && number(histogram_mean(h) / scale, value);
}

static bool quantile_of(const histogram *h, unsigned share, double scale, double *value)
{
    return h->count > 0 && number((double)histogram_quantile(h, share) / scale, value);
}

static bool most_of(const histogram *h, double scale, double *value)
{
    return h->count > 0 && number((double)h->max / scale, value);
}

static double client_mean(const client_account *c)
{
    return (double)c->wait_us / (double)c->waits_known;
}

static bool extreme_client(const measure *m, bool worst, double *value)
{
    bool any = false;
    for (uint32_t i = 0; i < m->client_count; i++) {
        const client_account *c = &m->clients[i].account;
        if (c->waits_known == 0)
            continue;
        double mean = client_mean(c) / 1000.0;
        if (!any || (worst ? mean > *value : mean < *value))
            *value = mean;
        any = true;
    }
    return any;
}

static bool jain(const measure *m, bool of_waits, double *value)
{
    jain_sum j = { 0 };
    for (uint32_t i = 0; i < m->client_count; i++) {
        const client_account *c = &m->clients[i].account;
        if (!of_waits && c->asked)
            jain_add(&j, (double)c->grants);
        else if (of_waits && c->waits_known)
            jain_add(&j, client_mean(c));
    }
    return jain_index(&j, value);
}

static bool share(const measure *m, bool most, double *value)
{
    uint64_t found = most ? 0 : UINT64_MAX;
    if (m->grants == 0)
        return false;
    for (uint32_t i = 0; i < m->client_count; i++) {
        const client_account *c = &m->clients[i].account;
        if (c->asked && (most ? c->grants > found : c->grants < found))
            found = c->grants;
    }
    return number((double)found * (double)m->askers / (double)m->grants, value);
}

/* Percent of the measured time, the mean over all locks that were used. */
static bool part_of_time(const measure *m, bool idle, double *value)
{
    double sum = 0;
    size_t used = 0;
    for (size_t i = 0; i < m->lock_count; i++) {
        sum += (double)(idle ? m->locks[i].total.idle_us : m->locks[i].total.busy_us);
        used += m->locks[i].used;
    }
    return used > 0 && ratio(100.0 * sum / (double)used, (double)(m->end_us - m->begin_us), value);
}

bool measure_metric(const measure *m, metric k, double *value)
{
    const histogram *waits = &m->all[MEASURED_WAITS], *holds = &m->all[MEASURED_HOLDS],
                             *handoffs = &m->all[MEASURED_HANDOFFS];
    const histogram *overtakes = &m->all[MEASURED_OVERTAKES];
    double grants = (double)m->grants, measured_us = (double)(m->end_us - m->begin_us);
    assert(m->ended);
    switch (k) {
    case METRIC_ACQUISITIONS: return number(grants, value);
    case METRIC_THROUGHPUT: return ratio(grants * 1e6, measured_us, value);
    case METRIC_WAIT_MEAN: return mean_of(waits, 1000, value);
    case METRIC_WAIT_P50: return quantile_of(waits, 5000, 1000, value);
    case METRIC_WAIT_P90: return quantile_of(waits, 9000, 1000, value);
    case METRIC_WAIT_P99: return quantile_of(waits, 9900, 1000, value);
    case METRIC_WAIT_P999: return quantile_of(waits, 9990, 1000, value);
    case METRIC_WAIT_MAX: return most_of(waits, 1000, value);
    case METRIC_WAIT_BEST_CLIENT: return extreme_client(m, false, value);
    case METRIC_WAIT_WORST_CLIENT: return extreme_client(m, true, value);
    case METRIC_HOLD_MEAN: return mean_of(holds, 1000, value);
    case METRIC_HOLD_P99: return quantile_of(holds, 9900, 1000, value);
    case METRIC_BUSY: return part_of_time(m, false, value);
    case METRIC_TIMEOUTS: return number((double)m->timeouts, value);
    case METRIC_TIMEOUT_WAIT: return ratio((double)m->timeout_us / 1000.0, (double)m->timeouts, value);
    case METRIC_UNFINISHED: return number((double)m->unfinished, value);
    case METRIC_UNFINISHED_LONGEST: return m->unfinished > 0 && ms(m->unfinished_longest_us, value);
    case METRIC_UNSERVED: return number((double)m->unserved, value);
    case METRIC_OVERTAKEN_MEAN: return mean_of(overtakes, 1, value);
    case METRIC_OVERTAKEN_P99: return quantile_of(overtakes, 9900, 1, value);
    case METRIC_OVERTAKEN_MAX: return most_of(overtakes, 1, value);
    case METRIC_OVERTAKEN_LONGEST: return overtakes->count > 0 && number(m->overtaken_longest, value);
    case METRIC_JAIN_GRANTS: return jain(m, false, value);
    case METRIC_JAIN_WAITS: return jain(m, true, value);
    case METRIC_JAIN_SHORT: return ratio(m->short_sum, (double)m->short_windows, value);
    case METRIC_SHARE_LEAST: return share(m, false, value);
    case METRIC_SHARE_MOST: return share(m, true, value);
    case METRIC_QUEUE_MEAN: return ratio((double)m->queue_us, measured_us, value);
    case METRIC_QUEUE_MAX: return measured_us > 0 && number(m->waiting_max, value);
    case METRIC_HANDOFF_MEAN: return mean_of(handoffs, 1000, value);
    case METRIC_HANDOFF_P50: return quantile_of(handoffs, 5000, 1000, value);
    case METRIC_HANDOFF_P99: return quantile_of(handoffs, 9900, 1000, value);
    case METRIC_HANDOFF_MAX: return most_of(handoffs, 1000, value);
    case METRIC_IDLE: return part_of_time(m, true, value);
    case METRIC_REQUESTS: return ratio((double)m->requests, grants, value);
    case METRIC_COMMANDS: return ratio((double)m->commands, grants, value);
    case METRIC_SCRIPTS: return ratio((double)m->scripts, grants, value);
    case METRIC_MESSAGES: return ratio((double)m->messages, grants, value);
    case METRIC_IDLE_POLLS: return ratio((double)m->idle_polls, grants, value);
    case METRIC_LOST: return number((double)m->lost, value);
    case METRIC_UNRELEASED: return number((double)m->unreleased, value);
    case METRIC_CRASHED_HOLDING: return number((double)m->crashed_holding, value);
    case METRIC_CRASHED_WAITING: return number((double)m->crashed_waiting, value);
    case METRIC_CRASHES: return number((double)m->crashes, value);
    case METRIC_PAUSES: return number((double)m->pauses, value);
    case METRIC_LOST_ON_THE_WAY: return number((double)m->lost_on_the_way, value);
    case METRIC_COUNT: break;
    }
    return false;
}
