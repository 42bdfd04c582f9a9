/* lua_tokens.c - see lua_tokens.h. */
#include "base/lua_tokens.h"

#include <string.h>

static int peek(const tokens *x, size_t ahead)
{
    return x->at + ahead < x->text.n ? (unsigned char)x->text.p[x->at + ahead] : -1;
}

static int column(const tokens *x)
{
    return (int)(x->at - x->line_start) + 1;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_name_start(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_name(int c) { return is_name_start(c) || is_digit(c); }

size_t tokens_newline(str s, size_t at)
{
    if (at >= s.n || (s.p[at] != '\n' && s.p[at] != '\r'))
        return 0;
    return at + 1 < s.n && (s.p[at + 1] == '\n' || s.p[at + 1] == '\r') && s.p[at + 1] != s.p[at] ? 2 : 1;
}

/* Over one end of line, if there is one. */
static bool skip_newline(tokens *x)
{
    size_t n = tokens_newline(x->text, x->at);
    if (n == 0)
        return false;
    x->at += n;
    x->line++;
    x->line_start = x->at;
    return true;
}

static bool wrong(tokens *x, int line, int col, const char *why)
{
    x->why = why;
    x->why_line = line;
    x->why_col = col;
    return false;
}

int tokens_long_bracket(str s, char c)
{
    size_t level = 0;
    if (s.n == 0 || s.p[0] != c)
        return -1;
    while (level + 1 < s.n && s.p[level + 1] == '=')
        level++;
    return level + 1 < s.n && s.p[level + 1] == c ? (int)level : -1;
}

static int long_bracket(const tokens *x, char c)
{
    return tokens_long_bracket(str_slice(x->text, x->at, x->text.n), c);
}

/* Over the rest of a long string or comment. */
static bool skip_long(tokens *x, int level, int line, int col, const char *why)
{
    x->at += (size_t)level + 2;
    for (;;) {
        int c = peek(x, 0);
        if (c < 0)
            return wrong(x, line, col, why);
        if (c == ']' && long_bracket(x, ']') == level) {
            x->at += (size_t)level + 2;
            return true;
        }
        if (!skip_newline(x))
            x->at++;
    }
}

static bool skip_blanks(tokens *x)
{
    for (;;) {
        int c = peek(x, 0);
        if (skip_newline(x))
            continue;
        if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
            x->at++;
        } else if (c == '-' && peek(x, 1) == '-') {
            int line = x->line, col = column(x);
            x->at += 2;
            int level = long_bracket(x, '[');
            if (level >= 0) {
                if (!skip_long(x, level, line, col, "this comment is never closed"))
                    return false;
            } else {
                while (peek(x, 0) >= 0 && peek(x, 0) != '\n' && peek(x, 0) != '\r')
                    x->at++;
            }
        } else {
            return true;
        }
    }
}

static bool skip_quoted(tokens *x)
{
    int line = x->line, col = column(x), delimiter = peek(x, 0);
    x->at++;
    for (;;) {
        int c = peek(x, 0);
        if (c < 0 || c == '\n' || c == '\r')
            return wrong(x, line, col, "this string is not closed on its line");
        x->at++;
        if (c == delimiter)
            return true;
        if (c != '\\')
            continue;
        if (peek(x, 0) < 0)
            return wrong(x, line, col, "this string is never closed");
        if (!skip_newline(x))
            x->at++;
    }
}

static bool is_keyword(str s)
{
    static const char *const word[] = {
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not",
        "or", "repeat", "return", "then", "true", "until", "while",
    };
    for (size_t i = 0; i < COUNT(word); i++)
        if (str_eq(s, str_from(word[i])))
            return true;
    return false;
}

static size_t symbol_length(const tokens *x)
{
    static const char *const two[] = { "==", "~=", "<=", ">=", ".." };
    if (peek(x, 0) == '.' && peek(x, 1) == '.' && peek(x, 2) == '.')
        return 3;
    for (size_t i = 0; i < COUNT(two); i++)
        if (peek(x, 0) == two[i][0] && peek(x, 1) == two[i][1])
            return 2;
    return peek(x, 0) > 0 && strchr("+-*/%^#<>=(){}[];:,.", peek(x, 0)) ? 1 : 0;
}

/* As the reference interpreter reads numerals: digits and points, an exponent, then any letters; whether that is a
 * number is the compiler's to say. */
static void skip_number(tokens *x)
{
    while (is_digit(peek(x, 0)) || peek(x, 0) == '.')
        x->at++;
    if (peek(x, 0) == 'e' || peek(x, 0) == 'E') {
        x->at++;
        if (peek(x, 0) == '+' || peek(x, 0) == '-')
            x->at++;
    }
    while (is_name(peek(x, 0)))
        x->at++;
}

static bool read_one(tokens *x, token *t)
{
    int c = peek(x, 0);
    if (is_name_start(c)) {
        t->kind = TOKEN_NAME;
        while (is_name(peek(x, 0)))
            x->at++;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(x, 1)))) {
        t->kind = TOKEN_NUMBER;
        skip_number(x);
    } else if (c == '"' || c == '\'') {
        t->kind = TOKEN_STRING;
        return skip_quoted(x);
    } else if (long_bracket(x, '[') >= 0) {
        t->kind = TOKEN_STRING;
        return skip_long(x, long_bracket(x, '['), t->line, t->col, "this long string is never closed");
    } else {
        size_t n = symbol_length(x);
        if (n == 0)
            return wrong(x, t->line, t->col, NULL);
        t->kind = TOKEN_SYMBOL;
        x->at += n;
    }
    return true;
}

tokens_next_result tokens_next(tokens *x, token *t)
{
    if (!skip_blanks(x))
        return TOKENS_WRONG;
    if (peek(x, 0) < 0)
        return TOKENS_END;
    *t = (token){ .line = x->line, .col = column(x) };
    size_t from = x->at;
    if (!read_one(x, t))
        return TOKENS_WRONG;
    t->text = str_slice(x->text, from, x->at);
    if (t->kind == TOKEN_NAME && is_keyword(t->text))
        t->kind = TOKEN_KEYWORD;
    return TOKENS_ONE;
}

bool token_reads(const token *t, const char *text)
{
    return t->kind != TOKEN_STRING && str_eq(t->text, str_from(text));
}

void tokens_quote(buf *out, str s)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\%03u", c);
        else
            buf_byte(out, (char)c);
    }
    buf_byte(out, '"');
}
