/* packed.h - a result as bytes, for another rank of the same build. */
#ifndef LOCKSIM_JUDGE_PACKED_H
#define LOCKSIM_JUDGE_PACKED_H

#include "judge/judge.h"

/* All that is reported and saved of it, but `looked` and `trials`, which only who watches files wants. Not yet saved:
 * `files` and `pictures` are none. */
void packed_write(const judged *j, buf *out);
/* The same result in memory of its own: the caller calls judged_free. The bytes are what packed_write of the same build
 * wrote: anything else ends the program. */
void packed_read(str bytes, judged *out);
/* The same of an error alone. */
void packed_write_error(const err *e, buf *out);
void packed_read_error(str *bytes, err *out);

#endif
