/* waiters.h - questions about who waits, which several properties ask. */
#ifndef LOCKSIM_MODEL_WAITERS_H
#define LOCKSIM_MODEL_WAITERS_H

#include "model/monitor.h"

/* By the server's account it could have what it waits for. */
bool waiter_could_have(const model *m, const stake *s);
/* The longest waiter, which a report names, whatever the list's order. `served`: of those that could have what they
 * wait for. */
const stake *waiter_first(const model *m, const lock *l, bool served);

#endif
