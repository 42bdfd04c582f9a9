/* template.c - see template.h. The marks are those of ERB, EJS and PHP, of Mustache, Handlebars, Go and Jinja, of
 * JavaScript's, Ruby's and Python's strings, and of plain replacement. */
#include "init/template.h"

#include "base/lua_tokens.h"

const char template_way_out[] = "--render CMD runs CMD FILE for each script, and takes what that prints";

static const char *const marks[] = { "<%", "<?", "{{", "{%", "${", "#{", "@@", "$(", "%(" };
enum { IN_LUA = 7 };                       /* the first ones; "$(" and "%(" stand in Lua's own patterns, too */

/* The mark at text[at], of the first n. */
static str mark_at(str text, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_starts(str_slice(text, at, text.n), str_from(marks[i])))
            return str_slice(text, at, at + 2);
    return S("");
}

/* As marks of one letter: "$lock" and "@lock@" begin no token of Lua. */
static bool is_one(int c)
{
    return c == '$' || c == '@';
}

template_mark template_on_line(str text, int line)
{
    size_t from = 0;
    for (int i = 1; i < line && from < text.n; i++)
        from = str_find(text, '\n', from) + 1;
    size_t end = from < text.n ? str_find(text, '\n', from) : from;
    for (size_t at = from; at < end; at++) {
        str mark = mark_at(text, at, COUNT(marks));
        if (mark.n)
            return (template_mark){ mark, line, (int)(at - from) + 1 };
    }
    tokens x = { .text = text, .line = 1 };
    tokens_next_result last;
    token t;
    while ((last = tokens_next(&x, &t)) == TOKENS_ONE)
        continue;
    bool found = last == TOKENS_WRONG && x.line == line && x.at < text.n && is_one(text.p[x.at]);
    return (template_mark){ found ? str_slice(text, x.at, x.at + 1) : S(""), line, (int)(x.at - x.line_start) + 1 };
}

/* "--- @include "name"", "-- include name": the comment's beginning; "": it is none. */
static str include_at(str text, size_t at)
{
    static const char *const words[] = { "@include", "#include", "include", "@import", "import" };
    size_t i = at;
    while (i < text.n && text.p[i] == '-')
        i++;
    if (i < at + 2)
        return S("");
    while (i < text.n && text.p[i] == ' ')
        i++;
    for (size_t k = 0; k < COUNT(words); k++) {
        size_t end = i + str_from(words[k]).n;
        bool named = end + 1 < text.n && text.p[end] == ' ' && (text.p[end + 1] == '"' || text.p[end + 1] == '\'');
        if (named && str_starts(str_slice(text, i, text.n), str_from(words[k])))
            return str_slice(text, at, end);
    }
    return S("");
}

template_mark template_in(str text)
{
    template_mark m = { .line = 1 };
    for (size_t at = 0, begins = 0; at < text.n; at++) {
        if (text.p[at] == '\n') {
            m.line++;
            begins = at + 1;
            continue;
        }
        m.mark = include_at(text, at);
        if (m.mark.n == 0)
            m.mark = mark_at(text, at, IN_LUA);
        m.col = (int)(at - begins) + 1;
        if (m.mark.n)
            return m;
    }
    return m;
}

template_mark template_in_string(str text)
{
    tokens x = { .text = text, .line = 1 };
    for (token t; tokens_next(&x, &t) == TOKENS_ONE; )
        for (size_t at = 0; t.kind == TOKEN_STRING && at < t.text.n; at++)
            if (str_starts(str_slice(t.text, at, t.text.n), S("<%")))
                return (template_mark){ str_slice(t.text, at, at + 2), t.line, t.col };
    return (template_mark){ 0 };
}

const char *template_hint(arena *a, str text)
{
    template_mark m = template_in(text);
    if (m.mark.n == 0)
        return NULL;
    return arena_printf(a, "'%.*s' stands in line %d, for a template or a loader to replace: %s", STR_ARG(m.mark),
                        m.line, template_way_out).p;
}
