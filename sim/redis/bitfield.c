/* bitfield.c - BITFIELD and BITFIELD_RO of Redis 7.0: integers of any width anywhere in a string, which may overflow as
 * asked. */
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"

__extension__ typedef __int128 wide;               /* room for the sum of any two numbers of 64 bits */

typedef enum { DO_GET, DO_SET, DO_INCRBY } field_do;
typedef enum { WRAP, SAT, FAIL } field_overflow;

typedef struct {
    field_do what;
    field_overflow overflow;
    bool is_signed;
    int bits;
    int64_t offset, n;             /* in bits; what is set or added */
} field_op;

static bool parse_type(str word, field_op *op, reply *r)
{
    int64_t bits = 0;
    str digits = str_slice(word, 1, str_find(word, '\0', 0));
    op->is_signed = word.n > 0 && word.p[0] == 'i';
    bool ok = word.n > 0 && (op->is_signed || word.p[0] == 'u') &&
              parse_int_within(digits, 1, op->is_signed ? 64 : 63, &bits);
    op->bits = (int)bits;
    if (!ok)
        *r = reply_error(S("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but "
                           "i64 is."));
    return ok;
}

/* In bits, or with # in widths of the field. */
static bool parse_offset(str word, field_op *op, reply *r)
{
    bool in_widths = word.n > 0 && word.p[0] == '#';
    bool ok = parse_int(str_slice(word, in_widths, word.n), &op->offset);
    if (ok && in_widths)
        /* what wraps around is as good as any, as in Redis */
        op->offset = (int64_t)((uint64_t)op->offset * (uint64_t)op->bits);
    ok = ok && op->offset >= 0 && op->offset >> 3 < STRING_BYTES_MAX;
    if (!ok)
        *r = reply_error(S("ERR bit offset is not an integer or out of range"));
    return ok;
}

static bool parse_overflow(str word, field_overflow *overflow, reply *r)
{
    bool wrap = str_eq_nocase(word, S("wrap")), sat = str_eq_nocase(word, S("sat")),
                fail = str_eq_nocase(word, S("fail"));
    *overflow = wrap ? WRAP : sat ? SAT : FAIL;
    if (!wrap && !sat && !fail)
        *r = reply_error(S("ERR Invalid OVERFLOW type specified"));
    return wrap || sat || fail;
}

/* All operations, before anything is done. */
static bool parse_ops(const call *c, field_op *ops, size_t *count, reply *r)
{
    field_overflow overflow = WRAP;
    *count = 0;
    for (size_t i = 2; i < c->argc;) {
        size_t left = c->argc - i - 1;
        field_op op = { .overflow = overflow };
        if (arg_is(c, i, S("overflow")) && left >= 1) {
            if (!parse_overflow(c->argv[i + 1], &overflow, r))
                return false;
            i += 2;
            continue;
        }
        if (arg_is(c, i, S("get")) && left >= 2)
            op.what = DO_GET;
        else if (arg_is(c, i, S("set")) && left >= 3)
            op.what = DO_SET;
        else if (arg_is(c, i, S("incrby")) && left >= 3)
            op.what = DO_INCRBY;
        else
            return *r = reply_syntax(), false;
        if (!parse_type(c->argv[i + 1], &op, r) || !parse_offset(c->argv[i + 2], &op, r))
            return false;
        if (op.what != DO_GET && !parse_int(c->argv[i + 3], &op.n))
            return *r = reply_not_integer(), false;
        ops[(*count)++] = op;
        i += op.what == DO_GET ? 3 : 4;
    }
    return true;
}

/* ---- fields ---- */

static uint64_t read_bits(str text, int64_t offset, int bits)
{
    uint64_t n = 0;
    for (int64_t i = offset; i < offset + bits; i++) {
        uint64_t byte = (uint64_t)i / 8 < text.n ? (unsigned char)text.p[i / 8] : 0;
        n = n << 1 | (byte >> (7 - i % 8) & 1);
    }
    return n;
}

static void write_bits(char *text, int64_t offset, int bits, uint64_t n)
{
    for (int k = 0; k < bits; k++) {
        int64_t i = offset + k;
        unsigned char mask = (unsigned char)(1 << (7 - i % 8)), byte = (unsigned char)text[i / 8];
        text[i / 8] = (char)(n >> (bits - 1 - k) & 1 ? byte | mask : byte & ~mask);
    }
}

static wide field_value(const field_op *op, uint64_t raw)
{
    bool negative = op->is_signed && raw >> (op->bits - 1) & 1;
    return negative ? (wide)raw - ((wide)1 << op->bits) : (wide)raw;
}

/* What becomes of a number that does not fit; false: nothing does. */
static bool fit(const field_op *op, wide *n)
{
    wide low = op->is_signed ? -((wide)1 << (op->bits - 1)) : 0, high = low + ((wide)1 << op->bits) - 1;
    if (*n >= low && *n <= high)
        return true;
    /* Redis loses the sign of a number that is set and lies so far below that the distance does not fit 64 bits. */
    bool below = *n < low && !(op->what == DO_SET && op->is_signed && high - *n > INT64_MAX);
    if (op->overflow == SAT)
        *n = below ? low : high;
    else if (op->overflow == WRAP)
        *n = field_value(op, (uint64_t)*n & (op->bits == 64 ? UINT64_MAX : (UINT64_C(1) << op->bits) - 1));
    return op->overflow != FAIL;
}

/* Does one operation on the string, which is long enough and has grown for it or not; *changed where it wrote, and the
 * string is another. */
static reply do_op(const field_op *op, char *text, size_t n, bool grew, bool *changed)
{
    wide was = field_value(op, read_bits((str){ text, n }, op->offset, op->bits));
    if (op->what == DO_GET)
        return reply_integer((int64_t)was);
    /* For an unsigned field a negative number is a huge one where it is set, but not where it is added. */
    wide is = op->what == DO_INCRBY ? was + op->n : op->is_signed ? (wide)op->n : (wide)(uint64_t)op->n;
    if (!fit(op, &is))
        return reply_nil();
    write_bits(text, op->offset, op->bits, (uint64_t)is);
    *changed |= grew || is != was;
    return reply_integer((int64_t)(op->what == DO_SET ? was : is));
}

/* ---- the commands ---- */

static reply read_only(const call *c, const field_op *ops, size_t count)
{
    value *v;
    reply r;
    bool unused = false;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    str text = v ? value_string(v) : S("");
    r = reply_items(c->out, REPLY_ARRAY, count);
    for (size_t i = 0; i < count; i++)
        r.items[i] = do_op(&ops[i], (char *)(uintptr_t)text.p, text.n, false, &unused);
    return r;
}

static reply writing(const call *c, const field_op *ops, size_t count, size_t bytes)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if (!v)  /* even if nothing is written: then WATCH is not notified, as in Redis */
        store_put_unwatched(c->st, c->db, c->argv[1], v = value_new(VALUE_STRING));
    bool encoded = value_string_encoding(v) != ENCODING_RAW;
    str old = value_string(v);
    size_t n = old.n > bytes ? old.n : bytes;
    bool changed = false, grew = n > old.n;
    char *text = mem_zero(n + 1);
    memcpy(text, old.p, old.n);
    r = reply_items(c->out, REPLY_ARRAY, count);
    for (size_t i = 0; i < count; i++)
        r.items[i] = do_op(&ops[i], text, n, grew, &changed);
    value_string_set(v, (str){ text, n });
    value_string_mark(v, TEXT_GROWN);
    mem_free(text);
    if (changed) {
        store_touch(c->st, c->db, c->argv[1]);
        notify(c, NOTIFY_STRING, "setbit", c->argv[1]);
    } else if (grew || encoded) {
        store_touch_unwatched(c->st);
    }
    return r;
}

static reply bitfield(const call *c, bool only_get)
{
    field_op *ops = ARENA_ARRAY(c->out, field_op, c->argc);
    size_t count, bytes = 0;
    reply r;
    if (!parse_ops(c, ops, &count, &r))
        return r;
    for (size_t i = 0; i < count; i++) {
        size_t need = (size_t)(ops[i].offset + ops[i].bits - 1) / 8 + 1;
        bytes = ops[i].what != DO_GET && need > bytes ? need : bytes;
    }
    if (bytes == 0)
        return read_only(c, ops, count);
    if (only_get)
        return reply_error(S("ERR BITFIELD_RO only supports the GET subcommand"));
    return writing(c, ops, count, bytes);
}

/* BITFIELD key [GET type offset] [SET type offset n] [INCRBY type offset n] [OVERFLOW WRAP|SAT|FAIL] ... */
static reply cmd_bitfield(const call *c) { return bitfield(c, false); }
static reply cmd_bitfield_ro(const call *c) { return bitfield(c, true); }

const command commands_bitfield[] = {
    { .name = "bitfield", -2, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_bitfield },
    { .name = "bitfield_ro", -2, CMD_READONLY, 1, 1, 1, cmd_bitfield_ro },
    { .name = NULL },
};
