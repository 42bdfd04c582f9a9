/* rerun.c - see rerun.h. For each state it stores the state before and the step between, so that it can run to any
 * state again. Which steps hold time, which spin and how far time moves is determined here from live steps only, as
 * DESIGN.md ("The world") defines it. */
#include "search/rerun.h"

#include <string.h>

#include "base/mem.h"

static const uint32_t FACTOR = 2;      /* as in vector_internal.h: a node's number twice, plus one if its loop has
                                        * repeated */

/* How a state was reached. */
typedef struct {
    uint32_t from;         /* state */
    step taken;
    uint32_t *spinning;    /* of a step of time: the task of each process whose request moves with it; NULL: none */
} origin;


struct rerun {
    hunt *h;
    parts *p;
    size_t clients, width, ids;        /* ids: the words that identify a state */
    arena *memory;         /* of origins */
    arena *scratch;        /* of one expansion */
    intern *states;
    origin *origins;       /* by state; the first has none */
    size_t origin_cap;
    uint32_t *first;
    uint32_t first_broken;
    uint64_t seen, requests;
    happening *list;
    uint32_t *rows;
    size_t count, list_cap, row_cap;
    uint32_t last;  /* the state expanded last, and which task (its place) of each process loops there in zero time */
    uint32_t *spinning;
    intern *stop_keys;
    int64_t *stops;        /* by stop_keys */
    size_t stop_cap;
    /* until the end of the run, and of budgets; by bounds */
    struct { int64_t ms; uint32_t faults[FAULT_KINDS]; } *left;
    size_t left_cap;
};

/* ---- worlds ---- */

static bool fail(rerun *v)
{
    v->h->failed = true;
    return false;
}

static void release(rerun *v, world *w)
{
    if (!w)
        return;
    v->seen |= world_seen(w);
    v->requests += world_requests(w);
    world_free(w);
}

/* One step in a live world. `spinning` as in origin. */
static bool take(rerun *v, world *w, const step *s, const uint32_t *spinning)
{
    for (uint32_t q = 0; spinning && q < v->clients; q++)
        if (spinning[q] != NOBODY)
            parts_put_off(w, q, spinning[q], s->amount);
    return world_take(w, s, &v->h->out->error) || fail(v);
}

/* A new world, run up to this state. NULL: the hunt has failed. */
static world *run_to(rerun *v, uint32_t state)
{
    size_t n = 0;
    for (uint32_t at = state; at != 0; at = v->origins[at].from)
        n++;
    uint32_t *way = mem_alloc((n + 1) * sizeof *way);
    for (uint32_t at = state; at != 0; at = v->origins[at].from)
        way[--n] = at;
    world_options wo = run_options(v->h, NULL, false);
    wo.folded = true;
    world *w = world_new(v->h->sc, v->h->l, &wo, &v->h->out->error);
    bool ok = w || fail(v);
    if (w)
        parts_forgive(w);
    for (uint32_t at = 0; ok && at != state; n++) {
        at = way[n];
        ok = take(v, w, &v->origins[at].taken, v->origins[at].spinning);
        parts_forgive(w);
    }
    mem_free(way);
    if (ok)
        return w;
    release(v, w);
    return NULL;
}

/* ---- rows ---- */

static bool row_of(rerun *v, world *w, uint32_t *row)
{
    part_state s = { .nodes = row };
    if (!parts_take_apart(v->p, w, &s, &v->h->out->error))
        return fail(v);
    for (size_t q = 0; q < v->clients; q++)
        row[q] *= FACTOR;
    row[v->clients + AT_SERVERS] = s.servers;
    row[v->clients + AT_BOUNDS] = s.bounds;
    MEM_RESERVE(v->left, v->left_cap, (size_t)s.bounds + 1);
    v->left[s.bounds].ms = parts_left_ms(w);
    parts_budgets(w, v->left[s.bounds].faults);
    row[v->clients + AT_MODEL] = s.model;
    memset(row + v->ids, 0, (v->width - v->ids) * sizeof *row);
    return true;
}

static str id_of(const rerun *v, const uint32_t *row)
{
    return (str){ (const char *)row, v->ids * sizeof *row };
}

static uint32_t node_of(uint32_t word) { return word / FACTOR; }

/* The row of the next happening, and the happening. */
static uint32_t *add(rerun *v, const happening *x)
{
    MEM_RESERVE(v->list, v->list_cap, v->count + 1);
    MEM_RESERVE(v->rows, v->row_cap, (v->count + 1) * v->width);
    v->list[v->count] = *x;
    v->list[v->count].number = (uint32_t)v->count;
    return v->rows + v->count++ * v->width;
}

/* Stores how the state of the last row was reached, if it is new. */
static void settle_in(rerun *v, const uint32_t *row, uint32_t from, const step *s, const uint32_t *spinning)
{
    uint32_t *to = v->rows + (v->count - 1) * v->width;
    happening *x = &v->list[v->count - 1];
    x->same = memcmp(row, to, v->ids * sizeof *row) == 0;
    x->print = row_print(to, v->ids);
    bool fresh;
    uint32_t id = intern_add(v->states, id_of(v, to), &fresh);
    if (!fresh)
        return;
    MEM_RESERVE(v->origins, v->origin_cap, (size_t)id + 1);
    origin *o = &v->origins[id];
    *o = (origin){ .from = from, .taken = *s };
    o->taken.key = arena_str(v->memory, s->key);
    if (spinning) {
        o->spinning = ARENA_ARRAY(v->memory, uint32_t, v->clients);
        memcpy(o->spinning, spinning, v->clients * sizeof *spinning);
    }
}

/* ---- loops in zero time ---- */

typedef struct { bool round, back; } loop;

/* In `w` a step of `task` has just led from row `was` to row `is`. If the task goes on alone, does it loop in zero time
 * without changing the servers? back: it returns to `was`. The world cannot be used afterwards. */
static bool follow(rerun *v, world *w, uint32_t process, uint32_t task, const uint32_t *was, const uint32_t *is,
                   loop *out)
{
    enum { LOOP_MAX = 64 };
    uint32_t been[LOOP_MAX] = { node_of(was[process]) }, *row = mem_alloc(v->width * sizeof *row);
    memcpy(row, is, v->width * sizeof *row);
    bool ok = true;
    *out = (loop){ 0 };
    for (int i = 1; ok && i < LOOP_MAX && !out->round; i++) {
        bool alone = row[v->clients + AT_SERVERS] == was[v->clients + AT_SERVERS];
        for (uint32_t q = 0; q < v->clients; q++)
            alone &= q == process || node_of(row[q]) == node_of(was[q]);
        if (!alone)
            break;
        been[i] = node_of(row[process]);
        for (int k = 0; k < i; k++)
            out->round |= been[k] == been[i];
        out->back = been[i] == been[0];
        step s;
        if (out->round || !parts_own_step(w, process, task, &s))
            break;
        ok = take(v, w, &s, NULL) && row_of(v, w, row);
    }
    mem_free(row);
    return ok;
}

/* ---- steps ---- */

typedef struct {
    step *steps;
    size_t count;
} step_list;

static step_list copy_steps(rerun *v, const step *list, size_t count)
{
    step_list l = { .steps = ARENA_ARRAY(v->scratch, step, count + 1), .count = count };
    for (size_t i = 0; i < count; i++) {
        l.steps[i] = list[i];
        l.steps[i].key = arena_str(v->scratch, list[i].key);
    }
    return l;
}

/* Takes one step from `state`. *holds: does it hold time? *spins: it would hold time if it did not lead back to the
 * same state. */
static bool take_from(rerun *v, uint32_t state, const uint32_t *row, const step *s, bool *spins)
{
    uint32_t q = s->process;
    world *w = run_to(v, state);
    if (!w)
        return false;
    uint32_t name = parts_name_step(v->p, w, s);
    parts_listen(v->p, w, q);
    bool ok = take(v, w, s, NULL);
    if (ok) {
        uint32_t events = parts_heard(v->p, w, q);
        uint32_t *to = add(v, &(happening){ .process = q, .step = name, .events = events,
                                            .fault = s->kind == STEP_FAULT });
        v->list[v->count - 1].broken = parts_forgive(w);
        ok = row_of(v, w, to);
        bool asks = s->kind == STEP_ROUND_TRIP || s->kind == STEP_EXECUTE;
        bool aged = q != NOBODY && (row[q] & 1);
        loop l = { 0 };
        if (ok && q != NOBODY && (aged || (asks && s->holds_time)))
            ok = follow(v, w, q, s->task, row, to, &l);
        *spins = asks && s->holds_time && l.back;
        if (*spins)
            v->spinning[q] = parts_step(v->p, name).task;
        for (uint32_t i = 0; i < v->clients; i++)  /* a loop goes on while nothing else happens to its node */
            to[i] += i == q ? aged && l.round : node_of(to[i]) == node_of(row[i]) && (row[i] & 1);
        if (ok)
            settle_in(v, row, state, s, NULL);
    }
    release(v, w);
    return ok;
}

/* ---- time ---- */

/* The length, before ms, after which a step of the state that does not hold time has another outcome; learned once for
 * equal parts. */
typedef struct { rerun *v; uint32_t state; } place;

static world *again(void *context)
{
    const place *at = context;
    return run_to(at->v, at->state);
}

static void done(void *context, world *w)
{
    const place *at = context;
    release(at->v, w);
}

/* ... of one process. It depends on the other processes, too. */
static int64_t stop_of(rerun *v, const place *at, const uint32_t *row, uint32_t q, int64_t upto_ms)
{
    buf key = { 0 };
    buf_u64(&key, (uint64_t)q << 32 | row[v->clients + AT_SERVERS]);
    buf_u64(&key, row[v->clients + AT_BOUNDS]);
    buf_u64(&key, (uint64_t)upto_ms);
    for (uint32_t i = 0; i < v->clients; i++)
        buf_u64(&key, node_of(row[i]));
    bool fresh;
    uint32_t id = intern_add(v->stop_keys, buf_str(&key), &fresh);
    buf_free(&key);
    if (fresh) {
        part_again g = { .context = (void *)at, .again = again, .done = done };
        int64_t ms = parts_stop_live(v->p, &g, q, upto_ms);
        MEM_RESERVE(v->stops, v->stop_cap, (size_t)id + 1);
        v->stops[id] = ms;
    }
    return v->stops[id];
}

static int64_t stop_before(rerun *v, uint32_t state, const uint32_t *row, int64_t upto_ms)
{
    place at = { v, state };
    const int64_t before_ms = upto_ms;
    bool seconds = v->h->instants == INSTANTS_SECONDS;     /* as in vector_time.c */
    for (uint32_t q = 0; q < v->clients && upto_ms > 1 && !v->h->failed; q++) {
        int64_t ms = stop_of(v, &at, row, q, seconds ? before_ms : upto_ms);
        upto_ms = ms < upto_ms ? ms : upto_ms;
    }
    return upto_ms;
}

/* How long until something can differ. Requests that spin cause no stop, except that one millisecond passes the first
 * time such a loop closes: real polls take some. `w` is in the state, and cannot be used afterwards. INT64_MAX: time
 * does not pass here. */
static int64_t next_length(rerun *v, world *w, uint32_t state, const uint32_t *row, const uint32_t *spinning, bool held)
{
    int64_t left_ms = parts_left_ms(w);
    if (held)
        return left_ms > 0 && parts_deadline_now(w) ? 1 : INT64_MAX;
    for (uint32_t q = 0; q < v->clients; q++)
        if (spinning[q] != NOBODY)
            parts_drop_requests(w, q, spinning[q]);
    int64_t ms = parts_next_length(w);
    for (uint32_t q = 0; q < v->clients; q++)
        if (spinning[q] != NOBODY && !(row[q] & 1) && ms > 1)
            ms = 1;
    if (!parts_walks(w))
        ms = stop_before(v, state, row, ms);
    if (ms > left_ms)
        return left_ms > 0 && ms != INT64_MAX ? left_ms : INT64_MAX;
    return ms;
}

/* Does the loop of `task` still go on in this state, which `w` is in? The world cannot be used afterwards. */
static bool still_turns(rerun *v, world *w, uint32_t process, uint32_t task, const uint32_t *row, bool *yes)
{
    step s;
    *yes = false;
    if (!parts_own_step(w, process, task, &s))
        return true;
    uint32_t *to = mem_alloc(v->width * sizeof *to);
    loop l = { 0 };
    bool ok = take(v, w, &s, NULL) && row_of(v, w, to) && follow(v, w, process, task, row, to, &l);
    *yes = l.round;
    mem_free(to);
    return ok;
}

static bool pass_time(rerun *v, uint32_t state, const uint32_t *row, const uint32_t *spinning, int64_t ms)
{
    step s = { .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = ms };
    uint32_t *to = add(v, &(happening){ .process = NOBODY, .step = PART_NONE, .events = PART_NONE, .ms = ms });
    happening *x = &v->list[v->count - 1];
    bool loops = false, ok = true;
    for (uint32_t q = 0; q < v->clients; q++)
        loops |= spinning[q] != NOBODY;
    uint32_t broken = 0, *plain = mem_alloc(v->width * sizeof *plain);
    for (uint32_t q = 0; ok && q <= v->clients; q++) {         /* once for each loop, and at least once */
        if (q < v->clients && spinning[q] == NOBODY)
            continue;
        world *w = run_to(v, state);
        if (w)
            parts_listen(v->p, w, NOBODY);
        ok = w && take(v, w, &s, loops ? spinning : NULL);
        x->events = ok ? parts_heard(v->p, w, NOBODY) : PART_NONE;
        uint32_t by_monitors = ok ? parts_forgive(w) : 0;
        ok = ok && row_of(v, w, plain);
        bool turns = false;
        if (ok && q < v->clients) {
            ok = still_turns(v, w, q, spinning[q], plain, &turns);
            if (turns && !(row[q] & 1) && v->h->sc->model.judged[PROPERTY_NO_BUSY_WAIT])
                broken |= UINT32_C(1) << PROPERTY_NO_BUSY_WAIT;
            to[q] = turns;             /* for now */
        } else if (ok) {
            broken |= by_monitors;
            for (uint32_t i = 0; i < v->clients; i++)
                plain[i] += spinning[i] != NOBODY && to[i];
            memcpy(to, plain, v->width * sizeof *to);
        }
        release(v, w);
    }
    mem_free(plain);
    x->broken = broken;
    if (ok)
        settle_in(v, row, state, &s, loops ? spinning : NULL);
    return ok;
}

/* ---- expanding ---- */

bool rerun_expand(rerun *v, const uint32_t *row, const happening **list, const uint32_t **rows, size_t *count)
{
    v->count = 0;
    arena_reset(v->scratch);
    uint32_t state = intern_add(v->states, id_of(v, row), NULL),
                     *spinning = ARENA_ARRAY(v->scratch, uint32_t, v->clients + 1);
    world *w = run_to(v, state);
    step_list *lists = ARENA_ARRAY(v->scratch, step_list, v->clients + 1);
    const step *found;
    for (uint32_t q = 0; w && q <= v->clients; q++) {
        size_t n = q < v->clients ? parts_steps_of_process(w, q, &found) : parts_steps_of_servers(w, &found);
        lists[q] = copy_steps(v, found, n);
    }
    bool ok = w, held = false;
    v->last = state;
    for (uint32_t q = 0; ok && q <= v->clients; q++) {
        spinning[q] = v->spinning[q] = NOBODY;
        for (size_t i = 0; ok && i < lists[q].count; i++) {
            bool spins = false;
            const step *s = &lists[q].steps[i];
            ok = take_from(v, state, row, s, &spins);
            if (spins)
                spinning[q] = s->task;
            held |= s->holds_time && !spins;
        }
    }
    int64_t ms = ok ? next_length(v, w, state, row, spinning, held) : INT64_MAX;
    release(v, w);
    if (ms != INT64_MAX)
        ok = pass_time(v, state, row, spinning, ms);
    *list = v->list;
    *rows = v->rows;
    *count = v->count;
    return ok;
}

uint32_t rerun_settle(rerun *v, const uint32_t *row)
{
    world *w = run_to(v, intern_add(v->states, id_of(v, row), NULL));
    if (!w || !world_settle(w, &v->h->out->error))
        fail(v);
    uint32_t broken = w ? parts_forgive(w) : 0;
    release(v, w);
    return broken;
}

uint32_t rerun_spinning(rerun *v, const uint32_t *row, uint32_t process)
{
    const happening *list;
    const uint32_t *rows;
    size_t count;
    if (v->last != intern_add(v->states, id_of(v, row), NULL) && !rerun_expand(v, row, &list, &rows, &count))
        return NOBODY;
    return v->spinning[process];
}

uint32_t rerun_own_step(rerun *v, const uint32_t *row, uint32_t process, uint32_t task)
{
    step s;
    world *w = run_to(v, intern_add(v->states, id_of(v, row), NULL));
    bool found = w && parts_own_step(w, process, parts_task_at(w, process, task), &s);
    uint32_t name = found ? parts_name_step(v->p, w, &s) : PART_NONE;
    release(v, w);
    return name;
}

bool rerun_cut(const rerun *v, const uint32_t *row) { return v->left[row[v->clients + AT_BOUNDS]].ms <= 0; }
const uint32_t *rerun_budgets(const rerun *v, const uint32_t *row)
{
    return v->left[row[v->clients + AT_BOUNDS]].faults;
}

/* ---- making ---- */

rerun *rerun_new(hunt *h, parts *p)
{
    rerun *v = mem_zero(sizeof *v);
    v->h = h;
    v->p = p;
    v->clients = h->sc->client_count;
    v->ids = v->clients + AT_MODEL + 1;
    v->width = v->clients + AT_EXTRA;
    v->memory = arena_new();
    v->scratch = arena_new();
    v->states = intern_new();
    v->stop_keys = intern_new();
    v->last = INTERN_NONE;
    v->spinning = ARENA_ARRAY(v->memory, uint32_t, v->clients + 1);
    v->first = ARENA_ARRAY(v->memory, uint32_t, v->width);
    world_options wo = run_options(h, NULL, false);
    wo.folded = true;
    world *w = world_new(h->sc, h->l, &wo, &h->out->error);
    if (!w || ((v->first_broken = parts_forgive(w)), !row_of(v, w, v->first))) {
        fail(v);
        release(v, w);
        rerun_free(v);
        return NULL;
    }
    release(v, w);
    intern_add(v->states, id_of(v, v->first), NULL);
    return v;
}

void rerun_free(rerun *v)
{
    if (!v)
        return;
    mem_free(v->origins);
    mem_free(v->left);
    mem_free(v->stops);
    intern_free(v->stop_keys);
    mem_free(v->list);
    mem_free(v->rows);
    intern_free(v->states);
    arena_free(v->scratch);
    arena_free(v->memory);
    mem_free(v);
}

const uint32_t *rerun_begin(const rerun *v, uint32_t *broken)
{
    *broken = v->first_broken;
    return v->first;
}

uint64_t rerun_seen(const rerun *v) { return v->seen; }
uint64_t rerun_requests(const rerun *v) { return v->requests; }
