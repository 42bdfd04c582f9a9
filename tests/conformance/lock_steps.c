/* lock_steps.c - see lock_steps.h. A header's list, "KEYS  1 lock (hash), 2 channel      ARGV  1 lease in milliseconds,
 * 2 owner", says what a call needs: a key is named by the first word that tells something, so that scripts of a family
 * meet; an argument is chosen by its words. "4... values" and lists without numbers (locks) stand for some more. */
#define _GNU_SOURCE
#include "lock_steps.h"

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/files.h"
#include "redis/redis.h"

enum { SCRIPTS_MAX = 256, ITEMS_MAX = 12 };

typedef struct {
    str item[ITEMS_MAX];               /* what the header says of each, in order */
    size_t count;
    bool several;                      /* the last one stands for some */
} list;

typedef struct {
    str body;
    size_t family;                     /* its folder: the first script there */
    list keys, argv;
} lock_script;

static lock_script scripts[SCRIPTS_MAX];
static size_t script_count;

/* ---- reading headers ---- */

/* Where the next ", N " or the end of the list is. */
static size_t item_end(str text, size_t from)
{
    int depth = 0;
    for (size_t i = from; i < text.n; i++) {
        depth += (text.p[i] == '(') - (text.p[i] == ')');
        if (depth == 0 && text.p[i] == ',' && i + 2 < text.n && isdigit((unsigned char)text.p[i + 2]))
            return i;
    }
    return text.n;
}

static list list_of(str text)
{
    list l = { .count = 0 };
    for (size_t from = 0; from < text.n && l.count < ITEMS_MAX;) {
        size_t end = item_end(text, from), at = from;
        while (at < end && (isdigit((unsigned char)text.p[at]) || strchr(" .,", text.p[at])))
            at++;
        str number = str_slice(text, from, at);
        if (at < end)
            l.item[l.count++] = str_slice(text, at, end);
        l.several = str_find(number, '.', 0) < number.n || str_find(number, '1', 0) == number.n;
        from = end + 1;
    }
    return l;
}

/* The comment lines at the top without their dashes, as one line. */
static str header_of(arena *a, str body)
{
    buf all = { 0 };
    for (size_t at = 0; str_starts(str_slice(body, at, body.n), S("--"));) {
        size_t end = str_find(body, '\n', at);
        buf_add(&all, str_slice(body, at + 2, end));
        at = end + 1;
    }
    str header = arena_str(a, buf_str(&all));
    buf_free(&all);
    return header;
}

static bool read_header(arena *a, lock_script *s)
{
    str header = header_of(a, s->body);
    const char *keys = strstr(header.p, " KEYS "), *argv = keys ? strstr(keys, " ARGV ") : NULL;
    if (!keys)
        return false;
    const char *end = strstr(argv ? argv : keys, " Returns ");
    if (!end)
        end = header.p + header.n;
    const char *keys_end = argv ? argv : end;
    s->keys = list_of((str){ keys + 6, (size_t)(keys_end - keys - 6) });
    if (argv)
        s->argv = list_of((str){ argv + 6, (size_t)(end - argv - 6) });
    return s->keys.count > 0;
}

size_t lock_scripts_load(void)
{
    static arena *a;
    glob_t found;
    str last = { 0 };
    if (script_count > 0)
        return script_count;
    a = arena_new();
    if (glob("scripts/*/*/*.lua", 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    for (size_t i = 0; i < found.gl_pathc && script_count < SCRIPTS_MAX; i++) {
        err e = { 0 };
        lock_script *s = &scripts[script_count];
        str folder = files_folder(arena_str(a, str_from(found.gl_pathv[i])));
        /* loops as often as an argument says: 4294967296 keeps a real server busy */
        if (str_ends(folder, S("/multi_semaphore")))
            continue;
        if (!files_read(a, str_from(found.gl_pathv[i]), &s->body, &e) || !read_header(a, s))
            continue;
        s->family = str_eq(folder, last) ? scripts[script_count - 1].family : script_count;
        last = folder;
        script_count++;
    }
    if (found.gl_pathc > 0)
        globfree(&found);
    if (script_count < 20) {
        fprintf(stderr, "differential: %zu lock scripts below scripts/: run it where they lie\n", script_count);
        exit(1);
    }
    return script_count;
}

/* ---- calling ---- */

static bool says(str item, const char *word)
{
    return memmem(item.p, item.n, word, strlen(word)) != NULL;
}

static str key_for(generator *g, str item)
{
    static const str any[] = { W("lock"), W("queue"), W("deadlines"), W("channel"), W("latch"), W("semaphore"),
                               W("permits"), W("prefix") };
    static const char *const silent[] = { "our ", "the ", "a ", "its " };
    if (chance(&g->random, 4))
        return PICK(&g->random, any);
    for (size_t i = 0; i < COUNT(silent); i++)
        if (str_starts(item, str_from(silent[i])))
            item = str_slice(item, strlen(silent[i]), item.n);
    size_t n = 0;
    while (n < item.n && isalpha((unsigned char)item.p[n]))
        n++;
    return arena_printf(g->a, "%.*s%s", (int)n, item.p, chance(&g->random, 10) ? "2" : "");
}

static str argument_for(generator *g, str item)
{
    static const str owners[] = { W("A:1"), W("B:1"), W("B:2"), W("A:1"), W("A:1:write"), W("") };
    static const str publish[] = { W("PUBLISH"), W("publish"), W("SPUBLISH"), W("PUBLISH"), W("get"), W("nosuch") };
    rng *r = &g->random;
    if (chance(r, 3))
        return words_of_kind(g, chance(r, 50) ? 'i' : 'v');
    if (says(item, "publish"))
        return PICK(r, publish);
    if (says(item, "now") || says(item, "when"))
        return arena_printf(g->a, "%" PRId64, g->now_ms + (chance(r, 40) ? (int64_t)rng_below(r, 61) - 30 : 0));
    if (says(item, "never"))
        return S("92233720368547758");
    if (says(item, "seconds") || says(item, "wait") || says(item, "life"))
        return arena_printf(g->a, "%d", (int)rng_below(r, chance(r, 50) ? 5 : 60) + !chance(r, 5));
    if (says(item, "owner") || says(item, "reader") || says(item, "writer") || says(item, "name") ||
        says(item, "value"))
        return PICK(r, owners);
    return arena_printf(g->a, "%d", (int)rng_below(r, 4));
}

static void add(step *s, str word)
{
    if (s->argc < WORDS_MAX)
        s->argv[s->argc++] = word;
}

static void add_list(generator *g, const list *l, str (*word)(generator *g, str item), step *s)
{
    for (size_t i = 0; i < l->count; i++)
        add(s, word(g, l->item[i]));
    for (uint64_t n = l->several ? rng_below(&g->random, 4) : 0; n > 0; n--)
        add(s, word(g, l->item[l->count - 1]));
}

/* Mostly of one family in a history: others hold other types under the same names. */
static const lock_script *choose_script(generator *g)
{
    const lock_script *s;
    if (g->commands == script_count + 1)
        g->lock_family = scripts[rng_below(&g->random, script_count)].family;
    do
        s = &scripts[rng_below(&g->random, script_count)];
    while (s->family != g->lock_family && !chance(&g->random, 1));
    return s;
}

static void call_script(generator *g, step *s)
{
    const lock_script *script = choose_script(g);
    char sha[41];
    bool by_sha = chance(&g->random, 70);
    redis_sha1(script->body, sha);
    add(s, by_sha ? S("evalsha") : S("eval"));
    add(s, by_sha ? arena_str(g->a, (str){ sha, 40 }) : script->body);
    add(s, S(""));
    add_list(g, &script->keys, key_for, s);
    s->argv[2] = arena_printf(g->a, "%zu", s->argc - 3);
    add_list(g, &script->argv, argument_for, s);
    if (chance(&g->random, 2) && s->argc > 3)
        s->argc--;
}

/* What else may happen to a key: it goes, it gets or loses a deadline, another takes its place. */
static void disturb(generator *g, step *s)
{
    static const struct { const char *words[4]; } how[] = {
        { { "del", "K" } }, { { "pexpire", "K", "T" } }, { { "persist", "K" } }, { { "set", "K", "V" } },
        { { "hset", "K", "O", "N" } }, { { "hdel", "K", "O" } },
        { { "rpush", "K", "O" } }, { { "zadd", "K", "T", "O" } }, { { "sadd", "K", "O" } }, { { "set", "K", "N" } },
        { { "pttl", "K" } },
    };
    const lock_script *script = choose_script(g);
    size_t i = rng_below(&g->random, COUNT(how));
    for (size_t w = 0; w < 4 && how[i].words[w]; w++) {
        const char *word = how[i].words[w];
        str item = script->keys.item[rng_below(&g->random, script->keys.count)];
        add(s, strcmp(word, "K") == 0 ? key_for(g, item)
               : strcmp(word, "O") == 0 ? argument_for(g, S("owner"))
               : strcmp(word, "T") == 0 ? argument_for(g, S("wait"))
               : strcmp(word, "N") == 0 ? argument_for(g, S("count"))
               : strcmp(word, "V") == 0 ? words_of_kind(g, 'v') : str_from(word));
    }
}

void lock_step(generator *g, step *s)
{
    size_t known = lock_scripts_load();
    if (g->commands <= known) {                    /* all of them are loaded first */
        add(s, S("script"));
        add(s, S("load"));
        add(s, scripts[g->commands - 1].body);
    } else if (chance(&g->random, 85)) {
        call_script(g, s);
    } else {
        disturb(g, s);
    }
}
