/* err.h - a diagnostic: where, what, and the way out. Functions that can meet wrong input return false and fill one.
 * The text form is UX.md's: `path:line:col: error[code]: message`, the source line with a caret, then a hint. */
#ifndef LOCKSIM_BASE_ERR_H
#define LOCKSIM_BASE_ERR_H

#include "base/buf.h"

/* What class of failure it is: the exit status of DESIGN.md. */
typedef enum {
    ERR_NONE = 0,
    ERR_DRIVER = 4,        /* an uncaught error in a driver or program */
    ERR_USAGE = 64,
    ERR_SCENARIO = 65,
    ERR_BUG = 70,
    ERR_IO = 74,           /* a disk is full or broken: nothing that the caller wrote is wrong */
} err_class;

/* Owns its strings; zero-initialise, then err_clear before reuse. */
typedef struct {
    err_class class_;
    int line, col;         /* 1-based; 0: unknown */
    buf path, message, hint, source_line;
} err;

void err_copy(err *to, const err *from);           /* `to` must be empty */
void err_clear(err *e);    /* frees what it holds and zeroes it */
/* Both return false, so that `return err_set(...)` reads well. A NULL err is allowed and ignored. The first error wins:
 * filling an err that is already filled changes nothing. */
bool err_set(err *e, err_class class_, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool err_at(err *e, err_class class_, str path, int line, int col, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
bool err_hint(err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Cuts the error's line out of the file's text, for the caret display. */
void err_quote(err *e, str file_text);
/* Several lines, each ending in a newline. */
void err_print(const err *e, buf *out);
/* The nearest of `known` to `word` if it is near enough, else an empty str. */
str err_nearest(str word, const str *known, size_t n);

#endif
