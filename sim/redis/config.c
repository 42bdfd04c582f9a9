/* config.c - CONFIG: tells every option that a server of the dialect has, checks what one is set to as that server
 * does, and keeps it where nothing that a client could see hangs on it. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/notify.h"
#include "redis/options.h"
#include "redis/server.h"

struct settings {
    char *value[SERVER_OPTIONS_MAX];               /* that were set; NULL: the initial value */
};

int64_t redis_busy_after_ms(const redis *r)
{
    return r->busy_after_ms;
}

struct settings *settings_new(void)
{
    return mem_zero(sizeof(struct settings));
}

void settings_free(struct settings *s)
{
    for (size_t i = 0; s && i < COUNT(s->value); i++)
        mem_free(s->value[i]);
    mem_free(s);
}

static bool option_lives(const server_option *o, dialect d)
{
    bool gone = o->until.redis || o->until.valkey ? dialect_has(d, o->until) : false;
    return dialect_has(d, o->since) && !gone;
}

static str value_of(const call *c, const server_option *o)
{
    const redis_host *h = &c->server->host;
    const char *kept = c->server->settings->value[o - server_options];
    if (o->flags & OPTION_MEMORY)
        return arena_printf(c->out, "%" PRIu64, c->server->maxmemory);
    if (o->flags & OPTION_EVENTS)
        return notify_letters(c->out, c->server->events);
    if (o->flags & OPTION_REPLICAS)
        return arena_printf(c->out, "%" PRId64, c->server->min_replicas);
    if (o->flags & OPTION_BUSY)
        return arena_printf(c->out, "%" PRId64, c->server->busy_after_ms);
    if (kept || o->value)
        return kept ? arena_str(c->out, str_from(kept)) : str_from(o->value);
    return strcmp(o->name, "port") == 0 ? arena_int(c->out, h->port) : str_from(h->unix_path);
}

/* A name that is no pattern comes back as it was typed. */
static bool is_asked_for(const call *c, const char *name, bool hidden, str *shown)
{
    *shown = str_from(name);
    for (size_t k = 2; k < c->argc; k++) {
        str word = c->argv[k];
        bool pattern = str_find(word, '*', 0) < word.n || str_find(word, '?', 0) < word.n ||
                       str_find(word, '[', 0) < word.n;
        bool fits = pattern ? !hidden && glob_match(word_lower(c, word), str_from(name))
                            : str_eq_nocase(word, str_from(name));
        if (fits) {
            *shown = pattern ? *shown : arena_str(c->out, word);
            return true;
        }
    }
    return false;
}

static reply cmd_get(const call *c)
{
    reply all = reply_items(c->out, REPLY_MAP, 4 * (size_t)SERVER_OPTIONS_MAX);
    size_t n = 0;
    for (const server_option *o = server_options; o->name; o++) {
        const char *const names[] = { o->name, o->also };
        for (size_t k = 0; k < COUNT(names) && option_lives(o, c->server->dialect); k++) {
            str name;
            if (!names[k] || !is_asked_for(c, names[k], o->flags & OPTION_HIDDEN, &name))
                continue;
            all.items[n++] = reply_bulk(name);
            all.items[n++] = reply_bulk(value_of(c, o));
        }
    }
    all.count = n;
    return all;
}

/* ---- CONFIG SET ---- */

/* Two names of one option are two options where the same is said twice. */
static const server_option *find_option(const call *c, str name)
{
    for (const server_option *o = server_options; o->name; o++)
        if (option_lives(o, c->server->dialect) &&
            (str_eq_nocase(name, str_from(o->name)) || (o->also && str_eq_nocase(name, str_from(o->also)))))
            return o;
    return NULL;
}

static reply refuse_set(const call *c, str name, str why)
{
    return reply_error(arena_printf(c->out, "ERR CONFIG SET failed (possibly related to argument '%.*s') - %.*s",
                                    STR_ARG(str_slice(name, 0, 128)), STR_ARG(why)));
}

bool option_parse_bytes(str text, uint64_t *bytes)
{
    static const struct { const char *unit; uint64_t of; } units[] = {
        { "", 1 }, { "b", 1 }, { "k", 1000 }, { "kb", 1024 }, { "m", 1000000 }, { "mb", 1 << 20 }, { "g", 1000000000 },
        { "gb", 1 << 30 },
    };
    size_t n = 0;
    uint64_t number = 0;
    for (; n < text.n && text.p[n] >= '0' && text.p[n] <= '9' && number <= UINT64_MAX / 10 - 1; n++)
        number = 10 * number + (uint64_t)(text.p[n] - '0');
    for (size_t i = 0; i < COUNT(units); i++)
        if (str_eq_nocase(str_slice(text, n, text.n), str_from(units[i].unit)) && number <= UINT64_MAX / units[i].of)
            return *bytes = number * units[i].of, true;
    return false;
}

/* "debug" out of "debug, verbose, notice": the word as the list spells it. */
static bool find_word(const char *words, str text, str *found)
{
    str rest = str_from(words);
    for (size_t from = 0; from < rest.n;) {
        size_t end = str_find(rest, ',', from);
        *found = str_slice(rest, from, end);
        if (str_eq_nocase(*found, text))
            return true;
        from = end + 2;
    }
    return false;
}

static str between(const call *c, const server_option *o)
{
    return arena_printf(c->out, "argument must be between %" PRId64 " and %" PRId64 " inclusive", o->least, o->most);
}

/* Pairs of seconds and changes, or nothing; an empty word is 0. */
static bool save_ok(str text, arena *a, str *canonical)
{
    buf b = { 0 };
    size_t count = 0;
    bool good = true;
    for (size_t from = 0; from < text.n && good; count++) {
        size_t end = str_find(text, ' ', from);
        int64_t n = 0;
        good = (from == end || parse_int(str_slice(text, from, end), &n)) && n >= (count % 2 ? 0 : 1) && n <= INT32_MAX;
        buf_printf(&b, "%s%" PRId64, count ? " " : "", n);
        from = end + 1;
    }
    if (text.n && text.p[text.n - 1] == ' ' && good)       /* the empty word at its end */
        buf_printf(&b, " 0"), good = count++ % 2 != 0;
    *canonical = arena_str(a, buf_str(&b));
    buf_free(&b);
    return good && count % 2 == 0;
}

/* Is it a value for this option? Then *canonical is how CONFIG GET tells it, else *why. */
static bool value_ok(const call *c, const server_option *o, str value, str *canonical, str *why)
{
    int64_t number;
    uint64_t bytes;
    unsigned events;
    const char *letters;
    *canonical = value;
    if (o->flags & OPTION_EVENTS && !notify_parse(value, &events, &letters))
        return *why = str_from(letters), false;
    if (o->flags & OPTION_SAVE)
        return *why = S("Invalid save parameters"), save_ok(value, c->out, canonical);
    if (o->flags & OPTION_WORDS)
        return option_words_ok(c, o, value, value_of(c, o), canonical, why);
    switch (o->kind) {
    case OPTION_NUMBER:
        if (!parse_int(value, &number))
            return *why = S("argument couldn't be parsed into an integer"), false;
        return *why = between(c, o), number >= o->least && number <= o->most;
    case OPTION_BYTES:
        *why = between(c, o);
        if (o->least < 0 && parse_int(value, &number) && number < 0)    /* -1: no bound */
            return number >= o->least;
        if (!option_parse_bytes(value, &bytes))
            return *why = S("argument must be a memory value"), false;
        *canonical = arena_printf(c->out, "%" PRIu64, bytes);
        return (o->least <= 0 || bytes >= (uint64_t)o->least) && bytes <= (uint64_t)o->most;
    case OPTION_YES_NO:
        return *why = S("argument must be 'yes' or 'no'"), find_word("yes, no", value, canonical);
    case OPTION_ONE_OF:
        *why = arena_printf(c->out, "argument(s) must be one of the following: %s", o->words);
        return find_word(o->words, value, canonical);
    case OPTION_TEXT: case OPTION_FIXED: case OPTION_GUARDED: break;
    }
    return true;
}

/* Can locksim be as a server with this value is? */
static bool can_be(const call *c, const server_option *o, str canonical)
{
    int64_t is = 0, wanted = 0;
    if (o->flags & OPTION_NO_MORE)
        return parse_int(str_from(o->value), &is) && parse_int(canonical, &wanted) && wanted <= is;
    if (o->flags & OPTION_NO_LFU)
        return !str_ends(canonical, S("-lfu"));
    return !(o->flags & OPTION_LOCKED) || str_eq(canonical, value_of(c, o));
}

static void keep(const call *c, const server_option *o, str value, str canonical)
{
    char **kept = &c->server->settings->value[o - server_options];
    if (o->flags & OPTION_MEMORY)
        option_parse_bytes(value, &c->server->maxmemory);
    else if (o->flags & OPTION_REPLICAS)
        parse_int(value, &c->server->min_replicas);
    else if (o->flags & OPTION_BUSY)
        parse_int(value, &c->server->busy_after_ms);
    else if (o->flags & OPTION_EVENTS)
        notify_parse(value, &c->server->events, &(const char *){ NULL });
    else {
        mem_free(*kept);
        *kept = mem_zero(canonical.n + 1);
        if (canonical.n)
            memcpy(*kept, canonical.p, canonical.n);
    }
}

/* The names first, all of them; then the values. */
static bool names_ok(const call *c, const server_option **found, reply *r)
{
    for (size_t i = 2; i < c->argc; i += 2) {
        const server_option *o = find_option(c, c->argv[i]);
        if (!o) {
            *r = reply_error_about(c, "ERR Unknown option or number of arguments for CONFIG SET - '", c->argv[i]);
            *r = reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r->text)));
            return false;
        }
        if (o->kind == OPTION_FIXED || o->kind == OPTION_GUARDED) {
            *r = refuse_set(c, c->argv[i], o->kind == OPTION_FIXED ? S("can't set immutable config")
                                                                   : S("can't set protected config"));
            return false;
        }
        for (size_t k = 2; k < i; k += 2)
            if (str_eq_nocase(c->argv[k], c->argv[i]))
                return *r = refuse_set(c, c->argv[i], S("duplicate parameter")), false;
        found[i / 2 - 1] = o;
    }
    return true;
}

const char *settings_value(const redis *r, const char *name)
{
    const char *value = NULL;
    for (const server_option *o = server_options; r->settings && o->name && !value; o++) {
        const char *kept = r->settings->value[o - server_options];
        bool named = strcmp(o->name, name) == 0 || (o->also && strcmp(o->also, name) == 0);
        if (named && option_lives(o, r->dialect))
            value = kept ? kept : o->value;
    }
    return value;
}

bool settings_append_only(const redis *r)
{
    const char *value = settings_value(r, "appendonly");
    return value && strcmp(value, "yes") == 0;
}

/* An option that the dialect's server does not have is 0: it does not pack such values. */
static int64_t number_of(const redis *r, const char *name)
{
    int64_t n = 0;
    const char *value = settings_value(r, name);
    if (value)
        parse_int(str_from(value), &n);
    return n;
}

size_t redis_clients_max(const redis *r) { return (size_t)number_of(r, "maxclients"); }

static packing_limit limit_of(const redis *r, const char *entries, const char *bytes)
{
    return (packing_limit){ (uint64_t)number_of(r, entries), (uint64_t)number_of(r, bytes) };
}

void settings_apply(redis *r)
{
    packing_limits most = {
        .followed = r->limits.packings,
        .hash = limit_of(r, "hash-max-listpack-entries", "hash-max-listpack-value"),
        .set = limit_of(r, "set-max-listpack-entries", "set-max-listpack-value"),
        .zset = limit_of(r, "zset-max-listpack-entries", "zset-max-listpack-value"),
        .integers = (uint64_t)number_of(r, "set-max-intset-entries"),
        .list = dialect_follows(r->dialect, RULE_SIZED_BY_WORDS) ? number_of(r, "list-max-listpack-size") : 0,
        .dated = dialect_follows(r->dialect, RULE_TABLE_FOR_DATED) ? UNPACKED : PACKED,
    };
    store_set_packing(r->st, most);
}

static reply cmd_set(const call *c)
{
    if (c->argc % 2)
        return reply_syntax();
    reply r;
    size_t n = c->argc / 2 - 1;
    const server_option **found = arena_alloc(c->out, n * sizeof *found);
    str *canonical = arena_alloc(c->out, n * sizeof *canonical), why;
    if (!names_ok(c, found, &r))
        return r;
    for (size_t i = 0; i < n; i++) {
        if (!value_ok(c, found[i], c->argv[2 * i + 3], &canonical[i], &why))
            return refuse_set(c, word_lower(c, c->argv[2 * i + 2]), why);
        if (!can_be(c, found[i], canonical[i]))
            return refuse_set(c, word_lower(c, c->argv[2 * i + 2]), S("locksim cannot change it"));
    }
    for (size_t i = 0; i < n; i++)
        keep(c, found[i], c->argv[2 * i + 3], canonical[i]);
    settings_apply(c->server);
    return reply_ok();
}

static reply cmd_resetstat(const call *c)
{
    stats_reset(c->server->stats);
    return reply_ok();
}

static reply cmd_rewrite(const call *c)
{
    (void)c;
    return reply_error(S("ERR The server is running without a config file"));
}

const command commands_config[] = {
    { .name = "config", -2, CMD_HOSTED | CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "config|get", -3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_get },
    { .name = "config|set", -4, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_set },
    { .name = "config|resetstat", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_resetstat },
    { .name = "config|rewrite", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_rewrite },
    { .name = NULL },
};
