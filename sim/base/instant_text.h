/* instant_text.h - texts whose instants are told by their distance from now: as bytes, and moved to another time. With
 * PLAIN only a text that is one instant, or one behind a mark, has any. */
#ifndef LOCKSIM_BASE_INSTANT_TEXT_H
#define LOCKSIM_BASE_INSTANT_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/instant.h"

/* Equal bytes: the same text but for the time between. A distance counts in its instant's unit, from the last full
 * one. */
void instant_text_put(buf *out, str s, instant_spelling spelling, int64_t now_ms);
/* What instant_text_put wrote, as of now_ms; taken off the front of `from`. In `a`. */
str instant_text_take(arena *a, str *from, int64_t now_ms);
/* The text as it is at to_ms, when it is `s` at from_ms; `s` itself where nothing moves. */
str instant_text_move(arena *a, str s, instant_spelling spelling, int64_t from_ms, int64_t to_ms);

#endif
