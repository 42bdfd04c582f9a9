/* scenario.c - scenarios of the library's user: loaded from files or texts, listed, freed. */
#include "lib/internal.h"

#include "base/mem.h"
#include "client/load.h"
#include "host/about.h"

const char *locksim_version(void) { return LOCKSIM_VERSION; }

static options options_of(const locksim_load_options *o, arena *a)
{
    options made = { .command = COMMAND_RUN, .strategy = CHOICE_UNSAID, .program = "locksim" };
    if (!o)
        return made;
    while (o->scripts && o->scripts[made.script_count])
        made.script_count++;
    made.scripts = ARENA_ARRAY(a, const char *, made.script_count + 1);
    for (size_t i = 0; i < made.script_count; i++)
        made.scripts[i] = arena_str(a, str_from(o->scripts[i])).p;
    made.faults = o->faults ? arena_str(a, str_from(o->faults)).p : NULL;
    made.dialect = o->dialect ? arena_str(a, str_from(o->dialect)).p : NULL;
    return made;
}

typedef struct {
    const char *name;
    str text;
    bool has_text;
    const locksim_load_options *o;
    locksim_error **error;
    locksim_scenario *made;
} loading;

/* As judge_open, without a file. */
static bool open_text(const options *o, str name, str text, opened *s, err *e)
{
    s->memory = arena_new();
    s->where = search_path_new(s->memory, o);
    s->where.looked = &s->looked;
    s->sc = ARENA_NEW(s->memory, scenario);
    scenario_name n = names_split(name);
    scenario_source from = { .file = n.file, .text = arena_str(s->memory, text), .case_ = n.case_ };
    search_path_for(&s->where, s->memory, name);
    s->l = search_path_loader(&s->where);
    if (scenario_load_case(s->memory, &s->l, &from, s->sc, e))
        return judge_override(s->memory, options_overrides(o), s->sc, e);
    if (str_eq(buf_str(&e->path), from.file))
        err_quote(e, from.text);
    return false;
}

static bool open_file(const options *o, str name, opened *s, err *e)
{
    judged failed;
    if (judge_open(o, name, s, &failed))
        return true;
    err_copy(e, &failed.result.error);
    judged_free(&failed);
    *s = (opened){ 0 };            /* it is gone, all of it */
    return false;
}

static void load(void *context)
{
    loading *g = context;
    arena *a = arena_new();
    locksim_scenario *s = ARENA_NEW(a, locksim_scenario);
    opened *w = &s->world;
    err e = { 0 };
    s->o = options_of(g->o, a);
    str name = arena_str(a, str_from(g->name));
    bool ok = g->has_text ? open_text(&s->o, name, g->text, w, &e) : open_file(&s->o, name, w, &e);
    if (ok) {
        s->memory = a;
        s->name = name.p;
        s->title = arena_str(a, w->sc->title).p;
        s->held = true;
        s->holders = 1;
        g->made = s;
    } else {
        error_give(g->error, &e);
        looked_free(&w->looked);
        arena_free(w->memory);
        arena_free(a);
    }
    err_clear(&e);
}

static locksim_scenario *load_guarded(loading *g)
{
    return guarded(load, g, g->error) ? g->made : NULL;
}

locksim_scenario *locksim_load(const char *name, const locksim_load_options *o, locksim_error **error)
{
    loading g = { .name = name, .o = o, .error = error };
    return load_guarded(&g);
}

locksim_scenario *locksim_load_text(const char *name, const char *text, size_t text_bytes,
                                    const locksim_load_options *o, locksim_error **error)
{
    loading g = { .name = name, .text = { text, text_bytes }, .has_text = true, .o = o, .error = error };
    return load_guarded(&g);
}

/* After an error its memory is not freed: parts of it may be inconsistent. */
void scenario_drop(locksim_scenario *s)
{
    if (--s->holders > 0 || s->broken)
        return;
    looked_free(&s->world.looked);
    arena_free(s->world.memory);
    arena_free(s->memory);
}

void locksim_scenario_free(locksim_scenario *s)
{
    if (!s || !s->held)
        return;
    s->held = false;
    scenario_drop(s);
}

const char *locksim_scenario_name(const locksim_scenario *s) { return s->name; }
const char *locksim_scenario_title(const locksim_scenario *s) { return s->title; }

/* ---- the cases of a file ---- */

typedef struct {
    const char *file;
    const locksim_load_options *o;
    locksim_error **error;
    const char **made;
} listing;

/* One piece of memory: the pointers, then the names. */
static const char **as_one_piece(const file_list *found)
{
    size_t bytes = (found->count + 1) * sizeof(char *);
    for (size_t i = 0; i < found->count; i++)
        bytes += found->paths[i].n + 1;
    const char **list = mem_zero(bytes);
    char *to = (char *)&list[found->count + 1];
    for (size_t i = 0; i < found->count; i++) {
        list[i] = memcpy(to, found->paths[i].p, found->paths[i].n);
        to += found->paths[i].n + 1;
    }
    return list;
}

static void list(void *context)
{
    listing *g = context;
    arena *a = arena_new();
    options o = options_of(g->o, a);
    file_list found = { 0 };
    err e = { 0 };
    bool any;
    if (names_cases(a, &o, str_from(g->file), S("*"), &found, &any, &e)) {
        if (!any)
            files_add(a, &found, str_from(g->file));
        g->made = as_one_piece(&found);
    } else {
        error_give(g->error, &e);
    }
    err_clear(&e);
    arena_free(a);
}

const char *const *locksim_names(const char *file, const locksim_load_options *o, locksim_error **error)
{
    listing g = { .file = file, .o = o, .error = error };
    return guarded(list, &g, error) ? g.made : NULL;
}

void locksim_names_free(const char *const *names)
{
    mem_free((void *)(uintptr_t)names);
}
