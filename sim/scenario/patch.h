/* patch.h - an overlay as a unified diff inside a scenario: what is changed of a file that the scenario loads.
 *
 *   patch = { ["redisson/fair/acquire.lua"] = [[
 *   @@
 *    local lock = KEYS[1]
 *   -local wait = ARGV[3]
 *   +local wait = math.max(0, ARGV[3])
 *   ]] }
 *
 * A hunk begins with a line that begins with @@; what else stands on that line is not read. Its old lines (unchanged
 * and removed ones) have to stand in the original beside each other, in one place only: where they don't, the original
 * has moved, and the scenario does not load. A new line is told by its place in the scenario, an unchanged one by its
 * place in the original. A text without a line @@ takes the place of the whole file. */
#ifndef LOCKSIM_SCENARIO_PATCH_H
#define LOCKSIM_SCENARIO_PATCH_H

#include "base/arena.h"
#include "base/err.h"

/* Plain data. */
typedef struct {
    str name;              /* of the file, as the loader takes it: "redisson/fair/acquire.lua" */
    str diff;
    str file;              /* the scenario's file */
    int line;              /* where the diff's first line stands in it */
    bool laid_out;         /* the diff's lines are in the file as they are, one below the other; false: all of them
                            * are reported as `line` */
} patch;

/* The origin of a line of a patched text. */
typedef struct {
    bool ours;             /* in the scenario; false: in the original */
    int line;              /* 1-based */
} line_origin;

typedef struct {
    str text;
    line_origin *origins;  /* [line - 1] */
    size_t lines;
    bool diffed;           /* by a diff, whose lines begin with a sign; false: the text replaces the file */
} patched;

/* The original's text with the changes, in `a`. `path` is the original's, for errors. false: the original has moved, or
 * the text is no diff. */
bool patch_apply(arena *a, const patch *p, str path, str original, patched *out, err *e);

#endif
