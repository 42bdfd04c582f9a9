/* stream_read.c - XREAD, which may wait for entries (waiting.c), and XINFO STREAM. A waiter is answered when a stream
 * has an entry above the id it named; $ is kept as the id that it meant. Facts: the servers themselves
 * (tests/conformance). */
#include "redis/server.h"
#include "redis/stream.h"

typedef struct {
    int64_t timeout_ms;            /* -1: no BLOCK */
    int64_t count;                 /* 0: all */
    size_t first, n;               /* the keys: argv[first .. first + n), and then as many ids */
    stream_id *above;              /* n of them */
} read_args;

/* ---- what is asked for ---- */

static bool parse_block(const call *c, size_t at, int64_t *timeout_ms, reply *r)
{
    if (c->in_script && !server_follows(c->server, RULE_WAITS_IN_SCRIPTS)) {
        *r = reply_error(arena_printf(c->out, "ERR %.*s command is not allowed with BLOCK option from scripts",
                                      STR_ARG(c->argv[0])));
        return false;
    }
    if (!parse_int(c->argv[at], timeout_ms))
        return *r = reply_error(S("ERR timeout is not an integer or out of range")), false;
    if (*timeout_ms < 0)
        return *r = reply_error(S("ERR timeout is negative")), false;
    if (*timeout_ms > INT64_MAX - store_now_ms(c->st) && server_follows(c->server, RULE_LONG_TIMEOUT))
        return *r = reply_error(S("ERR timeout is out of range")), false;
    return true;
}

/* A word before STREAMS; *at moves to its last one. */
static bool parse_option(const call *c, size_t *at, read_args *a, reply *r)
{
    size_t more = c->argc - *at - 1;
    if (more && arg_is(c, *at, S("block")))
        return parse_block(c, ++*at, &a->timeout_ms, r);
    if (more && arg_is(c, *at, S("count"))) {
        if (!parse_int(c->argv[++*at], &a->count))
            return *r = reply_not_integer(), false;
        a->count = a->count < 0 ? 0 : a->count;
        return true;
    }
    *r = reply_syntax();
    if (more >= 2 && arg_is(c, *at, S("group")))
        *r = reply_error(S("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead."));
    else if (arg_is(c, *at, S("noack")))
        *r = reply_error(S("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead."));
    return false;
}

static bool parse_options(const call *c, read_args *a, reply *r)
{
    *a = (read_args){ .timeout_ms = -1 };
    size_t at = 1;
    for (; at < c->argc && !(at + 1 < c->argc && arg_is(c, at, S("streams"))); at++)
        if (!parse_option(c, &at, a, r))
            return false;
    if (at >= c->argc)
        return *r = reply_syntax(), false;
    a->first = at + 1;
    a->n = (c->argc - a->first) / 2;
    if ((c->argc - a->first) % 2)
        return *r = reply_error(str_from(server_say(c->server, WORDS_UNBALANCED))), false;
    return true;
}

/* +: the one before the newest entry, so that this one is above it. */
static stream_id before_newest(const call *c, const value *v)
{
    const str *texts;
    size_t n, count = v ? value_count(v) : 0;
    stream_id id = v ? stream_last(v) : STREAM_FIRST;
    if (server_follows(c->server, RULE_NEWEST_LIVES))
        id = count ? stream_at(v, count - 1, &texts, &n) : STREAM_FIRST;
    stream_id_down(&id);
    return id;
}

static bool parse_above(const call *c, const value *v, str word, stream_id *id, reply *r)
{
    if (word_is_char(word, '$'))
        *id = v ? stream_last(v) : STREAM_FIRST;
    else if (word_is_char(word, '+') && server_follows(c->server, RULE_NEWEST_ENTRY))
        *id = before_newest(c, v);
    else if (word_is_char(word, '>'))
        return *r = reply_error(S("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> "
                                  "<consumer> option.")), false;
    else if (!stream_parse_id(c, word, 0, id, NULL))
        return *r = stream_bad_id(), false;
    return true;
}

static bool parse_read(const call *c, read_args *a, reply *r)
{
    value *v;
    if (!parse_options(c, a, r))
        return false;
    a->above = ARENA_ARRAY(c->out, stream_id, a->n);
    for (size_t i = 0; i < a->n; i++)
        if (!find_kind(c, c->argv[a->first + i], VALUE_STREAM, &v, r) ||
            !parse_above(c, v, c->argv[a->first + a->n + i], &a->above[i], r))
            return false;
    return true;
}

/* ---- answers ---- */

/* The entries above an id: their first place, and how many. */
static size_t entries_above(const value *v, stream_id id, int64_t count, size_t *first)
{
    *first = stream_id_up(&id) ? stream_lower(v, id) : value_count(v);
    size_t n = value_count(v) - *first;
    return count > 0 && (uint64_t)count < n ? (size_t)count : n;
}

static reply key_and_entries(const call *c, str key, const value *v, stream_id above, int64_t count)
{
    size_t first, n = entries_above(v, above, count, &first);
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = reply_bulk(arena_str(c->out, key));
    r.items[1] = stream_entries_reply(c, v, first, n);
    return r;
}

/* What all its streams have by now; no items: nothing. */
static reply read_now(const call *c, const read_args *a)
{
    reply r = reply_items(c->out, REPLY_ARRAY, a->n);
    r.mapped = true;
    r.count = 0;
    for (size_t i = 0; i < a->n; i++) {
        str key = c->argv[a->first + i];
        const value *v = store_find(c->st, c->db, key);
        size_t first;
        if (v && entries_above(v, a->above[i], 0, &first))
            r.items[r.count++] = key_and_entries(c, key, v, a->above[i], a->count);
    }
    return r;
}

/* Redis 7.0: of a key that is named twice the first id counts; it was checked when the wait began. */
static stream_id waits_above(const call *c, str key, read_args *a)
{
    reply r;
    stream_id id = STREAM_LAST;
    bool ok = parse_options(c, a, &r);
    for (size_t i = 0; ok && i < a->n; i++)
        if (str_eq(c->argv[a->first + i], key)) {
            stream_parse_id(c, c->argv[a->first + a->n + i], 0, &id, NULL);
            break;
        }
    return id;
}

static bool has_news(const call *c, str key, const value *v)
{
    read_args a;
    return stream_id_cmp(stream_last(v), waits_above(c, key, &a)) > 0;
}

/* Redis 7.0: of the one stream that has news, and at most a thousand of them unless COUNT says more. */
static reply serve_news(const call *c, str key, value *v)
{
    enum { COUNT_DEFAULT = 1000 };
    read_args a;
    stream_id above = waits_above(c, key, &a);
    reply r = reply_items(c->out, REPLY_ARRAY, 1);
    r.mapped = true;
    r.items[0] = key_and_entries(c, key, v, above, a.count ? a.count : COUNT_DEFAULT);
    return r;
}

/* $ is from now on the id that it is now. */
static void wait_for_news(const call *c, const read_args *a)
{
    call now = *c;
    str *argv = ARENA_ARRAY(c->out, str, c->argc);
    for (size_t i = 0; i < c->argc; i++) {
        size_t id = i - a->first - a->n;           /* below n for ids alone: a difference below 0 is very large */
        bool moves = id < a->n && word_is_char(c->argv[i], '$');
        argv[i] = moves ? stream_id_reply(c, a->above[id]).text : c->argv[i];
    }
    now.argv = argv;
    waiting_begin(&now, &(wait_terms){ .kind = VALUE_STREAM, .timeout_ms = a->timeout_ms, .first = a->first, .n = a->n,
                                       .ready = has_news, .serve = serve_news });
}

/* XREAD [COUNT n] [BLOCK ms] STREAMS key [key ...] id [id ...] */
static reply cmd_xread(const call *c)
{
    read_args a;
    reply r;
    if (!parse_read(c, &a, &r))
        return r;
    r = read_now(c, &a);
    if (r.count)
        return r;
    if (a.timeout_ms >= 0 && !c->in_script && !c->conn->in_exec)
        wait_for_news(c, &a);
    return reply_nil_array();
}

/* ---- XINFO ---- */

static void tell(reply *r, const char *name, reply what)
{
    r->items[r->count++] = reply_bulk(str_from(name));
    r->items[r->count++] = what;
}

/* FULL [COUNT n]: true if it is asked for. */
static bool parse_full(const call *c, bool *full, int64_t *count, reply *r)
{
    enum { ENTRIES_DEFAULT = 10 };
    *count = ENTRIES_DEFAULT;
    *full = c->argc > 3;
    bool counted = c->argc == 6;
    if (*full && ((c->argc != 4 && !counted) || !arg_is(c, 3, S("full")) || (counted && !arg_is(c, 4, S("count"))))) {
        *r = reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                      "XINFO HELP.", STR_ARG(c->argv[1])));
        return false;
    }
    if (counted && !parse_int(c->argv[5], count))
        return *r = reply_not_integer(), false;
    if (*count < 0)
        *count = ENTRIES_DEFAULT;
    return true;
}

/* What Redis keeps a stream in: nodes of a hundred entries, as in one that was only appended to, and about as many in
 * the tree above them. */
static void tell_nodes(reply *r, const value *v)
{
    enum { NODE_ENTRIES = 100 };
    int64_t nodes = (int64_t)((value_count(v) + NODE_ENTRIES - 1) / NODE_ENTRIES);
    tell(r, "radix-tree-keys", reply_integer(nodes));
    tell(r, "radix-tree-nodes", reply_integer(nodes + 1));
}

static void tell_edges(const call *c, reply *r, const value *v)
{
    size_t count = value_count(v);
    tell(r, "groups", reply_integer(0));
    tell(r, "first-entry", count ? stream_entry_reply(c, v, 0) : reply_nil());
    tell(r, "last-entry", count ? stream_entry_reply(c, v, count - 1) : reply_nil());
}

/* XINFO STREAM key [FULL [COUNT n]] */
static reply cmd_xinfo_stream(const call *c)
{
    enum { FACTS_MAX = 10 };
    value *v;
    reply r;
    bool full;
    int64_t most;
    const str *texts;
    size_t n;
    if (!find_kind(c, c->argv[2], VALUE_STREAM, &v, &r))
        return r;
    if (!v)
        return reply_no_such_key();
    if (!parse_full(c, &full, &most, &r))
        return r;
    size_t count = value_count(v);
    stream_past past = stream_past_of(v);
    r = reply_items(c->out, REPLY_MAP, (size_t)2 * FACTS_MAX);
    r.count = 0;
    tell(&r, "length", reply_integer((int64_t)count));
    tell_nodes(&r, v);
    tell(&r, "last-generated-id", stream_id_reply(c, past.last));
    tell(&r, "max-deleted-entry-id", stream_id_reply(c, past.deleted));
    tell(&r, "entries-added", reply_integer((int64_t)past.added));
    tell(&r, "recorded-first-entry-id", stream_id_reply(c, count ? stream_at(v, 0, &texts, &n) : STREAM_FIRST));
    if (!full) {
        tell_edges(c, &r, v);
        return r;
    }
    tell(&r, "entries", stream_entries_reply(c, v, 0, most && (uint64_t)most < count ? (size_t)most : count));
    tell(&r, "groups", reply_items(c->out, REPLY_ARRAY, 0));
    return r;
}

const command commands_stream_read[] = {
    { .name = "xread", -4, CMD_WAITS | CMD_READONLY | CMD_STREAMS, 0, 0, 0, cmd_xread },
    { .name = "xinfo", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "xinfo|stream", -3, CMD_READONLY, 2, 2, 1, cmd_xinfo_stream },
    { .name = NULL },
};
