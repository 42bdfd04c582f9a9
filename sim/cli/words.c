/* words.c - see words.h. */
#include "cli/words.h"

#include <string.h>

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
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

/* Reads one word from *i into `b`. */
static bool read_word(str line, size_t *i, buf *b, bool *was_quoted)
{
    char quote = '\0';
    for (; *i < line.n; (*i)++) {
        char c = line.p[*i];
        if (quote == '\0' && blank(c))
            return true;
        if (quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
            *was_quoted = true;
        } else if (quote == '\0') {
            buf_byte(b, c);
        } else if (quote == '"' && c == '\\' && *i + 1 < line.n) {
            buf_byte(b, escaped(line, i));
        } else if (quote == '\'' && c == '\\' && *i + 1 < line.n && line.p[*i + 1] == '\'') {
            buf_byte(b, '\'');
            (*i)++;
        } else if (c == quote) {
            (*i)++;
            return *i >= line.n || blank(line.p[*i]);
        } else {
            buf_byte(b, c);
        }
    }
    return quote == '\0';
}

bool words_split(arena *a, str line, str **words, bool **quoted, size_t *count)
{
    size_t room = line.n / 2 + 1;                  /* each word needs a byte and a blank */
    *words = ARENA_ARRAY(a, str, room);
    bool *in_quotes = ARENA_ARRAY(a, bool, room);
    *count = 0;
    buf b = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < line.n; ) {
        if (blank(line.p[i])) {
            i++;
            continue;
        }
        buf_clear(&b);
        ok = read_word(line, &i, &b, &in_quotes[*count]);
        (*words)[(*count)++] = arena_str(a, buf_str(&b));
    }
    buf_free(&b);
    if (quoted)
        *quoted = in_quotes;
    return ok;
}
