/* run.c - see run.h. choices.c says what can happen, steps.c makes it happen. */
#include "drive/run_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "drive/fork_server.h"

run *run_new(const drive_setup *setup, err *e)
{
    run *r = mem_zero(sizeof *r);
    *r = (run){ .setup = setup, .clients = mem_zero(setup->client_count * sizeof *r->clients), .memory = arena_new(),
                .step = arena_new() };
    r->programs = mem_zero(setup->client_count * sizeof(program *));
    r->names = mem_zero(setup->client_count * sizeof *r->names);
    r->result.statuses = mem_zero(setup->client_count * sizeof(int));
    r->result.idle = mem_zero(setup->client_count * sizeof(bool));
    r->result.last_words = mem_zero(setup->client_count * sizeof(str));
    for (size_t c = 0; c < setup->client_count; c++) {
        r->names[c] = setup->clients[c].name;
        r->programs[c] = program_new(&setup->host, &setup->clients[c], (uint32_t)c, e);
        if (!r->programs[c]) {
            run_free(r);
            return NULL;
        }
    }
    r->rest = rest_new(r->programs, setup->client_count, &setup->limits);
    return r;
}

static void end_last(run *r)
{
    wire_free(r->wire);
    account_free(r->account);
    r->wire = NULL;
    r->account = NULL;
    for (size_t i = 0; i < r->late_count; i++)
        buf_free(&r->late[i].bytes);
    r->late_count = 0;
    arena_reset(r->memory);
}

void run_free(run *r)
{
    if (!r)
        return;
    for (size_t c = 0; c < r->setup->client_count; c++) {
        program_free(r->programs[c]);
        buf_free(&r->clients[c].printed);
    }
    end_last(r);
    rest_free(r->rest);
    arena_free(r->memory);
    arena_free(r->step);
    mem_free(r->late);
    mem_free(r->choices);
    mem_free(r->result.statuses);
    mem_free(r->result.last_words);
    mem_free(r->result.idle);
    mem_free(r->programs);
    mem_free(r->names);
    mem_free(r->clients);
    mem_free(r);
}

const story *run_story(const run *r)
{
    return account_story(r->account);
}

const violation *run_violation(const run *r, property p)
{
    return account_violation(r->account, p);
}

/* ---- clocks ---- */

int64_t run_mono_ns(const run *r, uint32_t client, int64_t now_ms)
{
    int64_t since_ms = now_ms - DRIVE_EPOCH_MS, drift = r->setup->clients[client].drift;
    return (MONO_START_MS + since_ms) * 1000000 + (drift ? since_ms * 1000000 / drift : 0);
}

void run_set_clocks(run *r)
{
    for (uint32_t c = 0; c < r->setup->client_count; c++) {
        shared *page = program_page(r->programs[c]);
        int64_t mono_ns = run_mono_ns(r, c, r->now_ms);
        int64_t apart_ms = r->setup->clients[c].skew_ms + r->clients[c].jumped_ms;
        atomic_store(&page->mono_ns, mono_ns);
        atomic_store(&page->real_ns, mono_ns + (DRIVE_EPOCH_MS - MONO_START_MS + apart_ms) * 1000000);
    }
}

/* A real wait ends a little late, and programs rely on it: Ruby's sleep waits again until its clock is past the end. */
void run_move_past(run *r, uint32_t client, int64_t deadline_ns)
{
    shared *page = program_page(r->programs[client]);
    if (deadline_ns == SHARED_NEVER || deadline_ns < atomic_load(&page->mono_ns))
        return;
    int64_t more_ns = deadline_ns + 1 - atomic_load(&page->mono_ns);
    atomic_fetch_add(&page->mono_ns, more_ns);
    atomic_fetch_add(&page->real_ns, more_ns);
}

/* ---- the way to a rest ---- */

static bool end_with(run *r, run_ending ending, str why)
{
    r->result.ending = ending;
    r->result.why = why;
    return false;
}

static str client_name(const run *r, size_t c)
{
    return c < r->setup->client_count ? r->names[c] : S("?");
}

static bool no_rest(run *r, rest_result what, size_t who)
{
    str name = client_name(r, who);
    switch (what) {
    case REST_SPINS:
        return end_with(r, RUN_LIMIT, arena_printf(r->memory, "%.*s reads its clock over and over without waiting: "
                                                   "time stands still until every program waits, so it would do so for "
                                                   "ever.", STR_ARG(name)));
    case REST_COMPUTES:
        return end_with(r, RUN_LIMIT, arena_printf(r->memory, "%.*s has computed for %" PRId64
                                                   " s of processor time without waiting for "
                                                   "anything.", STR_ARG(name), r->setup->limits.compute_ms / 1000));
    case REST_STOPPED:
        return end_with(r, RUN_STOPPED, S("It was interrupted."));
    default:
        return end_with(r, RUN_LIMIT, arena_printf(r->memory, "%.*s did not come to rest within %" PRId64
                                                   " s of real time.", STR_ARG(name),
                                                   r->setup->limits.wait_ms / 1000));
    }
}

/* Lines that C's stdio wrote cannot be held; they are seen here. Those that were held are not told twice. */
static void read_lines(run *r, uint32_t c)
{
    client *k = &r->clients[c];
    program_read_output(r->programs[c], &k->printed);
    str all = buf_str(&k->printed);
    size_t from = 0, end;
    while ((end = str_find(all, '\n', from)) < all.n) {
        str line = str_slice(all, from, end);
        from = end + 1;
        if (!run_line_counts(line))
            continue;
        if (k->marks_seen < atomic_load(&program_page(r->programs[c])->marks)) {
            k->marks_seen++;
            continue;
        }
        account_begin(r->account, arena_printf(r->memory, "%.*s.print", STR_ARG(r->names[c])), c, r->now_ms);
        account_did(r->account, arena_printf(r->memory, "printed %.*s", STR_ARG(line)));
        account_line_comes(r->account, c, 1, line);
        account_line_goes(r->account, c, 1, line);
        account_end(r->account);
        r->untold++;
    }
    memmove(k->printed.p, k->printed.p + from, k->printed.n - from);
    k->printed.n -= from;
}

/* Handshakes are executed and answered at once, one after the other. true: there was one, and its client runs. */
static bool shake_hands(run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->wire->count; i++) {
        wire_link *l = r->wire->links[i];
        if (l->closed || l->out_count || l->sent_count == 0 || !wire_is_handshake(&l->sent[0]))
            continue;
        wire_execute(l, r->step);
        while (l->out_count)
            wire_deliver(l);
        r->clients[l->client].touched = true;
        any = true;
    }
    return any;
}

static void note_end(run *r, uint32_t c)
{
    client *k = &r->clients[c];
    if (k->over || !program_poll(r->programs[c]))
        return;
    k->over = true;
    r->result.statuses[c] = program_status(r->programs[c]);
    if (r->result.statuses[c] > 0)
        r->result.last_words[c] = arena_str(r->memory, program_last_words(r->programs[c], r->step));
    if (!k->crashed)
        account_life(r->account, EVENT_ENDED, c);
}

/* Every thread that ran since the last rest must have been touched by the step between. */
static bool check_control(run *r)
{
    size_t who;
    str what;
    if (rest_uncontrolled(r->rest, &who, r->memory, &what))
        return end_with(r, RUN_UNCONTROLLED, arena_printf(r->memory, "%.*s: %.*s.", STR_ARG(client_name(r, who)),
                                                          STR_ARG(what)));
    if (r->out_of_reach.n)
        return end_with(r, RUN_UNCONTROLLED, r->out_of_reach);
    for (uint32_t c = 0; c < r->setup->client_count; c++) {
        client *k = &r->clients[c];
        uint64_t doings = rest_doings(r->rest, c);
        bool strange = doings != k->doings && !k->touched && r->result.steps > 0 && !k->over;
        k->doings = doings;
        k->touched = false;
        if (strange)
            return end_with(r, RUN_UNCONTROLLED, arena_printf(r->memory, "%.*s ran though no step was its own: "
                                                              "something beside the clock and Redis woke it (a file, a "
                                                              "pipe, another socket). Now %.*s.", STR_ARG(r->names[c]),
                                                              STR_ARG(rest_doing(r->rest, c, r->step))));
    }
    return true;
}

static void note_woken(void *context, uint32_t client)
{
    ((run *)context)->clients[client].touched = true;
}

static bool has_printed(run *r, uint32_t c)
{
    client *k = &r->clients[c];
    program_read_output(r->programs[c], &k->printed);
    str all = buf_str(&k->printed);
    size_t from = 0, end;
    bool any = false;
    for (; (end = str_find(all, '\n', from)) < all.n; from = end + 1)
        any = any || run_line_counts(str_slice(all, from, end));
    return any || from < all.n;
}

bool run_meet_servers(run *r)
{
    bool any = false;
    for (uint32_t c = 0; c < r->setup->client_count; c++)
        if (program_meet_server(r->programs[c], r->result.steps == 0 && !has_printed(r, c))) {
            r->clients[c].touched = true;
            any = true;
        }
    return any;
}

/* Waits until everything sleeps, and reads what the programs did. */
static bool come_to_rest(run *r)
{
    enum { STRANGE_AGAIN = 3 };
    int again = 0;
    for (;;) {
        size_t who = 0;
        rest_result what = rest_wait(r->rest, &who);
        if (what != REST_REACHED)
            return no_rest(r, what, who);
        arena_reset(r->step);
        for (uint32_t c = 0; c < r->setup->client_count; c++)
            wire_accept(r->wire, c, program_door(r->programs[c]));
        if (run_meet_servers(r))
            continue;
        bool woken = wire_read(r->wire, note_woken, r);
        if (!shake_hands(r) && !woken && !run_pass_baton(r) && (again++ >= STRANGE_AGAIN || !rest_is_strange(r->rest)))
            break;
    }
    for (uint32_t c = 0; c < r->setup->client_count; c++) {
        run_see_slots(r, c);
        read_lines(r, c);
        note_end(r, c);
    }
    run_see_requests(r);
    return check_control(r);
}

/* ---- a run ---- */

static void begin(run *r, bool record)
{
    int *statuses = r->result.statuses;
    str *last_words = r->result.last_words;
    bool *idle = r->result.idle;
    end_last(r);
    r->result = (run_result){ .ending = RUN_ENDED, .statuses = statuses, .last_words = last_words, .idle = idle,
                              .broken = PROPERTY_COUNT };
    r->now_ms = DRIVE_EPOCH_MS;
    r->wire = wire_new(&(wire_setup){ .clients = r->setup->client_count, .ports = r->setup->host.ports,
                                       .port_count = r->setup->host.port_count, .now_ms = r->now_ms,
                                       .scripts = r->setup->scripts,
                                       .replicas = r->setup->faults[FAULT_FAILOVER] > 0 });
    r->account = account_new(&(account_setup){ .clients = r->names, .client_count = r->setup->client_count,
                                               .strict = r->setup->strict, .table = r->setup->table,
                                               .settled = r->settled, .record = record,
                                               .servers = r->wire->servers,
                                               .server_count = r->wire->server_count }, r->now_ms);
    memcpy(r->budgets, r->setup->faults, sizeof r->budgets);
    r->last = NOBODY;
    r->out_of_reach = S("");
    r->untold = 0;
    for (size_t c = 0; c < r->setup->client_count; c++) {
        buf printed = r->clients[c].printed;
        buf_clear(&printed);
        r->clients[c] = (client){ .printed = printed };
        statuses[c] = -1;
        idle[c] = false;
        last_words[c] = S("");
    }
}

static bool start_all(run *r, uint64_t seed)
{
    err e = { 0 };
    r->seed = seed;
    run_set_clocks(r);
    for (uint32_t c = 0; c < r->setup->client_count; c++) {
        uint32_t variant = (uint32_t)(seed % START_VARIANTS);
        program_beginning b = { .seed = seed * 1000003 + c, .early_seed = variant * UINT64_C(7368787) + c,
                                .variant = variant, .copies = !r->setup->fresh,
                                .clock_points = r->setup->clock_points };
        if (program_start(r->programs[c], &b, &e))
            continue;
        end_with(r, RUN_FAILED, arena_str(r->memory, buf_str(&e.message)));
        err_clear(&e);
        return false;
    }
    return true;
}

static bool look_for_violation(run *r)
{
    if (account_problem(r->account).n)
        return end_with(r, RUN_FAILED, arena_printf(r->memory, "the lock's view failed: %.*s",
                                                    STR_ARG(account_problem(r->account))));
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (account_violation(r->account, (property)p)) {
            r->result.broken = (property)p;
            return end_with(r, RUN_BROKEN, S(""));
        }
    return true;
}

static bool within_limits(run *r)
{
    if (r->result.steps >= r->setup->max_steps)
        return end_with(r, RUN_LIMIT, arena_printf(r->memory, "The run has taken %" PRIu64 " steps.",
                                                   r->setup->max_steps));
    if (r->now_ms - DRIVE_EPOCH_MS > r->setup->end_ms)
        return end_with(r, RUN_LIMIT, arena_printf(r->memory, "The run has taken %" PRId64 " s of virtual time.",
                                                   r->setup->end_ms / 1000));
    return true;
}

/* It still waits on a connection on which nothing arrives any more. The time-out that let the loss be silent was
 * another one's (of an event loop, the next timer): what it waits for then is no lock. */
static bool hears_nothing(const run *r, size_t c)
{
    for (size_t i = 0; i < r->wire->count; i++)
        if (r->wire->links[i]->client == c && r->wire->links[i]->silent && !r->wire->links[i]->closed)
            return true;
    return false;
}

static void settle(run *r)
{
    bool *stuck = ARENA_ARRAY(r->step, bool, r->setup->client_count + 1);
    for (size_t c = 0; c < r->setup->client_count; c++) {
        r->result.idle[c] = !r->clients[c].over && !r->clients[c].crashed;
        stuck[c] = r->result.idle[c] && !hears_nothing(r, c);
    }
    account_rest(r->account, stuck);
    look_for_violation(r);
}

static void run_steps(run *r, choose_fn *choose, void *context)
{
    while (come_to_rest(r) && look_for_violation(r)) {
        size_t count = run_choices(r);
        if (count == 0) {
            settle(r);
            return;
        }
        if (!within_limits(r))
            return;
        size_t picked = choose(context, r->choices, count);
        if (picked >= count) {
            end_with(r, RUN_STOPPED, S(""));
            return;
        }
        run_take(r, &r->choices[picked]);
        r->result.steps++;
    }
}

void run_settle(run *r, property p)
{
    r->settled |= 1u << p;
}

const run_result *run_from_start(run *r, uint64_t seed, bool record, choose_fn *choose, void *context)
{
    begin(r, record);
    if (start_all(r, seed))
        run_steps(r, choose, context);
    for (size_t c = 0; c < r->setup->client_count; c++) {
        program_kill(r->programs[c]);
        r->result.connections += r->wire->of_client[c];
    }
    r->result.requests = r->wire->requests;
    r->result.grants = account_grants(r->account);
    r->result.print = account_print(r->account);
    return &r->result;
}
