/* campaign.h - many driven runs to one verdict: found, run again to be sure, made short, told. */
#ifndef LOCKSIM_DRIVE_CAMPAIGN_H
#define LOCKSIM_DRIVE_CAMPAIGN_H

#include "drive/run.h"
#include "search/outcome.h"

typedef struct {
    uint64_t runs, runs_all;
    uint64_t distinct;     /* schedules, so far */
    uint64_t requests, grants, found;      /* found: properties that broke */
} campaign_progress;

/* What came of holding the runs against a driver. */
typedef struct {
    uint64_t requests;     /* of all runs, that were compared */
    bool differs;
    uint64_t seed;         /* of the first run that differs */
    str reason, table;     /* of it, made short: see against_result */
    str schedule;          /* of the same */
} campaign_held;

/* The processes of an MPI job: host/ranks.h has these functions, and says what each does. */
typedef struct {
    size_t own, all;
    void (*send)(size_t to, str bytes);
    bool (*receive)(size_t *from, buf *bytes);
    bool (*cancelled)(void);
    void (*cancel)(void);
    bool (*interrupted)(void);     /* some may be dead */
} campaign_ranks;

typedef struct {
    const drive_setup *setup;
    str path;              /* the result's name: the clients' names and commands */
    uint64_t seed, runs;
    size_t jobs;           /* runs side by side */
    const campaign_ranks *ranks;       /* over which the runs are shared out, one at a time each; or NULL */
    bool pct;
    uint32_t depth;
    const char *schedule;  /* instead of chance; or NULL */
    const property *claim; /* only this one is judged; or NULL */
    bool same;             /* all runs are equal, and the only question is whether their results are */
    const against *against;    /* nothing is judged but whether they are what this driver does; or NULL */
    campaign_held *held;   /* of that; lives where the outcome does */
    void *context;
    bool (*progress)(void *context, const campaign_progress *at);  /* false stops; or NULL */
} campaign;

/* Everything in *out lives in `a`. What goes wrong is a verdict. An example's seed is run_seed of it. Only rank 0
 * gets a result; that of another rank says nothing. */
void campaign_run(arena *a, const campaign *c, outcome *out);
/* Instead of it, where a rank cannot begin: the other ranks do not wait for it. */
void campaign_abandon(const campaign_ranks *ranks);

#endif
