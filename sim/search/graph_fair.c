/* graph_fair.c - who can wait for ever, or too long, under fair scheduling.
 *  Weak fairness demands something only of movers that are enabled all along. If a cycle through some nodes is fair,
 * then so is the walk through all of their strongly connected component: fewer movers are enabled in all of its nodes,
 * and more move. So it is exact to ask each component once. */
#include <assert.h>

#include "base/mem.h"
#include "search/graph_internal.h"

/* A cycle's requirements: a bit for each mover that must move (or be passed while it is disabled), and this one. */
#define TAKE_HAND_OFF (UINT64_C(1) << GRAPH_MOVERS_MAX)

/* A summary of the edges within a component. */
typedef struct {
    bool any, hand_off, fair;
    uint64_t must;         /* unstoppable movers that can move there */
    uint32_t first;        /* node */
} insides;

static insides look_inside(const graph_component *c)
{
    const graph *g = c->view->g;
    insides in = { .first = GRAPH_NONE };
    uint64_t moved = 0, always = UINT64_MAX, ever = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t node = c->nodes[k];
        in.first = node < in.first ? node : in.first;
        always &= graph_enabled(g, node);
        ever |= graph_enabled(g, node);
        for (uint32_t i = g->first[node], end = graph_end_edge(g, node); i < end; i++) {
            if (!graph_view_has_edge(c->view, i) || c->of[g->arrows[i].to] != c->number)
                continue;
            uint32_t rest = graph_label_of(g, i)->rest;
            in.any = true;
            in.hand_off |= (rest & GRAPH_HAND_OFF) != 0;
            moved |= UINT64_C(1) << (rest & GRAPH_MOVER_BITS);
        }
    }
    in.must = ever & g->unstoppable;
    in.fair = in.any && !((always | in.must) & ~moved);
    return in;
}

/* ---- the lasso ---- */

typedef struct {
    bool must_hand_off;
    insides best;          /* first: GRAPH_NONE while there is none */
    uint32_t number;
} lasso_hunt;

static void note_fair(void *context, const graph_component *c)
{
    lasso_hunt *h = context;
    insides in = look_inside(c);
    if (in.fair && (in.hand_off || !h->must_hand_off) && in.first < h->best.first) {
        h->best = in;
        h->number = c->number;
    }
}

/* The component round which the cycle goes. */
typedef struct {
    const graph_view *view;
    const uint32_t *of;
    uint32_t number, start;
    uint64_t must;
} ring;

static bool ring_step(const void *context, graph_place from, uint32_t edge, graph_place *to)
{
    const ring *r = context;
    const graph *g = r->view->g;
    if (!graph_view_has_edge(r->view, edge) || r->of[g->arrows[edge].to] != r->number)
        return false;
    uint32_t rest = graph_label_of(g, edge)->rest;
    to->node = g->arrows[edge].to;
    to->todo = from.todo & ~(UINT64_C(1) << (rest & GRAPH_MOVER_BITS)) & (graph_enabled(g, to->node) | TAKE_HAND_OFF |
                                                                          r->must);
    if (rest & GRAPH_HAND_OFF)
        to->todo &= ~TAKE_HAND_OFF;
    return true;
}

static bool ring_is_closed(const void *context, graph_place p)
{
    return p.node == ((const ring *)context)->start && p.todo == 0;
}

static void draw_cycle(const ring *r, bool hand_off, graph_trail *t)
{
    graph_place start = { .node = r->start,
                          .todo = graph_enabled(r->view->g, r->start) | r->must | (hand_off ? TAKE_HAND_OFF : 0) };
    graph_walker w = { .g = r->view->g, .step = ring_step, .is_end = ring_is_closed, .context = r };
    graph_walk(&w, start, t);
}

/* ---- coins ---- */

static bool has_coins(const graph *g)
{
    for (size_t i = 0; i < g->edge_labels.count; i++)
        if (g->edge_labels.at[i].rest & GRAPH_COIN)
            return true;
    return false;
}

/* All falls of a mover's coin in a node are one move. It stays in the component only if all of them do. */
static bool cut_coins(graph_view *v, const uint32_t *of, uint32_t node)
{
    const graph *g = v->g;
    uint32_t first = g->first[node], end = graph_end_edge(g, node);
    uint64_t leaves = 0;
    bool changed = false;
    for (uint32_t i = first; i < end; i++) {
        uint32_t rest = graph_label_of(g, i)->rest;
        if (rest & GRAPH_COIN && (!graph_view_has_edge(v, i) || of[g->arrows[i].to] != of[node]))
            leaves |= UINT64_C(1) << (rest & GRAPH_MOVER_BITS);
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t rest = graph_label_of(g, i)->rest;
        if (!(rest & GRAPH_COIN) || !(leaves >> (rest & GRAPH_MOVER_BITS) & 1) || v->cut[i])
            continue;
        v->cut[i] = true;
        changed |= v->edge_in[g->arrows[i].label];
    }
    return changed;
}

static void ignore_component(void *context, const graph_component *c)
{
    (void)context;
    (void)c;
}

/* Removes coin moves that may leave their component, until none is left: the rest are end components. */
static void trust_coins(graph_view *v)
{
    v->cut = mem_zero(v->g->arrow_count * sizeof *v->cut);
    for (bool changed = true; changed;) {
        uint32_t *of = graph_visit_components(v, ignore_component, NULL);
        changed = false;
        for (uint32_t i = 0; i < v->g->node_count; i++)
            changed |= graph_view_has_node(v, i) && cut_coins(v, of, i);
        mem_free(of);
    }
}

/* ---- for one waiter ---- */

typedef struct {
    const graph *g;
    uint32_t waiter;
    bool hand_off, fair_coins;
} lasso_ask;

/* One waiter's lasso, if it begins before node `before`. */
static bool lasso_of(const lasso_ask *ask, uint32_t before, uint32_t *start, graph_trail *t)
{
    graph_view v = graph_view_waiting(ask->g, ask->waiter);
    if (ask->fair_coins)
        trust_coins(&v);
    lasso_hunt h = { .must_hand_off = ask->hand_off, .best.first = before };
    uint32_t *of = graph_visit_components(&v, note_fair, &h);
    bool found = h.best.first < before;
    if (found) {
        t->count = 0;
        *start = h.best.first;
        draw_cycle(&(ring){ .view = &v, .of = of, .number = h.number, .start = *start, .must = h.best.must },
                   h.best.hand_off, t);
    }
    mem_free(of);
    graph_view_free(&v);
    return found;
}

static bool find_lasso(arena *a, lasso_ask *ask, uint64_t waiters, graph_wait *out)
{
    graph_trail t = { 0 };
    *out = (graph_wait){ .start = GRAPH_NONE };
    for (ask->waiter = 0; ask->waiter < GRAPH_WAITERS_MAX; ask->waiter++)
        if (waiters >> ask->waiter & 1 && lasso_of(ask, out->start, &out->start, &t))
            out->waiter = ask->waiter;
    if (out->start == GRAPH_NONE)
        return false;
    graph_path_to_node(a, ask->g, out->start, &out->stem);
    out->walk = graph_trail_end(a, &t);
    return true;
}

bool graph_find_lasso(arena *a, const graph *g, uint64_t waiters, bool hand_off, graph_wait *out)
{
    return find_lasso(a, &(lasso_ask){ .g = g, .hand_off = hand_off, .fair_coins = has_coins(g) }, waiters, out);
}

bool graph_find_unlucky_lasso(arena *a, const graph *g, uint64_t waiters, graph_wait *out)
{
    return has_coins(g) && find_lasso(a, &(lasso_ask){ .g = g }, waiters, out);
}

/* ---- the bound ---- */

/* The most hand-offs from any of its nodes on; `own`: one of them happens inside. */
typedef struct {
    uint32_t most;
    bool own;
} tally;

typedef struct {
    tally *at;             /* by component */
    size_t count, cap;
} tallies;

static void note_tally(void *context, const graph_component *c)
{
    tallies *all = context;
    const graph *g = c->view->g;
    tally t = { 0 };
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t i = g->first[c->nodes[k]], end = graph_end_edge(g, c->nodes[k]); i < end; i++) {
            if (!graph_view_has_edge(c->view, i))
                continue;
            bool hand_off = graph_label_of(g, i)->rest & GRAPH_HAND_OFF;
            uint32_t to = c->of[g->arrows[i].to];
            if (to == c->number)
                t.own |= hand_off;
            else if (all->at[to].most + hand_off > t.most)
                t.most = all->at[to].most + hand_off;
        }
    t.most += t.own;
    MEM_RESERVE(all->at, all->cap, all->count + 1);
    all->at[all->count++] = t;
}

typedef struct {
    const graph_view *view;
    const uint32_t *of;
    const tally *at;
} queue_rule;

/* The remaining goal is the number of hand-offs to see. Nodes with too few hand-offs ahead are not entered. A
 * component's own hand-offs count only where needed: if all others together are one too few. */
static bool queue_step(const void *context, graph_place from, uint32_t edge, graph_place *to)
{
    const queue_rule *q = context;
    const graph *g = q->view->g;
    if (!graph_view_has_edge(q->view, edge))
        return false;
    uint32_t here = q->of[from.node], there = q->of[g->arrows[edge].to];
    bool counts = graph_label_of(g, edge)->rest & GRAPH_HAND_OFF;
    if (here == there)
        counts = counts && from.todo == q->at[here].most;
    *to = (graph_place){ .node = g->arrows[edge].to, .todo = from.todo - counts };
    return to->todo <= q->at[there].most;
}

static bool queue_is_done(const void *context, graph_place p)
{
    (void)context;
    return p.todo == 0;
}

/* One waiter: adds to out->hand_offs and out->repeats; true if it sees too many, from a node before out->start on. */
static bool overtaken(const graph *g, uint32_t waiter, uint64_t hand_offs_max, graph_wait *out, graph_trail *t)
{
    graph_view v = graph_view_waiting(g, waiter);
    tallies all = { 0 };
    uint32_t *of = graph_visit_components(&v, note_tally, &all);
    for (size_t i = 0; i < all.count; i++) {
        out->hand_offs = all.at[i].most > out->hand_offs ? all.at[i].most : out->hand_offs;
        out->repeats |= all.at[i].own;
    }
    uint32_t start = 0, end = out->start < g->node_count ? out->start : g->node_count;
    while (start < end && (of[start] == GRAPH_NONE || all.at[of[start]].most <= hand_offs_max))
        start++;
    bool found = start < end;
    if (found) {
        t->count = 0;
        out->start = start;
        out->waiter = waiter;
        queue_rule q = { .view = &v, .of = of, .at = all.at };
        graph_walker w = { .g = g, .step = queue_step, .is_end = queue_is_done, .context = &q };
        graph_walk(&w, (graph_place){ .node = start, .todo = hand_offs_max + 1 }, t);
    }
    mem_free(of);
    mem_free(all.at);
    graph_view_free(&v);
    return found;
}

bool graph_find_overtaken(arena *a, const graph *g, uint64_t waiters, uint64_t hand_offs_max, graph_wait *out)
{
    graph_trail t = { 0 };
    bool found = false;
    *out = (graph_wait){ .start = GRAPH_NONE };
    for (uint32_t w = 0; w < GRAPH_WAITERS_MAX; w++)
        if (waiters >> w & 1)
            found |= overtaken(g, w, hand_offs_max, out, &t);
    assert(found == (out->hand_offs > hand_offs_max));
    if (!found)
        return false;
    graph_path_to_node(a, g, out->start, &out->stem);
    out->walk = graph_trail_end(a, &t);
    return true;
}

/* ---- all of them ---- */

static void mark_fair(void *context, const graph_component *c)
{
    bool *nodes = context, fair = look_inside(c).fair;
    for (uint32_t k = 0; fair && k < c->count; k++)
        nodes[c->nodes[k]] = true;
}

static void mark_overtaken(const graph *g, uint32_t waiter, uint64_t hand_offs_max, bool *nodes)
{
    graph_view v = graph_view_waiting(g, waiter);
    tallies all = { 0 };
    uint32_t *of = graph_visit_components(&v, note_tally, &all);
    for (uint32_t i = 0; i < g->node_count; i++)
        nodes[i] |= of[i] != GRAPH_NONE && all.at[of[i]].most > hand_offs_max;
    mem_free(of);
    mem_free(all.at);
    graph_view_free(&v);
}

void graph_mark_waits(const graph *g, uint64_t waiters, uint64_t hand_offs_max, bool *nodes)
{
    for (uint32_t w = 0; w < GRAPH_WAITERS_MAX; w++) {
        if (!(waiters >> w & 1))
            continue;
        graph_view v = graph_view_waiting(g, w);
        if (has_coins(g))
            trust_coins(&v);
        mem_free(graph_visit_components(&v, mark_fair, nodes));
        graph_view_free(&v);
        mark_overtaken(g, w, hand_offs_max, nodes);
    }
}
