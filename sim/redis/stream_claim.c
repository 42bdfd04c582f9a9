/* stream_claim.c - what was given to the consumers of a group and not acknowledged: XPENDING looks at it, XCLAIM and
 * XAUTOCLAIM hand it to another consumer. An entry that has gone since is dropped when it is claimed. Facts: the
 * servers themselves (tests/conformance). */
#include "redis/server.h"
#include "redis/stream.h"

/* The group argv[2] of the stream argv[1]. */
static bool find_group(const call *c, value **v, stream_group **g, reply *r)
{
    if (!find_kind(c, c->argv[1], VALUE_STREAM, v, r))
        return false;
    *g = *v ? stream_group_find(*v, c->argv[2]) : NULL;
    if (!*g)
        *r = reply_error_naming(c, "NOGROUP No such key '%' or consumer group '%'", c->argv[1], c->argv[2]);
    return *g;
}

/* ---- XPENDING ---- */

typedef struct {
    int64_t idle_ms, count;
    stream_id from, to;
    const str *consumer;           /* NULL: of all */
} pending_args;

/* [IDLE ms] start end count [consumer] */
static bool parse_pending(const call *c, pending_args *a, reply *r)
{
    size_t at = 3;
    *a = (pending_args){ 0 };
    if (c->argc < 6 || c->argc > 9)
        return *r = reply_syntax(), false;
    if (arg_is(c, at, S("idle"))) {
        if (!parse_int(c->argv[4], &a->idle_ms))
            return *r = reply_not_integer(), false;
        if (c->argc < 8)
            return *r = reply_syntax(), false;
        at += 2;
    }
    if (!parse_int(c->argv[at + 2], &a->count))
        return *r = reply_not_integer(), false;
    if (!stream_parse_bound(c, c->argv[at], false, &a->from, r) ||
        !stream_parse_bound(c, c->argv[at + 1], true, &a->to, r))
        return false;
    a->consumer = at + 3 < c->argc ? &c->argv[at + 3] : NULL;
    return true;
}

static reply name_and_pending(const call *c, const stream_consumer *consumer)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = reply_bulk(arena_str(c->out, consumer->name));
    r.items[1] = reply_bulk(arena_printf(c->out, "%zu", consumer->pending));
    return r;
}

/* How many, the first, the last, and how many of each consumer. */
static reply pending_in_short(const call *c, const stream_group *g)
{
    size_t count = stream_pendings(g), n = 0;
    reply r = reply_items(c->out, REPLY_ARRAY, 4);
    r.items[0] = reply_integer((int64_t)count);
    r.items[3] = reply_nil_array();
    if (!count)
        return r;
    r.items[1] = stream_id_reply(c, stream_pending_at(g, 0)->id);
    r.items[2] = stream_id_reply(c, stream_pending_at(g, count - 1)->id);
    r.items[3] = reply_items(c->out, REPLY_ARRAY, stream_consumers(g));
    for (size_t i = 0; i < stream_consumers(g); i++)
        if (stream_consumer_at(g, i)->pending)
            r.items[3].items[n++] = name_and_pending(c, stream_consumer_at(g, i));
    r.items[3].count = n;
    return r;
}

static reply one_pending(const call *c, const stream_pending *p)
{
    int64_t idle_ms = store_now_ms(c->st) - p->delivered_ms;
    reply r = reply_items(c->out, REPLY_ARRAY, 4);
    r.items[0] = stream_id_reply(c, p->id);
    r.items[1] = reply_bulk(arena_str(c->out, p->owner->name));
    r.items[2] = reply_integer(idle_ms < 0 ? 0 : idle_ms);
    r.items[3] = reply_integer((int64_t)p->deliveries);
    return r;
}

/* A consumer that has not been idle for so long keeps the entry; 0: no matter how long. */
static bool is_too_fresh(const call *c, const stream_pending *p, int64_t idle_ms)
{
    return idle_ms && store_now_ms(c->st) - p->delivered_ms < idle_ms;
}

static reply pending_in_range(const call *c, const stream_group *g, const pending_args *a)
{
    const stream_consumer *of = a->consumer ? stream_consumer_find(g, *a->consumer) : NULL;
    size_t n = 0, most = a->consumer && !of ? 0 : stream_pendings(g);
    if (a->count < 0 || (uint64_t)a->count < most)
        most = a->count < 0 ? 0 : (size_t)a->count;
    reply r = reply_items(c->out, REPLY_ARRAY, most);
    for (size_t i = stream_pending_lower(g, a->from); n < most && i < stream_pendings(g); i++) {
        const stream_pending *p = stream_pending_at(g, i);
        if (stream_id_cmp(p->id, a->to) > 0)
            break;
        if ((!of || p->owner == of) && !is_too_fresh(c, p, a->idle_ms))
            r.items[n++] = one_pending(c, p);
    }
    r.count = n;
    return r;
}

/* XPENDING key group [[IDLE ms] start end count [consumer]] */
static reply cmd_xpending(const call *c)
{
    pending_args a;
    value *v;
    stream_group *g;
    reply r;
    if ((c->argc != 3 && !parse_pending(c, &a, &r)) || !find_group(c, &v, &g, &r))
        return r;
    return c->argc == 3 ? pending_in_short(c, g) : pending_in_range(c, g, &a);
}

/* ---- claims ---- */

typedef struct {
    int64_t idle_ms;               /* none that was delivered less long ago */
    int64_t delivered_ms;          /* counts as delivered then */
    int64_t deliveries;            /* -1: one more, or with ids_only as many as before */
    stream_id last;                /* the group has read up to there, at least */
    stream_id from;                /* XAUTOCLAIM */
    int64_t count;
    bool force, ids_only;
    size_t ids_n;                  /* XCLAIM: argv[5 .. 5 + ids_n) */
    stream_id *ids;
} claim_args;

/* The entries that were claimed, as they are answered. */
typedef struct {
    const call *c;
    value *v;
    stream_group *g;
    const claim_args *a;
    stream_consumer *by;           /* NULL: none yet */
    reply got;
} claim;

static void begin_claim(claim *k, size_t most)
{
    k->got = reply_items(k->c->out, REPLY_ARRAY, most);
    k->got.count = 0;
    if (server_follows(k->c->server, RULE_CONSUMERS_NAMED))
        k->by = stream_consumer_seen(k->c, k->c->argv[1], k->v, k->g, k->c->argv[3]);
}

/* The entry is there, and this is what is known of its delivery; without an owner: nothing. */
static void claim_one(claim *k, stream_pending p, size_t place)
{
    if (!k->by)
        k->by = stream_consumer_seen(k->c, k->c->argv[1], k->v, k->g, k->c->argv[3]);
    p.owner = k->by;
    p.delivered_ms = k->a->delivered_ms;
    if (k->a->deliveries >= 0)
        p.deliveries = (uint64_t)k->a->deliveries;
    else
        p.deliveries += !k->a->ids_only;
    stream_pending_put(k->v, k->g, p);
    k->by->active_ms = store_now_ms(k->c->st);
    store_touch_unwatched(k->c->st);
    k->got.items[k->got.count++] = k->a->ids_only ? stream_id_reply(k->c, p.id) : stream_entry_reply(k->c, k->v, place);
}

/* The words after the ids. */
static bool parse_claim_option(const call *c, size_t *at, claim_args *a, reply *r)
{
    const struct { str name; int64_t *to; const char *error; } numbers[] = {
        { S("idle"), &a->delivered_ms, "ERR Invalid IDLE option argument for XCLAIM" },
        { S("time"), &a->delivered_ms, "ERR Invalid TIME option argument for XCLAIM" },
        { S("retrycount"), &a->deliveries, "ERR Invalid RETRYCOUNT option argument for XCLAIM" },
    };
    bool more = *at + 1 < c->argc;
    for (size_t i = 0; i < COUNT(numbers) && more; i++)
        if (arg_is(c, *at, numbers[i].name)) {
            if (!parse_int(c->argv[++*at], numbers[i].to))
                return *r = reply_error(str_from(numbers[i].error)), false;
            if (i == 0)                            /* wraps round, as there */
                a->delivered_ms = (int64_t)((uint64_t)store_now_ms(c->st) - (uint64_t)a->delivered_ms);
            return true;
        }
    if (more && arg_is(c, *at, S("lastid"))) {
        if (!stream_parse_id(c, c->argv[++*at], 0, &a->last, NULL))
            return *r = stream_bad_id(), false;
        return true;
    }
    a->force |= arg_is(c, *at, S("force"));
    a->ids_only |= arg_is(c, *at, S("justid"));
    if (arg_is(c, *at, S("force")) || arg_is(c, *at, S("justid")))
        return true;
    return *r = reply_error_naming(c, "ERR Unrecognized XCLAIM option '%'", c->argv[*at], S("")), false;
}

/* min-idle-time id [id ...] [options] from argv[4] on: an id is what reads as one. */
static bool parse_claim(const call *c, claim_args *a, reply *r)
{
    *a = (claim_args){ .delivered_ms = -1, .deliveries = -1, .ids = ARENA_ARRAY(c->out, stream_id, c->argc) };
    if (!parse_int(c->argv[4], &a->idle_ms))
        return *r = reply_error(S("ERR Invalid min-idle-time argument for XCLAIM")), false;
    size_t at = 5;
    while (at < c->argc && stream_parse_id(c, c->argv[at], 0, &a->ids[a->ids_n], NULL)) {
        a->ids_n++;
        at++;
    }
    for (; at < c->argc; at++)
        if (!parse_claim_option(c, &at, a, r))
            return false;
    int64_t now_ms = store_now_ms(c->st);
    a->idle_ms = a->idle_ms < 0 ? 0 : a->idle_ms;
    if (a->delivered_ms < 0 || a->delivered_ms > now_ms)
        a->delivered_ms = now_ms;
    return true;
}

static void claim_id(claim *k, stream_id id)
{
    const stream_pending *old = stream_pending_find(k->g, id);
    size_t place;
    if (!stream_place(k->v, id, &place)) {
        if (old)
            store_touch_unwatched(k->c->st);
        stream_pending_remove(k->v, k->g, id);
    } else if (old ? !is_too_fresh(k->c, old, k->a->idle_ms) : k->a->force) {
        claim_one(k, old ? *old : (stream_pending){ .id = id, .deliveries = 1 }, place);
    }
}

/* XCLAIM key group consumer min-idle-time id [id ...] [IDLE ms] [TIME ms] [RETRYCOUNT n] [FORCE] [JUSTID]
 * [LASTID id] */
static reply cmd_xclaim(const call *c)
{
    claim_args a;
    reply r;
    claim k = { .c = c, .a = &a };
    if (!find_group(c, &k.v, &k.g, &r) || !parse_claim(c, &a, &r))
        return r;
    stream_progress p = stream_group_progress(k.g);
    if (stream_id_cmp(a.last, p.last) > 0) {
        p.last = a.last;
        stream_group_set_progress(k.g, p);
        store_touch_unwatched(c->st);
    }
    begin_claim(&k, a.ids_n);
    for (size_t i = 0; i < a.ids_n; i++)
        claim_id(&k, a.ids[i]);
    return k.got;
}

/* min-idle-time start [COUNT n] [JUSTID] from argv[4] on. */
static bool parse_autoclaim(const call *c, claim_args *a, reply *r)
{
    enum { COUNT_DEFAULT = 100 };
    *a = (claim_args){ .delivered_ms = store_now_ms(c->st), .deliveries = -1, .count = COUNT_DEFAULT };
    if (!parse_int(c->argv[4], &a->idle_ms))
        return *r = reply_error(S("ERR Invalid min-idle-time argument for XAUTOCLAIM")), false;
    a->idle_ms = a->idle_ms < 0 ? 0 : a->idle_ms;
    if (!stream_parse_bound(c, c->argv[5], false, &a->from, r))
        return false;
    for (size_t i = 6; i < c->argc; i++) {
        bool counted = i + 1 < c->argc && arg_is(c, i, S("count"));
        if (counted && !parse_int_within(c->argv[++i], 1, INT64_MAX / (int64_t)sizeof(stream_id), &a->count))
            return *r = reply_error(S("ERR COUNT must be > 0")), false;
        if (!counted && !arg_is(c, i, S("justid")))
            return *r = reply_syntax(), false;
        a->ids_only |= !counted;
    }
    return true;
}

/* XAUTOCLAIM key group consumer min-idle-time start [COUNT n] [JUSTID]: answers where to go on, what was claimed, and
 * what was dropped. Ten times COUNT are looked at, at most. */
static reply cmd_xautoclaim(const call *c)
{
    enum { LOOKS_EACH = 10 };
    claim_args a;
    reply r;
    claim k = { .c = c, .a = &a };
    /* all that is wrong with its words is said before the key is looked at */
    if (!parse_autoclaim(c, &a, &r) || !find_group(c, &k.v, &k.g, &r))
        return r;
    size_t most = stream_pendings(k.g), at = stream_pending_lower(k.g, a.from), place;
    most = (uint64_t)a.count < most ? (size_t)a.count : most;
    reply all = reply_items(c->out, REPLY_ARRAY, 3), gone = reply_items(c->out, REPLY_ARRAY, most);
    gone.count = 0;
    begin_claim(&k, most);
    for (int64_t looks = a.count * LOOKS_EACH; looks > 0 && a.count > 0 && at < stream_pendings(k.g); looks--) {
        stream_pending p = *stream_pending_at(k.g, at);
        if (!stream_place(k.v, p.id, &place)) {
            stream_pending_remove(k.v, k.g, p.id);
            store_touch_unwatched(c->st);
            gone.items[gone.count++] = stream_id_reply(c, p.id);
            a.count--;
            continue;
        }
        at++;
        if (is_too_fresh(c, &p, a.idle_ms))
            continue;
        claim_one(&k, p, place);
        a.count--;
    }
    all.items[0] = stream_id_reply(c, at < stream_pendings(k.g) ? stream_pending_at(k.g, at)->id : STREAM_FIRST);
    all.items[1] = k.got;
    all.items[2] = gone;
    return all;
}

const command commands_stream_claim[] = {
    { .name = "xpending", -3, CMD_READONLY, 1, 1, 1, cmd_xpending },
    { .name = "xclaim", -6, CMD_WRITE, 1, 1, 1, cmd_xclaim },
    { .name = "xautoclaim", -6, CMD_WRITE, 1, 1, 1, cmd_xautoclaim },
    { .name = NULL },
};
