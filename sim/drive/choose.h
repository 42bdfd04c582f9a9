/* choose.h - the choosers of a driven run: random (uniform or PCT), a list of earlier choices, or a schedule's text. */
#ifndef LOCKSIM_DRIVE_CHOOSE_H
#define LOCKSIM_DRIVE_CHOOSE_H

#include "base/rng.h"
#include "drive/run.h"
#include "world/world.h"

/* The choices, step by step: places in the lists, 0 by default. */
typedef struct {
    uint32_t *at;
    size_t count, cap;
} picks;

typedef enum { CHOOSE_UNIFORM, CHOOSE_PCT, CHOOSE_AGAIN, CHOOSE_SCHEDULE } chooser_kind;

enum { CHOOSER_CLIENTS = 64 };

/* Plain; zero it first. Which fields a kind uses stands beside them. */
typedef struct {
    chooser_kind kind;
    picks taken;           /* all kinds: written while the run goes */
    rng chance;            /* UNIFORM, PCT */
    uint32_t depth;        /* PCT: change points and 1 */
    size_t length;         /* PCT: steps of a run, about */
    uint32_t priority[CHOOSER_CLIENTS];            /* PCT */
    size_t change_at[8];
    int64_t pause_ms[CHOOSER_CLIENTS];             /* UNIFORM, PCT: how long a pause should last */
    const picks *again;    /* AGAIN: after its end 0 */
    const schedule_item *items;                    /* SCHEDULE: after its end 0 */
    size_t item_count;
    err *problem;          /* SCHEDULE: where a step does not fit */
} chooser;

void chooser_random(chooser *c, chooser_kind kind, uint64_t seed, size_t clients, uint32_t depth, size_t length);
void chooser_free(chooser *c);
size_t chooser_choose(void *chooser, const choice *choices, size_t count);

#endif
