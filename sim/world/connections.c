/* connections.c - what a process's connections are subscribed to, and the messages that wait there to be delivered. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "world/learner.h"
#include "world/mirror.h"

void connections_remember(world *w, const flight *f)
{
    node *n = &w->nodes[f->process];
    bool pattern = str_eq_nocase(f->argv[0], S("PSUBSCRIBE")) || str_eq_nocase(f->argv[0], S("PUNSUBSCRIBE"));
    for (size_t a = 1; a < f->argc; a++) {
        buf name = { 0 };
        buf_byte(&name, pattern ? 'p' : str_eq_nocase(f->argv[0], S("SSUBSCRIBE")) ? 's' : 'c');
        buf_add(&name, f->argv[a]);
        str *known = n->channels[f->server];
        size_t i = 0, count = n->channel_count[f->server];
        while (i < count && !str_eq(known[i], buf_str(&name)))
            i++;
        if (f->kind == REQUEST_SUBSCRIBE && i == count) {
            MEM_RESERVE(n->channels[f->server], n->channel_cap[f->server], count + 1);
            n->channels[f->server][n->channel_count[f->server]++] = buf_str(&name);    /* takes over the buffer */
            continue;
        }
        if (f->kind == REQUEST_UNSUBSCRIBE && i < count) {
            mem_free((char *)known[i].p);
            memmove(known + i, known + i + 1, (count - i - 1) * sizeof *known);
            n->channel_count[f->server]--;
        }
        buf_free(&name);
    }
}

/* ---- transactions ---- */

queuing_record connections_queuing(const redis_conn *c, const flight *f, int64_t before)
{
    int64_t after = redis_conn_queued(c);
    bool ends = before >= 0 && after < 0 && f->argc > 0 && str_eq_nocase(f->argv[0], S("EXEC"));
    return (queuing_record){ .did = ends ? QUEUING_RAN : after > 0 && after > before ? QUEUING_QUEUED : QUEUING_NONE,
                             .open = after >= 0,
                             .remembers = redis_conn_remembers(c), .place = before > 0 ? (uint64_t)before : 0 };
}

static void forget_queued(queued_request *q)
{
    buf_clear(&q->op);
    buf_clear(&q->lock);
    *q = (queued_request){ .op = q->op, .lock = q->lock };
}

static void note_queued(queued_request *q, const flight *f)
{
    if (f->lock.n == 0)
        return;
    if (q->lock.n > 0) {
        q->several |= !str_eq(buf_str(&q->lock), f->lock) || !str_eq(buf_str(&q->op), f->op);
        return;
    }
    buf_add(&q->op, f->op);
    buf_add(&q->lock, f->lock);
    q->lease_ms = f->lease_ms;
    q->permits = f->permits;
    q->place = f->queuing.place;
}

/* The queued command was about a lock; EXEC itself named none. */
static void stand_for(const queued_request *q, flight *f)
{
    bool ran = f->answer.kind == REPLY_ARRAY && q->place < f->answer.count;
    if (!ran || q->lock.n == 0 || q->several || f->lock.n > 0)
        return;
    f->op = arena_str(f->memory, buf_str(&q->op));
    f->lock = arena_str(f->memory, buf_str(&q->lock));
    f->lease_ms = q->lease_ms;
    f->permits = q->permits;
    f->queuing.place = q->place;
}

void connections_note_transaction(world *w, flight *f)
{
    node *n = &w->nodes[f->process];
    queued_request *q = &n->queued[f->server];
    uint32_t bit = UINT32_C(1) << f->server;
    if (f->dead || flight_is_pubsub(f))
        return;
    n->remembers = f->queuing.remembers ? n->remembers | bit : n->remembers & ~bit;
    if (f->queuing.did == QUEUING_QUEUED)
        note_queued(q, f);
    else if (f->queuing.did == QUEUING_RAN)
        stand_for(q, f);
    if (!f->queuing.open)
        forget_queued(q);
}

void connections_forget_transactions(server *s)
{
    redis_thaw_transactions(server_redis(s), server_now_ms(s), S(""));
    if (s->second)
        redis_thaw_transactions(s->second, server_now_ms(s), S(""));
}

static void forget_channels(node *n, uint32_t s)
{
    for (size_t i = 0; i < n->channel_count[s]; i++)
        mem_free((char *)n->channels[s][i].p);
    n->channel_count[s] = 0;
}

void network_connect(world *w, uint32_t process)
{
    node *n = &w->nodes[process];
    for (uint32_t s = 0; s < w->server_count && !n->conns[s]; s++) {
        uint32_t id = network_conn_id(w, process, s, false);
        /* a state was loaded in which it exists and holds connection state */
        redis_conn *known = redis_connection(w->servers[s].r, id);
        n->conns[s] = known ? known : redis_connect(w->servers[s].r, id);
        n->subscribers[s] = redis_connect(w->servers[s].r, network_conn_id(w, process, s, true));
    }
}

void network_disconnect(world *w, uint32_t process)
{
    node *n = &w->nodes[process];
    for (uint32_t s = 0; s < w->server_count; s++) {
        forget_queued(&n->queued[s]);
        if (n->conns[s]) {
            if (n->remembers >> s & 1)
                server_redis(&w->servers[s]);      /* for its effect: the state of the connection is stored */
            else    /* `r` holds another state, in which it may hold connection state */
                w->servers[s].asleep |= redis_conn_remembers(n->conns[s]);
            redis_disconnect(w->servers[s].r, n->conns[s]);
            redis_disconnect(w->servers[s].r, n->subscribers[s]);
        }
        for (int pubsub = 0; pubsub < 2; pubsub++)
            mirror_disconnect(&w->servers[s], network_conn_id(w, process, s, pubsub));
        n->conns[s] = n->subscribers[s] = NULL;
        n->remembers &= ~(UINT32_C(1) << s);
        while (n->messages[s].count > 0)
            network_drop_message(w, process, s);
        forget_channels(n, s);
    }
}

void network_resubscribe(world *w, uint32_t s)
{
    if (w->learner) {        /* its connections subscribe before the next command runs */
        w->learner->unsubscribed(w->learner);
        return;
    }
    arena *a = arena_new();
    for (uint32_t p = 0; p < w->node_count; p++) {
        node *n = &w->nodes[p];
        for (size_t i = 0; n->alive && i < n->channel_count[s]; i++) {
            str name = n->channels[s][i];
            str command = name.p[0] == 'p' ? S("PSUBSCRIBE") : name.p[0] == 's' ? S("SSUBSCRIBE") : S("SUBSCRIBE");
            str argv[] = { command, str_slice(name, 1, name.n) };
            redis_execute(w->servers[s].r, n->subscribers[s], argv, 2, server_now_ms(&w->servers[s]), a);
            if (w->servers[s].second)
                redis_execute(w->servers[s].second, mirror_conn(&w->servers[s], network_conn_id(w, p, s, true)), argv,
                              2, server_now_ms(&w->servers[s]), a);
        }
    }
    arena_free(a);
}

bool node_subscribed(const world *w, const node *n)
{
    for (size_t s = 0; s < w->server_count; s++)
        if (n->channel_count[s] > 0)
            return true;
    return false;
}

/* ---- messages ---- */

void message_add(message_queue *q, str channel, str payload, str pattern, int64_t sent_ms)
{
    MEM_RESERVE(q->items, q->cap, q->count + 1);
    message *m = &q->items[q->count++];
    *m = (message){ .channel_n = channel.n, .payload_n = payload.n, .sent_ms = sent_ms };
    buf_add(&m->text, channel);
    buf_add(&m->text, payload);
    buf_add(&m->text, pattern);
}

void network_drop_message(world *w, uint32_t process, uint32_t server)
{
    message_queue *q = &w->nodes[process].messages[server];
    assert(q->count > 0);
    buf_free(&q->items[0].text);
    memmove(q->items, q->items + 1, (q->count - 1) * sizeof *q->items);
    q->count--;
}

bool network_deliver(world *w, uint32_t process, uint32_t server, err *e)
{
    message_queue *q = &w->nodes[process].messages[server];
    assert(q->count > 0);
    message m = q->items[0];
    memmove(q->items, q->items + 1, (q->count - 1) * sizeof *q->items);
    q->count--;
    str all = buf_str(&m.text);
    str channel = str_slice(all, 0, m.channel_n), payload = str_slice(all, m.channel_n, m.channel_n + m.payload_n);
    str pattern = str_slice(all, m.channel_n + m.payload_n, all.n);
    world_see(w, "message");
    w->nodes[process].delivered++;
    spin_forget(w, process, NOBODY);
    if (w->o.record) {
        story_mark_flight(w, MARK_DELIVERED, process, server, 0);
        buf_printf(&w->did, "message \"%.*s\" on %.*s", STR_ARG(payload), STR_ARG(channel));
    }
    bool ok = process_message(fault_feed(w, process), server, channel, payload, pattern, w->now_ms, &w->out, e) &&
              world_absorb(w, process, e);
    buf_free(&m.text);
    return ok;
}
