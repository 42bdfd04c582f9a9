/* fold.c - see fold.h. */
#include "report/fold.h"

#include "report/clean.h"

/* A line that begins with this byte, which no clean text has, is cut at blanks where it is too long. */
enum { FOLDS = '\1', LABEL_COLUMNS = 9, LABEL_COLUMNS_MAX = 16 };

/* "   12 | text": a line of a file, or the caret beneath it. */
static bool is_quoted(str line)
{
    size_t at = 0;
    while (at < line.n && (line.p[at] == ' ' || (line.p[at] >= '0' && line.p[at] <= '9')))
        at++;
    return at < line.n && line.p[at] == '|';
}

/* May the line be cut at blanks? Not one that is to be pasted, or to which a caret points. */
static bool may_fold(str line)
{
    str text = str_starts(line, S("  ")) ? str_slice(line, 2, line.n) : line;
    return !str_starts(text, S("replay ")) && !str_starts(text, S("next ")) && !is_quoted(line);
}

static str take_line(str *rest)
{
    size_t end = str_find(*rest, '\n', 0);
    str line = str_slice(*rest, 0, end);
    *rest = str_slice(*rest, end + 1, rest->n);
    return line;
}

static size_t blanks_from(str line, size_t from)
{
    size_t at = from;
    while (at < line.n && line.p[at] == ' ')
        at++;
    return at - from;
}

/* Where the text begins beneath which the rest of the line stands: behind its label, if it has one. */
static size_t text_column(str line)
{
    if (!str_starts(line, S("  ")))
        return 2;
    for (size_t at = 3; line.n > 3 && line.p[2] >= 'A' && at < line.n && at < LABEL_COLUMNS_MAX; at++)
        if (blanks_from(line, at) > 1 && at + blanks_from(line, at) <= LABEL_COLUMNS_MAX)
            return at + blanks_from(line, at);
    return LABEL_COLUMNS;
}

/* The first run of so many blanks from there on, behind other text; line.n: there is none. */
static size_t gap(str line, size_t from, size_t blanks)
{
    size_t at = from + blanks_from(line, from);
    while (at < line.n && blanks_from(line, at) < blanks)
        at++;
    return at;
}

/* The line and those after it that were cut off it for TEXT_COLUMNS, as one: between cells there are two blanks. */
static str join(buf *whole, str line, str *rest, size_t column)
{
    whole->n = 0;
    buf_add(whole, line);
    for (;;) {
        size_t indent = blanks_from(*rest, 0), end = indent;
        while (end < rest->n && rest->p[end] != ' ' && rest->p[end] != '\n')
            end++;
        if (indent != column || end == indent || clean_width(line) + 1 + end - indent <= TEXT_COLUMNS)
            return buf_str(whole);
        bool cells = gap(line, column, 3) < line.n;
        line = take_line(rest);
        buf_addz(whole, cells ? "  " : " ");
        buf_add(whole, str_slice(line, indent, line.n));
    }
}

/* Two blanks stand between cells, such as "p99 12": one that fits the next line is not parted. */
static str cut_between(str *line, size_t room, size_t from, size_t next_room)
{
    str whole = *line, part = clean_line(line, room);
    size_t cell = from, end = gap(whole, from, 2);
    while (end <= part.n && end < whole.n) {
        cell = end + blanks_from(whole, end);
        end = gap(whole, cell, 2);
    }
    if (cell > from && cell < part.n && part.n < end && clean_width(str_slice(whole, cell, end)) <= next_room) {
        *line = str_slice(whole, cell, whole.n);
        for (part.n = cell; part.p[part.n - 1] == ' '; part.n--) {}
    }
    return part;
}

/* cells: the line may have some, and is no prose. */
static void fold_line(buf *out, str line, size_t room, size_t column, bool cells)
{
    for (bool first = true; first || line.n; first = false) {
        size_t behind = room > 2 * column ? column : 2, indent = first ? 0 : behind;
        size_t from = !cells ? line.n : first ? column : 0;
        str part = clean_width(line) + indent <= room ? line
                   : cut_between(&line, room - indent, from, room - behind);
        line = part.p == line.p ? S("") : str_slice(line, blanks_from(line, 0), line.n);
        buf_printf(out, "%*s%.*s\n", (int)indent, "", STR_ARG(part));
    }
}

void fold_lines(buf *out, size_t from, size_t width)
{
    buf whole = { 0 }, joined = { 0 };
    size_t narrow = width && width < TEXT_COLUMNS ? width : TEXT_COLUMNS;
    buf_add(&whole, str_slice(buf_str(out), from, out->n));
    out->n = from;
    for (str rest = buf_str(&whole); rest.n; ) {
        str line = take_line(&rest);
        if (line.n && line.p[0] == FOLDS) {
            fold_line(out, str_slice(line, 1, line.n), narrow, LABEL_COLUMNS, false);
        } else if (width && may_fold(line)) {
            size_t column = text_column(line);
            fold_line(out, width < TEXT_COLUMNS ? join(&joined, line, &rest, column) : line, width, column, true);
        } else {
            fold_line(out, line, SIZE_MAX, 2, false);
        }
    }
    buf_free(&joined);
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
