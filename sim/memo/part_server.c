/* part_server.c - the servers' states by number, and the locks' views in each. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/instant.h"
#include "base/mem.h"
#include "script/script.h"
#include "memo/parts_internal.h"

/* ---- one server as bytes ---- */

bool server_scripts_can_go(const scenario *sc)
{
    return sc->faults[FAULT_SCRIPT_FLUSH].budget + sc->faults[FAULT_WIPE].budget > 0;
}

bool server_knows(world *w, server *s, const char *sha1)
{
    (void)w;
    return redis_knows_script(server_redis(s), str_from(sha1));
}

static int by_sha1(const void *x, const void *y)
{
    return strcmp((*(const script_file *const *)x)->sha1, (*(const script_file *const *)y)->sha1);
}

int64_t parts_phase_ms(const world *w)
{
    return w->o.limits.instants == INSTANTS_SECONDS ? w->now_ms % 1000 : 0;
}

static void put_server(world *w, server *s, buf *out)
{
    keyspace_save(server_redis(s), server_now_ms(s), out);
    if (s->second)
        keyspace_save(s->second, server_now_ms(s), out);
    buf_u64(out, (uint64_t)s->skew_ms);
    buf_u64(out, (uint64_t)parts_phase_ms(w));
    buf_u64(out, s->lagging);
    if (s->lagging) {
        buf_u64(out, (uint64_t)(s->lag_until_ms - w->now_ms));
        buf_u64(out, (uint64_t)(s->replica_at_ms - w->now_ms));
        buf_lenstr(out, buf_str(&s->replica));
    }
    assert(s->history_count <= FAILOVER_WRITES_MAX);
    buf_u64(out, s->history_count);
    for (size_t i = 0; i < s->history_count; i++) {
        buf_u64(out, (uint64_t)(s->history[i].at_ms - w->now_ms));
        buf_lenstr(out, buf_str(&s->history[i].frozen));
    }
    if (!server_scripts_can_go(w->sc))
        return;
    if (s->script_count)
        qsort(s->scripts, s->script_count, sizeof *s->scripts, by_sha1);
    buf_u64(out, s->script_count);
    for (size_t i = 0; i < s->script_count; i++) {
        buf_byte(out, server_knows(w, s, s->scripts[i]->sha1) ? 'y' : 'n');
        buf_lenstr(out, str_from(s->scripts[i]->sha1));
    }
}

static void get_buf(str *from, buf *out)
{
    buf_clear(out);
    buf_add(out, take_lenstr(from));
}

/* The scripts that a server knew or was taught; their texts come from the clients' code. */
static void get_scripts(parts *p, server *s, str *from)
{
    redis_forget_scripts(s->r);
    if (s->second)
        redis_forget_scripts(s->second);
    s->script_count = 0;
    size_t count = take_u64(from);
    for (size_t i = 0; i < count; i++) {
        bool known = take_byte(from) == 'y';
        str sha1 = take_lenstr(from);
        bool found = false;
        for (size_t k = 0; k < p->script_count; k++) {
            if (!str_eq(str_from(p->scripts[k]->sha1), sha1))
                continue;
            str why;
            if (known) {
                redis_load_script(s->r, p->scripts[k]->body, p->scratch, &why);
                if (s->second)
                    p->w->o.mirror->learn(p->w->o.mirror, s, p->scripts[k]);
            }
            MEM_RESERVE(s->scripts, s->script_cap, s->script_count + 1);
            s->scripts[s->script_count++] = p->scripts[k];
            found = true;
        }
        assert(found);
    }
}

/* In pairs with put_server: what is thawed must freeze to the same bytes. Checked at one wake-up in ONE_IN. */
static void check_awake(parts *p, server *s)
{
    enum { ONE_IN = 32 };
    if (p->wakes++ % ONE_IN)
        return;
    buf b = { 0 };
    put_server(s->w, s, &b);
    assert(str_eq(buf_str(&b), intern_get(p->server_bytes, s->state)));
    buf_free(&b);
}

void parts_wake(parts *p, server *s)
{
    world *w = s->w;
    str r = intern_get(p->server_bytes, s->state), past = r;
    s->asleep = false;
    for (int i = 0; i < (s->second ? 2 : 1); i++)
        keyspace_skip(&past);
    s->skew_ms = (int64_t)take_u64(&past);
    uint64_t phase_ms = take_u64(&past);
    assert(phase_ms == (uint64_t)parts_phase_ms(w));
    (void)phase_ms;
    int64_t now_ms = w->now_ms + s->skew_ms;
    keyspace_load(s->r, now_ms, &r);
    if (s->second)
        keyspace_load(s->second, now_ms, &r);
    r = past;
    s->lagging = take_u64(&r);
    if (s->lagging) {
        s->lag_until_ms = w->now_ms + (int64_t)take_u64(&r);
        s->replica_at_ms = w->now_ms + (int64_t)take_u64(&r);
        get_buf(&r, &s->replica);
    }
    server_set_acks(s);
    server_forget_history(s);
    s->history_count = take_u64(&r);
    assert(s->history_count <= FAILOVER_WRITES_MAX);
    for (size_t i = 0; i < s->history_count; i++) {
        s->history[i].at_ms = w->now_ms + (int64_t)take_u64(&r);
        s->history[i].frozen = (buf){ 0 };
        get_buf(&r, &s->history[i].frozen);
    }
    if (server_scripts_can_go(w->sc))
        get_scripts(p, s, &r);
    assert(r.n == 0);
    check_awake(p, s);
}

/* The number of one server's state. */
uint32_t server_save(parts *p, world *w, server *s)
{
    if (s->asleep)
        return s->state;
    buf b = { 0 };
    put_server(w, s, &b);
    s->state = intern_add(p->server_bytes, buf_str(&b), NULL);
    buf_free(&b);
    return s->state;
}

/* ---- all servers ---- */

typedef struct { parts *p; int64_t *items; size_t count, cap; int64_t now_ms; } collector;

static void collect_number(void *context, int64_t at_ms, bool deadline)
{
    collector *c = context;
    (void)deadline;
    if (at_ms <= c->now_ms)
        return;
    MEM_RESERVE(c->items, c->cap, c->count + 1);
    c->items[c->count++] = at_ms - c->now_ms;
}

static servers_facts facts_of(parts *p, world *w)
{
    servers_facts f = { 0 };
    for (int i = 0; i < 2; i++) {
        int64_t at_ms = time_next_of_servers(w, i == 1, &f.deadline_now);
        f.next_ms[i] = at_ms == INT64_MAX ? INT64_MAX : at_ms - w->now_ms;
    }
    collector c = { .p = p, .now_ms = w->now_ms };
    for (size_t s = 0; s < w->server_count; s++)
        server_each_instant(&w->servers[s], collect_number, &c);
    int64_t *kept = ARENA_ARRAY(p->memory, int64_t, c.count + 1);
    if (c.count)
        memcpy(kept, c.items, c.count * sizeof *kept);
    f.numbers = kept;
    f.number_count = c.count;
    mem_free(c.items);
    return f;
}

uint32_t servers_save(parts *p, world *w)
{
    uint32_t states[SERVERS_MAX];
    for (size_t i = 0; i < w->server_count; i++)
        states[i] = server_save(p, w, &w->servers[i]);
    bool fresh;
    uint32_t id = intern_add(p->servers_bytes, (str){ (const char *)states, w->server_count * sizeof *states }, &fresh);
    if (!fresh)
        return id;
    MEM_RESERVE(p->servers, p->servers_cap, (size_t)id + 1);
    servers_record *r = &p->servers[id];
    memset(r, 0, sizeof *r);
    r->states = ARENA_ARRAY(p->memory, uint32_t, w->server_count + 1);
    memcpy(r->states, states, w->server_count * sizeof *states);
    r->phase_ms = parts_phase_ms(w);
    r->facts = facts_of(p, w);
    return id;
}

int64_t parts_now_ms(const parts *p, uint32_t servers)
{
    return WORLD_EPOCH_MS + p->servers[servers].phase_ms;
}

void servers_load(parts *p, uint32_t id)
{
    world *w = p->w;
    const servers_record *r = &p->servers[id];
    for (size_t i = 0; i < w->server_count; i++) {
        server *s = &w->servers[i];
        s->asleep |= s->state != r->states[i];
        s->state = r->states[i];
    }
    w->now_ms = parts_now_ms(p, id);
    w->deadline_now = r->facts.deadline_now;
    p->servers_before = id;
}

/* ---- views ---- */

const lock_view *servers_view(parts *p, uint32_t servers, size_t lock, err *e)
{
    servers_record *r = &p->servers[servers];
    if (r->views[lock].taken)
        return &r->views[lock].view;
    servers_load(p, servers);
    lock_view v;
    const known_lock *l = &p->locks[lock];
    if (!view_take(p->w, l->viewer, l->index, l->name, &v, e))
        return NULL;
    r->views[lock].view = view_copy(p->memory, &v);
    r->views[lock].view.lock = l->name;
    r->views[lock].taken = true;
    return &r->views[lock].view;
}

static bool always_broken(parts *p, uint32_t servers, size_t lock, const lock_view *v, bool *broken, err *e)
{
    servers_record *r = &p->servers[servers];
    if (p->sc->has_always && !r->views[lock].always_checked) {
        bool ok = true;
        str why = S("");
        const known_lock *l = &p->locks[lock];
        servers_load(p, servers);
        if (!always_ask(p->w, &(lock_seen){ l->viewer, l->index, v }, p->scratch, &ok, &why, e))
            return false;
        r->views[lock].always_broken = !ok;
    }
    r->views[lock].always_checked = true;
    *broken = r->views[lock].always_broken;
    return true;
}

/* Reports the views that changed since the servers were as `before`; `seen`: the locks visible then. */
bool parts_look(parts *p, uint32_t before, uint32_t after, uint32_t seen, int64_t ms, err *e)
{
    if (p->w->o.mirror)
        return true;
    for (size_t i = 0; i < p->lock_count; i++) {
        if (!(p->mask >> i & 1))
            continue;
        bool known = seen >> i & 1, broken = false;
        if (known && before == after && ms == 0)
            continue;
        const lock_view *is = servers_view(p, after, i, e);
        if (!is || !always_broken(p, after, i, is, &broken, e))
            return false;
        if (broken)
            parts_say_broken(p, PROPERTY_ALWAYS);  /* the model keeps only the first report */
        const lock_view *was = known ? servers_view(p, before, i, e) : NULL;
        if (known && !was)
            return false;
        is = &p->servers[after].views[i].view;
        if (known && view_equal(was, 0, is, ms))
            continue;
        world_emit(p->w, (event){ .kind = EVENT_VIEW, .process = p->w->cause.process, .task = p->w->cause.task,
                                  .who = p->w->cause.who,
                                  .op = p->w->cause.op, .request = p->w->cause.request, .lock = p->locks[i].name,
                                  .view = is });
    }
    return true;
}
