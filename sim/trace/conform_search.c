/* conform_search.c - depth first: the process takes one input after the other until the request that the log has next
 * is among those that it has sent; where it cannot, it is made new, takes the same inputs up to the last choice, and
 * another one. */
#include "trace/conform_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

typedef struct {
    input *list;
    size_t count, cap;
} inputs;

static void add(inputs *in, input_kind kind, uint32_t what, size_t choice, int64_t at_ms)
{
    in->list = mem_reserve(in->list, &in->cap, in->count + 1, sizeof *in->list);
    in->list[in->count++] = (input){ .kind = kind, .what = what, .choice = choice, .at_ms = at_ms };
}

static bool listens(const conform *c, str channel)
{
    for (size_t i = 0; i < c->channel_count; i++)
        if (str_eq(c->channels[i], channel))
            return true;
    return false;
}

static void add_message(conform *c, inputs *in, int64_t until_ms)
{
    for (size_t i = c->message_next; c->channel_count && i < c->published_count; i++) {
        if (c->published[i].at_ms > until_ms)
            return;
        if (listens(c, c->published[i].channel) && c->published[i].at_ms >= c->s->list[0].at_ms) {
            add(in, INPUT_MESSAGE, (uint32_t)i, 0, c->published[i].at_ms);
            return;
        }
    }
}

/* Before anything else one answer from the log is delivered, and one ready task runs; then there is a choice. */
static void next_inputs(conform *c, inputs *in)
{
    const heard *h = &c->s->list[c->at];
    const task_view *tasks, *timer = NULL;
    size_t n = process_tasks(c->p, &tasks);
    for (size_t i = 0; i < c->way_count; i++)
        if (conform_matches(c, &c->way[i], h)) {
            add(in, INPUT_ANSWER, c->way[i].id, c->at, h->at_ms);
            return;
        }
    for (size_t i = 0; i < n; i++)
        if (tasks[i].status == TASK_READY || tasks[i].status == TASK_POINT) {
            add(in, INPUT_RUN, tasks[i].id, 0, c->now_ms);
            return;
        }
    for (size_t i = 0; i < n; i++) {
        const task_view *t = &tasks[i];
        bool timed = t->status == TASK_SLEEP || (t->status == TASK_WAIT && t->wake_ms != INT64_MAX);
        int64_t wake_ms = t->wake_ms;
        if (t->status == TASK_WORK)
            add(in, INPUT_RUN, t->id, 0, c->now_ms);
        for (size_t k = 0; t->status == TASK_CHOOSE && k < t->choices; k++)
            add(in, INPUT_CHOOSE, t->id, k, c->now_ms);
        if (timed && (!timer || wake_ms < timer->wake_ms))
            timer = t;
    }
    add_message(c, in, h->at_ms);
    if (timer && timer->wake_ms <= h->at_ms + EARLY_MS)
        add(in, INPUT_RUN, timer->id, 0, timer->wake_ms);
    else if (timer && c->at >= c->best)
        c->would_wait_ms = timer->wake_ms;
    for (size_t i = 0; i < c->way_count && c->lost < LOST_MAX; i++)
        if (c->way[i].sent_ms + c->way[i].timeout_ms <= h->at_ms)
            add(in, INPUT_LOST, c->way[i].id, 0, c->way[i].sent_ms + c->way[i].timeout_ms);
}

static void forget_met(conform *c)
{
    met_state *m, *next;
    HASH_ITER(hh, c->met, m, next) {
        HASH_DEL(c->met, m);
        mem_free(m);
    }
}

/* Is this state new? It includes everything that can matter later. */
static bool is_new(conform *c)
{
    buf b = { 0 };
    err e = { 0 };
    met_state *m;
    bool ok = process_freeze(c->p, c->now_ms, &b, &e);
    err_clear(&e);
    buf_printf(&b, "%zu %zu %zu %zu %d %" PRId64, c->at, c->quiet, c->lost, c->message_next, c->idle, c->now_ms);
    for (size_t i = 0; i < c->way_count; i++)
        buf_printf(&b, "%zu %" PRId64 " %.*s", c->way[i].shape, c->way[i].sent_ms, STR_ARG(c->way[i].text));
    XXH128_hash_t print = XXH3_128bits(b.p, b.n);
    buf_free(&b);
    HASH_FIND(hh, c->met, &print, sizeof print, m);
    if (!ok || !m) {
        m = mem_zero(sizeof *m);
        m->print = print;
        HASH_ADD(hh, c->met, print, sizeof m->print, m);
        return true;
    }
    return false;
}

static void note_best(conform *c)
{
    if (c->at <= c->best)
        return;
    c->best = c->at;
    c->would_count = 0;
    c->would_wait_ms = 0;
}

static fork_point *fork_at(conform *c, size_t depth)
{
    size_t had = c->fork_cap;
    MEM_RESERVE(c->forks, c->fork_cap, depth + 1);
    memset(c->forks + had, 0, (c->fork_cap - had) * sizeof *c->forks);
    return &c->forks[depth];
}

static void set_fork(conform *c, size_t depth, inputs in)
{
    fork_point *f = fork_at(c, depth);
    mem_free(f->others);
    *f = (fork_point){ .others = in.list, .count = in.count };
}

/* Back to the last choice that has another way. false: there is none. */
static bool back(conform *c, err *e)
{
    size_t depth = c->path_count;
    while (depth > 0 && fork_at(c, depth - 1)->next == fork_at(c, depth - 1)->count)
        depth--;
    if (depth-- == 0)
        return false;
    c->path_count = depth;
    conform_begin(c);
    for (size_t i = 0; i < depth; i++)
        if (!conform_apply(c, &c->path[i], e))
            return false;
    return true;
}

static bool step(conform *c, err *e)
{
    fork_point *f = fork_at(c, c->path_count);
    input x = f->others[f->next++];
    MEM_RESERVE(c->path, c->path_cap, c->path_count + 1);
    c->path[c->path_count++] = x;
    if (!conform_apply(c, &x, e))
        return false;
    note_best(c);
    return true;
}

static bool find_way(conform *c, err *e)
{
    c->path_count = 0;
    c->tries = 0;
    conform_begin(c);
    while (e->class_ == ERR_NONE && c->tries++ < TRIES_MAX + 40 * c->s->count) {
        inputs in = { 0 };
        if (c->at == c->s->count)
            return true;
        if (!c->dead && c->quiet < INPUTS_MAX)
            next_inputs(c, &in);
        if (in.count > 1 && !is_new(c))
            in.count = 0;
        set_fork(c, c->path_count, in);
        if (in.count == 0) {
            for (size_t i = 0; i < c->way_count; i++)
                conform_note(c, c->way[i].text);
            set_fork(c, c->path_count, (inputs){ 0 });
            if (!back(c, e))
                return false;
        }
        if (!step(c, e))
            return false;
    }
    c->tries = UINT64_MAX;
    return false;
}

bool conform_search(conform *c, err *e)
{
    bool ok = find_way(c, e);
    forget_met(c);
    return ok;
}
