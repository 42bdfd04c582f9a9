/* packing.h - how a server stores a collection, as OBJECT ENCODING shows: in one block while it is small, and in a
 * table for good after it has grown past a limit. Only values.h's files and the code that sets the limits include it.
 * Source: redis.io/commands/object-encoding, and the options that end in -listpack-entries, -value and -size. */
#ifndef LOCKSIM_REDIS_PACKING_H
#define LOCKSIM_REDIS_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which a collection grows. */
typedef enum {
    PACKING_UNSAID,    /* what belongs to no keyspace yet */
    PACKED_CLOSE,      /* a set of integers as an intset, anything else as a listpack */
    PACKED,            /* a set with other members as a listpack; a hash whose fields have deadlines (listpackex) */
    UNPACKED           /* a hash table, a skip list, a list of listpacks */
} packing;

/* The most elements, and the most bytes of one of them. */
typedef struct {
    uint64_t entries, bytes;
} packing_limit;

/* As a server's options have it. All zero: every collection is unpacked. */
typedef struct {
    bool followed;                 /* otherwise a collection's packing follows from its present contents alone */
    packing_limit hash, set, zset; /* set: of those with other members than integers; Redis 7.0 unpacks all of these */
    uint64_t integers;             /* members of a set of integers */
    int64_t list;                  /* list-max-listpack-size: elements, or -1 .. -5 for 4 KiB .. 64 KiB; 0: lists are
                                    * unpacked (Redis 7.0) */
    packing dated;                 /* a hash with a field that has or had a deadline: at least this */
} packing_limits;

#endif
