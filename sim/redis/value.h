/* value.h - the values a key can hold: strings, lists, hashes, sets, sorted sets and streams. Only sim/redis includes
 * this file. Hash fields iterate in insertion order (a small Redis hash does; overwriting keeps the place), but see
 * hash_set_deadline. Lists are double-ended. Sets iterate sorted: numerically while every member is a canonical 64-bit
 * integer and there are at most 512 (Redis's intset), else in byte order (Redis leaves that order open). Sorted sets
 * iterate by score, then by member bytes. */
#ifndef LOCKSIM_REDIS_VALUE_H
#define LOCKSIM_REDIS_VALUE_H

#include "base/str.h"
#include "redis/packing.h"

typedef enum { VALUE_STRING, VALUE_LIST, VALUE_HASH, VALUE_SET, VALUE_ZSET, VALUE_STREAM } value_kind;

typedef struct value value;

value *value_new(value_kind kind);                 /* empty */
value *value_new_string(str text);                 /* copies */
value *value_copy(const value *v);
void value_free(value *v);
value_kind value_kind_of(const value *v);
size_t value_count(const value *v);                /* elements, fields or members; bytes of a string */
/* Approximate memory of the value: its texts, and a fixed sum for each element. After value_account, home->bytes
 * follows every change of it, until value_free; it must outlive the value. */
size_t value_bytes(const value *v);
/* What belongs to all values of one keyspace. */
typedef struct {
    size_t bytes;                                  /* the sum of theirs, and whatever its owner adds */
    packing_limits packing;
} value_home;
void value_account(value *v, value_home *home);

/* How a server with these limits keeps the collection by now; meaningless without a home. */
packing value_packing(const value *v);
/* At least so from now on; a collection of integers, or of fields without a deadline, may be told so before it
 * grows. */
void value_unpack(value *v, packing to);
/* One command is about to add n elements, beginning with `first`: for servers that count them, even if some are the
 * same. */
void value_expect(value *v, str first, size_t n);
/* Saved and loaded again: an unpacked collection is packed again if it is small enough now. */
void value_repack(value *v);
/* Its packing, or PACKING_UNSAID where that follows from its contents: the part in which equal collections can
 * differ. */
packing value_packing_kept(const value *v);

/* Strings. Borrowed until the next change. */
str value_string(const value *v);
void value_string_set(value *v, str text);         /* copies; `text` may point into the old string */
/* Writes `text` over the bytes from `at` on, the string growing as needed; a gap is filled with NUL bytes. */
void value_string_write(value *v, size_t at, str text);
/* How a string came to be, which OBJECT ENCODING shows: set as a whole (value_string_set: an integer is one), as a
 * text that stays one even if it reads as an integer, or changed within (value_string_write), which is kept with room
 * to grow. */
typedef enum { TEXT_SET, TEXT_PLAIN, TEXT_GROWN } text_form;
typedef enum { ENCODING_INT, ENCODING_EMBSTR, ENCODING_RAW } text_encoding;
enum { EMBSTR_BYTES_MAX = 44 };
/* True if that changes the encoding. */
bool value_string_mark(value *v, text_form form);
/* As Redis 7.0 to 8.0 has it, whatever the key is. */
text_encoding value_string_encoding(const value *v);
/* The form, or TEXT_SET where every server has the encoding of a text that was set: the part in which equal strings can
 * differ. */
text_form value_string_form(const value *v);

/* Lists. Positions are 0-based and must be in range. */
str list_at(const value *v, size_t i);
void list_push(value *v, bool tail, str element);
void list_pop(value *v, bool tail);                /* the list must not be empty */
void list_insert(value *v, size_t before, str element);
void list_set(value *v, size_t i, str element);
void list_remove(value *v, size_t from, size_t count);
/* One command is about to add texts: a server checks their bytes before it adds the first. */
void list_expect(value *v, const str *texts, size_t n);
/* How many listpacks it would fill under this list-max-listpack-size. */
size_t list_nodes(const value *v, const char *limit);
void list_shrank(value *v);                        /* it has fewer elements than the list whose packing it was given */

/* Hashes. A field may have a deadline; nothing here reads the clock, so an expired field is like any other: field.h
 * distinguishes them. hash_get: false if there is no such field. */
#define FIELD_NO_DEADLINE INT64_MIN
bool hash_get(const value *v, str field, str *text);
bool hash_set(value *v, str field, str text);      /* true if the field is new; it has no deadline afterwards */
bool hash_set_text(value *v, str field, str text); /* the same, but an old field keeps its deadline */
bool hash_del(value *v, str field);
/* A command checked whether a field should get a deadline, for which a server makes room first. True if that changes
 * the packing. */
bool hash_make_dated(value *v);
/* The field must exist. `in_order`: from now on fields with a deadline come first, sorted by it, and a field that loses
 * its deadline goes to the end (as in a small hash of Redis); otherwise it keeps its place. */
void hash_set_deadline(value *v, str field, int64_t deadline_ms, bool in_order);
/* At the end, whatever its deadline is; the field must be new. For code that writes a whole hash and reads it back. */
void hash_append(value *v, str field, str text, int64_t deadline_ms, bool in_order);
size_t hash_dated(const value *v);                 /* fields with a deadline */
/* removes the fields whose deadline is before now_ms; how many they were */
size_t hash_reap(value *v, int64_t now_ms);
/* Fields in order: start with NULL, ends with NULL. */
typedef struct hash_field hash_field;
const hash_field *hash_next(const value *v, const hash_field *f);
const hash_field *hash_find(const value *v, str field);           /* NULL if there is none */
str hash_field_name(const hash_field *f);
str hash_field_text(const hash_field *f);
int64_t hash_field_deadline_ms(const hash_field *f);

/* Sets. */
bool set_has(const value *v, str member);
bool set_add(value *v, str member);
bool set_del(value *v, str member);
str set_at(const value *v, size_t i);              /* in the order said above */
void set_rebuilt(value *v);                        /* the few remaining members were put into a new set */

/* Sorted sets. Ranks are 0-based, lowest score first. Scores are never NaN; -0 is stored as 0. */
bool zset_score(const value *v, str member, double *score);
bool zset_put(value *v, str member, double score); /* true if the member is new */
bool zset_del(value *v, str member);
bool zset_rank(const value *v, str member, size_t *rank);
str zset_at(const value *v, size_t rank, double *score);
/* The first rank whose score is >= min (or > min if exclusive); value_count(v) if none. */
size_t zset_lower(const value *v, double min, bool exclusive);

/* Streams: entries at positions 0 .., their ids ascending, each of n texts (field, value, ...). */
typedef struct { uint64_t ms, seq; } stream_id;
int stream_id_cmp(stream_id x, stream_id y);
/* What stays when entries go: XINFO STREAM tells it. */
typedef struct {
    stream_id last;                /* the highest that ever was: 0-0 at first */
    stream_id deleted;             /* the highest that stream_delete took out */
    uint64_t added;                /* entries that were ever appended */
} stream_past;
stream_past stream_past_of(const value *v);
void stream_set_past(value *v, stream_past past);
stream_id stream_last(const value *v);
void stream_append(value *v, stream_id id, const str *texts, size_t n);        /* copies; id above the last */
stream_id stream_at(const value *v, size_t i, const str **texts, size_t *n);   /* texts borrowed until the entry goes */
/* the first position whose id is not below; value_count(v) if none */
size_t stream_lower(const value *v, stream_id id);
void stream_remove(value *v, size_t from, size_t count);       /* trims: stream_past.deleted stays */
void stream_delete(value *v, size_t place);

/* Consumer groups of a stream, by name in byte order (value_group.c). What is borrowed here lives until it is removed;
 * names are copied. */
typedef struct stream_group stream_group;
#define STREAM_NEVER INT64_MIN
#define STREAM_READ_UNKNOWN INT64_C(-1)
typedef struct {
    str name;
    size_t pending;                /* entries that are its own; kept by stream_pending_put and its kin */
    int64_t seen_ms;               /* when a command named it */
    int64_t active_ms;             /* when it got an entry, or STREAM_NEVER */
} stream_consumer;
/* An entry that was given to a consumer, who has not acknowledged it. The entry itself may be gone. */
typedef struct {
    stream_id id;
    stream_consumer *owner;
    int64_t delivered_ms;
    uint64_t deliveries;
} stream_pending;
/* How far a group has read. */
typedef struct {
    stream_id last;
    int64_t read;                  /* entries ever, or STREAM_READ_UNKNOWN */
} stream_progress;
size_t stream_groups(const value *v);
stream_group *stream_group_at(const value *v, size_t i);
stream_group *stream_group_find(const value *v, str name);         /* NULL if there is none */
stream_group *stream_group_add(value *v, str name, stream_progress progress);      /* the name must be new */
void stream_group_remove(value *v, stream_group *g);
str stream_group_name(const stream_group *g);
stream_progress stream_group_progress(const stream_group *g);
void stream_group_set_progress(stream_group *g, stream_progress progress);
/* By name in byte order. */
size_t stream_consumers(const stream_group *g);
stream_consumer *stream_consumer_at(const stream_group *g, size_t i);
stream_consumer *stream_consumer_find(const stream_group *g, str name);            /* NULL if there is none */
stream_consumer *stream_consumer_add(value *v, stream_group *g, str name, int64_t seen_ms);
void stream_consumer_remove(value *v, stream_group *g, stream_consumer *c);        /* and what is pending for it */
/* By id. The owner must be a consumer of that group. */
size_t stream_pendings(const stream_group *g);
const stream_pending *stream_pending_at(const stream_group *g, size_t i);
size_t stream_pending_lower(const stream_group *g, stream_id id);
const stream_pending *stream_pending_find(const stream_group *g, stream_id id);    /* NULL if there is none */
void stream_pending_put(value *v, stream_group *g, stream_pending what);           /* new, or for the one of that id */
void stream_pending_remove(value *v, stream_group *g, stream_id id);

#endif
