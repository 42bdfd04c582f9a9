/* field.h - fields of a hash that expire, for hash.c and other code that reads hashes. Only sim/redis includes this
 * file. A field lives through its deadline millisecond. What happens then differs by lineage. Redis
 * (RULE_FIELDS_GO_WHEN_SEEN): it is removed when it is accessed by name; until then HLEN counts it, and for HSET, HDEL
 * and HEXPIRE it exists. Valkey: only HLEN still counts it; it stays until it is overwritten or the server removes it
 * by itself. */
#ifndef LOCKSIM_REDIS_FIELD_H
#define LOCKSIM_REDIS_FIELD_H

#include "redis/command.h"

bool field_expired(const call *c, const hash_field *f);
/* The next one that is alive; starts with NULL, ends with NULL. */
const hash_field *field_next(const call *c, const value *v, const hash_field *f);
size_t field_count(const call *c, const value *v);         /* those alive */
/* The live field of this name, NULL if there is none; *v may be NULL. Redis removes an expired one, and with the last
 * field the key: *v is NULL then. */
const hash_field *field_look(const call *c, str key, value **v, str name);
/* The same for one of several fields: a removal is only noted in *gone, for field_tell_gone after the last one. */
const hash_field *field_look_among(const call *c, value *v, str name, bool *gone);
/* Expired fields were removed, if `gone`: reports it once, and *v is NULL if nothing is left. */
void field_tell_gone(const call *c, str key, value **v, bool gone);
/* HDEL and HGETDEL: true if the field was there. The key stays, even empty. */
bool field_del(const call *c, value *v, str name);
/* HSET: writes the field, without a deadline, or with its old one. True if it is new. *over becomes true if it replaced
 * an expired one (Valkey), which is then reported as expired: field_tell_over. */
bool field_set(const call *c, value *v, str name, str text, bool keep_deadline, bool *over);
/* HINCRBY and related commands: a new text for a field that was looked up. A live one keeps its deadline. In Valkey
 * that includes its last millisecond, in which HSETEX KEEPTTL already counts it as expired. */
void field_change(const call *c, value *v, str name, str text, bool *over);
void field_tell_over(const call *c, bool over);
/* HRANDFIELD: Redis removes expired fields before it draws. *v is NULL if nothing is left. */
void field_sweep(const call *c, str key, value **v);

#endif
