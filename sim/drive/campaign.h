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

typedef struct {
    const drive_setup *setup;
    str path;              /* the result's name: the clients' names and commands */
    uint64_t seed, runs;
    size_t jobs;           /* runs side by side */
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

/* Everything in *out lives in `a`. What goes wrong is a verdict. An example's seed is run_seed of it. */
void campaign_run(arena *a, const campaign *c, outcome *out);

#endif
