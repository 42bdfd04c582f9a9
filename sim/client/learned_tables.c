/* learned_tables.c - the tables of all clients of a scenario, which may outlive a search. */
#include "base/mem.h"
#include "client/learned_internal.h"

struct process_tables {
    process_table **at;
    size_t count;
};

process_tables *process_tables_new(const scenario *sc, const loader *l)
{
    process_tables *t = mem_zero(sizeof *t);
    t->at = mem_zero((sc->client_count + 1) * sizeof *t->at);
    for (; t->count < sc->client_count; t->count++)
        t->at[t->count] = process_table_new(sc, l, t->count);
    return t;
}

void process_tables_free(process_tables *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++)
        process_table_free(t->at[i]);
    mem_free(t->at);
    mem_free(t);
}

process_table *process_tables_get(const process_tables *t, size_t client)
{
    return t->at[client];
}

void process_tables_rest(process_tables *t)
{
    enum { LIVE_MAX = 1 };
    for (size_t i = 0; i < t->count; i++) {
        process_table_keep(t->at[i], LIVE_MAX);
        live_free_spares(t->at[i]);
        table_free_viewers(t->at[i]);              /* the next search asks whom it would ask without the tables */
    }
}

size_t process_tables_bytes(const process_tables *t)
{
    size_t bytes = 0;
    for (size_t i = 0; i < t->count; i++)
        bytes += process_table_bytes(t->at[i]);
    return bytes;
}

bool process_tables_absolute(const process_tables *t, str *why)
{
    *why = S("");
    for (size_t i = 0; i < t->count; i++)
        if (process_table_absolute(t->at[i], why))
            return true;
    return false;
}
