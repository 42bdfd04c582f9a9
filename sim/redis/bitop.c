/* bitop.c - BITOP and BITPOS of Redis 7.0: strings combined bit by bit, and the first bit of a kind. */
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/server.h"

typedef enum { OP_AND, OP_OR, OP_XOR, OP_NOT } bit_operation;

static bool parse_operation(const call *c, bit_operation *op)
{
    static const char *const names[] = { "and", "or", "xor", "not" };
    str name = str_slice(c->argv[1], 0, str_find(c->argv[1], '\0', 0));
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(name, str_from(names[i]))) {
            *op = (bit_operation)i;
            return true;
        }
    return false;
}

static unsigned char combined(bit_operation op, unsigned char x, unsigned char y)
{
    return op == OP_AND ? x & y : op == OP_OR ? x | y : x ^ y;
}

/* A missing key is a string of zero bits as long as the longest. */
static str combine(const call *c, bit_operation op, const str *texts, size_t n, size_t bytes)
{
    char *out = arena_alloc(c->out, bytes + 1);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char all = i < texts[0].n ? (unsigned char)texts[0].p[i] : 0;
        for (size_t k = 1; k < n; k++)
            all = combined(op, all, i < texts[k].n ? (unsigned char)texts[k].p[i] : 0);
        out[i] = (char)(op == OP_NOT ? ~all : all);
    }
    return (str){ out, bytes };
}

/* BITOP AND|OR|XOR|NOT destination key [key ...] */
static reply cmd_bitop(const call *c)
{
    bit_operation op;
    if (!parse_operation(c, &op))
        return reply_syntax();
    if (op == OP_NOT && c->argc != 4)
        return reply_error(S("ERR BITOP NOT must be called with a single source key."));
    size_t n = c->argc - 3, bytes = 0;
    str *texts = ARENA_ARRAY(c->out, str, n);
    for (size_t i = 0; i < n; i++) {
        value *v;
        reply r;
        if (!find_kind(c, c->argv[3 + i], VALUE_STRING, &v, &r))
            return r;
        texts[i] = v ? value_string(v) : S("");
        bytes = texts[i].n > bytes ? texts[i].n : bytes;
    }
    if (bytes == 0) {
        collection_delete_unseen(c, c->argv[2]);
        return reply_integer(0);
    }
    value *v = value_new_string(combine(c, op, texts, n, bytes));
    value_string_mark(v, TEXT_GROWN);
    store_put(c->st, c->db, c->argv[2], v, false);
    notify(c, NOTIFY_STRING, "set", c->argv[2]);
    return reply_integer((int64_t)bytes);
}

/* ---- BITPOS ---- */

typedef struct {
    int64_t start, end;            /* bits, both inclusive */
    bool end_given;
} bit_range;

static int64_t within(int64_t position, int64_t units)
{
    if (position < 0)
        position += units;
    return position < 0 ? 0 : position;
}

static bool parse_range(const call *c, size_t bytes, bit_range *range, reply *r)
{
    bool bits = false;
    int64_t units = (int64_t)bytes, start = 0, end;
    if (c->argc > 6)
        return *r = reply_syntax(), false;
    if (c->argc > 3 && !parse_int(c->argv[3], &start))
        return *r = reply_not_integer(), false;
    if (c->argc == 6) {
        bits = arg_is(c, 5, S("bit"));
        if (!bits && !arg_is(c, 5, S("byte")))
            return *r = reply_syntax(), false;
    }
    end = units * (bits ? 8 : 1) - 1;
    if (c->argc > 4 && !parse_int(c->argv[4], &end))
        return *r = reply_not_integer(), false;
    if (bits)
        units *= 8;
    start = within(start, units);
    end = within(end, units);
    end = end < units ? end : units - 1;
    /* There is nothing beyond the end: the bit after the last byte is never read. */
    *range = (bit_range){ .start = bits || start > units ? start : start * 8, .end = bits ? end : end * 8 + 7,
                          .end_given = c->argc > 4 };
    if (start > end)
        range->start = range->end + 1;
    return true;
}

/* The first such bit in the range, or -1. */
static int64_t first_bit(str text, int bit, const bit_range *range)
{
    for (int64_t i = range->start; i <= range->end; i++)
        if ((((unsigned char)text.p[i / 8] >> (7 - i % 8)) & 1) == bit)
            return i;
    return -1;
}

/* BITPOS key 0|1 [start [end [BYTE|BIT]]] */
static reply cmd_bitpos(const call *c)
{
    int64_t bit;
    value *v;
    reply r;
    bit_range range;
    if (!parse_int(c->argv[2], &bit))
        return reply_not_integer();
    if (bit != 0 && bit != 1)
        return reply_error(S("ERR The bit argument must be 1 or 0."));
    if (server_follows(c->server, RULE_BITS_ARGUMENTS_FIRST) && !parse_range(c, 0, &range, &r))
        return r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if (!v)
        return reply_integer(bit ? -1 : 0);
    str text = value_string(v);
    if (!parse_range(c, text.n, &range, &r))
        return r;
    if (range.start > range.end)
        return reply_integer(-1);
    int64_t found = first_bit(text, (int)bit, &range);
    /* A string continues with zeros if no end was given. */
    return reply_integer(found < 0 && bit == 0 && !range.end_given ? range.end + 1 : found);
}

const command commands_bitop[] = {
    { .name = "bitop", -4, CMD_WRITE | CMD_DENYOOM, 2, -1, 1, cmd_bitop },
    { .name = "bitpos", -3, CMD_READONLY, 1, 1, 1, cmd_bitpos },
    { .name = NULL },
};
