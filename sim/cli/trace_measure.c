/* trace_measure.c - see trace_measure.h. Wings do not know each other: this passes the results of one to the other. */
#include "cli/trace_measure.h"

void trace_measure_begin(trace_measure *x)
{
    enum { SAMPLE_SEED = 1 };
    *x = (trace_measure){ .m = measure_new(TRACE_CLIENTS_MAX, SAMPLE_SEED, true), .runs = replications_new(1) };
}

void trace_measure_told(trace_measure *x, const told *t)
{
    static const occurrence_kind kinds[] = {
        [TOLD_ASKED] = OCCURS_ASKED, [TOLD_REFUSED] = OCCURS_REFUSED, [TOLD_GRANTED] = OCCURS_GRANTED,
        [TOLD_GAVE_UP] = OCCURS_GAVE_UP,
        [TOLD_RELEASED] = OCCURS_RELEASED, [TOLD_LOST] = OCCURS_LOST, [TOLD_REQUEST] = OCCURS_REQUEST,
    };
    if (!x->begun) {
        x->begun = true;
        x->begin_us = t->at_us;
        measure_occurrence(x->m, &(occurrence){ .kind = OCCURS_BEGINS, .client = OCCURS_NOBODY,
                                                .lock = OCCURS_NOBODY });
    }
    if (t->kind != TOLD_REQUEST && t->lock == UINT32_MAX)
        return;                        /* more locks than are measured */
    int64_t at_us = t->at_us - x->begin_us;
    measure_occurrence(x->m, &(occurrence){ .kind = kinds[t->kind], .at_us = at_us, .executed_us = at_us,
                                            .client = t->client, .task = t->task,
                                            .lock = t->lock == UINT32_MAX ? OCCURS_NOBODY : t->lock,
                                            .commands = t->commands, .count = t->count,
                                            .script = t->script, .wrote = t->wrote });
}

simulated trace_measure_end(trace_measure *x, arena *a, const tracer *t, str path, str name)
{
    const str *clients, *locks;
    size_t n = tracer_clients(t, &clients);
    str *all = ARENA_ARRAY(a, str, TRACE_CLIENTS_MAX);
    trace_counts c = tracer_count(t);
    int64_t end_us = x->begun && c.end_us > x->begin_us ? c.end_us - x->begin_us : 0;
    for (size_t i = 0; i < TRACE_CLIENTS_MAX; i++)
        all[i] = i < n ? clients[i] : S("");
    if (!x->begun)
        measure_occurrence(x->m, &(occurrence){ .kind = OCCURS_BEGINS, .client = OCCURS_NOBODY,
                                                .lock = OCCURS_NOBODY });
    measure_end(x->m, end_us);
    replications_add(x->runs, 0, x->m);
    x->m = NULL;
    size_t lock_count = tracer_locks(t, &locks);
    return (simulated){ .path = path, .title = S(""), .workload = S(""), .name = name, .clients = all,
                        .client_count = n, .locks = locks,
                        .lock_count = lock_count, .threads = 1, .seed = 1, .runs = x->runs, .end_us = end_us,
                        .folder = S("") };
}

void trace_measure_free(trace_measure *x)
{
    measure_free(x->m);
    replications_free(x->runs);
}
