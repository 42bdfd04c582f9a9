/* script_text.c - scripts as Redis's own Lua reads them, where Debian's Lua reads otherwise: [[ a [[ b ]] is one string
 * there, and "nesting of [[...]] is deprecated" here. Such a string or comment is handed to the compiler at a level of
 * its own, [=[ a [[ b ]=]: the same text on the same lines. (Not so what a function gives to `load` piece by piece.)
 * Source: a Redis 7.0.15 server. */
#include "script/script_host.h"

#include <string.h>

#include "base/lua_tokens.h"

/* The first [[ or ]] (c twice) from `from` on, or text.n. */
static size_t find_twice(str text, char c, size_t from)
{
    for (size_t i = str_find(text, c, from); i + 1 < text.n; i = str_find(text, c, i + 1))
        if (text.p[i + 1] == c)
            return i;
    return text.n;
}

/* The first ] and `level` = and ] from `from` on, or text.n. */
static size_t find_end(str text, size_t level, size_t from)
{
    for (size_t i = str_find(text, ']', from); i < text.n; i = str_find(text, ']', i + 1))
        if (tokens_long_bracket(str_slice(text, i, text.n), ']') == (int)level)
            return i;
    return text.n;
}

static void add_bracket(buf *out, char c, size_t level)
{
    buf_byte(out, c);
    for (size_t i = 0; i < level; i++)
        buf_byte(out, '=');
    buf_byte(out, c);
}

/* What stood between [[ and ]] (or the end of the script), at a level that ends where it did. */
static void add_at_level(buf *out, str inside, bool closed)
{
    for (size_t level = 1; ; level++) {
        size_t before = out->n;
        add_bracket(out, '[', level);
        size_t from = out->n;
        buf_add(out, inside);
        size_t ends = out->n;
        add_bracket(out, ']', level);
        if (find_end(buf_str(out), level, from) == ends) {
            out->n = closed ? out->n : ends;
            return;
        }
        out->n = before;
    }
}

/* Behind the quoted string that begins at text[at]; one that is not closed ends at its line. */
static size_t skip_quoted(str text, size_t at)
{
    char quote = text.p[at++];
    while (at < text.n && text.p[at] != quote && text.p[at] != '\n')
        at += text.p[at] == '\\' ? 2 : 1;
    return at < text.n ? at + 1 : text.n;
}

/* The script with every [[ ... ]] that contains a [[ moved to a level of its own. False, and nothing in `out`, if there
 * is none. */
static bool level_brackets(str text, buf *out)
{
    size_t first = find_twice(text, '[', 0);
    if (first >= text.n || find_twice(text, '[', first + 1) >= text.n)
        return false;                                    /* nearly every script */
    size_t done = 0;
    for (size_t i = 0; i < text.n;) {
        char c = text.p[i];
        bool comment = c == '-' && i + 1 < text.n && text.p[i + 1] == '-';
        size_t opens = comment ? i + 2 : i;
        int level = tokens_long_bracket(str_slice(text, opens, text.n), '[');
        if (level < 0) {
            i = comment ? str_find(text, '\n', i) : c == '"' || c == '\'' ? skip_quoted(text, i) : i + 1;
            continue;
        }
        size_t begins = opens + (size_t)level + 2, ends = find_end(text, (size_t)level, begins);
        i = ends < text.n ? ends + (size_t)level + 2 : text.n;
        if (level > 0 || find_twice(str_slice(text, begins, ends), '[', 0) == ends - begins)
            continue;
        buf_add(out, str_slice(text, done, opens));
        add_at_level(out, str_slice(text, begins, ends), ends < text.n);
        done = i;
    }
    if (out->n == 0)
        return false;
    buf_add(out, str_slice(text, done, text.n));
    return true;
}

int script_compile(lua_State *L, str text, const char *name)
{
    buf levelled = { 0 };
    if (text.n > 0 && level_brackets(text, &levelled))
        text = buf_str(&levelled);
    int status = luaL_loadbuffer(L, text.n > 0 ? text.p : "", text.n, name);
    buf_free(&levelled);
    return status;
}
