/* source.c - see source.h: the splitting into tokens and the new layout.
 * Lexical facts: Lua 5.1 reference manual, section 2.1. */
#include "client/source.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    arena *a;
    source *s;
    err *e;
    size_t at;
    int line;
    size_t line_start;
    size_t cap, line_cap;
    buf out;
} lexer;

static int peek(const lexer *x, size_t ahead)
{
    return x->at + ahead < x->s->text.n ? (unsigned char)x->s->text.p[x->at + ahead] : -1;
}

static int column(const lexer *x)
{
    return (int)(x->at - x->line_start) + 1;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_name_start(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_name(int c) { return is_name_start(c) || is_digit(c); }

/* Over one end of line: \n, \r, \r\n and \n\r all count as one. */
static void skip_newline(lexer *x)
{
    int first = peek(x, 0), second = peek(x, 1);
    x->at += (second == '\n' || second == '\r') && second != first ? 2 : 1;
    x->line++;
    x->line_start = x->at;
}

static bool wrong(lexer *x, int line, int col, const char *what)
{
    err_at(x->e, ERR_SCENARIO, x->s->path, line, col, "%s", what);
    err_quote(x->e, x->s->text);
    return false;
}

/* The number of `=` of a long bracket that opens (or closes, c = ']') here, or -1. */
static int long_bracket(const lexer *x, int c)
{
    size_t level = 0;
    if (peek(x, 0) != c)
        return -1;
    while (peek(x, level + 1) == '=')
        level++;
    return peek(x, level + 1) == c ? (int)level : -1;
}

/* Over the rest of a long string or comment. Its contents go to `content` with ends of line as \n, if asked for. */
static bool skip_long(lexer *x, int level, int line, int col, const char *what, buf *content)
{
    x->at += (size_t)level + 2;
    if (peek(x, 0) == '\n' || peek(x, 0) == '\r')
        skip_newline(x);
    for (;;) {
        int c = peek(x, 0);
        if (c < 0)
            return wrong(x, line, col, what);
        if (c == ']' && long_bracket(x, ']') == level) {
            x->at += (size_t)level + 2;
            return true;
        }
        if (c == '\n' || c == '\r') {
            skip_newline(x);
            c = '\n';
        } else {
            x->at++;
        }
        if (content)
            buf_byte(content, (char)c);
    }
}

static bool skip_blanks(lexer *x)
{
    for (;;) {
        int c = peek(x, 0);
        if (c == '\n' || c == '\r') {
            skip_newline(x);
        } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
            x->at++;
        } else if (c == '-' && peek(x, 1) == '-') {
            int line = x->line, col = column(x);
            x->at += 2;
            int level = long_bracket(x, '[');
            if (level >= 0) {
                if (!skip_long(x, level, line, col, "this comment is never closed", NULL))
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

/* A quoted string that stands on one line, whatever the bytes. */
static void quote(buf *out, const char *p, size_t n)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c == '"' || c == '\\' || c < ' ' || c > 126)
            buf_printf(out, "\\%03u", c);
        else
            buf_byte(out, (char)c);
    }
    buf_byte(out, '"');
}

/* A quoted string. Escapes are kept as they are but for those that hold an end of line. */
static bool read_quoted(lexer *x, buf *text)
{
    int line = x->line, col = column(x), delimiter = peek(x, 0);
    buf_byte(text, (char)delimiter);
    x->at++;
    for (;;) {
        int c = peek(x, 0);
        if (c < 0 || c == '\n' || c == '\r')
            return wrong(x, line, col, "this string is not closed on its line");
        x->at++;
        if (c == '\\') {
            int next = peek(x, 0);
            if (next < 0)
                return wrong(x, line, col, "this string is never closed");
            if (next == '\n' || next == '\r') {
                skip_newline(x);
                buf_addz(text, "\\n");
                continue;
            }
            if (is_digit(next)) {
                int value = 0;
                for (int i = 0; i < 3 && is_digit(peek(x, 0)); i++, x->at++)
                    value = value * 10 + peek(x, 0) - '0';
                if (value > 255)
                    return wrong(x, line, col, "an escape \\ddd in this string is above 255");
                buf_printf(text, "\\%03d", value);
                continue;
            }
            x->at++;
            buf_byte(text, '\\');
            if (next == 0 || next > 126 || next < ' ')
                buf_printf(text, "%03d", next);
            else
                buf_byte(text, (char)next);
            continue;
        }
        if (c == 0 || c == 26 || (c < ' ' && c != '\t') || c == 127)
            buf_printf(text, "\\%03d", c);
        else
            buf_byte(text, (char)c);
        if (c == delimiter)
            return true;
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

static token *add_token(lexer *x)
{
    source *s = x->s;
    if (s->token_count == x->cap) {
        size_t cap = x->cap ? 2 * x->cap : 256;
        token *grown = ARENA_ARRAY(x->a, token, cap);
        if (s->token_count)
            memcpy(grown, s->tokens, s->token_count * sizeof *grown);
        s->tokens = grown;
        x->cap = cap;
    }
    return &s->tokens[s->token_count++];
}

static size_t symbol_length(const lexer *x)
{
    static const char *const two[] = { "==", "~=", "<=", ">=", ".." };
    for (size_t i = 0; i < COUNT(two); i++)
        if (peek(x, 0) == two[i][0] && peek(x, 1) == two[i][1])
            return 2;
    return strchr("+-*/%^#<>=(){}[];:,.", peek(x, 0)) && peek(x, 0) > 0 ? 1 : 0;
}

/* Reads one token; its text in the new layout goes to `laid`. */
static bool read_token(lexer *x, buf *laid)
{
    int c = peek(x, 0);
    token t = { .line = x->line, .col = column(x) };
    size_t from = x->at;
    if (is_name_start(c)) {
        while (is_name(peek(x, 0)))
            x->at++;
        t.text = str_slice(x->s->text, from, x->at);
        t.kind = is_keyword(t.text) ? TOKEN_KEYWORD : TOKEN_NAME;
        buf_add(laid, t.text);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(x, 1)))) {
        /* As the reference interpreter reads numerals: digits and points, an exponent, then any letters; whether that is
         * a number is the compiler's to say. */
        while (is_digit(peek(x, 0)) || peek(x, 0) == '.')
            x->at++;
        if (peek(x, 0) == 'e' || peek(x, 0) == 'E') {
            x->at++;
            if (peek(x, 0) == '+' || peek(x, 0) == '-')
                x->at++;
        }
        while (is_name(peek(x, 0)))
            x->at++;
        t.kind = TOKEN_NUMBER;
        buf_add(laid, str_slice(x->s->text, from, x->at));
    } else if (c == '"' || c == '\'') {
        t.kind = TOKEN_STRING;
        if (!read_quoted(x, laid))
            return false;
    } else if (c == '[' && long_bracket(x, '[') >= 0) {
        t.kind = TOKEN_STRING;
        buf content = { 0 };
        bool ok = skip_long(x, long_bracket(x, '['), t.line, t.col, "this long string is never closed", &content);
        quote(laid, content.p ? content.p : "", content.n);
        buf_free(&content);
        if (!ok)
            return false;
    } else {
        if (c == '.' && peek(x, 1) == '.' && peek(x, 2) == '.') {
            err_hint(x->e, "name the parameters, or pass a table");
            return wrong(x, t.line, t.col, "'...' is not available in client code: its values cannot be compared between states");
        }
        size_t n = symbol_length(x);
        if (n == 0) {
            char what[64];
            if (c > ' ' && c < 127)
                snprintf(what, sizeof what, "unexpected character '%c'", c);
            else
                snprintf(what, sizeof what, "unexpected byte 0x%02x", (unsigned)c);
            return wrong(x, t.line, t.col, what);
        }
        x->at += n;
        t.kind = TOKEN_SYMBOL;
        buf_add(laid, str_slice(x->s->text, from, x->at));
    }
    t.text = str_slice(x->s->text, from, x->at);
    *add_token(x) = t;
    return true;
}

static bool is(const token *t, const char *symbol)
{
    return t->kind != TOKEN_STRING && str_eq(t->text, str_from(symbol));
}

/* What the layout has to know of the grammar: which `(` is a call's, and which string or table is a call's argument. */
typedef struct {
    bool prefix;           /* the last token ends an expression that a call may follow */
    bool function_name;    /* between `function` and its parameters */
    bool local_names;      /* between `local` and what ends its names */
    char *nest;            /* per open bracket: c call, p parameters, g group, t call's table, o other table, i index */
    size_t depth, cap;
    arena *a;
} grammar;

static void open_bracket(grammar *g, char kind)
{
    if (g->depth == g->cap) {
        size_t cap = g->cap ? 2 * g->cap : 64;
        char *grown = arena_alloc(g->a, cap);
        if (g->depth)
            memcpy(grown, g->nest, g->depth);
        g->nest = grown;
        g->cap = cap;
    }
    g->nest[g->depth++] = kind;
}

static void close_bracket(grammar *g)
{
    char kind = g->depth ? g->nest[--g->depth] : 'g';
    g->prefix = kind == 'c' || kind == 'g' || kind == 't' || kind == 'i';
}

static void step(grammar *g, const token *t)
{
    bool was_prefix = g->prefix;
    g->prefix = false;
    if (t->kind == TOKEN_NAME) {
        g->prefix = !g->function_name && !g->local_names;
    } else if (t->kind == TOKEN_STRING) {
        g->prefix = was_prefix;                    /* f "x" may be called again, x = "x" may not */
    } else if (is(t, "(")) {
        open_bracket(g, g->function_name ? 'p' : was_prefix ? 'c' : 'g');
        g->function_name = false;
    } else if (is(t, "{")) {
        open_bracket(g, was_prefix ? 't' : 'o');
    } else if (is(t, "[")) {
        open_bracket(g, 'i');
    } else if (is(t, ")") || is(t, "}") || is(t, "]")) {
        close_bracket(g);
    } else if (is(t, "function")) {
        g->function_name = true;
    }
    if (is(t, "local") && t->kind == TOKEN_KEYWORD)
        g->local_names = true;
    else if (t->kind != TOKEN_NAME && !is(t, ","))
        g->local_names = false;
}

static void begin_line(lexer *x, uint32_t at_token)
{
    source *s = x->s;
    if (s->line_count)
        buf_byte(&x->out, '\n');
    if (s->line_count == x->line_cap) {
        size_t cap = x->line_cap ? 2 * x->line_cap : 512;
        uint32_t *grown = ARENA_ARRAY(x->a, uint32_t, cap);
        if (s->line_count)
            memcpy(grown, s->line_token, s->line_count * sizeof *grown);
        s->line_token = grown;
        x->line_cap = cap;
    }
    s->line_token[s->line_count++] = at_token;
}

static bool lay(lexer *x)
{
    source *s = x->s;
    enum { TEXT_MAX = 4 * 1024 * 1024 };
    if (s->text.n > TEXT_MAX)
        return err_at(x->e, ERR_SCENARIO, s->path, 0, 0, "the file has %zu bytes, more than the %d that a Lua file may have",
                      s->text.n, TEXT_MAX);
    if (s->text.n >= 3 && memcmp(s->text.p, "\xef\xbb\xbf", 3) == 0)
        x->at = x->line_start = 3;                 /* an editor's byte order mark */
    if (peek(x, 0) == '#')
        while (peek(x, 0) >= 0 && peek(x, 0) != '\n' && peek(x, 0) != '\r')
            x->at++;
    grammar g = { .a = x->a };
    buf laid = { 0 };
    bool ok = true;
    for (;;) {
        ok = skip_blanks(x);
        if (!ok || peek(x, 0) < 0)
            break;
        buf_clear(&laid);
        ok = read_token(x, &laid);
        if (!ok)
            break;
        uint32_t number = (uint32_t)s->token_count - 1;
        const token *t = &s->tokens[number];
        if (is(t, "(") && number > 0) {
            if (g.prefix && t->line != t[-1].line) {
                err_hint(x->e, "put the '(' on the line of what it calls, or a ';' before it");
                ok = wrong(x, t->line, t->col, "ambiguous syntax: a call, or a new statement?");
                break;
            }
            buf_byte(&x->out, '(');
        } else if (is(t, "{") && g.prefix) {
            buf_byte(&x->out, '(');                /* f { ... }, as in f({ ... }): so its call, too, stands on the line of f */
            begin_line(x, number);
            buf_byte(&x->out, '{');
        } else if (is(t, "}") && g.depth > 0 && g.nest[g.depth - 1] == 't') {
            begin_line(x, number);
            buf_byte(&x->out, '}');
            begin_line(x, number);
            buf_byte(&x->out, ')');
        } else if (t->kind == TOKEN_STRING && g.prefix) {
            buf_byte(&x->out, '(');                /* f "x": the call stands on the line of f, as in f("x") */
            begin_line(x, number);
            buf_add(&x->out, buf_str(&laid));
            begin_line(x, number);
            buf_byte(&x->out, ')');
        } else {
            begin_line(x, number);
            buf_add(&x->out, buf_str(&laid));
        }
        step(&g, t);
    }
    buf_free(&laid);
    begin_line(x, (uint32_t)s->token_count);
    return ok;
}

bool source_lay(arena *a, source *s, err *e)
{
    lexer x = { .a = a, .s = s, .e = e, .line = 1 };
    bool ok = lay(&x);
    if (ok)
        s->laid = arena_str(a, buf_str(&x.out));
    buf_free(&x.out);
    return ok;
}
