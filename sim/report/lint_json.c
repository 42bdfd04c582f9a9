/* lint_json.c - findings of `locksim lint` for programs: JSON, and SARIF 2.1.0 with a rule for each code. */
#include "report/lint.h"
#include "report/sarif_parts.h"

static json_t *finding_object(const lint_finding *f)
{
    json_t *o = json_object();
    json_object_set_new(o, "path", json_text(f->path));
    json_object_set_new(o, "line", json_integer(f->line));
    json_object_set_new(o, "column", json_integer(f->col));
    json_object_set_new(o, "end_column", json_integer(f->end_col));
    json_object_set_new(o, "code", json_text(f->code));
    json_object_set_new(o, "level", json_string(f->error ? "error" : "warning"));
    json_object_set_new(o, "message", json_text(f->message));
    json_object_set_new(o, "hint", f->hint.n ? json_text(f->hint) : json_null());
    return o;
}

void lint_json(const lint_result *r, buf *out)
{
    json_t *document = json_object(), *findings = json_array();
    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(findings, finding_object(&r->at[i]));
    json_object_set_new(document, "scripts", json_integer((json_int_t)r->files));
    json_object_set_new(document, "drivers", json_integer((json_int_t)r->clients));
    json_object_set_new(document, "findings", findings);
    json_document_add(out, document);
}

static json_t *result_of(const lint_finding *f)
{
    json_t *region = json_object(), *locations = json_array();
    json_object_set_new(region, "startLine", json_integer(f->line));
    json_object_set_new(region, "startColumn", json_integer(f->col));
    json_object_set_new(region, "endColumn", json_integer(f->end_col + 1));
    json_array_append_new(locations, sarif_location(f->path, region));
    buf text = { 0 };
    buf_add(&text, f->message);
    if (f->hint.n)
        buf_printf(&text, "\nhint: %.*s", STR_ARG(f->hint));
    json_t *o = json_object();
    json_object_set_new(o, "ruleId", json_text(f->code));
    json_object_set_new(o, "level", json_string(f->error ? "error" : "warning"));
    json_object_set_new(o, "message", sarif_message(buf_str(&text)));
    json_object_set_new(o, "locations", locations);
    buf_free(&text);
    return o;
}

void lint_sarif(const lint_result *r, buf *out)
{
    json_t *rules = json_array(), *results = json_array();
    for (size_t i = 0; i < LINT_CODES; i++) {
        const lint_code *c = &lint_codes[i];
        json_array_append_new(rules, sarif_rule(c->code, c->name, c->summary, c->explain));
    }
    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(results, result_of(&r->at[i]));
    sarif_add(out, rules, results);
}
