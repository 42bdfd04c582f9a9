/* pubsub.c - the subscribers of channels, patterns and shard channels, and the receivers of PUBLISH, in Redis's order:
 * for one message the channel's subscribers in the order of subscribing, then the patterns in the order of their
 * creation. */
#include <assert.h>
#include <string.h>

#include "redis/dict.h"
#include "redis/server.h"

typedef enum { CHANNEL, PATTERN, SHARD, CHANNEL_KINDS } channel_kind;

/* A channel exists while it has a subscriber. */
typedef struct {
    UT_hash_handle hh;
    redis_conn **at;               /* in order of subscription */
    size_t count, cap;
    size_t n;
    char name[];
} channel;

struct pubsub {
    channel *all[CHANNEL_KINDS];
};

struct subscription {
    channel_kind kind;
    channel *ch;
};

pubsub *pubsub_new(void)
{
    return mem_zero(sizeof(pubsub));
}

void pubsub_free(pubsub *p)
{
    for (int k = 0; p && k < CHANNEL_KINDS; k++)
        assert(!p->all[k]);                        /* every connection has left */
    mem_free(p);
}

static str channel_name(const channel *ch)
{
    return (str){ .p = ch->name, .n = ch->n };
}

static channel *channel_find(const redis *r, channel_kind kind, str name)
{
    channel *ch;
    HASH_FIND(hh, r->channels->all[kind], name.p, name.n, ch);
    return ch;
}

/* ---- subscriptions of a connection ---- */

static size_t subs_of_kind(const redis_conn *conn, channel_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < conn->subs_count; i++)
        n += conn->subs[i].kind == kind;
    return n;
}

/* The number in a confirmation: channels and patterns count together, shard channels by themselves. */
static int64_t confirmed_count(const redis_conn *conn, channel_kind kind)
{
    if (kind == SHARD)
        return (int64_t)subs_of_kind(conn, SHARD);
    return (int64_t)(conn->subs_count - subs_of_kind(conn, SHARD));
}

static size_t sub_index(const redis_conn *conn, channel_kind kind, const channel *ch)
{
    size_t i = 0;
    while (i < conn->subs_count && (conn->subs[i].kind != kind || conn->subs[i].ch != ch))
        i++;
    return i;
}

static void sub_add(redis *r, redis_conn *conn, channel_kind kind, str name)
{
    channel *ch = channel_find(r, kind, name);
    if (ch && sub_index(conn, kind, ch) < conn->subs_count)
        return;
    if (!ch) {
        ch = mem_zero(sizeof *ch + name.n);
        ch->n = name.n;
        if (name.n)
            memcpy(ch->name, name.p, name.n);
        HASH_ADD_KEYPTR(hh, r->channels->all[kind], ch->name, ch->n, ch);
    }
    MEM_RESERVE(ch->at, ch->cap, ch->count + 1);
    ch->at[ch->count++] = conn;
    MEM_RESERVE(conn->subs, conn->subs_cap, conn->subs_count + 1);
    conn->subs[conn->subs_count++] = (struct subscription){ .kind = kind, .ch = ch };
}

static void sub_remove(redis *r, redis_conn *conn, size_t index)
{
    struct subscription s = conn->subs[index];
    memmove(conn->subs + index, conn->subs + index + 1, (conn->subs_count - index - 1) * sizeof s);
    conn->subs_count--;
    size_t i = 0;
    while (s.ch->at[i] != conn)
        i++;
    memmove(s.ch->at + i, s.ch->at + i + 1, (s.ch->count - i - 1) * sizeof *s.ch->at);
    if (--s.ch->count == 0) {
        HASH_DEL(r->channels->all[s.kind], s.ch);
        mem_free(s.ch->at);
        mem_free(s.ch);
    }
}

void pubsub_leave(redis *r, redis_conn *conn)
{
    while (conn->subs_count)
        sub_remove(r, conn, conn->subs_count - 1);
}

bool pubsub_is_subscriber(const redis_conn *conn)
{
    return conn->subs_count > 0 && conn->client.resp == 2;
}

void pubsub_count(const redis_conn *conn, size_t *channels, size_t *patterns, size_t *shards)
{
    *channels = subs_of_kind(conn, CHANNEL);
    *patterns = subs_of_kind(conn, PATTERN);
    *shards = subs_of_kind(conn, SHARD);
}

size_t pubsub_count_all(const redis *r, bool patterns)
{
    return HASH_COUNT(r->channels->all[patterns ? PATTERN : CHANNEL]);
}

size_t redis_subscriptions(const redis *r, const redis_conn *c)
{
    (void)r;
    return c->subs_count;
}

static void confirm(reply *to, const call *c, const char *verb, channel_kind kind, const str *name)
{
    *to = reply_items(c->out, REPLY_ARRAY, 3);
    to->push = true;
    to->items[0] = reply_bulk(str_from(verb));
    to->items[1] = name ? reply_bulk(arena_str(c->out, *name)) : reply_nil();
    to->items[2] = reply_integer(confirmed_count(c->conn, kind));
}

static reply one_or_several(reply all)
{
    if (all.count == 1)
        return all.items[0];
    all.several = true;
    return all;
}

static reply subscribe(const call *c, const char *verb, channel_kind kind)
{
    if (kind == SHARD && c->conn->in_exec)
        return reply_error(S("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"));
    reply all = reply_items(c->out, REPLY_ARRAY, c->argc - 1);
    for (size_t i = 1; i < c->argc; i++) {
        sub_add(c->server, c->conn, kind, c->argv[i]);
        confirm(&all.items[i - 1], c, verb, kind, &c->argv[i]);
    }
    return one_or_several(all);
}

static reply unsubscribe_all(const call *c, const char *verb, channel_kind kind)
{
    size_t n = subs_of_kind(c->conn, kind);
    reply all = reply_items(c->out, REPLY_ARRAY, n ? n : 1);
    if (!n)
        confirm(&all.items[0], c, verb, kind, NULL);
    for (size_t done = 0, i = 0; done < n;) {
        if (c->conn->subs[i].kind != kind) {
            i++;
            continue;
        }
        str name = arena_str(c->out, channel_name(c->conn->subs[i].ch));
        sub_remove(c->server, c->conn, i);
        confirm(&all.items[done++], c, verb, kind, &name);
    }
    return one_or_several(all);
}

static reply unsubscribe(const call *c, const char *verb, channel_kind kind)
{
    if (c->argc == 1)
        return unsubscribe_all(c, verb, kind);
    reply all = reply_items(c->out, REPLY_ARRAY, c->argc - 1);
    for (size_t i = 1; i < c->argc; i++) {
        const channel *ch = channel_find(c->server, kind, c->argv[i]);
        size_t index = ch ? sub_index(c->conn, kind, ch) : c->conn->subs_count;
        if (index < c->conn->subs_count)
            sub_remove(c->server, c->conn, index);
        confirm(&all.items[i - 1], c, verb, kind, &c->argv[i]);
    }
    return one_or_several(all);
}

static reply cmd_subscribe(const call *c) { return subscribe(c, "subscribe", CHANNEL); }
static reply cmd_psubscribe(const call *c) { return subscribe(c, "psubscribe", PATTERN); }
static reply cmd_ssubscribe(const call *c) { return subscribe(c, "ssubscribe", SHARD); }
static reply cmd_unsubscribe(const call *c) { return unsubscribe(c, "unsubscribe", CHANNEL); }
static reply cmd_punsubscribe(const call *c) { return unsubscribe(c, "punsubscribe", PATTERN); }
static reply cmd_sunsubscribe(const call *c) { return unsubscribe(c, "sunsubscribe", SHARD); }

/* ---- publishing ---- */

static size_t post_to(redis *r, const channel *ch, bool shard, str name, str payload, str pattern)
{
    for (size_t i = 0; i < ch->count; i++)
        server_post(r, ch->at[i]->id, shard, name, payload, pattern);
    return ch->count;
}

static size_t publish_to(redis *r, channel_kind kind, str name, str payload)
{
    size_t receivers = 0;
    const channel *ch = channel_find(r, kind, name);
    if (ch)
        receivers += post_to(r, ch, kind == SHARD, name, payload, (str){ 0 });
    if (kind == CHANNEL) {
        for (const channel *p = r->channels->all[PATTERN]; p; p = p->hh.next) {
            if (glob_match(channel_name(p), name))
                receivers += post_to(r, p, false, name, payload, channel_name(p));
        }
    }
    return receivers;
}

void pubsub_publish(redis *r, str name, str payload)
{
    publish_to(r, CHANNEL, name, payload);
}

static reply publish(const call *c, channel_kind kind)
{
    return reply_integer((int64_t)publish_to(c->server, kind, c->argv[1], c->argv[2]));
}

static reply cmd_publish(const call *c) { return publish(c, CHANNEL); }
static reply cmd_spublish(const call *c) { return publish(c, SHARD); }

/* ---- PUBSUB ---- */

static int name_cmp(const void *x, const void *y)
{
    return str_cmp(((const reply *)x)->text, ((const reply *)y)->text);
}

/* Redis leaves the order open: byte order. */
static reply list_channels(const call *c, channel_kind kind)
{
    reply all = reply_items(c->out, REPLY_ARRAY, HASH_COUNT(c->server->channels->all[kind]));
    size_t n = 0;
    for (const channel *ch = c->server->channels->all[kind]; ch; ch = ch->hh.next) {
        if (c->argc < 3 || glob_match(c->argv[2], channel_name(ch)))
            all.items[n++] = reply_bulk(arena_str(c->out, channel_name(ch)));
    }
    all.count = n;
    if (n)
        qsort(all.items, n, sizeof *all.items, name_cmp);
    return all;
}

static reply count_subscribers(const call *c, channel_kind kind)
{
    reply all = reply_items(c->out, REPLY_ARRAY, (c->argc - 2) * 2);
    for (size_t i = 2; i < c->argc; i++) {
        const channel *ch = channel_find(c->server, kind, c->argv[i]);
        all.items[(i - 2) * 2] = reply_bulk(arena_str(c->out, c->argv[i]));
        all.items[(i - 2) * 2 + 1] = reply_integer(ch ? (int64_t)ch->count : 0);
    }
    return all;
}

static reply too_many_arguments(const call *c)
{
    return reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                    "PUBSUB HELP.",
                                    STR_ARG(str_slice(c->argv[1], 0, 128))));
}

static reply cmd_channels(const call *c) { return c->argc > 3 ? too_many_arguments(c) : list_channels(c, CHANNEL); }
static reply cmd_shardchannels(const call *c) { return c->argc > 3 ? too_many_arguments(c) : list_channels(c, SHARD); }
static reply cmd_numsub(const call *c) { return count_subscribers(c, CHANNEL); }
static reply cmd_shardnumsub(const call *c) { return count_subscribers(c, SHARD); }

static reply cmd_numpat(const call *c)
{
    return reply_integer((int64_t)HASH_COUNT(c->server->channels->all[PATTERN]));
}

const command commands_pubsub[] = {
    { .name = "subscribe", -2, CMD_NOSCRIPT | CMD_PUBSUB_OK, 0, 0, 0, cmd_subscribe },
    { .name = "psubscribe", -2, CMD_NOSCRIPT | CMD_PUBSUB_OK, 0, 0, 0, cmd_psubscribe },
    { .name = "ssubscribe", -2, CMD_NOSCRIPT | CMD_PUBSUB_OK | CMD_CHANNELS, 1, -1, 1, cmd_ssubscribe },
    { .name = "unsubscribe", -1, CMD_NOSCRIPT | CMD_PUBSUB_OK, 0, 0, 0, cmd_unsubscribe },
    { .name = "punsubscribe", -1, CMD_NOSCRIPT | CMD_PUBSUB_OK, 0, 0, 0, cmd_punsubscribe },
    { .name = "sunsubscribe", -1, CMD_NOSCRIPT | CMD_PUBSUB_OK | CMD_CHANNELS, 1, -1, 1, cmd_sunsubscribe },
    { .name = "publish", 3, CMD_MAY_REPLICATE | CMD_FLAT, 0, 0, 0, cmd_publish },
    { .name = "spublish", 3, CMD_MAY_REPLICATE | CMD_FLAT | CMD_CHANNELS, 1, 1, 1, cmd_spublish },
    { .name = "pubsub", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "pubsub|channels", -2, 0, 0, 0, 0, cmd_channels },
    { .name = "pubsub|numsub", -2, 0, 0, 0, 0, cmd_numsub },
    { .name = "pubsub|numpat", 2, 0, 0, 0, 0, cmd_numpat },
    { .name = "pubsub|shardchannels", -2, 0, 0, 0, 0, cmd_shardchannels },
    { .name = "pubsub|shardnumsub", -2, 0, 0, 0, 0, cmd_shardnumsub },
    { .name = NULL },
};
