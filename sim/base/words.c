/* words.c - see words.h. */
#include "base/words.h"

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : -1;
}

/* The byte that the escape at `*i` (on the backslash) stands for; leaves *i on its last byte. */
static char escaped(str line, size_t *i)
{
    if (*i + 3 < line.n && line.p[*i + 1] == 'x') {
        int high = hex_digit(line.p[*i + 2]), low = hex_digit(line.p[*i + 3]);
        if (high >= 0 && low >= 0) {
            *i += 3;
            return (char)(high * 16 + low);
        }
    }
    char c = line.p[++*i];
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
    }
}

static word_kind next(str line, bool joins, size_t *at, buf *word)
{
    word_kind kind = WORD_PLAIN;
    char quote = '\0';
    buf_clear(word);
    while (*at < line.n && blank(line.p[*at]))
        ++*at;
    if (*at == line.n)
        return WORD_NONE;
    for (; *at < line.n; ++*at) {
        char c = line.p[*at];
        if (quote == '\0' && blank(c))
            return kind;
        if (quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
            kind = WORD_QUOTED;
        } else if (quote == '\0') {
            buf_byte(word, c);
        } else if (quote == '"' && c == '\\' && *at + 1 < line.n) {
            buf_byte(word, escaped(line, at));
        } else if (quote == '\'' && c == '\\' && *at + 1 < line.n && line.p[*at + 1] == '\'') {
            buf_byte(word, '\'');
            ++*at;
        } else if (c == quote && joins) {
            quote = '\0';
        } else if (c == quote) {
            ++*at;
            return *at >= line.n || blank(line.p[*at]) ? kind : WORD_BROKEN;
        } else {
            buf_byte(word, c);
        }
    }
    return quote == '\0' ? kind : WORD_BROKEN;
}

word_kind words_next(str line, size_t *at, buf *word) { return next(line, false, at, word); }
word_kind words_next_joined(str line, size_t *at, buf *word) { return next(line, true, at, word); }

bool words_split(arena *a, str line, str **words, bool **quoted, size_t *count)
{
    size_t room = line.n / 2 + 1, at = 0;          /* each word needs a byte and a blank */
    *words = ARENA_ARRAY(a, str, room);
    bool *in_quotes = ARENA_ARRAY(a, bool, room);
    *count = 0;
    buf b = { 0 };
    word_kind kind;
    while ((kind = words_next(line, &at, &b)) == WORD_PLAIN || kind == WORD_QUOTED) {
        in_quotes[*count] = kind == WORD_QUOTED;
        (*words)[(*count)++] = arena_str(a, buf_str(&b));
    }
    buf_free(&b);
    if (quoted)
        *quoted = in_quotes;
    return kind == WORD_NONE;
}
