/* script_shebang.c - the first line of a script that names its engine and flags: "#!lua flags=no-writes,allow-stale".
 * The words may be quoted as in redis-cli. Facts: REDIS-FIDELITY.md section 4, and what a Redis 7.0.15 server answered. */
#include "redis/script_host.h"

#include <ctype.h>
#include <string.h>

static int hex_digit(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* One character of a "quoted" part at *at, with its escapes. */
static char unescape(str line, size_t *at)
{
    char c = line.p[(*at)++];
    if (c != '\\' || *at >= line.n)
        return c;
    if (line.p[*at] == 'x' && *at + 2 < line.n && hex_digit(line.p[*at + 1]) >= 0 && hex_digit(line.p[*at + 2]) >= 0) {
        c = (char)(hex_digit(line.p[*at + 1]) * 16 + hex_digit(line.p[*at + 2]));
        *at += 3;
        return c;
    }
    c = line.p[(*at)++];
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
    }
}

static bool is_blank(char c)
{
    return isspace((unsigned char)c) || c == '\0';
}

/* The next word from *at on, unquoted into `word`. False when a quote is not closed, or something follows its end at once. At
 * the end of the line *found is false. */
static bool next_word(str line, size_t *at, buf *word, bool *found)
{
    buf_clear(word);
    while (*at < line.n && is_blank(line.p[*at]))
        ++*at;
    *found = *at < line.n;
    while (*at < line.n && !is_blank(line.p[*at])) {
        char quote = line.p[*at];
        if (quote != '"' && quote != '\'') {
            buf_byte(word, line.p[(*at)++]);
            continue;
        }
        ++*at;
        for (;;) {
            if (*at >= line.n)
                return false;
            if (line.p[*at] == quote)
                break;
            if (quote == '"') {
                buf_byte(word, unescape(line, at));
            } else {
                if (line.p[*at] == '\\' && *at + 1 < line.n && line.p[*at + 1] == '\'')
                    ++*at;
                buf_byte(word, line.p[(*at)++]);
            }
        }
        ++*at;
        return *at >= line.n || is_blank(line.p[*at]);
    }
    return true;
}

static bool parse_flags(str list, unsigned *flags, arena *out, str *why)
{
    static const struct { const char *name; unsigned flag; } known[] = {
        { "no-writes", SCRIPT_NO_WRITES | SCRIPT_ALLOW_OOM }, { "allow-oom", SCRIPT_ALLOW_OOM },
        { "allow-stale", SCRIPT_ALLOW_STALE }, { "no-cluster", SCRIPT_NO_CLUSTER },
        { "allow-cross-slot-keys", SCRIPT_ALLOW_CROSS_SLOT },
    };
    if (list.n == 0)
        return true;
    for (size_t at = 0, comma; at <= list.n; at = comma + 1) {
        comma = str_find(list, ',', at);
        str name = str_slice(list, at, comma);
        size_t k = 0;
        while (k < COUNT(known) && !str_eq(str_from(known[k].name), name))
            k++;
        if (k == COUNT(known)) {
            *why = script_line(out, arena_printf(out, "ERR Unexpected flag in script shebang: %.*s", STR_ARG(name)));
            return false;
        }
        *flags |= known[k].flag;
    }
    return true;
}

static bool parse_line(str line, buf *word, unsigned *flags, arena *out, str *why)
{
    size_t at = 0;
    for (bool first = true, found;; first = false) {
        if (!next_word(line, &at, word, &found))
            return false;
        str w = buf_str(word);
        if (first) {
            if (str_eq(w, S("#!lua")))
                continue;
            *why = script_line(out, arena_printf(out, "ERR Unexpected engine in script shebang: %.*s", STR_ARG(w)));
            return false;
        }
        if (!found)
            return true;
        if (!str_starts(w, S("flags="))) {
            *why = script_line(out, arena_printf(out, "ERR Unknown lua shebang option: %.*s", STR_ARG(w)));
            return false;
        }
        if (!parse_flags(str_slice(w, 6, w.n), flags, out, why))
            return false;
    }
}

/* A quote that is not closed makes the whole line invalid, whatever stands before it. */
static bool quotes_close(str line, buf *word)
{
    bool found = true;
    for (size_t at = 0; found;)
        if (!next_word(line, &at, word, &found))
            return false;
    return true;
}

bool script_shebang(str body, unsigned *flags, size_t *lua_at, arena *out, str *why)
{
    *flags = 0;
    *lua_at = 0;
    if (!str_starts(body, S("#!")))
        return true;
    size_t end = str_find(body, '\n', 0);
    if (end == body.n) {
        *why = S("ERR Invalid script shebang");
        return false;
    }
    *flags = SCRIPT_SHEBANG;
    *lua_at = end;                                       /* the newline stays, so that lines keep their numbers */
    str line = str_slice(body, 0, end);
    buf word = { 0 };
    *why = S("ERR Invalid engine in script shebang");
    bool ok = quotes_close(line, &word) && parse_line(line, &word, flags, out, why);
    buf_free(&word);
    return ok;
}
