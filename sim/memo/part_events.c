/* part_events.c - lists of what monitors are told by a step, by number; and the monitors themselves: (state, events) ->
 * state, learned once. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "memo/parts_internal.h"

/* ---- listening ---- */

event event_copy(arena *a, const event *e)
{
    event c = *e;
    c.who = arena_str(a, e->who);
    c.lock = arena_str(a, e->lock);
    c.op = arena_str(a, e->op);
    c.text = arena_str(a, e->text);
    c.mode = arena_str(a, e->mode);
    c.path = arena_str(a, e->path);
    return c;
}

/* A request that existed before the step is named by its place among those of its node; new ones get the next
 * places. */
static uint32_t name_of_request(parts *p, uint32_t number)
{
    uint32_t i = number ? numbers_place(p->old_numbers, p->old_number_count, number) : 0;
    if (number == 0 || i != UINT32_MAX)
        return number ? i + 1 : 0;
    i = numbers_place(p->new_numbers, p->new_number_count, number);
    if (i == UINT32_MAX) {
        MEM_RESERVE(p->new_numbers, p->new_number_cap, p->new_number_count + 1);
        p->new_numbers[i = (uint32_t)p->new_number_count++] = number;
    }
    return (uint32_t)p->old_number_count + i + 1;
}

static uint32_t name_of_task(parts *p, uint32_t task)
{
    uint32_t i = task == NOBODY ? NOBODY : numbers_place(p->old_tasks, p->old_task_count, task);
    if (task == NOBODY || i != UINT32_MAX)
        return i;
    i = numbers_place(p->new_tasks, p->new_task_count, task);
    if (i == UINT32_MAX) {
        MEM_RESERVE(p->new_tasks, p->new_task_cap, p->new_task_count + 1);
        p->new_tasks[i = (uint32_t)p->new_task_count++] = task;
    }
    return (uint32_t)p->old_task_count + i;
}

void events_begin(parts *p, uint32_t process, const node_record *before)
{
    p->process = process;
    p->old_numbers = before ? before->numbers : NULL;
    p->old_number_count = before ? before->number_count : 0;
    p->old_tasks = before ? before->task_ids : NULL;
    p->old_task_count = before ? before->task_count : 0;
    p->new_number_count = p->new_task_count = p->said_count = 0;
}

/* Drops the texts that monitors do not read. */
static void forget_texts(event *e)
{
    bool is_read = e->kind == EVENT_USE || (e->kind == EVENT_FAULT && e->request) ||
                   (e->kind == EVENT_EXECUTED && str_starts(e->text, S("error: ")));
    e->text = is_read && e->kind == EVENT_EXECUTED ? S("error: ") : is_read ? e->text : S("");
    e->path = S("");
    e->line = 0;
}

void parts_record(parts *p, const event *e)
{
    event kept = event_copy(p->scratch, e);
    kept.at_ms = 0;
    if (p->w && instant_near(e->token, p->w->now_ms))
        kept.token -= p->w->now_ms - WORLD_EPOCH_MS;
    if (e->kind == EVENT_STATE)
        return;            /* not listed: told with each judgement, see parts_judge */
    kept.request = name_of_request(p, e->request);
    kept.task = name_of_task(p, e->task);
    MEM_RESERVE(p->said, p->said_cap, p->said_count + 1);
    p->said[p->said_count++] = kept;
}

bool parts_watch(parts *p, uint32_t process, err *e)
{
    world *w = p->w;
    const observed *list;
    size_t count = w->o.mirror ? 0 : process_observed(w->nodes[process].p, &list);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < p->lock_count && !str_eq(p->locks[k].name, list[i].lock))
            k++;
        if (k == LOCKS_MAX)
            return err_at(e, ERR_SCENARIO, p->sc->path, 0, 0, "drivers register more than %d locks (me:observe): an "
                          "exhaustive search follows no "
                                                               "more", LOCKS_MAX) ||
                                                                   err_hint(e, "sample it: explore = { random = N }");
        uint64_t met = 0;
        ids_meet(p->sc, list[i].lock, &met);
        if (met && p->equals && !p->apart.n)
            p->apart = arena_printf(p->memory, "the lock \"%.*s\" is one client's", STR_ARG(list[i].lock));
        if (k == p->lock_count) {
            p->locks[p->lock_count++] = (known_lock){ .name = arena_str(p->memory, list[i].lock), .spec = list[i].spec,
                                                      .index = i, .print = list[i].print };
            err none = { 0 };
            p->locks[k].viewer = process_learned_as(process_tables_get(p->tables, process), process, 0, w->now_ms,
                                                    &none);
            err_clear(&none);
            process_assign(p->locks[k].viewer, w->nodes[process].p);
        }
        p->locks[k].views_differ |= p->locks[k].print != list[i].print;
        if (p->mask >> k & 1)
            continue;
        p->mask |= UINT32_C(1) << k;
        parts_record(p, &(event){ .kind = EVENT_VIEW, .process = NOBODY, .task = NOBODY, .lock = list[i].lock,
                                  .count = list[i].spec });
    }
    return true;
}

void parts_say_broken(parts *p, property what)
{
    parts_record(p, &(event){ .kind = EVENT_FAULT, .process = NOBODY, .task = NOBODY, .op = S("broken"),
                              .count = what });
}

/* ---- lists by number ---- */

static void put_view(buf *b, const lock_view *v)
{
    buf_u64(b, v->holder_count);
    for (size_t i = 0; i < v->holder_count; i++) {
        buf_lenstr(b, v->holders[i].id);
        buf_u64(b, (uint64_t)v->holders[i].count);
        buf_lenstr(b, v->holders[i].mode);
    }
    buf_u64(b, (uint64_t)v->ttl_ms);
    buf_u64(b, (uint64_t)v->permits);
    buf_u64(b, (uint64_t)v->capacity);
    buf_u64(b, v->queue_count);
    for (size_t i = 0; i < v->queue_count; i++)
        buf_lenstr(b, v->queue[i]);
    buf_u64(b, v->lapsed ? v->lapsed_count + 1 : 0);
    for (size_t i = 0; i < v->lapsed_count; i++)
        buf_lenstr(b, v->lapsed[i]);
    buf_u64(b, v->key_count);
    for (size_t i = 0; i < v->key_count; i++)
        buf_lenstr(b, v->keys[i]);
}

static void put_event(buf *b, const event *e)
{
    buf_byte(b, (char)('A' + e->kind));
    buf_u64(b, (uint64_t)e->process << 32 | e->task);
    buf_lenstr(b, e->who);
    buf_lenstr(b, e->lock);
    buf_lenstr(b, e->op);
    buf_lenstr(b, e->text);
    buf_lenstr(b, e->mode);
    buf_u64(b, (uint64_t)e->request << 32 | e->server);
    buf_u64(b, (uint64_t)e->lease_ms);
    buf_u64(b, (uint64_t)e->renew_ms);
    buf_u64(b, (uint64_t)e->token);
    buf_u64(b, (uint64_t)e->count);
    buf_u64(b, (uint64_t)e->permits);
    buf_u64(b, (uint64_t)e->ago_ms);
    buf_byte(b, e->untold ? 'u' : '-');
    buf_byte(b, e->own_count ? 'o' : '-');
    buf_byte(b, e->view ? 'v' : '-');
    if (e->view)
        put_view(b, e->view);
}

/* New names by old ones, in the arena; false: no name changes. */
static bool rename_all(arena *a, const uint32_t *old, size_t old_count, const uint32_t *fresh, size_t fresh_count,
                       const uint32_t *after, size_t after_count, uint32_t first, uint32_t **out, size_t *count)
{
    bool changed = false;
    *count = old_count + fresh_count + first;
    *out = ARENA_ARRAY(a, uint32_t, *count + 1);
    for (size_t i = 0; i < old_count + fresh_count; i++) {
        uint32_t at = numbers_place(after, after_count, i < old_count ? old[i] : fresh[i - old_count]);
        (*out)[first + i] = at == UINT32_MAX ? at : at + first;
        changed |= at != i;
    }
    return changed;
}

uint32_t events_end(parts *p, const node_record *after)
{
    events_record r = { .count = p->said_count, .process = NOBODY };
    if (after) {
        bool requests = rename_all(p->memory, p->old_numbers, p->old_number_count, p->new_numbers, p->new_number_count,
                                   after->numbers, after->number_count, 1, &r.requests, &r.request_count);
        bool tasks = rename_all(p->memory, p->old_tasks, p->old_task_count, p->new_tasks, p->new_task_count,
                                after->task_ids, after->task_count, 0, &r.tasks, &r.task_count);
        r.request_count *= requests;
        r.task_count *= tasks;
        r.process = requests || tasks ? p->process : NOBODY;
    }
    buf b = { 0 };
    for (size_t i = 0; i < p->said_count; i++) {
        forget_texts(&p->said[i]);
        put_event(&b, &p->said[i]);
    }
    buf_u64(&b, (uint64_t)r.process << 32 | r.request_count << 16 | r.task_count);
    for (size_t i = 0; i < r.request_count; i++)
        buf_u64(&b, r.requests[i]);
    for (size_t i = 0; i < r.task_count; i++)
        buf_u64(&b, r.tasks[i]);
    bool fresh;
    uint32_t id = intern_add(p->event_bytes, buf_str(&b), &fresh);
    buf_free(&b);
    if (!fresh)
        return id;
    r.items = ARENA_ARRAY(p->memory, event, r.count + 1);
    for (size_t i = 0; i < r.count; i++) {
        r.items[i] = event_copy(p->memory, &p->said[i]);
        if (r.items[i].view) {
            lock_view *v = ARENA_NEW(p->memory, lock_view);
            *v = view_copy(p->memory, r.items[i].view);
            v->lock = r.items[i].lock;
            r.items[i].view = v;
        }
    }
    MEM_RESERVE(p->events, p->events_cap, (size_t)id + 1);
    p->events[id] = r;
    return id;
}

/* ---- monitors ---- */

static model *thaw(parts *p, uint32_t id)
{
    return model_thaw(&p->sc->model, p->names, p->sc->client_count, intern_get(p->model_bytes, id), p->judged_ms);
}

uint32_t model_id(parts *p, const model *m, int64_t now_ms, const model_names *names)
{
    buf b = { 0 };
    model_freeze(m, now_ms, names, &b);
    uint32_t id = intern_add(p->model_bytes, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

void parts_hear(parts *p, model *m, uint32_t events)
{
    const events_record *r = &p->events[events];
    for (size_t i = 0; i < r->count; i++) {
        event e = r->items[i];
        e.at_ms = p->judged_ms;
        if (e.kind == EVENT_VIEW && !e.view)
            model_lock(m, e.lock, (spec_kind)e.count);
        else if (e.kind == EVENT_FAULT && str_eq(e.op, S("broken")))
            model_report(m, (property)e.count, e.at_ms, S("broken"), S(""));
        else
            model_event(m, &e);
    }
}

/* Every live task of every process, from the numbers. */
static task_state *states_of(parts *p, uint32_t tasks, size_t *count)
{
    str list = intern_get(p->tasks, tasks);
    size_t processes = p->sc->client_count, cap = 0;
    task_state *out = NULL;
    *count = 0;
    for (uint32_t q = 0; q < processes; q++) {
        uint32_t id;
        memcpy(&id, list.p + q * sizeof id, sizeof id);
        str bytes = intern_get(p->task_bytes, id);
        for (uint32_t t = 0; bytes.n > 0; t++) {
            str who = take_lenstr(&bytes);
            uint64_t bits = take_u64(&bytes);
            MEM_RESERVE(out, cap, *count + 1);
            out[(*count)++] = (task_state){ .process = q, .task = t, .who = who, .wake = (wake)(bits >> 8),
                                            .main = bits >> 2 & 1,
                                            .daemon = bits >> 1 & 1, .paused = bits & 1, .stalled = bits >> 3 & 1 };
        }
    }
    return out;
}

/* The step is over: tells monitors who can move now. */
static void hear_state(parts *p, model *m, uint32_t tasks)
{
    size_t count;
    task_state *states = states_of(p, tasks, &count);
    model_event(m, &(event){ .kind = EVENT_STATE, .at_ms = p->judged_ms, .process = NOBODY, .task = NOBODY,
                             .tasks = states, .task_count = count });
    mem_free(states);
}

/* The pair of model_id: monitors that were frozen thaw, and freeze to the same bytes. Checked for one new state in
 * ONE_IN. */
static void check_frozen(parts *p, uint32_t id)
{
    enum { ONE_IN = 64 };
    if (id % ONE_IN)
        return;
    model *m = thaw(p, id);
    uint32_t again = model_id(p, m, p->judged_ms, NULL);
    assert(again == id);
    model_free(m);
}

static uint32_t judged(parts *p, model *m, uint32_t *broken)
{
    *broken = model_broken(m);
    model_forgive(m);
    size_t known = intern_count(p->model_bytes);
    uint32_t id = model_id(p, m, p->judged_ms, NULL);
    if (id >= known)
        check_frozen(p, id);
    return id;
}

uint32_t parts_judge_first(parts *p, model *m, uint32_t events, uint32_t tasks, uint32_t *broken)
{
    parts_hear(p, m, events);
    hear_state(p, m, tasks);
    return judged(p, m, broken);
}

/* ---- judgements of earlier searches ---- */

/* All tasks, one after the other, by their contents instead of by number. */
static str tasks_bytes(parts *p, uint32_t tasks)
{
    str list = intern_get(p->tasks, tasks);
    buf b = { 0 };
    for (uint32_t q = 0; q < p->sc->client_count; q++) {
        uint32_t id;
        memcpy(&id, list.p + q * sizeof id, sizeof id);
        buf_lenstr(&b, intern_get(p->task_bytes, id));
    }
    str bytes = arena_str(p->scratch, buf_str(&b));
    buf_free(&b);
    return bytes;
}

/* The number of a thing among the judgements; its bytes are looked up only once. */
static uint32_t kept_number(parts *p, kept_kind kind, uint32_t id, int64_t ms)
{
    uint32_t what = (uint32_t)kind | (uint32_t)((uint64_t)ms >> 32 << 2),
                    number = map3_get(&p->kept_numbers, what, id, (uint32_t)ms);
    if (number != INTERN_NONE)
        return number;
    judgements *j = p->judgements;
    number = kind == KEPT_MODEL    ? judgements_model(j, intern_get(p->model_bytes, id))
             : kind == KEPT_EVENTS ? judgements_events(j, intern_get(p->event_bytes, id), ms)
                                   : judgements_tasks(j, tasks_bytes(p, id));
    map3_put(&p->kept_numbers, what, id, (uint32_t)ms, number);
    return number;
}

static uint32_t judge_now(parts *p, uint32_t id, uint32_t events, uint32_t tasks, int64_t ms, uint32_t *broken)
{
    const events_record *r = &p->events[events];
    model *m = thaw(p, id);
    p->judged_ms += ms;
    parts_hear(p, m, events);
    if (r->process != NOBODY)
        model_rename(m, r->process, NULL, 0, r->tasks, r->task_count);
    hear_state(p, m, tasks);
    if (r->process != NOBODY)
        model_rename(m, r->process, r->requests, r->request_count, NULL, 0);
    uint32_t after = judged(p, m, broken);
    p->judged_ms -= ms;
    model_free(m);
    return after;
}

uint32_t parts_judge(parts *p, uint32_t id, uint32_t events, uint32_t tasks, int64_t ms, uint32_t *broken)
{
    str known;
    if (!p->judgements || (uint64_t)ms >> 60)
        return judge_now(p, id, events, tasks, ms, broken);
    judgement at = { .model = kept_number(p, KEPT_MODEL, id, 0), .events = kept_number(p, KEPT_EVENTS, events, ms),
                     .tasks = kept_number(p, KEPT_TASKS, tasks, 0) };
    if (judgements_find(p->judgements, at, &known, broken))
        return intern_add(p->model_bytes, known, NULL);
    uint32_t after = judge_now(p, id, events, tasks, ms, broken);
    judgements_add(p->judgements, at, intern_get(p->model_bytes, after), *broken);
    if (judgements_full(p->judgements))
        p->judgements = NULL;
    return after;
}

uint32_t parts_settle(parts *p, uint32_t id, uint32_t servers, uint32_t locks, uint32_t tasks, bool rest,
                      size_t subscriptions)
{
    model *m = thaw(p, id);
    event e = { .kind = rest ? EVENT_REST : EVENT_STUCK, .at_ms = p->judged_ms, .process = NOBODY, .task = NOBODY,
                .subscriptions = subscriptions };
    size_t count;
    task_state *states = states_of(p, tasks, &count);
    if (!rest) {
        e.tasks = states;
        e.task_count = count;
        model_event(m, &e);
    } else if (locks == 0)
        model_event(m, &e);
    for (size_t i = 0; rest && i < p->lock_count; i++) {
        if (!(locks >> i & 1))
            continue;
        err none = { 0 };
        e.lock = p->locks[i].name;
        e.view = servers_view(p, servers, i, &none);
        if (e.view)
            model_event(m, &e);
        err_clear(&none);
    }
    mem_free(states);
    uint32_t broken = model_broken(m);
    model_free(m);
    return broken;
}

static bool says_little(const event *e)
{
    switch (e->kind) {
    case EVENT_SENT: return model_op_ending(e->op) == ENDS_NOTHING && !(e->count & SENT_POPS);
    case EVENT_ANSWERED: case EVENT_ENDED: return true;
    default: return false;
    }
}

bool parts_says_little(const parts *p, uint32_t events)
{
    const events_record *r = &p->events[events];
    bool little = true;
    for (size_t i = 0; i < r->count; i++)
        little &= says_little(&r->items[i]);
    return little;
}
