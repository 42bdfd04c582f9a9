/* parts.c - see parts.h: taking a step in a world that holds just the parts it can touch, and remembering what it did. */
#include "world/parts.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "world/parts_internal.h"

/* What can happen to a node in an environment. Of a step that asks a server only `again` is known here. */
struct local_steps {
    step *again;           /* as the world names them while the node is loaded */
    effect *effects;
    size_t count;
};

/* ---- making and freeing ---- */

static void open_tables(parts *p)
{
    intern **all[] = { &p->node_bytes, &p->server_bytes, &p->servers_bytes, &p->env_bytes, &p->tasks, &p->channels, &p->messages, &p->commands,
                       &p->step_bytes, &p->model_bytes, &p->task_bytes, &p->channel_bytes, &p->event_bytes, &p->mail_bytes };
    for (size_t i = 0; i < COUNT(all); i++)
        *all[i] = intern_new();
}

void parts_free(parts *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < intern_count(p->node_bytes); i++)
        process_free(p->nodes[i].p);
    for (size_t i = 0; i < p->lock_count; i++)
        process_free(p->locks[i].viewer);
    world_free(p->w);
    for (size_t i = 0; i < p->sc->client_count; i++)
        process_table_free(p->tables[i]);
    if (p->shadow)
        redis_free(p->shadow);
    intern *all[] = { p->node_bytes, p->server_bytes, p->servers_bytes, p->env_bytes, p->tasks, p->channels, p->messages, p->commands,
                      p->step_bytes, p->model_bytes, p->task_bytes, p->channel_bytes, p->event_bytes, p->mail_bytes };
    for (size_t i = 0; i < COUNT(all); i++)
        intern_free(all[i]);
    mem_free(p->nodes);
    mem_free(p->servers);
    mem_free(p->steps);
    mem_free(p->events);
    mem_free(p->mails);
    mem_free(p->run_list);
    mem_free(p->locals);
    mem_free(p->list.items);
    mem_free(p->new_numbers);
    mem_free(p->new_tasks);
    mem_free(p->said);
    mem_free(p->scripts);
    waiting_free(p->waiting);
    map3_free(&p->runs);
    map3_free(&p->local);
    err_clear(&p->error);
    arena_free(p->scratch);
    arena_free(p->memory);
    mem_free(p);
}

process_table *parts_table(parts *p, uint32_t process)
{
    return p->tables[process];
}

const script_file *parts_script(parts *p, const script_file *script, server *s)
{
    if (p->sc->faults[FAULT_SCRIPT_FLUSH].budget + p->sc->faults[FAULT_WIPE].budget > 0)
        server_redis(s);   /* which scripts it knows is a part of its state */
    for (size_t i = 0; i < p->script_count; i++)
        if (strcmp(p->scripts[i]->sha1, script->sha1) == 0)
            return p->scripts[i];
    script_file *kept = ARENA_NEW(p->memory, script_file);
    *kept = *script;
    kept->name = arena_str(p->memory, script->name);
    kept->path = arena_str(p->memory, script->path);
    kept->body = arena_str(p->memory, script->body);
    MEM_RESERVE(p->scripts, p->script_cap, p->script_count + 1);
    p->scripts[p->script_count++] = kept;
    return kept;
}

/* ---- the beginning ---- */

static uint32_t subscribed_to_nothing(parts *p)
{
    uint32_t *list = ARENA_ARRAY(p->scratch, uint32_t, p->sc->client_count + 1);
    for (size_t q = 0; q < p->sc->client_count; q++)
        list[q] = p->nodes[p->start.nodes[q]].facts.channels;
    return parts_channels(p, list);
}

static bool begin(parts *p, err *e)
{
    world *w = p->w;
    size_t count = w->node_count;
    uint32_t *lists = ARENA_ARRAY(p->scratch, uint32_t, count + 2);
    p->start.nodes = ARENA_ARRAY(p->memory, uint32_t, count + 1);
    for (uint32_t q = 0; q < count; q++) {
        events_begin(p, q, NULL);
        if (!world_run_first(w, q, e))
            return false;
        p->start.nodes[q] = node_save(p, w, q, e);
        if (p->start.nodes[q] == PART_NONE)
            return false;
        lists[q] = events_end(p, &p->names_after);
    }
    p->channels_now = subscribed_to_nothing(p);
    p->start.seen = w->seen;
    p->start.servers = servers_save(p, w);
    p->start.locks = p->mask;
    events_begin(p, NOBODY, NULL);
    if (!parts_look(p, p->start.servers, p->start.servers, 0, 0, e))
        return false;
    lists[count] = events_end(p, NULL);
    model *m = model_new(&p->sc->model, p->names, count);
    p->start.blank = model_id(p, m, p->judged_ms, NULL);
    for (size_t i = 0; i < count; i++) {
        parts_hear(p, m, lists[i]);
        const events_record *r = &p->events[lists[i]];
        if (r->process != NOBODY)
            model_rename(m, r->process, r->requests, r->request_count, r->tasks, r->task_count);
    }
    uint32_t *tasks = ARENA_ARRAY(p->scratch, uint32_t, count + 1);
    for (size_t q = 0; q < count; q++)
        tasks[q] = p->nodes[p->start.nodes[q]].facts.tasks;
    p->start.model = parts_judge_first(p, m, lists[count], parts_tasks(p, tasks), &p->start.broken);
    model_free(m);
    return true;
}

parts *parts_new(const scenario *sc, const loader *l, const world_options *o, bool live, bool absolute, err *e)
{
    assert(live || !absolute);
    parts *p = mem_zero(sizeof *p);
    p->sc = sc;
    p->memory = arena_new();
    p->scratch = arena_new();
    p->absolute = absolute;
    p->judged_ms = WORLD_EPOCH_MS;
    p->channels_set = PART_NONE;
    open_tables(p);
    p->waiting = waiting_new();
    p->tables = ARENA_ARRAY(p->memory, process_table *, sc->client_count + 1);
    p->names = ARENA_ARRAY(p->memory, str, sc->client_count + 1);
    for (size_t i = 0; i < sc->client_count; i++) {
        p->tables[i] = process_table_new(sc, l, i);
        p->names[i] = sc->clients[i].name;
    }
    if (live)
        return p;
    p->w = world_make(sc, l, o, p, e);
    bool ok = p->w;
    if (ok) {
        shadow_open(p);
        ok = begin(p, e);
    }
    if (ok)
        return p;
    parts_free(p);
    return NULL;
}

const part_state *parts_begin(const parts *p)
{
    return &p->start;
}

/* ---- small questions ---- */

const node_facts *parts_node(parts *p, uint32_t node)
{
    return &p->nodes[node].facts;
}

const servers_facts *parts_servers(parts *p, uint32_t servers)
{
    return &p->servers[servers].facts;
}

uint32_t parts_env(parts *p, const part_env *env)
{
    part_env clean;        /* no padding may differ */
    memset(&clean, 0, sizeof clean);
    clean.faults = env->faults;
    clean.locks = env->locks;
    clean.deadline_now = env->deadline_now;
    clean.at_end = env->at_end;
    clean.ended = env->ended;
    return intern_add(p->env_bytes, (str){ (const char *)&clean, sizeof clean }, NULL);
}

static part_env env_of(const parts *p, uint32_t id)
{
    part_env env;
    memcpy(&env, intern_get(p->env_bytes, id).p, sizeof env);
    return env;
}

uint32_t parts_tasks(parts *p, const uint32_t *of_nodes)
{
    return intern_add(p->tasks, (str){ (const char *)of_nodes, p->sc->client_count * sizeof *of_nodes }, NULL);
}

uint32_t parts_channels(parts *p, const uint32_t *of_nodes)
{
    return intern_add(p->channels, (str){ (const char *)of_nodes, p->sc->client_count * sizeof *of_nodes }, NULL);
}

part_step parts_step(const parts *p, uint32_t step)
{
    return p->steps[step];
}

bool parts_error(const parts *p, err *e)
{
    if (!p->error.class_)
        return false;
    err_copy(e, &p->error);
    return true;
}

bool parts_absolute(const parts *p, str *why)
{
    *why = p->why_absolute;
    for (size_t i = 0; i < p->sc->client_count && !why->n; i++)
        process_table_absolute(p->tables[i], why);
    return why->n > 0;
}

part_counts parts_count(const parts *p)
{
    part_counts c = { .scripts = p->script_runs, .nodes = intern_count(p->node_bytes), .servers = intern_count(p->servers_bytes),
                      .models = intern_count(p->model_bytes), .events = intern_count(p->event_bytes), .locks = p->lock_count };
    for (size_t i = 0; i < p->sc->client_count; i++)
        c.clients += process_table_runs_all(p->tables[i]);
    return c;
}

size_t parts_bytes(const parts *p)
{
    const intern *all[] = { p->node_bytes, p->server_bytes, p->servers_bytes, p->env_bytes, p->tasks, p->channels, p->messages, p->commands,
                            p->step_bytes, p->model_bytes, p->task_bytes, p->channel_bytes, p->event_bytes, p->mail_bytes };
    size_t n = arena_bytes(p->memory) + arena_bytes(p->scratch);
    for (size_t i = 0; i < COUNT(all); i++)
        n += intern_bytes(all[i]);
    for (size_t i = 0; i < p->sc->client_count; i++)
        n += process_table_bytes(p->tables[i]);
    return n + p->node_cap * sizeof *p->nodes + p->servers_cap * sizeof *p->servers + map3_bytes(&p->runs) + map3_bytes(&p->local);
}

/* ---- steps by name ---- */

uint32_t step_id(parts *p, const step *s, const node_record *of)
{
    part_step t = { .kind = s->kind, .fault = s->fault, .process = s->process, .task = NOBODY, .copy = s->copy, .server = s->server, .amount = s->amount };
    for (size_t i = 0; of && s->task != NOBODY && i < of->task_count; i++)
        if (of->task_ids[i] == s->task)
            t.task = (uint32_t)i;
    for (size_t i = 0; of && s->request && i < of->number_count; i++)
        if (of->numbers[i] == s->request)
            t.request = (uint32_t)i + 1;
    buf b = { 0 };
    buf_u64(&b, (uint64_t)t.kind << 32 | (uint64_t)t.fault);
    buf_u64(&b, (uint64_t)t.process << 32 | t.task);
    buf_u64(&b, (uint64_t)t.request << 32 | t.copy);
    buf_u64(&b, t.server);
    buf_u64(&b, (uint64_t)t.amount);
    buf_lenstr(&b, s->key);
    bool fresh;
    uint32_t id = intern_add(p->step_bytes, buf_str(&b), &fresh);
    buf_free(&b);
    if (fresh) {
        MEM_RESERVE(p->steps, p->step_cap, (size_t)id + 1);
        t.key = arena_str(p->memory, s->key);
        p->steps[id] = t;
    }
    return id;
}

/* ---- taking a step ---- */

static void set_up(parts *p, const part_env *env, uint32_t channels)
{
    world *w = p->w;
    arena_reset(p->scratch);
    arena_reset(w->step_memory);
    w->now_ms = WORLD_EPOCH_MS;
    w->end_ms = env->at_end ? w->now_ms : INT64_MAX;
    for (int k = 0; k < FAULT_KINDS; k++)
        w->budget[k] = env->faults >> k & 1;
    w->deadline_now = env->deadline_now;
    w->over = false;
    w->seen = 0;
    p->mask = env->locks;
    p->channels_now = channels;
}

static void failed(parts *p, effect *f, err *e)
{
    f->failed = true;
    if (!p->error.class_)
        err_copy(&p->error, e);
    err_clear(e);
    for (size_t i = 0; i < p->w->server_count; i++)
        p->w->servers[i].asleep = true;
}

/* Takes `s` in the world as it is loaded. `node`: of the process whose step it is, or NULL. */
static effect take(parts *p, const step *s, const node_record *of, const part_env *env, uint32_t servers)
{
    world *w = p->w;
    effect f = { .kind = (uint8_t)s->kind, .spends = (uint8_t)(s->kind == STEP_FAULT ? s->fault : FAULT_KINDS), .holds = s->holds_time,
                 .step = step_id(p, s, of), .node = PART_NONE, .mail = PART_NONE, .servers = servers, .locks = env->locks };
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

static bool asks(const step *s)
{
    return s->kind == STEP_EXECUTE || s->kind == STEP_ROUND_TRIP;
}

static void load(parts *p, uint32_t process, uint32_t node, const part_env *env, uint32_t channels)
{
    nodes_unload(p);
    set_up(p, env, channels);
    node_load(p, process, node);
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

static const struct local_steps *local_steps(parts *p, uint32_t process, uint32_t node, uint32_t env_id, const part_env *env, uint32_t channels)
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
        l.effects[i] = take(p, &l.again[i], &p->nodes[node], env, PART_NONE);
        l.effects[i].asks = l.effects[i].locks != env->locks;  /* what the new lock looks like is the servers' business */
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

const effects *parts_of_process(parts *p, uint32_t process, uint32_t node, uint32_t env_id, uint32_t servers, uint32_t channels)
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
    if (env.ended || !env.faults)
        return &p->list;
    world *w = p->w;
    nodes_unload(p);
    set_up(p, &env, channels);
    servers_load(p, servers);
    w->step_count = 0;
    for (uint32_t i = 0; i < w->server_count; i++)
        faults_of_server(w, i);
    size_t count = w->step_count;
    arena *a = arena_new();
    step *steps = ARENA_ARRAY(a, step, count + 1);
    for (size_t i = 0; i < count; i++) {
        steps[i] = w->steps[i];
        steps[i].key = arena_str(a, w->steps[i].key);
    }
    for (size_t i = 0; i < count; i++) {
        set_up(p, &env, channels);
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
    set_up(p, &env, p->channels_now);
    servers_load(p, servers);
    for (size_t i = 0; i < w->server_count; i++)
        server_redis(&w->servers[i]);
    w->now_ms += ms;
    time_passed_for_servers(w);
    uint32_t after = servers_save(p, w);
    for (size_t i = 0; i < w->server_count; i++)
        w->servers[i].asleep = true;   /* what lies there is of another instant */
    return after;
}

uint32_t parts_expiry(parts *p, uint32_t before, uint32_t after, int64_t ms, uint32_t env_id, uint64_t *seen)
{
    part_env env = env_of(p, env_id);
    set_up(p, &env, p->channels_now);
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
