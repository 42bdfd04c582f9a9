/* account.c - see account.h. */
#include "drive/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "drive/wire.h"

enum { VALUE_BYTES = 160 };

/* A thread that said that it is inside. */
typedef struct {
    uint32_t client, who;
    str lock;
    bool passed_over;      /* it was paused since: its belief counts no more */
} insider;

/* A key as last told. */
typedef struct {
    uint32_t server;
    str name, value;
    int64_t deadline_ms;   /* INT64_MAX: none */
    bool there;
    bool lock;             /* made by SET NX or SETNX */
    uint32_t maker;
} key_seen;

struct account {
    account_setup setup;
    arena *memory;
    model *judge;
    holdings *held;        /* by the server's account; NULL: there is no table */
    str cause;             /* of the step: the fault that struck the server; "expiry" */
    story story;
    int64_t now_ms;
    uint64_t print, grants;
    bool entered;
    bool *disturbed;       /* each client: it was paused, or its clock set, since it sent its last request */
    uint32_t *refused;     /* each client: the servers, a bit each, that said no to SET NX or SETNX when it asked last;
                            * none once it has got what it wanted */
    insider *inside;
    size_t inside_count, inside_cap;
    key_seen *keys;
    size_t key_count, key_cap;
    /* of the step */
    bool within;
    str token;
    uint32_t client;
    buf did, notes, redis;
    str nx_key;            /* that a command of this step made only if it was absent */
    uint32_t nx_server, looked_at;     /* where; the server that is being looked at */
};

bool account_judges(property p, bool table)
{
    static const property judged[] = { PROPERTY_STRICT_MUTUAL_EXCLUSION, PROPERTY_FENCING, PROPERTY_NO_DEADLOCK,
                                       PROPERTY_NO_LEAK, PROPERTY_LEASE_SET, PROPERTY_NO_BUSY_WAIT };
    for (size_t i = 0; i < COUNT(judged); i++)
        if (judged[i] == p)
            return true;
    return table && holdings_judge(p);
}

account *account_new(const account_setup *setup, int64_t now_ms)
{
    account *a = mem_zero(sizeof *a);
    *a = (account){ .setup = *setup, .memory = arena_new(), .now_ms = now_ms };
    a->refused = ARENA_ARRAY(a->memory, uint32_t, setup->client_count);
    a->disturbed = ARENA_ARRAY(a->memory, bool, setup->client_count);
    model_config config = model_config_default();
    for (int p = 0; p < PROPERTY_COUNT; p++)
        config.judged[p] = account_judges((property)p, false) && !(setup->settled & (1u << p));
    a->judge = model_new(&config, setup->clients, setup->client_count);
    if (setup->table)
        a->held = holdings_new(&(holdings_setup){ .table = setup->table, .clients = setup->clients,
                                                  .client_count = setup->client_count, .settled = setup->settled,
                                                  .servers = setup->servers, .server_count = setup->server_count });
    return a;
}

void account_free(account *a)
{
    if (!a)
        return;
    model_free(a->judge);
    holdings_free(a->held);
    mem_free(a->story.requests);
    mem_free(a->story.rows);
    mem_free(a->story.marks);
    mem_free(a->story.keys);
    mem_free(a->inside);
    mem_free(a->keys);
    buf_free(&a->did);
    buf_free(&a->notes);
    buf_free(&a->redis);
    arena_free(a->memory);
    mem_free(a);
}

/* ---- steps ---- */

void account_begin(account *a, str token, uint32_t client, int64_t now_ms)
{
    a->within = true;
    a->token = arena_str(a->memory, token);
    a->client = client;
    a->now_ms = now_ms;
    a->nx_key = S("");
    a->cause = S("expiry");
    buf_clear(&a->did);
    buf_clear(&a->notes);
    buf_clear(&a->redis);
}

static void add_line(buf *b, str line)
{
    if (b->n)
        buf_byte(b, '\n');
    buf_add(b, line);
}

void account_did(account *a, str did)
{
    add_line(&a->did, did);
}

void account_note(account *a, str note)
{
    if (a->within) {
        add_line(&a->notes, note);
        return;
    }
    a->print = XXH64(note.p, note.n, a->print);
    if (!a->setup.record || a->story.count == 0)
        return;
    story_row *last = &a->story.rows[a->story.count - 1];
    last->notes = last->notes.n ? arena_printf(a->memory, "%.*s\n%.*s", STR_ARG(last->notes), STR_ARG(note))
                  : arena_str(a->memory, note);
}

static void mark(account *a, story_mark m)
{
    story *s = &a->story;
    if (!a->setup.record)
        return;
    m.step = s->count + a->within;
    m.text = arena_str(a->memory, m.text);
    m.who = arena_str(a->memory, m.who);
    m.lock = arena_str(a->memory, m.lock);
    MEM_RESERVE(s->marks, s->mark_cap, s->mark_count + 1);
    s->marks[s->mark_count++] = m;
}

static key_seen *find_key(account *a, uint32_t server, str name)
{
    for (size_t i = 0; i < a->key_count; i++)
        if (a->keys[i].server == server && str_eq(a->keys[i].name, name))
            return &a->keys[i];
    return NULL;
}

static void keep_key(account *a, const key_seen *k, bool gone)
{
    story *s = &a->story;
    if (!a->setup.record)
        return;
    MEM_RESERVE(s->keys, s->key_cap, s->key_count + 1);
    s->keys[s->key_count++] = (story_key){ .step = s->count + 1, .server = k->server, .name = k->name,
                                           .value = gone ? S("") : k->value,
                                           .deadline_ms = k->deadline_ms, .gone = gone,
                                           .expired = gone && k->deadline_ms < a->now_ms };
}

/* "2: order:42 gone" where there are several servers. */
static void add_key_line(account *a, uint32_t server, str line)
{
    add_line(&a->redis, a->setup.server_count > 1 ? arena_printf(a->memory, "%u: %.*s", server + 1, STR_ARG(line))
                        : line);
}

static void see_key(void *context, str name, str shown, int64_t ttl_ms)
{
    account *a = context;
    key_seen *k = find_key(a, a->looked_at, name);
    int64_t deadline_ms = ttl_ms < 0 ? INT64_MAX : a->now_ms + ttl_ms;
    bool fresh = !k;
    if (fresh) {
        MEM_RESERVE(a->keys, a->key_cap, a->key_count + 1);
        k = &a->keys[a->key_count++];
        *k = (key_seen){ .server = a->looked_at, .name = arena_str(a->memory, name), .maker = a->client,
                         .lock = a->nx_server == a->looked_at && str_eq(a->nx_key, name) };
    }
    k->there = true;
    str value = str_slice(shown, 0, VALUE_BYTES);
    if (!fresh && k->deadline_ms == deadline_ms && str_eq(k->value, value))
        return;
    k->deadline_ms = deadline_ms;
    k->value = arena_str(a->memory, value);
    keep_key(a, k, false);
    str line = ttl_ms < 0 ? arena_printf(a->memory, "%.*s %.*s", STR_ARG(name), STR_ARG(value))
                          : arena_printf(a->memory, "%.*s %.*s  ttl %" PRId64, STR_ARG(name), STR_ARG(value), ttl_ms);
    add_key_line(a, k->server, line);
}

static void survey(account *a)
{
    arena *room = arena_new();
    for (size_t i = 0; i < a->key_count; i++)
        a->keys[i].there = false;
    for (a->looked_at = 0; a->looked_at < a->setup.server_count; a->looked_at++)
        redis_each_key(a->setup.servers[a->looked_at], a->now_ms, room, see_key, a);
    size_t kept = 0;
    for (size_t i = 0; i < a->key_count; i++) {
        key_seen *k = &a->keys[i];
        if (k->there) {
            a->keys[kept++] = *k;
            continue;
        }
        add_key_line(a, k->server, arena_printf(a->memory, "%.*s %s", STR_ARG(k->name),
                                                k->deadline_ms < a->now_ms ? "expired" : "gone"));
        keep_key(a, k, true);
    }
    a->key_count = kept;
    arena_free(room);
}

/* A lock's key that its own request left without an expiry. */
static void judge_lease(account *a)
{
    const key_seen *k = a->nx_key.n ? find_key(a, a->nx_server, a->nx_key) : NULL;
    if (!k || k->deadline_ms != INT64_MAX)
        return;
    str by = a->client < a->setup.client_count ? a->setup.clients[a->client] : S("somebody");
    model_report(a->judge, PROPERTY_LEASE_SET, a->now_ms,
                 arena_printf(a->memory, "The key \"%.*s\" that %.*s took has no TTL.", STR_ARG(k->name), STR_ARG(by)),
                 arena_printf(a->memory, "If %.*s dies now, no client gets it again. SET with NX and PX sets both at "
                              "once.", STR_ARG(by)));
}

void account_end(account *a)
{
    survey(a);
    if (a->held)
        holdings_look(a->held, a->now_ms, a->cause);
    else
        judge_lease(a);
    model_event(a->judge, &(event){ .kind = EVENT_STATE, .at_ms = a->now_ms, .process = NOBODY, .task = NOBODY });
    const str texts[] = { a->token, buf_str(&a->did), buf_str(&a->notes), buf_str(&a->redis) };
    for (size_t i = 0; i < COUNT(texts); i++)
        a->print = XXH64(texts[i].p, texts[i].n, a->print);
    a->print = XXH64(&a->now_ms, sizeof a->now_ms, a->print);
    story *s = &a->story;
    if (a->setup.record) {
        MEM_RESERVE(s->rows, s->cap, s->count + 1);
        s->rows[s->count] = (story_row){ .at_ms = a->now_ms, .process = a->client, .token = a->token,
            .did = arena_str(a->memory, texts[1]), .notes = arena_str(a->memory, texts[2]),
            .redis = arena_str(a->memory, texts[3]) };
    }
    s->count++;
    a->within = false;
}

/* ---- clients inside ---- */

static str name_of(account *a, uint32_t client, uint32_t who)
{
    return arena_printf(a->memory, "%.*s:%u", STR_ARG(a->setup.clients[client]), who);
}

/* "enter order:42" is about order:42, "enter" alone about the lock. */
static str lock_of(account *a, str line)
{
    size_t blank = str_find(line, ' ', 0);
    str rest = str_slice(line, blank + 1, line.n);
    while (rest.n && (rest.p[rest.n - 1] == '\r' || rest.p[rest.n - 1] == ' '))
        rest.n--;
    return rest.n ? arena_str(a->memory, rest) : S("lock");
}

static event by(account *a, event_kind kind, uint32_t client, uint32_t who, str lock)
{
    return (event){ .kind = kind, .at_ms = a->now_ms, .process = client, .task = who, .who = name_of(a, client, who),
                    .lock = lock };
}

static insider *find_insider(account *a, uint32_t client, uint32_t who, str lock)
{
    for (size_t i = 0; i < a->inside_count; i++)
        if (a->inside[i].client == client && a->inside[i].who == who && str_eq(a->inside[i].lock, lock))
            return &a->inside[i];
    return NULL;
}

/* A client that was disturbed on its way in does not count: no lease excluded others meanwhile. */
static void enter(account *a, uint32_t client, uint32_t who, str lock)
{
    bool counts = !a->disturbed[client] || a->setup.strict;
    a->grants++;
    a->entered = true;
    a->refused[client] = 0;
    event e = by(a, EVENT_GRANTED, client, who, lock);
    e.lease_ms = LEASE_NONE;
    e.count = 1;
    if (counts)
        model_event(a->judge, &e);
    mark(a, (story_mark){ .kind = MARK_GRANTED, .process = client, .who = e.who, .lock = lock, .count = 1,
                          .until_ms = INT64_MAX });
    account_note(a, arena_printf(a->memory, "%.*s:%u enters", STR_ARG(a->setup.clients[client]), who));
    if (find_insider(a, client, who, lock))
        return;
    MEM_RESERVE(a->inside, a->inside_cap, a->inside_count + 1);
    a->inside[a->inside_count++] = (insider){ .client = client, .who = who, .lock = lock, .passed_over = !counts };
}

/* Its belief ends: it left, or cannot count any more. */
static void end_belief(account *a, const insider *i)
{
    event e = by(a, EVENT_RELEASED, i->client, i->who, i->lock);
    model_event(a->judge, &e);
    mark(a, (story_mark){ .kind = MARK_RELEASED, .process = i->client, .who = e.who, .lock = i->lock,
                          .ends = ENDS_ALL });
}

static void leave(account *a, uint32_t client, uint32_t who, str lock)
{
    insider *i = find_insider(a, client, who, lock);
    account_note(a, arena_printf(a->memory, "%.*s:%u leaves", STR_ARG(a->setup.clients[client]), who));
    if (!i)
        return;
    if (!i->passed_over)
        end_belief(a, i);
    *i = a->inside[--a->inside_count];
}

static void use(account *a, uint32_t client, uint32_t who, str line)
{
    str digits = lock_of(a, line);
    event e = by(a, EVENT_USE, client, who, S(""));
    e.text = S("what the lock protects");
    e.token = digits.n < 19 ? strtoll(arena_str(a->memory, digits).p, NULL, 10) : 0;
    model_event(a->judge, &e);
    account_note(a, arena_printf(a->memory, "uses token %" PRId64, e.token));
}

void account_line_comes(account *a, uint32_t client, uint32_t who, str line)
{
    if (str_starts(line, S("enter")))
        enter(a, client, who, lock_of(a, line));
}

void account_line_goes(account *a, uint32_t client, uint32_t who, str line)
{
    if (str_starts(line, S("leave")))
        leave(a, client, who, lock_of(a, line));
    else if (str_starts(line, S("token")))
        use(a, client, who, line);
}

/* A lease excludes no one while its holder stands still. */
static void pass_over(account *a, uint32_t client)
{
    a->disturbed[client] = true;
    for (size_t i = 0; i < a->inside_count; i++) {
        insider *in = &a->inside[i];
        if (in->client != client || in->passed_over || a->setup.strict)
            continue;
        in->passed_over = true;
        end_belief(a, in);
    }
}

static void forget_insiders(account *a, uint32_t client)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->inside_count; i++) {
        if (a->inside[i].client != client)
            a->inside[kept++] = a->inside[i];
        else if (!a->inside[i].passed_over)
            end_belief(a, &a->inside[i]);
    }
    a->inside_count = kept;
}

void account_life(account *a, event_kind kind, uint32_t client)
{
    static const struct { event_kind event; story_mark_kind mark; } marks[] = {
        { EVENT_CRASHED, MARK_CRASHED }, { EVENT_RESTARTED, MARK_RESTARTED }, { EVENT_PAUSED, MARK_PAUSED },
        { EVENT_RESUMED, MARK_RESUMED },
    };
    event e = { .kind = kind, .at_ms = a->now_ms, .process = client, .task = NOBODY };
    model_event(a->judge, &e);
    for (size_t i = 0; i < COUNT(marks); i++)
        if (marks[i].event == kind)
            mark(a, (story_mark){ .kind = marks[i].mark, .process = client });
    if (a->held)
        holdings_life(a->held, kind, client, a->now_ms);
    if (kind == EVENT_PAUSED)
        pass_over(a, client);
    if (kind == EVENT_CRASHED || kind == EVENT_ENDED)
        forget_insiders(a, client);
}

void account_fault(account *a, str name, uint32_t client, uint32_t server, uint32_t request)
{
    mark(a, (story_mark){ .kind = MARK_FAULT, .process = client, .server = server, .request = request,
                          .text = name });
    a->cause = name;
    if (str_eq(name, S("clock_jump")))
        pass_over(a, client);
}

/* ---- requests ---- */

/* SET key value ... NX, or SETNX key value: the key; else empty. */
static str taken_key(const account_request *q)
{
    if (q->argc >= 3 && str_eq_nocase(q->argv[0], S("setnx")))
        return q->argv[1];
    if (q->argc < 4 || !str_eq_nocase(q->argv[0], S("set")))
        return S("");
    for (size_t i = 3; i < q->argc; i++)
        if (str_eq_nocase(q->argv[i], S("nx")))
            return q->argv[1];
    return S("");
}

static story_request *find_request(account *a, uint32_t number)
{
    for (size_t i = a->story.request_count; i-- > 0;)
        if (a->story.requests[i].number == number && a->story.requests[i].copy == 0)
            return &a->story.requests[i];
    return NULL;
}

static story_request *keep_request(account *a, const account_request *q)
{
    story *s = &a->story;
    str *argv = ARENA_ARRAY(a->memory, str, q->argc + 1);
    for (size_t i = 0; i < q->argc; i++)
        argv[i] = arena_str(a->memory, q->argv[i]);
    MEM_RESERVE(s->requests, s->request_cap, s->request_count + 1);
    story_request *r = &s->requests[s->request_count++];
    *r = (story_request){ .sent_ms = a->now_ms, .executed_ms = STORY_NEVER_MS, .answered_ms = STORY_NEVER_MS,
                          .sent_step = s->count, .process = q->client, .server = q->server, .number = q->number,
                          .who = a->setup.clients[q->client], .argv = argv, .argc = q->argc };
    return r;
}

void account_sent(account *a, const account_request *q)
{
    a->disturbed[q->client] = false;
    mark(a, (story_mark){ .kind = MARK_SENT, .process = q->client, .request = q->number, .text = q->argv[0] });
    if (a->setup.record)
        keep_request(a, q);
}

/* A copy is a request of its own in the list: its sender had sent one. */
static void list_executed(account *a, const account_request *q, str bytes, ran_how how)
{
    if (!a->setup.record)
        return;
    story_request *r = how == RAN_COPY ? NULL : find_request(a, q->number);
    if (!r)
        r = keep_request(a, q);
    r->copy = how == RAN_COPY;
    r->executed_ms = a->now_ms;
    r->executed_step = a->story.count + 1;
    r->order = ++a->story.executed;
    r->waited = bytes.n == 0 && how == RAN_ITSELF;
    r->answer = bytes.n ? wire_answer(a->memory, bytes) : S("");
}

/* SET NX or SETNX: a grant or a refusal of the key. */
static void look_for_grant(account *a, const account_request *q, str bytes, bool copy)
{
    str key = taken_key(q);
    if (key.n == 0)
        return;
    bool no = str_starts(bytes, S("$-1")) || str_starts(bytes, S("_")) || str_starts(bytes, S(":0"));
    uint32_t server = UINT32_C(1) << q->server;
    if (!copy)
        a->refused[q->client] = no ? a->refused[q->client] | server : a->refused[q->client] & ~server;
    if (str_starts(bytes, S("+OK")) || str_starts(bytes, S(":1"))) {
        a->nx_key = arena_str(a->memory, key);
        a->nx_server = q->server;
        a->grants++;
    }
}

void account_executed(account *a, const account_request *q, str bytes, ran_how how)
{
    bool copy = how != RAN_ITSELF;
    if (a->held)
        holdings_executed(a->held, &(holdings_request){ .server = q->server, .client = q->client, .argv = q->argv,
                                                        .argc = q->argc }, a->now_ms,
                          bytes.n ? wire_answer(a->memory, bytes) : S(""));
    look_for_grant(a, q, bytes, copy);
    /* An ECHO says the same as a line, for programs whose lines cannot be held. */
    if (!copy && q->argc == 2 && str_eq_nocase(q->argv[0], S("echo"))) {
        account_line_comes(a, q->client, 1, q->argv[1]);
        account_line_goes(a, q->client, 1, q->argv[1]);
    }
    mark(a, (story_mark){ .kind = MARK_EXECUTED, .process = q->client, .request = q->number,
                          .text = bytes.n && a->setup.record ? wire_told(a->memory, bytes) : S(""), .copy = copy });
    list_executed(a, q, bytes, how);
}

void account_answered(account *a, uint32_t client, uint32_t request, str bytes)
{
    mark(a, (story_mark){ .kind = MARK_ANSWERED, .process = client, .request = request });
    story_request *r = a->setup.record ? find_request(a, request) : NULL;
    if (!r)
        return;
    r->answered_ms = a->now_ms;
    r->answered_step = a->story.count + 1;
    if (r->answer.n == 0)              /* a pop that waited */
        r->answer = wire_answer(a->memory, bytes);
}

/* ---- endings ---- */

void account_busy(account *a, uint32_t client, str request)
{
    str who = name_of(a, client, 1);
    model_event(a->judge, &(event){ .kind = EVENT_BUSY, .at_ms = a->now_ms, .process = client, .task = 1, .who = who,
                                    .op = request });
}

/* By so many servers that the others are no majority: of one server, by that one. */
static bool was_refused(const account *a, uint32_t client)
{
    return (size_t)__builtin_popcount(a->refused[client]) * 2 >= a->setup.server_count && a->refused[client];
}

static void judge_waits(account *a, const bool *waits)
{
    for (uint32_t c = 0; c < a->setup.client_count; c++) {
        if (!waits[c] || !was_refused(a, c))
            continue;
        str who = a->setup.clients[c];
        model_report(a->judge, PROPERTY_NO_DEADLOCK, a->now_ms,
                     arena_printf(a->memory, "%.*s was refused a lock and waits for ever from %" PRId64 ".%03d s.",
                                  STR_ARG(who), (a->now_ms - INT64_C(1700000000000)) / 1000, (int)(a->now_ms % 1000)),
                     S("It has no timer, nothing that it asked for is under way, and every other program has ended or "
                       "waits, too."));
        return;
    }
}

static void judge_leaks(account *a)
{
    str left = a->held ? holdings_left(a->held, a->memory) : S("");
    if (left.n)
        model_report(a->judge, PROPERTY_NO_LEAK, a->now_ms, left, S("It has no TTL, so it stays for ever."));
    if (a->held)
        return;
    for (size_t i = 0; i < a->key_count; i++) {
        const key_seen *k = &a->keys[i];
        if (!k->lock || k->deadline_ms != INT64_MAX)
            continue;
        str by = k->maker < a->setup.client_count ? a->setup.clients[k->maker] : S("somebody");
        model_report(a->judge, PROPERTY_NO_LEAK, a->now_ms,
                     arena_printf(a->memory, "When every program had ended, the key \"%.*s\" that %.*s took was still "
                                  "there.",
                                  STR_ARG(k->name), STR_ARG(by)), S("It has no TTL, so it stays for ever."));
        return;
    }
}

void account_rest(account *a, const bool *waits)
{
    survey(a);
    judge_waits(a, waits);
    judge_leaks(a);
}

/* ---- what came of it ---- */

const violation *account_violation(const account *a, property p)
{
    const violation *v = model_violation(a->judge, p);
    return v || !a->held ? v : holdings_violation(a->held, p);
}

str account_problem(const account *a)
{
    return a->held ? holdings_problem(a->held) : S("");
}

const story *account_story(const account *a)
{
    return &a->story;
}

uint64_t account_print(const account *a)
{
    return a->print;
}

bool account_inside(const account *a, uint32_t client)
{
    for (size_t i = 0; i < a->inside_count; i++)
        if (a->inside[i].client == client)
            return true;
    if (a->held)
        return holdings_left_ms(a->held, client, a->now_ms) > 0;
    for (size_t i = 0; i < a->key_count; i++)
        if (a->keys[i].maker == client && (a->keys[i].lock || a->keys[i].deadline_ms != INT64_MAX))
            return true;
    return false;
}

int64_t account_lease_left_ms(const account *a, uint32_t client)
{
    int64_t left_ms = a->held ? holdings_left_ms(a->held, client, a->now_ms) : 0;
    if (a->held)
        return left_ms == INT64_MAX ? 0 : left_ms;
    for (size_t i = 0; i < a->key_count; i++) {
        const key_seen *k = &a->keys[i];
        if (k->maker == client && k->deadline_ms != INT64_MAX && k->deadline_ms - a->now_ms + 1 > left_ms)
            left_ms = k->deadline_ms - a->now_ms + 1;
    }
    return left_ms;
}

uint64_t account_grants(const account *a)
{
    return a->grants + (a->held ? holdings_grants(a->held) : 0);
}

bool account_entered(const account *a)
{
    return a->entered;
}
