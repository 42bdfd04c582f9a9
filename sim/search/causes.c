/* causes.c - see causes.h. */
#include "search/causes.h"

#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

/* An edge that breaks something, or a node with a violation at rest. */
typedef struct {
    uint32_t number, broken, step;     /* step: parts_step; PART_NONE: time */
} breaking;

typedef struct { breaking *at; size_t count, cap; } breakings;

struct causes {
    hunt *h;
    vectors *t;
    uint32_t asked;        /* properties wanted, as bits */
    intern *used_bytes;    /* sets of faults that have happened, by number */
    uint32_t (*faults)[FAULT_KINDS];   /* the same */
    size_t fault_cap;
    uint32_t *used;        /* by node: the number of such a set */
    size_t count, cap;
    breakings edges, rests;
    signature by_graph[PROPERTY_COUNT];
    uint32_t last[PROPERTY_COUNT];     /* of by_graph: the last node added, + 1 */
};

causes *causes_new(hunt *h, vectors *t)
{
    uint32_t asked = 0;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        asked |= (uint32_t)(h->sc->model.judged[p] && h->sc->expect[p] == EXPECT_VIOLATED) << p;
    if (!h->o->signatures || !asked)
        return NULL;
    causes *c = mem_zero(sizeof *c);
    *c = (causes){ .h = h, .t = t, .asked = asked, .used_bytes = intern_new() };
    return c;
}

void causes_free(causes *c)
{
    if (!c)
        return;
    intern_free(c->used_bytes);
    mem_free(c->faults);
    mem_free(c->used);
    mem_free(c->edges.at);
    mem_free(c->rests.at);
    mem_free(c);
}

bool causes_asks(const causes *c, property p)
{
    return c && (c->asked >> p & 1);
}

size_t causes_bytes(const causes *c)
{
    return c ? c->cap * sizeof *c->used + (c->edges.cap + c->rests.cap) * sizeof *c->edges.at : 0;
}

static void add_breaking(breakings *list, uint32_t number, uint32_t broken, uint32_t step)
{
    MEM_RESERVE(list->at, list->cap, list->count + 1);
    list->at[list->count++] = (breaking){ number, broken, step };
}

void causes_add_node(causes *c, const uint32_t *row)
{
    uint32_t used[FAULT_KINDS];
    bool fresh;
    if (!c)
        return;
    vectors_used(c->t, row, used);
    uint32_t id = intern_add(c->used_bytes, (str){ (const char *)used, sizeof used }, &fresh);
    if (fresh) {
        MEM_RESERVE(c->faults, c->fault_cap, (size_t)id + 1);
        memcpy(c->faults[id], used, sizeof used);
    }
    MEM_RESERVE(c->used, c->cap, c->count + 1);
    c->used[c->count++] = id;
}

void causes_add_edge(causes *c, uint32_t edge, const happening *x)
{
    if (c && (x->broken & c->asked))
        add_breaking(&c->edges, edge, x->broken & c->asked, x->step);
}

void causes_add_rest(causes *c, uint32_t node, uint32_t broken)
{
    if (c && (broken & c->asked))
        add_breaking(&c->rests, node, broken & c->asked, PART_NONE);
}

static const uint32_t *used_at(const causes *c, uint32_t node)
{
    return c->faults[c->used[node]];
}

static str op_of(const causes *c, const breaking *x)
{
    return x->step == PART_NONE ? S("time") : parts_step(vectors_parts(c->t), x->step).op;
}

static str op_of_graph(property p)
{
    return p == PROPERTY_NO_LEAK ? OP_REST : OP_FOREVER;
}

void causes_add_node_of(causes *c, property p, uint32_t node)
{
    if (!causes_asks(c, p) || c->last[p] == c->used[node] + 1)
        return;
    c->last[p] = c->used[node] + 1;
    signature_add(c->h->a, &c->by_graph[p], used_at(c, node), op_of_graph(p));
}

/* ---- first violations on some way ---- */

static bool *edges_that_break(const causes *c, const graph *g, property p)
{
    bool *break_it = mem_zero(graph_edge_count(g) + 1);
    for (size_t i = 0; i < c->edges.count; i++)
        break_it[c->edges.at[i].number] = c->edges.at[i].broken >> p & 1;
    return break_it;
}

/* By node: is there a way to it on which the property has not broken yet? */
static bool *reached_unbroken(const causes *c, const graph *g, property p)
{
    uint32_t nodes = graph_node_count(g), count = 0;
    bool *reached = mem_zero(nodes + 1), *break_it = edges_that_break(c, g, p);
    uint32_t *queue = mem_alloc((nodes + 1) * sizeof *queue);
    reached[0] = true;
    queue[count++] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = queue[i] + 1 < nodes ? graph_first_edge(g, queue[i] + 1) : graph_edge_count(g);
        for (uint32_t e = graph_first_edge(g, queue[i]); e < end; e++) {
            uint32_t to = graph_get_edge(g, e).to;
            if (reached[to] || break_it[e])
                continue;
            reached[to] = true;
            queue[count++] = to;
        }
    }
    mem_free(queue);
    mem_free(break_it);
    return reached;
}

/* A wait for ever shows where nothing more can happen, and in a cycle: both are one cause. */
static str rest_op(property p)
{
    return p == PROPERTY_NO_DEADLOCK ? OP_FOREVER : OP_REST;
}

void causes_sign(causes *c, const graph *g, property p)
{
    if (!causes_asks(c, p))
        return;
    finding *f = &c->h->found[p];
    signature *s = ARENA_NEW(c->h->a, signature);
    *s = c->by_graph[p];
    bool *unbroken = reached_unbroken(c, g, p);
    for (size_t i = 0; i < c->edges.count; i++) {
        const breaking *x = &c->edges.at[i];
        if ((x->broken >> p & 1) && unbroken[graph_edge_source(g, x->number)])
            signature_add(c->h->a, s, used_at(c, graph_get_edge(g, x->number).to), op_of(c, x));
    }
    for (size_t i = 0; i < c->rests.count; i++)
        if ((c->rests.at[i].broken >> p & 1) && unbroken[c->rests.at[i].number])
            signature_add(c->h->a, s, used_at(c, c->rests.at[i].number), rest_op(p));
    mem_free(unbroken);
    f->signature = s->count ? s : NULL;
    f->other_cause = s->count && c->h->sc->signatures[p] && !signature_equal(s, c->h->sc->signatures[p]);
}

/* Those of `from` that break it by this cause. */
static size_t breaking_by(const causes *c, const graph *g, property p, const signature_cause *cause, str op, bool rest,
                          uint32_t **list)
{
    const breakings *from = rest ? &c->rests : &c->edges;
    bool *unbroken = reached_unbroken(c, g, p);
    size_t count = 0;
    *list = mem_alloc((from->count + 1) * sizeof **list);
    for (size_t i = 0; i < from->count; i++) {
        const breaking *x = &from->at[i];
        uint32_t at = rest ? x->number : graph_edge_source(g, x->number),
                      then = rest ? at : graph_get_edge(g, x->number).to;
        if ((x->broken >> p & 1) && unbroken[at] && (rest || str_eq(op_of(c, x), op)) &&
            memcmp(used_at(c, then), cause->used, sizeof cause->used) == 0)
            (*list)[count++] = x->number;
    }
    mem_free(unbroken);
    return count;
}

size_t causes_unexpected(causes *c, const graph *g, property p, uint32_t **list, bool *rest)
{
    const signature *is = causes_asks(c, p) ? c->h->found[p].signature : NULL,
                          *expected = c ? c->h->sc->signatures[p] : NULL;
    for (size_t i = 0; is && expected && i < is->count; i++)
        for (size_t k = 0; k < is->causes[i].op_count; k++) {
            str op = is->causes[i].ops[k];
            if (signature_has(expected, is->causes[i].used, op))
                continue;
            *rest = str_eq(op, rest_op(p));
            size_t count = breaking_by(c, g, p, &is->causes[i], op, *rest, list);
            if (count > 0)
                return count;
            mem_free(*list);
        }
    return 0;
}
