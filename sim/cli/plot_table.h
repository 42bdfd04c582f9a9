/* plot_table.h - the data files that `locksim simulate` writes, read and checked: lines that begin with # are comments,
 * the next one names the columns, then rows; columns are divided by tabs; "-" is what is not known. */
#ifndef LOCKSIM_CLI_PLOT_TABLE_H
#define LOCKSIM_CLI_PLOT_TABLE_H

#include "base/arena.h"
#include "base/err.h"

enum { PLOT_COLUMNS_MAX = 16 };

/* The required columns of a file. A name that begins with '$' is a column of text, one that begins with '?' of numbers
 * that may be unknown; all others are numbers. A file may have more columns, in any order. */
typedef struct {
    const char *file;
    const char *columns[PLOT_COLUMNS_MAX + 1];
} plot_shape;

/* cells[row * columns + column], in the order of the shape. */
typedef struct {
    const plot_shape *shape;
    size_t rows, columns;
    str *cells;
} plot_table;

/* All in `a`. false: it is absent, or a line does not fit the shape; `e` names the position (ERR_SCENARIO). */
bool plot_table_read(arena *a, str folder, const plot_shape *shape, plot_table *out, err *e);
/* Which column of the shape has this name, without its mark; it has one. */
size_t plot_column(const plot_shape *shape, const char *name);
str plot_cell(const plot_table *t, size_t row, size_t column);
/* false: it is not known. */
bool plot_number(const plot_table *t, size_t row, size_t column, double *value);

#endif
