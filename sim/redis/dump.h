/* dump.h - values in the format of Redis's own files. Only sim/redis includes it. */
#ifndef LOCKSIM_REDIS_DUMP_H
#define LOCKSIM_REDIS_DUMP_H

#include "base/arena.h"
#include "base/buf.h"
#include "redis/dialect.h"
#include "redis/value.h"

/* The first byte: what follows. */
enum {
    DUMP_STRING = 0, DUMP_LIST = 1, DUMP_SET = 2, DUMP_HASH = 4, DUMP_ZSET = 5, DUMP_INTSET = 11, DUMP_HASH_PACKED = 16,
    DUMP_ZSET_PACKED = 17, DUMP_QUICKLIST = 18, DUMP_SET_PACKED = 20, DUMP_HASH_DATED_VALKEY = 22, DUMP_HASH_DATED = 24,
    DUMP_HASH_DATED_PACKED = 25,
};

/* Without the footer. False: a stream, which is not written. */
bool dump_value(dialect d, buf *out, const value *v);

/* DUMP_UNKNOWN: of a kind that is not read. DUMP_BAD: no server of the dialect would write it. `in_order` as in
 * hash_set_deadline. */
typedef enum { DUMP_READ, DUMP_UNKNOWN, DUMP_BAD } dump_verdict;
/* Of a payload whose sum is right; *v is the caller's. */
dump_verdict dump_read(dialect d, str payload, arena *a, bool in_order, value **v);

#endif
