/* named_instant.h - does code name an instant, as in `if now == 1700000000123`? A search that keeps times as distances
 * from now meets that instant only by chance, and must not claim that it looked there. */
#ifndef LOCKSIM_CLIENT_NAMED_INSTANT_H
#define LOCKSIM_CLIENT_NAMED_INSTANT_H

#include "scenario/source.h"

typedef struct {
    position where;
    str text;              /* its digits, as written; borrowed from the code */
} named_instant;

/* The first one, by path and place, in any module or script file that was loaded: a number within INSTANT_WINDOW_MS of
 * `near_ms`, in ms or in seconds, or such digits in a string (which may be a script). false: there is none. */
bool named_instant_find(const source_cache *c, int64_t near_ms, named_instant *out);

#endif
