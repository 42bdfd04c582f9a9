/* cases.c - see cases.h: names and patterns, and the matrix that `faults = "all"` stands for. */
#include "scenario/cases.h"

#include <string.h>

/* ---- names ---- */

static bool name_byte(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || c == '_' || (!first && ((c >= '0' && c <= '9') || c == '.'));
}

static bool check(str s, bool pattern)
{
    bool ok = s.n > 0 && s.n <= CASE_NAME_BYTES_MAX;
    for (size_t i = 0; ok && i < s.n; i++)
        ok = (pattern && s.p[i] == '*') || name_byte(s.p[i], i == 0);
    return ok;
}

bool case_name_check(str name)
{
    return check(name, false);
}

bool case_pattern_check(str pattern)
{
    return check(pattern, true);
}

bool case_matches(str pattern, str name)
{
    size_t i = 0, k = 0, star = pattern.n, kept = 0;  /* star: the last * that matched; kept: where its bytes end */
    while (k < name.n) {
        if (i < pattern.n && pattern.p[i] == '*') {
            star = i++;
            kept = k;
        } else if (i < pattern.n && pattern.p[i] == name.p[k]) {
            i++;
            k++;
        } else if (star < pattern.n) {
            i = star + 1;
            k = ++kept;
        } else {
            return false;
        }
    }
    while (i < pattern.n && pattern.p[i] == '*')
        i++;
    return i == pattern.n;
}

size_t case_colon(str name)
{
    size_t i = name.n;
    while (i > 0 && name.p[i - 1] != ':' && name.p[i - 1] != '/')
        i--;
    if (i == 0 || name.p[i - 1] == '/')
        return name.n;
    str file = str_slice(name, 0, i - 1), part = str_slice(name, i, name.n);
    return str_ends(file, S(".lua")) && case_pattern_check(part) ? i - 1 : name.n;
}

str case_file(str name)
{
    return str_slice(name, 0, case_colon(name));
}

str case_part(str name)
{
    size_t colon = case_colon(name);
    return colon < name.n ? str_slice(name, colon + 1, name.n) : S("");
}

str case_stem(arena *a, str name)
{
    str file = case_file(name), part = case_part(name);
    if (str_ends(file, S(".lua")))
        file = str_slice(file, 0, file.n - 4);
    return part.n ? arena_printf(a, "%.*s.%.*s", STR_ARG(file), STR_ARG(part)) : file;
}

/* ---- the matrix ---- */

/* Single kinds are in faults.c; these are the pairs, with two clients only: three would make a hundred times as many
 * states. */
static const char *const pairs[] = { "crash_and_pause", "lose_reply_and_late_request", "pause_and_lose_message" };
static const char *const numbers[] = { "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine" };
static const size_t CLIENTS_LEAST = 2, PAIR_CLIENTS = 2;

static bool parse_number(str word, size_t *n)
{
    for (*n = CLIENTS_LEAST; *n < COUNT(numbers); ++*n)
        if (str_eq(word, str_from(numbers[*n])))
            return true;
    return false;
}

/* Where the next "_and_" of it begins; s.n: nowhere. */
static size_t find_and(str s)
{
    for (size_t i = 0; i + 5 <= s.n; i++)
        if (memcmp(s.p + i, "_and_", 5) == 0)
            return i;
    return s.n;
}

bool matrix_parse(str name, matrix_row *row)
{
    size_t dot = str_find(name, '.', 0);
    str kinds = str_slice(name, 0, dot);
    *row = (matrix_row){ .clients = 0 };
    if (dot == name.n || !parse_number(str_slice(name, dot + 1, name.n), &row->clients))
        return false;
    for (size_t end; kinds.n > 0; kinds = str_slice(kinds, end < kinds.n ? end + 5 : end, kinds.n)) {
        fault_kind k;
        end = find_and(kinds);
        if (!fault_parse(str_slice(kinds, 0, end), &k) || !fault_title(k) || row->kinds[k] || end + 5 == kinds.n)
            return false;
        row->kinds[k] = true;
    }
    return dot > 0;
}

size_t matrix_names(arena *a, size_t clients, const str **names)
{
    size_t n = 0, most = clients < COUNT(numbers) ? clients : COUNT(numbers) - 1;
    str *list = ARENA_ARRAY(a, str, (FAULT_KINDS + COUNT(pairs)) * COUNT(numbers));
    for (size_t number = CLIENTS_LEAST; number <= most; number++) {
        for (int k = 0; k < FAULT_KINDS; k++)
            if (fault_title((fault_kind)k))
                list[n++] = arena_printf(a, "%s.%s", fault_name((fault_kind)k), numbers[number]);
        for (size_t i = 0; i < COUNT(pairs) && number <= PAIR_CLIENTS; i++)
            list[n++] = arena_printf(a, "%s.%s", pairs[i], numbers[number]);
    }
    *names = list;
    return n;
}

str matrix_title(arena *a, const matrix_row *row)
{
    buf b = { 0 };
    for (int k = 0; k < FAULT_KINDS; k++)
        if (row->kinds[k])
            buf_printf(&b, "%s%s", b.n ? " and " : "", fault_title((fault_kind)k));
    buf_printf(&b, ", %s clients", numbers[row->clients]);
    str title = arena_str(a, buf_str(&b));
    buf_free(&b);
    return title;
}
