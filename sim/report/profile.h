/* profile.h - outcome.profile, for people and for programs. */
#ifndef LOCKSIM_REPORT_PROFILE_H
#define LOCKSIM_REPORT_PROFILE_H

#include "report/json_text.h"
#include "report/report.h"

/* Both of a result that has a profile. Lines: how many states, then the parts that make most of them. all: every one
 * that is known. */
void report_add_profile(buf *out, const outcome *o, bool all);
json_t *report_profile_json(const outcome *o);

#endif
