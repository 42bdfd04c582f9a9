/* debug.c - DEBUG, as far as tests of client libraries use it: what concerns the inside of a real server and no client
 * can see is answered and does nothing; what locksim cannot do is an unknown subcommand. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "redis/collection.h"
#include "redis/server.h"

enum { POPULATE_MAX = 10000000 };

/* Seconds as C reads them: a text that is no number is 0. */
static reply debug_sleep(const call *c)
{
    double s = strtod(arena_str(c->out, c->argv[2]).p, NULL);
    int64_t us = s > 0 && s < 1e9 ? (int64_t)(s * 1e6) : 0, now_ms = store_now_ms(c->st);
    const redis_host *h = &c->server->host;
    c->server->took_us = us;
    if (h->set_clock && us / 1000 <= CLOCK_MAX_MS - now_ms) {
        h->set_clock(h->context, now_ms + us / 1000);
        store_set_now(c->st, now_ms + us / 1000);
    } else if (!h->set_clock && h->sleep) {
        h->sleep(h->context, us);
    }
    return reply_ok();
}

static reply debug_active_expire(const call *c)
{
    c->server->expires_lazily = str_eq(c->argv[2], S("0"));
    return reply_ok();
}

static reply debug_nothing(const call *c)
{
    (void)c;
    return reply_ok();
}

/* A text that is loaded is set as a whole, and a collection is put together anew. */
static void load(void *context, str key, const value *v, int64_t deadline_ms)
{
    (void)context, (void)key, (void)deadline_ms;
    if (value_kind_of(v) == VALUE_STRING)
        value_string_mark((value *)(uintptr_t)v, TEXT_SET);
    else
        value_repack((value *)(uintptr_t)v);
}

/* Saving and loading changes nothing but how values are stored. */
static reply debug_reload(const call *c)
{
    for (size_t i = 2; i < c->argc; i++)
        if (!arg_is(c, i, S("merge")) && !arg_is(c, i, S("noflush")) && !arg_is(c, i, S("nosave")))
            return reply_error(S("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options."));
    for (int db = 0; db < STORE_DBS; db++)
        store_each_even_expired(c->st, db, load, NULL);
    store_touch_unwatched(c->st);
    return reply_ok();
}

/* The log holds what memory holds. */
static reply debug_load_log(const call *c)
{
    if (!settings_append_only(c->server))
        return reply_error(S("ERR locksim keeps no log of changes: CONFIG SET appendonly yes first"));
    return debug_reload(c);
}

/* One line, whatever it holds. */
static reply debug_error(const call *c)
{
    str text = arena_str(c->out, c->argv[2]);
    for (char *p = (char *)(uintptr_t)text.p; p < text.p + text.n; p++)
        *p = *p == '\r' || *p == '\n' ? ' ' : *p;
    return reply_error(text);
}

/* Keys PREFIX:0 .. with "value:0" .., cut or filled up with zeros to a size; those that are there stay. */
static reply debug_populate(const call *c)
{
    int64_t count, size = -1;
    if (!parse_int(c->argv[2], &count) || count < 0 || (c->argc == 5 && (!parse_int(c->argv[4], &size) || size < 0)))
        return reply_error(S("ERR value is out of range, must be positive"));
    if (count > POPULATE_MAX || size > POPULATE_MAX)
        return reply_error(arena_printf(c->out, "ERR locksim makes at most %d keys in one command", POPULATE_MAX));
    str prefix = c->argc > 3 ? c->argv[3] : S("key");
    for (int64_t i = 0; i < count; i++) {
        buf key = { 0 }, text = { 0 };
        buf_add(&key, prefix);
        buf_printf(&key, ":%" PRId64, i);
        buf_printf(&text, "value:%" PRId64, i);
        while (size >= 0 && text.n < (size_t)size)
            buf_byte(&text, '\0');
        str value = str_slice(buf_str(&text), 0, size >= 0 ? (size_t)size : text.n);
        if (!store_find(c->st, c->db, buf_str(&key)))
            store_put(c->st, c->db, buf_str(&key), value_new_string(value), false);
        buf_free(&key);
        buf_free(&text);
    }
    return reply_ok();
}

static reply three_of(const call *c, reply_kind kind)
{
    reply all = reply_items(c->out, kind, kind == REPLY_MAP ? 6 : 3);
    for (int64_t i = 0; i < 3; i++) {
        if (kind != REPLY_MAP) {
            all.items[i] = reply_integer(i);
            continue;
        }
        all.items[2 * i] = reply_integer(i);
        all.items[2 * i + 1] = (reply){ .kind = REPLY_BOOLEAN, .integer = i == 1 };
    }
    return all;
}

/* What comes before an answer in RESP3: an attribute of it, or news. */
static reply with_attribute(const call *c)
{
    reply answer = reply_bulk(S("Some real reply following the attribute"));
    if (c->conn->client.resp < 3)
        return answer;
    reply both = reply_items(c->out, REPLY_ARRAY, 2), popular = reply_items(c->out, REPLY_ARRAY, 2);
    both.several = true;
    both.items[0] = reply_items(c->out, REPLY_MAP, 2);
    both.items[0].attribute = true;
    both.items[0].items[0] = reply_bulk(S("key-popularity"));
    both.items[0].items[1] = popular;
    popular.items[0] = reply_bulk(S("key:123"));
    popular.items[1] = reply_integer(90);
    both.items[1] = answer;
    return both;
}

static reply with_news(const call *c)
{
    if (c->conn->client.resp < 3)
        return reply_error(S("ERR RESP2 is not supported by this command"));
    reply both = reply_items(c->out, REPLY_ARRAY, 2);
    bool after = server_follows(c->server, RULE_ANSWER_FIRST);
    both.several = true;
    both.items[after] = reply_items(c->out, REPLY_ARRAY, 2);
    both.items[after].push = true;
    both.items[after].items[0] = reply_bulk(S("server-cpu-usage"));
    both.items[after].items[1] = reply_integer(42);
    both.items[!after] = reply_bulk(S("Some real reply following the push reply"));
    return both;
}

/* One reply of each kind, for who writes a client. */
static reply debug_protocol(const call *c)
{
    static const reply_kind lists[] = { REPLY_ARRAY, REPLY_SET, REPLY_MAP };
    static const char *const names[] = { "array", "set", "map" };
    for (size_t i = 0; i < COUNT(lists); i++)
        if (arg_is(c, 2, str_from(names[i])))
            return three_of(c, lists[i]);
    if (arg_is(c, 2, S("string")))
        return reply_bulk(S("Hello World"));
    if (arg_is(c, 2, S("integer")))
        return reply_integer(12345);
    if (arg_is(c, 2, S("double")))
        return (reply){ .kind = REPLY_DOUBLE, .number = 3.141, .text = S("3.141") };
    if (arg_is(c, 2, S("null")))
        return reply_nil();
    if (arg_is(c, 2, S("true")) || arg_is(c, 2, S("false")))
        return (reply){ .kind = REPLY_BOOLEAN, .integer = arg_is(c, 2, S("true")) };
    if (arg_is(c, 2, S("bignum")))
        return (reply){ .kind = REPLY_BIG_NUMBER, .text = S("1234567999999999999999999999999999999") };
    if (arg_is(c, 2, S("verbatim")))
        return (reply){ .kind = REPLY_VERBATIM, .format = S("txt"), .text = S("This is a verbatim\nstring") };
    if (arg_is(c, 2, S("attrib")))
        return with_attribute(c);
    if (arg_is(c, 2, S("push")))
        return with_news(c);
    return reply_error(S("ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|"
                         "null|array|set|map|attrib|push|verbatim|true|false"));
}

static const struct {
    const char *name;
    size_t least, most;                            /* words, DEBUG itself too */
    command_fn *run;
    dialect_since since;
} subcommands[] = {
    { "sleep", 3, 3, debug_sleep, { 0 } }, { "set-active-expire", 3, 3, debug_active_expire, { 0 } },
    { "reload", 2, SIZE_MAX, debug_reload, { 0 } }, { "loadaof", 2, 2, debug_load_log, { 0 } },
    { "error", 3, 3, debug_error, { 0 } },
    { "digest", 2, 2, debug_digest, { 0 } }, { "digest-value", 2, SIZE_MAX, debug_digest_value, { 0 } },
    { "populate", 3, 5, debug_populate, { 0 } }, { "protocol", 3, 3, debug_protocol, { 0 } },
    { "log", 3, 3, debug_nothing, { 0 } }, { "change-repl-id", 2, 2, debug_nothing, { 0 } },
    { "quicklist-packed-threshold", 3, 3, debug_packed_threshold, { 0 } }, { "pause-cron", 3, 3, debug_nothing, { 0 } },
    { "object", 3, 4, debug_object, { 0 } }, { "listpack", 3, 3, debug_listpack, { 0 } },
    { "quicklist", 3, 4, debug_quicklist, { 0 } }, { "htstats", 3, 4, debug_tables, { 0 } },
    { "htstats-key", 3, 4, debug_table_of_key, { 0 } }, 
    { "replicate", 3, SIZE_MAX, debug_nothing, { 0 } }, { "set-disable-deny-scripts", 3, 3, debug_nothing, { 0 } },
    { "dict-resizing", 3, 3, debug_nothing, SINCE(7, 2, 0, 0) },
};

/* DEBUG REPLYBUFFER peak-reset-time ms | resizing 0|1: how a server gives back memory. */
static bool is_about_reply_buffers(const call *c)
{
    return arg_is(c, 1, S("replybuffer")) && c->argc == 4 &&
           (arg_is(c, 2, S("peak-reset-time")) || arg_is(c, 2, S("resizing")));
}

static reply cmd_debug(const call *c)
{
    if (is_about_reply_buffers(c))
        return debug_nothing(c);
    for (size_t i = 0; i < COUNT(subcommands); i++)
        if (arg_is(c, 1, str_from(subcommands[i].name)) && c->argc >= subcommands[i].least &&
            c->argc <= subcommands[i].most && dialect_has(c->server->dialect, subcommands[i].since))
            return subcommands[i].run(c);
    reply r = reply_error_about(c, "ERR unknown subcommand or wrong number of arguments for '",
                                str_slice(c->argv[1], 0, 128));
    return reply_error(arena_printf(c->out, "%.*s'. Try DEBUG HELP.", STR_ARG(r.text)));
}

const command commands_debug[] = {
    { .name = "debug", -2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_debug },
    { .name = NULL },
};
