/* lua_grammar.h - random Lua scripts that every server must answer alike: no addresses, no time, no crash of the real
 * server, and little enough work for any budget. */
#ifndef LOCKSIM_TESTS_LUA_GRAMMAR_H
#define LOCKSIM_TESTS_LUA_GRAMMAR_H

#include "words.h"

/* What a script is mostly about. */
typedef enum { LUA_REDIS, LUA_LIBRARIES } lua_subject;

/* Lives in g->a. Commands that it calls are filled from the forms. */
str lua_script(generator *g, lua_subject subject);

#endif
