/* adapter.h - what an answer means, by a function of the user's own: for two versions of a script that say the same in
 * different words.
 *
 * The file returns function(script, reply, problem, version): the script's name as drivers load it; the reply as a
 * driver gets it; of an error reply nil, and problem as in { kind = "reply", message = "ERR no" }; version "old" or
 * "new". What it returns is the meaning: nil, a boolean, number or string, or a table of these. Two answers whose
 * meanings are equal are the same. It sees what client code sees of Lua and has no `me`; it should keep nothing between
 * calls. */
#ifndef LOCKSIM_CLIENT_ADAPTER_H
#define LOCKSIM_CLIENT_ADAPTER_H

#include "base/arena.h"
#include "base/err.h"
#include "redis/reply.h"

typedef struct adapter adapter;

/* NULL: the file does not load or returns no function (ERR_SCENARIO). One thread at a time. */
adapter *adapter_new(str path, str text, err *e);
void adapter_free(adapter *t);
/* lockstep_relation.adapt, with the adapter as its context. *common is the meaning as Lua would write it. false: an
 * error in the function, or what it returned is no meaning. */
bool adapter_adapt(void *t, str script, bool second, const reply *r, arena *a, str *common, err *e);

#endif
