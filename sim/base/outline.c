/* outline.c - see outline.h. */
#include "base/outline.h"

#include <string.h>

#include <xxhash.h>

#include "base/instant.h"
#include "base/mem.h"

void outline_begin(outline *o)
{
    o->print = 0;
    o->count = o->left_from = o->left_to = 0;
    o->compared_count = o->happens_count = 0;
    o->used = 0;
    o->unknown = o->clock = o->cut = o->open = o->ranges = false;
    o->drift = o->tick_ms = 0;
    o->later_count = 0;
}

void outline_free(outline *o)
{
    mem_free(o->numbers);
    mem_free(o->compared);
    mem_free(o->happens);
    *o = (outline){ 0 };
}

void outline_bytes(outline *o, str bytes)
{
    o->print = XXH3_64bits_withSeed(bytes.p, bytes.n, o->print + bytes.n + 1);
}

void outline_count(outline *o, uint64_t n)
{
    o->print = XXH3_64bits_withSeed(&n, sizeof n, o->print);
}

void outline_number(outline *o, double n)
{
    MEM_RESERVE(o->numbers, o->cap, o->count + 1);
    o->numbers[o->count++] = n;
    o->print = o->print * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

void outline_compared(outline *o, double difference)
{
    if (o->compared_count == OUTLINE_COMPARED_MAX)
        return;
    MEM_RESERVE(o->compared, o->compared_cap, o->compared_count + 1);
    o->compared[o->compared_count++] = difference;
}

void outline_happens(outline *o, int64_t at_ms)
{
    MEM_RESERVE(o->happens, o->happens_cap, o->happens_count + 1);
    o->happens[o->happens_count++] = (double)at_ms;
}

void outline_later(outline *o, int64_t at_ms)
{
    size_t i = 0;
    while (i < o->later_count && o->later_ms[i] != at_ms - o->began_ms)
        i++;
    if (i < OUTLINE_WAITS)
        o->later_ms[i] = at_ms - o->began_ms;
    if (i == o->later_count && i < OUTLINE_WAITS)
        o->later_count++;
}

void outline_add(outline *o, const outline *more)
{
    outline_count(o, more->print);
    for (size_t i = 0; i < more->count; i++)
        outline_number(o, more->numbers[i]);
    for (size_t i = 0; i < more->compared_count; i++)
        outline_compared(o, more->compared[i]);
    for (size_t i = 0; i < more->happens_count; i++)
        outline_happens(o, (int64_t)more->happens[i]);
    for (size_t i = 0; i < more->later_count; i++)
        outline_later(o, o->began_ms + more->later_ms[i]);
    outline_add_used(o, more->used, more->unknown);
    o->clock |= more->clock;
    o->cut |= more->cut;
    o->open |= more->open;
    o->ranges |= more->ranges;
    o->tick_ms = o->drift ? o->tick_ms : more->tick_ms;
    o->drift = more->drift ? more->drift : o->drift;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* An integer or a number of eight bytes, as MessagePack writes it; those of fewer bytes are no instants. */
static bool packed(str text, size_t at, double *n)
{
    unsigned char kind = (unsigned char)text.p[at];
    uint64_t bits = 0;
    if ((kind != 0xcb && kind != 0xcf && kind != 0xd3) || text.n - at < 9)
        return false;
    for (size_t i = 1; i <= 8; i++)
        bits = bits << 8 | (unsigned char)text.p[at + i];
    if (kind == 0xcb)
        memcpy(n, &bits, sizeof bits);
    else
        *n = (double)(int64_t)bits;
    return true;
}

#define EXACT_MAX 9007199254740992.0               /* 2^53: microseconds since 1970 are below */

/* Digits behind a point, of a number whose whole part is *n, become millionths of it: seconds with a fraction are
 * microseconds. A score of so many seconds is told to seventeen digits, of which the last are noise (%.17g of
 * 1700000000.025 is 1700000000.0250001). Returns how many bytes they take with the point; 0: it is no such number. */
static size_t fraction(str text, size_t at, double *n)
{
    enum { DIGITS_MAX = 6, NOISE_MAX = 9 };
    size_t digits = 0;
    double millionths = *n;
    bool noise = *n >= 1e9;
    while (at + 1 + digits < text.n && is_digit(text.p[at + 1 + digits]) && digits <= NOISE_MAX)
        digits++;
    if (text.p[at] != '.' || digits == 0 || digits > (noise ? NOISE_MAX : DIGITS_MAX))
        return 0;
    for (size_t i = 1; i <= DIGITS_MAX; i++)
        millionths = 10 * millionths + (i <= digits ? text.p[at + i] - '0' : 0);
    millionths += digits > DIGITS_MAX && text.p[at + DIGITS_MAX + 1] >= '5';
    if (millionths > EXACT_MAX)
        return 0;
    *n = millionths;
    return 1 + digits;
}

void outline_text(outline *o, str text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.n; i++) {
        size_t first = i;
        double n = 0;
        if (packed(text, i, &n)) {
            i += 9;
        } else {
            if (!is_digit(text.p[i]))
                continue;
            for (; i < text.n && is_digit(text.p[i]); i++)
                n = 10 * n + (text.p[i] - '0');
            if (n > EXACT_MAX)
                continue;
        }
        outline_bytes(o, str_slice(text, from, first));
        size_t behind = i < text.n ? fraction(text, i, &n) : 0;
        if (behind > 0)
            outline_bytes(o, S("."));
        i += behind;
        outline_number(o, n);
        from = i--;
    }
    outline_bytes(o, str_slice(text, from, text.n));
}

void outline_used_bytes(uint64_t *print, str bytes)
{
    *print = XXH3_64bits_withSeed(bytes.p, bytes.n, *print);
}

void outline_used(uint64_t *print, double n)
{
    outline_used_bytes(print, (str){ (const char *)&n, sizeof n });
}

bool outline_used_text(uint64_t *print, str text, int64_t now_ms)
{
    outline o = { .print = *print };
    bool instants = false;
    outline_text(&o, text);
    *print = o.print;
    for (size_t i = 0; i < o.count; i++)
        if (instant_near_double(o.numbers[i], now_ms))
            instants = true;
        else
            outline_used(print, o.numbers[i]);
    outline_free(&o);
    return instants;
}

void outline_add_used(outline *o, uint64_t print, bool unknown)
{
    outline_used_bytes(&o->used, (str){ (const char *)&print, sizeof print });
    o->unknown |= unknown;
}
