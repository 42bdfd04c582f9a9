/* str.c - see str.h. */
#include "base/str.h"

#include <string.h>

str str_from(const char *z)
{
    return (str){ .p = z ? z : "", .n = z ? strlen(z) : 0 };
}

int str_cmp(str a, str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    if (order != 0)
        return order;
    return (a.n > b.n) - (a.n < b.n);
}

bool str_starts(str s, str prefix)
{
    return s.n >= prefix.n && str_eq((str){ s.p, prefix.n }, prefix);
}

bool str_starts_nocase(str s, str prefix)
{
    return s.n >= prefix.n && str_eq_nocase(str_slice(s, 0, prefix.n), prefix);
}

bool str_ends(str s, str suffix)
{
    return s.n >= suffix.n && str_eq((str){ s.p + (s.n - suffix.n), suffix.n }, suffix);
}

size_t str_find(str s, char c, size_t from)
{
    if (from >= s.n)
        return s.n;
    const char *hit = memchr(s.p + from, c, s.n - from);
    return hit ? (size_t)(hit - s.p) : s.n;
}

str str_slice(str s, size_t from, size_t to)
{
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    return (str){ .p = from ? s.p + from : s.p, .n = to - from };      /* an empty string may point nowhere */
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Words longer than this are never what a person meant to type. */
enum { DISTANCE_MAX = 64 };

size_t str_distance(str a, str b)
{
    if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
        return a.n > b.n ? a.n : b.n;
    size_t row[DISTANCE_MAX + 1];
    for (size_t j = 0; j <= b.n; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t best = diagonal + (lower(a.p[i - 1]) != lower(b.p[j - 1]));
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[b.n];
}
