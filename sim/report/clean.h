/* clean.h - text that came from outside (titles, keys, replies, paths) made fit for a terminal, for JSON and for XML.
 * Bytes that are no well-formed UTF-8 and control characters appear as \xNN; nothing else changes. */
#ifndef LOCKSIM_REPORT_CLEAN_H
#define LOCKSIM_REPORT_CLEAN_H

#include "base/arena.h"
#include "base/buf.h"

/* One line: newlines and tabs become \n and \t too. */
void clean_text(buf *out, str s);
/* Newlines and tabs stay. */
void clean_lines(buf *out, str s);
/* As clean_lines, and & < > " ' as entities: for XML text and attributes. */
void clean_xml(buf *out, str s);
/* As clean_lines, and what would end a GitHub annotation as %XX: in a property (the part before ::) two more bytes
 * would. */
void clean_annotation(buf *out, str s, bool in_property);
/* As one word of a shell's command line, to be pasted: bare where nothing in it means anything to a shell, else in
 * single quotes, in which an interactive one leaves "!" alone, too; where it holds what would have to be cleaned, as
 * $'...'. */
void clean_argument(buf *out, str s);
/* How many columns clean text takes: bytes that begin a character; a color takes none. */
size_t clean_width(str s);
/* The first `columns` of it, never half a character. */
str clean_cut(str s, size_t columns);
/* Takes as much of *rest as fits into `columns`, up to a blank where there is one, without the blanks at its end. */
str clean_line(str *rest, size_t columns);
/* A copy in `a`, cleaned as by clean_text. */
str clean_copy(arena *a, str s);

#endif
