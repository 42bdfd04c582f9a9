/* codec.c - see codec.h. */
#include "base/codec.h"

#include <assert.h>

#include "base/mem.h"

void put_varint(buf *out, uint64_t v)
{
    enum { NUMBER_MAX = 10 };
    if (out->cap - out->n <= NUMBER_MAX)           /* once for all of its bytes: states are written by the million */
        MEM_RESERVE(out->p, out->cap, out->n + NUMBER_MAX + 1);
    for (; v >= 0x80; v >>= 7)
        out->p[out->n++] = (char)(0x80 | (v & 0x7f));
    out->p[out->n++] = (char)v;
    out->p[out->n] = '\0';
}

void put_svarint(buf *out, int64_t v)
{
    put_varint(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

str take_bytes(str *from, size_t n)
{
    assert(n <= from->n);
    str s = { .p = from->p, .n = n };
    *from = (str){ .p = from->p + n, .n = from->n - n };
    return s;
}

unsigned char take_byte(str *from)
{
    return (unsigned char)*take_bytes(from, 1).p;
}

uint64_t take_u64(str *from)
{
    str s = take_bytes(from, sizeof(uint64_t));
    uint64_t v = 0;
    for (size_t i = s.n; i-- > 0;)
        v = v << 8 | (unsigned char)s.p[i];
    return v;
}

str take_lenstr(str *from)
{
    size_t n = take_u64(from);
    return take_bytes(from, n);
}

uint64_t take_varint(str *from)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert(shift < 64);
        unsigned char byte = take_byte(from);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
}

int64_t take_svarint(str *from)
{
    uint64_t u = take_varint(from);
    return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
}
