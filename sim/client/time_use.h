/* time_use.h - what client code does with the time. To hand an instant on, to add to it, to take it from another and to
 * compare two is the same at any time of day; the remainder, the quotient or the digits of an instant are not. Two
 * epochs show that only where both come to different results: `now() % 10 == 7` is false in nine of ten. So a watched
 * process looks at its operands. */
#ifndef LOCKSIM_CLIENT_TIME_USE_H
#define LOCKSIM_CLIENT_TIME_USE_H

#include "client/process_internal.h"

/* Looks at this thread from now on, if its process is watched; and hears what it compares, if somebody wants to know
 * (outputs.hears). */
void time_use_enter(process *p, lua_State *L);
/* A hook told that an instruction comes. */
void time_use_instruction(process *p, lua_State *L, lua_Debug *ar);
/* A hook told that a line begins. */
void time_use_line(process *p, lua_State *L, lua_Debug *ar);
/* The argument at `index` of a built-in function that takes numbers or texts apart. */
void time_use_argument(lua_State *L, int index);

#endif
