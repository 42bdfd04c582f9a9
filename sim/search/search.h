/* search.h - who chooses: a schedule, chance (uniform or PCT), or every schedule; and what came of it, as plain
 * data. */
#ifndef LOCKSIM_SEARCH_SEARCH_H
#define LOCKSIM_SEARCH_SEARCH_H

#include "base/spill.h"
#include "base/team.h"
#include "lockstep/lockstep.h"
#include "search/outcome.h"
#include "world/world.h"

/* How far a search is. What a kind of search does not count is 0. */
typedef struct {
    uint64_t runs, runs_all;           /* runs_all: planned */
    uint64_t transitions;
    uint64_t states, depth, waiting;   /* exhaustive: met; steps from the beginning; met and not yet gone on from */
    uint64_t bytes, bytes_max;         /* of memory; max 0: no limit */
    double growth;                     /* of a level of states to the one before; 0: unknown */
    uint64_t to_come;                  /* states to go on from until the end, also those not met yet, about; 0: no
                                        * estimate can be made */
} search_progress;

/* Where long searches by tables are kept, so that another run of the same build can go on with them; `attempt`, from 0,
 * because a search may begin again. What was kept of an attempt before stays until the new one is whole. */
typedef struct {
    void *context;
    int64_t every_ms;                  /* of real time */
    bool often;                        /* every few rows may be the last; nothing but a test sets it */
    bool (*begin)(void *context, size_t attempt);                      /* false: it cannot be, which was said */
    void (*put)(void *context, const void *bytes, size_t n);
    bool (*end)(void *context);                                        /* false: some of it could not be written */
    bool (*open)(void *context, size_t attempt, str *bytes);           /* false: nothing is kept of it */
    void (*close)(void *context);
} checkpoints;

typedef struct {
    uint64_t seed;
    uint64_t runs;                     /* 0: the scenario's */
    uint64_t max_steps;                /* of one run; 0: the scenario's */
    int64_t time_limit_ms;             /* of real time by elapsed_ms; 0: none */
    const char *strategy;              /* "uniform", "pct", or NULL: the scenario's */
    const property *claim;             /* what brackets in the schedule show; NULL: LK012 */
    const char *schedule;              /* takes the place of the scenario's explore; or NULL */
    uint64_t max_states;               /* exhaustive; 0: the scenario's, or none */
    uint64_t max_memory;               /* bytes, about; 0: the scenario's, or memory_default */
    uint64_t memory_default;           /* 0: none */
    bool exhaustive;                   /* every state, whatever the scenario says */
    bool symmetry;                     /* equal clients count once: a state and its permutations are one (equal.h) */
    bool reduction;                    /* steps that commute are taken in one order, where no property can tell
                                        * (vector_ample.c); what breaks is then told by a search without */
    unsigned ample_without;            /* ample_rule; nothing but a test sets it */
    bool no_memo;                      /* the same, but nothing is looked up: every step is taken in a world run from
                                        * the start */
    bool open_starts;                  /* in searches and random runs, a client whose start is not pinned starts at any
                                        * moment */
    bool no_fold;                      /* every schedule, re-run from the start, merging nothing */
    int64_t every_ms;                  /* every millisecond is a stop until so many have passed; 0: those at which
                                        * something can differ */
    unsigned equals_without;           /* equals.h; nothing but a test sets it */
    uint64_t stops_without;            /* as in world_options; nothing but a test sets it */
    lockstep *lockstep;                      /* two versions are run side by side: versions.h; or NULL */
    bool signatures;                   /* exhaustive: goes on until all states are met, and tells by which faults, and
                                        * at whose steps, each expected violation breaks; scenario.signatures are
                                        * compared */
    bool first_failure;                /* an exhaustive search stops at the first that the scenario does not expect; the
                                        * rest stays undecided */
    bool untold;                       /* what is found gets no counterexample, and what only the graph of all states
                                        * can tell is not asked */
    bool profile;                      /* what the states are made of is told, and not only where a search ends early */
    bool surprises;                    /* only what the scenario does not expect gets a counterexample */
    bool unblamed;                     /* the others get theirs without `blame`, which takes longest: a run for each
                                        * step */
    bool glance;                       /* the verdict is enough: stops at the first violation that was not expected, and
                                        * tells no story */
    struct trials *trials;             /* memo/trials.h: what a search by tables asks of scripts; spoilt where it was
                                        * another kind; or NULL */
    struct process_tables *tables;     /* memo/learned.h: what earlier searches of this very scenario learned of its
                                        * clients, and what this one learns, by tables; or NULL */
    struct judgements *judgements;     /* memo/judgements.h: likewise, of its monitors */
    redis_limits limits;
    cores *cores;                      /* exhaustive: what it may use besides its own thread, while they are idle; the
                                        * result does not depend on it, but for what memory was used. NULL: nothing */
    size_t together_rows;              /* of a level, for which it uses them; 0: so many that it pays. Nothing but a
                                        * test sets it */
    const checkpoints *checkpoints;    /* exhaustive; NULL: nothing is kept */
    const spill *spill;                /* exhaustive: where states may lie beyond memory; NULL: nowhere */
    /* The command line meets the real clock and the terminal; both may be NULL. */
    void *context;
    int64_t (*elapsed_ms)(void *context);
    /* Called now and then; false stops the search (Ctrl-C): INCONCLUSIVE with what was found. */
    bool (*progress)(void *context, const search_progress *at);
    /* Passed on to the world; on_run is called before each run begins. */
    void (*on_run)(void *context);
    void (*on_executed)(void *context, const world_executed *x);
    void (*on_server_fault)(void *context, const world_suffered *x);
    void (*on_crash)(void *context, uint32_t process);
} search_options;

/* Runs one scenario to a verdict; everything in *out lives in `a`. Never fails: what goes wrong is a verdict of its own
 * (VERDICT_ERROR with out->error filled). */
void search_run(arena *a, const scenario *sc, const loader *l, const search_options *o, outcome *out);

/* Runs a schedule and tells it, whatever it shows: for `locksim replay`. */
void search_replay(arena *a, const scenario *sc, const loader *l, const search_options *o, str schedule, outcome *out);

#endif
