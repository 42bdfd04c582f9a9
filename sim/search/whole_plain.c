/* whole_plain.c - where equal clients count once: the real rows that a story goes through. A way through folded states
 * cannot be followed, as its steps belong to changing clients. So the rows on all shortest ways to the states that
 * matter are met again, each client by itself, and what can follow them, too. The resulting story is the one that a
 * search without folding finds. */
#include "search/whole_internal.h"

#include <string.h>

/* All rows on the shortest ways to some folded states, as a graph. */
typedef struct {
    whole *w;
    const bool *goal;      /* by folded state */
    bool *on_way;          /* by folded state */
    uint32_t depth;        /* of the goals */
    graph *g;              /* an edge that leaves the ways is a loop at its node */
    visited *met;
    numbers states, forms; /* by node: the folded state, the permutation to its form */
    level now, next;
    property p;
    numbers ends;          /* edges that break p and leave a goal */
} ways;

static void ways_free(ways *y)
{
    mem_free(y->on_way);
    graph_close(y->g);
    visited_free(y->met);
    mem_free(y->states.items);
    mem_free(y->forms.items);
    mem_free(y->ends.items);
    level_clear(&y->now);
    level_clear(&y->next);
}

/* Is the time or memory limit reached? */
static bool must_stop(whole *w, const graph *g, size_t bytes)
{
    const char *why = run_must_stop(w->h, w->h->o->time_limit_ms);
    bytes += visited_bytes(w->seen) + graph_bytes(w->g) + graph_bytes(g) + vectors_bytes(w->t);
    if (why)
        w->h->why_undecided = arena_str(w->h->a, str_from(why));
    else if (mem_is_low() || (w->h->max_memory && bytes > w->h->max_memory))
        w->h->why_undecided = S("the ways to a state did not fit into memory");
    return w->h->why_undecided.n > 0;
}

static void add_row(ways *y, const uint32_t *row, uint32_t state, uint32_t form)
{
    memcpy(level_add(&y->next), row, y->next.width * sizeof *row);
    add_number(&y->states, state);
    add_number(&y->forms, form);
}

static graph_edge edge_of(const happening *x, uint32_t to)
{
    uint32_t mover = x->process == NOBODY ? MOVER_TIME : x->process < MOVER_TIME ? x->process : MOVER_TIME - 1;
    return (graph_edge){ .to = to, .mover = mover, .fault = x->fault };
}

static bool expand(ways *y, uint32_t depth, uint32_t node, const uint32_t *row)
{
    whole *w = y->w;
    const happening *list;
    const uint32_t *rows;
    size_t count, width = vectors_width(w->t);
    bool fresh;
    if (!vectors_expand(w->t, row, &list, &rows, &count))
        return false;
    graph_add_node(y->g, 0, false);
    for (size_t i = 0; i < count; i++) {
        uint32_t to = node;
        folded f = { .permutation = 0 };
        if (depth < y->depth && !list[i].same)
            f = vectors_fold(w->t, rows + i * width);
        uint32_t state = f.stands_for ? visited_find(w->seen, f.print) : VISITED_NONE;
        if (state != VISITED_NONE && y->on_way[state] && graph_depth(w->g, state) == depth + 1) {
            to = visited_add(y->met, list[i].print, node, &fresh);
            if (to == VISITED_FULL)
                return false;
            if (fresh)
                add_row(y, rows + i * width, state, f.permutation);
        }
        uint32_t edge = graph_add_edge(y->g, edge_of(&list[i], to));
        if (depth == y->depth && y->goal[y->states.items[node]] && (list[i].broken >> y->p & 1))
            add_number(&y->ends, edge);
    }
    return true;
}

/* Marks the folded states on shortest ways to the nearest goals. */
static void mark_ways(ways *y, const numbers *goals, bool *goal)
{
    const graph *g = y->w->g;
    y->depth = UINT32_MAX;
    for (size_t i = 0; i < goals->count; i++) {
        uint32_t depth = graph_depth(g, goals->items[i]);
        y->depth = depth < y->depth ? depth : y->depth;
    }
    for (size_t i = 0; i < goals->count; i++)
        goal[goals->items[i]] = y->on_way[goals->items[i]] = graph_depth(g, goals->items[i]) == y->depth;
    y->goal = goal;
    for (uint32_t i = graph_node_count(g); i-- > 0;)
        if (graph_depth(g, i) < y->depth)
            for (uint32_t e = graph_first_edge(g, i); e < graph_edges_end(g, i) && !y->on_way[i]; e++) {
                uint32_t to = graph_get_edge(g, e).to;
                y->on_way[i] = y->on_way[to] && graph_depth(g, to) == graph_depth(g, i) + 1;
            }
}

/* Afterwards y->now holds the rows of the goals' level. false: it did not fit, or an error. */
static bool ways_find(ways *y, whole *w, const numbers *goals, bool *goal, property p)
{
    uint32_t broken, node = 0;
    bool fresh, ok = goals->count > 0;
    *y = (ways){ .w = w, .p = p, .g = graph_open(UINT64_C(1) << MOVER_TIME), .met = visited_new(0) };
    y->on_way = mem_zero(graph_node_count(w->g) + 1);
    y->now.width = y->next.width = vectors_width(w->t);
    mark_ways(y, goals, goal);
    const uint32_t *first = vectors_begin(w->t, &broken);
    visited_add(y->met, vectors_print(w->t, first), VISITED_NONE, &fresh);
    add_row(y, first, 0, vectors_fold(w->t, first).permutation);
    for (uint32_t depth = 0; ok && depth <= y->depth; depth++) {
        level_clear(&y->now);
        level done = y->now;
        y->now = y->next;
        y->next = done;
        y->now.first = node;
        for (size_t i = 0; ok && i < y->now.count; i++, node++)
            ok = (i % 1024 != 0 || !must_stop(w, y->g, visited_bytes(y->met))) &&
                 expand(y, depth, node, level_row(&y->now, i));
    }
    return ok;
}

/* The first node of a goal. */
static uint32_t first_goal(const ways *y)
{
    uint32_t node = y->now.first;
    while (!y->goal[y->states.items[node]])
        node++;
    return node;
}

bool whole_plain_way(whole *w, property p, way *out)
{
    const numbers *ends = &w->ends[p];
    bool settled = w->h->found[p].settled, *goal = mem_zero(graph_node_count(w->g) + 1);
    numbers goals = { 0 }, nodes = { 0 };
    for (size_t i = 0; i < ends->count; i++)
        add_number(&goals, settled ? ends->items[i] : graph_edge_source(w->g, ends->items[i]));
    ways y;
    arena *a = arena_new();
    graph_path path = { 0 };
    bool ok = ways_find(&y, w, &goals, goal, p) && (settled || y.ends.count > 0);
    if (ok && settled) {
        for (uint32_t i = y.now.first; i < y.now.first + y.now.count; i++)
            if (goal[y.states.items[i]])
                add_number(&nodes, i);
        whole_way_to_rest(a, y.g, &nodes, &path);
    } else if (ok)
        graph_path_by_edges(a, y.g, y.ends.items, y.ends.count, &path);
    whole_add_edges(y.g, path.edges, path.count, out);
    arena_free(a);
    mem_free(goal);
    mem_free(goals.items);
    mem_free(nodes.items);
    ways_free(&y);
    return ok;
}

/* ---- cycles ---- */

/* Everything that can happen from a row on without faults, as a graph that begins there; choices[i]: the index of its
 * i-th edge among all that can happen. */
static graph *future_of(whole *w, const uint32_t *row, uint64_t waiters, numbers *choices)
{
    graph *g = graph_open(UINT64_C(1) << MOVER_TIME);
    graph_set_unstoppable(g, UINT64_C(1) << MOVER_TIME);
    visited *met = visited_new(0);
    level rows = { .width = vectors_width(w->t) };
    const happening *list;
    const uint32_t *next;
    size_t count, width = rows.width;
    bool ok, fresh;
    visited_add(met, vectors_print(w->t, row), VISITED_NONE, &fresh);
    memcpy(level_add(&rows), row, width * sizeof *row);
    ok = true;
    for (uint32_t i = 0; ok && i < rows.count; i++) {
        ok = (i % 1024 != 0 || !must_stop(w, g, level_bytes(&rows))) &&
             vectors_expand(w->t, level_row(&rows, i), &list, &next, &count);
        if (!ok)
            break;
        graph_add_node(g, waiters, vectors_ended(w->t, level_row(&rows, i)));
        for (size_t k = 0; ok && k < count; k++) {
            if (list[k].fault)
                continue;
            uint32_t to = list[k].same ? i : visited_add(met, list[k].print, i, &fresh);
            ok = to != VISITED_FULL;
            if (ok && !list[k].same && fresh)
                memcpy(level_add(&rows), next + k * width, width * sizeof *row);
            graph_edge x = edge_of(&list[k], to);
            x.coin = list[k].step != PART_NONE && parts_step(vectors_parts(w->t), list[k].step).coin;
            graph_add_edge(g, x);
            add_number(choices, (uint32_t)k);
        }
    }
    level_clear(&rows);
    visited_free(met);
    if (ok)
        return g;
    graph_close(g);
    return NULL;
}

static void add_chosen(const graph_path *path, const numbers *choices, way *out)
{
    for (size_t i = 0; i < path->count; i++)
        way_add(out, choices->items[path->edges[i]]);
}

/* The shortest way to the first row of these folded states, and what follows it. NULL: it did not fit. */
static graph *begin_at(ways *y, whole *w, const numbers *goals, bool *goal, property p, uint64_t waiters(const ways *y,
                       uint32_t node), way *to, numbers *choices)
{
    arena *a = arena_new();
    graph_path stem;
    graph *future = NULL;
    if (ways_find(y, w, goals, goal, p)) {
        uint32_t node = first_goal(y);
        graph_path_to_node(a, y->g, node, &stem);
        whole_add_edges(y->g, stem.edges, stem.count, to);
        future = future_of(w, level_row(&y->now, node - y->now.first), waiters(y, node), choices);
    }
    arena_free(a);
    return future;
}

/* The lowest waiter of this row that waits for ever. */
static uint64_t stuck_at(const ways *y, uint32_t node)
{
    const whole *w = y->w;
    parts *p = vectors_parts(w->t);
    uint32_t state = y->states.items[node];
    permutation back = permutation_back(parts_permutation_of(p, y->forms.items[node])),
                all = permutation_then(parts_permutation_of(p, w->forms.items[state]), &back);
    uint64_t stuck = 0;
    for (uint64_t left = w->stuck[state]; left; left &= left - 1)
        stuck |= UINT64_C(1) << parts_waiter_permuted(p, (size_t)__builtin_ctzll(left), &all);
    return stuck & ~(stuck - 1);
}

static uint64_t nobody_at(const ways *y, uint32_t node)
{
    (void)y, (void)node;
    return 0;
}

void whole_plain_deadlock(whole *w)
{
    numbers goals = { 0 }, choices = { 0 };
    for (uint32_t i = 0; w->stuck && i < graph_node_count(w->g); i++)
        if (w->stuck[i])
            add_number(&goals, i);
    if (!is_open(w, PROPERTY_NO_DEADLOCK) || goals.count == 0) {
        mem_free(goals.items);
        return;
    }
    bool *goal = mem_zero(graph_node_count(w->g) + 1);
    ways y;
    way to = { .loop = 0 };
    graph_wait lasso;
    graph *future = begin_at(&y, w, &goals, goal, PROPERTY_NO_DEADLOCK, stuck_at, &to, &choices);
    arena *a = arena_new();
    if (future && graph_find_lasso(a, future, stuck_at(&y, first_goal(&y)), false, &lasso)) {
        add_chosen(&lasso.stem, &choices, &to);
        to.loop = to.count;
        add_chosen(&lasso.walk, &choices, &to);
        whole_found(w, PROPERTY_NO_DEADLOCK, &to);
    } else if (future)
        w->h->why_undecided = S("a task can never pass its wait, and no way shows it: this is a mistake of "
                                "locksim's");
    arena_free(a);
    graph_close(future);
    ways_free(&y);
    mem_free(to.choices);
    mem_free(goal);
    mem_free(goals.items);
    mem_free(choices.items);
}

void whole_plain_leak(whole *w, const numbers *goals)
{
    if (goals->count == 0)
        return;
    bool *goal = mem_zero(graph_node_count(w->g) + 1);
    ways y;
    way to = { .rests = true };
    numbers choices = { 0 }, cycle = { 0 };
    graph *future = begin_at(&y, w, goals, goal, PROPERTY_NO_LEAK, nobody_at, &to, &choices);
    if (future) {
        uint32_t *of = mem_alloc(graph_node_count(future) * sizeof *of);
        graph_find_components(future, of, NULL);
        if (whole_cycle_by_time(future, of, 0, &cycle)) {
            to.loop = to.count;
            for (size_t i = 0; i < cycle.count; i++)
                way_add(&to, choices.items[cycle.items[i]]);
            whole_found(w, PROPERTY_NO_LEAK, &to);
        } else
            w->h->why_undecided = S("something is left for ever, and no way shows it: this is a mistake of locksim's");
        mem_free(of);
    }
    graph_close(future);
    ways_free(&y);
    mem_free(to.choices);
    mem_free(goal);
    mem_free(choices.items);
    mem_free(cycle.items);
}
