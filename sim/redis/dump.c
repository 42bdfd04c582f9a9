/* dump.c - DUMP and RESTORE, where clients reach the server from outside: a value as one text, in the format of
 * Redis's own files. A real server of the dialect takes what DUMP writes, and RESTORE (restore.c) what a real one
 * writes; collections are written element by element, whereas a real server writes small ones as they lie in its
 * memory. Source: rdb's published format; real servers (tests/conformance/dumps.c). */
#include <string.h>

#include "redis/collection.h"
#include "redis/dump.h"
#include "redis/payload.h"
#include "redis/server.h"

/* A short integer is written as one, as real servers do. */
static void add_text(buf *out, str text)
{
    enum { DIGITS_MAX = 11, INTEGER_8 = 0xC0, INTEGER_16 = 0xC1, INTEGER_32 = 0xC2 };
    int64_t n;
    if (text.n > DIGITS_MAX || !parse_int(text, &n) || n < INT32_MIN || n > INT32_MAX) {
        payload_add_text(out, text);
        return;
    }
    int bytes = n >= INT8_MIN && n <= INT8_MAX ? 1 : n >= INT16_MIN && n <= INT16_MAX ? 2 : 4;
    buf_byte(out, (char)(bytes == 1 ? INTEGER_8 : bytes == 2 ? INTEGER_16 : INTEGER_32));
    payload_add_low_first(out, (uint64_t)n, bytes);
}

/* Valkey writes each deadline behind its field; Redis the earliest first, and each as what it is later, and one. */
static void add_dated_hash(buf *out, const value *v, bool valkey)
{
    int64_t first = INT64_MAX;
    for (const hash_field *f = NULL; (f = hash_next(v, f));)
        if (hash_field_deadline_ms(f) != FIELD_NO_DEADLINE && hash_field_deadline_ms(f) < first)
            first = hash_field_deadline_ms(f);
    buf_byte(out, valkey ? DUMP_HASH_DATED_VALKEY : DUMP_HASH_DATED);
    if (!valkey)
        payload_add_low_first(out, (uint64_t)first, 8);
    payload_add_length(out, value_count(v));
    for (const hash_field *f = NULL; (f = hash_next(v, f));) {
        int64_t at_ms = hash_field_deadline_ms(f);
        bool dated = at_ms != FIELD_NO_DEADLINE;
        if (!valkey)
            payload_add_length(out, dated ? (uint64_t)(at_ms - first) + 1 : 0);
        add_text(out, hash_field_name(f));
        add_text(out, hash_field_text(f));
        if (valkey)
            payload_add_low_first(out, dated ? (uint64_t)at_ms : UINT64_MAX, 8);
    }
}

static void add_hash(buf *out, const value *v, bool valkey)
{
    if (hash_dated(v)) {
        add_dated_hash(out, v, valkey);
        return;
    }
    buf_byte(out, DUMP_HASH);
    payload_add_length(out, value_count(v));
    for (const hash_field *f = NULL; (f = hash_next(v, f));) {
        add_text(out, hash_field_name(f));
        add_text(out, hash_field_text(f));
    }
}

/* From the highest score down, as real servers do: their skip lists are built fastest so. */
static void add_zset(buf *out, const value *v)
{
    buf_byte(out, DUMP_ZSET);
    payload_add_length(out, value_count(v));
    for (size_t i = value_count(v); i-- > 0;) {
        double score;
        uint64_t bits;
        add_text(out, zset_at(v, i, &score));
        memcpy(&bits, &score, sizeof bits);
        payload_add_low_first(out, bits, 8);
    }
}

bool dump_value(dialect d, buf *out, const value *v)
{
    switch (value_kind_of(v)) {
    case VALUE_STRING:
        buf_byte(out, DUMP_STRING);
        add_text(out, value_string(v));
        return true;
    case VALUE_LIST: case VALUE_SET:
        buf_byte(out, value_kind_of(v) == VALUE_LIST ? DUMP_LIST : DUMP_SET);
        payload_add_length(out, value_count(v));
        for (size_t i = 0; i < value_count(v); i++)
            add_text(out, value_kind_of(v) == VALUE_LIST ? list_at(v, i) : set_at(v, i));
        return true;
    case VALUE_HASH:
        add_hash(out, v, d.lineage == LINEAGE_VALKEY);
        return true;
    case VALUE_ZSET:
        add_zset(out, v);
        return true;
    case VALUE_STREAM: break;
    }
    return false;
}

static reply cmd_dump(const call *c)
{
    const value *v = store_find(c->st, c->db, c->argv[1]);
    if (!v)
        return reply_nil();
    buf b = { 0 };
    reply r = reply_error(S("ERR locksim refuses 'dump': it writes no streams"));
    if (dump_value(c->server->dialect, &b, v)) {
        payload_end(c->server->dialect, &b);
        r = reply_bulk(arena_str(c->out, buf_str(&b)));
    }
    buf_free(&b);
    return r;
}

/* ---- RESTORE ---- */

typedef struct {
    bool replace, absolute;
    int64_t idle_s, frequency;                     /* -1: not given */
    int64_t ttl_ms;
} restore_args;

static bool parse(const call *c, restore_args *a, reply *r)
{
    *a = (restore_args){ .idle_s = -1, .frequency = -1 };
    for (size_t i = 4; i < c->argc; i++) {
        bool more = i + 1 < c->argc;
        if (arg_is(c, i, S("replace"))) {
            a->replace = true;
        } else if (arg_is(c, i, S("absttl"))) {
            a->absolute = true;
        } else if (arg_is(c, i, S("idletime")) && more && a->frequency < 0) {
            if (!parse_int(c->argv[++i], &a->idle_s))
                return *r = reply_not_integer(), false;
            if (a->idle_s < 0)
                return *r = reply_error(S("ERR Invalid IDLETIME value, must be >= 0")), false;
        } else if (arg_is(c, i, S("freq")) && more && a->idle_s < 0) {
            if (!parse_int(c->argv[++i], &a->frequency))
                return *r = reply_not_integer(), false;
            if (a->frequency < 0 || a->frequency > 255)
                return *r = reply_error(S("ERR Invalid FREQ value, must be >= 0 and <= 255")), false;
        } else {
            return *r = reply_syntax(), false;
        }
    }
    return true;
}

static bool time_ok(const call *c, restore_args *a, reply *r)
{
    if (!parse_int(c->argv[2], &a->ttl_ms))
        return *r = reply_not_integer(), false;
    if (a->ttl_ms < 0)
        return *r = reply_error(S("ERR Invalid TTL value, must be >= 0")), false;
    return true;
}

/* The key gets the value, unless its time is over already. */
static reply put(const call *c, const restore_args *a, value *v)
{
    str key = c->argv[1];
    int64_t now_ms = store_now_ms(c->st);
    int64_t from_ms = a->absolute ? 0 : now_ms, at_ms = STORE_NO_DEADLINE;
    if (a->ttl_ms)
        at_ms = a->ttl_ms > INT64_MAX - from_ms ? INT64_MAX : from_ms + a->ttl_ms;
    bool was = a->replace && store_del(c->st, c->db, key);
    if (at_ms != STORE_NO_DEADLINE && at_ms < now_ms) {
        if (was)
            notify(c, NOTIFY_GENERIC, "del", key);
        value_free(v);
        return reply_ok();
    }
    bool dated = value_kind_of(v) == VALUE_HASH && hash_dated(v);
    store_put(c->st, c->db, key, v, false);
    if (dated)
        store_note_dated(c->st);
    if (at_ms != STORE_NO_DEADLINE)
        store_set_deadline(c->st, c->db, key, at_ms);
    if (a->idle_s >= 0)
        store_set_used(c->st, c->db, key, now_ms - (a->idle_s < now_ms / 1000 ? a->idle_s * 1000 : now_ms));
    notify(c, NOTIFY_GENERIC, "restore", key);
    return reply_ok();
}

/* RESTORE key ttl payload [REPLACE] [ABSTTL] [IDLETIME s] [FREQ n] */
static reply cmd_restore(const call *c)
{
    restore_args a;
    reply r;
    if (!parse(c, &a, &r))
        return r;
    if (!a.replace && store_find(c->st, c->db, c->argv[1]))
        return reply_error(S("BUSYKEY Target key name already exists."));
    if (!time_ok(c, &a, &r))
        return r;
    if (!payload_is_whole(c->server->dialect, c->argv[3]))
        return reply_error(S("ERR DUMP payload version or checksum are wrong"));
    value *v;
    bool in_order = server_follows(c->server, RULE_FIELDS_GO_WHEN_SEEN);
    switch (dump_read(c->server->dialect, c->argv[3], c->out, in_order, &v)) {
    case DUMP_READ: return put(c, &a, v);
    case DUMP_UNKNOWN: return reply_error(S("ERR locksim refuses 'restore': it reads no streams, and no values as "
                                            "files "
                                            "before Redis 7.0 have them"));
    case DUMP_BAD: break;
    }
    return reply_error(S("ERR Bad data format"));
}

const command commands_dump[] = {
    { .name = "dump", 2, CMD_HOSTED | CMD_READONLY, 1, 1, 1, cmd_dump },
    { .name = "restore", -4, CMD_HOSTED | CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_restore },
    { .name = "restore-asking", -4, CMD_HOSTED | CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_restore },
    { .name = NULL },
};
