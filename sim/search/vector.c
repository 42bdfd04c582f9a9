/* vector.c - see vector.h. What a step does is asked of the parts once, then looked up; the loop over a state's steps
 * uses only small tables. */
#include "search/vector.h"

#include <string.h>

#include "base/mem.h"
#include "search/rerun.h"
#include "search/vector_internal.h"

print row_print(const uint32_t *row, size_t words)
{
    print p = { 0 };
    for (size_t i = 0; i < words; i++) {
        print w = print_word(i, row[i]);
        p.hi ^= w.hi;
        p.lo ^= w.lo;
    }
    return p;
}

print vectors_print(const vectors *t, const uint32_t *row)
{
    return row_print(row, t->clients + AT_MODEL + 1);
}

bool vectors_row_is_whole(const vectors *t, const uint32_t *row)
{
    print is = vectors_print(t, row), kept = row_kept_print(t, row);
    return t->rerun || (is.hi == kept.hi && is.lo == kept.lo);
}

/* ---- judging ---- */

uint32_t judge_first(vectors *t, uint32_t model, uint32_t events, uint32_t key, uint32_t tasks, int64_t ms,
                     uint32_t *broken)
{
    learns(t);
    uint32_t after = parts_judge(t->p, model, events, tasks, ms, broken), known = after;
    assert(after < BROKEN);
    if (*broken) {
        MEM_RESERVE(t->judgements, t->judgement_cap, t->judgement_count + 1);
        t->judgements[t->judgement_count].model = after;
        t->judgements[t->judgement_count].broken = *broken;
        known = BROKEN | (uint32_t)t->judgement_count++;
    }
    bool any = key == events && model == t->blank && known == t->blank;
    map3_put(&t->judged, model, key, any ? ANY_TASKS : tasks, known);
    return after;
}

/* ---- rows ---- */

static happening *add(vectors *t)
{
    MEM_RESERVE(t->list, t->list_cap, t->count + 1);
    return &t->list[t->count++];
}

uint32_t *row_add(vectors *t, const uint32_t *row, const happening *x)
{
    MEM_RESERVE(t->rows, t->row_cap, (t->row_count + 1) * t->width);
    happening *h = add(t);
    *h = *x;
    h->place = (uint32_t)t->row_count;
    h->number = (uint32_t)(t->count - 1 + t->same);
    uint32_t *to = t->rows + t->row_count++ * t->width;
    memcpy(to, row, t->width * sizeof *to);
    return to;
}

static void deliver(vectors *t, uint32_t *row, uint32_t mail)
{
    uint32_t q, message;
    for (size_t i = 0; parts_letter(t->p, mail, i, &q, &message); i++) {
        uint32_t node = node_of(row[q]), after = map3_find(&t->with_mail, node, message, 0);
        if (after == INTERN_NONE) {
            learns(t);
            after = parts_deliver(t->p, q, node, message);
            if (after == PART_NONE) {
                t->failed = true;
                return;
            }
            map3_put(&t->with_mail, node, message, 0, after);
        }
        row[q] = after * FACTOR;
        row_follow(t, row, q, node);
    }
}

static inline void apply_change(vectors *t, const uint32_t *row, print from, uint32_t process, row_change *k)
{
    size_t n = t->clients;
    uint32_t was = row[n + AT_MODEL], tasks = row[n + AT_TASKS], broken = 0, model = k->after;
    if (k->model != was || (k->tasks != tasks && k->tasks != ANY_TASKS)) {
        model = judge(t, was, k->events, k->events, tasks, 0, &broken);
        if (!broken && !t->unknown) {  /* readers share it */
            k->model = was;
            k->tasks = was == t->blank && model == t->blank ? ANY_TASKS : tasks;
            k->after = model;
        }
    }
    bool same = k->stays & (model == was);
    happening *x = &t->list[t->count];
    /* only the fields that every search reads */
    x->print = (print){ .hi = from.hi ^ k->change_hi, .lo = from.lo ^ k->change_lo };
    x->change = k;
    x->number = (uint32_t)(t->count + t->same);
    x->process = process;
    x->model = model;
    x->broken = broken;
    x->fault = k->fault;
    x->same = same;
    if (model != was)
        print_change(&x->print, n + AT_MODEL, was, model);
    /* No branch: it is unpredictable whether a client's step changes anything. */
    bool left_out = same & !broken & !t->want_same;
    t->same += left_out;
    t->count += !left_out;
}

void row_finish(vectors *t, const uint32_t *row, uint32_t *to, uint32_t broken)
{
    happening *x = &t->list[t->count - 1];
    x->broken = broken;
    x->model = to[t->clients + AT_MODEL];
    x->print = row_kept_print(t, row);
    for (size_t i = 0; i <= t->clients + AT_MODEL; i++)
        print_change(&x->print, i, row[i], to[i]);
    x->same = memcmp(row, to, (t->clients + AT_TASKS) * sizeof *to) == 0;
    row_keep_print(t, to, x->print);
}

/* Applies any effect to any row. `aged`: the node's loop goes on after it. */
static void apply(vectors *t, const uint32_t *row, uint32_t process, const effect *f, bool aged)
{
    size_t n = t->clients;
    uint32_t broken, *to = row_add(t, row, &(happening){ .process = process, .step = f->step, .events = f->events,
                                                         .fault = f->kind == STEP_FAULT });
    assert(f->servers != PART_NONE && (process == NOBODY) == (f->node == PART_NONE));
    to[n + AT_SERVERS] = f->servers;
    if (process != NOBODY) {
        to[process] = f->node * FACTOR + aged;
        row_follow(t, to, process, node_of(row[process]));
    }
    if (f->mail != PART_NONE)
        deliver(t, to, f->mail);
    to[n + AT_BOUNDS] = bounds_after(t, row[n + AT_BOUNDS], f);
    to[n + AT_MODEL] = judge(t, row[n + AT_MODEL], f->events, f->events, to[n + AT_TASKS], 0, &broken);
    to[n + AT_CONTEXT] = context_id(t, to);
    row_finish(t, row, to, broken);
}

/* ---- all that can happen ---- */

/* Takes everything that a configuration lists. `aged`: the process's loop in zero time has repeated. */
static void take_all(vectors *t, const uint32_t *row, uint32_t process, config *c, bool aged)
{
    print from = row_kept_print(t, row);
    if (t->count + c->count > t->list_cap)
        MEM_RESERVE(t->list, t->list_cap, t->count + c->count);
    for (uint32_t i = 0; i < c->count && !t->failed; i++) {
        if (c->changes[i].simple & !aged)
            apply_change(t, row, from, process, &c->changes[i]);
        else if (items_of(c)[i].failed) {
            learns(t);     /* the failure is learned, too */
            t->failed = !t->going_back;
        }
        else
            apply(t, row, process, &items_of(c)[i], aged && config_goes_round(t, process, c->node, c->context, c, i));
    }
}

/* Records that the next executed requests meet the places of the other clients. */
static void note_meetings(vectors *t, const uint32_t *row, uint32_t process, const config *c)
{
    if (c->op == MEETINGS_NONE || !t->h->meetings)
        return;
    uint64_t places = 0;
    for (size_t q = 0; q < t->clients; q++)
        if (q != process)
            places |= parts_node(t->p, node_of(row[q]))->places;
    uint64_t ops = c->op == SEVERAL_OPS ? rare_of(c)->ops : UINT64_C(1) << c->op;
    for (uint8_t op = 0; ops; op++, ops >>= 1)
        if (ops & 1 && t->met)
            t->met[op] |= places;
        else if (ops & 1)
            meetings_meet(t->h->meetings, op, places);
}

static bool steps_of_processes(vectors *t, const uint32_t *row)
{
    uint32_t ctx = row[t->clients + AT_CONTEXT];
    bool held = false;
    for (size_t q = 0; q < t->clients; q++)        /* all first: their memory is fetched in parallel */
        t->moves[q] = t->configs[config_slot(t, node_of(row[q]), ctx)];
    for (uint32_t q = 0; q < t->clients && !t->failed; q++) {
        config *c = t->moves[q] ? t->moves[q] : config_of(t, q, node_of(row[q]), ctx);
        held |= config_holds(t, q, c->node, ctx, c);
        note_meetings(t, row, q, c);
        take_all(t, row, q, c, row[q] & 1);
    }
    return held;
}

static void steps_of_servers(vectors *t, const uint32_t *row)
{
    uint32_t ctx = row[t->clients + AT_CONTEXT], bound = row[t->clients + AT_BOUNDS];
    const effects *faults = server_faults(t, ctx);
    if (faults->count == 0)
        return;
    if (t->bound_list[bound].left_ms != INT64_MAX) {           /* there are too many bounds for a configuration each */
        for (size_t i = 0; i < faults->count && !t->failed; i++)
            apply(t, row, NOBODY, &faults->items[i], false);
        return;
    }
    config *c = t->configs[config_slot(t, SERVERS | bound, ctx)];
    take_all(t, row, NOBODY, c ? c : config_of_servers(t, bound, ctx, *faults, tasks_ended(t, row)), false);
}

/* At a preemption point the thread goes on or is preempted: nothing else happens first. */
static bool steps_of_point(vectors *t, const uint32_t *row)
{
    uint32_t q = 0;
    while (q < t->clients && !parts_node(t->p, node_of(row[q]))->point)
        q++;
    if (q == t->clients)
        return false;
    take_all(t, row, q, config_of(t, q, node_of(row[q]), row[t->clients + AT_CONTEXT]), row[q] & 1);
    return true;
}

bool vectors_look(vectors *t, const uint32_t *row, const happening **list, size_t *count, size_t *same)
{
    size_t n = t->clients;
    if (t->rerun) {
        *same = 0;
        return rerun_expand(t->rerun, row, list, &t->rerun_rows, count);
    }
    t->count = t->row_count = t->same = 0;
    bool stopped = t->h->sc->faults[FAULT_PREEMPT].budget > 0 && steps_of_point(t, row);
    bool held = stopped || steps_of_processes(t, row);
    if (!t->failed && !stopped)
        steps_of_servers(t, row);
    const bounds *b = &t->bound_list[row[n + AT_BOUNDS]];
    int64_t ms = INT64_MAX;
    if (!t->failed && !held)
        ms = next_length(t, row, b);
    else if (!t->failed && !stopped && b->left_ms > 0 && parts_servers(t->p, row[n + AT_SERVERS])->deadline_now)
        ms = 1;            /* both orders at a boundary are seen */
    if (ms != INT64_MAX)
        pass_time(t, row, ms, b);
    *list = t->list;
    *count = t->count;
    *same = t->same;
    if (t->failed) {
        t->h->failed = true;
        parts_error(t->p, &t->h->out->error);
    }
    return !t->failed;
}

void vectors_row(const vectors *t, const uint32_t *row, const happening *x, uint32_t *to)
{
    const row_change *k = x->change;
    if (t->rerun) {
        memcpy(to, t->rerun_rows + x->number * t->width, t->width * sizeof *to);
        return;
    }
    memcpy(to, k ? row : t->rows + x->place * t->width, t->width * sizeof *to);
    if (!k)
        return;
    to[x->process == NOBODY ? t->clients + AT_BOUNDS : x->process] = k->word;
    to[t->clients + AT_SERVERS] = k->servers;
    to[t->clients + AT_MODEL] = x->model;
    to[t->clients + AT_CONTEXT] = k->context;
    row_keep_print(t, to, x->print);
}

/* Fills in the fields that apply_change leaves out. */
static void tell_all(happening *x)
{
    x->step = x->change->step;
    x->events = x->change->events;
    x->ms = 0;
}

bool vectors_expand(vectors *t, const uint32_t *row, const happening **list, const uint32_t **rows, size_t *count)
{
    size_t same;
    t->want_same = true;
    bool ok = vectors_look(t, row, list, count, &same);
    t->want_same = false;
    if (!ok)
        return false;
    MEM_RESERVE(t->all_rows, t->all_cap, (*count + 1) * t->width);
    for (size_t i = 0; i < *count; i++) {
        vectors_row(t, row, &(*list)[i], t->all_rows + i * t->width);
        if (!t->rerun && t->list[i].change)
            tell_all(&t->list[i]);
    }
    *rows = t->all_rows;
    return true;
}
