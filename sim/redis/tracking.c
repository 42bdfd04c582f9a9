/* tracking.c - CLIENT TRACKING: a connection is told when a key changes that it has read, or whose name begins as it
 * asked (BCAST). So clients keep copies of values, and some locks wait without asking again. Two tables, of the
 * server: key -> connections that read it since it last changed; prefix -> its connections and the keys that changed in
 * this turn. Facts: redis.io/docs, "Client-side caching reference"; real servers, by tests/conformance/sessions.c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/dict.h"
#include "redis/server.h"

/* Connections by id: one may be gone by the time it would be told. */
typedef struct {
    uint32_t *at;
    size_t count, cap;
} conn_ids;

typedef struct {
    UT_hash_handle hh;
    conn_ids readers;
    size_t n;
    char name[];
} read_key;

typedef struct {
    UT_hash_handle hh;
    uint32_t by;                   /* the connection that changed it last; 0: the server itself, or a script */
    size_t n;
    char name[];
} changed_key;

typedef struct {
    UT_hash_handle hh;
    conn_ids conns;
    changed_key *changed;
    size_t n;
    char name[];
} prefix;

struct tracking {
    read_key *keys;
    size_t items;                  /* readers of all keys */
    prefix *prefixes;              /* in the order of their bytes */
    size_t clients;                /* that track */
};

/* ---- sets of connections ---- */

static size_t ids_find(const conn_ids *ids, uint32_t id)
{
    size_t i = 0;
    while (i < ids->count && ids->at[i] != id)
        i++;
    return i;
}

static bool ids_add(conn_ids *ids, uint32_t id)
{
    if (ids_find(ids, id) < ids->count)
        return false;
    MEM_RESERVE(ids->at, ids->cap, ids->count + 1);
    ids->at[ids->count++] = id;
    return true;
}

static void ids_remove(conn_ids *ids, uint32_t id)
{
    size_t i = ids_find(ids, id);
    if (i < ids->count)
        memmove(ids->at + i, ids->at + i + 1, (--ids->count - i) * sizeof *ids->at);
}

/* ---- the tables ---- */

static void forget_key(struct tracking *t, read_key *k)
{
    t->items -= k->readers.count;
    HASH_DEL(t->keys, k);
    mem_free(k->readers.at);
    mem_free(k);
}

static void forget_keys(struct tracking *t)
{
    while (t->keys)
        forget_key(t, t->keys);
}

static void forget_changed(prefix *p)
{
    for (changed_key *k = p->changed; k; k = p->changed) {
        HASH_DEL(p->changed, k);
        mem_free(k);
    }
}

static void forget_prefix(struct tracking *t, prefix *p)
{
    forget_changed(p);
    HASH_DEL(t->prefixes, p);
    mem_free(p->conns.at);
    mem_free(p);
}

static int prefix_order(const prefix *x, const prefix *y)
{
    return str_cmp((str){ x->name, x->n }, (str){ y->name, y->n });
}

static prefix *prefix_of(struct tracking *t, str name)
{
    prefix *p = NULL;
    HASH_FIND(hh, t->prefixes, name.p, name.n, p);
    if (p)
        return p;
    p = mem_zero(sizeof *p + name.n);
    p->n = name.n;
    if (name.n)
        memcpy(p->name, name.p, name.n);
    HASH_ADD_KEYPTR_INORDER(hh, t->prefixes, p->name, p->n, p, prefix_order);
    return p;
}

void tracking_free(struct tracking *t)
{
    if (!t)
        return;
    forget_keys(t);
    while (t->prefixes)
        forget_prefix(t, t->prefixes);
    mem_free(t);
}

void tracking_leave(redis *r, redis_conn *conn)
{
    struct tracking *t = r->tracking;
    if (!conn->tracks.on)
        return;
    for (prefix *p = t->prefixes, *next; p; p = next) {
        next = p->hh.next;
        ids_remove(&p->conns, conn->id);
        if (!p->conns.count)
            forget_prefix(t, p);
    }
    t->clients--;
    conn->tracks = (client_tracks){ .on = false };
}

tracking_sums tracking_count(const redis *r)
{
    const struct tracking *t = r->tracking;
    return t ? (tracking_sums){ t->clients, HASH_COUNT(t->keys), t->items, HASH_COUNT(t->prefixes) }
             : (tracking_sums){ 0 };
}

/* ---- telling ---- */

static redis_conn *listener(const redis *r, int64_t id)
{
    redis_conn *k = id > 0 && id <= UINT32_MAX ? redis_connection(r, (uint32_t)id) : NULL;
    return k && !k->client.over ? k : NULL;
}

/* The keys, or nil for all of them, go to this connection or to the one that it names. Of what it brought about itself
 * it hears after the answer. */
static void tell(redis *r, redis_conn *conn, reply keys)
{
    const int64_t redirect = conn->tracks.redirect;
    redis_conn *to = redirect ? listener(r, redirect) : conn;
    reply lost[] = { reply_bulk(S("tracking-redir-broken")), reply_integer(redirect) };
    reply invalid[] = { reply_bulk(S("invalidate")), keys };
    reply message[] = { reply_bulk(S("message")), reply_bulk(S("__redis__:invalidate")), keys };
    reply what = { .kind = REPLY_ARRAY, .push = true, .items = lost, .count = COUNT(lost) };
    conn->tracks.broken |= !to;
    if (!to)
        to = conn;
    else if (to->client.resp > 2)
        what.items = invalid, what.count = COUNT(invalid);
    else if (redirect && to->subs_count)
        what.items = message, what.count = COUNT(message);
    if (to->client.resp > 2 || what.items == message)              /* else this protocol has no word for it */
        server_push(r, to->id, &what, conn == r->current);
}

/* A flush, to who tracks in this protocol. */
static reply all_keys(const redis_conn *conn)
{
    return (reply){ .kind = REPLY_NIL, .protocol = (uint8_t)conn->client.resp };
}

/* ---- keys that were read, and that change ---- */

typedef struct {
    redis *server;
    uint32_t conn;
} reading;

static void remember(void *context, str key)
{
    const reading *now = context;
    struct tracking *t = now->server->tracking;
    read_key *k = NULL;
    HASH_FIND(hh, t->keys, key.p, key.n, k);
    if (!k) {
        k = mem_zero(sizeof *k + key.n);
        k->n = key.n;
        if (key.n)
            memcpy(k->name, key.p, key.n);
        HASH_ADD_KEYPTR(hh, t->keys, k->name, k->n, k);
    }
    t->items += ids_add(&k->readers, now->conn);
}

void tracking_read(redis *r, const redis_conn *conn, const command *cmd, const str *argv, size_t argc)
{
    const client_tracks *f = &conn->tracks;
    bool script = str_starts(str_from(cmd->name), S("eval")) || str_starts(str_from(cmd->name), S("fcall"));
    bool wanted = f->optin ? f->caching : !(f->optout && f->caching);
    if (!f->on || f->bcast || !(cmd->flags & CMD_READONLY) || script || !wanted)
        return;
    server_each_key(r, argv, argc, remember, &(reading){ r, conn->id });
}

static void tell_readers(redis *r, read_key *k)
{
    reply key = reply_bulk((str){ k->name, k->n });
    for (size_t i = 0; i < k->readers.count; i++) {
        redis_conn *conn = listener(r, k->readers.at[i]);
        if (conn && conn->tracks.on && !conn->tracks.bcast && !(conn->tracks.noloop && conn == r->current))
            tell(r, conn, (reply){ .kind = REPLY_ARRAY, .items = &key, .count = 1 });
    }
    forget_key(r->tracking, k);
}

/* The last one who changes a key in this turn counts as who did. */
static void note_changed(prefix *p, str key, uint32_t by)
{
    changed_key *k = NULL;
    HASH_FIND(hh, p->changed, key.p, key.n, k);
    if (!k) {
        k = mem_zero(sizeof *k + key.n);
        k->n = key.n;
        if (key.n)
            memcpy(k->name, key.p, key.n);
        HASH_ADD_KEYPTR(hh, p->changed, k->name, k->n, k);
    }
    k->by = by;
}

static void key_changed(void *server, int db, str key, bool by_client)
{
    redis *r = server;
    (void)db;                                      /* the tables do not know databases */
    for (prefix *p = r->tracking->prefixes; p; p = p->hh.next)
        if (str_starts(key, (str){ p->name, p->n }))
            note_changed(p, key, by_client && r->current && !r->in_script ? r->current->id : 0);
    read_key *k = NULL;
    HASH_FIND(hh, r->tracking->keys, key.p, key.n, k);
    if (k)
        tell_readers(r, k);
}

void tracking_flushed(redis *r)
{
    struct tracking *t = r->tracking;
    if (!t)
        return;
    for (redis_conn *k = r->conns; k; k = k->next)
        if (k->tracks.on && !k->client.over)
            tell(r, k, all_keys(k));
    forget_keys(t);
}

/* ---- the end of a turn ---- */

static int by_name(const void *x, const void *y)
{
    return str_cmp(((const reply *)x)->text, ((const reply *)y)->text);
}

/* To each connection of the prefix the keys that changed, by name, but for its own where it wants none of them. */
static void tell_prefix(redis *r, prefix *p)
{
    reply *changed = mem_alloc(HASH_COUNT(p->changed) * sizeof *changed);
    for (size_t i = 0; i < p->conns.count; i++) {
        redis_conn *conn = listener(r, p->conns.at[i]);
        size_t n = 0;
        for (changed_key *k = p->changed; k; k = k->hh.next)
            if (conn && !(conn->tracks.noloop && k->by == conn->id))
                changed[n++] = reply_bulk((str){ k->name, k->n });
        qsort(changed, n, sizeof *changed, by_name);
        if (n)
            tell(r, conn, (reply){ .kind = REPLY_ARRAY, .items = changed, .count = n });
    }
    mem_free(changed);
    forget_changed(p);
}

/* The oldest keys go when there are too many: their readers are told as if they had changed. */
static void keep_within_limit(redis *r)
{
    const char *limit = settings_value(r, "tracking-table-max-keys");
    size_t most = limit ? strtoull(limit, NULL, 10) : 0;
    while (most && HASH_COUNT(r->tracking->keys) > most)
        tell_readers(r, r->tracking->keys);
}

void redis_turn_ends(redis *r)
{
    struct tracking *t = r->tracking;
    if (!t || r->running)
        return;
    keep_within_limit(r);
    for (prefix *p = t->prefixes; p; p = p->hh.next)
        if (p->changed)
            tell_prefix(r, p);
    server_deliver(r);
}

/* ---- CLIENT TRACKING, CACHING, TRACKINGINFO, GETREDIR ---- */

typedef struct {
    client_tracks want;
    reply *prefixes;
    size_t n;
} options;

static bool options_parse(const call *c, options *o, reply *why)
{
    o->prefixes = ARENA_ARRAY(c->out, reply, c->argc);
    for (size_t i = 3; i < c->argc; i++) {
        bool more = i + 1 < c->argc;
        if (arg_is(c, i, S("redirect")) && more) {
            if (o->want.redirect)
                return *why = reply_error(S("ERR A client can only redirect to a single other client")), false;
            if (!parse_int(c->argv[++i], &o->want.redirect))
                return *why = reply_not_integer(), false;
            if (!listener(c->server, o->want.redirect))
                return *why = reply_error(S("ERR The client ID you want redirect to does not exist")), false;
        } else if (arg_is(c, i, S("bcast"))) {
            o->want.bcast = true;
        } else if (arg_is(c, i, S("optin"))) {
            o->want.optin = true;
        } else if (arg_is(c, i, S("optout"))) {
            o->want.optout = true;
        } else if (arg_is(c, i, S("noloop"))) {
            o->want.noloop = true;
        } else if (arg_is(c, i, S("prefix")) && more) {
            o->prefixes[o->n++] = reply_bulk(c->argv[++i]);
        } else {
            return *why = reply_syntax(), false;
        }
    }
    return true;
}

/* No, or why these do not go together, or with what is on already. */
static const char *options_clash(const client_tracks *is, const options *o)
{
    const client_tracks *want = &o->want;
    if (!want->bcast && o->n)
        return "ERR PREFIX option requires BCAST mode to be enabled";
    if (is->on && is->bcast != want->bcast)
        return "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling "
               "it with a different mode.";
    if (want->bcast && (want->optin || want->optout))
        return "ERR OPTIN and OPTOUT are not compatible with BCAST";
    if (want->optin && want->optout)
        return "ERR You can't specify both OPTIN mode and OPTOUT mode";
    if ((want->optin && is->optout) || (want->optout && is->optin))
        return "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling "
               "it with a different mode.";
    return NULL;
}

/* This connection's, in the order of their bytes. */
static reply prefixes_of(const call *c)
{
    const struct tracking *t = c->server->tracking;
    reply all = reply_items(c->out, REPLY_ARRAY, t ? HASH_COUNT(t->prefixes) : 0);
    size_t n = 0;
    for (const prefix *p = t ? t->prefixes : NULL; p; p = p->hh.next)
        if (ids_find(&p->conns, c->conn->id) < p->conns.count)
            all.items[n++] = reply_bulk(arena_str(c->out, (str){ p->name, p->n }));
    all.count = n;
    return all;
}

/* The first of them that overlaps with this one, or NULL. */
static const reply *overlapping(str name, const reply *prefixes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_starts(name, prefixes[i].text) || str_starts(prefixes[i].text, name))
            return &prefixes[i];
    return NULL;
}

static bool prefixes_ok(const call *c, const options *o, reply *why)
{
    const reply own = prefixes_of(c);
    for (size_t i = 0; i < o->n; i++) {
        str name = o->prefixes[i].text;
        const reply *there = overlapping(name, own.items, own.count), *other = there;
        if (!other)
            other = overlapping(name, o->prefixes + i + 1, o->n - i - 1);
        if (!other)
            continue;
        *why = reply_error(arena_printf(c->out, "ERR Prefix '%.*s' overlaps with %s prefix '%.*s'. Prefixes for a "
                                        "single client must not overlap.", STR_ARG(name),
                                        there ? "an existing" : "another provided", STR_ARG(other->text)));
        return false;
    }
    return true;
}

static void turn_on(const call *c, const options *o)
{
    redis *r = c->server;
    if (!r->tracking) {
        r->tracking = mem_zero(sizeof *r->tracking);
        store_tell_changes(r->st, key_changed);
    }
    r->tracking->clients += !c->conn->tracks.on;
    c->conn->tracks = o->want;
    c->conn->tracks.on = true;
    if (!o->want.bcast)
        return;
    for (size_t i = 0; i < o->n; i++)
        ids_add(&prefix_of(r->tracking, o->prefixes[i].text)->conns, c->conn->id);
    if (!o->n)
        ids_add(&prefix_of(r->tracking, S(""))->conns, c->conn->id);
}

static reply cmd_tracking(const call *c)
{
    options o = { .n = 0 };
    reply why;
    if (!options_parse(c, &o, &why))
        return why;
    if (arg_is(c, 2, S("off"))) {
        tracking_leave(c->server, c->conn);
        return reply_ok();
    }
    if (!arg_is(c, 2, S("on")))
        return reply_syntax();
    const char *clash = options_clash(&c->conn->tracks, &o);
    if (clash)
        return reply_error(str_from(clash));
    if (!prefixes_ok(c, &o, &why))
        return why;
    turn_on(c, &o);
    return reply_ok();
}

static reply cmd_caching(const call *c)
{
    client_tracks *f = &c->conn->tracks;
    if (!f->on)
        return reply_error(S("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
                             "OPTOUT mode enabled"));
    bool yes = arg_is(c, 2, S("yes"));
    if (!yes && !arg_is(c, 2, S("no")))
        return reply_syntax();
    if (yes && !f->optin)
        return reply_error(S("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."));
    if (!yes && !f->optout)
        return reply_error(S("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."));
    f->caching = true;
    return reply_ok();
}

/* CACHING is about the next command, or about the transaction that begins with it. */
void tracking_command_ends(redis_conn *conn, const command *cmd)
{
    if (conn->tracks.caching && !transaction_open(conn) && !(cmd && str_starts(str_from(cmd->name), S("client|"))))
        conn->tracks.caching = false;
}

int64_t tracking_redirect(const redis_conn *conn)
{
    return conn->tracks.on ? conn->tracks.redirect : -1;
}

static reply cmd_getredir(const call *c)
{
    return reply_integer(tracking_redirect(c->conn));
}

static reply flags_of(const call *c)
{
    const client_tracks *f = &c->conn->tracks;
    const struct { bool is; str name; } words[] = {
        { !f->on, { "off", 3 } }, { f->on, { "on", 2 } }, { f->bcast, { "bcast", 5 } }, { f->optin, { "optin", 5 } },
        { f->optin && f->caching, { "caching-yes", 11 } }, { f->optout, { "optout", 6 } },
        { f->optout && f->caching, { "caching-no", 10 } }, { f->noloop, { "noloop", 6 } },
        { f->broken, { "broken_redirect", 15 } },
    };
    reply all = reply_items(c->out, REPLY_SET, COUNT(words));
    size_t n = 0;
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].is)
            all.items[n++] = reply_bulk(words[i].name);
    all.count = n;
    return all;
}

static reply cmd_trackinginfo(const call *c)
{
    reply all = reply_items(c->out, REPLY_MAP, 6);
    all.items[0] = reply_bulk(S("flags"));
    all.items[1] = flags_of(c);
    all.items[2] = reply_bulk(S("redirect"));
    all.items[3] = reply_integer(tracking_redirect(c->conn));
    all.items[4] = reply_bulk(S("prefixes"));
    all.items[5] = prefixes_of(c);
    return all;
}

const command commands_tracking[] = {
    { .name = "client|getredir", 2, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_getredir },
    { .name = "client|tracking", -3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_tracking },
    { .name = "client|trackinginfo", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_trackinginfo },
    { .name = "client|caching", 3, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_caching },
    { .name = NULL },
};
