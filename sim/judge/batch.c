/* batch.c - see batch.h. A scenario's search uses one core and any idle ones; its result depends on neither. */
#include "judge/batch.h"

#include <stdatomic.h>

#include "base/mem.h"
#include "host/crew.h"
#include "host/ranks.h"
#include "judge/packed.h"

typedef struct {
    batch *p;
    const options *o;
    size_t side_by_side;           /* number of scenarios */
    size_t cores;                  /* that may be used here */
    atomic_size_t at_work;         /* threads */
    struct cores *idle;            /* that no job uses */
    batch_publish publish;
    void *context;
    bool ended;                    /* early, as its caller asked */
} workers;

static void work(void *context, size_t i)
{
    workers *w = context;
    job *j = &w->p->jobs.at[i];
    progress p = { .side_by_side = w->side_by_side };
    if (j->unread)
        judge_error(j->path, j->unread, &j->result);
    else {
        progress_scenario(&p, &w->p->board, j->path, i + 1, w->p->jobs.count);
        p.cores = w->idle;
        judge_file(w->o, j->path, &p, &j->result);
    }
    j->done = true;
}

/* Gives its core to the threads that go on. */
static void leave(void *context)
{
    workers *w = context;
    if (atomic_fetch_sub(&w->at_work, 1) <= w->cores)
        cores_give(w->idle, 1);
}

static void pack(void *context, size_t i, buf *out)
{
    workers *w = context;
    packed_write(&w->p->jobs.at[i].result, out);
    judged_free(&w->p->jobs.at[i].result);
    w->p->jobs.at[i].done = false;
}

static void unpack(void *context, size_t i, str bytes)
{
    workers *w = context;
    packed_read(bytes, &w->p->jobs.at[i].result);
    w->p->jobs.at[i].done = true;
}

/* Moves the published jobs to the front. If a job is published before others that are not done, those are dropped, and
 * the links between exhibits and twins with them. */
static job *keep_together(batch *p, size_t i)
{
    job *to = &p->jobs.at[p->published];
    if (i > p->published) {
        job kept = *to;
        *to = p->jobs.at[i];
        p->jobs.at[i] = kept;
        for (size_t k = 0; k < p->jobs.count; k++)
            p->jobs.at[k].twin = 0;
    }
    p->published++;
    return to;
}

/* Results that are finished after the first one that ends the batch are dropped, so that the output does not depend on
 * --jobs. */
static bool publish(void *context, size_t i)
{
    workers *w = context;
    batch *p = w->p;
    judged *result = &keep_together(p, i)->result;
    progress_clear(&p->board, PROGRESS_NOBODY);
    judge_save(w->o, &p->taken, result);
    p->status = status_worse(p->status, result->status);
    w->ended = !w->publish(w->context, result) || (w->o->fail_fast && p->status != STATUS_PASS);
    progress_clear(&p->board, i + 2);
    return !w->ended;
}

void batch_run(batch *p, const options *o, batch_publish publish_result, void *context)
{
    size_t all = crew_size((size_t)o->jobs), hands = all, machine = crew_size(0);
    bool alone = !ranks_joined();
    if (hands > p->jobs.count)
        hands = p->jobs.count;
    if (all > machine)
        all = machine;     /* threads of one search wait for each other: more than there are cores would slow it down */
    workers *w = mem_zero(sizeof *w);
    w->p = p;
    w->o = o;
    w->publish = publish_result;
    w->context = context;
    w->side_by_side = alone ? hands : ranks_all();
    w->cores = all;
    atomic_init(&w->at_work, hands);
    w->idle = cores_new(alone && all > hands ? all - hands : 0);       /* a rank has one core */
    progress_begin(&p->board);
    if (ranks_own() > 0)
        progress_clear(&p->board, SIZE_MAX);       /* rank 0 has the line */
    crew_publish(&(crew_work){ .context = w, .count = p->jobs.count, .work = work, .leave = alone ? leave : NULL,
                               .publish = publish, .pack = pack, .unpack = unpack,
                               .interrupted = progress_interrupted }, alone ? hands : 1);
    if (!w->ended && p->published < p->jobs.count && ranks_own() == 0)
        p->status = status_worse(p->status, STATUS_INCONCLUSIVE);
    if (!alone && progress_interrupted())
        return;            /* a thread may still be running: crew.h */
    cores_free(w->idle);
    mem_free(w);
}

report_item *batch_items(const batch *p, arena *a)
{
    report_item *items = ARENA_ARRAY(a, report_item, p->published + 1);
    for (size_t i = 0; i < p->published; i++)
        items[i] = judge_item(&p->jobs.at[i].result);
    return items;
}

void batch_close(batch *p)
{
    for (size_t i = 0; i < p->jobs.count; i++)
        if (p->jobs.at[i].done)
            judged_free(&p->jobs.at[i].result);
    taken_names_free(&p->taken);
}
