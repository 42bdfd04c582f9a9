/* sides.c - see sides.h. */
#include "compare/sides.h"

bool versions_open(arena *a, const options *o, versions *v, err *e)
{
    *v = (versions){ .o = o, .as = o->as ? str_from(o->as) : S("") };
    for (int i = 0; i < 2; i++)
        if (!version_open(a, str_from(o->arguments[i]), &v->of[i], e))
            return false;
    const version *folder = v->of[0].single ? &v->of[1] : &v->of[0], *file = v->of[0].single ? &v->of[0] : &v->of[1];
    if (v->of[0].single != v->of[1].single) {
        err_set(e, ERR_SCENARIO, "%.*s is a folder and %.*s is a file", STR_ARG(folder->spec), STR_ARG(file->spec));
        return err_hint(e, "compare two folders, or two files");
    }
    if (v->as.n > 0 && !v->of[0].single)
        return err_set(e, ERR_USAGE, "--as names what two single files stand for, and these are folders");
    return true;
}

void versions_close(versions *v)
{
    version_close(&v->of[0]);
    version_close(&v->of[1]);
}

/* As `run --scripts` with both folders would look; of a revision, where its files are now. Single files are found by
 * their names, too, unless --scripts has such a name. */
side side_new(arena *a, versions *v, int number, str path)
{
    side s = { .both = v, .number = number, .scenario = arena_str(a, path), .as = v->as };
    s.where = search_path_new(a, v->o);
    const char **folders = ARENA_ARRAY(a, const char *, s.where.script_count + 2);
    size_t n = 0;
    for (int i = 0; i < 2; i++)
        if (!v->of[i].single && files_is_folder(v->of[i].root.p))
            folders[n++] = files_tidy(a, v->of[i].root).p;
    for (size_t i = 0; i < s.where.script_count; i++)
        folders[n++] = s.where.scripts[i];
    for (int i = 0; i < 2; i++) {
        str beside = arena_str(a, files_folder(v->of[i].root));
        if (v->of[i].single && files_is_folder(beside.p))
            folders[n++] = files_tidy(a, beside).p;
    }
    s.where.scripts = folders;
    s.where.script_count = n;
    search_path_for(&s.where, a, path);
    return s;
}

/* 1: this version provides the name, as its file *in; 0: it does not; the file that was found is shared. */
static int stands_for(const side *s, str name, bool found, str path, str *in)
{
    *in = S("");
    if (s->as.n > 0 && str_eq(name, s->as))
        return 1;
    bool single = s->both->of[0].single;
    for (int i = single ? s->place : 0; i < (single ? s->place + 1 : 2) && found; i++)
        if (version_holds(&s->both->of[i], path, in))
            return 1;
    *in = name;
    return !found && !single;
}

static bool lacks(const side *s, str name, str in, err *e)
{
    const version *v = &s->both->of[s->number], *other = &s->both->of[!s->number];
    err_at(e, ERR_SCENARIO, s->scenario, 0, 0, "it loads '%.*s', and %.*s has no %.*s; %.*s has it", STR_ARG(name),
           STR_ARG(v->spec), STR_ARG(in.n ? in : v->path), STR_ARG(other->spec));
    return err_hint(e, "a version needs every script that the scenario loads from the other one");
}

static bool side_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    side *s = context;
    const loader usual = search_path_loader(&s->where);
    err why = { 0 };
    str in;
    bool found = search_path_find(&s->where, name, a, path);
    if (!stands_for(s, name, found, found ? *path : S(""), &in))
        return usual.read(usual.context, name, a, path, text, e);
    bool ok = version_read(&s->both->of[s->number], in, a, path, text, &why);
    if (!ok && why.class_ == ERR_NONE && s->lenient)
        ok = version_read(&s->both->of[!s->number], in, a, path, text, &why);
    if (!ok && why.class_ != ERR_NONE && e)
        err_copy(e, &why);
    else if (!ok && (found || s->as.n > 0))
        lacks(s, name, in, e);
    else if (!ok)
        usual.read(usual.context, name, a, path, text, e);     /* which says where was looked */
    err_clear(&why);
    return ok;
}

loader side_loader(side *s)
{
    return (loader){ .context = s, .read = side_read };
}

bool side_stands_for(side *s, arena *a, str name)
{
    str path, text, in;
    bool found = search_path_find(&s->where, name, a, &path);
    if (!stands_for(s, name, found, found ? path : S(""), &in))
        return false;
    err none = { 0 };
    bool there = found || version_read(&s->both->of[s->number], in, a, &path, &text, &none);
    err_clear(&none);
    return there;
}
