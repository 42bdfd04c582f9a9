/* lua_steps.c - see lua_steps.h. */
#include "lua_steps.h"

#include "redis/redis.h"

static void add(step *s, str word)
{
    if (s->argc < WORDS_MAX)
        s->argv[s->argc++] = word;
}

/* How many keys, they, and arguments. */
static void add_arguments(generator *g, step *s)
{
    rng *r = &g->random;
    add(s, chance(r, 4) ? words_of_kind(g, 'i') : S("2"));
    add(s, words_of_kind(g, 'K'));
    add(s, words_of_kind(g, 'K'));
    for (uint64_t n = rng_below(r, 4); n > 0; n--)
        add(s, words_of_kind(g, chance(r, 50) ? 'v' : 'i'));
}

static str sent_script(generator *g)
{
    size_t known = g->scripts_sent < COUNT(g->scripts) ? g->scripts_sent : COUNT(g->scripts);
    return known ? g->scripts[rng_below(&g->random, known)] : S("return 1");
}

static str sha_of(generator *g, str script)
{
    char hex[41];
    redis_sha1(script, hex);
    for (size_t i = 0; chance(&g->random, 20) && i < 40; i++)
        if (hex[i] >= 'a' && hex[i] <= 'f')
            hex[i] = (char)(hex[i] - 'a' + 'A');
    return arena_str(g->a, (str){ hex, chance(&g->random, 3) ? 39 : 40 });
}

static void send_script(generator *g, lua_subject subject, str command, step *s)
{
    str script = chance(&g->random, 10) ? sent_script(g) : lua_script(g, subject);
    g->scripts[g->scripts_sent++ % COUNT(g->scripts)] = script;
    add(s, command);
    if (str_eq(command, S("script")))
        add(s, S("load"));
    add(s, script);
    if (!str_eq(command, S("script")))
        add_arguments(g, s);
}

static void script_command(generator *g, step *s)
{
    static const str flush[][2] = { { W("flush"), W("sync") }, { W("flush"), W("async") }, { W("flush"), W("x") },
                                    { W("kill"), W("") },
                                    { W("nosuch"), W("") }, { W("load"), W("") }, { W("exists"), W("x") } };
    size_t i = rng_below(&g->random, COUNT(flush));
    add(s, S("script"));
    add(s, flush[i][0]);
    if (flush[i][1].n > 0 && chance(&g->random, 70))
        add(s, flush[i][1]);
}

void lua_step(generator *g, lua_subject subject, step *s)
{
    static const char data[] = "shlSz";
    uint64_t kind = rng_below(&g->random, 100);
    if (g->commands == 1) {                        /* the real server's math.random goes on from the history before */
        add(s, S("eval"));
        add(s, S("math.randomseed(1) return math.random(1000)"));
        add(s, S("0"));
    } else if (kind < 60) {
        send_script(g, subject, S("eval"), s);
    } else if (kind < 66) {
        send_script(g, subject, S("eval_ro"), s);
    } else if (kind < 70) {
        send_script(g, subject, S("script"), s);
    } else if (kind < 80) {
        add(s, chance(&g->random, 70) ? S("evalsha") : S("evalsha_ro"));
        add(s, sha_of(g, sent_script(g)));
        add_arguments(g, s);
    } else if (kind < 83) {
        add(s, S("script"));
        add(s, S("exists"));
        add(s, sha_of(g, sent_script(g)));
        add(s, sha_of(g, sent_script(g)));
    } else if (kind < 85) {
        script_command(g, s);
    } else {
        words_plain_command(g, data[rng_below(&g->random, sizeof data - 1)], s);
    }
}
