/* recording.c - the requests of a run: kept, told apart, and made again; see recording.h. */
#include "recording.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "script/script.h"
#include "snapshot.h"

recording recording_new(void)
{
    return (recording){ .memory = arena_new() };
}

void recording_free(recording *r)
{
    mem_free(r->list);
    mem_free(r->bodies);
    arena_free(r->memory);
    *r = (recording){ 0 };
}

void recording_clear(recording *r)
{
    r->count = r->body_count = 0;
    arena_reset(r->memory);
}

static happened *add(recording *r, happened_kind kind)
{
    MEM_RESERVE(r->list, r->cap, r->count + 1);
    r->list[r->count] = (happened){ .kind = kind };
    return &r->list[r->count++];
}

static size_t body_number(recording *r, str body)
{
    for (size_t i = 0; i < r->body_count; i++)
        if (str_eq(r->bodies[i], body))
            return i + 1;
    MEM_RESERVE(r->bodies, r->body_cap, r->body_count + 1);
    r->bodies[r->body_count++] = arena_str(r->memory, body);
    return r->body_count;
}

void recording_request(recording *r, const world_executed *x)
{
    happened *h = add(r, HAPPENED_REQUEST);
    str *argv = ARENA_ARRAY(r->memory, str, x->argc ? x->argc : 1);
    for (size_t i = 0; i < x->argc; i++)
        argv[i] = arena_str(r->memory, x->argv[i]);
    buf answer = { 0 };
    reply_encode(x->answer, 2, &answer);
    h->process = x->process;
    h->at_ms = x->at_ms;
    h->argv = argv;
    h->argc = x->argc;
    h->answer = arena_str(r->memory, buf_str(&answer));
    h->body = x->script ? body_number(r, x->script->body) : 0;
    buf_free(&answer);
}

/* The place in the list before which the world told of `told` things. Of crashes it tells every server. */
static size_t place_of(const recording *r, uint64_t told)
{
    size_t i = 0;
    for (; told > 0; i++) {
        assert(i < r->count);
        told -= r->list[i].kind != HAPPENED_CRASH;
    }
    return i;
}

void recording_fault(recording *r, const world_suffered *x)
{
    static const struct { const char *fault; happened_kind kind; } kinds[] = {
        { "wipe", HAPPENED_WIPE }, { "evict", HAPPENED_EVICT }, { "script_flush", HAPPENED_SCRIPT_FLUSH },
        { "failover", HAPPENED_FAILOVER },
    };
    size_t k = 0;
    while (k < COUNT(kinds) && !str_eq(x->fault, str_from(kinds[k].fault)))
        k++;
    assert(k < COUNT(kinds));
    size_t kept = kinds[k].kind == HAPPENED_FAILOVER ? place_of(r, x->kept) : 0;
    happened *h = add(r, kinds[k].kind);
    str *argv = ARENA_ARRAY(r->memory, str, 1);
    argv[0] = arena_str(r->memory, x->key);
    h->argv = argv;
    h->argc = 1;
    h->kept = kept;
}

void recording_crash(recording *r, uint32_t process)
{
    add(r, HAPPENED_CRASH)->process = process;
}

void recording_bytes(const recording *r, buf *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const happened *h = &r->list[i];
        buf_u64(out, (uint64_t)h->kind);
        buf_u64(out, h->process);
        buf_u64(out, (uint64_t)h->at_ms);
        buf_u64(out, h->body);
        buf_u64(out, h->kept);
        buf_u64(out, h->argc);
        for (size_t k = 0; k < h->argc; k++)
            buf_lenstr(out, h->argv[k]);
        buf_lenstr(out, h->answer);
    }
    for (size_t i = 0; i < r->body_count; i++)
        buf_lenstr(out, r->bodies[i]);
}

/* ---- the two servers ---- */

/* One process's connections. The real ones are made when they are needed: most commands leave no trace on a connection,
 * and those of all processes then share one, so that they can be sent in one go. */
typedef struct {
    redis_conn *conn, *subscriber;
    real_conn *own, *real_subscriber;
    bool needs_own;        /* it uses MULTI, WATCH, SELECT or the like somewhere in the run */
    buf messages;          /* that the simulated server sent it, as RESP2 frames */
} peer;

typedef struct {
    const recording *rec;
    replay_counts *counts;
    buf *difference;
    redis *sim;
    redis_conn *reader;
    real *server;
    real_conn *shared;
    peer *peers;
    size_t peer_count;
    bool *loaded;          /* by body: the real server has the script */
    snapshot **snapshots;  /* by place in the list, of what comes back by a failover: both servers as they were before
                            * it; else NULL */
    int64_t now_ms;
    real_conn *pending_on; /* where the replies of list[pending_from .. pending_to) are still to be read, in order */
    size_t pending_from, pending_to;
    bool cut;
    arena *a;
} replay;

static bool is_any_of(str word, const char *const *words)
{
    for (; *words; words++)
        if (str_eq_nocase(word, str_from(*words)))
            return true;
    return false;
}

static bool subscribes(str command)
{
    static const char *const words[] = { "SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE", "SSUBSCRIBE",
                                         "SUNSUBSCRIBE", NULL };
    return is_any_of(command, words);
}

static bool marks_connection(str command)
{
    static const char *const words[] = { "MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH", "SELECT", "HELLO", "CLIENT",
                                         "RESET", NULL };
    return is_any_of(command, words);
}

/* Would wait for a clock that stands, or answers by chance. */
static bool has_no_likeness(str command)
{
    static const char *const words[] = { "BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX",
                                         "BZMPOP", "XREAD",
                                         "SPOP", "SRANDMEMBER", "RANDOMKEY", "HRANDFIELD", "ZRANDMEMBER", "SHUTDOWN",
                                         "DEBUG", NULL };
    return is_any_of(command, words);
}

static bool waits(const happened *h)
{
    return h->argc > 0 && str_eq_nocase(h->argv[0], S("WAIT"));
}

static void frame(buf *out, size_t count, const str *items)
{
    buf_printf(out, "*%zu\r\n", count);
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "$%zu\r\n", items[i].n);
        buf_add(out, items[i]);
        buf_addz(out, "\r\n");
    }
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    replay *y = context;
    size_t process = (conn - 1) / 2;
    assert(conn > 0 && process < y->peer_count);
    buf *out = &y->peers[process].messages;
    if (pattern.n > 0)
        frame(out, 4, (str[]){ S("pmessage"), pattern, channel, payload });
    else
        frame(out, 3, (str[]){ S("message"), channel, payload });
}

/* A script that only locksim stops would hang the real server, and some crash it: they are not sent. */
static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    replay *y = context;
    (void)sha1;
    (void)line;
    (void)text;
    y->cut |= kind == FINDING_BUDGET || kind == FINDING_CRASH;
}

static void connect_sim(replay *y, size_t p)
{
    y->peers[p].conn = redis_connect(y->sim, (uint32_t)p * 2 + 1);
    y->peers[p].subscriber = redis_connect(y->sim, (uint32_t)p * 2 + 2);
}

static void sim_execute(replay *y, redis_conn *conn, const str *argv, size_t argc, buf *out)
{
    reply answer = redis_execute(y->sim, conn, argv, argc, y->now_ms, y->a);
    reply_encode(&answer, 2, out);
}

/* ---- showing a difference ---- */

static void show_pasteable(replay *y, size_t last)
{
    buf *out = y->difference;
    int64_t now_ms = WORLD_EPOCH_MS;
    bool *loaded = ARENA_ARRAY(y->a, bool, y->rec->body_count + 1);
    for (size_t i = 0; i <= last && i < y->rec->count; i++) {
        const happened *h = &y->rec->list[i];
        if (h->kind == HAPPENED_REQUEST && h->at_ms > now_ms) {
            buf_printf(out, "    .advance %" PRId64 "\n", h->at_ms - now_ms);
            now_ms = h->at_ms;
        }
        if (h->body && !loaded[h->body]) {
            loaded[h->body] = true;
            buf_addz(out, "    ");
            paste_command((str[]){ S("SCRIPT"), S("LOAD"), y->rec->bodies[h->body - 1] }, 3, out);
            buf_byte(out, '\n');
        }
        buf_addz(out, "    ");
        switch (h->kind) {
        case HAPPENED_REQUEST: paste_command(h->argv, h->argc, out); break;
        case HAPPENED_WIPE: buf_addz(out, "FLUSHALL\n    SCRIPT FLUSH"); break;
        case HAPPENED_EVICT: paste_command((str[]){ S("DEL"), h->argv[0] }, 2, out); break;
        case HAPPENED_SCRIPT_FLUSH: buf_addz(out, "SCRIPT FLUSH"); break;
        case HAPPENED_CRASH:
            buf_printf(out, "# process %u crashes: its subscriptions end", (unsigned)h->process);
            break;
        case HAPPENED_FAILOVER:
            buf_printf(out, "# failover: nothing of what came after the first %zu of these lines is left", h->kept);
            break;
        }
        buf_byte(out, '\n');
    }
}

static bool differs(replay *y, const char *what, size_t at, str ours, str theirs)
{
    enum { SHOWN_BYTES_MAX = 2000 };
    buf *out = y->difference;
    buf_printf(out, "  %s differs after these commands (.advance is of locksim shell):\n", what);
    show_pasteable(y, at);
    buf_addz(out, "  locksim: ");
    show_bytes(ours, SHOWN_BYTES_MAX, out);
    buf_addz(out, "\n  redis:   ");
    show_bytes(theirs, SHOWN_BYTES_MAX, out);
    buf_byte(out, '\n');
    return false;
}

/* ---- keeping both in step ---- */

static bool is_message(str frame_bytes)
{
    return str_starts(frame_bytes, S("*3\r\n$7\r\nmessage\r\n")) ||
           str_starts(frame_bytes, S("*4\r\n$8\r\npmessage\r\n")) ||
           str_starts(frame_bytes, S("*3\r\n$8\r\nsmessage\r\n"));
}

/* The next reply on a subscriber's connection; messages before it are set apart. */
static void read_past_messages(real_conn *c, buf *messages, buf *out)
{
    buf one = { 0 };
    do {
        buf_clear(&one);
        real_read(c, &one);
        if (is_message(buf_str(&one)))
            buf_add(messages, buf_str(&one));
    } while (is_message(buf_str(&one)));
    buf_add(out, buf_str(&one));
    buf_free(&one);
}

static bool read_pending(replay *y)
{
    if (!y->pending_on)
        return true;
    buf theirs = { 0 };
    bool same = true;
    for (size_t i = y->pending_from; i < y->pending_to; i++) {
        const happened *h = &y->rec->list[i];
        if (h->kind != HAPPENED_REQUEST || h->argc == 0 || waits(h))
            continue;
        buf_clear(&theirs);
        real_read(y->pending_on, &theirs);         /* all are read, whatever they show: the connection is used again */
        y->counts->requests++;
        if (same && !str_eq(buf_str(&theirs), h->answer))
            same = differs(y, "the last reply", i, h->answer, buf_str(&theirs));
    }
    y->pending_on = NULL;
    buf_free(&theirs);
    return same;
}

static bool same_keyspace(replay *y, size_t at)
{
    static const char *const last_database = "15";
    str argv[] = { S("EVAL"), keyspace_script, S("0"), str_from(last_database) };
    buf ours = { 0 }, theirs = { 0 };
    real_execute(y->shared, argv, COUNT(argv), &theirs);
    sim_execute(y, y->reader, argv, COUNT(argv), &ours);
    bool same = str_eq(buf_str(&ours), buf_str(&theirs)) ||
                differs(y, "the keyspace", at, buf_str(&ours), buf_str(&theirs));
    y->counts->keyspaces++;
    buf_free(&ours);
    buf_free(&theirs);
    return same;
}

/* What the real server sent this subscriber is what the simulated one did; then both forget its subscriptions. */
static bool end_subscriptions(replay *y, size_t p, size_t at)
{
    peer *one = &y->peers[p];
    bool same = true;
    if (one->real_subscriber) {
        buf messages = { 0 }, answer = { 0 };
        real_queue(one->real_subscriber, (str[]){ S("RESET") }, 1);
        read_past_messages(one->real_subscriber, &messages, &answer);
        if (!str_eq(buf_str(&messages), buf_str(&one->messages)))
            same = differs(y, "what a subscriber received", at, buf_str(&one->messages), buf_str(&messages));
        for (size_t i = 0; i < messages.n; i += resp_length(str_slice(buf_str(&messages), i, messages.n)))
            y->counts->messages++;
        real_disconnect(one->real_subscriber);
        one->real_subscriber = NULL;
        buf_free(&messages);
        buf_free(&answer);
    } else if (one->messages.n > 0) {
        same = differs(y, "what a subscriber received", at, buf_str(&one->messages), S(""));
    }
    buf_clear(&one->messages);
    return same;
}

/* A subscription's confirmations are read at once: messages of other connections' commands may come between them. */
static bool subscribe(replay *y, size_t at)
{
    const happened *h = &y->rec->list[at];
    peer *p = &y->peers[h->process];
    if (!p->real_subscriber)
        p->real_subscriber = real_connect(y->server);
    buf theirs = { 0 }, messages = { 0 };
    real_queue(p->real_subscriber, h->argv, h->argc);
    for (size_t i = 0; i < h->answer.n; i += resp_length(str_slice(h->answer, i, h->answer.n)))
        read_past_messages(p->real_subscriber, &messages, &theirs);
    y->counts->requests++;
    bool same = str_eq(buf_str(&theirs), h->answer) || differs(y, "the last reply", at, h->answer, buf_str(&theirs));
    /* Messages that came before the confirmation belong to what is compared at the end: both lists are cut alike
     * here. */
    if (same && messages.n > 0) {
        str ours = buf_str(&p->messages);
        same = str_starts(ours, buf_str(&messages)) || differs(y, "what a subscriber received", at, ours,
                                                               buf_str(&messages));
        if (same) {
            buf rest = { 0 };
            buf_add(&rest, str_slice(ours, messages.n, ours.n));
            buf_free(&p->messages);
            p->messages = rest;
            for (size_t i = 0; i < messages.n; i += resp_length(str_slice(buf_str(&messages), i, messages.n)))
                y->counts->messages++;
        }
    }
    buf_free(&theirs);
    buf_free(&messages);
    return same;
}

/* Sees to it that the real server has the script, as the world does, before it is first used. Where a flush came
 * between the sending and the execution, the recorded answer is NOSCRIPT, and so will the real server's be. */
static void learn(replay *y, const happened *h)
{
    if (!h->body || y->loaded[h->body - 1] || str_starts(h->answer, S("-NOSCRIPT")) ||
        str_starts(h->answer, S("-ERR Function not found")))
        return;
    y->loaded[h->body - 1] = true;
    str body = y->rec->bodies[h->body - 1], why;
    redis_load_script(y->sim, body, y->a, &why);
    buf ignored = { 0 };
    if (redis_is_library(body))
        real_execute(y->shared, (str[]){ S("FUNCTION"), S("LOAD"), S("REPLACE"), body }, 4, &ignored);
    else
        real_execute(y->shared, (str[]){ S("SCRIPT"), S("LOAD"), body }, 3, &ignored);
    buf_free(&ignored);
}

/* The real server has no replicas: where some answered there is nothing to compare. In a transaction WAIT waits for
 * nobody, but answers the same: by itself it would wait for a clock that stands. */
static bool wait_again(replay *y, size_t at)
{
    const happened *h = &y->rec->list[at];
    if (str_starts(h->answer, S(":")) && !str_eq(h->answer, S(":0\r\n"))) {
        y->counts->waits++;
        return true;
    }
    buf theirs = { 0 }, queued = { 0 }, expected = { 0 };
    if (!read_pending(y))
        return false;
    real_execute(y->shared, (str[]){ S("MULTI") }, 1, &queued);
    real_execute(y->shared, h->argv, h->argc, &queued);
    real_execute(y->shared, (str[]){ S("EXEC") }, 1, &theirs);
    buf_printf(&expected, "*1\r\n%.*s", STR_ARG(h->answer));
    y->counts->requests++;
    bool same = str_eq(buf_str(&theirs), buf_str(&expected)) || differs(y, "the reply to WAIT", at, buf_str(&expected),
                                                                        buf_str(&theirs));
    buf_free(&theirs);
    buf_free(&queued);
    buf_free(&expected);
    return same;
}

static bool request_again(replay *y, size_t at)
{
    const happened *h = &y->rec->list[at];
    if (h->argc == 0)
        return true;
    if (has_no_likeness(h->argv[0])) {
        y->cut = true;
        return true;
    }
    if (h->at_ms != y->now_ms) {
        assert(h->at_ms > y->now_ms);
        if (!read_pending(y) || !same_keyspace(y, at ? at - 1 : 0))
            return false;
        y->now_ms = h->at_ms;
        real_set_clock(y->server, h->at_ms);
    }
    bool pubsub = subscribes(h->argv[0]);
    peer *p = &y->peers[h->process];
    if (pubsub || (h->body && !y->loaded[h->body - 1]))
        if (!read_pending(y))
            return false;
    learn(y, h);
    if (waits(h))
        return wait_again(y, at);
    buf ours = { 0 };
    sim_execute(y, pubsub ? p->subscriber : p->conn, h->argv, h->argc, &ours);
    bool same = y->cut || str_eq(buf_str(&ours), h->answer) ||
                differs(y, "locksim itself, on a second run, in its last reply,", at, buf_str(&ours), h->answer);
    buf_free(&ours);
    if (y->cut || !same)
        return same;
    if (pubsub)
        return subscribe(y, at);
    if (p->needs_own && !p->own)
        p->own = real_connect(y->server);
    real_conn *c = p->needs_own ? p->own : y->shared;
    if (y->pending_on && y->pending_on != c && !read_pending(y))
        return false;
    if (!y->pending_on) {
        y->pending_on = c;
        y->pending_from = at;
    }
    real_queue(c, h->argv, h->argc);
    y->pending_to = at + 1;
    return true;
}

static bool fault_again(replay *y, size_t at)
{
    const happened *h = &y->rec->list[at];
    if (!read_pending(y))
        return false;
    buf ignored = { 0 };
    /* subscribers come back at once, so that their subscriptions stay as they are */
    if (h->kind == HAPPENED_WIPE) {
        real_reset(y->shared);
        sim_execute(y, y->reader, (str[]){ S("FLUSHALL") }, 1, &ignored);
        real_execute(y->shared, (str[]){ S("FUNCTION"), S("FLUSH"), S("SYNC") }, 3, &ignored);
        redis_forget_scripts(y->sim);
    } else if (h->kind == HAPPENED_EVICT) {
        real_execute(y->shared, (str[]){ S("DEL"), h->argv[0] }, 2, &ignored);
        redis_evict(y->sim, y->now_ms, h->argv[0]);
    } else if (h->kind == HAPPENED_SCRIPT_FLUSH) {
        real_execute(y->shared, (str[]){ S("SCRIPT"), S("FLUSH") }, 2, &ignored);
        redis_flush_scripts(y->sim);
    } else if (h->kind == HAPPENED_FAILOVER) {
        y->counts->failovers++;
        if (h->kept < at) {
            assert(y->snapshots[h->kept]);
            redis_thaw(y->sim, y->snapshots[h->kept]->at_ms, y->snapshots[h->kept]->sim);
            snapshot_restore(y->snapshots[h->kept], y->server, y->shared, y->now_ms);
            buf_free(&ignored);
            return same_keyspace(y, at);
        }
    } else if (h->kind == HAPPENED_CRASH && h->process < y->peer_count) {
        peer *p = &y->peers[h->process];
        redis_disconnect(y->sim, p->conn);
        redis_disconnect(y->sim, p->subscriber);
        connect_sim(y, h->process);
        if (p->own) {
            real_execute(p->own, (str[]){ S("RESET") }, 1, &ignored);
            real_disconnect(p->own);
            p->own = NULL;
        }
        buf_free(&ignored);
        return end_subscriptions(y, h->process, at);
    }
    buf_free(&ignored);
    return true;
}

/* Before the first thing that a later failover forgets: what it brings back. */
static bool keep(replay *y, size_t at)
{
    if (!y->snapshots[at])
        return true;
    if (!read_pending(y))
        return false;
    buf frozen = { 0 };
    redis_freeze(y->sim, y->now_ms, &frozen);
    *y->snapshots[at] = snapshot_take(y->a, y->shared);
    y->snapshots[at]->at_ms = y->now_ms;
    y->snapshots[at]->sim = arena_str(y->a, buf_str(&frozen));
    buf_free(&frozen);
    return true;
}

static bool again(replay *y, size_t at)
{
    return keep(y, at) && (y->rec->list[at].kind == HAPPENED_REQUEST ? request_again(y, at) : fault_again(y, at));
}

bool recording_replay(const recording *r, real *server, replay_counts *counts, buf *difference)
{
    replay y = { .rec = r, .counts = counts, .difference = difference, .server = server, .now_ms = WORLD_EPOCH_MS,
                 .a = arena_new() };
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].kind == HAPPENED_REQUEST && r->list[i].process >= y.peer_count)
            y.peer_count = (size_t)r->list[i].process + 1;
    y.peers = ARENA_ARRAY(y.a, peer, y.peer_count + 1);
    y.loaded = ARENA_ARRAY(y.a, bool, r->body_count + 1);
    y.snapshots = ARENA_ARRAY(y.a, snapshot *, r->count + 1);
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].kind == HAPPENED_FAILOVER)
            y.snapshots[r->list[i].kept] = ARENA_NEW(y.a, snapshot);
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].kind == HAPPENED_REQUEST && r->list[i].argc > 0 && marks_connection(r->list[i].argv[0]))
            y.peers[r->list[i].process].needs_own = true;
    y.sim = redis_new((redis_limits){ .dialect = real_dialect(server), .pure_functions = true });
    redis_observe(y.sim, &(redis_observer){ .context = &y, .message = on_message, .finding = on_finding });
    y.reader = redis_connect(y.sim, 0);
    for (size_t p = 0; p < y.peer_count; p++)
        connect_sim(&y, p);
    real_set_clock(server, y.now_ms);
    y.shared = real_connect(server);
    real_reset(y.shared);

    bool same = true;
    size_t i = 0;
    for (; i < r->count && same && !y.cut; i++)
        same = again(&y, i);
    size_t last = i ? i - 1 : 0;
    same = read_pending(&y) && same;
    /* After a cut the simulated server may have done what the real one was not asked to. */
    if (same && !y.cut)
        same = same_keyspace(&y, last);
    counts->cuts += y.cut;
    for (size_t p = 0; p < y.peer_count; p++) {
        if (same)
            same = end_subscriptions(&y, p, last);
        if (y.peers[p].real_subscriber) {
            buf ignored = { 0 };
            real_queue(y.peers[p].real_subscriber, (str[]){ S("RESET") }, 1);
            read_past_messages(y.peers[p].real_subscriber, &ignored, &ignored);
            real_disconnect(y.peers[p].real_subscriber);
            buf_free(&ignored);
        }
        real_disconnect(y.peers[p].own);
        buf_free(&y.peers[p].messages);
    }
    real_disconnect(y.shared);
    redis_free(y.sim);
    arena_free(y.a);
    return same;
}
