/* choices.c - everything that can happen at a rest, named as schedules name it, what goes on with the same client
 * first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "drive/run_internal.h"

static const int64_t CLOCK_JUMP_MS = 60000;

bool run_line_counts(str line)
{
    static const char *const words[] = { "enter", "leave", "token" };
    for (size_t i = 0; i < COUNT(words); i++) {
        str word = str_from(words[i]);
        if (str_starts(line, word) && (line.n == word.n || line.p[word.n] == ' ' || line.p[word.n] == '\r'))
            return true;
    }
    return false;
}

bool run_is_timed(uint32_t state)
{
    return state == SLOT_SLEEPS || state == SLOT_WAITS || state == SLOT_TIMER || state == SLOT_ALARM;
}

/* By a clock that drifts it comes sooner or later: about there, and then the first millisecond. What run_move_past
 * added to a clock does not cost a millisecond. */
int64_t run_due_ms(const run *r, uint32_t client, const shared_slot *s)
{
    int64_t drift = r->setup->clients[client].drift;
    if (s->deadline_ns == SHARED_NEVER)
        return INT64_MAX;
    int64_t due_ns = s->deadline_ns - (SHARED_MOMENT_NS - 1), due_ms = (due_ns + 999999) / 1000000 - MONO_START_MS;
    if (drift)
        due_ms = due_ms / (drift + 1) * drift + due_ms % (drift + 1) * drift / (drift + 1) - 2;
    due_ms += DRIVE_EPOCH_MS;
    while (drift && run_mono_ns(r, client, due_ms) < due_ns)
        due_ms++;
    return due_ms;
}

uint32_t run_printer(run *r, uint32_t client, const shared_slot *s)
{
    uint32_t *known = r->clients[client].printers;
    for (uint32_t i = 0; i < r->clients[client].printer_count; i++)
        if (known[i] == s->number)
            return i + 1;
    if (r->clients[client].printer_count < COUNT(r->clients[client].printers))
        known[r->clients[client].printer_count++] = s->number;
    return r->clients[client].printer_count;
}

/* ---- the list ---- */

static choice *add(run *r, choice c)
{
    MEM_RESERVE(r->choices, r->choice_cap, r->choice_count + 1);
    r->choices[r->choice_count] = c;
    return &r->choices[r->choice_count++];
}

static void add_lower(buf *b, str word)
{
    for (size_t i = 0; i < word.n && i < 32; i++) {
        char c = word.p[i];
        buf_byte(b, c >= 'A' && c <= 'Z' ? (char)(c + 32) : (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_');
    }
}

static str named(run *r, uint32_t client, const char *between, str what)
{
    buf b = { 0 };
    buf_add(&b, r->names[client]);
    buf_addz(&b, between);
    add_lower(&b, what);
    str token = arena_str(r->step, buf_str(&b));
    buf_free(&b);
    return token;
}

static void add_slots(run *r, uint32_t c)
{
    shared *page = program_page(r->programs[c]);
    for (size_t i = 0; i < SHARED_SLOTS; i++) {
        shared_slot *s = &page->slots[i];
        uint32_t state = atomic_load(&s->state);
        if (atomic_load(&s->word) != WORD_WAITS)
            continue;
        if (state == SLOT_PRINTS) {
            str line = str_from(s->line);
            add(r, (choice){ .kind = CHOICE_PRINT, .client = c, .slot = s,
                             .token = named(r, c, ".", str_slice(line, 0, str_find(line, ' ', 0))) });
        } else if (state == SLOT_READY) {
            add(r, (choice){ .kind = CHOICE_GO, .client = c, .slot = s,
                             .token = arena_printf(r->step, "%.*s:%u", STR_ARG(r->names[c]), s->number + 1) });
        } else if (state == SLOT_READS) {
            add(r, (choice){ .kind = CHOICE_CLOCK, .client = c, .slot = s, .token = named(r, c, ".", S("clock")) });
        } else if (run_is_timed(state) && run_due_ms(r, c, s) <= r->now_ms) {
            add(r, (choice){ .kind = CHOICE_WAKE, .client = c, .slot = s, .token = named(r, c, ".", S("wake")) });
        }
    }
}

static void add_links(run *r, uint32_t c)
{
    for (size_t i = 0; i < r->wire->count; i++) {
        wire_link *l = r->wire->links[i];
        if (l->client != c || l->closed)
            continue;
        if (l->out_count && !r->clients[c].paused)
            add(r, (choice){ .kind = l->out[0].answer ? CHOICE_ANSWER : CHOICE_MESSAGE, .client = c, .link = l,
                             .token = named(r, c, "<", l->out[0].answer ? S("answer") : S("msg")) });
        if (l->sent_count && !l->awaits && !(l->out_count && wire_is_handshake(&l->sent[0])))
            add(r, (choice){ .kind = CHOICE_EXECUTE, .client = c, .link = l,
                             .token = named(r, c, ".", l->sent[0].argv[0]) });
    }
}

/* What a client can do next, without faults. */
static void add_client(run *r, uint32_t c)
{
    if (r->clients[c].crashed)
        return;
    if (r->clients[c].paused)
        add(r, (choice){ .kind = CHOICE_RESUME, .client = c, .amount = r->now_ms - r->clients[c].paused_ms,
                         .token = arena_printf(r->step, "!resume %.*s", STR_ARG(r->names[c])) });
    else if (!r->clients[c].over)
        add_slots(r, c);
    add_links(r, c);
}

/* ---- time ---- */

static int64_t next_stop_ms(run *r)
{
    int64_t next_ms = wire_next_ms(r->wire);
    for (uint32_t c = 0; c < r->setup->client_count; c++) {
        shared *page = program_page(r->programs[c]);
        for (size_t i = 0; !r->clients[c].over && i < SHARED_SLOTS; i++) {
            shared_slot *s = &page->slots[i];
            uint32_t state = atomic_load(&s->state);
            if (!run_is_timed(state) || atomic_load(&s->word) != WORD_WAITS)
                continue;
            int64_t due_ms = run_due_ms(r, c, s);
            if (due_ms > r->now_ms && due_ms < next_ms)
                next_ms = due_ms;
        }
    }
    return next_ms;
}

/* When the first message in transit must arrive; INT64_MAX: there is none. */
static int64_t arrival_ms(const run *r)
{
    int64_t due_ms = INT64_MAX;
    for (size_t i = 0; i < r->wire->count; i++) {
        const wire_link *l = r->wire->links[i];
        if (l->closed || r->clients[l->client].paused)
            continue;
        if (l->sent_count && !l->awaits && l->sent[0].since_ms < due_ms)
            due_ms = l->sent[0].since_ms;
        if (l->out_count && l->out[0].since_ms < due_ms)
            due_ms = l->out[0].since_ms;
    }
    return due_ms == INT64_MAX ? due_ms : due_ms + r->setup->latency_ms;
}

static void add_span(run *r, int64_t ms)
{
    add(r, (choice){ .kind = CHOICE_TIME, .client = NOBODY, .amount = ms,
                     .token = arena_printf(r->step, "+%" PRId64, ms) });
}

/* Time passes when no client that is not paused can do anything, and while something is in transit. Keys that only age
 * wake no client. */
static void add_time(run *r, bool held)
{
    int64_t stop_ms = next_stop_ms(r), due_ms = r->setup->latency_ms ? arrival_ms(r) : INT64_MAX;
    int64_t next_ms = due_ms < stop_ms ? due_ms : stop_ms;
    bool lives = false;
    for (size_t c = 0; c < r->setup->client_count; c++)
        lives = lives || (!r->clients[c].over && !r->clients[c].crashed);
    if (held || next_ms == INT64_MAX || next_ms <= r->now_ms || !lives)
        return;
    add_span(r, next_ms - r->now_ms);
    if (due_ms < INT64_MAX && next_ms - r->now_ms > 1)
        add_span(r, (next_ms - r->now_ms) / 2);
}

/* ---- faults ---- */

static void add_fault(run *r, fault_kind k, uint32_t c, wire_link *l, str target)
{
    add(r, (choice){ .kind = CHOICE_FAULT, .fault = k, .client = c, .link = l,
                     .amount = k == FAULT_CLOCK_JUMP ? CLOCK_JUMP_MS : k == FAULT_PAUSE
                     ? account_lease_left_ms(r->account, c) : 0,
                     .token = arena_printf(r->step, "!%s %.*s", fault_name(k), STR_ARG(target)),
                     .biased = c != NOBODY && account_inside(r->account, c) });
}

/* Does it wait for no longer than until some instant? */
static bool waits_in_time(const run *r, uint32_t c)
{
    const shared *page = program_page(r->programs[c]);
    for (size_t i = 0; i < SHARED_SLOTS; i++) {
        const shared_slot *s = &page->slots[i];
        uint32_t state = atomic_load(&s->state);
        if (run_is_timed(state) && s->deadline_ns != SHARED_NEVER)
            return true;
    }
    return false;
}

/* Lost on the way: the connection is cut; or nothing is heard any more, and the client sees that by a time-out of its
 * own, where it has one. */
static void add_loss(run *r, fault_kind k, uint32_t c, wire_link *l)
{
    if (r->budgets[k] == 0)
        return;
    if (!r->setup->silent)
        add_fault(r, k, c, l, r->names[c]);
    if (!waits_in_time(r, c))
        return;
    add_fault(r, k, c, l, arena_printf(r->step, "%.*s=silent", STR_ARG(r->names[c])));
    r->choices[r->choice_count - 1].silent = true;
}

static void add_client_faults(run *r, uint32_t c)
{
    static const fault_kind own[] = { FAULT_CRASH, FAULT_RESTART, FAULT_PAUSE, FAULT_CLOCK_JUMP };
    const client *k = &r->clients[c];
    if (k->over || k->crashed || k->paused || r->wire->of_client[c] == 0)
        return;
    for (size_t i = 0; i < COUNT(own); i++)
        if (r->budgets[own[i]])
            add_fault(r, own[i], c, NULL, r->names[c]);
    for (size_t i = 0; i < r->wire->count; i++) {
        wire_link *l = r->wire->links[i];
        if (l->client != c || l->closed)
            continue;
        if (l->sent_count) {
            add_loss(r, FAULT_LOSE_REQUEST, c, l);
            add_loss(r, FAULT_LATE_REQUEST, c, l);
        }
        if (l->sent_count && r->budgets[FAULT_DUPLICATE])
            add_fault(r, FAULT_DUPLICATE, c, l, r->names[c]);
        if (l->out_count && l->out[0].answer)
            add_loss(r, FAULT_LOSE_REPLY, c, l);
        else if (l->out_count && r->budgets[FAULT_LOSE_MESSAGE])
            add_fault(r, FAULT_LOSE_MESSAGE, c, l, r->names[c]);
    }
}

typedef struct { run *r; uint32_t server; } evictor;

static void add_key(void *context, str key, str shown, int64_t ttl_ms)
{
    const evictor *v = context;
    (void)shown;
    (void)ttl_ms;
    for (size_t i = 0; i < key.n; i++)
        if ((unsigned char)key.p[i] <= ' ')
            return;                /* a schedule could not name it */
    add(v->r, (choice){ .kind = CHOICE_FAULT, .fault = FAULT_EVICT, .client = NOBODY, .server = v->server,
                        .key = arena_str(v->r->step, key),
                        .token = arena_printf(v->r->step, "!evict %.*s", STR_ARG(key)) });
}

static void add_server_fault(run *r, fault_kind k, uint32_t server)
{
    if (r->budgets[k] == 0)
        return;
    add_fault(r, k, NOBODY, NULL, arena_printf(r->step, "%u", server + 1));
    r->choices[r->choice_count - 1].server = server;
}

static bool anybody_inside(const run *r)
{
    for (uint32_t c = 0; c < r->setup->client_count; c++)
        if (account_inside(r->account, c))
            return true;
    return false;
}

/* To a replica that has everything, or that is without the last write: "!failover 1=0", "!failover 1". */
static void add_failovers(run *r, uint32_t server)
{
    if (r->budgets[FAULT_FAILOVER] == 0)
        return;
    for (int missed = wire_misses_write(r->wire, server); missed >= 0; missed--) {
        add_fault(r, FAULT_FAILOVER, NOBODY, NULL, arena_printf(r->step, missed ? "%u" : "%u=0", server + 1));
        r->choices[r->choice_count - 1].server = server;
        r->choices[r->choice_count - 1].amount = missed;
        r->choices[r->choice_count - 1].biased = missed && anybody_inside(r);
    }
}

static void add_faults(run *r)
{
    for (uint32_t c = 0; c < r->setup->client_count; c++)
        add_client_faults(r, c);
    for (uint32_t i = 0; i < r->wire->server_count; i++) {
        evictor v = { .r = r, .server = i };
        add_server_fault(r, FAULT_WIPE, i);
        add_server_fault(r, FAULT_SCRIPT_FLUSH, i);
        add_failovers(r, i);
        if (r->budgets[FAULT_EVICT])
            redis_each_key(r->wire->servers[i], r->now_ms, r->step, add_key, &v);
    }
}

/* ---- names that are unique ---- */

static void number_equal_names(run *r)
{
    for (size_t i = 1; i < r->choice_count; i++) {
        uint32_t before = 0;
        str token = r->choices[i].token;
        for (size_t k = 0; k < i; k++)
            before += str_eq(str_slice(r->choices[k].token, 0, str_find(r->choices[k].token, '#', 0)), token);
        if (before)
            r->choices[i].token = arena_printf(r->step, "%.*s#%u", STR_ARG(token), before + 1);
    }
}

/* A handshake takes no time, and so anything before it on its connection takes none. */
static bool is_before_handshake(const wire_link *l)
{
    for (size_t i = 0; i < l->sent_count; i++)
        if (wire_is_handshake(&l->sent[i]))
            return true;
    return false;
}

/* May it take longer? */
static bool is_under_way(const run *r, const choice *c)
{
    if (!c->link || is_before_handshake(c->link))
        return false;
    if (c->kind == CHOICE_EXECUTE)
        return r->now_ms < c->link->sent[0].since_ms + r->setup->latency_ms;
    if (c->kind == CHOICE_ANSWER || c->kind == CHOICE_MESSAGE)
        return r->now_ms < c->link->out[0].since_ms + r->setup->latency_ms;
    return false;
}

/* Does this choice hold time? */
static bool holds_time(const run *r, const choice *c)
{
    return !is_under_way(r, c) && c->kind != CHOICE_RESUME && c->kind != CHOICE_LATE && !r->clients[c->client].paused;
}

size_t run_choices(run *r)
{
    r->choice_count = 0;
    if (r->last != NOBODY)
        add_client(r, r->last);
    for (uint32_t c = 0; c < r->setup->client_count; c++)
        if (c != r->last)
            add_client(r, c);
    for (size_t i = 0; i < r->late_count; i++)
        add(r, (choice){ .kind = CHOICE_LATE, .client = r->late[i].client, .late = i,
                         .token = arena_printf(r->step, "%.*s.late", STR_ARG(r->names[r->late[i].client])) });
    bool held = false;
    for (size_t i = 0; i < r->choice_count; i++)
        held = held || holds_time(r, &r->choices[i]);
    add_time(r, held);
    if (r->choice_count)
        add_faults(r);
    number_equal_names(r);
    return r->choice_count;
}
