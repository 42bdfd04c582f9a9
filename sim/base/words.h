/* words.h - splits a line into words by redis-cli's quoting rules: "double" quotes know \n \r \t \b \a \xHH and \
 * before any other byte; 'single' quotes know \' only; a closing quote ends the word.
 * Source: redis.io/docs/manual/cli, "String quoting and escaping". */
#ifndef LOCKSIM_BASE_WORDS_H
#define LOCKSIM_BASE_WORDS_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum { WORD_NONE, WORD_PLAIN, WORD_QUOTED, WORD_BROKEN } word_kind;

/* The next word from *at on, without its quotes, into `word`. WORD_NONE: the line has no more; WORD_QUOTED: a part of
 * it was in quotes; WORD_BROKEN: a quote is not closed, or text follows it directly. */
word_kind words_next(str line, size_t *at, buf *word);
/* The same, but text may follow a closing quote, and is part of the word. */
word_kind words_next_joined(str line, size_t *at, buf *word);
/* All of them; false: one is broken. Words and the list live in `a`; quoted[i] (if asked for) says whether word i was
 * in quotes. */
bool words_split(arena *a, str line, str **words, bool **quoted, size_t *count);

#endif
