/* vector_ask.c - what the graph of all states needs of a row, and the properties that break where nothing more can
 * happen. */
#include "search/rerun.h"
#include "search/vector_internal.h"

uint32_t vectors_settle(vectors *t, const uint32_t *row)
{
    if (t->rerun)
        return rerun_settle(t->rerun, row);
    size_t n = t->clients, subscriptions = 0;
    bool ended = tasks_ended(t, row);
    bounds b = t->bound_list[row[n + AT_BOUNDS]];
    if (!ended && b.left_ms != INT64_MAX &&
        next_length(t, row, &(bounds){ .left_ms = INT64_MAX, .number_now = b.number_now }) != INT64_MAX)
        return 0;          /* the run is cut here; a task that waits for a later instant is not stuck */
    for (size_t q = 0; q < n; q++)
        subscriptions += parts_node(t->p, node_of(row[q]))->subscriptions;
    return parts_settle(t->p, row[n + AT_MODEL], row[n + AT_SERVERS], b.locks, row[n + AT_TASKS], ended, subscriptions);
}

uint64_t vectors_waits(vectors *t, const uint32_t *row)
{
    uint64_t bits = parts_waiters(t->p, row[t->clients + AT_MODEL]);
    for (size_t q = 0; q < t->clients; q++)
        bits |= parts_standing(t->p, node_of(row[q]));
    return bits;
}

uint64_t vectors_progress(vectors *t, const uint32_t *row, const happening *x)
{
    bool hand_off;
    uint64_t bits = parts_progress(t->p, x->events, &hand_off);
    if (x->process != NOBODY && x->step != PART_NONE)
        bits |= parts_stands_no_more(t->p, node_of(row[x->process]), x->step);
    return bits;
}

uint32_t vectors_rest(vectors *t, const uint32_t *row)
{
    if (t->rerun)
        return rerun_settle(t->rerun, row);
    size_t n = t->clients;
    uint32_t locks = t->bound_list[row[n + AT_BOUNDS]].locks, channels = row[n + AT_CHANNELS],
                     key = map3_find(&t->rest_keys, locks, channels, row[n + AT_TASKS]);
    if (key == INTERN_NONE) {
        key = (uint32_t)t->rest_keys.count;
        map3_put(&t->rest_keys, locks, channels, row[n + AT_TASKS], key);
    }
    uint32_t broken = map3_find(&t->rests, row[n + AT_MODEL], row[n + AT_SERVERS], key);
    if (broken == INTERN_NONE) {
        broken = vectors_settle(t, row);
        map3_put(&t->rests, row[n + AT_MODEL], row[n + AT_SERVERS], key, broken);
    }
    return broken;
}

bool vectors_cut(const vectors *t, const uint32_t *row)
{
    return t->rerun ? rerun_cut(t->rerun, row) : t->bound_list[row[t->clients + AT_BOUNDS]].left_ms <= 0;
}

void vectors_used(const vectors *t, const uint32_t *row, uint32_t used[FAULT_KINDS])
{
    const uint32_t *left = t->rerun ? rerun_budgets(t->rerun, row) : t->bound_list[row[t->clients + AT_BOUNDS]].budget;
    for (int k = 0; k < FAULT_KINDS; k++)
        used[k] = t->h->sc->faults[k].budget - left[k];
}

uint32_t vectors_spinning(vectors *t, const uint32_t *row, uint32_t process)
{
    if (t->rerun)
        return rerun_spinning(t->rerun, row, process);
    uint32_t node = node_of(row[process]), ctx = row[t->clients + AT_CONTEXT];
    config *c = config_of(t, process, node, ctx);
    config_holds(t, process, node, ctx, c);
    return rare_of(c)->spinning;
}

uint32_t vectors_own_step(vectors *t, const uint32_t *row, uint32_t process, uint32_t task)
{
    if (t->rerun)
        return rerun_own_step(t->rerun, row, process, task);
    const config *c = config_of(t, process, node_of(row[process]), row[t->clients + AT_CONTEXT]);
    int own = config_own_step(t, c, task);
    return own < 0 ? PART_NONE : items_of(c)[own].step;
}

uint32_t vectors_mover(vectors *t, const uint32_t *row, const happening *x)
{
    return parts_mover(t->p, node_of(row[x->process]), x->step);
}

uint32_t vectors_node(const vectors *t, const uint32_t *row, uint32_t process)
{
    (void)t;
    return node_of(row[process]);
}

uint32_t vectors_servers(const vectors *t, const uint32_t *row) { return row[t->clients + AT_SERVERS]; }
