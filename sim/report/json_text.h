/* json_text.h - text from outside in JSON, always well-formed. Only sim/report includes this file. */
#ifndef LOCKSIM_REPORT_JSON_TEXT_H
#define LOCKSIM_REPORT_JSON_TEXT_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

/* Text that is not UTF-8 is not allowed in JSON; clean_lines shows it as elsewhere. The caller owns it. */
json_t *json_text(str s);
/* Appends the text as a JSON string, quotes included. */
void json_text_add(buf *out, str s);
/* null where there is none; else its status, place, message and hint. */
json_t *json_error(const err *e);
/* Appends the document, indented by two blanks, with a newline at its end, and frees it. */
void json_document_add(buf *out, json_t *document);

#endif
