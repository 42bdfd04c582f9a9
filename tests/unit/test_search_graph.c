/* test_search_graph.c - what is said of all paths of a graph is what trying them all says, on thousands of small
 * graphs; large ones are no harder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "search/graph.h"

/* ---- small graphs, as plain data ---- */

enum { SMALL = 7, NODES = 16, EDGES = 5, MOVERS = 4, WAITERS = 3, NOBODY = 2 };

typedef struct {
    uint32_t nodes;
    struct {
        uint64_t waits;
        bool ended;
        uint32_t edges;
        graph_edge edge[EDGES];
    } at[NODES];
} plain;

static bool chance(rng *r, unsigned percent)
{
    return rng_below(r, 100) < percent;
}

/* Kinds of graphs: dense or thin, with much or little progress, with or without faults and hand-offs. */
static plain random_plain(rng *r)
{
    plain p = { .nodes = 1 + (uint32_t)rng_below(r, SMALL) };
    unsigned waits = 40 + 20 * (unsigned)rng_below(r, 4), progress = 15 * (unsigned)rng_below(r, 3),
                     fault = 15 * (unsigned)rng_below(r, 3);
    unsigned hand_off = 10 + 20 * (unsigned)rng_below(r, 3), ended = 30 * (unsigned)rng_below(r, 4),
                        degree = 2 + (unsigned)rng_below(r, EDGES - 1);
    for (uint32_t n = 0; n < p.nodes; n++) {
        for (unsigned t = 0; t < WAITERS; t++)
            p.at[n].waits |= (uint64_t)chance(r, waits) << t;
        p.at[n].ended = chance(r, ended);
        p.at[n].edges = (uint32_t)rng_below(r, degree + 1);
        for (uint32_t e = 0; e < p.at[n].edges; e++)
            p.at[n].edge[e] = (graph_edge){ .to = (uint32_t)rng_below(r, p.nodes),
                                            .mover = (uint32_t)rng_below(r, MOVERS), .fault = chance(r, fault),
                                            .progress = (uint64_t)chance(r, progress) << rng_below(r, WAITERS),
                                            .hand_off = chance(r, hand_off) };
    }
    return p;
}

/* Levels of three nodes, edges mostly to the next one: many shortest paths, and long ones. */
static plain random_levels(rng *r)
{
    enum { WIDTH = 3 };
    plain p = { .nodes = NODES };
    for (uint32_t n = 0; n < p.nodes; n++) {
        uint32_t next = (n + WIDTH - 1) / WIDTH * WIDTH + 1;
        p.at[n].edges = 1 + (uint32_t)rng_below(r, EDGES);
        for (uint32_t e = 0; e < p.at[n].edges; e++) {
            uint32_t to = next >= p.nodes || chance(r, 10) ? (uint32_t)rng_below(r, n + 1)
                          : next + (uint32_t)rng_below(r, WIDTH);
            p.at[n].edge[e] = (graph_edge){ .to = to, .mover = (uint32_t)rng_below(r, MOVERS), .fault = chance(r, 10) };
        }
    }
    return p;
}

/* The part that node 0 reaches, renumbered breadth-first. */
static plain in_order(const plain *p)
{
    plain q = { .nodes = 1 };
    uint32_t number[NODES] = { 0 }, old[NODES] = { 0 };
    bool known[NODES] = { true };
    for (uint32_t n = 0; n < q.nodes; n++) {
        q.at[n] = p->at[old[n]];
        for (uint32_t e = 0; e < q.at[n].edges; e++) {
            uint32_t to = q.at[n].edge[e].to;
            if (!known[to]) {
                known[to] = true;
                number[to] = q.nodes;
                old[q.nodes++] = to;
            }
            q.at[n].edge[e].to = number[to];
        }
    }
    return q;
}

static graph *build(const plain *p)
{
    graph *g = graph_open(UINT64_C(1) << NOBODY);
    for (uint32_t n = 0; n < p->nodes; n++) {
        assert_int_equal(graph_add_node(g, p->at[n].waits, p->at[n].ended), n);
        for (uint32_t e = 0; e < p->at[n].edges; e++)
            graph_add_edge(g, p->at[n].edge[e]);
    }
    return g;
}

static const graph_edge *edge_of(const plain *p, uint32_t edge, uint32_t *from)
{
    for (*from = 0; edge >= p->at[*from].edges; ++*from)
        edge -= p->at[*from].edges;
    return &p->at[*from].edge[edge];
}

static uint32_t edge_number(const plain *p, uint32_t node, uint32_t place)
{
    for (uint32_t n = 0; n < node; n++)
        place += p->at[n].edges;
    return place;
}

/* ---- the same questions, asked slowly ---- */

typedef struct { bool yes[NODES][NODES]; } relation;

typedef bool edge_test(const plain *p, uint32_t from, const graph_edge *e, uint32_t t);

static bool no_fault(const plain *p, uint32_t from, const graph_edge *e, uint32_t t)
{
    (void)p, (void)from, (void)t;
    return !e->fault;
}

static bool stays_waiting(const plain *p, uint32_t from, const graph_edge *e, uint32_t t)
{
    return !e->fault && p->at[from].waits >> t & 1 && p->at[e->to].waits >> t & 1 && !(e->progress >> t & 1);
}

static bool stays_ended(const plain *p, uint32_t from, const graph_edge *e, uint32_t t)
{
    (void)t;
    return !e->fault && p->at[from].ended && p->at[e->to].ended;
}

/* Reachable by one edge or more. */
static relation reach(const plain *p, edge_test *ok, uint32_t t)
{
    relation r = { 0 };
    for (uint32_t n = 0; n < p->nodes; n++)
        for (uint32_t e = 0; e < p->at[n].edges; e++)
            r.yes[n][p->at[n].edge[e].to] |= ok(p, n, &p->at[n].edge[e], t);
    for (uint32_t k = 0; k < p->nodes; k++)
        for (uint32_t i = 0; i < p->nodes; i++)
            for (uint32_t j = 0; j < p->nodes; j++)
                r.yes[i][j] |= r.yes[i][k] && r.yes[k][j];
    return r;
}

static bool together(const relation *r, uint32_t a, uint32_t b)
{
    return a == b || (r->yes[a][b] && r->yes[b][a]);
}

static uint64_t enabled(const plain *p, uint32_t n)
{
    uint64_t movers = 0;
    for (uint32_t e = 0; e < p->at[n].edges; e++)
        if (!p->at[n].edge[e].fault)
            movers |= UINT64_C(1) << p->at[n].edge[e].mover;
    return movers;
}

static bool caught(const plain *p, const relation *r, uint32_t x, uint32_t t)
{
    for (uint32_t n = 0; n < p->nodes; n++) {
        if (n != x && !r->yes[x][n])
            continue;
        if (!(p->at[n].waits >> t & 1))
            return false;
        for (uint32_t e = 0; e < p->at[n].edges; e++)
            if (!p->at[n].edge[e].fault && p->at[n].edge[e].progress >> t & 1)
                return false;
    }
    return true;
}

/* May the coin of this mover fall in node n so that the walk goes elsewhere, or the wait ends? */
static bool falls_out(const plain *q, uint32_t n, uint32_t mover, uint32_t t)
{
    for (uint32_t e = 0; e < q->at[n].edges; e++)
        if (q->at[n].edge[e].coin && q->at[n].edge[e].mover == mover && !stays_waiting(q, n, &q->at[n].edge[e], t))
            return true;
    return false;
}

/* Is there a fair walk for ever through exactly these nodes, with or without a hand-off? */
static bool fair_in(const plain *p, uint32_t nodes, uint32_t t, bool *hand_off)
{
    plain q = *p;
    for (uint32_t n = 0; n < q.nodes; n++)
        for (uint32_t e = 0; e < q.at[n].edges; e++)
            /* by a fault: not in these nodes */
            q.at[n].edge[e].fault |= !(nodes >> n & 1) || !(nodes >> q.at[n].edge[e].to & 1);
    plain before = q;
    for (uint32_t n = 0; n < q.nodes; n++)
        for (uint32_t e = 0; e < q.at[n].edges; e++)
            q.at[n].edge[e].fault |= q.at[n].edge[e].coin && falls_out(&before, n, q.at[n].edge[e].mover, t);
    relation r = reach(&q, stays_waiting, t);
    uint64_t always = UINT64_MAX, moved = 0;
    *hand_off = false;
    for (uint32_t n = 0; n < p->nodes; n++) {
        if (!(nodes >> n & 1))
            continue;
        for (uint32_t m = 0; m < p->nodes; m++)
            if (nodes >> m & 1 && !r.yes[n][m])
                return false;
        always &= enabled(p, n);
        for (uint32_t e = 0; e < q.at[n].edges; e++)
            if (stays_waiting(&q, n, &q.at[n].edge[e], t)) {
                moved |= UINT64_C(1) << q.at[n].edge[e].mover;
                *hand_off |= q.at[n].edge[e].hand_off;
            }
    }
    return nodes != 0 && !(always & ~moved);
}

/* ---- checks ---- */

static void check_path(const plain *p, const graph_path *path, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < path->count; i++) {
        uint32_t source;
        const graph_edge *e = edge_of(p, path->edges[i], &source);
        assert_int_equal(source, from);
        from = e->to;
    }
    assert_int_equal(from, to);
}

static void depths(const plain *p, uint32_t *depth)
{
    for (uint32_t n = 1; n < NODES; n++)
        depth[n] = UINT32_MAX;
    depth[0] = 0;
    for (uint32_t n = 0; n < p->nodes; n++)
        for (uint32_t e = 0; e < p->at[n].edges; e++)
            if (depth[p->at[n].edge[e].to] == UINT32_MAX)
                depth[p->at[n].edge[e].to] = depth[n] + 1;
}

typedef plain draw_fn(rng *r);
typedef void check_fn(arena *a, const plain *p, const graph *g, uint64_t *seen);

/* How often each answer came up is printed and must not be rare: a check that never sees a "yes" checks nothing. */
static void on_random_graphs(uint64_t stream, unsigned count, unsigned rare, draw_fn *draw, check_fn *check)
{
    rng r = rng_new(7, stream);
    uint64_t seen[4] = { 0 };
    arena *a = arena_new();
    for (unsigned i = 0; i < count; i++) {
        plain drawn = draw(&r), p = in_order(&drawn);
        graph *g = build(&p);
        check(a, &p, g, seen);
        graph_close(g);
        arena_reset(a);
    }
    arena_free(a);
    print_message("  %u graphs: %u %u %u %u\n", count, (unsigned)seen[0], (unsigned)seen[1], (unsigned)seen[2],
                  (unsigned)seen[3]);
    assert_true(seen[0] > rare);
    assert_true(seen[1] > rare);
    assert_true(seen[2] > rare);
}

static void what_is_put_in_comes_out(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    (void)a;
    uint32_t depth[NODES], edge = 0;
    depths(p, depth);
    assert_int_equal(graph_node_count(g), p->nodes);
    for (uint32_t n = 0; n < p->nodes; n++) {
        assert_int_equal(graph_depth(g, n), depth[n]);
        assert_int_equal(graph_first_edge(g, n), edge);
        for (uint32_t e = 0; e < p->at[n].edges; e++, edge++) {
            graph_edge got = graph_get_edge(g, edge), put = p->at[n].edge[e];
            assert_true(got.to == put.to && got.mover == put.mover && got.progress == put.progress);
            assert_true(got.fault == put.fault && got.hand_off == put.hand_off && got.coin == put.coin);
            assert_int_equal(graph_edge_source(g, edge), n);
            seen[put.fault]++;
            seen[2] += put.hand_off;
        }
    }
    assert_int_equal(graph_edge_count(g), edge);
}

static void components_are_mutual_reach(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    (void)a;
    uint32_t of[NODES], most = 0;
    bool bottom[NODES];
    relation r = reach(p, no_fault, 0);
    uint32_t count = graph_find_components(g, of, bottom);
    for (uint32_t x = 0; x < p->nodes; x++) {
        bool leaves = false;
        most = of[x] > most ? of[x] : most;
        for (uint32_t y = 0; y < p->nodes; y++) {
            assert_int_equal(of[x] == of[y], together(&r, x, y));
            if (r.yes[x][y])
                assert_true(of[x] >= of[y]);
            leaves |= r.yes[x][y] && !r.yes[y][x];
            seen[2] += x != y && of[x] == of[y];
        }
        assert_int_equal(bottom[x], !leaves);
        seen[leaves]++;
    }
    assert_int_equal(count, most + 1);
}

static void deadlock_is_no_way_out(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    (void)a;
    relation r = reach(p, no_fault, 0);
    uint32_t node = UINT32_MAX, waiter = UINT32_MAX, expected_node = UINT32_MAX, expected_waiter = UINT32_MAX;
    for (uint32_t x = p->nodes; x-- > 0;)
        for (uint32_t t = WAITERS; t-- > 0;)
            if (caught(p, &r, x, t)) {
                expected_node = x;
                expected_waiter = t;
            }
    bool marked[NODES] = { false };
    graph_mark_deadlocks(g, marked);
    for (uint32_t x = 0; x < p->nodes; x++) {
        bool any = false;
        for (uint32_t t = 0; t < WAITERS; t++)
            any |= caught(p, &r, x, t);
        assert_int_equal(marked[x], any);
    }
    assert_int_equal(graph_find_deadlock(g, &node, &waiter), expected_node != UINT32_MAX);
    assert_int_equal(node, expected_node);
    assert_int_equal(waiter, expected_waiter);
    seen[node != UINT32_MAX]++;
    seen[2] += node != UINT32_MAX && node > 0;
}

static void rest_is_a_cycle_of_the_ended(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    relation r = reach(p, stays_ended, 0);
    uint32_t *nodes, count = graph_find_rest(a, g, &nodes), k = 0;
    for (uint32_t n = 0; n < p->nodes; n++) {
        bool rests = p->at[n].ended && (r.yes[n][n] || !enabled(p, n));
        assert_int_equal(k < count && nodes[k] == n, rests);
        k += rests;
        seen[rests]++;
        seen[2] += rests && r.yes[n][n] && !together(&r, n, 0);
    }
    assert_int_equal(k, count);
}

/* The length of the shortest fair walk from `start` back to it, by trying all walks that long. todo as bits, 1 <<
 * MOVERS for the hand-off. */
static bool closes(const plain *p, uint32_t t, uint32_t start, uint32_t node, uint64_t todo, unsigned left)
{
    if (left == 0)
        return node == start && todo == 0;
    for (uint32_t e = 0; e < p->at[node].edges; e++) {
        const graph_edge *x = &p->at[node].edge[e];
        if (!stays_waiting(p, node, x, t))
            continue;
        uint64_t keep = enabled(p, x->to) | (x->hand_off ? 0 : UINT64_C(1) << MOVERS);
        if (closes(p, t, start, x->to, todo & keep & ~(UINT64_C(1) << x->mover), left - 1))
            return true;
    }
    return false;
}

static void check_lasso(const plain *p, const graph_wait *w, bool hand_off_possible)
{
    enum { TRIED_MAX = 6 };
    uint32_t depth[NODES], from;
    uint64_t always = UINT64_MAX, moved = 0;
    bool handed = false;
    depths(p, depth);
    assert_int_equal(w->stem.count, depth[w->start]);
    check_path(p, &w->stem, 0, w->start);
    check_path(p, &w->walk, w->start, w->start);
    assert_true(w->walk.count > 0);
    for (size_t i = 0; i < w->walk.count; i++) {
        const graph_edge *e = edge_of(p, w->walk.edges[i], &from);
        assert_true(stays_waiting(p, from, e, w->waiter));
        always &= enabled(p, from);
        moved |= UINT64_C(1) << e->mover;
        handed |= e->hand_off;
    }
    assert_true(!(always & ~moved));
    assert_int_equal(handed, hand_off_possible);
    uint64_t todo = enabled(p, w->start) | (uint64_t)hand_off_possible << MOVERS;
    for (unsigned length = 1; length <= TRIED_MAX && length < w->walk.count; length++)
        assert_false(closes(p, w->waiter, w->start, w->start, todo, length));
}

/* The first node of a fair walk that one of the waiters can go for ever, and that waiter; false: there is none. */
static bool first_fair_set(const plain *p, bool must, uint32_t *start, uint32_t *waiter, bool *possible)
{
    *start = *waiter = UINT32_MAX;
    *possible = false;
    for (uint32_t t = 0; t < WAITERS; t++)
        for (uint32_t nodes = 1; nodes < UINT32_C(1) << p->nodes; nodes++) {
            bool hand_off;
            if (!fair_in(p, nodes, t, &hand_off) || (must && !hand_off))
                continue;
            uint32_t first = (uint32_t)__builtin_ctz(nodes);
            if (first < *start) {
                *start = first;
                *waiter = t;
                *possible = hand_off;
            } else if (first == *start && *waiter == t) {
                *possible |= hand_off;
            }
        }
    return *start != UINT32_MAX;
}

static void lasso_is_any_fair_set(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    for (int must = 0; must < 2; must++) {
        uint32_t start, waiter;
        bool possible, expected = first_fair_set(p, must, &start, &waiter, &possible);
        graph_wait w;
        bool found = graph_find_lasso(a, g, (UINT64_C(1) << WAITERS) - 1, must, &w);
        assert_int_equal(found, expected);
        seen[found]++;
        if (!found)
            continue;
        assert_int_equal(w.start, start);
        assert_int_equal(w.waiter, waiter);
        check_lasso(p, &w, possible);
        seen[2] += w.walk.count > 2;
        seen[3] += w.walk.count > p->nodes;
    }
}

/* The most hand-offs from each node on, a component's own counted once; `own`: by node, whether its component has
 * any. */
static uint32_t most_from(const plain *p, const relation *r, uint32_t t, uint32_t x, bool *repeats)
{
    uint32_t most = 0;
    bool own = false;
    for (uint32_t n = 0; n < p->nodes; n++) {
        if (!together(r, x, n))
            continue;
        for (uint32_t e = 0; e < p->at[n].edges; e++) {
            const graph_edge *y = &p->at[n].edge[e];
            if (!stays_waiting(p, n, y, t))
                continue;
            own |= y->hand_off && together(r, x, y->to);
            if (!together(r, x, y->to)) {
                uint32_t next = most_from(p, r, t, y->to, repeats) + y->hand_off;
                most = next > most ? next : most;
            }
        }
    }
    *repeats |= own;
    return most + own;
}

static void bound_is_the_longest_count(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    uint32_t most[WAITERS][NODES] = { 0 }, highest = 0;
    bool repeats = false;
    for (uint32_t t = 0; t < WAITERS; t++) {
        relation r = reach(p, stays_waiting, t);
        for (uint32_t n = 0; n < p->nodes; n++) {
            if (!(p->at[n].waits >> t & 1))
                continue;
            most[t][n] = most_from(p, &r, t, n, &repeats);
            highest = most[t][n] > highest ? most[t][n] : highest;
        }
    }
    for (uint32_t k = 0; k <= highest; k++) {
        graph_wait w;
        bool found = graph_find_overtaken(a, g, (UINT64_C(1) << WAITERS) - 1, k, &w);
        assert_int_equal(found, k < highest);
        assert_int_equal(w.hand_offs, highest);
        assert_int_equal(w.repeats, repeats);
        seen[found]++;
        if (!found)
            continue;
        for (uint32_t n = 0; n <= w.start; n++)
            for (uint32_t t = 0; t < WAITERS; t++)
                assert_int_equal(most[t][n] > k && (n < w.start || t < w.waiter), false);
        uint32_t from, depth[NODES], seen_hand_offs = 0, end = w.start;
        depths(p, depth);
        assert_int_equal(w.stem.count, depth[w.start]);
        check_path(p, &w.stem, 0, w.start);
        for (size_t i = 0; i < w.walk.count; i++) {
            const graph_edge *e = edge_of(p, w.walk.edges[i], &from);
            assert_true(stays_waiting(p, from, e, w.waiter));
            seen_hand_offs += e->hand_off;
            end = e->to;
            if (i + 1 == w.walk.count)
                assert_true(e->hand_off);          /* it ends with the one that is too many */
        }
        check_path(p, &w.walk, w.start, end);
        assert_true(repeats ? seen_hand_offs > k : seen_hand_offs == k + 1);
        seen[2] += k > 0;
        seen[3] += repeats;
    }
}

static void marks_are_all_who_wait_too_long(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    enum { MOST = 0 };
    (void)a;
    bool marked[NODES] = { false }, expected[NODES] = { false }, passed_over[NODES] = { false }, repeats;
    for (uint32_t t = 0; t < WAITERS; t++) {
        relation r = reach(p, stays_waiting, t);
        for (uint32_t n = 0; n < p->nodes; n++)
            passed_over[n] |= p->at[n].waits >> t & 1 && most_from(p, &r, t, n, &repeats) > MOST;
        for (uint32_t nodes = 1; nodes < UINT32_C(1) << p->nodes; nodes++) {
            bool hand_off, fair = fair_in(p, nodes, t, &hand_off);
            for (uint32_t n = 0; fair && n < p->nodes; n++)
                expected[n] |= nodes >> n & 1;
        }
    }
    graph_mark_waits(g, (UINT64_C(1) << WAITERS) - 1, MOST, marked);
    for (uint32_t n = 0; n < p->nodes; n++) {
        assert_int_equal(marked[n], expected[n] || passed_over[n]);
        seen[marked[n]]++;
        seen[2] += passed_over[n] && !expected[n];
    }
}

/* All shortest paths in the order of their edges; keeps the first of those with the fewest switches. */
typedef struct {
    const plain *p;
    uint32_t depth, target;                        /* a node, or UINT32_MAX: final edges */
    uint32_t final[NODES * EDGES];
    size_t final_count;
    uint32_t path[NODES + 1], best[NODES + 1], best_switches;
    uint64_t ways;
} tries;

static void try_paths(tries *t, uint32_t node, uint32_t done, uint32_t last, uint32_t switched)
{
    if (done == t->depth) {
        bool right = node == t->target;
        for (size_t i = 0; t->target == UINT32_MAX && i < t->final_count; i++)
            right |= t->path[done - 1] == t->final[i];
        t->ways += right;
        if (right && switched < t->best_switches) {
            t->best_switches = switched;
            memcpy(t->best, t->path, sizeof t->best);
        }
        return;
    }
    for (uint32_t e = 0; e < t->p->at[node].edges; e++) {
        const graph_edge *x = &t->p->at[node].edge[e];
        bool real = x->mover != NOBODY;
        t->path[done] = edge_number(t->p, node, e);
        try_paths(t, x->to, done + 1, real ? x->mover : last, switched + (real && last != MOVERS && last != x->mover));
    }
}

static void check_fewest(const tries *t, uint32_t spent, const graph_path *path)
{
    assert_int_equal(spent, t->best_switches);
    assert_int_equal(path->count, t->depth);
    if (t->depth)
        assert_memory_equal(path->edges, t->best, t->depth * sizeof *t->best);
}

static void paths_have_fewest_switches(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    uint32_t depth[NODES];
    graph_path path;
    depths(p, depth);
    for (uint32_t n = 0; n < p->nodes; n++) {
        tries t = { .p = p, .depth = depth[n], .target = n, .best_switches = UINT32_MAX };
        try_paths(&t, 0, 0, MOVERS, 0);
        check_fewest(&t, graph_path_to_node(a, g, n, &path), &path);
        seen[t.ways > 1]++;
        seen[2] += t.best_switches > 1;
    }
}

static void paths_by_edges_have_fewest_switches(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    uint32_t depth[NODES], from;
    graph_path path;
    depths(p, depth);
    for (uint32_t stride = 1; stride <= 3; stride++) {
        tries t = { .p = p, .depth = UINT32_MAX, .target = UINT32_MAX, .best_switches = UINT32_MAX };
        for (uint32_t e = graph_edge_count(g); e-- > 0;)
            if (e % stride == 0 && e + 1 >= stride * 2) {
                edge_of(p, e, &from);
                t.depth = depth[from] + 1 < t.depth ? depth[from] + 1 : t.depth;
                t.final[t.final_count++] = e;
            }
        if (t.final_count == 0)
            continue;
        try_paths(&t, 0, 0, MOVERS, 0);
        check_fewest(&t, graph_path_by_edges(a, g, t.final, t.final_count, &path), &path);
        seen[t.ways > 1]++;
        seen[2] += t.best_switches > 0;
    }
}

static plain random_coins(rng *r)
{
    plain p = random_plain(r);
    unsigned coins = 30 + 30 * (unsigned)rng_below(r, 3);
    for (uint32_t n = 0; n < p.nodes; n++)
        for (uint32_t e = 0; e < p.at[n].edges; e++)
            p.at[n].edge[e].coin = !p.at[n].edge[e].fault && chance(r, coins);
    return p;
}

/* Property: a fair coin leads out of every walk out of which it may fall; a search without that trust sees the walks
 * that are there without it. */
static void a_fair_coin_leads_out(arena *a, const plain *p, const graph *g, uint64_t *seen)
{
    uint32_t start, waiter, from;
    bool possible;
    graph_wait w;
    plain q = *p;
    bool any = false;
    for (uint32_t n = 0; n < q.nodes; n++)
        for (uint32_t e = 0; e < q.at[n].edges; e++) {
            any |= q.at[n].edge[e].coin;
            q.at[n].edge[e].coin = false;
        }
    bool expected = first_fair_set(p, false, &start, &waiter, &possible);
    bool found = graph_find_lasso(a, g, (UINT64_C(1) << WAITERS) - 1, false, &w);
    assert_int_equal(found, expected);
    if (found) {
        assert_int_equal(w.start, start);
        assert_int_equal(w.waiter, waiter);
        check_path(p, &w.stem, 0, w.start);
        check_path(p, &w.walk, w.start, w.start);
        for (size_t i = 0; i < w.walk.count; i++)
            assert_true(stays_waiting(p, (edge_of(p, w.walk.edges[i], &from), from), edge_of(p, w.walk.edges[i], &from),
                                      w.waiter));
    }
    bool unlucky = first_fair_set(&q, false, &start, &waiter, &possible);
    assert_int_equal(graph_find_unlucky_lasso(a, g, (UINT64_C(1) << WAITERS) - 1, &w), unlucky && any);
    seen[found]++;
    seen[2] += unlucky && any && !found;
}

#define ON_RANDOM(name, stream, count, rare, draw) \
    static void test_##name(void **state) { (void)state; on_random_graphs(stream, count, rare, draw, name); }
ON_RANDOM(what_is_put_in_comes_out, 1, 2000, 1000, random_plain)
ON_RANDOM(components_are_mutual_reach, 2, 5000, 2000, random_plain)
ON_RANDOM(deadlock_is_no_way_out, 3, 20000, 2000, random_plain)
ON_RANDOM(rest_is_a_cycle_of_the_ended, 4, 5000, 500, random_plain)
ON_RANDOM(lasso_is_any_fair_set, 5, 6000, 1000, random_plain)
ON_RANDOM(a_fair_coin_leads_out, 9, 6000, 100, random_coins)
ON_RANDOM(bound_is_the_longest_count, 6, 6000, 500, random_plain)
ON_RANDOM(marks_are_all_who_wait_too_long, 9, 3000, 500, random_plain)
ON_RANDOM(paths_have_fewest_switches, 7, 3000, 2000, random_levels)
ON_RANDOM(paths_by_edges_have_fewest_switches, 8, 3000, 1000, random_levels)

/* ---- by hand: the shapes that the properties are about ---- */

/* A waits (bit 0) and asks again and again; B takes and gives. Mover 0 is A, 1 is B, 2 time. */
static graph *spinning(bool a_can_try_when_free)
{
    graph *g = graph_open(0);
    graph_add_node(g, 1, false);                                                   /* 0: free */
    graph_add_edge(g, (graph_edge){ .to = 1, .mover = 1, .hand_off = true });
    if (a_can_try_when_free)
        graph_add_edge(g, (graph_edge){ .to = 2, .mover = 0, .progress = 1, .hand_off = true });
    graph_add_node(g, 1, false);                                                   /* 1: B holds */
    graph_add_edge(g, (graph_edge){ .to = 0, .mover = 1 });
    graph_add_edge(g, (graph_edge){ .to = 1, .mover = 0 });                        /* refused: nothing changes */
    if (a_can_try_when_free)
        graph_add_node(g, 0, true);                                                /* 2: A has it */
    return g;
}

/* B goes round while A is refused at the wrong moments: weakly fair, for A moves. The cycle must show A's move and the
 * hand-off. */
static void a_spinner_can_starve(void **state)
{
    graph *g = spinning(true);
    graph_wait w;
    uint32_t node, waiter;
    assert_true(graph_find_lasso(*state, g, 1, true, &w));
    assert_int_equal(w.start, 0);
    assert_int_equal(w.walk.count, 3);
    assert_int_equal(graph_get_edge(g, w.walk.edges[1]).mover, 0);
    assert_false(graph_find_deadlock(g, &node, &waiter));
    assert_false(graph_find_lasso(*state, g, 2, false, &w));       /* nobody else waits */
    graph_close(g);
}

/* Without a chance of its own A is caught; B's round trip is a shorter lasso only if A could not move in node 0. */
static void who_has_no_chance_is_caught(void **state)
{
    graph *g = spinning(false);
    graph_wait w;
    uint32_t node = 9, waiter = 9;
    assert_true(graph_find_deadlock(g, &node, &waiter));
    assert_int_equal(node, 0);
    assert_int_equal(waiter, 0);
    assert_true(graph_find_lasso(*state, g, 1, true, &w));
    assert_int_equal(w.walk.count, 2);
    graph_close(g);
}

/* A's only move would let it in, and it is enabled all along: an unfair scheduler alone keeps A out. */
static void an_unfair_cycle_is_no_starvation(void **state)
{
    graph *g = graph_open(0);
    graph_wait w;
    graph_add_node(g, 1, false);
    graph_add_edge(g, (graph_edge){ .to = 1, .mover = 1, .hand_off = true });
    graph_add_edge(g, (graph_edge){ .to = 2, .mover = 0, .progress = 1 });
    graph_add_node(g, 1, false);
    graph_add_edge(g, (graph_edge){ .to = 0, .mover = 1 });
    graph_add_edge(g, (graph_edge){ .to = 2, .mover = 0, .progress = 1 });
    graph_add_node(g, 0, false);
    assert_false(graph_find_lasso(*state, g, 1, false, &w));
    assert_true(graph_find_overtaken(*state, g, 1, 0, &w));
    assert_true(w.repeats);
    assert_int_equal(w.hand_offs, 1);
    assert_int_equal(w.walk.count, 1);
    assert_false(graph_find_overtaken(*state, g, 1, 1, &w));
    graph_close(g);
}

/* B takes it once and again while A could have it; then C and D do, once each. Three are too many: one of B's, and not
 * three of B's. */
static void what_an_unfair_cycle_repeats_counts_once(void **state)
{
    static const graph_edge edges[] = {
        { .to = 1, .mover = 0, .progress = 1 },                        /* of node 0 */
        { .to = 0, .mover = 1, .hand_off = true },
        { .to = 2, .mover = 2, .hand_off = true },
        { .to = 3, .mover = 3, .hand_off = true },                     /* of node 2 */
    };
    graph *g = graph_open(0);
    graph_wait w;
    graph_add_node(g, 1, false);
    for (size_t i = 0; i < 3; i++)
        graph_add_edge(g, edges[i]);
    graph_add_node(g, 0, false);
    graph_add_node(g, 1, false);
    graph_add_edge(g, edges[3]);
    graph_add_node(g, 1, false);
    assert_true(graph_find_overtaken(*state, g, 1, 2, &w));
    assert_int_equal(w.walk.count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(w.walk.edges[i], i + 1);
    assert_false(graph_find_overtaken(*state, g, 1, 3, &w));
    assert_int_equal(w.hand_offs, 3);
    graph_close(g);
}

/* A self-loop alone is a cycle; the same by a fault is none; and a node without any edge is a deadlock, but no walk. */
static void a_self_loop_is_a_cycle_and_a_dead_end_is_none(void **state)
{
    for (int loop = 0; loop < 3; loop++) {
        graph *g = graph_open(0);
        graph_wait w;
        uint32_t node, waiter, *rest;
        graph_add_node(g, 4, true);
        if (loop)
            graph_add_edge(g, (graph_edge){ .to = 0, .mover = 2, .fault = loop == 2 });
        assert_int_equal(graph_find_lasso(*state, g, UINT64_MAX, false, &w), loop == 1);
        assert_int_equal(w.start, loop == 1 ? 0 : UINT32_MAX);
        assert_true(graph_find_deadlock(g, &node, &waiter));
        assert_int_equal(waiter, 2);
        assert_int_equal(graph_find_rest(*state, g, &rest), 1);
        graph_close(g);
    }
}

/* The highest numbers are bits like all others. */
static void the_last_mover_and_the_last_waiter_count(void **state)
{
    graph *g = graph_open(0);
    graph_wait w;
    graph_path path;
    graph_add_node(g, UINT64_C(1) << 63, false);
    graph_add_edge(g, (graph_edge){ .to = 0, .mover = 62, .hand_off = true });
    graph_add_edge(g, (graph_edge){ .to = 1, .mover = 0, .progress = UINT64_C(1) << 63 });
    graph_add_node(g, 0, false);
    graph_add_edge(g, (graph_edge){ .to = 2, .mover = 62 });
    graph_add_node(g, 0, false);
    assert_false(graph_find_lasso(*state, g, UINT64_MAX, true, &w));       /* mover 0 is enabled and never moves */
    assert_int_equal(graph_path_to_node(*state, g, 2, &path), 1);
    graph_close(g);
    g = graph_open(0);
    graph_add_node(g, UINT64_C(1) << 63, false);
    graph_add_edge(g, (graph_edge){ .to = 0, .mover = 62, .hand_off = true });
    assert_true(graph_find_lasso(*state, g, UINT64_MAX, true, &w));
    assert_int_equal(w.waiter, 63);
    assert_true(graph_find_overtaken(*state, g, UINT64_MAX, 0, &w));
    graph_close(g);
}

/* ---- large ---- */

/* More than the exact search of a walk takes, so that the other one is tried, too. */
enum { LONG = 1100000, APART = 270000 };

/* A chain from node 0 over 2, 3 ... closed to a ring or not. The mover changes every 1000 edges; a hand-off comes every
 * APART; time moves once. Node 1 is a dead end with a hand-off on the way in: a reader that takes the nearest is caught
 * there. */
static graph *chain(bool closed)
{
    graph *g = graph_open(1 << NOBODY);
    for (uint32_t i = 0; i < LONG; i++) {
        graph_add_node(g, 1, i == LONG - 1);
        if (i == 0)
            graph_add_edge(g, (graph_edge){ .to = 1, .mover = 3, .hand_off = true });
        if (i == 1 || (!closed && i + 1 == LONG))
            continue;
        uint32_t to = i == 0 ? 2 : (i + 1) % LONG;
        graph_add_edge(g, (graph_edge){ .to = to, .mover = i == 500500 ? NOBODY : i / 1000 % 2,
                                        .hand_off = i % APART == 9 });
        if (closed)
            graph_add_edge(g, (graph_edge){ .to = i, .mover = 3 });
    }
    return g;
}

static void a_long_chain_is_no_harder(void **state)
{
    graph *g = chain(false);
    uint32_t node, waiter, *rest, *of = mem_alloc(LONG * sizeof *of);
    graph_wait w;
    graph_path path;
    assert_int_equal(graph_find_components(g, of, NULL), LONG);
    mem_free(of);
    assert_true(graph_find_deadlock(g, &node, &waiter));
    assert_int_equal(node, 0);
    assert_false(graph_find_lasso(*state, g, 1, false, &w));
    for (uint32_t k = 1; k < 5; k++) {
        assert_true(graph_find_overtaken(*state, g, 1, k, &w));
        assert_int_equal(w.hand_offs, 5);
        assert_int_equal(w.start, 0);
        assert_int_equal(w.walk.count, k * APART + 9);
        for (uint32_t i = 0; i < w.walk.count; i += 1009)
            assert_int_equal(w.walk.edges[i], i + 1);
    }
    assert_false(graph_find_overtaken(*state, g, 1, 5, &w));
    assert_int_equal(graph_find_rest(*state, g, &rest), 1);
    assert_int_equal(graph_path_to_node(*state, g, LONG - 1, &path), LONG / 1000 - 1);
    assert_int_equal(path.count, LONG - 2);
    graph_close(g);
}

/* One component of a million nodes. Mover 3 is enabled everywhere, so it must move, once. The ring's own hand-offs are
 * one, the dead end's is another: both are seen only after a whole round. */
static void a_long_ring_is_no_harder(void **state)
{
    graph *g = chain(true);
    graph_wait w;
    uint32_t node = 0, moved = 0;
    assert_true(graph_find_lasso(*state, g, 1, true, &w));
    assert_int_equal(w.walk.count, LONG);
    for (size_t i = 0; i < w.walk.count; i++) {
        graph_edge e = graph_get_edge(g, w.walk.edges[i]);
        assert_int_equal(graph_edge_source(g, w.walk.edges[i]), node);
        moved += e.mover == 3;
        node = e.to;
    }
    assert_int_equal(node, 0);
    assert_int_equal(moved, 1);
    assert_true(graph_find_overtaken(*state, g, 1, 0, &w));
    assert_int_equal(w.hand_offs, 2);
    assert_int_equal(w.walk.count, 1);
    assert_true(graph_find_overtaken(*state, g, 1, 1, &w));
    assert_int_equal(w.walk.count, LONG);
    assert_false(graph_find_overtaken(*state, g, 1, 2, &w));
    graph_close(g);
}

/* Nodes and edges of many kinds: 8 bytes each, and what is different is kept once. */
static void an_edge_takes_eight_bytes(void **state)
{
    (void)state;
    enum { KINDS = 2000, DEGREE = 5 };
    graph *g = graph_open(0);
    for (uint32_t i = 0; i < LONG; i++) {
        graph_add_node(g, i % KINDS, false);
        for (uint32_t e = 0; e < DEGREE; e++) {
            uint32_t to = i * DEGREE + e + 1;
            graph_add_edge(g, (graph_edge){ .to = to < LONG ? to : i, .mover = (i + e) % GRAPH_MOVERS_MAX,
                                            .progress = i % KINDS });
        }
    }
    for (uint32_t i = 0; i < LONG; i += 997) {
        assert_int_equal(graph_get_edge(g, i * DEGREE + 3).progress, i % KINDS);
        assert_int_equal(graph_get_edge(g, i * DEGREE + 3).mover, (i + 3) % GRAPH_MOVERS_MAX);
    }
    print_message("  %zu bytes\n", graph_bytes(g));
    assert_true(graph_bytes(g) < (size_t)LONG * 8 + (size_t)LONG * DEGREE * 10);
    graph_close(g);
}

static int fresh(void **state)
{
    *state = arena_new();
    return 0;
}

static int gone(void **state)
{
    arena_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_put_in_comes_out),
        cmocka_unit_test(test_components_are_mutual_reach),
        cmocka_unit_test(test_deadlock_is_no_way_out),
        cmocka_unit_test(test_rest_is_a_cycle_of_the_ended),
        cmocka_unit_test(test_lasso_is_any_fair_set),
        cmocka_unit_test(test_a_fair_coin_leads_out),
        cmocka_unit_test(test_bound_is_the_longest_count),
        cmocka_unit_test(test_marks_are_all_who_wait_too_long),
        cmocka_unit_test(test_paths_have_fewest_switches),
        cmocka_unit_test(test_paths_by_edges_have_fewest_switches),
        cmocka_unit_test_setup_teardown(a_spinner_can_starve, fresh, gone),
        cmocka_unit_test_setup_teardown(who_has_no_chance_is_caught, fresh, gone),
        cmocka_unit_test_setup_teardown(an_unfair_cycle_is_no_starvation, fresh, gone),
        cmocka_unit_test_setup_teardown(what_an_unfair_cycle_repeats_counts_once, fresh, gone),
        cmocka_unit_test_setup_teardown(a_self_loop_is_a_cycle_and_a_dead_end_is_none, fresh, gone),
        cmocka_unit_test_setup_teardown(the_last_mover_and_the_last_waiter_count, fresh, gone),
        cmocka_unit_test_setup_teardown(a_long_chain_is_no_harder, fresh, gone),
        cmocka_unit_test_setup_teardown(a_long_ring_is_no_harder, fresh, gone),
        cmocka_unit_test(an_edge_takes_eight_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
