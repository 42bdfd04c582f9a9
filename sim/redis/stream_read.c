/* stream_read.c - XREAD and XREADGROUP, which may wait for entries (waiting.c). A waiter is answered when a stream has
 * an entry above the id it named; $ is kept as the id that it meant. A consumer of a group asks for entries that its
 * group has not read (>), which are pending for it from then on, or for its own pending ones above an id. Facts: the
 * servers themselves (tests/conformance). */
#include "redis/server.h"
#include "redis/stream.h"

typedef struct {
    int64_t timeout_ms;            /* -1: no BLOCK */
    int64_t count;                 /* 0: all */
    size_t first, n;               /* the keys: argv[first .. first + n), and then as many ids */
    stream_id *above;              /* n of them; UNREAD: what the group has not read */
    const str *group, *consumer;   /* NULL: XREAD */
    bool no_ack;                   /* what is read is not pending */
} read_args;

#define UNREAD STREAM_LAST

/* XREADGROUP, by its length, as servers tell them apart. */
static bool in_group(const call *c) { return c->argv[0].n > sizeof "xread"; }
static bool is_unread(stream_id id) { return stream_id_cmp(id, UNREAD) == 0; }

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
    bool group = more >= 2 && arg_is(c, *at, S("group")), no_ack = !group && arg_is(c, *at, S("noack"));
    *r = reply_syntax();
    if (group && !in_group(c))
        *r = reply_error(S("ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead."));
    else if (no_ack && !in_group(c))
        *r = reply_error(S("ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead."));
    if (!in_group(c) || !(group || no_ack))
        return false;
    a->no_ack |= no_ack;
    if (group) {
        a->group = &c->argv[++*at];
        a->consumer = &c->argv[++*at];
    }
    return true;
}

static reply unbalanced(const call *c)
{
    return reply_error(str_from(server_say(c->server, in_group(c) ? WORDS_UNBALANCED_GROUP : WORDS_UNBALANCED)));
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
        return *r = unbalanced(c), false;
    if (in_group(c) && !a->group)
        return *r = reply_error(S("ERR Missing GROUP option for XREADGROUP")), false;
    return true;
}

/* +: the one before the newest entry, so that this one is above it. A stream that never had one has none. */
static bool before_newest(const call *c, const value *v, stream_id *id, reply *r)
{
    const str *texts;
    size_t n, count = v ? value_count(v) : 0;
    *id = v ? stream_last(v) : STREAM_FIRST;
    if (server_follows(c->server, RULE_NEWEST_LIVES))
        *id = count ? stream_at(v, count - 1, &texts, &n) : STREAM_FIRST;
    if (!stream_id_down(id) && v && !server_follows(c->server, RULE_NEWEST_OF_NONE))
        return *r = reply_error(S("ERR the stream last element ID is 0-0")), false;
    return true;
}

#define MEANINGLESS(id) "ERR The " id " ID is meaningless in the context of XREADGROUP: you want to read the history " \
    "of this consumer by specifying a proper ID, or use the > ID to get new messages. The " id " ID would just " \
    "return an empty result set."

static bool parse_above_in_group(const call *c, str word, stream_id *id, reply *r)
{
    if (word_is_char(word, '$'))
        return *r = reply_error(S(MEANINGLESS("$"))), false;
    if (word_is_char(word, '+') && server_follows(c->server, RULE_NEWEST_ENTRY))
        return *r = reply_error(S(MEANINGLESS("+"))), false;
    if (word_is_char(word, '>'))
        *id = UNREAD;
    else if (!stream_parse_id(c, word, 0, id, NULL))
        return *r = stream_bad_id(), false;
    return true;
}

static bool parse_above(const call *c, const value *v, str word, stream_id *id, reply *r)
{
    if (in_group(c))
        return parse_above_in_group(c, word, id, r);
    if (word_is_char(word, '$'))
        *id = v ? stream_last(v) : STREAM_FIRST;
    else if (word_is_char(word, '+') && server_follows(c->server, RULE_NEWEST_ENTRY))
        return before_newest(c, v, id, r);
    else if (word_is_char(word, '>'))
        return *r = reply_error(S("ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> "
                                  "<consumer> option.")), false;
    else if (!stream_parse_id(c, word, 0, id, NULL))
        return *r = stream_bad_id(), false;
    return true;
}

/* A waiter that is put back is known to have had its group. */
static bool has_group(const call *c, const read_args *a, str key, const value *v, reply *r)
{
    if (!a->group || c->server->waits_again || (v && stream_group_find(v, *a->group)))
        return true;
    *r = reply_error_naming(c, "NOGROUP No such key '%' or consumer group '%' in XREADGROUP with GROUP option", key,
                         *a->group);
    return false;
}

static bool parse_read(const call *c, read_args *a, reply *r)
{
    value *v;
    if (!parse_options(c, a, r))
        return false;
    a->above = ARENA_ARRAY(c->out, stream_id, a->n);
    for (size_t i = 0; i < a->n; i++)
        if (!find_kind(c, c->argv[a->first + i], VALUE_STREAM, &v, r) ||
            !has_group(c, a, c->argv[a->first + i], v, r) ||
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

static reply key_and(const call *c, str key, reply entries)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = reply_bulk(arena_str(c->out, key));
    r.items[1] = entries;
    return r;
}

static reply entries_after(const call *c, const value *v, stream_id above, int64_t count)
{
    size_t first, n = entries_above(v, above, count, &first);
    return stream_entries_reply(c, v, first, n);
}

/* One stream of XREADGROUP. */
typedef struct {
    str key;
    value *v;
    stream_group *g;
    stream_consumer *by;
    int64_t count;
    bool no_ack;
} group_reader;

/* What the group has not read is read now: pending for the consumer, even if it was for another one before. */
static reply read_unread(const call *c, const group_reader *k)
{
    size_t first, n = entries_above(k->v, stream_group_progress(k->g).last, k->count, &first);
    for (size_t i = first; i < first + n; i++) {
        const str *texts;
        size_t texts_n;
        stream_id id = stream_at(k->v, i, &texts, &texts_n);
        stream_group_reads(c, k->v, k->g, id);
        if (k->no_ack)
            continue;
        stream_pending_put(k->v, k->g, (stream_pending){ .id = id, .owner = k->by, .delivered_ms = store_now_ms(c->st),
                                                         .deliveries = 1 });
        k->by->active_ms = store_now_ms(c->st);
    }
    store_touch_unwatched(c->st);
    return stream_entries_reply(c, k->v, first, n);
}

/* What is pending for the consumer above an id, once more; of an entry that has gone only its id. */
static reply read_pending(const call *c, const group_reader *k, stream_id above)
{
    size_t n = 0, place, most = k->by->pending, all = stream_pendings(k->g);
    size_t i = stream_id_up(&above) ? stream_pending_lower(k->g, above) : all;
    if (k->count > 0 && (uint64_t)k->count < most)
        most = (size_t)k->count;
    reply r = reply_items(c->out, REPLY_ARRAY, most);
    for (; i < all && n < most; i++) {
        stream_pending p = *stream_pending_at(k->g, i);
        if (p.owner != k->by)
            continue;
        if (!stream_place(k->v, p.id, &place)) {
            r.items[n] = reply_items(c->out, REPLY_ARRAY, 2);
            r.items[n].items[0] = stream_id_reply(c, p.id);
            r.items[n++].items[1] = reply_nil_array();
            continue;
        }
        p.delivered_ms = store_now_ms(c->st);
        p.deliveries++;
        stream_pending_put(k->v, k->g, p);
        r.items[n++] = stream_entry_reply(c, k->v, place);
    }
    store_touch_unwatched(c->st);
    r.count = n;
    return r;
}

static bool group_has_news(const value *v, const stream_group *g)
{
    size_t first;
    return entries_above(v, stream_group_progress(g).last, 0, &first) > 0;
}

/* The i-th stream for the consumer. False: nothing of it is answered. */
static bool read_for_consumer(const call *c, const read_args *a, size_t i, reply *r)
{
    group_reader k = { .key = c->argv[a->first + i], .count = a->count, .no_ack = a->no_ack };
    k.v = store_find(c->st, c->db, k.key);
    k.g = k.v ? stream_group_find(k.v, *a->group) : NULL;
    if (!k.g)
        return false;
    bool answered = !is_unread(a->above[i]) || group_has_news(k.v, k.g);
    if (answered || server_follows(c->server, RULE_CONSUMERS_NAMED))
        k.by = stream_consumer_seen(c, k.key, k.v, k.g, *a->consumer);
    if (answered)
        *r = key_and(c, k.key, is_unread(a->above[i]) ? read_unread(c, &k) : read_pending(c, &k, a->above[i]));
    return answered;
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
        if (a->group)
            r.count += read_for_consumer(c, a, i, &r.items[r.count]);
        else if (v && entries_above(v, a->above[i], 0, &first))
            r.items[r.count++] = key_and(c, key, entries_after(c, v, a->above[i], a->count));
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
    stream_id above = waits_above(c, key, &a);
    const stream_group *g = a.group ? stream_group_find(v, *a.group) : NULL;
    if (a.group && !g)
        return true;                               /* it went: an error */
    return stream_id_cmp(stream_last(v), g ? stream_group_progress(g).last : above) > 0;
}

/* Redis 7.0: of the one stream that has news, and at most a thousand of them unless COUNT says more. */
static reply serve_news(const call *c, str key, value *v)
{
    enum { COUNT_DEFAULT = 1000 };
    read_args a;
    stream_id above = waits_above(c, key, &a);
    reply r = reply_items(c->out, REPLY_ARRAY, 1);
    a.count = a.count ? a.count : COUNT_DEFAULT;
    r.mapped = true;
    if (!a.group) {
        r.items[0] = key_and(c, key, entries_after(c, v, above, a.count));
        return r;
    }
    group_reader k = { .key = key, .v = v, .g = stream_group_find(v, *a.group), .count = a.count, .no_ack = a.no_ack };
    if (!k.g)
        return reply_error(S("NOGROUP the consumer group this client was blocked on no longer exists"));
    k.by = stream_consumer_seen(c, key, v, k.g, *a.consumer);
    r.items[0] = key_and(c, key, read_unread(c, &k));
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
                                       .ready = has_news, .serve = serve_news, .till_gone = a->group != NULL });
}

static reply read_or_wait(const call *c)
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

/* XREAD [COUNT n] [BLOCK ms] STREAMS key [key ...] id [id ...] */
static reply cmd_xread(const call *c) { return read_or_wait(c); }
/* XREADGROUP GROUP group consumer [COUNT n] [BLOCK ms] [NOACK] STREAMS key [key ...] id [id ...] */
static reply cmd_xreadgroup(const call *c) { return read_or_wait(c); }

const command commands_stream_read[] = {
    { .name = "xread", -4, CMD_WAITS | CMD_READONLY | CMD_STREAMS, 0, 0, 0, cmd_xread },
    { .name = "xreadgroup", -7, CMD_WAITS | CMD_WRITE | CMD_STREAMS, 0, 0, 0, cmd_xreadgroup },
    { .name = NULL },
};
