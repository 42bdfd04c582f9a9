/* look.c - see look.h. */
#include "world/look.h"

#include "world/internal.h"

look_state look_process(const world *w, uint32_t p)
{
    return !w->nodes[p].alive ? LOOK_DEAD : w->nodes[p].paused ? LOOK_PAUSED : LOOK_ALIVE;
}

size_t look_tasks(world *w, uint32_t p, const task_view **out)
{
    return w->nodes[p].alive ? process_tasks(w->nodes[p].p, out) : 0;
}

void look_values(world *w, uint32_t p, facts *out)
{
    if (w->nodes[p].alive)
        process_describe(w->nodes[p].p, w->now_ms, out);
}

size_t look_places(const world *w, uint32_t p, uint32_t task, position *out, size_t max)
{
    return w->nodes[p].alive ? process_places(w->nodes[p].p, task, out, max) : 0;
}

bool look_lock(const world *w, size_t i, str *name, lock_view *out)
{
    const watched *l = &w->locks[i];
    *name = buf_str(&l->name);
    *out = l->view;
    return l->seen;
}

int64_t look_lock_age_ms(const world *w, size_t i)
{
    return w->now_ms - w->locks[i].view_at_ms;
}
