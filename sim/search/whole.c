/* whole.c - see whole.h. The second pass repeats the first by look-ups alone, and stores what the first could not:
 * which step leads from which state to which. */
#include "search/whole_internal.h"

#include <string.h>

typedef struct {
    whole *w;
    graph *g;
    str lock;              /* for the fairness to waiters of this lock; NULL: for ways */
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

/* Is this one of the places where a known finding can end? */
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

/* The waiters in this row, and the permutation to its canonical form, which maps waiters of one row to another's. */
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
    if (ended && !b->lock.p && is_asked(w, PROPERTY_NO_LEAK) && (vectors_rest(w->t, row) >> PROPERTY_NO_LEAK & 1))
        add_number(&w->leaks, state);
    graph_add_node(b->g, waits, ended);
    uint32_t form = keep_form(w, state, row, waits);
    uint32_t only = w->h->ample ? vectors_ample(w->t, row, list, count) : NOBODY;
    for (size_t i = 0; i < count; i++) {
        const happening *x = &list[i];
        if (happening_waits(x, only))
            continue;
        folded f = { .print = x->print, .permutation = form };
        if (vectors_folds(w->t) && !x->same)
            f = vectors_fold(w->t, rows + i * width);
        uint32_t to = x->same ? state : visited_find(w->seen, f.print);
        str why;
        if (vectors_folds(w->t) && parts_apart(vectors_parts(w->t), &why))
            return false;  /* the states differ from those of the first pass: no result here counts */
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
        h->why_undecided = arena_str(h->a, str_from(why));     /* what the first pass settled stays settled */
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

graph *whole_graph(whole *w, str lock)
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

static bool needed(const whole *w)
{
    if (w->c && !w->h->stopped)
        return true;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (w->h->found[p].yes && run_tells(w->h, (property)p))
            return !w->h->stopped;
    if (is_open(w, PROPERTY_BOUNDED_WAIT))
        return true;
    return (is_open(w, PROPERTY_NO_DEADLOCK) || is_open(w, PROPERTY_NO_LEAK)) &&
           !parts_nobody_waits(vectors_parts(w->t));
}

/* `full`: there are more waiters than bits. */
static void conclude(whole *w, bool full)
{
    hunt *h = w->h;
    if (w->c && w->g && !h->failed && h->out->search.complete)
        whole_sign(w, !full);
    whole_tell(w);
    if (full)
        h->why_undecided = arena_printf(h->a, "more than %d wait somewhere, and they cannot be told apart",
                                        GRAPH_WAITERS_MAX);
    if (w->g && !h->failed && h->out->search.complete) {
        whole_judge_leaks(w);
        if (!full)
            whole_judge_deadlock(w);
        whole_judge_waiting(w);
    }
}

/* With ample sets: is anything broken or undecided? */
static bool is_shown(whole *w, bool full)
{
    hunt *h = w->h;
    uint32_t node, waiter;
    if (h->failed || (vectors_folds(w->t) && h->apart.n) || h->why_undecided.n || full)
        return true;
    if (!w->g || !h->out->search.complete)
        return false;
    bool stuck = !vectors_folds(w->t) && is_open(w, PROPERTY_NO_DEADLOCK) && graph_find_deadlock(w->g, &node, &waiter);
    for (uint32_t i = 0; w->stuck && i < graph_node_count(w->g); i++)
        stuck |= w->stuck[i] != 0;
    return stuck || whole_leaks(w);
}

void whole_search(hunt *h, vectors *t, const visited *seen, uint32_t expanded)
{
    whole w = { .h = h, .t = t, .seen = seen, .expanded = expanded };
    bool full;
    w.c = h->ample ? NULL : causes_new(h, t);
    if (!h->failed && needed(&w))
        w.g = whole_graph(&w, (str){ 0 });
    parts_waiter_count(vectors_parts(t), &full);
    if (w.g && vectors_folds(t) && !h->apart.n && h->out->search.complete &&
        is_asked(&w, PROPERTY_NO_DEADLOCK) && (full || !whole_find_stuck(&w)))
        h->apart = S("too many wait");
    if (h->ample && !h->ample_tells.n)
        h->ample_breaks |= is_shown(&w, full);
    else if (!vectors_folds(t) || !h->apart.n)
        conclude(&w, full);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        mem_free(w.ends[p].items);
    mem_free(w.waits);
    mem_free(w.stuck);
    mem_free(w.forms.items);
    mem_free(w.turns.items);
    mem_free(w.leaks.items);
    causes_free(w.c);
    graph_close(w.g);
}
