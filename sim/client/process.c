/* process.c - see process.h: calls the functions of a process's kind. */
#include "client/process_kind.h"

static process_head *head(process *p)
{
    return (process_head *)p;
}

static const process_kind *kind(process *p)
{
    return head(p)->kind;
}

static bool give(process *p, input in, int64_t now_ms, outputs *out, err *e)
{
    in.points = head(p)->points;
    return kind(p)->input(p, &in, now_ms, out, e);
}

bool process_run(process *p, uint32_t task, int64_t now_ms, outputs *out, err *e)
{
    return give(p, (input){ .kind = INPUT_RUN, .number = task }, now_ms, out, e);
}

bool process_choose(process *p, uint32_t task, size_t choice, int64_t now_ms, outputs *out, err *e)
{
    return give(p, (input){ .kind = INPUT_CHOOSE, .number = task, .amount = (int64_t)choice }, now_ms, out, e);
}

bool process_interrupt(process *p, uint32_t task, int64_t now_ms, outputs *out, err *e)
{
    return give(p, (input){ .kind = INPUT_INTERRUPT, .number = task }, now_ms, out, e);
}

bool process_preempt(process *p, uint32_t task, int64_t now_ms, outputs *out, err *e)
{
    return give(p, (input){ .kind = INPUT_PREEMPT, .number = task }, now_ms, out, e);
}

bool process_answer(process *p, uint32_t request, const reply *r, int64_t now_ms, outputs *out, err *e)
{
    return give(p, (input){ .kind = INPUT_ANSWER, .number = request, .answer = r }, now_ms, out, e);
}

bool process_give_up(process *p, uint32_t request, str error_kind, int64_t now_ms, outputs *out, err *e)
{
    return give(p, (input){ .kind = INPUT_GIVE_UP, .number = request, .text = error_kind }, now_ms, out, e);
}

bool process_message(process *p, uint32_t server, str channel, str payload, str pattern, int64_t now_ms, outputs *out,
                     err *e)
{
    return give(p, (input){ .kind = INPUT_MESSAGE, .server = server, .channel = channel, .text = payload,
                            .pattern = pattern }, now_ms, out, e);
}

void process_jump_clock(process *p, int64_t by_ms)
{
    give(p, (input){ .kind = INPUT_JUMP, .amount = by_ms }, 0, &(outputs){ 0 }, NULL);
}

void process_set_points(process *p, bool on)
{
    head(p)->points = on;
}

void process_free(process *p)
{
    if (p)
        kind(p)->free(p);
}

size_t process_tasks(process *p, const task_view **out)
{
    return kind(p)->tasks(p, out);
}

size_t process_observed(process *p, const observed **out)
{
    return kind(p)->observed(p, out);
}

void process_forget(process *p, uint32_t request)
{
    if (kind(p)->forget)
        kind(p)->forget(p, request);
}

void process_each_instant(process *p, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms),
                          void *context)
{
    kind(p)->each_instant(p, now_ms, window_ms, fn, context);
}

void process_each_request(process *p, void (*fn)(void *context, uint32_t request), void *context)
{
    kind(p)->each_request(p, fn, context);
}

bool process_freeze(process *p, int64_t now_ms, buf *out, err *e)
{
    return kind(p)->freeze(p, now_ms, out, e);
}

bool process_view(process *p, size_t i, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out,
                  err *e)
{
    return kind(p)->view(p, i, now_ms, read, context, a, out, e);
}

bool process_always(process *p, const always_asked *q, int64_t now_ms, arena *a, bool *ok, str *why, err *e)
{
    return kind(p)->always(p, q, now_ms, a, ok, why, e);
}
