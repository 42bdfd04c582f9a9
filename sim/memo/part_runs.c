/* part_runs.c - commands: each runs once on each state of its server, and again at other instants, where its effect
 * must be equal. */
#include <string.h>

#include "base/instant_text.h"
#include "base/mem.h"
#include "script/script.h"
#include "memo/parts_internal.h"

/* Gives the servers' connections the subscriptions of the step's environment. */
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
        str at = intern_get(p->channel_bytes, id);
        for (size_t k = 0; k <= s; k++) {
            size_t count = take_u64(&at);
            for (size_t i = 0; i < count; i++) {
                str name = take_lenstr(&at);
                str argv[] = { name.p[0] == 'p' ? S("PSUBSCRIBE") : name.p[0] == 's' ? S("SSUBSCRIBE") : S("SUBSCRIBE"),
                               str_slice(name, 1, name.n) };
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
        subscribe(p, w->servers[s].r, s, list, server_now_ms(&w->servers[s]));
        for (uint32_t q = 0; q < w->node_count && w->o.mirror; q++)
            list[q] = mirror_conn(&w->servers[s], network_conn_id(w, q, (uint32_t)s, true));
        if (w->o.mirror)
            subscribe(p, w->servers[s].second, s, list, server_now_ms(&w->servers[s]));
    }
    p->channels_set = p->channels_now;
}

void parts_subscribe(parts *p) { subscribe_all(p); }

/* ---- the second epoch ---- */

void parts_published(parts *p)
{
    p->published = true;
}

void parts_unsubscribed(parts *p)
{
    p->channels_set = PART_NONE;
}

/* A connection holds state in this state of the server, or will after this command. */
static bool in_transaction(const parts *p, const flight *f)
{
    str at = intern_get(p->server_bytes, p->w->servers[f->server].state);
    for (int i = 0; i < 3; i++)        /* skips the keyspace, random draws, waiting pops */
        take_lenstr(&at);
    return !f->dead && (take_lenstr(&at).n > 0 || (f->argc > 0 && redis_command_remembers(f->argv[0])));
}

static uint32_t command_id(parts *p, const flight *f)
{
    buf b = { 0 };
    /* the history that replicas may lack: server_before */
    bool remembers = p->sc->replicas > 0 && p->w->budget[FAULT_FAILOVER] > 0;
    buf_u64(&b, (uint64_t)f->server << 4 | (uint64_t)f->moving << 3 | (uint64_t)f->oom << 2 | (uint64_t)remembers << 1 |
            f->dead);
    if (in_transaction(p, f))          /* its effect depends on the state of its connection */
        buf_u64(&b, (uint64_t)f->process << 32 | UINT32_MAX);
    if (f->argc > 0 && redis_command_waits(f->argv[0])) {      /* it may wait at the server, under its name */
        buf_u64(&b, (uint64_t)f->process << 32 | f->slot);
        buf_byte(&b, f->orphan);
    }
    if (f->script && str_eq(f->argv[0], S("FCALL")))           /* otherwise its hash is among the words */
        buf_addz(&b, f->script->sha1);
    for (size_t i = 0; i < f->argc; i++)
        buf_lenstr(&b, f->argv[i]);
    if (p->w->outline)     /* only follow.h lets time pass between steps, where an answer may be an instant */
        buf_u64(&b, (uint64_t)(p->w->now_ms - WORLD_EPOCH_MS));
    uint32_t id = intern_add(p->commands, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

/* ---- messages, by receiver ---- */

static void put_message(const parts *p, buf *b, str channel, str payload, str pattern, int64_t now_ms)
{
    buf_lenstr(b, channel);
    instant_text_put(b, payload, p->instants, now_ms);
    buf_lenstr(b, pattern);
}

static void on_shadow_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    parts *p = context;
    for (size_t q = 0; q < p->w->node_count; q++)
        if (conn == network_conn_id(p->w, (uint32_t)q, 0, true))
            put_message(p, &p->shadow_said[q], channel, payload, pattern, p->shadow_now_ms);
}

/* What the shadow has said since the last call. */
static void put_shadow_said(parts *p, buf *b)
{
    for (size_t q = 0; q < p->w->node_count; q++) {
        buf_lenstr(b, buf_str(&p->shadow_said[q]));
        buf_clear(&p->shadow_said[q]);
    }
}

/* What the server has said beyond the first have[q][server] messages of process q. */
static str said_since(parts *p, size_t have[][SERVERS_MAX], uint32_t server)
{
    buf all = { 0 }, b = { 0 };
    for (size_t q = 0; q < p->w->node_count; q++) {
        const message_queue *to = &p->w->nodes[q].messages[server];
        buf_clear(&b);
        for (size_t i = have[q][server]; i < to->count; i++) {
            const message *m = &to->items[i];
            str text = buf_str(&m->text);
            size_t payload_end = m->channel_n + m->payload_n;
            put_message(p, &b, str_slice(text, 0, m->channel_n), str_slice(text, m->channel_n, payload_end),
                        str_slice(text, payload_end, text.n), p->w->now_ms);
        }
        buf_lenstr(&all, buf_str(&b));
    }
    str said = arena_str(p->scratch, buf_str(&all));
    buf_free(&all);
    buf_free(&b);
    return said;
}

void shadow_open(parts *p)
{
    world *w = p->w;
    p->shadow = redis_new(w->o.limits);
    p->shadow_subscribers = ARENA_ARRAY(p->memory, redis_conn *, w->node_count + 1);
    p->shadow_said = mem_zero((w->node_count + 1) * sizeof *p->shadow_said);
    redis_observe(p->shadow, &(redis_observer){ .context = p, .message = on_shadow_message });
    for (uint32_t q = 0; q < w->node_count; q++)
        p->shadow_subscribers[q] = redis_connect(p->shadow, network_conn_id(w, q, 0, true));
}

/* One version's run: the command, the keyspace before it, the keyspace, the answer and the messages after it. */
typedef struct {
    const flight *f;
    str before;    /* as keyspace_load reads it */
    redis *after;
    const reply *answer;
    const str *said;       /* said_since; NULL: the mirror compares them */
    bool flushed;
} version_run;

/* Compares with a run of the same command on the same state shift_ms later: all must be equal except for the shift. */
static void compare_epoch(parts *p, const version_run *run, int64_t shift_ms)
{
    world *w = p->w;
    const flight *f = run->f;
    int64_t far_ms = w->now_ms + shift_ms, here_ms = server_now_ms(&w->servers[f->server]),
                     there_ms = here_ms + shift_ms;
    str r = run->before;
    keyspace_load(p->shadow, there_ms, &r);
    redis_set_acks(p->shadow, server_followers(w, &w->servers[f->server]));
    subscribe(p, p->shadow, f->server, p->shadow_subscribers, there_ms);
    str why;
    if (run->flushed)
        redis_forget_scripts(p->shadow);
    else if (f->script)
        redis_load_script(p->shadow, f->script->body, p->scratch, &why);
    flight shifted = *f;
    shifted.argv = ARENA_ARRAY(p->scratch, str, f->argc + 1);
    for (size_t i = 0; i < f->argc; i++)
        shifted.argv[i] = instant_text_move(p->scratch, f->argv[i], p->instants, w->now_ms, far_ms);
    uint32_t id = network_conn_id(w, f->process, f->server, false);
    redis_conn *known = redis_connection(p->shadow, id), *conn = known ? known : redis_connect(p->shadow, id);
    p->shadow_now_ms = far_ms;
    reply answer = network_run(w, p->shadow, &shifted, conn, NULL, there_ms, p->scratch);
    p->script_runs++;
    buf here = { 0 }, there = { 0 }, said = { 0 };
    put_shadow_said(p, &said);
    if (run->said) {
        buf_add(&here, *run->said);
        buf_add(&there, buf_str(&said));
    }
    buf_free(&said);
    instant_put_reply(&here, run->answer, p->instants, w->now_ms);
    instant_put_reply(&there, &answer, p->instants, far_ms);
    redis_fold(run->after, here_ms, &here);
    redis_fold(p->shadow, there_ms, &there);
    redis_freeze_waiting(run->after, here_ms, &here);
    redis_freeze_waiting(p->shadow, there_ms, &there);
    redis_freeze_transactions(run->after, here_ms, &here);
    redis_freeze_transactions(p->shadow, there_ms, &there);
    if (!str_eq(buf_str(&here), buf_str(&there)) && !p->why_absolute.n)
        p->why_absolute = arena_printf(p->memory, "what %.*s does depends on the time of day", STR_ARG(f->op));
    buf_free(&here);
    buf_free(&there);
}

/* Far beyond the window of instants, and different modulo every unit of time: a script that reads the last digit of the
 * seconds, or the half of a minute, has four chances to be noticed. */
const int64_t part_shifts_ms[PART_SHIFTS] = { INT64_C(987654321987), INT64_C(2718281828459), INT64_C(1414213566373),
                                              INT64_C(3141592653589) };

/* By full seconds, and so that a double keeps as many digits behind its point: from 2^30 to 2^31 seconds, and as far in
 * finer units. */
static const int64_t seconds_shifts_ms[PART_SHIFTS] = { INT64_C(398765432000), INT64_C(271828182000),
                                                        INT64_C(141421356000), INT64_C(314159265000) };

static void compare_epochs(parts *p, const version_run *run)
{
    const int64_t *shifts_ms = p->w->o.limits.instants == INSTANTS_SECONDS ? seconds_shifts_ms : part_shifts_ms;
    for (size_t i = 0; i < PART_SHIFTS && !p->why_absolute.n; i++)
        compare_epoch(p, run, shifts_ms[i]);
}

/* Runs the command on the second keyspace as on the first one, and both at other instants. */
static bool run_versions(parts *p, flight *f, uint32_t before, size_t have[][SERVERS_MAX], run_record *run, err *e)
{
    world *w = p->w;
    server *s = &w->servers[f->server];
    reply second;
    if (s->second && !w->o.mirror->execute(w->o.mirror, w, f, run->waits_ms, &run->differ, &second, e))
        return false;
    if (flight_is_pubsub(f) || f->dead)
        return true;
    str said = said_since(p, have, f->server);
    version_run v = { .f = f, .before = intern_get(p->server_bytes, before), .after = s->r, .answer = &run->answer,
                      .said = &said, .flushed = run->flushed };
    compare_epochs(p, &v);
    if (w->o.orders)
        orders_ask(w->o.orders, &(order_question){ .keyspace = intern_get(p->server_bytes, before), .argv = f->argv,
                                                   .argc = f->argc,
                                                   .script = f->script, .op = f->op, .now_ms = server_now_ms(s) });
    if (!s->second)
        return true;
    flight other = w->o.mirror->translate(w->o.mirror, f, p->scratch);
    keyspace_skip(&v.before);
    v.f = &other;
    v.after = s->second;
    v.answer = &second;
    v.said = NULL;
    compare_epochs(p, &v);
    return true;
}

/* ---- for trials of another text ---- */

static str subscribed_text(parts *p, uint32_t server)
{
    buf b = { 0 };
    str list = intern_get(p->channels, p->channels_now);
    for (size_t q = 0; q < p->w->node_count; q++) {
        uint32_t id;
        memcpy(&id, list.p + q * sizeof id, sizeof id);
        str at = intern_get(p->channel_bytes, id);
        for (size_t s = 0; s <= server; s++) {
            size_t count = take_u64(&at);
            if (s == server)
                buf_u64(&b, count);
            for (size_t i = 0; i < count; i++) {
                str name = take_lenstr(&at);
                if (s == server)
                    buf_lenstr(&b, name);
            }
        }
    }
    str text = arena_str(p->scratch, buf_str(&b));
    buf_free(&b);
    return text;
}

/* Scripts that are sent by hand, as a text, or within EXEC are not recorded: what clients send depends on their text
 * then. */
static bool hides_a_script(const flight *f)
{
    static const char *const names[] = { "EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "SCRIPT", "MULTI", "FCALL",
                                         "FCALL_RO", "FUNCTION" };
    for (size_t i = 0; i < COUNT(names) && f->argc > 0; i++)
        if (str_eq_nocase(f->argv[0], str_from(names[i])))
            return true;
    return false;
}

static void take_down(parts *p, const flight *f, uint32_t before)
{
    world *w = p->w;
    if (!p->trials)
        return;
    if (!f->script || f->script->path.n == 0) {
        if (f->script || hides_a_script(f))
            trials_spoil(p->trials);
        return;
    }
    trials_add(p->trials, &(trial){ .path = f->script->path, .body = f->script->body,
                                      .keyspace = intern_get(p->server_bytes, before),
                                      .subscribed = subscribed_text(p, f->server), .argv = f->argv, .argc = f->argc,
                                      .now_ms = server_now_ms(&w->servers[f->server]) });
}

static double *numbers_keep(parts *p, const double *list, size_t count)
{
    double *kept = ARENA_ARRAY(p->memory, double, count + 1);
    if (count > 0)
        memcpy(kept, list, count * sizeof *list);
    return kept;
}

/* PART_NONE: the second version cannot be run. */
static uint32_t run_for_the_first_time(parts *p, flight *f, uint32_t before, err *e)
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
    size_t said = p->said_count, served = p->served_count;
    p->published = w->sc->notify || str_starts_nocase(f->argc ? f->argv[0] : S(""), S("PUB")) ||
                   str_starts_nocase(f->argc ? f->argv[0] : S(""), S("SPUB"));
    take_down(p, f, before);
    outline *heard = w->heard, here = { .began_ms = w->now_ms };
    w->heard = &here;
    run_record run = { .flushed = f->script && server_scripts_can_go(w->sc) && !server_knows(w, s, f->script->sha1) };
    int64_t queued = redis_conn_queued(n->conns[f->server]);
    uint64_t late = redis_late_deadlines(r);
    reply answer = network_run(w, r, f, n->conns[f->server], n->subscribers[f->server], server_now_ms(s), p->scratch);
    run.queuing = connections_queuing(n->conns[f->server], f, queued);
    run.too_late = redis_late_deadlines(r) > late;
    run.answer = reply_copy(p->memory, &answer);
    f->answer = run.answer;
    p->script_runs++;
    w->heard = NULL;
    follow_note_answer(&here, f->script, f->argv, f->argc, &run.answer);
    run.heard = (outline){ .print = here.print, .count = here.count,
                           .numbers = numbers_keep(p, here.numbers, here.count),
                           .compared = numbers_keep(p, here.compared, here.compared_count),
                           .compared_count = here.compared_count, .used = here.used, .unknown = here.unknown };
    outline_free(&here);
    run.mail = mail_since(p, have, served, NOBODY);
    run.waits_ms = network_waits_ms(r, f, server_now_ms(s));
    bool ok = (w->outline && !s->second) || run_versions(p, f, before, have, &run, e);
    mem_free(have);
    w->heard = heard;
    if (!ok)
        return PART_NONE;
    run.finding_count = p->said_count - said;
    run.findings = ARENA_ARRAY(p->memory, event, run.finding_count + 1);
    for (size_t i = 0; i < run.finding_count; i++)
        run.findings[i] = event_copy(p->memory, &p->said[said + i]);
    run.state = server_save(p, w, s);
    MEM_RESERVE(p->run_list, p->run_cap, p->run_count + 1);
    p->run_list[p->run_count] = run;
    return (uint32_t)p->run_count++;
}

/* After the first run: `server` is as that run left it. */
static void judge_again(parts *p, server *s, const flight *f, run_record *run)
{
    if (!again_judged(p->w, f))
        return;
    if (run->again == AGAIN_UNKNOWN) {
        take_down(p, f, run->state);
        run->again = again_changes(p->w, server_redis(s), f) ? AGAIN_CHANGES : AGAIN_THE_SAME;
        p->script_runs++;
    }
    if (run->again == AGAIN_CHANGES)
        parts_say_broken(p, PROPERTY_IDEMPOTENT);
}

static void say_difference(parts *p, const run_record *run)
{
    if (run->differ & (DIFFER_ANSWER | DIFFER_MESSAGE))
        parts_say_broken(p, PROPERTY_EQUIVALENT);
    if (run->differ & DIFFER_KEYS)
        parts_say_broken(p, PROPERTY_SAME_KEYS);
}

/* Applies what the first run said and did. */
static void take_over(parts *p, server *s, flight *f, const run_record *r)
{
    world *w = p->w;
    f->answer = reply_copy(f->memory, &r->answer);
    for (size_t i = 0; i < r->finding_count; i++) {
        event e = r->findings[i];
        e.process = f->process;
        e.task = f->task;
        e.who = f->who;
        e.request = f->number;
        world_emit(w, e);
    }
    const mail_record *m = mail_of(p, r->mail);
    for (size_t i = 0; m && i < m->count; i++)
        message_put(p, m->items[i].process, m->items[i].message);
    if (s->state != r->state) {
        s->asleep = true;
        s->state = r->state;
    }
}

static uint32_t find_run(map3 *runs, const parts *p, uint32_t before, uint32_t command)
{
    uint32_t run = map3_get(runs, before, command, PART_NONE);
    return run == PART_NONE ? map3_get(runs, before, command, p->channels_now) : run;
}

bool parts_execute(parts *p, flight *f, int64_t *waits_ms, err *e)
{
    world *w = p->w;
    server *s = &w->servers[f->server];
    *waits_ms = -1;
    if (flight_is_pubsub(f)) {         /* its effect lies in its connection: it runs each time */
        subscribe_all(p);
        f->answer = network_run(w, server_redis(s), f, NULL, w->nodes[f->process].subscribers[f->server],
                                server_now_ms(s), f->memory);
        p->channels_set = PART_NONE;
        return true;
    }
    uint32_t before = server_save(p, w, s), command = command_id(p, f);
    uint32_t run = find_run(&p->runs, p, before, command);
    if (run == PART_NONE && w->outline)
        run = find_run(&p->tries, p, before, command);
    if (run == PART_NONE) {
        run = run_for_the_first_time(p, f, before, e);
        if (run == PART_NONE)
            return false;
        map3_put(w->outline ? &p->tries : &p->runs, before, command, p->published ? p->channels_now : PART_NONE, run);
        f->answer = reply_copy(f->memory, &p->run_list[run].answer);
    } else
        take_over(p, s, f, &p->run_list[run]);
    f->queuing = f->dead ? (queuing_record){ 0 } : p->run_list[run].queuing;
    f->too_late = p->run_list[run].too_late;
    if (w->heard)
        outline_add(w->heard, &p->run_list[run].heard);
    judge_again(p, s, f, &p->run_list[run]);
    say_difference(p, &p->run_list[run]);
    *waits_ms = p->run_list[run].waits_ms;
    return true;
}
