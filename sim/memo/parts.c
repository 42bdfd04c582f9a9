/* parts.c - see parts.h: making and freeing parts, and small questions. */
#include "memo/parts.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "memo/parts_internal.h"

/* ---- making and freeing ---- */

static void open_tables(parts *p)
{
    intern **all[] = { &p->node_bytes, &p->server_bytes, &p->servers_bytes, &p->env_bytes, &p->tasks, &p->channels,
                       &p->messages, &p->commands,
                       &p->step_bytes, &p->model_bytes, &p->task_bytes, &p->channel_bytes, &p->event_bytes,
                       &p->mail_bytes, &p->answer_bytes, &p->permutations };
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
    process_tables_free(p->own_tables);
    for (size_t q = 0; p->shadow && q < p->sc->client_count; q++)
        buf_free(&p->shadow_said[q]);
    mem_free(p->shadow_said);
    if (p->shadow)
        redis_free(p->shadow);
    intern *all[] = { p->node_bytes, p->server_bytes, p->servers_bytes, p->env_bytes, p->tasks, p->channels,
                      p->messages, p->commands,
                      p->step_bytes, p->model_bytes, p->task_bytes, p->channel_bytes, p->event_bytes, p->mail_bytes,
                      p->answer_bytes, p->permutations };
    for (size_t i = 0; i < COUNT(all); i++)
        intern_free(all[i]);
    map3_free(&p->permuted_nodes);
    map3_free(&p->permuted_servers);
    map3_free(&p->permuted_models);
    mem_free(p->nodes);
    mem_free(p->servers);
    mem_free(p->steps);
    mem_free(p->events);
    mem_free(p->mails);
    mem_free(p->answers);
    mem_free(p->served);
    mem_free(p->run_list);
    mem_free(p->locals);
    mem_free(p->list.items);
    mem_free(p->new_numbers);
    mem_free(p->new_tasks);
    mem_free(p->said);
    mem_free(p->scripts);
    waiting_free(p->waiting);
    map3_free(&p->kept_numbers);
    map3_free(&p->runs);
    map3_free(&p->tries);
    map3_free(&p->local);
    err_clear(&p->error);
    arena_free(p->scratch);
    arena_free(p->memory);
    mem_free(p);
}

const script_file *parts_script(parts *p, const script_file *script, server *s)
{
    if (p->sc->faults[FAULT_SCRIPT_FLUSH].budget + p->sc->faults[FAULT_WIPE].budget > 0)
        server_redis(s);   /* the scripts that it knows are part of its state */
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

static uint64_t client_runs(const parts *p, uint64_t (*count)(const process_table *t))
{
    uint64_t runs = 0;
    for (size_t i = 0; i < p->sc->client_count; i++)
        if (!p->equals || p->equals->first[i] == i)
            runs += count(process_tables_get(p->tables, i));
    return runs;
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

parts *parts_new(const scenario *sc, const loader *l, const parts_options *o, err *e)
{
    assert(o->live || !o->absolute);
    parts *p = mem_zero(sizeof *p);
    p->sc = sc;
    p->stops_without = o->world->stops_without;
    p->memory = arena_new();
    p->scratch = arena_new();
    p->absolute = o->absolute;
    p->instants = instants_of_clients(o->world->limits.instants);
    p->judged_ms = WORLD_EPOCH_MS;
    p->channels_set = PART_NONE;
    open_tables(p);
    p->waiting = waiting_new();
    p->equals = o->live ? NULL : o->equals;
    permutation none = permutation_none();
    parts_permutation(p, &none);
    p->tables = o->tables && !o->live && !p->equals && p->instants == INSTANTS_PLAIN ? o->tables
                : (p->own_tables = process_tables_new_equal(sc, l, p->equals, p->instants));
    p->client_runs_before = client_runs(p, process_table_runs_all);
    p->client_repeats_before = client_runs(p, process_table_repeated);
    p->judgements = o->live ? NULL : o->judgements;
    p->trials = o->trials;
    p->names = ARENA_ARRAY(p->memory, str, sc->client_count + 1);
    for (size_t i = 0; i < sc->client_count; i++)
        p->names[i] = sc->clients[i].name;
    parts_learn(p);
    if (o->live)
        return p;
    p->w = world_make(sc, l, o->world, &p->as, e);
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
    part_env clean;        /* compared as bytes: padding must be zero */
    memset(&clean, 0, sizeof clean);
    clean.faults = env->faults;
    clean.locks = env->locks;
    clean.deadline_now = env->deadline_now;
    clean.at_end = env->at_end;
    clean.ended = env->ended;
    return intern_add(p->env_bytes, (str){ (const char *)&clean, sizeof clean }, NULL);
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
    return why->n > 0 || process_tables_absolute(p->tables, why);
}

str parts_views_differ(const parts *p)
{
    for (size_t k = 0; k < p->lock_count; k++)
        if (p->locks[k].views_differ)
            return p->locks[k].name;
    return S("");
}

part_counts parts_count(const parts *p)
{
    part_counts c = { .scripts = p->script_runs, .nodes = intern_count(p->node_bytes),
                      .servers = intern_count(p->servers_bytes),
                      .models = intern_count(p->model_bytes), .events = intern_count(p->event_bytes),
                      .locks = p->lock_count };
    c.repeats = client_runs(p, process_table_repeated) - p->client_repeats_before;
    c.clients = client_runs(p, process_table_runs_all) - p->client_runs_before - c.repeats;
    return c;
}

size_t parts_bytes(const parts *p)
{
    const intern *all[] = { p->node_bytes, p->server_bytes, p->servers_bytes, p->env_bytes, p->tasks, p->channels,
                            p->messages, p->commands,
                            p->step_bytes, p->model_bytes, p->task_bytes, p->channel_bytes, p->event_bytes,
                            p->mail_bytes, p->answer_bytes };
    size_t n = arena_bytes(p->memory) + arena_bytes(p->scratch);
    for (size_t i = 0; i < COUNT(all); i++)
        n += intern_bytes(all[i]);
    return n + process_tables_bytes(p->tables) + p->node_cap * sizeof *p->nodes + p->servers_cap * sizeof *p->servers +
           map3_bytes(&p->runs) + map3_bytes(&p->local);
}

/* ---- steps by name ---- */

uint32_t step_id(parts *p, world *w, const step *s, const node_record *of)
{
    part_step t = { .kind = s->kind, .fault = s->fault, .process = s->process, .task = NOBODY, .copy = s->copy,
                    .server = s->server, .amount = s->amount, .coin = s->coin };
    for (size_t i = 0; of && s->task != NOBODY && i < of->task_count; i++)
        if (of->task_ids[i] == s->task)
            t.task = (uint32_t)i;
    for (size_t i = 0; of && s->request && i < of->number_count; i++)
        if (of->numbers[i] == s->request)
            t.request = (uint32_t)i + 1;
    buf b = { 0 };
    buf_u64(&b, (uint64_t)t.kind << 32 | (uint64_t)t.coin << 16 | (uint64_t)t.fault);
    buf_u64(&b, (uint64_t)t.process << 32 | t.task);
    buf_u64(&b, (uint64_t)t.request << 32 | t.copy);
    buf_u64(&b, t.server);
    buf_u64(&b, (uint64_t)t.amount);
    buf_lenstr(&b, s->key);
    size_t before_op = b.n;
    world_step_op(w, s, &b);
    bool fresh;
    uint32_t id = intern_add(p->step_bytes, buf_str(&b), &fresh);
    if (fresh) {
        MEM_RESERVE(p->steps, p->step_cap, (size_t)id + 1);
        t.key = arena_str(p->memory, s->key);
        t.op = arena_str(p->memory, str_slice(buf_str(&b), before_op, b.n));
        p->steps[id] = t;
    }
    buf_free(&b);
    return id;
}
