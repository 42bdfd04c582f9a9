/* lua_slots.h - the values of a running C function, read where they lie in memory (stock liblua5.1, 64 bits). To ask
 * Lua for each takes four times as long, and a script's call has three or four. Nor would Lua tell which of its blocks
 * is a string, and the budgets of scripts ask that. It is the same layout on every machine whose pointers, sizes and
 * numbers have 64 bits (x86_64, arm64): the compiler checks those, and host_open sees in each new state that the values
 * lie there. Only sim/script include this. */
#ifndef LOCKSIM_SCRIPT_LUA_SLOTS_H
#define LOCKSIM_SCRIPT_LUA_SLOTS_H

#include <lua.h>
#include <string.h>

#include "base/str.h"

_Static_assert(LUA_VERSION_NUM == 501, "locksim reads values where stock Lua 5.1 keeps them: pkg-config's lua5.1 is "
               "another Lua");
_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(lua_Number) == 8 && sizeof(int) == 4,
               "locksim reads values where Lua 5.1 keeps them on machines of 64 bits, and this is none");

/* A string object: so many bytes, then the text and a NUL. */
enum { STRING_TYPE_AT = 8, STRING_HASH_AT = 12, STRING_LENGTH_AT = 16, STRING_HEADER = 24 };
enum { STATE_BASE_AT = 24 };           /* in the state: the address of what index 1 of the running function is */

typedef struct {
    union { const char *object; lua_Number number; } as;
    int type;                          /* LUA_TSTRING ... */
} lua_slot;

/* Index 1, 2, ... of the running function. Borrowed until its stack grows. */
static inline const lua_slot *lua_slots(lua_State *L)
{
    const lua_slot *first;
    memcpy(&first, (const char *)L + STATE_BASE_AT, sizeof first);
    return first;
}

/* Of a slot that is a LUA_TSTRING; Lua's own text. */
static inline str lua_slot_text(const lua_slot *s)
{
    str text = { .p = s->as.object + STRING_HEADER };
    memcpy(&text.n, s->as.object + STRING_LENGTH_AT, sizeof text.n);
    return text;
}

#endif
