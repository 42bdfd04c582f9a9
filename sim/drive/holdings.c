/* holdings.c - see holdings.h. */
#include "drive/holdings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CLAIMS_MAX = 8, HOLDERS_MAX = 64, READER = 0x7ffffff0 };

/* An owner, and whose it is. */
typedef struct {
    str id, name;          /* in the keyspace; in reports: "A", or "A/2" for the client's second owner */
    uint32_t client;
} party;

typedef struct { str id; int64_t count; } held_by;

/* A lock as its view said last. */
typedef struct {
    uint32_t server;
    str name, told;        /* told: with its server, where there are several */
    held_by holders[HOLDERS_MAX];
    size_t holder_count;
    int64_t deadline_ms;   /* INT64_MAX: none */
} known_lock;

struct holdings {
    holdings_setup setup;
    arena *memory;
    model *judge;
    known_lock *at;
    size_t count, cap;
    party *parties;
    size_t party_count, party_cap;
    uint32_t *owners;      /* of each client: how many it had */
    uint64_t grants;
    uint32_t requests;
    str problem;
};

bool holdings_judge(property p)
{
    return p == PROPERTY_MUTUAL_EXCLUSION || p == PROPERTY_OWNER_ONLY || p == PROPERTY_LEASE_SET;
}

holdings *holdings_new(const holdings_setup *setup)
{
    holdings *l = mem_zero(sizeof *l);
    *l = (holdings){ .setup = *setup, .memory = arena_new() };
    l->owners = ARENA_ARRAY(l->memory, uint32_t, setup->client_count + 1);
    model_config config = model_config_default();
    for (int p = 0; p < PROPERTY_COUNT; p++)
        config.judged[p] = holdings_judge((property)p) && !(setup->settled & (1u << p));
    l->judge = model_new(&config, setup->clients, setup->client_count);
    return l;
}

void holdings_free(holdings *l)
{
    if (!l)
        return;
    model_free(l->judge);
    mem_free(l->at);
    mem_free(l->parties);
    arena_free(l->memory);
    mem_free(l);
}

/* ---- owners ---- */

static party *find_party(const holdings *l, str id)
{
    for (size_t i = l->party_count; i-- > 0;)
        if (str_eq(l->parties[i].id, id))
            return &l->parties[i];
    return NULL;
}

static void bind(holdings *l, str id, uint32_t client)
{
    const party *known = find_party(l, id);
    if (known && known->client == client)
        return;
    str name = l->setup.clients[client];
    uint32_t number = ++l->owners[client];
    MEM_RESERVE(l->parties, l->party_cap, l->party_count + 1);
    l->parties[l->party_count++] = (party){ .id = arena_str(l->memory, id), .client = client,
        .name = number == 1 ? name : arena_printf(l->memory, "%.*s/%u", STR_ARG(name), number) };
}

static str name_of(const holdings *l, str id)
{
    const party *p = find_party(l, id);
    return p ? p->name : id;
}

/* ---- views ---- */

typedef struct { redis *server; int64_t now_ms; } looking;

static reply read_only(void *context, uint32_t server, const str *argv, size_t argc, arena *a)
{
    const looking *k = context;
    if (server > 0 || argc == 0 || !redis_command_only_looks(argv[0]))
        return reply_error(S("ERR locksim: a view of a real program's lock only reads, and from one server"));
    redis_conn *c = redis_connection(k->server, READER);
    c = c ? c : redis_connect(k->server, READER);
    redis_only_look(k->server, true);
    reply answer = redis_execute(k->server, c, argv, argc, k->now_ms, a);
    redis_only_look(k->server, false);
    return answer;
}

static bool look(holdings *l, int64_t now_ms, const known_lock *k, arena *a, lock_view *out)
{
    looking at = { .server = l->setup.servers[k->server], .now_ms = now_ms };
    err e = { 0 };
    bool ok = l->setup.table->view(l->setup.table->context, k->name, now_ms, read_only, &at, a, out, &e);
    if (!ok && l->problem.n == 0)
        l->problem = arena_str(l->memory, buf_str(&e.message));
    err_clear(&e);
    return ok;
}

static int64_t deadline_of(const lock_view *v, int64_t now_ms)
{
    return v->ttl_ms >= 0 ? now_ms + v->ttl_ms : INT64_MAX;
}

static const held_by *holder_in(const known_lock *k, str id)
{
    for (size_t i = 0; i < k->holder_count; i++)
        if (str_eq(k->holders[i].id, id))
            return &k->holders[i];
    return NULL;
}

static bool same(const known_lock *k, const lock_view *v, int64_t now_ms)
{
    bool alike = k->holder_count == v->holder_count && k->deadline_ms == deadline_of(v, now_ms);
    for (size_t i = 0; alike && i < v->holder_count; i++) {
        const held_by *h = holder_in(k, v->holders[i].id);
        alike = h && h->count == v->holders[i].count;
    }
    return alike;
}

static void keep(holdings *l, known_lock *k, const lock_view *v, int64_t now_ms)
{
    k->deadline_ms = deadline_of(v, now_ms);
    k->holder_count = 0;
    for (size_t i = 0; i < v->holder_count && i < HOLDERS_MAX; i++)
        k->holders[k->holder_count++] = (held_by){ .id = arena_str(l->memory, v->holders[i].id),
                                                   .count = v->holders[i].count };
}

/* ---- the model ---- */

static event event_of(const known_lock *k, event_kind kind, uint32_t client, str who, int64_t now_ms)
{
    return (event){ .kind = kind, .at_ms = now_ms, .process = client, .task = client == NOBODY ? NOBODY : 1, .who = who,
                    .lock = k->told, .lease_ms = LEASE_NONE };
}

static int by_id(const void *a, const void *b)
{
    return str_cmp(((const lock_holder *)a)->id, ((const lock_holder *)b)->id);
}

/* The view with the clients' names. */
static void tell_view(holdings *l, const known_lock *k, const lock_view *v, event e, arena *a)
{
    lock_view named = *v;
    lock_holder *holders = ARENA_ARRAY(a, lock_holder, v->holder_count + 1);
    for (size_t i = 0; i < v->holder_count; i++) {
        holders[i] = v->holders[i];
        holders[i].id = name_of(l, holders[i].id);
    }
    if (v->holder_count > 1)
        qsort(holders, v->holder_count, sizeof *holders, by_id);
    named.lock = k->told;
    named.holders = holders;
    named.queue = NULL;            /* the queue is not judged here */
    named.queue_count = 0;
    named.lapsed = NULL;
    named.lapsed_count = 0;
    e.kind = EVENT_VIEW;
    e.view = &named;
    model_event(l->judge, &e);
}

static void end_step(holdings *l, int64_t now_ms)
{
    model_event(l->judge, &(event){ .kind = EVENT_STATE, .at_ms = now_ms, .process = NOBODY, .task = NOBODY });
}

static known_lock *lock_named(holdings *l, uint32_t server, str name)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].server == server && str_eq(l->at[i].name, name))
            return &l->at[i];
    MEM_RESERVE(l->at, l->cap, l->count + 1);
    known_lock k = { .server = server, .name = arena_str(l->memory, name), .deadline_ms = INT64_MAX };
    k.told = l->setup.server_count > 1 ? arena_printf(l->memory, "%.*s at server %u", STR_ARG(name), server + 1)
             : k.name;
    l->at[l->count] = k;
    model_lock(l->judge, k.told, l->setup.table->spec);
    return &l->at[l->count++];
}

/* The owner for which it acts: the one that the request names, or a holder whose name is among its words; else the
 * client itself. */
static str who_asks(const holdings *l, const known_lock *k, const lock_claim *c, const str *argv, size_t argc,
                    uint32_t client)
{
    if (c->owner.n && find_party(l, c->owner))
        return name_of(l, c->owner);
    for (size_t i = 0; i < k->holder_count; i++)
        for (size_t w = 1; w < argc; w++)
            if (str_eq(argv[w], k->holders[i].id))
                return name_of(l, k->holders[i].id);
    return l->setup.clients[client];
}

/* An effect that no claim explains counts as done for its owner. */
static str word_of(const holdings *l, const known_lock *k, const lock_claim *c, str who, const lock_view *after,
                   int64_t now_ms)
{
    if (c->op.n)
        return c->op;
    for (size_t i = 0; i < k->holder_count; i++) {
        if (!str_eq(name_of(l, k->holders[i].id), who))
            continue;
        int64_t left = 0;
        for (size_t v = 0; v < after->holder_count; v++)
            left = str_eq(after->holders[v].id, k->holders[i].id) ? after->holders[v].count : left;
        if (left < k->holders[i].count)
            return S("release");
        return k->deadline_ms < deadline_of(after, now_ms) ? S("renew") : S("");
    }
    return S("");
}

static void tell_grants(holdings *l, const known_lock *k, const lock_claim *c, const lock_view *after, event e)
{
    str who = e.who;
    for (size_t i = 0; i < after->holder_count; i++) {
        const lock_holder *h = &after->holders[i];
        const held_by *before = holder_in(k, h->id);
        if (before && h->count <= before->count)
            continue;
        e.kind = EVENT_GRANTED;
        e.who = name_of(l, h->id);
        e.lease_ms = c->lease_ms != LEASE_NONE ? c->lease_ms : after->ttl_ms >= 0 ? after->ttl_ms : LEASE_NONE;
        e.count = h->count;
        e.mode = h->mode;
        e.request = str_eq(e.who, who) ? e.request : 0;
        l->grants++;
        model_event(l->judge, &e);
    }
}

static void judge(holdings *l, known_lock *k, const lock_claim *c, const lock_view *after, event e, str answer,
                  arena *a)
{
    bool changed = !same(k, after, e.at_ms);
    str word = word_of(l, k, c, e.who, after, e.at_ms);
    e.op = word.n ? word : e.op;
    e.lease_ms = c->lease_ms;
    e.request = ++l->requests;
    model_event(l->judge, &e);
    e.kind = EVENT_EXECUTED;
    e.text = answer;
    model_event(l->judge, &e);
    if (changed)
        tell_view(l, k, after, e, a);
    e.kind = EVENT_ANSWERED;
    e.text = S("");
    model_event(l->judge, &e);
    tell_grants(l, k, c, after, e);
    end_step(l, e.at_ms);
    keep(l, k, after, e.at_ms);
}

static str lower(arena *a, str word)
{
    char *text = ARENA_ARRAY(a, char, word.n + 1);
    for (size_t i = 0; i < word.n; i++)
        text[i] = word.p[i] >= 'A' && word.p[i] <= 'Z' ? (char)(word.p[i] + 32) : word.p[i];
    return (str){ .p = text, .n = word.n };
}

static bool of_this(const lock_claim *claims, size_t n, str lock, lock_claim *out)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(claims[i].lock, lock)) {
            *out = claims[i];
            return true;
        }
    *out = (lock_claim){ .op = S(""), .lock = lock, .owner = S(""), .lease_ms = LEASE_NONE };
    return false;
}

void holdings_executed(holdings *l, const holdings_request *q, int64_t now_ms, str answer)
{
    const str *argv = q->argv;
    size_t argc = q->argc;
    lock_claim claims[CLAIMS_MAX], c;
    char hex[41] = "";
    arena *a = arena_new();
    bool hash = argc > 1 && str_starts_nocase(argv[0], S("evalsha")), text = argc > 1 && !hash &&
                                                                             str_starts_nocase(argv[0], S("eval"));
    if (text)
        redis_sha1(argv[1], hex);
    const lock_table *table = l->setup.table;
    size_t n = table->match(table->context, argv, argc, hash ? argv[1] : str_from(hex), claims, CLAIMS_MAX);
    for (size_t i = 0; i < n; i++)
        if (claims[i].acquires)
            lock_named(l, q->server, claims[i].lock);
    for (size_t i = 0; i < l->count; i++) {
        known_lock *k = &l->at[i];
        lock_view after;
        bool claimed = of_this(claims, n, k->name, &c);
        if (k->server != q->server || !look(l, now_ms, k, a, &after) || (!claimed && same(k, &after, now_ms)))
            continue;
        for (size_t h = 0; c.acquires && h < after.holder_count; h++)
            if (!holder_in(k, after.holders[h].id))
                bind(l, after.holders[h].id, q->client);
        event e = event_of(k, EVENT_SENT, q->client, who_asks(l, k, &c, argv, argc, q->client), now_ms);
        e.op = argc ? lower(l->memory, argv[0]) : S("");     /* where nothing better is known of it */
        judge(l, k, &c, &after, e, answer, a);
    }
    arena_free(a);
}

void holdings_look(holdings *l, int64_t now_ms, str cause)
{
    arena *a = arena_new();
    for (size_t i = 0; i < l->count; i++) {
        known_lock *k = &l->at[i];
        lock_view v;
        if (!look(l, now_ms, k, a, &v) || same(k, &v, now_ms))
            continue;
        event e = event_of(k, EVENT_VIEW, NOBODY, S(""), now_ms);
        e.op = cause;
        tell_view(l, k, &v, e, a);
        end_step(l, now_ms);
        keep(l, k, &v, now_ms);
    }
    arena_free(a);
}

void holdings_life(holdings *l, event_kind kind, uint32_t client, int64_t now_ms)
{
    if (kind == EVENT_ENDED)
        return;
    model_event(l->judge, &(event){ .kind = kind, .at_ms = now_ms, .process = client, .task = NOBODY });
}

/* ---- what came of it ---- */

const violation *holdings_violation(const holdings *l, property p)
{
    return holdings_judge(p) ? model_violation(l->judge, p) : NULL;
}

str holdings_left(holdings *l, arena *a)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].holder_count > 0 && l->at[i].deadline_ms == INT64_MAX)
            return arena_printf(a, "When every program had ended, %.*s still held the lock \"%.*s\".",
                                STR_ARG(name_of(l, l->at[i].holders[0].id)), STR_ARG(l->at[i].told));
    return S("");
}

int64_t holdings_left_ms(const holdings *l, uint32_t client, int64_t now_ms)
{
    int64_t most = 0;
    for (size_t i = 0; i < l->count; i++)
        for (size_t h = 0; h < l->at[i].holder_count; h++) {
            const party *p = find_party(l, l->at[i].holders[h].id);
            int64_t left = l->at[i].deadline_ms == INT64_MAX ? INT64_MAX : l->at[i].deadline_ms - now_ms + 1;
            if (p && p->client == client && left > most)
                most = left;
        }
    return most;
}

uint64_t holdings_grants(const holdings *l)
{
    return l->grants;
}

str holdings_problem(const holdings *l)
{
    return l->problem;
}
