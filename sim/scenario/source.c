/* source.c - see source.h: the new layout of the tokens, and what client code may not contain. */
#include "scenario/source.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    arena *a;
    source *s;
    err *e;
    tokens in;
    size_t cap, line_cap;
    buf out;
} lexer;

static bool wrong(lexer *x, int line, int col, const char *what)
{
    err_at(x->e, ERR_SCENARIO, x->s->path, line, col, "%s", what);
    err_quote(x->e, x->s->text);
    return false;
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

/* A long string's contents, ends of line as \n; the first one does not count. */
static void lay_long(str text, buf *out)
{
    size_t bracket = (size_t)tokens_long_bracket(text, '[') + 2;
    str inside = str_slice(text, bracket, text.n - bracket);
    buf content = { 0 };
    for (size_t at = tokens_newline(inside, 0); at < inside.n;) {
        size_t n = tokens_newline(inside, at);
        buf_byte(&content, n ? '\n' : inside.p[at]);
        at += n ? n : 1;
    }
    quote(out, content.p ? content.p : "", content.n);
    buf_free(&content);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* One escape of a quoted string, from after its backslash at *at on: copied, unless it contains an end of line. false:
 * it is above 255. */
static bool lay_escape(str text, size_t *at, buf *out)
{
    size_t newline = tokens_newline(text, *at);
    unsigned char next = (unsigned char)text.p[*at];
    if (newline) {
        *at += newline;
        buf_addz(out, "\\n");
        return true;
    }
    if (is_digit(text.p[*at])) {
        int value = 0;
        for (int i = 0; i < 3 && is_digit(text.p[*at]); i++, ++*at)
            value = value * 10 + text.p[*at] - '0';
        buf_printf(out, "\\%03d", value);
        return value <= 255;
    }
    ++*at;
    buf_byte(out, '\\');
    if (next > 126 || next < ' ')
        buf_printf(out, "%03d", next);
    else
        buf_byte(out, (char)next);
    return true;
}

static bool lay_quoted(str text, buf *out)
{
    for (size_t at = 0; at < text.n;) {
        unsigned char c = (unsigned char)text.p[at++];
        if (c == '\\') {
            if (!lay_escape(text, &at, out))
                return false;
        } else if (c == 26 || (c < ' ' && c != '\t') || c == 127) {
            buf_printf(out, "\\%03d", c);
        } else {
            buf_byte(out, (char)c);
        }
    }
    return true;
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

/* Reports what is no token, or a token that client code may not contain. */
static bool refuse(lexer *x, tokens_next_result got, const token *t)
{
    if (got == TOKENS_WRONG && x->in.why)
        return wrong(x, x->in.why_line, x->in.why_col, x->in.why);
    if (got == TOKENS_ONE) {
        err_hint(x->e, "name the parameters, or pass a table");
        return wrong(x, t->line, t->col, "'...' is not available in client code: its values cannot be compared between "
                     "states");
    }
    unsigned char c = (unsigned char)x->in.text.p[x->in.at];
    char what[64];
    if (c > ' ' && c < 127)
        snprintf(what, sizeof what, "unexpected character '%c'", c);
    else
        snprintf(what, sizeof what, "unexpected byte 0x%02x", (unsigned)c);
    return wrong(x, x->in.why_line, x->in.why_col, what);
}

/* Reads one token; its text in the new layout goes to `laid`. *end: there is none left. */
static bool read_token(lexer *x, buf *laid, bool *end)
{
    token t;
    tokens_next_result got = tokens_next(&x->in, &t);
    *end = got == TOKENS_END;
    if (*end)
        return true;
    if (got == TOKENS_WRONG || token_reads(&t, "..."))
        return refuse(x, got, &t);
    if (t.kind == TOKEN_STRING && t.text.p[0] == '[')
        lay_long(t.text, laid);
    else if (t.kind != TOKEN_STRING)
        buf_add(laid, t.text);
    else if (!lay_quoted(t.text, laid))
        return wrong(x, t.line, t.col, "an escape \\ddd in this string is above 255");
    *add_token(x) = t;
    return true;
}

/* The layout's knowledge of the grammar: which `(` is a call's, and which string or table is a call's argument. */
typedef struct {
    bool prefix;           /* the last token ends an expression that can be called */
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
    } else if (token_reads(t, "(")) {
        open_bracket(g, g->function_name ? 'p' : was_prefix ? 'c' : 'g');
        g->function_name = false;
    } else if (token_reads(t, "{")) {
        open_bracket(g, was_prefix ? 't' : 'o');
    } else if (token_reads(t, "[")) {
        open_bracket(g, 'i');
    } else if (token_reads(t, ")") || token_reads(t, "}") || token_reads(t, "]")) {
        close_bracket(g);
    } else if (token_reads(t, "function")) {
        g->function_name = true;
    }
    if (token_reads(t, "local") && t->kind == TOKEN_KEYWORD)
        g->local_names = true;
    else if (t->kind != TOKEN_NAME && !token_reads(t, ","))
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
        return err_at(x->e, ERR_SCENARIO, s->path, 0, 0, "the file has %zu bytes, more than the %d that a Lua file may "
                      "have",
                      s->text.n, TEXT_MAX);
    if (s->text.n >= 3 && memcmp(s->text.p, "\xef\xbb\xbf", 3) == 0)
        x->in.at = x->in.line_start = 3;           /* an editor's byte order mark */
    if (x->in.at < s->text.n && s->text.p[x->in.at] == '#')
        while (x->in.at < s->text.n && !tokens_newline(s->text, x->in.at))
            x->in.at++;
    grammar g = { .a = x->a };
    buf laid = { 0 };
    bool ok = true;
    for (;;) {
        bool end;
        buf_clear(&laid);
        ok = read_token(x, &laid, &end);
        if (!ok || end)
            break;
        uint32_t number = (uint32_t)s->token_count - 1;
        const token *t = &s->tokens[number];
        if (token_reads(t, "(") && number > 0) {
            if (g.prefix && t->line != t[-1].line) {
                err_hint(x->e, "put the '(' on the line of what it calls, or a ';' before it");
                ok = wrong(x, t->line, t->col, "ambiguous syntax: a call, or a new statement?");
                break;
            }
            buf_byte(&x->out, '(');
        } else if (token_reads(t, "{") && g.prefix) {
            buf_byte(&x->out, '(');    /* f { ... }, as in f({ ... }): so its call, too, stands on the line of f */
            begin_line(x, number);
            buf_byte(&x->out, '{');
        } else if (token_reads(t, "}") && g.depth > 0 && g.nest[g.depth - 1] == 't') {
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
    lexer x = { .a = a, .s = s, .e = e, .in = { .text = s->text, .line = 1 } };
    bool ok = lay(&x);
    if (ok)
        s->laid = arena_str(a, buf_str(&x.out));
    buf_free(&x.out);
    return ok;
}
