/* lua_compare.c - see lua_compare.h. */
#include "script/lua_compare.h"

#include <math.h>
#include <string.h>

#include "script/script_code.h"

enum { CONSTANT = 0x100 };         /* an operand from here on is a constant, below it a register */

static void push_side(lua_State *L, lua_Debug *ar, const prototype *code, uint32_t operand)
{
    double n;
    if (operand < CONSTANT) {
        if (!lua_getlocal(L, ar, (int)operand + 1))
            lua_pushnil(L);
    } else if (code_constant(code, operand - CONSTANT, &n))
        lua_pushnumber(L, n);
    else
        lua_pushnil(L);
}

compare_kind lua_compares(lua_State *L, lua_Debug *ar)
{
    const uint32_t *next = code_next(L);
    compare_kind kind = next ? code_compares(next[-1]) : COMPARES_NOT;
    if (kind == COMPARES_NOT || !lua_getinfo(L, "f", ar))
        return COMPARES_NOT;
    const void *function = lua_iscfunction(L, -1) ? NULL : lua_topointer(L, -1);
    lua_pop(L, 1);
    if (!function)
        return COMPARES_NOT;
    push_side(L, ar, code_prototype(function), code_b(next[-1]));
    push_side(L, ar, code_prototype(function), code_c(next[-1]));
    return kind;
}

/* As < orders texts where no locale says otherwise. */
static int order_of_texts(lua_State *L)
{
    size_t n, m;
    const char *x = lua_tolstring(L, -2, &n), *y = lua_tolstring(L, -1, &m);
    int order = memcmp(x, y, n < m ? n : m);
    return order ? (order > 0) - (order < 0) : (n > m) - (n < m);
}

bool lua_difference(lua_State *L, double *difference)
{
    if (lua_type(L, -2) != lua_type(L, -1) || !lua_isstring(L, -1))
        return false;
    if (!lua_isnumber(L, -2) || !lua_isnumber(L, -1)) {
        *difference = order_of_texts(L);
        return true;
    }
    *difference = lua_tonumber(L, -2) - lua_tonumber(L, -1);
    return !isnan(*difference);
}
