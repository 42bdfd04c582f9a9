/* trace_scenario.h - `locksim trace --to-scenario`: a passage of the log becomes a scenario, which is run to see that
 * it shows what the log showed. */
#ifndef LOCKSIM_CLI_TRACE_SCENARIO_H
#define LOCKSIM_CLI_TRACE_SCENARIO_H

#include "cli/cli.h"
#include "trace/passage.h"

typedef struct {
    const options *o;
    family **families;
    size_t family_count;
    bool guessed;          /* the user has not named them */
    dialect dialect;
    const finding *findings;           /* by line */
    size_t finding_count;
    passage *scripts;      /* knows the scripts that the log may run, and becomes the passage */
} scenario_wanted;

/* Writes o->to_scenario, unless the file exists, and reports it on stdout. The passage: o->lines; without it that of
 * the first violation, or of the first lease that ended within a hold while another owner got in. false: `e` says
 * why. */
bool trace_scenario(arena *a, const scenario_wanted *w, err *e);

#endif
