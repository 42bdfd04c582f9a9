/* vector_follow.c - values that follow from a row's parts: its bounds after an effect, who can move, who is subscribed,
 * its context. */
#include <string.h>

#include "base/mem.h"
#include "search/vector_internal.h"

uint32_t bounds_id(vectors *t, const bounds *b)
{
    str bytes = { (const char *)b, sizeof *b };
    uint32_t id = intern_find(t->bound_bytes, bytes);
    if (id != INTERN_NONE)
        return id;
    learns(t);
    id = intern_add(t->bound_bytes, bytes, NULL);
    MEM_RESERVE(t->bound_list, t->bound_cap, (size_t)id + 1);
    t->bound_list[id] = *b;
    return id;
}

uint32_t bounds_after(vectors *t, uint32_t bound, const effect *f)
{
    uint32_t next = map3_find(&t->spent, bound, f->spends, f->locks);
    if (next == INTERN_NONE) {
        learns(t);
        bounds b = t->bound_list[bound];
        if (f->spends != FAULT_KINDS) {
            assert(b.budget[f->spends] > 0);
            b.budget[f->spends]--;
        }
        b.locks = f->locks;
        next = bounds_id(t, &b);
        map3_put(&t->spent, bound, f->spends, f->locks, next);
    }
    return next;
}

bool nodes_ended(const vectors *t, const uint32_t *row)
{
    bool all = true;
    for (size_t q = 0; q < t->clients; q++)
        all &= parts_node(t->p, node_of(row[q]))->ended;
    return all;
}

bool tasks_ended(vectors *t, const uint32_t *row)
{
    uint32_t id = row[t->clients + AT_TASKS];
    if (id < t->ended_cap && t->ended[id] != UNKNOWN)
        return t->ended[id] == YES;
    learns(t);
    if (id >= t->ended_cap) {
        size_t cap = t->ended_cap;
        MEM_RESERVE(t->ended, t->ended_cap, (size_t)id + 1);
        memset(t->ended + cap, UNKNOWN, t->ended_cap - cap);
    }
    t->ended[id] = nodes_ended(t, row) ? YES : NO;
    return t->ended[id] == YES;
}

uint32_t context_of(vectors *t, uint32_t servers, uint32_t env, uint32_t channels, uint32_t locks)
{
    uint32_t id = map3_find(&t->contexts, servers, env, channels);
    if (id != INTERN_NONE)
        return id;
    learns(t);
    MEM_RESERVE(t->context_list, t->context_cap, t->context_count + 1);
    t->context_list[t->context_count] = (context){ .servers = servers, .env = env, .channels = channels,
                                                   .locks = locks };
    map3_put(&t->contexts, servers, env, channels, (uint32_t)t->context_count);
    return (uint32_t)t->context_count++;
}

uint32_t context_with(vectors *t, uint32_t servers, uint32_t bound, uint32_t channels, bool ended)
{
    bool deadline = parts_servers(t->p, servers)->deadline_now;
    uint32_t flags = (uint32_t)(deadline + 2 * ended);
    uint32_t env = map3_find(&t->env_ids, bound, flags, 0);
    if (env == INTERN_NONE) {
        learns(t);
        bounds b = t->bound_list[bound];
        part_env e = { .locks = b.locks, .deadline_now = deadline, .ended = ended, .at_end = b.left_ms <= 0 };
        for (int k = 0; k < FAULT_KINDS; k++)
            e.faults |= (uint32_t)(b.budget[k] > 0) << k;
        env = parts_env(t->p, &e);
        map3_put(&t->env_ids, bound, flags, 0, env);
    }
    return context_of(t, servers, env, channels, t->bound_list[bound].locks);
}

uint32_t context_id(vectors *t, const uint32_t *row)
{
    const uint32_t *of = row + t->clients;
    return context_with(t, of[AT_SERVERS], of[AT_BOUNDS], of[AT_CHANNELS], tasks_ended(t, row));
}

uint32_t row_tasks(vectors *t, const uint32_t *row)
{
    uint32_t list[64] = { 0 }, *of = t->clients <= COUNT(list) ? list : mem_alloc(t->clients * sizeof *of);
    for (size_t q = 0; q < t->clients; q++)
        of[q] = parts_node(t->p, node_of(row[q]))->tasks;
    uint32_t id = parts_tasks(t->p, of);
    if (of != list)
        mem_free(of);
    return id;
}

uint32_t row_channels(vectors *t, const uint32_t *row)
{
    uint32_t list[64] = { 0 }, *of = t->clients <= COUNT(list) ? list : mem_alloc(t->clients * sizeof *of);
    for (size_t q = 0; q < t->clients; q++)
        of[q] = parts_node(t->p, node_of(row[q]))->channels;
    uint32_t id = parts_channels(t->p, of);
    if (of != list)
        mem_free(of);
    return id;
}

void row_follow(vectors *t, uint32_t *row, size_t q, uint32_t old)
{
    const node_facts *was = parts_node(t->p, old), *is = parts_node(t->p, node_of(row[q]));
    uint32_t *tasks = &row[t->clients + AT_TASKS], *channels = &row[t->clients + AT_CHANNELS];
    if (was->tasks != is->tasks) {
        uint32_t key = (uint32_t)q, next = map3_find(&t->tasks_after, *tasks, key, is->tasks);
        if (next == INTERN_NONE) {
            learns(t);
            next = row_tasks(t, row);
            map3_put(&t->tasks_after, *tasks, key, is->tasks, next);
        }
        *tasks = next;
    }
    if (was->channels != is->channels) {
        uint32_t key = (uint32_t)q, next = map3_find(&t->channels_after, *channels, key, is->channels);
        if (next == INTERN_NONE) {
            learns(t);
            next = row_channels(t, row);
            map3_put(&t->channels_after, *channels, key, is->channels, next);
        }
        *channels = next;
    }
}
