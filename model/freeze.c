/* freeze.c - the monitors' state as canonical bytes: equal bytes mean that every future is judged alike.
 *
 * Written are only facts that an open property can still use. Instants are relative to now, and those whose time is over are one
 * value. Orders of execution become ranks, and so do the numbers of requests and of the tasks that sent them: two histories that
 * differ in how many requests went before are equal. Lists are sorted by name. To be taken between steps. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/internal.h"

typedef struct {
    const model *m;
    int64_t now_ms;
    buf *out;              /* NULL in the first pass, which collects the orders of execution */
    uint64_t *seqs;
    size_t seq_count, seq_cap;
    uint64_t *tasks;       /* process and task, of requests, sorted */
    size_t task_count;
} freezer;

static void number(freezer *f, uint64_t v)
{
    if (f->out)
        buf_u64(f->out, v);
}

static void flag(freezer *f, bool v)
{
    if (f->out)
        buf_byte(f->out, v ? 1 : 0);
}

static void text(freezer *f, str s)
{
    if (f->out)
        buf_lenstr(f->out, s);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t rank_of(const uint64_t *sorted, size_t count, uint64_t v)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (sorted[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo + 1;
}

/* An order of execution; 0 stays 0. */
static void order(freezer *f, uint64_t seq)
{
    if (f->out) {
        number(f, seq ? rank_of(f->seqs, f->seq_count, seq) : 0);
    } else if (seq) {
        MEM_RESERVE(f->seqs, f->seq_cap, f->seq_count + 1);
        f->seqs[f->seq_count++] = seq;
    }
}

static size_t unique(uint64_t *v, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(v, count, sizeof *v, by_number);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || v[kept - 1] != v[i])
            v[kept++] = v[i];
    return kept;
}

/* How long until it comes; one value for never, and one for what is over. */
static void ahead(freezer *f, int64_t at_ms)
{
    bool over = at_ms < f->now_ms;
    flag(f, over);
    number(f, over ? 0 : at_ms >= NEVER_MS - 1 ? UINT64_MAX : (uint64_t)(at_ms - f->now_ms));
}

static void ago(freezer *f, int64_t at_ms)
{
    number(f, (uint64_t)(f->now_ms - at_ms));
}

static uint64_t task_key(uint32_t process, uint32_t task)
{
    return (uint64_t)process << 32 | task;
}

static void task(freezer *f, uint32_t process, uint32_t t)
{
    number(f, process);
    number(f, rank_of(f->tasks, f->task_count, task_key(process, t)) - rank_of(f->tasks, f->task_count, task_key(process, 0)));
}

/* Is anything open that remembers? The others judge each event by itself. */
static bool remembers(const model *m)
{
    static const property list[] = {
        PROPERTY_MUTUAL_EXCLUSION, PROPERTY_STRICT_MUTUAL_EXCLUSION, PROPERTY_OWNER_ONLY, PROPERTY_REENTRANCY, PROPERTY_FENCING,
        PROPERTY_NO_LOST_WAKEUP, PROPERTY_PROMPT, PROPERTY_FIFO, PROPERTY_LEASE_SET, PROPERTY_MATCHES_SPEC,
    };
    for (size_t i = 0; i < COUNT(list); i++)
        if (model_open(m, list[i]))
            return true;
    return false;
}

static void write_view(freezer *f, const kept_view *v)
{
    number(f, v->holder_count);
    for (size_t i = 0; i < v->holder_count; i++) {
        text(f, v->holders[i].id);
        number(f, (uint64_t)v->holders[i].count);
        text(f, v->holders[i].mode);
    }
    flag(f, v->has_ttl);
    if (v->has_ttl)
        ahead(f, v->deadline_ms);
    number(f, v->queue_count);
    for (size_t i = 0; i < v->queue_count; i++)
        text(f, v->queue[i]);
}

static void write_grant(freezer *f, const stake *s, const grant *g)
{
    const model *m = f->m;
    flag(f, g->believed);
    number(f, (uint64_t)g->mode);
    flag(f, g->lease_ms == LEASE_NONE);
    bool matters = track_matters(m, s, g);
    flag(f, matters);
    if (matters) {
        flag(f, g->end_seq != 0);
        if (g->end_seq)
            order(f, g->end_seq);
        if (g->until_ms >= f->now_ms)
            ahead(f, g->until_ms);
        else
            ago(f, g->until_ms);
        if (track_older_request(m, s, g))
            ago(f, g->executed_ms);
    }
    if (model_open(m, PROPERTY_FENCING) || track_rivals(m, s))
        order(f, g->seq);
    if (model_open(m, PROPERTY_LEASE_SET))
        ahead(f, g->believed ? g->ttl_until_ms : INT64_MIN);
    if (model_open(m, PROPERTY_FENCING))
        number(f, (uint64_t)g->token);
}

static bool empty(const model *m, const stake *s)
{
    return !s->waiting && s->grant_count == 0 && !s->unresolved && !(model_open(m, PROPERTY_FENCING) && s->last_seq);
}

static void write_stake(freezer *f, const stake *s)
{
    const model *m = f->m;
    text(f, s->o->name);
    flag(f, s->o->ended);
    flag(f, s->disturbed);
    number(f, s->unresolved);
    flag(f, s->waiting);
    if (s->waiting) {
        number(f, s->process);
        number(f, s->task);            /* as it is: what may wake the waiter is read from that very task */
        if (model_open(m, PROPERTY_FIFO)) {
            number(f, (uint64_t)s->wait_mode);
            order(f, s->place);
            number(f, (uint64_t)s->overtakes);
            flag(f, s->overtaken);
        }
    }
    if (model_open(m, PROPERTY_FENCING))
        order(f, s->last_seq);
    number(f, s->grant_count);
    for (size_t i = 0; i < s->grant_count; i++)
        write_grant(f, s, &s->grants[i]);
}

static int by_owner(const void *a, const void *b)
{
    return str_cmp((*(stake *const *)a)->o->name, (*(stake *const *)b)->o->name);
}

static void write_lock(freezer *f, const lock *l)
{
    const model *m = f->m;
    text(f, l->name);
    number(f, (uint64_t)l->spec);
    flag(f, l->observed);
    flag(f, l->faulted && model_open(m, PROPERTY_LEASE_SET));
    flag(f, l->changed);
    flag(f, l->granted);
    write_view(f, &l->now);
    if (l->changed)
        write_view(f, &l->before);
    if (model_open(m, PROPERTY_PROMPT)) {
        flag(f, l->idle_since_ms != NEVER_MS);
        if (l->idle_since_ms != NEVER_MS)
            ago(f, l->idle_since_ms);
    }
    if (model_open(m, PROPERTY_FENCING)) {
        text(f, l->fence.o ? l->fence.o->name : S(""));
        number(f, (uint64_t)l->fence.token);
        order(f, l->fence.seq);
    }
    size_t count = 0, cap = 0;
    stake **list = NULL;
    for (owner *o = m->owners; o; o = o->hh.next) {
        stake *s = track_find_stake(o, l);
        if (!s || empty(m, s))
            continue;
        MEM_RESERVE(list, cap, count + 1);
        list[count++] = s;
    }
    if (count)
        qsort(list, count, sizeof *list, by_owner);
    number(f, count);
    for (size_t i = 0; i < count; i++)
        write_stake(f, list[i]);
    mem_free(list);
}

/* What EVENT_EXECUTED would say again anyway is not written. */
static bool plain(const pending *r)
{
    return !r->executed && !r->given_up && r->runs == 1;
}

static int by_request(const void *a, const void *b)
{
    const pending *x = *(const pending *const *)a, *y = *(const pending *const *)b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void write_request(freezer *f, const pending *r)
{
    const model *m = f->m;
    task(f, r->process, r->task);
    text(f, r->o ? r->o->name : S(""));
    text(f, r->l ? r->l->name : S(""));
    number(f, (uint64_t)r->word->kind);
    number(f, (uint64_t)r->word->mode);
    number(f, (uint64_t)(int64_t)r->runs);
    unsigned bits = (r->executed ? 1u : 0) | (r->answered ? 2u : 0) | (r->given_up ? 4u : 0) | (r->announced ? 8u : 0) |
                    (r->done ? 16u : 0) | (r->failed ? 32u : 0) | (r->held ? 64u : 0) | (r->won ? 128u : 0) |
                    (r->settled ? 256u : 0) | (r->disturbed ? 512u : 0) | (m->running && m->running == r->number ? 1024u : 0) |
                    (r->repeat ? 2048u : 0);
    number(f, bits);
    number(f, r->told);
    number(f, (uint64_t)r->told_count);
    number(f, r->said);
    number(f, (uint64_t)r->said_count);
    if (!r->executed || r->done || r->given_up)
        return;
    number(f, (uint64_t)r->lease_ms);
    ago(f, r->executed_ms);
    flag(f, r->lapsed_ms != NEVER_MS);
    if (r->lapsed_ms != NEVER_MS)
        ago(f, r->lapsed_ms);
    order(f, r->seq);
    if (model_open(m, PROPERTY_FIFO))
        number(f, (uint64_t)r->overtakes);
}

/* The requests worth writing, in a canonical order; the caller frees the list. */
static const pending **requests(const model *m, size_t *count)
{
    const pending **list = mem_alloc((m->request_count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < m->request_count; i++)
        if (!plain(&m->requests[i]))
            list[(*count)++] = &m->requests[i];
    if (*count)
        qsort(list, *count, sizeof *list, by_request);
    return list;
}

static void write_requests(freezer *f)
{
    size_t count;
    const pending **list = requests(f->m, &count);
    number(f, count);
    for (size_t i = 0; i < count; i++)
        write_request(f, list[i]);
    mem_free(list);
}

void model_each_request(const model *m, void (*fn)(void *context, uint32_t number, uint32_t process, uint32_t task), void *context)
{
    size_t count;
    const pending **list = requests(m, &count);
    for (size_t i = 0; i < count && remembers(m); i++)
        fn(context, list[i]->number, list[i]->process, list[i]->task);
    mem_free(list);
}

static int by_lock(const void *a, const void *b)
{
    return str_cmp((*(lock *const *)a)->name, (*(lock *const *)b)->name);
}

static int by_resource(const void *a, const void *b)
{
    return str_cmp((*(const resource *const *)a)->name, (*(const resource *const *)b)->name);
}

static void write_resources(freezer *f)
{
    const model *m = f->m;
    const resource **list = mem_alloc((m->resource_count + 1) * sizeof *list);
    for (size_t i = 0; i < m->resource_count; i++)
        list[i] = &m->resources[i];
    if (m->resource_count)
        qsort(list, m->resource_count, sizeof *list, by_resource);
    number(f, m->resource_count);
    for (size_t i = 0; i < m->resource_count; i++) {
        text(f, list[i]->name);
        number(f, (uint64_t)list[i]->token);
        order(f, list[i]->seq);
        text(f, list[i]->o ? list[i]->o->name : S(""));
    }
    mem_free(list);
}

static void write_all(freezer *f)
{
    const model *m = f->m;
    uint64_t open = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        open |= model_open(m, (property)i) ? UINT64_C(1) << i : 0;
    number(f, open);
    if (!remembers(m))
        return;
    for (size_t i = 0; i < m->process_count; i++)
        flag(f, m->processes[i].paused);
    size_t count = HASH_COUNT(m->locks), n = 0;
    lock **list = mem_alloc((count + 1) * sizeof *list);
    for (lock *l = m->locks; l; l = l->hh.next)
        list[n++] = l;
    if (n)
        qsort(list, n, sizeof *list, by_lock);
    number(f, n);
    for (size_t i = 0; i < n; i++)
        write_lock(f, list[i]);
    mem_free(list);
    write_requests(f);
    if (model_open(m, PROPERTY_FENCING))
        write_resources(f);
}

static void collect_tasks(freezer *f)
{
    const model *m = f->m;
    size_t cap = 0;
    for (size_t i = 0; i < m->request_count; i++) {
        if (plain(&m->requests[i]))
            continue;
        MEM_RESERVE(f->tasks, cap, f->task_count + 1);
        f->tasks[f->task_count++] = task_key(m->requests[i].process, m->requests[i].task);
    }
    f->task_count = unique(f->tasks, f->task_count);
}

void model_freeze(const model *m, int64_t now_ms, buf *out)
{
    freezer f = { .m = m, .now_ms = now_ms };
    collect_tasks(&f);
    write_all(&f);
    f.seq_count = unique(f.seqs, f.seq_count);
    f.out = out;
    write_all(&f);
    mem_free(f.seqs);
    mem_free(f.tasks);
}
