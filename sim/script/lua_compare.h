/* lua_compare.h - what Lua code does with its values besides arithmetic: what it compares, and what else may influence
 * its branches. For code that has to know when Lua takes another path. Used from a hook that fires before each
 * instruction (LUA_MASKCOUNT, 1); the position in the code is read where stock liblua5.1 stores it. */
#ifndef LOCKSIM_SCRIPT_LUA_COMPARE_H
#define LOCKSIM_SCRIPT_LUA_COMPARE_H

#include <stdbool.h>

#include <lua.h>

typedef enum { COMPARES_NOT, COMPARES_EQUAL, COMPARES_ORDER } compare_kind;

/* Is the instruction that comes a comparison, == ~= or < <= > >=? Then its two sides are pushed; nil for a constant
 * that is no number. */
compare_kind lua_compares(lua_State *L, lua_Debug *ar);
/* Of the two topmost values: two numbers, or two texts that are numbers? Then the first less the second, never a
 * NaN. Of two other texts, 1, 0 or -1: how they are ordered. */
bool lua_difference(lua_State *L, double *difference);

/* Functions of the standard libraries, and what each does with its arguments; all others are locksim's own. */
enum { LUA_KNOWN_MAX = 192 };
typedef struct {
    struct { const void *closure; int use; } items[LUA_KNOWN_MAX];     /* of one C function there may be several */
    size_t count;
} lua_known;
/* Those of this state, from the tables where scripts find them. Pushes and pops; raises no error. */
void lua_known_learn(lua_known *k, lua_State *L);

/* Either may be NULL. */
typedef struct {
    void *context;
    void (*compared)(void *context, double difference);
    /* The value at `index` influences a branch in a way that no difference shows: the key of a table, the bound of a
     * loop, a text that is compared, an argument of % or of a function that is not known to pass it on unchanged. 0:
     * the contents of a table. */
    void (*used)(void *context, lua_State *L, int index);
} lua_ears;
/* What the next instruction compares and uses. Numbers passed to locksim's own functions count as compared with zero (a
 * wait, a lease); their texts are reported by others (words of a request). */
void lua_hear(lua_State *L, lua_Debug *ar, const lua_known *k, const lua_ears *ears);

#endif
