/* part_node.c - one process with its requests, messages and subscriptions, taken out of a world and put back into
 * one. */
#include <assert.h>
#include <string.h>

#include "base/instant_text.h"
#include "base/mem.h"
#include "base/numbers.h"
#include "memo/parts_internal.h"

/* ---- names ---- */

typedef struct {
    const world *w;
    uint32_t process;
    uint32_t *items;
    size_t count, cap;
} numbers;

static void number_add(numbers *n, uint32_t number)
{
    MEM_RESERVE(n->items, n->cap, n->count + 1);
    n->items[n->count++] = number;
}

static void number_of_process(void *context, uint32_t id)
{
    numbers *n = context;
    if (id)
        number_add(n, network_number(n->w, n->process, id));
}

/* Requests that the process or the network can still refer to, sorted; in the arena. */
static uint32_t *live_requests(world *w, uint32_t p, arena *a, size_t *count)
{
    numbers n = { .w = w, .process = p };
    if (w->nodes[p].alive)
        process_each_request(w->nodes[p].p, number_of_process, &n);
    size_t flights;
    const flight *f = network_flights(w, p, &flights);
    for (size_t i = 0; i < flights; i++)
        number_add(&n, f[i].number);
    size_t kept = numbers_set_u32(n.items, n.count);
    uint32_t *list = ARENA_ARRAY(a, uint32_t, kept + 1);
    if (n.items)
        memcpy(list, n.items, kept * sizeof *list);
    mem_free(n.items);
    *count = kept;
    return list;
}

static uint32_t *live_tasks(world *w, uint32_t p, arena *a, size_t *count)
{
    const task_view *tasks;
    *count = w->nodes[p].alive ? process_tasks(w->nodes[p].p, &tasks) : 0;
    uint32_t *list = ARENA_ARRAY(a, uint32_t, *count + 1);
    for (size_t i = 0; i < *count; i++)
        list[i] = tasks[i].id;
    return list;
}

void node_names_of(world *w, uint32_t process, arena *a, node_record *out)
{
    out->numbers = live_requests(w, process, a, &out->number_count);
    out->task_ids = live_tasks(w, process, a, &out->task_count);
}

bool parts_find(world *w, const part_step *t, step *out)
{
    if (t->kind == STEP_TIME) {
        *out = (step){ .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = t->amount };
        return true;
    }
    arena *a = arena_new();
    size_t number_count = 0, task_count = 0;
    uint32_t *numbers = NULL, *tasks = NULL;
    if (t->process != NOBODY) {
        numbers = live_requests(w, t->process, a, &number_count);
        tasks = live_tasks(w, t->process, a, &task_count);
    }
    const step *list;
    size_t count = world_enabled(w, &list);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        const step *s = &list[i];
        found = s->kind == t->kind && s->process == t->process && s->copy == t->copy && s->server == t->server &&
                s->amount == t->amount &&
                (s->kind != STEP_FAULT || s->fault == t->fault) && str_eq(s->key, t->key) &&
                (t->request == 0 ? s->request == 0 : t->request <= number_count &&
                 s->request == numbers[t->request - 1]) &&
                (t->task == NOBODY ? s->task == NOBODY || numbers_place(tasks, task_count, s->task) == UINT32_MAX
                                   : t->task < task_count && s->task == tasks[t->task]);
        if (found)
            *out = *s;
    }
    arena_free(a);
    return found;
}

/* ---- canonical bytes ---- */

typedef struct {
    world *w;
    int64_t now_ms;
    const node_record *names;
    buf *out;
} writer;

static void put_age(writer *f, int64_t at_ms)
{
    buf_u64(f->out, at_ms == INT64_MAX ? UINT64_MAX : (uint64_t)(at_ms - f->now_ms));
}

static void put_flight(writer *f, const flight *g)
{
    buf *b = f->out;
    assert(g->sync < 1 << 8);          /* its bits below: those of another field would make two states one */
    buf_u64(b, numbers_place(f->names->numbers, f->names->number_count, g->number));
    buf_u64(b, g->dead ? UINT32_MAX : numbers_place(f->names->task_ids, f->names->task_count, g->task));
    buf_u64(b, (uint64_t)g->copy << 32 | g->server);
    buf_u64(b, (uint64_t)g->state << 32 | (uint64_t)g->kind << 16 | (uint64_t)g->oom << 15 |
            (uint64_t)g->given_up << 14 | (uint64_t)g->moving << 13 | (uint64_t)g->sync << 5 |
            (uint64_t)g->resend << 4 | (uint64_t)g->dead << 3 | (uint64_t)g->waited << 2 |
                   (uint64_t)g->orphan << 1 | g->late);
    bool settled = g->state == FLIGHT_ARRIVED || g->given_up;              /* and may stay so for ever */
    if (!g->orphan && !settled)
        put_age(f, g->give_up_ms > f->now_ms ? g->give_up_ms : f->now_ms);     /* a time in the past counts as now */
    if (f->w->sc->latency_hi_ms > 0 && !settled)
        put_age(f, g->state == FLIGHT_EXECUTED ? g->executed_ms : g->sent_ms);
    if (g->state == FLIGHT_SENT) {
        buf_u64(b, g->argc);
        for (size_t i = 0; i < g->argc; i++)
            instant_text_put(b, g->argv[i], instants_of_clients(f->w->o.limits.instants), f->now_ms);
    }
    buf_lenstr(b, g->op);
    buf_lenstr(b, g->lock);
    buf_lenstr(b, g->who);
    buf_u64(b, (uint64_t)g->lease_ms);
    buf_u64(b, (uint64_t)g->permits);
    if (g->state == FLIGHT_WAITING) {
        buf_u64(b, g->slot);
        put_age(f, g->wait_until_ms);
    }
    if (flight_has_answer(g)) {
        buf_byte(b, g->served);
        instant_put_reply(b, &g->answer, instants_of_clients(f->w->o.limits.instants), f->now_ms);
    }
}

static void put_queue(writer *f, const message_queue *q)
{
    buf_u64(f->out, q->count);
    for (size_t i = 0; i < q->count; i++) {
        const message *m = &q->items[i];
        str all = buf_str(&m->text);
        buf_lenstr(f->out, str_slice(all, 0, m->channel_n));
        instant_text_put(f->out, str_slice(all, m->channel_n, m->channel_n + m->payload_n),
                         instants_of_clients(f->w->o.limits.instants), f->now_ms);
        buf_lenstr(f->out, str_slice(all, m->channel_n + m->payload_n, all.n));
        if (f->w->sc->latency_hi_ms > 0)
            put_age(f, m->sent_ms);
    }
}

static void put_request_of_process(void *context, uint32_t id)
{
    writer *f = context;
    uint32_t p = f->names->process_index;
    buf_u64(f->out, id ? numbers_place(f->names->numbers, f->names->number_count, network_number(f->w, p, id))
            : UINT32_MAX);
}

/* Only connections that hold state are written. */
static void put_transactions(writer *f, const node *n)
{
    for (size_t s = 0; s < f->w->server_count; s++) {
        const queued_request *q = &n->queued[s];
        bool remembers = n->remembers >> s & 1;
        if (!remembers && q->lock.n == 0)
            continue;
        buf_u64(f->out, (uint64_t)s << 2 | (uint64_t)remembers << 1 | q->several);
        buf_lenstr(f->out, buf_str(&q->op));
        buf_lenstr(f->out, buf_str(&q->lock));
        buf_u64(f->out, (uint64_t)q->lease_ms);
        buf_u64(f->out, (uint64_t)q->permits);
        buf_u64(f->out, q->place);
    }
}

static void put_node(writer *f, uint32_t p, uint32_t state)
{
    world *w = f->w;
    const node *n = &w->nodes[p];
    buf *b = f->out;
    assert(n->incarnation < 1 << 29);
    buf_u64(b, (uint64_t)p << 32 | (uint64_t)n->incarnation << 3 | (uint64_t)n->unborn << 2 | (uint64_t)n->alive << 1 |
            n->paused);
    size_t flights;
    const flight *g = network_flights(w, p, &flights);
    buf_u64(b, flights);
    for (size_t i = 0; i < flights; i++)
        put_flight(f, &g[i]);
    if (!n->alive)
        return;
    buf_u64(b, state);
    buf_u64(b, n->stalled);
    process_each_request(n->p, put_request_of_process, f);
    for (size_t s = 0; s < w->server_count; s++) {
        put_queue(f, &n->messages[s]);
        buf_u64(b, n->channel_count[s]);
        for (size_t i = 0; i < n->channel_count[s]; i++)
            buf_lenstr(b, n->channels[s][i]);
    }
    put_transactions(f, n);
}

/* ---- facts ---- */

/* The monitors' input about the tasks after a step (event.h), without instants. */
static uint32_t tasks_id(parts *p, world *w, uint32_t process)
{
    task_state *list;
    size_t count = world_states_of(w, process, &list);
    buf b = { 0 };
    for (size_t i = 0; i < count; i++) {
        buf_lenstr(&b, list[i].who);
        buf_u64(&b, (uint64_t)list[i].wake << 8 | (uint64_t)list[i].stalled << 3 | (uint64_t)list[i].main << 2 |
                (uint64_t)list[i].daemon << 1 | list[i].paused);
    }
    uint32_t id = intern_add(p->task_bytes, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

static uint32_t channels_id(parts *p, world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    buf b = { 0 };
    for (size_t s = 0; s < w->server_count; s++) {
        buf_u64(&b, n->alive ? n->channel_count[s] : 0);
        for (size_t i = 0; n->alive && i < n->channel_count[s]; i++)
            buf_lenstr(&b, n->channels[s][i]);
    }
    uint32_t id = intern_add(p->channel_bytes, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

static int64_t length_to(int64_t at_ms, int64_t now_ms)
{
    return at_ms == INT64_MAX ? INT64_MAX : at_ms - now_ms;
}

typedef struct { int64_t *items; size_t count, cap; int64_t now_ms; } number_list;

static void collect_number(void *context, int64_t at_ms)
{
    number_list *l = context;
    if (at_ms <= l->now_ms)
        return;
    MEM_RESERVE(l->items, l->cap, l->count + 1);
    l->items[l->count++] = at_ms - l->now_ms;
}

static bool is_parked(world *w, uint32_t process)
{
    task_state *list;
    size_t count = world_states_of(w, process, &list);
    bool parked = false;
    for (size_t i = 0; i < count; i++)
        parked |= list[i].wake == WAKE_NEVER;
    return parked;
}

static bool is_closed(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    size_t count;
    const flight *f = network_flights(w, process, &count);
    bool closed = !n->unborn;
    for (size_t i = 0; i < count; i++)
        closed &= f[i].state != FLIGHT_WAITING;
    for (size_t s = 0; n->alive && s < w->server_count; s++)
        closed &= n->channel_count[s] == 0 || n->messages[s].count > 0;
    return closed;
}

static node_facts facts_of(parts *p, world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    node_facts f = { .alive = n->alive, .paused = n->paused, .point = world_point_of(w, process), .ended = true,
                     .tasks = tasks_id(p, w, process), .channels = channels_id(p, w, process) };
    const task_view *tasks;
    size_t count = n->alive ? process_tasks(n->p, &tasks) : 0;
    struct standing *standing = ARENA_ARRAY(p->memory, struct standing, count + 1);
    for (size_t i = 0; i < count; i++) {
        f.ended &= !tasks[i].main;
        if (world_stands(w, process, &tasks[i]))
            standing[f.standing_count++] = (struct standing){ .who = arena_str(p->memory, tasks[i].who),
                                                              .place = (uint32_t)i };
    }
    f.standing = standing;
    for (size_t s = 0; n->alive && s < w->server_count; s++)
        f.subscriptions += n->channel_count[s];
    for (int i = 0; i < 2; i++)
        f.next_ms[i] = length_to(time_next_of_node(w, process, i == 1), w->now_ms);
    f.closed = is_closed(w, process);
    f.parked = is_parked(w, process);
    f.places = w->o.meetings ? meetings_places(w->o.meetings, w, process) : 0;
    number_list ahead = { .now_ms = w->now_ms };
    time_each_number(w, process, collect_number, &ahead);
    int64_t *kept = ARENA_ARRAY(p->memory, int64_t, ahead.count + 1);
    if (ahead.count)
        memcpy(kept, ahead.items, ahead.count * sizeof *kept);
    mem_free(ahead.items);
    f.numbers = kept;
    f.number_count = ahead.count;
    return f;
}

/* ---- saving ---- */

static void keep_queue(parts *p, const message_queue *from, message_queue *to, int64_t now_ms, int64_t by_ms)
{
    to->count = to->cap = from->count;
    to->items = ARENA_ARRAY(p->memory, message, from->count + 1);
    for (size_t i = 0; i < from->count; i++) {
        const message *m = &from->items[i];
        str all = buf_str(&m->text);
        str payload = instant_text_move(p->memory, str_slice(all, m->channel_n, m->channel_n + m->payload_n),
                                        p->instants, now_ms, now_ms + by_ms);
        str text = arena_printf(p->memory, "%.*s%.*s%.*s", (int)m->channel_n, all.p, STR_ARG(payload),
                                (int)(all.n - m->channel_n - m->payload_n), all.p + m->channel_n + m->payload_n);
        to->items[i] = (message){ .text = { .p = (char *)text.p, .n = text.n, .cap = text.n },
                                  .channel_n = m->channel_n, .payload_n = payload.n, .sent_ms = m->sent_ms + by_ms };
    }
}

/* A copy as of by_ms later, in the arena. */
static void copy_flight(const parts *p, const flight *from, flight *to, arena *a, int64_t now_ms, int64_t by_ms)
{
    flight_copy(to, from, a);
    to->sent_ms += by_ms;
    to->executed_ms += by_ms;
    if (to->give_up_ms != INT64_MAX)
        to->give_up_ms += by_ms;
    if (to->state == FLIGHT_WAITING && to->wait_until_ms != INT64_MAX)
        to->wait_until_ms += by_ms;
    for (size_t i = 0; i < to->argc; i++)
        to->argv[i] = instant_text_move(a, to->argv[i], p->instants, now_ms, now_ms + by_ms);
    if (flight_has_answer(to))
        instant_move_reply(a, &to->answer, p->instants, now_ms, now_ms + by_ms);
}

static void keep_queued(arena *a, const queued_request *from, queued_request *to)
{
    str op = arena_str(a, buf_str(&from->op)), lock = arena_str(a, buf_str(&from->lock));
    *to = *from;
    to->op = (buf){ .p = (char *)(uintptr_t)op.p, .n = op.n, .cap = op.n };
    to->lock = (buf){ .p = (char *)(uintptr_t)lock.p, .n = lock.n, .cap = lock.n };
}

static void load_queued(const queued_request *from, queued_request *to)
{
    queued_request now = *from;
    now.op = to->op;
    now.lock = to->lock;
    buf_clear(&now.op);
    buf_clear(&now.lock);
    buf_add(&now.op, buf_str(&from->op));
    buf_add(&now.lock, buf_str(&from->lock));
    *to = now;
}

static void keep(parts *p, world *w, uint32_t process, node_record *r)
{
    const node *n = &w->nodes[process];
    int64_t by_ms = WORLD_EPOCH_MS - w->now_ms;
    r->as_of_ms = WORLD_EPOCH_MS + parts_phase_ms(w);
    r->incarnation = n->incarnation;
    r->request_base = n->request_base;
    r->requests = n->requests;
    r->alive = n->alive;
    r->paused = n->paused;
    r->stalled = n->stalled;
    r->unborn = n->unborn;
    r->remembers = n->remembers;
    for (size_t s = 0; s < w->server_count; s++)
        keep_queued(p->memory, &n->queued[s], &r->queued[s]);
    const flight *f = network_flights(w, process, &r->flight_count);
    r->flights = ARENA_ARRAY(p->memory, flight, r->flight_count + 1);
    for (size_t i = 0; i < r->flight_count; i++)
        copy_flight(p, &f[i], &r->flights[i], p->memory, w->now_ms, by_ms);
    for (size_t s = 0; s < w->server_count; s++) {
        keep_queue(p, &n->messages[s], &r->messages[s], w->now_ms, by_ms);
        r->channel_count[s] = n->channel_count[s];
        r->channels[s] = ARENA_ARRAY(p->memory, str, n->channel_count[s] + 1);
        for (size_t i = 0; i < n->channel_count[s]; i++)
            r->channels[s][i] = arena_str(p->memory, n->channels[s][i]);
    }
    if (!p->w || !n->alive)
        return;
    err none = { 0 };
    r->p = process_learned_as(process_tables_get(p->tables, process), process, 0, w->now_ms, &none);
    process_assign(r->p, n->p);
    process_move(r->p, w->now_ms, r->as_of_ms - w->now_ms, &none);
    err_clear(&none);
}

static str *names_of_tasks(parts *p, world *w, uint32_t process, const node_record *r)
{
    str *names = ARENA_ARRAY(p->memory, str, r->task_count + 1);
    buf b = { 0 };
    for (size_t i = 0; i < r->task_count; i++) {
        buf_clear(&b);
        world_name_task(w, process, r->task_ids[i], &b);
        names[i] = arena_str(p->memory, buf_str(&b));
    }
    buf_free(&b);
    return names;
}

/* Writes the node's bytes, and fills in its names. false: its process has no canonical form. */
static bool node_bytes(parts *p, world *w, uint32_t process, node_record *names, buf *out, err *e)
{
    node *n = &w->nodes[process];
    uint32_t state = 0;
    if (n->alive) {
        state = p->w ? process_state_id(n->p, w->now_ms, e)
                : process_table_intern(process_tables_get(p->tables, process), n->p, w->now_ms, e);
        if (state == PROCESS_NO_STATE)
            return false;
    }
    *names = (node_record){ .process_index = process };
    node_names_of(w, process, p->scratch, names);
    writer f = { .w = w, .now_ms = w->now_ms, .names = names, .out = out };
    put_node(&f, process, state);
    if (p->instants == INSTANTS_SECONDS)
        buf_u64(out, (uint64_t)parts_phase_ms(w));
    return true;
}

uint32_t node_save(parts *p, world *w, uint32_t process, err *e)
{
    node_record names;
    buf b = { 0 };
    if (!node_bytes(p, w, process, &names, &b, e))
        return PART_NONE;
    bool fresh;
    uint32_t id = intern_add(p->node_bytes, buf_str(&b), &fresh);
    buf_free(&b);
    p->names_after = names;
    if (!fresh)
        return id;
    MEM_RESERVE(p->nodes, p->node_cap, (size_t)id + 1);
    node_record *r = &p->nodes[id];
    *r = (node_record){ .process_index = process, .facts = facts_of(p, w, process) };
    r->numbers = ARENA_ARRAY(p->memory, uint32_t, names.number_count + 1);
    memcpy(r->numbers, names.numbers, names.number_count * sizeof *r->numbers);
    r->number_count = names.number_count;
    r->task_ids = ARENA_ARRAY(p->memory, uint32_t, names.task_count + 1);
    memcpy(r->task_ids, names.task_ids, names.task_count * sizeof *r->task_ids);
    r->task_count = names.task_count;
    r->task_names = names_of_tasks(p, w, process, r);
    keep(p, w, process, r);
    return id;
}

/* ---- loading ---- */

static void empty_queue(message_queue *q)
{
    for (size_t i = 0; i < q->count; i++)
        buf_free(&q->items[i].text);
    q->count = 0;
}

static void forget_channels(node *n, size_t s)
{
    for (size_t i = 0; i < n->channel_count[s]; i++)
        mem_free((char *)n->channels[s][i].p);
    n->channel_count[s] = 0;
}

void nodes_unload(parts *p)
{
    world *w = p->w;
    while (w->flight_count > 0)
        network_end(w, &w->flights[w->flight_count - 1]);
    for (uint32_t q = 0; q < w->node_count; q++) {
        for (size_t s = 0; s < w->server_count; s++)
            empty_queue(&w->nodes[q].messages[s]);
        if (!w->nodes[q].conns[0]) {               /* the last step crashed it */
            network_connect(w, q);
            p->channels_set = PART_NONE;
        }
    }
}

/* The pair of node_save: a node that was loaded is saved as the same bytes. Checked at one loading in ONE_IN; not where
 * it is another client's node (parts_permute_node). */
static void check_loaded(parts *p, uint32_t process, uint32_t id)
{
    enum { ONE_IN = 256 };
    if (p->nodes[id].process_index != process || p->loads++ % ONE_IN)
        return;
    node_record names;
    buf b = { 0 };
    bool ok = node_bytes(p, p->w, process, &names, &b, NULL);
    assert(ok && str_eq(buf_str(&b), intern_get(p->node_bytes, id)));
    buf_free(&b);
}

void node_load(parts *p, uint32_t process, uint32_t id)
{
    world *w = p->w;
    const node_record *r = &p->nodes[id];
    node *n = &w->nodes[process];
    w->now_ms = r->as_of_ms;
    int64_t by_ms = w->now_ms - WORLD_EPOCH_MS;
    if (r->p)
        process_assign(n->p, r->p);
    n->incarnation = r->incarnation;
    n->request_base = r->request_base;
    n->requests = r->requests;
    n->alive = r->alive;
    n->paused = r->paused;
    n->stalled = r->stalled;
    n->unborn = r->unborn;
    n->remembers = r->remembers;
    for (size_t s = 0; s < w->server_count; s++)
        load_queued(&r->queued[s], &n->queued[s]);
    n->numbers_known = false;
    for (size_t i = 0; i < r->flight_count; i++) {
        flight *f = network_add(w, process);
        copy_flight(p, &r->flights[i], f, f->memory, WORLD_EPOCH_MS, by_ms);
        f->process = process;
        f->number += process - r->process_index;       /* network_number */
    }
    for (size_t s = 0; s < w->server_count; s++) {
        for (size_t i = 0; i < r->messages[s].count; i++) {
            const message *m = &r->messages[s].items[i];
            str all = buf_str(&m->text);
            str payload = str_slice(all, m->channel_n, m->channel_n + m->payload_n);
            message_add(&n->messages[s], str_slice(all, 0, m->channel_n),
                        instant_text_move(p->scratch, payload, p->instants, WORLD_EPOCH_MS, w->now_ms),
                        str_slice(all, m->channel_n + m->payload_n, all.n), m->sent_ms + by_ms);
        }
        forget_channels(n, s);
        MEM_RESERVE(n->channels[s], n->channel_cap[s], r->channel_count[s]);
        for (size_t i = 0; i < r->channel_count[s]; i++) {
            buf name = { 0 };
            buf_add(&name, r->channels[s][i]);
            n->channels[s][n->channel_count[s]++] = buf_str(&name);
        }
    }
    check_loaded(p, process, id);
}
