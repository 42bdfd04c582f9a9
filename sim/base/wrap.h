/* wrap.h - text in lines of a given width, broken at blanks. */
#ifndef LOCKSIM_BASE_WRAP_H
#define LOCKSIM_BASE_WRAP_H

#include "base/buf.h"

enum { WRAP_WIDTH = 80 };          /* columns of --help and the like */

/* Adds one line's words. The line in `out` is already `column` columns long; further lines begin at column `indent`.
 * No line passes `width` unless a single word does. Runs of blanks count as one; bytes count as columns. */
void wrap_words(buf *out, str words, size_t column, size_t indent, size_t width);
/* Adds each line of `text` as a paragraph of its own, each ending in a newline. A line that begins with blanks is an
 * item of a list: its further lines begin where its own text does, which is behind a name and two blanks if it has
 * these ("  NAME  text"). */
void wrap_paragraphs(buf *out, str text, size_t width);
/* The same for text that has lines already: those of a paragraph are joined first. Blank lines, and lines that begin
 * with blanks, stay by themselves. */
void wrap_lines(buf *out, str text, size_t width);

#endif
