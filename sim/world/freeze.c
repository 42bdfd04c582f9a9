/* freeze.c - the whole world as canonical bytes: equal bytes mean equal futures and equal judgement of them. The parts (keyspaces,
 * processes, monitors) write themselves; what is added here is what lies between them, and which of their numbers mean the same
 * request: every part counts requests on its own and writes ranks, so the ranks are tied together by those of the run. */
#include <stdlib.h>

#include "base/mem.h"
#include "world/internal.h"

typedef struct {
    world *w;
    buf *out;
    uint32_t *numbers;     /* of requests that anybody can still refer to, sorted */
    size_t count, cap;
    uint32_t process;      /* of the callbacks */
    bool collecting;
} freezer;

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* First pass: collects the number. Second: writes its rank. */
static void meet(freezer *f, uint32_t number)
{
    if (f->collecting) {
        MEM_RESERVE(f->numbers, f->cap, f->count + 1);
        f->numbers[f->count++] = number;
        return;
    }
    size_t i = 0;
    while (i < f->count && f->numbers[i] < number)
        i++;
    buf_u64(f->out, i);
}

static void meet_of_process(void *context, uint32_t id)
{
    freezer *f = context;
    meet(f, id ? network_number(f->w, f->process, id) : 0);
}

/* The task as its process ranks it; one that has ended but is still referred to is like no other. */
static uint64_t task_rank(world *w, uint32_t process, uint32_t task)
{
    if (process >= w->node_count || !w->nodes[process].alive)
        return UINT64_MAX;
    const task_view *tasks;
    size_t count = process_tasks(w->nodes[process].p, &tasks);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].id == task)
            return i;
    return UINT64_MAX;
}

/* The monitors call a request by its rank among those that a flight or a process can still refer to. */
static uint32_t request_name(void *context, uint32_t process, uint32_t number)
{
    (void)process;
    const freezer *f = context;
    for (size_t i = 0; i < f->count; i++)
        if (f->numbers[i] == number)
            return (uint32_t)i + 1;
    return UINT32_MAX;
}

static uint32_t task_name(void *context, uint32_t process, uint32_t task)
{
    return (uint32_t)task_rank(((freezer *)context)->w, process, task);
}

static void put_age(freezer *f, int64_t at_ms)
{
    buf_u64(f->out, at_ms == INT64_MAX ? UINT64_MAX : (uint64_t)(at_ms - f->w->now_ms));
}

/* A word of a request may hold a time; a number near to now is taken for one, as everywhere. */
static void put_word(freezer *f, str s)
{
    enum { DIGITS_MAX = 16 };
    int64_t n = 0, window_ms = INT64_C(1000000000);
    bool digits = s.n > 0 && s.n <= DIGITS_MAX && s.p[0] != '0';
    for (size_t i = 0; i < s.n && digits; i++) {
        digits = s.p[i] >= '0' && s.p[i] <= '9';
        n = 10 * n + (s.p[i] - '0');
    }
    if (digits && n >= f->w->now_ms - window_ms && n <= f->w->now_ms + window_ms) {
        buf_byte(f->out, 't');
        put_age(f, n);
        return;
    }
    buf_byte(f->out, 's');
    buf_lenstr(f->out, s);
}

static void put_flight(freezer *f, const flight *g)
{
    meet(f, g->number);
    if (f->collecting)
        return;
    buf *b = f->out;
    buf_u64(b, (uint64_t)g->process << 32 | g->server);
    buf_u64(b, task_rank(f->w, g->process, g->dead ? NOBODY : g->task));
    buf_u64(b, (uint64_t)g->state << 32 | (uint64_t)g->kind << 16 | (uint64_t)g->dead << 3 | (uint64_t)g->waited << 2 | (uint64_t)g->orphan << 1 | g->late);
    if (!g->orphan)
        put_age(f, g->give_up_ms);
    if (f->w->sc->latency_hi_ms > 0)
        put_age(f, g->state == FLIGHT_EXECUTED ? g->executed_ms : g->sent_ms);
    for (size_t i = 0; i < g->argc; i++)
        put_word(f, g->argv[i]);
    buf_lenstr(b, g->op);
    buf_lenstr(b, g->lock);
    buf_u64(b, (uint64_t)g->lease_ms);
    if (g->state == FLIGHT_EXECUTED)
        reply_encode(&g->answer, 3, b);
}

static bool knows_script(world *w, server *s, const char *sha1)
{
    str argv[] = { S("SCRIPT"), S("EXISTS"), str_from(sha1) };
    reply r = redis_execute(server_redis(s), s->reader, argv, COUNT(argv), w->now_ms, w->step_memory);
    return r.kind == REPLY_ARRAY && r.count == 1 && r.items[0].integer == 1;
}

static void put_server(freezer *f, server *s)
{
    world *w = f->w;
    redis_freeze(s->r, w->now_ms, f->out);
    redis_freeze_random(s->r, f->out);
    buf_u64(f->out, s->lagging);
    if (s->lagging) {
        put_age(f, s->lag_until_ms);
        put_age(f, s->replica_at_ms);
        buf_lenstr(f->out, buf_str(&s->replica));
    }
    buf_u64(f->out, s->history_count);
    for (size_t i = 0; i < s->history_count; i++) {
        put_age(f, s->history[i].at_ms);
        buf_lenstr(f->out, buf_str(&s->history[i].frozen));
    }
    /* Only a flush makes a known script unknown. */
    for (size_t i = 0; i < s->script_count && w->sc->faults[FAULT_SCRIPT_FLUSH].budget + w->sc->faults[FAULT_WIPE].budget > 0; i++)
        buf_byte(f->out, knows_script(w, s, s->scripts[i]->sha1) ? 'y' : 'n');
}

static bool put_node(freezer *f, uint32_t p, err *e)
{
    world *w = f->w;
    node *n = &w->nodes[p];
    buf *b = f->out;
    buf_u64(b, (uint64_t)n->incarnation << 2 | (uint64_t)n->alive << 1 | n->paused);
    if (!n->alive)
        return true;
    if (!process_freeze(n->p, w->now_ms, b, e))
        return false;
    for (size_t s = 0; s < w->server_count; s++) {
        buf_u64(b, n->messages[s].count);
        for (size_t i = 0; i < n->messages[s].count; i++) {
            buf_u64(b, n->messages[s].items[i].channel_n << 16 | n->messages[s].items[i].payload_n);
            buf_lenstr(b, buf_str(&n->messages[s].items[i].text));
            if (w->sc->latency_hi_ms > 0)
                put_age(f, n->messages[s].items[i].sent_ms);
        }
        for (size_t i = 0; i < n->channel_count[s]; i++)
            buf_lenstr(b, n->channels[s][i]);
    }
    /* How far a loop in zero time is known to be one: it decides whether a poll holds time. */
    const task_view *tasks;
    size_t count = process_tasks(n->p, &tasks);
    for (size_t i = 0; i < count; i++) {
        const spin *s = spin_find(n, tasks[i].id);
        bool now = s && s->last && s->at_ms == w->now_ms && s->writes == world_writes(w);
        buf_byte(b, (char)(now ? 'a' + 4 * s->loops + 2 * (s->state != 0) + s->again : '-'));
        buf_byte(b, (char)(s && s->looped_at_ms ? 'L' : '-'));
    }
    return true;
}

bool world_freeze(world *w, buf *out, err *e)
{
    freezer f = { .w = w, .out = out };
    bool ok = true;
    for (int pass = 0; pass < 2; pass++) {
        f.collecting = pass == 0;
        for (size_t i = 0; i < w->flight_count; i++)
            put_flight(&f, &w->flights[i]);
        for (f.process = 0; f.process < w->node_count; f.process++)
            if (w->nodes[f.process].alive)
                process_each_request(w->nodes[f.process].p, meet_of_process, &f);
        if (f.count)
            qsort(f.numbers, f.count, sizeof *f.numbers, by_number);
        size_t kept = 0;
        for (size_t i = 0; i < f.count; i++)
            if (kept == 0 || f.numbers[kept - 1] != f.numbers[i])
                f.numbers[kept++] = f.numbers[i];
        f.count = kept;
    }
    for (size_t i = 0; i < w->server_count; i++)
        put_server(&f, &w->servers[i]);
    for (uint32_t p = 0; ok && p < w->node_count; p++)
        ok = put_node(&f, p, e);
    for (int k = 0; k < FAULT_KINDS; k++)
        buf_u64(out, w->budget[k]);
    buf_u64(out, (uint64_t)w->over << 3 | (uint64_t)w->always_broken << 2 | (uint64_t)w->deadline_now << 1 | w->number_now);
    if (w->end_ms != INT64_MAX)
        put_age(&f, w->end_ms);
    model_freeze(w->judge, w->now_ms, &(model_names){ .context = &f, .request = request_name, .task = task_name }, out);
    mem_free(f.numbers);
    return ok;
}
