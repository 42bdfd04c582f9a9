/* servers.c - the servers of a world: what they report of each command, which scripts they know, and what a replica may
 * have missed. */
#include <assert.h>
#include <string.h>

#include "base/instant.h"
#include "base/codec.h"
#include "base/mem.h"
#include "script/comparisons.h"
#include "script/script.h"
#include "world/follow.h"
#include "world/learner.h"
#include "world/mirror.h"

/* Each process has two connections to a server, one for commands and one for pub/sub. 0 is the world's own reader. */
uint32_t network_conn_id(const world *w, uint32_t process, uint32_t server, bool pubsub)
{
    return (process * (uint32_t)w->server_count + server) * 2 + pubsub + 1;
}

/* Requests of a crashed client arrive on a connection whose other end is closed: the answers go nowhere. */
static uint32_t conn_of_the_dead(const world *w)
{
    return network_conn_id(w, (uint32_t)w->node_count, 0, false);
}

/* A pop that may wait has its own connection, as in client libraries: other requests of the process do not queue behind
 * it. */
enum { WAITING_CONNS = 1 << 24 };

static uint32_t waiting_conn_id(uint32_t process, uint32_t slot)
{
    assert(slot < NETWORK_SLOTS);
    return WAITING_CONNS + process * NETWORK_SLOTS + slot;
}

uint32_t network_conn_permuted(const world *w, uint32_t conn, const uint8_t *to)
{
    uint32_t each = 2 * (uint32_t)w->server_count, of = (conn - 1) / each;
    if (conn >= WAITING_CONNS) {
        of = (conn - WAITING_CONNS) / NETWORK_SLOTS;
        return waiting_conn_id(to[of], (conn - WAITING_CONNS) % NETWORK_SLOTS);
    }
    return conn == 0 || of >= w->node_count ? conn : conn - of * each + to[of] * each;
}

int64_t network_waits_ms(const redis *r, const flight *f, int64_t now_ms)
{
    const redis_conn *conn = f->dead || f->orphan ? NULL : redis_connection(r, waiting_conn_id(f->process, f->slot));
    if (!conn || !redis_waits(conn))
        return -1;
    int64_t until_ms = redis_waits_until_ms(conn);
    return until_ms == INT64_MAX ? INT64_MAX : until_ms - now_ms;
}

void network_leave(world *w, const flight *f)
{
    redis *r = server_redis(&w->servers[f->server]);
    redis_conn *conn = redis_connection(r, waiting_conn_id(f->process, f->slot));
    assert(conn);
    redis_disconnect(r, conn);
    mirror_disconnect(&w->servers[f->server], waiting_conn_id(f->process, f->slot));
}

redis_conn *mirror_conn(const server *s, uint32_t id)
{
    redis_conn *c = redis_connection(s->second, id);
    return c ? c : redis_connect(s->second, id);
}

void mirror_disconnect(const server *s, uint32_t id)
{
    redis_conn *c = s->second ? redis_connection(s->second, id) : NULL;
    if (c)
        redis_disconnect(s->second, c);
}

static void on_answered(void *context, uint32_t conn, const reply *answer)
{
    server *s = context;
    world *w = s->w;
    if (s->second && answer)
        w->o.mirror->answered(w->o.mirror, s, conn, answer);
    uint32_t process = (conn - WAITING_CONNS) / NETWORK_SLOTS, slot = (conn - WAITING_CONNS) % NETWORK_SLOTS,
                       at = (uint32_t)(s - w->servers);
    if (w->learner)
        w->learner->served(w->learner, process, at, slot, answer);
    else
        network_served(w, process, at, slot, answer);
}

static void on_broken(void *context, uint32_t conn)
{
    on_answered(context, conn, NULL);
}

void server_break_waits(server *s)
{
    redis_each_waiting(server_redis(s), on_broken, s);
    redis_thaw_waiting(s->r, server_now_ms(s), S(""));
    if (s->second)
        redis_thaw_waiting(s->second, server_now_ms(s), S(""));
}

static reply run_on(world *w, redis *r, const flight *f, redis_conn *conn, redis_conn *subscriber, int64_t now_ms,
                    arena *out)
{
    if (!f->dead && f->argc > 0 && redis_command_waits(f->argv[0])) {
        uint32_t id = waiting_conn_id(f->process, f->slot);
        conn = redis_connection(r, id);
        conn = conn ? conn : redis_connect(r, id);
        reply answer = redis_execute(r, conn, f->argv, f->argc, now_ms, out);
        if (f->orphan)
            redis_disconnect(r, conn);             /* the other end is gone, and the server notices */
        return answer;
    }
    if (!f->dead)
        return redis_execute(r, flight_is_pubsub(f) ? subscriber : conn, f->argv, f->argc, now_ms, out);
    conn = redis_connect(r, conn_of_the_dead(w));
    reply answer = redis_execute(r, conn, f->argv, f->argc, now_ms, out);
    redis_disconnect(r, conn);
    return answer;
}

static void on_compared(void *heard, double difference)
{
    outline_compared(heard, difference);
}

static void on_used(void *heard, const str *value)
{
    outline *o = heard;
    if (value)
        outline_used_bytes(&o->used, *value);
    else
        o->unknown = true;
}

reply network_run(world *w, redis *r, const flight *f, redis_conn *conn, redis_conn *subscriber, int64_t now_ms,
                  arena *out)
{
    redis_out_of_memory(r, f->oom);
    redis_slot_moves(r, f->moving);
    script_ears ears = { w->heard, on_compared, on_used };
    if (w->heard)
        redis_hear_scripts(r, &ears);
    reply answer = run_on(w, r, f, conn, subscriber, now_ms, out);
    if (w->heard)
        redis_hear_scripts(r, NULL);
    redis_out_of_memory(r, false);
    redis_slot_moves(r, false);
    return answer;
}

/* A server learns a script when a client first refers to it, as all client libraries see to; a later NOSCRIPT comes
 * from a fault and is for the driver to handle. false, and why (in the step's memory), the first time that a script
 * does not compile: its calls then answer NOSCRIPT. */
bool server_learn(world *w, server *s, const script_file *script, str op, str *why)
{
    for (size_t i = 0; i < s->script_count; i++)
        if (strcmp(s->scripts[i]->sha1, script->sha1) == 0)
            return true;
    server_redis(s);
    if (s->second)
        w->o.mirror->learn(w->o.mirror, s, script);
    if (!redis_load_script(s->r, script->body, w->step_memory, why))
        return false;                              /* it stays unknown, so that each call of it is reported */
    MEM_RESERVE(s->scripts, s->script_cap, s->script_count + 1);
    s->scripts[s->script_count++] = script;
    if (w->o.cover)
        coverage_name(w->o.cover, str_from(script->sha1), script->path.n ? script->path : op);
    return true;
}

/* ---- what servers report ---- */

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    server *s = context;
    world *w = s->w;
    assert(conn > 0);      /* the world's own reader has no subscriptions */
    uint32_t pair = (conn - 1) / 2;
    uint32_t process = pair / (uint32_t)w->server_count, index = pair % (uint32_t)w->server_count;
    if (conn == conn_of_the_dead(w))
        return;
    if (s->second)
        w->o.mirror->message(w->o.mirror, s, conn, channel, payload, pattern);
    message_add(&w->nodes[process].messages[index], channel, payload, pattern, w->now_ms);
    if (w->o.record)
        story_mark_message(w, process, index, channel, payload);
}

static const script_file *server_script(const server *s, str sha1)
{
    for (size_t i = 0; i < s->script_count; i++)
        if (str_eq(str_from(s->scripts[i]->sha1), sha1))
            return s->scripts[i];
    return NULL;
}

void server_note_publish(world *w, const str *argv, size_t argc)
{
    if (argc > 0 && (str_starts_nocase(argv[0], S("PUB")) || str_starts_nocase(argv[0], S("SPUB"))))
        w->learner->published(w->learner);
}

void story_effect(buf *out, const script_file *f, int line, const str *argv, size_t argc, const reply *r)
{
    if (!story_line(out))
        return;
    if (f && f->path.n) {
        str path = script_line_path(f, &line);
        buf_printf(out, "%.*s:%d  ", STR_ARG(path), line);
    } else {
        buf_printf(out, "script:%d  ", line);
    }
    enum { WORDS_MAX = 64 };
    for (size_t i = 0; i < argc && i < WORDS_MAX; i++) {
        buf_addz(out, i ? " " : "");
        story_text(out, argv[i]);
    }
    if (argc > WORDS_MAX)
        buf_printf(out, " ... (%zu words)", argc);
    buf_addz(out, " -> ");
    reply_print_short(r, out);
}

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    server *s = context;
    if (s->w->heard)
        follow_note_answer(s->w->heard, NULL, argv, argc, r);
    if (s->w->learner)
        server_note_publish(s->w, argv, argc);
    else if (s->w->o.record)
        story_effect(&s->w->effects, server_script(s, sha1), line, argv, argc, r);
}

static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    server *s = context;
    if (scenario_waives(s->w->sc, kind))
        return;
    const script_file *f = server_script(s, sha1);
    buf cut = { 0 };       /* a script's error text may have megabytes */
    story_text(&cut, text);
    str path = f ? script_line_path(f, &line) : S("");
    world_emit(s->w, (event){ .kind = EVENT_FINDING, .process = s->w->cause.process, .task = s->w->cause.task,
                              .who = s->w->cause.who, .op = str_from(finding_name(kind)), .text = buf_str(&cut),
                              .request = s->w->cause.request, .path = path, .line = line });
    buf_free(&cut);
}

static void on_log(void *context, int level, str text)
{
    server *s = context;
    (void)level;
    if (!s->w->o.record)
        return;
    if (!story_line(&s->w->notes))
        return;
    buf_addz(&s->w->notes, "redis.log: ");
    story_text(&s->w->notes, text);
}

static void on_comparison(void *context, double difference)
{
    world *w = ((server *)context)->w;
    if (w->heard && !(w->o.stops_without & STOPS_TOLD))
        outline_compared(w->heard, difference);
}

void server_open(world *w, size_t i)
{
    server *s = &w->servers[i];
    s->w = w;
    s->r = redis_new(w->o.limits);
    redis_cover(s->r, w->o.cover);
    redis_observe(s->r, &(redis_observer){ .context = s, .message = on_message, .effect = w->o.record || w->learner ||
                                           w->o.folded || w->o.followed ? on_effect : NULL,
                                           .finding = on_finding, .log = on_log, .answered = on_answered,
                                           .compared = on_comparison });
    s->reader = redis_connect(s->r, 0);
    if (w->o.mirror)
        s->second = w->o.mirror->open(w->o.mirror, s);
    server_set_acks(s);
}

void server_close(server *s)
{
    redis_free(s->r);
    if (s->second)
        redis_free(s->second);
    server_forget_history(s);
    buf_free(&s->replica);
    mem_free(s->scripts);
}

/* ---- both keyspaces ---- */

void server_fold(server *s, buf *out)
{
    if (!s->second) {
        redis_fold(server_redis(s), server_now_ms(s), out);
        return;
    }
    buf first = { 0 };
    redis_fold(server_redis(s), server_now_ms(s), &first);
    buf_lenstr(out, buf_str(&first));
    redis_fold(s->second, server_now_ms(s), out);
    buf_free(&first);
}

void server_wake(server *s)
{
    s->w->learner->wake(s->w->learner, s);
}

void server_unfold(server *s, int64_t now_ms, str folded)
{
    if (!s->second) {
        redis_unfold(server_redis(s), now_ms, folded);
        return;
    }
    str first = take_lenstr(&folded);
    redis_unfold(server_redis(s), now_ms, first);
    redis_unfold(s->second, now_ms, folded);
}

void server_set_acks(server *s)
{
    int64_t acks = server_followers(s->w, s);
    redis_set_acks(server_redis(s), acks);
    if (s->second)
        redis_set_acks(s->second, acks);
}

typedef struct {
    void (*fn)(void *context, int64_t at_ms, bool deadline);
    void *context;
    int64_t skew_ms;
} skewed;

static void tell_skewed(void *context, int64_t at_ms, bool deadline)
{
    const skewed *k = context;
    k->fn(k->context, at_ms - k->skew_ms, deadline);
    if (!deadline && k->skew_ms != 0)
        k->fn(k->context, at_ms, false);
}

void server_each_instant(server *s, void (*fn)(void *context, int64_t at_ms, bool deadline), void *context)
{
    skewed k = { .fn = fn, .context = context };
    int64_t now_ms = server_now_ms(s);
    k.skew_ms = s->skew_ms;
    redis_each_instant(s->r, now_ms, INSTANT_WINDOW_MS, tell_skewed, &k);
    if (s->second)
        redis_each_instant(s->second, now_ms, INSTANT_WINDOW_MS, tell_skewed, &k);
}

/* ---- history ---- */

uint64_t world_writes(const world *w)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->server_count; i++)
        sum += w->servers[i].writes + redis_writes(w->servers[i].r) +
            (w->servers[i].second ? redis_writes(w->servers[i].second) : 0);
    return sum;
}

buf server_before(world *w, server *s)
{
    buf before = { 0 };
    if (w->sc->replicas > 0 && w->budget[FAULT_FAILOVER] == 0)
        server_forget_history(server_awake(s));    /* it would only grow older, and no state would repeat */
    else if (w->budget[FAULT_FAILOVER] > 0 && server_followers(w, server_awake(s)) > 0)
        server_fold(s, &before);
    return before;
}

void server_after(server *s, buf *before)
{
    buf after = { 0 };
    if (before->n > 0)
        server_fold(s, &after);
    bool wrote = before->n > 0 && !str_eq(buf_str(before), buf_str(&after));
    buf_free(&after);
    if (!wrote) {
        buf_free(before);
        return;
    }
    if (s->history_count == COUNT(s->history)) {
        buf_free(&s->history[0].frozen);
        memmove(&s->history[0], &s->history[1], sizeof s->history - sizeof s->history[0]);
        s->history_count--;
    }
    s->history[s->history_count].frozen = *before;
    s->history[s->history_count].told = s->told;
    s->history[s->history_count++].at_ms = server_now_ms(s);
}

void server_expire(world *w, uint32_t i, str key)
{
    server *s = server_awake(&w->servers[i]);
    buf before = server_before(w, s);              /* replicas receive it like any write */
    w->cause = (cause){ .op = S("expiry"), .who = S(""), .process = NOBODY, .task = NOBODY };
    if (w->learner)
        w->learner->subscribe(w->learner);
    redis_expire(s->r, server_now_ms(s), key);
    if (s->second)
        redis_expire(s->second, server_now_ms(s), key);
    server_after(s, &before);
}

void server_forget_history(server *s)
{
    for (size_t i = 0; i < s->history_count; i++)
        buf_free(&s->history[i].frozen);
    s->history_count = 0;
}

uint32_t server_followers(const world *w, const server *s)
{
    return w->sc->replicas - (w->sc->replicas > 0 && s->lagging);
}
