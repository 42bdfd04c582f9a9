/* waiting.c - connections that wait at the server: a pop that found nothing waits in a queue until a key gets an
 * element, its time-out passes, or it is cancelled. First come, first served, as in Redis 7.0: after a command, the
 * keys that it created are served in the order of creation, and each serves its waiters in the order of coming. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/codec.h"
#include "base/instant.h"
#include "base/mem.h"
#include "redis/server.h"

struct waiter {
    waiter *prev, *next;
    redis_conn *conn;
    int db;
    int64_t until_ms;              /* INT64_MAX: for ever */
    wait_terms terms;
    str *argv;                     /* one block with its texts */
    size_t argc;
};

typedef struct ready_key {
    int db;
    str key;                       /* own block */
} ready_key;

bool redis_waits(const redis_conn *c)
{
    return c->wait != NULL;
}

int64_t redis_waits_until_ms(const redis_conn *c)
{
    assert(c->wait);
    return c->wait->until_ms;
}

bool redis_command_waits(str name)
{
    const command *cmd = command_find_any(name);
    return cmd && (cmd->flags & CMD_WAITS);
}

void waiting_each_word(const redis *r, void (*fn)(void *context, str word), void *context)
{
    for (const waiter *w = r->waiters; w; w = w->next)
        for (size_t i = 0; i < w->argc; i++)
            fn(context, w->argv[i]);
}

void redis_each_waiting(const redis *r, void (*fn)(void *context, uint32_t conn), void *context)
{
    for (const waiter *w = r->waiters; w; w = w->next)
        fn(context, w->conn->id);
}

/* ---- the queue ---- */

static void append(redis *r, waiter *w)
{
    waiter *last = r->waiters;
    while (last && last->next)
        last = last->next;
    w->prev = last;
    if (last)
        last->next = w;
    else
        r->waiters = w;
    w->conn->wait = w;
}

static void take_out(redis *r, waiter *w)
{
    assert(w->conn->wait == w);
    w->conn->wait = NULL;
    if (w->prev)
        w->prev->next = w->next;
    else
        r->waiters = w->next;
    if (w->next)
        w->next->prev = w->prev;
}

static void waiter_free(waiter *w)
{
    mem_free(w->argv);
    mem_free(w);
}

void waiting_begin(const call *c, const wait_terms *terms)
{
    assert(!c->conn->wait && terms->first + terms->n <= c->argc);
    int64_t now_ms = store_now_ms(c->st), for_ms = terms->timeout_ms;
    waiter *w = mem_zero(sizeof *w);
    *w = (waiter){ .conn = c->conn, .db = c->db, .terms = *terms, .argc = c->argc,
                   .until_ms = for_ms == 0 || for_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + for_ms };
    w->argv = argv_copy(c->argv, c->argc);
    append(c->server, w);
}

void waiting_leave(redis *r, redis_conn *conn)
{
    waiter *w = conn->wait;
    if (!w)
        return;
    take_out(r, w);
    waiter_free(w);
}

static bool waits_for(const waiter *w, int db, str key)
{
    if (w->db != db)
        return false;
    for (size_t i = 0; i < w->terms.n; i++)
        if (str_eq(w->argv[w->terms.first + i], key))
            return true;
    return false;
}

/* ---- keys that came to be, and streams that grew ---- */

/* A new key of a kind for which no connection waits is ignored, even if a later command of the same transaction
 * overwrites it. */
void waiting_key_added(void *server, int db, str key, value_kind kind)
{
    redis *r = server;
    if (!r->waiters || !r->running)                /* a keyspace that is restored creates no keys */
        return;
    bool wanted = false, kind_wanted = false;
    for (const waiter *w = r->waiters; w; w = w->next) {
        wanted |= waits_for(w, db, key);
        kind_wanted |= w->terms.kind == kind;
    }
    wanted &= kind_wanted;
    for (size_t i = 0; i < r->ready_count && wanted; i++)
        wanted = r->ready[i].db != db || !str_eq(r->ready[i].key, key);
    if (!wanted)
        return;
    char *own = mem_alloc(key.n + 1);
    if (key.n)
        memcpy(own, key.p, key.n);
    MEM_RESERVE(r->ready, r->ready_cap, r->ready_count + 1);
    r->ready[r->ready_count++] = (ready_key){ .db = db, .key = { own, key.n } };
}

static bool waits_till_gone(const redis *r, int db, str key)
{
    bool any = false;
    for (const waiter *w = r->waiters; w && !any; w = w->next)
        any = w->terms.till_gone && waits_for(w, db, key);
    return any;
}

/* A stream that goes ends the waiting of a group's consumers. In Redis 7.0 it is news for all its readers: its key has
 * its turn from then on, if it comes back in the same transaction. */
void waiting_key_removed(void *server, int db, str key, value_kind kind)
{
    if (kind == VALUE_STREAM && (!server_follows(server, RULE_WAITS_RUN_AGAIN) || waits_till_gone(server, db, key)))
        waiting_key_added(server, db, key, kind);
}

void waiting_swapped(redis *r, int db, int other)
{
    const value *v;
    for (const waiter *w = r->waiters; w; w = w->next) {
        for (size_t i = 0; i < w->terms.n && (w->db == db || w->db == other); i++)
            if ((v = store_find(r->st, w->db, w->argv[w->terms.first + i])))
                waiting_key_added(r, w->db, w->argv[w->terms.first + i], value_kind_of(v));
            else if (w->terms.till_gone)
                waiting_key_added(r, w->db, w->argv[w->terms.first + i], VALUE_STREAM);
    }
}

/* ---- answers ---- */

static void answer(redis *r, waiter *w, const reply *what)
{
    const command *cmd = command_find(r->dialect, w->argv[0]);
    stats_took(r, cmd, 0);
    if (server_follows(r, RULE_WAITS_RUN_AGAIN))
        stats_ran(r, cmd, what);
    else
        stats_answered(r, cmd, what);
    if (r->observer.answered)
        r->observer.answered(r->observer.context, w->conn->id, what);
    waiter_free(w);
}

/* What runs again and finds nothing new waits on: behind all others, and no longer than before. No value: what it
 * waited at has gone. */
static void serve(redis *r, waiter *w, str key, value *v, arena *out)
{
    bool again = server_follows(r, RULE_WAITS_RUN_AGAIN);
    redis_conn *conn = w->conn;
    call c = {
        .server = r, .conn = conn, .st = r->st, .db = w->db, .selected = &conn->db, .argv = w->argv,
        .argc = w->argc, .out = out,
    };
    if (!again && v && w->terms.ready && !w->terms.ready(&c, key, v))
        return;
    take_out(r, w);
    reply what = again ? command_find(r->dialect, w->argv[0])->run(&c)
                 : v ? w->terms.serve(&c, key, v) : reply_error(S("UNBLOCKED the stream key no longer exists"));
    if (conn->wait) {
        conn->wait->until_ms = w->until_ms;
        waiter_free(w);
    } else {
        answer(r, w, &what);
    }
}

/* Each that waits for the key is asked once, in the order of coming. */
static void serve_key(redis *r, int db, str key, arena *out)
{
    const waiter *last = r->waiters;
    while (last && last->next)
        last = last->next;
    for (waiter *w = r->waiters, *next; w; w = next) {
        next = w == last ? NULL : w->next;
        value *v = store_find(r->st, db, key);
        bool right = v && w->terms.kind == value_kind_of(v);
        if ((right || w->terms.till_gone) && waits_for(w, db, key))
            serve(r, w, key, right ? v : NULL, out);
        arena_reset(out);
    }
}

void waiting_serve(redis *r)
{
    arena *out = arena_new();
    while (r->ready_count > 0) {                   /* BLMOVE may bring the next one */
        ready_key k = r->ready[0];
        memmove(r->ready, r->ready + 1, --r->ready_count * sizeof *r->ready);
        serve_key(r, k.db, k.key, out);
        mem_free((char *)k.key.p);
    }
    arena_free(out);
}

static waiter *next_due(const redis *r)
{
    waiter *due = r->waiters;
    for (waiter *w = due; w; w = w->next)
        if (w->until_ms < due->until_ms)
            due = w;
    return due && due->until_ms < INT64_MAX ? due : NULL;
}

int64_t redis_next_timeout_ms(const redis *r)
{
    const waiter *due = next_due(r);
    return due ? due->until_ms + 1 : INT64_MAX;
}

static void send_away(redis *r, waiter *w, reply what)
{
    assert(!r->running);
    r->running = true;
    take_out(r, w);
    answer(r, w, &what);
    r->running = false;
}

void redis_timeouts(redis *r, int64_t now_ms)
{
    for (waiter *w; (w = next_due(r)) && w->until_ms < now_ms;)
        send_away(r, w, reply_nil_array());        /* BLMOVE's too, though it has no array to give */
}

bool waiting_unblock(redis *r, redis_conn *conn, bool with_error)
{
    assert(r->running);
    waiter *w = conn->wait;
    if (!w)
        return false;
    reply what = with_error ? reply_error(S("UNBLOCKED client unblocked via CLIENT UNBLOCK")) : reply_nil_array();
    take_out(r, w);
    answer(r, w, &what);
    return true;
}

bool redis_unblock(redis *r, redis_conn *c, bool with_error, int64_t now_ms)
{
    assert(!r->running);
    store_set_now(r->st, now_ms);
    r->running = true;
    bool waited = waiting_unblock(r, c, with_error);
    r->running = false;
    return waited;
}

/* ---- as bytes: per waiter its connection, database, what is left of its time (INT64_MAX: no end), and the command.
 * A word that may be an instant is written relative to now, as in redis_fold ---- */

enum { WORD_PLAIN, WORD_INSTANT, WORD_ID };

void word_freeze(str word, int64_t now_ms, buf *out)
{
    int64_t at_ms;
    str rest = word;
    int form = instant_text(word, now_ms, &at_ms) ? WORD_INSTANT : instant_id(word, now_ms, &at_ms, &rest) ? WORD_ID
               : WORD_PLAIN;
    buf_byte(out, (char)form);
    if (form != WORD_PLAIN)
        buf_u64(out, (uint64_t)(at_ms - now_ms));
    if (form != WORD_INSTANT)
        buf_lenstr(out, form == WORD_ID ? rest : word);
}

void redis_freeze_waiting(const redis *r, int64_t now_ms, buf *out)
{
    for (const waiter *w = r->waiters; w; w = w->next) {
        buf_u64(out, w->conn->id);
        buf_u64(out, (uint64_t)w->db);
        buf_u64(out, (uint64_t)(w->until_ms == INT64_MAX ? INT64_MAX : w->until_ms - now_ms));
        buf_u64(out, w->argc);
        for (size_t i = 0; i < w->argc; i++)
            word_freeze(w->argv[i], now_ms, out);
    }
}

str word_thaw(const redis *r, str *from, int64_t now_ms, arena *a)
{
    unsigned char form = take_byte(from);
    int64_t left_ms = form == WORD_PLAIN ? 0 : (int64_t)take_u64(from);
    str rest = form == WORD_INSTANT ? S("") : take_lenstr(from);
    if (form == WORD_PLAIN)
        return renamed(r->renamer, rest);
    return arena_printf(a, "%" PRId64 "%.*s", now_ms + left_ms, STR_ARG(rest));
}

/* Parses the command's own words again, on a keyspace that has nothing for it. */
static void wait_again(redis *r, redis_conn *conn, int db, const str *argv, size_t argc, store *nothing, arena *out)
{
    call c = { .server = r, .conn = conn, .st = nothing, .db = db, .selected = &conn->db, .argv = argv, .argc = argc,
               .out = out };
    const command *cmd = command_find(r->dialect, argv[0]);
    assert(cmd && !conn->wait);
    r->waits_again = true;
    cmd->run(&c);
    r->waits_again = false;
    assert(conn->wait);
}

void redis_thaw_waiting(redis *r, int64_t now_ms, str frozen)
{
    while (r->waiters)
        waiting_leave(r, r->waiters->conn);
    if (!frozen.n)
        return;
    arena *out = arena_new();
    store *nothing = store_new();
    store_set_now(nothing, now_ms);
    while (frozen.n > 0) {
        uint32_t id = renamed_connection(r->renamer, (uint32_t)take_u64(&frozen));
        redis_conn *known = redis_connection(r, id), *conn = known ? known : redis_connect(r, id);
        int db = (int)take_u64(&frozen);
        int64_t left_ms = (int64_t)take_u64(&frozen);
        size_t argc = take_u64(&frozen);
        str *argv = ARENA_ARRAY(out, str, argc);
        for (size_t i = 0; i < argc; i++)
            argv[i] = word_thaw(r, &frozen, now_ms, out);
        wait_again(r, conn, db, argv, argc, nothing, out);
        conn->wait->until_ms = left_ms == INT64_MAX ? INT64_MAX : now_ms + left_ms;
    }
    store_free(nothing);
    arena_free(out);
}
