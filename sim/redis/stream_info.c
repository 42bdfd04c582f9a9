/* stream_info.c - XINFO: what a stream, its consumer groups and their consumers are. Facts: the servers themselves
 * (tests/conformance). */
#include "redis/server.h"
#include "redis/stream.h"

void stream_tell(reply *r, const char *name, reply what)
{
    r->items[r->count++] = reply_bulk(str_from(name));
    r->items[r->count++] = what;
}

/* ---- groups ---- */

static reply map_of(const call *c, size_t facts_max)
{
    reply r = reply_items(c->out, REPLY_MAP, 2 * facts_max);
    r.count = 0;
    return r;
}

static reply text_of(const call *c, str text) { return reply_bulk(arena_str(c->out, text)); }

static void tell_progress(const call *c, reply *r, const value *v, const stream_group *g)
{
    stream_progress p = stream_group_progress(g);
    stream_tell(r, "last-delivered-id", stream_id_reply(c, p.last));
    stream_tell(r, "entries-read", p.read == STREAM_READ_UNKNOWN ? reply_nil() : reply_integer(p.read));
    stream_tell(r, "lag", stream_group_lag(c, v, g));
}

/* Of all consumers, or of one, at most so many (0: all): id, owner where it is not said already, when, how often. */
static reply pending_in_full(const call *c, const stream_group *g, const stream_consumer *of, int64_t most)
{
    size_t n = 0, all = stream_pendings(g), had = of ? of->pending : all;
    had = most && (uint64_t)most < had ? (size_t)most : had;
    reply r = reply_items(c->out, REPLY_ARRAY, had);
    for (size_t i = 0; i < all && n < had; i++) {
        const stream_pending *p = stream_pending_at(g, i);
        if (of && p->owner != of)
            continue;
        reply one = reply_items(c->out, REPLY_ARRAY, of ? 3 : 4);
        one.items[0] = stream_id_reply(c, p->id);
        if (!of)
            one.items[1] = text_of(c, p->owner->name);
        one.items[one.count - 2] = reply_integer(p->delivered_ms);
        one.items[one.count - 1] = reply_integer((int64_t)p->deliveries);
        r.items[n++] = one;
    }
    r.count = n;
    return r;
}

static int64_t or_minus_one(int64_t at_ms) { return at_ms == STREAM_NEVER ? -1 : at_ms; }

static reply consumer_in_full(const call *c, const stream_group *g, const stream_consumer *who, int64_t most)
{
    reply r = map_of(c, 5);
    stream_tell(&r, "name", text_of(c, who->name));
    stream_tell(&r, "seen-time", reply_integer(who->seen_ms));
    if (server_follows(c->server, RULE_CONSUMERS_NAMED))
        stream_tell(&r, "active-time", reply_integer(or_minus_one(who->active_ms)));
    stream_tell(&r, "pel-count", reply_integer((int64_t)who->pending));
    stream_tell(&r, "pending", pending_in_full(c, g, who, most));
    return r;
}

static reply group_in_full(const call *c, const value *v, const stream_group *g, int64_t most)
{
    reply r = map_of(c, 7), consumers = reply_items(c->out, REPLY_ARRAY, stream_consumers(g));
    for (size_t i = 0; i < consumers.count; i++)
        consumers.items[i] = consumer_in_full(c, g, stream_consumer_at(g, i), most);
    stream_tell(&r, "name", text_of(c, stream_group_name(g)));
    tell_progress(c, &r, v, g);
    stream_tell(&r, "pel-count", reply_integer((int64_t)stream_pendings(g)));
    stream_tell(&r, "pending", pending_in_full(c, g, NULL, most));
    stream_tell(&r, "consumers", consumers);
    return r;
}

static reply groups_in_full(const call *c, const value *v, int64_t most)
{
    reply r = reply_items(c->out, REPLY_ARRAY, stream_groups(v));
    for (size_t i = 0; i < r.count; i++)
        r.items[i] = group_in_full(c, v, stream_group_at(v, i), most);
    return r;
}

/* XINFO GROUPS key */
static reply cmd_xinfo_groups(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[2], VALUE_STREAM, &v, &r))
        return r;
    if (!v)
        return reply_no_such_key();
    r = reply_items(c->out, REPLY_ARRAY, stream_groups(v));
    for (size_t i = 0; i < r.count; i++) {
        const stream_group *g = stream_group_at(v, i);
        r.items[i] = map_of(c, 6);
        stream_tell(&r.items[i], "name", text_of(c, stream_group_name(g)));
        stream_tell(&r.items[i], "consumers", reply_integer((int64_t)stream_consumers(g)));
        stream_tell(&r.items[i], "pending", reply_integer((int64_t)stream_pendings(g)));
        tell_progress(c, &r.items[i], v, g);
    }
    return r;
}

/* XINFO CONSUMERS key group */
static reply cmd_xinfo_consumers(const call *c)
{
    value *v;
    reply r;
    int64_t now_ms = store_now_ms(c->st);
    if (!find_kind(c, c->argv[2], VALUE_STREAM, &v, &r))
        return r;
    if (!v)
        return reply_no_such_key();
    const stream_group *g = stream_group_find(v, c->argv[3]);
    if (!g)
        return reply_error_naming(c, "NOGROUP No such consumer group '%' for key name '%'", c->argv[3], c->argv[2]);
    r = reply_items(c->out, REPLY_ARRAY, stream_consumers(g));
    for (size_t i = 0; i < r.count; i++) {
        const stream_consumer *who = stream_consumer_at(g, i);
        int64_t idle_ms = now_ms - who->seen_ms;
        r.items[i] = map_of(c, 4);
        stream_tell(&r.items[i], "name", text_of(c, who->name));
        stream_tell(&r.items[i], "pending", reply_integer((int64_t)who->pending));
        stream_tell(&r.items[i], "idle", reply_integer(idle_ms < 0 ? 0 : idle_ms));
        if (server_follows(c->server, RULE_CONSUMERS_NAMED))
            stream_tell(&r.items[i], "inactive",
                        reply_integer(who->active_ms == STREAM_NEVER ? -1 : now_ms - who->active_ms));
    }
    return r;
}

/* ---- streams ---- */

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
    stream_tell(r, "radix-tree-keys", reply_integer(nodes));
    stream_tell(r, "radix-tree-nodes", reply_integer(nodes + 1));
}

static void tell_edges(const call *c, reply *r, const value *v)
{
    size_t count = value_count(v);
    stream_tell(r, "groups", reply_integer((int64_t)stream_groups(v)));
    stream_tell(r, "first-entry", count ? stream_entry_reply(c, v, 0) : reply_nil());
    stream_tell(r, "last-entry", count ? stream_entry_reply(c, v, count - 1) : reply_nil());
}

/* XINFO STREAM key [FULL [COUNT n]] */
static reply cmd_xinfo_stream(const call *c)
{
    enum { FACTS_MAX = 10 };
    value *v;
    reply r;
    bool full;
    int64_t most;
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
    stream_tell(&r, "length", reply_integer((int64_t)count));
    tell_nodes(&r, v);
    stream_tell(&r, "last-generated-id", stream_id_reply(c, past.last));
    stream_tell(&r, "max-deleted-entry-id", stream_id_reply(c, past.deleted));
    stream_tell(&r, "entries-added", reply_integer((int64_t)past.added));
    stream_tell(&r, "recorded-first-entry-id", stream_id_reply(c, stream_first(v)));
    if (!full) {
        tell_edges(c, &r, v);
        return r;
    }
    stream_tell(&r, "entries", stream_entries_reply(c, v, 0, most && (uint64_t)most < count ? (size_t)most : count));
    stream_tell(&r, "groups", groups_in_full(c, v, most));
    return r;
}

const command commands_stream_info[] = {
    { .name = "xinfo", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "xinfo|consumers", 4, CMD_READONLY, 2, 2, 1, cmd_xinfo_consumers },
    { .name = "xinfo|groups", 3, CMD_READONLY, 2, 2, 1, cmd_xinfo_groups },
    { .name = "xinfo|stream", -3, CMD_READONLY, 2, 2, 1, cmd_xinfo_stream },
    { .name = NULL },
};
