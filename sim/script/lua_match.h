/* lua_match.h - string.find, match, gmatch and gsub as Lua 5.1 defines them, but every step is charged to a budget, so
 * that a pattern that backtracks for ever ends like any other endless loop. Scripts and client code have budgets of
 * their own. */
#ifndef LOCKSIM_SCRIPT_LUA_MATCH_H
#define LOCKSIM_SCRIPT_LUA_MATCH_H

#include <stdint.h>

#include <lua.h>

typedef struct {
    void (*charge)(lua_State *L, uint64_t steps);  /* raises an error where the budget is spent */
    int depth_max;         /* deeper recursion, on the C stack, is an error: "pattern too complex" */
} match_host;

/* Each is the body of the Lua function of that name. */
int match_find(lua_State *L, const match_host *host);
int match_match(lua_State *L, const match_host *host);
int match_gsub(lua_State *L, const match_host *host);
/* `next` is the iterator that it returns: a function whose body is match_next. */
int match_gmatch(lua_State *L, lua_CFunction next);
int match_next(lua_State *L, const match_host *host);

#endif
