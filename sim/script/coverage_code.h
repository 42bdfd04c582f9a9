/* coverage_code.h - the code of a covered script: what was compiled, what each instruction comes from, and how often it
 * ran. Instructions of all functions of a script are numbered through: "at". Only sim/script/coverage*.c and script_*.c
 * include this file.
 * Source: the instruction set of Lua 5.1 (R. Ierusalimschy et al., "The implementation of Lua 5.0", and luac's
 * listings). */
#ifndef LOCKSIM_SCRIPT_COVERAGE_CODE_H
#define LOCKSIM_SCRIPT_COVERAGE_CODE_H

#include "base/lua_tokens.h"
#include "script/coverage.h"

/* One instruction. Counting touches nothing else, so all that it needs lies here. */
typedef struct {
    uint64_t count;
    uint64_t went[2];              /* of one that can go two ways: how often it went on at to[0], at to[1] */
    uint32_t to[2];                /* equal (0): it goes one way */
    uint32_t word;                 /* the instruction itself */
    int line;
    uint32_t token;                /* that it was compiled at; NO_TOKEN: unknown */
    bool real;                     /* something of the script's author's: its line is a line of code */
} code_point;
#define NO_TOKEN UINT32_MAX

typedef struct {
    uint32_t first, count;         /* its instructions */
    uint32_t children;             /* functions directly inside it; functions stand in preorder */
    uint32_t upvalues;
} code_function;

typedef struct {
    char sha1[41];
    buf name, body;
    size_t lua_at;                 /* where the Lua text begins in the body */
    code_point *points;
    size_t point_count, point_cap;
    code_function *functions;
    size_t function_count, function_cap;
    token *tokens;                 /* texts borrowed from the body */
    size_t token_count, token_cap;
} covered;

enum {                             /* opcodes that coverage and lua_compare.c have to know */
    OP_GETTABLE = 6, OP_SETTABLE = 9, OP_ADD = 12, OP_SUB = 13, OP_MUL = 14, OP_DIV = 15, OP_MOD = 16,
    OP_POW = 17, OP_LEN = 20, OP_CALL = 28, OP_TAILCALL = 29,
    OP_LOADBOOL = 2, OP_JMP = 22, OP_EQ = 23, OP_LT = 24, OP_LE = 25, OP_TEST = 26, OP_TESTSET = 27, OP_RETURN = 30,
    OP_FORLOOP = 31, OP_FORPREP = 32, OP_TFORLOOP = 33, OP_SETLIST = 34, OP_CLOSURE = 36,
};
static inline unsigned code_op(uint32_t word) { return word & 63; }
static inline unsigned code_a(uint32_t word) { return word >> 6 & 255; }
static inline unsigned code_b(uint32_t word) { return word >> 23 & 511; }
static inline unsigned code_c(uint32_t word) { return word >> 14 & 511; }
static inline int64_t code_jump(uint32_t word) { return (int64_t)(word >> 14) - 131071; }

/* The script of this name; made if there is none, without code. */
covered *coverage_find(coverage *c, str sha1);
/* The same with its code. `lua_at`: where the Lua text begins. */
covered *coverage_add(coverage *c, str sha1, str body, size_t lua_at);

/* script_code.c: compiles the body in a Lua state of its own and fills points, functions and tokens. */
void code_compile(covered *s);
/* coverage_code.c: where each branching instruction can go. */
void code_link(covered *s);
/* What was reached of it, in `a`. */
void code_lines(const covered *s, arena *a, coverage_script *out);
void code_branches(const covered *s, arena *a, coverage_script *out);

#endif
