/* script.h - a server that runs scripts: sandboxed Lua 5.1 as Redis embeds it, with the script cache and the EVAL
 * family. Facts: REDIS-FIDELITY.md sections 1 to 4. With coverage.h and lua_match.h the only header of sim/script that
 * other layers include. */
#ifndef LOCKSIM_SCRIPT_SCRIPT_H
#define LOCKSIM_SCRIPT_SCRIPT_H

#include "redis/redis.h"

/* Free with redis_free. */
redis *redis_new(redis_limits limits);
/* SCRIPT LOAD, or FUNCTION LOAD REPLACE of a library, without a connection: false and the error's text in `why` if it
 * does not compile. */
bool redis_load_script(redis *r, str body, arena *out, str *why);
/* Is it a library of functions? Its first line says #! and name=. */
bool redis_is_library(str body);
bool redis_knows_script(const redis *r, str sha1); /* a script, or a library of that text */
void redis_forget_scripts(redis *r);               /* all scripts and all libraries */
/* SCRIPT FLUSH: EVALSHA answers NOSCRIPT from now on. */
void redis_flush_scripts(redis *r);

#endif
