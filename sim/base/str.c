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

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Is letter i of a the same as letter j of b? Both count from 1. */
static bool same_letter(str a, size_t i, str b, size_t j)
{
    return lower(a.p[i - 1]) == lower(b.p[j - 1]);
}

size_t str_distance(str a, str b)
{
    if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
        return a.n > b.n ? a.n : b.n;
    size_t rows[3][DISTANCE_MAX + 1];              /* of the last three prefixes of a */
    for (size_t j = 0; j <= b.n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t best = above[j - 1] + !same_letter(a, i, b, j);
            best = least(best, above[j] + 1);
            best = least(best, row[j - 1] + 1);
            if (i > 1 && j > 1 && same_letter(a, i, b, j - 1) && same_letter(a, i - 1, b, j))
                best = least(best, two_above[j - 2] + 1);
            row[j] = best;
        }
    }
    return rows[a.n % 3][b.n];
}
