/* cases.c - see cases.h. */
#include "report/cases.h"

/* The case that belongs to no property: an error, or a result that shows too little. */
static report_case case_of_verdict(const outcome *o)
{
    report_case c = { .name = "verdict" };
    if (o->verdict == VERDICT_PASS || o->verdict == VERDICT_FAIL)
        return c;
    c.type = verdict_name(o->verdict);
    c.result = o->verdict == VERDICT_VACUOUS ? CASE_FAILED : CASE_UNKNOWN;
    c.message = o->verdict == VERDICT_ERROR && o->error.message.n ? buf_str(&o->error.message) : o->reason;
    return c;
}

static report_case case_of_property(const report_item *item, size_t i)
{
    const outcome *o = item->result;
    const property_result *r = &o->properties[i];
    const property_info *info = property_describe((property)i);
    report_case c = { .name = info->name, .of = r };
    if (report_is_failure(r)) {
        c.result = CASE_FAILED;
        c.type = info->code;
        c.message = r->other_cause ? S("expected to be violated, but not so: by other faults, or at another step")
                    : r->example   ? r->example->text : S("violated");
        c.example = r->example;
        if (r->example && item->files)
            c.file = item->files[r->example - o->examples];
    } else if (r->outcome == OUTCOME_HOLDS && r->expected == EXPECT_VIOLATED) {
        bool all = o->verdict == VERDICT_FAIL;
        c.result = all ? CASE_FAILED : CASE_UNKNOWN;
        c.type = all ? info->code : verdict_name(VERDICT_INCONCLUSIVE);
        c.message = all ? S("expected to be violated, and it holds")
                    : S("expected to be violated; this sample did not find it");
    } else if (r->outcome == OUTCOME_UNDECIDED && r->expected != EXPECT_UNSAID) {
        c.result = CASE_UNKNOWN;
        c.type = verdict_name(VERDICT_INCONCLUSIVE);
        c.message = S("undecided: a limit came first");
    }
    return c;
}

/* The advice for a result that shows too little; NULL: none. */
static const advice *advice_of(const report_item *item, const report_case *c)
{
    const advice *x = &item->result->advice;
    return !c->of && c->result != CASE_PASSED && x->cause.n ? x : NULL;
}

void report_case_advice(const report_item *item, const report_case *c, buf *out)
{
    const advice *x = advice_of(item, c);
    if (!x)
        return;
    buf_printf(out, "\ncause: %.*s", STR_ARG(x->cause));
    if (x->where.n)
        buf_printf(out, " (%.*s)", STR_ARG(x->where));
    if (x->change.n)
        buf_printf(out, "\ntry: %.*s", STR_ARG(x->change));
}

size_t report_cases(const report_item *item, report_case out[REPORT_CASES_MAX])
{
    size_t n = 0;
    out[n++] = case_of_verdict(item->result);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (item->result->properties[i].outcome != OUTCOME_NOT_JUDGED)
            out[n++] = case_of_property(item, i);
    return n;
}

void report_case_body(const report_item *item, const report_case *c, buf *out)
{
    const outcome *o = item->result;
    const counterexample *x = c->example;
    if (c->type == verdict_name(VERDICT_ERROR))
        err_print(&o->error, out);
    if (c->of && c->of->other_cause) {
        buf_addz(out, "\nis:  ");
        signature_print(c->of->signature, out);
        buf_addz(out, "\nwas: ");
        signature_print(c->of->expected_signature, out);
        buf_byte(out, '\n');
    }
    if (!x)
        return;
    buf_byte(out, '\n');
    report_add_story(out, &x->story, &(story_frame){ .clients = o->clients, .client_count = o->client_count });
    if (x->why.n)
        buf_printf(out, "why: %.*s\n", STR_ARG(x->why));
    if (x->blame.n)
        buf_printf(out, "blame: %.*s\n", STR_ARG(x->blame));
    if (c->file.n) {
        buf_addz(out, "replay: ");
        report_add_replay(out, NULL, c->file);
        buf_byte(out, '\n');
    }
}

/* "path:12" as a place. A script that is a text in the client's code is called "script": that is no file. */
static bool read_place(str text, report_place *place)
{
    size_t colon = text.n;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    int line = 0;
    for (size_t i = colon; i < text.n && line < 100000000; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        line = line * 10 + (text.p[i] - '0');
    }
    str path = str_slice(text, 0, colon > 0 ? colon - 1 : 0);
    if (path.n == 0 || line < 1 || str_eq(path, S("script")))
        return false;
    *place = (report_place){ path, line };
    return true;
}

/* "path:12" of "path:12:3". */
static str without_column(str text)
{
    size_t n = text.n;
    while (n > 0 && text.p[n - 1] != ':')
        n--;
    return str_slice(text, 0, n > 0 ? n - 1 : 0);
}

/* The last command of the step's script, if a script ran; its line is "path:line  COMMAND ...". */
static str last_effect(str effects)
{
    while (str_ends(effects, S("\n")))
        effects.n--;
    size_t from = effects.n;
    while (from > 0 && effects.p[from - 1] != '\n')
        from--;
    str line = str_slice(effects, from, effects.n);
    for (size_t i = 0; i + 1 < line.n; i++)
        if (line.p[i] == ' ' && line.p[i + 1] == ' ')
            return str_slice(line, 0, i);
    return S("");
}

bool report_row_place(const story_row *row, report_place *place)
{
    return read_place(last_effect(row->effects), place) || read_place(row->location, place);
}

/* Lines that every lock from a table goes through say nothing about this one. */
static bool is_of_all_tables(str path)
{
    return str_ends(path, S("/generic.lua")) || str_ends(path, S("/evaluate.lua"));
}

/* The place of the story's last step that has one: a line of a script; else of a driver or a program. */
static bool story_place(const story *s, bool health, report_place *place)
{
    for (size_t i = s->count; i-- > 0;)
        if ((health && read_place(s->rows[i].found, place)) || read_place(last_effect(s->rows[i].effects), place))
            return true;
    for (size_t i = s->count; i-- > 0;)
        if (read_place(s->rows[i].location, place) && !is_of_all_tables(place->path))
            return true;
    return false;
}

report_place report_case_place(const report_item *item, const report_case *c)
{
    const outcome *o = item->result;
    bool health = c->type && str_eq(str_from(c->type), str_from(property_describe(PROPERTY_SCRIPT_HEALTH)->code));
    report_place place;
    const advice *x = advice_of(item, c);
    if (x && (read_place(without_column(x->where), &place) || read_place(x->where, &place)))
        return place;
    if (c->example && story_place(&c->example->story, health, &place))
        return place;
    if (o->verdict == VERDICT_ERROR && o->error.path.n)
        return (report_place){ buf_str(&o->error.path), o->error.line > 0 ? o->error.line : 1 };
    return (report_place){ o->file.n ? o->file : o->path, 1 };
}

/* Where the folder begins that `out` ends with, behind `from`; out->n if it ends with none that can be taken out. */
static size_t last_folder(const buf *out, size_t from)
{
    if (out->n < from + 2)
        return out->n;
    size_t at = out->n - 1;            /* its slash */
    while (at > from && out->p[at - 1] != '/')
        at--;
    str name = { out->p + at, out->n - 1 - at };
    return name.n == 0 || str_eq(name, S("..")) || str_eq(name, S(".")) ? out->n : at;
}

void report_add_plain_path(buf *out, str path)
{
    size_t from = out->n;
    for (size_t i = 0; i < path.n;) {
        size_t end = str_find(path, '/', i), folder = last_folder(out, from);
        str part = str_slice(path, i, end);
        i = end + 1;
        if (str_eq(part, S("..")) && end < path.n && folder < out->n) {
            out->n = folder;
            continue;
        }
        buf_add(out, part);
        if (end < path.n)
            buf_byte(out, '/');
    }
}
