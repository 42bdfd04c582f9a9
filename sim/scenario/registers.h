/* registers.h - what the bytecode of client code says of the registers of its functions.
 *
 * Which of a waiting function can still be read: a local that the function will never look at again is no
 * state: client code has no debug library, so nothing can tell what it holds. Without this, the reply of yesterday in a
 * local of a loop keeps apart what is the same from now on. */
#ifndef LOCKSIM_SCENARIO_REGISTERS_H
#define LOCKSIM_SCENARIO_REGISTERS_H

#include "scenario/source.h"

enum { REGISTERS_MAX = 256 };                      /* of one function: Lua 5.1 has an 8-bit field for them */

typedef struct {
    uint64_t bits[REGISTERS_MAX / 64];
} live_registers;

/* Learns it from the file's bytecode, once; lives in `a`. */
struct registers *registers_learn(arena *a, const source *s);
/* The registers that are read after the call on this laid line has returned. NULL: not known, all of them may be. */
const live_registers *registers_after_call(const source *s, int laid_line);
/* The registers that * / % ^ on this laid line take on their left side, filled when the line begins. NULL: there is
 * none. */
const live_registers *registers_scaled(const source *s, int laid_line);
/* How many registers the function has that is defined on this laid line, 0 for the main chunk. 0: not known. */
int registers_of_frame(const source *s, int laid_line);

static inline bool live_has(const live_registers *live, int reg)
{
    return !live || (live->bits[reg / 64] >> (reg % 64) & 1);
}

#endif
