/* graph.c - building a graph, 8 bytes a node and 8 an edge, and reading it. */
#include <assert.h>

#include "base/mem.h"
#include "search/graph_internal.h"

graph *graph_open(uint64_t nobody)
{
    graph *g = mem_zero(sizeof *g);
    g->nobody = nobody;
    g->known = 1;
    return g;
}

void graph_set_unstoppable(graph *g, uint64_t movers)
{
    g->unstoppable = movers;
}

void graph_close(graph *g)
{
    if (!g)
        return;
    for (graph_labels *l = &g->node_labels; l; l = l == &g->node_labels ? &g->edge_labels : NULL) {
        mem_free(l->at);
        map3_free(&l->known);
    }
    mem_free(g->node_label);
    mem_free(g->first);
    mem_free(g->arrows);
    mem_free(g->levels);
    mem_free(g);
}

/* ---- labels ---- */

static uint32_t label_number(graph_labels *l, graph_label k)
{
    if (l->count && l->at[l->last].mask == k.mask && l->at[l->last].rest == k.rest)
        return l->last;
    uint32_t low = (uint32_t)k.mask, high = (uint32_t)(k.mask >> 32);
    uint32_t number = map3_find(&l->known, low, high, k.rest);
    if (number == INTERN_NONE) {
        number = (uint32_t)l->count;
        MEM_RESERVE(l->at, l->cap, l->count + 1);
        l->at[l->count++] = k;
        map3_put(&l->known, low, high, k.rest, number);
    }
    return l->last = number;
}

/* ---- nodes and edges ---- */

uint32_t graph_add_node(graph *g, uint64_t waits, bool ended)
{
    uint32_t node = g->node_count;
    assert(node < g->known && node < GRAPH_NODES_MAX);
    if (node == g->next_level) {               /* all that this level leads to is still unknown */
        MEM_RESERVE(g->levels, g->level_cap, g->level_count + 1);
        g->levels[g->level_count++] = node;
        g->next_level = g->known;
    }
    MEM_RESERVE(g->node_label, g->node_cap, (size_t)node + 1);
    MEM_RESERVE(g->first, g->first_cap, (size_t)node + 1);
    g->node_label[node] = label_number(&g->node_labels, (graph_label){ .mask = waits, .rest = ended });
    g->first[node] = g->arrow_count;
    return g->node_count++;
}

uint32_t graph_add_edge(graph *g, graph_edge e)
{
    assert(g->node_count > 0 && g->arrow_count < GRAPH_EDGES_MAX);
    assert(e.to <= g->known && e.mover < GRAPH_MOVERS_MAX);
    if (e.to == g->known)
        g->known++;
    uint32_t rest = e.mover | (e.fault ? GRAPH_FAULT : 0) | (e.hand_off ? GRAPH_HAND_OFF : 0) |
                    (e.coin ? GRAPH_COIN : 0);
    uint32_t label = label_number(&g->edge_labels, (graph_label){ .mask = e.progress, .rest = rest });
    MEM_RESERVE(g->arrows, g->arrow_cap, (size_t)g->arrow_count + 1);
    g->arrows[g->arrow_count] = (graph_arrow){ .to = e.to, .label = label };
    return g->arrow_count++;
}

uint32_t graph_node_count(const graph *g)
{
    return g->node_count;
}

uint32_t graph_edge_count(const graph *g)
{
    return g->arrow_count;
}

graph_edge graph_get_edge(const graph *g, uint32_t edge)
{
    assert(edge < g->arrow_count);
    const graph_label *l = graph_label_of(g, edge);
    return (graph_edge){ .to = g->arrows[edge].to, .mover = l->rest & GRAPH_MOVER_BITS, .progress = l->mask,
                         .fault = l->rest & GRAPH_FAULT, .hand_off = l->rest & GRAPH_HAND_OFF,
                         .coin = l->rest & GRAPH_COIN };
}

uint32_t graph_edges_end(const graph *g, uint32_t node)
{
    return graph_end_edge(g, node);
}

/* The last of `count` ascending numbers that is not above `x`. */
static size_t last_not_above(const uint32_t *at, size_t count, uint32_t x)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (at[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t graph_edge_source(const graph *g, uint32_t edge)
{
    assert(edge < g->arrow_count);
    return (uint32_t)last_not_above(g->first, g->node_count, edge);
}

uint32_t graph_first_edge(const graph *g, uint32_t node)
{
    assert(node < g->node_count);
    return g->first[node];
}

uint32_t graph_depth(const graph *g, uint32_t node)
{
    assert(node < g->node_count);
    return (uint32_t)last_not_above(g->levels, g->level_count, node);
}

static size_t labels_bytes(const graph_labels *l)
{
    return l->count * sizeof *l->at + map3_bytes(&l->known);
}

size_t graph_bytes(const graph *g)
{
    return sizeof *g + labels_bytes(&g->node_labels) + labels_bytes(&g->edge_labels) + g->level_count *
           sizeof *g->levels +
           g->node_count * (sizeof *g->node_label + sizeof *g->first) + g->arrow_count * sizeof *g->arrows;
}

void graph_check_whole(const graph *g)
{
    assert(g->node_count > 0 && g->known == g->node_count);
}

uint64_t graph_enabled(const graph *g, uint32_t node)
{
    uint64_t movers = 0;
    for (uint32_t i = g->first[node], end = graph_end_edge(g, node); i < end; i++) {
        uint32_t rest = graph_label_of(g, i)->rest;
        if (!(rest & GRAPH_FAULT))
            movers |= UINT64_C(1) << (rest & GRAPH_MOVER_BITS);
    }
    return movers;
}

/* ---- parts ---- */

static graph_view view_new(const graph *g)
{
    graph_check_whole(g);
    graph_view v = { .g = g, .node_in = mem_zero(g->node_labels.count), .edge_in = mem_zero(g->edge_labels.count) };
    for (size_t i = 0; i < g->edge_labels.count; i++)
        v.edge_in[i] = !(g->edge_labels.at[i].rest & GRAPH_FAULT);
    return v;
}

graph_view graph_view_all(const graph *g)
{
    graph_view v = view_new(g);
    for (size_t i = 0; i < g->node_labels.count; i++)
        v.node_in[i] = true;
    return v;
}

graph_view graph_view_ended(const graph *g)
{
    graph_view v = view_new(g);
    for (size_t i = 0; i < g->node_labels.count; i++)
        v.node_in[i] = g->node_labels.at[i].rest;
    return v;
}

graph_view graph_view_waiting(const graph *g, uint32_t waiter)
{
    graph_view v = view_new(g);
    for (size_t i = 0; i < g->node_labels.count; i++)
        v.node_in[i] = g->node_labels.at[i].mask >> waiter & 1;
    for (size_t i = 0; i < g->edge_labels.count; i++)
        v.edge_in[i] = v.edge_in[i] && !(g->edge_labels.at[i].mask >> waiter & 1);
    return v;
}

void graph_view_free(graph_view *v)
{
    mem_free(v->node_in);
    mem_free(v->edge_in);
    mem_free(v->cut);
    *v = (graph_view){ 0 };
}
