/* report.h - outcomes as text for people, as JSON for programs, as JUnit XML, TAP, SARIF and annotations for build
 * servers. Pure: an outcome and a style give bytes, the same ones each time. UX.md has the layout. Whatever came from
 * outside is shown through clean.h. */
#ifndef LOCKSIM_REPORT_REPORT_H
#define LOCKSIM_REPORT_REPORT_H

#include "search/outcome.h"

/* The cost of an acquire, by simulation: means over all seeds; waits in ms of virtual time. */
typedef struct {
    bool known;            /* false: no acquire was granted, or the scenario cannot be simulated */
    str why;               /* it cannot be simulated; else "" */
    uint64_t seeds;
    double wait_mean_ms, wait_p99_ms;
    double commands, requests;         /* of Redis, per acquisition */
} report_measure;

typedef struct {
    const outcome *result;
    const str *files;      /* where each of result->examples was saved; "" if it was not. NULL: none was */
    const report_measure *measure;     /* NULL: not measured */
    const bool *pictures;  /* does a picture of it, with .svg instead of .lua, lie beside the file? NULL: of none */
} report_item;

typedef struct {
    bool verbose;          /* say what each pass means, tell the expected stories and all script effects */
    bool profile;          /* all of the profile */
    bool meetings;         /* list which operation fell where, and which never did */
    bool timing;           /* show search.elapsed_ms */
    bool color;
    const char *program;   /* argv[0], for the commands that the reader is to paste; NULL: locksim */
    size_t left_out;       /* scenarios excluded by --shard, --in-diff */
    size_t width;          /* columns that a line may take; 0: as many as it needs (stdout is no terminal) */
    size_t path_width;     /* columns of the longest path, so that the lines of a run stand under each other */
    const struct report_baseline *baseline;        /* for report_json: the changes since a saved run (baseline.h);
                                                    * NULL: none */
} report_style;

/* One scenario: a line if it passed, more if not. */
void report_text(const report_item *item, const report_style *style, buf *out);
/* The last lines of a run over several scenarios; not_run of them were left when it was interrupted. */
void report_text_summary(const report_item *items, size_t count, size_t not_run, const report_style *style, buf *out);
/* A replay: every step, and what came of it. `file` is the saved counterexample, `p` the property it broke;
 * PROPERTY_COUNT: none, then or now. */
void report_text_replay(const report_item *item, str file, property p, const report_style *style, buf *out);

/* {"locksim": 1, ...}: the schema is in locksim(1), section JSON. */
void report_json(const report_item *items, size_t count, int exit_status, const report_style *style, buf *out);
/* One testsuite per scenario, one testcase per property that was judged. */
void report_junit(const report_item *items, size_t count, const report_style *style, buf *out);
/* The same cases as the Test Anything Protocol. */
void report_tap(const report_item *items, size_t count, buf *out);
/* What did not pass, as a SARIF 2.1.0 log: the finding codes are its rules. */
void report_sarif(const report_item *items, size_t count, buf *out);
/* The same as annotations of a GitHub workflow; empty if all passed. */
void report_github(const report_item *items, size_t count, buf *out);

/* Locks (folders of scenarios) by properties, and by faults, as Markdown tables with a legend. A cell has the smallest
 * faults that break the property, or the names of scenarios without faults; for a fault, the properties that break. */
void report_matrix(const report_item *items, size_t count, buf *out);

/* A table of known bugs and their results: what breaks, by which faults, the length of the story, and the twin's
 * result. */
typedef struct {
    const outcome *result;
    const outcome *twin;   /* NULL: it has none, or was not run */
} report_exhibit;
typedef enum { REPORT_ALIGNED, REPORT_MARKDOWN } report_layout;
void report_exhibits(const report_exhibit *rows, size_t count, report_layout layout, const report_style *style,
                     buf *out);

/* "PASS  ", in its colour. */
void report_add_verdict(buf *out, const report_style *style, verdict v);
/* Does this result need a counterexample to be shown: violated, and not expected to be? */
bool report_is_failure(const property_result *r);
/* "11 properties hold, strict_mutual_exclusion is violated, as expected (5 steps)" */
void report_add_properties(buf *out, const outcome *o);
/* "uniform: 1,000 runs, seed 1" */
void report_add_search(buf *out, const outcome *o, const report_style *style);
/* "scenarios/museum/R03.lua" is R03, and so is its case `exhibit`; its `twin` is R03.lua:twin, and any other case is
 * the part after the colon. */
str report_stem(str path);
/* Milliseconds since the beginning of virtual time, "30.001 s". */
void report_add_instant(buf *out, int64_t at_ms);
/* 1284 as "1,284". */
void report_add_count(buf *out, uint64_t n);
/* The command that replays the story saved in `file`, ready to be pasted; program NULL: "locksim". */
void report_add_replay(buf *out, const char *program, str file);
/* A story as a table: columns for #, time, each client, Redis. `rows_max` 0 shows all, else the middle is left out.
 * `width` 0 takes the columns that it needs; where they are more than `width`, and too many to share it, who did it
 * stands in a column of its own, and what came of it at the server beneath. */
typedef struct {
    const str *clients;
    size_t client_count, rows_max, width;
} story_frame;
void report_add_story(buf *out, const story *s, const story_frame *f);
/* Every request of the story as it was sent: when, by whom, its words, and the answer. */
void report_add_requests(buf *out, const story *s);
/* The part of a step's token that names the task: ":watchdog" in "A:watchdog.renew"; "" for the main task. */
str report_task_of(const story_row *r, str client);
/* How much of a script was reached. */
typedef struct {
    size_t lines, lines_reached, branches, branches_reached;
} report_reach;
report_reach report_reach_of(const coverage_script *s);
/* "acquire.lua  12 of 14 lines, 5 of 8 branches; never: 7:5 then, line 12", at most places_max places. No newline. */
void report_add_reached(buf *out, const coverage_script *s, size_t places_max);
/* The scripts of all items by name; those with the same name and text are joined, with the sums of their counts. Arrays
 * live in `a`; texts are the items'. A search of states runs a script once for all equal calls: there a count only says
 * reached or not. */
size_t report_coverage(const report_item *items, size_t count, arena *a, const coverage_script **out);
/* A line a script, and one for all of them. */
void report_coverage_text(const coverage_script *scripts, size_t count, buf *out);
/* For lcov's tools and those that read its files. Scripts that are texts in a client's code are left out: they have no
 * file. */
void report_lcov(const coverage_script *scripts, size_t count, buf *out);
bool report_has_file(const coverage_script *s);
/* The source, each line with its count, ##### where it was never reached, empty where it has no code; below a line the
 * branches of its decisions that were never taken. */
void report_annotated(const coverage_script *s, buf *out);
/* The commands that scripts ran, a line each, with the number of the step; at most lines_max of them (0: all). */
void report_add_effects(buf *out, const story *s, size_t lines_max);

#endif
