/* whole_judge.c - who can never pass its wait (LK011), and what is left for ever (LK030). */
#include "search/whole_internal.h"

#include <string.h>

bool whole_cycle_by_time(const graph *g, const uint32_t *of, uint32_t node, numbers *cycle)
{
    uint32_t *by = mem_alloc(graph_node_count(g) * sizeof *by), last = UINT32_MAX;
    for (uint32_t i = 0; i < graph_node_count(g); i++)
        by[i] = UINT32_MAX;
    numbers queue = { 0 };
    add_number(&queue, node);
    for (size_t i = 0; i < queue.count && last == UINT32_MAX; i++)
        for (uint32_t e = graph_first_edge(g, queue.items[i]), end = graph_edges_end(g, queue.items[i]);
             e < end && last == UINT32_MAX; e++) {
            graph_edge x = graph_get_edge(g, e);
            if (x.fault || of[x.to] != of[node])
                continue;
            if (x.to == node && x.mover == MOVER_TIME)
                last = e;
            else if (x.to != node && by[x.to] == UINT32_MAX) {
                by[x.to] = e;
                add_number(&queue, x.to);
            }
        }
    queue.count = 0;
    for (uint32_t e = last; e != UINT32_MAX; e = by[graph_edge_source(g, e)])
        add_number(&queue, e);
    for (size_t i = queue.count; i-- > 0;)
        add_number(cycle, queue.items[i]);
    mem_free(queue.items);
    mem_free(by);
    return last != UINT32_MAX;
}

/* LK030 where time never comes to rest: something is left in a state of a cycle. */
void whole_judge_leaks(whole *w)
{
    if (!is_open(w, PROPERTY_NO_LEAK) || w->leaks.count == 0)
        return;
    arena *a = arena_new();
    numbers folded = { 0 };
    uint32_t *rest, count = graph_find_rest(a, w->g, &rest), at = 0;
    uint32_t *of = mem_alloc(graph_node_count(w->g) * sizeof *of);
    graph_find_components(w->g, of, NULL);
    for (size_t i = 0; i < w->leaks.count && is_open(w, PROPERTY_NO_LEAK); i++) {
        uint32_t node = w->leaks.items[i];
        numbers cycle = { 0 };
        while (at < count && rest[at] < node)
            at++;
        bool left = at < count && rest[at] == node && whole_cycle_by_time(w->g, of, node, &cycle);
        if (left && vectors_folds(w->t))
            add_number(&folded, node);
        else if (left) {
            way to = { .rests = true };
            graph_path stem;
            graph_path_to_node(a, w->g, node, &stem);
            whole_add_edges(w->g, stem.edges, stem.count, &to);
            to.loop = to.count;
            whole_add_edges(w->g, cycle.items, cycle.count, &to);
            whole_found(w, PROPERTY_NO_LEAK, &to);
            mem_free(to.choices);
        }
        mem_free(cycle.items);
    }
    whole_plain_leak(w, &folded);
    mem_free(folded.items);
    mem_free(of);
    arena_free(a);
}

bool whole_leaks(whole *w)
{
    if (!is_open(w, PROPERTY_NO_LEAK) || w->leaks.count == 0)
        return false;
    arena *a = arena_new();
    uint32_t *rest, count = graph_find_rest(a, w->g, &rest), at = 0;
    uint32_t *of = mem_alloc(graph_node_count(w->g) * sizeof *of);
    graph_find_components(w->g, of, NULL);
    bool found = false;
    for (size_t i = 0; i < w->leaks.count && !found; i++) {
        numbers cycle = { 0 };
        while (at < count && rest[at] < w->leaks.items[i])
            at++;
        found = at < count && rest[at] == w->leaks.items[i] &&
                whole_cycle_by_time(w->g, of, w->leaks.items[i], &cycle);
        mem_free(cycle.items);
    }
    mem_free(of);
    arena_free(a);
    return found;
}

/* Everything that can happen from `node` on without faults, as a graph that begins there; edges[i] is its i-th edge in
 * `g`. */
static graph *future_of(const graph *g, uint32_t node, const uint64_t waiter, numbers *edges)
{
    graph *sub = graph_open(UINT64_C(1) << MOVER_TIME);
    graph_set_unstoppable(sub, UINT64_C(1) << MOVER_TIME);
    uint32_t *number = mem_alloc(graph_node_count(g) * sizeof *number);
    for (uint32_t i = 0; i < graph_node_count(g); i++)
        number[i] = UINT32_MAX;
    numbers queue = { 0 };
    add_number(&queue, node);
    number[node] = 0;
    for (size_t i = 0; i < queue.count; i++) {
        graph_add_node(sub, waiter, false);
        for (uint32_t e = graph_first_edge(g, queue.items[i]); e < graph_edges_end(g, queue.items[i]); e++) {
            graph_edge x = graph_get_edge(g, e);
            if (x.fault)
                continue;
            if (number[x.to] == UINT32_MAX) {
                number[x.to] = (uint32_t)queue.count;
                add_number(&queue, x.to);
            }
            x.to = number[x.to];
            x.progress = 0;
            graph_add_edge(sub, x);
            add_number(edges, e);
        }
    }
    mem_free(queue.items);
    mem_free(number);
    return sub;
}

static void add_mapped(const graph *g, const graph_path *path, const numbers *edges, way *out)
{
    for (size_t i = 0; i < path->count; i++)
        whole_add_edges(g, &edges->items[path->edges[i]], 1, out);
}

void whole_mark(whole *w)
{
    uint32_t nodes = graph_node_count(w->g), *rest;
    arena *a = arena_new();
    bool *marked = mem_zero(nodes + 1);
    if (causes_asks(w->c, PROPERTY_NO_LEAK)) {
        for (uint32_t i = 0, count = graph_find_rest(a, w->g, &rest); i < count; i++)
            marked[rest[i]] = true;
        for (size_t i = 0; i < w->leaks.count; i++)
            if (marked[w->leaks.items[i]])
                causes_add_node_of(w->c, PROPERTY_NO_LEAK, w->leaks.items[i]);
    }
    memset(marked, 0, nodes);
    if (causes_asks(w->c, PROPERTY_NO_DEADLOCK) && !vectors_folds(w->t))
        graph_mark_deadlocks(w->g, marked);
    for (uint32_t i = 0; i < nodes && w->stuck; i++)
        marked[i] = w->stuck[i] != 0;
    for (uint32_t i = 0; i < nodes; i++)
        if (marked[i])
            causes_add_node_of(w->c, PROPERTY_NO_DEADLOCK, i);
    mem_free(marked);
    arena_free(a);
}

/* LK011 where something goes on for ever, but not for every task. Where nothing goes on, the first pass has found
 * it. */
void whole_judge_deadlock(whole *w)
{
    uint32_t node, waiter;
    if (vectors_folds(w->t)) {
        whole_plain_deadlock(w);
        return;
    }
    if (!is_open(w, PROPERTY_NO_DEADLOCK) || !graph_find_deadlock(w->g, &node, &waiter))
        return;
    arena *a = arena_new();
    numbers edges = { 0 };
    way to = { .loop = 0 };
    graph_path stem;
    graph_wait lasso;
    graph *future = future_of(w->g, node, UINT64_C(1) << waiter, &edges);
    graph_path_to_node(a, w->g, node, &stem);
    whole_add_edges(w->g, stem.edges, stem.count, &to);
    if (graph_find_lasso(a, future, UINT64_C(1) << waiter, false, &lasso)) {
        add_mapped(w->g, &lasso.stem, &edges, &to);
        to.loop = to.count;
        add_mapped(w->g, &lasso.walk, &edges, &to);
        whole_found(w, PROPERTY_NO_DEADLOCK, &to);
    } else
        w->h->why_undecided = S("a task can never pass its wait, and no way shows it: this is a mistake of "
                                "locksim's");
    mem_free(to.choices);
    mem_free(edges.items);
    graph_close(future);
    arena_free(a);
}
