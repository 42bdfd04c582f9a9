/* brief.c - see brief.h. */
#include "simulate/brief.h"

bool simulate_brief(const scenario *sc, const loader *l, size_t seeds, simulation_brief *out, err *e)
{
    /* a client that never gives up must not block a comparison */
    enum { LATENCY_US = 1000, STEPS_MAX = 1000000, ONCE_STEPS_MAX = 100000 };
    replications *all = replications_new(seeds);
    size_t which = sc->workload_count ? 0 : SIMULATE_ONCE;
    uint64_t steps_max = which == SIMULATE_ONCE ? ONCE_STEPS_MAX : STEPS_MAX;
    bool ok = true, hopeless = false;
    *out = (simulation_brief){ 0 };
    for (size_t i = 0; i < seeds && ok && !hopeless; i++) {
        measure *m = measure_new(simulate_clients(sc, which), i + 1, false);
        simulate_options o = { .seed = i + 1, .workload = which, .latency_us = LATENCY_US, .max_steps = steps_max,
                               .context = m, .on_occurrence = measure_occurrence };
        simulate_result r;
        ok = simulate_run(sc, l, &o, &r, e);
        if (ok) {
            measure_end(m, r.end_us);
            replications_add(all, i, m);
        } else {
            measure_free(m);
        }
        out->seeds = i + 1;
        hopeless = ok && r.ending == SIMULATE_CUT && r.acquisitions == 0;
        simulate_result_free(&r);
    }
    out->acquired = ok && !hopeless && replications_interval(all, METRIC_WAIT_MEAN, &out->wait_mean_ms) &&
                    replications_interval(all, METRIC_WAIT_P99, &out->wait_p99_ms) &&
                    replications_interval(all, METRIC_COMMANDS, &out->commands) &&
                    replications_interval(all, METRIC_REQUESTS, &out->requests);
    replications_free(all);
    return ok;
}
