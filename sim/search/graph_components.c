/* graph_components.c - strongly connected components, and what they decide at once: deadlock and rest. */
#include <assert.h>

#include "base/mem.h"
#include "search/graph_internal.h"

/* Pearce's version of Tarjan's algorithm, one number a node, with a stack of its own in place of recursion.
 * Source: D. J. Pearce, "A space-efficient algorithm for finding strongly connected components", Information Processing
 * Letters 116 (2016). of[node] counts down from GRAPH_NONE - 1 while its component is open and is the component's
 * number, from 0 up, once it is closed, so that an edge into a closed component never looks like one to an older
 * node. */
typedef struct {
    const graph_view *v;
    uint32_t *of;
    uint32_t *stack;       /* nodes: from the left those that are entered, from the right those that are done, in
                            * open components */
    uint32_t *at;          /* beside those from the left: the current edge, and whether no older node was met */
    size_t at_cap;
    uint32_t depth, open;
    uint32_t next, closed;
    graph_component_fn *visit;
    void *context;
} tarjan;

#define OLDEST (UINT32_C(1) << 31)

static void enter(tarjan *t, uint32_t node)
{
    MEM_RESERVE(t->at, t->at_cap, (size_t)t->depth + 1);
    t->of[node] = t->next--;
    t->at[t->depth] = OLDEST;
    t->stack[t->depth++] = node;
}

/* The node reaches no older open node: all nodes done since it was entered are its component. */
static void close_component(tarjan *t, uint32_t node)
{
    uint32_t from = t->open, mark = t->of[node], n = t->v->g->node_count;
    while (t->open < n && t->of[t->stack[t->open]] <= mark)
        t->of[t->stack[t->open++]] = t->closed;
    graph_component c = { .view = t->v, .of = t->of, .number = t->closed++, .nodes = t->stack + from,
                          .count = t->open - from };
    t->visit(t->context, &c);
}

static void leave(tarjan *t)
{
    bool oldest = t->at[--t->depth] & OLDEST;
    uint32_t node = t->stack[t->depth];
    t->stack[--t->open] = node;
    if (oldest)
        close_component(t, node);
}

/* Continues with the node entered last, until it is left or another one is entered. */
static void go_on(tarjan *t)
{
    uint32_t node = t->stack[t->depth - 1], *at = &t->at[t->depth - 1];
    uint32_t first = t->v->g->first[node], end = graph_end_edge(t->v->g, node);
    for (uint32_t i = first + (*at & ~OLDEST); i < end; i++) {
        if (!graph_view_has_edge(t->v, i))
            continue;
        uint32_t to = t->v->g->arrows[i].to;
        if (t->of[to] == GRAPH_NONE) {
            *at = (*at & OLDEST) | (i - first);        /* looked at again when `to` has been left */
            enter(t, to);
            return;
        }
        if (t->of[to] > t->of[node]) {
            t->of[node] = t->of[to];
            *at &= ~OLDEST;
        }
    }
    leave(t);
}

uint32_t *graph_visit_components(const graph_view *v, graph_component_fn *visit, void *context)
{
    uint32_t n = v->g->node_count;
    tarjan t = { .v = v, .open = n, .next = GRAPH_NONE - 1, .visit = visit, .context = context };
    t.of = mem_alloc(n * sizeof *t.of);
    t.stack = mem_alloc(n * sizeof *t.stack);
    for (uint32_t i = 0; i < n; i++)
        t.of[i] = GRAPH_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (t.of[i] != GRAPH_NONE || !graph_view_has_node(v, i))
            continue;
        enter(&t, i);
        while (t.depth > 0)
            go_on(&t);
    }
    assert(t.open == n);
    mem_free(t.stack);
    mem_free(t.at);
    return t.of;
}

/* ---- components as such ---- */

typedef struct {
    uint32_t count;
    bool *bottom;
} census;

static bool nothing_leaves(const graph_component *c)
{
    const graph *g = c->view->g;
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t i = g->first[c->nodes[k]], end = graph_end_edge(g, c->nodes[k]); i < end; i++)
            if (graph_view_has_edge(c->view, i) && c->of[g->arrows[i].to] != c->number)
                return false;
    return true;
}

static void count_component(void *context, const graph_component *c)
{
    census *all = context;
    all->count++;
    if (!all->bottom)
        return;
    bool bottom = nothing_leaves(c);
    for (uint32_t k = 0; k < c->count; k++)
        all->bottom[c->nodes[k]] = bottom;
}

uint32_t graph_find_components(const graph *g, uint32_t *of, bool *bottom)
{
    graph_view v = graph_view_all(g);
    census all = { .bottom = bottom };
    uint32_t *found = graph_visit_components(&v, count_component, &all);
    for (uint32_t i = 0; i < g->node_count; i++)
        of[i] = found[i];
    mem_free(found);
    graph_view_free(&v);
    return all.count;
}

/* ---- deadlock ---- */

/* By component: which waiters can, from there, progress or reach a node where they do not wait. */
typedef struct {
    uint64_t *who;
    size_t count, cap;
} escapes;

static void note_escapes(void *context, const graph_component *c)
{
    escapes *e = context;
    const graph *g = c->view->g;
    uint64_t who = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t node = c->nodes[k];
        who |= ~graph_waits(g, node);
        for (uint32_t i = g->first[node], end = graph_end_edge(g, node); i < end; i++) {
            if (!graph_view_has_edge(c->view, i))
                continue;
            who |= graph_label_of(g, i)->mask;
            uint32_t to = c->of[g->arrows[i].to];
            if (to != c->number)
                who |= e->who[to];
        }
    }
    MEM_RESERVE(e->who, e->cap, e->count + 1);
    e->who[e->count++] = who;
}

bool graph_find_deadlock(const graph *g, uint32_t *node, uint32_t *waiter)
{
    graph_view v = graph_view_all(g);
    escapes e = { 0 };
    uint32_t *of = graph_visit_components(&v, note_escapes, &e);
    uint64_t caught = 0;
    for (uint32_t i = 0; i < g->node_count && !caught; i++) {
        caught = ~e.who[of[i]];                    /* a waiter that does not wait here has escaped */
        if (caught) {
            *node = i;
            for (*waiter = 0; !(caught >> *waiter & 1);)
                ++*waiter;
        }
    }
    mem_free(of);
    mem_free(e.who);
    graph_view_free(&v);
    return caught != 0;
}

void graph_mark_deadlocks(const graph *g, bool *nodes)
{
    graph_view v = graph_view_all(g);
    escapes e = { 0 };
    uint32_t *of = graph_visit_components(&v, note_escapes, &e);
    for (uint32_t i = 0; i < g->node_count; i++)
        nodes[i] |= ~e.who[of[i]] != 0;
    mem_free(of);
    mem_free(e.who);
    graph_view_free(&v);
}

/* ---- rest ---- */

typedef struct {
    bool *rests;           /* by node */
    uint32_t count;
} resting;

static bool is_on_cycle(const graph_component *c)
{
    const graph *g = c->view->g;
    for (uint32_t i = g->first[c->nodes[0]], end = graph_end_edge(g, c->nodes[0]); i < end; i++)
        if (graph_view_has_edge(c->view, i) && c->of[g->arrows[i].to] == c->number)
            return true;
    return false;
}

static void note_rest(void *context, const graph_component *c)
{
    resting *r = context;
    if (!is_on_cycle(c) && graph_enabled(c->view->g, c->nodes[0]))
        return;
    for (uint32_t k = 0; k < c->count; k++)
        r->rests[c->nodes[k]] = true;
    r->count += c->count;
}

uint32_t graph_find_rest(arena *a, const graph *g, uint32_t **nodes)
{
    graph_view v = graph_view_ended(g);
    resting r = { .rests = mem_zero(g->node_count * sizeof *r.rests) };
    mem_free(graph_visit_components(&v, note_rest, &r));
    *nodes = ARENA_ARRAY(a, uint32_t, r.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (r.rests[i])
            (*nodes)[count++] = i;
    assert(count == r.count);
    mem_free(r.rests);
    graph_view_free(&v);
    return count;
}
