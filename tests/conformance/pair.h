/* pair.h - a real redis-server and a simulated one that get the same steps. Ours runs ahead; theirs gets its steps in
 * batches, and its answers are compared when they are settled. After each step both keyspaces are read: KEYS, and each
 * key's PTTL and value. */
#ifndef LOCKSIM_TESTS_PAIR_H
#define LOCKSIM_TESTS_PAIR_H

#include "real.h"
#include "redis/redis.h"
#include "step.h"

typedef struct pair pair;

/* Where they differ. Borrowed until the next pair_begin. */
typedef struct {
    size_t step;           /* by the number that pair_step was given */
    str after;             /* the command that shows it, to be pasted, if it is not the step's own; else empty */
    str theirs, ours;
} difference;

pair *pair_new(real *server);
void pair_free(pair *t);             /* NULL is fine */
/* Both empty, the clock at the start, new connections that speak RESP `resp` (2 or 3). */
void pair_begin(pair *t, int resp);
/* From now on the keyspace is looked at after every n-th step only, for large ones; 0 and 1: after each. */
void pair_look_every(pair *t, unsigned n);
/* From the next pair_begin on both publish all events of keys, and the second connection is subscribed to them. */
void pair_tell_events(pair *t, bool yes);
/* `number` names it in a difference. A pop that would wait is left out unless it is queued by MULTI. Its words are
 * borrowed until settled. */
void pair_step(pair *t, const step *s, size_t number);
/* The clock moves only. */
void pair_advance(pair *t, int64_t ms);
/* Compares what is outstanding; false once anything differed, which ends the history. */
bool pair_settle(pair *t);
const difference *pair_difference(const pair *t);
/* What the last step's command was answered, by both; borrowed until the next step. */
str pair_answer(const pair *t);
/* Compares all databases, as text; settles first. */
bool pair_same_keyspace(pair *t, size_t number);

redis *pair_ours(pair *t);
int64_t pair_now_ms(const pair *t);
bool pair_in_multi(const pair *t, int conn);
size_t pair_subscriptions(const pair *t, int conn);
/* Does a connection watch keys, or is one in MULTI or subscribed? Then the keyspace alone is not the whole state. */
bool pair_entangled(const pair *t);
/* Does our server know this command? */
bool pair_knows(pair *t, str name);
/* Replies and looks compared so far. */
uint64_t pair_compared(const pair *t);

#endif
