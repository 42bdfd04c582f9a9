/* cluster.c - a client's view of a cluster: keys have slots, one request names keys of one slot, and a slot may move to
 * another node. There is one keyspace, as for a client that follows MOVED and ASK, which every client library for
 * clusters does. Of a moving slot such a client sees TRYAGAIN and a node that does not know its scripts. Source:
 * redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec; tests/conformance/cluster.sh asks real nodes. */
#include "redis/server.h"

#include <string.h>

unsigned redis_key_slot(str key)
{
    size_t open = str_find(key, '{', 0);
    size_t close = open < key.n ? str_find(key, '}', open + 1) : key.n;
    if (close < key.n && close > open + 1)
        key = str_slice(key, open + 1, close);
    unsigned crc = 0;
    for (size_t i = 0; i < key.n; i++) {
        crc ^= (unsigned)(unsigned char)key.p[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1 & 0xffff;
    }
    return crc & 16383;
}

void cluster_note_key(void *context, str key)
{
    keys_named *k = context;
    int slot = (int)redis_key_slot(key);
    if (k->count == 0) {
        k->first = key;
        k->slot = slot;
        k->count = 1;
        return;
    }
    if (slot != k->slot && !k->crosses) {
        k->crosses = true;
        k->other = key;
    }
    k->count += k->count == 1 && !str_eq(k->first, key);
}

static keys_named keys_of(const redis *r, const str *argv, size_t argc)
{
    keys_named k = { .slot = -1 };
    server_each_key(r, argv, argc, cluster_note_key, &k);
    return k;
}

/* Several keys, of which some are here, there, or nowhere yet; or a script that the slot's next node never saw. */
static bool moving_shows(const keys_named *k, str name)
{
    return k->count > 1 || (k->count == 1 && str_starts_nocase(name, S("EVALSHA")));
}

bool redis_shows_moving(const redis *r, const str *argv, size_t argc)
{
    keys_named k = keys_of(r, argv, argc);
    return argc > 0 && !k.crosses && moving_shows(&k, argv[0]);
}

void redis_slot_moves(redis *r, bool yes)
{
    r->slot_moves = yes;
}

static reply cross_slot(const redis *r, str key)
{
    if (r->observer.finding)
        r->observer.finding(r->observer.context, FINDING_CROSS_SLOT, S(""), 0, key);
    return reply_error(S("CROSSSLOT Keys in request don't hash to the same slot"));
}

bool cluster_refuses(const redis *r, const redis_conn *conn, const command *cmd, const str *argv, size_t argc,
                     reply *why)
{
    if (r->limits.cluster != CLUSTER_YES)
        return false;
    keys_named k = { .slot = -1 };
    if (cmd->flags & CMD_EXEC)
        transaction_each_key(r, conn, cluster_note_key, &k);
    else
        server_each_key(r, argv, argc, cluster_note_key, &k);
    if (k.crosses) {
        *why = cross_slot(r, k.other);
        return true;
    }
    if (!r->slot_moves || !moving_shows(&k, argv[0]) || cmd->flags & CMD_EXEC)
        return false;
    if (k.count == 1 && transaction_open(conn))
        return false;                              /* queued, it is not looked up yet */
    *why = reply_error(k.count > 1 ? S("TRYAGAIN Multiple keys request during rehashing of slot")
                       : str_from(server_say(r, WORDS_NOSCRIPT)));
    return true;
}

bool cluster_refuses_in_script(const redis *r, int slot, const command *cmd, const call *c, reply *why)
{
    if (r->limits.cluster != CLUSTER_YES)
        return false;
    keys_named k = keys_of(r, c->argv, c->argc);
    if (k.count == 0 || (k.slot == slot && !k.crosses))
        return false;
    if (k.crosses && server_follows(r, RULE_CROSS_SLOT_NAMED) && !server_follows(r, RULE_CLUSTER_FIRST))
        *why = reply_error(arena_printf(c->out, "ERR Command '%s' in script attempted to access keys that don't hash "
                                        "to the same slot", cmd->name));
    else
        *why = reply_error(str_from(server_say(r, WORDS_NOT_LOCAL)));
    return true;
}

/* CLUSTER KEYSLOT key */
static reply cmd_keyslot(const call *c)
{
    return reply_integer((int64_t)redis_key_slot(c->argv[2]));
}

static reply cmd_keyslot_in_cluster(const call *c)
{
    return c->server->limits.cluster == CLUSTER_YES ? cmd_keyslot(c)
           : reply_error(S("ERR This instance has cluster support disabled"));
}

const command commands_cluster[] = {
    { .name = "cluster", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "cluster|keyslot", 3, 0, 0, 0, 0, cmd_keyslot_in_cluster, .until = { DIALECT_NEVER, 901 } },
    { .name = "cluster|keyslot", 3, 0, 0, 0, 0, cmd_keyslot, .since = VALKEY_ONLY(9, 1) },
    { .name = NULL },
};
