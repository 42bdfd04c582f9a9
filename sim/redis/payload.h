/* payload.h - the format of Redis's own files, as DUMP, RESTORE and the two FUNCTION commands carry it: lengths, texts,
 * and at the end the format's version (two bytes) and the CRC-64 of all before, both with the lowest byte first.
 * Source: rdb's published format; five real servers. sim/redis and sim/script include it. */
#ifndef LOCKSIM_REDIS_PAYLOAD_H
#define LOCKSIM_REDIS_PAYLOAD_H

#include "base/arena.h"
#include "base/buf.h"
#include "redis/dialect.h"

enum { PAYLOAD_FOOTER_BYTES = 10 };

void payload_add_low_first(buf *out, uint64_t n, int bytes);
void payload_add_length(buf *out, uint64_t n);
void payload_add_text(buf *out, str text);         /* as it is: nothing is compressed */
void payload_end(dialect d, buf *out);             /* the version that this server writes, and the sum */

/* Is its sum right, and its version one that this server reads? */
bool payload_is_whole(dialect d, str payload);

/* Each takes its part off the front; false: there is none. */
bool payload_take_bytes(str *from, size_t n, str *out);
bool payload_take_low_first(str *from, size_t bytes, uint64_t *n);
bool payload_take_high_first(str *from, size_t bytes, uint64_t *n);
bool payload_take_length(str *from, uint64_t *n);
/* Plain, compressed (LZF), or an integer; may point into `from`. */
bool payload_take_text(str *from, arena *a, str *text);

#endif
