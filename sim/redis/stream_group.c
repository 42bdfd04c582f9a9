/* stream_group.c - consumer groups: XGROUP and XACK, and what a group has read. Of the entries ever added a group
 * counts those it has read; where entries were taken out of the middle the count is lost until it can be known again.
 * Facts: the servers themselves (tests/conformance). */
#include "redis/server.h"
#include "redis/stream.h"

/* ---- how far it has read ---- */

/* Entries from this id on were taken out, or may have been. */
static bool has_holes(const call *c, const value *v, stream_id from)
{
    stream_id deleted = stream_past_of(v).deleted, first = stream_first(v);
    bool none = !value_count(v) || stream_id_cmp(deleted, STREAM_FIRST) == 0;
    if (none || (!server_follows(c->server, RULE_HOLES_BEFORE_FIRST) && stream_id_cmp(first, deleted) > 0))
        return false;
    return stream_id_cmp(from, deleted) <= 0;
}

/* The number of entries ever added up to this id. */
static int64_t added_up_to(const call *c, const value *v, stream_id id)
{
    stream_past past = stream_past_of(v);
    stream_id first = stream_first(v);
    uint64_t count = value_count(v);
    int last = stream_id_cmp(id, past.last);
    if (!past.added)
        return 0;
    if (last == 0 || (!count && last < 0))
        return (int64_t)past.added;
    bool before_hole = server_follows(c->server, RULE_HOLES_BEFORE_FIRST) && stream_id_cmp(id, STREAM_FIRST) != 0 &&
                       stream_id_cmp(id, past.deleted) < 0;
    if (last > 0 || before_hole)
        return STREAM_READ_UNKNOWN;
    bool whole = stream_id_cmp(past.deleted, STREAM_FIRST) == 0 || stream_id_cmp(past.deleted, first) < 0;
    if (whole && stream_id_cmp(id, first) <= 0)
        return (int64_t)(past.added - count + (stream_id_cmp(id, first) == 0));
    return STREAM_READ_UNKNOWN;
}

void stream_group_reads(const call *c, const value *v, stream_group *g, stream_id id)
{
    stream_progress p = stream_group_progress(g);
    if (stream_id_cmp(id, p.last) <= 0)
        return;
    bool from_last = server_follows(c->server, RULE_HOLES_BEFORE_FIRST);
    bool known = p.read != STREAM_READ_UNKNOWN && !has_holes(c, v, from_last ? p.last : id) &&
                 (!from_last || stream_id_cmp(p.last, stream_first(v)) >= 0);
    if (known)
        p.read++;
    else if (stream_past_of(v).added)
        p.read = added_up_to(c, v, id);
    p.last = id;
    stream_group_set_progress(g, p);
}

reply stream_group_lag(const call *c, const value *v, const stream_group *g)
{
    stream_progress p = stream_group_progress(g);
    stream_past past = stream_past_of(v);
    bool fresh = server_follows(c->server, RULE_LAG_OF_NEWER);
    int64_t read = p.read;
    if (!past.added || (fresh && !value_count(v)))
        return reply_integer(0);
    if (fresh && stream_id_cmp(p.last, stream_first(v)) < 0 && stream_id_cmp(past.deleted, stream_first(v)) < 0)
        return reply_integer((int64_t)value_count(v));
    if (read == STREAM_READ_UNKNOWN || has_holes(c, v, p.last))
        read = added_up_to(c, v, p.last);
    return read == STREAM_READ_UNKNOWN ? reply_nil() : reply_integer((int64_t)(past.added - (uint64_t)read));
}

/* ---- consumers ---- */

static stream_consumer *consumer_add(const call *c, str key, value *v, stream_group *g, str name)
{
    stream_consumer *consumer = stream_consumer_add(v, g, name, store_now_ms(c->st));
    store_touch_unwatched(c->st);
    notify(c, NOTIFY_STREAM, "xgroup-createconsumer", key);
    return consumer;
}

stream_consumer *stream_consumer_seen(const call *c, str key, value *v, stream_group *g, str name)
{
    stream_consumer *consumer = stream_consumer_find(g, name);
    if (!consumer)
        return consumer_add(c, key, v, g, name);
    if (consumer->seen_ms != store_now_ms(c->st))
        store_touch_unwatched(c->st);
    consumer->seen_ms = store_now_ms(c->st);
    return consumer;
}

/* ---- XGROUP subcommand key group ... ---- */

typedef struct {
    bool make_stream;
    int64_t read;
} group_options;

static reply bad_subcommand(const call *c)
{
    return reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                    "XGROUP HELP.", STR_ARG(c->argv[1])));
}

/* [MKSTREAM] [ENTRIESREAD n] from argv[5] on. */
static bool parse_options(const call *c, bool creates, group_options *o, reply *r)
{
    *o = (group_options){ .read = STREAM_READ_UNKNOWN };
    for (size_t i = 5; i < c->argc; i++) {
        if (creates && arg_is(c, i, S("mkstream"))) {
            o->make_stream = true;
            continue;
        }
        if (!arg_is(c, i, S("entriesread")) || i + 1 == c->argc)
            return *r = bad_subcommand(c), false;
        if (!parse_int(c->argv[++i], &o->read))
            return *r = reply_not_integer(), false;
        if (o->read < 0 && o->read != STREAM_READ_UNKNOWN)
            return *r = reply_error(S("ERR value for ENTRIESREAD must be positive or -1")), false;
    }
    return true;
}

/* The stream at argv[2], which must be there. */
static bool find_stream(const call *c, value **v, reply *r)
{
    if (!find_kind(c, c->argv[2], VALUE_STREAM, v, r))
        return false;
    if (!*v)
        *r = reply_error(S("ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to "
                           "use the MKSTREAM option to create an empty stream automatically."));
    return *v;
}

/* And the group at argv[3]. */
static bool find_group(const call *c, value **v, stream_group **g, reply *r)
{
    if (!find_stream(c, v, r))
        return false;
    *g = stream_group_find(*v, c->argv[3]);
    if (!*g)
        *r = reply_error_naming(c, "NOGROUP No such consumer group '%' for key name '%'", c->argv[3], c->argv[2]);
    return *g;
}

static reply cmd_create(const call *c)
{
    group_options o;
    reply r;
    value *v;
    stream_progress p;
    if (!parse_options(c, true, &o, &r))
        return r;
    if (o.make_stream ? !find_kind(c, c->argv[2], VALUE_STREAM, &v, &r) : !find_stream(c, &v, &r))
        return r;
    if (c->argc > 8)
        return bad_subcommand(c);
    p = (stream_progress){ .last = v ? stream_last(v) : STREAM_FIRST, .read = o.read };
    if (!word_is_char(c->argv[4], '$') && !stream_parse_id(c, c->argv[4], 0, &p.last, NULL))
        return stream_bad_id();
    if (!v && find_or_create(c, c->argv[2], VALUE_STREAM, &v, &r))
        store_touch(c->st, c->db, c->argv[2]);
    if (stream_group_find(v, c->argv[3]))
        return reply_error(S("BUSYGROUP Consumer Group name already exists"));
    stream_group_add(v, c->argv[3], p);
    store_touch_unwatched(c->st);
    notify(c, NOTIFY_STREAM, "xgroup-create", c->argv[2]);
    return reply_ok();
}

static reply cmd_setid(const call *c)
{
    group_options o;
    reply r;
    value *v;
    stream_group *g;
    if (!parse_options(c, false, &o, &r) || !find_group(c, &v, &g, &r))
        return r;
    if (c->argc != 5 && c->argc != 7)
        return bad_subcommand(c);
    stream_progress p = { .last = stream_last(v), .read = o.read };
    if (!word_is_char(c->argv[4], '$') && !stream_parse_any_id(c, c->argv[4], 0, &p.last))
        return stream_bad_id();
    stream_group_set_progress(g, p);
    store_touch_unwatched(c->st);
    notify(c, NOTIFY_STREAM, "xgroup-setid", c->argv[2]);
    return reply_ok();
}

/* Those who wait for its entries are told. */
static reply cmd_destroy(const call *c)
{
    value *v;
    reply r;
    if (!find_stream(c, &v, &r))
        return r;
    stream_group *g = stream_group_find(v, c->argv[3]);
    if (!g)
        return reply_integer(0);
    stream_group_remove(v, g);
    store_touch_unwatched(c->st);
    notify(c, NOTIFY_STREAM, "xgroup-destroy", c->argv[2]);
    waiting_key_added(c->server, c->db, c->argv[2], VALUE_STREAM);
    return reply_integer(1);
}

static reply cmd_createconsumer(const call *c)
{
    value *v;
    stream_group *g;
    reply r;
    if (!find_group(c, &v, &g, &r))
        return r;
    if (stream_consumer_find(g, c->argv[4]))
        return reply_integer(0);
    consumer_add(c, c->argv[2], v, g, c->argv[4]);
    return reply_integer(1);
}

/* Answers how many entries were pending for it: they are nobody's now. */
static reply cmd_delconsumer(const call *c)
{
    value *v;
    stream_group *g;
    reply r;
    if (!find_group(c, &v, &g, &r))
        return r;
    stream_consumer *consumer = stream_consumer_find(g, c->argv[4]);
    if (!consumer)
        return reply_integer(0);
    int64_t pending = (int64_t)consumer->pending;
    stream_consumer_remove(v, g, consumer);
    store_touch_unwatched(c->st);
    notify(c, NOTIFY_STREAM, "xgroup-delconsumer", c->argv[2]);
    return reply_integer(pending);
}

/* XACK key group id [id ...] */
static reply cmd_xack(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_STREAM, &v, &r))
        return r;
    stream_group *g = v ? stream_group_find(v, c->argv[2]) : NULL;
    if (!g)
        return reply_integer(0);                   /* whatever the ids are */
    stream_id *ids = ARENA_ARRAY(c->out, stream_id, c->argc);
    for (size_t i = 3; i < c->argc; i++)
        if (!stream_parse_id(c, c->argv[i], 0, &ids[i], NULL))
            return stream_bad_id();
    size_t before = stream_pendings(g);
    for (size_t i = 3; i < c->argc; i++)
        stream_pending_remove(v, g, ids[i]);
    if (stream_pendings(g) < before)
        store_touch_unwatched(c->st);
    return reply_integer((int64_t)(before - stream_pendings(g)));
}

const command commands_stream_group[] = {
    { .name = "xgroup", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "xgroup|create", -5, CMD_WRITE | CMD_DENYOOM, 2, 2, 1, cmd_create },
    { .name = "xgroup|createconsumer", 5, CMD_WRITE | CMD_DENYOOM, 2, 2, 1, cmd_createconsumer },
    { .name = "xgroup|delconsumer", 5, CMD_WRITE, 2, 2, 1, cmd_delconsumer },
    { .name = "xgroup|destroy", 4, CMD_WRITE, 2, 2, 1, cmd_destroy },
    { .name = "xgroup|setid", -5, CMD_WRITE, 2, 2, 1, cmd_setid },
    { .name = "xack", -4, CMD_WRITE, 1, 1, 1, cmd_xack },
    { .name = NULL },
};
