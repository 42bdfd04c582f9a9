/* sequence_shapes.h - the few shapes that sequence diagrams are made of, as SVG. Only the sequence_*.c files include
 * this. */
#ifndef LOCKSIM_REPORT_SEQUENCE_SHAPES_H
#define LOCKSIM_REPORT_SEQUENCE_SHAPES_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum { SHAPE_HEAD, SHAPE_HOLLOW, SHAPE_CROSS, SHAPE_FADES } shape_ending;

typedef struct { int x, y; } shape_point;

/* A line through so many points, three at most, of a kind that the style knows. */
void shape_arrow(buf *out, const char *kind, const shape_point *at, size_t count, shape_ending ending);
/* Text from outside, cleaned, at most so many columns of it. */
void shape_text(buf *out, arena *a, int x, int y, const char *kind, str text, size_t columns_max);
void shape_bolt(buf *out, int x, int y);           /* a fault strikes there */
void shape_legend(buf *out);

#endif
