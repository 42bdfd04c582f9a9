/* mutate_collect.c - see mutate_collect.h. */
#include "mutate/mutate_collect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "host/about.h"
#include "host/git.h"
#include "host/print.h"
#include "judge/names.h"
#include "judge/shard.h"
#include "mutate/mutate_save.h"

/* ---- scenarios
 * ----------------------------------------------------------------------------------------------------------- */

static bool add_scenes(mutation *m, const file_list *files, uses *u)
{
    scene *list = ARENA_ARRAY(m->a, scene, m->scene_count + files->count + 1);
    if (m->scene_count)
        memcpy(list, m->scenes, m->scene_count * sizeof *list);
    m->scenes = list;
    for (size_t i = 0; i < files->count; i++) {
        str path = names_tidy(m->a, files->paths[i]);
        size_t k = 0;
        while (k < m->scene_count && !str_eq(list[k].path, path))
            k++;
        if (k < m->scene_count)
            continue;
        list[k] = (scene){ .path = path };
        list[k].file_count = uses_of(u, path, &list[k].files);
        m->scene_count++;
    }
    return true;
}

static bool collect_scenes(mutation *m, uses *u, err *e)
{
    const options *o = m->o;
    file_list files = { 0 };
    for (size_t i = 0; i < o->scenario_count; i++)
        if (!names_expand_loaded(m->a, o, str_from(o->scenarios[i]), files_is_scenario, &files, e))
            return false;
    for (size_t i = 0; i < o->argument_count; i++) {
        str argument = str_from(o->arguments[i]);  /* FILE:CASE judges as if --scenarios named it */
        if (names_split(argument).case_.n && !names_expand_loaded(m->a, o, argument, NULL, &files, e))
            return false;
    }
    if (files.count)
        return add_scenes(m, &files, u);
    /* Those beside a script of one's own come with the shipped ones; there may be none of either. */
    err none = { 0 };
    str shipped = files_shipped(m->a, "scenarios");
    if (shipped.n)
        names_expand(m->a, o, shipped, files_is_scenario, &files, &none);
    for (size_t i = 0; i < o->argument_count; i++) {
        str path = arena_str(m->a, str_from(o->arguments[i]));
        str folder = files_is_folder(path.p) ? path : files_folder(path);
        names_expand(m->a, o, folder.n ? folder : S("."), files_is_scenario, &files, &none);
        err_clear(&none);
    }
    err_clear(&none);
    return add_scenes(m, &files, u);
}

/* ---- scripts
 * ------------------------------------------------------------------------------------------------------------- */

/* The role in which it loads the file: the scenario's own file comes first. Required files are client code, even if a
 * patch names them as it would a script. */
static bool loads(const scene *s, str path, mutants_kind *kind)
{
    bool found = false;
    for (size_t i = 0; i < s->file_count; i++) {
        if (!str_eq(s->files[i].path, path))
            continue;
        found = true;
        *kind = s->files[i].script ? MUTANTS_OF_SCRIPT : i == 0 ? MUTANTS_OF_SCENARIO : MUTANTS_OF_DRIVER;
        if (!s->files[i].script)
            break;
    }
    return found;
}

/* The scenes that load the file, and a hash of all their files: the mutants' classes depend on these. */
static void connect_target(mutation *m, const uses *u, target *t)
{
    t->scenes = ARENA_ARRAY(m->a, size_t, m->scene_count + 1);
    t->inputs = XXH3_64bits(LOCKSIM_VERSION, sizeof LOCKSIM_VERSION);
    t->inputs = XXH3_64bits_withSeed(t->text.p, t->text.n, t->inputs);
    uint64_t limits[] = { m->o->has_max_states ? m->o->max_states : 0, m->o->time_limit_s };
    t->inputs = XXH3_64bits_withSeed(limits, sizeof limits, t->inputs);
    if (m->o->dialect)
        t->inputs = XXH3_64bits_withSeed(m->o->dialect, strlen(m->o->dialect), t->inputs);
    for (size_t i = 0; i < m->scene_count; i++) {
        const scene *s = &m->scenes[i];
        mutants_kind kind;
        if (!loads(s, t->path, &kind))
            continue;
        if (t->scene_count == 0 || kind == MUTANTS_OF_DRIVER)
            t->kind = kind;
        t->scenes[t->scene_count++] = i;
        for (size_t k = 0; k < s->file_count; k++) {
            str text = uses_text(u, s->files[k].path);
            t->inputs = XXH3_64bits_withSeed(s->files[k].path.p, s->files[k].path.n, t->inputs);
            t->inputs = XXH3_64bits_withSeed(text.p, text.n, t->inputs);
        }
    }
    t->kills = ARENA_ARRAY(m->a, size_t, t->scene_count + 1);
}

static bool add_target(mutation *m, const uses *u, source_host *h, str path, bool named, size_t *passed_over, err *e)
{
    target t = { .path = files_tidy(m->a, path) };
    for (size_t i = 0; i < m->target_count; i++)
        if (str_eq(m->targets[i].path, t.path))
            return true;
    if (!files_read(m->a, path, &t.text, e))
        return false;
    connect_target(m, u, &t);
    bool asked_for = m->o->kind == CHOICE_UNSAID || (m->o->kind == MUTATE_SCRIPTS) == (t.kind == MUTANTS_OF_SCRIPT);
    if (!named && (t.scene_count == 0 || t.kind == MUTANTS_OF_SCENARIO || !asked_for)) {
        *passed_over += t.scene_count == 0;
        return true;
    }
    if (!mutants_list(h, m->a, t.kind, path, t.text, &t.mutants, &t.count, e))
        return false;
    if (t.scene_count == 0) {
        err_at(e, ERR_SCENARIO, path, 0, 0, "no scenario loads this file: nothing could notice its mutants");
        return err_hint(e, "--scenarios DIR says where to look for scenarios, --scripts DIR where these look for "
                        "scripts");
    }
    t.pairs = ARENA_ARRAY(m->a, pair_state, t.count * t.scene_count + 1);
    m->targets[m->target_count++] = t;
    return true;
}

bool mutate_collect(mutation *m, uses *u, size_t *passed_over, err *e)
{
    const options *o = m->o;
    file_list files = { 0 };
    size_t *end = ARENA_ARRAY(m->a, size_t, o->argument_count + 1);
    *passed_over = 0;
    for (size_t i = 0; i < o->argument_count; i++) {
        if (!files_expand(m->a, names_split(str_from(o->arguments[i])).file, NULL, &files, e))
            return false;
        end[i] = files.count;
    }
    source_host *h = source_host_new(e);
    if (!h)
        return false;
    bool ok = collect_scenes(m, u, e);
    m->targets = ARENA_ARRAY(m->a, target, files.count + 1);
    for (size_t i = 0, k = 0; i < o->argument_count && ok; i++) {
        bool named = !files_is_folder(o->arguments[i]);        /* FILE:CASE, too */
        for (; k < end[i] && ok; k++)
            ok = add_target(m, u, h, files.paths[k], named, passed_over, e);
    }
    source_host_free(h);
    if (!ok || m->target_count)
        return ok;
    err_at(e, ERR_SCENARIO, str_from(o->arguments[0]), 0, 0, "holds no script or driver that a scenario loads");
    return err_hint(e, "--scenarios DIR says where to look for scenarios, --scripts DIR where these look for scripts");
}

/* ---- which of the mutants
 * ------------------------------------------------------------------------------------------------ */

static bool choose_changed(arena *a, const char *rev, target *t, err *e)
{
    line_range *list;
    size_t count;
    if (!git_changed_lines(a, rev, t->path, &list, &count, e))
        return false;
    for (size_t i = 0; i < t->count; i++) {
        mutant *m = &t->mutants[i];
        bool changed = false;
        for (size_t k = 0; k < count && !changed; k++)
            changed = m->line <= list[k].to && (m->line_to > m->line ? m->line_to : m->line) >= list[k].from;
        m->wanted &= changed;
    }
    return true;
}

typedef struct {
    mutant *m;
    uint64_t drawn;
} draw;

static int by_draw(const void *x, const void *y)
{
    const draw *a = x, *b = y;
    return a->drawn < b->drawn ? -1 : a->drawn > b->drawn;
}

/* By a mutant's change, not its place: a file that grows keeps most of its mutants in the sample. */
static uint64_t draw_of(const target *t, const mutant *m)
{
    const str parts[] = { t->path, m->operator_, m->from, m->to };
    uint64_t h = m->alike_before;
    for (size_t i = 0; i < COUNT(parts); i++)
        h = XXH3_64bits_withSeed(parts[i].p, parts[i].n, h);
    return h;
}

static void choose_sample(mutation *m, uint64_t size)
{
    size_t all = 0, count = 0;
    for (size_t i = 0; i < m->target_count; i++)
        all += m->targets[i].count;
    draw *list = ARENA_ARRAY(m->a, draw, all + 1);
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; k < m->targets[i].count; k++)
            if (m->targets[i].mutants[k].wanted)
                list[count++] = (draw){ &m->targets[i].mutants[k], draw_of(&m->targets[i], &m->targets[i].mutants[k]) };
    qsort(list, count, sizeof *list, by_draw);
    for (size_t i = (size_t)size; i < count; i++)
        list[i].m->wanted = false;
}

static bool choose_in_diff(mutation *m, err *e)
{
    for (size_t i = 0; i < m->target_count && m->o->in_diff; i++)
        if (!choose_changed(m->a, m->o->in_diff, &m->targets[i], e))
            return false;
    return true;
}

bool mutate_choose(mutation *m, err *e)
{
    const options *o = m->o;
    shard part;
    size_t number = 0;
    if (!shard_parse(o->shard, &part, e))
        return false;
    if (!choose_in_diff(m, e))
        return false;
    if (o->has_sample)
        choose_sample(m, o->sample);
    if (o->left && !mutate_only_left(m, o->left, e))
        return false;
    for (size_t i = 0; i < m->target_count; i++) {
        target *t = &m->targets[i];
        for (size_t j = 0; j < t->count; j++)
            t->mutants[j].wanted &= shard_has(&part, number++);
    }
    return true;
}
