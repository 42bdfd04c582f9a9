/* part_instants.c - words and replies that may hold an instant (base/instant.h), relative to now. */
#include <inttypes.h>

#include "base/instant.h"
#include "memo/parts_internal.h"

void instant_put_word(buf *out, str s, int64_t now_ms)
{
    int64_t at_ms;
    if (instant_text(s, now_ms, &at_ms)) {
        buf_byte(out, 't');
        buf_u64(out, (uint64_t)(at_ms - now_ms));
        return;
    }
    if (instant_marked(s, now_ms, &at_ms)) {
        buf_byte(out, ':');
        buf_u64(out, (uint64_t)(at_ms - now_ms));
        return;
    }
    buf_byte(out, 's');
    buf_lenstr(out, s);
}

void instant_put_reply(buf *out, const reply *r, int64_t now_ms)
{
    buf_byte(out, (char)('a' + r->kind));
    if (r->kind == REPLY_INTEGER && instant_near(r->integer, now_ms)) {
        buf_byte(out, 't');
        buf_u64(out, (uint64_t)(r->integer - now_ms));
        return;
    }
    if (r->kind == REPLY_DOUBLE && instant_near_double(r->number, now_ms)) {
        buf_byte(out, 't');
        buf_u64(out, (uint64_t)((int64_t)r->number - now_ms));
        return;
    }
    if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS) {
        instant_put_word(out, r->text, now_ms);
        return;
    }
    if (r->count == 0) {
        reply_encode(r, 3, out);
        return;
    }
    buf_u64(out, r->count);
    for (size_t i = 0; i < r->count; i++)
        instant_put_reply(out, &r->items[i], now_ms);
}

str instant_move_word(arena *a, str s, int64_t now_ms, int64_t by_ms)
{
    int64_t at_ms;
    if (by_ms != 0 && instant_marked(s, now_ms, &at_ms))
        return arena_printf(a, ":%" PRId64, at_ms + by_ms);
    return by_ms != 0 && instant_text(s, now_ms, &at_ms) ? arena_printf(a, "%" PRId64, at_ms + by_ms) : s;
}

void instant_move_reply(arena *a, reply *r, int64_t now_ms, int64_t by_ms)
{
    if (r->kind == REPLY_INTEGER && instant_near(r->integer, now_ms))
        r->integer += by_ms;
    if (r->kind == REPLY_DOUBLE && instant_near_double(r->number, now_ms))
        r->number += (double)by_ms;
    if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS)
        r->text = instant_move_word(a, r->text, now_ms, by_ms);
    for (size_t i = 0; i < r->count; i++)
        instant_move_reply(a, &r->items[i], now_ms, by_ms);
}
