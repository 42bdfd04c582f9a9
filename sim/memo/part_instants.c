/* part_instants.c - replies that may hold an instant (base/instant_text.h has texts), relative to now. */
#include <string.h>

#include "base/instant_text.h"
#include "memo/parts_internal.h"

/* A number's unit, and its distance from the last full one. */
static void put_distance(buf *out, instant_unit unit, uint64_t distance)
{
    buf_byte(out, 't');
    buf_byte(out, (char)unit);
    buf_u64(out, distance);
}

void instant_put_reply(buf *out, const reply *r, instant_spelling spelling, int64_t now_ms)
{
    buf_byte(out, (char)('a' + r->kind));
    instant_unit unit = r->kind == REPLY_INTEGER  ? instant_unit_of(r->integer, spelling, now_ms)
                        : r->kind == REPLY_DOUBLE ? instant_of_score(r->number, spelling, now_ms) : INSTANT_NONE;
    if (unit != INSTANT_NONE && r->kind == REPLY_INTEGER) {
        put_distance(out, unit, (uint64_t)(r->integer - instant_now_in(unit, now_ms)));
        return;
    }
    if (unit != INSTANT_NONE) {
        double distance = r->number - (double)instant_now_in(unit, now_ms);
        uint64_t bits;
        memcpy(&bits, &distance, sizeof bits);
        put_distance(out, unit, bits);
        return;
    }
    if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS) {
        instant_text_put(out, r->text, spelling, now_ms);
        return;
    }
    if (r->count == 0) {
        reply_encode(r, 3, out);
        return;
    }
    buf_u64(out, r->count);
    for (size_t i = 0; i < r->count; i++)
        instant_put_reply(out, &r->items[i], spelling, now_ms);
}

void instant_move_reply(arena *a, reply *r, instant_spelling spelling, int64_t from_ms, int64_t to_ms)
{
    if (r->kind == REPLY_INTEGER) {
        instant_unit unit = instant_unit_of(r->integer, spelling, from_ms);
        if (unit != INSTANT_NONE)
            r->integer += instant_now_in(unit, to_ms) - instant_now_in(unit, from_ms);
    }
    if (r->kind == REPLY_DOUBLE) {
        instant_unit unit = instant_of_score(r->number, spelling, from_ms);
        if (unit != INSTANT_NONE)
            r->number = r->number - (double)instant_now_in(unit, from_ms) + (double)instant_now_in(unit, to_ms);
    }
    if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS)
        r->text = instant_text_move(a, r->text, spelling, from_ms, to_ms);
    for (size_t i = 0; i < r->count; i++)
        instant_move_reply(a, &r->items[i], spelling, from_ms, to_ms);
}
