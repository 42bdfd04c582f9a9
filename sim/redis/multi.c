/* multi.c - transactions: commands queued by MULTI run as one at EXEC, unless a watched key has changed. */
#include <assert.h>
#include <string.h>

#include "base/codec.h"
#include "base/mem.h"
#include "redis/server.h"

typedef struct {
    const command *cmd;
    str *argv;                     /* one block with its texts */
    size_t argc;
} queued;

typedef struct {
    int db;
    str key;                       /* own block */
    store_mark mark;
} watch;

struct transaction {
    bool open, spoiled;
    bool touched;                  /* thawed: a watched key had changed before; `watches` need not have it */
    queued *at;
    size_t count, cap;
    watch *watches;
    size_t watches_count, watches_cap;
};

static transaction *transaction_of(redis_conn *conn)
{
    if (!conn->multi)
        conn->multi = mem_zero(sizeof *conn->multi);
    return conn->multi;
}

void transaction_each_key(const redis *r, const redis_conn *conn, void (*fn)(void *context, str key), void *context)
{
    for (size_t i = 0; conn->multi && i < conn->multi->count; i++)
        server_each_key(r, conn->multi->at[i].argv, conn->multi->at[i].argc, fn, context);
}

static bool holds(const redis_conn *conn, unsigned flag)
{
    for (size_t i = 0; conn->multi && i < conn->multi->count; i++)
        if (conn->multi->at[i].cmd->flags & flag)
            return true;
    return false;
}

bool transaction_needs_memory(const redis_conn *conn) { return holds(conn, CMD_DENYOOM); }
bool transaction_has_writes(const redis_conn *conn) { return holds(conn, CMD_WRITE); }

size_t transaction_watches(const redis_conn *conn) { return conn->multi ? conn->multi->watches_count : 0; }

bool transaction_open(const redis_conn *conn)
{
    return conn->multi && conn->multi->open;
}

bool redis_conn_remembers(const redis_conn *conn)
{
    const transaction *t = conn->multi;
    return conn->db != 0 || (t && (t->open || t->touched || t->watches_count > 0));
}

bool redis_command_remembers(str name)
{
    return str_eq_nocase(name, S("MULTI")) || str_eq_nocase(name, S("WATCH")) || str_eq_nocase(name, S("SELECT"));
}

int64_t redis_conn_queued(const redis_conn *conn)
{
    return transaction_length(conn);
}

int64_t transaction_length(const redis_conn *conn)
{
    return transaction_open(conn) ? (int64_t)conn->multi->count : -1;
}

void transaction_spoil(redis_conn *conn)
{
    if (transaction_open(conn))
        conn->multi->spoiled = true;
}

void transaction_queue(redis_conn *conn, const command *cmd, const str *argv, size_t argc)
{
    transaction *t = transaction_of(conn);
    queued q = { .cmd = cmd, .argv = argv_copy(argv, argc), .argc = argc };
    MEM_RESERVE(t->at, t->cap, t->count + 1);
    t->at[t->count++] = q;
}

static void unwatch_all(redis *r, transaction *t)
{
    for (size_t i = 0; i < t->watches_count; i++) {
        watch *w = &t->watches[i];
        store_unwatch(r->st, w->db, w->key);
        mem_free((char *)w->key.p);
    }
    t->watches_count = 0;
    t->touched = false;
}

static bool is_touched(redis *r, const transaction *t)
{
    bool changed = t->touched;
    for (size_t i = 0; i < t->watches_count; i++)
        changed |= store_changed_since(r->st, t->watches[i].db, t->watches[i].key, &t->watches[i].mark);
    return changed;
}

void transaction_reset(redis *r, redis_conn *conn)
{
    transaction *t = conn->multi;
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++)
        mem_free(t->at[i].argv);
    t->count = 0;
    t->open = t->spoiled = false;
    unwatch_all(r, t);
}

void transaction_free(redis *r, redis_conn *conn)
{
    transaction *t = conn->multi;
    if (!t)
        return;
    transaction_reset(r, conn);
    mem_free(t->at);
    mem_free(t->watches);
    mem_free(t);
    conn->multi = NULL;
}

static reply cmd_multi(const call *c)
{
    transaction *t = transaction_of(c->conn);
    if (t->open)
        return reply_error(S("ERR MULTI calls can not be nested"));
    t->open = true;
    return reply_ok();
}

static reply cmd_discard(const call *c)
{
    if (!transaction_open(c->conn))
        return reply_error(S("ERR DISCARD without MULTI"));
    transaction_reset(c->server, c->conn);
    return reply_ok();
}

static bool is_muted(const client_facts *f) { return f->silent || f->skip == 1; }

/* The real server sends in sequence: the number of answers, then each of them; CLIENT REPLY may silence some or all. */
static reply run_queued(const call *c, const transaction *t)
{
    client_facts *client = &c->conn->client;
    const int protocol = client->resp;
    const bool counted = !is_muted(client);
    bool said = counted, changed = false;
    reply all = reply_items(c->out, REPLY_ARRAY, t->count);
    c->conn->in_exec = true;
    for (size_t i = 0; i < t->count; i++) {
        c->conn->exec_done = i;
        all.items[i] = server_run(c->server, c->conn, t->at[i].cmd, t->at[i].argv, t->at[i].argc, c->out);
        if (c->server->outbox_count)
            server_deliver(c->server);
        bool confirms = all.items[i].push || (all.items[i].several && all.items[i].count && all.items[i].items[0].push);
        if (is_muted(client) && !confirms)           /* counted, and not there */
            all.items[i] = (reply){ .kind = REPLY_ARRAY, .several = true };
        said |= !is_muted(client) || confirms;
        all.items[i].protocol = (uint8_t)client->resp;
        changed |= client->resp != protocol;
    }
    for (size_t i = 0; i < t->count && !changed; i++)
        all.items[i].protocol = 0;                 /* no HELLO was sent: the encoder knows the protocol */
    c->conn->in_exec = false;
    all.several = !counted;
    client->silent_next = said && client->silent;
    client->silent &= !said;
    return all;
}

static reply cmd_exec(const call *c)
{
    transaction *t = c->conn->multi;
    if (!transaction_open(c->conn))
        return reply_error(S("ERR EXEC without MULTI"));
    bool spoiled = t->spoiled;
    if (spoiled || is_touched(c->server, t)) {
        transaction_reset(c->server, c->conn);
        return spoiled ? reply_error(S("EXECABORT Transaction discarded because of previous errors."))
               : reply_nil_array();
    }
    unwatch_all(c->server, t);
    t->open = false;                               /* what runs now is not queued again */
    reply all = run_queued(c, t);
    transaction_reset(c->server, c->conn);
    return all;
}

bool transaction_writes(const redis_conn *conn)
{
    bool writes = false;
    for (size_t i = 0; conn->multi && conn->multi->open && i < conn->multi->count; i++)
        writes |= conn->multi->at[i].cmd->flags & (CMD_WRITE | CMD_MAY_REPLICATE | CMD_RUNS_OTHERS);
    return writes;
}

static bool already_watched(const transaction *t, int db, str key)
{
    for (size_t i = 0; i < t->watches_count; i++) {
        if (t->watches[i].db == db && str_eq(t->watches[i].key, key))
            return true;
    }
    return false;
}

static void watch_key(redis *r, transaction *t, int db, str key)
{
    char *own = mem_alloc(key.n + 1);
    if (key.n)
        memcpy(own, key.p, key.n);
    MEM_RESERVE(t->watches, t->watches_cap, t->watches_count + 1);
    t->watches[t->watches_count++] = (watch){ .db = db, .key = { own, key.n }, .mark = store_watch(r->st, db, key) };
}

static reply cmd_watch(const call *c)
{
    transaction *t = transaction_of(c->conn);
    if (t->open)
        return reply_error(S("ERR WATCH inside MULTI is not allowed"));
    for (size_t i = 1; i < c->argc; i++)
        if (!already_watched(t, c->db, c->argv[i]))
            watch_key(c->server, t, c->db, c->argv[i]);
    return reply_ok();
}

static reply cmd_unwatch(const call *c)
{
    if (c->conn->multi)
        unwatch_all(c->server, c->conn->multi);
    return reply_ok();
}

static reply cmd_quit(const call *c)
{
    transaction_reset(c->server, c->conn);
    pubsub_leave(c->server, c->conn);
    tracking_leave(c->server, c->conn);
    c->conn->client.over = true;
    return reply_ok();
}

static reply cmd_reset(const call *c)
{
    transaction_reset(c->server, c->conn);
    pubsub_leave(c->server, c->conn);
    c->conn->db = 0;
    monitor_leave(c->server, c->conn);
    tracking_leave(c->server, c->conn);
    client_reset(&c->conn->client);
    return reply_status(S("RESET"));
}

/* ---- as bytes: per connection that remembers anything, by id: its id, database, bits (open, spoiled, touched),
 * watched keys, queued commands. A touched transaction fails whatever else it watches. ---- */

enum { BIT_OPEN = 1, BIT_SPOILED = 2, BIT_TOUCHED = 4 };

static void freeze_queue(const transaction *t, int64_t now_ms, buf *out)
{
    buf_u64(out, t->count);
    for (size_t i = 0; i < t->count; i++) {
        buf_u64(out, t->at[i].argc);
        for (size_t k = 0; k < t->at[i].argc; k++)
            word_freeze(t->at[i].argv[k], now_ms, out);
    }
}

static void freeze_connection(redis *r, const redis_conn *c, int64_t now_ms, buf *out)
{
    static const transaction none = { 0 };
    const transaction *t = c->multi ? c->multi : &none;
    bool touched = is_touched(r, t);
    size_t watches = touched ? 0 : t->watches_count;
    buf_u64(out, c->id);
    buf_u64(out, (uint64_t)c->db);
    buf_byte(out, (char)((t->open ? BIT_OPEN : 0) | (t->spoiled ? BIT_SPOILED : 0) | (touched ? BIT_TOUCHED : 0)));
    buf_u64(out, watches);
    for (size_t i = 0; i < watches; i++) {
        buf_u64(out, (uint64_t)t->watches[i].db);
        buf_lenstr(out, t->watches[i].key);
    }
    freeze_queue(t, now_ms, out);
}

void redis_freeze_transactions(redis *r, int64_t now_ms, buf *out)
{
    store_set_now(r->st, now_ms);
    uint64_t from = 0;     /* ids below it are written */
    for (const redis_conn *next;; from = (uint64_t)next->id + 1) {
        next = NULL;
        for (const redis_conn *c = r->conns; c; c = c->next)
            if (c->id >= from && (!next || c->id < next->id) && redis_conn_remembers(c))
                next = c;
        if (!next)
            return;
        freeze_connection(r, next, now_ms, out);
    }
}

static void thaw_queue(redis *r, redis_conn *conn, int64_t now_ms, str *frozen, arena *a)
{
    for (uint64_t left = take_u64(frozen); left > 0; left--) {
        size_t argc = take_u64(frozen);
        str *argv = ARENA_ARRAY(a, str, argc + 1);
        for (size_t i = 0; i < argc; i++)
            argv[i] = word_thaw(r, frozen, now_ms, a);
        reply why;
        const command *cmd = server_lookup(r, argv, argc, a, &why);
        assert(cmd);
        transaction_queue(conn, cmd, argv, argc);
    }
}

static void forget_all(redis *r)
{
    for (redis_conn *c = r->conns; c; c = c->next) {
        transaction_reset(r, c);
        c->db = 0;
    }
}

void redis_thaw_transactions(redis *r, int64_t now_ms, str frozen)
{
    forget_all(r);
    if (!frozen.n)
        return;
    arena *a = arena_new();
    store_set_now(r->st, now_ms);
    while (frozen.n > 0) {
        uint32_t id = renamed_connection(r->renamer, (uint32_t)take_u64(&frozen));
        redis_conn *known = redis_connection(r, id), *conn = known ? known : redis_connect(r, id);
        transaction *t = transaction_of(conn);
        conn->db = (int)take_u64(&frozen);
        unsigned bits = take_byte(&frozen);
        for (uint64_t left = take_u64(&frozen); left > 0; left--) {
            int db = (int)take_u64(&frozen);
            watch_key(r, t, db, renamed(r->renamer, take_lenstr(&frozen)));
        }
        thaw_queue(r, conn, now_ms, &frozen, a);
        t->open = bits & BIT_OPEN;
        t->spoiled = bits & BIT_SPOILED;
        t->touched = bits & BIT_TOUCHED;
    }
    arena_free(a);
}

void transactions_each_word(const redis *r, void (*fn)(void *context, str word), void *context)
{
    for (const redis_conn *c = r->conns; c; c = c->next)
        for (size_t i = 0; c->multi && i < c->multi->count; i++)
            for (size_t k = 0; k < c->multi->at[i].argc; k++)
                fn(context, c->multi->at[i].argv[k]);
}

const command commands_multi[] = {
    { .name = "multi", 1, CMD_ALLOW_BUSY | CMD_NOSCRIPT | CMD_NOT_QUEUED, 0, 0, 0, cmd_multi,
      .until = { DIALECT_NEVER, 801 } },
    { .name = "multi", 1, CMD_ALLOW_BUSY | CMD_NOSCRIPT | CMD_NOT_QUEUED | CMD_NO_MULTI, 0, 0, 0, cmd_multi,
      .since = VALKEY_ONLY(8, 1) },
    { .name = "exec", 1, CMD_NOSCRIPT | CMD_NOT_QUEUED | CMD_EXEC | CMD_RUNS_OTHERS, 0, 0, 0, cmd_exec },
    { .name = "discard", 1, CMD_ALLOW_BUSY | CMD_NOSCRIPT | CMD_NOT_QUEUED, 0, 0, 0, cmd_discard },
    { .name = "watch", -2, CMD_ALLOW_BUSY | CMD_NOSCRIPT | CMD_NOT_QUEUED, 1, -1, 1, cmd_watch,
      .until = { DIALECT_NEVER, 801 } },
    { .name = "watch", -2, CMD_ALLOW_BUSY | CMD_NOSCRIPT | CMD_NOT_QUEUED | CMD_NO_MULTI, 1, -1, 1, cmd_watch,
      .since = VALKEY_ONLY(8, 1) },
    { .name = "unwatch", 1, CMD_ALLOW_BUSY | CMD_NOSCRIPT, 0, 0, 0, cmd_unwatch },
    { .name = "quit", -1, CMD_ALLOW_BUSY | CMD_NOSCRIPT | CMD_NOT_QUEUED | CMD_PUBSUB_OK, 0, 0, 0, cmd_quit },
    { .name = "reset", 1, CMD_ALLOW_BUSY | CMD_NOSCRIPT | CMD_NOT_QUEUED | CMD_PUBSUB_OK, 0, 0, 0, cmd_reset },
    { .name = NULL },
};
