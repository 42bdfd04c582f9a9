/* json_line.h - one request as a JSON object on a line of its own:
 *   {"time": 1700000000123, "client": "A", "words": ["SET", "k", "v"], "answer": "OK", "db": 0}
 * `time` is milliseconds since 1970, a fraction is kept to the microsecond. A client's own log has `sent` and
 * `answered` (ms, too) in its place or beside it; without `answered`, or with null, it is open whether the server did
 * it. `answer` as it is in JSON: null, a number, a text, a list; {"error": "WRONGTYPE ..."} and {"status": "OK"} say
 * what a plain text cannot. Words may be numbers. Bytes that are no UTF-8 stand in a word as \u00NN where the line has
 * "bytes": "latin1". Other fields are passed over. */
#ifndef LOCKSIM_TRACE_JSON_LINE_H
#define LOCKSIM_TRACE_JSON_LINE_H

#include "base/arena.h"
#include "trace/record.h"

/* Fills all of `out` but `line`; its data live in `a`. false: *why says what is wrong. */
bool json_line_parse(arena *a, str text, record *out, const char **why);
/* Writes a record as one line, with a newline. Its answer is included if there is one. */
void json_line_add(buf *out, const record *r);

#endif
