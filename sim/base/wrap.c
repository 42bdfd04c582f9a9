/* wrap.c - see wrap.h. */
#include "base/wrap.h"

static void to_column(buf *out, size_t column)
{
    for (size_t i = 0; i < column; i++)
        buf_byte(out, ' ');
}

void wrap_words(buf *out, str words, size_t column, size_t indent, size_t width)
{
    bool fresh = true;             /* no word on this line yet */
    for (size_t at = 0; at < words.n;) {
        if (words.p[at] == ' ') {
            at++;
            continue;
        }
        size_t end = str_find(words, ' ', at);
        if (!fresh && column + 1 + (end - at) > width) {
            buf_byte(out, '\n');
            to_column(out, indent);
            column = indent;
            fresh = true;
        }
        if (!fresh) {
            buf_byte(out, ' ');
            column++;
        }
        buf_add(out, str_slice(words, at, end));
        column += end - at;
        fresh = false;
        at = end;
    }
}

/* The column at which the text of a line begins: 0, or behind its blanks, and behind a name if two blanks follow it. */
static size_t text_column(str line)
{
    size_t name = 0;
    while (name < line.n && line.p[name] == ' ')
        name++;
    if (!name)
        return 0;
    for (size_t at = name; at + 1 < line.n; at++)
        if (line.p[at] == ' ' && line.p[at + 1] == ' ') {
            while (at < line.n && line.p[at] == ' ')
                at++;
            return at;
        }
    return name;
}

void wrap_paragraphs(buf *out, str text, size_t width)
{
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, '\n', from);
        str line = str_slice(text, from, end);
        size_t column = text_column(line);
        buf_add(out, str_slice(line, 0, column));
        wrap_words(out, str_slice(line, column, line.n), column, column, width);
        buf_byte(out, '\n');
        from = end + 1;
    }
}

void wrap_lines(buf *out, str text, size_t width)
{
    buf joined = { 0 };
    bool open = false;             /* the next line goes on with the paragraph */
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, '\n', from);
        str line = str_slice(text, from, end);
        bool prose = line.n && line.p[0] != ' ';
        if (joined.n)
            buf_byte(&joined, open && prose ? ' ' : '\n');
        buf_add(&joined, line);
        open = prose;
        from = end + 1;
    }
    wrap_paragraphs(out, buf_str(&joined), width);
    buf_free(&joined);
}
