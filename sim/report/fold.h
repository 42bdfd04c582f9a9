/* fold.h - the lines of a result, cut at blanks where they are too long: a label and its text stand beside each other,
 * and what is left over under the text. */
#ifndef LOCKSIM_REPORT_FOLD_H
#define LOCKSIM_REPORT_FOLD_H

#include "base/buf.h"

enum { TEXT_COLUMNS = 118 };       /* the width of whole sentences, unless a terminal has less */

/* Adds "  label  text" for each line of `text`, the label at the first one only; nothing where there is no text. What
 * would steer a terminal is told, not done. Each line is marked as one that fold_lines is to cut. */
void fold_labelled(buf *out, const char *label, str text);
/* Cuts the lines of `out` from byte `from` on: those of fold_labelled at TEXT_COLUMNS or at `width`, all others at
 * `width` only, which is the columns of a terminal (0: there is none). What is to be pasted stays whole. */
void fold_lines(buf *out, size_t from, size_t width);

#endif
