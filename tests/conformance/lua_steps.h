/* lua_steps.h - random steps of the script family: EVAL, EVALSHA, their read-only kin and SCRIPT, with scripts of the
 * grammar. */
#ifndef LOCKSIM_TESTS_LUA_STEPS_H
#define LOCKSIM_TESTS_LUA_STEPS_H

#include "lua_grammar.h"

void lua_step(generator *g, lua_subject subject, step *s);

#endif
