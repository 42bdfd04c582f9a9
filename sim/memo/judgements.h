/* judgements.h - results of the monitors, kept from one search of a scenario to the next: (state of the monitors,
 * events, who can move, ms that pass) -> (state, broken properties). A result follows from these bytes and from the
 * scenario's properties, and from nothing else. */
#ifndef LOCKSIM_MEMO_JUDGEMENTS_H
#define LOCKSIM_MEMO_JUDGEMENTS_H

#include "base/intern.h"

typedef struct judgements judgements;
judgements *judgements_new(void);                  /* of one scenario's searches */
void judgements_free(judgements *j);               /* NULL is fine */
size_t judgements_bytes(const judgements *j);
/* The memory limit is reached: it answers no more and should be replaced by a new one. */
bool judgements_full(const judgements *j);

/* ---- for the world, which looks them up ---- */

/* The numbers under which the inputs of a judgement are stored here. */
typedef struct { uint32_t model, events, tasks; } judgement;
uint32_t judgements_model(judgements *j, str bytes);
uint32_t judgements_events(judgements *j, str bytes, int64_t ms);
uint32_t judgements_tasks(judgements *j, str bytes);
/* false: unknown. *after lives as long as `j`. */
bool judgements_find(const judgements *j, judgement at, str *after, uint32_t *broken);
void judgements_add(judgements *j, judgement at, str after, uint32_t broken);      /* not known before */

#endif
