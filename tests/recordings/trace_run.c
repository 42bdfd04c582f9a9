/* trace_run.c - see trace.h: the drivers' client under a trace's program. Steps at one instant are taken in any order
 * that the world allows; time moves to the next instant at which something is due; requests meet the fates that the
 * trace gives them. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "host/files.h"
#include "client/load.h"
#include "script/script.h"
#include "trace.h"
#include "world/internal.h"

/* An instant at which this many steps were taken and more are due is a loop that takes no time. */
enum { STEPS_AT_ONCE_MAX = 5000, SEEN_MAX = 1024, IDS_MAX = 256, SCRIPTS_MAX = 64 };

/* What is known of a request since it was sent. */
typedef struct {
    uint32_t number;
    int64_t late_ms, delay_ms;
    bool reset, nosync, hung;
} seen;

typedef struct {
    arena *a;
    const trace *t;
    world *w;
    rows *out;
    rng random;
    bool shuffled, orderly;
    seen *requests;
    size_t request_count;
    uint32_t matched[FATES_MAX], messages[CLIENTS_MAX];
    bool done[EVENTS_MAX];
    bool hung[SERVERS_MAX];
    int64_t batches_ms[CLIENTS_MAX][SERVERS_MAX];  /* the connection for batches is silent until then: answers come in
                                                    * order */
    const script_file *scripts[SCRIPTS_MAX];       /* that were sent so far */
    size_t script_count;
    struct { str name, text; } named[SCRIPTS_MAX]; /* the scripts that the trace names, as shipped */
    size_t named_count;
    str ids[3][IDS_MAX];                           /* of requests, permits and tokens: as they came */
    size_t id_count[3];
    bool runs_away;                                /* more ids or requests than any trace has */
    size_t told_rows;                              /* of the story */
    str answer;                                    /* to what was executed last, " -> " before it */
} run;

static int64_t since_start(const run *r)
{
    return world_now_ms(r->w) - WORLD_EPOCH_MS;
}

/* ---- words as the trace has them ---- */

static size_t id_number(run *r, int kind, str id)
{
    for (size_t i = 0; i < r->id_count[kind]; i++)
        if (str_eq(r->ids[kind][i], id))
            return i + 1;
    if (r->id_count[kind] == IDS_MAX) {
        r->runs_away = true;
        return IDS_MAX;
    }
    r->ids[kind][r->id_count[kind]++] = arena_str(r->a, id);
    return r->id_count[kind];
}

static size_t digits(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] >= '0' && p[n] <= '9')
        n++;
    return n;
}

/* "C2:1" (the client's first thread) at p: the trace counts threads over all clients. Returns how much was taken, 0:
 * nothing. */
static size_t add_owner(const run *r, const char *p, const char *end, buf *b)
{
    for (size_t c = 0; c < r->t->client_count; c++) {
        const trace_client *client = &r->t->clients[c];
        size_t n = client->name.n;
        if ((size_t)(end - p) <= n + 1 || memcmp(p, client->name.p, n) != 0 || p[n] != ':')
            continue;
        size_t d = digits(p + n + 1, end);
        unsigned long k = 0;                       /* what stands behind the word may be more digits */
        for (size_t i = 0; i < d && k < client->thread_count + 1; i++)
            k = k * 10 + (unsigned long)(p[n + 1 + i] - '0');
        if (k == 0 || k > client->thread_count)
            continue;
        buf_printf(b, "%.*s:%" PRIu32, STR_ARG(client->name), client->threads[k - 1]);
        return n + 1 + d;
    }
    return 0;
}

/* "C1#0:request:1", "C1#0:permit:3", "C1#0:token:2". */
static size_t add_id(run *r, const char *p, const char *end, buf *b)
{
    static const str kinds[] = { { ":request:", 9 }, { ":permit:", 8 }, { ":token:", 7 } };
    const char *hash = memchr(p, '#', (size_t)(end - p));
    if (!hash || hash - p > 16)
        return 0;
    for (const char *c = p; c < hash; c++)
        if (*c == ':' || *c == '}' || *c == ' ')
            return 0;
    size_t d = digits(hash + 1, end);
    const char *kind = hash + 1 + d;
    for (int k = 0; k < (int)COUNT(kinds); k++) {
        if ((size_t)(end - kind) <= kinds[k].n || memcmp(kind, kinds[k].p, kinds[k].n) != 0)
            continue;
        size_t n = (size_t)(kind - p) + kinds[k].n + digits(kind + kinds[k].n, end);
        buf_printf(b, "%c%zu", "rpt"[k], id_number(r, k, (str){ p, n }));
        return n;
    }
    return 0;
}

/* "C2:1/C2#0:token:1", whose owner is for the view: the trace has the token alone. */
static size_t add_owned(run *r, const char *p, const char *end, buf *b)
{
    buf owner = { 0 };
    size_t n = add_owner(r, p, end, &owner);
    buf_free(&owner);
    if (!n || p + n == end || p[n] != '/')
        return 0;
    size_t id = add_id(r, p + n + 1, end, b);
    return id ? n + 1 + id : 0;
}

static size_t add_instant(const run *r, const char *p, const char *end, buf *b)
{
    size_t d = digits(p, end);
    if (d != 13)
        return 0;
    int64_t off_ms = strtoll(p, NULL, 10) - world_now_ms(r->w);
    if (off_ms < -INT64_C(10000000) || off_ms > INT64_C(10000000))
        return 0;
    buf_addz(b, "now");
    if (off_ms)
        buf_printf(b, "%+" PRId64, off_ms);
    return d;
}

static void add_words(run *r, str s, buf *b)
{
    const char *end = s.p + s.n;
    bool inside = false;                           /* of a word or number */
    for (const char *p = s.p; p < end;) {
        size_t n = inside ? 0 : add_id(r, p, end, b);
        n = n || inside ? n : add_owned(r, p, end, b);
        n = n || inside ? n : add_owner(r, p, end, b);
        n = n || inside ? n : add_instant(r, p, end, b);
        if (!n) {
            buf_byte(b, *p);
            inside = (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z') || *p == '_';
            p++;
        }
        p += n;
    }
}

static void add_reply(run *r, const reply *x, buf *b)
{
    switch (x->kind) {
    case REPLY_NIL: case REPLY_NIL_ARRAY: buf_addz(b, "nil"); return;
    case REPLY_ERROR: buf_addz(b, "error"); return;
    case REPLY_INTEGER: add_words(r, arena_int(r->a, x->integer), b); return;
    case REPLY_BULK: case REPLY_STATUS: add_words(r, x->text, b); return;
    case REPLY_ARRAY: case REPLY_SET: case REPLY_MAP: case REPLY_DOUBLE: case REPLY_BOOLEAN: case REPLY_BIG_NUMBER:
    case REPLY_VERBATIM: break;
    }
    buf_byte(b, '[');
    for (size_t i = 0; i < x->count; i++) {
        buf_addz(b, i ? " " : "");
        add_reply(r, &x->items[i], b);
    }
    buf_byte(b, ']');
}

static void add_list(run *r, const str *words, size_t count, buf *b)
{
    buf_byte(b, '[');
    for (size_t i = 0; i < count; i++) {
        buf_addz(b, i ? " " : "");
        add_words(r, words[i], b);
    }
    buf_byte(b, ']');
}

/* What a text that is sent whole is called; empty: unknown. */
static str name_of_text(const run *r, str text)
{
    for (size_t i = 0; i < r->named_count; i++)
        if (str_eq(r->named[i].text, text))
            return r->named[i].name;
    for (size_t i = 0; i < r->script_count; i++)
        if (str_eq(r->scripts[i]->body, text))
            return r->scripts[i]->name;
    return S("");
}

/* A request as the trace words it, without its reply. */
static void add_request(run *r, const flight *f, buf *b)
{
    buf_printf(b, "%.*s ", STR_ARG(r->t->clients[f->process].name));
    if (r->t->servers > 1)
        buf_printf(b, "@%" PRIu32 " ", f->server + 1);
    if (f->script) {
        size_t keys = strtoul(f->argv[2].p, NULL, 10);
        buf_printf(b, "%.*s ", STR_ARG(f->script->name));
        add_list(r, f->argv + 3, keys, b);
        buf_byte(b, ' ');
        size_t rest = f->argc - 3 - keys;
        str *argv = ARENA_ARRAY(r->a, str, rest + 1);
        memcpy(argv, f->argv + 3 + keys, rest * sizeof *argv);
        trace_sort_values(f->script->name, argv, rest);
        add_list(r, argv, rest, b);
        return;
    }
    bool loads = f->argc == 3 && str_eq(f->argv[0], S("SCRIPT")),
                 evaluates = f->argc >= 3 && str_eq(f->argv[0], S("EVAL"));
    str name = loads ? name_of_text(r, f->argv[2]) : evaluates ? name_of_text(r, f->argv[1]) : S("");
    if (name.n && loads) {
        buf_printf(b, "SCRIPT LOAD %.*s", STR_ARG(name));
        return;
    }
    if (name.n) {
        size_t keys = strtoul(f->argv[2].p, NULL, 10);
        buf_printf(b, "EVAL %.*s ", STR_ARG(name));
        add_list(r, f->argv + 3, keys, b);
        buf_byte(b, ' ');
        add_list(r, f->argv + 3 + keys, f->argc - 3 - keys, b);
        return;
    }
    buf_printf(b, "%.*s ", STR_ARG(f->argv[0]));
    add_list(r, f->argv + 1, f->argc - 1, b);
}

static void note(run *r, buf *b, row x)
{
    x.at_ms = since_start(r);
    x.text = arena_str(r->a, buf_str(b));
    if (!str_starts(x.text, S("other ")))          /* whose commands are no client's of the library */
        rows_add(r->out, x);
    buf_free(b);
}

/* The kth thread of a client, by its number in the program; 0: none. */
static uint32_t numbered(const run *r, uint32_t process, unsigned long k)
{
    const trace_client *c = &r->t->clients[process];
    return k >= 1 && k <= c->thread_count ? c->threads[k - 1] : 0;
}

static uint32_t thread_of(const run *r, const flight *f)
{
    const char *colon = memchr(f->who.p, ':', f->who.n);
    return numbered(r, f->process, colon ? strtoul(colon + 1, NULL, 10) : 1);
}

static row request_row(const run *r, const flight *f)
{
    bool channel = str_ends(f->argv[0], S("SUBSCRIBE"));
    return (row){ .kind = channel ? ROW_CHANNEL : ROW_REQUEST, .client = r->t->clients[f->process].name,
                  .thread = channel && r->t->redisson ? 0 : thread_of(r, f) };
}

/* ---- fates ---- */

static bool is_part(const flight *f, str part)
{
    if (!f->script)
        return str_eq(f->argv[0], part);
    return strstr(f->script->name.p, part.p) != NULL;
}

static seen *seen_of(run *r, uint32_t number)
{
    for (size_t i = 0; i < r->request_count; i++)
        if (r->requests[i].number == number)
            return &r->requests[i];
    return NULL;
}

static void meet_fates(run *r, const flight *f, seen *s)
{
    for (size_t i = 0; i < r->t->fate_count; i++) {
        const fate *x = &r->t->fates[i];
        bool of_wait = str_eq(x->part, S("WAIT")) && f->sync > 0;
        if ((!of_wait && !is_part(f, x->part)) || (x->thread && x->thread != thread_of(r, f)))
            continue;
        r->matched[i]++;
        if (x->nth && x->nth != r->matched[i])
            continue;
        s->late_ms = x->kind == FATE_LATE ? x->ms : s->late_ms;
        s->delay_ms = x->kind == FATE_DELAY ? x->ms : s->delay_ms;
        s->reset |= x->kind == FATE_RESET;
        s->nosync |= x->kind == FATE_NOSYNC;
        s->hung |= x->kind == FATE_LOST;
    }
}

/* The script is new to the client: a cold server does not know it yet, though it knows those that it was asked for
 * before. */
static void meet_script(run *r, const flight *f)
{
    for (size_t i = 0; i < r->script_count; i++)
        if (str_eq(r->scripts[i]->body, f->script->body))
            return;
    assert(r->script_count < SCRIPTS_MAX);
    server *s = &r->w->servers[f->server];
    str why;
    if (r->t->cold && server_learn(r->w, s, f->script, f->op, &why)) {
        redis_flush_scripts(s->r);
        for (size_t i = 0; i < r->script_count; i++)
            redis_load_script(s->r, r->scripts[i]->body, r->a, &why);
    }
    r->scripts[r->script_count++] = f->script;
}

/* What was sent since the last look. */
static void look_at_flights(run *r)
{
    for (size_t i = 0; i < r->w->flight_count; i++) {
        const flight *f = &r->w->flights[i];
        if (seen_of(r, f->number))
            continue;
        if (r->request_count == SEEN_MAX) {
            r->runs_away = true;
            return;
        }
        seen *s = &r->requests[r->request_count++];
        *s = (seen){ .number = f->number, .hung = r->hung[f->server] };
        meet_fates(r, f, s);
        if (f->script)
            meet_script(r, f);
        if (!s->hung && !s->delay_ms)
            continue;
        buf b = { 0 };
        add_request(r, f, &b);
        buf_addz(&b, s->hung ? "" : " sent");
        note(r, &b, request_row(r, f));
    }
}

/* ---- steps ---- */

/* When an executed request is answered. */
static int64_t answered_ms(const run *r, const flight *f, const seen *s)
{
    int64_t at_ms = f->executed_ms + s->late_ms + r->t->rtt_ms, free_ms = r->batches_ms[f->process][f->server];
    return f->sync && free_ms > at_ms ? free_ms : at_ms;
}

static bool may_take(run *r, const step *s)
{
    const flight *f = network_find(r->w, s);
    const seen *known = f ? seen_of(r, f->number) : NULL;
    int64_t now_ms = r->w->now_ms;
    switch (s->kind) {
    case STEP_FAULT: case STEP_TIME: case STEP_RESUME: case STEP_EXPIRE: return false;
    case STEP_EXECUTE: case STEP_ROUND_TRIP: return !known || (!known->hung && now_ms >= f->sent_ms + known->delay_ms);
    case STEP_ANSWER: return !known || (!known->reset && now_ms >= answered_ms(r, f, known));
    case STEP_CHOOSE: {
        const task_view *t = world_task(r->w, s->process, s->task);
        return s->amount == (r->t->draws_max ? (int64_t)t->choices - 1 : 0);
    }
    case STEP_RUN: {
        const task_view *t = world_task(r->w, s->process, s->task);
        return t->status != TASK_WORK;
    }
    case STEP_GIVE_UP: case STEP_MESSAGE: break;
    }
    return true;
}

static void on_executed(void *context, const world_executed *x)
{
    run *r = context;
    buf b = { 0 };
    if (x->script || !(str_ends(x->argv[0], S("SUBSCRIBE")) || str_eq(x->argv[0], S("SCRIPT")))) {
        buf_addz(&b, " -> ");
        add_reply(r, x->answer, &b);
    }
    r->answer = arena_str(r->a, buf_str(&b));
    buf_free(&b);
}

/* The WAIT that went with a request in one batch, and what comes of it. */
static void note_wait(run *r, const step *s, uint32_t sync)
{
    const seen *known = seen_of(r, s->request);
    flight *f = network_find(r->w, s);
    buf wait = { 0 };
    buf_printf(&wait, "%.*s WAIT [%" PRIu32 " 1000] -> %d", STR_ARG(r->t->clients[s->process].name), sync,
               !known->nosync);
    note(r, &wait, (row){ .kind = ROW_OTHER });
    int64_t free_ms = r->w->now_ms + known->late_ms;
    if (free_ms > r->batches_ms[s->process][s->server])
        r->batches_ms[s->process][s->server] = free_ms;
    if (f && known->nosync)
        f->answer = reply_error(S("NOSYNC too few replicas have it"));
}

/* The lines that clients logged since the last look. */
static void note_calls(run *r)
{
    const story *told = world_story(r->w);
    for (; r->told_rows < told->count; r->told_rows++) {
        const story_row *told_row = &told->rows[r->told_rows];
        if (told_row->process == NOBODY)
            continue;
        for (const char *p = told_row->notes.p, *end = p + told_row->notes.n; p < end;) {
            const char *stop = memchr(p, '\n', (size_t)(end - p));
            size_t n = (size_t)((stop ? stop : end) - p);
            if (n > 0 && *p == '@') {
                buf b = { 0 };
                str client = r->t->clients[told_row->process].name;
                size_t d = digits(p + 1, p + n);
                uint32_t thread = numbered(r, told_row->process, strtoul(p + 1, NULL, 10));
                buf_printf(&b, "%.*s", STR_ARG(client));
                add_words(r, (str){ p + 1 + d, n - 1 - d }, &b);
                note(r, &b, (row){ .kind = ROW_CALL, .client = client, .thread = thread });
            }
            p += n + 1;
        }
    }
}

/* Whether it may be sent again, and was, as trace.c words it. */
static const char *tries_of(const run *r, const flight *f)
{
    if (!trace_tells_tries(r->t) || flight_is_pubsub(f) || str_eq(f->argv[0], S("SCRIPT")))
        return "";
    return f->again ? " (another try)" : f->resend ? " (may be sent again)" : "";
}

static bool take(run *r, const step *s, err *e)
{
    step copy = *s;
    const flight *f = network_find(r->w, s);
    bool executes = f && (s->kind == STEP_EXECUTE || s->kind == STEP_ROUND_TRIP);
    uint32_t sync = executes ? f->sync : 0;
    const char *tries = executes ? tries_of(r, f) : "";
    buf request = { 0 };                           /* the flight may be over with the step */
    row x = { .kind = ROW_OTHER };
    if (executes) {
        add_request(r, f, &request);
        x = request_row(r, f);
    }
    if (s->kind == STEP_MESSAGE) {
        const message *m = &r->w->nodes[s->process].messages[s->server].items[0];
        str all = buf_str(&m->text);
        uint32_t nth = ++r->messages[s->process];
        bool lost = false;
        for (size_t i = 0; i < r->t->lost_count; i++)
            lost |= str_eq(r->t->lost[i].client, r->t->clients[s->process].name) && r->t->lost[i].nth == nth;
        if (lost) {
            copy.kind = STEP_FAULT;
            copy.fault = FAULT_LOSE_MESSAGE;
        }
        buf b = { 0 };
        buf_printf(&b, "%.*s message ", STR_ARG(r->t->clients[s->process].name));
        add_words(r, str_slice(all, 0, m->channel_n), &b);
        buf_byte(&b, ' ');
        add_words(r, str_slice(all, m->channel_n, m->channel_n + m->payload_n), &b);
        buf_addz(&b, lost ? " lost" : "");
        note(r, &b, (row){ .kind = ROW_OTHER });
    }
    if (!world_take(r->w, &copy, e)) {
        buf_free(&request);
        return false;
    }
    if (executes) {
        buf_add(&request, r->answer);
        buf_addz(&request, tries);
        note(r, &request, x);
    }
    if (sync)
        note_wait(r, &copy, sync);
    note_calls(r);
    return true;
}

static bool is_timer(run *r, const step *s)
{
    return s->kind == STEP_RUN && world_task(r->w, s->process, s->task)->status == TASK_SLEEP;
}

/* The step to take now, or NULL: nothing is due. In an orderly run what a timer has begun goes on before the next one
 * fires: so it often was where the traces were made, with a clock that is held. */
static const step *choose(run *r)
{
    const step *steps, *found = NULL;
    size_t count = world_enabled(r->w, &steps), allowed = 0;
    bool answers = false, others = false;
    for (size_t i = 0; i < count; i++) {
        answers |= steps[i].kind == STEP_ANSWER && may_take(r, &steps[i]);
        others |= !is_timer(r, &steps[i]) && may_take(r, &steps[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (!may_take(r, &steps[i]) || (answers && steps[i].kind == STEP_GIVE_UP) ||
            (others && r->orderly && is_timer(r, &steps[i])))
            continue;
        allowed++;
        if (!found || (r->shuffled && rng_below(&r->random, allowed) == 0))
            found = &steps[i];
    }
    return found;
}

/* The fault step of this kind that hits a thread. */
static bool interrupt(run *r, uint32_t thread, err *e)
{
    const step *steps;
    size_t count = world_enabled(r->w, &steps);
    for (size_t i = 0; i < count; i++) {
        const step *s = &steps[i];
        if (s->kind != STEP_FAULT || s->fault != FAULT_INTERRUPT)
            continue;
        const task_view *t = world_task(r->w, s->process, s->task);
        const trace_client *c = &r->t->clients[s->process];
        const char *colon = memchr(t->who.p, ':', t->who.n);
        unsigned long k = colon ? strtoul(colon + 1, NULL, 10) : 1;
        if (k >= 1 && k <= c->thread_count && c->threads[k - 1] == thread)
            return take(r, s, e);
    }
    return true;
}

/* What the trace lets happen at this instant. */
static bool happen(run *r, err *e)
{
    for (size_t i = 0; i < r->t->event_count; i++) {
        const trace_event *x = &r->t->events[i];
        if (r->done[i] || x->at_ms > since_start(r))
            continue;
        r->done[i] = true;
        if (x->kind == HAPPENS_HANG)
            r->hung[x->number - 1] = true;
        else if (!interrupt(r, x->number, e))
            return false;
    }
    return true;
}

/* How far it is to the next instant at which something is due. */
static int64_t next_ms(run *r)
{
    int64_t now_ms = r->w->now_ms, at_ms = time_next(r->w);
    for (size_t i = 0; i < r->t->event_count; i++)
        if (!r->done[i] && r->t->events[i].at_ms + WORLD_EPOCH_MS < at_ms)
            at_ms = r->t->events[i].at_ms + WORLD_EPOCH_MS;
    for (size_t i = 0; i < r->w->flight_count; i++) {
        const flight *f = &r->w->flights[i];
        const seen *s = seen_of(r, f->number);
        int64_t due_ms = INT64_MAX;
        if (s && f->state == FLIGHT_SENT && !s->hung)
            due_ms = f->sent_ms + s->delay_ms;
        else if (s && f->state == FLIGHT_EXECUTED && !s->reset)
            due_ms = answered_ms(r, f, s);
        if (due_ms > now_ms && due_ms < at_ms)
            at_ms = due_ms;
        if (!f->orphan && f->give_up_ms > now_ms && f->give_up_ms < at_ms)
            at_ms = f->give_up_ms;
    }
    return at_ms == INT64_MAX ? INT64_MAX : at_ms - now_ms;
}

static bool pass_time(run *r, err *e)
{
    int64_t ms = next_ms(r);
    buf token = { 0 };
    buf_printf(&token, "+%" PRId64, ms);
    step s;
    bool ok = world_find(r->w, buf_str(&token), S(""), &s, e) && take(r, &s, e);
    buf_free(&token);
    return ok;
}

static bool play(run *r, err *e, str *why)
{
    size_t at_once = 0;
    while (since_start(r) <= r->t->end_ms) {
        look_at_flights(r);
        if (!happen(r, e))
            return false;
        look_at_flights(r);
        const step *s = choose(r);
        if (s) {
            if (++at_once > STEPS_AT_ONCE_MAX || r->runs_away) {
                *why = r->runs_away ? S("it sends without end") : S("a loop that takes no time");
                return true;
            }
            if (!take(r, s, e))
                return false;
            continue;
        }
        at_once = 0;
        if (next_ms(r) == INT64_MAX || world_over(r->w))
            break;
        if (!pass_time(r, e))
            return false;
    }
    return true;
}

/* Programs lie beside the traces; all else is shipped, or lies in the trace's folder. */
static bool read_file(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const trace *t = context;
    const char *const folders[] = { t->scripts ? t->scripts : "scripts", "tests/recordings", "scripts" };
    for (size_t i = 0; i < COUNT(folders); i++) {
        *path = arena_printf(a, "%s/%.*s", folders[i], STR_ARG(name));
        err ignored = { 0 };
        if (!files_read(a, *path, text, &ignored))
            continue;
        if (t->tells_files)
            printf("%.*s\t%.*s\n", STR_ARG(t->name), STR_ARG(*path));
        return true;
    }
    return err_set(e, ERR_SCENARIO, "no file '%.*s'", STR_ARG(name));
}

static void read_named_scripts(run *r)
{
    const json_t *row;
    for (size_t i = 0; (row = json_array_get(r->t->log, i)); i++) {
        const char *name = json_string_value(json_object_get(row, "script"));
        str path, text;
        err ignored = { 0 };
        bool known = !name || r->named_count == SCRIPTS_MAX;
        for (size_t k = 0; !known && k < r->named_count; k++)
            known = str_eq(r->named[k].name, str_from(name));
        if (!known && read_file((void *)(uintptr_t)r->t, str_from(name), r->a, &path, &text, &ignored)) {
            r->named[r->named_count].name = str_from(name);
            r->named[r->named_count++].text = text;
        }
    }
}

bool trace_run(arena *a, const trace *t, uint64_t seed, rows *out, str *why)
{
    const loader from_disk = { .context = (void *)(uintptr_t)t, .read = read_file };
    err e = { 0 };
    scenario sc;
    bool ok = scenario_load(a, &from_disk, t->name, t->scenario, &sc, &e);
    run r = { .a = a, .t = t, .out = out, .shuffled = seed > 0, .orderly = seed % 2 == 1,
              .requests = ARENA_ARRAY(a, seen, SEEN_MAX) };
    r.random = rng_new(seed, 0);
    read_named_scripts(&r);
    *why = S("");
    if (ok) {
        world_options o = { .record = true, .context = &r, .on_executed = on_executed };
        r.w = world_new(&sc, &from_disk, &o, &e);
        ok = r.w && play(&r, &e, why);
        world_free(r.w);
    }
    if (!ok) {
        buf b = { 0 };
        err_print(&e, &b);
        *why = arena_str(a, buf_str(&b));
        buf_free(&b);
    }
    return why->n == 0;
}
