/* comparison.h - what `locksim compare` found, as text for people and as JSON. */
#ifndef LOCKSIM_REPORT_COMPARISON_H
#define LOCKSIM_REPORT_COMPARISON_H

#include "report/report.h"
#include "search/versions.h"

/* One scenario. */
typedef struct {
    const compare_outcome *result;
    bool untouched;        /* no script that it loads lies in either version: nothing of them was compared */
    const str *scripts;    /* names of those that differ and that it loads */
    size_t script_count;
    const str *drivers;    /* of client code that differs: then each version ran with its own (compare_clients) */
    size_t driver_count;
    const outcome *runs[2];            /* the scenario run alone with the old and with the new version; NULL: not run */
    const report_measure *costs[2];    /* the cost of an acquire with each; NULL: not measured */
} report_compared;

typedef struct {
    str old, new;          /* as they were given */
    str relation;          /* what did not count, one line; empty: everything counted */
    const report_compared *items;
    size_t count;
    compare_verdict verdict;           /* of all of them */
    str again;             /* the command that tells the story again, but for its schedule; fit to be pasted */
    size_t told;           /* the item whose story is shown; count: none has one */
    bool nothing_ran;      /* scripts differ or lie elsewhere, and no scenario has run one that differs: no verdict can
                            * be reached */
    size_t looked;         /* scenarios that there were to choose from; where none shows a difference: all of them */
    size_t passed_over;    /* scenarios that were not named, load a differing file, and never run it */
} report_comparison;

/* The worst of two: ERROR, DIFFERENT, KEYS DIFFER, UNDECIDED, EQUIVALENT. */
compare_verdict report_compare_worse(compare_verdict a, compare_verdict b);
/* The first difference that a client can tell, else the first of the keys; NULL: none. */
const counterexample *report_compare_example(const report_compared *c);
void report_compare_text(const report_comparison *c, const report_style *style, buf *out);
/* {"locksim": 1, "compare": ...}: the schema is in locksim(1), section JSON. */
void report_compare_json(const report_comparison *c, int exit_status, buf *out);

/* Parts of the text: the story, whole if the style is verbose, else its beginning and end, in style->width columns; and
 * the commands that both versions ran in its last step. */
void report_compare_story(const story *s, const report_style *style, buf *out);
void report_compare_commands(const story *s, buf *out);

#endif
