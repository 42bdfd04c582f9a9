/* mutate_judge.c - mutants against scenarios: which result changes?
 *
 * A round takes the scenarios up to a number of states. Within a round, a few mutants at a time try the scenarios that
 * have killed most so far; the survivors go through all others. Work is handed out in pairs, in an order that is
 * fixed before; of all kills of a mutant the first by that order counts, so that the result is that of one thread, or
 * of one rank: each rank goes through the same rounds and knows all results. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/lua_tokens.h"
#include "base/mem.h"
#include "host/crew.h"
#include "host/ranks.h"
#include "mutate/mutate_share.h"
#include "mutate/mutate_try.h"

enum { SCRIPT_STEPS = 1000000, STATES_MORE = 1000, STATES_TIMES = 4, WAVE = 16, FIRST_TRIES = 6 };

typedef enum { PAIR_SKIPPED, PAIR_SAME, PAIR_KILLS, PAIR_LIMIT } pair_result;
typedef struct {
    mutant *m;
    size_t scene;          /* index in target.scenes */
    bool asked;            /* it was compared with the original */
    try_result compared;
    str tell;              /* TRY_DIFFERS */
    pair_result result;
    str how;               /* PAIR_KILLS, PAIR_LIMIT */
} pair;

typedef struct {
    mutation *m;
    target *t;
    pair *pairs;
    size_t count;
    bool compare;          /* first of all with the original, as long as the mutant could not be told from it */
    bool judge;            /* by the scenario's verdict */
    pthread_mutex_t lock;  /* of the arena and of what other threads read of pairs */
} batch;

/* ---- pairs
 * --------------------------------------------------------------------------------------------------------- */

/* A mutant's world may be larger, but not without end. Nor may the comparison's be where the scenario itself is not
 * searched whole, and has no count. */
static uint64_t states_for(const scene *s)
{
    return s->states * STATES_TIMES + STATES_MORE;
}

/* If the mutant cannot be told from the original, the scenario's result is the same. */
static void compare_pair(const batch *b, arena *a, str scene, str text, pair *p)
{
    if (b->compare && !p->m->told) {
        p->asked = true;
        p->compared = mutate_compare(b->m, a, scene, b->t->kind != MUTANTS_OF_SCRIPT, b->t->path, text,
                                     states_for(&b->m->scenes[b->t->scenes[p->scene]]), &p->tell);
    }
}

static void judge_pair(const batch *b, arena *a, str scene, str text, pair *p)
{
    outcome out = { 0 };
    mutate_run(b->m, a, scene, b->t->path, text, states_for(&b->m->scenes[b->t->scenes[p->scene]]), &out);
    bool ours = out.verdict == VERDICT_ERROR && out.error.class_ == ERR_BUG;
    p->result = out.verdict == VERDICT_PASS ? PAIR_SAME : out.verdict == VERDICT_INCONCLUSIVE || ours ? PAIR_LIMIT
                : PAIR_KILLS;
    p->how = mutate_differs(a, &out);
    err_clear(&out.error);
}

static void try_pair(batch *b, pair *to)
{
    arena *a = arena_new();
    pair p = *to;
    str scene = b->m->scenes[b->t->scenes[p.scene]].path, text = mutant_text(a, b->t->text, p.m);
    compare_pair(b, a, scene, text, &p);
    if (p.asked && p.compared == TRY_EQUAL)
        p.result = PAIR_SAME;
    else if (b->judge)
        judge_pair(b, a, scene, text, &p);
    pthread_mutex_lock(&b->lock);
    p.how = arena_str(b->m->a, p.how);
    p.tell = arena_str(b->m->a, p.tell);
    *to = p;
    pthread_mutex_unlock(&b->lock);
    arena_free(a);
}

/* Has an earlier pair killed the same mutant, or told it from the original where only that is wanted? Then this pair is
 * not needed. */
static bool settled_before(batch *b, size_t i)
{
    bool yes = false;
    pthread_mutex_lock(&b->lock);
    for (size_t k = 0; k < i && !yes; k++)
        yes = b->pairs[k].m == b->pairs[i].m &&
              (b->pairs[k].result == PAIR_KILLS ||
               (!b->judge && b->pairs[k].asked && b->pairs[k].compared == TRY_DIFFERS));
    pthread_mutex_unlock(&b->lock);
    return yes;
}

static void work_on(void *context, size_t i)
{
    batch *b = context;
    if (!progress_interrupted() && !settled_before(b, i))
        try_pair(b, &b->pairs[i]);
}

/* ---- batches of pairs
 * ---------------------------------------------------------------------------------------------------- */

/* A word that is no step of Lua's: a line of nothing else, `while true do`, is never noted as run. */
static bool is_silent_word(const token *t)
{
    static const char *const words[] = { "while", "true", "false", "do", "repeat", "until", "else", "end", "then",
                                         "nil" };
    for (size_t i = 0; i < COUNT(words); i++)
        if (token_reads(t, words[i]))
            return true;
    return false;
}

static bool is_silent(str text, int line)
{
    tokens x = { .text = text, .line = 1 };
    token t;
    while (tokens_next(&x, &t) == TOKENS_ONE && t.line <= line)
        if (t.line == line && !is_silent_word(&t))
            return false;
    return true;
}

static bool reaches_driver(const target *t, const scene *s, const mutant *m)
{
    for (size_t i = 0; i < s->driver_count; i++) {
        const reached_driver *d = &s->drivers[i];
        if (!str_eq(d->path, t->path))
            continue;
        bool silent = true;
        for (int line = m->line_from; line <= m->line_to; line++) {
            if (line >= 1 && (size_t)line <= d->line_count && d->lines[line - 1])
                return true;
            silent = silent && is_silent(t->text, line);
        }
        return silent;
    }
    return false;
}

/* Does the scenario, with the original, reach the mutant's change? If that is unknown, assume it does. */
static bool reaches(const target *t, const scene *s, const mutant *m)
{
    if (t->kind != MUTANTS_OF_SCRIPT)
        return reaches_driver(t, s, m);
    bool known = false, run = false;
    for (size_t i = 0; i < s->script_count; i++) {
        const coverage_script *c = &s->scripts[i];
        if (!str_eq(c->body, t->text))
            continue;
        for (size_t k = 0; k < c->line_count; k++) {
            run |= c->lines[k].count > 0;
            if (c->lines[k].line < m->line_from || c->lines[k].line > m->line_to)
                continue;
            known = true;
            if (c->lines[k].count > 0)
                return true;
        }
    }
    return run && !known;
}

static void add_pair(batch *b, size_t *cap, mutant *m, size_t scene)
{
    MEM_RESERVE(b->pairs, *cap, b->count + 1);
    b->pairs[b->count++] = (pair){ .m = m, .scene = scene };
}

static void take_comparison(target *t, const pair *p)
{
    mutant *m = p->m;
    if (!p->asked || m->told)
        return;
    if (p->compared == TRY_DIFFERS) {
        m->told = true;
        m->tell = p->tell;
    } else if (p->compared == TRY_EQUAL) {
        m->equal++;
        t->pairs[(size_t)(m - t->mutants) * t->scene_count + p->scene] = PAIR_COMPARED;
    }
}

/* A mutant that was not killed before has survived this scenario. */
static void take_results(batch *b)
{
    enum { WITNESSES = 3 };
    for (size_t i = 0; i < b->count; i++) {
        const pair *p = &b->pairs[i];
        mutant *m = p->m;
        const scene *s = &b->m->scenes[b->t->scenes[p->scene]];
        if (m->class_ == MUTANT_KILLED)
            continue;
        take_comparison(b->t, p);
        if (p->result == PAIR_KILLS) {
            m->class_ = MUTANT_KILLED;
            m->scenario = s->path;
            m->how = p->how;
            b->t->kills[p->scene]++;
        } else if (p->result == PAIR_LIMIT) {
            m->limited++;
            m->how = arena_printf(b->m->a, "%.*s: %.*s", STR_ARG(s->path), STR_ARG(p->how));
        } else if (p->result == PAIR_SAME && b->judge && m->looked++ < WITNESSES) {
            m->witnesses = m->witnesses.n ? arena_printf(b->m->a, "%.*s, %.*s", STR_ARG(m->witnesses), STR_ARG(s->path))
                           : s->path;
        }
    }
}

static void pack_pair(void *context, size_t i, buf *out)
{
    batch *b = context;
    const pair *p = &b->pairs[i];
    put_varint(out, p->asked);
    put_varint(out, p->compared);
    put_varint(out, p->result);
    buf_lenstr(out, p->tell);
    buf_lenstr(out, p->how);
}

static void unpack_pair(void *context, size_t i, str bytes)
{
    batch *b = context;
    pthread_mutex_lock(&b->lock);
    pair *p = &b->pairs[i];
    p->asked = take_varint(&bytes);
    p->compared = (try_result)take_varint(&bytes);
    p->result = (pair_result)take_varint(&bytes);
    p->tell = arena_str(b->m->a, take_lenstr(&bytes));
    p->how = arena_str(b->m->a, take_lenstr(&bytes));
    pthread_mutex_unlock(&b->lock);
}

static void run_batch(batch *b)
{
    crew_share(&(crew_work){ .context = b, .count = b->count, .work = work_on, .pack = pack_pair,
                             .unpack = unpack_pair, .interrupted = progress_interrupted }, b->m->threads);
    if (mutate_is_left())
        return;
    take_results(b);
    mem_free(b->pairs);
    b->pairs = NULL;
    b->count = 0;
}

/* ---- one round of one script
 * --------------------------------------------------------------------------------------------- */

/* Scenes of the target in the order in which they are to be tried. */
typedef struct {
    size_t scene;
    size_t kills;
    uint64_t cost;
} ranked;

static int by_rank(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->kills != b->kills)
        return a->kills > b->kills ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->scene < b->scene ? -1 : a->scene > b->scene;
}

static ranked *rank(const mutation *m, const target *t, const bool *fresh, size_t *count)
{
    ranked *list = mem_zero((t->scene_count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < t->scene_count; i++)
        if (fresh[t->scenes[i]])
            list[(*count)++] = (ranked){ .scene = i, .kills = t->kills[i], .cost = m->scenes[t->scenes[i]].cost };
    qsort(list, *count, sizeof *list, by_rank);
    return list;
}

static pair_state *state_of(target *t, size_t mutant, size_t scene)
{
    return &t->pairs[mutant * t->scene_count + scene];
}

static void try_wave(batch *b, const bool *fresh, size_t from, size_t to)
{
    target *t = b->t;
    size_t count, cap = 0;
    ranked *order = rank(b->m, t, fresh, &count);
    for (size_t i = from; i < to; i++) {
        mutant *m = &t->mutants[i];
        size_t tries = 0;
        for (size_t k = 0; k < count && tries < FIRST_TRIES && m->wanted && m->class_ == MUTANT_OPEN; k++) {
            pair_state *done = state_of(t, i, order[k].scene);
            if (*done != PAIR_NEW || !reaches(t, &b->m->scenes[t->scenes[order[k].scene]], m))
                continue;
            *done = PAIR_LOOKED;
            tries++;
            add_pair(b, &cap, m, order[k].scene);
        }
    }
    mem_free(order);
    run_batch(b);
}

/* The remaining mutants run in the remaining scenes, a few at a time, so that a kill saves the others. */
static void try_rest(batch *b, const bool *fresh)
{
    enum { SCENES_AT_ONCE = 4 };
    target *t = b->t;
    size_t count, cap = 0, taken = 0;
    ranked *order = rank(b->m, t, fresh, &count);
    for (size_t k = 0; k < count; k++) {
        const scene *s = &b->m->scenes[t->scenes[order[k].scene]];
        for (size_t i = 0; i < t->count; i++) {
            pair_state *done = state_of(t, i, order[k].scene);
            if (t->mutants[i].wanted && t->mutants[i].class_ == MUTANT_OPEN && *done == PAIR_NEW &&
                reaches(t, s, &t->mutants[i])) {
                *done = PAIR_LOOKED;
                add_pair(b, &cap, &t->mutants[i], order[k].scene);
            }
        }
        if (++taken % SCENES_AT_ONCE == 0 || k + 1 == count) {
            run_batch(b);
            cap = 0;
        }
        if (mutate_is_left())
            break;
    }
    mem_free(order);
}

/* A mutant that is left, and was never told from the original, is compared with it in the scenarios that reached it. */
static void compare_rest(batch *b)
{
    enum { SCENES_AT_ONCE = 4 };
    target *t = b->t;
    b->judge = false;
    size_t cap = 0;
    for (size_t k = 0; k < t->scene_count && !mutate_is_left(); k++) {
        for (size_t i = 0; i < t->count; i++) {
            mutant *m = &t->mutants[i];
            if (m->wanted && m->class_ == MUTANT_OPEN && !m->told && *state_of(t, i, k) == PAIR_LOOKED)
                add_pair(b, &cap, m, k);
        }
        if (b->count && (k % SCENES_AT_ONCE == SCENES_AT_ONCE - 1 || k + 1 == t->scene_count)) {
            run_batch(b);
            cap = 0;
        }
    }
}

/* A mutant that survives the first few is likely to survive all: then comparing it with the original is faster. */
static void judge_target(mutation *m, target *t, const bool *fresh)
{
    batch *b = ARENA_NEW(m->a, batch);             /* see mutate_is_left */
    *b = (batch){ .m = m, .t = t, .judge = true };
    pthread_mutex_init(&b->lock, NULL);
    for (size_t from = 0; from < t->count && !progress_interrupted(); from += WAVE)
        try_wave(b, fresh, from, from + WAVE < t->count ? from + WAVE : t->count);
    b->compare = true;
    if (!mutate_is_left())
        try_rest(b, fresh);
    if (!mutate_is_left())
        compare_rest(b);
    if (!mutate_is_left())
        pthread_mutex_destroy(&b->lock);
}

/* ---- scenarios with the original
 * ----------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t states_max;
    bool last;             /* larger ones are SCENE_LARGE */
    bool raised;           /* only targets are judged that are raised to it */
} judging_round;

typedef struct {
    mutation *m;
    const size_t *scenes;
    judging_round r;
    pthread_mutex_t lock;
} baseline;

static void copy_coverage(arena *a, const outcome *out, scene *s)
{
    coverage_script *list = ARENA_ARRAY(a, coverage_script, out->script_count + 1);
    for (size_t i = 0; i < out->script_count; i++) {
        const coverage_script *from = &out->scripts[i];
        coverage_line *lines = ARENA_ARRAY(a, coverage_line, from->line_count + 1);
        if (from->line_count)
            memcpy(lines, from->lines, from->line_count * sizeof *lines);
        list[i] = (coverage_script){ .body = arena_str(a, from->body), .lines = lines, .line_count = from->line_count };
    }
    s->scripts = list;
    s->script_count = out->script_count;
}

static void copy_reached(arena *a, const reached_driver *from, size_t count, scene *s)
{
    reached_driver *list = ARENA_ARRAY(a, reached_driver, count + 1);
    for (size_t i = 0; i < count; i++) {
        uint8_t *lines = ARENA_ARRAY(a, uint8_t, from[i].line_count);
        memcpy(lines, from[i].lines, from[i].line_count);
        list[i] = (reached_driver){ .path = arena_str(a, from[i].path), .lines = lines,
                                    .line_count = from[i].line_count };
    }
    s->drivers = list;
    s->driver_count = count;
}

static void run_original(void *context, size_t i)
{
    baseline *b = context;
    scene *s = &b->m->scenes[b->scenes[i]];
    arena *a = arena_new();
    outcome out = { 0 };
    reached_driver *drivers = NULL;
    size_t driver_count = 0;
    if (!progress_interrupted())
        mutate_run_original(b->m, a, s->path, b->r.states_max, &out, &drivers, &driver_count);
    pthread_mutex_lock(&b->lock);
    bool limited = out.verdict == VERDICT_INCONCLUSIVE;
    if (progress_interrupted())
        s->state = SCENE_UNKNOWN;
    else if (limited)
        s->state = b->r.last ? SCENE_LARGE : SCENE_UNKNOWN;
    else
        s->state = out.verdict == VERDICT_PASS ? SCENE_PASSES : SCENE_FAILS;
    s->cost = out.search.transitions;
    s->states = out.search.states;
    copy_coverage(b->m->a, &out, s);
    copy_reached(b->m->a, drivers, driver_count, s);
    pthread_mutex_unlock(&b->lock);
    err_clear(&out.error);
    arena_free(a);
}

static void pack_original(void *context, size_t i, buf *out)
{
    baseline *b = context;
    mutate_pack_scene(&b->m->scenes[b->scenes[i]], out);
}

static void unpack_original(void *context, size_t i, str bytes)
{
    baseline *b = context;
    pthread_mutex_lock(&b->lock);
    mutate_unpack_scene(b->m->a, bytes, &b->m->scenes[b->scenes[i]]);
    pthread_mutex_unlock(&b->lock);
}

/* Some of its mutants wait for the round. */
static bool has_open(const target *t, const judging_round *r)
{
    bool takes_part = !r->raised || t->raised_to == r->states_max;
    for (size_t i = 0; i < t->count && takes_part; i++)
        if (t->mutants[i].wanted && t->mutants[i].class_ == MUTANT_OPEN)
            return true;
    return false;
}

/* The scenes that some open mutant's script needs, as fresh[scene]. */
static size_t pick(const mutation *m, const judging_round *r, size_t *list)
{
    bool *wanted = mem_zero((m->scene_count + 1) * sizeof *wanted);
    size_t count = 0;
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; has_open(&m->targets[i], r) && k < m->targets[i].scene_count; k++)
            wanted[m->targets[i].scenes[k]] = true;
    for (size_t i = 0; i < m->scene_count; i++)
        if (wanted[i] && m->scenes[i].state == SCENE_UNKNOWN)
            list[count++] = i;
    mem_free(wanted);
    return count;
}

static void tell(const mutation *m, const target *t)
{
    if (ranks_own() > 0)
        return;
    fprintf(stderr, "mutate: %.*s: %zu of %zu killed so far\n", STR_ARG(t->path), mutate_count(m, t, MUTANT_KILLED),
            t->count);
}

static void run_round(mutation *m, judging_round r, void (*saved)(mutation *m))
{
    size_t *list = mem_zero((m->scene_count + 1) * sizeof *list);
    bool *fresh = mem_zero((m->scene_count + 1) * sizeof *fresh);
    baseline *b = ARENA_NEW(m->a, baseline);       /* see mutate_is_left */
    *b = (baseline){ .m = m, .scenes = list, .r = r };
    size_t count = pick(m, &r, list), passing = 0;
    pthread_mutex_init(&b->lock, NULL);
    crew_share(&(crew_work){ .context = b, .count = count, .work = run_original, .pack = pack_original,
                             .unpack = unpack_original, .interrupted = progress_interrupted }, m->threads);
    if (mutate_is_left()) {
        mem_free(fresh);
        return;            /* the list stays with the threads that may still run */
    }
    pthread_mutex_destroy(&b->lock);
    for (size_t i = 0; i < count; i++)
        passing += fresh[list[i]] = m->scenes[list[i]].state == SCENE_PASSES;
    if (ranks_own() == 0)
        fprintf(stderr, "mutate: %zu of %zu scenarios pass within %" PRIu64 " states\n", passing, count,
                r.states_max);
    for (size_t i = 0; i < m->target_count && !progress_interrupted(); i++)
        if (has_open(&m->targets[i], &r)) {
            judge_target(m, &m->targets[i], fresh);
            tell(m, &m->targets[i]);
            saved(m);
        }
    mem_free(fresh);
    mem_free(list);
}

static mutant_class class_of_open(const mutant *m)
{
    if (m->limited)
        return MUTANT_UNDECIDED;
    return m->equal && !m->told ? MUTANT_EQUIVALENT : MUTANT_SURVIVED;
}

static void count_scenes(mutation *m)
{
    for (size_t i = 0; i < m->target_count; i++) {
        target *t = &m->targets[i];
        for (size_t k = 0; k < t->scene_count; k++) {
            const scene *s = &m->scenes[t->scenes[k]];
            bool large = s->state == SCENE_LARGE || s->raised_to > t->raised_to;
            t->passing += !large && s->state == SCENE_PASSES;
            t->failing += !large && s->state == SCENE_FAILS;
            t->large += large;
        }
    }
}

static str why_survived(const target *t, const mutant *x)
{
    if (x->looked > 0)
        return x->tell;
    return t->large ? S("no scenario that is small enough (--max-states) reaches it") : S("no scenario reaches it");
}

static void finish(mutation *m)
{
    for (size_t i = 0; i < m->target_count; i++) {
        target *t = &m->targets[i];
        for (size_t k = 0; k < t->count; k++) {
            mutant *x = &t->mutants[k];
            /* killed, or judged before: then it has its reason from there */
            if (!x->wanted || x->class_ != MUTANT_OPEN)
                continue;
            x->class_ = class_of_open(x);
            if (x->class_ == MUTANT_SURVIVED)
                x->how = why_survived(t, x);
            else if (x->class_ == MUTANT_EQUIVALENT)
                x->how = arena_printf(m->a, "no client can tell it from the original in %zu scenario%s", x->equal,
                                      x->equal == 1 ? "" : "s");
        }
    }
}

/* Targets that wait, and that only larger scenarios could judge, are raised to the round's limit; these scenarios are
 * unknown again. false: there are none. */
static bool raise_targets(mutation *m, const judging_round *r)
{
    bool any = false;
    for (size_t i = 0; i < m->target_count; i++) {
        target *t = &m->targets[i];
        size_t passing = 0, large = 0;
        for (size_t k = 0; k < t->scene_count; k++) {
            passing += m->scenes[t->scenes[k]].state == SCENE_PASSES;
            large += m->scenes[t->scenes[k]].state == SCENE_LARGE;
        }
        if (passing || !large || !has_open(t, &(judging_round){ .raised = false }))
            continue;
        t->raised_to = r->states_max;
        any = true;
    }
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; m->targets[i].raised_to == r->states_max && k < m->targets[i].scene_count; k++) {
            scene *s = &m->scenes[m->targets[i].scenes[k]];
            if (s->state != SCENE_LARGE)
                continue;
            s->raised_to = r->states_max;
            s->state = SCENE_UNKNOWN;
        }
    return any;
}

/* `init` writes scenarios of more than MUTATE_STATES_MAX states: they have to do without a further option. */
static void judge_raised(mutation *m, void (*saved)(mutation *m))
{
    for (uint64_t most = MUTATE_STATES_MAX * 10; most <= MUTATE_STATES_RAISED && !progress_interrupted(); most *= 10) {
        const judging_round r = { .states_max = most, .last = true, .raised = true };
        if (!raise_targets(m, &r))
            return;
        if (ranks_own() == 0)
            fprintf(stderr, "mutate: none of a file passes within %" PRIu64 " states: tried up to %" PRIu64 "\n",
                    most / 10, most);
        run_round(m, r, saved);
    }
}

void mutate_judge(mutation *m, void (*saved)(mutation *m))
{
    static const uint64_t rounds[] = { 300, 3000, 30000, 300000, 3000000 };
    uint64_t most = m->o->has_max_states ? m->o->max_states : MUTATE_STATES_MAX;
    for (size_t i = 0; i < COUNT(rounds) && !progress_interrupted(); i++) {
        bool last = rounds[i] >= most || i + 1 == COUNT(rounds);
        run_round(m, (judging_round){ .states_max = last ? most : rounds[i], .last = last }, saved);
        if (last)
            break;
    }
    if (!m->o->has_max_states)
        judge_raised(m, saved);
    count_scenes(m);
    m->interrupted = progress_interrupted();
    if (!m->interrupted)
        finish(m);
}

size_t mutate_count(const mutation *m, const target *t, mutant_class c)
{
    size_t n = 0;
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; (!t || t == &m->targets[i]) && k < m->targets[i].count; k++)
            n += m->targets[i].mutants[k].wanted && m->targets[i].mutants[k].class_ == c;
    return n;
}

double mutate_score(const mutation *m, const target *t)
{
    size_t killed = mutate_count(m, t, MUTANT_KILLED);
    size_t all = killed + mutate_count(m, t, MUTANT_SURVIVED) + mutate_count(m, t, MUTANT_UNDECIDED);
    return all ? 100.0 * (double)killed / (double)all : -1.0;
}
