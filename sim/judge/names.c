/* names.c - see names.h. */
#include "judge/names.h"

#include "client/load.h"
#include "judge/judge.h"
#include "judge/stories.h"

bool names_read(arena *a, str name, scenario_source *out, err *e)
{
    scenario_name n = names_split(name);
    *out = (scenario_source){ .file = n.file, .case_ = n.case_ };
    return files_read(a, n.file, &out->text, e);
}

static str with_case(arena *a, str file, str case_)
{
    return case_.n ? arena_printf(a, "%.*s:%.*s", STR_ARG(file), STR_ARG(case_)) : file;
}

str names_tidy(arena *a, str name)
{
    scenario_name n = names_split(name);
    return with_case(a, files_tidy(a, n.file), n.case_);
}

str names_relative(arena *a, str folder, str name)
{
    scenario_name n = names_split(name);
    return with_case(a, files_relative(a, folder, n.file), n.case_);
}

bool names_cases(arena *a, const options *o, str file, str pattern, file_list *out, bool *any, err *e)
{
    arena *scratch = arena_new();
    search_path where = search_path_new(scratch, o);
    const str *names;
    size_t count = 0;
    str text;
    search_path_for(&where, scratch, file);
    loader l = search_path_loader(&where);
    bool ok = files_read(scratch, file, &text, e) && scenario_cases(scratch, &l, file, text, &names, &count, e) &&
              (!stories_wanted(o) || stories_check(scratch, file, names, count, e));
    for (size_t i = 0; ok && i < count; i++)
        if (case_matches(pattern, names[i]))
            files_add(a, out, with_case(a, file, names[i]));
    *any = count > 0;
    arena_free(scratch);
    return ok;
}

/* FILE:CASE or FILE:PATTERN */
static bool expand_case(arena *a, const options *o, scenario_name n, file_list *out, err *e)
{
    bool any;
    size_t before = out->count;
    file_list found = { 0 };
    if (!files_expand(a, n.file, NULL, &found, e))
        return false;
    if (files_is_folder(found.paths[0].p)) {
        err_at(e, ERR_SCENARIO, n.file, 0, 0, "is a folder: only a file has cases");
        return false;
    }
    if (!names_cases(a, o, n.file, n.case_, out, &any, e) || out->count > before)
        return out->count > before;
    if (case_name_check(n.case_)) {                /* the loader knows the nearest name */
        files_add(a, out, with_case(a, n.file, n.case_));
        return true;
    }
    err_at(e, ERR_SCENARIO, n.file, 0, 0, any ? "none of its cases matches '%.*s'" : "is one scenario, and has no case "
           "'%.*s'", STR_ARG(n.case_));
    return err_hint(e, any ? "`locksim list scenarios FILE` names them" : "leave out the colon and what follows it");
}

bool names_expand(arena *a, const options *o, str argument, bool (*wanted)(str text), file_list *out, err *e)
{
    file_list files = { 0 };
    scenario_name n = names_split(arena_str(a, argument));
    if (n.case_.n)
        return expand_case(a, o, n, out, e);
    files.passed_over = out->passed_over;
    bool ok = files_expand(a, argument, wanted, &files, e);
    out->passed_over = files.passed_over;
    for (size_t i = 0; ok && i < files.count; i++) {
        err unread = { 0 };
        bool any = false;
        if (!names_cases(a, o, files.paths[i], S("*"), out, &any, &unread) || !any)
            files_add(a, out, files.paths[i]);
        err_clear(&unread);
    }
    return ok;
}

static bool loads(const options *o, str name, err *e)
{
    arena *scratch = arena_new();
    search_path where = search_path_new(scratch, o);
    scenario sc;
    bool ok = judge_load(scratch, &where, name, (overrides){ 0 }, &sc, e);
    arena_free(scratch);
    return ok;
}

bool names_expand_loaded(arena *a, const options *o, str argument, bool (*wanted)(str text), file_list *out, err *e)
{
    size_t before = out->count;
    bool ok = names_expand(a, o, argument, wanted, out, e);
    for (size_t i = before; ok && names_split(argument).case_.n && i < out->count; i++)
        ok = loads(o, out->paths[i], e);
    return ok;
}
