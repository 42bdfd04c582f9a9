/* spin.c - finds loops of requests that take no time: a cheap test after each execution, and an expensive one where
 * that says yes. */
#include <xxhash.h>

#include "base/mem.h"
#include "world/internal.h"

const spin *spin_find(const node *n, uint32_t task)
{
    for (size_t i = 0; i < n->spin_count; i++)
        if (n->spins[i].task == task)
            return &n->spins[i];
    return NULL;
}

/* The task's spin, a new one at its first request; reuses those of ended tasks. */
static spin *spin_of(world *w, uint32_t process, uint32_t task)
{
    node *n = &w->nodes[process];
    for (size_t i = 0; i < n->spin_count; i++)
        if (n->spins[i].task == task)
            return &n->spins[i];
    size_t kept = 0;
    for (size_t i = 0; i < n->spin_count; i++)
        if (world_task(w, process, n->spins[i].task))
            n->spins[kept++] = n->spins[i];
    n->spin_count = kept;
    MEM_RESERVE(n->spins, n->spin_cap, n->spin_count + 1);
    n->spins[n->spin_count] = (spin){ .task = task };
    return &n->spins[n->spin_count++];
}

/* After an execution: did it equal an earlier one of the task at this instant, with nothing written since? This cheap
 * test decides whether the expensive one (spin_close) runs. The loop may have many requests, and may begin after
 * others; so the earlier execution is chosen as in Brent, "An improved Monte Carlo factorization algorithm", 1980. */
void spin_note(world *w, const flight *f)
{
    spin *s = spin_of(w, f->process, f->task);
    buf words = { 0 };
    buf_u64(&words, (uint64_t)f->line);
    reply_print_short(&f->answer, &words);
    for (size_t i = 0; i < f->argc; i++)
        buf_lenstr(&words, f->argv[i]);
    uint64_t last = XXH3_64bits(words.p, words.n), writes = world_writes(w);
    buf_free(&words);
    uint64_t line = UINT64_C(1) << ((unsigned)f->line % 64);
    if (!(s->looped_lines & line))
        s->looped_at_ms = 0;           /* a request outside of the loop */
    if (s->at_ms != w->now_ms || s->writes != writes) {        /* progress: begins anew */
        *s = (spin){ .task = f->task, .at_ms = w->now_ms, .writes = writes, .mark = last, .until = 1,
                     .looped_lines = s->looped_lines, .looped_at_ms = s->looped_at_ms };
        return;
    }
    s->lines |= line;
    s->again = s->mark == last;
    if (!s->again && ++s->since == s->until) {
        s->mark = last;
        s->since = 0;
        s->until *= 2;
        s->state = s->lines = 0;
    }
}

void spin_forget(world *w, uint32_t process, uint32_t task)
{
    node *n = &w->nodes[process];
    for (size_t i = 0; i < n->spin_count; i++)
        if (task == NOBODY || task == n->spins[i].task)
            n->spins[i].looped_at_ms = 0;
}

/* After the answer: is the process in the state in which the last repeated answer left it? Then it loops in zero time.
 * Real polls take some time, so one millisecond may pass now (time_next). If that ends the loop, as at a deadline at
 * which PTTL answers 0, all is well; if the loop closes again, it is LK051. */
void spin_close(world *w, uint32_t process, const flight *f)
{
    node *n = &w->nodes[process];
    spin *s = spin_of(w, process, f->task);
    if (!s->again || s->loops)
        return;
    buf state = { 0 };
    err none = { 0 };
    bool frozen = process_freeze(n->p, w->now_ms, &state, &none);
    err_clear(&none);
    buf_u64(&state, n->delivered);
    for (size_t v = 0; v < w->server_count; v++)
        buf_u64(&state, n->messages[v].count);
    uint64_t print = XXH3_64bits(state.p, state.n);
    buf_free(&state);
    if (frozen && s->state == print) {
        s->loops = true;
        if (s->looped_at_ms && s->looped_at_ms < w->now_ms && s->looped_lines == s->lines)
            world_emit(w, (event){ .kind = EVENT_BUSY, .process = process, .task = f->task, .who = f->who, .op = f->op,
                                   .lock = f->lock, .text = f->path, .line = f->line });
        else
            s->looped_at_ms = w->now_ms;
        s->looped_lines = s->lines;
    }
    s->state = frozen ? print : 0;
    s->lines = 0;
}
