/* sequence_trace.c - follows the messages of a story from mark to mark: the sender, the arrival, and the fate of the
 * answer. */
#include "report/sequence_trace.h"

#include <string.h>

#include "base/mem.h"
#include "report/sequence_bars.h"

/* A request or message that is under way. */
typedef struct {
    arrow_kind kind;       /* ARROW_ANSWER: it was executed */
    uint32_t process, server, request;
    size_t from;           /* the step at which its present part left */
    bool copy;             /* a duplicate */
    bool waits;            /* at the server */
    bool late;             /* it outlives its sender: delayed, or not awaited any more */
    bool given_up;         /* the answer is not awaited */
    bool drawn;            /* it was lost, and that is drawn; only its time-out can still come */
} under_way;

typedef struct {
    sequence_trace *out;
    under_way *items;
    size_t count, cap;
} tracer;

static void draw(tracer *t, const under_way *u, size_t to, arrow_end end)
{
    if (u->drawn || (u->waits && u->kind == ARROW_REQUEST))
        return;
    MEM_RESERVE(t->out->arrows, t->out->arrow_cap, t->out->arrow_count + 1);
    t->out->arrows[t->out->arrow_count++] =
        (sequence_arrow){ .kind = u->kind, .end = end, .process = u->process, .server = u->server,
                          .request = u->request, .from = u->from, .to = to };
}

static void begin(tracer *t, under_way u)
{
    MEM_RESERVE(t->items, t->cap, t->count + 1);
    t->items[t->count++] = u;
}

static void end(tracer *t, under_way *u)
{
    size_t i = (size_t)(u - t->items);
    memmove(u, u + 1, (--t->count - i) * sizeof *u);
}

static under_way *find(const tracer *t, const story_mark *m, bool copy)
{
    for (size_t i = 0; m->request && i < t->count; i++) {
        under_way *u = &t->items[i];
        if (u->kind != ARROW_MESSAGE && u->request == m->request && u->process == m->process && u->copy == copy)
            return u;
    }
    return NULL;
}

/* Those of one connection arrive in the order in which they were sent. */
static under_way *first_message(const tracer *t, const story_mark *m)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].kind == ARROW_MESSAGE && t->items[i].process == m->process && t->items[i].server == m->server)
            return &t->items[i];
    return NULL;
}

static void executed(tracer *t, const story_mark *m)
{
    under_way *u = find(t, m, m->copy);
    if (!u || u->kind == ARROW_ANSWER)
        return;            /* it waited there, and is drawn when its client gets the answer */
    draw(t, u, m->step, ARROW_ARRIVES);
    if (u->copy || u->given_up) {
        end(t, u);
        return;
    }
    u->kind = ARROW_ANSWER;
    u->from = m->step;
    u->waits = false;
}

/* Its sender stops waiting. */
static void forsaken(tracer *t, const story_mark *m)
{
    under_way *u = find(t, m, false);
    if (!u)
        return;
    if (u->kind == ARROW_ANSWER)
        draw(t, u, m->step, ARROW_UNHEARD);
    if (u->kind == ARROW_ANSWER || u->drawn || u->waits)
        end(t, u);
    else
        u->given_up = u->late = true;
}

static void lost(tracer *t, under_way *u, size_t step)
{
    if (!u)
        return;
    draw(t, u, step, ARROW_LOST);
    if (u->kind == ARROW_MESSAGE)
        end(t, u);
    else
        u->drawn = true;
}

static void crashed(tracer *t, const story_mark *m)
{
    for (size_t i = t->count; i-- > 0;) {
        under_way *u = &t->items[i];
        if (u->process != m->process)
            continue;
        if (u->kind == ARROW_REQUEST && u->late) { /* it may still be executed, without a receiver */
            u->given_up = true;
            continue;
        }
        draw(t, u, m->step, ARROW_LOST);
        end(t, u);
    }
}

static void struck(tracer *t, const story_mark *m)
{
    under_way *u = find(t, m, false);
    if (str_eq(m->text, S("lose_request")) || str_eq(m->text, S("lose_reply")))
        lost(t, u, m->step);
    else if (str_eq(m->text, S("lose_message")))
        lost(t, first_message(t, m), m->step);
    else if (str_eq(m->text, S("late_request")) && u)
        u->late = true;
    else if (str_eq(m->text, S("duplicate")) && u)
        begin(t, (under_way){ .kind = ARROW_REQUEST, .process = m->process, .server = u->server, .request = m->request,
                              .from = m->step, .copy = true, .late = true });
}

static void follow(tracer *t, const story_mark *m)
{
    under_way *u;
    switch (m->kind) {
    case MARK_SENT:
        begin(t, (under_way){ .kind = ARROW_REQUEST, .process = m->process, .server = m->server, .request = m->request,
                              .from = m->step });
        return;
    case MARK_EXECUTED:
        executed(t, m);
        return;
    case MARK_WAITS:
        u = find(t, m, false);
        if (u) {
            draw(t, u, m->step, ARROW_ARRIVES);
            u->waits = true;
        }
        return;
    case MARK_ANSWERED:
        u = find(t, m, false);
        if (u) {
            draw(t, u, m->step, ARROW_ARRIVES);
            end(t, u);
        }
        return;
    case MARK_TIMED_OUT: case MARK_INTERRUPTED:
        forsaken(t, m);
        return;
    case MARK_PUBLISHED:
        begin(t, (under_way){ .kind = ARROW_MESSAGE, .process = m->process, .server = m->server, .from = m->step });
        return;
    case MARK_DELIVERED:
        u = first_message(t, m);
        if (u) {
            draw(t, u, m->step, ARROW_ARRIVES);
            end(t, u);
        }
        return;
    case MARK_CRASHED:
        crashed(t, m);
        return;
    case MARK_FAULT:
        struck(t, m);
        return;
    default:
        return;
    }
}

void sequence_trace_make(const story *s, sequence_trace *out)
{
    *out = (sequence_trace){ .servers = 1 };
    tracer t = { .out = out };
    for (size_t i = 0; i < s->mark_count; i++) {
        follow(&t, &s->marks[i]);
        if (s->marks[i].kind == MARK_EXECUTED && s->marks[i].server >= out->servers)
            out->servers = s->marks[i].server + 1;
    }
    for (size_t i = 0; i < t.count; i++)
        draw(&t, &t.items[i], s->count, ARROW_OPEN);
    for (size_t i = 0; i < out->arrow_count; i++)
        if (out->arrows[i].server >= out->servers)
            out->servers = out->arrows[i].server + 1;
    mem_free(t.items);
    sequence_bars_make(s, out);
}

void sequence_trace_free(sequence_trace *t)
{
    mem_free(t->arrows);
    mem_free(t->bars);
    *t = (sequence_trace){ 0 };
}
