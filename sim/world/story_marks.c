/* story_marks.c - the marks of a story, from which a picture is drawn: one for each thing sent, run, believed or
 * broken. Written while the world records. */
#include <string.h>

#include "base/mem.h"
#include "model/model.h"
#include "world/internal.h"

/* A longer step keeps its first marks only. */
enum { STEP_MARKS_MAX = 512 };

static str kept(world *w, str text)
{
    if (text.n == 0)
        return S("");
    buf b = { 0 };
    story_text(&b, text);
    str copy = arena_str(w->story_memory, buf_str(&b));
    buf_free(&b);
    return copy;
}

static void add(world *w, story_mark m, const event *e)
{
    story *s = &w->story;
    if (s->mark_count >= STEP_MARKS_MAX && s->marks[s->mark_count - STEP_MARKS_MAX].step == w->story_step)
        return;
    m.step = w->story_step;
    m.text = kept(w, m.text);
    if (e) {
        m.process = e->process;
        m.server = e->server;
        m.request = e->request;
        m.who = kept(w, e->who);
        m.lock = kept(w, e->lock);
    }
    MEM_RESERVE(s->marks, s->mark_cap, s->mark_count + 1);
    s->marks[s->mark_count++] = m;
}

static int64_t after(int64_t at_ms, int64_t length_ms)
{
    return length_ms < 0 ? INT64_MAX : at_ms + length_ms;
}

static void add_holders(world *w, const event *e)
{
    buf b = { 0 };
    for (size_t i = 0; i < e->view->holder_count && story_line(&b); i++) {
        if (b.n)
            b.p[b.n - 1] = ' ';                    /* what story_line put there ends a line */
        story_text(&b, e->view->holders[i].id);
    }
    add(w, (story_mark){ .kind = MARK_HOLDERS, .text = buf_str(&b), .until_ms = after(w->now_ms, e->view->ttl_ms) }, e);
    buf_free(&b);
}

void story_mark_event(world *w, const event *e)
{
    switch (e->kind) {
    case EVENT_SENT:
        add(w, (story_mark){ .kind = MARK_SENT, .text = e->op, .count = e->permits,
                             .ends = e->count & SENT_AGAIN ? ENDS_NOTHING : model_op_ending(e->op) }, e);
        break;
    case EVENT_EXECUTED:
        add(w, (story_mark){ .kind = MARK_EXECUTED, .text = e->text, .copy = (e->count & EXECUTED_COPY) != 0 }, e);
        break;
    case EVENT_ANSWERED: add(w, (story_mark){ .kind = MARK_ANSWERED }, e); break;
    case EVENT_TIMED_OUT: add(w, (story_mark){ .kind = MARK_TIMED_OUT }, e); break;
    case EVENT_GRANTED:
        add(w, (story_mark){ .kind = MARK_GRANTED, .count = e->count, .until_ms = after(w->now_ms, e->lease_ms) }, e);
        break;
    case EVENT_REFUSED: add(w, (story_mark){ .kind = MARK_REFUSED }, e); break;
    case EVENT_GAVE_UP: add(w, (story_mark){ .kind = MARK_GAVE_UP }, e); break;
    case EVENT_RELEASED:
        add(w, (story_mark){ .kind = MARK_RELEASED, .ends = e->request ? ENDS_NOTHING : e->count ? ENDS_ONE_HOLD
                             : ENDS_ALL }, e);
        break;
    case EVENT_LOST: add(w, (story_mark){ .kind = MARK_NOT_OWNER }, e); break;
    case EVENT_VIEW: add_holders(w, e); break;
    case EVENT_CRASHED: add(w, (story_mark){ .kind = MARK_CRASHED }, e); break;
    case EVENT_RESTARTED: add(w, (story_mark){ .kind = MARK_RESTARTED }, e); break;
    case EVENT_PAUSED: add(w, (story_mark){ .kind = MARK_PAUSED }, e); break;
    case EVENT_RESUMED: add(w, (story_mark){ .kind = MARK_RESUMED }, e); break;
    case EVENT_STALLED: add(w, (story_mark){ .kind = MARK_STALLED }, e); break;
    case EVENT_WENT_ON: add(w, (story_mark){ .kind = MARK_WENT_ON }, e); break;
    case EVENT_INTERRUPTED: add(w, (story_mark){ .kind = MARK_INTERRUPTED }, e); break;
    case EVENT_FAULT: add(w, (story_mark){ .kind = MARK_FAULT, .text = e->op }, e); break;
    default: break;
    }
}

void story_mark_message(world *w, uint32_t process, uint32_t server, str channel, str payload)
{
    buf b = { 0 };
    buf_byte(&b, '"');
    story_text(&b, payload);
    buf_addz(&b, "\" on ");
    story_text(&b, channel);
    add(w, (story_mark){ .kind = MARK_PUBLISHED, .process = process, .server = server, .text = buf_str(&b) }, NULL);
    buf_free(&b);
}

void story_mark_flight(world *w, story_mark_kind kind, uint32_t process, uint32_t server, uint32_t request)
{
    add(w, (story_mark){ .kind = kind, .process = process, .server = server, .request = request }, NULL);
}
