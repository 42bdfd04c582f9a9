/* module.c - the modules; see module.h. */
#include "module.h"

#include "lock_steps.h"
#include "lua_steps.h"

#include <string.h>

const module modules[] = {
    { "strings", "ssssssg", 0, 8, false },
    { "bits", "bbbbbbbs", 0, 8, false },
    { "hashes", "hhhhhhg", 0, 8, false },
    { "lists", "llllllg", 0, 8, false },
    { "sets", "SSSSSSg", 0, 8, false },
    { "sorted_sets", "zzzzzzg", 0, 8, false },
    { "streams", "XXXXXXXg", 0, 8, false },
    { "large", "L", 0, 0, false },
    { "keyspace", "ggggggshlSz", 0, 8, false },
    { "expiry", "eeeeeeee", 0, 8, false },
    { "channels", "pppppppp", 30, 0, true },
    { "transactions", "tttshlSzge", 6, 8, false },
    { "mixed", "shlSzgbetX", 3, 8, false },
    { "script_api", "A", 0, 0, false },
    { "script_libraries", "Q", 0, 0, false },
    { "locks", "K", 0, 0, false },
};
const size_t module_count = COUNT(modules);

const module *module_find(str name)
{
    for (size_t i = 0; i < COUNT(modules); i++)
        if (str_eq(name, str_from(modules[i].name)))
            return &modules[i];
    return NULL;
}

/* Which channel goes first is left open where a connection leaves several. */
static bool leaves_several(twins *t, const step *s)
{
    return s->argc == 1 && (str_eq_nocase(s->argv[0], S("unsubscribe")) || str_eq_nocase(s->argv[0], S("sunsubscribe")))
           && twins_subscriptions(t, s->conn) > 1;
}

void module_command(const module *m, generator *g, twins *t, step *s)
{
    char family = m->families[rng_below(&g->random, strlen(m->families))];
    g->commands++;
    g->no_tables = family == 'A' || family == 'Q';
    if (g->no_tables)
        lua_step(g, family == 'A' ? LUA_REDIS : LUA_LIBRARIES, s);
    else if (family == 'K')
        lock_step(g, s);
    else
        words_command(g, family, s);
    if (leaves_several(t, s))
        *s = (step){ .conn = s->conn, .advance_ms = s->advance_ms, .argc = 1, .argv = { S("ping") } };
}
