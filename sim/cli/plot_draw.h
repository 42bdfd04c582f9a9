/* plot_draw.h - one picture drawn by gnuplot from a template of reports/. */
#ifndef LOCKSIM_CLI_PLOT_DRAW_H
#define LOCKSIM_CLI_PLOT_DRAW_H

#include "base/arena.h"
#include "base/err.h"

typedef struct {
    const char *name;      /* of the template, without .gp */
    const char *what;      /* one line */
    bool many;             /* of any number of runs; else of PLOT_RUNS_MAX at most */
} plot_kind;

enum { PLOT_RUNS_MAX = 8, PLOT_RUNS_MANY_MAX = 64 };

size_t plot_kinds(void);
const plot_kind *plot_kind_at(size_t i);

/* The folder of the templates, as an absolute path. false: they are not beside this program. */
bool plot_templates(arena *a, str *folder, err *e);

/* Draws the runs staged in the folders 1 .. `runs` of `stage` with the template in `templates` (an absolute path).
 * `title` describes the picture for who cannot see it. The same data give the same bytes, and an SVG names no version.
 * false: there is no gnuplot (ERR_USAGE, with the command that installs it), or it failed (ERR_BUG). */
bool plot_draw(arena *a, str templates, const plot_kind *kind, str stage, size_t runs, bool png, str title,
               buf *picture, err *e);

#endif
