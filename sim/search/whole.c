/* whole.c - see whole.h. The second pass is the first once more, by lookups alone, and keeps what the first could not:
 * which step leads from which state to which. */
#include "search/whole.h"

#include <string.h>

#include "base/mem.h"
#include "search/causes.h"
#include "search/graph.h"

/* In the graph that finds ways, a client is one mover and nobody else is; in the one that asks for fairness, each task
 * is by itself. */
enum { MOVER_TIME = GRAPH_MOVERS_MAX - 1 };

typedef struct { uint32_t *items; size_t count, cap; } numbers;

typedef struct {
    hunt *h;
    vectors *t;
    const visited *seen;
    uint32_t expanded;
    graph *g;
    causes *c;             /* NULL: nobody asks */
    numbers leaks;         /* nodes where every program has ended and something is left */
    numbers ends[PROPERTY_COUNT];      /* edges, or for what shows at rest nodes, as early as the finding */
    bool crowded;          /* more movers than a graph can tell apart */
    uint64_t waiters;      /* all that wait in some state */
    /* Where equal clients count once: */
    uint64_t *waits;       /* by node */
    numbers forms, turns;  /* permutations to the canonical form: by node, of its row; by edge, of the row it leads
                            * to */
    size_t waits_cap;
} whole;

static void add_number(numbers *n, uint32_t v)
{
    MEM_RESERVE(n->items, n->cap, n->count + 1);
    n->items[n->count++] = v;
}

/* Still to be judged. */
static bool open(const whole *w, property p)
{
    return w->h->sc->model.judged[p] && !w->h->found[p].yes && !w->h->stopped;
}

/* ... or, of what is expected, by which faults it breaks. */
static bool asked(const whole *w, property p)
{
    return open(w, p) || causes_asks(w->c, p);
}

/* ---- building ---- */

typedef struct {
    whole *w;
    graph *g;
    str lock;              /* fairness to whoever waits for this one; NULL: for ways */
    level now, next;
    uint32_t depth, known;
} builder;

static uint32_t mover_of(builder *b, const uint32_t *row, const happening *x)
{
    if (x->process == NOBODY)
        return MOVER_TIME;
    uint32_t m = b->lock.p ? vectors_mover(b->w->t, row, x) : x->process;
    if (m < MOVER_TIME)
        return m;
    b->w->crowded = true;
    return MOVER_TIME - 1;
}

/* Is it one of the ways in which a known finding can end? */
static void note_ends(builder *b, uint32_t broken, uint32_t depth, bool settled, uint32_t number)
{
    hunt *h = b->w->h;
    for (int p = 0; p < PROPERTY_COUNT && broken && !b->lock.p; p++)
        if ((broken >> p & 1) && h->found[p].yes && h->found[p].settled == settled && h->found[p].steps == depth)
            add_number(&b->w->ends[p], number);
}

static bool ends_at_rest(const builder *b)
{
    const hunt *h = b->w->h;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->found[p].yes && h->found[p].settled && h->found[p].steps == b->depth)
            return true;
    return false;
}

/* Who waits in this row, and which permutation takes it to its canonical form: that tells one row's waiters from
 * another's. */
static uint32_t keep_form(whole *w, uint32_t state, const uint32_t *row, uint64_t waits)
{
    if (!vectors_folds(w->t))
        return 0;
    folded f = vectors_fold(w->t, row);
    MEM_RESERVE(w->waits, w->waits_cap, (size_t)state + 1);
    w->waits[state] = waits;
    add_number(&w->forms, f.permutation);
    return f.permutation;
}

static bool add_state(builder *b, uint32_t state, const uint32_t *row)
{
    whole *w = b->w;
    const happening *list;
    const uint32_t *rows;
    size_t count, width = vectors_width(w->t);
    if (!b->lock.p)
        causes_add_node(w->c, row);
    if (state >= w->expanded) {
        graph_add_node(b->g, 0, false);
        keep_form(w, state, row, 0);
        return true;
    }
    if (!vectors_expand(w->t, row, &list, &rows, &count))
        return false;
    bool ended = vectors_ended(w->t, row), rest = true;
    uint64_t waits = ended || vectors_cut(w->t, row) ? 0 : vectors_waits(w->t, row);
    w->waiters |= waits;
    if (ended && !b->lock.p && asked(w, PROPERTY_NO_LEAK) && (vectors_rest(w->t, row) >> PROPERTY_NO_LEAK & 1))
        add_number(&w->leaks, state);
    graph_add_node(b->g, waits, ended);
    uint32_t form = keep_form(w, state, row, waits);
    for (size_t i = 0; i < count; i++) {
        const happening *x = &list[i];
        folded f = { .print = x->print, .permutation = form };
        if (vectors_folds(w->t) && !x->same)
            f = vectors_fold(w->t, rows + i * width);
        uint32_t to = x->same ? state : visited_find(w->seen, f.print);
        str why;
        if (vectors_folds(w->t) && parts_apart(vectors_parts(w->t), &why))
            return false;  /* the states are not those of the first pass: nothing here counts */
        if (vectors_folds(w->t))
            add_number(&w->turns, f.permutation);
        bool hand_off;
        parts_progress(vectors_parts(w->t), x->events, &hand_off);
        if (b->lock.p)
            hand_off = hand_off && parts_grants(vectors_parts(w->t), x->events, b->lock);
        uint32_t edge = graph_add_edge(b->g, (graph_edge){ .to = to, .mover = mover_of(b, row, x), .fault = x->fault,
                                                           .hand_off = hand_off,
                                                           .coin = x->step != PART_NONE &&
                                                           parts_step(vectors_parts(w->t), x->step).coin,
                                                           .progress = vectors_progress(w->t, row, x) });
        note_ends(b, x->broken, b->depth + 1, false, edge);
        if (!b->lock.p)
            causes_add_edge(w->c, edge, x);
        rest &= x->fault;
        if (to == b->known) {
            b->known++;
            memcpy(level_add(&b->next), rows + i * width, width * sizeof *rows);
        }
    }
    if (rest && !b->lock.p && (w->c || ends_at_rest(b))) {
        uint32_t broken = vectors_settle(w->t, row);
        note_ends(b, broken, b->depth, true, state);
        causes_add_rest(w->c, state, broken);
    }
    return true;
}

static bool must_stop(const builder *b)
{
    whole *w = b->w;
    hunt *h = w->h;
    const char *why = run_must_stop(h, h->o->time_limit_ms);
    if (why) {
        h->why_undecided = arena_str(h->a, str_from(why));     /* what the first pass settled is settled */
        return true;
    }
    size_t bytes = visited_bytes(w->seen) + graph_bytes(b->g) + level_bytes(&b->now) + level_bytes(&b->next) +
                   vectors_bytes(w->t) +
                   causes_bytes(w->c);
    if (w->g)
        bytes += graph_bytes(w->g);
    bool full = graph_node_count(b->g) >= GRAPH_NODES_MAX - CHUNK_ROWS || graph_edge_count(b->g) >= GRAPH_EDGES_MAX / 2;
    if (full || mem_is_low() || (h->max_memory && bytes > h->max_memory)) {
        h->why_undecided = S("the graph of all states did not fit into memory");
        return true;
    }
    return false;
}

static bool add_level(builder *b)
{
    const size_t between_looks = vectors_slow(b->w->t) ? 16 : 1024;
    for (size_t i = 0; i < b->now.count; i++)
        if ((i % between_looks == 0 && must_stop(b)) ||
            !add_state(b, b->now.first + (uint32_t)i, level_row(&b->now, i)))
            return false;
    return true;
}

/* NULL: it did not fit, or an error. */
static graph *build(whole *w, str lock)
{
    uint32_t broken;
    builder b = { .w = w, .lock = lock, .known = 1, .g = graph_open(lock.p ? 0 : UINT64_C(1) << MOVER_TIME) };
    b.now.width = b.next.width = vectors_width(w->t);
    w->crowded = false;
    graph_set_unstoppable(b.g, UINT64_C(1) << MOVER_TIME);
    memcpy(level_add(&b.next), vectors_begin(w->t, &broken), b.next.width * sizeof(uint32_t));
    note_ends(&b, broken, 0, true, 0);
    bool ok = true;
    while (ok && b.next.count > 0) {
        uint32_t first = b.now.first + (uint32_t)b.now.count;
        level_clear(&b.now);
        level done = b.now;
        b.now = b.next;
        b.next = done;
        b.now.first = first;
        ok = add_level(&b);
        b.depth++;
    }
    level_clear(&b.now);
    level_clear(&b.next);
    if (ok)
        return b.g;
    graph_close(b.g);
    return NULL;
}

/* ---- ways ---- */

static void add_edges(const graph *g, const uint32_t *edges, size_t count, way *out)
{
    for (size_t i = 0; i < count; i++)
        way_add(out, edges[i] - graph_first_edge(g, graph_edge_source(g, edges[i])));
}

/* Of the nodes where it shows at rest the one that takes the fewest switches; the first of them, after so many. */
static void way_to_rest(arena *a, const graph *g, const numbers *nodes, graph_path *best)
{
    enum { LOOKED_AT_MAX = 64 };
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < nodes->count && i < LOOKED_AT_MAX; i++) {
        graph_path path;
        uint32_t n = graph_path_to_node(a, g, nodes->items[i], &path);
        if (n >= least)
            continue;
        least = n;
        *best = path;
    }
}

/* false: nobody knows one. */
static bool way_to_finding(whole *w, property p, way *out)
{
    const finding *f = &w->h->found[p];
    const numbers *ends = &w->ends[p];
    if (!w->g || ends->count == 0 || vectors_folds(w->t)) {        /* a path of folded states is none of rows */
        if (!way_to_state(w->t, w->seen, f->state, out))
            return false;
        if (!f->settled)
            way_add(out, (uint32_t)f->choice);
        return true;
    }
    graph_path path = { 0 };
    arena *a = arena_new();
    if (f->settled)
        way_to_rest(a, w->g, ends, &path);
    else
        graph_path_by_edges(a, w->g, ends->items, ends->count, &path);
    add_edges(w->g, path.edges, path.count, out);
    arena_free(a);
    return true;
}

static void tell(whole *w, property p)
{
    way to = { .loop = SIZE_MAX };
    if (way_to_finding(w, p, &to)) {
        str text = way_tell(w->h, w->t, &to, p);
        if (text.p) {
            w->h->found[p].schedule = text;
            w->h->found[p].steps = to.count;
        }
    }
    mem_free(to.choices);
}

/* What breaks by a cause of its own is told by that. */
static void aim(whole *w, property p)
{
    uint32_t *list;
    bool rest;
    size_t count = w->h->found[p].other_cause ? causes_unexpected(w->c, w->g, p, &list, &rest) : 0;
    if (count == 0)
        return;
    mem_free(w->ends[p].items);
    w->ends[p] = (numbers){ .items = list, .count = count, .cap = count };
    w->h->found[p].settled = rest;
}

static void tell_all(whole *w)
{
    for (int p = 0; p < PROPERTY_COUNT && !w->h->failed; p++)
        if (w->h->found[p].yes && !w->h->found[p].schedule.p && run_tells(w->h, (property)p))
            tell(w, (property)p);
}

/* ---- judging ---- */

/* A way that only this pass could find becomes the finding. */
static void found(whole *w, property p, const way *to)
{
    finding *f = &w->h->found[p];
    f->yes = true;
    f->steps = to->count;
    f->schedule = way_tell(w->h, w->t, to, p);
}

static uint32_t end_edge(const graph *g, uint32_t node)
{
    return node + 1 < graph_node_count(g) ? graph_first_edge(g, node + 1) : graph_edge_count(g);
}

/* The shortest cycle from `node` to itself, in its component, whose last step is time: the real world looks for cycles
 * when time has passed. */
static bool cycle_by_time(const graph *g, const uint32_t *of, uint32_t node, numbers *cycle)
{
    uint32_t *by = mem_alloc(graph_node_count(g) * sizeof *by), last = UINT32_MAX;
    for (uint32_t i = 0; i < graph_node_count(g); i++)
        by[i] = UINT32_MAX;
    numbers queue = { 0 };
    add_number(&queue, node);
    for (size_t i = 0; i < queue.count && last == UINT32_MAX; i++)
        for (uint32_t e = graph_first_edge(g, queue.items[i]); e < end_edge(g, queue.items[i]) && last == UINT32_MAX;
             e++) {
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

/* LK030 where time never comes to rest: something is left in a state that comes back for ever. */
static void judge_leaks(whole *w)
{
    if (!open(w, PROPERTY_NO_LEAK) || w->leaks.count == 0)
        return;
    arena *a = arena_new();
    uint32_t *rest, count = graph_find_rest(a, w->g, &rest), at = 0;
    uint32_t *of = mem_alloc(graph_node_count(w->g) * sizeof *of);
    graph_find_components(w->g, of, NULL);
    for (size_t i = 0; i < w->leaks.count && open(w, PROPERTY_NO_LEAK); i++) {
        uint32_t node = w->leaks.items[i];
        numbers cycle = { 0 };
        while (at < count && rest[at] < node)
            at++;
        if (at < count && rest[at] == node && cycle_by_time(w->g, of, node, &cycle)) {
            way to = { .rests = true };
            graph_path stem;
            graph_path_to_node(a, w->g, node, &stem);
            add_edges(w->g, stem.edges, stem.count, &to);
            to.loop = to.count;
            add_edges(w->g, cycle.items, cycle.count, &to);
            found(w, PROPERTY_NO_LEAK, &to);
            mem_free(to.choices);
        }
        mem_free(cycle.items);
    }
    mem_free(of);
    arena_free(a);
}

/* All that can happen from `node` on without bad luck, as a graph that begins there; edges[i] is its i-th edge in
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
        for (uint32_t e = graph_first_edge(g, queue.items[i]); e < end_edge(g, queue.items[i]); e++) {
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
        add_edges(g, &edges->items[path->edges[i]], 1, out);
}

/* LK030 and LK011, in all of the graph. */
static void mark_all(whole *w)
{
    if (vectors_folds(w->t))
        return;            /* there are none: unfold_for_telling */
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
    if (causes_asks(w->c, PROPERTY_NO_DEADLOCK))
        graph_mark_deadlocks(w->g, marked);
    for (uint32_t i = 0; i < nodes; i++)
        if (marked[i])
            causes_add_node_of(w->c, PROPERTY_NO_DEADLOCK, i);
    mem_free(marked);
    arena_free(a);
}

static void sign_all(whole *w, bool waits_told_apart)
{
    mark_all(w);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (p != PROPERTY_BOUNDED_WAIT && (p != PROPERTY_NO_DEADLOCK || waits_told_apart)) {
            causes_sign(w->c, w->g, (property)p);
            if (vectors_folds(w->t) && w->h->found[p].other_cause)
                w->h->apart = S("a cause that is not expected is told by each client for itself");
            else
                aim(w, (property)p);
        }
}

/* LK011 where something goes on for ever, but not for everybody. Where nothing goes on the first pass has seen it. */
static void judge_deadlock(whole *w)
{
    uint32_t node, waiter;
    if (!open(w, PROPERTY_NO_DEADLOCK) || !graph_find_deadlock(w->g, &node, &waiter))
        return;
    arena *a = arena_new();
    numbers edges = { 0 };
    way to = { .loop = 0 };
    graph_path stem;
    graph_wait lasso;
    graph *future = future_of(w->g, node, UINT64_C(1) << waiter, &edges);
    graph_path_to_node(a, w->g, node, &stem);
    add_edges(w->g, stem.edges, stem.count, &to);
    if (graph_find_lasso(a, future, UINT64_C(1) << waiter, false, &lasso)) {
        add_mapped(w->g, &lasso.stem, &edges, &to);
        to.loop = to.count;
        add_mapped(w->g, &lasso.walk, &edges, &to);
        found(w, PROPERTY_NO_DEADLOCK, &to);
    } else
        w->h->why_undecided = S("somebody can never pass its wait, and no way shows it: this is a mistake of "
                                "locksim's");
    mem_free(to.choices);
    mem_free(edges.items);
    graph_close(future);
    arena_free(a);
}

/* No break: a fair coin ends the wait some day. */
static void tell_luck(whole *w, const graph_wait *wait)
{
    str lock, who = parts_waiter(vectors_parts(w->t), wait->waiter, &lock);
    graph_path stem;
    arena *a = arena_new();
    graph_path_to_node(a, w->g, wait->start, &stem);
    w->h->luck = arena_printf(w->h->a, "LK012: %.*s waits for \"%.*s\" for ever only if a fair coin (me:random) falls "
                              "one way for ever: a loop of %zu steps after %zu; with each fall as likely as not, the "
                              "wait ends", STR_ARG(who), STR_ARG(lock), wait->walk.count, stem.count);
    arena_free(a);
}

static void mark_waits(whole *w, const graph *fair, uint64_t waiters, uint64_t most)
{
    bool *marked = mem_zero(graph_node_count(fair) + 1);
    graph_mark_waits(fair, waiters, most, marked);
    for (uint32_t i = 0; i < graph_node_count(fair); i++)
        if (marked[i])
            causes_add_node_of(w->c, PROPERTY_BOUNDED_WAIT, i);
    mem_free(marked);
}

/* LK012 of one lock: somebody is passed over for ever, or too often, though everybody gets his turn. */
static void judge_fairness(whole *w, str lock, uint64_t waiters)
{
    graph *fair = build(w, lock);
    if (!fair)
        return;
    uint64_t most = (uint64_t)w->h->sc->model.parameter[PROPERTY_BOUNDED_WAIT];
    if (causes_asks(w->c, PROPERTY_BOUNDED_WAIT))
        mark_waits(w, fair, waiters, most);
    if (!open(w, PROPERTY_BOUNDED_WAIT) && !w->crowded) {
        graph_close(fair);
        return;
    }
    arena *a = arena_new();
    graph_wait wait;
    way to = { .loop = SIZE_MAX };
    graph_path stem;
    bool lasso = graph_find_lasso(a, fair, waiters, false, &wait), too_often = false;
    if (!lasso)
        too_often = graph_find_overtaken(a, fair, waiters, most, &wait);
    if (w->crowded)
        w->h->why_undecided = arena_printf(w->h->a, "bounded_wait is judged of at most %d tasks, connections and the "
                                           "like together, and here are more", MOVER_TIME - 1);
    else if (lasso || too_often) {
        graph_path_to_node(a, w->g, wait.start, &stem);
        add_edges(w->g, stem.edges, stem.count, &to);
        to.loop = lasso ? to.count : SIZE_MAX;
        add_edges(fair, wait.walk.edges, wait.walk.count, &to);
        found(w, PROPERTY_BOUNDED_WAIT, &to);
    } else if (graph_find_unlucky_lasso(a, fair, waiters, &wait))
        tell_luck(w, &wait);
    mem_free(to.choices);
    arena_free(a);
    graph_close(fair);
}

/* Each lock has a graph of its own: a hand-off of another lock passes nobody over. */
static void judge_waiting(whole *w)
{
    parts *p = vectors_parts(w->t);
    uint64_t left = w->waiters;
    for (uint32_t i = 0; i < GRAPH_WAITERS_MAX && asked(w, PROPERTY_BOUNDED_WAIT) && !w->h->why_undecided.n; i++) {
        str lock, other;
        if (!(left >> i & 1))
            continue;
        parts_waiter(p, i, &lock);
        uint64_t waiters = 0;
        for (uint32_t k = i; k < GRAPH_WAITERS_MAX; k++)
            if (left >> k & 1) {
                parts_waiter(p, k, &other);
                waiters |= (uint64_t)str_eq(lock, other) << k;
            }
        left &= ~waiters;
        if (lock.n)
            judge_fairness(w, lock, waiters);
    }
    w->h->by_graph[PROPERTY_BOUNDED_WAIT] = !w->h->why_undecided.n;
    if (!w->h->why_undecided.n)
        causes_sign(w->c, w->g, PROPERTY_BOUNDED_WAIT);
}

/* ---- where equal clients count once ---- */

/* The bits of waiters with all ids exchanged. */
typedef struct { bool known; uint8_t to[GRAPH_WAITERS_MAX]; } turn;

/* So that every permutation of a waiter is one. false: there are too many. */
static bool know_all_waiters(parts *p, const equals *eq)
{
    bool full = false;
    parts_waiter_count(p, &full);
    for (size_t i = 0; i < parts_waiter_count(p, &full) && !full; i++)
        for (size_t a = 0; a < eq->count; a++)
            for (size_t b = 0; b < a; b++)
                if (eq->first[a] == eq->first[b]) {
                    permutation x = permutation_swap(a, b);
                    parts_waiter_permuted(p, i, &x);
                }
    return !full;
}

static const turn *turn_of(parts *p, turn *turns, uint32_t x, size_t waiters)
{
    turn *t = &turns[x];
    if (!t->known) {
        t->known = true;
        for (size_t i = 0; i < GRAPH_WAITERS_MAX; i++)
            t->to[i] = i < waiters ? parts_waiter_permuted(p, i, parts_permutation_of(p, x)) : (uint8_t)i;
    }
    return t;
}

static uint64_t turned(const turn *t, uint64_t bits)
{
    uint64_t to = 0;
    for (; bits; bits &= bits - 1)
        to |= UINT64_C(1) << t->to[__builtin_ctzll(bits)];
    return to;
}

/* LK011: who waits at some row, and on no way from there without faults progresses or waits no more. Along an edge a
 * waiter of the row that is kept is, by the permutations of both to one form, one of the row that the edge leads to. */
static bool somebody_waits_for_ever(whole *w)
{
    parts *p = vectors_parts(w->t);
    bool full, more = true, caught = false;
    if (!know_all_waiters(p, parts_equals(p)))
        return true;
    size_t waiters = parts_waiter_count(p, &full);
    uint32_t nodes = graph_node_count(w->g), *back = mem_alloc((w->turns.count + 1) * sizeof *back), most = 0;
    map3 joined = { 0 };
    for (uint32_t e = 0; e < w->turns.count; e++) {
        uint32_t form = w->forms.items[graph_get_edge(w->g, e).to],
                        known = map3_find(&joined, form, w->turns.items[e], 0);
        if (known == PART_NONE) {
            permutation leave = permutation_back(parts_permutation_of(p, w->turns.items[e])),
                        all = permutation_then(parts_permutation_of(p, form), &leave);
            known = parts_permutation(p, &all);
            map3_put(&joined, form, w->turns.items[e], 0, known);
        }
        back[e] = known;
        most = known > most ? known : most;
    }
    turn *turns = mem_zero(((size_t)most + 1) * sizeof *turns);
    uint64_t *out = mem_alloc((nodes + 1) * sizeof *out);
    for (uint32_t i = 0; i < nodes; i++)
        out[i] = ~w->waits[i];
    while (more) {
        more = false;
        for (uint32_t i = nodes; i-- > 0;) {
            uint64_t was = out[i];
            for (uint32_t e = graph_first_edge(w->g, i); e < end_edge(w->g, i) && ~out[i]; e++) {
                graph_edge x = graph_get_edge(w->g, e);
                if (!x.fault)
                    out[i] |= x.progress | turned(turn_of(p, turns, back[e], waiters), out[x.to]);
            }
            more |= out[i] != was;
        }
    }
    for (uint32_t i = 0; i < nodes; i++)
        caught |= ~out[i] != 0;
    map3_free(&joined);
    mem_free(back);
    mem_free(turns);
    mem_free(out);
    return caught;
}

static bool leaks_at_rest(whole *w)
{
    arena *a = arena_new();
    uint32_t *rest, count = graph_find_rest(a, w->g, &rest);
    bool found = false;
    for (size_t i = 0, at = 0; i < w->leaks.count && !found; i++) {
        while (at < count && rest[at] < w->leaks.items[i])
            at++;
        found = at < count && rest[at] == w->leaks.items[i];
    }
    arena_free(a);
    return found;
}

/* What only paths in the graph can tell is told by one in which each client counts for itself. */
static void unfold_for_telling(whole *w)
{
    hunt *h = w->h;
    if (!vectors_folds(w->t) || h->apart.n || !w->g || !h->out->search.complete)
        return;
    bool deadlock = open(w, PROPERTY_NO_DEADLOCK) || causes_asks(w->c, PROPERTY_NO_DEADLOCK);
    bool leak = open(w, PROPERTY_NO_LEAK) || causes_asks(w->c, PROPERTY_NO_LEAK);
    if (deadlock && somebody_waits_for_ever(w))
        h->apart = S("somebody waits for ever, which only a graph of all clients by themselves can tell");
    else if (leak && leaks_at_rest(w))
        h->apart = S("something is left for ever, which only a graph of all clients by themselves can tell");
}

static bool needed(const whole *w)
{
    if (w->c && !w->h->stopped)
        return true;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (w->h->found[p].yes && run_tells(w->h, (property)p))
            return !w->h->stopped;
    if (open(w, PROPERTY_BOUNDED_WAIT))
        return true;
    return (open(w, PROPERTY_NO_DEADLOCK) || open(w, PROPERTY_NO_LEAK)) && !parts_nobody_waits(vectors_parts(w->t));
}

/* `full`: there are more waiters than can be told apart. */
static void conclude(whole *w, bool full)
{
    hunt *h = w->h;
    if (w->c && w->g && !h->failed && h->out->search.complete)
        sign_all(w, !full);
    tell_all(w);
    if (full)
        h->why_undecided = arena_printf(h->a, "more than %d wait somewhere, and nobody can tell them apart",
                                        GRAPH_WAITERS_MAX);
    if (w->g && !h->failed && h->out->search.complete) {
        judge_leaks(w);
        if (!full)
            judge_deadlock(w);
        judge_waiting(w);
    }
}

void whole_search(hunt *h, vectors *t, const visited *seen, uint32_t expanded)
{
    whole w = { .h = h, .t = t, .seen = seen, .expanded = expanded };
    bool full;
    w.c = causes_new(h, t);
    if (!h->failed && needed(&w))
        w.g = build(&w, (str){ 0 });
    parts_waiter_count(vectors_parts(t), &full);
    unfold_for_telling(&w);
    if (vectors_folds(t) && full && !h->apart.n)
        h->apart = S("too many wait");
    if (!vectors_folds(t) || !h->apart.n)
        conclude(&w, full);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        mem_free(w.ends[p].items);
    mem_free(w.waits);
    mem_free(w.forms.items);
    mem_free(w.turns.items);
    mem_free(w.leaks.items);
    causes_free(w.c);
    graph_close(w.g);
}
