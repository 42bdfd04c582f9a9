/* bit.c - strings as rows of bits: SETBIT, GETBIT, BITCOUNT of Redis 7.0. Bit 0 is the highest bit of the first
 * byte. */
#include "base/buf.h"
#include "redis/collection.h"
#include "redis/server.h"

static bool parse_offset(str s, int64_t *offset, reply *r)
{
    if (!parse_int_within(s, 0, STRING_BYTES_MAX * 8 - 1, offset))
        return *r = reply_error(S("ERR bit offset is not an integer or out of range")), false;
    return true;
}

static int bit_at(str text, uint64_t bit)
{
    return bit / 8 < text.n ? ((unsigned char)text.p[bit / 8] >> (7 - bit % 8)) & 1 : 0;
}

/* SETBIT key offset 0|1: the string grows by zero bytes to hold the bit, even a 0. Replies the old bit. */
static reply cmd_setbit(const call *c)
{
    int64_t offset, on;
    value *v;
    reply r;
    if (!parse_offset(c->argv[2], &offset, &r))
        return r;
    if (!parse_int_within(c->argv[3], 0, 1, &on))
        return reply_error(S("ERR bit is not an integer or out of range"));
    if (!find_or_create(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    uint64_t bit = (uint64_t)offset;
    int old = bit_at(value_string(v), bit);
    buf text = { 0 };
    buf_add(&text, value_string(v));
    static const char zeros[4096];
    while (text.n <= bit / 8)
        buf_add(&text,
                (str){ zeros, bit / 8 + 1 - text.n < sizeof zeros ? (size_t)(bit / 8 + 1 - text.n) : sizeof zeros });
    unsigned char mask = (unsigned char)(1 << (7 - bit % 8)), byte = (unsigned char)text.p[bit / 8];
    text.p[bit / 8] = (char)(on ? byte | mask : byte & ~mask);
    /* a bit that was so already is no write: WATCH does not see it */
    bool changed = old != on || text.n > value_count(v);
    text_encoding before = value_string_encoding(v);
    value_string_set(v, buf_str(&text));
    value_string_mark(v, TEXT_GROWN);
    buf_free(&text);
    if (changed) {
        store_touch(c->st, c->db, c->argv[1]);
        notify(c, NOTIFY_STRING, "setbit", c->argv[1]);
    } else if (before != ENCODING_RAW) {
        store_touch_unwatched(c->st);
    }
    return reply_integer(old);
}

static reply cmd_getbit(const call *c)
{
    int64_t offset;
    value *v;
    reply r;
    if (!parse_offset(c->argv[2], &offset, &r) || !find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    return reply_integer(v ? bit_at(value_string(v), (uint64_t)offset) : 0);
}

/* Unlike a list's, an end before the first unit is the first unit. */
static int64_t from_head(int64_t position, int64_t units)
{
    if (position < 0)
        position += units;
    return position < 0 ? 0 : position;
}

/* [start end [BYTE|BIT]]; false and *r an error. A range that is empty by its numbers alone is looked at before its
 * unit is, unless RULE_BITS_ARGUMENTS_FIRST. */
static bool count_range(const call *c, int64_t *start, int64_t *end, bool *bits, reply *r)
{
    bool open = server_follows(c->server, RULE_BITCOUNT_OPEN_END);
    if ((c->argc == 3 && !open) || c->argc > 5)
        return *r = reply_syntax(), false;
    if (c->argc > 2 && !parse_int(c->argv[2], start))
        return *r = reply_not_integer(), false;
    if (open && c->argc == 5 && !arg_is(c, 4, S("bit")) && !arg_is(c, 4, S("byte")))
        return *r = reply_syntax(), false;         /* before the end */
    if (c->argc > 3 && !parse_int(c->argv[3], end))
        return *r = reply_not_integer(), false;
    if (*start < 0 && *end < 0 && *start > *end && !server_follows(c->server, RULE_BITS_ARGUMENTS_FIRST))
        return true;
    if (c->argc < 5)
        return true;
    *bits = arg_is(c, 4, S("bit"));
    if (!*bits && !arg_is(c, 4, S("byte")))
        return *r = reply_syntax(), false;
    return true;
}

/* BITCOUNT key [start end [BYTE|BIT]]. */
static reply cmd_bitcount(const call *c)
{
    int64_t start = 0, end = -1;
    bool bits = false, early = server_follows(c->server, RULE_BITS_ARGUMENTS_FIRST);
    value *v;
    reply r;
    if (early && !count_range(c, &start, &end, &bits, &r))
        return r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if (!v)
        return reply_integer(0);
    if (!early && !count_range(c, &start, &end, &bits, &r))
        return r;
    if (start < 0 && end < 0 && start > end)
        return reply_integer(0);
    str text = value_string(v);
    int64_t unit = bits ? 1 : 8, units = (int64_t)text.n * 8 / unit, count = 0;
    start = from_head(start, units);
    end = from_head(end, units);
    for (int64_t i = start; i <= end && i < units; i++)
        for (int64_t k = 0; k < unit; k++)
            count += bit_at(text, (uint64_t)(i * unit + k));
    return reply_integer(count);
}

const command commands_bit[] = {
    { .name = "setbit", 4, CMD_WRITE | CMD_DENYOOM | CMD_TO_BIT, 1, 1, 1, cmd_setbit },
    { .name = "getbit", 3, CMD_READONLY, 1, 1, 1, cmd_getbit },
    { .name = "bitcount", -2, CMD_READONLY, 1, 1, 1, cmd_bitcount },
    { .name = NULL },
};
