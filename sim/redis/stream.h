/* stream.h - shared by the commands of streams: ids and entries as words and replies. Only stream.c and stream_read.c
 * include it. */
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
/* The next id, and the one before; false if there is none. */
bool stream_id_up(stream_id *id);
bool stream_id_down(stream_id *id);

reply stream_id_reply(const call *c, stream_id id);
/* n entries from the place on: of each its id and its texts. */
reply stream_entries_reply(const call *c, const value *v, size_t place, size_t n);
reply stream_entry_reply(const call *c, const value *v, size_t place);

#endif
