/* sarif_parts.h - shared by all of our SARIF 2.1.0 logs (OASIS). The caller owns results, and gives away arguments.
 * Only sim/report includes this file. */
#ifndef LOCKSIM_REPORT_SARIF_PARTS_H
#define LOCKSIM_REPORT_SARIF_PARTS_H

#include "report/json_text.h"

/* A message object. */
json_t *sarif_message(str text);
/* A location: a region in the file at `path`, relative to where locksim ran or absolute. */
json_t *sarif_location(str path, json_t *region);
/* explain: NULL where there is no more to say. */
json_t *sarif_rule(const char *id, const char *name, const char *promise, const char *explain);
/* The whole log: one run of locksim with these rules and results. */
void sarif_add(buf *out, json_t *rules, json_t *results);

#endif
