/* candidates.c - see candidates.h. */
#include "compare/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "client/load.h"
#include "host/crew.h"
#include "host/script_names.h"
#include "judge/judge.h"
#include "judge/names.h"
#include "judge/uses.h"
#include "scenario/source.h"

bool candidate_load(arena *a, side *s, str path, overrides by, scenario *sc, err *e)
{
    scenario_source from;
    loader l = side_loader(s);
    if (!names_read(a, path, &from, e))
        return false;
    if (!scenario_load_case(a, &l, &from, sc, e)) {
        if (str_eq(buf_str(&e->path), from.file))
            err_quote(e, from.text);
        return false;
    }
    return judge_override(a, by, sc, e);
}

/* ---- what a scenario loads ---- */

typedef struct {
    versions *both;
    arena *a;              /* of the results; protected by `lock` */
    pthread_mutex_t lock;
    candidate *at;
} probing;

/* What both versions have under this name is not the same. What one does not have is a difference in a script, and none
 * in client code, which is the old version's anyway. */
static bool differs(arena *a, side sides[2], str name, bool script)
{
    str path, text[2];
    bool there[2];
    if (!script && !side_stands_for(&sides[0], a, name) && !side_stands_for(&sides[1], a, name))
        return false;      /* it is shared */
    for (int i = 0; i < 2; i++) {
        err none = { 0 };
        loader l = side_loader(&sides[i]);
        there[i] = l.read(l.context, name, a, &path, &text[i], &none);
        err_clear(&none);
    }
    return there[0] != there[1] ? script : there[0] && !str_eq(text[0], text[1]);
}

static void keep_name(probing *g, str **list, size_t *count, str name)
{
    pthread_mutex_lock(&g->lock);
    str *longer = ARENA_ARRAY(g->a, str, *count + 1);
    if (*count)
        memcpy(longer, *list, *count * sizeof *longer);
    longer[*count] = arena_str(g->a, name);
    pthread_mutex_unlock(&g->lock);
    *list = longer;
    ++*count;
}

static uint64_t weight_of(const scenario *sc)
{
    uint64_t w = 0;
    for (size_t i = 0; i < sc->client_count; i++)
        w += 4 * (uint64_t)sc->clients[i].threads;
    for (int k = 0; k < FAULT_KINDS; k++)
        w += 3 * (uint64_t)sc->faults[k].budget;
    return w + 2 * (sc->servers - 1) + 2 * sc->replicas;
}

/* ---- what the versions replace ---- */

/* Scripts, and then the client code that was loaded: from number *scripts on. */
static script_names names_of(const scenario *sc, size_t *scripts)
{
    script_names names = script_names_of(sc);
    const source *driver;
    *scripts = names.count;
    for (uint32_t i = 0; (driver = source_numbered(sc->sources, i)) != NULL; i++) {
        if (driver == sc->main)
            continue;
        MEM_RESERVE(names.at, names.cap, names.count + 1);
        names.at[names.count++] = driver->name;
    }
    return names;
}

static bool any_stands(side sides[2], arena *scratch, const script_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (side_stands_for(&sides[0], scratch, names->at[i]) || side_stands_for(&sides[1], scratch, names->at[i]))
            return true;
    return false;
}

static bool say_loads(const candidate *c, const versions *v, const script_names *names, bool several, err *e)
{
    buf list = { 0 };
    for (size_t i = 0; i < names->count; i++)
        buf_printf(&list, "%s%.*s", i ? ", " : "", STR_ARG(names->at[i]));
    err_at(e, ERR_SCENARIO, c->path, 0, 0, several ? "%.*s could stand for several of the files that this scenario "
           "loads: %.*s"
                                                   : "%.*s stands for none of the files that this scenario loads: %.*s",
           STR_ARG(v->of[0].spec), STR_ARG(list.n ? buf_str(&list) : S("none")));
    buf_free(&list);
    return err_hint(e, "--as NAME says for which");
}

/* Single files replace the file where one of them lies; in a named scenario that loads neither, the one script with the
 * name of the old one's file. false: there is none, or several. */
static bool place_single(const versions *v, candidate *c, arena *scratch, const script_names *names, side sides[2])
{
    size_t fits = 0;
    if (!v->of[0].single || !c->named || any_stands(sides, scratch, names))
        return true;
    sides[0].place = sides[1].place = c->place = 1;
    if (any_stands(sides, scratch, names))
        return true;
    str wanted = files_name(v->of[0].revision.n ? v->of[0].path : v->of[0].root);
    for (size_t i = 0; i < names->count; i++)
        if (str_eq(files_name(names->at[i]), wanted)) {
            c->as = arena_str(scratch, names->at[i]);
            fits++;
        }
    sides[0].as = sides[1].as = c->as;
    return fits == 1 || say_loads(c, v, names, fits > 1, &c->unread);
}

/* Which of its files differ. */
static void look(probing *g, candidate *c, arena *scratch, const scenario *sc, side sides[2])
{
    size_t scripts;
    script_names names = names_of(sc, &scripts);
    c->as = sides[0].as;
    bool placed = place_single(g->both, c, scratch, &names, sides);
    for (size_t i = 0; i < names.count && placed; i++) {
        if (!side_stands_for(&sides[0], scratch, names.at[i]) && !side_stands_for(&sides[1], scratch, names.at[i]))
            continue;
        c->touches = true;
        if (i < scripts && differs(scratch, sides, names.at[i], true))
            keep_name(g, &c->scripts, &c->script_count, names.at[i]);
        else if (i >= scripts && differs(scratch, sides, names.at[i], false))
            keep_name(g, &c->drivers, &c->driver_count, names.at[i]);
    }
    script_names_free(&names);
    pthread_mutex_lock(&g->lock);
    c->as = arena_str(g->a, c->as);
    pthread_mutex_unlock(&g->lock);
}

static void probe(void *context, size_t i)
{
    probing *g = context;
    candidate *c = &g->at[i];
    if (c->unread.class_ != ERR_NONE)
        return;
    arena *scratch = arena_new();
    side sides[2] = { side_new(scratch, g->both, 0, c->path), side_new(scratch, g->both, 1, c->path) };
    sides[0].place = sides[1].place = c->place;
    scenario sc;
    if (candidate_load(scratch, &sides[0], c->path, options_overrides(g->both->o), &sc, &c->unread)) {
        c->weight = weight_of(&sc);
        look(g, c, scratch, &sc, sides);
    }
    arena_free(scratch);
}

/* ---- the list ---- */

static int by_weight(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return str_cmp(a->path, b->path);
}

static bool collect_named(arena *a, const options *o, candidate_list *out)
{
    enum { VERSIONS = 2 };
    file_list files = { 0 };
    err *unread = ARENA_ARRAY(a, err, o->argument_count);
    size_t bad = 0;
    for (size_t i = VERSIONS; i < o->argument_count; i++)
        bad += !names_expand(a, o, str_from(o->arguments[i]), files_is_scenario, &files, &unread[i]);
    out->at = ARENA_ARRAY(a, candidate, files.count + bad + 1);
    for (size_t i = 0; i < files.count; i++)
        out->at[out->count++] = (candidate){ .path = files.paths[i], .named = true, .as = S("") };
    for (size_t i = VERSIONS; i < o->argument_count; i++)
        if (unread[i].class_ != ERR_NONE)
            out->at[out->count++] = (candidate){ .path = str_from(o->arguments[i]), .named = true, .as = S(""),
                                                 .unread = unread[i] };
    return o->argument_count > VERSIONS;
}

static bool is_there(const file_list *files, size_t count, str tidy)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(files->paths[i], tidy))
            return true;
    return false;
}

static void collect_shipped(arena *a, versions *v, candidate_list *out)
{
    file_list files = { 0 }, more = { 0 };
    str folders[] = { files_shipped(a, "scenarios"), v->of[0].single ? files_folder(v->of[0].root) : v->of[0].root,
                      v->of[1].single ? files_folder(v->of[1].root) : v->of[1].root };
    err none = { 0 };
    names_expand(a, v->o, folders[0], files_is_scenario, &files, &none);
    err_clear(&none);
    size_t shipped = files.count;
    for (int i = 1; i < 3; i++) {
        names_expand(a, v->o, folders[i], files_is_scenario, &more, &none);
        err_clear(&none);
    }
    out->at = ARENA_ARRAY(a, candidate, files.count + more.count + 1);
    for (size_t i = 0; i < shipped; i++)
        out->at[out->count++] = (candidate){ .path = files.paths[i], .as = S("") };
    for (size_t i = 0; i < more.count; i++) {
        str tidy = names_tidy(a, more.paths[i]);
        bool known = is_there(&files, shipped, tidy);
        for (size_t k = shipped; k < out->count && !known; k++)
            known = str_eq(out->at[k].path, tidy);
        if (!known)
            out->at[out->count++] = (candidate){ .path = tidy, .as = S("") };
    }
}

/* Scenarios that were not named are kept only if they load a difference. */
static void keep_those_that_differ(candidate_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        candidate *c = &list->at[i];
        if (c->named || c->script_count + c->driver_count > 0)
            list->at[kept++] = *c;
        else
            err_clear(&c->unread);
    }
    list->count = kept;
    if (kept > 1)
        qsort(list->at, kept, sizeof *list->at, by_weight);
}

static bool say_none(const versions *v, size_t looked, err *e)
{
    err_set(e, ERR_SCENARIO, "none of %zu scenarios loads anything of %.*s or %.*s", looked, STR_ARG(v->of[0].spec),
            STR_ARG(v->of[1].spec));
    return err_hint(e, v->of[0].single ? "name the scenarios: locksim compare OLD NEW SCENARIO...; --as NAME says "
                    "which script the files stand for"
                                       : "name the scenarios: locksim compare OLD NEW SCENARIO...");
}

/* Loading all of them takes seconds: of those that were not named, only scenarios are loaded whose code names a file in
 * the place of either version. */
static void keep_those_that_may_touch(arena *a, versions *v, candidate_list *list)
{
    options with = *v->o;
    side s = side_new(a, v, 0, S(""));
    with.scripts = s.where.scripts;
    with.script_count = s.where.script_count;
    uses *u = uses_new(a, &with);
    size_t kept = 0;
    str in;
    for (size_t i = 0; i < list->count; i++) {
        candidate *c = &list->at[i];
        const used_file *files;
        size_t count = c->named ? 0 : uses_of(u, c->path, &files);
        bool may = c->named;
        for (size_t k = 0; k < count && !may; k++)
            may = version_holds(&v->of[0], files[k].path, &in) || version_holds(&v->of[1], files[k].path, &in);
        if (may)
            list->at[kept++] = *c;
    }
    uses_free(u);
    bool on_disk = v->of[0].revision.n == 0 && v->of[1].revision.n == 0;
    if (kept > 0 || on_disk)           /* otherwise their files may be in a revision only */
        list->count = kept;
}

/* Do any of them load something of either version? */
static bool probe_all(arena *a, versions *v, candidate_list *list)
{
    probing g = { .both = v, .a = a, .at = list->at };
    bool touched = false;
    pthread_mutex_init(&g.lock, NULL);
    crew_run(crew_size(v->o->jobs), list->count, probe, &g);
    pthread_mutex_destroy(&g.lock);
    for (size_t i = 0; i < list->count; i++)
        touched |= list->at[i].touches || list->at[i].named;
    keep_those_that_differ(list);
    return touched;
}

bool candidates_find(arena *a, versions *v, candidate_list *out, err *e)
{
    *out = (candidate_list){ 0 };
    if (!collect_named(a, v->o, out))
        collect_shipped(a, v, out);
    size_t looked = out->looked = out->count;
    if (!v->as.n)                      /* a name, and no place */
        keep_those_that_may_touch(a, v, out);
    size_t count = out->count;
    candidate *again = ARENA_ARRAY(a, candidate, count + 1);
    memcpy(again, out->at, count * sizeof *again);
    if (probe_all(a, v, out))
        return true;
    if (v->of[0].single) {             /* nothing lies where the old file lies */
        *out = (candidate_list){ .at = again, .count = count, .looked = looked };
        for (size_t i = 0; i < count; i++)
            again[i].place = 1;
        if (probe_all(a, v, out))
            return true;
    }
    return say_none(v, looked, e);
}

void candidates_clear(candidate_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        err_clear(&list->at[i].unread);
}
