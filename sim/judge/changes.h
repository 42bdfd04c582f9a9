/* changes.h - `run --in-diff REV`: which scenarios' results may have changed since a git revision. A result may, if one
 * of the places that its files are looked for in (looked.h) holds something else than at REV, or if a name that it
 * loads is not to be seen in its text. Files outside the scenario's repository count as unchanged, and so does locksim
 * itself. */
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
