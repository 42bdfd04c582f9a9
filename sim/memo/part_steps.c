/* part_steps.c - takes a step in a world that holds just the parts it can touch, and remembers its effect. */
#include <string.h>

#include "base/mem.h"
#include "memo/parts_internal.h"

/* The possible steps of a node in an environment. For a step with a request only `again` is filled in here. */
struct local_steps {
    step *again;           /* as the world names them while the node is loaded */
    effect *effects;
    size_t count;
};

static part_env env_of(const parts *p, uint32_t id)
{
    part_env env;
    memcpy(&env, intern_get(p->env_bytes, id).p, sizeof env);
    return env;
}

static void set_up(parts *p, const part_env *env, uint32_t channels, int64_t now_ms)
{
    world *w = p->w;
    arena_reset(p->scratch);
    arena_reset(w->step_memory);
    w->now_ms = now_ms;
    w->end_ms = env->at_end ? w->now_ms : INT64_MAX;
    for (int k = 0; k < FAULT_KINDS; k++)
        w->budget[k] = env->faults >> k & 1;
    w->deadline_now = env->deadline_now;
    w->over = false;
    w->seen = 0;
    p->mask = env->locks;
    p->served_count = 0;
    p->channels_now = channels;
}

static void failed(parts *p, effect *f, err *e)
{
    f->failed = true;
    if (!p->error.class_)
        err_copy(&p->error, e);
    err_clear(e);
    world_forget_output(p->w);
    for (size_t i = 0; i < p->w->server_count; i++)
        p->w->servers[i].asleep = true;
}

static bool asks(const step *s)
{
    return s->kind == STEP_EXECUTE || s->kind == STEP_ROUND_TRIP;
}

/* Takes `s` in the loaded world. `of`: the node of the process that takes it, or NULL. */
static effect take(parts *p, const step *s, const node_record *of, const part_env *env, uint32_t servers)
{
    world *w = p->w;
    effect f = { .kind = (uint8_t)s->kind, .spends = (uint8_t)(s->kind == STEP_FAULT ? s->fault : FAULT_KINDS),
                 .holds = s->holds_time,
                 .step = step_id(p, w, s, of), .node = PART_NONE, .mail = PART_NONE, .servers = servers,
                 .locks = env->locks };
    f.op = w->o.meetings && asks(s) ? meetings_op(w->o.meetings, w, s->process, s->request, s->copy) : MEETINGS_NONE;
    err e = { 0 };
    events_begin(p, of ? s->process : NOBODY, of);
    w->cause = (cause){ .op = S(""), .who = S(""), .process = s->process, .task = s->task };
    const task_view *t = s->kind == STEP_RUN ? world_task(w, s->process, s->task) : NULL;
    f.zero = t && t->zero_wait;
    bool ok = world_happen(w, s, &e);
    world_note_wait(w, s->process);
    if (ok && of) {
        f.node = node_save(p, w, s->process, &e);
        ok = f.node != PART_NONE;
    }
    if (ok && servers != PART_NONE) {
        f.mail = mail_take(p, of ? s->process : NOBODY);
        f.servers = servers_save(p, w);
        ok = parts_look(p, servers, f.servers, env->locks, 0, &e);
    }
    f.locks = p->mask;
    f.seen = w->seen;
    if (ok)
        f.events = events_end(p, of ? &p->names_after : NULL);
    else
        failed(p, &f, &e);
    return f;
}

/* A process that gives up, or ends, leaves the server's queue of waiting pops; so does the state of its connection. */
static bool leaves(const world *w, const step *s)
{
    size_t count;
    const flight *f = network_flights(w, s->process, &count);
    bool waits = false;
    for (size_t i = 0; i < count; i++)
        waits |= f[i].state == FLIGHT_WAITING;
    bool closes = s->kind == STEP_FAULT && (s->fault == FAULT_CRASH || s->fault == FAULT_RESTART) &&
                  w->nodes[s->process].remembers;
    return closes || (waits && (s->kind == STEP_GIVE_UP || s->kind == STEP_FAULT));
}

/* A node, with no server yet. */
static void load(parts *p, uint32_t process, uint32_t node, const part_env *env, uint32_t channels)
{
    nodes_unload(p);
    set_up(p, env, channels, p->nodes[node].as_of_ms);
    node_load(p, process, node);
}

void parts_load(parts *p, const part_place *at)
{
    part_env env = env_of(p, at->env);
    load(p, at->process, at->nodes[at->process], &env, at->channels);
}

void parts_prepare(parts *p)
{
    part_env env = { 0 };
    nodes_unload(p);
    set_up(p, &env, p->channels_now, WORLD_EPOCH_MS);
}

/* Copies: the list of enabled steps is the world's. */
static size_t list_steps(parts *p, uint32_t process, const part_env *env, step **out)
{
    world *w = p->w;
    w->step_count = 0;
    enabled_of_node(w, process);
    if (env->faults)
        faults_of_node(w, process, env->ended);
    *out = ARENA_ARRAY(p->memory, step, w->step_count + 1);
    if (w->step_count)
        memcpy(*out, w->steps, w->step_count * sizeof **out);
    return w->step_count;
}

static const struct local_steps *local_steps(parts *p, uint32_t process, uint32_t node, uint32_t env_id,
                                             const part_env *env, uint32_t channels)
{
    uint32_t known = map3_get(&p->local, node, env_id, 0);
    if (known != PART_NONE)
        return &p->locals[known];
    load(p, process, node, env, channels);
    struct local_steps l = { 0 };
    l.count = list_steps(p, process, env, &l.again);
    l.effects = ARENA_ARRAY(p->memory, effect, l.count + 1);
    for (size_t i = 0; i < l.count; i++) {
        if (asks(&l.again[i])) {
            l.effects[i].asks = true;
            continue;
        }
        load(p, process, node, env, channels);
        if (leaves(p->w, &l.again[i])) {
            l.effects[i].asks = true;
            continue;
        }
        l.effects[i] = take(p, &l.again[i], &p->nodes[node], env, PART_NONE);
        l.effects[i].asks = l.effects[i].locks != env->locks;  /* the view of a new lock depends on the servers */
    }
    MEM_RESERVE(p->locals, p->local_cap, p->local_count + 1);
    p->locals[p->local_count] = l;
    map3_put(&p->local, node, env_id, 0, (uint32_t)p->local_count);
    return &p->locals[p->local_count++];
}

static void list_add(parts *p, const effect *f)
{
    p->list.items = mem_reserve(p->list.items, &p->list_cap, p->list.count + 1, sizeof *p->list.items);
    p->list.items[p->list.count++] = *f;
}

const effects *parts_of_process(parts *p, uint32_t process, uint32_t node, uint32_t env_id, uint32_t servers,
                                uint32_t channels)
{
    part_env env = env_of(p, env_id);
    struct local_steps l = *local_steps(p, process, node, env_id, &env, channels);
    p->list.count = 0;
    for (size_t i = 0; i < l.count; i++) {
        effect f = l.effects[i];
        if (f.asks) {
            load(p, process, node, &env, channels);
            servers_load(p, servers);
            f = take(p, &l.again[i], &p->nodes[node], &env, servers);
            f.asks = asks(&l.again[i]);
        } else
            f.servers = servers;
        list_add(p, &f);
    }
    return &p->list;
}

const effects *parts_of_servers(parts *p, uint32_t env_id, uint32_t servers, uint32_t channels)
{
    part_env env = env_of(p, env_id);
    p->list.count = 0;
    world *w = p->w;
    nodes_unload(p);
    set_up(p, &env, channels, parts_now_ms(p, servers));
    servers_load(p, servers);
    w->step_count = 0;
    for (uint32_t i = 0; i < w->server_count; i++)
        enabled_of_server(w, i);
    for (uint32_t i = 0; i < w->server_count && env.faults && !env.ended; i++)
        faults_of_server(w, i);
    size_t count = w->step_count;
    arena *a = arena_new();
    step *steps = ARENA_ARRAY(a, step, count + 1);
    for (size_t i = 0; i < count; i++) {
        steps[i] = w->steps[i];
        steps[i].key = arena_str(a, w->steps[i].key);
    }
    for (size_t i = 0; i < count; i++) {
        nodes_unload(p);               /* the step before left its messages there: events of expired keys */
        set_up(p, &env, channels, parts_now_ms(p, servers));
        servers_load(p, servers);
        effect f = take(p, &steps[i], NULL, &env, servers);
        list_add(p, &f);
    }
    arena_free(a);
    return &p->list;
}

uint32_t parts_deliver(parts *p, uint32_t process, uint32_t node, uint32_t message)
{
    part_env env = { 0 };
    load(p, process, node, &env, p->channels_now);
    message_put(p, process, message);
    err e = { 0 };
    uint32_t after = node_save(p, p->w, process, &e);
    err_clear(&e);
    return after;
}

uint32_t parts_age_node(parts *p, uint32_t process, uint32_t node, int64_t ms, uint32_t spinning)
{
    world *w = p->w;
    part_env env = { 0 };
    load(p, process, node, &env, p->channels_now);
    w->now_ms += ms;
    size_t count;
    flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count && spinning != NOBODY; i++)
        if (f[i].task == p->nodes[node].task_ids[spinning] && !f[i].orphan)
            flight_put_off(&f[i], ms);
    w->nodes[process].numbers_known = false;
    err e = { 0 };
    uint32_t after = node_save(p, w, process, &e);
    err_clear(&e);
    return after;
}

int64_t parts_ahead(parts *p, uint32_t process, uint32_t node, uint32_t spinning, bool number_now)
{
    world *w = p->w;
    part_env env = { 0 };
    load(p, process, node, &env, p->channels_now);
    size_t count;
    flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++)
        if (f[i].task == p->nodes[node].task_ids[spinning] && !f[i].orphan)
            network_end(w, &f[i--]), count--;
    int64_t at_ms = time_next_of_node(w, process, number_now);
    return at_ms == INT64_MAX ? INT64_MAX : at_ms - w->now_ms;
}

uint32_t parts_age_servers(parts *p, uint32_t servers, int64_t ms, uint32_t env_id)
{
    world *w = p->w;
    part_env env = env_of(p, env_id);
    set_up(p, &env, p->channels_now, parts_now_ms(p, servers));
    servers_load(p, servers);
    for (size_t i = 0; i < w->server_count; i++)
        server_redis(&w->servers[i]);
    w->now_ms += ms;
    time_passed_for_servers(w);
    uint32_t after = servers_save(p, w);
    for (size_t i = 0; i < w->server_count; i++)
        w->servers[i].asleep = true;   /* its keyspace is of another instant */
    return after;
}

uint32_t parts_expiry(parts *p, uint32_t before, uint32_t after, int64_t ms, uint32_t env_id, uint64_t *seen)
{
    part_env env = env_of(p, env_id);
    set_up(p, &env, p->channels_now, parts_now_ms(p, after));
    events_begin(p, NOBODY, NULL);
    p->w->cause = (cause){ .op = S("expiry"), .who = S(""), .process = NOBODY, .task = NOBODY };
    err e = { 0 };
    bool ok = parts_look(p, before, after, env.locks, ms, &e);
    if (!ok && !p->error.class_)
        err_copy(&p->error, &e);
    err_clear(&e);
    *seen = p->w->seen;
    return ok ? events_end(p, NULL) : PART_NONE;
}
