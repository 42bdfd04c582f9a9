/* collection.h - what the list, hash, set and sorted-set commands share: ranges, counts, scan options. Only sim/redis
 * includes it. */
#ifndef LOCKSIM_REDIS_COLLECTION_H
#define LOCKSIM_REDIS_COLLECTION_H

#include "redis/command.h"
#include "redis/notify.h"

/* What happened to a key, for notifications (notify.h). */
typedef struct {
    unsigned kind;
    const char *event;
} happened;

/* A key was changed, or lost elements: reports it, and removes the key if nothing is left. */
void collection_changed(const call *c, str key, happened what);
/* LLEN, HLEN, SCARD, ZCARD and STRLEN: how much the key at argv[1] holds. */
reply collection_count(const call *c, value_kind kind);
/* HDEL, SREM, ZREM: the rest of argv leaves the key at argv[1]. */
reply collection_remove(const call *c, value_kind kind, bool (*del)(value *v, str member), happened what);
/* Puts a result under the destination key, whatever that held, or removes the key if the result is empty; takes
 * `result`; replies its size. */
reply collection_store(const call *c, str key, value *result, happened what);
/* RULE_SIZED_BY_WORDS: `n` elements are about to be added, of which `first` is one. */
void collection_expect(const call *c, value *v, str first, size_t n);
/* Deletes the key as DEL does: true if it was there. */
bool collection_delete(const call *c, str key);
void collection_delete_past(const call *c, str key);    /* its deadline is to lie in the past: RULE_PAST_IS_EXPIRY */
/* store_del_unseen: a destination that an empty result replaces */
void collection_delete_unseen(const call *c, str key);

/* The number of a database: false and *r an error if it is none. generic.c. */
bool parse_db(str s, int *db, reply *r);

/* parse_int, and min <= n <= max. */
bool parse_int_within(str s, int64_t min, int64_t max, int64_t *n);

/* Positions [from, from + n) of `count` elements that Redis means by start..end (inclusive, negative from the end,
 * clamped); false if there are none. */
bool range_clamp(int64_t start, int64_t end, size_t count, size_t *from, size_t *n);

/* The cursor of SCAN and related commands, as strtoul reads it: nothing after the digits, no overflow; the rest depends
 * on RULE_STRICT_CURSOR. */
bool scan_cursor_ok(const call *c, str s);
/* [MATCH pattern] [COUNT n] from argv[first] on, for a key that exists; false and *r an error. No MATCH: an empty
 * pattern.p. */
bool scan_options(const call *c, size_t first, str *pattern, reply *r);
/* The same of HSCAN, which may have NOVALUES (RULE_SCAN_NOVALUES). */
bool scan_options_of_hash(const call *c, size_t first, str *pattern, bool *names_only, reply *r);
/* "0" and the elements: locksim answers every scan in one round, which Redis allows. */
reply scan_reply(const call *c, reply elements);

/* numkeys at argv[at], at least one: false and *r the error. The keys follow it. */
bool parse_numkeys(const call *c, size_t at, int64_t *n, reply *r);

/* The count of SRANDMEMBER and ZRANDMEMBER at argv[at]: any integer but the smallest. */
bool parse_random_count(const call *c, size_t at, int64_t *count, reply *r);
/* n different positions below `have`, n <= have, in the order in which they were drawn (all: in their own order); in
 * c->out. */
size_t *draw_distinct(const call *c, size_t have, size_t n);
/* Positions for a count as SRANDMEMBER reads it: -count draws with repetition, else `count` different ones (all, in
 * order, if there are no more). False and *r an error for more draws than DRAWS_MAX, where Redis would answer until its
 * memory ends. */
enum { DRAWS_MAX = 1000000 };
bool draw_counted(const call *c, size_t have, int64_t count, size_t **at, size_t *n, reply *r);

/* The i-th argument is this word, in any case. */
static inline bool arg_is(const call *c, size_t i, str word) { return str_eq_nocase(c->argv[i], word); }

#endif
