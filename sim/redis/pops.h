/* pops.h - shared by pops, whether or not they wait: LMPOP and BLMPOP, ZPOPMIN and BZPOPMIN. Only list.c, zset.c and
 * blocking.c include it. */
#ifndef LOCKSIM_REDIS_POPS_H
#define LOCKSIM_REDIS_POPS_H

#include "redis/collection.h"

/* list.c: takes up to n elements off one end, in the order of taking. The key is removed with its last element. */
reply list_take(const call *c, str key, value *v, bool tail, int64_t n);
/* From argv[1] to argv[2]: the element, nil if there is none, or a refusal. */
reply list_move(const call *c, bool from_tail, bool to_tail);
/* LEFT or RIGHT at argv[i]. */
bool list_side(const call *c, size_t i, bool *tail);

/* zset.c: the same for members: member, score, member, score... */
reply zset_take(const call *c, str key, value *v, bool highest, int64_t n);

/* numkeys key [key ...] SIDE [COUNT n], numkeys at argv[at]: which keys, from which end, how many. False and *r an
 * error. */
typedef struct {
    size_t first, keys;
    bool last_end;                 /* RIGHT, MAX */
    int64_t count;
} mpop_args;
bool mpop_parse(const call *c, size_t at, value_kind kind, mpop_args *a, reply *r);
/* What LMPOP and ZMPOP answer: the key, and what came off. */
reply mpop_answer(const call *c, value_kind kind, const mpop_args *a, str key, value *v);
/* The first of these keys that is there: NULL if none. False and *r WRONGTYPE if one before it is of another kind. */
bool pop_first(const call *c, size_t first, size_t n, value_kind kind, str *key, value **v, reply *r);

#endif
