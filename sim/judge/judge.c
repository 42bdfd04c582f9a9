/* judge.c - see judge.h. A counterexample is written, read back from its file and run again before it is shown. */
#include "judge/judge.h"

#include <string.h>

#include "client/load.h"
#include "host/memory.h"
#include "host/spill_files.h"
#include "judge/checkpoint_files.h"
#include "judge/stories.h"
#include "report/sequence.h"
#include "simulate/brief.h"
#include "memo/trials.h"

int judge_status(const outcome *o)
{
    switch (o->verdict) {
    case VERDICT_PASS: return STATUS_PASS;
    case VERDICT_FAIL: return STATUS_VIOLATED;
    case VERDICT_INCONCLUSIVE: return STATUS_INCONCLUSIVE;
    case VERDICT_VACUOUS: return STATUS_VACUOUS;
    case VERDICT_ERROR: return o->error.class_ == ERR_NONE ? STATUS_BUG : (int)o->error.class_;
    }
    return STATUS_BUG;
}

report_item judge_item(const judged *j)
{
    return (report_item){ .result = &j->result, .files = j->files, .pictures = j->pictures, .measure = j->measure };
}

void judge_error(str path, err *e, judged *out)
{
    *out = (judged){ .memory = arena_new() };
    out->result = (outcome){ .path = arena_str(out->memory, path),
                             .file = arena_str(out->memory, names_split(path).file),
                              .verdict = VERDICT_ERROR, .error = *e };
    *e = (err){ 0 };
    out->status = judge_status(&out->result);
}

void judged_free(judged *j)
{
    err_clear(&j->result.error);
    looked_free(&j->looked);
    trials_free(j->trials);
    arena_free(j->memory);
    arena_free(j->scenario);
    *j = (judged){ 0 };
}

bool judge_override(arena *a, overrides by, scenario *sc, err *e)
{
    uint32_t budgets[FAULT_KINDS];
    if (by.dialect.n && !dialect_parse(by.dialect, &sc->dialect))
        return err_set(e, ERR_USAGE, "there is no dialect '%.*s'", STR_ARG(by.dialect));
    if (by.faults.n == 0)
        return true;
    if (!fault_budgets_parse(by.faults, budgets, e))
        return false;
    scenario_set_faults(a, sc, budgets);
    return true;
}

bool judge_load(arena *a, search_path *where, str path, overrides by, scenario *sc, err *e)
{
    scenario_source from;
    bool there = names_read(a, path, &from, e);
    search_path_for(where, a, path);
    loader l = search_path_loader(where);
    looked_add(where->looked, from.file, there ? file_print_of(from.text) : 0);
    if (!there)
        return false;
    if (scenario_load_case(a, &l, &from, sc, e))
        return judge_override(a, by, sc, e);
    if (str_eq(buf_str(&e->path), from.file))
        err_quote(e, from.text);
    return false;
}

/* "my/transfer.lua" and LK002 give "my.transfer.LK002.lua"; a name already taken gets a number. */
static str file_name(arena *a, str path, const char *code, taken_names *taken)
{
    return flat_name_new(a, taken, arena_printf(a, "%.*s.%s", STR_ARG(case_stem(a, path)), code), ".lua");
}

/* Runs the saved file as any user would: everything from its text. */
static bool proved(const options *o, str file, property p)
{
    arena *a = arena_new();
    err e = { 0 };
    str text;
    saved s;
    scenario sc;
    outcome again = { 0 };
    options with = *o;
    bool broke = false;
    if (files_read(a, file, &text, &e) && saved_parse(a, file, text, &s, &e)) {
        search_path where = search_path_new(a, &with);
        if (judge_load(a, &where, names_tidy(a, files_join(a, files_folder(file), s.scenario)), s.by, &sc, &e)) {
            loader l = search_path_loader(&where);
            search_options quiet = { .seed = s.seed, .max_steps = s.max_steps, .claim = &s.property };
            search_replay(a, &sc, &l, &quiet, s.schedule, &again);
            broke = again.properties[p].outcome == OUTCOME_VIOLATED;
            err_clear(&again.error);
        }
    }
    err_clear(&e);
    arena_free(a);
    return broke;
}

/* Writes the same as a picture, beside it: "x.LK002.svg". */
static bool save_picture(judged *out, const counterexample *x, str folder, str schedule_name, err *e)
{
    arena *a = out->memory;
    const property_info *info = property_describe(x->property);
    buf svg = { 0 };
    str path, name = arena_printf(a, "%.*s.svg", STR_ARG(str_slice(schedule_name, 0, schedule_name.n - 4)));
    sequence_view v = { .s = &x->story, .clients = out->result.clients, .client_count = out->result.client_count,
                        .broke = true,
                        .name = arena_printf(a, "%.*s   %s  %s", STR_ARG(out->result.path), info->name, info->code),
                        .summary = x->text, .blamed = x->blamed, .blamed_count = x->blamed_count,
                        .decides = x->decides,
                        .for_ever = x->property == PROPERTY_NO_LOST_WAKEUP ||
                                    x->property == PROPERTY_NO_DEADLOCK, .rows_max = SEQUENCE_ROWS_MAX };
    sequence_svg(&v, &svg);
    bool ok = files_write(a, folder, name, buf_str(&svg), &path, e);
    buf_free(&svg);
    return ok;
}

static void save(const options *o, judged *out, size_t i, taken_names *taken)
{
    counterexample *x = &out->result.examples[i];
    arena *a = out->memory;
    str folder = o->out_dir ? str_from(o->out_dir) : S(FILES_OUT);
    str name = file_name(a, out->result.path, property_describe(x->property)->code, taken), path;
    err e = { 0 };
    buf text = { 0 };
    if (files_make_folder(a, folder, &e)) {
        saved s = { .scenario = names_relative(a, folder, out->result.path), .property = x->property,
                    .seed = out->result.search.seed,
                    .max_steps = o->max_steps, .by = options_overrides(o), .script_count = o->script_count,
                    .schedule = x->schedule };
        s.scripts = ARENA_ARRAY(a, str, o->script_count + 1);
        for (size_t k = 0; k < o->script_count; k++)
            s.scripts[k] = files_relative(a, folder, str_from(o->scripts[k]));
        saved_print(&s, files_join(a, folder, name), x, &text);
        if (files_write(a, folder, name, buf_str(&text), &path, &e)) {
            out->files[i] = path;
            out->pictures[i] = x->story.count > 0 && save_picture(out, x, folder, name, &e);
            x->replayed = x->replayed && proved(o, path, x->property);
        }
    }
    if (e.class_ != ERR_NONE) {                      /* reported once: the folder is the same for all */
        out->status = status_worse(out->status, taken->refused ? (int)e.class_ : print_complaint(&e));
        taken->refused = true;
    }
    err_clear(&e);
    buf_free(&text);
}

/* A story that cannot be repeated is a bug of locksim, whatever the verdict; unless a file was changed meanwhile. */
static void complain_unproved(judged *out, const counterexample *x)
{
    if (looked_is_over(&out->looked))
        return;
    err e = { 0 };
    err_at(&e, ERR_BUG, out->result.path, 0, 0, "the schedule that violated %s did not do so when it was run again",
           property_describe(x->property)->name);
    err_hint(&e, "this is a mistake of locksim's; the scenario and its scripts are enough to look into it");
    out->status = print_complaint(&e);
    err_clear(&e);
}

/* The result that the scenario states for itself. */
static void take_expected(const scenario *sc, outcome *out)
{
    *out = (outcome){ .path = sc->path, .file = sc->file, .title = sc->title, .verdict = VERDICT_PASS };
    memcpy(out->faults, sc->faults, sizeof out->faults);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        out->properties[p] = (property_result){
            .expected = sc->expect[p], .reason = sc->why[p],
            .outcome = sc->expect[p] == EXPECT_VIOLATED ? OUTCOME_VIOLATED : sc->model.judged[p] ? OUTCOME_HOLDS
                       : OUTCOME_NOT_JUDGED };
}

const report_measure *judge_measure(arena *a, const scenario *sc, const loader *l)
{
    enum { SEEDS = 10 };
    report_measure *m = ARENA_NEW(a, report_measure);
    simulation_brief brief;
    err e = { 0 };
    if (!simulate_brief(sc, l, SEEDS, &brief, &e))
        m->why = arena_str(a, buf_str(&e.message));
    else if (brief.acquired)
        *m = (report_measure){ .known = true, .seeds = brief.seeds, .wait_mean_ms = brief.wait_mean_ms.mean,
                               .wait_p99_ms = brief.wait_p99_ms.mean,
                               .commands = brief.commands.mean, .requests = brief.requests.mean };
    err_clear(&e);
    return m;
}

/* Checks a file as a whole: its stories may name cases that it does not have. */
static bool check_file(const options *o, str path, looked *l, err *e)
{
    scenario_name n = names_split(path);
    if (!stories_wanted(o) || n.case_.n)
        return true;
    arena *scratch = arena_new();
    file_list cases = { 0 };
    bool any, ok = names_cases(scratch, o, n.file, S("*"), &cases, &any, e);
    if (!ok) {
        looked_add(l, n.file, file_print_now(n.file));
        looked_add(l, stories_path(scratch, n.file), file_print_now(stories_path(scratch, n.file)));
    }
    arena_free(scratch);
    return ok;
}

bool judge_open(const options *o, str path, opened *s, judged *out)
{
    err e = { 0 };
    *s = (opened){ .memory = arena_new() };
    s->where = search_path_new(s->memory, o);
    s->where.looked = &s->looked;
    s->sc = ARENA_NEW(s->memory, scenario);
    s->signatures = o->write_expect;
    err unread = { 0 };  /* loaded in any case: the places where its files were looked for are needed, error or not */
    bool checked = check_file(o, path, &s->looked, &e);
    if (judge_load(s->memory, &s->where, path, options_overrides(o), s->sc, checked ? &e : &unread) && checked &&
        (!stories_wanted(o) || stories_take(s->memory, s->sc, &s->looked, &s->signatures, &e))) {
        s->l = search_path_loader(&s->where);
        return true;
    }
    err_clear(&unread);
    judge_error(path, &e, out);
    out->looked = s->looked;
    arena_free(s->memory);
    return false;
}

void judge_opened(const options *o, opened *s, progress *p, judged *out)
{
    *out = (judged){ .memory = arena_new() };
    arena *a = out->memory;
    static const char *const strategies[] = { "uniform", "pct" };
    search_options so = {
        .seed = o->has_seed ? o->seed : 1,
        .runs = o->runs,
        .max_steps = o->max_steps,
        .time_limit_ms = (int64_t)o->time_limit_s * 1000,
        .strategy = o->strategy == CHOICE_UNSAID ? NULL : strategies[o->strategy],
        .schedule = o->schedule,
        .no_fold = o->no_fold,
        .open_starts = options_open_starts(o),
        .every_ms = (int64_t)o->every_ms,
        .exhaustive = o->exhaustive,
        .symmetry = !o->no_symmetry && !o->watching,   /* what is kept from run to run belongs to one client each */
        .reduction = o->reduction && !o->watching,
        .no_memo = o->no_memo,
        .max_states = o->max_states,
        .max_memory = o->max_memory,
        .memory_default = memory_default(p->side_by_side),
        .cores = p->cores,
        .signatures = s->signatures,
        .first_failure = o->watching,
        .profile = o->profile,
        .surprises = o->watching && !o->verbose && !o->out_dir,
        .unblamed = o->command == COMMAND_RUN && o->format != FORMAT_JSON && !o->verbose,    /* not shown in this
                                                                                              * output */
        .tables = s->tables,
        .judgements = s->judgements,
        .checkpoints = s->checkpoints,
        .spill = s->spill,
        .context = p,
        .elapsed_ms = progress_elapsed_ms,
        .progress = progress_tick,
    };
    if (o->watching)
        so.trials = out->trials = trials_new((redis_limits){ .dialect = s->sc->dialect, .notify = s->sc->notify,
                                                             .pure_functions = true,
                                                         .cluster = s->sc->cluster });
    if (o->expected)
        take_expected(s->sc, &out->result);
    else
        search_run(a, s->sc, &s->l, &so, &out->result);
    if (o->measure && out->result.verdict != VERDICT_ERROR)
        out->measure = judge_measure(a, s->sc, &s->l);
    out->status = judge_status(&out->result);
}

void judge_file(const options *o, str path, progress *p, judged *out)
{
    opened s;
    if (!judge_open(o, path, &s, out))
        return;
    err e = { 0 };
    scenario_files *kept = scenario_files_open(o, path, &s, p, &e);
    s.checkpoints = scenario_files_door(kept);
    spill_files to = { 0 };
    if (o->spill) {
        spill_files_begin(&to, str_from(o->spill));
        s.spill = &to.door;
    }
    if (e.class_ != ERR_NONE)
        judge_error(path, &e, out);
    else if (!kept || !scenario_files_result(kept, out))
        judge_opened(o, &s, p, out);
    if (kept)
        out->status = scenario_files_close(kept, out);
    if (o->spill && to.full)
        out->status = status_worse(out->status, STATUS_IO);
    out->looked = s.looked;
    out->scenario = s.memory;
}

void judge_save(const options *o, taken_names *taken, judged *out)
{
    out->files = ARENA_ARRAY(out->memory, str, out->result.example_count + 1);
    out->pictures = ARENA_ARRAY(out->memory, bool, out->result.example_count + 1);
    for (size_t i = 0; i < out->result.example_count; i++) {
        out->files[i] = S("");
        bool wanted = report_is_failure(&out->result.properties[out->result.examples[i].property]) || o->verbose ||
                      o->out_dir;
        if (wanted)
            save(o, out, i, taken);
        if (!out->result.examples[i].replayed)
            complain_unproved(out, &out->result.examples[i]);
    }
}

bool judge_patched(arena *a, const options *o, str name, patched_file **files, size_t *count, err *e)
{
    search_path where = search_path_new(a, o);
    scenario *sc = ARENA_NEW(a, scenario);
    if (!judge_load(a, &where, name, (overrides){ 0 }, sc, e))
        return false;
    loader l = search_path_loader(&where);
    patched_file *list = ARENA_ARRAY(a, patched_file, sc->patch_count + 1);
    for (size_t i = 0; i < sc->patch_count; i++) {
        patched_file *f = &list[i];
        *f = (patched_file){ .name = sc->patches[i].name, .file = sc->file, .text = sc->text };
        if (!l.read(l.context, f->name, a, &f->path, &f->original, e) ||
            !patch_apply(a, &sc->patches[i], f->path, f->original, &f->changed, e))
            return false;
    }
    *files = list;
    *count = sc->patch_count;
    return true;
}
