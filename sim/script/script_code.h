/* script_code.h - Lua functions as their code lies in memory. Only sim/script include this file. */
#ifndef LOCKSIM_SCRIPT_SCRIPT_CODE_H
#define LOCKSIM_SCRIPT_SCRIPT_CODE_H

#include "script/coverage_code.h"
#include "script/lua_compare.h"

typedef struct prototype prototype;

/* Of a Lua function, as lua_topointer gives it. All are borrowed from the Lua state. */
const prototype *code_prototype(const void *function);
const uint32_t *code_words(const prototype *p, size_t *count);
const prototype *code_child(const prototype *p, size_t i);
/* Is its constant number i a number? */
bool code_constant(const prototype *p, size_t i, double *n);
/* In a hook: the word after the instruction that is about to happen. */
const uint32_t *code_next(const void *thread);
compare_kind code_compares(uint32_t word);

#endif
