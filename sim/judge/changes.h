/* changes.h - `run --in-diff REV`: which scenarios' results may have changed since a git revision. A result may have
 * changed if one of the places where its files are looked for (looked.h) differs from REV, or if its text loads a file
 * by a computed name. Files outside the scenario's repository, and locksim itself, count as unchanged. */
#ifndef LOCKSIM_JUDGE_CHANGES_H
#define LOCKSIM_JUDGE_CHANGES_H

#include "host/print.h"

typedef struct changes changes;
/* Lives in `a`. Each repository is asked once. */
changes *changes_new(arena *a, const options *o, const char *rev);
void changes_free(changes *c);
/* `name` is a scenario's (names.h). false: no repository, no such revision, no git; `e` says so. */
bool changes_concern(changes *c, str name, bool *concerned, err *e);

#endif
