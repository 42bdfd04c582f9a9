/* exclusion.h - shared by mutual_exclusion and strict_mutual_exclusion: the search for the conflicting grant, and the
 * reason. */
#ifndef LOCKSIM_MODEL_EXCLUSION_H
#define LOCKSIM_MODEL_EXCLUSION_H

#include "model/monitor.h"

/* Which grant of another owner, of the same lock or an overlapping one, conflicts with `g` of `s`? */
typedef struct {
    const stake *s;
    const grant *g;
    bool (*conflicts)(const grant *g, const grant *h);
    const grant *found;    /* NULL: there is none */
    const stake *whose;
} rival;
/* The first of several by execution, so that the order of lists has no influence. */
const grant *exclusion_rival(const model *m, rival *r);

/* A violation whose reason is the fate of the hold of `s`. The request that made the difference may belong to this very
 * step, whose view is still to come: exclusion_settle updates the reason after the step. */
typedef struct {
    violation *v;
    const stake *s;
    grant g;
} unexplained;
void exclusion_break(model *m, property p, str text, const stake *s, const grant *g);
void exclusion_settle(model *m, property p);

/* capacity.c - for a semaphore: more permits are out, promised or believed, than it has. */
void capacity_judge(model *m, property p, const stake *s, const grant *g);

#endif
