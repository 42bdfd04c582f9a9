/* lua_compare.c - see lua_compare.h. */
#include "script/lua_compare.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
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

/* ---- functions ---- */

typedef enum {
    USE_ALL,               /* all arguments are used */
    USE_NONE,              /* they are passed on as they are, or stored, or shown */
    USE_WHOLE,             /* a whole number is passed on */
    USE_TEXT,              /* a text; or a number that is the only argument */
    USE_CALL,              /* the first one is called with the others */
    USE_PAIRS,             /* they are compared with one another */
    USE_SIGN,              /* they are compared with zero, also by locksim itself */
    USE_CONTENT,           /* it compares the contents of a table */
} use;

static const struct { const char *table, *name; use use; } uses[] = {
    { NULL, "tonumber", USE_TEXT }, { NULL, "tostring", USE_NONE }, { NULL, "type", USE_NONE },
    { NULL, "ipairs", USE_NONE }, { NULL, "pairs", USE_NONE },
    { NULL, "pcall", USE_CALL }, { NULL, "error", USE_NONE }, { NULL, "assert", USE_NONE },
    { NULL, "print", USE_NONE }, { NULL, "setmetatable", USE_NONE }, { NULL, "getmetatable", USE_NONE },
    { "string", "format", USE_WHOLE }, { "table", "sort", USE_CONTENT },
    { "math", "floor", USE_WHOLE }, { "math", "ceil", USE_WHOLE }, { "math", "max", USE_PAIRS },
    { "math", "min", USE_PAIRS }, { "math", "abs", USE_SIGN },
    { "coroutine", "resume", USE_NONE }, { "coroutine", "yield", USE_NONE },
};

/* Tables of functions that are Lua's, or that Redis carries with it. */
static const char *const tables[] = { "string", "table", "math", "coroutine", "os", "bit", "cjson", "cmsgpack",
                                      "struct" };

static use use_of(const char *table, const char *name)
{
    for (size_t i = 0; i < COUNT(uses); i++)
        if (strcmp(uses[i].name, name) == 0 &&
            (table ? uses[i].table && strcmp(uses[i].table, table) == 0 : !uses[i].table))
            return uses[i].use;
    return USE_ALL;
}

/* Where the topmost value, a table, is a stand-in that cannot be written: the one behind it instead. */
static void go_behind(lua_State *L)
{
    while (lua_getmetatable(L, -1)) {
        lua_pushliteral(L, "__index");
        lua_rawget(L, -2);
        bool behind = lua_istable(L, -1) && !lua_rawequal(L, -1, -3);
        lua_remove(L, -2);
        lua_remove(L, behind ? -2 : -1);
        if (!behind)
            return;
    }
}

/* The topmost value, a table: its functions. */
static void learn_table(lua_known *k, lua_State *L, const char *table)
{
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
        if (lua_iscfunction(L, -1) && lua_type(L, -2) == LUA_TSTRING) {
            assert(k->count < LUA_KNOWN_MAX);      /* one left out would pass for locksim's own */
            k->items[k->count].closure = lua_topointer(L, -1);
            k->items[k->count++].use = use_of(table, lua_tostring(L, -2));
        }
}

void lua_known_learn(lua_known *k, lua_State *L)
{
    k->count = 0;
    lua_pushvalue(L, LUA_GLOBALSINDEX);
    go_behind(L);
    learn_table(k, L, NULL);
    for (size_t i = 0; i < COUNT(tables); i++) {
        lua_pushstring(L, tables[i]);
        lua_rawget(L, -2);
        if (lua_istable(L, -1)) {
            go_behind(L);
            learn_table(k, L, tables[i]);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* ---- uses of values ---- */

typedef struct { lua_State *L; const lua_known *known; const lua_ears *ears; } listener;

static void tell_used(const listener *t, int index)
{
    int type = lua_type(t->L, index);
    if ((type == LUA_TNUMBER || type == LUA_TSTRING) && t->ears->used)
        t->ears->used(t->ears->context, t->L, index);
}

static void tell_compared(const listener *t, double difference)
{
    if (!isnan(difference) && t->ears->compared)
        t->ears->compared(t->ears->context, difference);
}

static void tell_operand(const listener *t, uint32_t operand)
{
    if (operand < CONSTANT)
        tell_used(t, (int)operand + 1);
}

/* The sum of two numbers is no decision; the effect of a table's __add is unknown. */
static void tell_arithmetic(const listener *t, uint32_t word)
{
    uint32_t b = code_b(word), c = code_c(word);
    if ((b < CONSTANT && lua_istable(t->L, (int)b + 1)) || (c < CONSTANT && lua_istable(t->L, (int)c + 1))) {
        tell_operand(t, b);
        tell_operand(t, c);
    }
}

static use use_of_closure(const lua_known *k, const void *closure)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->items[i].closure == closure)
            return (use)k->items[i].use;
    return USE_SIGN;
}

static void tell_pairs(const listener *t, int first, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            tell_compared(t, lua_tonumber(t->L, first + i) - lua_tonumber(t->L, first + j));
}

static void tell_argument(const listener *t, use how, int index, int count)
{
    bool number = lua_type(t->L, index) == LUA_TNUMBER;
    double n = number ? lua_tonumber(t->L, index) : 0;
    if (how == USE_ALL || (how == USE_WHOLE && (!number || n != floor(n))) || (how == USE_TEXT && count > 1))
        tell_used(t, index);
    else if (how == USE_SIGN && number)
        tell_compared(t, n);
}

/* The called value is at `function`, followed by its arguments. It may be a table, whose effect on them is unknown. */
static void tell_arguments(const listener *t, int function, int count)
{
    use how = lua_iscfunction(t->L, function) ? use_of_closure(t->known, lua_topointer(t->L, function)) : USE_ALL;
    if (lua_isfunction(t->L, function) && !lua_iscfunction(t->L, function))
        return;
    if (how == USE_CALL && count > 0) {
        tell_arguments(t, function + 1, count - 1);
        return;
    }
    if (how == USE_CONTENT && t->ears->used)
        t->ears->used(t->ears->context, t->L, 0);
    if (how == USE_PAIRS)
        tell_pairs(t, function + 1, count);
    for (int i = 1; i <= count; i++)
        tell_argument(t, how, function + i, count);
}

static void tell_call(const listener *t, uint32_t word)
{
    int function = (int)code_a(word) + 1, b = (int)code_b(word);
    tell_arguments(t, function, b > 0 ? b - 1 : lua_gettop(t->L) - function);
}

static bool is_text(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TSTRING;
}

static void tell_compare(const listener *t, lua_Debug *ar)
{
    double difference;
    if (lua_compares(t->L, ar) == COMPARES_NOT)
        return;
    if (lua_difference(t->L, &difference))
        tell_compared(t, difference);
    for (int side = -2; side < 0; side++)
        if (is_text(t->L, side))
            tell_used(t, lua_gettop(t->L) + side + 1);
    lua_pop(t->L, 2);
}

void lua_hear(lua_State *L, lua_Debug *ar, const lua_known *k, const lua_ears *ears)
{
    const uint32_t *next = code_next(L);
    listener t = { L, k, ears };
    if (!next)
        return;
    uint32_t word = next[-1];
    switch (code_op(word)) {
    case OP_EQ: case OP_LT: case OP_LE:
        tell_compare(&t, ar);
        break;
    case OP_GETTABLE:
        tell_operand(&t, code_c(word));
        break;
    case OP_SETTABLE: case OP_LEN:
        tell_operand(&t, code_b(word));
        break;
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV:
        tell_arithmetic(&t, word);
        break;
    case OP_MOD: case OP_POW:
        tell_operand(&t, code_b(word));
        tell_operand(&t, code_c(word));
        break;
    case OP_FORPREP:
        for (int i = 1; i <= 3; i++)
            tell_used(&t, (int)code_a(word) + i);
        break;
    case OP_CALL: case OP_TAILCALL:
        tell_call(&t, word);
        break;
    default:
        break;
    }
}
