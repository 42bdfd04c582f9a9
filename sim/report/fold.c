/* fold.c - see fold.h. */
#include "report/fold.h"

#include "report/clean.h"

/* A line that begins with this byte, which no clean text has, is cut at blanks where it is too long. */
enum { FOLDS = '\1', LABEL_COLUMNS = 9 };

/* May the line be cut at blanks? What is to be pasted may not. */
static bool may_fold(str line)
{
    return !str_starts(line, S("  replay ")) && !str_starts(line, S("  next "));
}

void fold_lines(buf *out, size_t from, size_t width)
{
    buf whole = { 0 };
    size_t narrow = width && width < TEXT_COLUMNS ? width : TEXT_COLUMNS;
    buf_add(&whole, str_slice(buf_str(out), from, out->n));
    out->n = from;
    for (str rest = buf_str(&whole); rest.n; ) {
        size_t end = str_find(rest, '\n', 0);
        str line = str_slice(rest, 0, end);
        rest = str_slice(rest, end + 1, rest.n);
        bool marked = line.n && line.p[0] == FOLDS, labelled = marked || str_starts(line, S("  "));
        line = marked ? str_slice(line, 1, line.n) : line;
        size_t room = marked ? narrow : width && may_fold(line) ? width : SIZE_MAX;
        for (bool first = true; first || line.n; first = false) {
            size_t indent = first ? 0 : labelled && room > 2 * LABEL_COLUMNS ? LABEL_COLUMNS : 2;
            str part = clean_width(line) + indent <= room ? line : clean_line(&line, room - indent);
            if (part.p == line.p)
                line = S("");
            buf_printf(out, "%*s%.*s\n", (int)indent, "", STR_ARG(part));
        }
    }
    buf_free(&whole);
}

void fold_labelled(buf *out, const char *label, str text)
{
    buf clean = { 0 };
    clean_lines(&clean, text);
    str rest = buf_str(&clean);
    bool first = true;
    while (rest.n) {
        size_t end = str_find(rest, '\n', 0);
        str line = str_slice(rest, 0, end);
        rest = str_slice(rest, end + 1, rest.n);
        if (line.n)
            buf_printf(out, "%c  %-6s %.*s\n", FOLDS, first ? label : "", STR_ARG(line));
        first = first && !line.n;
    }
    buf_free(&clean);
}
