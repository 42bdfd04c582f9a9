/* script_host.c - the Lua state of a server: made, kept within its budgets, thrown away when it is no longer clean. */
#include "redis/script.h"

#include "base/mem.h"

struct script_host {
    redis *server;
    redis_limits limits;
};

script_host *script_host_new(redis *server, redis_limits limits)
{
    script_host *h = mem_zero(sizeof *h);
    h->server = server;
    h->limits = limits;
    return h;
}

void script_host_free(script_host *h)
{
    mem_free(h);
}

void script_host_flush(script_host *h)
{
    (void)h;
}

void script_host_wipe(script_host *h)
{
    (void)h;
}

bool redis_load_script(redis *r, str body, arena *out, str *why)
{
    (void)r, (void)body;
    *why = arena_str(out, S("ERR scripts are not built yet"));
    return false;
}

void redis_flush_scripts(redis *r)
{
    (void)r;
}
