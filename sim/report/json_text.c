/* json_text.c - see json_text.h. */
#include "report/json_text.h"

#include <stdlib.h>

#include "report/clean.h"

json_t *json_text(str s)
{
    buf b = { 0 };
    clean_lines(&b, s);
    json_t *j = json_stringn(b.p ? b.p : "", b.n);
    buf_free(&b);
    return j;
}

static void add_dump(buf *out, json_t *j, size_t flags, const char *instead)
{
    char *dump = json_dumps(j, flags);
    json_decref(j);
    buf_addz(out, dump ? dump : instead);
    free(dump);
}

void json_text_add(buf *out, str s)
{
    add_dump(out, json_text(s), JSON_ENCODE_ANY, "\"\"");
}

void json_document_add(buf *out, json_t *document)
{
    add_dump(out, document, JSON_INDENT(2) | JSON_REAL_PRECISION(6), "{}");
    buf_byte(out, '\n');
}

json_t *json_error(const err *e)
{
    if (e->class_ == ERR_NONE)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "status", json_integer((json_int_t)e->class_));
    json_object_set_new(j, "path", e->path.n ? json_text(buf_str(&e->path)) : json_null());
    json_object_set_new(j, "line", e->line > 0 ? json_integer(e->line) : json_null());
    json_object_set_new(j, "column", e->col > 0 ? json_integer(e->col) : json_null());
    json_object_set_new(j, "message", json_text(buf_str(&e->message)));
    json_object_set_new(j, "hint", e->hint.n ? json_text(buf_str(&e->hint)) : json_null());
    return j;
}
