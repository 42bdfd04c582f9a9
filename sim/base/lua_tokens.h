/* lua_tokens.h - a Lua 5.1 text as its tokens and their places; it knows no grammar and needs no interpreter.
 * Lexical facts: Lua 5.1 reference manual, section 2.1. */
#ifndef LOCKSIM_BASE_LUA_TOKENS_H
#define LOCKSIM_BASE_LUA_TOKENS_H

#include "base/buf.h"

typedef enum { TOKEN_NAME, TOKEN_KEYWORD, TOKEN_STRING, TOKEN_NUMBER, TOKEN_SYMBOL } token_kind;

typedef struct {
    token_kind kind;
    str text;              /* as written; borrowed from the text */
    int line, col;         /* 1-based; a tab is one column */
} token;

/* A place in a text. Start: { .text = ..., .line = 1 }. */
typedef struct {
    str text;
    size_t at;
    int line;
    size_t line_start;
    const char *why;       /* TOKENS_WRONG: what is wrong; NULL: a byte that begins no token, at `at` */
    int why_line, why_col;
} tokens;

typedef enum { TOKENS_ONE, TOKENS_END, TOKENS_WRONG } tokens_next_result;

tokens_next_result tokens_next(tokens *x, token *t);
/* True for a symbol, keyword, name or number that reads so; never for a string. */
bool token_reads(const token *t, const char *text);
/* The number of `=` of a long bracket that opens at the beginning of `s` (c is '[') or closes there (']'), or -1. */
int tokens_long_bracket(str s, char c);
/* The length of the end of line at s[at]: \n, \r, \r\n and \n\r all count as one; 0 where there is none. */
size_t tokens_newline(str s, size_t at);
/* Appends `s` as a string of Lua, quotes included; bytes that are no ASCII stay as they are. */
void tokens_quote(buf *out, str s);

#endif
