/* module.c - the modules; see module.h. */
#define _GNU_SOURCE
#include "module.h"

#include "lock_steps.h"
#include "lua_steps.h"

#include <string.h>

const module modules[] = {
    { .name = "strings", .families = "ssssssg", .percent_scripted = 8 },
    { .name = "bits", .families = "bbbbbbbs", .percent_scripted = 8 },
    { .name = "hashes", .families = "hhhhhhg", .percent_scripted = 8 },
    { .name = "fields", .families = "fffffffhhhhe", .percent_scripted = 8, .no_tables = true },
    { .name = "events", .families = "eeshflSzXgb", .percent_scripted = 8, .no_tables = true, .events = true,
      .look_every = 1000000 },
    { .name = "lists", .families = "llllllg", .percent_scripted = 8 },
    { .name = "sets", .families = "SSSSSSg", .percent_scripted = 8 },
    { .name = "sorted_sets", .families = "zzzzzzg", .percent_scripted = 8 },
    { .name = "streams", .families = "XXXXXXg", .percent_scripted = 8 },
    { .name = "estimates", .families = "HHHHHHHg", .percent_scripted = 8 },
    { .name = "places", .families = "GGGGGGGGGg", .percent_scripted = 8 },
    { .name = "large", .families = "L", .look_every = 25 },
    { .name = "keyspace", .families = "ggggggshlSz", .percent_scripted = 8 },
    { .name = "expiry", .families = "e", .percent_scripted = 8 },
    { .name = "channels", .families = "p", .percent_other = 30, .resp2_only = true },
    { .name = "transactions", .families = "tttshlSzgeb", .percent_other = 6, .percent_scripted = 8 },
    { .name = "watching", .families = "W", .percent_other = 25, .percent_scripted = 8 },
    { .name = "mixed", .families = "shlSzgbetX", .percent_other = 3, .percent_scripted = 8 },
    { .name = "script_api", .families = "A" },
    { .name = "script_libraries", .families = "Q" },
    { .name = "locks", .families = "K" },
};
const size_t module_count = COUNT(modules);

const module *module_find(str name)
{
    for (size_t i = 0; i < COUNT(modules); i++)
        if (str_eq(name, str_from(modules[i].name)))
            return &modules[i];
    return NULL;
}

/* Which channel goes first is left open where a connection leaves several; within a transaction nobody knows how many
 * it will have. */
static bool leaves_several(pair *t, const step *s)
{
    bool patterns = dialect_follows(redis_dialect(pair_ours(t)), RULE_PATTERNS_UNORDERED);
    static const str names[] = { { "unsubscribe", 11 }, { "sunsubscribe", 12 }, { "punsubscribe", 12 } };
    for (size_t i = 0; i < (patterns ? 3 : 2); i++)
        if (s->argc == 1 && str_eq_nocase(s->argv[0], names[i]))
            return pair_in_multi(t, s->conn) || pair_subscriptions(t, s->conn) > 1;
    return false;
}

/* Over and over: keys are watched, some commands come from anywhere, and an empty transaction tells whether they
 * changed anything. */
static void watching_command(generator *g, step *s)
{
    static const char others[] = "shlSzbgeX";
    char family = others[rng_below(&g->random, sizeof others - 1)];
    switch (g->commands % 6) {
    case 1:
        *s = (step){ .advance_ms = s->advance_ms, .argc = 3,
                     .argv = { S("watch"), words_of_kind(g, 'K'), words_of_kind(g, 'K') } };
        break;
    case 5:
        *s = (step){ .advance_ms = s->advance_ms, .argc = 1, .argv = { S("multi") } };
        break;
    case 0:
        *s = (step){ .advance_ms = s->advance_ms, .argc = 1, .argv = { S("exec") } };
        break;
    default:
        words_command(g, family, s);
    }
}

static bool holds_nocase(str text, str what)
{
    for (size_t at = 0; at + what.n <= text.n; at++)
        if (str_eq_nocase(str_slice(text, at, at + what.n), what))
            return true;
    return false;
}

/* Scripts that show in what order a table has its names: Valkey's Lua has another hash for strings than Lua's own,
 * which is locksim's. */
static bool leaves_names(pair *t, const step *s)
{
    static const char *const shows[] = { "lcs", "cmsgpack", "cjson", "pairs", "next", "map=" };
    bool shown = false;
    bool carries = str_starts_nocase(s->argv[0], S("eval")) || str_eq_nocase(s->argv[0], S("script"));
    if (redis_dialect(pair_ours(t)).lineage != LINEAGE_VALKEY || !carries)
        return false;
    for (size_t i = 0; i < s->argc; i++)
        for (size_t k = 0; k < COUNT(shows); k++)
            shown |= holds_nocase(s->argv[i], str_from(shows[k]));
    return shown;
}

/* A sorted set that is no listpack keeps -0 apart from 0, and some small ones are none: SORT makes them so, and from
 * Redis 7.2 on others, too. locksim keeps no -0. (That a listpack does not, either, is a statement of
 * fidelity_cases.h.) */
static bool keeps_minus_zero(const step *s)
{
    bool adds = false, minus_zero = false;
    for (size_t i = 0; i < s->argc; i++) {
        adds |= str_eq_nocase(s->argv[i], S("zadd")) || str_eq_nocase(s->argv[i], S("zincrby"));
        minus_zero |= str_eq(s->argv[i], S("-0"));
    }
    return adds && minus_zero;
}

/* SORT makes a small sorted set a skiplist for good, which ZSCAN and a LIMIT before the beginning show. locksim has one
 * kind of sorted set: such a step is left out. */
static bool is_sorted_set(pair *t, str key)
{
    redis *ours = pair_ours(t);
    arena *a = arena_new();
    redis_conn *conn = redis_connect(ours, UINT32_MAX);
    redis_only_look(ours, true);                   /* an expired key goes when the step looks at it */
    reply r = redis_execute(ours, conn, (str[]){ S("type"), key }, 2, pair_now_ms(t), a);
    redis_only_look(ours, false);
    bool is = r.kind == REPLY_STATUS && str_eq(r.text, S("zset"));
    redis_disconnect(ours, conn);
    arena_free(a);
    return is;
}

static bool sorts_scores(pair *t, const step *s)
{
    bool sorts = false, scores = false;
    for (size_t i = 0; i < s->argc; i++)
        sorts |= str_eq_nocase(s->argv[i], S("sort")) || str_eq_nocase(s->argv[i], S("sort_ro"));
    for (size_t i = 0; sorts && i < s->argc; i++)
        scores |= is_sorted_set(t, s->argv[i]);
    return scores;
}

/* Valkey 9.1.2 takes a key that is called as one of HSETEX's conditions for one, and tells of a key that is called
 * PXAT. */
static bool is_named_as_condition(pair *t, const step *s)
{
    static const char *const conditions[] = { "nx", "xx", "fnx", "fxx" };
    bool named = false;
    for (size_t i = 0; i + 1 < s->argc; i++)
        for (size_t k = 0; k < COUNT(conditions) && str_eq_nocase(s->argv[i], S("hsetex")); k++)
            named |= str_eq_nocase(s->argv[i + 1], str_from(conditions[k]));
    return named && redis_dialect(pair_ours(t)).lineage == LINEAGE_VALKEY;
}

/* HINCRBYFLOAT can make a text of 300 digits, and a hash with one is a hash table. */
static bool makes_a_table(const module *m, const step *s)
{
    for (size_t i = 0; m->no_tables && i < s->argc; i++)
        if (str_eq_nocase(s->argv[i], S("hincrbyfloat")))
            return true;
    return false;
}

/* What removes expired keys in an order of its own, or draws. */
static bool leaves_events(const module *m, const step *s)
{
    static const char *const names[] = { "keys", "scan", "spop", "swapdb", "dbsize", "flushall", "flushdb", "swapdb" };
    for (size_t i = 0; m->events && i < s->argc; i++)
        for (size_t k = 0; k < COUNT(names); k++)
            if (str_eq_nocase(s->argv[i], str_from(names[k])))
                return true;
    return false;
}

void module_command(const module *m, generator *g, pair *t, step *s)
{
    char family = m->families[rng_below(&g->random, strlen(m->families))];
    g->commands++;
    g->no_tables = family == 'A' || family == 'Q' || m->no_tables;
    if (family == 'A' || family == 'Q')
        lua_step(g, family == 'A' ? LUA_REDIS : LUA_LIBRARIES, s);
    else if (pair_in_multi(t, s->conn) && chance(&g->random, 12))
        words_command(g, 'B', s);
    else if (family == 'W')
        watching_command(g, s);
    else if (family == 'K')
        lock_step(g, s);
    else
        words_command(g, family, s);
    if (leaves_several(t, s) || leaves_names(t, s) || keeps_minus_zero(s) || makes_a_table(m, s) ||
        leaves_events(m, s) || sorts_scores(t, s) || is_named_as_condition(t, s))
        *s = (step){ .conn = s->conn, .advance_ms = s->advance_ms, .argc = 1, .argv = { S("ping") } };
}
