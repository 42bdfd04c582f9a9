/* lint_json.c - findings of `locksim lint` for programs: JSON, and SARIF 2.1.0 with a rule for each code. */
#include <string.h>

#include "report/json_text.h"
#include "report/lint.h"

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
    json_object_set_new(document, "findings", findings);
    json_document_add(out, document);
}

static json_t *message_of(str text)
{
    json_t *m = json_object();
    json_object_set_new(m, "text", json_text(text));
    return m;
}

/* A path as a URI reference (RFC 3986). */
static json_t *uri_of(str path)
{
    buf b = { 0 };
    if (path.n && path.p[0] == '/')
        buf_addz(&b, "file://");
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
        if (plain)
            buf_byte(&b, (char)c);
        else
            buf_printf(&b, "%%%02X", c);
    }
    json_t *j = json_stringn(b.p ? b.p : "", b.n);
    buf_free(&b);
    return j;
}

static json_t *result_of(const lint_finding *f)
{
    json_t *file = json_object(), *region = json_object(), *physical = json_object(), *location = json_object(), *locations = json_array();
    json_object_set_new(file, "uri", uri_of(f->path));
    json_object_set_new(region, "startLine", json_integer(f->line));
    json_object_set_new(region, "startColumn", json_integer(f->col));
    json_object_set_new(region, "endColumn", json_integer(f->end_col + 1));
    json_object_set_new(physical, "artifactLocation", file);
    json_object_set_new(physical, "region", region);
    json_object_set_new(location, "physicalLocation", physical);
    json_array_append_new(locations, location);
    buf text = { 0 };
    buf_add(&text, f->message);
    if (f->hint.n)
        buf_printf(&text, "\nhint: %.*s", STR_ARG(f->hint));
    json_t *o = json_object();
    json_object_set_new(o, "ruleId", json_text(f->code));
    json_object_set_new(o, "level", json_string(f->error ? "error" : "warning"));
    json_object_set_new(o, "message", message_of(buf_str(&text)));
    json_object_set_new(o, "locations", locations);
    buf_free(&text);
    return o;
}

void lint_sarif(const lint_result *r, buf *out)
{
    json_t *rules = json_array(), *results = json_array(), *driver = json_object(), *tool = json_object(), *run = json_object(),
           *runs = json_array(), *document = json_object();
    for (size_t i = 0; i < LINT_CODES; i++) {
        json_t *rule = json_object();
        json_object_set_new(rule, "id", json_string(lint_codes[i].code));
        json_object_set_new(rule, "name", json_string(lint_codes[i].name));
        json_object_set_new(rule, "shortDescription", message_of(str_from(lint_codes[i].summary)));
        json_object_set_new(rule, "fullDescription", message_of(str_from(lint_codes[i].explain)));
        json_array_append_new(rules, rule);
    }
    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(results, result_of(&r->at[i]));
    json_object_set_new(driver, "name", json_string("locksim"));
    json_object_set_new(driver, "rules", rules);
    json_object_set_new(tool, "driver", driver);
    json_object_set_new(run, "tool", tool);
    json_object_set_new(run, "columnKind", json_string("unicodeCodePoints"));
    json_object_set_new(run, "results", results);
    json_array_append_new(runs, run);
    json_object_set_new(document, "version", json_string("2.1.0"));
    json_object_set_new(document, "runs", runs);
    json_document_add(out, document);
}
