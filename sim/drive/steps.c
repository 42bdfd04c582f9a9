/* steps.c - makes a choice happen, and reports it. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "drive/run_internal.h"
#include "script/script.h"

enum { BUSY_REQUESTS = 60, WORD_BYTES = 40, DID_BYTES = 160 };

/* ---- at a rest ---- */

void run_see_slots(run *r, uint32_t c)
{
    shared *page = program_page(r->programs[c]);
    for (size_t i = 0; i < SHARED_SLOTS; i++) {
        shared_slot *s = &page->slots[i];
        if (atomic_load(&s->state) != SLOT_PRINTS || s->seen || r->clients[c].crashed)
            continue;
        s->seen = 1;
        bool first = account_story(r->account)->count == 0;    /* there is no step that led to it */
        if (first) {
            account_begin(r->account, arena_printf(r->step, "%.*s.print", STR_ARG(r->names[c])), c, r->now_ms);
            account_did(r->account, S("begins"));
        }
        account_line_comes(r->account, c, run_printer(r, c, s), str_from(s->line));
        if (first)
            account_end(r->account);
    }
}

static account_request request_of(const wire_link *l, const wire_request *q)
{
    return (account_request){ .client = l->client, .server = l->server, .number = q->number, .argv = q->argv,
                              .argc = q->argc };
}

void run_see_requests(run *r)
{
    for (size_t i = 0; i < r->wire->count; i++) {
        wire_link *l = r->wire->links[i];
        for (size_t k = 0; k < l->sent_count; k++) {
            wire_request *sent = &l->sent[k];
            if (sent->told)
                continue;
            sent->told = true;
            account_request q = request_of(l, sent);
            account_sent(r->account, &q);
        }
    }
}

/* ---- in words ---- */

static void add_word(buf *b, str word)
{
    if (b->n)
        buf_byte(b, ' ');
    buf_add(b, str_slice(word, 0, WORD_BYTES));
    if (word.n > WORD_BYTES)
        buf_addz(b, "...");
}

static str words_of(run *r, const str *argv, size_t argc)
{
    buf b = { 0 };
    for (size_t i = 0; i < argc && b.n < DID_BYTES; i++)
        add_word(&b, argv[i]);
    str text = arena_str(r->step, buf_str(&b));
    buf_free(&b);
    return text;
}

/* ---- what happens ---- */

/* We add the descriptor's ticks: nothing in the program has to run for that. */
static bool add_tick(const shared_slot *s)
{
    uint64_t one = 1;
    int process = (int)syscall(SYS_pidfd_open, atomic_load(&s->pid), 0);
    int fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, s->fd, 0);
    bool reached = (fd >= 0 && write(fd, &one, sizeof one) == (ssize_t)sizeof one) || errno == EBADF || errno == ESRCH;
    if (fd >= 0)
        close(fd);
    if (process >= 0)
        close(process);
    return reached;
}

static void fire_timer(run *r, uint32_t c, shared_slot *s)
{
    if (atomic_load(&s->state) == SLOT_ALARM)
        kill(atomic_load(&s->pid), SIGALRM);
    else if (!add_tick(s))
        r->out_of_reach = arena_printf(r->memory, "%.*s uses timerfd, and this machine does not let locksim reach the "
                                       "descriptor (pidfd_getfd).", STR_ARG(r->names[c]));
    if (s->interval_ns)
        s->deadline_ns += s->interval_ns;
    else
        atomic_store(&s->state, SLOT_IDLE);
}

static void end_wait(run *r, const choice *c)
{
    shared_slot *s = c->slot;
    account_did(r->account, arena_printf(r->step, "%s ends", s->call_name));
    uint32_t state = atomic_load(&s->state);
    if (kill(atomic_load(&s->pid), 0) != 0)
        atomic_store(&s->state, SLOT_FREE);        /* its process died in this wait */
    r->clients[c->client].touched = true;
    run_move_past(r, c->client, s->deadline_ns);
    if (state == SLOT_TIMER || state == SLOT_ALARM) {
        fire_timer(r, c->client, s);
        return;
    }
    atomic_store(&s->word, WORD_FIRED);
    if (state == SLOT_WAITS)
        syscall(SYS_tgkill, atomic_load(&s->pid), atomic_load(&s->tid), SHARED_WAKE_SIGNAL);
    else
        syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void let_go(run *r, uint32_t c, shared_slot *s)
{
    atomic_store(&s->word, WORD_TOLD);
    syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, NULL, NULL, 0);
    r->clients[c].touched = true;
}

bool run_pass_baton(run *r)
{
    bool any = false;
    for (uint32_t c = 0; c < r->setup->client_count; c++) {
        shared *page = program_page(r->programs[c]);
        shared_slot *first = NULL;
        size_t ready = 0;
        for (size_t i = 0; i < SHARED_SLOTS && !r->clients[c].crashed; i++) {
            shared_slot *s = &page->slots[i];
            if (atomic_load(&s->state) != SLOT_READY || atomic_load(&s->word) != WORD_WAITS)
                continue;
            ready++;
            first = !first || s->number < first->number ? s : first;
        }
        if (ready == 0 || r->clients[c].paused || (ready > 1 && r->wire->of_client[c] > 0))
            continue;
        let_go(r, c, first);
        any = true;
    }
    return any;
}

static void print(run *r, const choice *c)
{
    shared_slot *s = c->slot;
    str line = str_from(s->line);
    account_did(r->account, arena_printf(r->step, "prints %.*s", STR_ARG(line)));
    account_line_goes(r->account, c->client, run_printer(r, c->client, s), line);
    s->seen = 0;
    atomic_store(&s->word, WORD_TOLD);
    syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, NULL, NULL, 0);
    r->clients[c->client].touched = true;
}

/* The same request at the same instant, over and over, and nothing in Redis changes. */
static void look_for_busy_wait(run *r, const wire_link *l)
{
    client *k = &r->clients[l->client];
    uint64_t writes = wire_writes(r->wire), name = 0;
    str command = l->sent[0].argv[0];
    for (size_t i = 0; i < command.n; i++)
        name = name * 131 + (unsigned char)command.p[i];
    bool same = k->since_ms == r->now_ms && k->writes == writes && k->last_request == name;
    k->repeated = same ? k->repeated + 1 : 0;
    k->since_ms = r->now_ms;
    k->writes = writes;
    k->last_request = name;
    if (k->repeated == BUSY_REQUESTS)
        account_busy(r->account, l->client, command);
}

static void execute(run *r, const choice *c)
{
    account_request q = request_of(c->link, &c->link->sent[0]);
    str words = words_of(r, q.argv, q.argc);
    look_for_busy_wait(r, c->link);
    str bytes = wire_execute(c->link, r->step);
    account_did(r->account, bytes.n ? arena_printf(r->step, "%.*s -> %.*s", STR_ARG(words),
                                                   STR_ARG(wire_told(r->step, bytes))) : words);
    account_executed(r->account, &q, bytes, RAN_ITSELF);
}

static void deliver(run *r, const choice *c)
{
    const parcel *p = &c->link->out[0];
    str told = wire_told(r->step, buf_str(&p->bytes));
    account_did(r->account, arena_printf(r->step, "%s %.*s", p->answer ? "answer" : "message", STR_ARG(told)));
    if (p->answer)
        account_answered(r->account, c->client, p->request, buf_str(&p->bytes));
    wire_deliver(c->link);
    r->clients[c->client].touched = true;
}

static void let_time_pass(run *r, int64_t ms)
{
    r->now_ms += ms;
    account_did(r->account, S(""));
    wire_set_now(r->wire, r->now_ms);
    run_set_clocks(r);
}

/* ---- faults ---- */

static void crash(run *r, uint32_t c)
{
    program_kill(r->programs[c]);
    wire_forget_client(r->wire, c);
    r->clients[c].crashed = true;
    account_life(r->account, EVENT_CRASHED, c);
}

static void restart(run *r, uint32_t c)
{
    err e = { 0 };
    buf printed = r->clients[c].printed;
    uint32_t incarnation = r->clients[c].incarnation + 1;
    crash(r, c);
    account_life(r->account, EVENT_RESTARTED, c);
    buf_clear(&printed);
    r->clients[c] = (client){ .printed = printed, .incarnation = incarnation, .touched = true };
    uint64_t seed = (r->seed + incarnation * UINT64_C(7919)) * 1000003 + c;
    if (!program_start(r->programs[c], &(program_beginning){ .seed = seed, .early_seed = seed }, &e))
        r->clients[c].crashed = true;
    err_clear(&e);
    run_set_clocks(r);
}

static void lose(run *r, const choice *c)
{
    if (c->silent) {
        wire_silence(c->link);
        return;
    }
    wire_cut(c->link);
    r->clients[c->client].touched = true;
}

static void make_late(run *r, const choice *c)
{
    const wire_link *l = c->link;
    MEM_RESERVE(r->late, r->late_cap, r->late_count + 1);
    late_request *q = &r->late[r->late_count++];
    const wire_request *sent = &l->sent[0];
    *q = (late_request){ .client = l->client, .server = l->server, .number = sent->number, .argv = sent->argv,
                         .argc = sent->argc };
    buf_add(&q->bytes, str_slice(buf_str(&l->in), 0, sent->bytes));
    lose(r, c);
}

static void execute_late(run *r, size_t which)
{
    late_request *q = &r->late[which];
    account_did(r->account, arena_printf(r->step, "arrives late: %.*s", STR_ARG(words_of(r, q->argv, q->argc))));
    str answer = wire_execute_stray(r->wire, q->server, buf_str(&q->bytes), r->step);
    account_request told = { .client = q->client, .server = q->server, .number = q->number, .argv = q->argv,
                             .argc = q->argc };
    if (answer.n)
        account_executed(r->account, &told, answer, RAN_LATE);
    buf_free(&q->bytes);
    *q = r->late[--r->late_count];
}

static void duplicate(run *r, wire_link *l)
{
    account_request q = request_of(l, &l->sent[0]);
    account_did(r->account, arena_printf(r->step, "a copy is executed: %.*s", STR_ARG(words_of(r, q.argv, q.argc))));
    account_executed(r->account, &q, wire_execute_copy(l, r->step), RAN_COPY);
}

static void connection_was_cut(void *context, uint32_t client)
{
    ((run *)context)->clients[client].touched = true;
}

static void strike_server(run *r, const choice *c)
{
    redis *server = r->wire->servers[c->server];
    if (c->fault == FAULT_WIPE)
        redis_wipe(server);
    else if (c->fault == FAULT_SCRIPT_FLUSH)
        redis_flush_scripts(server);
    else if (c->fault == FAULT_EVICT)
        redis_evict(server, r->now_ms, c->key);
    else if (c->fault == FAULT_FAILOVER)
        wire_fail_over(r->wire, c->server, c->amount > 0, connection_was_cut, r);
}

/* Which request the fault is about; 0: none. */
static uint32_t request_struck(const choice *c)
{
    if (!c->link)
        return 0;
    if (c->fault == FAULT_LOSE_REPLY)
        return c->link->out[0].request;
    return c->fault == FAULT_LOSE_MESSAGE ? 0 : c->link->sent[0].number;
}

static void strike(run *r, const choice *c)
{
    client *k = c->client == NOBODY ? NULL : &r->clients[c->client];
    r->budgets[c->fault]--;
    account_did(r->account, c->token);
    account_fault(r->account, str_from(fault_name(c->fault)), c->client, c->link ? c->link->server : c->server,
                  request_struck(c));
    switch (c->fault) {
    case FAULT_CRASH: crash(r, c->client); break;
    case FAULT_RESTART: restart(r, c->client); break;
    case FAULT_PAUSE:
        k->paused = true;
        k->paused_ms = r->now_ms;
        account_life(r->account, EVENT_PAUSED, c->client);
        break;
    case FAULT_CLOCK_JUMP:
        k->jumped_ms += c->amount;
        run_set_clocks(r);
        break;
    case FAULT_LOSE_REQUEST: case FAULT_LOSE_REPLY: lose(r, c); break;
    case FAULT_LOSE_MESSAGE: wire_drop_parcel(c->link); break;
    case FAULT_LATE_REQUEST: make_late(r, c); break;
    case FAULT_DUPLICATE: duplicate(r, c->link); break;
    default: strike_server(r, c); break;
    }
}

static void resume(run *r, const choice *c)
{
    r->clients[c->client].paused = false;
    account_did(r->account, c->token);
    account_life(r->account, EVENT_RESUMED, c->client);
}

void run_take(run *r, const choice *c)
{
    account_begin(r->account, c->token, c->client, c->kind == CHOICE_TIME ? r->now_ms + c->amount : r->now_ms);
    switch (c->kind) {
    case CHOICE_PRINT: print(r, c); break;
    case CHOICE_WAKE: end_wait(r, c); break;
    case CHOICE_CLOCK:
        account_did(r->account, S("has read its clock"));
        let_go(r, c->client, c->slot);
        break;
    case CHOICE_GO:
        account_did(r->account, S("goes on"));
        let_go(r, c->client, c->slot);
        break;
    case CHOICE_ANSWER: case CHOICE_MESSAGE: deliver(r, c); break;
    case CHOICE_EXECUTE: execute(r, c); break;
    case CHOICE_LATE: execute_late(r, c->late); break;
    case CHOICE_TIME: let_time_pass(r, c->amount); break;
    case CHOICE_RESUME: resume(r, c); break;
    case CHOICE_FAULT: strike(r, c); break;
    }
    if (c->client != NOBODY)
        r->last = c->client;
    account_end(r->account);
}
