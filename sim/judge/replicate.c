/* replicate.c - see replicate.h. A run has its own copy of everything, from the scenario's text on, so that runs cannot
 * meet. */
#include "judge/replicate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "judge/judge.h"
#include "simulate/simulate.h"

typedef struct {
    const replicate_list *list;
    arena *names;                  /* of locks */
    const options *o;
    progress_board board;
    pthread_mutex_t lock;          /* of the list, of `names` and of what follows */
    pthread_cond_t finished;
    size_t next, next_seed;        /* that no thread has taken */
    size_t at_work;                /* threads */
    atomic_bool stop;
} crew;

/* One run, while it goes on. */
typedef struct {
    crew *crew;
    replicated *r;
    size_t seed;                   /* 0: the first */
    measure *m;
    progress p;
    bool late;
} runner;

static bool go_on(void *context, int64_t at_us, uint64_t acquisitions)
{
    runner *one = context;
    const options *o = one->crew->o;
    if (!progress_simulating(&one->p, one->seed + 1, one->r->seeds, at_us, acquisitions) || one->crew->stop)
        return false;
    one->late = o->has_time_limit && progress_now_ms() - one->r->begun_ms >= (int64_t)o->time_limit_s * 1000;
    return !one->late;
}

static void keep_errors(const runner *one, size_t seed, const simulate_result *result)
{
    replicated *r = one->r;
    if (result->errors > 0 && (r->told.errors == 0 || seed < r->error_seed)) {
        r->told.first_error = arena_str(one->crew->names, result->error);
        r->error_seed = seed;
    }
    r->told.errors += result->errors;
}

/* Keeps what a run found out, and of seed 0 what single clients got and how its locks are called. Under the lock. */
static void keep(const runner *one, size_t seed, const simulate_result *result)
{
    replicated *r = one->r;
    measure *m = one->m;
    bool whole = result->ending != SIMULATE_STOPPED && result->ending != SIMULATE_CUT;
    r->told.starved += result->ending == SIMULATE_STARVED;
    r->told.fruitless += result->ending == SIMULATE_FRUITLESS;
    r->told.flooded += result->ending == SIMULATE_FLOODED;
    r->late = r->late || (one->late && !whole);
    keep_errors(one, seed, result);
    if (seed == 0) {
        str *names = ARENA_ARRAY(one->crew->names, str, result->lock_count + 1);
        for (size_t i = 0; i < result->lock_count; i++)
            names[i] = arena_str(one->crew->names, result->locks[i]);
        r->told.locks = names;
        r->told.lock_count = result->lock_count;
        r->told.threads = result->threads;
        r->told.begin_us = measure_begin_us(m);
        r->told.end_us = measure_end_us(m);
        r->told.ran_out = result->ending == SIMULATE_IDLE;
    }
    if (whole)
        replications_add(r->runs, seed, m);
    else if (seed == 0)
        r->cut = m;
    else
        measure_free(m);
}

static void on_occurrence(void *context, const occurrence *o)
{
    measure_occurrence(((runner *)context)->m, o);
}

/* The first seed that fails is the one that is told, whoever was faster. */
static void fail(replicated *r, size_t seed, err *e)
{
    if (r->failed.class_ != ERR_NONE && r->failed_seed < seed)
        return;
    err_clear(&r->failed);
    r->failed = *e;
    r->failed_seed = seed;
    *e = (err){ 0 };
}

static void run_seed(crew *w, size_t group, size_t seed)
{
    enum { LATENCY_US = 1000 };
    replicated *r = &w->list->at[group];
    arena *a = arena_new();
    search_path where = search_path_new(a, w->o);
    scenario *sc = ARENA_NEW(a, scenario);
    err e = { 0 };
    simulate_result result = { 0 };
    runner one = { .crew = w, .r = r, .seed = seed, .m = measure_new((uint32_t)r->told.client_count,
                                                                     r->told.seed + seed, seed == 0) };
    progress_scenario(&one.p, &w->board, r->told.path, group + 1, w->list->count);
    bool ok = judge_load(a, &where, r->told.path, (overrides){ .dialect = options_overrides(w->o).dialect }, sc, &e);
    if (ok) {
        loader l = search_path_loader(&where);
        simulate_options so = { .seed = r->told.seed + seed, .workload = r->which, .latency_us = LATENCY_US,
                                .context = &one, .on_occurrence = on_occurrence, .go_on = go_on };
        ok = simulate_run(sc, &l, &so, &result, &e);
    }
    if (ok)
        measure_end(one.m, result.end_us);
    pthread_mutex_lock(&w->lock);
    if (ok) {
        keep(&one, seed, &result);
    } else {
        measure_free(one.m);
        fail(r, seed, &e);
    }
    pthread_mutex_unlock(&w->lock);
    simulate_result_free(&result);
    err_clear(&e);
    arena_free(a);
}

/* The next run that nobody has taken; what is no use any more is passed over. Under the lock. */
static bool take(crew *w, size_t *group, size_t *seed)
{
    for (; w->next < w->list->count; w->next++, w->next_seed = 0) {
        replicated *r = &w->list->at[w->next];
        bool useless = r->failed.class_ != ERR_NONE || r->late;
        if (w->next_seed < r->seeds && !useless) {
            if (w->next_seed == 0)
                r->begun_ms = progress_now_ms();
            *group = w->next;
            *seed = w->next_seed++;
            return true;
        }
        r->finished += r->seeds - w->next_seed;
    }
    return false;
}

static void *work(void *context)
{
    crew *w = context;
    size_t group, seed;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && !progress_interrupted() && take(w, &group, &seed)) {
        pthread_mutex_unlock(&w->lock);
        run_seed(w, group, seed);
        pthread_mutex_lock(&w->lock);
        w->list->at[group].finished++;
        pthread_cond_broadcast(&w->finished);
    }
    w->at_work--;
    pthread_cond_broadcast(&w->finished);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Until all runs of it are over, or nobody is left to run them. */
static void wait_for(crew *w, const replicated *r)
{
    pthread_mutex_lock(&w->lock);
    while (r->finished < r->seeds && w->at_work > 0)
        pthread_cond_wait(&w->finished, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

/* What its runs come to. */
static void settle(replicated *r)
{
    simulated *t = &r->told;
    if (r->failed.class_ != ERR_NONE) {
        t->ending = SIMULATED_FAILED;
        t->error = &r->failed;
        return;
    }
    t->ending = r->runs->done == r->seeds ? SIMULATED_ALL : r->late ? SIMULATED_LATE : SIMULATED_INTERRUPTED;
    if (r->runs->done == 0 && r->cut) {
        replications_add(r->runs, 0, r->cut);
        r->cut = NULL;
        t->cut = true;
    }
}

static void publish_all(crew *w, bool (*publish)(void *context, replicated *r), void *context)
{
    for (size_t i = 0; i < w->list->count; i++) {
        replicated *r = &w->list->at[i];
        wait_for(w, r);
        settle(r);
        progress_clear(&w->board, i + 2);
        if (!publish(context, r))
            return;
    }
}

void replicate_run(const replicate_list *list, arena *a, const options *o,
                   bool (*publish)(void *context, replicated *r), void *context)
{
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = o->jobs ? (size_t)o->jobs : cores > 0 ? (size_t)cores : 1, started = 0;
    crew w = { .list = list, .names = a, .o = o };
    if (wanted > THREADS_MAX)
        wanted = THREADS_MAX;
    progress_begin(&w.board);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.finished, NULL);
    pthread_mutex_lock(&w.lock);
    while (started < wanted && pthread_create(&threads[started], NULL, work, &w) == 0)
        started++;
    w.at_work = started ? started : 1;
    pthread_mutex_unlock(&w.lock);
    if (started == 0)
        work(&w);          /* no threads to be had: then all of it here */
    publish_all(&w, publish, context);
    w.stop = true;
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&w.finished);
    pthread_mutex_destroy(&w.lock);
}
