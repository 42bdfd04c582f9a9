/* workers.h - runs of a campaign in parallel, each worker a process. A run's behaviour follows from its number alone,
 * so results do not depend on the number of workers. */
#ifndef LOCKSIM_DRIVE_WORKERS_H
#define LOCKSIM_DRIVE_WORKERS_H

#include "drive/campaign.h"
#include "drive/choose.h"

/* The chooser of run `number`; `length`: steps of a run, about. */
void campaign_chooser(const campaign *c, uint64_t number, size_t length, chooser *out);
uint64_t campaign_seed(const campaign *c, uint64_t number);
/* A run; where the campaign holds them against a driver, it is recorded and compared, with texts in `a`. */
run_result campaign_one(const campaign *c, run *r, uint64_t seed, bool record, chooser *x, arena *a);
/* Run `number`, with its chooser; made again where something was not under control. */
run_result campaign_attempt(const campaign *c, run *r, uint64_t number, size_t length, chooser *x, arena *a);
/* Only compares runs with each other, or with a driver's: no property is judged. */
void campaign_settle(const campaign *c, run *r);

typedef struct workers workers;
/* Starts c->jobs of them on the runs from `first` on. NULL where that cannot be done: the caller then runs by
 * itself. */
workers *workers_start(arena *a, const campaign *c, uint64_t first, size_t length);
/* What came of run `number`, one after the other from `first` on, in `a`; the picks are the caller's to free. false:
 * the worker is gone. */
bool workers_take(workers *w, uint64_t number, arena *a, run_result *out, picks *taken);
void workers_end(workers *w);                      /* they stop after the run they are at; NULL is fine */

/* ---- what came of a run, as bytes ---- */

void workers_record(buf *b, const run_result *r, const picks *taken, size_t clients);
/* Of a record of as many clients. Texts point into `record`; the picks are the caller's to free. */
void workers_read(str record, size_t clients, arena *a, run_result *out, picks *taken);

#endif
