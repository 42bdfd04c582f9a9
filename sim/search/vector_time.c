/* vector_time.c - steps of time: their length, and all parts after them. */
#include <string.h>

#include "base/mem.h"
#include "world/follow.h"
#include "search/vector_internal.h"

static uint32_t length_id(vectors *t, int64_t ms)
{
    uint32_t known = map3_find(&t->times, (uint32_t)ms, (uint32_t)((uint64_t)ms >> 32), 0);
    if (known != INTERN_NONE)
        return known;
    learns(t);
    MEM_RESERVE(t->lengths, t->length_cap, t->length_count + 1);
    t->lengths[t->length_count] = ms;
    map3_put(&t->times, (uint32_t)ms, (uint32_t)((uint64_t)ms >> 32), 0, (uint32_t)t->length_count);
    return (uint32_t)t->length_count++;
}

/* How long until the next instant of a node that spins; learned once. */
static int64_t ahead(vectors *t, uint32_t q, uint32_t node, uint32_t spinning, bool number_now)
{
    uint32_t length = map3_find(&t->ahead, node, spinning, number_now);
    if (length == INTERN_NONE) {
        learns(t);
        length = length_id(t, parts_ahead(t->p, q, node, spinning, number_now));
        map3_put(&t->ahead, node, spinning, number_now, length);
    }
    return t->lengths[length];
}

/* One number for a pair of numbers and a client. */
static uint32_t together(vectors *t, uint32_t x, uint32_t y, uint32_t q)
{
    uint32_t both = map3_find(&t->together, x, y, q);
    if (both == INTERN_NONE) {
        learns(t);
        both = (uint32_t)t->together.count + 1;
        map3_put(&t->together, x, y, q, both);
    }
    return both;
}

static int64_t stop_at(vectors *t, uint32_t q, const uint32_t *row, int64_t upto_ms)
{
    const context *c = &t->context_list[row[t->clients + AT_CONTEXT]];
    uint32_t *nodes = mem_alloc(t->clients * sizeof *nodes);
    for (uint32_t i = 0; i < t->clients; i++)
        nodes[i] = node_of(row[i]);
    part_place place = { .process = q, .env = c->env, .servers = c->servers, .channels = c->channels, .nodes = nodes };
    int64_t stop_ms = parts_stop(t->p, &place, upto_ms);
    mem_free(nodes);
    return stop_ms;
}

/* The length, before `upto_ms`, after which a step of this client that does not hold time has another outcome; learned
 * once. It depends on the other clients, too: they go on while the step is followed. */
static int64_t stop_of(vectors *t, uint32_t q, const uint32_t *row, int64_t upto_ms)
{
    uint32_t all = row[t->clients + AT_CONTEXT], length = length_id(t, upto_ms);
    for (uint32_t i = 0; i < t->clients; i++)
        all = together(t, all, node_of(row[i]), i);
    uint32_t stop = map3_find(&t->stops, all, length, q);
    if (stop == INTERN_NONE) {
        learns(t);
        stop = length_id(t, stop_at(t, q, row, upto_ms));
        map3_put(&t->stops, all, length, q, stop);
    }
    return t->lengths[stop];
}

static bool has_open_step(const config *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (!items_of(c)[i].holds && (items_of(c)[i].kind != STEP_FAULT || items_of(c)[i].spends == FAULT_RESTART ||
                                      items_of(c)[i].spends == FAULT_INTERRUPT))
            return true;
    return false;
}

/* Is it told when a server removes an expired key, which may be at any moment? */
static bool hears_expiries(const vectors *t, uint32_t node)
{
    return t->h->sc->notify && parts_node(t->p, node)->subscriptions > 0;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t next_length(vectors *t, const uint32_t *row, const bounds *b)
{
    size_t n = t->clients;
    bool number_now = b->number_now;
    if (b->walk_ms > 0)
        return b->left_ms > 0 ? 1 : INT64_MAX;
    int64_t ms = parts_servers(t->p, row[n + AT_SERVERS])->next_ms[number_now];
    for (uint32_t q = 0; q < n; q++) {
        uint32_t node = node_of(row[q]);
        const config *c = config_of(t, q, node, row[n + AT_CONTEXT]);
        if (rare_of(c)->spinning == NOBODY) {
            ms = least(ms, parts_node(t->p, node)->next_ms[number_now]);
            continue;
        }
        ms = least(ms, ahead(t, q, node, rare_of(c)->spinning, number_now));
        if (!(row[q] & 1))
            ms = least(ms, 1);             /* a loop in zero time: real polls take some */
    }
    const int64_t before_ms = ms;
    bool seconds = t->h->instants == INSTANTS_SECONDS;     /* whose ends are found in the whole interval */
    for (uint32_t q = 0; q < n && ms > 1; q++)
        if (has_open_step(config_of(t, q, node_of(row[q]), row[n + AT_CONTEXT])) || hears_expiries(t, node_of(row[q])))
            ms = least(ms, stop_of(t, q, row, seconds ? before_ms : ms));
    if (ms > b->left_ms)
        return b->left_ms > 0 && ms != INT64_MAX ? b->left_ms : INT64_MAX;
    return ms;
}

static bool holds_number(const int64_t *numbers, size_t count, int64_t ms)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == ms)
            return true;
    return false;
}

static bool known_number(vectors *t, const uint32_t *row, int64_t ms)
{
    const servers_facts *s = parts_servers(t->p, row[t->clients + AT_SERVERS]);
    bool found = holds_number(s->numbers, s->number_count, ms);
    for (size_t q = 0; q < t->clients && !found; q++) {
        const node_facts *f = parts_node(t->p, node_of(row[q]));
        found = holds_number(f->numbers, f->number_count, ms);
    }
    return found;
}

static uint32_t age_node(vectors *t, uint32_t q, uint32_t node, uint32_t length, uint32_t spinning)
{
    uint32_t after = map3_find(&t->aged_nodes, node, length, spinning);
    if (after != INTERN_NONE)
        return after;
    learns(t);
    after = parts_age_node(t->p, q, node, t->lengths[length], spinning);
    if (after == PART_NONE) {
        t->failed = true;
        return node;
    }
    map3_put(&t->aged_nodes, node, length, spinning, after);
    return after;
}

static uint32_t expiry(vectors *t, uint32_t before, uint32_t after, uint32_t length, uint32_t env)
{
    uint32_t key = map3_find(&t->time_events, length, env, 0);
    if (key == INTERN_NONE) {
        learns(t);
        key = (uint32_t)t->time_events.count;
        map3_put(&t->time_events, length, env, 0, key);
    }
    uint32_t id = map3_find(&t->expiries, before, after, key);
    if (id == INTERN_NONE) {
        learns(t);
        uint64_t seen = 0;
        id = parts_expiry(t->p, before, after, t->lengths[length], env, &seen);
        t->seen |= seen;
        if (id == PART_NONE) {
            t->failed = true;
            return 0;
        }
        map3_put(&t->expiries, before, after, key, id);
    }
    return id;
}

void pass_time(vectors *t, const uint32_t *row, int64_t ms, const bounds *was)
{
    size_t n = t->clients;
    uint32_t length = length_id(t, ms), broken = 0;
    uint32_t *to = row_add(t, row, &(happening){ .process = NOBODY, .step = PART_NONE, .ms = ms });
    bounds b = *was;       /* a copy: the list may move */
    b.number_now = known_number(t, row, ms);
    b.left_ms = b.left_ms == INT64_MAX ? INT64_MAX : b.left_ms - ms;
    b.walk_ms = b.walk_ms > ms ? b.walk_ms - ms : 0;
    uint32_t env = t->context_list[row[n + AT_CONTEXT]].env, servers = row[n + AT_SERVERS];
    uint32_t after = map3_find(&t->aged_servers, servers, length, 0);
    if (after == INTERN_NONE) {
        learns(t);
        after = parts_age_servers(t->p, servers, ms, env);
        map3_put(&t->aged_servers, servers, length, 0, after);
    }
    to[n + AT_SERVERS] = after;
    to[n + AT_BOUNDS] = bounds_id(t, &b);
    for (uint32_t q = 0; q < n; q++) {
        uint32_t node = node_of(row[q]);
        uint32_t spinning = rare_of(config_of(t, q, node, row[n + AT_CONTEXT]))->spinning;
        to[q] = age_node(t, q, node, length, spinning) * FACTOR;
        row_follow(t, to, q, node);
    }
    to[n + AT_CONTEXT] = context_id(t, to);
    /* A loop in zero time that still goes on after time has passed. */
    for (uint32_t q = 0; q < n && !t->failed; q++) {
        uint32_t spun = rare_of(config_of(t, q, node_of(row[q]), row[n + AT_CONTEXT]))->spinning;
        if (spun == NOBODY)
            continue;
        uint32_t node = node_of(to[q]);
        config *c = config_of(t, q, node, to[n + AT_CONTEXT]);
        int own = config_own_step(t, c, spun);
        if (own < 0 || !config_goes_round(t, q, node, to[n + AT_CONTEXT], c, (uint32_t)own))
            continue;
        to[q] |= 1;
        if (!(row[q] & 1))
            broken |= UINT32_C(1) << PROPERTY_NO_BUSY_WAIT;
    }
    if (!t->h->sc->model.judged[PROPERTY_NO_BUSY_WAIT])
        broken = 0;
    uint32_t events = expiry(t, servers, after, length, env);
    uint32_t key = map3_find(&t->time_keys, length, events, 0), by_monitors = 0;
    if (key == INTERN_NONE) {
        learns(t);
        key = AFTER_TIME | (uint32_t)t->time_keys.count;
        map3_put(&t->time_keys, length, events, 0, key);
    }
    to[n + AT_MODEL] = judge(t, row[n + AT_MODEL], events, key, to[n + AT_TASKS], ms, &by_monitors);
    t->list[t->count - 1].events = events;
    row_finish(t, row, to, broken | by_monitors);
}

bool vectors_pass(vectors *t, const uint32_t *row, int64_t ms, uint32_t *to)
{
    assert(!t->rerun && ms > 0);
    t->count = t->row_count = t->same = 0;
    pass_time(t, row, ms, &t->bound_list[row[t->clients + AT_BOUNDS]]);
    memcpy(to, t->rows + t->list[t->count - 1].place * t->width, t->width * sizeof *to);
    return !t->failed;
}
