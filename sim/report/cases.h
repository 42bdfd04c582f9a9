/* cases.h - outcomes as test cases, for the formats of build servers: passed, failed, or undecided. Only sim/report
 * includes this file. */
#ifndef LOCKSIM_REPORT_CASES_H
#define LOCKSIM_REPORT_CASES_H

#include "report/report.h"

typedef enum {
    CASE_PASSED,
    CASE_FAILED,
    CASE_UNKNOWN,          /* an error, or a limit that came first: no pass */
} case_result;

/* All texts are borrowed from the item. */
typedef struct {
    const char *name;      /* of the property, or "verdict": a case of no property */
    const char *type;      /* the kind of problem: LK010, or ERROR, INCONCLUSIVE, VACUOUS; NULL where it passed */
    case_result result;
    str message;           /* one sentence; empty where it passed */
    const property_result *of;                 /* NULL: it is no property's */
    const counterexample *example;             /* NULL: there is none */
    str file;              /* where that was saved; empty: it was not */
} report_case;

enum { REPORT_CASES_MAX = PROPERTY_COUNT + 1 };

/* The verdict, then each property that was judged, in their order; how many. */
size_t report_cases(const report_item *item, report_case out[REPORT_CASES_MAX]);
/* The story with its reason and the command to replay it, or an error's text; empty where it passed. */
void report_case_body(const report_item *item, const report_case *c, buf *out);
/* Of a verdict that says too little: its likeliest cause, the place, and a change to try, lines that begin with a
 * newline each; else nothing. */
void report_case_advice(const report_item *item, const report_case *c, buf *out);

/* Where a story ends: the script's line, or the client's if no script ran. */
typedef struct {
    str path;
    int line;              /* 1-based */
} report_place;
/* Adds `path` without "folder/..": viewers of annotations know files by such names only. */
void report_add_plain_path(buf *out, str path);
/* The position of one step; false if unknown. */
bool report_row_place(const story_row *row, report_place *place);
/* Of a case: the place of its advice, its story's last place (of a script's bad health: where that was found), its
 * error's, or the scenario's first line. */
report_place report_case_place(const report_item *item, const report_case *c);

#endif
