/* payload.c - see payload.h. */
#include "redis/payload.h"

#include <string.h>

enum { TEXT_BYTES_MAX = 512 << 20, LZF_GAIN_MAX = 132 };      /* three bytes become at most 264 */
/* The two highest bits of a text's first byte say how its length is written; 3: not a length. */
enum { LENGTH_6 = 0, LENGTH_14 = 1, LENGTH_32 = 0x80, LENGTH_64 = 0x81, SPECIAL = 3,
       SPECIAL_INTEGERS = 3, SPECIAL_LZF = 3 };

/* Of the polynomial AD93D23594C935A9, the lowest bit first. */
static uint64_t crc64(str bytes)
{
    uint64_t crc = 0;
    for (size_t i = 0; i < bytes.n; i++) {
        crc ^= (unsigned char)bytes.p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ UINT64_C(0x95AC9329AC4BC9B5) : crc >> 1;
    }
    return crc;
}

static unsigned own_version(dialect d)
{
    if (d.lineage == LINEAGE_VALKEY)
        return d.version >= 900 ? 80 : 11;
    return d.version >= 704 ? 12 : d.version >= 702 ? 11 : 10;
}

/* Valkey has left numbers free for Redis. */
static bool takes_version(dialect d, unsigned version)
{
    unsigned own = own_version(d);
    return version <= own && !(own == 80 && version >= 12 && version < 80);
}

/* ---- out ---- */

void payload_add_low_first(buf *out, uint64_t n, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_byte(out, (char)(n >> 8 * i));
}

void payload_add_length(buf *out, uint64_t n)
{
    if (n < 1 << 6) {
        buf_byte(out, (char)n);
    } else if (n < 1 << 14) {
        buf_byte(out, (char)(LENGTH_14 << 6 | n >> 8));
        buf_byte(out, (char)n);
    } else {
        int bytes = n <= UINT32_MAX ? 4 : 8;
        buf_byte(out, (char)(bytes == 4 ? LENGTH_32 : LENGTH_64));
        for (int i = bytes - 1; i >= 0; i--)
            buf_byte(out, (char)(n >> 8 * i));
    }
}

void payload_add_text(buf *out, str text)
{
    payload_add_length(out, text.n);
    buf_add(out, text);
}

void payload_end(dialect d, buf *out)
{
    payload_add_low_first(out, own_version(d), 2);
    payload_add_low_first(out, crc64(buf_str(out)), 8);
}

/* ---- in ---- */

bool payload_take_bytes(str *from, size_t n, str *out)
{
    if (n > from->n)
        return false;
    *out = str_slice(*from, 0, n);
    *from = str_slice(*from, n, from->n);
    return true;
}

bool payload_take_high_first(str *from, size_t bytes, uint64_t *n)
{
    str taken;
    if (!payload_take_bytes(from, bytes, &taken))
        return false;
    *n = 0;
    for (size_t i = 0; i < bytes; i++)
        *n = *n << 8 | (unsigned char)taken.p[i];
    return true;
}

/* *special: it is none, but a way to write a text. */
static bool take_length(str *from, uint64_t *n, bool *special)
{
    uint64_t first, more;
    if (!payload_take_high_first(from, 1, &first))
        return false;
    *special = first >> 6 == SPECIAL;
    *n = first & 0x3F;
    if (first >> 6 == LENGTH_6 || *special)
        return true;
    if (first >> 6 == LENGTH_14) {
        if (!payload_take_high_first(from, 1, &more))
            return false;
        *n = *n << 8 | more;
        return true;
    }
    return (first == LENGTH_32 || first == LENGTH_64) && payload_take_high_first(from, first == LENGTH_32 ? 4 : 8, n);
}

bool payload_take_low_first(str *from, size_t bytes, uint64_t *n)
{
    str taken;
    if (!payload_take_bytes(from, bytes, &taken))
        return false;
    *n = 0;
    for (size_t i = bytes; i-- > 0;)
        *n = *n << 8 | (unsigned char)taken.p[i];
    return true;
}

bool payload_take_length(str *from, uint64_t *n)
{
    bool special;
    return take_length(from, n, &special) && !special;
}

/* LZF: literal runs, and copies of earlier output. */
static bool expand(str packed, size_t n, arena *a, str *out)
{
    unsigned char *to = arena_alloc(a, n + 1);
    size_t at = 0;
    uint64_t control, more;
    while (packed.n > 0) {
        (void)payload_take_high_first(&packed, 1, &control);
        size_t length = control < 32 ? control + 1 : control >> 5;
        str run;
        if (control < 32) {
            if (!payload_take_bytes(&packed, length, &run) || length > n - at)
                return false;
            memcpy(to + at, run.p, length);
            at += length;
            continue;
        }
        if (length == 7 && !payload_take_high_first(&packed, 1, &more))
            return false;
        length += length == 7 ? more + 2 : 2;
        if (!payload_take_high_first(&packed, 1, &more))
            return false;
        size_t back = (size_t)(control & 31) << 8 | (size_t)more;
        if (back + 1 > at || length > n - at)
            return false;
        for (size_t i = 0; i < length; i++, at++)        /* the copy may overlap its own output */
            to[at] = to[at - back - 1];
    }
    *out = (str){ (const char *)to, n };
    return at == n;
}

bool payload_take_text(str *from, arena *a, str *text)
{
    uint64_t n, packed_n;
    bool special;
    str packed;
    if (!take_length(from, &n, &special))
        return false;
    if (!special)
        return n <= TEXT_BYTES_MAX && payload_take_bytes(from, (size_t)n, text);
    if (n < SPECIAL_INTEGERS) {
        uint64_t bits, sign = UINT64_C(1) << ((8 << n) - 1);
        if (!payload_take_low_first(from, (size_t)1 << n, &bits))
            return false;
        *text = arena_int(a, (int64_t)((bits ^ sign) - sign));
        return true;
    }
    return n == SPECIAL_LZF && payload_take_length(from, &packed_n) && payload_take_length(from, &n) &&
           n <= TEXT_BYTES_MAX && packed_n <= from->n && n <= packed_n * LZF_GAIN_MAX &&
           payload_take_bytes(from, (size_t)packed_n, &packed) &&
           expand(packed, (size_t)n, a, text);
}

bool payload_is_whole(dialect d, str payload)
{
    if (payload.n < PAYLOAD_FOOTER_BYTES)
        return false;
    buf sum = { 0 };
    const unsigned char *footer = (const unsigned char *)payload.p + payload.n - PAYLOAD_FOOTER_BYTES;
    payload_add_low_first(&sum, crc64(str_slice(payload, 0, payload.n - 8)), 8);
    bool whole = takes_version(d, footer[0] | (unsigned)footer[1] << 8) && memcmp(footer + 2, sum.p, 8) == 0;
    buf_free(&sum);
    return whole;
}
