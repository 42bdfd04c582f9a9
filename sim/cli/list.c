/* list.c - `locksim list`: the scenarios, locks, properties and faults there are, one line each. */
#include "cli/cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/wrap.h"
#include "judge/judge.h"
#include "report/clean.h"

enum { CODE_COLUMNS = 7 };

/* One line: a name and its text. code: of properties; else empty. */
typedef struct {
    str code, name, text;
} list_row;

typedef struct {
    arena *a;
    list_row *at;
    size_t count, cap;
} list;

static void add_row(list *l, list_row row)
{
    MEM_RESERVE(l->at, l->cap, l->count + 1);
    l->at[l->count++] = row;
}

static void add_cell(buf *b, str s, size_t width)
{
    clean_text(b, s);
    for (size_t n = s.n; n < width; n++)
        buf_byte(b, ' ');
}

/* columns: of the terminal; 0: no limit. Where a name leaves its text too little room, the text goes below it. */
static void add_text(buf *b, str text, size_t column, size_t columns)
{
    enum { INDENT = 6, ROOM_MIN = 30 };
    buf clean = { 0 };
    clean_text(&clean, text);
    if (!columns) {
        buf_add(b, buf_str(&clean));
    } else if (column + ROOM_MIN <= columns) {
        wrap_words(b, buf_str(&clean), column, column, columns);
    } else {
        while (b->n && b->p[b->n - 1] == ' ')
            b->n--;
        buf_printf(b, "\n%*s", INDENT, "");
        wrap_words(b, buf_str(&clean), INDENT, INDENT, columns);
    }
    buf_free(&clean);
}

static void write_text(const list *l, size_t columns, buf *b)
{
    size_t width = 0;
    for (size_t i = 0; i < l->count; i++)
        width = l->at[i].name.n > width ? l->at[i].name.n : width;
    for (size_t i = 0; i < l->count; i++) {
        if (l->at[i].code.n)
            add_cell(b, l->at[i].code, CODE_COLUMNS);
        add_cell(b, l->at[i].name, width);
        buf_addz(b, "  ");
        add_text(b, l->at[i].text, (l->at[i].code.n ? CODE_COLUMNS : 0) + width + 2, columns);
        while (b->n && b->p[b->n - 1] == ' ')
            b->n--;
        buf_byte(b, '\n');
    }
}

static json_t *json_clean(str s)
{
    buf b = { 0 };
    clean_lines(&b, s);
    json_t *text = json_stringn(b.p ? b.p : "", b.n);
    buf_free(&b);
    return text;
}

/* {"locksim": 1, "scenarios": [{"name": ..., "text": ...}]} */
static void write_json(const list *l, str what, buf *b)
{
    json_t *rows = json_array(), *document = json_object();
    for (size_t i = 0; i < l->count; i++) {
        json_t *row = json_object();
        if (l->at[i].code.n)
            json_object_set_new(row, "code", json_clean(l->at[i].code));
        json_object_set_new(row, "name", json_clean(l->at[i].name));
        json_object_set_new(row, "text", json_clean(l->at[i].text));
        json_array_append_new(rows, row);
    }
    json_object_set_new(document, "locksim", json_integer(1));
    json_object_set_new(document, arena_str(l->a, what).p, rows);
    char *text = json_dumps(document, JSON_INDENT(2));
    buf_addz(b, text);
    buf_byte(b, '\n');
    free(text);
    json_decref(document);
}

static void list_properties(list *l)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_info *p = property_describe((property)i);
        const char *when = p->by_default ? "" : p->compared ? " [judged by `locksim compare`]" : p->along_a_run
                           ? " [judged when named]"
                         : " [judged when named, by an exhaustive search]";
        add_row(l, (list_row){ .code = str_from(p->code), .name = str_from(p->name),
                               .text = arena_printf(l->a, "%s%s", p->promise, when) });
    }
}

static void list_faults(list *l)
{
    for (size_t i = 0; i < FAULT_KINDS; i++)
        add_row(l, (list_row){ .name = str_from(fault_name((fault_kind)i)),
                               .text = str_from(fault_explain((fault_kind)i)) });
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

/* Each case of a file has its own title, or the file's if it has none. */
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

/* The scenario's patched files, in full, each under its name. */
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

static void list_scenarios(list *l, const options *o, buf *b, err *e)
{
    arena *a = l->a;
    file_list found = { 0 };
    for (size_t i = 1; i < o->argument_count && e->class_ == ERR_NONE; i++)
        names_expand_loaded(a, o, str_from(o->arguments[i]), files_is_scenario, &found, e);
    if (o->argument_count == 1) {
        str shipped = files_shipped(a, "scenarios");
        if (shipped.n == 0) {
            err_set(e, ERR_USAGE, "the shipped scenarios are not beside this program");
            err_hint(e, "name a folder: locksim list scenarios DIR");
            return;
        }
        names_expand(a, o, shipped, files_is_scenario, &found, e);
    }
    for (size_t i = 0; i < found.count && o->show && e->class_ == ERR_NONE; i++)
        show_patched(a, o, found.paths[i], b, e);
    for (size_t i = 0; i < found.count && !o->show && e->class_ == ERR_NONE; i++)
        add_row(l, (list_row){ .name = found.paths[i], .text = line_of(a, o, found.paths[i]) });
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

static void list_locks(list *l, const options *o, err *e)
{
    arena *a = l->a;
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
        for (size_t k = 0; k < found.count; k++)
            add_row(l, (list_row){ .name = module_name(a, folder, found.paths[k]),
                                   .text = headline_of(a, found.paths[k]) });
    }
}

int list_main(const options *o)
{
    static const str kinds[] = { { "scenarios", 9 }, { "locks", 5 }, { "properties", 10 }, { "faults", 6 } };
    arena *a = arena_new();
    list l = { .a = a };
    buf b = { 0 };
    err e = { 0 };
    str what = str_from(o->arguments[0]);
    if (o->argument_count > 1 && !str_eq(what, kinds[0]))
        err_set(&e, ERR_USAGE, "`locksim list %.*s` takes no further argument", STR_ARG(what));
    else if (o->show && o->format == LIST_JSON)
        err_set(&e, ERR_USAGE, "--show prints files, and --format json a list");
    else if (str_eq(what, kinds[0]))
        list_scenarios(&l, o, &b, &e);
    else if (str_eq(what, kinds[1]))
        list_locks(&l, o, &e);
    else if (str_eq(what, kinds[2]))
        list_properties(&l);
    else if (str_eq(what, kinds[3]))
        list_faults(&l);
    else {
        str near = err_nearest(what, kinds, COUNT(kinds));
        err_set(&e, ERR_USAGE, "there is no list of '%.*s'", STR_ARG(what));
        if (near.n)
            err_hint(&e, "did you mean `locksim list %.*s`?", STR_ARG(near));
        err_hint(&e, "there are scenarios, locks, properties, faults");
    }
    int status = e.class_ == ERR_NONE ? STATUS_PASS : print_complaint(&e);
    if (status == STATUS_PASS && o->format == LIST_JSON)
        write_json(&l, what, &b);
    else
        write_text(&l, print_width(STDOUT_FILENO), &b);
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    err_clear(&e);
    buf_free(&b);
    mem_free(l.at);
    arena_free(a);
    return status;
}
