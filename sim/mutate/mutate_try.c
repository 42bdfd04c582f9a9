/* mutate_try.c - see mutate_try.h. */
#include "mutate/mutate_try.h"

#include "client/load.h"
#include "host/memory.h"
#include "judge/judge.h"
#include "judge/names.h"
#include "scenario/source.h"
#include "search/versions.h"

enum { SCRIPT_STEPS = 1000000 };                   /* a mutant's endless loop costs milliseconds */

typedef struct {
    loader inner;
    str path, text;        /* this file reads so */
} swapped;

static bool swapped_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const swapped *s = context;
    if (!s->inner.read(s->inner.context, name, a, path, text, e))
        return false;
    if (s->path.n && str_eq(files_tidy(a, *path), s->path))
        *text = s->text;
    return true;
}

/* All that one search stands on; must not move once it has begun. */
typedef struct {
    progress_board silent;
    progress p;
    search_path where;
    swapped original, changed;
    loader old, new;
    scenario sc;
    search_options so;
} stand;

static void begin(stand *t, const mutation *m, arena *a, str scene, str path, str text, uint64_t states_max)
{
    *t = (stand){ .silent = { .shown = 0 }, .p = { .side_by_side = m->threads } };
    pthread_mutex_init(&t->silent.lock, NULL);
    progress_scenario(&t->p, &t->silent, scene, 1, 1);
    t->where = search_path_new(a, m->o);
    search_path_for(&t->where, a, scene);
    t->original = (swapped){ .inner = search_path_loader(&t->where) };
    t->changed = (swapped){ .inner = t->original.inner, .path = path, .text = text };
    t->old = (loader){ .context = &t->original, .read = swapped_read };
    t->new = (loader){ .context = &t->changed, .read = swapped_read };
    t->so = (search_options){ .seed = 1, .glance = true, .open_starts = options_open_starts(m->o),
                              .max_states = states_max, .limits = { .script_steps = SCRIPT_STEPS },
                              .memory_default = memory_default(m->threads),
                              .time_limit_ms = (int64_t)m->o->time_limit_s * 1000,
                              .context = &t->p, .elapsed_ms = progress_elapsed_ms, .progress = progress_tick };
}

/* The scenario's text as read, or mutated; it loads files by `l`. */
static bool load(const mutation *m, stand *t, arena *a, str scene, const loader *l, err *e)
{
    scenario_source from;
    if (!names_read(a, scene, &from, e))
        return false;
    const swapped *s = l->context;
    if (s->path.n && str_eq(files_tidy(a, from.file), s->path))
        from.text = s->text;
    if (!scenario_load_case(a, l, &from, &t->sc, e))
        return false;
    if (m->o->dialect)                             /* options_parse has looked at it */
        dialect_parse(str_from(m->o->dialect), &t->sc.dialect);
    if (t->sc.max_states && (t->so.max_states == 0 || t->sc.max_states < t->so.max_states))
        t->so.max_states = t->sc.max_states;
    return true;
}

void mutate_run(const mutation *m, arena *a, str scene, str path, str text, uint64_t states_max, outcome *out)
{
    err e = { 0 };
    stand *t = ARENA_NEW(a, stand);
    begin(t, m, a, scene, path, text, states_max);
    if (load(m, t, a, scene, &t->new, &e))
        search_run(a, &t->sc, &t->new, &t->so, out);
    else
        *out = (outcome){ .verdict = VERDICT_ERROR, .error = e };
    pthread_mutex_destroy(&t->silent.lock);
}

/* A file that the scenario patches is not the file any more. */
static void take_reached(arena *a, const scenario *sc, reached_driver **drivers, size_t *count)
{
    const source *s;
    uint32_t n = 0;
    *count = 0;
    while (source_numbered(sc->sources, n))
        n++;
    *drivers = ARENA_ARRAY(a, reached_driver, n + 1);
    for (uint32_t i = 0; (s = source_numbered(sc->sources, i)) != NULL; i++) {
        reached_driver d = { .path = files_tidy(a, s->path) };
        d.lines = source_reached(s, a, &d.line_count);
        if (d.lines && !s->origins && str_eq(s->text, s->written))
            (*drivers)[(*count)++] = d;
    }
}

void mutate_run_original(const mutation *m, arena *a, str scene, uint64_t states_max, outcome *out,
                         reached_driver **drivers, size_t *count)
{
    err e = { 0 };
    stand *t = ARENA_NEW(a, stand);
    *count = 0;
    begin(t, m, a, scene, S(""), S(""), states_max);
    if (load(m, t, a, scene, &t->new, &e)) {
        source_follow(t->sc.sources);
        search_run(a, &t->sc, &t->new, &t->so, out);
        take_reached(a, &t->sc, drivers, count);
    } else {
        *out = (outcome){ .verdict = VERDICT_ERROR, .error = e };
    }
    pthread_mutex_destroy(&t->silent.lock);
}

str mutate_differs(arena *a, const outcome *out)
{
    for (int p = 0; out->verdict == VERDICT_FAIL && p < PROPERTY_COUNT; p++) {
        const property_result *r = &out->properties[p];
        const property_info *info = property_describe((property)p);
        if (r->outcome == OUTCOME_VIOLATED && r->expected != EXPECT_VIOLATED)
            return arena_printf(a, "%s %s is violated", info->code, info->name);
        if (r->outcome == OUTCOME_HOLDS && r->expected == EXPECT_VIOLATED)
            return arena_printf(a, "%s %s holds, and was violated", info->code, info->name);
    }
    if (out->verdict == VERDICT_ERROR)
        return arena_printf(a, "ERROR: %.*s", STR_ARG(buf_str(&out->error.message)));
    return arena_printf(a, "%s: %.*s", verdict_name(out->verdict), STR_ARG(out->reason));
}

try_result mutate_compare(const mutation *m, arena *a, str scene, bool drivers, str path, str text, uint64_t states_max,
                          str *tell)
{
    static const char *const tells[] = {
        [COMPARE_DIFFERENT] = "a client can tell it from the original",
        [COMPARE_KEYS_DIFFER] = "the keyspace differs from the original's",
    };
    err e = { 0 };
    compare_outcome out = { 0 };
    const lockstep_relation relation = { .keys = true };
    stand *t = ARENA_NEW(a, stand);
    *tell = S("");
    begin(t, m, a, scene, path, text, states_max);
    scenario *second = ARENA_NEW(a, scenario);
    if (drivers && load(m, t, a, scene, &t->new, &e)) {
        *second = t->sc;
        if (load(m, t, a, scene, &t->old, &e))
            compare_clients(a, &t->sc, &t->old, second, &t->new, &t->so, &relation, &out);
        else
            out.verdict = COMPARE_ERROR;
    } else if (!drivers && load(m, t, a, scene, &t->old, &e))
        compare_search(a, &t->sc, &t->old, &t->new, &t->so, &relation, &out);
    else
        out.verdict = COMPARE_ERROR;
    pthread_mutex_destroy(&t->silent.lock);
    err_clear(&out.found.error);
    err_clear(&e);
    if (out.verdict == COMPARE_EQUIVALENT)
        return TRY_EQUAL;
    if (out.verdict == COMPARE_UNDECIDED || out.verdict == COMPARE_ERROR)
        return TRY_UNDECIDED;      /* an error that the mutant makes, the scenario's own verdict tells */
    *tell = arena_printf(a, "%.*s: %s", STR_ARG(scene), tells[out.verdict]);
    return TRY_DIFFERS;
}
