/* packed.h - a result as bytes, for another rank of the same build. */
#ifndef LOCKSIM_JUDGE_PACKED_H
#define LOCKSIM_JUDGE_PACKED_H

#include "judge/judge.h"

/* Everything of it that is reported and saved, except `looked` and `trials`, which only watching needs. Not saved yet:
 * `files` and `pictures` are empty. */
void packed_write(const judged *j, buf *out);
/* The same result in its own memory: the caller calls judged_free. The bytes must come from packed_write of the same
 * build: anything else ends the program. */
void packed_read(str bytes, judged *out);
/* The same of an error alone. */
void packed_write_error(const err *e, buf *out);
void packed_read_error(str *bytes, err *out);

#endif
