/* normal.c - the list of what Redis leaves open; see normal.h. REDIS-FIDELITY.md 11.5.
 *
 * What crashes the real server (raising a table without a text `err`, an error with a metatable that raises, numkeys
 * near 2^63) is not generated; words.c and lua_grammar.c say so where they leave it out. SORT's stale errno is cleared
 * first, and it does not sort texts with a NUL, where it leaves ties (pair.c). */
#include "normal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

enum { ELEMENTS_MAX = 4096 };

static const struct { const char *name, *reason; } list[NORMAL_KINDS] = {
    [EXACT] = { "exact", "every byte counts" },
    [TABLE_ORDER] = { "order of a hash table", "Redis walks a hash table by a hash that is seeded at each start" },
    [TABLE_ORDER_PAIRS] = { "order of a hash table's pairs", "the same, of fields and values" },
    [OPEN_ORDER] = { "order of KEYS, SINTER and the like", "the result is built from a hash table, whatever the "
                     "operands are" },
    [OPEN_CHOICE] = { "random elements", "SRANDMEMBER, HRANDFIELD, ZRANDMEMBER draw from a stream that is seeded at "
                      "each start" },
    [OPEN_POP] = { "random pops", "SPOP draws from that stream, and what it drew is gone" },
    [STALE_ERRNO] = { "SORT by numbers", "it reads an errno that strtod leaves alone, and some earlier command may "
                      "have set" },
    [REFUSED] = { "refused by name", "locksim says that it does not have the command, and why" },
    [SCAN_ROUNDS] = { "rounds of SCAN", "a round ends where the hash table says; from another cursor than 0 it goes on "
                      "in its middle" },
};

const char *normal_name(normal kind) { return list[kind].name; }
const char *normal_reason(normal kind) { return list[kind].reason; }

bool normal_elements(str s, str *at, size_t max, size_t *n)
{
    if (s.n == 0 || !strchr("*~%", s.p[0])) {
        at[0] = s;
        *n = 1;
        return max > 0;
    }
    long long count = strtoll(s.p + 1, NULL, 10) * (s.p[0] == '%' ? 2 : 1);
    if (count < 0 || (size_t)count > max)
        return false;
    size_t from = str_find(s, '\n', 0) + 1;
    *n = (size_t)count;
    for (size_t i = 0; i < *n; i++) {
        size_t bytes = resp_length(str_slice(s, from, s.n));
        if (bytes == 0 || bytes == SIZE_MAX)
            return false;
        at[i] = str_slice(s, from, from + bytes);
        from += bytes;
    }
    return true;
}

static int by_bytes(const void *x, const void *y) { return str_cmp(*(const str *)x, *(const str *)y); }

static bool both_elements(str x, str y, str *ex, str *ey, size_t *n)
{
    size_t other;
    return x.n > 0 && y.n > 0 && x.p[0] == y.p[0] && normal_elements(x, ex, ELEMENTS_MAX, n)
           && normal_elements(y, ey, ELEMENTS_MAX, &other) && other == *n;
}

/* The same elements, taken `by` one or two at a time, in any order. */
static bool same_in_any_order(str x, str y, size_t by)
{
    static str ex[ELEMENTS_MAX], ey[ELEMENTS_MAX];
    size_t n;
    if (!both_elements(x, y, ex, ey, &n) || n % by)
        return false;
    for (size_t i = 0; by == 2 && i < n; i += 2) {   /* an element and its neighbour are adjacent bytes */
        ex[i / 2] = (str){ ex[i].p, ex[i].n + ex[i + 1].n };
        ey[i / 2] = (str){ ey[i].p, ey[i].n + ey[i + 1].n };
    }
    qsort(ex, n / by, sizeof ex[0], by_bytes);
    qsort(ey, n / by, sizeof ey[0], by_bytes);
    for (size_t i = 0; i < n / by; i++)
        if (!str_eq(ex[i], ey[i]))
            return false;
    return true;
}

/* Replies of one shape: the same type, the same number of elements, texts anything. */
static bool same_shape(str x, str y)
{
    static str ex[ELEMENTS_MAX], ey[ELEMENTS_MAX];
    size_t n;
    if (x.n < 3 || y.n < 3 || x.p[0] != y.p[0] || x.p[0] == '-' || x.p[0] == ':')
        return false;
    if (x.p[0] == '$')
        return (x.p[1] == '-') == (y.p[1] == '-');
    return both_elements(x, y, ex, ey, &n);
}

static bool same_rounds(const step *s, str x, str y)
{
    str ex[2], ey[2];
    size_t nx, ny;
    if (!normal_elements(x, ex, 2, &nx) || !normal_elements(y, ey, 2, &ny) || nx != 2 || ny != 2)
        return false;
    size_t cursor_at = str_eq_nocase(s->argv[0], S("scan")) ? 1 : 2;
    str cursor = cursor_at < s->argc ? s->argv[cursor_at] : S("");
    bool whole = str_eq(ex[0], S("$1\r\n0\r\n"));
    for (size_t i = 0; i < cursor.n; i++)
        whole = whole && cursor.p[i] == '0';
    return !whole || same_in_any_order(ex[1], ey[1], 1);
}

static bool says_refused(str answer)
{
    static const str words = { "ERR locksim refuses '", sizeof "ERR locksim refuses '" - 1 };
    for (size_t i = 0; i + words.n <= answer.n; i++)
        if (str_eq(str_slice(answer, i, i + words.n), words))
            return true;
    return false;
}

bool normal_same(normal kind, const step *s, str x, str y)
{
    switch (kind) {
    case TABLE_ORDER:
    case OPEN_ORDER:
        return same_in_any_order(x, y, 1);
    case TABLE_ORDER_PAIRS:
        return same_in_any_order(x, y, 2);
    case OPEN_CHOICE:
    case OPEN_POP:
        return same_shape(x, y);
    case SCAN_ROUNDS:
        return same_rounds(s, x, y);
    case STALE_ERRNO:
        return str_starts(x, S("-ERR One or more scores can't be converted into double"));
    case REFUSED:
        return says_refused(y);
    case EXACT:
    case NORMAL_KINDS:
        break;
    }
    return false;
}

size_t normal_check(size_t *tried)
{
    static const struct { normal kind; const char *x, *y; bool same; } row[] = {
        { EXACT, "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n", false },
        { TABLE_ORDER, "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n", true },
        { TABLE_ORDER, "*2\r\n:1\r\n:2\r\n", "*2\r\n:1\r\n:1\r\n", false },
        { TABLE_ORDER, "~1\r\n:1\r\n", "*1\r\n:1\r\n", false },
        { TABLE_ORDER, "-ERR x\r\n", "-ERR y\r\n", false },
        { TABLE_ORDER_PAIRS, "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*4\r\n:3\r\n:4\r\n:1\r\n:2\r\n", true },
        { TABLE_ORDER_PAIRS, "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*4\r\n:1\r\n:4\r\n:3\r\n:2\r\n", false },
        { OPEN_ORDER, "*2\r\n:1\r\n:2\r\n", "*3\r\n:1\r\n:2\r\n:2\r\n", false },
        { OPEN_ORDER, "*2\r\n$1\r\na\r\n$1\r\nb\r\n", "*2\r\n$1\r\nb\r\n$1\r\na\r\n", true },
        { OPEN_CHOICE, "$1\r\na\r\n", "$2\r\nbb\r\n", true },
        { OPEN_CHOICE, "$-1\r\n", "$2\r\nbb\r\n", false },
        { OPEN_CHOICE, "*1\r\n$1\r\na\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n", false },
        { OPEN_CHOICE, "-ERR x\r\n", "-ERR y\r\n", false },
        { OPEN_POP, "*1\r\n$1\r\na\r\n", "*1\r\n$1\r\nb\r\n", true },
        { OPEN_POP, "*0\r\n", "*1\r\n$1\r\nb\r\n", false },
        { STALE_ERRNO, "-ERR One or more scores can't be converted into double\r\n", "*0\r\n", true },
        { STALE_ERRNO, "-ERR syntax error\r\n", "*0\r\n", false },
        { STALE_ERRNO, "*0\r\n", "-ERR One or more scores can't be converted into double\r\n", false },
        { REFUSED, "$3\r\nraw\r\n", "-ERR locksim refuses 'object encoding': it has none\r\n", true },
        { REFUSED, "$3\r\nraw\r\n", "-ERR syntax error\r\n", false },
        { SCAN_ROUNDS, "*2\r\n$1\r\n0\r\n*2\r\n:1\r\n:2\r\n", "*2\r\n$1\r\n0\r\n*2\r\n:2\r\n:1\r\n", true },
        { SCAN_ROUNDS, "*2\r\n$1\r\n0\r\n*1\r\n:1\r\n", "*2\r\n$1\r\n0\r\n*2\r\n:2\r\n:1\r\n", false },
        { SCAN_ROUNDS, "*2\r\n$1\r\n7\r\n*1\r\n:1\r\n", "*2\r\n$1\r\n0\r\n*2\r\n:2\r\n:1\r\n", true },
    };
    const step scan = { .argc = 2, .argv = { S("scan"), S("0") } };
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(row); i++)
        if (normal_same(row[i].kind, &scan, str_from(row[i].x), str_from(row[i].y)) != row[i].same) {
            printf("normal.c: %s: row %zu is %sforgiven\n", normal_name(row[i].kind), i, row[i].same ? "not " : "");
            wrong++;
        }
    *tried = COUNT(row);
    return wrong;
}
