/* dict.h - uthash set up for this layer: hashed by xxhash, memory from base/mem, small at first.
 * Its tables iterate in insertion order, so no hash value ever reaches a result. Only sim/redis includes this file. */
#ifndef LOCKSIM_REDIS_DICT_H
#define LOCKSIM_REDIS_DICT_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_FUNCTION(key, bytes, hash) ((hash) = (unsigned)XXH3_64bits((key), (bytes)))
#define HASH_KEYCMP(a, b, bytes) ((bytes) ? memcmp((a), (b), (bytes)) : 0)     /* an empty str may point nowhere */
#include "base/hash.h"

/* Most hashes of lock scripts hold one or two fields: a table of 32 buckets would cost more than they do. */
#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#define HASH_INITIAL_NUM_BUCKETS 8U
#define HASH_INITIAL_NUM_BUCKETS_LOG2 3U

#endif
