/* bytecode.h - the parts of a lua_dump of Lua 5.1: instructions, and the registers that each reads and writes. For
 * registers.c, which asks what is alive, and points.c, which inserts calls. */
#ifndef LOCKSIM_SCENARIO_BYTECODE_H
#define LOCKSIM_SCENARIO_BYTECODE_H

#include "scenario/registers.h"

/* lopcodes.h of Lua 5.1, which is not installed; the numbers are fixed by the bytecode's version, which is checked. */
enum {
    OP_MOVE, OP_LOADK, OP_LOADBOOL, OP_LOADNIL, OP_GETUPVAL, OP_GETGLOBAL, OP_GETTABLE, OP_SETGLOBAL, OP_SETUPVAL,
    OP_SETTABLE, OP_NEWTABLE, OP_SELF, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_POW, OP_UNM, OP_NOT, OP_LEN,
    OP_CONCAT, OP_JMP, OP_EQ, OP_LT, OP_LE, OP_TEST, OP_TESTSET, OP_CALL, OP_TAILCALL, OP_RETURN, OP_FORLOOP,
    OP_FORPREP, OP_TFORLOOP, OP_SETLIST, OP_CLOSE, OP_CLOSURE, OP_VARARG,
};

typedef struct {
    unsigned op;
    int a, b, c, bx, jump;
} instruction;

static inline instruction bytecode_decode(uint32_t code)
{
    instruction i = { .op = code & 0x3f, .a = code >> 6 & 0xff, .c = code >> 14 & 0x1ff, .b = code >> 23 & 0x1ff,
                      .bx = (int)(code >> 14) };
    i.jump = i.bx - 131071;
    return i;
}

/* Version 5.1, little-endian, the sizes of a 64-bit machine; the last byte: whether numbers are integers. */
#define BYTECODE_HEAD "\033Lua\x51\0\1\4\10\4\10"
enum { BYTECODE_CONSTANT = 0x100 };                /* an operand from here on is a constant, not a register */

/* Turns the set of registers alive after an instruction into the set alive before it. `registers`: the number of the
 * function's registers. */
void bytecode_step_back(int registers, instruction i, live_registers *s);

#endif
