/* lua_compare.h - what a comparison in Lua compares: for anyone who wants to know when it comes out differently. */
#ifndef LOCKSIM_SCRIPT_LUA_COMPARE_H
#define LOCKSIM_SCRIPT_LUA_COMPARE_H

#include <stdbool.h>

#include <lua.h>

typedef enum { COMPARES_NOT, COMPARES_EQUAL, COMPARES_ORDER } compare_kind;

/* In a hook that fires before each instruction (LUA_MASKCOUNT, 1): is that instruction a comparison, == ~= or
 * < <= > >=? Then its two sides are pushed; nil for a constant that is no number. The place in the code is read where
 * stock liblua5.1 keeps it. */
compare_kind lua_compares(lua_State *L, lua_Debug *ar);
/* Of the two topmost values: two numbers, or two texts that are numbers? Then the first less the second, never a
 * NaN. Of two other texts, 1, 0 or -1: how they are ordered. */
bool lua_difference(lua_State *L, double *difference);

#endif
