/* judge.h - one scenario file from its path to its result: read, loaded, searched, its counterexamples saved and
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
    arena *scenario;               /* what the result borrows from the scenario lies there; NULL: somebody else frees
                                    * it, later */
    outcome result;
    str *files;                    /* of each example; "" where none was saved */
    const report_measure *measure; /* options.measure; NULL: not asked for */
    bool *pictures;                /* beside it lies the same as .svg */
    looked looked;                 /* what the result rests on */
    struct trials *trials;         /* options.watching; else NULL */
    int status;
} judged;

/* A scenario that was loaded. What else its code asks for is found by it: it stays where it is. */
typedef struct {
    arena *memory;
    search_path where;
    loader l;
    scenario *sc;
    looked looked;                 /* so far */
    bool signatures;               /* of its expected violations are asked for */
    struct process_tables *tables; /* what is known of its clients (memo/learned.h); NULL: nothing is kept */
    struct judgements *judgements; /* and of its monitors (memo/judgements.h) */
    const checkpoints *checkpoints;        /* search_options.checkpoints */
    const spill *spill;                    /* search_options.spill */
} opened;
/* false: `out` is the result. */
bool judge_open(const options *o, str path, opened *s, judged *out);
/* Searches it; the result borrows from it, and holds nothing of what was looked at. */
void judge_opened(const options *o, opened *s, progress *p, judged *out);

/* Never fails: what goes wrong is the result. The caller calls judged_free. Several may run side by side. */
void judge_file(const options *o, str path, progress *p, judged *out);
/* Saves the counterexamples that are wanted and proves each from its file. One after the other, in the order of the
 * results. */
void judge_save(const options *o, taken_names *taken, judged *out);
/* A path that could not even be read: takes over `e`; `out` holds no result yet. */
void judge_error(str path, err *e, judged *out);
void judged_free(judged *j);
int judge_status(const outcome *o);
/* What an acquisition costs, by simulation. Code that fails there was told by the search, or fails only in an order
 * that it was kept from. */
const report_measure *judge_measure(arena *a, const scenario *sc, const loader *l);
/* As the report takes it; all is borrowed. */
report_item judge_item(const judged *j);
/* Loads the scenario at `path` by `where` (which then finds names for it) into `a`. `by`
 * overrides what the file says. */
bool judge_load(arena *a, search_path *where, str path, overrides by, scenario *sc, err *e);
/* Puts what `by` says in the place of what the scenario says. */
bool judge_override(arena *a, overrides by, scenario *sc, err *e);

/* A file as a scenario has patched it. Texts live in the arena they were asked for in. */
typedef struct {
    str name;              /* as the loader takes it */
    str path, original;    /* of the original, and its text */
    str file, text;        /* of the scenario, and its text */
    patched changed;
} patched_file;
/* Those of the scenario of that name. false: it cannot be loaded. */
bool judge_patched(arena *a, const options *o, str name, patched_file **files, size_t *count, err *e);

#endif
