/* stories.h - NAME.stories beside NAME.lua: by which smallest faults, and at whose steps, each violation comes about
 * that the file's cases expect (scenario/signature.h). A line a case and property:
 *
 *   crash.two  strict_mutual_exclusion  crash=1,lose_reply=1: acquire renew; pause=1: acquire  # 9 steps
 *   wipe.two   mutual_exclusion         ?                                                      # the limit of 500000
 *              states came first
 *
 * `-` stands for a file without cases, `?` for "in any way", and # begins a comment: lengths are shown, and never
 * compared. */
#ifndef LOCKSIM_JUDGE_STORIES_H
#define LOCKSIM_JUDGE_STORIES_H

#include "judge/judge.h"

/* "my/x.stories" of "my/x.lua", in `a`. */
str stories_path(arena *a, str file);
/* Are signatures compared? Not where another world is searched than the scenario's own, or not all of it is wanted. */
bool stories_wanted(const options *o);
/* The whole of the file beside `file`, if there is one: each line can be read, and names one of these cases (none: the
 * file is one scenario). false: `e` has the place. */
bool stories_check(arena *a, str file, const str *cases, size_t count, err *e);
/* What it says of this scenario, into sc->signatures; *any: something. */
bool stories_take(arena *a, scenario *sc, looked *l, bool *any, err *e);
/* Writes what was found of these results beside their files, in place of what stood there of the same cases; a line a
 * file to `told`. */
bool stories_write(const judged *const *results, size_t count, buf *told, err *e);

#endif
