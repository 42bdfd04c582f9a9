/* deadline.h - how SET, SETEX, PSETEX and GETEX read the time a key may live, and the conditions of EXPIRE and HEXPIRE.
 * Only sim/redis includes this file. */
#ifndef LOCKSIM_REDIS_DEADLINE_H
#define LOCKSIM_REDIS_DEADLINE_H

#include "redis/command.h"

/* The meaning of the number; without a flag: milliseconds from now. */
enum { DEADLINE_SECONDS = 1, DEADLINE_ABSOLUTE = 2 };

/* False and *r Redis's refusal: no integer, not positive, or beyond 64 bits; `name` is the command it blames. An
 * absolute deadline may lie in the past. */
bool deadline_from(const call *c, str text, unsigned form, const char *name, int64_t *deadline_ms, reply *r);

/* A deadline of this form is given: one that its sender computed is compared with the present (stops), and counted if
 * it is late (redis_late_deadlines). */
void deadline_tell(const call *c, unsigned form, int64_t deadline_ms);

/* Conditions on the old deadline. */
enum { IF_NONE = 1, IF_ANY = 2, IF_GREATER = 4, IF_LESS = 8 };

/* The flag of NX, XX, GT or LT; 0: the word is none of them. */
unsigned deadline_condition(str word);
/* Those at argv[from .. to); false and *r a refusal: another word, or two that exclude each other. */
bool deadline_conditions(const call *c, size_t from, size_t to, unsigned *conditions, reply *r);
/* No deadline (STORE_NO_DEADLINE) counts as infinity: nothing is greater, everything is less. */
bool deadline_conditions_hold(unsigned conditions, int64_t old_ms, int64_t new_ms);
/* They compare the new deadline with the old one (stops). */
void deadline_tell_conditions(const call *c, unsigned conditions, int64_t old_ms, int64_t new_ms);

#endif
