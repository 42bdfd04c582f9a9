/* registers.h - facts from the bytecode of client code about the registers of its functions.
 *
 * Which registers of a waiting function can still be read: a local that the function never reads again is no state, as
 * client code has no debug library to look at it. Without this, an old reply in a local of a loop would distinguish
 * states with the same future. */
#ifndef LOCKSIM_SCENARIO_REGISTERS_H
#define LOCKSIM_SCENARIO_REGISTERS_H

#include "scenario/source.h"

enum { REGISTERS_MAX = 256 };                      /* of one function: Lua 5.1 has an 8-bit field for them */

typedef struct {
    uint64_t bits[REGISTERS_MAX / 64];
} live_registers;

/* Computes them from the file's bytecode, once; lives in `a`. */
struct registers *registers_learn(arena *a, const source *s);
/* The registers that are read after the call on this laid line has returned. NULL: unknown, all of them may be. */
const live_registers *registers_after_call(const source *s, int laid_line);
/* The registers that * / % ^ on this laid line use on their left side, which are filled when the line begins. NULL:
 * none. */
const live_registers *registers_scaled(const source *s, int laid_line);
/* The operator on this laid line, if the number 1000 is on its right side: one of * / %. Else 0. */
char registers_by_thousand(const source *s, int laid_line);
/* The number of registers of the function defined on this laid line, 0 for the main chunk. 0: unknown. */
int registers_of_frame(const source *s, int laid_line);

static inline bool live_has(const live_registers *live, int reg)
{
    return !live || (live->bits[reg / 64] >> (reg % 64) & 1);
}

#endif
