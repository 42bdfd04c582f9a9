/* mutate_internal.h - shared by the parts of `locksim mutate`: scripts with their mutants, scenarios with their results
 * on the original, and the judging of one by the other. Results never depend on the number of threads. */
#ifndef LOCKSIM_MUTATE_MUTATE_INTERNAL_H
#define LOCKSIM_MUTATE_MUTATE_INTERNAL_H

#include "host/progress.h"
#include "judge/uses.h"
#include "mutate/mutants.h"
#include "script/coverage.h"
#include "search/search.h"

/* The part of a client code file that a scenario ran. */
typedef struct {
    str path;              /* tidy */
    const uint8_t *lines;  /* [line - 1]: 1 where something was run */
    size_t line_count;
} reached_driver;

/* A scenario that loads some of the scripts and drivers. */
typedef enum {
    SCENE_UNKNOWN,         /* not run yet, or it came to the limit of the last round */
    SCENE_PASSES,          /* with the original scripts: it can tell a mutant */
    SCENE_FAILS,           /* it does not pass: its result with a mutant means nothing */
    SCENE_LARGE,           /* it has more states than may be searched */
} scene_state;
typedef struct {
    str path;
    const used_file *files;
    size_t file_count;
    scene_state state;
    uint64_t raised_to;    /* states: it was searched for targets that are raised as far, and counts for these */
    uint64_t cost, states; /* of the original's run: steps, states */
    const coverage_script *scripts;    /* reached by it */
    size_t script_count;
    const reached_driver *drivers;     /* those that it does not patch */
    size_t driver_count;
} scene;

/* How far a mutant and a scene that reaches it are. */
typedef enum { PAIR_NEW, PAIR_LOOKED, PAIR_COMPARED } pair_state;

typedef struct {
    str path;              /* tidy: as a loader finds it */
    mutants_kind kind;
    str text;
    str error;             /* it is no Lua: the diagnostic, in lines; empty: it is */
    mutant *mutants;
    size_t count;
    size_t *scenes;        /* those that load it, by number */
    size_t scene_count;
    uint64_t raised_to;    /* states, or 0: none of them passes within fewer, so larger ones judge it */
    size_t passing, failing, large;    /* of these */
    size_t *kills;         /* by each of the scenes, so far */
    pair_state *pairs;     /* [mutant * scene_count + scene] */
    uint64_t inputs;       /* hash of all that its mutants' classes depend on */
} target;

typedef struct {
    const options *o;
    arena *a;
    target *targets;
    size_t target_count;
    scene *scenes;
    size_t scene_count;
    size_t threads;
    progress_board board;
    bool interrupted;
    str others;            /* rows of the kept index that are about other scripts */
} mutation;

/* Where --max-states does not say: larger scenarios are left out. A file that none as small judges is judged by larger
 * ones: then a limit is raised that no score hangs on. */
enum { MUTATE_STATES_MAX = 3000, MUTATE_STATES_RAISED = 300000 };
/* Runs what is needed, fast scenarios first, until each wanted mutant has a class or it is interrupted. `saved` is
 * called now and then, when more is known. */
void mutate_judge(mutation *m, void (*saved)(mutation *m));

/* The wanted mutants of a target (NULL: of all) that have this class. */
size_t mutate_count(const mutation *m, const target *t, mutant_class c);
/* Killed of those that are not equivalent and not explained, in percent; below 0 where there are none. */
double mutate_score(const mutation *m, const target *t);

#endif
