/* stall.c - the fault stall: one thread of a process is stopped, while the timers, messages and other threads of that
 * process go on.
 *
 * A thread is the task that runs the program; tasks that it spawned (a watchdog, a callback) run on other threads in a
 * real client. Requests already sent are executed, and the process takes the answer or gives up at its time, each as a
 * step. The thread sees only the first of the two, when it goes on. */
#include <assert.h>

#include "world/internal.h"

static uint64_t bit_of(const task_view *t)
{
    assert(t->main && t->thread >= 1 && t->thread <= 64);
    return UINT64_C(1) << (t->thread - 1);
}

bool stalled(const world *w, uint32_t process, const task_view *t)
{
    return w->nodes[process].stalled && t->main && (w->nodes[process].stalled & bit_of(t));
}

bool stalled_sender(world *w, const flight *f)
{
    if (!w->nodes[f->process].stalled || !f->waited || f->orphan || f->dead)
        return false;
    const task_view *t = world_task(w, f->process, f->task);
    return t && stalled(w, f->process, t);
}

/* A stall before the program starts is a later start: the search has that anyway. */
static bool may_stall(const world *w, uint32_t process, const task_view *t)
{
    return t->main && !t->atomic && !str_eq(t->next, S("start")) && !stalled(w, process, t);
}

void stalls_enabled(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    const task_view *tasks;
    size_t count = n->alive && !n->paused && fault_left(w, FAULT_STALL, process) ? process_tasks(n->p, &tasks) : 0;
    for (size_t i = 0; i < count; i++)
        if (may_stall(w, process, &tasks[i]) && fault_meets_task(w, FAULT_STALL, process, tasks[i].id))
            enabled_add(w, (step){ .kind = STEP_FAULT, .fault = FAULT_STALL, .process = process, .task = tasks[i].id });
}

void resumes_enabled(world *w, uint32_t process)
{
    const node *n = &w->nodes[process];
    const task_view *tasks;
    size_t count = n->stalled && n->alive && !n->paused ? process_tasks(n->p, &tasks) : 0;
    for (size_t i = 0; i < count; i++)
        if (stalled(w, process, &tasks[i]))
            enabled_add(w, (step){ .kind = STEP_RESUME, .process = process, .task = tasks[i].id });
}

void stall_answer(world *w, flight *f)
{
    assert(f->state == FLIGHT_EXECUTED && stalled_sender(w, f));
    network_tell_served(w, f);
    f->state = FLIGHT_ARRIVED;
}

void stall_give_up(world *w, flight *f)
{
    assert(f->state != FLIGHT_ARRIVED && stalled_sender(w, f));
    f->given_up = true;
    if (f->state == FLIGHT_WAITING)
        network_leave(w, f);
    network_tell_served(w, f);
    if (f->state == FLIGHT_SENT)
        f->late = true;                            /* it may still be executed, or never: it no longer holds time */
    else
        f->state = FLIGHT_LOST;
}

static const task_view *thread_of(world *w, uint32_t process, uint32_t task)
{
    const task_view *t = world_task(w, process, task);
    assert(t);
    return t;
}

void stall_begin(world *w, uint32_t process, uint32_t task)
{
    const task_view *t = thread_of(w, process, task);
    w->nodes[process].stalled |= bit_of(t);
    world_emit(w, (event){ .kind = EVENT_STALLED, .process = process, .task = task,
                           .who = arena_str(w->step_memory, t->who) });
}

void stall_end(world *w, uint32_t process, uint32_t task)
{
    const task_view *t = thread_of(w, process, task);
    w->nodes[process].stalled &= ~bit_of(t);
    world_emit(w, (event){ .kind = EVENT_WENT_ON, .process = process, .task = task,
                           .who = arena_str(w->step_memory, t->who) });
}
