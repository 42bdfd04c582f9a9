/* adapter.h - the meaning of an answer, by a function of the user: for two versions of a script that say the same in
 * different words.
 *
 * The file returns function(script, reply, problem, version): the script's name as drivers load it; the reply as a
 * driver gets it (nil for an error reply); problem, for an error reply, as in { kind = "reply", message = "ERR no" };
 * version "old" or "new". Its result is the meaning: nil, a boolean, number or string, or a table of these. Two answers
 * with equal meanings count as the same. The function sees the same Lua as client code, but no `me`, and should keep
 * nothing between calls. */
#ifndef LOCKSIM_CLIENT_ADAPTER_H
#define LOCKSIM_CLIENT_ADAPTER_H

#include "base/arena.h"
#include "base/err.h"
#include "redis/reply.h"

typedef struct adapter adapter;

/* NULL: the file does not load or returns no function (ERR_SCENARIO). One thread at a time. */
adapter *adapter_new(str path, str text, err *e);
void adapter_free(adapter *t);
/* lockstep_relation.adapt, with the adapter as its context. *common is the meaning in Lua's notation. false: an error
 * in the function, or its result is no meaning. */
bool adapter_adapt(void *t, str script, bool second, const reply *r, arena *a, str *common, err *e);

#endif
