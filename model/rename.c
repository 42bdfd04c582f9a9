/* rename.c - renames a process's requests and tasks: a search names them by their place in the process's state, and a
 * step of the process changes the places. */
#include "model/memory.h"

static uint32_t renamed(const uint32_t *names, size_t count, uint32_t old)
{
    return old < count ? names[old] : old;
}

static void rename_requests(model *m, uint32_t process, const uint32_t *names, size_t count, const uint32_t *tasks,
                            size_t task_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->request_count; i++) {
        pending *r = &m->requests[i];
        if (r->process == process) {
            r->number = renamed(names, count, r->number);
            r->task = renamed(tasks, task_count, r->task);
            if (r->number == NOBODY)
                continue;
        }
        if (kept != i)
            m->requests[kept] = *r;
        kept++;
    }
    m->request_count = kept;
}

static void rename_waiters(lock *l, uint32_t process, const uint32_t *tasks, size_t count)
{
    for (size_t k = l->active_count; k-- > 0;) {
        stake *s = l->active[k];
        if (!s->waiting || s->process != process)
            continue;
        s->task = renamed(tasks, count, s->task);
        if (s->task == NOBODY)
            track_wait(s, false);
        track_refresh(s);
    }
}

void model_rename(model *m, uint32_t process, const uint32_t *requests, size_t request_count, const uint32_t *tasks,
                  size_t task_count)
{
    rename_requests(m, process, requests, request_count, tasks, task_count);
    for (lock *l = m->locks; l; l = l->hh.next)
        rename_waiters(l, process, tasks, task_count);
    if (request_count)
        track_sweep(m, NULL);          /* a promise may have mattered only to a request that is gone */
}
