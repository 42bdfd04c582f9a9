/* restore.c - reads a value that DUMP wrote, ours or a real server's. The bytes are somebody else's: each count and
 * each length is checked. */
#include <string.h>

#include "redis/collection.h"
#include "redis/dump.h"
#include "redis/payload.h"

typedef struct {
    str left;
    arena *a;                                      /* of texts that had to be made */
    bool in_order;
    bool packed;                                   /* `left` is a listpack: see take_text */
} source;

/* ---- listpacks: elements in one block ---- */

enum { LISTPACK_HEAD = 6, LISTPACK_END = 0xFF };

/* Bytes of the length that follows an element of n bytes. */
static size_t back_bytes(size_t n)
{
    return n <= 127 ? 1 : n < 16383 ? 2 : n < 2097151 ? 3 : n < 268435455 ? 4 : 5;
}

static bool open_listpack(str block, arena *a, source *s)
{
    uint64_t bytes, count;
    str head = block;
    *s = (source){ .a = a, .packed = true };
    if (!payload_take_low_first(&head, 4, &bytes) || !payload_take_low_first(&head, 2, &count) || bytes != block.n ||
        block.n <= LISTPACK_HEAD || (unsigned char)block.p[block.n - 1] != LISTPACK_END)
        return false;
    s->left = str_slice(block, LISTPACK_HEAD, block.n - 1);
    return true;
}

static int64_t signed_of(uint64_t bits, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

/* Of an element that begins with `first`, which is taken: a text of *n bytes, or (false) an integer. */
static bool element_is_text(str *from, uint64_t first, uint64_t *n, int64_t *integer, bool *good)
{
    static const unsigned char widths[] = { [1] = 2, [2] = 3, [3] = 4, [4] = 8 };
    uint64_t more = 0;
    *good = true;
    *integer = (int64_t)first;
    if (first < 0x80)
        return false;
    *n = first & 0x3F;
    if (first < 0xC0)
        return true;
    if (first < 0xE0) {
        *good = payload_take_low_first(from, 1, &more);
        *integer = signed_of((first & 0x1F) << 8 | more, 13);
        return false;
    }
    if (first < 0xF0) {
        *good = payload_take_low_first(from, 1, &more);
        *n = (first & 0x0F) << 8 | more;
        return true;
    }
    if (first == 0xF0)
        return *good = payload_take_low_first(from, 4, n), true;
    if (first > 0xF4)
        return *good = false;
    unsigned width = widths[first - 0xF0];
    *good = payload_take_low_first(from, width, &more);
    *integer = signed_of(more, 8 * width);
    return false;
}

static bool take_element(source *s, str *text)
{
    uint64_t first, n = 0;
    int64_t integer;
    bool good;
    size_t before = s->left.n;
    str back;
    if (!payload_take_low_first(&s->left, 1, &first))
        return false;
    bool is_text = element_is_text(&s->left, first, &n, &integer, &good);
    if (!good || (is_text && !payload_take_bytes(&s->left, (size_t)n, text)))
        return false;
    if (!is_text)
        *text = arena_int(s->a, integer);
    return payload_take_bytes(&s->left, back_bytes(before - s->left.n), &back);
}

static bool take_text(source *s, str *text)
{
    return s->packed ? take_element(s, text) : payload_take_text(&s->left, s->a, text);
}

/* A listpack within the payload becomes the source. */
static bool enter_listpack(source *s)
{
    str block;
    source inner;
    bool in_order = s->in_order;
    if (!payload_take_text(&s->left, s->a, &block) || !open_listpack(block, s->a, &inner))
        return false;
    *s = inner;
    s->in_order = in_order;
    return true;
}

/* How many elements follow; of a listpack: until it ends. */
static bool take_count(source *s, uint64_t *n)
{
    *n = UINT64_MAX;
    return s->packed || (payload_take_length(&s->left, n) && *n > 0 && *n <= s->left.n);
}

/* ---- values ---- */

static bool read_list(source *s, value *v)
{
    uint64_t n;
    str text;
    if (!take_count(s, &n))
        return false;
    for (uint64_t i = 0; i < n && (!s->packed || s->left.n); i++) {
        if (!take_text(s, &text))
            return false;
        list_push(v, true, text);
    }
    return true;
}

/* Nodes, each one element or a listpack. */
static bool read_quicklist(source *s, value *v)
{
    enum { PLAIN = 1, PACKED_NODE = 2 };
    uint64_t nodes, container;
    str block;
    if (!payload_take_length(&s->left, &nodes) || nodes > s->left.n)
        return false;
    for (uint64_t i = 0; i < nodes; i++) {
        source node;
        if (!payload_take_length(&s->left, &container) || !payload_take_text(&s->left, s->a, &block))
            return false;
        if (container == PLAIN)
            list_push(v, true, block);
        else if (container != PACKED_NODE || !open_listpack(block, s->a, &node) || !read_list(&node, v))
            return false;
    }
    return true;
}

static bool read_set(source *s, value *v)
{
    uint64_t n;
    str text;
    if (!take_count(s, &n))
        return false;
    for (uint64_t i = 0; i < n && (!s->packed || s->left.n); i++)
        if (!take_text(s, &text) || !set_add(v, text))
            return false;
    return true;
}

/* The width of the integers, how many they are, and they themselves. */
static bool read_intset(source *s, value *v)
{
    uint64_t width, n, bits;
    str block;
    if (!payload_take_text(&s->left, s->a, &block) || !payload_take_low_first(&block, 4, &width) ||
        !payload_take_low_first(&block, 4, &n) || (width != 2 && width != 4 && width != 8) || n * width != block.n)
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (!payload_take_low_first(&block, (size_t)width, &bits) ||
            !set_add(v, arena_int(s->a, signed_of(bits, (unsigned)(8 * width)))))
            return false;
    return true;
}

static bool take_score(source *s, double *score)
{
    str text;
    uint64_t bits;
    if (s->packed)
        return take_text(s, &text) && parse_double(text, score);
    if (!payload_take_low_first(&s->left, 8, &bits))
        return false;
    memcpy(score, &bits, sizeof bits);
    return *score == *score;                       /* no NaN */
}

static bool read_zset(source *s, value *v)
{
    uint64_t n;
    str member;
    double score;
    if (!take_count(s, &n))
        return false;
    for (uint64_t i = 0; i < n && (!s->packed || s->left.n); i++)
        if (!take_text(s, &member) || !take_score(s, &score) || !zset_put(v, member, score + 0.0))
            return false;
    return true;
}

/* How a field's deadline is written: see dump.c. */
typedef enum { UNDATED, DATED_REDIS, DATED_PACKED, DATED_VALKEY } dating;

/* Of the field whose texts were taken, or are about to be (DATED_REDIS). */
static bool take_deadline(source *s, dating how, uint64_t first, int64_t *at_ms)
{
    uint64_t n = 0;
    str text;
    *at_ms = FIELD_NO_DEADLINE;
    if (how == DATED_PACKED) {
        int64_t told = 0;
        if (!take_text(s, &text) || !parse_int(text, &told))
            return false;
        *at_ms = told ? told : FIELD_NO_DEADLINE;
    } else if (how == DATED_REDIS) {
        if (!payload_take_length(&s->left, &n))
            return false;
        *at_ms = n ? (int64_t)(first + n - 1) : FIELD_NO_DEADLINE;
    } else if (how == DATED_VALKEY) {
        if (!payload_take_low_first(&s->left, 8, &n))
            return false;
        *at_ms = n == UINT64_MAX ? FIELD_NO_DEADLINE : (int64_t)n;
    }
    return *at_ms >= 0 || *at_ms == FIELD_NO_DEADLINE;
}

static bool read_hash(source *s, value *v, dating how)
{
    uint64_t n, first = 0;
    bool dated = how == DATED_REDIS || how == DATED_PACKED;
    if (dated && !payload_take_low_first(&s->left, 8, &first))
        return false;
    if (how == DATED_PACKED && !enter_listpack(s))
        return false;
    if (!take_count(s, &n))
        return false;
    for (uint64_t i = 0; i < n && (!s->packed || s->left.n); i++) {
        str name, text, old;
        int64_t at_ms = FIELD_NO_DEADLINE;
        if ((how == DATED_REDIS && !take_deadline(s, how, first, &at_ms)) || !take_text(s, &name) ||
            !take_text(s, &text) || (how != DATED_REDIS && !take_deadline(s, how, first, &at_ms)) ||
            hash_get(v, name, &old))
            return false;
        hash_append(v, name, text, at_ms, s->in_order);
    }
    return true;
}

static bool read_string(source *s, value *v)
{
    str text;
    if (!take_text(s, &text))
        return false;
    value_string_set(v, text);
    return true;
}

static bool read_value(source *s, uint64_t type, value *v)
{
    switch (type) {
    case DUMP_STRING: return read_string(s, v);
    case DUMP_LIST: return read_list(s, v);
    case DUMP_QUICKLIST: return read_quicklist(s, v);
    case DUMP_SET: return read_set(s, v);
    case DUMP_SET_PACKED: return enter_listpack(s) && read_set(s, v);
    case DUMP_INTSET: return read_intset(s, v);
    case DUMP_ZSET: return read_zset(s, v);
    case DUMP_ZSET_PACKED: return enter_listpack(s) && read_zset(s, v);
    case DUMP_HASH: return read_hash(s, v, UNDATED);
    case DUMP_HASH_PACKED: return enter_listpack(s) && read_hash(s, v, UNDATED);
    case DUMP_HASH_DATED: return read_hash(s, v, DATED_REDIS);
    case DUMP_HASH_DATED_PACKED: return read_hash(s, v, DATED_PACKED);
    default: return read_hash(s, v, DATED_VALKEY);
    }
}

static const struct { int type; value_kind kind; dialect_since since; } known[] = {
    { DUMP_STRING, VALUE_STRING, { 0 } }, { DUMP_LIST, VALUE_LIST, { 0 } }, { DUMP_QUICKLIST, VALUE_LIST, { 0 } },
    { DUMP_SET, VALUE_SET, { 0 } }, { DUMP_INTSET, VALUE_SET, { 0 } }, { DUMP_ZSET, VALUE_ZSET, { 0 } },
    { DUMP_ZSET_PACKED, VALUE_ZSET, { 0 } }, { DUMP_HASH, VALUE_HASH, { 0 } }, { DUMP_HASH_PACKED, VALUE_HASH, { 0 } },
    { DUMP_SET_PACKED, VALUE_SET, SINCE(7, 2, 0, 0) }, { DUMP_HASH_DATED_VALKEY, VALUE_HASH, VALKEY_ONLY(9, 0) },
    { DUMP_HASH_DATED, VALUE_HASH, REDIS_ONLY(7, 4) }, { DUMP_HASH_DATED_PACKED, VALUE_HASH, REDIS_ONLY(7, 4) },
};

/* Old forms, and streams. */
static bool is_not_ours(uint64_t type)
{
    static const unsigned char types[] = { 3, 9, 10, 12, 13, 14, 15, 19, 21 };
    return memchr(types, (int)type, sizeof types) != NULL;
}

dump_verdict dump_read(dialect d, str payload, arena *a, bool in_order, value **v)
{
    source s = { .left = str_slice(payload, 0, payload.n - PAYLOAD_FOOTER_BYTES), .a = a, .in_order = in_order };
    uint64_t type;
    if (!payload_take_low_first(&s.left, 1, &type))
        return DUMP_BAD;
    for (size_t i = 0; i < COUNT(known); i++) {
        if ((uint64_t)known[i].type != type || !dialect_has(d, known[i].since))
            continue;
        *v = known[i].kind == VALUE_STRING ? value_new_string(S("")) : value_new(known[i].kind);
        if (read_value(&s, type, *v) && (value_count(*v) || known[i].kind == VALUE_STRING))
            return DUMP_READ;
        value_free(*v);
        return DUMP_BAD;
    }
    return is_not_ours(type) ? DUMP_UNKNOWN : DUMP_BAD;
}
