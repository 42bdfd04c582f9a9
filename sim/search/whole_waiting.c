/* whole_waiting.c - who is passed over for ever, or too often (LK012). */
#include "search/whole_internal.h"

/* No violation: a fair coin ends the wait with probability 1. */
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

/* LK012 of one lock: a waiter is passed over for ever, or too often, under fair scheduling. */
static void judge_fairness(whole *w, str lock, uint64_t waiters)
{
    graph *fair = whole_graph(w, lock);
    if (!fair)
        return;
    uint64_t most = (uint64_t)w->h->sc->model.parameter[PROPERTY_BOUNDED_WAIT];
    if (causes_asks(w->c, PROPERTY_BOUNDED_WAIT))
        mark_waits(w, fair, waiters, most);
    if (!is_open(w, PROPERTY_BOUNDED_WAIT) && !w->crowded) {
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
        whole_add_edges(w->g, stem.edges, stem.count, &to);
        to.loop = lasso ? to.count : SIZE_MAX;
        whole_add_edges(fair, wait.walk.edges, wait.walk.count, &to);
        whole_found(w, PROPERTY_BOUNDED_WAIT, &to);
    } else if (graph_find_unlucky_lasso(a, fair, waiters, &wait))
        tell_luck(w, &wait);
    mem_free(to.choices);
    arena_free(a);
    graph_close(fair);
}

/* Each lock has its own graph: a hand-off of another lock passes no waiter over. */
void whole_judge_waiting(whole *w)
{
    parts *p = vectors_parts(w->t);
    uint64_t left = w->waiters;
    for (uint32_t i = 0; i < GRAPH_WAITERS_MAX && is_asked(w, PROPERTY_BOUNDED_WAIT) && !w->h->why_undecided.n; i++) {
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
