/* words.h - splits a line into arguments by redis-cli's quoting rules.
 * Source: redis.io/docs/manual/cli, "String quoting and escaping". */
#ifndef LOCKSIM_CLI_WORDS_H
#define LOCKSIM_CLI_WORDS_H

#include "base/arena.h"
#include "base/buf.h"

/* "double" quotes know \n \r \t \b \a \xHH and \ before any other byte; 'single' quotes know \' only; a closing quote ends the
 * word. false: a quote is not closed, or text follows it directly. Words and the list live in `a`; quoted[i] (if asked for) says
 * whether word i was in quotes. */
bool words_split(arena *a, str line, str **words, bool **quoted, size_t *count);

#endif
