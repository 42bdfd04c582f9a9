/* freeze.c - the monitors' state as canonical bytes, and back: equal bytes mean that every future is judged alike.
 *
 * Written are only facts that an open property can still use. Instants are relative to now, and those whose time is over are one
 * value. Orders of execution become ranks, requests and tasks bear the names that the caller gives. Lists are sorted. To be taken
 * between steps. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/codec.h"

/* Is anything open that remembers? The others judge each event by itself. */
static bool remembers(const codec *c)
{
    static const property list[] = {
        PROPERTY_MUTUAL_EXCLUSION, PROPERTY_STRICT_MUTUAL_EXCLUSION, PROPERTY_OWNER_ONLY, PROPERTY_REENTRANCY, PROPERTY_FENCING,
        PROPERTY_NO_LOST_WAKEUP, PROPERTY_NO_DEADLOCK, PROPERTY_BOUNDED_WAIT, PROPERTY_PROMPT, PROPERTY_FIFO, PROPERTY_LEASE_SET,
        PROPERTY_MATCHES_SPEC,
    };
    for (size_t i = 0; i < COUNT(list); i++)
        if (is_open(c, list[i]))
            return true;
    return false;
}

owner *code_owner(codec *c, const owner *o)
{
    str name = code_text(c, o ? o->name : S(""));
    uint32_t process = name.n ? code_who(c, o ? o->process : NOBODY) : NOBODY;
    return c->does == READING ? track_owner(c->m, name, process) : NULL;
}

static int by_resource(const void *a, const void *b)
{
    return str_cmp(((const resource *)a)->name, ((const resource *)b)->name);
}

static void code_resource(codec *c, resource *r)
{
    r->name = code_text(c, r->name);
    r->token = code_whole(c, r->token);
    r->seq = code_order(c, NULL, r->seq);          /* compared with grants of all locks */
    owner *o = code_owner(c, r->o);
    if (c->does == READING)
        *r = (resource){ .name = arena_str(c->m->memory, r->name), .token = r->token, .seq = r->seq, .o = o };
}

static void code_resources(codec *c)
{
    model *m = c->m;
    size_t count = code_number(c, m->resource_count);
    resource *list = mem_zero((count + 1) * sizeof *list);
    if (c->does != READING && count) {
        memcpy(list, m->resources, count * sizeof *list);
        qsort(list, count, sizeof *list, by_resource);
    }
    for (size_t i = 0; i < count; i++)
        code_resource(c, &list[i]);
    if (c->does != READING) {
        mem_free(list);
        return;
    }
    m->resources = list;
    m->resource_count = count;
    m->resource_cap = count + 1;
}

static int by_owner_name(const void *a, const void *b)
{
    return str_cmp((*(owner *const *)a)->name, (*(owner *const *)b)->name);
}

/* Owners whose program has returned, and for whom some task still acts. */
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

static void code_all(codec *c)
{
    model *m = c->m;
    if (!remembers(c))
        return;
    for (size_t i = 0; i < m->process_count; i++)
        if (code_flag(c, m->processes[i].paused) && c->does == READING)
            m->processes[i].paused = true;
    code_ended(c);
    code_requests(c);
    code_locks(c);
    if (is_open(c, PROPERTY_FENCING))
        code_resources(c);
}

/* Is there anything to collect? Mostly there is not. */
static bool has_orders(const codec *c)
{
    if (is_open(c, PROPERTY_FENCING) || is_open(c, PROPERTY_FIFO))
        return true;
    for (size_t i = 0; i < c->m->request_count; i++)
        if (track_may_grant(&c->m->requests[i]) && reads_seq(c, &c->m->requests[i]))
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
    assert(!m->running && !m->dirty && !m->overtaken);
    model copy = *m;
    copy.now_ms = now_ms;
    codec c = { .does = WRITING, .open = open_properties(m), .m = &copy, .now_ms = now_ms, .names = names, .out = out };
    code_number(&c, c.open);
    if (!remembers(&c))
        return;
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
    model *m = model_new(config, process_names, processes);
    m->now_ms = now_ms;
    codec c = { .does = READING, .m = m, .now_ms = now_ms, .in = frozen };
    c.open = code_number(&c, 0);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        m->config.judged[i] = is_open(&c, (property)i);
    code_all(&c);
    assert(c.in.n == 0);
    return m;
}
