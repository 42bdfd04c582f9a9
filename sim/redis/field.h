/* field.h - fields of a hash that expire, for hash.c and who else looks into a hash. Only sim/redis includes this file.
 * A field lives through its deadline millisecond. What becomes of it then differs by lineage. Redis
 * (RULE_FIELDS_GO_WHEN_SEEN): it is removed when somebody asks for it by name, and until then HLEN counts it, and HSET,
 * HDEL and HEXPIRE take it for one that is there. Valkey: nobody but HLEN sees it any more; it stays until something is
 * written in its place or the server removes it by itself. */
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
/* The same for one of several: what goes is only noted in *gone, for field_tell_gone once all were asked for. */
const hash_field *field_look_among(const call *c, value *v, str name, bool *gone);
/* Expired fields were removed, if `gone`: told once, and *v is NULL if nothing is left. */
void field_tell_gone(const call *c, str key, value **v, bool gone);
/* HDEL and HGETDEL: true if the field was there. The key stays, even empty. */
bool field_del(const call *c, value *v, str name);
/* HSET: the field as it is to be, without a deadline, or with its old one. True if it is new. *over becomes true if one
 * that has expired had its place (Valkey), which is then told of as expired: field_tell_over. */
bool field_set(const call *c, value *v, str name, str text, bool keep_deadline, bool *over);
/* HINCRBY and its kin: a new text for a field that was looked for. A live one keeps its deadline, with Valkey in its
 * last millisecond, too, though HSETEX KEEPTTL takes it for expired then. */
void field_change(const call *c, value *v, str name, str text, bool *over);
void field_tell_over(const call *c, bool over);
/* HRANDFIELD: Redis removes what has expired before it draws. *v is NULL if nothing is left. */
void field_sweep(const call *c, str key, value **v);

#endif
