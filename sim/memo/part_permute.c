/* part_permute.c - parts with the ids of equal clients exchanged: the parts of a state's permutations. A node goes to
 * the process whose name it then has. A part without such a form shows that the clients are not equal. */
#include <string.h>

#include "base/codec.h"
#include "base/mem.h"
#include "memo/parts_internal.h"

const equals *parts_equals(const parts *p) { return p->equals; }

void apart(parts *p, str why)
{
    if (!p->apart.n)
        p->apart = arena_str(p->memory, why);
}

bool parts_apart(const parts *p, str *why)
{
    *why = p->apart;
    return p->equals && (why->n > 0 || process_tables_apart(p->tables, why));
}

uint32_t parts_permutation(parts *p, const permutation *x)
{
    return intern_add(p->permutations, (str){ (const char *)x->to, sizeof x->to }, NULL);
}

uint32_t parts_known_permutation(const parts *p, const permutation *x)
{
    return intern_find(p->permutations, (str){ (const char *)x->to, sizeof x->to });
}

const permutation *parts_permutation_of(const parts *p, uint32_t x)
{
    return (const permutation *)intern_get(p->permutations, x).p;
}

/* ---- nodes ---- */

static void rename_text(const parts *p, const permutation *x, str s)
{
    equals_rename(p->equals, x, (char *)(uintptr_t)s.p, s.n);          /* of a copy that the caller owns */
}

static void rename_reply(const parts *p, const permutation *x, const reply *r)
{
    switch (r->kind) {
    case REPLY_STATUS: case REPLY_ERROR: case REPLY_BULK: case REPLY_BIG_NUMBER: case REPLY_VERBATIM:
        rename_text(p, x, r->text);
        break;
    case REPLY_ARRAY: case REPLY_MAP: case REPLY_SET:
        for (size_t i = 0; i < r->count; i++)
            rename_reply(p, x, &r->items[i]);
        break;
    case REPLY_NIL: case REPLY_NIL_ARRAY: case REPLY_INTEGER: case REPLY_BOOLEAN: case REPLY_DOUBLE:
        break;
    }
}

static void rename_flight(parts *p, const permutation *x, flight *f)
{
    for (size_t i = 0; i < f->argc && !(p->equals->without & EQUALS_WITHOUT_REQUESTS); i++)
        rename_text(p, x, f->argv[i]);
    rename_text(p, x, f->who);
    uint64_t met = 0;
    ids_meet(p->sc, f->op, &met);
    if (met)
        apart(p, S("an operation is named by an id"));  /* one name would stand for all clients in NAME.stories */
    rename_text(p, x, f->lock);
    if (flight_has_answer(f) && !(p->equals->without & EQUALS_WITHOUT_ANSWERS))
        rename_reply(p, x, &f->answer);
}

static void rename_queue(const parts *p, const permutation *x, message_queue *q)
{
    for (size_t i = 0; i < q->count; i++) {
        message *m = &q->items[i];
        str all = buf_str(&m->text), channel = str_slice(all, 0, m->channel_n),
            payload = str_slice(all, m->channel_n, m->channel_n + m->payload_n),
                      pattern = str_slice(all, m->channel_n + m->payload_n, all.n);
        rename_text(p, x, channel);
        rename_text(p, x, payload);
        rename_text(p, x, pattern);
    }
}

bool node_load_permuted(parts *p, uint32_t process, uint32_t id, const permutation *x)
{
    world *w = p->w;
    node *n = &w->nodes[process];
    uint32_t of = p->nodes[id].process_index;
    node_load(p, process, id);
    size_t flights;
    flight *f = network_flights(w, process, &flights);
    for (size_t i = 0; i < flights; i++)
        rename_flight(p, x, &f[i]);
    for (size_t s = 0; s < w->server_count; s++) {
        if (!(p->equals->without & EQUALS_WITHOUT_MESSAGES))
            rename_queue(p, x, &n->messages[s]);
        for (size_t i = 0; i < n->channel_count[s] && !(p->equals->without & EQUALS_WITHOUT_CHANNELS); i++)
            rename_text(p, x, str_slice(n->channels[s][i], 1, n->channels[s][i].n));
        rename_text(p, x, buf_str(&n->queued[s].lock));
    }
    err e = { 0 };
    bool ok = !p->nodes[id].p || process_permute(n->p, of, x, &e);
    err_clear(&e);
    return ok && !p->apart.n;
}

uint32_t parts_permuted_node(const parts *p, uint32_t node, uint32_t by)
{
    return by == 0 ? node : map3_find(&p->permuted_nodes, node, by, 0);
}

uint32_t parts_permute_node(parts *p, uint32_t process, uint32_t node, uint32_t by)
{
    uint32_t known = parts_permuted_node(p, node, by);
    if (known != PART_NONE)
        return known;
    const permutation x = *parts_permutation_of(p, by);
    err e = { 0 };
    parts_prepare(p);
    known = node_load_permuted(p, x.to[process], node, &x) ? node_save(p, p->w, x.to[process], &e)
            : PART_NONE;
    err_clear(&e);
    if (known == PART_NONE)
        apart(p, S("a client's state has no form under another name"));
    else
        map3_put(&p->permuted_nodes, node, by, 0, known);
    return known;
}

/* ---- servers ---- */

typedef struct { const parts *p; const permutation *x; } renamer;

static void rename_in_redis(void *context, char *bytes, size_t n)
{
    const renamer *r = context;
    if (!(r->p->equals->without & EQUALS_WITHOUT_KEYS))
        equals_rename(r->p->equals, r->x, bytes, n);
}

static uint32_t rename_connection(void *context, uint32_t conn)
{
    const renamer *r = context;
    return r->p->equals->without & EQUALS_WITHOUT_CONNECTIONS ? conn
           : network_conn_permuted(r->p->w, conn, r->x->to);
}

/* A replica's remaining data: redis_fold. */
static void put_permuted_fold(redis *shadow, str fold, buf *out)
{
    buf b = { 0 };
    redis_unfold(shadow, WORLD_EPOCH_MS, fold);
    redis_fold(shadow, WORLD_EPOCH_MS, &b);
    buf_lenstr(out, buf_str(&b));
    buf_free(&b);
}

/* The same bytes (put_server in part_server.c) with ids exchanged, and sorted again where ids are the order. */
static uint32_t permuted_server(parts *p, uint32_t state, const permutation *x)
{
    str is = arena_str(p->scratch, intern_get(p->server_bytes, state));
    buf b = { 0 };
    redis_rename_by(p->shadow, &(redis_renamer){ &(renamer){ p, x }, rename_in_redis, rename_connection });
    keyspace_load(p->shadow, WORLD_EPOCH_MS, &is);
    keyspace_save(p->shadow, WORLD_EPOCH_MS, &b);
    buf_u64(&b, take_u64(&is));                    /* its clock */
    buf_u64(&b, take_u64(&is));                    /* and the phase */
    uint64_t lagging = take_u64(&is);
    buf_u64(&b, lagging);
    if (lagging) {
        buf_u64(&b, take_u64(&is));
        buf_u64(&b, take_u64(&is));
        put_permuted_fold(p->shadow, take_lenstr(&is), &b);
    }
    uint64_t history = take_u64(&is);
    buf_u64(&b, history);
    for (; history > 0; history--) {
        buf_u64(&b, take_u64(&is));
        put_permuted_fold(p->shadow, take_lenstr(&is), &b);
    }
    redis_rename_by(p->shadow, NULL);
    buf_add(&b, is);                               /* scripts */
    uint32_t id = intern_add(p->server_bytes, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

uint32_t parts_permuted_servers(const parts *p, uint32_t servers, uint32_t by)
{
    return by == 0 ? servers : map3_find(&p->permuted_servers, servers, by, 0);
}

uint32_t parts_permute_servers(parts *p, uint32_t servers, uint32_t by)
{
    uint32_t known = parts_permuted_servers(p, servers, by);
    if (known != PART_NONE)
        return known;
    const permutation x = *parts_permutation_of(p, by);
    world *w = p->w;
    parts_prepare(p);
    servers_load(p, servers);
    for (size_t i = 0; i < w->server_count; i++) {
        w->servers[i].state = permuted_server(p, p->servers[servers].states[i], &x);
        w->servers[i].asleep = true;
    }
    known = servers_save(p, w);
    map3_put(&p->permuted_servers, servers, by, 0, known);
    return known;
}

/* ---- monitors ---- */

static str rename_in_model(void *context, arena *a, str s)
{
    const renamer *r = context;
    return r->p->equals->without & EQUALS_WITHOUT_MONITORS ? s : equals_renamed(a, r->p->equals, r->x, s);
}

static uint32_t rename_process(void *context, uint32_t process)
{
    const renamer *r = context;
    return process < r->p->equals->count && !(r->p->equals->without & EQUALS_WITHOUT_PROCESSES) ? r->x->to[process]
           : process;
}

uint32_t parts_permuted_model(const parts *p, uint32_t model, uint32_t by)
{
    return by == 0 ? model : map3_find(&p->permuted_models, model, by, 0);
}

uint32_t parts_permute_model(parts *p, uint32_t model_number, uint32_t by)
{
    uint32_t known = parts_permuted_model(p, model_number, by);
    if (known != PART_NONE)
        return known;
    const permutation x = *parts_permutation_of(p, by);
    renamer r = { p, &x };
    model *m = model_thaw_renamed(&p->sc->model, p->names, p->sc->client_count,
                                  intern_get(p->model_bytes, model_number), p->judged_ms,
                                  &(model_renamer){ &r, rename_in_model, rename_process });
    known = model_id(p, m, p->judged_ms, NULL);
    model_free(m);
    map3_put(&p->permuted_models, model_number, by, 0, known);
    return known;
}
