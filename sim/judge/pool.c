/* pool.c - see pool.h. One scenario's search uses one core, and those that no other needs; what comes out depends on
 * neither. */
#include "judge/pool.h"

#include <pthread.h>

#include "host/crew.h"

typedef struct {
    pool *p;
    const options *o;
    pthread_mutex_t lock;          /* of `next` and `done` */
    pthread_cond_t finished;
    size_t side_by_side;           /* scenarios */
    size_t next;                   /* job that no thread has taken */
    size_t at_work, cores;         /* threads; what they may use */
    bool stop;
    cores *idle;                   /* that no job uses */
} workers;

/* Works on jobs until none is left, or until told to stop. */
static void *work(void *context)
{
    workers *w = context;
    job_list *jobs = &w->p->jobs;
    pthread_mutex_lock(&w->lock);
    while (w->next < jobs->count && !w->stop && !progress_interrupted()) {
        size_t i = w->next++;
        job *j = &jobs->at[i];
        pthread_mutex_unlock(&w->lock);
        progress p = { .side_by_side = w->side_by_side };
        if (j->unread)
            judge_error(j->path, j->unread, &j->result);
        else {
            progress_scenario(&p, &w->p->board, j->path, i + 1, jobs->count);
            p.cores = w->idle;
            judge_file(w->o, j->path, &p, &j->result);
        }
        pthread_mutex_lock(&w->lock);
        j->done = true;
        pthread_cond_broadcast(&w->finished);
    }
    if (w->at_work-- <= w->cores)
        cores_give(w->idle, 1);    /* to those that go on */
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool wait_for(workers *w, size_t i)
{
    const job *j = &w->p->jobs.at[i];
    pthread_mutex_lock(&w->lock);
    while (!j->done && !(progress_interrupted() && i >= w->next))
        pthread_cond_wait(&w->finished, &w->lock);
    bool done = j->done;
    pthread_mutex_unlock(&w->lock);
    return done;
}

/* What others have finished beyond the first that ends it is left out, so that the output does not depend on --jobs. */
static void publish_all(workers *w, pool_publish publish, void *context)
{
    pool *p = w->p;
    for (size_t i = 0; i < p->jobs.count && wait_for(w, i); i++) {
        judged *result = &p->jobs.at[i].result;
        progress_clear(&p->board, ++p->published + 1);
        judge_save(w->o, &p->taken, result);
        p->status = status_worse(p->status, result->status);
        if (!publish(context, result) || (w->o->fail_fast && p->status != STATUS_PASS))
            return;
    }
    if (p->published < p->jobs.count)
        p->status = status_worse(p->status, STATUS_INCONCLUSIVE);
}

void pool_run(pool *p, const options *o, pool_publish publish, void *context)
{
    pthread_t threads[TEAM_MAX];
    size_t all = crew_size((size_t)o->jobs), wanted = all, started = 0, machine = crew_size(0);
    if (wanted > p->jobs.count)
        wanted = p->jobs.count;
    if (all > machine)
        all = machine;     /* threads of one search wait for each other: more of them than cores would be in their way */
    workers w = { .p = p, .o = o, .side_by_side = wanted, .at_work = wanted, .cores = all,
                  .idle = cores_new(all > wanted ? all - wanted : 0) };
    progress_begin(&p->board);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.finished, NULL);
    while (started < wanted && pthread_create(&threads[started], NULL, work, &w) == 0)
        started++;
    if (started == 0)
        work(&w);          /* no threads to be had: then all of it here */
    publish_all(&w, publish, context);
    pthread_mutex_lock(&w.lock);
    w.stop = true;
    pthread_mutex_unlock(&w.lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    cores_free(w.idle);
    pthread_cond_destroy(&w.finished);
    pthread_mutex_destroy(&w.lock);
}

report_item *pool_items(const pool *p, arena *a)
{
    report_item *items = ARENA_ARRAY(a, report_item, p->published + 1);
    for (size_t i = 0; i < p->published; i++)
        items[i] = judge_item(&p->jobs.at[i].result);
    return items;
}

void pool_close(pool *p)
{
    for (size_t i = 0; i < p->jobs.count; i++)
        if (p->jobs.at[i].done)
            judged_free(&p->jobs.at[i].result);
    taken_names_free(&p->taken);
}
