/* stream.h - shared by the commands of streams: ids and entries as words and replies, and what a consumer group does.
 * Only stream*.c include it. */
#ifndef LOCKSIM_REDIS_STREAM_H
#define LOCKSIM_REDIS_STREAM_H

#include "redis/collection.h"

/* A word of one character, as C compares strings: what follows a NUL does not count. */
static inline bool word_is_char(str word, char c)
{
    return word.n > 0 && word.p[0] == c && (word.n == 1 || word.p[1] == '\0');
}

/* The first and the last id that there can be. */
#define STREAM_FIRST ((stream_id){ 0, 0 })
#define STREAM_LAST ((stream_id){ UINT64_MAX, UINT64_MAX })

/* ms, ms-seq; with `any` also ms-*, and then *any is true. No seq: `missing`. */
bool stream_parse_id(const call *c, str word, uint64_t missing, stream_id *id, bool *any);
reply stream_bad_id(void);
/* The same, but - and + are ids, too. */
bool stream_parse_any_id(const call *c, str word, uint64_t missing, stream_id *id);
/* The end of a range: -, +, an id, or ( and an id that is left out. False and *r an error. */
bool stream_parse_bound(const call *c, str word, bool upper, stream_id *id, reply *r);
/* The next id, and the one before; false if there is none. */
bool stream_id_up(stream_id *id);
bool stream_id_down(stream_id *id);

reply stream_id_reply(const call *c, stream_id id);
/* n entries from the place on: of each its id and its texts. */
reply stream_entries_reply(const call *c, const value *v, size_t place, size_t n);
reply stream_entry_reply(const call *c, const value *v, size_t place);
/* The place of the entry with this very id: false if there is none. */
bool stream_place(const value *v, stream_id id, size_t *place);
stream_id stream_first(const value *v);            /* 0-0 if it is empty */
/* name, what: two more items of a map that was made with room for them. */
void stream_tell(reply *r, const char *name, reply what);

/* ---- stream_group.c: groups ---- */

/* The consumer, seen now; a new one is told of. */
stream_consumer *stream_consumer_seen(const call *c, str key, value *v, stream_group *g, str name);
/* The group has read this entry, too. */
void stream_group_reads(const call *c, const value *v, stream_group *g, stream_id id);
/* Entries that it has still to read, as an answer: nil where the server cannot tell. */
reply stream_group_lag(const call *c, const value *v, const stream_group *g);

#endif
