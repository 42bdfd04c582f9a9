/* script_code.h - Lua functions as their code lies in memory. Only sim/redis/script_*.c include this file. */
#ifndef LOCKSIM_REDIS_SCRIPT_CODE_H
#define LOCKSIM_REDIS_SCRIPT_CODE_H

#include "redis/coverage_code.h"

typedef struct prototype prototype;

/* Of a Lua function, as lua_topointer gives it. All are borrowed from the Lua state. */
const prototype *code_prototype(const void *function);
const uint32_t *code_words(const prototype *p, size_t *count);
const prototype *code_child(const prototype *p, size_t i);

#endif
