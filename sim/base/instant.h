/* instant.h - which numbers are taken for instants of virtual time: whole ones near to now (DESIGN.md, "Instants
 * fold").
 *
 * What is folded is written as its distance from now, and comes back at another time as it was: so a text counts only
 * if it is spelled as its number is printed. Where time has to stop is asked more generously (instant_digits): a script
 * may well read "0042" as a number, and one stop too many costs a state, while one too few hides a story. */
#ifndef LOCKSIM_BASE_INSTANT_H
#define LOCKSIM_BASE_INSTANT_H

#include "base/str.h"

#define INSTANT_WINDOW_MS INT64_C(1000000000)      /* so near on either side, some eleven days */

static inline bool instant_near(int64_t n, int64_t now_ms)
{
    return n >= now_ms - INSTANT_WINDOW_MS && n <= now_ms + INSTANT_WINDOW_MS;
}
/* Of a double: whole, too. It then converts to int64_t without loss. */
bool instant_near_double(double n, int64_t now_ms);
/* Digits without a sign, of which the first is no zero. */
bool instant_text(str s, int64_t now_ms, int64_t *at_ms);
/* The same after one mark, as in ":1700000000000", the answer of a script that distinguishes an instant from a name. */
bool instant_marked(str s, int64_t now_ms, int64_t *at_ms);
/* The id of a stream's entry: its instant, and from its dash on the rest. */
bool instant_id(str s, int64_t now_ms, int64_t *at_ms, str *rest);
/* Which spellings a keyspace folds beside plain ms. Equal folds go on alike if scripts do the same at every instant;
 * with seconds, at every instant as many ms behind a full second. */
typedef enum {
    INSTANTS_PLAIN,
    INSTANTS_WITHIN,       /* within a text, as in "1700000005000:A"; microseconds */
    INSTANTS_SECONDS       /* seconds, too, with a fraction or without */
} instant_spelling;
/* What clients fold beside plain ms where servers fold this: only with seconds is all that they do with it watched. */
static inline instant_spelling instants_of_clients(instant_spelling servers)
{
    return servers == INSTANTS_SECONDS ? servers : INSTANTS_PLAIN;
}
typedef enum { INSTANT_NONE, INSTANT_MS, INSTANT_US, INSTANT_S } instant_unit;
/* The present in that unit, rounded down. */
int64_t instant_now_in(instant_unit unit, int64_t now_ms);
/* The first instant in `s` at or behind `from`; INSTANT_NONE: there is no further one. */
typedef struct { size_t from, to; instant_unit unit; int64_t n; } instant_in_text;
instant_in_text instant_next(str s, size_t from, instant_spelling spelling, int64_t now_ms);
/* The unit in which a score, with a fraction or without, is an instant that can be told by its distance from now
 * without loss. */
instant_unit instant_of_score(double score, instant_spelling spelling, int64_t now_ms);
/* The unit in which a whole number is near to now. */
instant_unit instant_unit_of(int64_t n, instant_spelling spelling, int64_t now_ms);
/* The instant of a number in seconds, with whole milliseconds behind its point or without. false: it is none, or not
 * told by it without loss. */
bool instant_of_seconds(double n, int64_t now_ms, int64_t *at_ms);
/* A number that was not folded and would be an instant, or seconds or microseconds since 1970 that are near to it. */
bool instant_unfolded(double n, int64_t now_ms);
/* Digits only, at most 16 of them: no instant has more. */
bool instant_digits(str s, int64_t *n);

#endif
