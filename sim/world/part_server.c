/* part_server.c - the servers' states by number; commands that run once, ever; and what the locks look like in each state. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/instant.h"
#include "base/mem.h"
#include "world/parts_internal.h"

/* ---- one server as bytes ---- */

static bool scripts_can_go(const scenario *sc)
{
    return sc->faults[FAULT_SCRIPT_FLUSH].budget + sc->faults[FAULT_WIPE].budget > 0;
}

static bool knows_script(world *w, server *s, const char *sha1)
{
    str argv[] = { S("SCRIPT"), S("EXISTS"), str_from(sha1) };
    reply r = redis_execute(server_redis(s), s->reader, argv, COUNT(argv), w->now_ms, w->step_memory);
    return r.kind == REPLY_ARRAY && r.count == 1 && r.items[0].integer == 1;
}

static int by_sha1(const void *x, const void *y)
{
    return strcmp((*(const script_file *const *)x)->sha1, (*(const script_file *const *)y)->sha1);
}

static void put_frozen(world *w, redis *r, buf *out)
{
    buf frozen = { 0 };
    redis_fold(r, w->now_ms, &frozen);
    buf_lenstr(out, buf_str(&frozen));
    buf_clear(&frozen);
    redis_freeze_random(r, &frozen);
    buf_lenstr(out, buf_str(&frozen));
    buf_free(&frozen);
}

static void put_server(world *w, server *s, buf *out)
{
    put_frozen(w, server_redis(s), out);
    buf_u64(out, s->lagging);
    if (s->lagging) {
        buf_u64(out, (uint64_t)(s->lag_until_ms - w->now_ms));
        buf_u64(out, (uint64_t)(s->replica_at_ms - w->now_ms));
        buf_lenstr(out, buf_str(&s->replica));
    }
    buf_u64(out, s->history_count);
    for (size_t i = 0; i < s->history_count; i++) {
        buf_u64(out, (uint64_t)(s->history[i].at_ms - w->now_ms));
        buf_lenstr(out, buf_str(&s->history[i].frozen));
    }
    if (!scripts_can_go(w->sc))
        return;
    if (s->script_count)
        qsort(s->scripts, s->script_count, sizeof *s->scripts, by_sha1);
    buf_u64(out, s->script_count);
    for (size_t i = 0; i < s->script_count; i++) {
        buf_byte(out, knows_script(w, s, s->scripts[i]->sha1) ? 'y' : 'n');
        buf_lenstr(out, str_from(s->scripts[i]->sha1));
    }
}

typedef struct { const char *p; } reader;

uint64_t part_u64(const char **at)
{
    uint64_t v = 0;
    for (size_t b = 8; b-- > 0;)
        v = v << 8 | (unsigned char)(*at)[b];
    *at += 8;
    return v;
}

static uint64_t get_u64(reader *r)
{
    return part_u64(&r->p);
}

static str get_str(reader *r)
{
    size_t n = get_u64(r);
    str s = { r->p, n };
    r->p += n;
    return s;
}

static void get_buf(reader *r, buf *out)
{
    buf_clear(out);
    buf_add(out, get_str(r));
}

/* Scripts that a server knew or was taught before; their texts are the client's. */
static void get_scripts(parts *p, server *s, reader *r)
{
    redis_flush_scripts(s->r);
    s->script_count = 0;
    size_t count = get_u64(r);
    for (size_t i = 0; i < count; i++) {
        bool known = *r->p++ == 'y';
        str sha1 = get_str(r);
        for (size_t k = 0; k < p->script_count; k++) {
            if (!str_eq(str_from(p->scripts[k]->sha1), sha1))
                continue;
            str why;
            if (known)
                redis_load_script(s->r, p->scripts[k]->body, p->scratch, &why);
            MEM_RESERVE(s->scripts, s->script_cap, s->script_count + 1);
            s->scripts[s->script_count++] = p->scripts[k];
        }
    }
}

void parts_wake(server *s)
{
    world *w = s->w;
    reader r = { intern_get(w->parts->server_bytes, s->state).p };
    s->asleep = false;
    redis_unfold(s->r, w->now_ms, get_str(&r));
    redis_thaw_random(s->r, get_str(&r));
    s->lagging = get_u64(&r);
    if (s->lagging) {
        s->lag_until_ms = w->now_ms + (int64_t)get_u64(&r);
        s->replica_at_ms = w->now_ms + (int64_t)get_u64(&r);
        get_buf(&r, &s->replica);
    }
    redis_set_acks(s->r, server_followers(w, s));
    server_forget_history(s);
    s->history_count = get_u64(&r);
    for (size_t i = 0; i < s->history_count; i++) {
        s->history[i].at_ms = w->now_ms + (int64_t)get_u64(&r);
        s->history[i].frozen = (buf){ 0 };
        get_buf(&r, &s->history[i].frozen);
    }
    if (scripts_can_go(w->sc))
        get_scripts(w->parts, s, &r);
}

/* The number of one server's state. */
static uint32_t server_save(parts *p, world *w, server *s)
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
        redis_each_instant(server_redis(&w->servers[s]), w->now_ms, INSTANT_WINDOW_MS, collect_number, &c);
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
    r->facts = facts_of(p, w);
    return id;
}

/* Makes the servers' connections subscribe to what the nodes of the step's environment are subscribed to. */
static void subscribe(parts *p, redis *r, size_t s, redis_conn *const *subscribers, int64_t now_ms)
{
    world *w = p->w;
    str list = intern_get(p->channels, p->channels_now);
    for (size_t q = 0; q < w->node_count; q++) {
        str leave[] = { S("UNSUBSCRIBE"), S("PUNSUBSCRIBE"), S("SUNSUBSCRIBE") };
        for (size_t i = 0; i < COUNT(leave); i++)
            redis_execute(r, subscribers[q], &leave[i], 1, now_ms, p->scratch);
        uint32_t id;
        memcpy(&id, list.p + q * sizeof id, sizeof id);
        reader at = { intern_get(p->channel_bytes, id).p };
        for (size_t k = 0; k <= s; k++) {
            size_t count = get_u64(&at);
            for (size_t i = 0; i < count; i++) {
                str name = get_str(&at);
                str argv[] = { name.p[0] == 'p' ? S("PSUBSCRIBE") : name.p[0] == 's' ? S("SSUBSCRIBE") : S("SUBSCRIBE"), str_slice(name, 1, name.n) };
                if (k == s)
                    redis_execute(r, subscribers[q], argv, 2, now_ms, p->scratch);
            }
        }
    }
}

static void subscribe_all(parts *p)
{
    world *w = p->w;
    if (p->channels_set == p->channels_now)
        return;
    for (size_t s = 0; s < w->server_count; s++) {
        redis_conn **list = ARENA_ARRAY(p->scratch, redis_conn *, w->node_count + 1);
        for (size_t q = 0; q < w->node_count; q++)
            list[q] = w->nodes[q].subscribers[s];
        subscribe(p, w->servers[s].r, s, list, w->now_ms);
    }
    p->channels_set = p->channels_now;
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
    w->deadline_now = r->facts.deadline_now;
    p->servers_before = id;
}

/* ---- commands ---- */

static void letters_of(const parts *p, uint32_t mail, const mail_record **out)
{
    *out = mail == PART_NONE ? NULL : &p->mails[mail];
}

static uint32_t message_id(parts *p, size_t server, const message *m)
{
    buf b = { 0 };
    buf_u64(&b, server);
    str all = buf_str(&m->text);
    buf_lenstr(&b, str_slice(all, 0, m->channel_n));
    buf_lenstr(&b, str_slice(all, m->channel_n, m->channel_n + m->payload_n));
    buf_lenstr(&b, str_slice(all, m->channel_n + m->payload_n, all.n));
    uint32_t id = intern_add(p->messages, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

static uint32_t mail_add(parts *p, const letter *letters, size_t count)
{
    if (count == 0)
        return PART_NONE;
    bool fresh;
    uint32_t id = intern_add(p->mail_bytes, (str){ (const char *)letters, count * sizeof *letters }, &fresh);
    if (!fresh)
        return id;
    MEM_RESERVE(p->mails, p->mail_cap, (size_t)id + 1);
    p->mails[id].items = ARENA_ARRAY(p->memory, letter, count);
    memcpy(p->mails[id].items, letters, count * sizeof *letters);
    p->mails[id].count = count;
    return id;
}

/* Messages beyond the first `have[q]` of process q, all servers. */
static uint32_t mail_since(parts *p, size_t have[][SERVERS_MAX], uint32_t but)
{
    world *w = p->w;
    letter *letters = NULL;
    size_t count = 0, cap = 0;
    for (uint32_t q = 0; q < w->node_count; q++)
        for (size_t s = 0; q != but && s < w->server_count; s++)
            for (size_t i = have ? have[q][s] : 0; i < w->nodes[q].messages[s].count; i++) {
                MEM_RESERVE(letters, cap, count + 1);
                letters[count++] = (letter){ q, message_id(p, s, &w->nodes[q].messages[s].items[i]) };
            }
    uint32_t id = mail_add(p, letters, count);
    mem_free(letters);
    return id;
}

uint32_t mail_take(parts *p, uint32_t but)
{
    return mail_since(p, NULL, but);
}

bool parts_letter(const parts *p, uint32_t mail, size_t i, uint32_t *process, uint32_t *message)
{
    const mail_record *m;
    letters_of(p, mail, &m);
    if (!m || i >= m->count)
        return false;
    *process = m->items[i].process;
    *message = m->items[i].message;
    return true;
}

void message_put(parts *p, uint32_t process, uint32_t id)
{
    world *w = p->w;
    reader r = { intern_get(p->messages, id).p };
    size_t s = get_u64(&r);
    str channel = get_str(&r), payload = get_str(&r), pattern = get_str(&r);
    message_add(&w->nodes[process].messages[s], channel, payload, pattern, w->now_ms);
}

void parts_published(parts *p)
{
    p->published = true;
}

void parts_unsubscribed(parts *p)
{
    p->channels_set = PART_NONE;
}

static uint32_t command_id(parts *p, const flight *f)
{
    buf b = { 0 };
    buf_u64(&b, (uint64_t)f->server << 1 | f->dead);
    for (size_t i = 0; i < f->argc; i++)
        buf_lenstr(&b, f->argv[i]);
    uint32_t id = intern_add(p->commands, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

void shadow_open(parts *p)
{
    world *w = p->w;
    p->shadow = redis_new(w->o.limits);
    p->shadow_conn = redis_connect(p->shadow, network_conn_id(w, 0, 0, false));
    p->shadow_subscribers = ARENA_ARRAY(p->memory, redis_conn *, w->node_count + 1);
    for (uint32_t q = 0; q < w->node_count; q++)
        p->shadow_subscribers[q] = redis_connect(p->shadow, network_conn_id(w, q, 0, true));
}

/* The same command on the same state so much later must do the same but for the shift. */
static void compare_epoch(parts *p, const flight *f, uint32_t before, const run_record *run, int64_t shift_ms)
{
    world *w = p->w;
    int64_t far_ms = w->now_ms + shift_ms;
    reader r = { intern_get(p->server_bytes, before).p };
    redis_unfold(p->shadow, far_ms, get_str(&r));
    redis_thaw_random(p->shadow, get_str(&r));
    redis_set_acks(p->shadow, server_followers(w, &w->servers[f->server]));
    subscribe(p, p->shadow, f->server, p->shadow_subscribers, far_ms);
    str why;
    if (run->flushed)
        redis_flush_scripts(p->shadow);
    else if (f->script)
        redis_load_script(p->shadow, f->script->body, p->scratch, &why);
    flight twin = *f;
    twin.argv = ARENA_ARRAY(p->scratch, str, f->argc + 1);
    for (size_t i = 0; i < f->argc; i++)
        twin.argv[i] = instant_move_word(p->scratch, f->argv[i], w->now_ms, shift_ms);
    reply answer = network_run(w, p->shadow, &twin, p->shadow_conn, NULL, far_ms, p->scratch);
    p->script_runs++;
    buf here = { 0 }, there = { 0 };
    instant_put_reply(&here, &run->answer, w->now_ms);
    instant_put_reply(&there, &answer, far_ms);
    redis_fold(server_redis(&w->servers[f->server]), w->now_ms, &here);
    redis_fold(p->shadow, far_ms, &there);
    if (!str_eq(buf_str(&here), buf_str(&there)) && !p->why_absolute.n)
        p->why_absolute = arena_printf(p->memory, "what %.*s does depends on the time of day", STR_ARG(f->op));
    buf_free(&here);
    buf_free(&there);
}

/* Far beyond the window in which numbers are taken for instants, and alike in no unit that people count time in: who asks for the last
 * digit of the seconds, or which half of a minute it is, has four chances to be noticed. */
static void compare_epochs(parts *p, const flight *f, uint32_t before, const run_record *run)
{
    static const int64_t shifts_ms[] = { INT64_C(987654321987), INT64_C(2718281828459), INT64_C(1414213566373), INT64_C(3141592653589) };
    for (size_t i = 0; i < COUNT(shifts_ms) && !p->why_absolute.n; i++)
        compare_epoch(p, f, before, run, shifts_ms[i]);
}

static uint32_t run_for_the_first_time(parts *p, flight *f, uint32_t before)
{
    world *w = p->w;
    server *s = &w->servers[f->server];
    node *n = &w->nodes[f->process];
    redis *r = server_redis(s);
    subscribe_all(p);
    size_t (*have)[SERVERS_MAX] = mem_zero((w->node_count + 1) * sizeof *have);
    for (size_t q = 0; q < w->node_count; q++)
        for (size_t v = 0; v < w->server_count; v++)
            have[q][v] = w->nodes[q].messages[v].count;
    size_t said = p->said_count;
    p->published = str_starts_nocase(f->argc ? f->argv[0] : S(""), S("PUB")) || str_starts_nocase(f->argc ? f->argv[0] : S(""), S("SPUB"));
    run_record run = { .flushed = f->script && scripts_can_go(w->sc) && !knows_script(w, s, f->script->sha1) };
    reply answer = network_run(w, r, f, n->conns[f->server], n->subscribers[f->server], w->now_ms, p->scratch);
    run.answer = reply_copy(p->memory, &answer);
    p->script_runs++;
    run.mail = mail_since(p, have, NOBODY);
    mem_free(have);
    run.finding_count = p->said_count - said;
    run.findings = ARENA_ARRAY(p->memory, event, run.finding_count + 1);
    for (size_t i = 0; i < run.finding_count; i++)
        run.findings[i] = event_copy(p->memory, &p->said[said + i]);
    if (!flight_is_pubsub(f) && !f->dead)
        compare_epochs(p, f, before, &run);
    run.state = server_save(p, w, s);
    MEM_RESERVE(p->run_list, p->run_cap, p->run_count + 1);
    p->run_list[p->run_count] = run;
    return (uint32_t)p->run_count++;
}

/* The first run is over, and the server is as that left it. */
static void judge_again(parts *p, server *s, const flight *f, run_record *run)
{
    if (!again_judged(p->w, f))
        return;
    if (run->again == AGAIN_UNKNOWN) {
        run->again = again_changes(p->w, server_redis(s), f) ? AGAIN_CHANGES : AGAIN_THE_SAME;
        p->script_runs++;
    }
    if (run->again == AGAIN_CHANGES)
        parts_say_broken(p, PROPERTY_IDEMPOTENT);
}

void parts_execute(world *w, flight *f)
{
    parts *p = w->parts;
    server *s = &w->servers[f->server];
    if (flight_is_pubsub(f)) {         /* what it does lies in its connection: it runs each time */
        subscribe_all(p);
        f->answer = network_run(w, server_redis(s), f, NULL, w->nodes[f->process].subscribers[f->server], w->now_ms, f->memory);
        p->channels_set = PART_NONE;
        return;
    }
    uint32_t before = server_save(p, w, s), command = command_id(p, f);
    uint32_t run = map3_get(&p->runs, before, command, PART_NONE);
    if (run == PART_NONE)
        run = map3_get(&p->runs, before, command, p->channels_now);
    if (run == PART_NONE) {
        run = run_for_the_first_time(p, f, before);
        map3_put(&p->runs, before, command, p->published ? p->channels_now : PART_NONE, run);
        f->answer = reply_copy(f->memory, &p->run_list[run].answer);
        judge_again(p, s, f, &p->run_list[run]);
        return;
    }
    run_record *r = &p->run_list[run];
    f->answer = reply_copy(f->memory, &r->answer);
    for (size_t i = 0; i < r->finding_count; i++) {
        event e = r->findings[i];
        e.process = f->process;
        e.task = f->task;
        e.who = f->who;
        e.request = f->number;
        world_emit(w, e);
    }
    const mail_record *m;
    letters_of(p, r->mail, &m);
    for (size_t i = 0; m && i < m->count; i++)
        message_put(p, m->items[i].process, m->items[i].message);
    if (s->state != r->state) {
        s->asleep = true;
        s->state = r->state;
    }
    judge_again(p, s, f, r);
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
        if (!process_always(p->locks[lock].viewer, v, p->w->now_ms, p->scratch, &ok, &why, e))
            return false;
        r->views[lock].always_broken = !ok;
    }
    r->views[lock].always_checked = true;
    *broken = r->views[lock].always_broken;
    return true;
}

/* What changed for the locks in sight since the servers were as `before`; `seen` were in sight then. */
bool parts_look(parts *p, uint32_t before, uint32_t after, uint32_t seen, int64_t ms, err *e)
{
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
            parts_say_broken(p, PROPERTY_ALWAYS);  /* the model keeps only the first time */
        const lock_view *was = known ? servers_view(p, before, i, e) : NULL;
        if (known && !was)
            return false;
        is = &p->servers[after].views[i].view;
        if (known && view_equal(was, 0, is, ms))
            continue;
        world_emit(p->w, (event){ .kind = EVENT_VIEW, .process = p->w->cause.process, .task = p->w->cause.task, .who = p->w->cause.who,
                                  .op = p->w->cause.op, .request = p->w->cause.request, .lock = p->locks[i].name, .view = is });
    }
    return true;
}
