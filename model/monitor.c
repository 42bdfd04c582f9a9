/* monitor.c - the table of properties: which monitor hears what, which facts are read, and where each monitor's own
 * data lie. */
#include "model/monitor.h"

#include <assert.h>
#include <string.h>

#define P(upper, lower) extern const monitor lower##_monitor;
PROPERTIES(P)
#undef P

static const monitor *const rows[PROPERTY_COUNT] = {
#define P(upper, lower) [PROPERTY_##upper] = &lower##_monitor,
    PROPERTIES(P)
#undef P
};

const monitor *monitor_of(property p)
{
    assert((size_t)p < PROPERTY_COUNT);
    return rows[p];
}

const property_info *property_describe(property p)
{
    return &monitor_of(p)->info;
}

bool property_parse(str name_or_code, property *p)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_info *info = &rows[i]->info;
        if (str_eq(name_or_code, str_from(info->name)) || str_eq_nocase(name_or_code, str_from(info->code))) {
            *p = (property)i;
            return true;
        }
    }
    return false;
}

model_config model_config_default(void)
{
    model_config c = { .timeout_ms = 3000 };
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        c.judged[i] = rows[i]->info.by_default;
        c.parameter[i] = rows[i]->info.parameter_default;
    }
    return c;
}

/* ---- hearing ---- */

void monitors_tell(model *m, const heard *h)
{
    const monitor *row;
    uint32_t set = m->hearers[h->kind];
    if (h->kind == SETTLE_STATE)
        set |= m->broken_now;
    EACH_MONITOR(row, set)
        if (row->hears & HEARS(h->kind))
            (h->kind < SETTLE_REQUEST ? row->hear : row->settle)(m, h);
}

/* ---- what is read ---- */

static void open_row(model *m, const monitor *row, uint32_t bit)
{
    for (uint32_t kinds = row->hears; kinds; kinds &= kinds - 1)
        m->hearers[__builtin_ctz(kinds)] |= bit;
    m->coders.model |= row->code.model ? bit : 0;
    m->coders.lock |= row->code.lock ? bit : 0;
    m->coders.stake |= row->code.stake ? bit : 0;
    m->coders.wait |= row->code.wait ? bit : 0;
    m->coders.grant |= row->code.grant ? bit : 0;
    m->coders.request |= row->code.request ? bit : 0;
}

void monitors_open(model *m)
{
    uint32_t all = 0, named = 0, of[SPEC_COUNT] = { 0 };
    memset(m->hearers, 0, sizeof m->hearers);
    memset(&m->coders, 0, sizeof m->coders);
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        if (!model_open(m, (property)i))
            continue;
        open_row(m, rows[i], UINT32_C(1) << i);
        all |= rows[i]->reads;
        named |= rows[i]->reads_named;
        for (size_t k = 0; k < SPEC_COUNT; k++)
            of[k] |= rows[i]->reads_of[k];
    }
    for (size_t k = 0; k < SPEC_COUNT; k++)
        m->reads[k] = all | named | of[k];
    m->reads[SPEC_COUNT] = all;
}

bool model_reads(const model *m, const lock *l, uint32_t facts)
{
    return m->reads[l ? (size_t)l->spec : SPEC_COUNT] & facts;
}

uint32_t model_facts(const model *m)
{
    uint32_t all = 0;
    for (size_t k = 0; k <= SPEC_COUNT; k++)
        all |= m->reads[k];
    return all;
}

/* ---- what is owned ---- */

static uint8_t room(size_t *used, size_t bytes, size_t words_max)
{
    size_t at = *used;
    *used += (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    assert(*used <= words_max);        /* monitors own more than there is space for: see memory.h */
    return (uint8_t)at;
}

void monitors_lay_out(model *m)
{
    size_t lock = 0, stake = 0, wait = 0, grant = 0, request = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const monitor *row = rows[i];
        m->own[i].lock = room(&lock, row->owns.lock, LOCK_WORDS);
        m->own[i].stake = room(&stake, row->owns.stake, STAKE_WORDS);
        m->own[i].wait = room(&wait, row->owns.wait, WAIT_WORDS);
        m->own[i].grant = room(&grant, row->owns.grant, GRANT_WORDS);
        m->own[i].request = room(&request, row->owns.request, REQUEST_WORDS);
        if (row->owns.model)
            m->own[i].model = arena_alloc(m->memory, row->owns.model);
    }
}

void *own_of_model(const model *m, property p)
{
    return m->own[p].model;
}

void *own_of_lock(const model *m, const lock *l, property p)
{
    return (uint64_t *)l->own + m->own[p].lock;
}

void *own_of_stake(const model *m, const stake *s, property p)
{
    return (uint64_t *)s->own + m->own[p].stake;
}

void *own_of_wait(const model *m, const stake *s, property p)
{
    return (uint64_t *)s->own_wait + m->own[p].wait;
}

void *own_of_grant(const model *m, const grant *g, property p)
{
    return (uint64_t *)g->own + m->own[p].grant;
}

void *own_of_request(const model *m, const pending *r, property p)
{
    return (uint64_t *)r->own + m->own[p].request;
}
