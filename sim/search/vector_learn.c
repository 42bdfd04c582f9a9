/* vector_learn.c - configurations: what can happen to a node, or to the servers, in a context; the parts are asked
 * once. Also loops in zero time: which tasks spin, and which steps hold time. */
#include "base/mem.h"
#include "search/vector_internal.h"

static effects copy_effects(vectors *t, const effects *list)
{
    effects kept = { .count = list->count, .items = ARENA_ARRAY(t->memory, effect, list->count + 1) };
    for (size_t i = 0; i < list->count; i++) {
        kept.items[i] = list->items[i];
        t->seen |= list->items[i].seen;
        t->failed |= list->items[i].failed && !t->going_back;
    }
    return kept;
}

static void note_deadline(vectors *t, uint32_t before, uint32_t after)
{
    t->expires_at_once |= after != before && !parts_servers(t->p, before)->deadline_now &&
                          parts_servers(t->p, after)->deadline_now;
}

static row_change change_of(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, const effect *f)
{
    context c = t->context_list[ctx];
    assert(f->node < SERVERS && f->servers != PART_NONE);
    note_deadline(t, c.servers, f->servers);
    print change = { 0 };
    row_change k = { .model = INTERN_NONE, .word = f->node * FACTOR, .servers = f->servers, .events = f->events,
                     .step = f->step, .fault = f->kind == STEP_FAULT };
    const node_facts *was = parts_node(t->p, node), *is = parts_node(t->p, f->node);
    k.simple = f->mail == PART_NONE && f->spends == FAULT_KINDS && f->locks == c.locks && was->tasks == is->tasks &&
               was->channels == is->channels && parts_servers(t->p, c.servers)->deadline_now ==
                   parts_servers(t->p, f->servers)->deadline_now;
    k.stays = f->node == node && f->servers == c.servers;
    k.context = k.simple ? context_of(t, f->servers, c.env, c.channels, c.locks) : INTERN_NONE;
    print_change(&change, process, node * FACTOR, k.word);
    print_change(&change, t->clients + AT_SERVERS, c.servers, f->servers);
    k.change_hi = change.hi;
    k.change_lo = change.lo;
    return k;
}

void configs_grow(vectors *t)
{
    enum { FIRST = 256 };
    size_t old_cap = t->config_cap;
    config **old = t->configs;
    t->config_cap = old_cap ? 2 * old_cap : FIRST;
    t->configs = mem_zero(t->config_cap * sizeof *t->configs);
    for (size_t i = 0; i < old_cap; i++)
        if (old[i])
            t->configs[config_slot(t, old[i]->node, old[i]->context)] = old[i];
    mem_free(old);
}

/* Memory aligned to a cache line. */
static void *line_alloc(vectors *t, size_t bytes)
{
    char *p = arena_alloc(t->hot, bytes + LINE);
    return p + (LINE - (uintptr_t)p % LINE) % LINE;
}

static config *config_add(vectors *t, uint32_t node, uint32_t ctx, effects kept)
{
    config *x = line_alloc(t, sizeof *x + kept.count * sizeof *x->changes + sizeof(rare));
    *x = (config){ .node = node, .context = ctx, .count = (uint32_t)kept.count };
    *rare_of(x) = (rare){ .items = kept.items, .spinning = NOBODY };
    x->op = MEETINGS_NONE;
    for (size_t i = 0; i < kept.count; i++)
        if (kept.items[i].op != MEETINGS_NONE && kept.items[i].asks) {
            x->op = x->op == MEETINGS_NONE ? kept.items[i].op : SEVERAL_OPS;
            rare_of(x)->ops |= UINT64_C(1) << kept.items[i].op;
        }
    if (4 * (t->config_count + 1) > t->config_cap)
        configs_grow(t);
    t->configs[config_slot(t, node, ctx)] = x;
    t->config_count++;
    return x;
}

config *config_learn(vectors *t, uint32_t process, uint32_t node, uint32_t ctx)
{
    learns(t);
    context c = t->context_list[ctx];
    effects kept = copy_effects(t, parts_of_process(t->p, process, node, c.env, c.servers, c.channels));
    config *x = config_add(t, node, ctx, kept);
    rare_of(x)->spins = arena_alloc(t->memory, (kept.count + 1) * sizeof *rare_of(x)->spins);
    for (size_t i = 0; i < kept.count && !kept.items[i].failed; i++)
        x->changes[i] = change_of(t, process, node, ctx, &kept.items[i]);
    return x;
}

const effects *server_faults(vectors *t, uint32_t ctx)
{
    if (!t->context_list[ctx].faults_known) {
        learns(t);
        context *c = &t->context_list[ctx];
        effects kept = copy_effects(t, parts_of_servers(t->p, c->env, c->servers, c->channels));
        for (size_t i = 0; i < kept.count && !kept.items[i].failed; i++)
            note_deadline(t, t->context_list[ctx].servers, kept.items[i].servers);
        MEM_RESERVE(t->fault_list, t->fault_cap, t->fault_count + 1);
        t->fault_list[t->fault_count] = kept;
        c->faults = (uint32_t)t->fault_count++;
        c->faults_known = true;
    }
    return &t->fault_list[t->context_list[ctx].faults];
}

config *config_of_servers(vectors *t, uint32_t bound, uint32_t ctx, effects faults, bool ended)
{
    learns(t);
    config *x = config_add(t, SERVERS | bound, ctx, faults);
    context c = t->context_list[ctx];
    for (size_t i = 0; i < faults.count; i++) {
        const effect *f = &faults.items[i];
        print change = { 0 };
        uint32_t after = bounds_after(t, bound, f);
        row_change *k = &x->changes[i];
        *k = (row_change){ .model = INTERN_NONE, .word = after, .servers = f->servers, .events = f->events,
                           .step = f->step, .fault = f->kind == STEP_FAULT,
                      .simple = f->mail == PART_NONE, .stays = after == bound && f->servers == c.servers,
                      .context = context_with(t, f->servers, after, c.channels, ended) };
        print_change(&change, t->clients + AT_BOUNDS, bound, after);
        print_change(&change, t->clients + AT_SERVERS, c.servers, f->servers);
        k->change_hi = change.hi;
        k->change_lo = change.lo;
    }
    return x;
}

int config_own_step(const vectors *t, const config *c, uint32_t task)
{
    int found = -1;
    for (uint32_t i = 0; i < c->count; i++) {
        const effect *f = &items_of(c)[i];
        bool own = parts_step(t->p, f->step).task == task && (f->holds || f->zero) &&
                   (f->kind == STEP_RUN || f->kind == STEP_ROUND_TRIP || f->kind == STEP_EXECUTE ||
                    f->kind == STEP_ANSWER);
        if (own && found >= 0)
            return -1;
        if (own)
            found = (int)i;
    }
    return found;
}

/* If the task of this step goes on alone and the servers do not change: does it loop in zero time, and does it return
 * to the state of its node in which the step was taken? */
static void loop_of(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c, uint32_t item)
{
    enum { LOOP_MAX = 64 };
    learns(t);
    const effect *f = &items_of(c)[item];
    uint32_t task = parts_step(t->p, f->step).task, been[LOOP_MAX] = { node };
    bool round = false, back = false;
    for (int i = 1; i < LOOP_MAX && !round && !t->failed; i++) {
        if (f->servers != t->context_list[ctx].servers || f->mail != PART_NONE || f->node == PART_NONE || f->failed)
            break;
        been[i] = f->node;
        for (int k = 0; k < i; k++)
            round |= been[k] == f->node;
        back = f->node == node;
        const config *next = config_of(t, process, f->node, ctx);
        int own = config_own_step(t, next, task);
        if (own < 0)
            break;
        f = &items_of(next)[own];
    }
    rare_of(c)->spins[item].comes_back = back ? YES : NO;
    rare_of(c)->spins[item].goes_round = round ? YES : NO;
}

static bool comes_back(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c, uint32_t item)
{
    if (rare_of(c)->spins[item].comes_back == UNKNOWN)
        loop_of(t, process, node, ctx, c, item);
    return rare_of(c)->spins[item].comes_back == YES;
}

bool config_goes_round(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c, uint32_t item)
{
    if (rare_of(c)->spins[item].goes_round == UNKNOWN)
        loop_of(t, process, node, ctx, c, item);
    return rare_of(c)->spins[item].goes_round == YES;
}

bool config_learn_held(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c)
{
    learns(t);
    bool held = false;
    for (uint32_t i = 0; i < c->count; i++) {
        const effect *f = &items_of(c)[i];
        if (!f->holds)
            continue;
        bool spin = f->asks && (f->kind == STEP_ROUND_TRIP || f->kind == STEP_EXECUTE) &&
                    comes_back(t, process, node, ctx, c, i);
        if (spin)
            rare_of(c)->spinning = parts_step(t->p, f->step).task;
        held |= !spin;
    }
    c->held = held ? YES : NO;
    return held;
}
