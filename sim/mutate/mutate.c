/* mutate.c - `locksim mutate`: would the scenarios have noticed a mistake in a script or in client code? */
#include "mutate/mutate.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/crew.h"
#include "host/print.h"
#include "host/ranks.h"
#include "mutate/mutate_collect.h"
#include "mutate/mutate_internal.h"
#include "mutate/mutate_report.h"
#include "mutate/mutate_save.h"
#include "mutate/mutate_share.h"
#include "report/fold.h"

/* A save that fails halfway is repeated at the end, and reported there. */
static void save_so_far(mutation *m)
{
    err ignored = { 0 };
    mutate_save(m, &ignored);
    err_clear(&ignored);
}

static int status_of(const mutation *m, str stale)
{
    if (m->o->list_only)
        return STATUS_PASS;
    if (mutate_count(m, NULL, MUTANT_SURVIVED) || stale.n)
        return STATUS_VIOLATED;
    if (mutate_count(m, NULL, MUTANT_UNDECIDED) || mutate_count(m, NULL, MUTANT_OPEN))
        return STATUS_INCONCLUSIVE;
    return STATUS_PASS;
}

/* --list: nothing runs. */
static void leave_all(mutation *m)
{
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; k < m->targets[i].count; k++) {
            mutant *x = &m->targets[i].mutants[k];
            if (!x->wanted || x->class_ != MUTANT_OPEN)
                continue;
            x->class_ = MUTANT_UNDECIDED;
            x->how = S("not judged");
        }
}

/* A scenario of some target that came out so; NULL: there is none. */
static const char *scene_in(const mutation *m, scene_state state)
{
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; k < m->targets[i].scene_count; k++)
            if (m->scenes[m->targets[i].scenes[k]].state == state)
                return m->scenes[m->targets[i].scenes[k]].path.p;
    return NULL;
}

/* If nothing passes with the original, no mistake can be noticed: there is no score. With --max-states the user knows
 * that some scenarios are larger. */
static bool nothing_passes(const mutation *m, err *e)
{
    const char *fails = scene_in(m, SCENE_FAILS), *large = scene_in(m, SCENE_LARGE);
    if (scene_in(m, SCENE_PASSES) || (large && m->o->has_max_states))
        return false;
    if (fails) {
        err_at(e, ERR_SCENARIO, str_from(fails), 0, 0, "no scenario passes with the scripts as they are: none could "
               "notice a mistake");
        err_hint(e, "`locksim run %s` says why; mend the script, or say in `expect` what is known", fails);
    } else if (large) {
        err_at(e, ERR_SCENARIO, str_from(large), 0, 0, "no scenario comes to its end within %d states: none could "
               "notice a mistake", MUTATE_STATES_RAISED);
        err_hint(e, "`locksim run %s` says how many it has: --max-states N, or a scenario with fewer faults or a "
                 "pinned start", large);
    }
    return fails || large;
}

static void pack_nothing(void *context, size_t i, buf *out)
{
    (void)context;
    (void)i;
    (void)out;
}

/* All ranks must have read the saved results before one of them writes. */
static void meet(void)
{
    crew_share(&(crew_work){ .pack = pack_nothing, .interrupted = progress_interrupted }, 1);
}

static bool judge(mutation *m, size_t passed_over, buf *stale, err *e)
{
    size_t known;
    if (!mutate_choose(m, e) || !mutate_resume(m, &known, e))
        return false;
    meet();
    if (!mutate_save(m, e))
        return false;
    if (passed_over && ranks_own() == 0)
        fprintf(stderr, "mutate: %zu file%s that no scenario loads %s passed over\n", passed_over,
                passed_over == 1 ? "" : "s", passed_over == 1 ? "is" : "are");
    if (known && ranks_own() == 0)
        fprintf(stderr, "mutate: %zu mutants were judged before\n", known);
    if (m->o->list_only)
        leave_all(m);
    else
        mutate_judge(m, save_so_far);
    if (!m->o->list_only && !known && !progress_interrupted() && nothing_passes(m, e))
        return false;
    /* the results so far are already saved, and writing files would take longer than mpirun waits */
    return mutate_explain(m, stale, e) && (mutate_is_left() || mutate_save(m, e));
}

/* Scenarios that lie elsewhere find the scripts by name, as they do for `compare`: beside each script, below each
 * folder. */
static const options *with_folders(arena *a, const options *o)
{
    options *with = ARENA_NEW(a, options);
    *with = *o;
    with->scripts = ARENA_ARRAY(a, const char *, o->script_count + o->argument_count);
    if (o->script_count)
        memcpy(with->scripts, o->scripts, o->script_count * sizeof *o->scripts);
    for (size_t i = 0; i < o->argument_count; i++) {
        str path = arena_str(a, names_split(str_from(o->arguments[i])).file);
        str folder = files_is_folder(path.p) ? path : files_folder(path);
        with->scripts[with->script_count++] = arena_str(a, folder.n ? folder : S(".")).p;
    }
    return with;
}

int mutate_main(const options *o)
{
    err e = { 0 };
    buf stale = { 0 }, out = { 0 };
    size_t passed_over;
    int status = STATUS_PASS;
    arena *a = arena_new();
    mutation m = { .o = with_folders(a, o), .a = a,
                   .threads = ranks_joined() ? ranks_all() : crew_size((size_t)o->jobs) };
    uses *u = uses_new(a, m.o);
    progress_begin(&m.board);
    if (mutate_collect(&m, u, &passed_over, &e) && judge(&m, passed_over, &stale, &e)) {
        status = status_of(&m, buf_str(&stale));
        if (o->format == FORMAT_JSON)
            mutate_json(&m, buf_str(&stale), status, &out);
        else {
            mutate_text(&m, buf_str(&stale), &out);
            fold_lines(&out, 0, print_width(STDOUT_FILENO));
        }
        if (!print_out(&out))
            status = STATUS_IO;
    } else {
        status = print_complaint(&e);
    }
    if (mutate_is_left())
        ranks_close(true, status);
    err_clear(&e);
    buf_free(&stale);
    buf_free(&out);
    uses_free(u);
    arena_free(a);
    return status;
}
