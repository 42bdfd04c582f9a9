/* twins.h - a real redis-server and a simulated one that live through the same steps. Ours runs ahead; what theirs has
 * to answer is sent in batches and compared when they are settled. After each step both are looked at: KEYS, and each
 * key's PTTL and value. */
#ifndef LOCKSIM_TESTS_TWINS_H
#define LOCKSIM_TESTS_TWINS_H

#include "real.h"
#include "redis/redis.h"
#include "step.h"

typedef struct twins twins;

/* Where they differ. Borrowed until the next twins_begin. */
typedef struct {
    size_t step;           /* by the number that twins_step was given */
    str after;             /* the command that shows it, to be pasted, if it is not the step's own; else empty */
    str theirs, ours;
} difference;

twins *twins_new(real *server);
void twins_free(twins *t);             /* NULL is fine */
/* Both empty, the clock at the start, new connections that speak RESP `resp` (2 or 3). */
void twins_begin(twins *t, int resp);
/* From now on the keyspace is looked at after every n-th step only, for large ones; 0 and 1: after each. */
void twins_look_every(twins *t, unsigned n);
/* From the next twins_begin on both publish all events of keys, and the second connection is subscribed to them. */
void twins_tell_events(twins *t, bool yes);
/* `number` names it in a difference. A pop that would wait is left out unless it is queued by MULTI. Its words are
 * borrowed until settled. */
void twins_step(twins *t, const step *s, size_t number);
/* The clock moves only. */
void twins_advance(twins *t, int64_t ms);
/* Compares what is outstanding; false once anything differed, which ends the history. */
bool twins_settle(twins *t);
const difference *twins_difference(const twins *t);
/* What the last step's command was answered, by both; borrowed until the next step. */
str twins_answer(const twins *t);
/* Compares all databases, as text; settles first. */
bool twins_same_keyspace(twins *t, size_t number);

redis *twins_ours(twins *t);
int64_t twins_now_ms(const twins *t);
bool twins_in_multi(const twins *t, int conn);
size_t twins_subscriptions(const twins *t, int conn);
/* Does a connection watch keys, or is one in MULTI or subscribed? Then the keyspace alone is not the whole state. */
bool twins_entangled(const twins *t);
/* Does our server know this command? */
bool twins_knows(twins *t, str name);
/* Replies and looks compared so far. */
uint64_t twins_compared(const twins *t);

#endif
