/* str.h - borrowed byte strings: a pointer and a length, binary safe, owned elsewhere. */
#ifndef LOCKSIM_BASE_STR_H
#define LOCKSIM_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const char *p;
    size_t n;
} str;

/* A literal as a str; the terminating NUL is not part of it. */
#define S(literal) ((str){ .p = "" literal, .n = sizeof(literal) - 1 })
/* For printf: "%.*s", STR_ARG(s). */
#define STR_ARG(s) (int)(s).n, (s).p
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

str str_from(const char *z);                       /* NULL gives the empty string */
static inline bool str_eq(str a, str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
/* ASCII letters only. */
static inline bool str_eq_nocase(str a, str b)
{
    return a.n == b.n && (a.n == 0 || strncasecmp(a.p, b.p, a.n) == 0);
}
int str_cmp(str a, str b);                         /* memcmp order, the shorter first */
bool str_starts(str s, str prefix);
bool str_starts_nocase(str s, str prefix);       /* ASCII letters only */
bool str_ends(str s, str suffix);
/* Index of the first `c` in `s` from `from` on, or s.n. */
size_t str_find(str s, char c, size_t from);
str str_slice(str s, size_t from, size_t to);      /* clamped to the string */
/* Edit distance (Levenshtein 1966), case folded: for "did you mean". */
size_t str_distance(str a, str b);

#endif
