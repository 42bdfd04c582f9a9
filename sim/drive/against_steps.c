/* against_steps.c - what happened in the program's run happens in the driver's world. */
#include "drive/against_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* ---- what goes on by itself, in no time, after a step of the client ---- */

enum { TASKS_MAX = 64 };

/* Tasks of the driver that can go on. */
typedef struct { uint32_t tasks[TASKS_MAX]; size_t count; } runnable;

static bool is_in(const runnable *r, uint32_t task)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->tasks[i] == task)
            return true;
    return false;
}

static runnable look_around(follower *f, uint32_t node)
{
    runnable r = { .count = 0 };
    const step *steps;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count && r.count < TASKS_MAX; i++)
        if (steps[i].kind == STEP_RUN && steps[i].holds_time && steps[i].process == node)
            r.tasks[r.count++] = steps[i].task;
    return r;
}

/* A client that could not go on before does: the next pause finds it where the program is. Timers that were due
 * before are left alone, as a thread that sleeps is; or run, too, as those of an event loop do: a choice. */
static bool go_on(follower *f, uint32_t node, const runnable *before)
{
    static const runnable nobody = { .count = 0 };
    if (before->count > 0 && follow_pick(f, node, 2) == 1)
        before = &nobody;
    for (;;) {
        const step *steps, *found = NULL;
        size_t count = world_enabled(f->w, &steps);
        for (size_t i = 0; i < count && !found; i++)
            if (steps[i].kind == STEP_RUN && steps[i].holds_time && steps[i].process == node &&
                !is_in(before, steps[i].task))
                found = &steps[i];
        if (!found)
            return true;
        if (!follow_take(f, found))
            return false;
    }
}

/* A timer of the program's has fired: so has the driver's, where one is due. */
bool follow_fire_timer(follower *f, uint32_t node)
{
    const step *steps;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kind != STEP_RUN || !steps[i].holds_time || steps[i].process != node)
            continue;
        runnable before = look_around(f, node);
        const step *due = follow_due_task(f, steps, count, i);
        for (size_t k = 0; k < before.count; k++)
            if (before.tasks[k] == due->task)
                before.tasks[k] = before.tasks[--before.count];
        return follow_take(f, due) && go_on(f, node, &before);
    }
    return true;
}

/* ---- what happens ---- */

/* The driver sends its counterpart of the program's request r. */
static bool send_same(follower *f, size_t r)
{
    const story_request *theirs = &f->real->requests[r];
    uint32_t node = f->nodes[theirs->process];
    while (f->ours[r] == NONE) {
        const step *how;
        const story_request *q = follow_pending(f, node, &how, theirs);
        if (q && how) {
            size_t place;
            follow_find_ours(f, node, q->number, 0, &place);
            f->ours[r] = place + 1;
            if (q->sent_ms != theirs->sent_ms)
                return follow_differ(f, theirs->process, theirs, q);
            break;
        }
        bool loaded = false;
        if (!follow_load_scripts(f, &loaded))
            return false;
        const step *local = loaded ? NULL : follow_local_step(f, node, false);
        if (local && !follow_take(f, local))
            return false;
        if (!local && !loaded)
            return follow_differ(f, theirs->process, theirs, q ? q : follow_later(f, node));
    }
    return true;
}

static bool same_answer(follower *f, size_t r)
{
    const story_request *theirs = &f->real->requests[r], *q = &world_story(f->w)->requests[f->ours[r] - 1];
    if (str_eq(theirs->answer, q->answer) || str_eq(theirs->answer, against_in_their_words(&f->words, q->answer)))
        return true;
    follow_differ(f, theirs->process, theirs, q);
    f->reason = arena_printf(f->a, "%.*s: its %.*s request, at %.*s, has another answer",
                             STR_ARG(f->clients[theirs->process]),
                             STR_ARG(follow_ordinal(f->a, follow_number_of(f, theirs))),
                             STR_ARG(follow_instant(f->a, theirs->sent_ms)));
    return false;
}

/* The same request, repeated after the server learned the script. SIZE_MAX: none. */
static size_t asked_again(const follower *f, size_t r)
{
    const story_request *first = &f->real->requests[r];
    for (size_t i = r + 1; i < f->real->request_count; i++) {
        const story_request *at = &f->real->requests[i];
        bool same = at->process == first->process && at->copy == 0 && at->argc == first->argc && follow_runs_script(at);
        for (size_t k = 2; same && k < at->argc; k++)
            same = str_eq(at->argv[k], first->argv[k]);
        if (same)
            return i;
    }
    return SIZE_MAX;
}

/* The program's script was unknown to its server, and the driver's was not: its answer is that to the program's
 * repeated request, if that came at once. Otherwise they differ. */
static void take_for_next(follower *f, size_t r)
{
    const story_request *first = &f->real->requests[r];
    size_t next = asked_again(f, r);
    f->enough = next == SIZE_MAX || f->real->requests[next].executed_ms != first->sent_ms;
    if (f->enough)
        return;
    f->ours[next] = f->ours[r];
    f->ours[r] = NONE;
    f->left_out[r] = true;
}

static const story_request *ours_of(const follower *f, size_t r)
{
    return &world_story(f->w)->requests[f->ours[r] - 1];
}

/* Sends and executes the driver's counterpart of the program's request r. If only the driver's script is unknown, the
 * driver repeats the request. */
static bool execute_ours(follower *f, size_t r)
{
    const story_request *theirs = &f->real->requests[r];
    for (;;) {
        if (!send_same(f, r))
            return false;
        const step *s = follow_step_of(f, f->ours[r] - 1, STEP_ROUND_TRIP, STEP_EXECUTE);
        if (!s)
            return follow_differ(f, theirs->process, theirs, NULL);
        uint32_t node = s->process;
        runnable before = look_around(f, node);
        if (!follow_take(f, s) || !go_on(f, node, &before))
            return false;
        if (follow_is_unknown_script(theirs) || !follow_is_unknown_script(ours_of(f, r)))
            return true;
        if (!follow_see_to(f, f->ours[r] - 1))
            return false;
        f->ours[r] = NONE;
    }
}

bool follow_execute(follower *f, size_t r)
{
    const story_request *theirs = &f->real->requests[r];
    bool executed = f->ours[r] != NONE && ours_of(f, r)->executed_ms != STORY_NEVER_MS;
    if (!executed && !execute_ours(f, r))
        return false;
    if (follow_is_unknown_script(theirs) && !follow_is_unknown_script(ours_of(f, r))) {
        take_for_next(f, r);
        return true;
    }
    f->alike++;
    return theirs->answer.n == 0 || theirs->waited || same_answer(f, r);
}

/* enter, leave and token are lines of the program, in which it may stand: a choice of its own. */
bool follow_is_line(const story_row *row)
{
    size_t dot = str_find(row->token, '.', 0);
    str word = str_slice(row->token, dot + 1, row->token.n);
    return str_eq(word, S("enter")) || str_eq(word, S("leave")) || str_eq(word, S("token"));
}

/* Is the program paused in a line that comes next? Then the driver, which prints none, has its answer when that goes
 * on: whatever it does next would begin too early. */
bool follow_pauses_in_line(const follower *f, uint32_t client, size_t row)
{
    bool paused = false;
    for (size_t i = row; i < f->real->count; i++) {
        const story_row *at = &f->real->rows[i];
        if (at->process != client)
            continue;
        if (follow_is_line(at))
            return paused;
        if (at->token.p[0] != '!')
            return false;
        paused = paused || str_starts(at->token, S("!pause"));
    }
    return false;
}

bool follow_answer(follower *f, size_t r, size_t row)
{
    if (follow_pauses_in_line(f, f->real->requests[r].process, row)) {
        f->put_off[f->real->requests[r].process] = r + 1;
        return true;
    }
    if (f->ours[r] == NONE || world_story(f->w)->requests[f->ours[r] - 1].answered_ms != STORY_NEVER_MS)
        return true;               /* it was answered when it was executed */
    const step *s = follow_step_of(f, f->ours[r] - 1, STEP_ANSWER, STEP_ANSWER);
    if (!s)
        return true;
    uint32_t node = s->process;
    runnable before = look_around(f, node);
    return follow_take(f, s) && go_on(f, node, &before) && same_answer(f, r);
}

bool follow_message(follower *f, uint32_t client)
{
    const step *steps;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind == STEP_MESSAGE && steps[i].process == f->nodes[client]) {
            runnable before = look_around(f, f->nodes[client]);
            return follow_take(f, &steps[i]) && go_on(f, f->nodes[client], &before);
        }
    return true;  /* the program gets a message for which its driver does not wait: its requests will show that */
}

/* ---- time ---- */

/* The program's next request of this client from the row on; NULL: none. */
static const story_request *next_of(const follower *f, uint32_t node, size_t row)
{
    for (size_t i = 0; i < f->real->request_count; i++) {
        const story_request *r = &f->real->requests[i];
        if (f->nodes[r->process] == node && follow_is_open(f, i) && r->sent_step >= row)
            return r;
    }
    return NULL;
}

uint32_t follow_client_of(const follower *f, uint32_t node)
{
    uint32_t c = 0;
    while (c + 1 < f->client_count && f->nodes[c] != node)
        c++;
    return c;
}

/* Sends what the program has sent before the row. */
static bool send_all(follower *f, size_t row)
{
    for (size_t i = 0; i < f->real->request_count; i++) {
        const story_request *r = &f->real->requests[i];
        bool under_way = r->executed_step == 0 || r->executed_step > row;
        if (r->sent_step < row && under_way && follow_is_open(f, i) && !send_same(f, i))
            return false;
    }
    return true;
}

/* Does the program die before it does anything else? It may have stood in a line until then, and the driver prints
 * none. */
static bool dies_next(const follower *f, uint32_t client, size_t row)
{
    for (size_t i = row - 1; i < f->real->count; i++) {
        const story_row *at = &f->real->rows[i];
        if (at->process != client)
            continue;
        if (str_starts(at->token, S("!crash")) || str_starts(at->token, S("!restart")))
            return true;
        if (at->token.p[0] != '!')
            return false;
    }
    return false;
}

/* Runs everything that can go on by itself. false: a request that the program does not send here. */
bool follow_come_to_rest(follower *f, size_t row)
{
    if (!send_all(f, row))
        return false;
    for (const step *s; (s = follow_local_step(f, NOBODY, true)) != NULL;)
        if (!follow_take(f, s))
            return false;
    bool any;
    if (!follow_load_scripts(f, &any))
        return false;
    if (any)
        return follow_come_to_rest(f, row);
    const step *how;
    const story_request *q = follow_pending(f, NOBODY, &how, NULL);
    if (!q)
        return true;
    uint32_t client = follow_client_of(f, q->process);
    f->enough = dies_next(f, client, row);
    return f->enough || follow_differ(f, client, next_of(f, q->process, row), q);
}

static bool expire(follower *f)
{
    for (;;) {
        const step *steps, *found = NULL;
        size_t count = world_enabled(f->w, &steps);
        for (size_t i = 0; i < count && !found; i++)
            if (steps[i].kind == STEP_EXPIRE)
                found = &steps[i];
        if (!found)
            return true;
        if (!follow_take(f, found))
            return false;
    }
}

bool follow_pass(follower *f, int64_t ms, size_t row)
{
    while (ms > 0) {
        if (!follow_come_to_rest(f, row))
            return false;
        if (f->enough)
            return true;
        const step *steps;
        int64_t next = ms;
        size_t count = world_enabled(f->w, &steps);
        for (size_t i = 0; i < count; i++)
            if (steps[i].kind == STEP_TIME && steps[i].amount < next)
                next = steps[i].amount;
        step s = { .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = next };
        if (!follow_take(f, &s) || !expire(f))
            return false;
        ms -= next;
    }
    return true;
}

/* ---- faults ---- */

static const step *fault_step(follower *f, fault_kind k, uint32_t node, str key, const story_mark *m,
                              const story_request *q)
{
    const step *steps;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count; i++) {
        const step *s = &steps[i];
        if (s->kind == STEP_FAULT && s->fault == k && s->process == node && (!q || s->request == q->number) &&
            (node != NOBODY || (m && s->server == m->server)) && (k != FAULT_EVICT || str_eq(s->key, key)))
            return s;
    }
    return NULL;
}

static bool resume(follower *f, uint32_t node)
{
    const step *steps;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind == STEP_RESUME && steps[i].process == node)
            return follow_take(f, &steps[i]);
    return true;
}

uint32_t follow_client_named(const follower *f, str name)
{
    for (uint32_t c = 0; c < f->client_count; c++)
        if (str_eq(f->clients[c], name))
            return c;
    return NOBODY;
}

/* What the fault of this row struck. NULL: there is none in it. */
static const story_mark *fault_of(const follower *f, size_t row)
{
    for (size_t i = 0; i < f->real->mark_count; i++)
        if (f->real->marks[i].kind == MARK_FAULT && f->real->marks[i].step == row)
            return &f->real->marks[i];
    return NULL;
}

/* The program's request that it struck. SIZE_MAX: none. */
static size_t struck(const follower *f, const story_mark *m)
{
    for (size_t i = 0; m && m->request && i < f->real->request_count; i++)
        if (f->real->requests[i].number == m->request && f->real->requests[i].copy == 0)
            return i;
    return SIZE_MAX;
}

/* The copy is executed at once. If only one of the servers knew the script, they differ. */
static bool execute_copy(follower *f, size_t r, size_t row)
{
    const step *steps, *found = NULL;
    uint32_t node = f->nodes[f->real->requests[r].process];
    size_t count = world_enabled(f->w, &steps), place;
    for (size_t i = 0; i < count && !found; i++)
        if (steps[i].kind == STEP_EXECUTE && steps[i].process == node && steps[i].copy)
            found = &steps[i];
    if (!found)
        return true;
    uint32_t number = found->request, copy = found->copy;
    if (!follow_take(f, found))
        return false;
    const story_request *ours = follow_find_ours(f, node, number, copy, &place);
    for (size_t i = 0; ours && i < f->real->request_count; i++) {
        const story_request *theirs = &f->real->requests[i];
        if (theirs->copy && theirs->executed_step == row)
            f->enough = follow_is_unknown_script(theirs) != follow_is_unknown_script(ours);
    }
    return true;
}

static void lose_all(follower *f, uint32_t client, size_t row)
{
    for (size_t i = 0; i < f->real->request_count; i++)
        if (f->real->requests[i].process == client && f->real->requests[i].sent_step < row)
            f->gone[i] = true;
}

/* The program is paused in this row: was it held in a line then? It goes on with that. */
static bool stands_in_line(const follower *f, uint32_t client, size_t row)
{
    for (size_t i = row; i < f->real->count; i++) {
        const story_row *at = &f->real->rows[i];
        if (at->process == client && at->token.p[0] != '!')
            return follow_is_line(at);
    }
    return false;
}

bool follow_strike(follower *f, str token, size_t row)
{
    size_t blank = str_find(token, ' ', 0);
    str what = str_slice(token, 1, blank), target = str_slice(token, blank + 1, str_find(token, '#', blank));
    target = str_slice(target, 0, str_ends(target, S("=silent")) ? target.n - 7 : target.n);
    uint32_t client = follow_client_named(f, target), node = client == NOBODY ? NOBODY : f->nodes[client];
    fault_kind k;
    if (str_eq(what, S("resume")))
        return resume(f, node);
    if (!fault_parse(what, &k))
        return true;
    f->doubtful = f->doubtful || (k == FAULT_PAUSE && client != NOBODY && stands_in_line(f, client, row));
    const story_mark *m = fault_of(f, row);
    size_t r = struck(f, m);
    if (!send_all(f, row))
        return false;
    bool before = r != SIZE_MAX && f->ours[r] != NONE && k != FAULT_LOSE_REPLY &&
                  ours_of(f, r)->executed_ms != STORY_NEVER_MS;
    f->enough = before || (r != SIZE_MAX && f->ours[r] == NONE);
    if (f->enough)
        return true;               /* it asked by a hash that the server did not know, which the driver's does */
    const step *s = fault_step(f, k, node, target, m,
                               r != SIZE_MAX ? &world_story(f->w)->requests[f->ours[r] - 1] : NULL);
    if (s && !follow_take(f, s))
        return false;
    if (k == FAULT_CRASH || k == FAULT_RESTART)
        lose_all(f, client, row);
    else if (r != SIZE_MAX && k != FAULT_DUPLICATE)
        f->gone[r] = true;
    return !s || r == SIZE_MAX || k != FAULT_DUPLICATE || execute_copy(f, r, row);
}
