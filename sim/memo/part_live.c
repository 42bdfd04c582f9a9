/* part_live.c - a live world as parts: its state in the same numbers, and its steps by the same names, as in tables. It
 * interns, and learns nothing. */
#include <string.h>

#include "base/instant.h"
#include "base/mem.h"
#include "base/numbers.h"
#include "memo/parts_internal.h"

/* ---- the state ---- */

typedef struct { const uint32_t *numbers, *tasks; size_t number_count, task_count; } node_names;

static uint32_t request_name(void *context, uint32_t process, uint32_t number)
{
    const node_names *n = (const node_names *)context + process;
    uint32_t at = numbers_place(n->numbers, n->number_count, number);
    return at == UINT32_MAX ? at : at + 1;
}

static uint32_t task_name(void *context, uint32_t process, uint32_t task)
{
    const node_names *n = (const node_names *)context + process;
    return numbers_place(n->tasks, n->task_count, task);
}

/* The locks that drivers registered in this world, as bits of all known ones. */
static uint32_t locks_in_sight(parts *p, const world *w)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < w->lock_count; i++) {
        str name = buf_str(&w->locks[i].name);
        size_t k = 0;
        while (k < p->lock_count && !str_eq(p->locks[k].name, name))
            k++;
        if (k == LOCKS_MAX)
            continue;
        if (k == p->lock_count)
            p->locks[p->lock_count++] = (known_lock){ .name = arena_str(p->memory, name) };
        mask |= UINT32_C(1) << k;
    }
    return mask;
}

/* The number of all that belongs to no part. */
static uint32_t bounds_id(parts *p, const world *w, uint32_t locks)
{
    buf b = { 0 };
    for (int k = 0; k < FAULT_KINDS; k++)
        buf_u64(&b, w->budget[k]);
    buf_u64(&b, (uint64_t)locks << 1 | w->number_now);
    buf_u64(&b, w->end_ms == INT64_MAX ? UINT64_MAX : (uint64_t)(w->end_ms - w->now_ms));
    buf_u64(&b, p->absolute ? (uint64_t)w->now_ms : 0);
    buf_u64(&b, (uint64_t)time_walk_ms(w));
    uint32_t id = intern_add(p->env_bytes, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

/* If an instant is within a text, or in seconds, states with equal bytes at two instants are not equal. */
static void look_for_instants(parts *p, world *w)
{
    outline o = { 0 };
    bool found = false;
    for (uint32_t q = 0; q < w->node_count; q++)
        found |= process_table_unfolded(process_tables_get(p->tables, q));
    for (size_t i = 0; i < w->server_count; i++) {
        buf b = { 0 };
        redis_fold(w->servers[i].r, server_now_ms(&w->servers[i]), &b);
        outline_begin(&o);
        outline_text(&o, buf_str(&b));
        for (size_t k = 0; k < o.count; k++)
            found |= instant_unfolded(o.numbers[k], w->now_ms);
        buf_free(&b);
    }
    outline_free(&o);
    if (found)
        p->why_absolute = S("an instant is a part of a text, or told in seconds");
}

bool parts_take_apart(parts *p, world *w, part_state *out, err *e)
{
    arena_reset(p->scratch);
    node_names *names = ARENA_ARRAY(p->scratch, node_names, w->node_count + 1);
    for (uint32_t q = 0; q < w->node_count; q++) {
        out->nodes[q] = node_save(p, w, q, e);
        if (out->nodes[q] == PART_NONE)
            return false;
        const node_record *r = &p->names_after;
        if (!p->absolute && !p->why_absolute.n)
            p->why_absolute = process_time_use(w->nodes[q].p, p->memory);
        names[q] = (node_names){ r->numbers, r->task_ids, r->number_count, r->task_count };
    }
    out->servers = servers_save(p, w);
    if (!p->absolute && !p->why_absolute.n)
        look_for_instants(p, w);
    out->locks = locks_in_sight(p, w);
    out->bounds = bounds_id(p, w, out->locks);
    out->model = model_id(p, w->judge, w->now_ms, &(model_names){ .context = names, .request = request_name,
                                                                  .task = task_name });
    out->number_now = w->number_now;
    return true;
}

uint32_t parts_forgive(world *w)
{
    uint32_t broken = model_broken(w->judge);
    model_forgive(w->judge);
    w->always_broken = false;
    return broken;
}

/* ---- listening ---- */

void parts_listen(parts *p, world *w, uint32_t process)
{
    arena_reset(p->scratch);
    node_record *before = ARENA_NEW(p->scratch, node_record);
    if (process != NOBODY)
        node_names_of(w, process, p->scratch, before);
    events_begin(p, process, process == NOBODY ? NULL : before);
    w->listener = &p->as;
}

uint32_t parts_heard(parts *p, world *w, uint32_t process)
{
    node_record after = { .process_index = process };
    w->listener = NULL;
    if (process != NOBODY)
        node_names_of(w, process, p->scratch, &after);
    return events_end(p, process == NOBODY ? NULL : &after);
}

/* ---- steps ---- */

size_t parts_steps_of_process(world *w, uint32_t process, const step **out)
{
    bool any = false;
    for (int k = 0; k < FAULT_KINDS; k++)
        any |= w->budget[k] > 0;
    w->step_count = 0;
    uint32_t stopped;
    if (!world_point(w, &stopped) || stopped == process)
        enabled_of_node(w, process);
    if (any && !world_point(w, &stopped))
        faults_of_node(w, process, world_programs_ended(w));
    *out = w->steps;
    return w->step_count;
}

size_t parts_steps_of_servers(world *w, const step **out)
{
    w->step_count = 0;
    uint32_t stopped;
    bool point = world_point(w, &stopped);         /* if so, nothing else happens first */
    for (uint32_t i = 0; i < w->server_count && !point; i++)
        enabled_of_server(w, i);
    for (uint32_t i = 0; i < w->server_count && !world_programs_ended(w) && !point; i++)
        faults_of_server(w, i);
    *out = w->steps;
    return w->step_count;
}

uint32_t parts_name_step(parts *p, world *w, const step *s)
{
    arena_reset(p->scratch);
    node_record r = { .process_index = s->process };
    if (s->process != NOBODY)
        node_names_of(w, s->process, p->scratch, &r);
    return step_id(p, w, s, s->process == NOBODY ? NULL : &r);
}

uint32_t parts_task_at(world *w, uint32_t process, uint32_t place)
{
    const task_view *tasks;
    size_t count = w->nodes[process].alive ? process_tasks(w->nodes[process].p, &tasks) : 0;
    return place < count ? tasks[place].id : NOBODY;
}

bool parts_own_step(world *w, uint32_t process, uint32_t task, step *out)
{
    const step *list;
    size_t count = parts_steps_of_process(w, process, &list), found = 0;
    for (size_t i = 0; i < count; i++) {
        const step *s = &list[i];
        bool moves = s->kind == STEP_RUN || s->kind == STEP_ROUND_TRIP || s->kind == STEP_EXECUTE ||
                     s->kind == STEP_ANSWER;
        const task_view *t = s->kind == STEP_RUN ? world_task(w, process, s->task) : NULL;
        if (!moves || s->task != task || !(s->holds_time || (t && t->zero_wait)))
            continue;
        *out = *s;
        found++;
    }
    return found == 1;
}

/* ---- time ---- */

static bool is_awaited(const flight *f, uint32_t task)
{
    return f->task == task && !f->orphan;
}

void parts_put_off(world *w, uint32_t process, uint32_t task, int64_t ms)
{
    size_t count;
    flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++)
        if (is_awaited(&f[i], task))
            flight_put_off(&f[i], ms);
}

void parts_drop_requests(world *w, uint32_t process, uint32_t task)
{
    size_t count, i = 0;
    for (flight *f = network_flights(w, process, &count); i < count; f = network_flights(w, process, &count))
        if (is_awaited(&f[i], task))
            network_end(w, &f[i]);
        else
            i++;
}

int64_t parts_next_length(world *w)
{
    bool deadline_now;
    if (time_walk_ms(w) > 0)
        return 1;
    int64_t at_ms = time_next_of_servers(w, w->number_now, &deadline_now);
    for (uint32_t q = 0; q < w->node_count; q++) {
        int64_t of_node_ms = time_next_of_node(w, q, w->number_now);
        at_ms = of_node_ms < at_ms ? of_node_ms : at_ms;
    }
    return at_ms == INT64_MAX ? INT64_MAX : at_ms - w->now_ms;
}

bool parts_walks(const world *w)
{
    return time_walk_ms(w) > 0;
}

int64_t parts_left_ms(const world *w)
{
    return w->end_ms == INT64_MAX ? INT64_MAX : w->end_ms - w->now_ms;
}

void parts_budgets(const world *w, uint32_t left[FAULT_KINDS])
{
    memcpy(left, w->budget, sizeof w->budget);
}

bool parts_deadline_now(world *w)
{
    uint32_t stopped;
    return w->deadline_now && !world_point(w, &stopped);
}
