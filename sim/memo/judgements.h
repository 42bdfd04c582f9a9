/* judgements.h - what monitors made of what they heard, kept from one search of a scenario to the next: (state of the
 * monitors, events, who can move, ms that pass) -> (state, properties broken). It follows from these bytes and from
 * what the scenario has judged, and from nothing else. */
#ifndef LOCKSIM_MEMO_JUDGEMENTS_H
#define LOCKSIM_MEMO_JUDGEMENTS_H

#include "base/intern.h"

typedef struct judgements judgements;
judgements *judgements_new(void);                  /* of one scenario's searches */
void judgements_free(judgements *j);               /* NULL is fine */
size_t judgements_bytes(const judgements *j);
/* It takes as much memory as it may: it is asked no more, and had better be made anew. */
bool judgements_full(const judgements *j);

/* ---- for the world, which asks ---- */

/* A judgement by the numbers of its parts here. */
typedef struct { uint32_t model, events, tasks; } judgement;
uint32_t judgements_model(judgements *j, str bytes);
uint32_t judgements_events(judgements *j, str bytes, int64_t ms);
uint32_t judgements_tasks(judgements *j, str bytes);
/* false: nobody knows. *after lives as long as `j`. */
bool judgements_find(const judgements *j, judgement at, str *after, uint32_t *broken);
void judgements_add(judgements *j, judgement at, str after, uint32_t broken);      /* not known before */

#endif
