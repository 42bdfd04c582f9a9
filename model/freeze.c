/* freeze.c - a model's state as canonical bytes, and back: equal bytes mean that every future is judged alike.
 *
 * Only facts that an open property can still use are written. Instants are relative to now; all that are over are one
 * value. Orders of execution become ranks, requests and tasks get the caller's names. Lists are sorted. Only between
 * steps. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/mem.h"
#include "model/monitor.h"

owner *code_owner(codec *c, const owner *o)
{
    str name = code_text(c, o ? o->name : S(""));
    uint32_t process = name.n ? code_process(c, o ? o->process : NOBODY) : NOBODY;
    return c->does == READING ? track_owner(c->m, name, process) : NULL;
}

static int by_owner_name(const void *a, const void *b)
{
    return str_cmp((*(owner *const *)a)->name, (*(owner *const *)b)->name);
}

/* Owners whose program has returned while a task still acts for them. */
static void code_ended(codec *c)
{
    model *m = c->m;
    size_t count = code_number(c, m->ended), n = 0;
    owner **list = c->does != READING && count ? mem_alloc(count * sizeof *list) : NULL;
    for (owner *o = list ? m->owners : NULL; o; o = o->hh.next)
        if (o->ended) {
            assert(n < count);
            list[n++] = o;
        }
    if (n)
        qsort(list, n, sizeof *list, by_owner_name);
    for (size_t i = 0; i < count; i++) {
        owner *o = code_owner(c, list ? list[i] : NULL);
        if (c->does != READING)
            continue;
        o->ended = true;
        m->ended++;
    }
    mem_free(list);
}

static void code_own(codec *c)
{
    const monitor *row;
    EACH_MONITOR(row, c->m->coders.model)
        row->code.model(c);
}

static void code_all(codec *c)
{
    model *m = c->m;
    for (size_t i = 0; i < m->process_count; i++)
        if (code_flag(c, m->processes[i].paused) && c->does == READING)
            m->processes[c->renamer ? c->renamer->process(c->renamer->context, (uint32_t)i) : i].paused = true;
    code_ended(c);
    code_requests(c);
    code_locks(c);
    code_own(c);
}

/* Is there anything to collect? Usually not. */
static bool has_orders(const codec *c)
{
    if (reads(c, FACT_OWN_ORDERS | FACT_GRANT_ORDER))
        return true;
    for (size_t i = 0; i < c->m->request_count; i++)
        if (track_may_grant(&c->m->requests[i]) && reads_of(c, c->m->requests[i].l, FACT_ORDER))
            return true;
    return false;
}

static uint64_t open_properties(const model *m)
{
    uint64_t open = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        open |= model_open(m, (property)i) ? UINT64_C(1) << i : 0;
    return open;
}

void model_freeze(const model *m, int64_t now_ms, const model_names *names, buf *out)
{
    assert(!m->running && !m->dirty);
    memory_check(m);
    model copy = *m;
    copy.now_ms = now_ms;
    codec c = { .does = WRITING, .any = model_facts(m), .m = &copy, .now_ms = now_ms, .names = names, .out = out };
    code_number(&c, open_properties(m));
    if (!c.any)
        return;            /* the open ones judge each event by itself */
    name_requests(&c, m, names);
    c.does = COLLECTING;
    if (has_orders(&c))
        code_all(&c);
    code_sort_orders(&c);
    c.does = WRITING;
    code_all(&c);
    mem_free(c.seqs);
    mem_free(copy.requests);
}

model *model_thaw(const model_config *config, const str *process_names, size_t processes, str frozen, int64_t now_ms)
{
    return model_thaw_renamed(config, process_names, processes, frozen, now_ms, NULL);
}

model *model_thaw_renamed(const model_config *config, const str *process_names, size_t processes, str frozen,
                          int64_t now_ms, const model_renamer *names)
{
    model_config opened = *config;
    uint64_t open = take_varint(&frozen);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        opened.judged[i] = open >> i & 1;
    model *m = model_new(&opened, process_names, processes);
    m->now_ms = now_ms;
    codec c = { .does = READING, .any = model_facts(m), .m = m, .now_ms = now_ms, .in = frozen, .renamer = names };
    if (c.any)
        code_all(&c);
    assert(c.in.n == 0);
    memory_check(m);
    return m;
}
