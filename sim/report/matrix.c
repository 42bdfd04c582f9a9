/* matrix.c - what a run over many scenarios says of each lock, on one page: locks by properties, as Markdown. */
#include <string.h>

#include "report/clean.h"
#include "report/report.h"

/* "scenarios/seeds/redisson_lock/pause.lua": its folder's last name, and its own without ".lua". */
static str folder_of(str path)
{
    size_t end = path.n, begin;
    while (end > 0 && path.p[end - 1] != '/')
        end--;
    end -= end > 0;
    for (begin = end; begin > 0 && path.p[begin - 1] != '/'; begin--)
        ;
    return str_slice(path, begin, end);
}

str report_stem(str path)
{
    size_t begin = path.n;
    while (begin > 0 && path.p[begin - 1] != '/')
        begin--;
    str name = str_slice(path, begin, path.n);
    return str_ends(name, S(".lua")) ? str_slice(name, 0, name.n - 4) : name;
}

/* Text between the bars of a table. */
static void add_cell(buf *out, str text)
{
    buf clean = { 0 };
    clean_text(&clean, text);
    for (size_t i = 0; i < clean.n; i++)
        if (clean.p[i] == '|')
            buf_addz(out, "\\|");
        else
            buf_byte(out, clean.p[i]);
    buf_free(&clean);
}

static void add_judgement(const report_item *items, size_t count, str folder, int p, buf *out)
{
    size_t held = 0, broken = 0, undecided = 0;
    for (size_t i = 0; i < count; i++) {
        const outcome *o = items[i].result;
        if (!str_eq(folder_of(o->path), folder))
            continue;
        held += o->properties[p].outcome == OUTCOME_HOLDS;
        undecided += o->properties[p].outcome == OUTCOME_UNDECIDED;
        if (o->properties[p].outcome != OUTCOME_VIOLATED)
            continue;
        buf_addz(out, broken++ ? ", " : "**broken**: ");
        add_cell(out, report_stem(o->path));
    }
    if (broken == 0)
        buf_addz(out, undecided ? "undecided" : held ? "holds" : "-");
}

static bool judged_anywhere(const report_item *items, size_t count, int p)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].result->properties[p].outcome != OUTCOME_NOT_JUDGED)
            return true;
    return false;
}

void report_matrix(const report_item *items, size_t count, buf *out)
{
    buf_addz(out, "| property |");
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !str_eq(folder_of(items[i].result->path), folder_of(items[i - 1].result->path))) {
            buf_byte(out, ' ');
            add_cell(out, folder_of(items[i].result->path));
            buf_addz(out, " |");
        }
    buf_addz(out, "\n|---|");
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !str_eq(folder_of(items[i].result->path), folder_of(items[i - 1].result->path)))
            buf_addz(out, "---|");
    buf_byte(out, '\n');
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        if (!judged_anywhere(items, count, p))
            continue;
        const property_info *info = property_describe((property)p);
        buf_printf(out, "| %s `%s` |", info->code, info->name);
        for (size_t i = 0; i < count; i++)
            if (i == 0 || !str_eq(folder_of(items[i].result->path), folder_of(items[i - 1].result->path))) {
                buf_byte(out, ' ');
                add_judgement(items, count, folder_of(items[i].result->path), p, out);
                buf_addz(out, " |");
            }
        buf_byte(out, '\n');
    }
}
