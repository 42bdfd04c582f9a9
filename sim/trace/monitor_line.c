/* monitor_line.c - see monitor_line.h. Nearly every word has no escapes and is borrowed from the line as it stands:
 * reading a log is bound by memory. */
#include "trace/monitor_line.h"

#include <string.h>

#include "base/mem.h"

void monitor_free(monitor_room *room)
{
    mem_free(room->argv);
    buf_free(&room->words);
    *room = (monitor_room){ 0 };
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

bool monitor_looks_like(str line)
{
    return line.n > 0 && digit(line.p[0]);
}

/* Digits from *at on, at most `most` of them. -1: there are none, or more. */
static int64_t number(str s, size_t *at, size_t most)
{
    size_t from = *at;
    int64_t n = 0;
    while (*at < s.n && digit(s.p[*at]) && *at - from < most)
        n = n * 10 + (s.p[(*at)++] - '0');
    return *at == from || (*at < s.n && digit(s.p[*at])) ? -1 : n;
}

static bool take(str s, size_t *at, char c)
{
    if (*at >= s.n || s.p[*at] != c)
        return false;
    ++*at;
    return true;
}

/* "1700000000.123456 [0 127.0.0.1:5321]" */
static bool parse_head(str s, size_t *at, record *out, const char **why)
{
    enum { SECONDS_DIGITS_MAX = 12, MICROS_DIGITS = 6 };
    int64_t seconds = number(s, at, SECONDS_DIGITS_MAX);
    if (seconds < 0 || !take(s, at, '.'))
        return *why = "it has no time", false;
    size_t from = *at;
    int64_t micros = number(s, at, MICROS_DIGITS);
    if (micros < 0 || *at - from != MICROS_DIGITS)
        return *why = "its time has no six digits after the point", false;
    out->at_us = seconds * 1000000 + micros;
    if (!take(s, at, ' ') || !take(s, at, '['))
        return *why = "no [database client] follows its time", false;
    int64_t db = number(s, at, 5);
    if (db < 0 || !take(s, at, ' '))
        return *why = "its [ ] has no database", false;
    size_t end = str_find(s, ']', *at);
    if (s.n > *at && s.p[*at] == '[')              /* [0 [::1]:5321] */
        end = str_find(s, ']', end + 1);
    if (end >= s.n)
        return *why = "its [ ] is not closed", false;
    out->db = (int)db;
    out->client = str_slice(s, *at, end);
    out->lua = str_eq(out->client, S("lua"));
    *at = end + 1;
    return true;
}

static int hex(char c)
{
    return digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character of the escape after a backslash at s[*at]; moves past it. */
static char escaped(str s, size_t *at)
{
    static const char from[] = "nrtab", to[] = "\n\r\t\a\b";
    char c = s.p[(*at)++];
    if (c == 'x' && *at + 1 < s.n && hex(s.p[*at]) >= 0 && hex(s.p[*at + 1]) >= 0) {
        c = (char)(hex(s.p[*at]) << 4 | hex(s.p[*at + 1]));
        *at += 2;
        return c;
    }
    const char *found = memchr(from, c, sizeof from - 1);
    return found ? to[found - from] : c;
}

/* The rest of a word with escapes, from the first one at *at on; its beginning is already in `words`. */
static bool unescape(monitor_room *room, str s, size_t *at)
{
    while (*at < s.n) {
        char c = s.p[(*at)++];
        if (c == '"')
            return true;
        if (c == '\\') {
            if (*at >= s.n)
                return false;
            c = escaped(s, at);
        }
        buf_byte(&room->words, c);
    }
    return false;
}

/* One word, its opening quote read already. A word with escapes is left as a place in `words`, which may move: p NULL,
 * n its beginning. */
static bool parse_word(monitor_room *room, str s, size_t *at, str *word)
{
    size_t from = *at;
    const char *quote = memchr(s.p + from, '"', s.n - from);
    size_t end = quote ? (size_t)(quote - s.p) : s.n;
    const char *slash = memchr(s.p + from, '\\', end - from);
    if (!slash) {
        *word = str_slice(s, from, end);
        *at = end + 1;
        return quote != NULL;
    }
    *word = (str){ .p = NULL, .n = room->words.n };
    *at = (size_t)(slash - s.p);
    buf_add(&room->words, str_slice(s, from, *at));
    bool closed = unescape(room, s, at);
    buf_byte(&room->words, '\0');      /* so that each word's end is where the next one begins, less one */
    return closed;
}

/* Words that lie in the room's buffer get their pointers, now that it does not move any more. */
static void place_words(monitor_room *room, size_t argc)
{
    size_t end = room->words.n;
    for (size_t i = argc; i-- > 0;)
        if (!room->argv[i].p) {
            size_t from = room->argv[i].n;
            room->argv[i] = (str){ .p = room->words.p + from, .n = end - from - 1 };
            end = from;
        }
}

bool monitor_parse(monitor_room *room, str text, record *out, const char **why)
{
    size_t at = 0, argc = 0;
    *out = (record){ .sent_us = RECORD_UNKNOWN, .answered_us = RECORD_UNKNOWN };
    buf_clear(&room->words);
    if (!parse_head(text, &at, out, why))
        return false;
    while (at < text.n) {
        if (!take(text, &at, ' ') || !take(text, &at, '"'))
            return *why = "a word is not in quotes", false;
        MEM_RESERVE(room->argv, room->argv_cap, argc + 1);
        if (!parse_word(room, text, &at, &room->argv[argc]))
            return *why = "a quote is not closed: the line is cut", false;
        argc++;
    }
    if (argc == 0)
        return *why = "it has no command: the line is cut", false;
    place_words(room, argc);
    out->argv = room->argv;
    out->argc = argc;
    return true;
}
