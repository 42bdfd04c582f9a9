/* script_env.c - which table a compiled script gets as its globals: the slow one that protects itself, or a faster one
 * that the script provably cannot harm.
 *
 * Reading a global through the proxy of script_sandbox.c takes three look-ups, and `redis.call` as many again. A script
 * whose code has no instruction that assigns a global may as well read the real globals: _G is a proxy there too. If it
 * has no instruction that stores into any table either, and names only globals that cannot write for it, it may even
 * hold the real `redis`. If it does not even name `table`, whose functions write into what they are given, its KEYS and
 * ARGV are at its end what they were at its beginning, and can serve the next run. What is not proven stays with the
 * proxy, so a gap here costs speed, never safety.
 * Source: the layout of precompiled chunks, as stock liblua5.1 writes them (version byte 0x51, format 0). */
#include "script/script_host.h"

#include <string.h>

#include "base/mem.h"

/* Opcodes of Lua 5.1 (the low six bits of an instruction), and where GETGLOBAL keeps its constant. */
enum { OP_GETGLOBAL = 5, OP_SETGLOBAL = 7, OP_SETTABLE = 9, OPCODE_MASK = 63, CONSTANT_SHIFT = 14 };
enum { CODE_DEPTH_MAX = 200 };

typedef struct {
    str code;
    size_t at;
    bool broken, sets_global, sets_table, names_other, names_table;
} code_reader;

static void skip(code_reader *r, size_t n)
{
    if (r->code.n - r->at < n)
        r->broken = true;
    else
        r->at += n;
}

static const char *here(code_reader *r, size_t n)
{
    const char *p = r->code.p + r->at;
    skip(r, n);
    return r->broken ? NULL : p;
}

/* A count; 0 once the code is broken. */
static size_t read_count(code_reader *r)
{
    int n = 0;
    const char *p = here(r, sizeof n);
    if (p)
        memcpy(&n, p, sizeof n);
    if (n < 0)
        r->broken = true;
    return r->broken ? 0 : (size_t)n;
}

/* With its final NUL, as it is stored; the empty str if there is none. */
static str read_string(code_reader *r)
{
    size_t n = 0;
    const char *p = here(r, sizeof n);
    if (p)
        memcpy(&n, p, sizeof n);
    p = here(r, n);
    return p && n > 0 ? (str){ p, n - 1 } : (str){ "", 0 };
}

/* Globals that a script may name and yet be trusted with the real `redis`: none of them writes into a table that is
 * handed to it, makes code from text, or leads to one that does. (table.insert refuses the real table as it refuses the
 * proxy.) */
static bool harmless(str name)
{
    static const char *const names[] = {
        "ARGV", "KEYS", "assert", "bit", "cjson", "cmsgpack", "error", "ipairs", "math", "next", "pairs", "pcall",
        "rawequal", "redis", "select", "string", "struct", "table", "tonumber", "tostring", "type", "unpack",
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(name, str_from(names[i])))
            return true;
    return false;
}

/* The function's constants: strings as they are, all else as the empty str. */
typedef struct {
    str *at;
    size_t n, cap;
} constants;

static void read_constants(code_reader *r, constants *k)
{
    size_t n = read_count(r);
    for (size_t i = 0; i < n && !r->broken; i++) {
        str text = { "", 0 };
        const char *type = here(r, 1);
        if (!type)
            return;
        if (*type == LUA_TSTRING)
            text = read_string(r);
        else
            skip(r, *type == LUA_TNUMBER ? sizeof(lua_Number) : *type == LUA_TBOOLEAN ? 1 : 0);
        MEM_RESERVE(k->at, k->cap, k->n + 1);
        k->at[k->n++] = text;
    }
}

static void read_instructions(code_reader *r, const char *code, size_t n, const constants *k)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t instruction;
        memcpy(&instruction, code + i * 4, sizeof instruction);
        unsigned op = instruction & OPCODE_MASK;
        if (op == OP_SETGLOBAL) {
            r->sets_global = true;
        } else if (op == OP_SETTABLE) {
            r->sets_table = true;
        } else if (op == OP_GETGLOBAL && !r->names_other) {
            size_t name = instruction >> CONSTANT_SHIFT;
            r->names_other = name >= k->n || !harmless(k->at[name]);
            r->names_table |= !r->names_other && str_eq(k->at[name], S("table"));
        }
    }
}

static void read_function(code_reader *r, int depth)
{
    if (depth > CODE_DEPTH_MAX)
        r->broken = true;
    read_string(r);                                      /* the chunk's name */
    skip(r, 2 * sizeof(int) + 4);                        /* lines, upvalues, parameters, vararg, stack */
    size_t n = read_count(r);
    const char *code = here(r, n > r->code.n / 4 ? SIZE_MAX : n * 4);
    constants k = { 0 };
    read_constants(r, &k);
    if (code && !r->broken)
        read_instructions(r, code, n, &k);
    mem_free(k.at);
    n = read_count(r);
    for (size_t i = 0; i < n && !r->broken; i++)
        read_function(r, depth + 1);
    n = read_count(r);
    skip(r, n > r->code.n / 4 ? SIZE_MAX : n * 4);       /* line numbers */
    n = read_count(r);
    for (size_t i = 0; i < n && !r->broken; i++) {
        read_string(r);
        skip(r, 2 * sizeof(int));
    }
    n = read_count(r);
    for (size_t i = 0; i < n && !r->broken; i++)
        read_string(r);
}

static int add_code(lua_State *L, const void *p, size_t n, void *code)
{
    (void)L;
    buf_add(code, (str){ p, n });
    return 0;
}

void script_choose_env(lua_State *L, script *s)
{
    static const char header[] = { LUA_SIGNATURE[0], 'L', 'u', 'a', 0x51, 0, 1, sizeof(int), sizeof(size_t), 4,
                                   sizeof(lua_Number), 0 };
    buf code = { 0 };
    s->globals_slot = SLOT_GLOBALS;
    s->keeps_arrays = false;
    if (lua_dump(L, add_code, &code) == 0 && code.n > sizeof header && memcmp(code.p, header, sizeof header) == 0) {
        code_reader r = { .code = buf_str(&code), .at = sizeof header };
        read_function(&r, 0);
        if (!r.broken && r.at == r.code.n && !r.sets_global) {
            if (!r.sets_table && !r.names_other)
                s->globals_slot = SLOT_FAST;
            s->keeps_arrays = s->globals_slot == SLOT_FAST && !r.names_table;
            lua_pushvalue(L, s->globals_slot);
            lua_setfenv(L, -2);
        }
    }
    buf_free(&code);
}

/* The globals of scripts that may hold the real `redis`: their own KEYS and ARGV, the harmless globals, and the rest
 * through the real globals, which raise errors. */
void script_fast_globals(lua_State *L)
{
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, SLOT_GLOBALS)) {
        str name;
        name.p = lua_tolstring(L, -2, &name.n);
        if (harmless(name)) {
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -2);
            lua_rawset(L, -5);
        }
        lua_pop(L, 1);
    }
    lua_getfield(L, -1, "redis");
    if (sandbox_push_real(L, -1)) {
        lua_setfield(L, -3, "redis");
        lua_pop(L, 1);
    }
    lua_newtable(L);
    lua_pushvalue(L, SLOT_GLOBALS);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}
