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
