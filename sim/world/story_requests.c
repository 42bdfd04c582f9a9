/* story_requests.c - the list of all requests beside the story's rows: each as it was sent, and its fate, words and
 * answers in full. */
#include <string.h>

#include "base/mem.h"
#include "world/internal.h"

static story_request *find_request(world *w, const flight *f)
{
    story *s = &w->story;
    for (size_t i = s->request_count; i-- > 0;) {
        story_request *r = &s->requests[i];
        if (r->process == f->process && r->number == f->number && r->copy == f->copy)
            return r;
    }
    return NULL;
}

/* The script's text, stored once for all requests that run it. */
static str script_of(world *w, const flight *f)
{
    const story *s = &w->story;
    for (size_t i = s->request_count; f->script && i-- > 0;)
        if (s->requests[i].script.n && s->requests[i].argc > 1 && str_eq(s->requests[i].argv[1], f->argv[1]))
            return s->requests[i].script;
    return f->script && f->argc > 1 ? arena_str(w->story_memory, f->script->body) : S("");
}

void story_request_sent(world *w, const flight *f)
{
    arena *a = w->story_memory;
    story *s = &w->story;
    str *argv = ARENA_ARRAY(a, str, f->argc + 1);
    for (size_t i = 0; i < f->argc; i++)
        argv[i] = arena_str(a, f->argv[i]);
    story_request r = { .sent_ms = f->sent_ms, .executed_ms = STORY_NEVER_MS, .answered_ms = STORY_NEVER_MS,
                        .sent_step = w->story_step,
                        .process = f->process, .server = f->server, .number = f->number, .copy = f->copy,
                        .who = arena_str(a, f->who),
                        .op = arena_str(a, f->op), .lock = arena_str(a, f->lock), .argv = argv, .argc = f->argc,
                        .script = script_of(w, f) };
    MEM_RESERVE(s->requests, s->request_cap, s->request_count + 1);
    s->requests[s->request_count++] = r;
}

static str shown(world *w, const reply *answer)
{
    buf b = { 0 };
    reply_print_short(answer, &b);
    str out = arena_str(w->story_memory, buf_str(&b));
    buf_free(&b);
    return out;
}

void story_request_executed(world *w, const flight *f, bool waits)
{
    if (!find_request(w, f))           /* a duplicate has no sender but the network */
        story_request_sent(w, f);
    story_request *r = find_request(w, f);
    r->executed_ms = w->now_ms;
    r->executed_step = w->story_step;
    r->order = ++w->story.executed;
    r->waited = waits;
    r->answer = waits ? S("") : shown(w, &f->answer);
}

void story_request_served(world *w, const flight *f)
{
    story_request *r = find_request(w, f);
    if (r)
        r->answer = shown(w, &f->answer);
}

void story_request_answered(world *w, const flight *f)
{
    story_request *r = find_request(w, f);
    if (!r)
        return;
    r->answered_ms = w->now_ms;
    r->answered_step = w->story_step;
    /* its sender got another answer: too few replicas */
    if (!str_eq(r->answer, shown(w, &f->answer)))
        r->answer = shown(w, &f->answer);
}
