/* versions_clients.c - see versions.h: breadth first through the pairs of states of two worlds, by the tables of each
 * (vector.h). */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "search/versions.h"
#include "search/vector.h"

enum { OLD, NEW, BOTH };

/* How a pair was first met: the steps that led to it from its parent. */
typedef struct {
    uint32_t parent;
    uint32_t step[BOTH];   /* parts_step; PART_NONE: that side did not move */
    int64_t ms;            /* of time, for both; 0: a step */
    uint32_t depth;
} origin;

/* The possible steps of a side in a state. Borrowed from its tables. */
typedef struct {
    const happening *list;
    const uint32_t *rows;
    size_t count;
    const happening *time; /* NULL: time does not pass */
    bool *matched, *silent;
} moves;

typedef struct {
    bool yes;
    uint32_t pair;         /* the pair in which it was found, before the step that shows it */
    uint32_t step[BOTH];
    str text;
} difference;

typedef struct {
    arena *a, *scratch;
    const search_options *o;
    const lockstep_relation *relation;
    hunt h[BOTH];
    outcome out[BOTH];
    vectors *t[BOTH];
    size_t width[BOTH], clients, words;        /* words: of both rows in a pair */
    bool for_one_schedule;                     /* the scenario's program was written for one schedule; all are tried */
    intern *seen;
    uint32_t *pairs;       /* [pair * words] */
    size_t pair_cap;
    origin *origins;
    size_t origin_cap;
    uint32_t *at;          /* the pair that is expanded: a copy, as `pairs` moves */
    difference found[2];   /* what a client can tell; what only the keys show */
    uint64_t transitions;
    str undecided;         /* why it is undecided; or empty */
} pair_search;

static const uint32_t *row_of(const pair_search *s, const uint32_t *pair, int side)
{
    return pair + (side == NEW ? s->width[OLD] : 0);
}

/* ---- pairs ---- */

/* A pair does not include the monitors' state: nothing is judged. */
static uint32_t meet(pair_search *s, const uint32_t *rows[BOTH], const origin *from)
{
    size_t parts_of_row = s->clients + AT_BOUNDS + 1;
    buf b = { 0 };
    for (int side = 0; side < BOTH; side++)
        buf_add(&b, (str){ (const char *)rows[side], parts_of_row * sizeof *rows[side] });
    bool fresh;
    uint32_t id = intern_add(s->seen, buf_str(&b), &fresh);
    buf_free(&b);
    if (!fresh)
        return id;
    MEM_RESERVE(s->pairs, s->pair_cap, ((size_t)id + 1) * s->words);
    MEM_RESERVE(s->origins, s->origin_cap, (size_t)id + 1);
    memcpy(s->pairs + id * s->words, rows[OLD], s->width[OLD] * sizeof **rows);
    memcpy(s->pairs + id * s->words + s->width[OLD], rows[NEW], s->width[NEW] * sizeof **rows);
    s->origins[id] = *from;
    return id;
}

/* ---- what is visible ---- */

static str only_in(arena *a, str x, str y)
{
    buf b = { 0 };
    for (size_t from = 0; from < x.n;) {
        size_t end = str_find(x, '\n', from), at = 0;
        str line = str_slice(x, from, end);
        bool there = false;
        for (size_t to; at < y.n && !there; at = to + 1) {
            to = str_find(y, '\n', at);
            there = str_eq(line, str_slice(y, at, to));
        }
        if (!there)
            buf_printf(&b, "%s%.*s", b.n ? ", " : "", STR_ARG(line));
        from = end + 1;
    }
    str text = b.n ? arena_str(a, buf_str(&b)) : S("nothing else");
    buf_free(&b);
    return text;
}

static void note(pair_search *s, int kind, uint32_t pair, const uint32_t step[BOTH], str text)
{
    if (!s->found[kind].yes)
        s->found[kind] = (difference){ .yes = true, .pair = pair, .step = { step[OLD], step[NEW] },
                                       .text = arena_str(s->a, text) };
}

static void note_texts(pair_search *s, uint32_t pair, const uint32_t step[BOTH], const char *what, const str text[BOTH])
{
    note(s, 0, pair, step, arena_printf(s->scratch, "%s: %.*s with the first version and %.*s with the second.", what,
                                        STR_ARG(only_in(s->scratch, text[OLD], text[NEW])),
                                        STR_ARG(only_in(s->scratch, text[NEW], text[OLD]))));
}

/* After a step of both: is everything visible equal? `process`: the one that moved; NOBODY: compares everything. */
static void look(pair_search *s, uint32_t pair, const uint32_t step[BOTH], const uint32_t events[BOTH],
                 const uint32_t *rows[BOTH], uint32_t process)
{
    str text[BOTH];
    for (uint32_t q = 0; q < s->clients; q++) {
        if (process != NOBODY && q != process)
            continue;
        for (int side = 0; side < BOTH; side++)
            text[side] = parts_under_way(vectors_parts(s->t[side]), vectors_node(s->t[side], rows[side], q),
                                         s->scratch);
        if (!str_eq(text[OLD], text[NEW]))
            note_texts(s, pair, step, "requests under way", text);
    }
    for (int side = 0; side < BOTH; side++)
        text[side] = events[side] == PART_NONE ? S("") : parts_told(vectors_parts(s->t[side]), events[side],
                                                                    s->scratch);
    if (!str_eq(text[OLD], text[NEW]))
        note_texts(s, pair, step, "the program is told", text);
    for (size_t i = 0; i < s->h[OLD].sc->servers && s->relation->keys; i++) {
        for (int side = 0; side < BOTH; side++)
            text[side] = parts_keyspace(vectors_parts(s->t[side]), vectors_servers(s->t[side], rows[side]), i);
        if (!str_eq(text[OLD], text[NEW]))
            note(s, 1, pair, step, S("the keyspaces differ after the last step."));
    }
}

static size_t lines_in(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    return n;
}

/* A step without any effect that is visible outside the client's code. */
static bool is_silent(pair_search *s, int side, const uint32_t *row, const happening *x, const uint32_t *to)
{
    parts *p = vectors_parts(s->t[side]);
    part_step named = parts_step(p, x->step);
    if (named.kind == STEP_EXECUTE || named.kind == STEP_ROUND_TRIP || x->fault || x->process == NOBODY)
        return false;
    str before = parts_under_way(p, vectors_node(s->t[side], row, x->process), s->scratch);
    str after = parts_under_way(p, vectors_node(s->t[side], to, x->process), s->scratch);
    return parts_told(p, x->events, s->scratch).n == 0 && lines_in(after) <= lines_in(before);
}

/* ---- one pair ---- */

static bool same_step(const part_step *x, const part_step *y)
{
    return x->kind == y->kind && x->process == y->process && x->task == y->task && x->request == y->request &&
           x->copy == y->copy &&
           x->server == y->server && x->amount == y->amount && (x->kind != STEP_FAULT || x->fault == y->fault) &&
               str_eq(x->key, y->key);
}

/* false: client code of this side ends in an error. */
static bool moves_of(pair_search *s, int side, moves *m)
{
    const uint32_t *row = row_of(s, s->at, side);
    *m = (moves){ 0 };
    if (!vectors_expand(s->t[side], row, &m->list, &m->rows, &m->count))
        return false;
    m->matched = ARENA_ARRAY(s->scratch, bool, m->count + 1);
    m->silent = ARENA_ARRAY(s->scratch, bool, m->count + 1);
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].step == PART_NONE)
            m->time = &m->list[i];
    return true;
}

static void take_both(pair_search *s, uint32_t pair, const moves m[BOTH], size_t i, size_t j)
{
    const happening *x[BOTH] = { &m[OLD].list[i], &m[NEW].list[j] };
    const uint32_t *to[BOTH] = { m[OLD].rows + i * s->width[OLD], m[NEW].rows + j * s->width[NEW] };
    origin from = { .parent = pair, .step = { x[OLD]->step, x[NEW]->step }, .depth = s->origins[pair].depth + 1 };
    look(s, pair, from.step, (const uint32_t[]){ x[OLD]->events, x[NEW]->events }, to, x[OLD]->process);
    s->transitions++;
    meet(s, to, &from);
}

static void match(pair_search *s, uint32_t pair, moves m[BOTH])
{
    for (size_t i = 0; i < m[OLD].count && !s->found[0].yes; i++) {
        if (m[OLD].list[i].step == PART_NONE)
            continue;
        part_step x = parts_step(vectors_parts(s->t[OLD]), m[OLD].list[i].step);
        for (size_t j = 0; j < m[NEW].count && !m[OLD].matched[i]; j++) {
            if (m[NEW].matched[j] || m[NEW].list[j].step == PART_NONE)
                continue;
            part_step y = parts_step(vectors_parts(s->t[NEW]), m[NEW].list[j].step);
            if (!same_step(&x, &y))
                continue;
            m[OLD].matched[i] = m[NEW].matched[j] = true;
            take_both(s, pair, m, i, j);
        }
    }
}

/* Takes silent steps of one side alone; then both are looked at again. Returns how many there are. */
static size_t take_silent(pair_search *s, uint32_t pair, int side, moves *m, bool *of_process)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t *to = m->rows + i * s->width[side];
        if (m->matched[i] || m->list[i].step == PART_NONE ||
            !is_silent(s, side, row_of(s, s->at, side), &m->list[i], to))
            continue;
        m->silent[i] = of_process[m->list[i].process] = true;
        const uint32_t *rows[BOTH] = { row_of(s, s->at, OLD), row_of(s, s->at, NEW) };
        rows[side] = to;
        origin from = { .parent = pair, .step = { PART_NONE, PART_NONE }, .depth = s->origins[pair].depth + 1 };
        from.step[side] = m->list[i].step;
        s->transitions++;
        meet(s, rows, &from);
        count++;
    }
    return count;
}

/* A visible step that the other side cannot take, while it has no silent step left to take before. */
static void note_alone(pair_search *s, uint32_t pair, int side, const moves *m, const bool *other_is_silent)
{
    static const char *const versions[] = { "first", "second" };
    for (size_t i = 0; i < m->count && !s->found[0].yes; i++) {
        const happening *x = &m->list[i];
        if (m->matched[i] || m->silent[i] || x->step == PART_NONE ||
            (x->process != NOBODY && other_is_silent[x->process]))
            continue;
        uint32_t step[BOTH] = { PART_NONE, PART_NONE };
        step[side] = x->step;
        note(s, 0, pair, step, arena_printf(s->scratch, "the last step is possible with the %s version only.",
                                            versions[side]));
    }
}

static void pass(pair_search *s, uint32_t pair, const moves m[BOTH], bool alone)
{
    if (!m[OLD].time || !m[NEW].time) {
        if ((m[OLD].time || m[NEW].time) && !alone && !s->undecided.n)
            s->undecided = S("time can pass with one version only, though both can do the same");
        return;
    }
    int64_t ms = m[OLD].time->ms < m[NEW].time->ms ? m[OLD].time->ms : m[NEW].time->ms;
    const uint32_t *rows[BOTH];
    for (int side = 0; side < BOTH; side++) {
        uint32_t *to = ARENA_ARRAY(s->scratch, uint32_t, s->width[side]);
        if (!vectors_pass(s->t[side], row_of(s, s->at, side), ms, to)) {
            s->undecided = S("client code ends in an error while time passes");
            return;
        }
        rows[side] = to;
    }
    origin from = { .parent = pair, .step = { PART_NONE, PART_NONE }, .ms = ms, .depth = s->origins[pair].depth + 1 };
    s->transitions++;
    look(s, pair, from.step, (const uint32_t[]){ PART_NONE, PART_NONE }, rows, NOBODY);
    meet(s, rows, &from);
}

/* A program's assertions need to hold on its own schedule only. */
static void leave_undecided(pair_search *s)
{
    err *e = &s->out[OLD].error;
    s->undecided = arena_printf(s->a, "its program is written for one schedule, and all are looked at where client "
                                "code differs: on another one the first version ends in an error (line %d: %.*s)",
                                e->line, STR_ARG(buf_str(&e->message)));
    err_clear(e);
}

static bool go_on_from(pair_search *s, uint32_t pair)
{
    moves m[BOTH];
    arena_reset(s->scratch);
    memcpy(s->at, s->pairs + pair * s->words, s->words * sizeof *s->at);
    if (!moves_of(s, OLD, &m[OLD])) {
        if (s->for_one_schedule && s->out[OLD].error.class_ == ERR_DRIVER)
            leave_undecided(s);
        return false;
    }
    if (!moves_of(s, NEW, &m[NEW])) {
        const uint32_t none[BOTH] = { PART_NONE, PART_NONE };
        note(s, 0, pair, none, arena_printf(s->scratch, "a step that is possible now ends in an error with the second "
                                            "version: %.*s",
                                            STR_ARG(buf_str(&s->out[NEW].error.message))));
        return true;
    }
    match(s, pair, m);
    bool *silent[BOTH] = { ARENA_ARRAY(s->scratch, bool, s->clients + 1),
                           ARENA_ARRAY(s->scratch, bool, s->clients + 1) };
    size_t alone = 0;
    for (int side = 0; side < BOTH && !s->found[0].yes; side++)
        alone += take_silent(s, pair, side, &m[side], silent[side]);
    for (int side = 0; side < BOTH; side++)
        note_alone(s, pair, side, &m[side], silent[!side]);
    if (!s->found[0].yes)
        pass(s, pair, m, alone > 0);
    return true;
}

/* ---- all of them ---- */

static bool must_stop(pair_search *s)
{
    str why;
    const char *stop = run_must_stop(&s->h[OLD], s->o->time_limit_ms);
    size_t bytes = intern_bytes(s->seen) + (s->pair_cap + 1) * sizeof *s->pairs + vectors_bytes(s->t[OLD]) +
                   vectors_bytes(s->t[NEW]);
    uint64_t max = s->h[OLD].max_memory;
    for (int side = 0; side < BOTH && !s->undecided.n; side++)
        if (parts_absolute(vectors_parts(s->t[side]), &why))
            s->undecided = arena_printf(s->a, "the time of day makes a difference: %.*s", STR_ARG(why));
    if (stop)
        s->undecided = str_from(stop);
    else if (max && bytes > max)
        s->undecided = S("the limit of memory came first");
    return s->undecided.n > 0;
}

static void search_pairs(pair_search *s)
{
    enum { BETWEEN_LOOKS = 64 };
    uint32_t broken;
    const uint32_t *rows[BOTH] = { vectors_begin(s->t[OLD], &broken), vectors_begin(s->t[NEW], &broken) };
    const uint32_t none[BOTH] = { PART_NONE, PART_NONE };
    meet(s, rows, &(origin){ .parent = UINT32_MAX, .step = { PART_NONE, PART_NONE } });
    look(s, 0, none, none, rows, NOBODY);
    uint64_t max = s->h[OLD].max_states;
    for (uint32_t pair = 0; pair < intern_count(s->seen) && !s->found[0].yes; pair++) {
        if (max && intern_count(s->seen) > max)
            s->undecided = arena_printf(s->a, "the limit of %" PRIu64 " states came first", max);
        if (s->undecided.n || (pair % BETWEEN_LOOKS == 0 && must_stop(s)) || !go_on_from(s, pair))
            return;
    }
    must_stop(s);
}

/* ---- the story ---- */

typedef struct {
    world *w[BOTH];
    buf schedule;
    story_row *rows;
    size_t count;
} teller;

/* Takes the step in the real world of that side. */
static bool take(pair_search *s, teller *k, int side, uint32_t id, int64_t ms, buf *name)
{
    step x = { .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = ms };
    err e = { 0 };
    if (ms == 0) {
        part_step named = parts_step(vectors_parts(s->t[side]), id);
        if (!parts_find(k->w[side], &named, &x))
            return false;
    }
    world_name_step(k->w[side], &x, name);
    bool ok = world_take(k->w[side], &x, &e);
    err_clear(&e);
    return ok;
}

static str last_line(arena *a, const story_row *r)
{
    return r->notes.n ? arena_printf(a, "%.*s\n%.*s", STR_ARG(r->did), STR_ARG(r->notes)) : r->did;
}

static bool tell_step(pair_search *s, teller *k, const uint32_t step[BOTH], int64_t ms)
{
    story_row row = { .process = NOBODY };
    for (int side = 0; side < BOTH; side++) {
        buf name = { 0 };
        if (step[side] == PART_NONE && ms == 0)
            continue;
        bool ok = take(s, k, side, step[side], ms, &name);
        const story *told = world_story(k->w[side]);
        if (ok && told->count) {
            const story_row *last = &told->rows[told->count - 1];
            if (side == OLD || step[OLD] == PART_NONE)
                row = (story_row){ .at_ms = last->at_ms, .process = last->process,
                                   .token = arena_str(s->a, buf_str(&name)) };
            str did = arena_str(s->a, last_line(s->a, last)), keys = arena_str(s->a, last->redis);
            if (side == OLD) {
                row.did = did;
                row.redis = keys;
            } else if (ms == 0) {
                row.second_did = did;
                row.second_redis = keys;
            }
        }
        if (side == OLD)
            buf_printf(&k->schedule, "%s%.*s", k->schedule.n ? " " : "", STR_ARG(buf_str(&name)));
        buf_free(&name);
        if (!ok)
            return false;
    }
    if (step[NEW] == PART_NONE && ms == 0)
        row.second_did = S("-");
    k->rows[k->count++] = row;
    return true;
}

static const counterexample *tell(pair_search *s, const difference *d, property p)
{
    counterexample *x = ARENA_NEW(s->a, counterexample);
    uint32_t depth = s->origins[d->pair].depth, at = d->pair;
    const origin **way = ARENA_ARRAY(s->a, const origin *, depth + 1);
    for (uint32_t i = depth; i > 0; i--, at = s->origins[at].parent)
        way[i - 1] = &s->origins[at];
    teller k = { .rows = ARENA_ARRAY(s->a, story_row, depth + 2) };
    err e = { 0 };
    bool ok = true;
    for (int side = 0; side < BOTH && ok; side++) {
        world_options wo = run_options(&s->h[side], NULL, true);
        ok = (k.w[side] = world_new(s->h[side].sc, s->h[side].l, &wo, &e)) != NULL;
    }
    for (uint32_t i = 0; i < depth && ok; i++)
        ok = tell_step(s, &k, way[i]->step, way[i]->ms);
    if (ok && (d->step[OLD] != PART_NONE || d->step[NEW] != PART_NONE))
        tell_step(s, &k, d->step, 0);
    *x = (counterexample){ .property = p, .text = d->text, .why = S("Up to here both versions did the same."),
                           .blame = S(""), .steps = k.count,
                           .schedule = arena_str(s->a, buf_str(&k.schedule)),
                           .story = { .rows = k.rows, .count = k.count } };
    for (int side = 0; side < BOTH; side++)
        world_free(k.w[side]);
    err_clear(&e);
    buf_free(&k.schedule);
    return x;
}

/* ---- beginning and end ---- */

static bool begin(pair_search *s, int side, const scenario *quiet, const loader *l)
{
    const search_options *o = s->o;
    s->out[side] = (outcome){ .reason = S("") };
    s->h[side] = (hunt){ .a = s->a, .sc = quiet, .l = l, .o = o, .out = &s->out[side], .cover = coverage_new(),
                         .open_starts = o->open_starts, .max_states = o->max_states ? o->max_states : quiet->max_states,
                         .max_memory = o->max_memory ? o->max_memory : quiet->max_memory ? quiet->max_memory
                         : o->memory_default };
    s->t[side] = vectors_new(&s->h[side], false);
    if (s->t[side])
        s->width[side] = vectors_width(s->t[side]);
    return s->t[side];
}

static void give_verdict(pair_search *s, compare_outcome *out)
{
    static const property properties[] = { PROPERTY_EQUIVALENT, PROPERTY_SAME_KEYS };
    static const compare_verdict verdicts[] = { COMPARE_DIFFERENT, COMPARE_KEYS_DIFFER };
    outcome *o = &out->found;
    out->verdict = s->undecided.n ? COMPARE_UNDECIDED : COMPARE_EQUIVALENT;
    o->search.states = intern_count(s->seen);
    o->search.transitions = s->transitions;
    o->search.complete = !s->undecided.n && !s->found[0].yes;
    o->search.limited = s->undecided.n > 0;
    o->reason = s->undecided;
    o->verdict = s->found[0].yes || s->found[1].yes ? VERDICT_FAIL : s->undecided.n ? VERDICT_INCONCLUSIVE
                 : VERDICT_PASS;
    for (int i = 1; i >= 0; i--) {
        property_result *r = &o->properties[properties[i]];
        r->outcome = s->undecided.n ? OUTCOME_UNDECIDED : OUTCOME_HOLDS;
        if (!s->found[i].yes)
            continue;
        r->outcome = OUTCOME_VIOLATED;
        out->verdict = verdicts[i];
        if (!s->o->untold)
            r->example = tell(s, &s->found[i], properties[i]);
    }
}

void compare_clients(arena *a, const scenario *first, const loader *old, const scenario *second, const loader *new,
                     const search_options *o, const lockstep_relation *relation, compare_outcome *out)
{
    search_options so = *o;
    so.glance = true;      /* no meetings, no story of its own */
    so.lockstep = NULL;
    scenario quiet[BOTH] = { compare_without_questions(first, relation), compare_without_questions(second, relation) };
    for (int side = 0; side < BOTH; side++) {
        memset(quiet[side].model.judged, 0, sizeof quiet[side].model.judged);
        quiet[side].answers_told = relation->answers;
    }
    pair_search s = { .a = a, .scratch = arena_new(), .o = &so, .relation = relation, .clients = first->client_count,
                      .seen = intern_new(), .undecided = S(""),
                      .for_one_schedule = first->explore == EXPLORE_SCHEDULE };
    *out = (compare_outcome){ .verdict = COMPARE_ERROR, .found = { .path = first->path, .file = first->file,
                                                                   .title = first->title, .reason = S(""),
                              .means = S("each version ran with its own client code: requests with their words, what "
                                         "programs are told and calls return to them, and keyspaces were compared"),
                                                                   .note = S(""),
                                                                   .seen = S(""), .unseen = S(""),
                                                                   .verdict = VERDICT_ERROR } };
    bool ok = true;
    if (first->client_count != second->client_count || first->servers != second->servers)
        ok = err_at(&out->found.error, ERR_SCENARIO, first->path, 0, 0, "it has other clients or servers with the "
                    "second version");
    for (int side = 0; side < BOTH && ok; side++)
        ok = begin(&s, side, &quiet[side], side == OLD ? old : new);
    if (ok) {
        s.words = s.width[OLD] + s.width[NEW];
        s.at = ARENA_ARRAY(a, uint32_t, s.words);
        search_pairs(&s);
        if (s.out[OLD].error.class_ == ERR_NONE)
            give_verdict(&s, out);
    }
    for (int side = 0; side < BOTH; side++) {
        if (out->verdict == COMPARE_ERROR && out->found.error.class_ == ERR_NONE)
            err_copy(&out->found.error, &s.out[side].error);
        err_clear(&s.out[side].error);
        coverage_free(s.h[side].cover);
        vectors_free(s.t[side]);
    }
    intern_free(s.seen);
    mem_free(s.pairs);
    mem_free(s.origins);
    arena_free(s.scratch);
}
