/* orders.c - see orders.h. */
#include "world/orders.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "script/script.h"
#include "world/internal.h"
#include "world/keyspace.h"

struct orders {
    const scenario *sc;
    redis *r[SERVERS_MAX];
    redis_conn *conns[SERVERS_MAX];
    redis_limits limits;
    int64_t now_ms[SERVERS_MAX];
    intern *asked;         /* requests that were tried before */
    arena *memory, *scratch;
    str why, why_one;
    bool each;             /* try also where only one client's id is present */
    struct published { str text; size_t channel_n; size_t seq; } *published;
    size_t published_count, published_cap;
};

orders *orders_new(const scenario *sc, redis_limits limits)
{
    orders *o = mem_zero(sizeof *o);
    o->sc = sc;
    o->limits = limits;
    o->limits.dialect = sc->dialect;
    o->limits.notify = sc->notify;
    o->limits.back_ms = scenario_servers_back_ms(sc);
    o->limits.cluster = sc->cluster;
    o->limits.pure_functions = true;
    o->asked = intern_new();
    o->memory = arena_new();
    o->scratch = arena_new();
    return o;
}

void orders_free(orders *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < SERVERS_MAX; i++)
        if (o->r[i])
            redis_free(o->r[i]);
    intern_free(o->asked);
    arena_free(o->memory);
    arena_free(o->scratch);
    mem_free(o->published);
    mem_free(o);
}

bool orders_matter(const orders *o, str *why)
{
    *why = o->why;
    return o->why.n > 0;
}

void orders_ask_of_each(orders *o)
{
    o->each = true;
}

bool orders_apart(const orders *o, str *why)
{
    *why = o->why.n ? arena_printf(o->memory, "%.*s depends on the order of ids", STR_ARG(o->why)) : o->why_one;
    return why->n > 0;
}

/* A difference that needs only one client's id. */
static void note_one(orders *o, const char *what, str whose)
{
    if (!o->why_one.n)
        o->why_one = arena_printf(o->memory, "%s %.*s depends on how an id is spelled", what, STR_ARG(whose));
}

static bool is_worth(const orders *o, uint64_t met)
{
    return ids_several(met) || (o->each && met);
}

void orders_note(orders *o, const char *what, str whose)
{
    if (!o->why.n)
        o->why = arena_printf(o->memory, "%s %.*s", what, STR_ARG(whose));
}

/* ---- servers for the trials ---- */

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    orders *o = context;
    (void)sha1, (void)line, (void)r;
    if (argc < 3 || !(str_starts_nocase(argv[0], S("PUB")) || str_starts_nocase(argv[0], S("SPUB"))))
        return;
    MEM_RESERVE(o->published, o->published_cap, o->published_count + 1);
    o->published[o->published_count] = (struct published){
        .text = arena_printf(o->scratch, "%.*s\n%.*s\n", STR_ARG(argv[1]), STR_ARG(argv[2])),
        .channel_n = argv[1].n, .seq = o->published_count,
    };
    o->published_count++;
}

static redis *server_of(orders *o, size_t i)
{
    if (!o->r[i]) {
        o->r[i] = redis_new(o->limits);
        redis_observe(o->r[i], &(redis_observer){ .context = o, .effect = on_effect });
        o->conns[i] = redis_connect(o->r[i], UINT32_MAX - 1);
    }
    return o->r[i];
}

static void exchange_text(void *context, char *bytes, size_t n)
{
    ids_exchange(((const orders *)context)->sc, bytes, n);
}

static void exchange_text_back(void *context, char *bytes, size_t n)
{
    ids_exchange_back(((const orders *)context)->sc, bytes, n);
}

static uint32_t same_connection(void *context, uint32_t conn)
{
    (void)context;
    return conn;
}

static void load(orders *o, size_t i, str keyspace, int64_t now_ms, bool exchanged)
{
    char *bytes = arena_alloc(o->scratch, keyspace.n + 1);
    memcpy(bytes, keyspace.p, keyspace.n);
    str at = { bytes, keyspace.n };
    o->now_ms[i] = now_ms;
    redis *r = server_of(o, i);
    redis_rename_by(r, exchanged ? &(redis_renamer){ o, exchange_text, same_connection } : NULL);
    keyspace_load(r, now_ms, &at);
    redis_rename_by(r, NULL);
}

static str word_of(orders *o, str s, bool exchanged)
{
    str copy = arena_str(o->scratch, s);
    if (exchanged)
        ids_exchange(o->sc, (char *)(uintptr_t)copy.p, copy.n);
    return copy;
}

static str word_back(orders *o, str s, bool exchanged)
{
    str copy = arena_str(o->scratch, s);
    if (exchanged)
        ids_exchange_back(o->sc, (char *)(uintptr_t)copy.p, copy.n);
    return copy;
}

/* ---- requests ---- */

static int by_channel(const void *x, const void *y)
{
    const struct published *a = x, *b = y;
    int cmp = str_cmp(str_slice(a->text, 0, a->channel_n), str_slice(b->text, 0, b->channel_n));
    return cmp ? cmp : (a->seq > b->seq) - (a->seq < b->seq);
}

/* The keyspace after the request; members in the current order of ids. */
static void put_left(orders *o, size_t i, bool exchanged, buf *out)
{
    buf left = { 0 };
    redis_fold(o->r[i], o->now_ms[i], &left);
    if (exchanged) {
        redis_rename_by(o->r[i], &(redis_renamer){ o, exchange_text_back, same_connection });
        redis_unfold(o->r[i], o->now_ms[i], buf_str(&left));
        redis_rename_by(o->r[i], NULL);
        buf_clear(&left);
        redis_fold(o->r[i], o->now_ms[i], &left);
    }
    buf_add(out, buf_str(&left));
    buf_free(&left);
}

/* Messages of one channel are ordered. */
static void put_published(orders *o, bool exchanged, buf *out)
{
    for (size_t i = 0; i < o->published_count; i++)
        o->published[i].text = word_back(o, o->published[i].text, exchanged);
    if (o->published_count > 1)
        qsort(o->published, o->published_count, sizeof *o->published, by_channel);
    for (size_t i = 0; i < o->published_count; i++)
        buf_lenstr(out, o->published[i].text);
}

static void run(orders *o, const order_question *q, bool exchanged, buf *out)
{
    str why, *argv = ARENA_ARRAY(o->scratch, str, q->argc + 1);
    load(o, 0, q->keyspace, q->now_ms, exchanged);
    for (size_t i = 0; i < q->argc; i++)
        argv[i] = word_of(o, q->argv[i], exchanged);
    if (q->script)
        redis_load_script(o->r[0], q->script->body, o->scratch, &why);
    o->published_count = 0;
    reply answer = redis_execute(o->r[0], o->conns[0], argv, q->argc, q->now_ms, o->scratch);
    buf said = { 0 };
    reply_encode(&answer, 3, &said);
    if (exchanged)
        ids_exchange_back(o->sc, said.p, said.n);
    buf_lenstr(out, buf_str(&said));
    buf_free(&said);
    put_published(o, exchanged, out);
    put_left(o, 0, exchanged, out);
}

static bool was_asked(orders *o, const order_question *q)
{
    buf key = { 0 };
    bool fresh;
    buf_lenstr(&key, q->keyspace);
    for (size_t i = 0; i < q->argc; i++)
        buf_lenstr(&key, q->argv[i]);
    intern_add(o->asked, buf_str(&key), &fresh);
    buf_free(&key);
    return !fresh;
}

void orders_ask(orders *o, const order_question *q)
{
    uint64_t met = 0;
    if (o->why.n)
        return;
    ids_meet(o->sc, q->keyspace, &met);
    for (size_t i = 0; i < q->argc && !ids_several(met); i++)
        ids_meet(o->sc, q->argv[i], &met);
    if (!is_worth(o, met) || was_asked(o, q))
        return;
    buf here = { 0 }, there = { 0 };
    run(o, q, false, &here);
    run(o, q, true, &there);
    if (!str_eq(buf_str(&here), buf_str(&there)))
        (ids_several(met) ? orders_note : note_one)(o, "what", arena_printf(o->scratch, "%.*s does", STR_ARG(q->op)));
    buf_free(&here);
    buf_free(&there);
    arena_reset(o->scratch);
}

/* ---- views ---- */

static reply read_exchanged(void *context, uint32_t s, const str *argv, size_t argc, arena *a)
{
    orders *o = context;
    if (s >= o->sc->servers || argc == 0 || !redis_command_only_looks(argv[0]))
        return reply_error(S("ERR locksim: a view only reads"));
    redis_only_look(o->r[s], true);
    reply answer = redis_execute(o->r[s], o->conns[s], argv, argc, o->now_ms[s], a);
    redis_only_look(o->r[s], false);
    return answer;
}

static int by_id(const void *x, const void *y)
{
    return str_cmp(((const lock_holder *)x)->id, ((const lock_holder *)y)->id);
}

static int by_bytes(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

static str *words_back(orders *o, const str *list, size_t count, bool back)
{
    str *words = ARENA_ARRAY(o->scratch, str, count + 1);
    for (size_t i = 0; i < count; i++)
        words[i] = word_back(o, list[i], back);
    return words;
}

/* The view as it is, or with the ids exchanged back. Its keys and the lapsed are sets; its queue is ordered. */
static lock_view view_as_set(orders *o, const lock_view *v, bool back)
{
    lock_view c = view_copy(o->scratch, v);
    lock_holder *holders = ARENA_ARRAY(o->scratch, lock_holder, v->holder_count + 1);
    for (size_t i = 0; i < v->holder_count; i++) {
        holders[i] = c.holders[i];
        holders[i].id = word_back(o, c.holders[i].id, back);
    }
    if (v->holder_count > 1)
        qsort(holders, v->holder_count, sizeof *holders, by_id);
    c.holders = holders;
    str *keys = words_back(o, c.keys, c.key_count, back);
    str *lapsed = c.lapsed ? words_back(o, c.lapsed, c.lapsed_count, back) : NULL;
    if (c.key_count > 1)
        qsort(keys, c.key_count, sizeof *keys, by_bytes);
    if (c.lapsed_count > 1)
        qsort(lapsed, c.lapsed_count, sizeof *lapsed, by_bytes);
    c.keys = keys;
    c.lapsed = lapsed;
    c.queue = words_back(o, c.queue, c.queue_count, back);
    return c;
}

void orders_ask_view(world *w, process *viewer, size_t index, str name, const lock_view *v)
{
    orders *o = w->o.orders;
    uint64_t met = 0;
    bool fresh = false;
    if (o->why.n)
        return;
    buf all = { 0 };
    size_t ends[SERVERS_MAX];
    for (size_t i = 0; i < w->server_count; i++) {
        keyspace_save(server_redis(&w->servers[i]), server_now_ms(&w->servers[i]), &all);
        ends[i] = all.n;
    }
    str keyspaces = buf_str(&all);
    ids_meet(o->sc, keyspaces, &met);
    for (size_t i = 0; i < w->server_count && is_worth(o, met); i++)
        load(o, i, str_slice(keyspaces, i ? ends[i - 1] : 0, ends[i]), server_now_ms(&w->servers[i]), true);
    buf_lenstr(&all, name);
    if (is_worth(o, met))
        intern_add(o->asked, buf_str(&all), &fresh);
    buf_free(&all);
    lock_view is = { 0 };
    err none = { 0 };
    if (!fresh) {
        arena_reset(o->scratch);
        return;
    }
    if (!process_view(viewer, index, w->now_ms, read_exchanged, o, o->scratch, &is, &none))
        (ids_several(met) ? orders_note : note_one)(o, "the view of", name);
    else {
        lock_view here = view_as_set(o, v, false), there = view_as_set(o, &is, true);
        if (!view_equal(&here, w->now_ms, &there, w->now_ms))
            (ids_several(met) ? orders_note : note_one)(o, "the view of", name);
    }
    err_clear(&none);
    arena_reset(o->scratch);
}
