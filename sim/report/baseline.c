/* baseline.c - a saved run, read back from its JSON. See baseline.h. */
#include "report/baseline.h"

#include <stdarg.h>
#include <stdio.h>

#include <jansson.h>

typedef struct {
    arena *a;
    str path;
    size_t row;            /* that is being read */
    err *e;
} reading;

/* "results[3]: ..."; false. */
static bool wrong(const reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(const reading *r, const char *format, ...)
{
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    err_at(r->e, ERR_SCENARIO, r->path, 0, 0, "is no saved run: results[%zu]%s", r->row, what);
    return err_hint(r->e, "`locksim run ... --format json > FILE` saves one");
}

static str text_of(const json_t *j)
{
    return (str){ .p = json_string_value(j), .n = json_string_length(j) };
}

/* A field that is not there is 0. */
static bool take_count(const reading *r, const json_t *in, const char *name, uint64_t *out)
{
    const json_t *j = json_object_get(in, name);
    if (j && (!json_is_integer(j) || json_integer_value(j) < 0))
        return wrong(r, ": `%s` is no count", name);
    *out = (uint64_t)json_integer_value(j);
    return true;
}

static bool take_number(const reading *r, const json_t *in, const char *name, double *out)
{
    const json_t *j = json_object_get(in, name);
    if (!json_is_number(j))
        return wrong(r, ".measure: `%s` is no number", name);
    *out = json_number_value(j);
    return true;
}

static bool take_verdict(const reading *r, const json_t *j, verdict *out)
{
    for (int v = VERDICT_PASS; v <= VERDICT_ERROR; v++)
        if (json_is_string(j) && str_eq(text_of(j), str_from(verdict_name((verdict)v)))) {
            *out = (verdict)v;
            return true;
        }
    return wrong(r, " has no verdict that locksim gives");
}

/* Properties that another version of locksim judged are passed over. */
static bool named_property(const json_t *j, const char *field, property *p)
{
    const json_t *name = json_object_get(j, field);
    return json_is_string(name) && property_parse(text_of(name), p);
}

static void take_properties(const json_t *list, baseline_row *row)
{
    size_t i;
    json_t *j;
    property p;
    json_array_foreach(list, i, j) {
        const json_t *outcome = json_object_get(j, "outcome");
        if (!json_is_string(outcome) || !named_property(j, "name", &p))
            continue;
        for (int o = OUTCOME_NOT_JUDGED; o <= OUTCOME_UNDECIDED; o++)
            if (str_eq(text_of(outcome), str_from(property_outcome_name((property_outcome)o))))
                row->properties[p] = (property_outcome)o;
    }
}

static void take_stories(const json_t *list, baseline_row *row)
{
    size_t i;
    json_t *j;
    property p;
    json_array_foreach(list, i, j)
        if (named_property(j, "property", &p))
            row->story_steps[p] = json_array_size(json_object_get(j, "steps"));
}

/* No field: not measured. null: no acquire was granted. */
static bool take_measure(const reading *r, const json_t *j, baseline_row *row)
{
    report_measure *out = &row->measure;
    row->asked = j != NULL;
    if (!json_is_object(j))
        return true;
    out->known = true;
    return take_count(r, j, "seeds", &out->seeds) && take_number(r, j, "wait_mean_ms", &out->wait_mean_ms) &&
           take_number(r, j, "wait_p99_ms", &out->wait_p99_ms) &&
               take_number(r, j, "commands_per_acquisition", &out->commands) &&
           take_number(r, j, "requests_per_acquisition", &out->requests);
}

static bool take_row(const reading *r, const json_t *j, baseline_row *row)
{
    const json_t *scenario = json_object_get(j, "scenario"), *search = json_object_get(j, "search");
    if (!json_is_string(scenario))
        return wrong(r, " names no scenario");
    row->scenario = arena_str(r->a, text_of(scenario));
    take_properties(json_object_get(j, "properties"), row);
    take_stories(json_object_get(j, "counterexamples"), row);
    return take_verdict(r, json_object_get(j, "verdict"), &row->verdict) &&
           take_count(r, search, "states", &row->states) &&
           take_count(r, search, "transitions", &row->transitions) && take_count(r, search, "runs", &row->runs) &&
           take_measure(r, json_object_get(j, "measure"), row);
}

static bool take_document(reading *r, const json_t *document, baseline *out)
{
    const json_t *version = json_object_get(document, "locksim"), *results = json_object_get(document, "results");
    if (!json_is_integer(version) || !json_is_array(results)) {
        err_at(r->e, ERR_SCENARIO, r->path, 0, 0, "is JSON, but no saved run: it has no `locksim` and `results`");
        return err_hint(r->e, "`locksim run ... --format json > FILE` saves one");
    }
    if (json_integer_value(version) != 1) {
        err_at(r->e, ERR_SCENARIO, r->path, 0, 0, "is a saved run of format %lld; this locksim reads format 1",
               (long long)json_integer_value(version));
        return err_hint(r->e, "save the run again with this locksim");
    }
    out->rows = ARENA_ARRAY(r->a, baseline_row, json_array_size(results) + 1);
    for (r->row = 0; r->row < json_array_size(results); r->row++) {
        baseline_row *row = &out->rows[out->count++];
        if (!take_row(r, json_array_get(results, r->row), row))
            return false;
        out->measured = out->measured || row->asked;
    }
    return true;
}

bool baseline_read(arena *a, str path, str text, baseline *out, err *e)
{
    json_error_t why;
    *out = (baseline){ .path = path };
    json_t *document = json_loadb(text.p ? text.p : "", text.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    if (!document) {
        err_at(e, ERR_SCENARIO, path, why.line > 0 ? why.line : 0, why.column > 0 ? why.column : 0, "is no JSON: %s",
               why.text);
        return err_hint(e, "`locksim run ... --format json > FILE` saves a run; was it stopped before its end?");
    }
    reading r = { .a = a, .path = path, .e = e };
    bool ok = take_document(&r, document, out);
    json_decref(document);
    return ok;
}
