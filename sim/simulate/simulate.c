/* simulate.c - see simulate.h. */
#include "simulate/simulate.h"

#include <inttypes.h>

uint32_t simulate_clients(const scenario *sc, size_t which)
{
    if (which < sc->workload_count && sc->workloads[which].clients > 0)
        return sc->workloads[which].clients;
    return (uint32_t)sc->client_count;
}

str simulate_client_name(const scenario *sc, size_t which, uint32_t client, buf *into)
{
    buf_clear(into);
    const workload *w = which < sc->workload_count ? &sc->workloads[which] : NULL;
    if (w && w->client_names)
        buf_add(into, w->client_names[client]);
    else if (w && w->clients > 0)
        buf_printf(into, "c%" PRIu32, client + 1);
    else
        buf_add(into, sc->clients[client].name);
    return buf_str(into);
}

bool simulate_run(const scenario *sc, const loader *l, const simulate_options *o, simulate_result *out, err *e)
{
    (void)l;
    *out = (simulate_result){ .client_count = simulate_clients(sc, o->workload), .memory = arena_new() };
    return err_set(e, ERR_BUG, "simulate: not there yet");
}

void simulate_result_free(simulate_result *r)
{
    if (r->memory)
        arena_free(r->memory);
    *r = (simulate_result){ 0 };
}
