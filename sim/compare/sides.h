/* sides.h - a scenario as each of two versions sees it: a version's files replace those that the scenario would
 * load. */
#ifndef LOCKSIM_COMPARE_SIDES_H
#define LOCKSIM_COMPARE_SIDES_H

#include "host/files.h"
#include "host/version.h"

/* Both versions; shared by threads. */
typedef struct {
    version of[2];         /* the old one and the new one: both folders, or both files */
    const options *o;
    str as;                /* the name for which single files stand (--as); empty: see side.as */
} versions;

/* One scenario's view of one version. */
typedef struct {
    versions *both;
    int number;            /* 0: the old one */
    str scenario;          /* its path */
    search_path where;
    str as;                /* single files also replace this name in this scenario; empty: only their own paths */
    int place;             /* single files replace the file at this version's path */
    bool lenient;          /* what the version lacks is taken from the other one: drivers that exist in one only */
} side;

bool versions_open(arena *a, const options *o, versions *v, err *e);
void versions_close(versions *v);
/* For the scenario at `path`; the side must outlive its loader. */
side side_new(arena *a, versions *v, int number, str path);
/* Names are looked for as the scenario does; a file that lies in either version's place, or that a single file stands
 * for, is read from this version. What it does not have there is an error that names the version. */
loader side_loader(side *s);
/* Is it so with this name? */
bool side_stands_for(side *s, arena *a, str name);

#endif
