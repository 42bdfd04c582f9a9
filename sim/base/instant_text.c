/* instant_text.c - see instant_text.h. */
#include "base/instant_text.h"

#include <assert.h>
#include <inttypes.h>

#include "base/codec.h"

void instant_text_put(buf *out, str s, instant_spelling spelling, int64_t now_ms)
{
    int64_t at_ms;
    bool marked = instant_marked(s, now_ms, &at_ms);
    if (marked || instant_text(s, now_ms, &at_ms)) {
        buf_byte(out, marked ? ':' : 't');
        buf_u64(out, (uint64_t)(at_ms - now_ms));
        return;
    }
    instant_in_text x = { .unit = INSTANT_NONE };
    if (spelling > INSTANTS_PLAIN)
        x = instant_next(s, 0, spelling, now_ms);
    buf_byte(out, x.unit == INSTANT_NONE ? 's' : 'w');
    size_t from = 0;
    for (; x.unit != INSTANT_NONE; x = instant_next(s, from, spelling, now_ms)) {
        buf_lenstr(out, str_slice(s, from, x.from));
        buf_byte(out, (char)x.unit);
        buf_u64(out, (uint64_t)(x.n - instant_now_in(x.unit, now_ms)));
        from = x.to;
    }
    buf_lenstr(out, str_slice(s, from, s.n));
    if (from > 0)
        buf_byte(out, INSTANT_NONE);
}

str instant_text_take(arena *a, str *from, int64_t now_ms)
{
    char kind = (char)take_byte(from);
    if (kind == 's')
        return arena_str(a, take_lenstr(from));
    if (kind != 'w')
        return arena_printf(a, "%s%" PRId64, kind == ':' ? ":" : "", (int64_t)take_u64(from) + now_ms);
    buf all = { 0 };
    instant_unit unit;
    do {
        buf_add(&all, take_lenstr(from));
        unit = (instant_unit)take_byte(from);
        if (unit != INSTANT_NONE)
            buf_printf(&all, "%" PRId64, (int64_t)take_u64(from) + instant_now_in(unit, now_ms));
    } while (unit != INSTANT_NONE);
    str s = arena_str(a, buf_str(&all));
    buf_free(&all);
    return s;
}

str instant_text_move(arena *a, str s, instant_spelling spelling, int64_t from_ms, int64_t to_ms)
{
    int64_t at_ms;
    if (from_ms == to_ms)
        return s;
    if (instant_marked(s, from_ms, &at_ms))
        return arena_printf(a, ":%" PRId64, at_ms + to_ms - from_ms);
    if (instant_text(s, from_ms, &at_ms))
        return arena_printf(a, "%" PRId64, at_ms + to_ms - from_ms);
    if (spelling == INSTANTS_PLAIN || instant_next(s, 0, spelling, from_ms).unit == INSTANT_NONE)
        return s;
    buf b = { 0 };
    instant_text_put(&b, s, spelling, from_ms);
    str bytes = buf_str(&b);
    str moved = instant_text_take(a, &bytes, to_ms);
    assert(bytes.n == 0);
    buf_free(&b);
    return moved;
}
