/* list.c - `locksim list`: the scenarios, locks, properties and faults there are, one line each. */
#include "cli/cli.h"

#include <string.h>

#include "base/mem.h"
#include "judge/judge.h"
#include "report/clean.h"

static void add_row(buf *b, str name, size_t width, str text)
{
    clean_text(b, name);
    for (size_t n = name.n; n < width; n++)
        buf_byte(b, ' ');
    buf_addz(b, "  ");
    clean_text(b, text);
    while (b->n && b->p[b->n - 1] == ' ')
        b->n--;
    buf_byte(b, '\n');
}

static void list_properties(buf *b)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_info *p = property_describe((property)i);
        buf_printf(b, "%-6s %-24s  %s%s\n", p->code, p->name, p->promise,
                   p->by_default ? "" : p->compared ? " [judged by `locksim compare`]" : p->along_a_run ? " [judged when named]" : " [judged when named, by an exhaustive search]");
    }
}

static void list_faults(buf *b)
{
    for (size_t i = 0; i < FAULT_KINDS; i++)
        buf_printf(b, "%-17s  %s\n", fault_name((fault_kind)i), fault_explain((fault_kind)i));
}

static str headline_of(arena *a, str path)
{
    err e = { 0 };
    str text, line = S("(cannot be read)");
    if (files_read(a, path, &text, &e))
        line = files_headline(a, text);
    err_clear(&e);
    return line;
}

/* Of a file with several cases each has its title, and says what its file says where it has none. */
static str line_of(arena *a, const options *o, str name)
{
    str file = names_split(name).file;
    if (file.n == name.n)
        return headline_of(a, file);
    arena *scratch = arena_new();
    search_path where = search_path_new(scratch, o);
    scenario sc;
    err e = { 0 };
    bool titled = judge_load(scratch, &where, name, (overrides){ 0 }, &sc, &e) && sc.title.n > 0;
    str line = titled ? arena_str(a, sc.title) : headline_of(a, file);
    err_clear(&e);
    arena_free(scratch);
    return line;
}

/* The patched files of the scenario, whole, each under its name. */
static void show_patched(arena *a, const options *o, str name, buf *b, err *e)
{
    patched_file *files;
    size_t count;
    if (!judge_patched(a, o, name, &files, &count, e))
        return;
    for (size_t i = 0; i < count; i++) {
        const patched *p = &files[i].changed;
        buf_printf(b, "%s==> ", b->n ? "\n" : "");
        clean_text(b, name);
        buf_byte(b, ' ');
        clean_text(b, files[i].name);
        buf_addz(b, " <==\n");
        for (size_t from = 0; from < p->text.n;) {
            size_t end = str_find(p->text, '\n', from);
            clean_lines(b, str_slice(p->text, from, end));
            buf_byte(b, '\n');
            from = end + 1;
        }
    }
}

static void list_scenarios(arena *a, const options *o, buf *b, err *e)
{
    file_list found = { 0 };
    for (size_t i = 1; i < o->argument_count && e->class_ == ERR_NONE; i++)
        names_expand(a, o, str_from(o->arguments[i]), files_is_scenario, &found, e);
    if (o->argument_count == 1) {
        str shipped = files_shipped(a, "scenarios");
        if (shipped.n == 0) {
            err_set(e, ERR_USAGE, "the shipped scenarios are not beside this program");
            err_hint(e, "name a folder: locksim list scenarios DIR");
            return;
        }
        names_expand(a, o, shipped, files_is_scenario, &found, e);
    }
    size_t width = 0;
    for (size_t i = 0; i < found.count; i++)
        width = found.paths[i].n > width ? found.paths[i].n : width;
    for (size_t i = 0; i < found.count && o->show && e->class_ == ERR_NONE; i++)
        show_patched(a, o, found.paths[i], b, e);
    for (size_t i = 0; i < found.count && !o->show; i++)
        add_row(b, found.paths[i], width, line_of(a, o, found.paths[i]));
}

/* "scripts/redisson/lock.lua" below "scripts" is what `require "redisson.lock"` loads. */
static str module_name(arena *a, str folder, str path)
{
    str name = str_slice(path, folder.n, path.n - 4);
    while (name.n && name.p[0] == '/')
        name = str_slice(name, 1, name.n);
    name = arena_str(a, name);
    char *p = arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++)
        p[i] = name.p[i] == '/' ? '.' : name.p[i];
    return (str){ .p = p, .n = name.n };
}

static void list_locks(arena *a, const options *o, buf *b, err *e)
{
    search_path path = search_path_new(a, o);
    for (size_t i = 0; i <= path.script_count; i++) {
        bool is_shipped = i == path.script_count;
        str folder = is_shipped ? path.shipped : str_from(path.scripts[i]);
        file_list found = { 0 };
        if (is_shipped && folder.n == 0)
            break;
        err none = { 0 };
        if (!files_expand(a, folder, files_is_driver, &found, &none)) {
            if (found.passed_over == 0 && !is_shipped) {
                *e = none;
                return;
            }
            err_clear(&none);                      /* a folder of scripts alone holds no driver: nothing to list */
            continue;
        }
        size_t width = 0;
        for (size_t k = 0; k < found.count; k++) {
            size_t n = module_name(a, folder, found.paths[k]).n;
            width = n > width ? n : width;
        }
        for (size_t k = 0; k < found.count; k++)
            add_row(b, module_name(a, folder, found.paths[k]), width, headline_of(a, found.paths[k]));
    }
}

int cli_list(const options *o)
{
    static const str kinds[] = { { "scenarios", 9 }, { "locks", 5 }, { "properties", 10 }, { "faults", 6 } };
    arena *a = arena_new();
    buf b = { 0 };
    err e = { 0 };
    str what = str_from(o->arguments[0]);
    if (o->argument_count > 1 && !str_eq(what, kinds[0]))
        err_set(&e, ERR_USAGE, "`locksim list %.*s` takes no further argument", STR_ARG(what));
    else if (str_eq(what, kinds[0]))
        list_scenarios(a, o, &b, &e);
    else if (str_eq(what, kinds[1]))
        list_locks(a, o, &b, &e);
    else if (str_eq(what, kinds[2]))
        list_properties(&b);
    else if (str_eq(what, kinds[3]))
        list_faults(&b);
    else {
        str near = err_nearest(what, kinds, COUNT(kinds));
        err_set(&e, ERR_USAGE, "there is no list of '%.*s'", STR_ARG(what));
        if (near.n)
            err_hint(&e, "did you mean `locksim list %.*s`?", STR_ARG(near));
        err_hint(&e, "there are scenarios, locks, properties, faults");
    }
    int status = e.class_ == ERR_NONE ? STATUS_PASS : print_complaint(&e);
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    err_clear(&e);
    buf_free(&b);
    arena_free(a);
    return status;
}
