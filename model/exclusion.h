/* exclusion.h - what mutual_exclusion and strict_mutual_exclusion have in common: the search for the other grant, and
 * the reason. */
#ifndef LOCKSIM_MODEL_EXCLUSION_H
#define LOCKSIM_MODEL_EXCLUSION_H

#include "model/monitor.h"

/* Asked: which grant of another owner, of the same lock or of one that it overlaps, conflicts with `g` of `s`? */
typedef struct {
    const stake *s;
    const grant *g;
    bool (*conflicts)(const grant *g, const grant *h);
    const grant *found;    /* NULL: there is none */
    const stake *whose;
} rival;
/* Of several the first by execution, so that no order of a list shows. */
const grant *exclusion_rival(const model *m, rival *r);

/* A violation whose reason is what became of the hold of `s`. The request that made the difference may be the one of
 * this very step, whose view is still to come: exclusion_settle gives the reason again, when the step is over. */
typedef struct {
    violation *v;
    const stake *s;
    grant g;
} unexplained;
void exclusion_break(model *m, property p, str text, const stake *s, const grant *g);
void exclusion_settle(model *m, property p);

/* capacity.c - of a semaphore: more permits are out, by promise or by belief, than there are. */
void capacity_judge(model *m, property p, const stake *s, const grant *g);

#endif
