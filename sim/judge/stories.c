/* stories.c - see stories.h. */
#include "judge/stories.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

typedef struct {
    str case_;
    property p;
    str text, comment;     /* the signature, or `?`; the text after #, without blanks */
    signature *wanted;     /* NULL: in any way */
    int line, cols[3];     /* 1-based */
} story_line;

typedef struct { story_line *at; size_t count, cap; } story_lines;

str stories_path(arena *a, str file)
{
    str stem = str_ends(file, S(".lua")) ? str_slice(file, 0, file.n - 4) : file;
    return arena_printf(a, "%.*s.stories", STR_ARG(stem));
}

bool stories_wanted(const options *o)
{
    bool own = !o->faults && !o->dialect && !o->pinned && !o->schedule && !o->has_runs &&
               o->strategy == CHOICE_UNSAID && !o->no_fold;
    return (o->command == COMMAND_RUN || o->command == COMMAND_REPORT || o->command == COMMAND_WATCH) && own &&
           !o->expected &&
           !o->write_expect;
}

/* ---- reading ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The next word from *at on; "" at the end of the line. */
static str word(str line, size_t *at, int *col)
{
    while (*at < line.n && is_blank(line.p[*at]))
        ++*at;
    size_t from = *at;
    while (*at < line.n && !is_blank(line.p[*at]))
        ++*at;
    *col = (int)from + 1;
    return str_slice(line, from, *at);
}

static str trim(str s)
{
    while (s.n && is_blank(s.p[0]))
        s = str_slice(s, 1, s.n);
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static bool bad(const story_line *l, int col, str path, str text, err *why, err *e)
{
    err_at(e, ERR_SCENARIO, path, l->line, col, "%.*s", STR_ARG(buf_str(&why->message)));
    if (why->hint.n)
        err_hint(e, "%.*s", STR_ARG(buf_str(&why->hint)));
    err_quote(e, text);
    err_clear(why);
    return false;
}

static bool parse_property(str name, property *p, err *why)
{
    str known[PROPERTY_COUNT];
    if (property_parse(name, p))
        return true;
    err_set(why, ERR_SCENARIO, name.n ? "there is no property '%.*s'" : "a line is a case, a property and how it "
            "breaks%.*s", STR_ARG(name));
    for (int i = 0; i < PROPERTY_COUNT; i++)
        known[i] = str_from(property_describe((property)i)->name);
    str near = err_nearest(name, known, PROPERTY_COUNT);
    return near.n ? err_hint(why, "did you mean %.*s?", STR_ARG(near)) : false;
}

/* One line that is not blank. */
static bool parse_line(arena *a, str path, str text, str line, story_line *l, err *e)
{
    err why = { 0 };
    size_t at = 0, hash = str_find(line, '#', 0);
    str comment = trim(str_slice(line, hash + 1, line.n)), body = str_slice(line, 0, hash);
    l->comment = arena_str(a, comment);
    l->case_ = arena_str(a, word(body, &at, &l->cols[0]));
    str name = word(body, &at, &l->cols[1]);
    if (!parse_property(name, &l->p, &why))
        return bad(l, l->cols[1], path, text, &why, e);
    str rest = trim(str_slice(body, at, body.n));
    l->cols[2] = rest.n ? (int)(rest.p - line.p) + 1 : (int)body.n + 1;
    l->text = arena_str(a, rest);
    if (str_eq(rest, S("?")))
        return true;
    l->wanted = ARENA_NEW(a, signature);
    return signature_parse(a, l->text, l->wanted, &why) || bad(l, l->cols[2], path, text, &why, e);
}

static bool parse(arena *a, str path, str text, story_lines *out, err *e)
{
    int number = 0;
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, '\n', from);
        str line = str_slice(text, from, end);
        story_line l = { .line = ++number };
        from = end + 1;
        if (trim(str_slice(line, 0, str_find(line, '#', 0))).n == 0)
            continue;
        if (!parse_line(a, path, text, line, &l, e))
            return false;
        for (size_t i = 0; i < out->count; i++)
            if (str_eq(out->at[i].case_, l.case_) && out->at[i].p == l.p) {
                err why = { 0 };
                err_set(&why, ERR_SCENARIO, "line %d has this case and property, too", out->at[i].line);
                return bad(&l, l.cols[0], path, text, &why, e);
            }
        MEM_RESERVE(out->at, out->cap, out->count + 1);
        out->at[out->count++] = l;
    }
    return true;
}

/* Empty and without lines: there is no such file. */
static bool read_lines(arena *a, str path, str *text, story_lines *out, err *e)
{
    *text = S("");
    if (access(arena_str(a, path).p, F_OK) != 0)
        return true;
    return files_read(a, path, text, e) && parse(a, path, *text, out, e);
}

bool stories_check(arena *a, str file, const str *cases, size_t count, err *e)
{
    static const str whole = { "-", 1 };
    str path = stories_path(a, file), text;
    story_lines lines = { 0 };
    bool ok = read_lines(a, path, &text, &lines, e);
    if (count == 0) {
        cases = &whole;
        count = 1;
    }
    for (size_t i = 0; ok && i < lines.count; i++) {
        const story_line *l = &lines.at[i];
        err why = { 0 };
        ok = false;
        for (size_t k = 0; k < count && !ok; k++)
            ok = str_eq(cases[k], l->case_);
        if (ok)
            continue;
        err_set(&why, ERR_SCENARIO, cases == &whole ? "%.*s is one scenario, whose lines begin with -"
                : "%.*s has no such case", STR_ARG(file));
        str near = err_nearest(l->case_, cases, count);
        if (near.n && cases != &whole)
            err_hint(&why, "did you mean %.*s? Else take the line out; `locksim run --write-expect` writes the file "
                     "anew", STR_ARG(near));
        else
            err_hint(&why, "take the line out; `locksim run --write-expect` writes the file anew");
        bad(l, l->cols[0], path, text, &why, e);
    }
    mem_free(lines.at);
    return ok;
}

/* The reason why this line cannot belong to this scenario; false: there is none. */
static bool is_stale(const scenario *sc, const story_line *l, err *why)
{
    const char *name = property_describe(l->p)->name;
    if (sc->expect[l->p] != EXPECT_VIOLATED) {
        err_set(why, ERR_SCENARIO, "%.*s does not expect %s to be violated", STR_ARG(sc->path), name);
        return !err_hint(why, "take the line out; `locksim run --write-expect` writes the file anew");
    }
    if (l->wanted && sc->explore != EXPLORE_EXHAUSTIVE) {
        err_set(why, ERR_SCENARIO, "%.*s is not searched whole, so it is unknown how %s breaks", STR_ARG(sc->path),
                name);
        return !err_hint(why, "write ? in the place of what follows the property");
    }
    return false;
}

bool stories_take(arena *a, scenario *sc, looked *l, bool *any, err *e)
{
    str path = stories_path(a, sc->file), text, case_ = case_part(sc->path);
    story_lines lines = { 0 };
    bool ok = read_lines(a, path, &text, &lines, e);
    *any = false;
    looked_add(l, path, text.n ? file_print_of(text) : file_print_now(path));
    for (size_t i = 0; ok && i < lines.count; i++) {
        const story_line *line = &lines.at[i];
        err why = { 0 };
        if (!str_eq(line->case_, case_.n ? case_ : S("-")))
            continue;
        if (is_stale(sc, line, &why)) {
            ok = bad(line, line->cols[1], path, text, &why, e);
            break;
        }
        sc->signatures[line->p] = line->wanted;
        *any |= line->wanted != NULL;
    }
    mem_free(lines.at);
    return ok;
}

/* ---- writing ---- */

static str case_of(const outcome *o)
{
    str c = case_part(o->path);
    return c.n ? c : S("-");
}

/* A scenario that could not run gave no result. */
static bool is_news(const outcome *o)
{
    return o->verdict != VERDICT_ERROR && o->search.strategy.n > 0;
}

static bool has(const story_lines *list, const story_line *l)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].p == l->p && str_eq(list->at[i].case_, l->case_))
            return true;
    return false;
}

static void add_found(arena *a, const outcome *o, story_lines *out)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const property_result *r = &o->properties[p];
        if (r->expected != EXPECT_VIOLATED || (r->outcome != OUTCOME_VIOLATED && r->outcome != OUTCOME_UNDECIDED))
            continue;
        story_line l = { .case_ = case_of(o), .p = (property)p, .text = S("?"), .comment = S("not searched whole") };
        if (r->signature) {
            buf b = { 0 };
            signature_print(r->signature, &b);
            l.text = arena_str(a, buf_str(&b));
            l.comment = r->example ? arena_printf(a, "%zu %s", r->example->steps,
                                                  r->example->steps == 1 ? "step" : "steps") : S("");
            buf_free(&b);
        } else if (o->reason.n)
            l.comment = str_slice(o->reason, 0, str_find(o->reason, ';', 0));      /* without the details */
        if (has(out, &l))
            continue;          /* the case was named twice */
        MEM_RESERVE(out->at, out->cap, out->count + 1);
        out->at[out->count++] = l;
    }
}

static int by_case(const void *x, const void *y)
{
    const story_line *a = x, *b = y;
    int order = str_cmp(a->case_, b->case_);
    return order ? order : (int)a->p - (int)b->p;
}

static void print(str file, const story_lines *lines, buf *out)
{
    size_t widths[3] = { 0 };
    buf_printf(out, "# How each violation comes about that %.*s expects: the smallest faults, and at whose step.\n"
                    "# `locksim run --write-expect` writes this file, and each run compares it, but for the "
                    "comments.\n", STR_ARG(files_name(file)));
    for (size_t i = 0; i < lines->count; i++) {
        size_t n[3] = { lines->at[i].case_.n, strlen(property_describe(lines->at[i].p)->name), lines->at[i].text.n };
        for (int k = 0; k < 3; k++)
            widths[k] = n[k] > widths[k] && n[k] <= 60 ? n[k] : widths[k];
    }
    for (size_t i = 0; i < lines->count; i++) {
        const story_line *l = &lines->at[i];
        buf_printf(out, "%-*.*s  %-*s  ", (int)widths[0], STR_ARG(l->case_), (int)widths[1],
                   property_describe(l->p)->name);
        if (l->comment.n)
            buf_printf(out, "%-*.*s  # %.*s\n", (int)widths[2], STR_ARG(l->text), STR_ARG(l->comment));
        else
            buf_printf(out, "%.*s\n", STR_ARG(l->text));
    }
}

/* Keeps the lines of other cases. A file that cannot be read is written anew. */
static void keep_others(arena *a, str path, const judged *const *results, size_t count, story_lines *out)
{
    story_lines old = { 0 };
    err ignored = { 0 };
    str text;
    if (read_lines(a, path, &text, &old, &ignored))
        for (size_t i = 0; i < old.count; i++) {
            bool anew = false;
            for (size_t k = 0; k < count && !anew; k++)
                anew = is_news(&results[k]->result) && str_eq(case_of(&results[k]->result), old.at[i].case_);
            if (anew)
                continue;
            MEM_RESERVE(out->at, out->cap, out->count + 1);
            out->at[out->count++] = old.at[i];
        }
    err_clear(&ignored);
    mem_free(old.at);
}

/* Results of one file. */
static bool write_file(arena *a, str file, const judged *const *results, size_t count, buf *told, err *e)
{
    story_lines lines = { 0 };
    str path = stories_path(a, file), written;
    keep_others(a, path, results, count, &lines);
    for (size_t i = 0; i < count; i++)
        if (is_news(&results[i]->result))
            add_found(a, &results[i]->result, &lines);
    bool ok = true, there = access(arena_str(a, path).p, F_OK) == 0;
    if (lines.count || there) {
        buf text = { 0 };
        if (lines.count)
            qsort(lines.at, lines.count, sizeof *lines.at, by_case);
        print(file, &lines, &text);
        ok = files_write(a, files_folder(path), files_name(path), buf_str(&text), &written, e);
        if (ok)
            buf_printf(told, "wrote %.*s\n", STR_ARG(path));
        buf_free(&text);
    }
    mem_free(lines.at);
    return ok;
}

bool stories_write(const judged *const *results, size_t count, buf *told, err *e)
{
    bool ok = true;
    for (size_t from = 0, to; ok && from < count; from = to) {
        for (to = from + 1; to < count && str_eq(results[to]->result.file, results[from]->result.file);)
            to++;
        arena *a = arena_new();
        ok = write_file(a, results[from]->result.file, results + from, to - from, told, e);
        arena_free(a);
    }
    return ok;
}
