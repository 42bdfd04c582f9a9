/* learned_tables.c - the tables of all clients of a scenario, which may outlive a search. */
#include "base/mem.h"
#include "memo/learned_internal.h"

struct process_tables {
    process_table **at;
    size_t count;
};

process_tables *process_tables_new(const scenario *sc, const loader *l)
{
    return process_tables_new_equal(sc, l, NULL, INSTANTS_PLAIN);
}

process_tables *process_tables_new_equal(const scenario *sc, const loader *l, const equals *eq,
                                         instant_spelling instants)
{
    process_tables *t = mem_zero(sizeof *t);
    t->at = mem_zero((sc->client_count + 1) * sizeof *t->at);
    for (; t->count < sc->client_count; t->count++) {
        t->at[t->count] = eq && eq->first[t->count] < t->count ? t->at[eq->first[t->count]]
                          : process_table_new(sc, l, t->count);
        process_table *of = t->at[t->count];
        of->equals = eq;
        of->states.instants = instants;
        of->hides &= instants != INSTANTS_SECONDS;             /* seconds cannot be hidden */
        if (of->client != t->count)
            of->members[of->each++ - EPOCHS] = (uint8_t)t->count;
    }
    return t;
}

/* Equal clients share one. */
static bool is_its_own(const process_tables *t, size_t i)
{
    return t->at[i]->client == i;
}

bool process_tables_apart(const process_tables *t, str *why)
{
    *why = S("");
    for (size_t i = 0; i < t->count && !why->n; i++)
        *why = t->at[i]->apart.n ? t->at[i]->apart : S("");
    return why->n > 0;
}

void process_tables_free(process_tables *t)
{
    if (!t)
        return;
    for (size_t i = t->count; i-- > 0;)            /* a shared one belongs to the first of its clients */
        if (is_its_own(t, i))
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
    for (size_t i = 0; i < t->count; i++) {
        live_rest(t->at[i]);
        table_free_viewers(t->at[i]);  /* the next search then asks the same viewers as a search without kept tables */
    }
}

size_t process_tables_bytes(const process_tables *t)
{
    size_t bytes = 0;
    for (size_t i = 0; i < t->count; i++)
        bytes += is_its_own(t, i) ? process_table_bytes(t->at[i]) : 0;
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
