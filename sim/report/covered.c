/* covered.c - what a whole run reached of its scripts: the scenarios' counts added up, as lines of text, as an lcov
 * file, and as the source with its counts. Source of the lcov format: geninfo(1), section FILES. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/clean.h"
#include "report/report.h"

static int by_name(const void *a, const void *b)
{
    const coverage_script *x = a, *y = b;
    int order = str_cmp(x->name, y->name);
    return order ? order : str_cmp(x->sha1, y->sha1);
}

/* Two counts of one text: equal in all but the numbers. */
static void add_up(arena *a, coverage_script *sum, const coverage_script *more)
{
    coverage_line *lines = ARENA_ARRAY(a, coverage_line, sum->line_count + 1);
    coverage_branch *branches = ARENA_ARRAY(a, coverage_branch, sum->branch_count + 1);
    for (size_t i = 0; i < sum->line_count; i++) {
        lines[i] = sum->lines[i];
        lines[i].count += more->lines[i].count;
    }
    for (size_t i = 0; i < sum->branch_count; i++) {
        branches[i] = sum->branches[i];
        branches[i].count += more->branches[i].count;
    }
    sum->lines = lines;
    sum->branches = branches;
}

size_t report_coverage(const report_item *items, size_t count, arena *a, const coverage_script **out)
{
    size_t all = 0, n = 0;
    for (size_t i = 0; i < count; i++)
        all += items[i].result->script_count;
    coverage_script *scripts = ARENA_ARRAY(a, coverage_script, all + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < items[i].result->script_count; k++)
            scripts[n++] = items[i].result->scripts[k];
    qsort(scripts, n, sizeof *scripts, by_name);
    size_t sums = 0;
    for (size_t i = 0; i < n; i++)
        if (sums > 0 && by_name(&scripts[sums - 1], &scripts[i]) == 0)
            add_up(a, &scripts[sums - 1], &scripts[i]);
        else
            scripts[sums++] = scripts[i];
    *out = scripts;
    return sums;
}

bool report_has_file(const coverage_script *s)
{
    return str_find(s->name, '/', 0) < s->name.n || str_find(s->name, '.', 0) < s->name.n;
}

void report_coverage_text(const coverage_script *scripts, size_t count, buf *out)
{
    enum { PLACES_MAX = 8 };
    report_reach all = { 0 };
    for (size_t i = 0; i < count; i++) {
        report_reach r = report_reach_of(&scripts[i]);
        all.lines += r.lines;
        all.lines_reached += r.lines_reached;
        all.branches += r.branches;
        all.branches_reached += r.branches_reached;
        buf_addz(out, "covered  ");
        report_add_reached(out, &scripts[i], PLACES_MAX);
        buf_byte(out, '\n');
    }
    buf_printf(out, "covered  %zu of %zu lines, %zu of %zu branches of %zu script%s\n", all.lines_reached, all.lines,
               all.branches_reached, all.branches, count, count == 1 ? "" : "s");
}

/* One record a file. The two ways of a decision are branches 0 and 1 of one block. */
static void add_record(const coverage_script *s, buf *out)
{
    report_reach r = report_reach_of(s);
    buf_addz(out, "TN:\nSF:");
    clean_text(out, s->name);
    buf_byte(out, '\n');
    for (size_t i = 0; i < s->branch_count; i++) {
        const coverage_branch *b = &s->branches[i];
        buf_printf(out, "BRDA:%d,%zu,%zu,%" PRIu64 "\n", b->line, i / 2, i % 2, b->count);
    }
    buf_printf(out, "BRF:%zu\nBRH:%zu\n", r.branches, r.branches_reached);
    for (size_t i = 0; i < s->line_count; i++)
        buf_printf(out, "DA:%d,%" PRIu64 "\n", s->lines[i].line, s->lines[i].count);
    buf_printf(out, "LF:%zu\nLH:%zu\nend_of_record\n", r.lines, r.lines_reached);
}

void report_lcov(const coverage_script *scripts, size_t count, buf *out)
{
    for (size_t i = 0; i < count; i++)
        if (report_has_file(&scripts[i]))
            add_record(&scripts[i], out);
}

static void add_never(const coverage_script *s, int line, buf *out)
{
    bool any = false;
    for (size_t i = 0; i < s->branch_count; i++) {
        if (s->branches[i].line != line || s->branches[i].count > 0)
            continue;
        buf_printf(out, any ? ", %s (column %d)" : "          |      never: %s (column %d)", s->branches[i].what,
                   s->branches[i].col);
        any = true;
    }
    if (any)
        buf_byte(out, '\n');
}

void report_annotated(const coverage_script *s, buf *out)
{
    size_t at = 0;
    int line = 1;
    for (size_t from = 0; from < s->body.n; line++) {
        size_t end = str_find(s->body, '\n', from);
        bool has_code = at < s->line_count && s->lines[at].line == line;
        uint64_t n = has_code ? s->lines[at++].count : 0;
        if (n > 0)
            buf_printf(out, "%9" PRIu64, n);
        else
            buf_addz(out, has_code ? "    #####" : "         ");
        buf_printf(out, " |%4d  ", line);
        clean_lines(out, str_slice(s->body, from, end));
        buf_byte(out, '\n');
        if (n > 0)
            add_never(s, line, out);
        from = end + 1;
    }
}
