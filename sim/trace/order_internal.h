/* order_internal.h - the search for an order, shared by order.c (records, groups, output) and order_search.c (one
 * group: the possible next requests, and their results). */
#ifndef LOCKSIM_TRACE_ORDER_INTERNAL_H
#define LOCKSIM_TRACE_ORDER_INTERNAL_H

#include <uthash.h>
#include <xxhash.h>

#include "redis/redis.h"
#include "trace/order.h"

#define NEVER_US INT64_MAX
#define NOBODY_YET SIZE_MAX

typedef struct {
    record r;
    int64_t limit_us;      /* when its answer was there; NEVER_US: none came */
    int64_t at_us;         /* when it was executed, once that is found */
    size_t group;          /* as in a union-find: its own number, or one below */
    size_t next, prev;     /* of those that are still to be placed */
    uint64_t print;        /* a random number: a set of requests is the sum of theirs */
    bool keyless, strange; /* names no key; cannot be searched for */
} op;

typedef struct key_owner {
    UT_hash_handle hh;
    size_t op;
} key_owner;

typedef struct {
    size_t op;
    int64_t at_us;
} choice;

/* A state in which one of several requests may come next. */
typedef struct {
    choice *choices;       /* in the search's arena of the frame; those from `next` on are still to be tried */
    size_t count, next;
    size_t placed;         /* how many requests are placed before it */
    str store;             /* frozen; p NULL: there is only one choice */
    int64_t now_us;
    uint64_t set;
    XXH128_hash_t print;
} frame;

typedef struct failed_state {
    UT_hash_handle hh;
    XXH128_hash_t print;
} failed_state;

struct order {
    arena *memory;
    op *ops;
    size_t count, cap;
    redis *server;
    redis_conn *conn;
    arena *scratch;
    key_owner *keys;
    order_counts counts;
    /* of the group that is being searched */
    size_t first;          /* of the list of those still to be placed; NOBODY_YET: none */
    size_t left;           /* of these, those that were answered */
    choice *path, *best;   /* placed so far; the longest way there was */
    size_t path_count, path_cap, best_count, best_cap, best_left;
    frame *frames;
    size_t frame_count, frame_cap;
    failed_state *failed;
    uint64_t set, tries;
    int64_t now_us;
    choice *sorted;        /* all that was placed, of all groups */
    size_t sorted_count, sorted_cap;
};

/* The requests of the list that begins at o->first, all of one group: placed in an order that explains their answers,
 * or in the longest that was found, and added to o->sorted. */
void order_search_group(order *o, size_t requests);
/* Forgets the states that led nowhere. */
void order_forget_failed(order *o);

#endif
