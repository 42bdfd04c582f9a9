/* part_instants.c - words and replies that may hold an instant: a whole number within 10^9 of now, or a text of digits that is one, is
 * taken for one (DESIGN.md, "Instants fold"). */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "world/parts_internal.h"

#define WINDOW_MS INT64_C(1000000000)

static bool near_now(int64_t n, int64_t now_ms)
{
    return n >= now_ms - WINDOW_MS && n <= now_ms + WINDOW_MS;
}

static bool word_instant(str s, int64_t now_ms, int64_t *at_ms)
{
    enum { DIGITS_MAX = 16 };
    int64_t n = 0;
    bool digits = s.n > 0 && s.n <= DIGITS_MAX && s.p[0] != '0';
    for (size_t i = 0; i < s.n && digits; i++) {
        digits = s.p[i] >= '0' && s.p[i] <= '9';
        n = 10 * n + (s.p[i] - '0');
    }
    *at_ms = n;
    return digits && near_now(n, now_ms);
}

void instant_put_word(buf *out, str s, int64_t now_ms)
{
    int64_t at_ms;
    if (word_instant(s, now_ms, &at_ms)) {
        buf_byte(out, 't');
        buf_u64(out, (uint64_t)(at_ms - now_ms));
        return;
    }
    buf_byte(out, 's');
    buf_lenstr(out, s);
}

static bool double_instant(double d, int64_t now_ms)
{
    return floor(d) == d && fabs(d) < 1e15 && near_now((int64_t)d, now_ms);
}

void instant_put_reply(buf *out, const reply *r, int64_t now_ms)
{
    buf_byte(out, (char)('a' + r->kind));
    if (r->kind == REPLY_INTEGER && near_now(r->integer, now_ms)) {
        buf_byte(out, 't');
        buf_u64(out, (uint64_t)(r->integer - now_ms));
        return;
    }
    if (r->kind == REPLY_DOUBLE && double_instant(r->number, now_ms)) {
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
    return by_ms != 0 && word_instant(s, now_ms, &at_ms) ? arena_printf(a, "%" PRId64, at_ms + by_ms) : arena_str(a, s);
}

void instant_move_reply(arena *a, reply *r, int64_t now_ms, int64_t by_ms)
{
    if (r->kind == REPLY_INTEGER && near_now(r->integer, now_ms))
        r->integer += by_ms;
    if (r->kind == REPLY_DOUBLE && double_instant(r->number, now_ms))
        r->number += (double)by_ms;
    if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS)
        r->text = instant_move_word(a, r->text, now_ms, by_ms);
    for (size_t i = 0; i < r->count; i++)
        instant_move_reply(a, &r->items[i], now_ms, by_ms);
}
