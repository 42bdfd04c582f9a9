/* toy.c - see toy.h. */
#include "toy.h"

#include <assert.h>
#include <string.h>

enum { ACQUIRE, RELEASE, RENEW, ABANDON };
enum { SAID_GRANTED, SAID_REFUSED, SAID_RELEASED, SAID_LOST, SAID_OK };

static const char *const who_name[] = { "A:1", "B:1", "C:1" };
static const char *const op_name[] = { "acquire", "release", "renew", "abandon" };

model *toy_model(const model_config *c)
{
    static const str names[] = { { "A", 1 }, { "B", 1 }, { "C", 1 } };
    return model_new(c, names, COUNT(names));
}

static void tell(toy *t, event e, int client)
{
    e.at_ms = INT64_C(1700000000000) + t->at_ms;
    e.lock = S("L");
    e.process = client < 0 ? NOBODY : (uint32_t)client;
    e.task = client < 0 ? NOBODY : 0;
    for (int i = 0; i < TOY_REQUESTS_MAX && client >= 0; i++)
        if (e.request && t->requests[i].number == e.request && t->requests[i].op == RENEW)
            e.task = 1;                /* the watchdog is a task of its own */
    if (client >= 0)
        e.who = str_from(who_name[client]);
    model_event(t->m, &e);
    if (t->also)
        t->also(t->context, &e);
}

void toy_begin(toy *t, toy_rules rules, model *m, int64_t start_ms)
{
    memset(t, 0, sizeof *t);
    t->rules = rules;
    t->m = m;
    t->at_ms = start_ms;
    t->store.owner = -1;
    t->fault_budget = rules.faults ? 2 : 0;
    model_lock(m, S("L"), rules.spec);
    for (int c = 0; c < TOY_CLIENTS; c++)
        t->client[c].rounds = 2;
}

static void over(toy *t)
{
    task_state tasks[TOY_CLIENTS];
    size_t n = 0;
    for (int c = 0; c < TOY_CLIENTS; c++)
        if (!t->client[c].crashed && !t->client[c].ended)
            tasks[n++] = (task_state){ .process = (uint32_t)c, .who = str_from(who_name[c]), .wake = WAKE_COMING,
                                       .main = true, .paused = t->client[c].paused };
    tell(t, (event){ .kind = EVENT_STATE, .tasks = tasks, .task_count = n }, -1);
}

/* ---- the server ---- */

static bool free_now(const toy *t)
{
    return t->store.owner < 0;
}

static int queue_place(const toy *t, int c)
{
    for (int i = 0; i < t->store.queued; i++)
        if (t->store.queue[i] == c)
            return i;
    return -1;
}

static void queue_leave(toy *t, int c)
{
    int i = queue_place(t, c);
    if (i < 0)
        return;
    memmove(&t->store.queue[i], &t->store.queue[i + 1], (size_t)(t->store.queued - i - 1) * sizeof t->store.queue[0]);
    t->store.queued--;
}

static void set_ttl(toy *t, int64_t ms)
{
    t->store.ttl = true;
    t->store.deadline_ms = t->at_ms + ms;
}

static int acquire(toy *t, int c, int64_t *count)
{
    toy_wrong w = t->rules.wrong;
    bool fair = t->rules.spec == SPEC_FAIR, mine = t->store.owner == c;
    while (fair && t->store.queued && t->client[t->store.queue[0]].crashed)
        queue_leave(t, t->store.queue[0]);         /* its slot timed out */
    bool turn = !fair || t->store.queued == 0 || t->store.queue[0] == c || w == TOY_BARGES;
    if ((free_now(t) && turn) || (w == TOY_GRANTS_ANYBODY && !mine)) {
        t->store.owner = c;
        *count = t->store.count = 1;
        queue_leave(t, c);
        if (w == TOY_FORGETS_TTL)
            t->store.ttl = false;
        else
            set_ttl(t, TOY_LEASE_MS);
        return SAID_GRANTED;
    }
    if (mine && t->rules.spec != SPEC_MUTEX && w != TOY_REFUSES_OWNER) {
        *count = ++t->store.count;
        set_ttl(t, w == TOY_SHORT_RE_ENTRY ? 1 : TOY_LEASE_MS);
        return SAID_GRANTED;
    }
    if (fair && queue_place(t, c) < 0)
        t->store.queue[t->store.queued++] = c;
    return w == TOY_CLAIMS_GRANT ? SAID_GRANTED : SAID_REFUSED;
}

static int release(toy *t, int c, int64_t *count)
{
    toy_wrong w = t->rules.wrong;
    if (free_now(t) || (t->store.owner != c && w != TOY_RELEASES_ANYBODY))
        return w == TOY_CLAIMS_RELEASE ? SAID_RELEASED : SAID_LOST;
    if (--t->store.count == 0 || w == TOY_FREES_AT_ONCE) {
        t->store.owner = -1;
        t->store.count = 0;
        t->store.ttl = false;
    } else {
        set_ttl(t, TOY_LEASE_MS);
    }
    *count = t->store.count;
    return SAID_RELEASED;
}

static int run(toy *t, const toy_request *r, int64_t *count)
{
    *count = 0;
    switch (r->op) {
    case ACQUIRE: return acquire(t, r->client, count);
    case RELEASE: return release(t, r->client, count);
    case RENEW:
        if (free_now(t) || (t->store.owner != r->client && t->rules.wrong != TOY_RENEWS_ANYBODY))
            return SAID_LOST;
        set_ttl(t, TOY_LEASE_MS);
        return SAID_OK;
    default:
        queue_leave(t, r->client);
        return SAID_OK;
    }
}

static void show(toy *t, const toy_request *cause, const char *other)
{
    lock_holder h = { .id = str_from(free_now(t) ? "" : who_name[t->store.owner]), .count = t->store.count };
    str queue[TOY_CLIENTS];
    for (int i = 0; i < t->store.queued; i++)
        queue[i] = str_from(who_name[t->store.queue[i]]);
    lock_view v = { .lock = S("L"), .holders = &h, .holder_count = !free_now(t), .queue = queue,
                    .queue_count = (size_t)t->store.queued,
                    .ttl_ms = free_now(t) ? TTL_NO_KEY : t->store.ttl ? t->store.deadline_ms - t->at_ms : TTL_NONE };
    tell(t, (event){ .kind = EVENT_VIEW, .op = str_from(cause ? op_name[cause->op] : other), .view = &v,
                     .request = cause ? cause->number : 0 }, cause ? cause->client : -1);
}

/* ---- the clients ---- */

static bool in_flight(const toy *t, int c, bool renewal)
{
    for (int i = 0; i < TOY_REQUESTS_MAX; i++)
        if (t->requests[i].number && t->requests[i].client == c && !t->requests[i].orphan &&
            (t->requests[i].op == RENEW) == renewal)
            return true;
    return false;
}

static bool room(const toy *t)
{
    int used = 0;
    for (int i = 0; i < TOY_REQUESTS_MAX; i++)
        used += t->requests[i].number != 0;
    return used < TOY_REQUESTS_MAX - TOY_CLIENTS;
}

static void send(toy *t, int c, int op)
{
    int i = 0;
    while (t->requests[i].number)
        i++;
    assert(i < TOY_REQUESTS_MAX);
    t->requests[i] = (toy_request){ .number = ++t->number, .client = c, .op = op, .runs = 1 };
    if (op == RELEASE)
        t->client[c].beliefs--;
    tell(t, (event){ .kind = EVENT_SENT, .op = str_from(op_name[op]), .request = t->number,
                     .lease_ms = op == ACQUIRE || op == RENEW ? TOY_LEASE_MS : LEASE_NONE }, c);
}

static void of(toy *t, event_kind kind, const toy_request *r)
{
    tell(t, (event){ .kind = kind, .op = str_from(op_name[r->op]), .request = r->number, .text = S("nil"),
                     .lease_ms = r->op == ACQUIRE || r->op == RENEW ? TOY_LEASE_MS : LEASE_NONE }, r->client);
}

static void execute(toy *t, toy_request *r)
{
    char before[sizeof t->store];
    memcpy(before, &t->store, sizeof before);
    int64_t count;
    int said = run(t, r, &count);
    if (!r->executed) {
        r->said = said;
        r->count = count;
    }
    r->executed = true;
    r->seq = ++t->seq;
    r->runs--;
    of(t, EVENT_EXECUTED, r);
    if (memcmp(before, &t->store, sizeof before) != 0)
        show(t, r, NULL);
    if (r->orphan && r->runs <= 0)
        r->number = 0;
}

static void answer(toy *t, toy_request *r)
{
    int c = r->client;
    of(t, EVENT_ANSWERED, r);
    bool told = true;
    event e = { .request = r->number, .lease_ms = t->rules.leased ? TOY_LEASE_MS : LEASE_NONE };
    switch (r->said) {
    case SAID_GRANTED:
        e.kind = EVENT_GRANTED;
        e.count = r->count;
        t->client[c].waiting = false;
        t->client[c].beliefs++;
        t->client[c].renew_ms = t->at_ms + TOY_LEASE_MS / 3;
        break;
    case SAID_REFUSED: e.kind = EVENT_REFUSED; t->client[c].waiting = true; break;
    case SAID_RELEASED: e.kind = EVENT_RELEASED; e.count = r->count; break;
    case SAID_LOST: e.kind = EVENT_LOST; t->client[c].beliefs = 0; break;
    default: told = false; break;
    }
    if (r->op == RENEW)
        t->client[c].renew_ms = t->at_ms + TOY_LEASE_MS / 3;
    if (told)
        tell(t, e, c);
    if (r->runs <= 0)
        r->number = 0;
    else
        r->orphan = r->late = true;    /* its duplicate is still on the way */
}

static void time_out(toy *t, toy_request *r)
{
    int c = r->client;
    of(t, EVENT_TIMED_OUT, r);
    if (r->op == ACQUIRE && t->client[c].beliefs == 0) {
        t->client[c].waiting = false;
        tell(t, (event){ .kind = EVENT_GAVE_UP }, c);
    }
    if (r->op == RENEW)
        t->client[c].renew_ms = t->at_ms + 1;
    if (r->runs <= 0)
        r->number = 0;
    else
        r->orphan = r->late = true;
}

/* ---- what can happen ---- */

typedef enum { RUN, ANSWER, LOSE_REQUEST, LOSE_REPLY, LATE, DUPLICATE, TIME_OUT, ASK, NEST, DROP, KEEP, LEAVE, END,
               CRASH, PAUSE, RESUME, EVICT, PASS, LONG } act;
typedef struct { act a; int what; } option;

static bool keeps(const toy *t, int c)
{
    return !t->rules.leased && t->rules.wrong != TOY_NO_WATCHDOG && t->client[c].beliefs > 0;
}

static bool by_seq(const option *a, const option *b, const toy *t)
{
    return t->requests[a->what].number < t->requests[b->what].number;
}

static size_t options(const toy *t, option *o)
{
    size_t n = 0;
    bool held_up = false;
    for (int i = 0; i < TOY_REQUESTS_MAX; i++) {
        const toy_request *r = &t->requests[i];
        if (!r->number)
            continue;
        bool awake = !t->client[r->client].paused, lost = r->runs < 0;
        if (r->runs > 0)
            o[n++] = (option){ RUN, i };
        if (!r->orphan && awake && r->executed && !lost)
            o[n++] = (option){ ANSWER, i };
        if (!r->orphan && awake && (lost || r->late))
            o[n++] = (option){ TIME_OUT, i };
        held_up |= awake && !r->late;
        if (t->fault_budget && !r->orphan && !lost && !r->late) {
            o[n++] = (option){ r->executed ? LOSE_REPLY : LOSE_REQUEST, i };
            if (!r->executed) {
                o[n++] = (option){ LATE, i };
                o[n++] = (option){ DUPLICATE, i };
            }
        }
    }
    /* The slots of requests have no order of their own. */
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && (o[k].a < o[k - 1].a || (o[k].a == o[k - 1].a && by_seq(&o[k], &o[k - 1], t)));
             k--) {
            option swap = o[k];
            o[k] = o[k - 1];
            o[k - 1] = swap;
        }
    for (int c = 0; c < TOY_CLIENTS; c++) {
        if (t->client[c].crashed)
            continue;
        if (t->client[c].paused) {
            o[n++] = (option){ RESUME, c };
            continue;
        }
        if (t->fault_budget && !t->client[c].ended) {
            o[n++] = (option){ CRASH, c };
            o[n++] = (option){ PAUSE, c };
        }
        if (t->client[c].ended)
            continue;
        int beliefs = t->client[c].beliefs;
        if (keeps(t, c) && t->at_ms >= t->client[c].renew_ms && !in_flight(t, c, true)) {
            o[n++] = (option){ KEEP, c };
            held_up = true;
        }
        if (in_flight(t, c, false) || !room(t))
            continue;
        if (beliefs == 0 && (t->client[c].waiting || t->client[c].rounds > 0))
            o[n++] = (option){ ASK, c };
        if (beliefs == 0 && t->client[c].waiting && t->rules.spec == SPEC_FAIR)
            o[n++] = (option){ LEAVE, c };
        if (beliefs > 0)
            o[n++] = (option){ DROP, c };
        if (beliefs == 1 && t->rules.spec != SPEC_MUTEX)
            o[n++] = (option){ NEST, c };
        if (beliefs == 0 && !t->client[c].waiting && t->client[c].rounds == 0)
            o[n++] = (option){ END, c };
    }
    if (t->rules.evicts && !free_now(t) && t->fault_budget)
        o[n++] = (option){ EVICT, 0 };
    if (!held_up) {
        o[n++] = (option){ PASS, 0 };
        if (!free_now(t) && t->store.ttl)
            o[n++] = (option){ LONG, 0 };
    }
    return n;
}

/* Lets time pass to the next instant that is anybody's, at most by `ms`. */
static void pass(toy *t, int64_t ms)
{
    int64_t to_ms = t->at_ms + ms;
    for (int c = 0; c < TOY_CLIENTS; c++)
        if (!t->client[c].crashed && !t->client[c].paused && keeps(t, c) && t->client[c].renew_ms > t->at_ms &&
            t->client[c].renew_ms < to_ms)
            to_ms = t->client[c].renew_ms;
    if (!free_now(t) && t->store.ttl && t->store.deadline_ms + 1 < to_ms)
        to_ms = t->store.deadline_ms + 1;
    t->at_ms = to_ms;
    if (!free_now(t) && t->store.ttl && t->store.deadline_ms < t->at_ms) {
        t->store.owner = -1;
        t->store.count = 0;
        t->store.ttl = false;
        show(t, NULL, "expiry");
    }
}

static void fault(toy *t, const char *name, const toy_request *r)
{
    tell(t, (event){ .kind = EVENT_FAULT, .op = str_from(name), .text = str_from(op_name[r->op]),
                     .request = r->number }, r->client);
}

bool toy_step(toy *t, uint64_t choice)
{
    option o[128];
    size_t n = options(t, o);
    assert(n < COUNT(o));
    if (n == 0)
        return false;
    option x = o[choice % n];
    toy_request *r = &t->requests[x.what < TOY_REQUESTS_MAX ? x.what : 0];
    int c = x.what;
    switch (x.a) {
    case RUN: execute(t, r); break;
    case ANSWER: answer(t, r); break;
    case TIME_OUT: time_out(t, r); break;
    case LOSE_REQUEST: t->fault_budget--; fault(t, "lose_request", r); r->runs = -1; break;
    case LOSE_REPLY: t->fault_budget--; fault(t, "lose_reply", r); r->runs = -1; break;
    case LATE: t->fault_budget--; fault(t, "late_request", r); r->late = true; break;
    case DUPLICATE: t->fault_budget--; fault(t, "duplicate", r); r->runs++; break;
    case ASK:
        if (!t->client[c].waiting)
            t->client[c].rounds--;
        t->client[c].waiting = true;
        tell(t, (event){ .kind = EVENT_WANTS }, c);
        send(t, c, ACQUIRE);
        break;
    case NEST: tell(t, (event){ .kind = EVENT_WANTS }, c); send(t, c, ACQUIRE); break;
    case DROP: send(t, c, RELEASE); break;
    case KEEP: send(t, c, RENEW); break;
    case LEAVE:
        t->client[c].waiting = false;
        tell(t, (event){ .kind = EVENT_GAVE_UP }, c);
        send(t, c, ABANDON);
        break;
    case END: t->client[c].ended = true; tell(t, (event){ .kind = EVENT_ENDED }, c); break;
    case CRASH:
        t->fault_budget--;
        t->client[c].crashed = true;
        t->client[c].beliefs = 0;
        t->client[c].waiting = false;
        for (int i = 0; i < TOY_REQUESTS_MAX; i++)
            if (t->requests[i].client == c)
                t->requests[i].number = 0;
        tell(t, (event){ .kind = EVENT_CRASHED }, c);
        break;
    case PAUSE:
        t->fault_budget--;
        t->client[c].paused = true;
        tell(t, (event){ .kind = EVENT_PAUSED, .op = S("pause") }, c);
        break;
    case RESUME: t->client[c].paused = false; tell(t, (event){ .kind = EVENT_RESUMED }, c); break;
    case EVICT:
        t->fault_budget--;
        t->store.owner = -1;
        t->store.count = 0;
        t->store.ttl = false;
        show(t, NULL, "evict");
        break;
    case PASS: pass(t, 5); break;
    case LONG: pass(t, t->store.deadline_ms + 1 - t->at_ms); break;
    }
    over(t);
    return true;
}

void toy_freeze(const toy *t, buf *out)
{
    buf_u64(out, (uint64_t)t->fault_budget);
    buf_u64(out, (uint64_t)(int64_t)t->store.owner);
    buf_u64(out, (uint64_t)t->store.count);
    buf_u64(out, t->store.ttl ? (uint64_t)(t->store.deadline_ms - t->at_ms) : UINT64_MAX);
    buf_u64(out, (uint64_t)t->store.queued);
    for (int i = 0; i < t->store.queued; i++)
        buf_u64(out, (uint64_t)t->store.queue[i]);
    for (int c = 0; c < TOY_CLIENTS; c++) {
        bool timed = keeps(t, c) && !t->client[c].crashed;
        int64_t left_ms = t->client[c].renew_ms - t->at_ms;
        buf_printf(out, "%d%d%d%d %d %d %lld|", t->client[c].crashed, t->client[c].paused, t->client[c].ended,
                   t->client[c].waiting,
                   t->client[c].beliefs, t->client[c].rounds, timed ? (long long)(left_ms > 0 ? left_ms : 0) : -1);
    }
    uint32_t after = 0;
    for (;;) {             /* in the order of their numbers */
        const toy_request *next = NULL;
        for (int i = 0; i < TOY_REQUESTS_MAX; i++)
            if (t->requests[i].number > after && (!next || t->requests[i].number < next->number))
                next = &t->requests[i];
        if (!next)
            break;
        after = next->number;
        buf_printf(out, "%d %d %d %d%d%d %d %lld|", next->client, next->op, next->runs, next->executed, next->orphan,
                   next->late, next->said, (long long)next->count);
    }
}

uint32_t toy_request_name(void *context, uint32_t process, uint32_t number)
{
    const toy *t = context;
    uint32_t name = 1;
    bool known = false;
    for (int i = 0; i < TOY_REQUESTS_MAX; i++) {
        const toy_request *r = &t->requests[i];
        if (!r->number || r->client != (int)process)
            continue;
        known |= r->number == number;
        name += r->number < number;
    }
    return known ? name : UINT32_MAX;
}
