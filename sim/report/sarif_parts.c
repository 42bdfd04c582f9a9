/* sarif_parts.c - see sarif_parts.h. */
#include "report/sarif_parts.h"

#include <string.h>

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

json_t *sarif_message(str text)
{
    json_t *m = json_object();
    json_object_set_new(m, "text", json_text(text));
    return m;
}

/* A path as a URI reference: relative to where locksim ran, or file:// where it is absolute (RFC 3986). */
static json_t *uri_of(str path)
{
    buf b = { 0 };
    if (path.n && path.p[0] == '/')
        buf_addz(&b, "file://");
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     (c && strchr("-._~/", c));
        if (plain)
            buf_byte(&b, (char)c);
        else
            buf_printf(&b, "%%%02X", c);
    }
    json_t *j = json_stringn(b.p ? b.p : "", b.n);
    buf_free(&b);
    return j;
}

json_t *sarif_location(str path, json_t *region)
{
    json_t *file = json_object(), *physical = json_object(), *location = json_object();
    json_object_set_new(file, "uri", uri_of(path));
    json_object_set_new(physical, "artifactLocation", file);
    json_object_set_new(physical, "region", region);
    json_object_set_new(location, "physicalLocation", physical);
    return location;
}

json_t *sarif_rule(const char *id, const char *name, const char *promise, const char *explain)
{
    json_t *rule = json_object();
    json_object_set_new(rule, "id", json_string(id));
    json_object_set_new(rule, "name", json_string(name));
    json_object_set_new(rule, "shortDescription", sarif_message(str_from(promise)));
    if (explain)
        json_object_set_new(rule, "fullDescription", sarif_message(str_from(explain)));
    return rule;
}

void sarif_add(buf *out, json_t *rules, json_t *results)
{
    json_t *driver = json_object(), *tool = json_object(), *run = json_object(), *runs = json_array(),
                     *document = json_object();
    json_object_set_new(driver, "name", json_string("locksim"));
    json_object_set_new(driver, "rules", rules);
    json_object_set_new(tool, "driver", driver);
    json_object_set_new(run, "tool", tool);
    json_object_set_new(run, "columnKind", json_string("unicodeCodePoints"));
    json_object_set_new(run, "results", results);
    json_array_append_new(runs, run);
    json_object_set_new(document, "$schema", json_string(SCHEMA));
    json_object_set_new(document, "version", json_string("2.1.0"));
    json_object_set_new(document, "runs", runs);
    json_document_add(out, document);
}
