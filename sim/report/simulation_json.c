/* simulation_json.c - measurements for programs. */
#include <string.h>

#include "report/json_text.h"
#include "report/simulation_parts.h"

static json_t *number_or_null(bool known, double value)
{
    return known ? json_real(value) : json_null();
}

static json_t *metrics_of(const replications *r)
{
    json_t *all = json_object();
    for (int k = 0; k < METRIC_COUNT; k++) {
        const metric_info *info = metric_describe((metric)k);
        interval i = { 0 };
        bool known = replications_interval(r, (metric)k, &i), bounded = known && i.count >= 2;
        json_t *m = json_object(), *each = json_array();
        json_object_set_new(m, "unit", json_string(info->unit));
        json_object_set_new(m, "value", number_or_null(known, i.mean));
        json_object_set_new(m, "low", number_or_null(bounded, i.mean - i.half));
        json_object_set_new(m, "high", number_or_null(bounded, i.mean + i.half));
        for (size_t n = 0; n < r->wanted; n++)
            json_array_append_new(each, number_or_null(r->runs[n].known[k], r->runs[n].value[k]));
        json_object_set_new(m, "seeds", each);
        json_object_set_new(all, info->name, m);
    }
    return all;
}

static json_t *clients_of(const simulated *s)
{
    json_t *list = json_array();
    const measure *m = s->runs->first;
    for (uint32_t c = 0; m && c < measure_clients(m) && c < s->client_count; c++) {
        const client_account *a = measure_client(m, c);
        bool waited = a->waits.count > 0;
        json_t *o = json_object();
        json_object_set_new(o, "name", json_text(s->clients[c]));
        json_object_set_new(o, "acquisitions", json_integer((json_int_t)a->grants));
        json_object_set_new(o, "timeouts", json_integer((json_int_t)a->timeouts));
        json_object_set_new(o, "wait_mean_ms", number_or_null(waited, waited ? histogram_mean(&a->waits) / 1000.0 : 0));
        json_object_set_new(o, "wait_p99_ms",
                            number_or_null(waited, waited ? (double)histogram_quantile(&a->waits, 9900) / 1000.0 : 0));
        json_object_set_new(o, "wait_max_ms", number_or_null(waited, (double)a->waits.max / 1000.0));
        json_object_set_new(o, "overtaken_mean",
                            number_or_null(waited, waited ? (double)a->overtaken / (double)a->waits.count : 0));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *locks_of(const simulated *s)
{
    json_t *list = json_array();
    const measure *m = s->runs->first;
    for (size_t i = 0; m && i < measure_locks(m) && i < s->lock_count; i++) {
        const lock_totals *l = measure_lock(m, i);
        bool waited = l->waits.count > 0, handed = l->handoffs.count > 0;
        json_t *o = json_object();
        json_object_set_new(o, "name", json_text(s->locks[i]));
        json_object_set_new(o, "acquisitions", json_integer((json_int_t)l->grants));
        json_object_set_new(o, "timeouts", json_integer((json_int_t)l->timeouts));
        json_object_set_new(o, "wait_mean_ms", number_or_null(waited, waited ? histogram_mean(&l->waits) / 1000.0 : 0));
        json_object_set_new(o, "hold_mean_ms",
                            number_or_null(l->holds > 0, l->holds ? (double)l->hold_us / 1000.0 / (double)l->holds
                                           : 0));
        json_object_set_new(o, "handoff_mean_ms",
                            number_or_null(handed, handed ? histogram_mean(&l->handoffs) / 1000.0 : 0));
        json_array_append_new(list, o);
    }
    return list;
}

/* What was written below `data`. */
static json_t *files_of(const simulated *s)
{
    json_t *list = json_array();
    for (size_t k = 0; s->folder.n && k < report_simulation_file_count(); k++)
        json_array_append_new(list, json_string(report_simulation_file(k)));
    return list;
}

static json_t *simulation_of(const simulated *s)
{
    json_t *o = json_object();
    json_object_set_new(o, "scenario", json_text(s->path));
    json_object_set_new(o, "title", json_text(s->title));
    json_object_set_new(o, "workload", json_text(s->workload));
    json_object_set_new(o, "result", json_string(simulated_verdict(s)));
    json_object_set_new(o, "error", s->ending == SIMULATED_FAILED ? json_error(s->error) : json_null());
    if (s->ending == SIMULATED_FAILED)
        return o;
    json_object_set_new(o, "clients", json_integer((json_int_t)s->client_count));
    json_object_set_new(o, "threads", json_integer((json_int_t)s->threads));
    json_object_set_new(o, "seed", json_integer((json_int_t)s->seed));
    json_object_set_new(o, "seeds_wanted", json_integer((json_int_t)s->runs->wanted));
    json_object_set_new(o, "seeds_done", json_integer((json_int_t)s->runs->done));
    json_object_set_new(o, "begin_ms", json_real((double)s->begin_us / 1000.0));
    json_object_set_new(o, "end_ms", json_real((double)s->end_us / 1000.0));
    json_object_set_new(o, "percentile_error", json_real(histogram_error(HISTOGRAM_FINE)));
    json_object_set_new(o, "data", s->folder.n ? json_text(s->folder) : json_null());
    json_object_set_new(o, "files", files_of(s));
    json_object_set_new(o, "error_answers", json_integer((json_int_t)s->errors));
    json_object_set_new(o, "first_error_answer", s->errors > 0 ? json_text(s->first_error) : json_null());
    json_object_set_new(o, "metrics", metrics_of(s->runs));
    json_object_set_new(o, "locks_of_first_seed", locks_of(s));
    json_object_set_new(o, "clients_of_first_seed", clients_of(s));
    return o;
}

json_t *simulation_numbers_json(const simulated *s)
{
    json_t *o = json_object();
    json_object_set_new(o, "data", s->folder.n ? json_text(s->folder) : json_null());
    json_object_set_new(o, "metrics", metrics_of(s->runs));
    json_object_set_new(o, "locks", locks_of(s));
    json_object_set_new(o, "clients", clients_of(s));
    return o;
}

void report_simulation_json(const simulated *all, size_t count, int exit_status, buf *out)
{
    json_t *document = json_object(), *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, simulation_of(&all[i]));
    json_object_set_new(document, "locksim", json_integer(1));
    json_object_set_new(document, "exit_status", json_integer(exit_status));
    json_object_set_new(document, "simulations", list);
    json_document_add(out, document);
}
