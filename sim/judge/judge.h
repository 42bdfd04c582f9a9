/* judge.h - one scenario file from its path to its result: read, loaded and searched; its counterexamples are saved and
 * proved. */
#ifndef LOCKSIM_JUDGE_JUDGE_H
#define LOCKSIM_JUDGE_JUDGE_H

#include "host/files.h"
#include "host/flat.h"
#include "host/print.h"
#include "host/progress.h"
#include "judge/names.h"
#include "judge/saved.h"
#include "report/report.h"
#include "search/search.h"

typedef struct {
    arena *memory;
    arena *scenario;  /* holds what the result borrows from the scenario; NULL: the caller frees it later */
    outcome result;
    str *files;                    /* of each example; "" where none was saved */
    const report_measure *measure; /* options.measure; NULL: not wanted */
    bool *pictures;                /* a .svg file of the same name exists */
    looked looked;                 /* the files on which the result depends */
    struct trials *trials;         /* options.watching; else NULL */
    int status;
} judged;

/* A loaded scenario. Its code loads further files through it, so it must not move. */
typedef struct {
    arena *memory;
    search_path where;
    loader l;
    scenario *sc;
    looked looked;                 /* so far */
    bool signatures;               /* signatures of its expected violations are wanted */
    struct process_tables *tables; /* what is known of its clients (memo/learned.h); NULL: not kept */
    struct judgements *judgements; /* and of its monitors (memo/judgements.h) */
    const checkpoints *checkpoints;        /* search_options.checkpoints */
    const spill *spill;                    /* search_options.spill */
} opened;
/* false: `out` is the result. */
bool judge_open(const options *o, str path, opened *s, judged *out);
/* Searches it; the result borrows from it, and has an empty `looked`. */
void judge_opened(const options *o, opened *s, progress *p, judged *out);

/* Never fails: errors are part of the result. The caller calls judged_free. Can run in parallel. */
void judge_file(const options *o, str path, progress *p, judged *out);
/* Saves the wanted counterexamples and proves each from its file. Not in parallel; in the order of the results. */
void judge_save(const options *o, taken_names *taken, judged *out);
/* For a path that could not be read: takes over `e`; `out` holds no result yet. */
void judge_error(str path, err *e, judged *out);
void judged_free(judged *j);
int judge_status(const outcome *o);
/* The cost of an acquire, by simulation. A failure of the code there was reported by the search, or occurs only in an
 * order that the search excludes. */
const report_measure *judge_measure(arena *a, const scenario *sc, const loader *l);
/* In the report's form; everything is borrowed. */
report_item judge_item(const judged *j);
/* Loads the scenario at `path` by `where` (which then finds names for it) into `a`. `by` overrides the file's
 * settings. */
bool judge_load(arena *a, search_path *where, str path, overrides by, scenario *sc, err *e);
/* Overrides the scenario's settings by those in `by`. */
bool judge_override(arena *a, overrides by, scenario *sc, err *e);

/* A file that a scenario has patched. Its texts live in the arena that was passed. */
typedef struct {
    str name;              /* the loader's name for it */
    str path, original;    /* of the original, and its text */
    str file, text;        /* of the scenario, and its text */
    patched changed;
} patched_file;
/* The patched files of the scenario of that name. false: it cannot be loaded. */
bool judge_patched(arena *a, const options *o, str name, patched_file **files, size_t *count, err *e);

#endif
