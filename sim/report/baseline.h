/* baseline.h - a saved run (`--format json`), and what has changed since: verdicts, properties, states, stories, and
 * the cost of an acquire. Pure, as all of report/. */
#ifndef LOCKSIM_REPORT_BASELINE_H
#define LOCKSIM_REPORT_BASELINE_H

#include "report/report.h"

/* What of one scenario is compared. */
typedef struct {
    str scenario;
    verdict verdict;
    property_outcome properties[PROPERTY_COUNT];
    uint64_t story_steps[PROPERTY_COUNT];          /* of the counterexample; 0: none */
    uint64_t states, transitions, runs;
    bool asked;            /* was the measure wanted? */
    report_measure measure;
} baseline_row;

typedef struct baseline {
    str path;
    baseline_row *rows;
    size_t count;
    bool measured;         /* measures were wanted */
} baseline;

/* Reads a saved run; everything lives in `a`, `text` may go. false: it is no such document, and `e` says where
 * (ERR_SCENARIO). */
bool baseline_read(arena *a, str path, str text, baseline *out, err *e);

typedef enum { CHANGE_WORSE, CHANGE_BETTER, CHANGE_MOVED, CHANGE_NEW, CHANGE_GONE, CHANGE_NONE,
               CHANGE_KINDS } baseline_kind;

typedef struct {
    str what;              /* "verdict", "LK002 fifo", "states", "wait_mean_ms" */
    str before, after;     /* as shown */
    str by;                /* "+6", "-12.5 %"; "" of words */
} baseline_move;

typedef struct {
    baseline_kind kind;    /* worse and better: of the verdict */
    str scenario;
    verdict before, after; /* of CHANGE_NEW: after; of CHANGE_GONE: before */
    baseline_move *moves;  /* verdict and properties, then states, stories, waits, commands */
    size_t move_count;
} baseline_change;

typedef struct {
    baseline_change *items;            /* worse, better, moved, new, gone; each in the order of the run, or of the saved
                                        * one */
    size_t count;
    size_t of[CHANGE_KINDS];           /* how many of each kind */
} baseline_changes;

/* A saved run, and how this one differs. */
typedef struct report_baseline {
    const baseline *saved;
    baseline_changes changes;
} report_baseline;

const char *baseline_kind_name(baseline_kind k);   /* "worse" "better" "moved" "new" "gone" "as_before" */
/* `partial`: this run left scenarios out, so that nothing can be said to be gone. */
baseline_changes baseline_compare(arena *a, const baseline *b, const report_item *items, size_t count, bool partial);

/* As lines for people, the sum last. */
void report_baseline_text(const report_baseline *b, const report_style *style, buf *out);

#endif
