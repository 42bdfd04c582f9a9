/* server.c - one simulated server: a client's request is checked in Redis's order, run at a fixed instant, and
 * answered. */
#include "redis/server.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/codec.h"
#include "base/mem.h"
#include "redis/notify.h"

enum { RANDOM_STREAM = 0x72656469 };               /* this concern's own stream of the seed */
enum { STORE_BYTES_DEFAULT = 256 << 20, BUSY_AFTER_MS = 5000 };

static void key_added(void *server, int db, str key, value_kind kind)
{
    waiting_key_added(server, db, key, kind);
    notify_in(server, db, NOTIFY_NEW, "new", key);
}

static void key_expired(void *server, int db, str key)
{
    stats_expired(server);
    notify_in(server, db, NOTIFY_EXPIRED, "expired", key);
}

static void fields_expired(void *server, int db, str key, bool last)
{
    notify_in(server, db, NOTIFY_HASH, "hexpired", key);
    if (last)
        notify_in(server, db, NOTIFY_GENERIC, "del", key);
}

redis *redis_new_with(redis_limits limits, const script_engine *engine)
{
    redis *r = mem_zero(sizeof *r);
    r->st = store_new();
    r->limits = limits;
    r->dialect = dialect_or_default(limits.dialect);
    for (int i = 0; i < RULES; i++)
        r->rules[i] = dialect_follows(r->dialect, (dialect_rule)i);
    if (!r->limits.store_bytes)
        r->limits.store_bytes = STORE_BYTES_DEFAULT;
    r->engine = engine;
    r->scripts = engine->make(r, limits);
    r->channels = pubsub_new();
    r->outbox_arena = arena_new();
    r->events = limits.notify;
    store_tell(r->st, (store_news){ .context = r, .added = key_added, .removed = waiting_key_removed,
                                    .expired = key_expired, .fields_expired = fields_expired });
    r->settings = settings_new();
    settings_apply(r);
    r->paused_until_ms = INT64_MIN;
    r->busy_after_ms = BUSY_AFTER_MS;
    redis_seed(r, 0);
    return r;
}

void redis_free(redis *r)
{
    if (!r)
        return;
    while (r->conns)
        redis_disconnect(r, r->conns);
    r->engine->free(r->scripts);
    pubsub_free(r->channels);
    tracking_free(r->tracking);
    store_free(r->st);
    arena_free(r->outbox_arena);
    mem_free(r->outbox);
    mem_free(r->ready);
    settings_free(r->settings);
    stats_free(r->stats);
    slowlog_free(r->slow);
    mem_free(r);
}

dialect redis_dialect(const redis *r)
{
    return r->dialect;
}

void redis_seed(redis *r, uint64_t seed)
{
    r->random = rng_new(seed, RANDOM_STREAM);
}

void redis_set_acks(redis *r, int64_t acks)
{
    r->acks = acks;
}

uint64_t redis_script_calls(const redis *r)
{
    return r->script_calls;
}

uint64_t redis_writes(const redis *r)
{
    return store_writes(r->st);
}

void redis_host_by(redis *r, const redis_host *h)
{
    r->hosted = h != NULL;
    if (h && !r->stats)
        r->stats = stats_new(), r->slow = slowlog_new();
    r->host = h ? *h : (redis_host){ 0 };
}

void redis_observe(redis *r, const redis_observer *o)
{
    r->observer = o ? *o : (redis_observer){ 0 };
}

redis_conn *redis_connect(redis *r, uint32_t id)
{
    redis_conn *c = mem_zero(sizeof *c), *last = r->last_conn;
    c->id = id;
    c->client.resp = 2;
    stats_connected(r);
    r->last_conn = c;
    if (last)
        last->next = c;
    else
        r->conns = c;
    c->prev = last;
    return c;
}

redis_conn *redis_connection(const redis *r, uint32_t id)
{
    redis_conn *c = r->conns;
    while (c && c->id != id)
        c = c->next;
    return c;
}

void redis_disconnect(redis *r, redis_conn *c)
{
    assert(!r->running || r->busy);
    waiting_leave(r, c);
    pubsub_leave(r, c);
    tracking_leave(r, c);
    monitor_leave(r, c);
    transaction_free(r, c);
    if (c->prev)
        c->prev->next = c->next;
    else
        r->conns = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        r->last_conn = c->prev;
    mem_free(c->subs);
    client_free(&c->client);
    mem_free(c);
}

void server_acts(redis *r, int64_t now_ms)
{
    assert(!r->running);
    r->running = true;
    store_set_now(r->st, now_ms);
}

void server_acted(redis *r)
{
    server_deliver(r);
    if (r->ready_count)
        waiting_serve(r);
    r->running = false;
}

void redis_wipe(redis *r)
{
    store_clear(r->st, -1);
    r->engine->wipe(r->scripts);
    for (redis_conn *c = r->conns; c; c = c->next) {
        waiting_leave(r, c);
        pubsub_leave(r, c);
        transaction_reset(r, c);
        c->db = 0;
    }
}

void redis_freeze_random(const redis *r, buf *out)
{
    for (size_t i = 0; i < COUNT(r->random.s); i++)
        buf_u64(out, r->random.s[i]);
    buf_u64(out, r->engine->random(r->scripts));
}

void redis_thaw_random(redis *r, str frozen)
{
    uint64_t words[COUNT(r->random.s) + 1] = { 0 };
    assert(frozen.n == sizeof words);
    for (size_t i = 0; i < COUNT(words); i++)
        words[i] = take_u64(&frozen);
    memcpy(r->random.s, words, sizeof r->random.s);
    r->engine->set_random(r->scripts, words[COUNT(words) - 1]);
}

uint64_t server_random_below(redis *r, uint64_t n)
{
    return rng_below(&r->random, n);
}

/* ---- messages ---- */

void server_compares(const redis *r, double left, double right)
{
    if (r->observer.compared && isfinite(left) && isfinite(right))
        r->observer.compared(r->observer.context, left - right);
}

void server_post(redis *r, uint32_t conn, bool shard, str channel, str payload, str pattern)
{
    if (!r->observer.message)
        return;
    MEM_RESERVE(r->outbox, r->outbox_cap, r->outbox_count + 1);
    r->outbox[r->outbox_count++] = (message){
        .conn = conn,
        .shard = shard,
        .channel = arena_str(r->outbox_arena, channel),
        .payload = arena_str(r->outbox_arena, payload),
        .pattern = pattern.p ? arena_str(r->outbox_arena, pattern) : (str){ 0 },
    };
}

void server_push(redis *r, uint32_t conn, const reply *what, bool after)
{
    if (!r->observer.pushed)
        return;
    reply *copy = ARENA_ARRAY(r->outbox_arena, reply, 1);
    *copy = reply_copy(r->outbox_arena, what);
    MEM_RESERVE(r->outbox, r->outbox_cap, r->outbox_count + 1);
    r->outbox[r->outbox_count++] = (message){ .conn = conn, .push = copy, .after = after };
}

static void deliver(const redis_observer *o, const message *m)
{
    if (m->push)
        o->pushed(o->context, m->conn, m->push, m->after);
    else if (m->shard && o->shard_message)
        o->shard_message(o->context, m->conn, m->channel, m->payload);
    else
        o->message(o->context, m->conn, m->channel, m->payload, m->pattern);
}

void server_deliver(redis *r)
{
    for (int after = false; after <= true; after++)
        for (size_t i = 0; i < r->outbox_count; i++)
            if (r->outbox[i].after == after)
                deliver(&r->observer, &r->outbox[i]);
    r->outbox_count = 0;
    arena_reset(r->outbox_arena);
}

str *argv_copy(const str *argv, size_t argc)
{
    size_t bytes = argc * sizeof *argv;
    for (size_t i = 0; i < argc; i++)
        bytes += argv[i].n;
    str *own = mem_alloc(bytes);
    char *text = (char *)(own + argc);
    for (size_t i = 0; i < argc; i++) {
        own[i] = (str){ .p = text, .n = argv[i].n };
        if (argv[i].n)
            memcpy(text, argv[i].p, argv[i].n);
        text += argv[i].n;
    }
    return own;
}

/* ---- running one ---- */

reply reply_no_memory(void)
{
    return reply_error(S("OOM command not allowed when used memory > 'maxmemory'."));
}

reply reply_no_replicas(void)
{
    return reply_error(S("NOREPLICAS Not enough good replicas to write."));
}

void redis_out_of_memory(redis *r, bool yes)
{
    r->no_memory = yes;
}

reply server_do(const command *cmd, const call *c)
{
    c->server->in_script = c->in_script;
    bool quiet = cmd->flags & CMD_QUIET || (c->conn->client.no_touch && strcmp(cmd->name, "touch") != 0);
    if (!quiet)
        return cmd->run(c);
    store_look_quietly(c->st, true);
    reply r = cmd->run(c);
    store_look_quietly(c->st, false);
    return r;
}

/* The last check: whether the keyspace may grow. Then the command itself. */
static reply run(const command *cmd, const call *c)
{
    if (store_bytes(c->st) > c->server->limits.store_bytes && cmd->flags & CMD_DENYOOM)
        return reply_no_memory();
    return server_do(cmd, c);
}

reply server_run(redis *r, redis_conn *conn, const command *cmd, const str *argv, size_t argc, arena *out)
{
    call c = {
        .server = r, .conn = conn, .st = r->st, .db = conn->db, .selected = &conn->db,
        .argv = argv, .argc = argc, .out = out, .in_script = false,
    };
    str name = str_from(cmd->name);
    bool script = str_starts(name, S("eval")) || str_starts(name, S("fcall"));  /* its commands are reported after it */
    if (r->monitors && script)
        monitor_tell(r, conn, false, conn->db, cmd, argv, argc);
    reply answer = run(cmd, &c);
    if (r->monitors && !script)
        monitor_tell(r, conn, false, conn->db, cmd, argv, argc);
    if (r->slow && !conn->wait)
        slowlog_ran(r, &(command_ran){ .conn = conn, .cmd = cmd, .argv = argv, .argc = argc }, r->took_us);
    if (!conn->wait)
        stats_took(r, cmd, r->took_us);
    r->took_us = 0;
    if (!conn->wait || !server_follows(r, RULE_WAITS_RUN_AGAIN))       /* else it is counted when it runs again */
        stats_ran(r, cmd, &answer);
    tracking_read(r, conn, cmd, argv, argc);
    return answer;
}

static reply bad_arity(const command *cmd, arena *out)
{
    return reply_error(arena_printf(out, "ERR wrong number of arguments for '%s' command", cmd->name));
}

static reply not_for_subscribers(const command *cmd, arena *out)
{
    return reply_error(arena_printf(out, "ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT "
                                    "/ RESET "
                                         "are allowed in this context", cmd->name));
}

static reply not_in_transaction(const redis *r, const command *cmd, arena *out)
{
    if (!server_follows(r, RULE_NAMED_IN_MULTI))
        return reply_error(S("ERR Command not allowed inside a transaction"));
    return reply_error(arena_printf(out, "ERR Command '%s' not allowed inside a transaction", cmd->name));
}

/* For older servers a queued command takes memory, too; EXEC is refused for its commands. */
static bool lacks_memory_for(const redis *r, const redis_conn *conn, const command *cmd)
{
    if (transaction_open(conn) && cmd->flags & CMD_EXEC)
        return transaction_needs_memory(conn);
    if (transaction_open(conn) && !server_follows(r, RULE_QUEUES_WITHOUT_MEMORY))
        return !(cmd->flags & CMD_NOT_QUEUED);
    return cmd->flags & CMD_DENYOOM;
}

/* EXEC does if one of its commands does. */
static bool writes(const redis_conn *conn, const command *cmd)
{
    return cmd->flags & CMD_WRITE || (cmd->flags & CMD_EXEC && transaction_open(conn) && transaction_has_writes(conn));
}

/* The command, or NULL and why it is refused; *found is set for one that is known. */
static const command *judge(redis *r, redis_conn *conn, const str *argv, size_t argc, arena *out, reply *refused,
                            const command **found)
{
    const command *cmd = *found = server_lookup(r, argv, argc, out, refused);
    if (!cmd)
        return NULL;
    if (!command_arity_ok(cmd, argc))
        *refused = bad_arity(cmd, out);
    else if (transaction_open(conn) && (cmd->flags & CMD_NO_MULTI))
        *refused = not_in_transaction(r, cmd, out);
    else if (cluster_refuses(r, conn, cmd, argv, argc, refused))
        ;
    else if (!r->busy && server_lacks_memory(r) && lacks_memory_for(r, conn, cmd))
        *refused = reply_no_memory();
    else if (!r->busy && server_lacks_replicas(r) && writes(conn, cmd))
        *refused = reply_no_replicas();
    else if (pubsub_is_subscriber(conn) && !(cmd->flags & CMD_PUBSUB_OK))
        *refused = not_for_subscribers(cmd, out);
    else if (r->busy && !command_while_busy(cmd, r->dialect))
        *refused = reply_busy(r);
    else if (conn->client.monitor && cmd->flags & (CMD_WRITE | CMD_READONLY | CMD_MAY_REPLICATE))
        *refused = reply_error(S("ERR Replica can't interact with the keyspace"));
    return refused->kind == REPLY_ERROR ? NULL : cmd;
}

static reply refuse(redis *r, redis_conn *conn, const command *cmd, reply refused, arena *out)
{
    if (!cmd || !(cmd->flags & CMD_EXEC)) {
        transaction_spoil(conn);
    } else {
        transaction_reset(r, conn);                /* an EXEC that cannot run ends the transaction all the same */
        str why = refused.text;
        if (!str_starts(why, S("CROSSSLOT")))
            refused = reply_error(arena_printf(out, "EXECABORT Transaction discarded because of: %.*s",
                                               STR_ARG(str_slice(why, str_starts(why, S("ERR ")) ? 4 : 0, why.n))));
    }
    stats_rejected(r, cmd, &refused);
    return refused;
}

static reply run_or_queue(redis *r, redis_conn *conn, const command *cmd, const str *argv, size_t argc, arena *out)
{
    if (!transaction_open(conn) || cmd->flags & CMD_NOT_QUEUED)
        return server_run(r, conn, cmd, argv, argc, out);
    transaction_queue(conn, cmd, argv, argc);
    return reply_status(S("QUEUED"));
}

static reply dispatch(redis *r, redis_conn *conn, const str *argv, size_t argc, arena *out)
{
    reply refused = reply_nil();
    if (r->maxmemory && !r->busy && redis_paused_until_ms(r, store_now_ms(r->st)) == INT64_MIN)
        evict(r);
    const command *found, *cmd = judge(r, conn, argv, argc, out, &refused, &found);
    reply answer;
    if (!cmd) {
        answer = refuse(r, conn, found, refused, out);
    } else {
        conn->client.last = cmd;
        conn->client.commands++;
        conn->client.seen_ms = store_now_ms(r->st);
        answer = run_or_queue(r, conn, cmd, argv, argc, out);
    }
    tracking_command_ends(conn, found);
    return answer;
}

static reply dispatch_of(redis *r, redis_conn *conn, const str *argv, size_t argc, arena *out)
{
    redis_conn *other = r->current;                /* whose script stands */
    r->current = conn;
    reply answer = dispatch(r, conn, argv, argc, out);
    r->current = other;
    return answer;
}

reply redis_execute(redis *r, redis_conn *c, const str *argv, size_t argc, int64_t now_ms, arena *out)
{
    static const str nothing = { .p = "", .n = 0 };
    if (argc == 0) {                               /* the protocol has no such command; the nearest refusal */
        argv = &nothing;
        argc = 1;
    }
    if (r->busy)                                   /* time stands still for the script that runs */
        return dispatch_of(r, c, argv, argc, out);
    assert(!r->running && !c->wait);
    server_acts(r, now_ms);
    r->current = c;
    reply answer = dispatch(r, c, argv, argc, out);
    server_acted(r);
    r->current = NULL;
    r->script_killed = false;
    return answer;
}

/* ---- a script that runs long, and a pause ---- */

reply reply_busy(const redis *r)
{
    return reply_error(str_from(server_say(r, r->runs_function ? WORDS_BUSY_FUNCTION : WORDS_BUSY_SCRIPT)));
}

void redis_stand(redis *r, int64_t ran_ms)
{
    assert(r->running && !r->busy);
    r->busy = true;
    r->script_ms = ran_ms;
    r->took_us = ran_ms * 1000;
    server_deliver(r);
}

void redis_go_on(redis *r)
{
    assert(r->busy);
    r->busy = false;
}

void redis_end_script(redis *r)
{
    assert(r->busy);
    r->script_killed = true;
}

bool redis_postpones(redis *r, redis_conn *c, const str *argv, size_t argc, int64_t now_ms)
{
    if (r->busy || argc == 0 || redis_paused_until_ms(r, now_ms) == INT64_MIN)
        return false;
    arena *a = arena_new();
    reply refused = reply_nil();
    const command *found, *cmd = judge(r, c, argv, argc, a, &refused, &found);
    arena_free(a);
    return cmd && pause_stops(r, c, cmd, argv, argc);
}

/* Every check of REDIS-FIDELITY.md 2.2 in its order: the command, or NULL and why it is refused. *found is set for one
 * that is known. */
static const command *judge_in_script(const call *c, script_may *may, const command **found, reply *why)
{
    redis *r = c->server;
    const command *container, *cmd = server_row(r, r->hosted, c->argv, c->argc, &container);
    cmd = *found = cmd ? cmd : server_row(r, true, c->argv, c->argc, &container);
    bool there = cmd && (r->hosted || !command_in_scripts(cmd, r->dialect) ||
                         server_lookup(r, c->argv, c->argc, c->out, &(reply){ 0 }));
    if (!there && container && server_follows(r, RULE_SUBCOMMAND_NAMED))
        return *why = server_unknown_subcommand(container, c->argv[1], c->out), NULL;
    if (!there)
        return *why = reply_error(str_from(server_say(r, WORDS_UNKNOWN_IN_SCRIPT))), NULL;
    if (!command_arity_ok(cmd, c->argc))
        return *why = reply_error(str_from(server_say(r, WORDS_ARITY_IN_SCRIPT))), NULL;
    if (!command_in_scripts(cmd, r->dialect))
        return *why = reply_error(str_from(server_say(r, WORDS_NOT_IN_SCRIPT))), NULL;
    if (server_follows(r, RULE_CLUSTER_FIRST) && cluster_refuses_in_script(r, may->slot, cmd, c, why))
        return NULL;
    if (may->no_memory && cmd->flags & CMD_DENYOOM && server_follows(r, RULE_MEMORY_BEFORE_WRITES))
        return *why = reply_no_memory(), NULL;
    if (may->read_only && (cmd->flags & (CMD_WRITE | CMD_MAY_REPLICATE)))
        return *why = reply_error(S("ERR Write commands are not allowed from read-only scripts.")), NULL;
    if (may->no_replicas && cmd->flags & CMD_WRITE)
        return *why = reply_no_replicas(), NULL;
    if (may->no_memory && cmd->flags & CMD_DENYOOM)
        return *why = reply_no_memory(), NULL;
    if (!server_follows(r, RULE_CLUSTER_FIRST) && cluster_refuses_in_script(r, may->slot, cmd, c, why))
        return NULL;
    return cmd;
}

void server_ran_in_script(const call *c, const command *cmd, const reply *answer)
{
    redis *r = c->server;
    if (r->monitors)
        monitor_tell(r, c->conn, true, *c->selected, cmd, c->argv, c->argc);
    slowlog_ran(r, &(command_ran){ .conn = c->conn, .cmd = cmd, .in_script = true, .argv = c->argv, .argc = c->argc },
                0);
    stats_took(r, cmd, 0);
    stats_ran(r, cmd, answer);
    tracking_read(r, c->conn, cmd, c->argv, c->argc);
}

reply server_call_from_script(redis *r, redis_conn *conn, const str *argv, size_t argc, script_may *may, int *db,
                              arena *out)
{
    assert(argc > 0);
    call c = {
        .server = r, .conn = conn, .st = r->st, .db = *db, .selected = db,
        .argv = argv, .argc = argc, .out = out, .in_script = true,
    };
    reply why;
    const command *found, *cmd = judge_in_script(&c, may, &found, &why);
    if (!cmd) {
        stats_rejected(r, found, &why);
        return why;
    }
    may->no_memory &= !(cmd->flags & CMD_WRITE);
    may->no_replicas &= !(cmd->flags & CMD_WRITE);
    may->wrote |= cmd->flags & CMD_WRITE;
    reply answer = run(cmd, &c);
    if (r->hosted)
        server_ran_in_script(&c, cmd, &answer);
    return answer;
}
