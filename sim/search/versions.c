/* versions.c - see versions.h: a search for two properties only, in a world that holds both versions. */
#include "search/versions.h"

#include <string.h>

#include "search/internal.h"

const char *compare_verdict_name(compare_verdict v)
{
    static const char *const names[] = { "EQUIVALENT", "DIFFERENT", "KEYS DIFFER", "UNDECIDED", "ERROR" };
    return names[v];
}

/* The same world, with no question but whether the versions differ. */
scenario compare_without_questions(const scenario *sc, const lockstep_relation *relation)
{
    scenario s = *sc;
    memset(s.expect, 0, sizeof s.expect);
    memset(s.model.judged, 0, sizeof s.model.judged);
    s.model.judged[PROPERTY_EQUIVALENT] = true;
    s.model.judged[PROPERTY_SAME_KEYS] = relation->keys;
    s.must_see_count = 0;
    s.has_always = false;
    s.explore = sc->explore == EXPLORE_SCHEDULE ? EXPLORE_SCHEDULE : EXPLORE_EXHAUSTIVE;
    return s;
}

static compare_verdict verdict_of(const outcome *found)
{
    if (found->verdict == VERDICT_ERROR)
        return COMPARE_ERROR;
    if (found->properties[PROPERTY_EQUIVALENT].outcome == OUTCOME_VIOLATED)
        return COMPARE_DIFFERENT;
    if (found->properties[PROPERTY_SAME_KEYS].outcome == OUTCOME_VIOLATED)
        return COMPARE_KEYS_DIFFER;
    return found->search.complete ? COMPARE_EQUIVALENT : COMPARE_UNDECIDED;
}

void compare_search(arena *a, const scenario *sc, const loader *old, const loader *new, const search_options *o,
                    const lockstep_relation *relation, compare_outcome *out)
{
    scenario quiet = compare_without_questions(sc, relation);
    search_options so = *o;
    so.lockstep = lockstep_new(sc, new, relation);
    so.no_memo = o->no_memo && quiet.explore == EXPLORE_EXHAUSTIVE && !o->schedule;
    so.exhaustive = false;             /* as it is, unless the scenario is one schedule */
    so.runs = 0;
    so.strategy = NULL;
    so.no_fold = false;
    *out = (compare_outcome){ 0 };
    search_run(a, &quiet, old, &so, &out->found);
    out->verdict = verdict_of(&out->found);
    out->same_scripts = !relation->two_servers && lockstep_same_scripts(so.lockstep);
    lockstep_free(so.lockstep);
}
