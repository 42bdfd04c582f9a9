/* instant.c - see instant.h. */
#include "base/instant.h"

#include <math.h>

bool instant_near_double(double n, int64_t now_ms)
{
    return n >= (double)(now_ms - INSTANT_WINDOW_MS) && n <= (double)(now_ms + INSTANT_WINDOW_MS) && n == floor(n);
}

bool instant_unfolded(double n, int64_t now_ms)
{
    bool seconds = n > 1e6 && n < 9e12 && instant_near_double(n * 1000, now_ms);
    return instant_near_double(n, now_ms) || seconds || instant_near_double(floor(n / 1000), now_ms);
}

bool instant_digits(str s, int64_t *n)
{
    enum { DIGITS_MAX = 16 };
    *n = 0;
    if (s.n == 0 || s.n > DIGITS_MAX)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        *n = 10 * *n + (s.p[i] - '0');
    }
    return true;
}

bool instant_text(str s, int64_t now_ms, int64_t *at_ms)
{
    return s.n > 0 && s.p[0] != '0' && instant_digits(s, at_ms) && instant_near(*at_ms, now_ms);
}

int64_t instant_now_in(instant_unit unit, int64_t now_ms)
{
    return unit == INSTANT_S ? now_ms / 1000 : unit == INSTANT_US ? now_ms * 1000 : now_ms;
}

instant_unit instant_unit_of(int64_t n, instant_spelling spelling, int64_t now_ms)
{
    if (instant_near(n, now_ms))
        return INSTANT_MS;
    if (spelling >= INSTANTS_WITHIN && instant_near(n / 1000, now_ms))
        return INSTANT_US;
    bool seconds = spelling >= INSTANTS_SECONDS && n < INT64_MAX / 1000 && instant_near(n * 1000, now_ms);
    return seconds ? INSTANT_S : INSTANT_NONE;
}

bool instant_of_seconds(double n, int64_t now_ms, int64_t *at_ms)
{
    if (!(n > 0 && n < 9e12))
        return false;
    *at_ms = llround(n * 1000);
    return instant_near(*at_ms, now_ms) && (double)*at_ms / 1000 == n;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

instant_in_text instant_next(str s, size_t from, instant_spelling spelling, int64_t now_ms)
{
    instant_in_text found = { .unit = INSTANT_NONE };
    for (size_t i = from; i < s.n && found.unit == INSTANT_NONE; i++) {
        size_t first = i;
        while (i < s.n && is_digit(s.p[i]))
            i++;
        if (i > first && s.p[first] != '0' && instant_digits(str_slice(s, first, i), &found.n))
            found = (instant_in_text){ first, i, instant_unit_of(found.n, spelling, now_ms), found.n };
    }
    return found;
}

instant_unit instant_of_score(double score, instant_spelling spelling, int64_t now_ms)
{
    if (instant_near_double(score, now_ms) || spelling == INSTANTS_PLAIN)
        return instant_near_double(score, now_ms) ? INSTANT_MS : INSTANT_NONE;
    if (!(score > 0 && score < 9e15))
        return INSTANT_NONE;
    instant_unit unit = instant_unit_of((int64_t)score, spelling, now_ms);
    double origin = (double)instant_now_in(unit, now_ms);
    return (score - origin) + origin == score ? unit : INSTANT_NONE;
}

bool instant_id(str s, int64_t now_ms, int64_t *at_ms, str *rest)
{
    size_t dash = str_find(s, '-', 0);
    *rest = str_slice(s, dash, s.n);
    return dash < s.n && instant_text(str_slice(s, 0, dash), now_ms, at_ms);
}

bool instant_marked(str s, int64_t now_ms, int64_t *at_ms)
{
    return s.n > 1 && s.p[0] == ':' && instant_text(str_slice(s, 1, s.n), now_ms, at_ms);
}
