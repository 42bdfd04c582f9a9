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
