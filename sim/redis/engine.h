/* engine.h - what a server needs from the interpreter of its scripts. The interpreter is in sim/script, a layer above
 * the server; both layers include this file. sim/redis knows nothing of Lua. */
#ifndef LOCKSIM_REDIS_ENGINE_H
#define LOCKSIM_REDIS_ENGINE_H

#include "redis/command.h"
#include "redis/redis.h"

/* One interpreter with its script cache; owned by its server. */
typedef struct script_host script_host;

struct script_engine {
    script_host *(*make)(redis *server, redis_limits limits);
    void (*free)(script_host *h);
    /* The server restarted: no script is known, and math.random starts again. */
    void (*wipe)(script_host *h);
    /* The state of math.random: part of what determines the future. */
    uint64_t (*random)(const script_host *h);
    void (*set_random)(script_host *h, uint64_t state);

    /* The commands; their numbers of arguments are already checked. */
    reply (*eval)(const call *c);
    reply (*evalsha)(const call *c);
    reply (*eval_ro)(const call *c);
    reply (*evalsha_ro)(const call *c);
    reply (*script_load)(const call *c);
    reply (*script_exists)(const call *c);
    reply (*script_show)(const call *c);
    reply (*script_flush)(const call *c);
    reply (*script_kill)(const call *c);
    reply (*function_kill)(const call *c);
    /* Does this script or library's function say that it writes nothing? */
    bool (*writes_nothing)(const call *c);
    reply (*fcall)(const call *c);
    reply (*fcall_ro)(const call *c);
    reply (*function_load)(const call *c);
    reply (*function_delete)(const call *c);
    reply (*function_flush)(const call *c);
    reply (*function_list)(const call *c);
    reply (*function_stats)(const call *c);
    reply (*function_dump)(const call *c);
    reply (*function_restore)(const call *c);
};

#endif
