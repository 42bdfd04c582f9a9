/* candidates.h - which scenarios show what differs between two versions of the scripts: those that load a script that
 * differs. */
#ifndef LOCKSIM_COMPARE_CANDIDATES_H
#define LOCKSIM_COMPARE_CANDIDATES_H

#include "compare/sides.h"
#include "scenario/scenario.h"

typedef struct {
    str path;
    str as;                /* the name for which single files stand here; empty: for their own paths */
    int place;             /* the version whose path single files replace */
    bool touches;          /* it loads something of either version */
    bool named;            /* on the command line: it is searched whatever it loads */
    str *scripts, *drivers;            /* that differ, by the names by which they are loaded */
    size_t script_count, driver_count;
    uint64_t weight;       /* a guess at how large its search is */
    err unread;            /* it cannot be loaded with the old version */
} candidate;

typedef struct {
    candidate *at;
    size_t count, looked;  /* looked: how many there were to choose from */
} candidate_list;

/* The scenarios named on the command line; without any, all shipped ones and those in the versions' folders that load a
 * difference. Cheap ones first; none, if they load only equal files of the versions. false: they load nothing of either
 * (ERR_SCENARIO). */
bool candidates_find(arena *a, versions *v, candidate_list *out, err *e);
void candidates_clear(candidate_list *list);
/* As judge_load does, as this side sees it. */
bool candidate_load(arena *a, side *s, str path, overrides by, scenario *sc, err *e);

#endif
