/* whole.c - see whole.h. The second pass is the first once more, by lookups alone, and keeps what the first could not: which step leads
 * from which state to which. */
#include "search/whole.h"

#include "base/mem.h"
#include "search/graph.h"

/* In the graph that finds ways, a client is one mover and nobody else is; in the one that asks for fairness, each task is by itself. */
enum { MOVER_TIME = GRAPH_MOVERS_MAX - 1 };

typedef struct { uint32_t *items; size_t count, cap; } numbers;

typedef struct {
    hunt *h;
    vectors *t;
    const visited *seen;
    uint32_t expanded;
    graph *g;
    numbers ends[PROPERTY_COUNT];      /* edges, or for what shows at rest nodes, as early as the finding */
    bool crowded;          /* more movers than a graph can tell apart */
    uint64_t waiters;      /* all that wait in some state */
} whole;

static void add_number(numbers *n, uint32_t v)
{
    MEM_RESERVE(n->items, n->cap, n->count + 1);
    n->items[n->count++] = v;
}

/* ---- building ---- */

typedef struct {
    whole *w;
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

static bool add_state(builder *b, uint32_t state, const uint32_t *row)
{
    whole *w = b->w;
    const happening *list;
    const uint32_t *rows;
    size_t count, width = vectors_width(w->t);
    if (state >= w->expanded) {
        graph_add_node(w->g, 0, false);
        return true;
    }
    if (!vectors_expand(w->t, row, &list, &rows, &count))
        return false;
    bool ended = vectors_ended(w->t, row), rest = true;
    uint64_t waits = ended || vectors_cut(w->t, row) ? 0 : vectors_waits(w->t, row);
    w->waiters |= waits;
    graph_add_node(w->g, waits, ended);
    for (size_t i = 0; i < count; i++) {
        const happening *x = &list[i];
        uint32_t to = x->same ? state : visited_find(w->seen, x->print);
        bool hand_off;
        parts_progress(vectors_parts(w->t), x->events, &hand_off);
        if (b->lock.p)
            hand_off = hand_off && parts_grants(vectors_parts(w->t), x->events, b->lock);
        uint32_t edge = graph_add_edge(w->g, (graph_edge){ .to = to, .mover = mover_of(b, row, x), .fault = x->fault, .hand_off = hand_off,
                                                           .progress = vectors_progress(w->t, row, x) });
        note_ends(b, x->broken, b->depth + 1, false, edge);
        rest &= x->fault;
        if (to == b->known) {
            b->known++;
            memcpy(level_add(&b->next), rows + i * width, width * sizeof *rows);
        }
    }
    if (rest && ends_at_rest(b))
        note_ends(b, vectors_settle(w->t, row), b->depth, true, state);
    return true;
}

static bool must_stop(const builder *b)
{
    whole *w = b->w;
    hunt *h = w->h;
    const char *why = run_must_stop(h, h->o->time_limit_ms);
    if (why) {
        run_stop(h, str_from(why));
        return true;
    }
    size_t bytes = visited_bytes(w->seen) + graph_bytes(w->g) + level_bytes(&b->now) + level_bytes(&b->next) + vectors_bytes(w->t);
    bool full = graph_node_count(w->g) >= GRAPH_NODES_MAX - CHUNK_ROWS || graph_edge_count(w->g) >= GRAPH_EDGES_MAX / 2;
    if (full || (h->max_memory && bytes > h->max_memory)) {
        h->why_undecided = S("the graph of all states did not fit into memory");
        return true;
    }
    return false;
}

static bool add_level(builder *b)
{
    enum { STATES_BETWEEN_LOOKS = 1024 };
    for (size_t i = 0; i < b->now.count; i++)
        if ((i % STATES_BETWEEN_LOOKS == 0 && must_stop(b)) || !add_state(b, b->now.first + (uint32_t)i, level_row(&b->now, i)))
            return false;
    return true;
}

/* false: it did not fit, or an error. */
static bool build(whole *w, str lock)
{
    uint32_t broken;
    builder b = { .w = w, .lock = lock, .known = 1 };
    b.now.width = b.next.width = vectors_width(w->t);
    graph_close(w->g);
    w->g = graph_open(lock.p ? 0 : UINT64_C(1) << MOVER_TIME);
    w->crowded = false;
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
    if (!ok) {
        graph_close(w->g);
        w->g = NULL;
    }
    return ok;
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
    if (!w->g || ends->count == 0) {
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
        if (text.p)
            w->h->found[p].schedule = text;
    }
    mem_free(to.choices);
}

static void tell_all(whole *w)
{
    for (int p = 0; p < PROPERTY_COUNT && !w->h->failed; p++)
        if (w->h->found[p].yes && !w->h->found[p].schedule.p)
            tell(w, (property)p);
}

/* ---- judging ---- */

static bool open(const whole *w, property p)
{
    return w->h->sc->model.judged[p] && !w->h->found[p].yes && !w->h->stopped;
}

static bool needed(const whole *w)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (w->h->found[p].yes)
            return !w->h->stopped;
    return open(w, PROPERTY_NO_DEADLOCK) || open(w, PROPERTY_BOUNDED_WAIT) || open(w, PROPERTY_NO_LEAK);
}

void whole_search(hunt *h, vectors *t, const visited *seen, uint32_t expanded)
{
    whole w = { .h = h, .t = t, .seen = seen, .expanded = expanded };
    if (!h->failed && needed(&w))
        build(&w, (str){ 0 });
    tell_all(&w);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        mem_free(w.ends[p].items);
    graph_close(w.g);
}
