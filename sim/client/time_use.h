/* time_use.h - what client code does with the time. Passing an instant on, adding to it, subtracting and comparing give
 * the same at any time of day; the remainder, the quotient or the digits of an instant do not. Two epochs show that
 * only if their results differ: `now() % 10 == 7` is false nine times of ten. So a watched process checks its
 * operands. Where seconds fold, quotients and remainders by a thousand keep full seconds, and are none of these. */
#ifndef LOCKSIM_CLIENT_TIME_USE_H
#define LOCKSIM_CLIENT_TIME_USE_H

#include "client/process_internal.h"

/* Checks this thread from now on, if its process is watched; and records its comparisons, if wanted (outputs.hears). */
void time_use_enter(process *p, lua_State *L);
/* For a hook, before each instruction. */
void time_use_instruction(process *p, lua_State *L, lua_Debug *ar);
/* For a hook, at the beginning of a line. */
void time_use_line(process *p, lua_State *L, lua_Debug *ar);
/* The argument at `index` of a built-in function that decomposes numbers or texts. */
void time_use_argument(lua_State *L, int index);

#endif
