/* mutate_save.c - see mutate_save.h. */
#include "mutate/mutate_save.h"

#include <inttypes.h>
#include <string.h>

#include "host/flat.h"
#include "host/print.h"
#include "host/ranks.h"
#include "report/clean.h"

enum { FIELDS_MAX = 12 };

/* Splits off a line of the text from *at on into fields. Returns how many; 0: the text is over. */
static size_t next_line(str text, size_t *at, str fields[FIELDS_MAX])
{
    if (*at >= text.n)
        return 0;
    size_t end = str_find(text, '\n', *at), n = 0;
    str line = str_slice(text, *at, end);
    *at = end + 1;
    for (size_t from = 0; from <= line.n && n < FIELDS_MAX; n++) {
        size_t tab = n + 1 < FIELDS_MAX ? str_find(line, '\t', from) : line.n;
        fields[n] = str_slice(line, from, tab);
        from = tab + 1;
    }
    return n;
}

static uint32_t number(str s)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && n < 100000000; i++)
        n = n * 10 + (uint32_t)(s.p[i] - '0');
    return n;
}

/* ---- index.tsv
 * ----------------------------------------------------------------------------------------------------------- */

static const char heading[] = "script\tinputs\tnumber\tplace\toperator\tfrom\tto\tclass\tscenario\thow\tlooked\t"
                              "witnesses\n";
enum { SCRIPT, INPUTS, NUMBER, PLACE, OPERATOR, FROM, TO, CLASS, SCENARIO, HOW, LOOKED, WITNESSES };

static bool is_target(const mutation *m, str path)
{
    for (size_t i = 0; i < m->target_count; i++)
        if (str_eq(m->targets[i].path, path))
            return true;
    return false;
}

static void take_row(mutation *m, const str *f, size_t *known)
{
    mutant_class c;
    for (size_t i = 0; i < m->target_count; i++) {
        target *t = &m->targets[i];
        uint32_t n = number(f[NUMBER]);
        str inputs = arena_printf(m->a, "%016" PRIx64, t->inputs);
        if (!str_eq(t->path, f[SCRIPT]) || !str_eq(inputs, f[INPUTS]) || n < 1 || n > t->count ||
            !mutant_class_parse(f[CLASS], &c))
            continue;
        mutant *x = &t->mutants[n - 1];
        if (!x->wanted || c == MUTANT_EXPLAINED)
            continue;
        x->class_ = c;
        x->scenario = arena_str(m->a, f[SCENARIO]);
        x->how = arena_str(m->a, f[HOW]);
        x->looked = number(f[LOOKED]);
        x->witnesses = arena_str(m->a, f[WITNESSES]);
        ++*known;
    }
}

bool mutate_resume(mutation *m, size_t *known, err *e)
{
    *known = 0;
    if (!m->o->out_dir)
        return true;
    arena *scratch = arena_new();
    str path = files_join(scratch, str_from(m->o->out_dir), S("index.tsv")), text, f[FIELDS_MAX];
    err none = { 0 };
    bool ok = true;
    if (files_read(scratch, path, &text, &none)) {
        size_t at = 0;
        if (!str_starts(text, str_from(heading))) {
            ok = err_at(e, ERR_USAGE, path, 1, 0, "is no index of `locksim mutate`, and would be written over");
            err_hint(e, "name another folder with -o");
        }
        buf others = { 0 };
        for (size_t n, from = at; ok && (n = next_line(text, &at, f)) > 0; from = at) {
            if (n == FIELDS_MAX)
                take_row(m, f, known);
            if (n == FIELDS_MAX && !is_target(m, f[SCRIPT]) && !str_eq(f[SCRIPT], S("script")))
                buf_add(&others, str_slice(text, from, at));
        }
        m->others = arena_str(m->a, buf_str(&others));
        buf_free(&others);
    }
    err_clear(&none);
    arena_free(scratch);
    return ok;
}

static void add_row(const target *t, const mutant *m, buf *b)
{
    mutant_class c = m->class_ == MUTANT_EXPLAINED ? MUTANT_SURVIVED : m->class_;
    buf_printf(b, "%.*s\t%016" PRIx64 "\t%" PRIu32 "\t%d:%d\t%.*s\t%.*s\t%.*s\t%s\t", STR_ARG(t->path), t->inputs,
               m->number, m->line, m->col,
               STR_ARG(m->operator_), STR_ARG(m->from), STR_ARG(m->to), mutant_class_name(c));
    clean_text(b, m->scenario);
    buf_byte(b, '\t');
    clean_text(b, m->how);
    buf_printf(b, "\t%zu\t", m->looked);
    clean_text(b, m->witnesses);
    buf_byte(b, '\n');
}

/* "scripts/redisson/fair/acquire.lua" and 7 give "scripts.redisson.fair.acquire.007". */
static str stem(arena *a, const target *t, const mutant *m)
{
    str path = str_ends(t->path, S(".lua")) ? str_slice(t->path, 0, t->path.n - 4) : t->path;
    return arena_printf(a, "%.*s.%03" PRIu32, STR_ARG(flat_name(a, path)), m->number);
}

static void add_log(const target *t, const mutant *m, buf *b)
{
    buf_printf(b, "%.*s:%d:%d: %.*s: %.*s -> %.*s\n%s", STR_ARG(t->path), m->line, m->col, STR_ARG(m->operator_),
               STR_ARG(m->from), STR_ARG(m->to), mutant_class_name(m->class_));
    if (m->scenario.n)
        buf_printf(b, " by %.*s", STR_ARG(m->scenario));
    if (m->how.n)
        buf_printf(b, ": %.*s", STR_ARG(m->how));
    buf_byte(b, '\n');
    if (m->class_ != MUTANT_KILLED)
        buf_printf(b, "never noticed by %zu scenarios that reach it%s%.*s\n", m->looked, m->witnesses.n ? ": " : "",
                   STR_ARG(m->witnesses));
}

static bool save_one(arena *a, str folder, const target *t, const mutant *m, err *e)
{
    buf b = { 0 };
    str name = stem(a, t, m), path;
    mutant_diff(t->path, t->text, m, &b);
    bool ok = files_write(a, folder, arena_printf(a, "%.*s.diff", STR_ARG(name)), buf_str(&b), &path, e);
    buf_clear(&b);
    add_log(t, m, &b);
    ok = ok && files_write(a, folder, arena_printf(a, "%.*s.log", STR_ARG(name)), buf_str(&b), &path, e);
    buf_free(&b);
    return ok;
}

bool mutate_save(const mutation *m, err *e)
{
    if (!m->o->out_dir || ranks_own() > 0)
        return true;
    arena *a = arena_new();
    str folder = str_from(m->o->out_dir), path;
    buf index = { 0 };
    bool ok = true;
    buf_addz(&index, heading);
    buf_add(&index, m->others);
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; k < m->targets[i].count && ok; k++) {
            const mutant *x = &m->targets[i].mutants[k];
            if (!x->wanted || x->class_ == MUTANT_OPEN)
                continue;
            add_row(&m->targets[i], x, &index);
            ok = save_one(a, folder, &m->targets[i], x, e);
        }
    ok = ok && files_write(a, folder, S("index.tsv"), buf_str(&index), &path, e);
    buf_free(&index);
    arena_free(a);
    return ok;
}

/* ---- what an earlier run has left
 * --------------------------------------------------------------------------------------------- */

static bool is_left(const target *t, const mutant *x, str text, size_t from)
{
    str f[FIELDS_MAX];
    mutant_class c;
    for (size_t n, at = from; (n = next_line(text, &at, f)) > 0;)
        if (n == FIELDS_MAX && number(f[NUMBER]) == x->number && str_eq(f[SCRIPT], t->path) &&
            str_eq(f[OPERATOR], x->operator_) &&
            str_eq(f[FROM], x->from) && str_eq(f[TO], x->to) && mutant_class_parse(f[CLASS], &c))
            return c == MUTANT_SURVIVED || c == MUTANT_UNDECIDED;
    return false;
}

bool mutate_only_left(mutation *m, const char *index, err *e)
{
    str text;
    if (!files_read(m->a, str_from(index), &text, e))
        return false;
    if (!str_starts(text, str_from(heading)))
        return err_at(e, ERR_SCENARIO, str_from(index), 1, 0, "is no index of `locksim mutate`");
    for (size_t i = 0; i < m->target_count; i++)
        for (size_t k = 0; k < m->targets[i].count; k++) {
            mutant *x = &m->targets[i].mutants[k];
            x->wanted = x->wanted && is_left(&m->targets[i], x, text, sizeof heading - 1);
        }
    return true;
}

/* ---- explained survivors
 * --------------------------------------------------------------------------------------------------- */

static bool whole(const target *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!t->mutants[i].wanted || t->mutants[i].class_ == MUTANT_OPEN)
            return false;
    return true;
}

static void explain_row(mutation *m, const str *f, str line, buf *stale)
{
    enum { E_SCRIPT, E_OPERATOR, E_FROM, E_TO, E_WHICH, E_REASON };
    for (size_t i = 0; i < m->target_count; i++) {
        target *t = &m->targets[i];
        if (!str_eq(t->path, f[E_SCRIPT]))
            continue;
        for (size_t k = 0; k < t->count; k++) {
            mutant *x = &t->mutants[k];
            if (!str_eq(x->operator_, f[E_OPERATOR]) || !str_eq(x->from, f[E_FROM]) || !str_eq(x->to, f[E_TO]) ||
                x->alike_before + 1 != number(f[E_WHICH]))
                continue;
            if (x->class_ != MUTANT_SURVIVED && x->class_ != MUTANT_UNDECIDED)
                break;
            x->class_ = MUTANT_EXPLAINED;
            x->how = arena_str(m->a, f[E_REASON]);
            return;
        }
        if (whole(t))
            buf_printf(stale, "%.*s\n", STR_ARG(line));
    }
}

bool mutate_explain(mutation *m, buf *stale, err *e)
{
    enum { ROW = 6 };
    if (!m->o->explained)
        return true;
    arena *a = arena_new();
    str path = str_from(m->o->explained), text, f[FIELDS_MAX];
    bool ok = files_read(a, path, &text, e);
    size_t at = 0;
    for (int line = 1; ok && at < text.n; line++) {
        str whole_line = str_slice(text, at, str_find(text, '\n', at));
        size_t n = next_line(text, &at, f);
        if (whole_line.n == 0 || whole_line.p[0] == '#')
            continue;
        if (n == ROW && f[ROW - 1].n && number(f[ROW - 2]) > 0)
            explain_row(m, f, whole_line, stale);
        else {
            ok = err_at(e, ERR_SCENARIO, path, line, 0, "has %zu fields and should have %d, parted by tabs", n, ROW);
            err_hint(e, "script, operator, from, to, which of those that read the same (1), reason");
        }
    }
    arena_free(a);
    return ok;
}
