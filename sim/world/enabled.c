/* enabled.c - what can happen next, in a fixed order, and which of these steps hold time. */
#include "base/mem.h"
#include "world/internal.h"

void enabled_add(world *w, step s)
{
    MEM_RESERVE(w->steps, w->step_cap, w->step_count + 1);
    w->steps[w->step_count++] = s;
}

const task_view *world_task(world *w, uint32_t process, uint32_t task)
{
    const task_view *tasks;
    size_t count = process_tasks(w->nodes[process].p, &tasks);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].id == task)
            return &tasks[i];
    return NULL;
}

int64_t world_wake_ms(const world *w, uint32_t process, const task_view *t)
{
    int64_t at_ms = t->status == TASK_SLEEP || t->status == TASK_WAIT ? t->wake_ms : INT64_MAX;
    const flight *f = network_waiting(w, process, t);
    if (f && f->wait_until_ms < at_ms)
        at_ms = f->wait_until_ms + 1;
    return f && f->give_up_ms < at_ms ? f->give_up_ms : at_ms;
}

bool world_stands(const world *w, uint32_t process, const task_view *t)
{
    bool waits = t->status == TASK_WAIT || (t->status == TASK_REQUEST && network_waiting(w, process, t));
    return t->main && waits && world_wake_ms(w, process, t) == INT64_MAX;
}

bool world_runnable(const task_view *t, int64_t now_ms)
{
    switch (t->status) {
    case TASK_READY: case TASK_CHOOSE: case TASK_WORK: case TASK_POINT: return true;
    case TASK_SLEEP: case TASK_WAIT: return t->wake_ms <= now_ms;
    case TASK_REQUEST: case TASK_DONE: break;
    }
    return false;
}

/* Is its task blocked on the answer, by me:eval or at the future? */
static bool awaited(world *w, const flight *f)
{
    if (f->waited)
        return true;
    const task_view *t = world_task(w, f->process, f->task);
    return t && t->status == TASK_WAIT && t->request == f->id;
}

/* A request and its answer are one step only where nothing else of the process can come between: another task, a
 * message, a time-out, an interrupt, a pause, a lost reply. A timer cannot, because the answer holds time. At a
 * deadline, though, one millisecond may pass. */
static bool fuses(world *w, const flight *f)
{
    const node *n = &w->nodes[f->process];
    int64_t soon_ms = w->now_ms + (w->deadline_now && w->now_ms < w->end_ms);
    if (f->give_up_ms <= soon_ms || !awaited(w, f) || stalled_sender(w, f) || f->late || f->orphan || n->paused ||
        w->sc->latency_hi_ms > 0 || f->kind == REQUEST_SUBSCRIBE ||
        node_subscribed(w, n) || fault_meets(w, FAULT_PAUSE, f) || fault_meets(w, FAULT_INTERRUPT, f) ||
        fault_meets(w, FAULT_LOSE_REPLY, f))
        return false;
    for (size_t s = 0; s < w->server_count; s++)
        if (n->messages[s].count > 0)
            return false;
    size_t flights;
    const flight *other = network_flights(w, f->process, &flights);
    for (size_t i = 0; i < flights; i++)
        if (other[i].number != f->number && !other[i].orphan)
            return false;
    const task_view *tasks;
    size_t count = process_tasks(n->p, &tasks);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].id != f->task && world_runnable(&tasks[i], soon_ms))
            return false;
    return true;
}

/* Would this request lead back to the very same state? Then it does not hold time (DESIGN.md, "The world"). */
bool flight_spins(world *w, const flight *f)
{
    const node *n = &w->nodes[f->process];
    if (f->state != FLIGHT_SENT || f->late || f->orphan || n->paused || stalled_sender(w, f))
        return false;
    const spin *s = spin_find(n, f->task);
    return s && s->loops && s->at_ms == w->now_ms && s->writes == world_writes(w);
}

const task_view *world_point_of(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    const task_view *tasks;
    if (!w->preempts || !n->alive)
        return NULL;
    size_t count = process_tasks(n->p, &tasks);
    for (size_t i = 0; i < count; i++)
        if (tasks[i].status == TASK_POINT)
            return &tasks[i];
    return NULL;
}

bool world_point(world *w, uint32_t *process)
{
    for (*process = 0; *process < w->node_count; ++*process)
        if (world_point_of(w, *process))
            return true;
    return false;
}

static void add_point(world *w, uint32_t process, uint32_t task)
{
    enabled_add(w, (step){ .kind = STEP_RUN, .process = process, .task = task, .holds_time = true });
    enabled_add(w, (step){ .kind = STEP_FAULT, .fault = FAULT_PREEMPT, .process = process, .task = task });
}

static void add_tasks(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    if (n->paused)
        return;
    const task_view *tasks;
    size_t count = process_tasks(n->p, &tasks);
    for (size_t i = 0; i < count; i++) {
        const task_view *t = &tasks[i];
        if (!world_runnable(t, w->now_ms) || stalled(w, process, t))
            continue;
        if (t->status == TASK_CHOOSE) {
            for (size_t c = 0; c < t->choices; c++)
                enabled_add(w, (step){ .kind = STEP_CHOOSE, .process = process, .task = t->id, .amount = (int64_t)c,
                                       .holds_time = true, .coin = str_eq(t->next, S(PROCESS_COIN)) });
            continue;
        }
        enabled_add(w, (step){ .kind = STEP_RUN, .process = process, .task = t->id,
                               .holds_time = (t->status != TASK_WORK || t->wake_ms <= w->now_ms ||
                                              (!n->open && world_open_start(t))) && !t->zero_wait });
    }
}

/* SUBSCRIBE and UNSUBSCRIBE of a process share a connection: they are executed in the order of sending. */
static bool waits_its_turn(const flight *flights, size_t i)
{
    for (size_t j = 0; j < i && flight_is_pubsub(&flights[i]); j++)
        if (flight_is_pubsub(&flights[j]) && flights[j].server == flights[i].server && flights[j].state == FLIGHT_SENT)
            return true;
    return false;
}

/* The steps by which its process can learn of a request now. A stalled sender finds it later, at once. */
static void add_outcomes(world *w, const flight *f, step s)
{
    bool stands = stalled_sender(w, f), known = f->state == FLIGHT_ARRIVED || f->given_up;
    if (w->nodes[f->process].paused || (stands && known))
        return;
    bool arrives = f->state == FLIGHT_EXECUTED && w->now_ms >= f->executed_ms + w->sc->latency_lo_ms;
    if (arrives || f->state == FLIGHT_ARRIVED) {
        s.kind = STEP_ANSWER;
        s.holds_time = known || w->now_ms >= f->executed_ms + w->sc->latency_hi_ms;
        enabled_add(w, s);
    }
    if (!f->orphan && (f->given_up || (!known && w->now_ms >= f->give_up_ms))) {
        s.kind = STEP_GIVE_UP;
        s.holds_time = true;
        enabled_add(w, s);
    }
}

static void add_flights(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    int64_t lo_ms = w->sc->latency_lo_ms, hi_ms = w->sc->latency_hi_ms;
    size_t count;
    const flight *flights = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++) {
        const flight *f = &flights[i];
        step s = { .process = process, .task = f->task, .request = f->number, .copy = f->copy, .server = f->server };
        if (f->state == FLIGHT_SENT && w->now_ms >= f->sent_ms + lo_ms && !waits_its_turn(flights, i)) {
            s.kind = fuses(w, f) ? STEP_ROUND_TRIP : STEP_EXECUTE;
            s.holds_time = !n->paused && !f->late && !flight_spins(w, f) && w->now_ms >= f->sent_ms + hi_ms;
            enabled_add(w, s);
        }
        if (f->state == FLIGHT_WAITING && w->now_ms > f->wait_until_ms) {
            s.kind = fuses(w, f) ? STEP_ROUND_TRIP : STEP_EXECUTE;
            s.holds_time = true;                   /* the server's clock goes on, whatever happened to the sender */
            enabled_add(w, s);
        }
        add_outcomes(w, f, s);
    }
}

static void add_messages(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    for (uint32_t s = 0; s < w->server_count && !n->paused; s++) {
        const message_queue *q = &n->messages[s];
        if (q->count > 0 && w->now_ms >= q->items[0].sent_ms + w->sc->latency_lo_ms)
            enabled_add(w, (step){ .kind = STEP_MESSAGE, .process = process, .task = NOBODY, .server = s,
                                   .holds_time = w->now_ms >= q->items[0].sent_ms + w->sc->latency_hi_ms });
    }
}

void enabled_of_node(world *w, uint32_t process)
{
    bool alive = w->nodes[process].alive;
    const task_view *point = world_point_of(w, process);
    if (point) {
        add_point(w, process, point->id);
        return;
    }
    if (alive)
        add_tasks(w, process);
    add_flights(w, process);                       /* some outlive their sender */
    if (alive)
        add_messages(w, process);
    if (w->nodes[process].paused)
        enabled_add(w, (step){ .kind = STEP_RESUME, .process = process, .task = NOBODY });
    resumes_enabled(w, process);
}

typedef struct { world *w; uint32_t server; size_t first; } lister;

static void add_expired(void *context, str key)
{
    const lister *l = context;
    for (size_t i = l->first; i < l->w->step_count; i++)       /* the second version has it, too */
        if (l->w->steps[i].server == l->server && str_eq(l->w->steps[i].key, key))
            return;
    enabled_add(l->w, (step){ .kind = STEP_EXPIRE, .process = NOBODY, .task = NOBODY, .server = l->server,
                              .key = arena_str(l->w->step_memory, key) });
}

void enabled_of_server(world *w, uint32_t i)
{
    lister l = { .w = w, .server = i, .first = w->step_count };
    server *s = server_awake(&w->servers[i]);
    redis_each_expired(s->r, server_now_ms(s), add_expired, &l);
    if (s->second)
        redis_each_expired(s->second, server_now_ms(s), add_expired, &l);
}

size_t world_enabled(world *w, const step **out)
{
    w->step_count = 0;
    *out = NULL;
    if (w->over)
        return 0;
    uint32_t stopped;
    if (world_point(w, &stopped)) {
        enabled_of_node(w, stopped);
        *out = w->steps;
        return w->step_count;
    }
    for (uint32_t p = 0; p < w->node_count; p++)
        enabled_of_node(w, p);
    bool held = false;
    for (size_t i = 0; i < w->step_count; i++)
        held |= w->steps[i].holds_time;
    int64_t next_ms = INT64_MAX;
    if (!held)
        next_ms = time_next(w);
    else if (w->deadline_now && w->now_ms < w->end_ms)
        next_ms = w->now_ms + 1;                   /* both orders at a boundary are seen */
    if (next_ms != INT64_MAX)
        enabled_add(w, (step){ .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = next_ms - w->now_ms });
    for (uint32_t i = 0; i < w->server_count; i++)
        enabled_of_server(w, i);
    faults_enabled(w);
    *out = w->steps;
    return w->step_count;
}
