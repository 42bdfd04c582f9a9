/* flat.h - names for files that are written into one folder, made of paths from anywhere. */
#ifndef LOCKSIM_HOST_FLAT_H
#define LOCKSIM_HOST_FLAT_H

#include "base/arena.h"

/* "../my/x y.lua" gives "my.x_y.lua": dots for slashes, an underscore for whatever is no plain letter, digit, '-' or
 * '.'; of a long one the end. */
str flat_name(arena *a, str path);

/* Names that this run has given to files of one folder, so that no two paths share one. */
typedef struct {
    str *at;
    size_t count, cap;
    bool refused;                  /* a file could not be written, and that was said */
} taken_names;

/* flat_name(path) with the ending; if that is taken, with a number before it. The name lives in `a`, as long as `taken`
 * is used. */
str flat_name_new(arena *a, taken_names *taken, str path, const char *ending);
void taken_names_free(taken_names *taken);

#endif
