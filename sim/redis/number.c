/* number.c - numbers as Redis 7.0 reads and writes them, and its glob patterns. The declarations are in command.h.
 * Facts: REDIS-FIDELITY.md section 6, "Integer syntax" and "Float syntax", and the row KEYS. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "redis/command.h"

bool parse_int(str s, int64_t *n)
{
    if (s.n == 1 && s.p[0] == '0') {
        *n = 0;
        return true;
    }
    bool negative = s.n > 0 && s.p[0] == '-';
    size_t i = negative;
    if (i == s.n || s.n - i > 19 || s.p[i] < '1' || s.p[i] > '9')
        return false;
    uint64_t v = 0;                                /* 19 digits fit in 64 unsigned bits */
    for (; i < s.n; i++) {
        unsigned digit = (unsigned char)s.p[i] - (unsigned)'0';
        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    if (v > (uint64_t)INT64_MAX + negative)
        return false;
    *n = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

enum { FLOAT_TEXT_MAX = 5119 };                    /* Redis reads no longer text as a long double */

static bool range_error(bool huge, bool zero)
{
    return errno == ERANGE && (huge || zero);
}

bool parse_double(str s, double *d)
{
    char few[256], *text = few, *end;
    int64_t whole;
    if (parse_int(s, &whole)) {                    /* most are, and strtod takes ten times as long */
        *d = (double)whole;
        return true;
    }
    if (s.n == 0 || isspace((unsigned char)s.p[0]))
        return false;
    if (s.n >= sizeof few)
        text = mem_alloc(s.n + 1);                 /* a long row of zeros is a number too */
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    errno = 0;
    *d = strtod(text, &end);
    bool ok = end == text + s.n && !isnan(*d) && !range_error(isinf(*d), *d == 0);
    if (text != few)
        mem_free(text);
    return ok;
}

bool parse_long_double(str s, long double *d)
{
    char text[FLOAT_TEXT_MAX + 1], *end;
    if (s.n == 0 || s.n >= sizeof text || isspace((unsigned char)s.p[0]))
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    errno = 0;
    *d = strtold(text, &end);
    return end == text + s.n && !isnan(*d) && !range_error(isinf(*d), *d == 0);
}

str format_long_double(arena *a, long double d)
{
    str s = arena_printf(a, "%.17Lf", d);
    while (s.n && s.p[s.n - 1] == '0')             /* there is a point: %.17Lf of a finite number always prints one */
        s.n--;
    if (s.n && s.p[s.n - 1] == '.')
        s.n--;
    return str_eq(s, S("-0")) ? S("0") : s;
}

/* ---- glob ---- */

/* Reads the class that begins after the '[' at pattern[*at - 1]; leaves *at behind it. An unclosed class ends with the
 * text. */
static bool class_has(str pattern, size_t *at, unsigned char c)
{
    size_t i = *at;
    bool negated = i < pattern.n && pattern.p[i] == '^', has = false;
    i += negated;
    while (i < pattern.n && pattern.p[i] != ']') {
        unsigned char lo = (unsigned char)pattern.p[i];
        if (lo == '\\' && i + 1 < pattern.n) {
            has |= (unsigned char)pattern.p[i + 1] == c;
            i += 2;
        } else if (i + 2 < pattern.n && pattern.p[i + 1] == '-') {
            unsigned char hi = (unsigned char)pattern.p[i + 2];
            has |= lo <= hi ? lo <= c && c <= hi : hi <= c && c <= lo;
            i += 3;
        } else {
            has |= lo == c;
            i++;
        }
    }
    *at = i < pattern.n ? i + 1 : i;
    return has != negated;
}

/* Going back to the last star only is enough, and keeps a pattern of many stars from taking exponential time. */
bool glob_match(str pattern, str text)
{
    if (text.n == 0)                               /* Redis gives up before it reads the pattern: "*" does not match */
        return pattern.n == 0;
    size_t p = 0, t = 0, star_p = SIZE_MAX, star_t = 0;
    while (t < text.n) {
        bool ok = false;
        size_t next = p + 1;
        if (p < pattern.n) {
            switch (pattern.p[p]) {
            case '*':
                star_p = p = next;
                star_t = t;
                continue;
            case '?':
                ok = true;
                break;
            case '[':
                ok = class_has(pattern, &next, (unsigned char)text.p[t]);
                break;
            case '\\':
                if (next < pattern.n)
                    p = next++;
                ok = pattern.p[p] == text.p[t];
                break;
            default:
                ok = pattern.p[p] == text.p[t];
            }
        }
        if (ok) {
            p = next;
            t++;
        } else if (star_p != SIZE_MAX) {
            p = star_p;
            t = ++star_t;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}
