/* schedule.c - schedules as text that a person can edit: names of steps, a schedule's items, and the step that an item
 * means.
 *   A  A.acquire  A:2.acquire  A:watchdog  A:watchdog#2   the next step of a task, or the one of that operation
 *   A<answer  A<answer.renew  A<timeout  A<msg  A<msg@2   an answer, a time-out, the next message (of server 2)
 *   A=2   takes the second choice        +100   100 ms pass
 *   B=6  B.work=6  B.acquire=6  B<answer=6  B<msg=6   what takes a declared range ends at its sixth millisecond
 *   !crash A  !lose_reply A.acquire  !interrupt A:2  !stall A:2  !wipe 1  !failover 1=2  !failover 1=lagging
 *             !clock_jump A=250  !evict key
 *   !resume A  !resume A:2  !expire key   no faults: a paused process or a stalled thread goes on, the server
 *              removes an expired key
 *   [ A B ]     the steps between the brackets lead back to the state before them; they can repeat for ever
 *   A.renew#2   the second of the steps that would all be called A.renew; a blank in a key or a name is written %20 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "scenario/ids.h"
#include "base/mem.h"
#include "world/internal.h"

/* Names and keys may hold any bytes; a schedule is split at blanks, and a target does not begin with ! or +. `special`:
 * bytes that would have a meaning at that place. A name that is too long is cut and gets its hash as a suffix. */
static void put_word(str s, const char *special, buf *out)
{
    enum { WHOLE_MAX = 200, KEPT = 150 };
    uint64_t hash = s.n > WHOLE_MAX ? (uint64_t)XXH3_64bits(s.p, s.n) : 0;
    if (s.n > WHOLE_MAX)
        s.n = KEPT;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c <= ' ' || c == 127 || c == '%' || strchr(special, c) || (i == 0 && (c == '!' || c == '+')))
            buf_printf(out, "%%%02X", c);
        else
            buf_byte(out, (char)c);
    }
    if (s.n == 0)
        buf_byte(out, '%');
    if (hash)
        buf_printf(out, "%%~%016" PRIx64, hash);
}

/* A task whose name is a number would be read as a thread. */
static void put_task(str name, buf *out)
{
    size_t digits = 0;
    while (digits < name.n && name.p[digits] >= '0' && name.p[digits] <= '9')
        digits++;
    put_word(name, digits == name.n ? "0123456789" : ".<=@#", out);
}

static void put_op(str op, buf *out)
{
    buf_byte(out, '.');
    put_word(op, "#", out);
}

void world_name_task(world *w, uint32_t process, uint32_t task, buf *out)
{
    buf_add(out, w->sc->clients[process].name);
    const task_view *tasks;
    size_t count = process_tasks(w->nodes[process].p, &tasks), alike = 0;
    const task_view *t = world_task(w, process, task);
    if (!t)
        return;            /* a task that has ended can still have a request under way */
    if (t->main) {
        if (t->thread > 1)
            buf_printf(out, ":%u", t->thread);
        return;
    }
    for (size_t i = 0; i < count && tasks[i].id <= task; i++)
        alike += !tasks[i].main && str_eq(tasks[i].name, t->name);
    buf_byte(out, ':');
    put_task(t->name, out);
    if (alike > 1)
        buf_printf(out, "#%zu", alike);
}

/* The task of the step. For a request that outlived its task or its process: the process. */
static void name_sender(world *w, const step *s, const flight *f, buf *out)
{
    world_name_task(w, s->process, f && f->dead ? NOBODY : s->task, out);
}

static void name_of_fault(world *w, const step *s, const flight *f, buf *out)
{
    buf_printf(out, "!%s ", fault_name(s->fault));
    switch (s->fault) {
    case FAULT_EVICT:
        put_word(s->key, "", out);
        if (w->server_count > 1)
            buf_printf(out, "@%u", s->server + 1);
        break;
    case FAULT_WIPE: case FAULT_LAG: case FAULT_SCRIPT_FLUSH:
        buf_printf(out, "%u", s->server + 1);
        break;
    case FAULT_FAILOVER:
        if (s->amount == FAILOVER_TO_LAGGING)
            buf_printf(out, "%u=lagging", s->server + 1);
        else
            buf_printf(out, "%u=%" PRId64, s->server + 1, s->amount);
        break;
    case FAULT_SERVER_CLOCK_JUMP:
        buf_printf(out, "%u=%" PRId64, s->server + 1, s->amount);
        break;
    case FAULT_CLOCK_JUMP:
        world_name_task(w, s->process, NOBODY, out);
        buf_printf(out, "=%" PRId64, s->amount);
        break;
    case FAULT_LOSE_MESSAGE:
        world_name_task(w, s->process, NOBODY, out);
        if (w->server_count > 1)
            buf_printf(out, "@%u", s->server + 1);
        break;
    default:
        name_sender(w, s, f, out);
        if (f)
            put_op(f->op, out);
        break;
    }
}

/* The name without a number, even where other steps have the same name. */
static void name_alone(world *w, const step *s, buf *out)
{
    const flight *f = network_find(w, s);
    switch (s->kind) {
    case STEP_TIME:
        buf_printf(out, "+%" PRId64, s->amount);
        return;
    case STEP_FAULT:
        name_of_fault(w, s, f, out);
        return;
    case STEP_EXPIRE:
        buf_addz(out, "!expire ");
        put_word(s->key, "", out);
        if (w->server_count > 1)
            buf_printf(out, "@%u", s->server + 1);
        return;
    case STEP_RESUME:
        buf_addz(out, "!resume ");
        world_name_task(w, s->process, s->task, out);
        return;
    case STEP_MESSAGE:
        world_name_task(w, s->process, NOBODY, out);
        buf_addz(out, "<msg");
        if (w->server_count > 1)
            buf_printf(out, "@%u", s->server + 1);
        return;
    default: break;
    }
    name_sender(w, s, f, out);
    switch (s->kind) {
    case STEP_CHOOSE:
        buf_printf(out, "=%" PRId64, s->amount + 1);
        break;
    case STEP_ANSWER: case STEP_GIVE_UP:
        buf_addz(out, s->kind == STEP_ANSWER ? "<answer" : "<timeout");
        if (f && !f->waited)
            put_op(f->op, out);
        break;
    case STEP_ROUND_TRIP: case STEP_EXECUTE:
        assert(f);
        put_op(f->op, out);
        break;
    default:
        put_op(world_task(w, s->process, s->task)->next, out);
        break;
    }
}

static bool same_step(const step *x, const step *y)
{
    return x->kind == y->kind && x->fault == y->fault && x->process == y->process && x->task == y->task &&
           x->request == y->request && x->copy == y->copy && x->server == y->server && x->amount == y->amount &&
           str_eq(x->key, y->key);
}

static void number_namesake(size_t earlier, buf *name)
{
    if (earlier > 0)
        buf_printf(name, "#%zu", earlier + 1);
}

void world_name_step(world *w, const step *s, buf *out)
{
    size_t from = out->n, earlier = 0;
    name_alone(w, s, out);
    if (s->process == NOBODY)
        return;            /* time, and faults of servers: the name is complete */
    str name = str_slice(buf_str(out), from, out->n);
    buf other = { 0 };
    for (size_t i = 0; i < w->step_count && !same_step(&w->steps[i], s); i++) {
        if (w->steps[i].process != s->process)
            continue;
        buf_clear(&other);
        name_alone(w, &w->steps[i], &other);
        earlier += str_eq(buf_str(&other), name);
    }
    buf_free(&other);
    number_namesake(earlier, out);
}

void world_step_op(world *w, const step *s, buf *out)
{
    const flight *f = network_find(w, s);
    const task_view *t = s->kind == STEP_RUN || s->kind == STEP_CHOOSE ? world_task(w, s->process, s->task) : NULL;
    if (s->kind == STEP_TIME)
        buf_addz(out, "time");
    else if (s->kind == STEP_MESSAGE)
        buf_addz(out, "<msg");
    else if (s->kind == STEP_FAULT || s->kind == STEP_RESUME)
        buf_printf(out, "!%s", s->kind == STEP_FAULT ? fault_name(s->fault) : "resume");
    else
        put_word(f ? f->op : t ? t->next : S("step"), "#;", out);
}

/* ---- finding ---- */

/* How well `token` names this step: 0 not at all; else the lower, the better. */
static int rank(world *w, const step *s, str token, str full)
{
    if (str_eq(token, full))
        return 1;
    const flight *f = network_find(w, s);
    buf label = { 0 };
    int r = 0;
    if (s->process != NOBODY)
        name_sender(w, s, f, &label);
    str task = buf_str(&label);
    bool own = s->kind == STEP_RUN ||
               ((s->kind == STEP_ROUND_TRIP || s->kind == STEP_EXECUTE || s->kind == STEP_ANSWER) && f && f->waited);
    if (own && str_eq(token, task))
        r = s->kind == STEP_ANSWER ? 3 : 2;        /* a bare name: whatever the task does next */
    else if (s->kind == STEP_ANSWER && f && str_starts(token, task)) {
        size_t n = label.n;
        put_op(f->op, &label);                     /* "A.acquire" where only its answer is left */
        r = str_eq(token, buf_str(&label)) ? 5 : 0;
        label.n = n;
        buf_addz(&label, "<answer");
        put_op(f->op, &label);
        r = str_eq(token, buf_str(&label)) ? 2 : r;
    } else if (f && (s->kind == STEP_ROUND_TRIP || s->kind == STEP_EXECUTE) && str_eq(token, task))
        r = 4;             /* a request it sent without waiting */
    buf_free(&label);
    return r;
}

static int rank_of_fault(world *w, const step *s, str token, str argument, str full)
{
    size_t blank = str_find(full, ' ', 0);
    if (!str_eq(token, str_slice(full, 0, blank)))
        return 0;
    str target = str_slice(full, blank + 1, full.n);
    if (str_eq(argument, target))
        return 1;
    /* Shorter forms: "!lose_reply A" for "A.acquire", "!failover 1" for "1=1", "!clock_jump A" for "A=60000". For a key
     * only the server may be left out: "a" does not name "a.b". */
    size_t n = argument.n;
    if ((s->kind == STEP_EXPIRE || s->fault == FAULT_EVICT) &&
        (str_find(target, '@', n) != n || str_find(target, '@', n + 1) < target.n))
        return 0;
    if (str_starts(target, argument) && (target.p[n] == '.' || target.p[n] == '=' || target.p[n] == '@'))
        return s->fault == FAULT_FAILOVER && s->amount != w->amount[FAULT_FAILOVER] ? 3 : 2;
    return 0;
}

static bool client_known(world *w, str token)
{
    size_t end = 0;
    while (end < token.n && !strchr(":.<=@", token.p[end]))
        end++;
    for (size_t i = 0; i < w->sc->client_count; i++)
        if (str_eq(w->sc->clients[i].name, str_slice(token, 0, end)))
            return true;
    return false;
}

static bool explain(world *w, str token, str argument, const step *steps, size_t count, err *e)
{
    bool fault = token.n > 0 && token.p[0] == '!';
    fault_kind k;
    if (fault && !str_eq(token, S("!resume")) && !str_eq(token, S("!expire")) &&
        !fault_parse(str_slice(token, 1, token.n), &k)) {
        str known[FAULT_KINDS];
        for (int i = 0; i < FAULT_KINDS; i++)
            known[i] = str_from(fault_name((fault_kind)i));
        str near = err_nearest(str_slice(token, 1, token.n), known, FAULT_KINDS);
        err_set(e, ERR_SCENARIO, "there is no fault '%.*s'", STR_ARG(token));
        return near.n ? err_hint(e, "did you mean !%.*s? `locksim list faults` has all", STR_ARG(near))
                      : err_hint(e, "`locksim list faults` has all");
    }
    if (!fault && !client_known(w, token)) {
        err_set(e, ERR_SCENARIO, "the schedule names '%.*s', and no client has this name", STR_ARG(token));
        buf names = { 0 };
        for (size_t i = 0; i < w->sc->client_count; i++)
            buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(w->sc->clients[i].name));
        err_hint(e, "the clients are %.*s", STR_ARG(buf_str(&names)));
        buf_free(&names);
        return false;
    }
    err_set(e, ERR_SCENARIO, "the step '%.*s%s%.*s' is not enabled at %.3f s", STR_ARG(token), argument.n ? " " : "",
            STR_ARG(argument), (double)(w->now_ms - WORLD_EPOCH_MS) / 1000.0);
    buf names = { 0 };
    enum { SHOWN_MAX = 12 };
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        buf_addz(&names, i ? ", " : "");
        world_name_step(w, &steps[i], &names);
    }
    if (count == 0)
        err_hint(e, "nothing is enabled: the run is over");
    else
        err_hint(e, "enabled are: %.*s%s", STR_ARG(buf_str(&names)), count > SHOWN_MAX ? ", ..." : "");
    buf_free(&names);
    return false;
}

/* ---- any millisecond of a declared range ---- */

/* Something in progress that ends between lo_ms and hi_ms after it began. */
typedef struct {
    step s;                /* the step that ends it */
    int64_t since_ms, lo_ms, hi_ms;
    const char *field;     /* the field that declares the range */
    bool later;            /* its least length must pass first, as a step of its own */
} ranged;

typedef struct {
    world *w;
    str token;             /* without the millisecond */
    ranged best;
    int rank;
} ranged_search;

static void consider(ranged_search *x, ranged r)
{
    buf name = { 0 };
    name_alone(x->w, &r.s, &name);
    int rank_of_it = rank(x->w, &r.s, x->token, buf_str(&name));
    buf_free(&name);
    if (rank_of_it == 0 || (x->rank != 0 && x->rank <= rank_of_it))
        return;
    x->best = r;
    x->rank = rank_of_it;
}

static void consider_tasks(ranged_search *x, uint32_t p)
{
    const task_view *tasks;
    size_t count = x->w->nodes[p].alive ? process_tasks(x->w->nodes[p].p, &tasks) : 0;
    for (size_t i = 0; i < count; i++) {
        const task_view *t = &tasks[i];
        if ((t->status != TASK_WORK && !t->ranged) || t->wake_ms == INT64_MAX)
            continue;
        consider(x, (ranged){ .s = { .kind = STEP_RUN, .process = p, .task = t->id }, .later = t->ranged,
                              .field = str_eq(t->next, S("work")) ? "work_ms" : "me:sleep",
                              .since_ms = t->wake_ms - (t->ranged ? t->least_ms : t->most_ms),
                              .lo_ms = t->least_ms, .hi_ms = t->most_ms });
    }
}

static void consider_network(ranged_search *x, uint32_t p)
{
    const scenario *sc = x->w->sc;
    ranged r = { .lo_ms = sc->latency_lo_ms, .hi_ms = sc->latency_hi_ms, .field = "latency_ms" };
    size_t count;
    const flight *f = network_flights(x->w, p, &count);
    for (size_t i = 0; i < count; i++) {
        if (f[i].given_up || (f[i].state != FLIGHT_SENT && f[i].state != FLIGHT_EXECUTED))
            continue;
        r.s = (step){ .kind = f[i].state == FLIGHT_SENT ? STEP_EXECUTE : STEP_ANSWER, .process = p, .task = f[i].task,
                      .request = f[i].number, .copy = f[i].copy, .server = f[i].server };
        r.since_ms = f[i].state == FLIGHT_SENT ? f[i].sent_ms : f[i].executed_ms;
        consider(x, r);
    }
    const node *n = &x->w->nodes[p];
    for (uint32_t s = 0; s < x->w->server_count; s++)
        if (n->messages[s].count > 0) {
            r.s = (step){ .kind = STEP_MESSAGE, .process = p, .task = NOBODY, .server = s };
            r.since_ms = n->messages[s].items[0].sent_ms;
            consider(x, r);
        }
}

/* "B=6": "B", and 6. */
static bool names_millisecond(str token, str *rest, int64_t *ms)
{
    size_t at = token.n;
    while (at > 0 && token.p[at - 1] >= '0' && token.p[at - 1] <= '9')
        at--;
    if (at == token.n || at < 2 || token.p[at - 1] != '=' || token.n - at > 15)
        return false;
    *ms = 0;
    for (size_t i = at; i < token.n; i++)
        *ms = *ms * 10 + (token.p[i] - '0');
    *rest = str_slice(token, 0, at - 1);
    return true;
}

static bool out_of_range(const ranged *r, str token, int64_t ms, int64_t passed_ms, err *e)
{
    if (ms < r->lo_ms || ms > r->hi_ms) {
        err_set(e, ERR_SCENARIO, "'%.*s' is out of range: %s goes from %" PRId64 " to %" PRId64 " ms", STR_ARG(token),
                r->field, r->lo_ms, r->hi_ms);
        return err_hint(e, "name a millisecond of the range, or change %s", r->field);
    }
    err_set(e, ERR_SCENARIO, "'%.*s' is over: %" PRId64 " ms have passed since it began", STR_ARG(token), passed_ms);
    return err_hint(e, "name a later millisecond, or put it before the time that passes");
}

typedef enum { RANGED_NONE, RANGED_FOUND, RANGED_REFUSED } ranged_found;

/* A step of time up to that instant, or else the step itself; `rest` is its name. */
static ranged_found find_in_range(world *w, str token, str *rest, step *out, err *e)
{
    int64_t ms;
    ranged_search x = { .w = w };
    if (!names_millisecond(token, rest, &ms))
        return RANGED_NONE;
    x.token = *rest;
    for (uint32_t p = 0; p < w->node_count; p++) {
        consider_tasks(&x, p);
        consider_network(&x, p);
    }
    const ranged *r = &x.best;
    int64_t passed_ms = w->now_ms - r->since_ms, to_ms = r->later && r->lo_ms < ms ? r->lo_ms : ms;
    if (x.rank == 0)
        return RANGED_NONE;
    if (ms < r->lo_ms || ms > r->hi_ms || ms < passed_ms) {
        out_of_range(r, token, ms, passed_ms, e);
        return RANGED_REFUSED;
    }
    *out = r->s;
    out->more = r->later;
    if (passed_ms < to_ms)
        *out = (step){ .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = to_ms - passed_ms,
                       .more = true };
    return RANGED_FOUND;
}

static bool find_by_name(world *w, str token, str argument, step *out, err *e);

bool world_find(world *w, str token, str argument, step *out, err *e)
{
    str rest = { 0 };
    if (!w->over && token.n > 0 && token.p[0] != '!' && !find_by_name(w, token, argument, out, NULL))
        switch (find_in_range(w, token, &rest, out, e)) {
        case RANGED_REFUSED: return false;
        case RANGED_FOUND: return out->more || find_by_name(w, rest, argument, out, e);
        case RANGED_NONE: break;
        }
    return find_by_name(w, token, argument, out, e);
}

static bool find_by_name(world *w, str token, str argument, step *out, err *e)
{
    if (token.n > 1 && token.p[0] == '+') {
        if (w->over) {
            err_set(e, ERR_SCENARIO, "the step '%.*s' is not enabled at %.3f s", STR_ARG(token),
                    (double)(w->now_ms - WORLD_EPOCH_MS) / 1000.0);
            return err_hint(e, "nothing is enabled: the run is over");
        }
        int64_t ms = 0;
        for (size_t i = 1; i < token.n && ms < INT64_MAX / 20; i++)
            ms = ms * 10 + (token.p[i] - '0');
        *out = (step){ .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = ms };
        return true;       /* time_pass refuses lengths beyond the end */
    }
    const step *steps;
    size_t count = world_enabled(w, &steps);
    int best = 0;
    buf *names = mem_zero((count + 1) * sizeof *names), name = { 0 };
    for (size_t i = 0; i < count; i++) {
        name_alone(w, &steps[i], &names[i]);
        size_t earlier = 0;
        for (size_t k = 0; k < i && steps[i].process != NOBODY; k++)
            earlier += steps[k].process == steps[i].process && str_eq(buf_str(&names[k]), buf_str(&names[i]));
        buf_clear(&name);
        buf_add(&name, buf_str(&names[i]));
        number_namesake(earlier, &name);
        bool fault = name.p[0] == '!';
        int r = fault ? rank_of_fault(w, &steps[i], token, argument, buf_str(&name))
                : rank(w, &steps[i], token, buf_str(&name));
        if (r != 0 && (best == 0 || r < best)) {
            best = r;
            *out = steps[i];
        }
    }
    for (size_t i = 0; i < count; i++)
        buf_free(&names[i]);
    mem_free(names);
    buf_free(&name);
    return best != 0 || explain(w, token, argument, steps, count, e);
}

/* ---- splitting ---- */

/* longer than any lock's key */
enum { WORD_BYTES_MAX = 65536 };

/* Brackets come in pairs, one pair after the other, with steps in between. `open`: the index after the bracket that is
 * open, or 0. */
static bool bracket_ok(str t, size_t count, size_t *open)
{
    if (str_eq(t, S("["))) {
        bool ok = *open == 0;
        *open = count + 1;
        return ok;
    }
    bool ok = *open > 0 && count > *open;
    *open = 0;
    return ok;
}

static bool is_bracket(str t)
{
    return t.n == 1 && (t.p[0] == '[' || t.p[0] == ']');
}

static bool item_ok(str t)
{
    if (t.p[0] == '+') {
        for (size_t i = 1; i < t.n; i++)
            if (t.p[i] < '0' || t.p[i] > '9')
                return false;
        return t.n > 1 && t.n < 19;
    }
    for (size_t i = 0; i < t.n; i++)
        if ((unsigned char)t.p[i] <= ' ' || t.p[i] == 127)
            return false;
    return t.n > 0 && t.n <= WORD_BYTES_MAX;
}

bool schedule_parse(arena *a, str text, str path, schedule_item **items, size_t *count, err *e)
{
    size_t cap = 0;
    schedule_item *list = NULL;
    *count = 0;
    int line = 1;
    size_t line_start = 0, open = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < text.n;) {
        char c = text.p[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            if (c == '\n') {
                line++;
                line_start = i + 1;
            }
            i++;
            continue;
        }
        size_t end = i;
        while (end < text.n && !strchr(" \t\r\n", text.p[end]))
            end++;
        str token = str_slice(text, i, end);
        int col = (int)(i - line_start) + 1;
        bool argument = *count > 0 && list[*count - 1].token.p[0] == '!' && list[*count - 1].argument.n == 0;
        if (is_bracket(token) && !argument && !bracket_ok(token, *count, &open)) {
            ok = err_at(e, ERR_SCENARIO, path, line, col, "'%.*s' stands where no loop can %s", STR_ARG(token),
                        token.p[0] == '[' ? "begin" : "end");
            err_hint(e,
                     "[ and ] stand in pairs, with steps between them that lead back to the same state: A [ B +100 ]");
            break;
        }
        if (*count == 0 && ids_is_word(token)) {     /* read where the world is made: ids_of_schedule */
            i = end;
            continue;
        }
        if (!item_ok(token) || (argument && (token.p[0] == '!' || token.p[0] == '+'))) {
            ok = err_at(e, ERR_SCENARIO, path, line, col, argument ? "the fault '%.*s' needs a target after it"
                                                                   : "'%.*s' is no step of a schedule",
                        STR_ARG(argument ? list[*count - 1].token : str_slice(token, 0, 40)));
            err_hint(e, "a step is A, A.acquire, A:2, A<msg, A<answer, A=1, +100, or a fault and its target: !pause A, "
                     "!wipe 1");
            break;
        }
        if (argument)
            list[*count - 1].argument = arena_str(a, token);
        else {
            MEM_RESERVE(list, cap, *count + 1);
            list[(*count)++] = (schedule_item){ .token = arena_str(a, token), .line = line, .col = col };
        }
        i = end;
    }
    if (ok && *count > 0 && list[*count - 1].token.p[0] == '!' && list[*count - 1].argument.n == 0) {
        ok = err_at(e, ERR_SCENARIO, path, list[*count - 1].line, list[*count - 1].col,
                    "the fault '%.*s' needs a target after it", STR_ARG(list[*count - 1].token));
        err_hint(e, "say whom: !pause A, !lose_reply A.acquire, !wipe 1, !evict key");
    }
    if (ok && list && open) {
        ok = err_at(e, ERR_SCENARIO, path, list[open - 1].line, list[open - 1].col, "this '[' has no ']'");
        err_hint(e, "[ and ] stand in pairs, with steps between them that lead back to the same state: A [ B +100 ]");
    }
    *items = ARENA_ARRAY(a, schedule_item, *count + 1);
    if (*count)
        memcpy(*items, list, *count * sizeof *list);
    mem_free(list);
    return ok;
}
