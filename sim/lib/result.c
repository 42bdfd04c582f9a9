/* result.c - a scenario is run, and its result laid out as the library's user reads it. */
#include "lib/internal.h"

#include "base/mem.h"
#include "host/memory.h"
#include "report/report.h"

/* The story of one property, or of a run. */
typedef struct {
    locksim_step *at;
    size_t count;
} steps;

struct locksim_result {
    arena *memory;
    locksim_scenario *of;
    outcome found;
    locksim_property *properties;
    steps *stories;                /* of each property */
    size_t count;
    steps run;
    const char *reason, *advice, *means, *text;
};

typedef struct {
    locksim_scenario *s;
    const locksim_run_options *o;
    locksim_error **error;
    locksim_result *made;
    int64_t begin_ms;
} running;

static int64_t elapsed_ms(void *context)
{
    const running *g = context;
    return progress_now_ms() - g->begin_ms;
}

static bool go_on(void *context, const search_progress *at)
{
    const running *g = context;
    return !g->o->go_on || g->o->go_on(g->o->context, at->states, at->runs);
}

static search_options options_for(running *g)
{
    const locksim_run_options *o = g->o;
    return (search_options){
        .seed = o->seed ? o->seed : 1, .runs = o->runs, .max_steps = o->max_steps, .max_states = o->max_states,
        .max_memory = o->max_memory_bytes, .memory_default = memory_default(1),
        .time_limit_ms = (int64_t)(o->time_limit_ms < INT64_MAX ? o->time_limit_ms : INT64_MAX),
        .schedule = o->schedule, .exhaustive = o->exhaustive, .symmetry = !o->no_symmetry,
        .open_starts = options_open_starts(&g->s->o), .signatures = g->s->world.signatures,
        .context = g, .elapsed_ms = elapsed_ms, .progress = go_on,
    };
}

static const char *text_of(arena *a, str s) { return arena_str(a, s).p; }

static steps steps_of(arena *a, const story *s, const outcome *o)
{
    steps made = { ARENA_ARRAY(a, locksim_step, s->count + 1), s->count };
    for (size_t i = 0; i < s->count; i++) {
        const story_row *r = &s->rows[i];
        made.at[i] = (locksim_step){
            .at_ms = r->at_ms, .client = text_of(a, r->process < o->client_count ? o->clients[r->process] : S("")),
            .token = text_of(a, r->token), .did = text_of(a, r->did), .notes = text_of(a, r->notes),
            .redis = text_of(a, r->redis), .effects = text_of(a, r->effects), .location = text_of(a, r->location),
        };
    }
    return made;
}

static locksim_property property_of(arena *a, const property_result *p, property number)
{
    const property_info *info = property_describe(number);
    const counterexample *x = p->outcome == OUTCOME_VIOLATED ? p->example : NULL;
    bool missed = p->outcome == OUTCOME_HOLDS && p->expected == EXPECT_VIOLATED;
    return (locksim_property){
        .name = info->name, .code = info->code,
        .outcome = p->outcome == OUTCOME_HOLDS ? LOCKSIM_HOLDS
                   : p->outcome == OUTCOME_VIOLATED ? LOCKSIM_VIOLATED : LOCKSIM_UNDECIDED,
        .expected_violated = p->expected == EXPECT_VIOLATED, .failed = report_is_failure(p) || missed,
        .text = text_of(a, x ? x->text : S("")), .why = text_of(a, x ? x->why : S("")),
        .blame = text_of(a, x ? x->blame : S("")), .schedule = text_of(a, x ? x->schedule : S("")),
        .steps = x ? x->story.count : 0,
    };
}

static void lay_out(locksim_result *r)
{
    arena *a = r->memory;
    const outcome *o = &r->found;
    r->properties = ARENA_ARRAY(a, locksim_property, PROPERTY_COUNT);
    r->stories = ARENA_ARRAY(a, steps, PROPERTY_COUNT);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const property_result *of = &o->properties[p];
        if (of->outcome == OUTCOME_NOT_JUDGED)
            continue;
        r->properties[r->count] = property_of(a, of, p);
        if (r->properties[r->count].steps > 0)
            r->stories[r->count] = steps_of(a, &of->example->story, o);
        r->count++;
    }
    r->run = steps_of(a, &o->run, o);
    r->reason = text_of(a, o->reason);
    r->means = text_of(a, o->means);
    const advice *x = &o->advice;
    r->advice = arena_printf(a, "%.*s%s%.*s%s%.*s", STR_ARG(x->cause), x->where.n ? " (" : "", STR_ARG(x->where),
                             x->where.n ? ")\n" : x->cause.n ? "\n" : "", STR_ARG(x->change)).p;
    buf shown = { 0 };
    report_item item = { .result = o };
    report_style style = { .program = "locksim" };
    report_text(&item, &style, &shown);
    r->text = text_of(a, buf_str(&shown));
    buf_free(&shown);
}

/* A story that does not happen again is a mistake of ours, as for `locksim run`. */
static bool is_proved(const outcome *o, err *e)
{
    for (size_t i = 0; i < o->example_count; i++)
        if (!o->examples[i].replayed)
            return err_at(e, ERR_BUG, o->path, 0, 0,
                          "the schedule that violated %s did not do so when it was run again",
                          property_describe(o->examples[i].property)->name);
    return true;
}

static void run(void *context)
{
    running *g = context;
    if (g->s->broken) {
        error_broken(g->error);
        return;
    }
    arena *a = arena_new();
    locksim_result *r = ARENA_NEW(a, locksim_result);
    search_options so = options_for(g);
    err e = { 0 };
    r->memory = a;
    g->s->broken = true;           /* for as long as the search is at work in it */
    search_run(a, g->s->world.sc, &g->s->world.l, &so, &r->found);
    if (r->found.verdict == VERDICT_ERROR ? err_copy(&e, &r->found.error), true : !is_proved(&r->found, &e)) {
        error_give(g->error, &e);
        err_clear(&e);
        err_clear(&r->found.error);
        arena_free(a);
    } else {
        lay_out(r);
        r->of = g->s;
        g->s->holders++;
        g->made = r;
    }
    g->s->broken = false;
}

locksim_result *locksim_run(locksim_scenario *s, const locksim_run_options *o, locksim_error **error)
{
    static const locksim_run_options defaults;
    running g = { .s = s, .o = o ? o : &defaults, .error = error, .begin_ms = progress_now_ms() };
    return guarded(run, &g, error) ? g.made : NULL;
}

void locksim_result_free(locksim_result *r)
{
    if (!r)
        return;
    locksim_scenario *s = r->of;
    err_clear(&r->found.error);
    arena_free(r->memory);
    scenario_drop(s);
}

/* ---- read ---- */

const char *locksim_verdict_name(locksim_verdict v)
{
    static const char *const names[] = { "PASS", "FAIL", "INCONCLUSIVE", "VACUOUS" };
    return (unsigned)v < COUNT(names) ? names[v] : "";
}

locksim_verdict locksim_result_verdict(const locksim_result *r)
{
    switch (r->found.verdict) {
    case VERDICT_PASS: return LOCKSIM_PASS;
    case VERDICT_FAIL: return LOCKSIM_FAIL;
    case VERDICT_VACUOUS: return LOCKSIM_VACUOUS;
    case VERDICT_INCONCLUSIVE: case VERDICT_ERROR: break;      /* an error has no result */
    }
    return LOCKSIM_INCONCLUSIVE;
}

const char *locksim_result_reason(const locksim_result *r) { return r->reason; }
const char *locksim_result_advice(const locksim_result *r) { return r->advice; }
const char *locksim_result_means(const locksim_result *r) { return r->means; }
const char *locksim_result_text(const locksim_result *r) { return r->text; }

locksim_counts locksim_result_counts(const locksim_result *r)
{
    const outcome *o = &r->found;
    return (locksim_counts){ .states = o->search.states, .transitions = o->search.transitions, .runs = o->search.runs,
                             .executions = o->search.executions, .longest = o->search.longest,
                             .waiting = o->search.waiting, .complete = o->search.complete };
}

size_t locksim_result_properties(const locksim_result *r) { return r->count; }

const locksim_property *locksim_result_property(const locksim_result *r, size_t i)
{
    return i < r->count ? &r->properties[i] : NULL;
}

const locksim_property *locksim_result_find(const locksim_result *r, const char *name_or_code)
{
    for (size_t i = 0; i < r->count && name_or_code; i++)
        if (strcmp(r->properties[i].name, name_or_code) == 0 || strcmp(r->properties[i].code, name_or_code) == 0)
            return &r->properties[i];
    return NULL;
}

const locksim_step *locksim_result_step(const locksim_result *r, const locksim_property *p, size_t i)
{
    const steps *s = &r->run;
    for (size_t k = 0; k < r->count && p; k++)
        if (p == &r->properties[k])
            s = &r->stories[k];
    if (p && s == &r->run)
        return NULL;               /* of another result */
    return i < s->count ? &s->at[i] : NULL;
}
