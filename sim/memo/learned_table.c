/* learned_table.c - what one client was seen to do: entries by state and input, each learned once at two instants. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "client/heap.h"
#include "client/hidden.h"
#include "memo/learned_internal.h"

enum { IMAGE_BYTES = 64 * 1024 * 1024 };

process_table *process_table_new(const scenario *sc, const loader *l, size_t client)
{
    assert(client < sc->client_count);
    process_table *t = mem_zero(sizeof *t);
    t->scenario = sc;
    t->loader = l;
    t->client = client;
    t->memory = arena_new();
    t->step = arena_new();
    t->image_bytes_max = IMAGE_BYTES;
    t->each = EPOCHS;
    t->permutations = intern_new();
    t->worn = intern_new();
    t->entry_keys = intern_new();
    t->piece_keys = intern_new();
    t->states.keys = intern_new();
    t->hides = hidden_works();
    return t;
}

void table_free_viewers(process_table *t)
{
    for (size_t i = 0; i < t->viewer_count; i++)
        process_free(t->viewers[i]);
    t->viewer_count = 0;
}

void process_table_free(process_table *t)
{
    if (!t)
        return;
    live_end(t);
    table_free_viewers(t);
    for (size_t i = 0; i < intern_count(t->entry_keys); i++)
        err_clear(&t->entries[i]->error);
    intern_free(t->entry_keys);
    mem_free(t->viewers);
    mem_free(t->roots);
    mem_free(t->entries);
    map3_free(&t->permuted);
    intern_free(t->permutations);
    intern_free(t->worn);
    intern_free(t->piece_keys);
    mem_free(t->pieces);
    states_free(&t->states);
    buf_free(&t->key);
    arena_free(t->memory);
    arena_free(t->step);
    mem_free(t);
}

uint64_t process_table_runs(const process_table *t) { return t->runs; }
uint64_t process_table_runs_all(const process_table *t) { return t->runs_all; }
uint64_t process_table_repeated(const process_table *t) { return t->repeated; }
size_t process_table_states(const process_table *t) { return t->states.count; }

size_t process_table_bytes(const process_table *t)
{
    return arena_bytes(t->memory) + t->states.cap * sizeof *t->states.at + intern_bytes(t->states.keys) +
           t->entry_cap * sizeof *t->entries + intern_bytes(t->entry_keys) + intern_bytes(t->piece_keys) +
           t->live_bytes;
}

bool process_table_unfolded(const process_table *t)
{
    return t->states.unfolded;
}

void process_table_outline(const process_table *t, uint32_t state, int64_t now_ms, outline *out)
{
    state_outline(&t->states.at[state], now_ms, out);
}

bool process_table_absolute(const process_table *t, str *why)
{
    *why = t->absolute.n ? t->absolute : S("");
    return t->absolute.n > 0;
}

void process_table_keep(process_table *t, size_t image_bytes)
{
    t->image_bytes_max = image_bytes;
    live_trim(t);
}

uint32_t process_table_intern(process_table *t, process *live, int64_t now_ms, err *e)
{
    return state_of(&t->states, t->memory, live, now_ms, e);
}

/* ---- by key ---- */

void table_key(process_table *t, uint32_t from, const input *in, int64_t now_ms)
{
    buf_clear(&t->key);
    buf_u64(&t->key, from);
    input_put(&t->key, in, t->states.instants, now_ms);
}

/* ---- learning ---- */

/* Something differs between the epochs by more than the distance between them. line 0: unknown. */
static void depends(process_table *t, live *l, str what, str path, int line)
{
    str client = process_live_facts(l->at[0]).client;
    str at = line > 0 ? arena_printf(t->step, "%.*s:%d", STR_ARG(path), line) : path;
    if (t->equals) {       /* or it depends on the name: unknown yet */
        if (!t->apart.n && !(t->equals->without & EQUALS_WITHOUT_SECOND))
            t->apart = arena_printf(t->memory, "what client '%.*s' %.*s depends on its name, or on the time of day "
                                    "(%.*s)",
                                    STR_ARG(client), STR_ARG(what), STR_ARG(at));
    } else if (!t->absolute.n) {
        t->absolute = arena_printf(t->memory, "what client '%.*s' %.*s depends on more than the time that has passed "
                                   "(%.*s)",
                                   STR_ARG(client), STR_ARG(what), STR_ARG(at));
    }
    live_drop_others(t);
}

/* The position of the task with that number, or of any task. */
static position place_of(const process_table *t, process *live, uint32_t task_id)
{
    const task_view *tasks;
    size_t n = process_tasks(live, &tasks), at = 0;
    for (size_t i = 0; i < n; i++)
        if (tasks[i].id == task_id)
            at = i;
    return n && tasks[at].path.n ? (position){ .path = tasks[at].path, .line = tasks[at].line }
           : (position){ .path = t->scenario->file };
}

static void output_depends(process_table *t, live *l, const learned_output *x)
{
    if (x->o.kind == OUTPUT_REQUEST)
        depends(t, l, arena_printf(t->step, "sends as \"%.*s\"", STR_ARG(x->r.op)), x->r.path, x->r.line);
    else
        depends(t, l, S("announces"), place_of(t, l->at[0], UINT32_MAX).path, place_of(t, l->at[0], UINT32_MAX).line);
}

/* The output under other names. */
static output named_output(process_table *t, size_t naming, const output *o)
{
    arena *a = t->step;
    output n = *o;
    if (o->kind == OUTPUT_REQUEST) {
        request *r = ARENA_NEW(a, request);
        *r = *o->request;
        str *argv = ARENA_ARRAY(a, str, r->argc + 1);
        for (size_t i = 0; i < r->argc; i++)
            argv[i] = equals_named(a, t->equals, naming, false, r->argv[i]);
        r->argv = argv;
        r->op = equals_named(a, t->equals, naming, false, r->op);
        r->lock = equals_named(a, t->equals, naming, false, r->lock);
        n.request = r;
    }
    event *v = &n.announcement;
    str *texts[] = { &v->who, &v->lock, &v->text, &v->mode };
    for (size_t i = 0; i < COUNT(texts) && (o->kind == OUTPUT_ANNOUNCE || o->kind == OUTPUT_ENDED); i++)
        *texts[i] = equals_named(a, t->equals, naming, false, *texts[i]);
    return n;
}

/* The index of the first output of the k-th process that differs from the first process's; x->output_count: their
 * number differs; SIZE_MAX: all are equal. */
static size_t other_output(process_table *t, live *l, int k, const numbering *before, const entry *x,
                           const live_run *run)
{
    const outputs *second = &run->out[k];
    for (size_t i = 0; i < x->output_count; i++) {
        learned_output y, named;
        const learned_output *is = &x->outputs[i];
        if (t->equals) {
            output n = named_output(t, table_naming(t, k), &run->out[0].items[i]);
            output_learn(t->step, before, &n, t->states.instants, live_now(l, 0), &named);
            is = &named;
        }
        bool same = i < second->count && output_learn(t->step, before, &second->items[i], t->states.instants,
                                                        live_now(l, k), &y) &&
                    output_equal(is, &y);
        if (!same)
            return i;
    }
    return second->count != x->output_count || run->ok[0] != run->ok[k] ? x->output_count : SIZE_MAX;
}

/* Compares the outputs of the k-th process with those of the first. */
static void compare_outputs(process_table *t, live *l, int k, const numbering *before, const entry *x,
                            const live_run *run)
{
    size_t other = other_output(t, l, k, before, x, run);
    if (other == SIZE_MAX)
        return;
    if (other < x->output_count) {
        output_depends(t, l, &x->outputs[other]);
        return;
    }
    position where = place_of(t, l->at[0], UINT32_MAX);
    depends(t, l, S("does"), where.path, where.line);
}

static bool all_remember_the_same(process_table *t, const live *l)
{
    bool same = t->equals || state_is(&t->states, l->at[1], live_now(l, 1));
    for (int i = 1; i < t->each && t->equals && same; i++)
        same = state_is_named(&t->states, t->equals, table_naming(t, i), l->at[0], live_now(l, 0), l->at[i],
                              live_now(l, i));
    return same;
}

static void compare_states(process_table *t, live *l, uint32_t task_id)
{
    if (all_remember_the_same(t, l))
        return;
    position where = place_of(t, l->at[0], task_id);
    depends(t, l, S("remembers"), where.path, where.line);
}

static bool learn_outputs(process_table *t, const live *l, const numbering *before, const outputs *out, entry *x)
{
    bool ok = true;
    x->outputs = ARENA_ARRAY(t->memory, learned_output, out->count + 1);
    for (size_t i = 0; i < out->count; i++)
        ok = output_learn(t->memory, before, &out->items[i], t->states.instants, live_now(l, 0),
                          &x->outputs[x->output_count++]) && ok;
    return ok;
}

/* The numbers, before the input, of the requests and tasks of the state after it. */
static bool learn_numbers(process_table *t, const numbering *before, entry *x)
{
    bool ok = true;
    const numbering *after = &t->states.numbers;
    x->request_count = after->request_count;
    x->task_count = after->task_count;
    named *requests = ARENA_ARRAY(t->memory, named, after->request_count + 1);
    named *tasks = ARENA_ARRAY(t->memory, named, after->task_count + 1);
    for (size_t i = 0; i < after->request_count; i++)
        ok = (requests[i] = name_request(before, after->requests[i])) != NAMED_UNKNOWN && ok;
    for (size_t i = 0; i < after->task_count; i++)
        tasks[i] = name_task(before, after->tasks[i]);
    x->requests = requests;
    x->tasks = tasks;
    x->new_requests = after->requests_sent - before->requests_sent;
    x->new_tasks = after->tasks_made - before->tasks_made;
    return ok;
}

static bool refuse(const process_table *t, err *e)
{
    return err_at(e, ERR_DRIVER, t->scenario->file, 0, 0,
                  "client '%.*s' adds a callback to an answer that came so long ago that nothing else remembers the "
                  "request",
                  STR_ARG(t->scenario->clients[t->client].name));
}

/* The state after the input, and its names for requests and tasks. */
static uint32_t learn_state(process_table *t, const live *l, entry *x)
{
    uint32_t to = state_of(&t->states, t->memory, l->at[0], l->at_ms, &x->error);
    if (to == PROCESS_NO_STATE || learn_numbers(t, &l->own, x))
        return to;
    refuse(t, &x->error);
    return PROCESS_NO_STATE;
}

/* The effect of the input, from two or more runs of it. */
static void learn_from(process_table *t, live *l, const live_run *run, entry *x)
{
    x->clock = run->out[0].clock;
    x->clock_skew_ms = run->out[0].clock_skew_ms;
    x->steady = run->out[0].steady;
    x->steady_skew_ms = run->out[0].steady_skew_ms;
    x->clock_tick_ms = run->out[0].clock_tick_ms;
    x->ids_in_order = run->out[0].ids_in_order;
    double *compared = ARENA_ARRAY(t->memory, double, run->out[0].compared_count + 1);
    for (size_t i = 0; i < run->out[0].compared_count; i++)
        compared[i] = run->out[0].compared[i];
    x->compared = compared;
    x->compared_count = run->out[0].compared_count;
    x->used = run->out[0].used;
    x->unknown = run->out[0].unknown;
    x->to = PROCESS_NO_STATE;
    bool known = learn_outputs(t, l, &l->own, &run->out[0], x);
    if (!run->ok[0])
        err_copy(&x->error, &run->errors[0]);
    else if (!known)
        refuse(t, &x->error);
    else
        x->to = learn_state(t, l, x);
}

/* The other processes ran at other instants or under other names: compares their effects. */
static void compare_all(process_table *t, live *l, const live_run *run, const entry *x)
{
    for (int i = 1; i < t->each && l->at[i]; i++)
        compare_outputs(t, l, i, &l->own, x, run);
    if (x->to != PROCESS_NO_STATE && l->at[1])
        compare_states(t, l, run->task);
    live_facts is = process_live_facts(l->at[0]);
    if (l->at[1] && is.time_used)
        depends(t, l, S("makes of an instant"), is.time_use.path, is.time_use.line);
}

/* Was nothing hidden read, and are the effects of all processes equal? */
static bool nobody_looked(process_table *t, live *l, const live_run *run, const entry *x)
{
    bool same = x->to != PROCESS_NO_STATE && !process_looked(l->at[1]) &&
                !process_live_facts(l->at[0]).time_used;
    for (int i = 1; i < t->each && same; i++)
        same = other_output(t, l, i, &l->own, x, run) == SIZE_MAX;
    return same && all_remember_the_same(t, l);
}

static void forget_run(process_table *t, live_run *run)
{
    for (int i = 0; i < LIVES; i++)
        err_clear(&run->errors[i]);
    arena_reset(t->step);
}

static void went_to(process_table *t, live *l, const entry *x)
{
    numbering_follow(&l->own, x);
    state_reach(&t->states, x->to, x->from, x, 0);
    live_give_back(t, l, x->to);
}

/* Learns it with everything hidden that it may not read. false: something hidden was read. */
static bool learn_hidden(process_table *t, uint32_t piece, entry *x)
{
    if (piece == NO_PIECE)
        return false;
    live *l = live_take(t, x->from);
    live_run run = { .out[0].hears = true };
    hiding h = { .piece = piece };
    bool learned = l->at[1] && piece_hide(t, &h, x, l);
    if (learned) {
        live_input(t, l, entry_input(x), &run);
        t->runs++;
        learn_from(t, l, &run, x);
        learned = nobody_looked(t, l, &run, x);
    }
    if (learned) {
        piece_keep(t, &h, x, l);
        process_reveal(l->at[1]);
    }
    forget_run(t, &run);
    if (learned) {
        went_to(t, l, x);
        return true;
    }
    piece_give_up(t, piece);
    err_clear(&x->error);
    *x = (entry){ .key = x->key, .from = x->from };
    return false;
}

/* Runs the input, and stores its effect. */
static void learn(process_table *t, entry *x)
{
    live *l = live_take(t, x->from);
    if (table_is_single(t) && l->at[1])
        live_drop_others(t);
    live_run run = { .out[0].hears = true };
    live_input(t, l, entry_input(x), &run);
    t->runs++;
    learn_from(t, l, &run, x);
    compare_all(t, l, &run, x);
    forget_run(t, &run);
    if (x->to != PROCESS_NO_STATE)
        went_to(t, l, x);
}

const entry *table_find(process_table *t, uint32_t from)
{
    bool fresh;
    uint32_t id = intern_add(t->entry_keys, buf_str(&t->key), &fresh);
    if (!fresh)
        return t->entries[id];
    MEM_RESERVE(t->entries, t->entry_cap, (size_t)id + 1);
    entry *x = t->entries[id] = ARENA_NEW(t->memory, entry);
    x->from = from;
    x->key = intern_get(t->entry_keys, id);
    uint32_t piece = piece_of(t, x);
    if (!piece_take(t, piece, x) && !learn_hidden(t, piece, x))
        learn(t, x);
    return x;
}

uint32_t table_root(process_table *t, uint32_t incarnation, int phase_ms, err *e)
{
    for (size_t i = 0; i < t->root_count; i++)
        if (t->roots[i].incarnation == incarnation && t->roots[i].phase_ms == phase_ms)
            return t->roots[i].state;
    live *l = live_new(t, incarnation, phase_ms, e);
    if (!l)
        return PROCESS_NO_STATE;
    uint32_t at = state_of(&t->states, t->memory, l->at[0], l->at_ms, e);
    if (at == PROCESS_NO_STATE)
        return at;
    numbering_begin(&l->own, t->states.at[at].shape);
    t->states.at[at].incarnation = incarnation;
    state_reach(&t->states, at, PROCESS_NO_STATE, NULL, 0);
    if (l->at[1])
        compare_states(t, l, UINT32_MAX);
    live_give_back(t, l, at);
    MEM_RESERVE(t->roots, t->root_cap, t->root_count + 1);
    t->roots[t->root_count].incarnation = incarnation;
    t->roots[t->root_count].phase_ms = phase_ms;
    t->roots[t->root_count++].state = at;
    return at;
}

void process_table_describe(process_table *t, uint32_t state, facts *out)
{
    int64_t now_ms;
    process *p = live_look(t, state, &now_ms);
    process_describe(p, now_ms, out);
}
