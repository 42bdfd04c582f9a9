/* history.c - see history.h. */
#include "history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static size_t index_of(const char *who)
{
    return (size_t)(who[0] - 'A') * 2 + (size_t)(who[2] - '1');
}

history *history_with(const model_config *c, spec_kind spec)
{
    static const char *const names[] = { "A", "B", "C", "D" };
    static const char *const whos[] = { "A:1", "A:2", "B:1", "B:2", "C:1", "C:2", "D:1", "D:2" };
    str process_names[4];
    for (size_t i = 0; i < 4; i++)
        process_names[i] = str_from(names[i]);
    history *h = mem_zero(sizeof *h);
    h->m = model_new(c, process_names, 4);
    h->lock = S("L");
    for (size_t i = 0; i < HISTORY_TASKS; i++)
        h->tasks[i] = (task_state){ .process = (uint32_t)(i / 2), .task = (uint32_t)(i % 2), .who = str_from(whos[i]),
                                    .wake = WAKE_COMING, .main = true };
    for (size_t i = 0; i < HISTORY_LOCKS; i++)
        h->store[i].deadline_ms = -2;
    model_lock(h->m, S("L"), spec);
    model_lock(h->m, S("M"), spec);
    return h;
}

history *history_new(spec_kind spec)
{
    model_config c = model_config_default();
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        c.judged[i] = true;
    return history_with(&c, spec);
}

void history_free(history *h)
{
    model_free(h->m);
    mem_free(h);
}

static history_store *store(history *h)
{
    return &h->store[str_eq(h->lock, S("M"))];
}

void at(history *h, int64_t ms)
{
    h->at_ms = ms;
}

void about(history *h, const char *lock)
{
    h->lock = str_from(lock);
}

/* Event strings are borrowed for the call only, so they go in as copies that are scribbled over afterwards. */
void emit(history *h, event e)
{
    char who[8] = "", lock[8] = "";
    e.at_ms = T0 + h->at_ms;
    if (e.who.n) {
        size_t i = index_of(e.who.p);
        e.process = (uint32_t)(i / 2);
        e.task = (uint32_t)(i % 2);
        memcpy(who, e.who.p, e.who.n);
        e.who.p = who;
    }
    if (!e.lock.n)
        e.lock = h->lock;
    memcpy(lock, e.lock.p, e.lock.n);
    e.lock.p = lock;
    model_event(h->m, &e);
    memset(who, '?', sizeof who);
    memset(lock, '?', sizeof lock);
}

/* ---- the store ---- */

static void set_ttl(history *h, int64_t ttl_ms)
{
    store(h)->deadline_ms = ttl_ms < 0 ? -1 : h->at_ms + ttl_ms;
}

static int compare(const lock_holder *h, const char *who, const char *mode)
{
    int order = strcmp(h->id.p, who);
    return order ? order : strcmp(h->mode.p, mode);
}

void put_mode(history *h, const char *who, int64_t count, const char *mode, int64_t ttl_ms)
{
    history_store *s = store(h);
    size_t i = 0;
    while (i < s->holder_count && compare(&s->holders[i], who, mode) < 0)
        i++;
    bool known = i < s->holder_count && compare(&s->holders[i], who, mode) == 0;
    if (!known && count > 0) {
        assert_true(s->holder_count < HISTORY_HOLDERS);
        memmove(&s->holders[i + 1], &s->holders[i], (s->holder_count - i) * sizeof *s->holders);
        s->holder_count++;
        known = true;
    }
    if (known && count == 0) {
        memmove(&s->holders[i], &s->holders[i + 1], (s->holder_count - i - 1) * sizeof *s->holders);
        s->holder_count--;
    } else if (known) {
        s->holders[i] = (lock_holder){ .id = str_from(who), .count = count, .mode = str_from(mode) };
    }
    set_ttl(h, ttl_ms);
    if (s->holder_count == 0)
        s->deadline_ms = -2;
}

void put(history *h, const char *who, int64_t count, int64_t ttl_ms)
{
    put_mode(h, who, count, "", ttl_ms);
}

void vacate(history *h)
{
    store(h)->holder_count = 0;
    store(h)->deadline_ms = -2;
}

void put_permits(history *h, int64_t permits, int64_t capacity)
{
    store(h)->permits = permits;
    store(h)->capacity = capacity;
    store(h)->deadline_ms = -1;
}

void queue(history *h, const char *ids)
{
    history_store *s = store(h);
    s->queue_count = 0;
    for (const char *p = ids; *p; p += p[3] ? 4 : 3)
        s->queue[s->queue_count++] = (str){ .p = p, .n = 3 };
}

static int64_t count_of(history *h, const char *who)
{
    const history_store *s = store(h);
    for (size_t i = 0; i < s->holder_count; i++)
        if (compare(&s->holders[i], who, h->mode ? h->mode : "") == 0)
            return s->holders[i].count;
    return 0;
}

static lock_view view_of(history *h)
{
    const history_store *s = store(h);
    return (lock_view){ .lock = h->lock, .holders = s->holders, .holder_count = s->holder_count,
                        .ttl_ms = s->deadline_ms < 0 ? s->deadline_ms : s->deadline_ms - h->at_ms,
                        .queue = s->queue, .queue_count = s->queue_count, .permits = s->permits,
                        .capacity = s->capacity };
}

/* ---- parts of a step ---- */

static uint32_t sends_what(history *h, const char *who, const char *op, int64_t lease_ms, int64_t count)
{
    uint32_t n = ++h->number;
    assert_true(n < HISTORY_REQUESTS);
    h->sent[n].who = who;
    h->sent[n].op = op;
    h->sent[n].lease_ms = lease_ms;
    h->sent[n].permits = 0;
    emit(h, (event){ .kind = EVENT_SENT, .who = str_from(who), .op = str_from(op), .request = n, .count = count,
                     .lease_ms = lease_ms });
    return n;
}

uint32_t sends(history *h, const char *who, const char *op, int64_t lease_ms)
{
    return sends_what(h, who, op, lease_ms, 0);
}

uint32_t sends_pop(history *h, const char *who, int64_t lease_ms)
{
    return sends_what(h, who, "acquire", lease_ms, SENT_POPS);
}

uint32_t sends_back(history *h, const char *who, int64_t permits)
{
    uint32_t n = ++h->number;
    assert_true(n < HISTORY_REQUESTS);
    h->sent[n].who = who;
    h->sent[n].op = "release";
    h->sent[n].lease_ms = LEASE_NONE;
    h->sent[n].permits = permits;
    emit(h, (event){ .kind = EVENT_SENT, .who = str_from(who), .op = S("release"), .request = n, .lease_ms = LEASE_NONE,
                     .permits = permits });
    return n;
}

static void of_request(history *h, event_kind kind, uint32_t n, const char *text)
{
    emit(h, (event){ .kind = kind, .who = str_from(h->sent[n].who), .op = str_from(h->sent[n].op), .request = n,
                     .lease_ms = h->sent[n].lease_ms, .permits = h->sent[n].permits, .text = str_from(text) });
}

void runs(history *h, uint32_t n)
{
    of_request(h, EVENT_EXECUTED, n, "nil");
}

void runs_as_copy(history *h, uint32_t n)
{
    emit(h, (event){ .kind = EVENT_EXECUTED, .who = str_from(h->sent[n].who), .op = str_from(h->sent[n].op),
                     .request = n, .lease_ms = h->sent[n].lease_ms, .text = S("nil"), .count = 1 });
}

void runs_ago(history *h, uint32_t n, int64_t ago_ms)
{
    emit(h, (event){ .kind = EVENT_EXECUTED, .who = str_from(h->sent[n].who), .op = str_from(h->sent[n].op),
                     .request = n, .lease_ms = h->sent[n].lease_ms, .text = S("nil"), .ago_ms = ago_ms });
}

void runs_saying(history *h, uint32_t n, const char *reply)
{
    of_request(h, EVENT_EXECUTED, n, reply);
}

void answers(history *h, uint32_t n)
{
    of_request(h, EVENT_ANSWERED, n, "nil");
}

void times_out(history *h, uint32_t n)
{
    of_request(h, EVENT_TIMED_OUT, n, "");
}

void view(history *h, uint32_t n)
{
    lock_view v = view_of(h);
    emit(h, (event){ .kind = EVENT_VIEW, .who = str_from(h->sent[n].who), .op = str_from(h->sent[n].op), .request = n,
                     .view = &v });
}

void view_by(history *h, const char *cause)
{
    lock_view v = view_of(h);
    emit(h, (event){ .kind = EVENT_VIEW, .process = NOBODY, .task = NOBODY, .op = str_from(cause), .view = &v });
}

static void announce(history *h, event_kind kind, const char *who, uint32_t n, int64_t lease_ms, int64_t count)
{
    emit(h, (event){ .kind = kind, .who = str_from(who), .request = n, .lease_ms = lease_ms, .count = count,
                     .mode = str_from(h->mode), .token = h->token, .renew_ms = kind == EVENT_GRANTED ? h->renew_ms
                     : 0 });
}

void wants(history *h, const char *who) { announce(h, EVENT_WANTS, who, 0, LEASE_NONE, 0); }
void granted(history *h, const char *who, uint32_t n, int64_t lease_ms)
{
    announce(h, EVENT_GRANTED, who, n, lease_ms, 0);
}
void refused(history *h, const char *who, uint32_t n) { announce(h, EVENT_REFUSED, who, n, LEASE_NONE, 0); }
void released(history *h, const char *who, uint32_t n, int64_t count)
{
    announce(h, EVENT_RELEASED, who, n, LEASE_NONE, count);
}
void lost(history *h, const char *who, uint32_t n) { announce(h, EVENT_LOST, who, n, LEASE_NONE, 0); }
void gave_up(history *h, const char *who) { announce(h, EVENT_GAVE_UP, who, 0, LEASE_NONE, 0); }

void granted_count(history *h, const char *who, uint32_t n, int64_t lease_ms, int64_t count)
{
    announce(h, EVENT_GRANTED, who, n, lease_ms, count);
}

void uses(history *h, const char *who, int64_t token)
{
    emit(h, (event){ .kind = EVENT_USE, .who = str_from(who), .text = S("file"), .token = token });
}

void happens(history *h, event_kind kind, const char *who)
{
    emit(h, (event){ .kind = kind, .who = str_from(who) });
    size_t i = index_of(who);
    if (kind == EVENT_CRASHED)
        h->dead[i & ~(size_t)1] = h->dead[i | 1] = true;
    else if (kind == EVENT_ENDED)
        h->dead[i] = true;
    else if (kind == EVENT_PAUSED || kind == EVENT_RESUMED)
        h->tasks[i & ~(size_t)1].paused = h->tasks[i | 1].paused = kind == EVENT_PAUSED;
}

void fault(history *h, const char *name, const char *who, uint32_t n)
{
    emit(h, (event){ .kind = EVENT_FAULT, .who = str_from(who), .op = str_from(name), .request = n,
                     .process = NOBODY, .task = NOBODY });
}

void wake_of(history *h, const char *who, wake w)
{
    h->tasks[index_of(who)].wake = w;
}

static void state(history *h, event_kind kind)
{
    task_state live[HISTORY_TASKS];
    size_t count = 0;
    for (size_t i = 0; i < HISTORY_TASKS; i++)
        if (!h->dead[i])
            live[count++] = h->tasks[i];
    emit(h, (event){ .kind = kind, .process = NOBODY, .task = NOBODY, .tasks = live, .task_count = count });
}

void step(history *h) { state(h, EVENT_STATE); }
void stuck(history *h) { state(h, EVENT_STUCK); }

void rest(history *h, size_t subscriptions)
{
    lock_view v = view_of(h);
    emit(h, (event){ .kind = EVENT_REST, .process = NOBODY, .task = NOBODY, .view = &v,
                     .subscriptions = subscriptions });
}

/* ---- whole steps ---- */

uint32_t takes(history *h, const char *who, int64_t lease_ms)
{
    int64_t ttl_ms = lease_ms == LEASE_NONE ? 30000 : lease_ms;
    wants(h, who);
    uint32_t n = sends(h, who, "acquire", ttl_ms);
    step(h);
    runs(h, n);
    answers(h, n);
    granted(h, who, n, lease_ms);
    put_mode(h, who, count_of(h, who) + 1, h->mode ? h->mode : "", ttl_ms);
    view(h, n);
    step(h);
    return n;
}

uint32_t asks(history *h, const char *who)
{
    wants(h, who);
    uint32_t n = sends(h, who, "acquire", 30000);
    step(h);
    runs_saying(h, n, "29000");
    answers(h, n);
    refused(h, who, n);
    step(h);
    return n;
}

uint32_t drops(history *h, const char *who)
{
    uint32_t n = sends(h, who, "release", 30000);
    step(h);
    runs(h, n);
    answers(h, n);
    int64_t left = count_of(h, who) - 1;
    released(h, who, n, left);
    put_mode(h, who, left, h->mode ? h->mode : "", 30000);
    view(h, n);
    step(h);
    return n;
}

void renews(history *h, const char *who, int64_t ttl_ms)
{
    uint32_t n = sends(h, who, "renew", ttl_ms);
    step(h);
    runs_saying(h, n, "1");
    answers(h, n);
    if (store(h)->holder_count)
        set_ttl(h, ttl_ms);
    view(h, n);
    step(h);
}

void expires(history *h)
{
    vacate(h);
    view_by(h, "expiry");
    step(h);
}

/* ---- verdicts ---- */

void holds(history *h, property p)
{
    const violation *v = model_violation(h->m, p);
    if (v)
        fail_msg("%s broke, and should hold: %.*s %.*s", property_describe(p)->name, STR_ARG(v->text), STR_ARG(v->why));
}

void breaks(history *h, property p)
{
    const violation *v = model_violation(h->m, p);
    if (!v) {
        fail_msg("%s holds, and should break", property_describe(p)->name);
        return;
    }
    assert_int_equal(v->property, p);
    assert_true(v->text.n > 20 && v->text.p[v->text.n - 1] == '.');
    assert_true(v->why.n == 0 || v->why.p[v->why.n - 1] == '.');
    assert_null(memchr(v->text.p, '?', v->text.n));        /* a borrowed string that was kept */
    assert_null(memchr(v->why.p, '?', v->why.n));
    print_message("    %s: %.*s  [%.*s]\n", property_describe(p)->code, STR_ARG(v->text), STR_ARG(v->why));
}

void only_breaks(history *h, property p)
{
    breaks(h, p);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (i != (size_t)p)
            holds(h, (property)i);
}
